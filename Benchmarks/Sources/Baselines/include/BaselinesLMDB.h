// LMDB's library, used on a store in Cairn's format (docs/formats/lmdb.md) with the reference model.

#ifndef BASELINES_LMDB_H
#define BASELINES_LMDB_H

typedef struct bl_lmdb bl_lmdb;

int bl_lmdb_open(const char *path, int writable, bl_lmdb **opened);
void bl_lmdb_close(bl_lmdb *store);
const char *bl_lmdb_error(int code);
const char *bl_lmdb_version(void);

// Copies the packed rows of the first items consecutively, and checks each against its seal. The caller
// frees them.
int bl_lmdb_scan(
    bl_lmdb *store, int64_t limit, uint8_t **rows, size_t *length, int64_t *count);
// Reads the keys of all items.
int bl_lmdb_scan_keys(bl_lmdb *store, int64_t *count, uint64_t *digest);
// Return the number of items, and the number of items in a category.
int bl_lmdb_count(bl_lmdb *store, int64_t *count);
int bl_lmdb_count_category(bl_lmdb *store, int64_t category, int64_t *count);
// Copies the packed rows of the items in a category, which it finds with the index.
int bl_lmdb_by_category(
    bl_lmdb *store, int64_t category, uint8_t **rows, size_t *length, int64_t *count);
// Copies the packed rows of the items with these keys, one at a time in a single read transaction.
int bl_lmdb_by_key(
    bl_lmdb *store, const int64_t *keys, int64_t key_count, uint8_t **rows, size_t *length);
// Copy the packed rows of the items in a folder, which they find with the folder's links, or read only
// their keys.
int bl_lmdb_by_folder(
    bl_lmdb *store, int64_t folder, uint8_t **rows, size_t *length, int64_t *count);
int bl_lmdb_keys_by_folder(bl_lmdb *store, int64_t folder, int64_t *count, uint64_t *digest);
// Reads the names of the folders that contain the items of a category.
int bl_lmdb_folder_names(bl_lmdb *store, int64_t category, int64_t *count, uint64_t *digest);
// Evaluates a query on all items in the order of their keys, and checks each row against its seal.
int bl_lmdb_query(bl_lmdb *store, bl_query *query);
// Packs, seals and appends items in one transaction, with the index entries of the category, the links of
// their folders, and the record of the last key.
int bl_lmdb_insert(bl_lmdb *store, const bl_item *items, int64_t count);

// Packs and seals the items with these keys again in one transaction, with a new price and title, if they
// have the expected version.
int bl_lmdb_update(
    bl_lmdb *store, const int64_t *keys, const double *prices, const char *const *titles,
    int64_t count, int64_t version);
// Deletes the items with these keys in one transaction, if they have the expected version, with their index
// entries and links, and the first `folders` folders.
int bl_lmdb_delete(
    bl_lmdb *store, const int64_t *keys, int64_t count, int64_t version, int64_t folders);

#endif
