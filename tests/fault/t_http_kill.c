/* Eight clients write over HTTP while crivod is killed with SIGKILL at a random acknowledged write,
   twenty times on one state folder, and ended with SIGTERM: what it acknowledged is there with its
   content, a decision whose answer got lost is not doubled by its retry, numbers have no gaps, the
   chain is whole and the start is clean. CRV_SEED repeats a run's choices. */
#include <check.h>
#include <inttypes.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "tests/http/client.h"

enum { WRITERS = 8, ROUNDS = 20, TERMS = 4, SHARED = 3, LEAST = 8, SPREAD = 80 };

enum what { SHEET, OFFER, PIECE, DECISION, WHATS };
static const struct {
  const char *list, *versions, *number, *mark[2];
} kinds[WHATS] = {
    {"sheets", "revisions", "revision", {"model", "name"}},
    {"offers", "versions", "version", {"supplier_ref", NULL}},
    {"evidence", "versions", "version", {"uri", NULL}},
    {"decisions", "", "decision", {NULL, NULL}},
};

/* One write. Its number within its writer says what it is: every fourth is a decision, every second
   of a kind goes to a key that all writers share, or is a decision that stores its sheet too. */
struct op {
  int round, writer, n;
  bool acked;
  int64_t number; /* version or decision that was acknowledged */
  char *body;     /* of the acknowledged decision */
};

static enum what what_of(const struct op *o) {
  return (enum what)(o->n % WHATS);
}
static bool second(const struct op *o) {
  return o->n / WHATS % 2 != 0;
}

struct writer {
  pthread_t thread;
  struct op *ops;
  size_t n, room;
  int round, number;
  bool fresh;
  int odd; /* a status that no write should get; 0: none */
};

static struct crivod d;
static struct client own; /* of the main thread */
static struct writer writers[WRITERS];
static uint64_t seed;

static struct {
  pthread_mutex_t lock;
  pthread_cond_t more;
  unsigned acked, ended;
} progress = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};

/* -- what is written --------------------------------------------------------------------------- */

enum { ROOM = 1024 };

static void key_of(const struct op *o, char *out, size_t room) {
  if (second(o) && what_of(o) != DECISION)
    snprintf(out, room, "shared-%d", o->n / (2 * WHATS) % SHARED);
  else
    snprintf(out, room, "r%d-w%d-%d", o->round, o->writer, o->n);
}

/* What tells this write's content from every other's. */
static void mark_of(const struct op *o, char *out, size_t room) {
  snprintf(out, room, "https://kill.example/r%d-w%d-%d", o->round, o->writer, o->n);
}

static void sheet_of(const struct op *o, const char *mark, char *out, size_t room) {
  char name[96] = "";
  if (what_of(o) == DECISION && second(o))
    snprintf(name, sizeof name, "\"name\":\"r%d-w%d-%d\",", o->round, o->writer, o->n);
  snprintf(out, room,
           "{%s\"task\":\"inference\",\"model\":{\"name\":\"%s\",\"revision\":\"1\","
           "\"parameters\":7000000000},\"precision\":{\"weights\":\"bf16\"},"
           "\"length\":{\"prompt\":64,\"generated\":64},\"concurrency\":1,"
           "\"campaign\":{\"hours\":24,\"currency\":\"EUR\"}}",
           name, mark);
}

static void body_of(const struct op *o, char *out, size_t room) {
  char mark[128], sheet[ROOM / 2];
  mark_of(o, mark, sizeof mark);
  sheet_of(o, mark, sheet, sizeof sheet);
  switch (what_of(o)) {
  case SHEET:
    snprintf(out, room, "%s", sheet);
    break;
  case OFFER:
    snprintf(out, room,
             "{\"supplier\":\"kill\",\"supplier_ref\":\"%s\",\"region\":\"here\","
             "\"device\":{\"name\":\"RTX 4090\",\"memory_nominal\":\"24 GB\"},"
             "\"lot\":{\"devices\":1},\"price\":{\"amount\":\"0.41\",\"currency\":\"EUR\","
             "\"basis\":\"per_lot\",\"per\":\"hour\"},\"source\":{\"evidence\":\"list@1\"}}",
             mark);
    break;
  case PIECE:
    snprintf(out, room,
             "{\"kind\":\"commercial_sheet\",\"observed_at\":\"2026-11-28T09:00:00Z\","
             "\"uri\":\"%s\",\"scope\":{\"supplier\":\"kill\"},\"result\":{}}",
             mark);
    break;
  default:
    snprintf(out, room, "{\"sheet\":%s,\"offers\":{\"key_prefix\":\"shared\"},\"limit\":1}", sheet);
  }
}

