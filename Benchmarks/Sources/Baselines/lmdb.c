#include "Baselines.h"

#include <fcntl.h>
#include <lmdb.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <unistd.h>

// The error of a row whose bytes are not those that were sealed.
enum { seal_is_broken = MDB_CORRUPTED };

struct bl_lmdb {
    MDB_env *env;
    MDB_dbi rows, category, folders, record;
    int lock;
};

static int open_tables(bl_lmdb *store) {
    MDB_txn *txn;
    int rc = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn);
    if (rc) return rc;
    rc = mdb_dbi_open(txn, "rows/Item", MDB_INTEGERKEY, &store->rows);
    unsigned index = MDB_DUPSORT | MDB_DUPFIXED | MDB_INTEGERDUP;
    if (!rc) rc = mdb_dbi_open(txn, "index/Item/category", index, &store->category);
    if (!rc) rc = mdb_dbi_open(txn, "links/Item/folder", 0, &store->folders);
    if (!rc) rc = mdb_dbi_open(txn, "cairn", 0, &store->record);
    if (rc) mdb_txn_abort(txn);
    else rc = mdb_txn_commit(txn);
    return rc;
}

int bl_lmdb_open(const char *path, int writable, bl_lmdb **opened) {
    bl_lmdb *store = calloc(1, sizeof *store);
    *opened = store;
    store->lock = -1;
    int rc = mdb_env_create(&store->env);
    if (rc) return rc;
    mdb_env_set_mapsize(store->env, (size_t)4 << 30);
    mdb_env_set_maxdbs(store->env, 16);
    unsigned flags = MDB_NOSUBDIR | MDB_NOTLS | (writable ? 0 : MDB_RDONLY);
    rc = mdb_env_open(store->env, path, flags, 0600);
    if (rc) return rc;
    store->lock = open(path, O_RDONLY | O_CLOEXEC);
    return open_tables(store);
}

void bl_lmdb_close(bl_lmdb *store) {
    if (!store) return;
    mdb_env_close(store->env);
    if (store->lock >= 0) close(store->lock);
    free(store);
}

const char *bl_lmdb_error(int code) { return mdb_strerror(code); }

#define DIGITS(number) #number
#define VERSION(major, minor, patch) DIGITS(major) "." DIGITS(minor) "." DIGITS(patch)

const char *bl_lmdb_version(void) {
    return VERSION(MDB_VERSION_MAJOR, MDB_VERSION_MINOR, MDB_VERSION_PATCH);
}

// MARK: Reading

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

int bl_lmdb_scan(bl_lmdb *store, uint8_t **rows, size_t *length, int64_t *count) {
    MDB_txn *txn;
    MDB_cursor *cursor;
    arena copy = { 0 };
    *count = 0;
    int rc = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn);
    if (rc) return rc;
    rc = mdb_cursor_open(txn, store->rows, &cursor);
    if (!rc) {
        MDB_val key, value;
        while (!(rc = mdb_cursor_get(cursor, &key, &value, MDB_NEXT))) {
            if ((rc = keep(&copy, &value))) break;
            *count += 1;
        }
        mdb_cursor_close(cursor);
    }
    mdb_txn_abort(txn);
    *rows = copy.bytes;
    *length = copy.length;
    return rc == MDB_NOTFOUND ? MDB_SUCCESS : rc;
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

// MARK: Writing

static uint64_t big_endian(uint64_t value) { return __builtin_bswap64(value); }

static int put_row(MDB_cursor *cursor, const bl_item *item, int64_t key) {
    uint8_t sealed[8 + bl_row_capacity];
    size_t length = bl_row_pack(item, key, 1, sealed + 8);
    uint64_t seal = bl_xxh64(sealed + 8, length);
    memcpy(sealed, &seal, sizeof seal);
    MDB_val name = { sizeof key, &key }, value = { length + 8, sealed };
    return mdb_cursor_put(cursor, &name, &value, MDB_APPEND);
}

// The index on the category: 01, the integer big-endian with its highest bit turned around.
static int put_index(MDB_cursor *cursor, const bl_item *item, int64_t key) {
    uint8_t name[9] = { 1 };
    uint64_t category = big_endian((uint64_t)item->category ^ (uint64_t)1 << 63);
    memcpy(name + 1, &category, sizeof category);
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
