#include "sqlite.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

// The number of pages in the log beyond which Cairn checkpoints after a save.
enum { checkpoint_pages = 1000 };

// The number of the entity Item in the reference model: entities are numbered by name.
#define ITEM_ENTITY "2"

static int begin(bl_sqlite *store, int *lock) {
    *lock = open(store->lock_path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (*lock < 0) return SQLITE_CANTOPEN;
    if (flock(*lock, LOCK_EX)) return SQLITE_BUSY;
    return sqlite3_exec(store->db, "BEGIN IMMEDIATE", NULL, NULL, NULL);
}

static int end(bl_sqlite *store, int lock, int rc) {
    int ended = sqlite3_exec(store->db, rc ? "ROLLBACK" : "COMMIT", NULL, NULL, NULL);
    if (!rc && !ended && store->log_pages >= checkpoint_pages) {
        sqlite3_wal_checkpoint_v2(store->db, NULL, SQLITE_CHECKPOINT_PASSIVE, NULL, NULL);
    }
    close(lock);
    return rc ? rc : ended;
}

static int run(sqlite3_stmt *statement) {
    int rc = sqlite3_step(statement);
    sqlite3_reset(statement);
    return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int last_key(bl_sqlite *store, int64_t *key) {
    int rc = bl_sqlite_prepare_once(
        store,
        "SELECT max(ifnull((SELECT Z_MAX FROM Z_PRIMARYKEY WHERE Z_ENT = " ITEM_ENTITY
        "), 0), ifnull((SELECT max(Z_PK) FROM ZITEM), 0))",
        &store->last_key);
    if (rc) return rc;
    rc = sqlite3_step(store->last_key);
    if (rc == SQLITE_ROW) {
        *key = sqlite3_column_int64(store->last_key, 0);
        rc = SQLITE_OK;
    }
    sqlite3_reset(store->last_key);
    return rc;
}

static int raise_key(bl_sqlite *store, int64_t key) {
    int rc = bl_sqlite_prepare_once(
        store,
        "UPDATE Z_PRIMARYKEY SET Z_MAX = max(ifnull(Z_MAX, 0), ?1) WHERE Z_ENT = " ITEM_ENTITY,
        &store->raise_key);
    if (rc) return rc;
    sqlite3_bind_int64(store->raise_key, 1, key);
    return run(store->raise_key);
}

static void bind_text(sqlite3_stmt *statement, int place, const char *text, int length) {
    if (text) sqlite3_bind_text(statement, place, text, length, SQLITE_STATIC);
    else sqlite3_bind_null(statement, place);
}

static int insert_row(sqlite3_stmt *insert, const bl_item *item, int64_t key) {
    sqlite3_bind_int64(insert, 1, key);
    sqlite3_bind_int64(insert, 2, item->number);
    sqlite3_bind_int64(insert, 3, item->category);
    sqlite3_bind_double(insert, 4, item->price);
    sqlite3_bind_double(insert, 5, item->rating);
    sqlite3_bind_int(insert, 6, item->active);
    sqlite3_bind_double(insert, 7, item->created);
    bind_text(insert, 8, item->name, item->name_length);
    bind_text(insert, 9, item->title, item->title_length);
    bind_text(insert, 10, item->code, item->code_length);
    bind_text(insert, 11, item->note, item->note_length);
    sqlite3_bind_int64(insert, 12, item->folder);
    return run(insert);
}

int bl_sqlite_insert(bl_sqlite *store, const bl_item *items, int64_t count) {
    int rc = bl_sqlite_prepare_once(
        store,
        "INSERT INTO ZITEM (" BL_ITEM_COLUMNS ", Z_ENT) "
        "VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 1, " ITEM_ENTITY ")",
        &store->insert);
    int lock = -1;
    if (!rc) rc = begin(store, &lock);
    if (rc) return rc;
    int64_t key = 0;
    rc = last_key(store, &key);
    for (int64_t index = 0; index < count && !rc; index++) {
        rc = insert_row(store->insert, &items[index], ++key);
    }
    if (!rc) rc = raise_key(store, key);
    return end(store, lock, rc);
}

int bl_sqlite_update(
    bl_sqlite *store, const int64_t *keys, const double *prices, const char *const *titles,
    int64_t count, int64_t version) {
    int rc = bl_sqlite_prepare_once(
        store,
        "UPDATE ZITEM SET Z_OPT = ?1, ZPRICE = ?2, ZTITLE = ?3 "
        "WHERE Z_PK = ?4 AND ifnull(Z_OPT, 0) = ?5",
        &store->update);
    int lock = -1;
    if (!rc) rc = begin(store, &lock);
    if (rc) return rc;
    for (int64_t index = 0; index < count && !rc; index++) {
        sqlite3_bind_int64(store->update, 1, version + 1);
        sqlite3_bind_double(store->update, 2, prices[index]);
        sqlite3_bind_text(store->update, 3, titles[index], -1, SQLITE_STATIC);
        sqlite3_bind_int64(store->update, 4, keys[index]);
        sqlite3_bind_int64(store->update, 5, version);
        rc = run(store->update);
        if (!rc && sqlite3_changes(store->db) != 1) rc = SQLITE_CONSTRAINT;
    }
    return end(store, lock, rc);
}

static int delete_folders(bl_sqlite *store, int64_t count) {
    char sql[96];
    snprintf(sql, sizeof sql, "DELETE FROM ZFOLDER WHERE Z_PK <= %lld", (long long)count);
    return sqlite3_exec(store->db, sql, NULL, NULL, NULL);
}

int bl_sqlite_delete(
    bl_sqlite *store, const int64_t *keys, int64_t count, int64_t version, int64_t folders) {
    int rc = bl_sqlite_prepare_once(
        store, "DELETE FROM ZITEM WHERE Z_PK = ?1 AND ifnull(Z_OPT, 0) = ?2", &store->erase);
    int lock = -1;
    if (!rc) rc = begin(store, &lock);
    if (rc) return rc;
    for (int64_t index = 0; index < count && !rc; index++) {
        sqlite3_bind_int64(store->erase, 1, keys[index]);
        sqlite3_bind_int64(store->erase, 2, version);
        rc = run(store->erase);
        if (!rc && sqlite3_changes(store->db) != 1) rc = SQLITE_CONSTRAINT;
    }
    if (!rc && folders) rc = delete_folders(store, folders);
    return end(store, lock, rc);
}

int bl_sqlite_delete_chain(bl_sqlite *store, int64_t first, int64_t *count) {
    sqlite3_stmt *next = NULL, *erase = NULL;
    int lock = -1;
    *count = 0;
    int rc = bl_sqlite_prepare_once(
        store, "SELECT ZNEXT, ifnull(Z_OPT, 0) FROM ZLINK WHERE Z_PK = ?1", &next);
    if (!rc) {
        rc = bl_sqlite_prepare_once(
            store, "DELETE FROM ZLINK WHERE Z_PK = ?1 AND ifnull(Z_OPT, 0) = ?2", &erase);
    }
    if (!rc) rc = begin(store, &lock);
    while (!rc && first) {
        sqlite3_bind_int64(next, 1, first);
        if (sqlite3_step(next) != SQLITE_ROW) rc = SQLITE_CONSTRAINT;
        sqlite3_bind_int64(erase, 1, first);
        sqlite3_bind_int64(erase, 2, sqlite3_column_int64(next, 1));
        first = sqlite3_column_int64(next, 0);
        sqlite3_reset(next);
        if (!rc) rc = run(erase);
        if (!rc && sqlite3_changes(store->db) != 1) rc = SQLITE_CONSTRAINT;
        *count += 1;
    }
    if (lock >= 0) rc = end(store, lock, rc);
    sqlite3_finalize(next);
    sqlite3_finalize(erase);
    return rc;
}
