// Queries that look at each packed row of an item: the same for whoever keeps the rows.

#ifndef BASELINES_QUERY_H
#define BASELINES_QUERY_H

// What is asked. The first ones ask for how many items the title
typedef enum {
    // contains a text,
    bl_query_contains,
    // contains a text, in lower case, whatever the title's case,
    bl_query_contains_any_case,
    // begins with a text,
    bl_query_begins,
    // begins with a text and ends with another.
    bl_query_begins_and_ends,
    // The sums of the items' numbers, for each category in its order.
    bl_query_sums,
    // The items with the highest prices, the highest first, equal ones by their keys.
    bl_query_highest,
    // The titles.
    bl_query_titles,
    // How many items are in a folder whose name is not below a text.
    bl_query_in_folders,
    // How many folders hold an item with one of these numbers: from `number` to the end.
    bl_query_folders_of_numbers,
} bl_query_kind;

// How many items `bl_query_highest` answers with.
enum { bl_query_highest_count = 100 };

typedef struct bl_query {
    bl_query_kind kind;
    const char *text, *end;
    // How many categories there are, for the sums.
    int64_t category_count;
    // From which number on, for the folders of items.
    int64_t number;
    // The answer: how many rows it has, and of what they hold; a number counts as one row.
    int64_t count;
    uint64_t digest;
    // While it is under way.
    size_t text_length, end_length;
    int64_t matches;
    int64_t *sums;
    // By the keys of folders: which ones are wanted, or were found.
    uint8_t *folders;
    int64_t folder_count;
    const uint8_t *highest[bl_query_highest_count];
} bl_query;

#endif
