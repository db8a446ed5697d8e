#include "postgres.h"

#include <stdio.h>
#include <stdlib.h>

#define KEYLESS                                                                              \
    "number, category, price, rating, active, created, name, title, code, note, folder, " \
    "_version"

// The statements by name. %1$s is the number of the entity Item.
static const char *const statements[][2] = {
    { "scan", "SELECT _key, " KEYLESS " FROM item" },
    { "scan keys", "SELECT _key FROM item" },
    { "by category", "SELECT _key, " KEYLESS " FROM item WHERE category = $1" },
    { "by key", "SELECT _key, " KEYLESS " FROM item WHERE _key = $1" },
    { "by keys", "SELECT _key, " KEYLESS " FROM item WHERE _key = ANY($1::int8[])" },
    { "prove", "SELECT number + 1, " KEYLESS " FROM item ORDER BY number" },
    { "begin read", "BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY" },
    { "begin", "BEGIN" },
    { "commit", "COMMIT" },
    { "rollback", "ROLLBACK" },
    { "lock", "SELECT pg_advisory_xact_lock_shared($1)" },
    { "state", "SELECT to_regclass('cairn_commits')::oid::int8, history FROM cairn_state" },
    { "reserve",
      "UPDATE cairn_entities SET next_key = next_key + $1 WHERE number = %1$s "
      "RETURNING next_key - $1, next_key" },
    { "insert",
      "INSERT INTO item (_key, " KEYLESS ", _entity) SELECT r.*, 1, %1$s FROM unnest($1::int8[], "
      "$2::int8[], $3::int8[], $4::float8[], $5::float8[], $6::bool[], $7::float8[], "
      "$8::text[], $9::text[], $10::text[], $11::text[], $12::int8[]) AS r" },
    { "insert one",
      "INSERT INTO item (_key, " KEYLESS ", _entity) "
      "VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, 1, %1$s)" },
    { "folders",
      "SELECT _key FROM folder WHERE _key = ANY($1::int8[]) ORDER BY _key FOR KEY SHARE" },
    { "hold",
      "SELECT _key FROM item WHERE _key = ANY($1::int8[]) ORDER BY _key FOR NO KEY UPDATE" },
    { "update",
      "UPDATE item AS t SET _version = t._version + 1, price = r.p, title = r.t "
      "FROM unnest($1::int8[], $2::float8[], $3::text[]) AS r(k, p, t) "
      "WHERE t._key = r.k AND t._version = $4" },
    { "inserted", "INSERT INTO cairn_changes (kind, entity, keys) VALUES (0, %1$s, $1)" },
    { "updated", "INSERT INTO cairn_changes (kind, entity, keys) VALUES (1, %1$s, $1)" },
    { "name",
      "INSERT INTO cairn_saves (name) SELECT $1::uuid FROM cairn_state "
      "WHERE forgotten_name IS NULL OR forgotten_name < $1" },
    { "count",
      "UPDATE cairn_commits SET count = count + 1 WHERE slot = COALESCE((SELECT slot FROM "
      "cairn_commits ORDER BY (slot + pg_backend_pid()) %% 64 LIMIT 1 FOR UPDATE SKIP LOCKED), "
      "pg_backend_pid() %% 64)" },
};

static int fail(bl_postgres *store, const char *message) {
    snprintf(store->error, sizeof store->error, "%s", message);
    return 1;
}

// Runs a statement without parameters outside of the pipeline.
static PGresult *ask(bl_postgres *store, const char *text) {
    PGresult *result = PQexec(store->session, text);
    ExecStatusType status = PQresultStatus(result);
    if (status == PGRES_TUPLES_OK || status == PGRES_COMMAND_OK) return result;
    fail(store, PQerrorMessage(store->session));
    PQclear(result);
    return NULL;
}

static int connect_to(const char *address, bl_postgres **opened) {
    bl_postgres *store = calloc(1, sizeof *store);
    *opened = store;
    store->session = PQconnectdb(address);
    if (PQstatus(store->session) == CONNECTION_OK) return 0;
    return fail(store, PQerrorMessage(store->session));
}

// Returns the number of the store's lock, as the engine computes it.
static int64_t lock_number(const char *prefix) {
    uint8_t bytes[256];
    const char *parts[] = { prefix, "store" };
    size_t length = 0;
    for (int index = 0; index < 2; index++) {
        uint64_t size = strlen(parts[index]);
        memcpy(bytes + length, &size, sizeof size);
        memcpy(bytes + length + sizeof size, parts[index], size);
        length += sizeof size + size;
    }
    return (int64_t)bl_xxh64(bytes, length);
}

