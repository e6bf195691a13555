#include "CBenchmarkControls.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <sqlite3.h>

struct control_database {
    sqlite3 *connection;
    sqlite3_stmt *put, *get;
};

control_database *control_database_open(const char *path) {
    control_database *database = calloc(1, sizeof *database);
    if (!database) { return NULL; }
    bool is_open = sqlite3_open(path, &database->connection) == SQLITE_OK
        && sqlite3_exec(
               database->connection,
               "PRAGMA page_size = 8192; PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL; PRAGMA mmap_size = 8589934592;"
               "CREATE TABLE IF NOT EXISTS entries (name TEXT PRIMARY KEY, bytes BLOB) WITHOUT ROWID;",
               NULL, NULL, NULL)
            == SQLITE_OK
        && sqlite3_prepare_v2(
               database->connection, "INSERT OR REPLACE INTO entries VALUES (?, ?)", -1, &database->put, NULL)
            == SQLITE_OK
        && sqlite3_prepare_v2(
               database->connection, "SELECT bytes FROM entries WHERE name = ?", -1, &database->get, NULL)
            == SQLITE_OK;
    if (!is_open) {
        control_database_close(database);
        return NULL;
    }
    return database;
}

void control_database_close(control_database *database) {
    sqlite3_finalize(database->put);
    sqlite3_finalize(database->get);
    sqlite3_close(database->connection);
    free(database);
}

bool control_database_put(control_database *database, const char *name, const uint8_t *bytes, size_t count) {
    sqlite3_bind_text(database->put, 1, name, -1, SQLITE_STATIC);
    sqlite3_bind_blob(database->put, 2, bytes, (int)count, SQLITE_STATIC);
    bool is_done = sqlite3_step(database->put) == SQLITE_DONE;
    sqlite3_reset(database->put);
    return is_done;
}

size_t control_database_get(control_database *database, const char *name) {
    size_t count = 0;
    sqlite3_bind_text(database->get, 1, name, -1, SQLITE_STATIC);
    if (sqlite3_step(database->get) == SQLITE_ROW) {
        const void *bytes = sqlite3_column_blob(database->get, 0);
        count = (size_t)sqlite3_column_bytes(database->get, 0);
        // The copy that a program would keep.
        void *copy = malloc(count);
        if (bytes && copy) { memcpy(copy, bytes, count); }
        free(copy);
    }
    sqlite3_reset(database->get);
    return count;
}
