// How a query looks at rows; for the walks of the baselines.

#ifndef BASELINES_QUERY_PRIVATE_H
#define BASELINES_QUERY_PRIVATE_H

#include "Baselines.h"

// Begins a query.
void bl_query_begin(bl_query *query);
// Looks at a row, which stays where it is until the query ended.
typedef void (*bl_query_visit)(bl_query *query, const uint8_t *row);
bl_query_visit bl_query_visitor(const bl_query *query);
// Makes the answer of what was found.
void bl_query_end(bl_query *query);

#endif
