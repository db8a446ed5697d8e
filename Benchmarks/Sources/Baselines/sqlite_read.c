#include "sqlite.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int log_grew(void *context, sqlite3 *db, const char *name, int pages) {
    (void)db;
    (void)name;
    ((bl_sqlite *)context)->log_pages = pages;
    return SQLITE_OK;
}

int bl_sqlite_open(const char *path, int writable, int full_sync, bl_sqlite **opened) {
    bl_sqlite *store = calloc(1, sizeof *store);
    *opened = store;
    store->writable = writable;
    size_t length = strlen(path);
    store->lock_path = malloc(length + sizeof "-lock");
    memcpy(store->lock_path, path, length);
    memcpy(store->lock_path + length, "-lock", sizeof "-lock");
    int mode = writable ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
    int rc = sqlite3_open_v2(path, &store->db, mode | SQLITE_OPEN_NOMUTEX, NULL);
    if (rc) return rc;
    rc = sqlite3_exec(store->db, "PRAGMA cache_size = -4000", NULL, NULL, NULL);
    if (rc || !writable) return rc;
    sqlite3_wal_autocheckpoint(store->db, 0);
    sqlite3_wal_hook(store->db, log_grew, store);
    rc = sqlite3_exec(store->db, "PRAGMA journal_mode = WAL", NULL, NULL, NULL);
    if (rc) return rc;
    const char *sync = full_sync ? "PRAGMA synchronous = FULL" : "PRAGMA synchronous = NORMAL";
    return sqlite3_exec(store->db, sync, NULL, NULL, NULL);
}

void bl_sqlite_close(bl_sqlite *store) {
    if (!store) return;
    sqlite3_finalize(store->by_key);
    sqlite3_finalize(store->insert);
    sqlite3_finalize(store->last_key);
    sqlite3_finalize(store->raise_key);
    sqlite3_finalize(store->update);
    sqlite3_finalize(store->erase);
    if (store->writable) {
        sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
    }
    sqlite3_close(store->db);
    free(store->lock_path);
    free(store);
}

const char *bl_sqlite_error(bl_sqlite *store) {
    return store && store->db ? sqlite3_errmsg(store->db) : "the store was not opened";
}

const char *bl_sqlite_version(void) { return sqlite3_libversion(); }

int bl_sqlite_prepare_once(bl_sqlite *store, const char *sql, sqlite3_stmt **statement) {
    if (*statement) return SQLITE_OK;
    return sqlite3_prepare_v3(
        store->db, sql, -1, SQLITE_PREPARE_PERSISTENT, statement, NULL);
}

uint64_t bl_sqlite_row_digest(sqlite3_stmt *row) {
    bl_item item;
    item.key = sqlite3_column_int64(row, 0);
    item.number = sqlite3_column_int64(row, 1);
    item.category = sqlite3_column_int64(row, 2);
    item.price = sqlite3_column_double(row, 3);
    item.rating = sqlite3_column_double(row, 4);
    item.active = sqlite3_column_int(row, 5);
    item.created = sqlite3_column_double(row, 6);
    item.name = (const char *)sqlite3_column_text(row, 7);
    item.name_length = sqlite3_column_bytes(row, 7);
    item.title = (const char *)sqlite3_column_text(row, 8);
    item.title_length = sqlite3_column_bytes(row, 8);
    item.code = (const char *)sqlite3_column_text(row, 9);
    item.code_length = sqlite3_column_bytes(row, 9);
    item.note = (const char *)sqlite3_column_text(row, 10);
    item.note_length = sqlite3_column_bytes(row, 10);
    item.folder = sqlite3_column_int64(row, 11);
    return bl_item_digest(&item) * 3 + (uint64_t)sqlite3_column_int64(row, 12);
}

