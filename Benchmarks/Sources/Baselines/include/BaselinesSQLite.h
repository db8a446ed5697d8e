// SQLite's library on a store in Core Data's schema, made by Cairn for the reference model.

#ifndef BASELINES_SQLITE_H
#define BASELINES_SQLITE_H

typedef struct bl_sqlite bl_sqlite;

// Opens the store with the settings that Cairn uses: no mutexes, write-ahead log, checkpoints by
// hand, a page cache of 4000 KB; FULL or NORMAL syncs.
int bl_sqlite_open(const char *path, int writable, int full_sync, bl_sqlite **opened);
// Brings the log over and closes. NULL is fine.
void bl_sqlite_close(bl_sqlite *store);
const char *bl_sqlite_error(bl_sqlite *store);
const char *bl_sqlite_version(void);

// Steps over all items in the order of their keys and reads all columns.
int bl_sqlite_scan(bl_sqlite *store, int64_t *count, uint64_t *digest);
// Steps over the keys alone.
int bl_sqlite_scan_keys(bl_sqlite *store, int64_t *count, uint64_t *digest);
// Reads the items of these keys one by one, with a prepared statement in a read transaction.
int bl_sqlite_by_key(bl_sqlite *store, const int64_t *keys, int64_t count, uint64_t *digest);
// Runs `SELECT <all columns of an item> FROM ZITEM` with what follows, preparing it included; ?1 is
// the parameter.
int bl_sqlite_items(
    bl_sqlite *store, const char *rest, int64_t parameter, int64_t *count, uint64_t *digest);
// Runs a query whose rows begin with one integer, and reads that; ?1 is the parameter.
int bl_sqlite_integers(
    bl_sqlite *store, const char *sql, int64_t parameter, int64_t *count, uint64_t *digest);
// Runs a query whose rows begin with a text, and reads that.
int bl_sqlite_texts(bl_sqlite *store, const char *sql, int64_t *count, uint64_t *digest);

// Inserts the items in one transaction under the lock file, with the next free keys, and notes the
// last key given as Core Data does. Checkpoints as Cairn does.
int bl_sqlite_insert(bl_sqlite *store, const bl_item *items, int64_t count);
// Sets price and title of the items of these keys, where their version is the expected one.
int bl_sqlite_update(
    bl_sqlite *store, const int64_t *keys, const double *prices, const char *const *titles,
    int64_t count, int64_t version);
// Deletes the items of these keys, where their version is the expected one, and the first folders.
int bl_sqlite_delete(
    bl_sqlite *store, const int64_t *keys, int64_t count, int64_t version, int64_t folders);

// Reads a query with the columns key, number, category, price, rating, active, created, name, title,
// code, note, folder, version; the proof of what a save has stored, whoever made it.
int bl_sqlite_prove(const char *path, const char *sql, int64_t *count, uint64_t *digest);

// Follows a chain of links from the first one, and deletes each where its version is the expected one, in
// one transaction. Says how many there were.
int bl_sqlite_delete_chain(bl_sqlite *store, int64_t first, int64_t *count);

#endif