int bl_postgres_open(const char *address, const char *schema, bl_postgres **opened) {
    if (connect_to(address, opened)) return 1;
    bl_postgres *store = *opened;
    char text[1024], prefix[128];
    snprintf(prefix, sizeof prefix, "\"%s\".", schema);
    store->lock = lock_number(prefix);
    snprintf(text, sizeof text, "SET search_path = \"%s\"", schema);
    PGresult *path = ask(store, text);
    PQclear(path);
    PGresult *numbers = ask(
        store,
        "SELECT number, 'cairn_commits'::regclass::oid::int8 FROM cairn_entities "
        "WHERE name = 'Item'");
    if (!path || !numbers || PQntuples(numbers) != 1) return 1;
    store->identity = strtoll(PQgetvalue(numbers, 0, 1), NULL, 10);
    int code = 0;
    for (size_t index = 0; index < sizeof statements / sizeof *statements && !code; index++) {
        snprintf(text, sizeof text, statements[index][1], PQgetvalue(numbers, 0, 0));
        PGresult *result = PQprepare(store->session, statements[index][0], text, 0, NULL);
        if (PQresultStatus(result) != PGRES_COMMAND_OK) {
            code = fail(store, PQerrorMessage(store->session));
        }
        PQclear(result);
    }
    PQclear(numbers);
    return code || !PQenterPipelineMode(store->session);
}

static void forget(bl_postgres *store) {
    while (store->count) PQclear(store->results[--store->count]);
}

void bl_postgres_close(bl_postgres *store) {
    if (!store) return;
    forget(store);
    PQfinish(store->session);
    free(store);
}

const char *bl_postgres_error(bl_postgres *store) {
    return store ? store->error : "no connection was made";
}

int bl_postgres_version(void) { return PQlibVersion(); }

int bl_postgres_send(
    bl_postgres *store, const char *statement, const bl_parameter *parameters, int count) {
    const char *values[16];
    int lengths[16], formats[16];
    for (int index = 0; index < count; index++) {
        values[index] = parameters[index].bytes;
        lengths[index] = parameters[index].length;
        formats[index] = 1;
    }
    int sent =
        PQsendQueryPrepared(store->session, statement, count, values, lengths, formats, 1);
    return sent ? 0 : fail(store, PQerrorMessage(store->session));
}

int bl_postgres_flush(bl_postgres *store) {
    forget(store);
    if (!PQpipelineSync(store->session)) return fail(store, PQerrorMessage(store->session));
    int code = 0;
    for (;;) {
        PGresult *result = PQgetResult(store->session);
        switch (PQresultStatus(result)) {
        case PGRES_TUPLES_OK:
        case PGRES_COMMAND_OK: store->results[store->count++] = result; break;
        case PGRES_PIPELINE_SYNC: PQclear(result); return code;
        default:
            // NULL separates the results of two statements.
            if (result && !code) code = fail(store, PQresultErrorMessage(result));
            PQclear(result);
            if (PQstatus(store->session) == CONNECTION_BAD) {
                return fail(store, PQerrorMessage(store->session));
            }
        }
    }
}

