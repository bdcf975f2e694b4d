/* Opening a connection: flags, limits and pragmas, each set and read back.
   A commit is durable (WAL with synchronous FULL) and nothing checkpoints by itself: the writer
   does. Files are not mapped, names in double quotes are never texts, the schema is not trusted.
   Must not know: the schema, statements, threads. */
#include "db/conn.h"

#include <string.h>

struct pragma {
  bool writer_only;
  const char *set; /* NULL: only looked at */
  const char *get;
  const char *want; /* as text */
};

static const struct pragma pragmas[] = {
    {false, "PRAGMA busy_timeout = 2000", "PRAGMA busy_timeout", "2000"},
    {true, "PRAGMA journal_mode = WAL", "PRAGMA journal_mode", "wal"},
    {false, NULL, "PRAGMA journal_mode", "wal"},
    {false, "PRAGMA synchronous = FULL", "PRAGMA synchronous", "2"},
    {false, "PRAGMA wal_autocheckpoint = 0", "PRAGMA wal_autocheckpoint", "0"},
    {true, "PRAGMA journal_size_limit = 67108864", "PRAGMA journal_size_limit", "67108864"},
    {false, "PRAGMA mmap_size = 0", "PRAGMA mmap_size", "0"},
    {false, "PRAGMA foreign_keys = ON", "PRAGMA foreign_keys", "1"},
    {false, "PRAGMA recursive_triggers = ON", "PRAGMA recursive_triggers", "1"},
    {false, "PRAGMA cell_size_check = ON", "PRAGMA cell_size_check", "1"},
    {false, "PRAGMA temp_store = MEMORY", "PRAGMA temp_store", "2"},
    {true, "PRAGMA cache_size = -16384", "PRAGMA cache_size", "-16384"},
};
static const struct pragma reader_pragma = {false, "PRAGMA query_only = ON", "PRAGMA query_only",
                                            "1"};

static const char *const optimize[] = {"PRAGMA analysis_limit = 400", "PRAGMA optimize"};

static const struct {
  int id, value;
} limits[] = {
    {SQLITE_LIMIT_LENGTH, 96 << 20},    {SQLITE_LIMIT_SQL_LENGTH, 1 << 20},
    {SQLITE_LIMIT_COLUMN, 64},          {SQLITE_LIMIT_EXPR_DEPTH, 100},
    {SQLITE_LIMIT_COMPOUND_SELECT, 16}, {SQLITE_LIMIT_FUNCTION_ARG, 8},
    {SQLITE_LIMIT_ATTACHED, 0},         {SQLITE_LIMIT_LIKE_PATTERN_LENGTH, 256},
    {SQLITE_LIMIT_VARIABLE_NUMBER, 63}, {SQLITE_LIMIT_TRIGGER_DEPTH, 4},
    {SQLITE_LIMIT_WORKER_THREADS, 0},
};

static const struct {
  bool reader_only;
  int id, value;
} configs[] = {
    {false, SQLITE_DBCONFIG_DEFENSIVE, 1},
    {false, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0},
    {false, SQLITE_DBCONFIG_DQS_DML, 0},
    {false, SQLITE_DBCONFIG_DQS_DDL, 0},
    {false, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0},
    {true, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1},
};

#define COUNT(a) (sizeof(a) / sizeof *(a))

/* Runs text; with want the first column of its first row must equal it. */
static int run(sqlite3 *h, const char *text, const char *want) {
  sqlite3_stmt *st = NULL;
  bool equal = want == NULL;
  int rc = sqlite3_prepare_v2(h, text, -1, &st, NULL);
  if (rc == SQLITE_OK) rc = sqlite3_step(st);
  if (rc == SQLITE_ROW && want) {
    const char *is = (const char *)sqlite3_column_text(st, 0);
    equal = is && strcmp(is, want) == 0;
    if (!is && sqlite3_errcode(h) == SQLITE_NOMEM) rc = SQLITE_NOMEM;
  }
  while (rc == SQLITE_ROW) rc = sqlite3_step(st);
  sqlite3_finalize(st);
  if (rc != SQLITE_DONE) return rc;
  return equal ? SQLITE_OK : SQLITE_ERROR;
}

static int apply(sqlite3 *h, const struct pragma *p) {
  int rc = p->set ? run(h, p->set, NULL) : SQLITE_OK;
  return rc == SQLITE_OK ? run(h, p->get, p->want) : rc;
}

static bool set_pragmas(struct crv_db *db, int *ret_rc, struct crv_err *err) {
  for (size_t i = 0; i < COUNT(pragmas); i++) {
    if (pragmas[i].writer_only && !db->writer) continue;
    *ret_rc = apply(db->h, &pragmas[i]);
    if (*ret_rc != SQLITE_OK) return crv_db_fail(db, *ret_rc, pragmas[i].get, err);
  }
  if (db->writer) return true;
  *ret_rc = apply(db->h, &reader_pragma);
  return *ret_rc == SQLITE_OK || crv_db_fail(db, *ret_rc, reader_pragma.get, err);
}

static bool set_configs(struct crv_db *db, int *ret_rc, struct crv_err *err) {
  for (size_t i = 0; i < COUNT(limits); i++) sqlite3_limit(db->h, limits[i].id, limits[i].value);
  for (size_t i = 0; i < COUNT(configs); i++) {
    if (configs[i].reader_only && db->writer) continue;
    int is = -1;
    *ret_rc = sqlite3_db_config(db->h, configs[i].id, configs[i].value, &is);
    if (*ret_rc == SQLITE_OK && is == configs[i].value) continue;
    *ret_rc = SQLITE_ERROR;
    return crv_bug(err, "sqlite3_db_config %d did not take", configs[i].id);
  }
  return true;
}

bool crv_conn_open(struct crv_db *db, const char *path, bool writer, int *ret_rc,
                   struct crv_err *err) {
  int flags = SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE |
              (writer ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY);
  *db = (struct crv_db){.writer = writer};
  *ret_rc = sqlite3_open_v2(path, &db->h, flags, NULL);
  if (*ret_rc != SQLITE_OK) return crv_db_fail(db, *ret_rc, "open", err);
  return set_configs(db, ret_rc, err) && set_pragmas(db, ret_rc, err);
}

void crv_conn_optimize(struct crv_db *db) {
  for (size_t i = 0; i < COUNT(optimize); i++) run(db->h, optimize[i], NULL);
}
