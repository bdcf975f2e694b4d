/* What the writer does between groups: every checkpoint (no other connection may make one), the
   batch of "token last used", old idempotency rows, the probe of a read-only store.
   Must not know: threads, requests. */
#include "db/conn.h"
#include "db/internal.h"

enum { CHECKPOINT_PAGES = 1000, FLUSH_EVERY_MS = 5000, PURGE_EVERY_MS = 3600 * 1000 };

/* -- checkpoints --------------------------------------------------------------------------- */

static void checkpoint(struct crv_store *st, int mode) {
  struct crv_writer *w = &st->writer;
  int in_log = -1, done = -1;
  int rc = sqlite3_wal_checkpoint_v2(w->db.h, NULL, mode, &in_log, &done);
  w->wal_tried = w->wal_pages;
  w->wal_dirty = rc != SQLITE_OK || done < in_log;
}

/* A reader may hold pages back: the next try comes a thousand pages later, or when it is quiet. */
static void checkpoint_when_due(struct crv_store *st, bool idle) {
  struct crv_writer *w = &st->writer;
  if (w->wal_pages < w->wal_tried) w->wal_tried = 0;
  if (w->wal_pages - w->wal_tried >= CHECKPOINT_PAGES || (idle && w->wal_dirty))
    checkpoint(st, SQLITE_CHECKPOINT_PASSIVE);
}

/* -- token batch --------------------------------------------------------------------------- */

struct batch {
  int64_t id[CRV_TOKEN_BATCH], at[CRV_TOKEN_BATCH];
  unsigned n;
};

static void take_batch(struct crv_writer *w, struct batch *b) {
  pthread_mutex_lock(&w->mu);
  b->n = w->n_used;
  for (unsigned i = 0; i < b->n; i++) {
    b->id[i] = w->used[i].id;
    b->at[i] = w->used[i].at;
  }
  w->n_used = 0;
  pthread_mutex_unlock(&w->mu);
}

static bool touch_all(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  const struct batch *b = ctx;
  for (unsigned i = 0; i < b->n; i++)
    if (!crv_token_touch(tx, b->id[i], b->at[i], err)) return false;
  return true;
}

static void flush_tokens(struct crv_store *st) {
  struct batch b;
  st->writer.flushed_at = crv_mono_ms();
  if (st->why) return;
  take_batch(&st->writer, &b);
  if (b.n) crv_group_own(st, touch_all, &b);
}

/* -- old idempotency rows ------------------------------------------------------------------ */

struct purge {
  int64_t now;
  bool more;
};

static bool purge_some(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  struct purge *p = ctx;
  return crv_idem_purge(tx, p->now, &p->more, err);
}

static void purge_when_due(struct crv_store *st) {
  struct crv_writer *w = &st->writer;
  struct purge p = {.now = st->clock_ms(st->clock_ctx)};
  if (w->purged_at && p.now - w->purged_at < PURGE_EVERY_MS) return;
  if (crv_group_own(st, purge_some, &p) && !p.more) w->purged_at = p.now;
}

void crv_maint(struct crv_store *st, bool idle) {
  if (st->why && idle) crv_group_probe(st);
  if (idle || crv_mono_ms() - st->writer.flushed_at >= FLUSH_EVERY_MS) {
    flush_tokens(st);
    purge_when_due(st);
  }
  checkpoint_when_due(st, idle);
}

void crv_maint_last(struct crv_store *st) {
  flush_tokens(st);
  if (!st->why) crv_conn_optimize(&st->writer.db);
}
