/* Prepared statements and the sticky query. The registry below lists every statement table; a
   connection holds one prepared statement for each row of each.
   Must not know: what the rows mean. */
#include "db/stmt.h"

#include <stdio.h>
#include <string.h>

static const struct crv_stmt_table *const sets[CRV_SET_COUNT] = {
    [CRV_SET_GROUP] = &crv_group_stmts,       [CRV_SET_POOL] = &crv_pool_stmts,
    [CRV_SET_LEDGER] = &crv_ledger_stmts,     [CRV_SET_VERIFY] = &crv_verify_stmts,
    [CRV_SET_SHEET] = &crv_sheet_stmts,       [CRV_SET_OFFER] = &crv_offer_stmts,
    [CRV_SET_PIECE] = &crv_piece_stmts,       [CRV_SET_CONTENT] = &crv_content_stmts,
    [CRV_SET_DECISION] = &crv_decision_stmts, [CRV_SET_TOKEN] = &crv_token_stmts,
    [CRV_SET_IDEM] = &crv_idem_stmts,
};

static const char arena_full[] = "the arena is full";

static bool wrong_mode(const struct crv_stmt_def *def, sqlite3_stmt *st) {
  if (def->mode == CRV_CONTROL) return false;
  return (sqlite3_stmt_readonly(st) != 0) != (def->mode == CRV_READ);
}

static bool prepare_one(struct crv_db *db, enum crv_set set, const struct crv_stmt_def *def,
                        struct crv_err *err) {
  const char *name = sets[set]->name, *tail = NULL;
  if (def->id >= CRV_SET_ROOM || db->st[set][def->id])
    return crv_bug(err, "statement %s/%u: the number is taken or too high", name, def->id);
  sqlite3_stmt **st = &db->st[set][def->id];
  int rc = sqlite3_prepare_v3(db->h, def->sql, -1, SQLITE_PREPARE_PERSISTENT, st, &tail);
  if ((rc & 0xff) == SQLITE_NOMEM) return crv_db_fail(db, rc, name, err);
  if (rc != SQLITE_OK)
    return crv_bug(err, "statement %s/%u: %s", name, def->id, sqlite3_errmsg(db->h));
  if (!*st || (tail && *tail))
    return crv_bug(err, "statement %s/%u is not one statement", name, def->id);
  if (wrong_mode(def, *st))
    return crv_bug(err, "statement %s/%u does not do what its mode says", name, def->id);
  return true;
}

bool crv_db_prepare(struct crv_db *db, struct crv_err *err) {
  for (enum crv_set s = 0; s < CRV_SET_COUNT; s++)
    for (unsigned i = 0; i < sets[s]->n; i++) {
      const struct crv_stmt_def *def = &sets[s]->defs[i];
      if (def->mode != CRV_READ && !db->writer) continue;
      if (!prepare_one(db, s, def, err)) return false;
    }
  return true;
}

void crv_db_close(struct crv_db *db) {
  for (unsigned s = 0; s < CRV_SET_COUNT; s++)
    for (unsigned i = 0; i < CRV_SET_ROOM; i++) {
      sqlite3_finalize(db->st[s][i]);
      db->st[s][i] = NULL;
    }
  sqlite3_close(db->h);
  db->h = NULL;
}

/* Faults after which nothing of the running transaction may be committed. */
static bool spoils(int primary) {
  switch (primary) {
  case SQLITE_FULL:
  case SQLITE_IOERR:
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
  case SQLITE_READONLY:
  case SQLITE_CANTOPEN:
  case SQLITE_NOMEM:
    return true;
  default:
    return false;
  }
}

static void note(struct crv_db *db, int rc) {
  if ((rc & 0xff) == SQLITE_BUSY) __atomic_add_fetch(&db->busy_errors, 1, __ATOMIC_RELAXED);
  if (db->fault == SQLITE_OK && spoils(rc & 0xff)) db->fault = rc;
}

