/* What the tests of the store share. */
#include "tests/unit/storetest.h"

#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DIGIT64 "0123456789abcdef0123456789abcdef0123456789abcdef0123456789abcdef"

void st_begin(struct st_place *p) {
  const char *tmp = getenv("TMPDIR");
  *p = (struct st_place){.now = INT64_C(1790000000000)};
  snprintf(p->dir, sizeof p->dir, "%.200s/crivo-test-XXXXXX", tmp ? tmp : "/tmp");
  ck_assert_ptr_nonnull(mkdtemp(p->dir));
  p->arena = crv_arena_new(0);
  p->err = calloc(1, sizeof *p->err);
  ck_assert_ptr_nonnull(p->arena);
  ck_assert_ptr_nonnull(p->err);
}

static void remove_all(const char *dir) {
  char path[600];
  struct dirent *e;
  DIR *d = opendir(dir);
  while (d && (e = readdir(d))) {
    if (strcmp(e->d_name, ".") == 0 || strcmp(e->d_name, "..") == 0) continue;
    snprintf(path, sizeof path, "%.300s/%.255s", dir, e->d_name);
    if (unlink(path) != 0) remove_all(path);
  }
  if (d) closedir(d);
  rmdir(dir);
}

void st_end(struct st_place *p) {
  st_close(p);
  remove_all(p->dir);
  crv_arena_free(p->arena);
  free(p->err);
}

int64_t st_clock(void *place) {
  return __atomic_load_n(&((struct st_place *)place)->now, __ATOMIC_RELAXED);
}

int st_try_open(struct st_place *p) {
  int code = -1;
  struct crv_store_config cfg = {
      .dir = p->dir, .readers = 4, .queue = p->queue, .clock_ms = st_clock, .clock_ctx = p};
  crv_err_init(p->err);
  p->store = crv_store_open(&cfg, &code, p->err);
  ck_assert_int_eq(p->store != NULL, code == 0);
  return code;
}

void st_open(struct st_place *p) {
  int code = st_try_open(p);
  ck_assert_msg(code == 0, "exit %d: %s (%s)", code, p->err->detail, p->err->log);
}

void st_close(struct st_place *p) {
  crv_store_close(p->store);
  p->store = NULL;
}

/* -- writing ------------------------------------------------------------------------------- */

struct put_ctx {
  struct crv_put *put;
  struct crv_arena *arena;
};

static bool put_fn(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  struct put_ctx *c = ctx;
  return crv_tx_put(tx, c->put, c->arena, err);
}

bool st_put_as(struct st_place *p, struct crv_put *put) {
  struct put_ctx c = {put, p->arena};
  if (!put->who) put->who = "tester";
  if (put->agg == CRV_AGG_PIECE && !put->kind) put->kind = "protocol_run";
  if (put->canonical && !put->canonical_len) put->canonical_len = strlen(put->canonical);
  if (!put->raw) {
    put->raw = put->canonical;
    put->raw_len = put->canonical_len;
  }
  crv_err_init(p->err);
  return crv_store_write(p->store, put_fn, &c, p->err);
}

struct crv_version st_put(struct st_place *p, enum crv_aggregate agg, const char *key,
                          const char *canonical) {
  struct crv_put put = {.agg = agg, .key = key, .canonical = canonical};
  ck_assert_msg(st_put_as(p, &put), "%s: %s (%s)", key, p->err->detail, p->err->log);
  return put.now;
}

struct withdraw_ctx {
  enum crv_aggregate agg;
  const char *key;
  struct crv_arena *arena;
};

static bool withdraw_fn(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  struct withdraw_ctx *c = ctx;
  struct crv_version now;
  return crv_tx_withdraw(tx, c->agg, c->key, "tester", NULL, c->arena, &now, err);
}

bool st_withdraw(struct st_place *p, enum crv_aggregate agg, const char *key) {
  struct withdraw_ctx c = {agg, key, p->arena};
  crv_err_init(p->err);
  return crv_store_write(p->store, withdraw_fn, &c, p->err);
}

struct crv_decision_row st_decision(const char *sheet, int64_t revision, const char *result) {
  return (struct crv_decision_row){
      .sheet_name = sheet,
      .sheet_revision = revision,
      .sheet_digest = DIGIT64,
      .sheet_json = sheet ? NULL : "{\"task\":\"inference\"}",
      .question_digest = DIGIT64,
      .question_json = "{\"limit\":20}",
      .as_of = 5,
      .decided_at = 6,
      .holds_until = {7, true},
      .catalogue_position = 3,
      .evidence_position = 1,
      .rules = "1",
      .outcome = "needs_confirmation",
      .headline = "Nothing is proven yet.",
      .n_to_confirm = 2,
      .n_excluded = 1,
      .who = "tester",
      .result = result,
      .result_len = strlen(result),
      .result_digest = DIGIT64,
      .matrix_digest = DIGIT64,
  };
}

struct decide_ctx {
  struct crv_decision_row *d;
  struct crv_arena *arena;
};

static bool decide_fn(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  struct decide_ctx *c = ctx;
  return crv_tx_decision_put(tx, c->d, c->arena, err);
}

