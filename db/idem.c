/* Idempotency-Keys: the remembered answers, and the keys of requests that are running now.
   Must not know: requests, answers (it keeps their bytes). */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "db/internal.h"

enum { BY_KEY, FORGET, INSERT, OLD, PURGE };
static const struct crv_stmt_def stmts[] = {
    {BY_KEY, CRV_READ,
     "SELECT fingerprint, status, content_type, location, body, created_at FROM idempotency "
     "WHERE token_id = ?1 AND scope = ?2 AND key = ?3 AND created_at > ?4"},
    {FORGET, CRV_WRITE,
     "DELETE FROM idempotency WHERE token_id = ?1 AND scope = ?2 AND key = ?3 AND created_at <= "
     "?4"},
    {INSERT, CRV_WRITE,
     "INSERT INTO idempotency (token_id, scope, key, fingerprint, status, content_type, location, "
     "body, created_at) VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)"},
    {OLD, CRV_READ, "SELECT 1 FROM idempotency WHERE created_at <= ?1 LIMIT 1"},
    {PURGE, CRV_WRITE,
     "DELETE FROM idempotency WHERE rowid IN "
     "(SELECT rowid FROM idempotency WHERE created_at <= ?1 ORDER BY created_at LIMIT 200)"},
};
const struct crv_stmt_table crv_idem_stmts = {"idempotency", stmts, sizeof stmts / sizeof *stmts};

enum { KEPT_DAYS = 7 };

static bool take(struct crv_q *q, struct crv_arena *a, struct crv_idem *ret) {
  ret->fingerprint = crv_q_dup_text(q, 0, a, NULL);
  ret->status = (int)crv_q_get_int(q, 1);
  ret->content_type = crv_q_dup_text(q, 2, a, NULL);
  ret->location = crv_q_dup_text(q, 3, a, NULL);
  ret->body = crv_q_dup_blob(q, 4, a, &ret->body_len);
  ret->created_at = crv_q_get_int(q, 5);
  return true;
}

bool crv_rd_idem(struct crv_rtx *tx, const struct crv_idem *want, int64_t now_ms,
                 struct crv_arena *a, struct crv_idem *ret, struct crv_err *err) {
  _query_ struct crv_q q = crv_q_open(tx->db, CRV_SET_IDEM, BY_KEY);
  crv_q_int(&q, 1, want->token_id);
  crv_q_text(&q, 2, want->scope);
  crv_q_text(&q, 3, want->key);
  crv_q_int(&q, 4, now_ms - KEPT_DAYS * CRV_DAY_MS);
  *ret = *want;
  bool found = crv_q_row(&q) && take(&q, a, ret);
  if (!crv_q_end(&q, err)) return false;
  if (!found) return crv_fail(err, CRV_NOT_FOUND, "The Idempotency-Key is new.");
  return crv_streq(ret->fingerprint, want->fingerprint) ||
         crv_fail(err, CRV_IDEMPOTENCY_MISMATCH,
                  "This Idempotency-Key was used with another body.");
}

static bool forget_old(struct crv_wtx *tx, const struct crv_idem *i, struct crv_err *err) {
  _query_ struct crv_q q = crv_q_open(tx->read.db, CRV_SET_IDEM, FORGET);
  crv_q_int(&q, 1, i->token_id);
  crv_q_text(&q, 2, i->scope);
  crv_q_text(&q, 3, i->key);
  crv_q_int(&q, 4, i->created_at - KEPT_DAYS * CRV_DAY_MS);
  return crv_q_run(&q, err);
}

bool crv_tx_idem_put(struct crv_wtx *tx, const struct crv_idem *i, struct crv_err *err) {
  if (!forget_old(tx, i, err)) return false;
  _query_ struct crv_q q = crv_q_open(tx->read.db, CRV_SET_IDEM, INSERT);
  crv_q_int(&q, 1, i->token_id);
  crv_q_text(&q, 2, i->scope);
  crv_q_text(&q, 3, i->key);
  crv_q_text(&q, 4, i->fingerprint);
  crv_q_int(&q, 5, i->status);
  crv_q_text(&q, 6, i->content_type);
  crv_q_text(&q, 7, i->location);
  crv_q_blob(&q, 8, i->body ? i->body : "", i->body ? i->body_len : 0);
  crv_q_int(&q, 9, i->created_at);
  while (crv_q_row(&q)) continue;
  bool taken = q.rc == SQLITE_CONSTRAINT_PRIMARYKEY;
  if (crv_q_end(&q, err)) return true;
  return taken ? crv_fail(err, CRV_CONFLICT, "This Idempotency-Key has an answer already.") : false;
}

bool crv_idem_purge(struct crv_wtx *tx, int64_t before_ms, bool *ret_more, struct crv_err *err) {
  _query_ struct crv_q q = crv_q_open(tx->read.db, CRV_SET_IDEM, PURGE);
  crv_q_int(&q, 1, before_ms - KEPT_DAYS * CRV_DAY_MS);
  if (!crv_q_run(&q, err)) return false;
  _query_ struct crv_q old = crv_q_open(tx->read.db, CRV_SET_IDEM, OLD);
  crv_q_int(&old, 1, before_ms - KEPT_DAYS * CRV_DAY_MS);
  *ret_more = crv_q_row(&old);
  return crv_q_end(&old, err);
}

/* -- in flight, in memory ------------------------------------------------------------------ */

struct crv_flight {
  struct crv_flight *next;
  int64_t token_id;
  char *key; /* both in texts */
  char *scope;
  char texts[]; /* scope NUL key NUL */
};

static struct crv_flight **find(struct crv_store *st, const struct crv_idem *i) {
  struct crv_flight **at = &st->flight;
  while (*at && !((*at)->token_id == i->token_id && strcmp((*at)->key, i->key) == 0 &&
                  strcmp((*at)->scope, i->scope) == 0))
    at = &(*at)->next;
  return at;
}

static struct crv_flight *flight_new(const struct crv_idem *i) {
  size_t scope = strlen(i->scope) + 1, key = strlen(i->key) + 1;
  struct crv_flight *f = malloc(sizeof *f + scope + key);
  if (!f) return NULL;
  f->next = NULL;
  f->token_id = i->token_id;
  f->scope = f->texts;
  f->key = f->texts + scope;
  memcpy(f->scope, i->scope, scope);
  memcpy(f->key, i->key, key);
  return f;
}

bool crv_store_idem_begin(struct crv_store *st, const struct crv_idem *i, struct crv_err *err) {
  struct crv_flight *f = flight_new(i);
  if (!f) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  pthread_mutex_lock(&st->flight_mu);
  struct crv_flight **at = find(st, i);
  bool taken = *at != NULL;
  if (!taken) *at = f;
  pthread_mutex_unlock(&st->flight_mu);
  if (!taken) return true;
  free(f);
  return crv_fail(err, CRV_IN_PROGRESS, "A request with this Idempotency-Key is still running.");
}

void crv_store_idem_end(struct crv_store *st, const struct crv_idem *i) {
  pthread_mutex_lock(&st->flight_mu);
  struct crv_flight **at = find(st, i), *f = *at;
  if (f) *at = f->next;
  pthread_mutex_unlock(&st->flight_mu);
  free(f);
}

void crv_flight_free(struct crv_store *st) {
  while (st->flight) {
    struct crv_flight *f = st->flight;
    st->flight = f->next;
    free(f);
  }
}
