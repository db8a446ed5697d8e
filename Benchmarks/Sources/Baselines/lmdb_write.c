#include "lmdb_store.h"

#include <string.h>
#include <sys/file.h>

static int put_row(
    MDB_cursor *cursor, const bl_item *item, int64_t key, int64_t version, unsigned flags) {
    uint8_t sealed[8 + bl_row_capacity];
    size_t length = bl_row_pack(item, key, version, sealed + 8);
    uint64_t seal = bl_xxh64(sealed + 8, length);
    memcpy(sealed, &seal, sizeof seal);
    MDB_val name = { sizeof key, &key }, value = { length + 8, sealed };
    return mdb_cursor_put(cursor, &name, &value, flags);
}

static int put_index(MDB_cursor *cursor, const bl_item *item, int64_t key) {
    uint8_t name[9];
    bl_lmdb_name_category(item->category, name);
    MDB_val place = { sizeof name, name }, value = { sizeof key, &key };
    return mdb_cursor_put(cursor, &place, &value, 0);
}

// The link of the folder, including the row's concrete entity.
static int put_link(MDB_cursor *cursor, const bl_item *item, int64_t key) {
    uint64_t name[2];
    bl_lmdb_name_link(item->folder, key, name);
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
        rc = put_row(rows, &items[index], ++key, 1, MDB_APPEND);
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

// Begins a transaction under the lock file.
static int begin(bl_lmdb *store, MDB_txn **txn) {
    flock(store->lock, LOCK_EX);
    int rc = mdb_txn_begin(store->env, NULL, 0, txn);
    if (rc) flock(store->lock, LOCK_UN);
    return rc;
}

static int end(bl_lmdb *store, MDB_txn *txn, int rc) {
    if (rc) mdb_txn_abort(txn);
    else rc = mdb_txn_commit(txn);
    flock(store->lock, LOCK_UN);
    return rc;
}

int bl_lmdb_insert(bl_lmdb *store, const bl_item *items, int64_t count) {
    MDB_txn *txn;
    int rc = begin(store, &txn);
    return rc ? rc : end(store, txn, put_all(store, txn, items, count));
}

// Positions the cursor at an item's row and reads the row, if its seal is valid and it has the expected
// version.
static int find(MDB_cursor *rows, int64_t key, int64_t version, bl_item *item) {
    MDB_val name = { sizeof key, &key }, value;
    int rc = mdb_cursor_get(rows, &name, &value, MDB_SET_KEY);
    if (rc) return rc;
    size_t length;
    const uint8_t *row = bl_lmdb_unseal(&value, &length);
    if (!row) return seal_is_broken;
    bl_row_unpack(row, item);
    return item->version == version ? MDB_SUCCESS : MDB_KEYEXIST;
}

int bl_lmdb_update(
    bl_lmdb *store, const int64_t *keys, const double *prices, const char *const *titles,
    int64_t count, int64_t version) {
    MDB_txn *txn;
    MDB_cursor *rows = NULL;
    int rc = begin(store, &txn);
    if (rc) return rc;
    rc = mdb_cursor_open(txn, store->rows, &rows);
    for (int64_t index = 0; index < count && !rc; index++) {
        bl_item item;
        rc = find(rows, keys[index], version, &item);
        item.price = prices[index];
        item.title = titles[index];
        item.title_length = (int32_t)strlen(titles[index]);
        if (!rc) rc = put_row(rows, &item, keys[index], version + 1, MDB_CURRENT);
    }
    mdb_cursor_close(rows);
    return end(store, txn, rc);
}

static int delete_entries(bl_lmdb *store, MDB_txn *txn, const bl_item *item, int64_t key) {
    uint8_t category[9];
    bl_lmdb_name_category(item->category, category);
    MDB_val place = { sizeof category, category }, value = { sizeof key, &key };
    int rc = mdb_del(txn, store->category, &place, &value);
    uint64_t link[2];
    bl_lmdb_name_link(item->folder, key, link);
    place = (MDB_val){ sizeof link, link };
    return rc ? rc : mdb_del(txn, store->folders, &place, NULL);
}

static int delete_all(
    bl_lmdb *store, MDB_txn *txn, const int64_t *keys, int64_t count, int64_t version,
    int64_t folders) {
    MDB_cursor *rows = NULL;
    int rc = mdb_cursor_open(txn, store->rows, &rows);
    for (int64_t index = 0; index < count && !rc; index++) {
        bl_item item;
        rc = find(rows, keys[index], version, &item);
        if (!rc) rc = delete_entries(store, txn, &item, keys[index]);
        if (!rc) rc = mdb_cursor_del(rows, 0);
    }
    mdb_cursor_close(rows);
    for (int64_t folder = 1; folder <= folders && !rc; folder++) {
        MDB_val place = { sizeof folder, &folder };
        rc = mdb_del(txn, store->folder_rows, &place, NULL);
    }
    return rc;
}

int bl_lmdb_delete(
    bl_lmdb *store, const int64_t *keys, int64_t count, int64_t version, int64_t folders) {
    MDB_txn *txn;
    int rc = begin(store, &txn);
    return rc ? rc : end(store, txn, delete_all(store, txn, keys, count, version, folders));
}