bool st_decide(struct st_place *p, struct crv_decision_row *d) {
  struct decide_ctx c = {d, p->arena};
  crv_err_init(p->err);
  return crv_store_write(p->store, decide_fn, &c, p->err);
}

static bool attach_fn(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  return crv_tx_content_put(tx, ctx, "tester", err);
}

bool st_attach(struct st_place *p, const char *key, int64_t version, const char *bytes) {
  char sha[CRV_SHA256_HEX];
  struct crv_content c = {.key = key,
                          .version = version,
                          .sha256 = crv_sha256_hex(bytes, strlen(bytes), sha),
                          .media_type = "text/plain",
                          .bytes = bytes,
                          .len = strlen(bytes)};
  crv_err_init(p->err);
  return crv_store_write(p->store, attach_fn, &c, p->err);
}

static bool token_fn(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  return crv_tx_token_put(tx, ctx, err);
}

int64_t st_token(struct st_place *p, const char *name) {
  char hash[CRV_SHA256_HEX];
  struct crv_token_row t = {.name = name,
                            .role = "ci",
                            .hash = crv_sha256_hex(name, strlen(name), hash),
                            .created_at = st_clock(p)};
  crv_err_init(p->err);
  ck_assert_msg(crv_store_write(p->store, token_fn, &t, p->err), "%s", p->err->log);
  return t.id;
}

void st_fill(struct st_place *p) {
  st_put(p, CRV_AGG_PIECE, "list", "{\"kind\":\"commercial_sheet\"}");
  ck_assert(st_attach(p, "list", 1, "the price list"));
  st_put(p, CRV_AGG_SHEET, "bot", "{\"n\":1}");
  st_put(p, CRV_AGG_SHEET, "bot", "{\"n\":2}");
  struct crv_put put = {.agg = CRV_AGG_OFFER,
                        .key = "card",
                        .canonical = "{\"price\":\"47.14\"}",
                        .source_key = "list",
                        .source_version = 1};
  ck_assert(st_put_as(p, &put));
  ck_assert(st_withdraw(p, CRV_AGG_OFFER, "card"));
  struct crv_decision_row d = st_decision("bot", 2, "{\"retained\":[]}");
  ck_assert_msg(st_decide(p, &d), "%s", p->err->log);
  d = st_decision(NULL, 0, "{\"retained\":[1]}");
  ck_assert(st_decide(p, &d));
  st_put(p, CRV_AGG_PIECE, "run", "{\"kind\":\"protocol_run\"}");
  ck_assert_int_eq(crv_store_position(p->store), ST_FILLED);
}

/* -- reading ------------------------------------------------------------------------------- */

struct version_ctx {
  enum crv_aggregate agg;
  const char *key;
  int64_t version, position;
  struct crv_arena *arena;
  struct crv_version *ret;
};

static bool version_fn(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct version_ctx *c = ctx;
  return crv_rd_version(tx, c->agg, c->key, c->version, c->position, c->arena, c->ret, err);
}

bool st_version(struct st_place *p, enum crv_aggregate agg, const char *key, int64_t version,
                int64_t position, struct crv_version *ret) {
  struct version_ctx c = {agg, key, version, position, p->arena, ret};
  crv_err_init(p->err);
  return crv_store_read(p->store, version_fn, &c, p->err);
}

static bool verify_fn(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  return crv_rd_ledger_verify(tx, ctx, err);
}

bool st_verify(struct st_place *p, struct crv_ledger_head *ret) {
  crv_err_init(p->err);
  return crv_store_read(p->store, verify_fn, ret, p->err);
}

/* -- behind its back ----------------------------------------------------------------------- */

sqlite3 *st_raw(struct st_place *p) {
  char path[300];
  sqlite3 *h;
  snprintf(path, sizeof path, "%s/crivo.db", p->dir);
  ck_assert_int_eq(sqlite3_open_v2(path, &h, SQLITE_OPEN_READWRITE, NULL), SQLITE_OK);
  sqlite3_busy_timeout(h, 5000);
  return h;
}

void st_exec(sqlite3 *h, const char *sql) {
  int rc = sqlite3_exec(h, sql, NULL, NULL, NULL);
  ck_assert_msg(rc == SQLITE_OK, "%s: %s", sql, sqlite3_errmsg(h));
}

int64_t st_number(sqlite3 *h, const char *sql) {
  sqlite3_stmt *st = NULL;
  ck_assert_msg(sqlite3_prepare_v2(h, sql, -1, &st, NULL) == SQLITE_OK, "%s: %s", sql,
                sqlite3_errmsg(h));
  ck_assert_msg(sqlite3_step(st) == SQLITE_ROW, "%s: no row", sql);
  int64_t v = sqlite3_column_int64(st, 0);
  sqlite3_finalize(st);
  return v;
}

int st_main(const char *name, void (*add)(TCase *tc), int timeout_s) {
  Suite *s = suite_create(name);
  TCase *tc = tcase_create(name);
  tcase_set_timeout(tc, timeout_s);
  add(tc);
  suite_add_tcase(s, tc);
  SRunner *sr = srunner_create(s);
  srunner_run_all(sr, CK_ENV);
  int failed = srunner_ntests_failed(sr);
  srunner_free(sr);
  return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
