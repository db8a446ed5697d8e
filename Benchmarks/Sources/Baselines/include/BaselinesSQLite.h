// SQLite's library, used on a store in Core Data's schema that Cairn created for the reference model.

#ifndef BASELINES_SQLITE_H
#define BASELINES_SQLITE_H

typedef struct bl_sqlite bl_sqlite;

// Opens the store with Cairn's settings: no mutexes, write-ahead log, manual checkpoints, a page cache of
// 4000 KB, and FULL or NORMAL syncs.
int bl_sqlite_open(const char *path, int writable, int full_sync, bl_sqlite **opened);
// Checkpoints and closes the store, which may be NULL.
void bl_sqlite_close(bl_sqlite *store);
const char *bl_sqlite_error(bl_sqlite *store);
const char *bl_sqlite_version(void);

// Steps through all items in the order of their keys and reads all columns.
int bl_sqlite_scan(bl_sqlite *store, int64_t *count, uint64_t *digest);
// Steps through the keys only.
int bl_sqlite_scan_keys(bl_sqlite *store, int64_t *count, uint64_t *digest);
// Reads the items with these keys one at a time, with a prepared statement in a read transaction.
int bl_sqlite_by_key(bl_sqlite *store, const int64_t *keys, int64_t count, uint64_t *digest);
// Prepares and runs `SELECT <all columns of an item> FROM ZITEM` followed by the given text. ?1 is the
// parameter.
int bl_sqlite_items(
    bl_sqlite *store, const char *rest, int64_t parameter, int64_t *count, uint64_t *digest);
// Runs a query whose rows begin with an integer, and reads the integers. ?1 is the parameter.
int bl_sqlite_integers(
    bl_sqlite *store, const char *sql, int64_t parameter, int64_t *count, uint64_t *digest);
// Runs a query whose rows begin with a string, and reads the strings.
int bl_sqlite_texts(bl_sqlite *store, const char *sql, int64_t *count, uint64_t *digest);
// Reads the title, number and price of all items, in the order of their keys.
int bl_sqlite_columns(bl_sqlite *store, int64_t *count, uint64_t *digest);

// Inserts the items in one transaction under the lock file, with the next free keys, and records the last
// key as Core Data does. Checkpoints as Cairn does.
int bl_sqlite_insert(bl_sqlite *store, const bl_item *items, int64_t count);
// Sets the price and title of the items with these keys, if they have the expected version.
int bl_sqlite_update(
    bl_sqlite *store, const int64_t *keys, const double *prices, const char *const *titles,
    int64_t count, int64_t version);
// Deletes the items with these keys, if they have the expected version, and the first `folders` folders.
int bl_sqlite_delete(
    bl_sqlite *store, const int64_t *keys, int64_t count, int64_t version, int64_t folders);

// Reads a query with the columns key, number, category, price, rating, active, created, name, title, code,
// note, folder and version, as a proof of the data that a save stored.
int bl_sqlite_prove(const char *path, const char *sql, int64_t *count, uint64_t *digest);

// Follows a chain of links from the first one, and deletes each link that has the expected version, in one
// transaction. Returns the number of links.
int bl_sqlite_delete_chain(bl_sqlite *store, int64_t first, int64_t *count);

#endif
