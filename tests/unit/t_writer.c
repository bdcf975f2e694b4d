/* The writer thread: group commit, savepoints, the queue's bound, stopping, checkpoints. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/unit/storetest.h"

static struct st_place p;
static void setup(void) {
  st_begin(&p);
  st_open(&p);
}
static void teardown(void) {
  st_end(&p);
}

/* A write of one sheet by a thread that has its own arena and err. */
struct client {
  pthread_t thread;
  int number, writes, acked;
  bool spoil; /* every third write fails after it has written */
  struct crv_err *err;
};

struct one {
  struct crv_put put;
  struct crv_arena *arena;
  bool fail;
};

static bool one_fn(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  struct one *o = ctx;
  if (!crv_tx_put(tx, &o->put, o->arena, err)) return false;
  return !o->fail || crv_fail(err, CRV_GATE_NOT_MET, "as asked");
}

static void *client_main(void *arg) {
  struct client *c = arg;
  char key[32], json[64];
  for (int i = 0; i < c->writes; i++) {
    struct crv_arena *a = crv_arena_new(0);
    struct one o = {.arena = a, .fail = c->spoil && i % 3 == 2};
    snprintf(key, sizeof key, "c%d-%d", c->number, i);
    snprintf(json, sizeof json, "{\"client\":%d,\"i\":%d}", c->number, i);
    o.put = (struct crv_put){.agg = CRV_AGG_SHEET,
                             .key = key,
                             .canonical = json,
                             .canonical_len = strlen(json),
                             .raw = json,
                             .raw_len = strlen(json),
                             .who = "client"};
    crv_err_init(c->err);
    bool ok = crv_store_write(p.store, one_fn, &o, c->err);
    if (ok == o.fail || (!ok && c->err->code != CRV_GATE_NOT_MET)) c->acked = -1000000;
    if (ok) c->acked++;
    if (ok && crv_store_position(p.store) < o.put.now.seq) c->acked = -1000000;
    crv_arena_free(a);
  }
  return NULL;
}

enum { CLIENTS = 8, EACH = 60 };

static void run_clients(struct client *c, bool spoil) {
  for (int i = 0; i < CLIENTS; i++) {
    c[i] = (struct client){.number = i, .writes = EACH, .spoil = spoil};
    c[i].err = calloc(1, sizeof *c[i].err);
    ck_assert_ptr_nonnull(c[i].err);
    ck_assert_int_eq(pthread_create(&c[i].thread, NULL, client_main, &c[i]), 0);
  }
  for (int i = 0; i < CLIENTS; i++) {
    pthread_join(c[i].thread, NULL);
    free(c[i].err);
  }
}

START_TEST(every_acknowledged_write_of_eight_threads_is_there) {
  struct client c[CLIENTS];
  struct crv_ledger_head head;
  struct crv_version v;
  struct crv_store_stats s;
  char key[32];
  bool spoil = _i == 1;
  run_clients(c, spoil);
  int64_t rows = spoil ? CLIENTS * EACH * 2 / 3 : CLIENTS * EACH;
  for (int i = 0; i < CLIENTS; i++) ck_assert_int_eq(c[i].acked, rows / CLIENTS);
  ck_assert_int_eq(crv_store_position(p.store), rows);
  crv_store_stats(p.store, &s);
  ck_assert_int_eq(s.writes, rows);
  ck_assert_int_le(s.commits, s.writes);
  ck_assert_int_eq(s.busy_errors, 0);
  st_close(&p);
  st_open(&p);
  for (int i = 0; i < CLIENTS; i++)
    for (int j = 0; j < EACH; j++) {
      snprintf(key, sizeof key, "c%d-%d", i, j);
      ck_assert_int_eq(st_version(&p, CRV_AGG_SHEET, key, 1, 0, &v), !(spoil && j % 3 == 2));
    }
  ck_assert_msg(st_verify(&p, &head), "%s", p.err->detail);
  ck_assert_int_eq(head.size, rows);
}
END_TEST

/* -- a writer that is held ----------------------------------------------------------------- */

struct gate {
  pthread_mutex_t mu;
  pthread_cond_t cv;
  bool entered, open;
};

static bool gate_fn(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  struct gate *g = ctx;
  (void)tx;
  (void)err;
  pthread_mutex_lock(&g->mu);
  g->entered = true;
  pthread_cond_broadcast(&g->cv);
  while (!g->open) pthread_cond_wait(&g->cv, &g->mu);
  pthread_mutex_unlock(&g->mu);
  return true;
}

static void *hold_main(void *arg) {
  struct crv_err *err = calloc(1, sizeof *err);
  bool ok = err && crv_store_write(p.store, gate_fn, arg, err);
  free(err);
  return ok ? arg : NULL;
}