static struct got op_send(struct client *c, const struct op *o) {
  char path[128], key[64], body[ROOM], header[96];
  enum what w = what_of(o);
  body_of(o, body, sizeof body);
  if (w == DECISION) {
    snprintf(header, sizeof header, "Idempotency-Key: r%d-w%d-%d", o->round, o->writer, o->n);
    return client_send(c, "POST", "/v1/decisions", header, body);
  }
  key_of(o, key, sizeof key);
  snprintf(path, sizeof path, "/v1/%s/%s", kinds[w].list, key);
  return client_send(c, "PUT", path, NULL, body);
}

/* -- writers ----------------------------------------------------------------------------------- */

static bool done(const struct got *g) {
  return g->status == 200 || g->status == 201;
}

/* Takes the answer of a write that is done. */
static void acknowledge(struct op *o, struct got *g) {
  json_t *j = got_json(g);
  o->number = json_integer_value(json_object_get(j, kinds[what_of(o)].number));
  o->acked = true;
  if (what_of(o) == DECISION) {
    o->body = g->body;
    g->body = NULL;
  }
  json_decref(j);
}

static struct op *op_add(struct writer *w) {
  if (w->n == w->room) {
    w->room = w->room ? 2 * w->room : 64;
    w->ops = realloc(w->ops, w->room * sizeof *w->ops);
    if (!w->ops) exit(99);
  }
  w->ops[w->n] = (struct op){.round = w->round, .writer = w->number, .n = (int)w->n};
  return &w->ops[w->n++];
}

static void tell(bool acked, bool ended) {
  pthread_mutex_lock(&progress.lock);
  progress.acked += acked;
  progress.ended += ended;
  pthread_cond_signal(&progress.more);
  pthread_mutex_unlock(&progress.lock);
}

/* Writes until a write isn't acknowledged. */
static void *write_on(void *arg) {
  struct writer *w = arg;
  struct client c;
  bool on = true;
  client_open(&c, d.port, d.token);
  c.fresh = w->fresh;
  while (on) {
    struct op *o = op_add(w);
    struct got g = op_send(&c, o);
    on = done(&g);
    if (on) acknowledge(o, &g);
    if (!on && g.status != 0) w->odd = g.status;
    tell(on, !on);
    got_free(&g);
  }
  client_close(&c);
  return NULL;
}

static void writers_start(int round, bool fresh) {
  progress.acked = progress.ended = 0;
  for (int i = 0; i < WRITERS; i++) {
    writers[i] = (struct writer){.round = round, .number = i, .fresh = fresh};
    ck_assert_int_eq(pthread_create(&writers[i].thread, NULL, write_on, &writers[i]), 0);
  }
}

static void wait_for(unsigned acked) {
  pthread_mutex_lock(&progress.lock);
  while (progress.acked < acked && progress.ended < WRITERS)
    pthread_cond_wait(&progress.more, &progress.lock);
  pthread_mutex_unlock(&progress.lock);
}

static void writers_join(void) {
  for (int i = 0; i < WRITERS; i++) pthread_join(writers[i].thread, NULL);
}

/* -- what is there ----------------------------------------------------------------------------- */

static struct { /* over all rounds */
  struct op *ops;
  size_t n;
  int64_t decisions, own, named;
  unsigned lost, replayed;
} all;

static void fail_at(const struct op *o, const char *what, const struct got *g) {
  ck_abort_msg("seed %" PRIu64 ": r%d-w%d-%d, number %" PRId64 ": %s: %d %.600s", seed, o->round,
               o->writer, o->n, o->number, what, g->status, g->len && g->body ? g->body : "");
}

static json_t *read_json(const char *path) {
  struct got g = client_send(&own, "GET", path, NULL, NULL);
  json_t *j = got_json(&g);
  ck_assert_msg(g.status == 200 && j, "seed %" PRIu64 ": %s: %d", seed, path, g.status);
  got_free(&g);
  return j;
}

static int64_t read_int(const char *path, const char *member) {
  json_t *j = read_json(path);
  int64_t n = json_integer_value(json_object_get(j, member));
  json_decref(j);
  return n;
}

static bool has_mark(const struct op *o, const struct got *g) {
  char mark[128];
  enum what w = what_of(o);
  json_t *j = got_json(g);
  const json_t *v = json_object_get(j, kinds[w].mark[0]);
  if (kinds[w].mark[1]) v = json_object_get(v, kinds[w].mark[1]);
  mark_of(o, mark, sizeof mark);
  bool same = v && strcmp(json_string_value(v), mark) == 0;
  json_decref(j);
  return same;
}

