#include "lmdb_store.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint8_t *bytes;
    size_t length, capacity;
} arena;

// Copies a sealed row behind the others, where its seal is whole.
static int keep(arena *rows, const MDB_val *value) {
    if (value->mv_size < 8) return seal_is_broken;
    const uint8_t *row = (const uint8_t *)value->mv_data + 8;
    size_t length = value->mv_size - 8;
    if (bl_load64(value->mv_data) != bl_xxh64(row, length)) return seal_is_broken;
    if (rows->length + length > rows->capacity) {
        rows->capacity = rows->capacity ? rows->capacity * 2 : 1 << 20;
        rows->bytes = realloc(rows->bytes, rows->capacity);
        if (!rows->bytes) return MDB_MAP_FULL;
    }
    memcpy(rows->bytes + rows->length, row, length);
    rows->length += length;
    return MDB_SUCCESS;
}

// Begins to read a table. The caller ends it, whatever this returns.
static int begin(bl_lmdb *store, MDB_dbi table, MDB_txn **txn, MDB_cursor **cursor) {
    *txn = NULL;
    *cursor = NULL;
    int rc = mdb_txn_begin(store->env, NULL, MDB_RDONLY, txn);
    return rc ? rc : mdb_cursor_open(*txn, table, cursor);
}

static int end(MDB_txn *txn, MDB_cursor *cursor, int rc) {
    if (cursor) mdb_cursor_close(cursor);
    if (txn) mdb_txn_abort(txn);
    return rc == MDB_NOTFOUND ? MDB_SUCCESS : rc;
}

int bl_lmdb_scan(
    bl_lmdb *store, int64_t limit, uint8_t **rows, size_t *length, int64_t *count) {
    MDB_txn *txn;
    MDB_cursor *cursor;
    MDB_val key, value;
    arena copy = { 0 };
    *count = 0;
    int rc = begin(store, store->rows, &txn, &cursor);
    while (!rc && *count < limit && !(rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT))) {
        rc = keep(&copy, &value);
        *count += 1;
    }
    *rows = copy.bytes;
    *length = copy.length;
    return end(txn, cursor, rc);
}

int bl_lmdb_scan_keys(bl_lmdb *store, int64_t *count, uint64_t *digest) {
    MDB_txn *txn;
    MDB_cursor *cursor;
    MDB_val key;
    *count = 0;
    *digest = 0;
    int rc = begin(store, store->rows, &txn, &cursor);
    while (!rc && !(rc = mdb_cursor_get(cursor, &key, NULL, MDB_NEXT))) {
        int64_t number;
        memcpy(&number, key.mv_data, sizeof number);
        *digest = bl_digest_add(*digest, (uint64_t)number);
        *count += 1;
    }
    return end(txn, cursor, rc);
}

int bl_lmdb_count(bl_lmdb *store, int64_t *count) {
    MDB_txn *txn;
    MDB_stat stat;
    int rc = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn);
    if (rc) return rc;
    rc = mdb_stat(txn, store->rows, &stat);
    *count = (int64_t)stat.ms_entries;
    return end(txn, NULL, rc);
}

int bl_lmdb_count_category(bl_lmdb *store, int64_t category, int64_t *count) {
    MDB_txn *txn;
    MDB_cursor *cursor;
    uint8_t name[9];
    bl_lmdb_name_category(category, name);
    MDB_val key = { sizeof name, name }, value;
    size_t found = 0;
    int rc = begin(store, store->category, &txn, &cursor);
    if (!rc) rc = mdb_cursor_get(cursor, &key, &value, MDB_SET_KEY);
    if (!rc) rc = mdb_cursor_count(cursor, &found);
    *count = (int64_t)found;
    return end(txn, cursor, rc);
}

// Copies the rows of a page of keys.
static int keep_all(MDB_txn *txn, MDB_dbi table, arena *copy, const MDB_val *keys) {
    int rc = 0;
    for (size_t place = 0; place < keys->mv_size && !rc; place += sizeof(int64_t)) {
        MDB_val key = { sizeof(int64_t), (uint8_t *)keys->mv_data + place }, value;
        rc = mdb_get(txn, table, &key, &value);
        if (!rc) rc = keep(copy, &value);
    }
    return rc;
}

int bl_lmdb_by_category(
    bl_lmdb *store, int64_t category, uint8_t **rows, size_t *length, int64_t *count) {
    MDB_txn *txn;
    MDB_cursor *cursor;
    uint8_t name[9];
    bl_lmdb_name_category(category, name);
    MDB_val key = { sizeof name, name }, keys;
    arena copy = { 0 };
    *count = 0;
    int rc = begin(store, store->category, &txn, &cursor);
    if (!rc) rc = mdb_cursor_get(cursor, &key, &keys, MDB_SET_KEY);
    if (!rc) rc = mdb_cursor_get(cursor, &key, &keys, MDB_GET_MULTIPLE);
    while (!rc && !(rc = keep_all(txn, store->rows, &copy, &keys))) {
        *count += (int64_t)(keys.mv_size / sizeof(int64_t));
        rc = mdb_cursor_get(cursor, &key, &keys, MDB_NEXT_MULTIPLE);
    }
    *rows = copy.bytes;
    *length = copy.length;
    return end(txn, cursor, rc);
}

int bl_lmdb_by_key(
    bl_lmdb *store, const int64_t *keys, int64_t key_count, uint8_t **rows, size_t *length) {
    MDB_txn *txn;
    arena copy = { 0 };
    int rc = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn);
    if (rc) return rc;
    for (int64_t index = 0; index < key_count && !rc; index++) {
        int64_t number = keys[index];
        MDB_val key = { sizeof number, &number }, value;
        rc = mdb_get(txn, store->rows, &key, &value);
        if (!rc) rc = keep(&copy, &value);
    }
    mdb_txn_abort(txn);
    *rows = copy.bytes;
    *length = copy.length;
    return rc;
}
