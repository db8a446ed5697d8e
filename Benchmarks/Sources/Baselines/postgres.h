// Declarations shared by the parts of the PostgreSQL baseline.

#ifndef BASELINES_POSTGRESQL_PRIVATE_H
#define BASELINES_POSTGRESQL_PRIVATE_H

#include "Baselines.h"

#include <endian.h>
#include <libpq-fe.h>
#include <string.h>

// The maximum number of statements in one flush.
enum { bl_postgres_most = 8 };

struct bl_postgres {
    PGconn *session;
    // The number of the lock that saves of the store share, and of the table that identifies the store.
    int64_t lock, identity;
    // The keys that were reserved and not used.
    int64_t next_key, end_key;
    // The last part of the names of saves.
    uint64_t saves;
    // The results of the last flush.
    PGresult *results[bl_postgres_most];
    int count;
    char error[256];
};

// A parameter in binary form.
typedef struct bl_parameter {
    const char *bytes;
    int length;
} bl_parameter;

// Sends a prepared statement. `bl_postgres_flush` sends the end of the pipeline and receives all results. Both return 0, or a
// number for an error.
int bl_postgres_send(
    bl_postgres *store, const char *statement, const bl_parameter *parameters, int count);
int bl_postgres_flush(bl_postgres *store);

// Returns an array of integers in the server's form, which the caller must free.
char *bl_postgres_array(const int64_t *numbers, int64_t count);

static inline uint64_t bl_postgres_int64(const PGresult *result, int row, int column) {
    uint64_t value;
    memcpy(&value, PQgetvalue(result, row, column), sizeof value);
    return be64toh(value);
}

#endif
