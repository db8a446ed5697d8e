// libpq, used on a store in Cairn's format (docs/formats/postgresql.md) with the reference model. It is compiled only
// with CAIRN_POSTGRESQL.

#ifndef BASELINES_POSTGRESQL_H
#define BASELINES_POSTGRESQL_H

typedef struct bl_postgres bl_postgres;

// Connects to the database of an address, and prepares the statements for the store in a schema.
int bl_postgres_open(const char *address, const char *schema, bl_postgres **opened);
void bl_postgres_close(bl_postgres *store);
const char *bl_postgres_error(bl_postgres *store);
// Returns the version of libpq as a number, such as 150018.
int bl_postgres_version(void);

// Reads all items, or their keys, in one round trip, in the order of the table.
int bl_postgres_scan(bl_postgres *store, int64_t *count, uint64_t *digest);
int bl_postgres_scan_keys(bl_postgres *store, int64_t *count, uint64_t *digest);
// Reads the items of a category in one round trip.
int bl_postgres_by_category(
    bl_postgres *store, int64_t category, int64_t *count, uint64_t *digest);
// Reads the items with these keys in a read transaction, a number of them in each round trip.
int bl_postgres_by_key(
    bl_postgres *store, const int64_t *keys, int64_t count, int64_t at_once, uint64_t *digest);

// Inserts the items in one transaction, with the next free keys, under the locks and with the bookkeeping of a save. Takes two
// round trips, and one more if no keys are left of those that were reserved.
int bl_postgres_insert(bl_postgres *store, const bl_item *items, int64_t count);
// Sets the price and title of the items with these keys, if they have the expected version, in the same way.
int bl_postgres_update(
    bl_postgres *store, const int64_t *keys, const double *prices, const char *const *titles,
    int64_t count, int64_t version);

// Reads all items by number, as a proof of the data that a save stored. Their keys count as their numbers and 1.
int bl_postgres_prove(bl_postgres *store, int64_t *count, uint64_t *digest);
// Puts the items of a new store in the order of their keys, which a fetch without an order returns then, and counts them for
// the planner.
int bl_postgres_settle(const char *address, const char *schema);
// Removes the schemas whose names begin in this way.
int bl_postgres_drop(const char *address, const char *prefix);

#endif
