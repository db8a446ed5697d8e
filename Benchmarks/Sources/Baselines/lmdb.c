#include "lmdb_store.h"

#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

static int open_tables(bl_lmdb *store) {
    MDB_txn *txn;
    int rc = mdb_txn_begin(store->env, NULL, MDB_RDONLY, &txn);
    if (rc) return rc;
    rc = mdb_dbi_open(txn, "rows/Item", MDB_INTEGERKEY, &store->rows);
    if (!rc) rc = mdb_dbi_open(txn, "rows/Folder", MDB_INTEGERKEY, &store->folder_rows);
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