bool crv_db_fail(struct crv_db *db, int rc, const char *what, struct crv_err *err) {
  note(db, rc);
  crv_bug(err, "%s: %s (%d)", what, db->h ? sqlite3_errmsg(db->h) : sqlite3_errstr(rc), rc);
  switch (rc & 0xff) {
  case SQLITE_FULL:
    return crv_fail(err, CRV_READ_ONLY, "The disk is full; nothing was stored.");
  case SQLITE_READONLY:
  case SQLITE_CANTOPEN:
    return crv_fail(err, CRV_READ_ONLY, "The database cannot be written; nothing was stored.");
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    return crv_fail(err, CRV_OVERLOADED, "Another program holds the database; nothing was stored.");
  case SQLITE_NOMEM:
    return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory; nothing was stored.");
  default:
    return false;
  }
}

struct crv_q crv_q_open(struct crv_db *db, enum crv_set set, unsigned id) {
  struct crv_q q = {.db = db, .set = set, .id = id};
  q.st = id < CRV_SET_ROOM ? db->st[set][id] : NULL;
  db->live++;
  if (!q.st) {
    q.why = "the connection has no such statement";
  } else if (sqlite3_stmt_busy(q.st)) {
    q.why = "the statement is running already";
    q.st = NULL;
  } else {
    int n = sqlite3_bind_parameter_count(q.st);
    q.unbound = n >= 64 ? UINT64_MAX : (UINT64_C(1) << n) - 1;
  }
  return q;
}

static bool broken(const struct crv_q *q) {
  return q->why || q->rc != SQLITE_OK;
}

static void bound(struct crv_q *q, int i, int rc) {
  if (rc != SQLITE_OK)
    q->rc = rc;
  else
    q->unbound &= ~(UINT64_C(1) << (i - 1));
}

void crv_q_int(struct crv_q *q, int i, int64_t v) {
  if (!broken(q)) bound(q, i, sqlite3_bind_int64(q->st, i, v));
}

void crv_q_bool(struct crv_q *q, int i, bool v) {
  crv_q_int(q, i, v ? 1 : 0);
}

void crv_q_null(struct crv_q *q, int i) {
  if (!broken(q)) bound(q, i, sqlite3_bind_null(q->st, i));
}

void crv_q_opt(struct crv_q *q, int i, struct crv_opt_int v) {
  if (v.set)
    crv_q_int(q, i, v.v);
  else
    crv_q_null(q, i);
}

void crv_q_text(struct crv_q *q, int i, const char *s) {
  crv_q_text_n(q, i, s, s ? strlen(s) : 0);
}

void crv_q_text_n(struct crv_q *q, int i, const char *s, size_t len) {
  if (!s) {
    crv_q_null(q, i);
  } else if (!broken(q) && !crv_utf8_ok(s, len)) {
    q->why = "a text is not UTF-8 without NUL";
  } else if (!broken(q)) {
    bound(q, i, sqlite3_bind_text64(q->st, i, s, len, SQLITE_STATIC, SQLITE_UTF8));
  }
}

void crv_q_blob(struct crv_q *q, int i, const void *p, size_t len) {
  if (!p)
    crv_q_null(q, i);
  else if (!broken(q))
    bound(q, i, sqlite3_bind_blob64(q->st, i, p, len, SQLITE_STATIC));
}

bool crv_q_row(struct crv_q *q) {
  if (!broken(q) && !q->stepped && q->unbound) q->why = "a parameter is not bound";
  if (broken(q) || q->ended) return false;
  q->stepped = true;
  int rc = sqlite3_step(q->st);
  if (rc == SQLITE_ROW) return true;
  if (rc == SQLITE_DONE)
    q->ended = true;
  else
    q->rc = rc;
  return false;
}

static bool of_type(struct crv_q *q, int col, int type) {
  if (broken(q)) return false;
  int is = sqlite3_column_type(q->st, col);
  if (is == SQLITE_NULL) return false;
  if (is != type) q->why = "a column has another type";
  return is == type;
}

