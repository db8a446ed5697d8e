// Packed rows of all items in a program's own memory, which can be found by key, by category and by folder:
// the baseline for engines without an underlying library.
//
// All values of each row are examined when it is read. Nothing is retained.

#ifndef BASELINES_MEMORY_H
#define BASELINES_MEMORY_H

typedef struct bl_memory bl_memory;

// Creates a table of items whose keys start at 1. Returns NULL if there is not enough memory.
bl_memory *bl_memory_new(const bl_item *items, int64_t count);
void bl_memory_free(bl_memory *table);

// Reads all items in the order of their keys.
void bl_memory_scan(const bl_memory *table, int64_t *count, uint64_t *digest);
// Reads only the keys.
void bl_memory_scan_keys(const bl_memory *table, int64_t *count, uint64_t *digest);
// Reads the items with these keys.
void bl_memory_by_key(
    const bl_memory *table, const int64_t *keys, int64_t count, uint64_t *digest);
// Reads the items of a category, in the order of their keys.
void bl_memory_by_category(
    const bl_memory *table, int64_t category, int64_t *count, uint64_t *digest);
// Read the items in a folder, in the order of their keys, or only their keys.
void bl_memory_by_folder(
    const bl_memory *table, int64_t folder, int64_t *count, uint64_t *digest);
void bl_memory_keys_by_folder(
    const bl_memory *table, int64_t folder, int64_t *count, uint64_t *digest);
// Reads the names of the folders that contain the items of a category.
void bl_memory_folder_names(
    const bl_memory *table, int64_t category, int64_t *count, uint64_t *digest);
// Return the number of items, and the number of items in a category. Both are maintained, not counted.
int64_t bl_memory_count(const bl_memory *table);
int64_t bl_memory_count_category(const bl_memory *table, int64_t category);
// Evaluates a query on all items in the order of their keys.
void bl_memory_query(const bl_memory *table, bl_query *query);

// Packs items and adds them with the next free keys. Returns 0, or ENOMEM.
int bl_memory_insert(bl_memory *table, const bl_item *items, int64_t count);
// Packs the items with these keys again, with a new price and title, if they have the expected version.
// Returns 0, ENOMEM, or ESTALE if the version differs.
int bl_memory_update(
    bl_memory *table, const int64_t *keys, const double *prices, const char *const *titles,
    int64_t count, int64_t version);
// Removes the items with these keys, if they have the expected version. Returns 0, or ESTALE.
int bl_memory_delete(bl_memory *table, const int64_t *keys, int64_t count, int64_t version);

// Writes the items as a binary store. `head` contains the bytes before the content of their section, from a
// store that Cairn wrote. Returns 0, or errno.
int bl_memory_write(
    const bl_memory *table, const char *path, const uint8_t *head, size_t head_length);

#endif
