// Declarations shared by the parts of the SQLite baseline.

#ifndef BASELINES_SQLITE_PRIVATE_H
#define BASELINES_SQLITE_PRIVATE_H

#include "Baselines.h"

#include <sqlite3.h>

struct bl_sqlite {
    sqlite3 *db;
    char *lock_path;
    int writable;
    int log_pages;
    sqlite3_stmt *by_key;
    sqlite3_stmt *insert, *last_key, *raise_key, *update, *erase;
};

#define BL_ITEM_COLUMNS                                                                    \
    "Z_PK, ZNUMBER, ZCATEGORY, ZPRICE, ZRATING, ZACTIVE, ZCREATED, ZNAME, ZTITLE, ZCODE, " \
    "ZNOTE, ZFOLDER, Z_OPT"

// Reads all columns of the statement's current row, in the order of BL_ITEM_COLUMNS.
uint64_t bl_sqlite_row_digest(sqlite3_stmt *statement);

// Prepares the statement once for each connection.
int bl_sqlite_prepare_once(bl_sqlite *store, const char *sql, sqlite3_stmt **statement);

#endif
