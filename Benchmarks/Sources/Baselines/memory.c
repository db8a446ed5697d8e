#include "query.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

// A block of consecutive packed rows.
typedef struct block {
    struct block *before;
    size_t used;
    uint8_t bytes[1 << 20];
} block;

// Lists of the items with each number, in the order of their keys: the first and the last item by number,
// and the next item by key.
typedef struct {
    int64_t *firsts, *lasts, *counts, *nexts;
    int64_t number_count;
} chains;

// The name of a folder.
typedef char name[32];

struct bl_memory {
    block *block;
    // The rows by key. NULL if there is no row.
    uint8_t **rows;
    // The highest key, and the number of rows for which there is space.
    int64_t last, capacity;
    // The number of rows.
    int64_t count;
    chains categories, folders;
    // By folder.
    name *names;
    int64_t name_count;
};

// MARK: Chains

static int grow(int64_t **numbers, int64_t from, int64_t to) {
    int64_t *grown = realloc(*numbers, (size_t)to * sizeof *grown);
    if (!grown) return ENOMEM;
    *numbers = grown;
    memset(grown + from, 0, (size_t)(to - from) * sizeof *grown);
    return 0;
}

static int add(chains *chains, int64_t number, int64_t key) {
    if (number >= chains->number_count) {
        int64_t count = (number + 1) * 2;
        if (grow(&chains->firsts, chains->number_count, count)) return ENOMEM;
        if (grow(&chains->lasts, chains->number_count, count)) return ENOMEM;
        if (grow(&chains->counts, chains->number_count, count)) return ENOMEM;
        chains->number_count = count;
    }
    chains->nexts[key] = 0;
    if (chains->lasts[number]) chains->nexts[chains->lasts[number]] = key;
    else chains->firsts[number] = key;
    chains->lasts[number] = key;
    chains->counts[number]++;
    return 0;
}

static int64_t first(const chains *chains, int64_t number) {
    return number >= 0 && number < chains->number_count ? chains->firsts[number] : 0;
}

static void free_chains(chains *chains) {
    free(chains->firsts);
    free(chains->lasts);
    free(chains->counts);
    free(chains->nexts);
}

// MARK: The table

static int64_t category_of(const uint8_t *row) {
    return (int64_t)bl_load64(row + bl_row_category);
}

static int64_t folder_of(const uint8_t *row) { return (int64_t)bl_load64(row + bl_row_folder); }

// Packs an item after the other rows.
static uint8_t *pack(bl_memory *table, const bl_item *item, int64_t key, int64_t version) {
    block *last = table->block;
    if (!last || sizeof last->bytes - last->used < bl_row_capacity) {
        last = malloc(sizeof *last);
        if (!last) return NULL;
        last->before = table->block;
        last->used = 0;
        table->block = last;
    }
    uint8_t *row = last->bytes + last->used;
    last->used += bl_row_pack(item, key, version, row);
    return row;
}

static int make_room(bl_memory *table, int64_t last) {
    if (last < table->capacity) return 0;
    int64_t capacity = last * 2 + 2;
    uint8_t **rows = realloc(table->rows, (size_t)capacity * sizeof *rows);
    if (!rows) return ENOMEM;
    rows[0] = NULL;
    table->rows = rows;
    if (grow(&table->categories.nexts, table->capacity, capacity)) return ENOMEM;
    if (grow(&table->folders.nexts, table->capacity, capacity)) return ENOMEM;
    table->capacity = capacity;
    return 0;
}

static int name_folder(bl_memory *table, int64_t folder) {
    if (folder < table->name_count) return 0;
    int64_t count = (folder + 1) * 2;
    name *names = realloc(table->names, (size_t)count * sizeof *names);
    if (!names) return ENOMEM;
    table->names = names;
    for (; table->name_count < count; table->name_count++) {
        long long number = (long long)table->name_count - 1;
        snprintf(names[table->name_count], sizeof *names, "folder %lld", number);
    }
    return 0;
}

int bl_memory_insert(bl_memory *table, const bl_item *items, int64_t count) {
    if (make_room(table, table->last + count)) return ENOMEM;
    for (int64_t index = 0; index < count; index++) {
        int64_t key = ++table->last;
        uint8_t *row = pack(table, &items[index], key, 1);
        table->rows[key] = row;
        table->count++;
        if (!row || add(&table->categories, items[index].category, key)
            || add(&table->folders, items[index].folder, key)
            || name_folder(table, items[index].folder)) return ENOMEM;
    }
    return 0;
}

bl_memory *bl_memory_new(const bl_item *items, int64_t count) {
    bl_memory *table = calloc(1, sizeof *table);
    if (table && (make_room(table, count) || bl_memory_insert(table, items, count))) {
        bl_memory_free(table);
        return NULL;
    }
    return table;
}

void bl_memory_free(bl_memory *table) {
    if (!table) return;
    for (block *last = table->block, *before; last; last = before) {
        before = last->before;
        free(last);
    }
    free(table->rows);
    free(table->names);
    free_chains(&table->categories);
    free_chains(&table->folders);
    free(table);
}

// Returns the row for a key, if it exists and has the expected version.
static const uint8_t *row_of(const bl_memory *table, int64_t key, int64_t version) {
    const uint8_t *row = key > 0 && key <= table->last ? table->rows[key] : NULL;
    return row && (int64_t)bl_load64(row + bl_row_version) == version ? row : NULL;
}

