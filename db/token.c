/* Access tokens: only the hash of a secret is kept.
   Must not know: how a secret is made or compared. */
#include "db/internal.h"

enum { BY_ID, ALL, INSERT, REVOKE, TOUCH };
#define COLUMNS \
  "SELECT id, name, role, hash, created_at, expires_at, revoked_at, last_used_at FROM token "
static const struct crv_stmt_def stmts[] = {
    {BY_ID, CRV_READ, COLUMNS "WHERE id = ?1"},
    {ALL, CRV_READ, COLUMNS "ORDER BY id"},
    {INSERT, CRV_WRITE,
     "INSERT INTO token (name, role, hash, created_at, expires_at) VALUES (?1, ?2, ?3, ?4, ?5)"},
    {REVOKE, CRV_WRITE, "UPDATE token SET revoked_at = ?2 WHERE id = ?1 AND revoked_at IS NULL"},
    {TOUCH, CRV_WRITE,
     "UPDATE token SET last_used_at = ?2 WHERE id = ?1 "
     "AND (last_used_at IS NULL OR last_used_at < ?2)"},
};
const struct crv_stmt_table crv_token_stmts = {"token", stmts, sizeof stmts / sizeof *stmts};

static void take(struct crv_q *q, struct crv_arena *a, struct crv_token_row *t) {
  t->id = crv_q_get_int(q, 0);
  t->name = crv_q_dup_text(q, 1, a, NULL);
  t->role = crv_q_dup_text(q, 2, a, NULL);
  t->hash = crv_q_dup_text(q, 3, a, NULL);
  t->created_at = crv_q_get_int(q, 4);
  t->expires_at = crv_q_get_opt(q, 5);
  t->revoked_at = crv_q_get_opt(q, 6);
  t->last_used_at = crv_q_get_opt(q, 7);
}

bool crv_rd_token(struct crv_rtx *tx, int64_t id, struct crv_arena *a, struct crv_token_row *ret,
                  struct crv_err *err) {
  _query_ struct crv_q q = crv_q_open(tx->db, CRV_SET_TOKEN, BY_ID);
  crv_q_int(&q, 1, id);
  bool found = crv_q_row(&q);
  if (found) take(&q, a, ret);
  if (!crv_q_end(&q, err)) return false;
  return found || crv_fail(err, CRV_NOT_FOUND, "There is no token %lld.", (long long)id);
}

bool crv_rd_tokens(struct crv_rtx *tx, crv_token_fn *row, void *ctx, struct crv_err *err) {
  struct crv_token_row t;
  _query_ struct crv_q q = crv_q_open(tx->db, CRV_SET_TOKEN, ALL);
  while (crv_q_row(&q)) {
    take(&q, NULL, &t);
    if (q.why || q.rc != SQLITE_OK) break;
    if (!row(&t, ctx, err)) return false;
  }
  return crv_q_end(&q, err);
}

bool crv_tx_token_put(struct crv_wtx *tx, struct crv_token_row *t, struct crv_err *err) {
  _query_ struct crv_q q = crv_q_open(tx->read.db, CRV_SET_TOKEN, INSERT);
  crv_q_text(&q, 1, t->name);
  crv_q_text(&q, 2, t->role);
  crv_q_text(&q, 3, t->hash);
  crv_q_int(&q, 4, t->created_at);
  crv_q_opt(&q, 5, t->expires_at);
  if (!crv_q_run(&q, err)) return false;
  t->id = sqlite3_last_insert_rowid(tx->read.db->h);
  return true;
}

bool crv_tx_token_revoke(struct crv_wtx *tx, int64_t id, struct crv_err *err) {
  struct crv_token_row t;
  if (!crv_rd_token(&tx->read, id, NULL, &t, err)) return false;
  _query_ struct crv_q q = crv_q_open(tx->read.db, CRV_SET_TOKEN, REVOKE);
  crv_q_int(&q, 1, id);
  crv_q_int(&q, 2, tx->now);
  return crv_q_run(&q, err);
}

bool crv_token_touch(struct crv_wtx *tx, int64_t id, int64_t at_ms, struct crv_err *err) {
  _query_ struct crv_q q = crv_q_open(tx->read.db, CRV_SET_TOKEN, TOUCH);
  crv_q_int(&q, 1, id);
  crv_q_int(&q, 2, at_ms);
  return crv_q_run(&q, err);
}

void crv_store_token_used(struct crv_store *st, int64_t id, int64_t at_ms) {
  struct crv_writer *w = &st->writer;
  unsigned i = 0;
  pthread_mutex_lock(&w->mu);
  while (i < w->n_used && w->used[i].id != id) i++;
  if (i == w->n_used && w->n_used < CRV_TOKEN_BATCH) {
    w->n_used++;
    w->used[i].id = id;
    w->used[i].at = at_ms;
  } else if (i < w->n_used && w->used[i].at < at_ms) {
    w->used[i].at = at_ms;
  }
  pthread_mutex_unlock(&w->mu);
}
