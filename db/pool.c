/* The read-only connections, leased to one caller at a time, newest returned first so that its page
   cache is warm. A read runs inside one transaction and so sees one snapshot.
   Must not know: what is read. */
#include <errno.h>
#include <stdlib.h>
#include <time.h>

#include "db/conn.h"
#include "db/internal.h"

enum { BEGIN, COMMIT, ROLLBACK };
static const struct crv_stmt_def stmts[] = {
    {BEGIN, CRV_READ, "BEGIN"},
    {COMMIT, CRV_READ, "COMMIT"},
    {ROLLBACK, CRV_READ, "ROLLBACK"},
};
const struct crv_stmt_table crv_pool_stmts = {"pool", stmts, sizeof stmts / sizeof *stmts};

enum { LEASE_WAIT_S = 5 };

bool crv_pool_open(struct crv_pool *p, const char *path, unsigned n, int *ret_rc,
                   struct crv_err *err) {
  p->db = calloc(n, sizeof *p->db);
  p->free = calloc(n, sizeof *p->free);
  *ret_rc = SQLITE_NOMEM;
  if (!p->db || !p->free) return crv_fail(err, CRV_OUT_OF_MEMORY, "out of memory");
  for (unsigned i = 0; i < n; i++) {
    p->n = i + 1;
    if (!crv_conn_open(&p->db[i], path, false, ret_rc, err)) return false;
    *ret_rc = SQLITE_ERROR;
    if (!crv_db_prepare(&p->db[i], err)) return false;
    p->free[p->n_free++] = i;
  }
  return true;
}

void crv_pool_close(struct crv_pool *p) {
  for (unsigned i = 0; i < p->n; i++) crv_db_close(&p->db[i]);
  free(p->db);
  free(p->free);
  p->db = NULL;
  p->free = NULL;
  p->n = p->n_free = 0;
}

int64_t crv_pool_busy(const struct crv_pool *p) {
  int64_t sum = 0;
  for (unsigned i = 0; i < p->n; i++)
    sum += __atomic_load_n(&p->db[i].busy_errors, __ATOMIC_RELAXED);
  return sum;
}

static struct crv_db *lease(struct crv_pool *p) {
  struct timespec until;
  struct crv_db *db = NULL;
  int rc = 0;
  clock_gettime(CLOCK_MONOTONIC, &until);
  until.tv_sec += LEASE_WAIT_S;
  pthread_mutex_lock(&p->mu);
  while (p->n_free == 0 && rc != ETIMEDOUT)
    rc = pthread_cond_timedwait(&p->returned, &p->mu, &until);
  if (p->n_free > 0) db = &p->db[p->free[--p->n_free]];
  pthread_mutex_unlock(&p->mu);
  return db;
}

static void give_back(struct crv_pool *p, struct crv_db *db) {
  pthread_mutex_lock(&p->mu);
  p->free[p->n_free++] = (unsigned)(db - p->db);
  pthread_cond_signal(&p->returned);
  pthread_mutex_unlock(&p->mu);
}

static bool run(struct crv_rtx *tx, crv_read_fn *fn, void *ctx, struct crv_err *err) {
  int rc = crv_db_control(tx->db, CRV_SET_POOL, BEGIN);
  if (rc != SQLITE_OK) return crv_db_fail(tx->db, rc, "begin of a read", err);
  bool ok = fn(tx, ctx, err);
  if (tx->db->live != 0) ok = crv_bug(err, "a read left a query open");
  rc = crv_db_control(tx->db, CRV_SET_POOL, COMMIT);
  if (rc != SQLITE_OK && !sqlite3_get_autocommit(tx->db->h))
    crv_db_control(tx->db, CRV_SET_POOL, ROLLBACK);
  if (!ok) return false;
  return rc == SQLITE_OK || crv_db_fail(tx->db, rc, "end of a read", err);
}

bool crv_store_read(struct crv_store *st, crv_read_fn *fn, void *ctx, struct crv_err *err) {
  struct crv_rtx tx = {.known = crv_store_position(st)};
  tx.db = lease(&st->pool);
  if (!tx.db) return crv_fail(err, CRV_OVERLOADED, "Every read connection is in use.");
  tx.db->fault = SQLITE_OK;
  bool ok = run(&tx, fn, ctx, err);
  give_back(&st->pool, tx.db);
  return ok;
}
