#include "lmdb_store.h"
#include "query.h"

#include <stdlib.h>
#include <string.h>

typedef struct {
    uint8_t *bytes;
    size_t length, capacity;
} arena;

// Copies a sealed row after the previous rows, if its seal is valid.
static int keep(arena *rows, const MDB_val *value) {
    size_t length;
    const uint8_t *row = bl_lmdb_unseal(value, &length);
    if (!row) return seal_is_broken;
    if (rows->length + length > rows->capacity) {
        rows->capacity = rows->capacity ? rows->capacity * 2 : 1 << 20;
        rows->bytes = realloc(rows->bytes, rows->capacity);
        if (!rows->bytes) return MDB_MAP_FULL;
    }
    memcpy(rows->bytes + rows->length, row, length);
    rows->length += length;
    return MDB_SUCCESS;
}

// Begins to read a table. The caller must end the reading, whatever this returns.
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

// What to do with the row for a key in an index or a link.
typedef int (*take)(bl_lmdb *store, MDB_txn *txn, int64_t key, void *state);

static int take_copy(bl_lmdb *store, MDB_txn *txn, int64_t number, void *state) {
    MDB_val key = { sizeof number, &number }, value;
    int rc = mdb_get(txn, store->rows, &key, &value);
    return rc ? rc : keep(state, &value);
}

// Visits the items of a category, in the order of their keys.
static int each_of_category(
    bl_lmdb *store, int64_t category, int64_t *count, take take, void *state) {
    MDB_txn *txn;
    MDB_cursor *cursor;
    uint8_t name[9];
    bl_lmdb_name_category(category, name);
    MDB_val key = { sizeof name, name }, keys;
    *count = 0;
    int rc = begin(store, store->category, &txn, &cursor);
    if (!rc) rc = mdb_cursor_get(cursor, &key, &keys, MDB_SET_KEY);
    if (!rc) rc = mdb_cursor_get(cursor, &key, &keys, MDB_GET_MULTIPLE);
    while (!rc) {
        for (size_t place = 0; place < keys.mv_size && !rc; place += sizeof(int64_t)) {
            int64_t number;
            memcpy(&number, (uint8_t *)keys.mv_data + place, sizeof number);
            rc = take(store, txn, number, state);
            *count += 1;
        }
        if (!rc) rc = mdb_cursor_get(cursor, &key, &keys, MDB_NEXT_MULTIPLE);
    }
    return end(txn, cursor, rc);
}

// Visits the items in a folder, in the order of their keys, by the folder's links.
static int each_of_folder(
    bl_lmdb *store, int64_t folder, int64_t *count, take take, void *state) {
    MDB_txn *txn;
    MDB_cursor *cursor;
    uint64_t name[2];
    bl_lmdb_name_link(folder, 0, name);
    uint64_t wanted = name[0];
    MDB_val key = { sizeof name, name };
    *count = 0;
    int rc = begin(store, store->folders, &txn, &cursor);
    if (!rc) rc = mdb_cursor_get(cursor, &key, NULL, MDB_SET_RANGE);
    while (!rc && bl_load64(key.mv_data) == wanted) {
        int64_t number = (int64_t)__builtin_bswap64(bl_load64((uint8_t *)key.mv_data + 8));
        rc = take(store, txn, number, state);
        *count += 1;
        if (!rc) rc = mdb_cursor_get(cursor, &key, NULL, MDB_NEXT);
    }
    return end(txn, cursor, rc);
}

int bl_lmdb_by_category(
    bl_lmdb *store, int64_t category, uint8_t **rows, size_t *length, int64_t *count) {
    arena copy = { 0 };
    int rc = each_of_category(store, category, count, take_copy, &copy);
    *rows = copy.bytes;
    *length = copy.length;
    return rc;
}

int bl_lmdb_by_folder(
    bl_lmdb *store, int64_t folder, uint8_t **rows, size_t *length, int64_t *count) {
    arena copy = { 0 };
    int rc = each_of_folder(store, folder, count, take_copy, &copy);
    *rows = copy.bytes;
    *length = copy.length;
    return rc;
}

static int take_key(bl_lmdb *store, MDB_txn *txn, int64_t key, void *state) {
    (void)store;
    (void)txn;
    uint64_t *digest = state;
    *digest = bl_digest_add(*digest, (uint64_t)key);
    return 0;
}

int bl_lmdb_keys_by_folder(bl_lmdb *store, int64_t folder, int64_t *count, uint64_t *digest) {
    *digest = 0;
    return each_of_folder(store, folder, count, take_key, digest);
}

// The name is the only value of a folder.
enum { folder_name_end = 32, folder_name = 36 };

static int take_folder_name(bl_lmdb *store, MDB_txn *txn, int64_t number, void *state) {
    MDB_val key = { sizeof number, &number }, value;
    size_t length;
    int rc = mdb_get(txn, store->rows, &key, &value);
    const uint8_t *row = rc ? NULL : bl_lmdb_unseal(&value, &length);
    if (!row) return rc ? rc : seal_is_broken;
    int64_t folder = (int64_t)bl_load64(row + bl_row_folder);
    key = (MDB_val){ sizeof folder, &folder };
    rc = mdb_get(txn, store->folder_rows, &key, &value);
    row = rc ? NULL : bl_lmdb_unseal(&value, &length);
    if (!row) return rc ? rc : seal_is_broken;
    uint64_t *digest = state;
    uint64_t text = bl_text_digest(row + folder_name, bl_load32(row + folder_name_end));
    *digest = bl_digest_add(*digest, text);
    return 0;
}

int bl_lmdb_folder_names(bl_lmdb *store, int64_t category, int64_t *count, uint64_t *digest) {
    *digest = 0;
    return each_of_category(store, category, count, take_folder_name, digest);
}

static int visit_folders(bl_lmdb *store, bl_query *query) {
    MDB_txn *txn;
    MDB_cursor *cursor;
    MDB_val key, value;
    int rc = begin(store, store->folder_rows, &txn, &cursor);
    while (!rc && !(rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT))) {
        size_t length;
        const uint8_t *row = bl_lmdb_unseal(&value, &length);
        if (!row) return end(txn, cursor, seal_is_broken);
        int64_t number;
        memcpy(&number, key.mv_data, sizeof number);
        bl_query_visit_folder(
            query, number, (const char *)row + folder_name, bl_load32(row + folder_name_end));
    }
    return end(txn, cursor, rc);
}

int bl_lmdb_query(bl_lmdb *store, bl_query *query) {
    MDB_txn *txn;
    MDB_cursor *cursor;
    MDB_val key, value;
    bl_query_begin(query);
    bl_query_visit visit = bl_query_visitor(query);
    int rc = bl_query_sees_folders(query) ? visit_folders(store, query) : 0;
    if (rc) return rc;
    rc = begin(store, store->rows, &txn, &cursor);
    while (!rc && !(rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT))) {
        size_t length;
        const uint8_t *row = bl_lmdb_unseal(&value, &length);
        if (row) visit(query, row);
        else rc = seal_is_broken;
    }
    // The rows must still be mapped here.
    bl_query_end(query);
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
