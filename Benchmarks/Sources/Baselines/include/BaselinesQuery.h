// Queries that examine each packed row of an item, regardless of where the rows are stored.

#ifndef BASELINES_QUERY_H
#define BASELINES_QUERY_H

// The kind of a query. The first four return the number of items whose title
typedef enum {
    // contains a string,
    bl_query_contains,
    // contains a string, which is in lower case, regardless of the title's case,
    bl_query_contains_any_case,
    // begins with a string,
    bl_query_begins,
    // begins with a string and ends with another.
    bl_query_begins_and_ends,
    // The sums of the items' numbers, for each category in its order.
    bl_query_sums,
    // The items with the highest prices, the highest first, equal ones by their keys.
    bl_query_highest,
    // The title, number and price of all items.
    bl_query_columns,
    // The number of items in folders whose name is greater than or equal to a string.
    bl_query_in_folders,
    // The number of folders that contain an item whose number is at least `number`.
    bl_query_folders_of_numbers,
} bl_query_kind;

// The number of items in the answer of `bl_query_highest`.
enum { bl_query_highest_count = 100 };

typedef struct bl_query {
    bl_query_kind kind;
    const char *text, *end;
    // The number of categories, for the sums.
    int64_t category_count;
    // The lowest number, for the folders of items.
    int64_t number;
    // The answer: the number of rows, and their digest. A number counts as one row.
    int64_t count;
    uint64_t digest;
    // The state during the evaluation.
    size_t text_length, end_length;
    int64_t matches;
    int64_t *sums;
    // The folders that are wanted or were found, by key.
    uint8_t *folders;
    int64_t folder_count;
    const uint8_t *highest[bl_query_highest_count];
} bl_query;

#endif
