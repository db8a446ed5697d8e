#pragma once
#include <sqlite3.h>

// SQLITE_TRANSIENT is a cast that Swift does not import.
static inline sqlite3_destructor_type cairn_sqlite_transient(void) {
    return SQLITE_TRANSIENT;
}

// sqlite3_db_config is variadic, so Swift cannot call it.
static inline int cairn_sqlite_set_no_checkpoint_on_close(sqlite3 *db, int on) {
    return sqlite3_db_config(db, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, on, (int *)0);
}

// Excludes a virtual table from use in the views and triggers of a file. sqlite3_vtab_config is variadic,
// too.
static inline int cairn_sqlite_table_is_direct_only(sqlite3 *db) {
    return sqlite3_vtab_config(db, SQLITE_VTAB_DIRECTONLY);
}

// Restricts the views and triggers of a file to functions that were declared harmless, and prevents
// changes to the file's schema by writing to its tables.
static inline int cairn_sqlite_distrust_schema(sqlite3 *db) {
    int result = sqlite3_db_config(db, SQLITE_DBCONFIG_DEFENSIVE, 1, (int *)0);
    if (result != SQLITE_OK) { return result; }
    return sqlite3_db_config(db, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (int *)0);
}
