// Packed rows of all items in memory that a program keeps itself, found by key, by category and by
// folder: the baseline of the engines that have no library below them.
//
// Every row that is read has all its values looked at; nothing is kept.

#ifndef BASELINES_MEMORY_H
#define BASELINES_MEMORY_H

typedef struct bl_memory bl_memory;

// Makes a table of items, with the keys from 1 in their order. NULL: no memory.
bl_memory *bl_memory_new(const bl_item *items, int64_t count);
void bl_memory_free(bl_memory *table);

// Reads all items in the order of their keys.
void bl_memory_scan(const bl_memory *table, int64_t *count, uint64_t *digest);
// Reads the keys alone.
void bl_memory_scan_keys(const bl_memory *table, int64_t *count, uint64_t *digest);
// Reads the items of these keys.
void bl_memory_by_key(
    const bl_memory *table, const int64_t *keys, int64_t count, uint64_t *digest);
// Reads the items of a category, in the order of their keys.
void bl_memory_by_category(
    const bl_memory *table, int64_t category, int64_t *count, uint64_t *digest);
// Reads the items of a folder, in the order of their keys; the keys alone.
void bl_memory_by_folder(
    const bl_memory *table, int64_t folder, int64_t *count, uint64_t *digest);
void bl_memory_keys_by_folder(
    const bl_memory *table, int64_t folder, int64_t *count, uint64_t *digest);
// Reads the names of the folders that the items of a category are in.
void bl_memory_folder_names(
    const bl_memory *table, int64_t category, int64_t *count, uint64_t *digest);
// How many items there are, and how many have a category: numbers that are kept.
int64_t bl_memory_count(const bl_memory *table);
int64_t bl_memory_count_category(const bl_memory *table, int64_t category);
// Puts a query to all items in the order of their keys.
void bl_memory_query(const bl_memory *table, bl_query *query);

// Packs items and adds them, with the next free keys. Returns 0, or ENOMEM.
int bl_memory_insert(bl_memory *table, const bl_item *items, int64_t count);
// Packs the items of these keys anew, with another price and title, where their version is the expected
// one. Returns 0, ENOMEM, or ESTALE for another version.
int bl_memory_update(
    bl_memory *table, const int64_t *keys, const double *prices, const char *const *titles,
    int64_t count, int64_t version);
// Removes the items of these keys, where their version is the expected one. Returns 0, or ESTALE.
int bl_memory_delete(bl_memory *table, const int64_t *keys, int64_t count, int64_t version);

// Writes the items as a binary store: `head` is everything before the content of their section, in
// the bytes of a store that Cairn wrote. Returns 0, or errno.
int bl_memory_write(
    const bl_memory *table, const char *path, const uint8_t *head, size_t head_length);

#endif
