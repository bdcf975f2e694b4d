/* A process that writes from eight threads is killed at random points, twenty times: every write
   that it acknowledged is there afterwards, the chain is whole, and it starts clean. */
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/fault/shim.h"
#include "tests/unit/storetest.h"

enum { WRITERS = 8, ROUNDS = 20 };

static struct st_place p;
static void setup(void) {
  st_begin(&p);
}
static void teardown(void) {
  st_end(&p);
}

struct ack { /* written whole: smaller than PIPE_BUF */
  int32_t round, writer, number;
};

struct writer {
  int round, number, out;
};

static struct crv_put numbered(const struct ack *a, char *key, char *json, size_t room) {
  snprintf(key, room, "r%d-w%d-%d", a->round, a->writer, a->number);
  snprintf(json, room, "{\"round\":%d,\"writer\":%d,\"n\":%d}", a->round, a->writer, a->number);
  return (struct crv_put){.agg = CRV_AGG_OFFER,
                          .key = key,
                          .canonical = json,
                          .canonical_len = strlen(json),
                          .raw = json,
                          .raw_len = strlen(json),
                          .who = "writer"};
}

struct pair { /* an offer and a decision that belong together */
  struct crv_put put;
  struct crv_decision_row d;
  struct crv_arena *arena;
};

static bool pair_fn(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  struct pair *c = ctx;
  return crv_tx_put(tx, &c->put, c->arena, err) && crv_tx_decision_put(tx, &c->d, c->arena, err);
}

/* Writes and acknowledges until it is killed. */
static void *write_for_ever(void *arg) {
  struct writer *w = arg;
  struct crv_err *err = calloc(1, sizeof *err);
  char key[64], json[64];
  struct ack a = {.round = w->round, .writer = w->number};
  for (;; a.number++) {
    struct crv_arena *arena = crv_arena_new(0);
    struct pair c = {.put = numbered(&a, key, json, sizeof key),
                     .d = st_decision(NULL, 0, json),
                     .arena = arena};
    c.d.headline = key;
    if (!crv_store_write(p.store, pair_fn, &c, err)) _exit(71);
    if (write(w->out, &a, sizeof a) != sizeof a) _exit(72);
    crv_arena_free(arena);
  }
  return NULL;
}

static void child(int round, int out, int kill_at) {
  struct writer w[WRITERS];
  pthread_t t;
  if (kill_at) shim_install();
  if (st_try_open(&p) != 0) _exit(73);
  shim_kill_at_write(kill_at);
  for (int i = 0; i < WRITERS; i++) {
    w[i] = (struct writer){round, i, out};
    if (pthread_create(&t, NULL, write_for_ever, &w[i]) != 0) _exit(74);
  }
  for (;;) pause();
}

/* Reads what comes until the pipe is closed; kills the child once `most` have come (0: it kills
   itself). Returns how many were acknowledged. */
static size_t follow(int in, pid_t pid, size_t most, struct ack *acks, size_t room) {
  size_t n = 0;
  bool killed = false;
  while (n < room) {
    ssize_t got = read(in, &acks[n], sizeof *acks);
    if (got < 0 && errno == EINTR) continue;
    if (got != (ssize_t)sizeof *acks) break;
    n++;
    if (most && n >= most && !killed) {
      killed = true;
      ck_assert_int_eq(kill(pid, SIGKILL), 0);
    }
  }
  return n;
}

static bool newest_number(const struct crv_decision_row *d, void *ctx, struct crv_err *err) {
  (void)err;
  *(int64_t *)ctx = d->number;
  return true;
}

/* Each write made an offer and a decision: never one without the other, and no number left out. */
static bool pairs_fn(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  int64_t newest = 0, total = 0;
  (void)ctx;
  if (!crv_rd_decisions(tx, 0, 0, NULL, NULL, 1, &total, newest_number, &newest, err)) return false;
  ck_assert_int_eq(newest, total);
  struct crv_ledger_head head;
  if (!crv_rd_ledger_head(tx, &head, err)) return false;
  ck_assert_int_eq(head.size, 2 * total);
  return true;
}

static void check(const struct ack *acks, size_t n) {
  char key[64], json[64];
  struct crv_version v;
  struct crv_ledger_head head;
  st_open(&p);
  for (size_t i = 0; i < n; i++) {
    numbered(&acks[i], key, json, sizeof key);
    ck_assert_msg(st_version(&p, CRV_AGG_OFFER, key, 1, 0, &v), "lost: %s", key);
    ck_assert_str_eq(v.canonical, json);
  }
  ck_assert_msg(st_verify(&p, &head), "%s", p.err->detail);
  ck_assert_int_eq(head.size, crv_store_position(p.store));
  ck_assert(crv_store_read(p.store, pairs_fn, NULL, p.err));
  st_close(&p);
}

static size_t round_of(int round, size_t most, int kill_at, struct ack *acks, size_t room) {
  int fd[2], status;
  ck_assert_int_eq(pipe(fd), 0);
  pid_t pid = fork();
  if (pid == 0) {
    close(fd[0]);
    child(round, fd[1], kill_at);
  }
  close(fd[1]);
  size_t n = follow(fd[0], pid, most, acks, room);
  close(fd[0]);
  ck_assert_int_eq(waitpid(pid, &status, 0), pid);
  ck_assert_msg(WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL, "the child ended by itself: %d",
                WIFEXITED(status) ? WEXITSTATUS(status) : -1);
  return n;
}

static unsigned next_random(unsigned *state) {
  *state = *state * 1103515245U + 12345U;
  return *state >> 8;
}

enum { ROOM = 100000 };

START_TEST(every_acknowledged_write_survives_kill_9) {
  struct ack *acks = calloc(ROOM, sizeof *acks);
  unsigned random = (unsigned)getpid();
  size_t n = 0;
  ck_assert_ptr_nonnull(acks);
  for (int round = 0; round < ROUNDS; round++) {
    size_t most = 1 + next_random(&random) % 300;
    n += round_of(round, most, 0, acks + n, ROOM - n);
    check(acks, n);
  }
  ck_assert_uint_gt(n, ROUNDS);
  free(acks);
}
END_TEST

/* The kill comes in the middle of a write to the log: a torn frame. */
START_TEST(a_torn_write_to_the_log_loses_nothing_acknowledged) {
  struct ack *acks = calloc(ROOM, sizeof *acks);
  unsigned random = (unsigned)getpid();
  size_t n = 0;
  ck_assert_ptr_nonnull(acks);
  for (int round = 0; round < ROUNDS; round++) {
    int kill_at = 1 + (int)(next_random(&random) % 400);
    n += round_of(round, 0, kill_at, acks + n, ROOM - n);
    check(acks, n);
  }
  free(acks);
}
END_TEST

static void add(TCase *tc) {
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, every_acknowledged_write_survives_kill_9);
  tcase_add_test(tc, a_torn_write_to_the_log_loses_nothing_acknowledged);
}

int main(void) {
  return st_main("kill", add, 300);
}