int bl_memory_update(
    bl_memory *table, const int64_t *keys, const double *prices, const char *const *titles,
    int64_t count, int64_t version) {
    for (int64_t index = 0; index < count; index++) {
        const uint8_t *old = row_of(table, keys[index], version);
        if (!old) return ESTALE;
        bl_item item;
        bl_row_unpack(old, &item);
        item.price = prices[index];
        item.title = titles[index];
        item.title_length = (int32_t)strlen(titles[index]);
        uint8_t *row = pack(table, &item, keys[index], version + 1);
        if (!row) return ENOMEM;
        table->rows[keys[index]] = row;
    }
    return 0;
}

// The lists skip items that were removed.
int bl_memory_delete(
    bl_memory *table, const int64_t *keys, int64_t count, int64_t version) {
    for (int64_t index = 0; index < count; index++) {
        const uint8_t *row = row_of(table, keys[index], version);
        if (!row) return ESTALE;
        table->categories.counts[category_of(row)]--;
        table->folders.counts[folder_of(row)]--;
        table->rows[keys[index]] = NULL;
        table->count--;
    }
    return 0;
}

// MARK: Reading

static void read_row(const uint8_t *row, int64_t *count, uint64_t *digest) {
    *digest = bl_digest_add(*digest, bl_row_digest(row));
    *count += 1;
}

void bl_memory_scan(const bl_memory *table, int64_t *count, uint64_t *digest) {
    *count = 0;
    *digest = 0;
    for (int64_t key = 1; key <= table->last; key++) {
        if (table->rows[key]) read_row(table->rows[key], count, digest);
    }
}

void bl_memory_scan_keys(const bl_memory *table, int64_t *count, uint64_t *digest) {
    *count = 0;
    *digest = 0;
    for (int64_t key = 1; key <= table->last; key++) {
        if (!table->rows[key]) continue;
        *digest = bl_digest_add(*digest, (uint64_t)key);
        *count += 1;
    }
}

void bl_memory_by_key(
    const bl_memory *table, const int64_t *keys, int64_t count, uint64_t *digest) {
    int64_t found = 0;
    *digest = 0;
    for (int64_t index = 0; index < count; index++) {
        read_row(table->rows[keys[index]], &found, digest);
    }
}

static void read_chain(
    const bl_memory *table, const chains *chains, int64_t number, int64_t *count,
    uint64_t *digest) {
    *count = 0;
    *digest = 0;
    for (int64_t key = first(chains, number); key; key = chains->nexts[key]) {
        if (table->rows[key]) read_row(table->rows[key], count, digest);
    }
}

void bl_memory_by_category(
    const bl_memory *table, int64_t category, int64_t *count, uint64_t *digest) {
    read_chain(table, &table->categories, category, count, digest);
}

void bl_memory_by_folder(
    const bl_memory *table, int64_t folder, int64_t *count, uint64_t *digest) {
    read_chain(table, &table->folders, folder, count, digest);
}

void bl_memory_keys_by_folder(
    const bl_memory *table, int64_t folder, int64_t *count, uint64_t *digest) {
    *count = 0;
    *digest = 0;
    for (int64_t key = first(&table->folders, folder); key; key = table->folders.nexts[key]) {
        if (!table->rows[key]) continue;
        *digest = bl_digest_add(*digest, (uint64_t)key);
        *count += 1;
    }
}

void bl_memory_folder_names(
    const bl_memory *table, int64_t category, int64_t *count, uint64_t *digest) {
    *count = 0;
    *digest = 0;
    int64_t key = first(&table->categories, category);
    for (; key; key = table->categories.nexts[key]) {
        const uint8_t *row = table->rows[key];
        if (!row) continue;
        const char *name = table->names[folder_of(row)];
        uint64_t text = bl_text_digest((const unsigned char *)name, (int64_t)strlen(name));
        *digest = bl_digest_add(*digest, text);
        *count += 1;
    }
}

int64_t bl_memory_count(const bl_memory *table) { return table->count; }

int64_t bl_memory_count_category(const bl_memory *table, int64_t category) {
    const chains *categories = &table->categories;
    return category >= 0 && category < categories->number_count ? categories->counts[category] : 0;
}

void bl_memory_query(const bl_memory *table, bl_query *query) {
    bl_query_begin(query);
    bl_query_visit visit = bl_query_visitor(query);
    for (int64_t key = 1; bl_query_sees_folders(query) && key < table->name_count; key++) {
        bl_query_visit_folder(query, key, table->names[key], strlen(table->names[key]));
    }
    for (int64_t key = 1; key <= table->last; key++) {
        if (table->rows[key]) visit(query, table->rows[key]);
    }
    bl_query_end(query);
}

// MARK: Writing

int bl_memory_write(
    const bl_memory *table, const char *path, const uint8_t *head, size_t head_length) {
    size_t rows_length = 0;
    uint64_t count = 0;
    for (int64_t key = 1; key <= table->last; key++) {
        if (!table->rows[key]) continue;
        rows_length += bl_load32(table->rows[key]);
        count++;
    }
    size_t length = head_length + rows_length + 8;
    uint8_t *bytes = malloc(length);
    if (!bytes) return ENOMEM;
    memcpy(bytes, head, head_length);
    uint8_t *place = bytes + head_length;
    for (int64_t key = 1; key <= table->last; key++) {
        const uint8_t *row = table->rows[key];
        if (!row) continue;
        memcpy(place, row, bl_load32(row));
        place += bl_load32(row);
    }
    bl_binary_finish(bytes, length, head_length, count);
    int rc = bl_file_write(path, bytes, length);
    free(bytes);
    return rc;
}
