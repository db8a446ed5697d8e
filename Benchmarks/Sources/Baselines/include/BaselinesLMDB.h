// LMDB's library on a store in Cairn's form (docs/formats/lmdb.md) of the reference model.

#ifndef BASELINES_LMDB_H
#define BASELINES_LMDB_H

typedef struct bl_lmdb bl_lmdb;

int bl_lmdb_open(const char *path, int writable, bl_lmdb **opened);
void bl_lmdb_close(bl_lmdb *store);
const char *bl_lmdb_error(int code);
const char *bl_lmdb_version(void);

// Copies the packed rows of all items, one behind the other, each checked against its seal. The
// caller frees them.
int bl_lmdb_scan(bl_lmdb *store, uint8_t **rows, size_t *length, int64_t *count);
// The same for items of these keys, one by one in one read transaction.
int bl_lmdb_by_key(
    bl_lmdb *store, const int64_t *keys, int64_t key_count, uint8_t **rows, size_t *length);
// Packs, seals and appends items in one transaction, with the index on the category, the links of
// their folders, and the note of the last key.
int bl_lmdb_insert(bl_lmdb *store, const bl_item *items, int64_t count);

#endif