static void hold(struct gate *g, pthread_t *thread) {
  *g = (struct gate){.mu = PTHREAD_MUTEX_INITIALIZER, .cv = PTHREAD_COND_INITIALIZER};
  ck_assert_int_eq(pthread_create(thread, NULL, hold_main, g), 0);
  pthread_mutex_lock(&g->mu);
  while (!g->entered) pthread_cond_wait(&g->cv, &g->mu);
  pthread_mutex_unlock(&g->mu);
}

static void release(struct gate *g, pthread_t thread) {
  void *ret;
  pthread_mutex_lock(&g->mu);
  g->open = true;
  pthread_cond_broadcast(&g->cv);
  pthread_mutex_unlock(&g->mu);
  pthread_join(thread, &ret);
  ck_assert_ptr_nonnull(ret);
}

static int64_t depth(void) {
  struct crv_store_stats s;
  crv_store_stats(p.store, &s);
  return s.queue_depth;
}

static void wait_depth(int64_t n) {
  while (depth() != n) usleep(1000);
}

/* Jobs that are queued while the writer is held run in one group. */
struct queued {
  pthread_t thread;
  char key[16];
  bool fail, ok;
  struct crv_put put;
  enum crv_code code;
};

static void *queued_main(void *arg) {
  struct queued *q = arg;
  struct crv_err *err = calloc(1, sizeof *err);
  struct crv_arena *a = crv_arena_new(0);
  struct one o = {.put = q->put, .arena = a, .fail = q->fail};
  o.put.key = q->key;
  o.put.who = "q";
  o.put.canonical = o.put.raw = "{}";
  o.put.canonical_len = o.put.raw_len = 2;
  q->ok = crv_store_write(p.store, one_fn, &o, err);
  q->put.outcome = o.put.outcome;
  q->code = err->code;
  crv_arena_free(a);
  free(err);
  return NULL;
}

START_TEST(a_failing_write_takes_nobody_along) {
  struct gate g;
  pthread_t holder;
  struct queued q[6] = {0};
  struct crv_version v;
  struct crv_ledger_head head;
  struct crv_store_stats before, after;
  crv_store_stats(p.store, &before);
  hold(&g, &holder);
  for (int i = 0; i < 6; i++) {
    snprintf(q[i].key, sizeof q[i].key, "k%d", i);
    q[i].put.agg = CRV_AGG_SHEET;
    q[i].fail = i % 2 == 1;
    ck_assert_int_eq(pthread_create(&q[i].thread, NULL, queued_main, &q[i]), 0);
  }
  wait_depth(6);
  release(&g, holder);
  for (int i = 0; i < 6; i++) {
    pthread_join(q[i].thread, NULL);
    ck_assert_int_eq(q[i].ok, i % 2 == 0);
    ck_assert_int_eq(st_version(&p, CRV_AGG_SHEET, q[i].key, 0, 0, &v), q[i].ok);
  }
  crv_store_stats(p.store, &after);
  ck_assert_int_eq(after.commits - before.commits, 1);
  ck_assert_int_eq(after.writes - before.writes, 3);
  ck_assert(st_verify(&p, &head));
  ck_assert_int_eq(head.size, 3);
}
END_TEST

START_TEST(two_writes_with_one_precondition_in_one_group) {
  struct gate g;
  pthread_t holder;
  struct queued q[2] = {0};
  hold(&g, &holder);
  for (int i = 0; i < 2; i++) {
    snprintf(q[i].key, sizeof q[i].key, "k");
    q[i].put = (struct crv_put){.agg = CRV_AGG_SHEET, .if_none_match = "*"};
    ck_assert_int_eq(pthread_create(&q[i].thread, NULL, queued_main, &q[i]), 0);
  }
  wait_depth(2);
  release(&g, holder);
  for (int i = 0; i < 2; i++) pthread_join(q[i].thread, NULL);
  ck_assert_int_eq(q[0].ok + q[1].ok, 1);
  ck_assert_int_eq(q[q[0].ok].code, CRV_PRECONDITION_FAILED);
}
END_TEST

START_TEST(a_full_queue_is_overloaded) {
  struct gate g;
  pthread_t holder;
  struct queued q[2] = {0};
  st_close(&p);
  p.queue = 2;
  st_open(&p);
  hold(&g, &holder);
  for (int i = 0; i < 2; i++) {
    snprintf(q[i].key, sizeof q[i].key, "k%d", i);
    q[i].put.agg = CRV_AGG_SHEET;
    ck_assert_int_eq(pthread_create(&q[i].thread, NULL, queued_main, &q[i]), 0);
  }
  wait_depth(2);
  struct crv_put put = {.agg = CRV_AGG_SHEET, .key = "late", .canonical = "{}"};
  ck_assert(!st_put_as(&p, &put));
  ck_assert_int_eq(p.err->code, CRV_OVERLOADED);
  release(&g, holder);
  for (int i = 0; i < 2; i++) {
    pthread_join(q[i].thread, NULL);
    ck_assert(q[i].ok);
  }
  ck_assert(st_put_as(&p, &put));
}
END_TEST