static int read_rows(
    sqlite3_stmt *statement, uint64_t (*row_digest)(sqlite3_stmt *), int64_t *count,
    uint64_t *digest) {
    int rc;
    while ((rc = sqlite3_step(statement)) == SQLITE_ROW) {
        *digest = bl_digest_add(*digest, row_digest(statement));
        *count += 1;
    }
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int read_query(
    bl_sqlite *store, const char *sql, int64_t parameter,
    uint64_t (*row_digest)(sqlite3_stmt *), int64_t *count, uint64_t *digest) {
    sqlite3_stmt *statement = NULL;
    *count = 0;
    *digest = 0;
    int rc = sqlite3_prepare_v2(store->db, sql, -1, &statement, NULL);
    if (!rc && sqlite3_bind_parameter_count(statement)) {
        rc = sqlite3_bind_int64(statement, 1, parameter);
    }
    if (!rc) rc = read_rows(statement, row_digest, count, digest);
    sqlite3_finalize(statement);
    return rc;
}

int bl_sqlite_items(
    bl_sqlite *store, const char *rest, int64_t parameter, int64_t *count, uint64_t *digest) {
    char sql[1024];
    snprintf(sql, sizeof sql, "SELECT " BL_ITEM_COLUMNS " FROM ZITEM %s", rest);
    return read_query(store, sql, parameter, bl_sqlite_row_digest, count, digest);
}

int bl_sqlite_scan(bl_sqlite *store, int64_t *count, uint64_t *digest) {
    return bl_sqlite_items(store, "ORDER BY Z_PK", 0, count, digest);
}

static uint64_t integer_digest(sqlite3_stmt *row) {
    return (uint64_t)sqlite3_column_int64(row, 0);
}

int bl_sqlite_scan_keys(bl_sqlite *store, int64_t *count, uint64_t *digest) {
    return bl_sqlite_integers(store, "SELECT Z_PK FROM ZITEM ORDER BY Z_PK", 0, count, digest);
}

int bl_sqlite_integers(
    bl_sqlite *store, const char *sql, int64_t parameter, int64_t *count, uint64_t *digest) {
    return read_query(store, sql, parameter, integer_digest, count, digest);
}

static uint64_t text_digest(sqlite3_stmt *row) {
    const unsigned char *text = sqlite3_column_text(row, 0);
    return bl_text_digest(text, sqlite3_column_bytes(row, 0));
}

int bl_sqlite_texts(bl_sqlite *store, const char *sql, int64_t *count, uint64_t *digest) {
    return read_query(store, sql, 0, text_digest, count, digest);
}

static uint64_t columns_digest(sqlite3_stmt *row) {
    return bl_columns_digest(
        text_digest(row), sqlite3_column_int64(row, 1),
        sqlite3_column_double(row, 2));
}

int bl_sqlite_columns(bl_sqlite *store, int64_t *count, uint64_t *digest) {
    return read_query(
        store, "SELECT ZTITLE, ZNUMBER, ZPRICE FROM ZITEM ORDER BY Z_PK", 0, columns_digest, count,
        digest);
}

int bl_sqlite_by_key(bl_sqlite *store, const int64_t *keys, int64_t count, uint64_t *digest) {
    *digest = 0;
    int rc = bl_sqlite_prepare_once(
        store, "SELECT " BL_ITEM_COLUMNS " FROM ZITEM WHERE Z_PK = ?", &store->by_key);
    if (!rc) rc = sqlite3_exec(store->db, "BEGIN", NULL, NULL, NULL);
    if (rc) return rc;
    for (int64_t index = 0; index < count && !rc; index++) {
        sqlite3_bind_int64(store->by_key, 1, keys[index]);
        rc = sqlite3_step(store->by_key);
        if (rc == SQLITE_ROW) {
            *digest = bl_digest_add(*digest, bl_sqlite_row_digest(store->by_key));
            rc = SQLITE_OK;
        }
        sqlite3_reset(store->by_key);
    }
    sqlite3_exec(store->db, "COMMIT", NULL, NULL, NULL);
    return rc;
}

int bl_sqlite_prove(const char *path, const char *sql, int64_t *count, uint64_t *digest) {
    bl_sqlite store = { 0 };
    *count = 0;
    *digest = 0;
    int rc = sqlite3_open_v2(
        path, &store.db, SQLITE_OPEN_READONLY | SQLITE_OPEN_NOMUTEX, NULL);
    if (!rc) rc = read_query(&store, sql, 0, bl_sqlite_row_digest, count, digest);
    sqlite3_close(store.db);
    return rc;
}
