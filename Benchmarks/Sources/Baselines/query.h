// How a query looks at rows; for the walks of the baselines.

#ifndef BASELINES_QUERY_PRIVATE_H
#define BASELINES_QUERY_PRIVATE_H

#include "Baselines.h"

// Begins a query.
void bl_query_begin(bl_query *query);
// Whether the query wants to see every folder before the items.
int bl_query_sees_folders(const bl_query *query);
// Looks at a folder; `name` need not stay where it is.
void bl_query_visit_folder(bl_query *query, int64_t key, const char *name, size_t length);
// Looks at a row, which stays where it is until the query ended.
typedef void (*bl_query_visit)(bl_query *query, const uint8_t *row);
bl_query_visit bl_query_visitor(const bl_query *query);
// Makes the answer of what was found.
void bl_query_end(bl_query *query);

#endif