/* Readers go on, and see nothing that is not committed. */
START_TEST(a_read_sees_no_write_in_progress) {
  struct gate g;
  pthread_t holder;
  struct queued q = {.key = "k", .put = {.agg = CRV_AGG_SHEET}};
  struct crv_version v;
  hold(&g, &holder);
  ck_assert_int_eq(pthread_create(&q.thread, NULL, queued_main, &q), 0);
  wait_depth(1);
  ck_assert(!st_version(&p, CRV_AGG_SHEET, "k", 0, 0, &v));
  release(&g, holder);
  pthread_join(q.thread, NULL);
  ck_assert(st_version(&p, CRV_AGG_SHEET, "k", 0, 0, &v));
}
END_TEST

static bool count_fn(const struct crv_version *v, void *ctx, struct crv_err *err) {
  (void)v;
  (void)err;
  ++*(int *)ctx;
  return true;
}

/* Inside one read nothing moves, whatever is committed meanwhile. */
static bool snapshot_fn(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  int before = 0, after = 0;
  (void)ctx;
  if (!crv_rd_versions_after(tx, CRV_AGG_SHEET, 0, INT64_MAX, count_fn, &before, err)) return false;
  st_put(&p, CRV_AGG_SHEET, "meanwhile", "{}");
  if (!crv_rd_versions_after(tx, CRV_AGG_SHEET, 0, INT64_MAX, count_fn, &after, err)) return false;
  ck_assert_int_eq(before, 1);
  ck_assert_int_eq(after, 1);
  return true;
}

START_TEST(a_read_is_one_snapshot) {
  st_put(&p, CRV_AGG_SHEET, "first", "{}");
  ck_assert(crv_store_read(p.store, snapshot_fn, NULL, p.err));
  ck_assert_int_eq(crv_store_position(p.store), 2);
}
END_TEST

/* What a write reads is what it has written so far. */
static bool own_fn(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  struct crv_put put = {
      .agg = CRV_AGG_SHEET, .key = "own", .canonical = "{}", .canonical_len = 2, .who = "t"};
  struct crv_version v;
  *(int64_t *)ctx = crv_wtx_now(tx);
  return crv_tx_put(tx, &put, p.arena, err) &&
         crv_rd_version(crv_wtx_read(tx), CRV_AGG_SHEET, "own", 0, 0, p.arena, &v, err);
}

START_TEST(a_write_reads_what_it_wrote_and_the_clock_once) {
  int64_t now = 0;
  ck_assert(crv_store_write(p.store, own_fn, &now, p.err));
  ck_assert_int_eq(now, p.now);
}
END_TEST

START_TEST(a_store_that_stops_carries_out_what_is_queued) {
  struct gate g;
  pthread_t holder;
  struct queued q = {.key = "k", .put = {.agg = CRV_AGG_SHEET}};
  struct crv_version v;
  hold(&g, &holder);
  ck_assert_int_eq(pthread_create(&q.thread, NULL, queued_main, &q), 0);
  wait_depth(1);
  release(&g, holder);
  st_close(&p);
  pthread_join(q.thread, NULL);
  ck_assert(q.ok);
  st_open(&p);
  ck_assert(st_version(&p, CRV_AGG_SHEET, "k", 0, 0, &v));
}
END_TEST

/* The log is written back while the store runs, so that it does not grow for ever. */
START_TEST(the_log_is_checkpointed_and_used_again) {
  char *big = malloc(100001);
  struct crv_store_stats s;
  ck_assert_ptr_nonnull(big);
  memset(big, 'x', 100000);
  memcpy(big, "{\"a\":\"", 6);
  memcpy(big + 99998, "\"}", 3);
  for (int i = 0; i < 200; i++) st_put(&p, CRV_AGG_SHEET, "k", big);
  crv_store_stats(p.store, &s);
  ck_assert_int_lt(s.wal_bytes, 10000000);
  ck_assert_int_gt(s.db_bytes, 20000000);
  free(big);
}
END_TEST

static void add(TCase *tc) {
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_loop_test(tc, every_acknowledged_write_of_eight_threads_is_there, 0, 2);
  tcase_add_test(tc, a_failing_write_takes_nobody_along);
  tcase_add_test(tc, two_writes_with_one_precondition_in_one_group);
  tcase_add_test(tc, a_full_queue_is_overloaded);
  tcase_add_test(tc, a_read_sees_no_write_in_progress);
  tcase_add_test(tc, a_read_is_one_snapshot);
  tcase_add_test(tc, a_write_reads_what_it_wrote_and_the_clock_once);
  tcase_add_test(tc, a_store_that_stops_carries_out_what_is_queued);
  tcase_add_test(tc, the_log_is_checkpointed_and_used_again);
}

int main(void) {
  return st_main("writer", add, 120);
}
