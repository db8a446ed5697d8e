#define _GNU_SOURCE
#include "query.h"

#include <stdlib.h>
#include <string.h>

void bl_query_begin(bl_query *query) {
    query->count = 0;
    query->digest = 0;
    query->matches = 0;
    query->text_length = query->text ? strlen(query->text) : 0;
    query->end_length = query->end ? strlen(query->end) : 0;
    query->folders = NULL;
    query->folder_count = 0;
    query->sums = calloc((size_t)query->category_count + 1, sizeof *query->sums);
}

int bl_query_sees_folders(const bl_query *query) {
    return query->kind == bl_query_in_folders || query->kind == bl_query_folders_of_numbers;
}

void bl_query_visit_folder(bl_query *query, int64_t key, const char *name, size_t length) {
    if (key < 0) return;
    if (key >= query->folder_count) {
        int64_t count = (key + 1) * 2;
        uint8_t *folders = realloc(query->folders, (size_t)count);
        if (!folders) return;
        memset(folders + query->folder_count, 0, (size_t)(count - query->folder_count));
        query->folders = folders;
        query->folder_count = count;
    }
    if (query->kind != bl_query_in_folders) return;
    size_t shared = length < query->text_length ? length : query->text_length;
    int order = memcmp(name, query->text, shared);
    query->folders[key] = order > 0 || (order == 0 && length >= query->text_length);
}

static void visit_in_folder(bl_query *query, const uint8_t *row) {
    uint64_t folder = bl_load64(row + bl_row_folder);
    query->matches += folder < (uint64_t)query->folder_count && query->folders[folder];
}

static void visit_folder_of_number(bl_query *query, const uint8_t *row) {
    if ((int64_t)bl_load64(row + bl_row_number) < query->number) return;
    uint64_t folder = bl_load64(row + bl_row_folder);
    if (folder >= (uint64_t)query->folder_count || query->folders[folder]) return;
    query->folders[folder] = 1;
    query->matches++;
}

static const uint8_t *title(const uint8_t *row, size_t *length) {
    uint32_t start = bl_load32(row + bl_row_ends + 8);
    *length = bl_load32(row + bl_row_ends + 12) - start;
    return row + bl_row_texts + start;
}

static void visit_contains(bl_query *query, const uint8_t *row) {
    size_t length;
    const uint8_t *text = title(row, &length);
    query->matches += memmem(text, length, query->text, query->text_length) != NULL;
}

static int same_in_lower_case(const uint8_t *text, const char *lower, size_t length) {
    for (size_t place = 0; place < length; place++) {
        uint8_t byte = text[place];
        if ((unsigned)(byte - 'A') < 26) byte |= 0x20;
        if (byte != (uint8_t)lower[place]) return 0;
    }
    return 1;
}

static void visit_contains_any_case(bl_query *query, const uint8_t *row) {
    size_t length;
    const uint8_t *text = title(row, &length);
    for (size_t place = 0; place + query->text_length <= length; place++) {
        if (!same_in_lower_case(text + place, query->text, query->text_length)) continue;
        query->matches++;
        return;
    }
}

static int begins(const bl_query *query, const uint8_t *text, size_t length) {
    return length >= query->text_length && !memcmp(text, query->text, query->text_length);
}

static void visit_begins(bl_query *query, const uint8_t *row) {
    size_t length;
    const uint8_t *text = title(row, &length);
    query->matches += begins(query, text, length);
}

static void visit_begins_and_ends(bl_query *query, const uint8_t *row) {
    size_t length;
    const uint8_t *text = title(row, &length);
    query->matches += length >= query->text_length + query->end_length
        && begins(query, text, length)
        && !memcmp(text + length - query->end_length, query->end, query->end_length);
}

static void visit_sums(bl_query *query, const uint8_t *row) {
    int64_t category = (int64_t)bl_load64(row + bl_row_category);
    if (category < 0 || category >= query->category_count) return;
    query->sums[category] += (int64_t)bl_load64(row + bl_row_number);
}

// Keeps the highest prices in order. Most rows are below all of them.
static void visit_highest(bl_query *query, const uint8_t *row) {
    double price = bl_load_double(row + bl_row_price);
    int64_t place = query->count;
    if (place == bl_query_highest_count) {
        if (price <= bl_load_double(query->highest[place - 1] + bl_row_price)) return;
        place--;
    } else {
        query->count++;
    }
    for (; place > 0; place--) {
        if (bl_load_double(query->highest[place - 1] + bl_row_price) >= price) break;
        query->highest[place] = query->highest[place - 1];
    }
    query->highest[place] = row;
}

static void visit_columns(bl_query *query, const uint8_t *row) {
    size_t length;
    const uint8_t *text = title(row, &length);
    query->digest = bl_digest_add(
        query->digest,
        bl_columns_digest(
            bl_text_digest(text, (int64_t)length), (int64_t)bl_load64(row + bl_row_number),
            bl_load_double(row + bl_row_price)));
    query->count++;
}

bl_query_visit bl_query_visitor(const bl_query *query) {
    switch (query->kind) {
    case bl_query_contains: return visit_contains;
    case bl_query_contains_any_case: return visit_contains_any_case;
    case bl_query_begins: return visit_begins;
    case bl_query_begins_and_ends: return visit_begins_and_ends;
    case bl_query_sums: return visit_sums;
    case bl_query_highest: return visit_highest;
    case bl_query_in_folders: return visit_in_folder;
    case bl_query_folders_of_numbers: return visit_folder_of_number;
    case bl_query_columns: break;
    }
    return visit_columns;
}

void bl_query_end(bl_query *query) {
    switch (query->kind) {
    case bl_query_sums:
        query->count = query->category_count;
        for (int64_t category = 0; category < query->category_count; category++) {
            query->digest = bl_digest_add(query->digest, (uint64_t)query->sums[category]);
        }
        break;
    case bl_query_highest:
        for (int64_t place = 0; place < query->count; place++) {
            query->digest = bl_digest_add(query->digest, bl_row_digest(query->highest[place]));
        }
        break;
    case bl_query_columns: break;
    default:
        query->count = 1;
        query->digest = bl_digest_add(0, (uint64_t)query->matches);
    }
    free(query->sums);
    free(query->folders);
    query->sums = NULL;
    query->folders = NULL;
}
