// How a query examines rows, for the iterations of the baselines.

#ifndef BASELINES_QUERY_PRIVATE_H
#define BASELINES_QUERY_PRIVATE_H

#include "Baselines.h"

// Begins a query.
void bl_query_begin(bl_query *query);
// Returns whether the query needs every folder before the items.
int bl_query_sees_folders(const bl_query *query);
// Examines a folder. `name` need not remain valid.
void bl_query_visit_folder(bl_query *query, int64_t key, const char *name, size_t length);
// Examines a row, which must remain valid until the query has ended.
typedef void (*bl_query_visit)(bl_query *query, const uint8_t *row);
bl_query_visit bl_query_visitor(const bl_query *query);
// Computes the answer from what was found.
void bl_query_end(bl_query *query);

#endif
