#include "lmdb_store.h"

#include <string.h>
#include <sys/file.h>

static uint64_t big_endian(uint64_t value) { return __builtin_bswap64(value); }

static int put_row(MDB_cursor *cursor, const bl_item *item, int64_t key) {
    uint8_t sealed[8 + bl_row_capacity];
    size_t length = bl_row_pack(item, key, 1, sealed + 8);
    uint64_t seal = bl_xxh64(sealed + 8, length);
    memcpy(sealed, &seal, sizeof seal);
    MDB_val name = { sizeof key, &key }, value = { length + 8, sealed };
    return mdb_cursor_put(cursor, &name, &value, MDB_APPEND);
}

static int put_index(MDB_cursor *cursor, const bl_item *item, int64_t key) {
    uint8_t name[9];
    bl_lmdb_name_category(item->category, name);
    MDB_val place = { sizeof name, name }, value = { sizeof key, &key };
    return mdb_cursor_put(cursor, &place, &value, 0);
}

// The link of the folder: both keys big-endian, the row's concrete entity.
static int put_link(MDB_cursor *cursor, const bl_item *item, int64_t key) {
    uint64_t name[2] = { big_endian((uint64_t)item->folder), big_endian((uint64_t)key) };
    uint16_t entity = 2;
    MDB_val place = { sizeof name, name }, value = { sizeof entity, &entity };
    return mdb_cursor_put(cursor, &place, &value, 0);
}

static int put_next_key(bl_lmdb *store, MDB_txn *txn, int64_t key) {
    uint8_t sealed[8 + 1 + 8] = { 0 };
    sealed[8] = 2;
    memcpy(sealed + 9, &key, sizeof key);
    uint64_t seal = bl_xxh64(sealed + 8, 9);
    memcpy(sealed, &seal, sizeof seal);
    char name[] = "next key of Item";
    MDB_val place = { sizeof name - 1, name }, value = { sizeof sealed, sealed };
    return mdb_put(txn, store->record, &place, &value, 0);
}

static int last_key(MDB_cursor *rows, int64_t *last) {
    MDB_val key, value;
    *last = 0;
    int rc = mdb_cursor_get(rows, &key, &value, MDB_LAST);
    if (!rc) memcpy(last, key.mv_data, sizeof *last);
    return rc == MDB_NOTFOUND ? MDB_SUCCESS : rc;
}

static int put_all(bl_lmdb *store, MDB_txn *txn, const bl_item *items, int64_t count) {
    MDB_cursor *rows = NULL, *category = NULL, *folders = NULL;
    int64_t key = 0;
    int rc = mdb_cursor_open(txn, store->rows, &rows);
    if (!rc) rc = mdb_cursor_open(txn, store->category, &category);
    if (!rc) rc = mdb_cursor_open(txn, store->folders, &folders);
    if (!rc) rc = last_key(rows, &key);
    int64_t first = key;
    for (int64_t index = 0; index < count && !rc; index++) {
        rc = put_row(rows, &items[index], ++key);
    }
    for (int64_t index = 0; index < count && !rc; index++) {
        rc = put_index(category, &items[index], first + 1 + index);
    }
    for (int64_t index = 0; index < count && !rc; index++) {
        rc = put_link(folders, &items[index], first + 1 + index);
    }
    mdb_cursor_close(rows);
    mdb_cursor_close(category);
    mdb_cursor_close(folders);
    return rc ? rc : put_next_key(store, txn, key + 1);
}

int bl_lmdb_insert(bl_lmdb *store, const bl_item *items, int64_t count) {
    MDB_txn *txn;
    flock(store->lock, LOCK_EX);
    int rc = mdb_txn_begin(store->env, NULL, 0, &txn);
    if (!rc) {
        rc = put_all(store, txn, items, count);
        if (rc) mdb_txn_abort(txn);
        else rc = mdb_txn_commit(txn);
    }
    flock(store->lock, LOCK_UN);
    return rc;
}