int64_t crv_q_get_int(struct crv_q *q, int col) {
  if (of_type(q, col, SQLITE_INTEGER)) return sqlite3_column_int64(q->st, col);
  if (!broken(q)) q->why = "a number is missing";
  return 0;
}

bool crv_q_get_bool(struct crv_q *q, int col) {
  int64_t v = crv_q_get_int(q, col);
  if (!broken(q) && v != 0 && v != 1) q->why = "a truth value is neither 0 nor 1";
  return v == 1;
}

struct crv_opt_int crv_q_get_opt(struct crv_q *q, int col) {
  struct crv_opt_int v = {0};
  if (of_type(q, col, SQLITE_INTEGER))
    v = (struct crv_opt_int){.v = sqlite3_column_int64(q->st, col), .set = true};
  return v;
}

const char *crv_q_get_text(struct crv_q *q, int col, size_t *len) {
  if (len) *len = 0;
  if (!of_type(q, col, SQLITE_TEXT)) return NULL;
  const char *s = (const char *)sqlite3_column_text(q->st, col);
  if (!s)
    q->rc = SQLITE_NOMEM;
  else if (len)
    *len = (size_t)sqlite3_column_bytes(q->st, col);
  return s;
}

const void *crv_q_get_blob(struct crv_q *q, int col, size_t *len) {
  if (len) *len = 0;
  if (!of_type(q, col, SQLITE_BLOB)) return NULL;
  int n = sqlite3_column_bytes(q->st, col);
  const void *p = sqlite3_column_blob(q->st, col);
  if (len) *len = (size_t)n;
  if (!p && n > 0) q->rc = SQLITE_NOMEM;
  return n == 0 ? "" : p;
}

static const char *keep(struct crv_q *q, const char *p, size_t len, struct crv_arena *a) {
  if (!p || !a) return p;
  const char *copy = crv_arena_strndup(a, p, len);
  if (!copy) q->why = arena_full;
  return copy;
}

const char *crv_q_dup_text(struct crv_q *q, int col, struct crv_arena *a, size_t *len) {
  size_t n;
  const char *s = crv_q_get_text(q, col, &n);
  if (len) *len = n;
  return keep(q, s, n, a);
}

const void *crv_q_dup_blob(struct crv_q *q, int col, struct crv_arena *a, size_t *len) {
  size_t n;
  const void *p = crv_q_get_blob(q, col, &n);
  if (len) *len = n;
  return keep(q, p, n, a);
}

/* rc is the first error; sqlite3_reset would repeat it. The message is read before the reset. */
static bool failed(struct crv_q *q, struct crv_err *err) {
  char what[64];
  snprintf(what, sizeof what, "%s/%u", sets[q->set]->name, q->id);
  if (q->rc != SQLITE_OK) return crv_db_fail(q->db, q->rc, what, err);
  if (q->why == arena_full)
    return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  return crv_bug(err, "%s: %s", what, q->why);
}

bool crv_q_end(struct crv_q *q, struct crv_err *err) {
  bool ok = !broken(q);
  if (!ok && q->db) failed(q, err);
  crv_q_done(q);
  return ok;
}

bool crv_q_run(struct crv_q *q, struct crv_err *err) {
  while (crv_q_row(q)) continue;
  return crv_q_end(q, err);
}

int crv_db_control(struct crv_db *db, enum crv_set set, unsigned id) {
  sqlite3_stmt *st = db->st[set][id];
  int rc = sqlite3_step(st);
  sqlite3_reset(st);
  if (rc == SQLITE_DONE) return SQLITE_OK;
  note(db, rc);
  return rc;
}

void crv_q_done(struct crv_q *q) {
  if (!q->db) return;
  q->db->live--;
  q->db = NULL;
  if (!q->st) return;
  sqlite3_reset(q->st);
  sqlite3_clear_bindings(q->st);
}