/* The acknowledged version with its content; the acknowledged decision to the byte. */
static void check_there(const struct op *o) {
  char path[160], key[64];
  enum what w = what_of(o);
  key_of(o, key, sizeof key);
  if (w == DECISION)
    snprintf(path, sizeof path, "/v1/decisions/%" PRId64, o->number);
  else
    snprintf(path, sizeof path, "/v1/%s/%s/%s/%" PRId64, kinds[w].list, key, kinds[w].versions,
             o->number);
  struct got g = client_send(&own, "GET", path, NULL, NULL);
  if (g.status != 200) fail_at(o, "was acknowledged and is lost", &g);
  if (w != DECISION && !has_mark(o, &g)) fail_at(o, "has another content", &g);
  if (w == DECISION && strcmp(g.body, o->body) != 0) fail_at(o, "reads otherwise", &g);
  if (!second(o) && w != DECISION && o->number != 1) fail_at(o, "was stored twice", &g);
  got_free(&g);
}

/* Sends a write again whose answer got lost; a decision twice, after the offers changed, so that
   nothing but its key can keep it from being made again. */
static void retry(struct op *o) {
  char replayed[16] = "";
  struct got g = op_send(&own, o);
  if (!done(&g)) fail_at(o, "retry", &g);
  all.lost++;
  all.replayed += got_header(&g, "Idempotency-Replayed", replayed, sizeof replayed);
  acknowledge(o, &g);
  got_free(&g);
  if (what_of(o) != DECISION) return;
  g = op_send(&own, o);
  if (g.status != 201 || strcmp(g.body, o->body) != 0) fail_at(o, "second retry", &g);
  got_free(&g);
}

static void touch_offers(int round) {
  struct op o = {.round = round, .writer = WRITERS, .n = OFFER + WHATS};
  struct got g = op_send(&own, &o);
  if (!done(&g)) fail_at(&o, "offer", &g);
  got_free(&g);
}

static void keep(struct op *o) {
  all.ops = realloc(all.ops, (all.n + 1) * sizeof *all.ops);
  if (!all.ops) exit(99);
  all.ops[all.n++] = *o;
  if (what_of(o) == DECISION) all.decisions++;
  if (what_of(o) == DECISION && second(o)) all.named++;
  if (what_of(o) != DECISION && !second(o)) all.own++;
}

static int64_t shared_versions(void) {
  char path[96];
  int64_t sum = 0;
  for (int w = SHEET; w <= PIECE; w++)
    for (int i = 0; i < SHARED; i++) {
      snprintf(path, sizeof path, "/v1/%s/shared-%d", kinds[w].list, i);
      struct got g = client_send(&own, "GET", path, NULL, NULL);
      bool there = g.status == 200;
      got_free(&g);
      if (!there) continue;
      int64_t newest = read_int(path, kinds[w].number);
      snprintf(path, sizeof path, "/v1/%s/shared-%d/%s?limit=1", kinds[w].list, i,
               kinds[w].versions);
      ck_assert_int_eq(read_int(path, "total"), newest);
      sum += newest;
    }
  return sum;
}

/* One ledger row for each record that was asked for, one decision for each question; the newest
   decision's number is their count. */
static void check_counts(void) {
  json_t *j = read_json("/v1/decisions?limit=1");
  json_t *newest = json_array_get(json_object_get(j, "items"), 0);
  ck_assert_int_eq(json_integer_value(json_object_get(j, "total")), all.decisions);
  ck_assert_int_eq(json_integer_value(json_object_get(newest, "decision")), all.decisions);
  json_decref(j);
  ck_assert_int_eq(read_int("/v1/decisions/head", "size"),
                   1 + all.own + all.named + all.decisions + shared_versions());
}

/* Each record that the decision's transaction stored beside it is there too. */
static void check_named(const struct op *o) {
  char path[96];
  if (what_of(o) != DECISION || !second(o)) return;
  snprintf(path, sizeof path, "/v1/sheets/r%d-w%d-%d", o->round, o->writer, o->n);
  ck_assert_int_eq(read_int(path, "revision"), 1);
}

static void check_chain(void) {
  char said[256], want[256];
  json_t *head = read_json("/v1/decisions/head");
  snprintf(want, sizeof want, "The chain is whole: %" JSON_INTEGER_FORMAT " records, digest %s",
           json_integer_value(json_object_get(head, "size")),
           json_string_value(json_object_get(head, "digest")));
  json_decref(head);
  ck_assert_int_eq(crivod_end(&d, SIGTERM), 0);
  ck_assert_int_eq(crivod_verify(&d, said, sizeof said), 0);
  ck_assert_str_eq(said, want);
}