static double real(const PGresult *result, int row, int column) {
    uint64_t bits = bl_postgres_int64(result, row, column);
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static const char *text(const PGresult *result, int row, int column, int32_t *length) {
    *length = PQgetlength(result, row, column);
    return PQgetisnull(result, row, column) ? NULL : PQgetvalue(result, row, column);
}

// Reads all columns.
static uint64_t row_digest(const PGresult *result, int row) {
    bl_item item;
    item.key = (int64_t)bl_postgres_int64(result, row, 0);
    item.number = (int64_t)bl_postgres_int64(result, row, 1);
    item.category = (int64_t)bl_postgres_int64(result, row, 2);
    item.price = real(result, row, 3);
    item.rating = real(result, row, 4);
    item.active = *PQgetvalue(result, row, 5);
    item.created = real(result, row, 6);
    item.name = text(result, row, 7, &item.name_length);
    item.title = text(result, row, 8, &item.title_length);
    item.code = text(result, row, 9, &item.code_length);
    item.note = text(result, row, 10, &item.note_length);
    item.folder = (int64_t)bl_postgres_int64(result, row, 11);
    return bl_item_digest(&item) * 3 + bl_postgres_int64(result, row, 12);
}

static uint64_t key_digest(const PGresult *result, int row) {
    return bl_postgres_int64(result, row, 0);
}

static int read_all(
    bl_postgres *store, const char *statement, const bl_parameter *parameters, int parameter_count,
    uint64_t (*digest_of)(const PGresult *, int), int64_t *count, uint64_t *digest) {
    *digest = 0;
    int code = bl_postgres_send(store, statement, parameters, parameter_count);
    if (!code) code = bl_postgres_flush(store);
    if (code) return code;
    *count = PQntuples(store->results[0]);
    for (int row = 0; row < *count; row++) {
        *digest = bl_digest_add(*digest, digest_of(store->results[0], row));
    }
    return 0;
}

int bl_postgres_scan(bl_postgres *store, int64_t *count, uint64_t *digest) {
    return read_all(store, "scan", NULL, 0, row_digest, count, digest);
}

int bl_postgres_scan_keys(bl_postgres *store, int64_t *count, uint64_t *digest) {
    return read_all(store, "scan keys", NULL, 0, key_digest, count, digest);
}

int bl_postgres_prove(bl_postgres *store, int64_t *count, uint64_t *digest) {
    return read_all(store, "prove", NULL, 0, row_digest, count, digest);
}

int bl_postgres_by_category(
    bl_postgres *store, int64_t category, int64_t *count, uint64_t *digest) {
    uint64_t value = htobe64((uint64_t)category);
    bl_parameter parameter = { (const char *)&value, sizeof value };
    return read_all(store, "by category", &parameter, 1, row_digest, count, digest);
}

// Reads items, and stores the digest of each at its key.
static int read_batch(
    bl_postgres *store, const int64_t *keys, int64_t count, uint64_t *digests, int64_t most) {
    char *array = bl_postgres_array(keys, count);
    bl_parameter parameter = { array, 20 + 12 * (int)count };
    uint64_t key = htobe64((uint64_t)keys[0]);
    if (count == 1) parameter = (bl_parameter){ (const char *)&key, sizeof key };
    int code = bl_postgres_send(store, count == 1 ? "by key" : "by keys", &parameter, 1);
    if (!code) code = bl_postgres_flush(store);
    free(array);
    if (code) return code;
    const PGresult *result = store->results[0];
    for (int row = 0; row < PQntuples(result); row++) {
        int64_t key = (int64_t)bl_postgres_int64(result, row, 0);
        if (key <= most) digests[key] = row_digest(result, row);
    }
    return 0;
}

int bl_postgres_by_key(
    bl_postgres *store, const int64_t *keys, int64_t count, int64_t at_once, uint64_t *digest) {
    int64_t most = 0;
    for (int64_t index = 0; index < count; index++) {
        if (keys[index] > most) most = keys[index];
    }
    uint64_t *digests = calloc((size_t)most + 1, sizeof *digests);
    int code = bl_postgres_send(store, "begin read", NULL, 0);
    if (!code) code = bl_postgres_flush(store);
    for (int64_t first = 0; first < count && !code; first += at_once) {
        int64_t some = count - first < at_once ? count - first : at_once;
        code = read_batch(store, keys + first, some, digests, most);
    }
    *digest = 0;
    for (int64_t index = 0; index < count; index++) {
        *digest = bl_digest_add(*digest, digests[keys[index]]);
    }
    free(digests);
    if (!code) code = bl_postgres_send(store, "commit", NULL, 0);
    return code ? code : bl_postgres_flush(store);
}

int bl_postgres_settle(const char *address, const char *schema) {
    bl_postgres *store;
    int code = connect_to(address, &store);
    const char *steps[] = {
        "CLUSTER \"%s\".item USING item_pkey", "VACUUM ANALYZE \"%s\".item",
        "VACUUM ANALYZE \"%s\".folder",
    };
    for (int index = 0; index < 3 && !code; index++) {
        char text[256];
        snprintf(text, sizeof text, steps[index], schema);
        PGresult *result = ask(store, text);
        code = !result;
        PQclear(result);
    }
    bl_postgres_close(store);
    return code;
}

int bl_postgres_drop(const char *address, const char *prefix) {
    bl_postgres *store;
    int code = connect_to(address, &store);
    char text[256];
    snprintf(
        text, sizeof text,
        "SELECT format('DROP SCHEMA %%I CASCADE', nspname) FROM pg_namespace "
        "WHERE starts_with(nspname, '%s')",
        prefix);
    // The server reports each table that goes with a schema.
    PGresult *result = code ? NULL : ask(store, "SET client_min_messages = warning");
    PQclear(result);
    PGresult *drops = result ? ask(store, text) : NULL;
    if (!drops) code = 1;
    for (int row = 0; row < PQntuples(drops); row++) {
        PQclear(ask(store, PQgetvalue(drops, row, 0)));
    }
    PQclear(drops);
    bl_postgres_close(store);
    return code;
}
