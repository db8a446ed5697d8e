// LMDB's library on a store in Cairn's form (docs/formats/lmdb.md) of the reference model.

#ifndef BASELINES_LMDB_H
#define BASELINES_LMDB_H

typedef struct bl_lmdb bl_lmdb;

int bl_lmdb_open(const char *path, int writable, bl_lmdb **opened);
void bl_lmdb_close(bl_lmdb *store);
const char *bl_lmdb_error(int code);
const char *bl_lmdb_version(void);

// Copies the packed rows of the first items, one behind the other, each checked against its seal.
// The caller frees them.
int bl_lmdb_scan(
    bl_lmdb *store, int64_t limit, uint8_t **rows, size_t *length, int64_t *count);
// Reads the keys of all items.
int bl_lmdb_scan_keys(bl_lmdb *store, int64_t *count, uint64_t *digest);
// Says how many items there are, and how many have a category.
int bl_lmdb_count(bl_lmdb *store, int64_t *count);
int bl_lmdb_count_category(bl_lmdb *store, int64_t category, int64_t *count);
// Copies the packed rows of the items that have a category, found by the index.
int bl_lmdb_by_category(
    bl_lmdb *store, int64_t category, uint8_t **rows, size_t *length, int64_t *count);
// Copies the packed rows of items of these keys, one by one in one read transaction.
int bl_lmdb_by_key(
    bl_lmdb *store, const int64_t *keys, int64_t key_count, uint8_t **rows, size_t *length);
// Copies the packed rows of the items of a folder, found by its links; reads their keys alone.
int bl_lmdb_by_folder(
    bl_lmdb *store, int64_t folder, uint8_t **rows, size_t *length, int64_t *count);
int bl_lmdb_keys_by_folder(bl_lmdb *store, int64_t folder, int64_t *count, uint64_t *digest);
// Reads the names of the folders that the items of a category are in.
int bl_lmdb_folder_names(bl_lmdb *store, int64_t category, int64_t *count, uint64_t *digest);
// Puts a query to all items in the order of their keys, each checked against its seal.
int bl_lmdb_query(bl_lmdb *store, bl_query *query);
// Packs, seals and appends items in one transaction, with the index on the category, the links of
// their folders, and the note of the last key.
int bl_lmdb_insert(bl_lmdb *store, const bl_item *items, int64_t count);

// Packs and seals the items of these keys anew, with another price and title, in one transaction, where
// their version is the expected one.
int bl_lmdb_update(
    bl_lmdb *store, const int64_t *keys, const double *prices, const char *const *titles,
    int64_t count, int64_t version);
// Deletes the items of these keys, where their version is the expected one, with their entries of the
// index and their links, and the first folders, in one transaction.
int bl_lmdb_delete(
    bl_lmdb *store, const int64_t *keys, int64_t count, int64_t version, int64_t folders);

#endif