/* -- tests ------------------------------------------------------------------------------------- */

static void own_open(void) {
  if (own.curl) client_close(&own);
  client_open(&own, d.port, d.token);
}

static void setup(void) {
  const char *given = getenv("CRV_SEED");
  seed = given ? strtoull(given, NULL, 10) : (uint64_t)time(NULL);
  client_global();
  crivod_begin(&d);
  own_open();
  struct got g = client_send(&own, "PUT", "/v1/evidence/list", NULL,
                             "{\"kind\":\"commercial_sheet\",\"observed_at\":\"2026-11-28\","
                             "\"scope\":{\"supplier\":\"kill\"},\"result\":{}}");
  ck_assert_int_eq(g.status, 201);
  got_free(&g);
}

static void teardown(void) {
  if (d.pid) crivod_end(&d, SIGKILL);
  crivod_remove(&d);
  for (size_t i = 0; i < all.n; i++) free(all.ops[i].body);
  free(all.ops);
  client_close(&own);
}

/* Every write of the round, with those sent again that have no answer. */
static void settle(int round) {
  touch_offers(round);
  for (int i = 0; i < WRITERS; i++) {
    struct writer *w = &writers[i];
    ck_assert_msg(w->odd == 0, "seed %" PRIu64 ": a write got %d", seed, w->odd);
    for (size_t k = 0; k < w->n; k++) {
      if (!w->ops[k].acked) retry(&w->ops[k]);
      check_there(&w->ops[k]);
      check_named(&w->ops[k]);
      keep(&w->ops[k]);
    }
    free(w->ops);
  }
}

START_TEST(killed_twenty_times) {
  uint64_t state = seed | 1;
  for (int round = 0; round < ROUNDS; round++) {
    writers_start(round, false);
    wait_for(LEAST + (unsigned)(next_random(&state) % SPREAD));
    ck_assert_int_eq(crivod_end(&d, SIGKILL), 128 + SIGKILL);
    writers_join();
    crivod_start(&d);
    own_open();
    settle(round);
    check_counts();
    check_chain();
    crivod_start(&d);
    own_open();
  }
  for (size_t i = 0; i < all.n; i++) check_there(&all.ops[i]);
  ck_assert_uint_ge(all.n, ROUNDS * LEAST);
  printf("%zu writes, %u without an answer, %u of those had been decided\n", all.n, all.lost,
         all.replayed);
}
END_TEST

static void check_absent(const struct op *o) {
  char path[128], key[64], replayed[16];
  struct got g;
  if (what_of(o) == DECISION) {
    g = op_send(&own, o);
    if (got_header(&g, "Idempotency-Replayed", replayed, sizeof replayed))
      fail_at(o, "was decided and not answered", &g);
    got_free(&g);
    return;
  }
  if (second(o)) return; /* of several writers: no one knows whose a version is */
  key_of(o, key, sizeof key);
  snprintf(path, sizeof path, "/v1/%s/%s", kinds[what_of(o)].list, key);
  g = client_send(&own, "GET", path, NULL, NULL);
  if (g.status != 404) fail_at(o, "was stored and not answered", &g);
  got_free(&g);
}

/* A write is acknowledged, or refused because the service stops, or was never taken in. */
START_TEST(terminated_under_load) {
  uint64_t state = seed | 1;
  for (int round = 0; round < TERMS; round++) {
    writers_start(round, round % 2 != 0);
    wait_for(LEAST + (unsigned)(next_random(&state) % SPREAD));
    ck_assert_int_eq(crivod_end(&d, SIGTERM), 0);
    writers_join();
    crivod_start(&d);
    own_open();
    for (int i = 0; i < WRITERS; i++) {
      struct writer *w = &writers[i];
      ck_assert_msg(w->odd == 0 || w->odd == 503, "a write got %d", w->odd);
      for (size_t k = 0; k < w->n; k++)
        w->ops[k].acked ? check_there(&w->ops[k]) : check_absent(&w->ops[k]);
      for (size_t k = 0; k < w->n; k++) free(w->ops[k].body);
      free(w->ops);
    }
  }
  check_chain();
}
END_TEST

int main(void) {
  Suite *s = suite_create("kill over HTTP");
  TCase *tc = tcase_create("kill");
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_set_timeout(tc, 300);
  tcase_add_test(tc, killed_twenty_times);
  tcase_add_test(tc, terminated_under_load);
  suite_add_tcase(s, tc);
  SRunner *sr = srunner_create(s);
  srunner_run_all(sr, CK_NORMAL);
  int failed = srunner_ntests_failed(sr);
  srunner_free(sr);
  return failed ? 1 : 0;
}
