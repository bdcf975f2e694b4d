/* Tokens and Idempotency-Keys in the store. */
#include <stdio.h>
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

/* -- tokens -------------------------------------------------------------------------------- */

struct token_ctx {
  int64_t id;
  struct crv_token_row t;
  unsigned n;
};
static bool token_fn(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct token_ctx *c = ctx;
  return crv_rd_token(tx, c->id, p.arena, &c->t, err);
}
static bool count_token(const struct crv_token_row *t, void *ctx, struct crv_err *err) {
  struct token_ctx *c = ctx;
  (void)err;
  ck_assert_int_gt(t->id, c->id);
  c->id = t->id;
  c->n++;
  return true;
}
static bool tokens_fn(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  return crv_rd_tokens(tx, count_token, ctx, err);
}
static bool revoke_fn(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  return crv_tx_token_revoke(tx, *(int64_t *)ctx, err);
}
static bool read_token(struct token_ctx *c) {
  crv_err_init(p.err);
  return crv_store_read(p.store, token_fn, c, p.err);
}

START_TEST(tokens_are_kept_listed_and_revoked) {
  struct token_ctx c = {.id = st_token(&p, "ana")};
  int64_t none = 99, ana = c.id;
  st_token(&p, "rui");
  ck_assert(read_token(&c));
  ck_assert_str_eq(c.t.name, "ana");
  ck_assert_str_eq(c.t.role, "ci");
  ck_assert_uint_eq(strlen(c.t.hash), 64);
  ck_assert(!c.t.revoked_at.set && !c.t.expires_at.set && !c.t.last_used_at.set);
  ck_assert(crv_store_write(p.store, revoke_fn, &ana, p.err));
  p.now += 1000;
  ck_assert(crv_store_write(p.store, revoke_fn, &ana, p.err));
  ck_assert(read_token(&c));
  ck_assert(c.t.revoked_at.set);
  ck_assert_int_eq(c.t.revoked_at.v, p.now - 1000);
  ck_assert(!crv_store_write(p.store, revoke_fn, &none, p.err));
  ck_assert_int_eq(p.err->code, CRV_NOT_FOUND);
  c = (struct token_ctx){0};
  ck_assert(crv_store_read(p.store, tokens_fn, &c, p.err));
  ck_assert_uint_eq(c.n, 2);
}
END_TEST

START_TEST(last_use_is_written_in_a_batch) {
  struct token_ctx c = {.id = st_token(&p, "ana")};
  crv_store_token_used(p.store, c.id, 500);
  crv_store_token_used(p.store, c.id, 700);
  crv_store_token_used(p.store, c.id, 600);
  crv_store_token_used(p.store, 12345, 600);
  st_close(&p);
  st_open(&p);
  ck_assert(read_token(&c));
  ck_assert(c.t.last_used_at.set);
  ck_assert_int_eq(c.t.last_used_at.v, 700);
}
END_TEST

/* -- idempotency --------------------------------------------------------------------------- */

static const char print_a[] = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa";
static const char print_b[] = "bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb";

static struct crv_idem idem(int64_t token, const char *print) {
  return (struct crv_idem){.token_id = token,
                           .scope = "POST /v1/decisions",
                           .key = "job-1",
                           .fingerprint = print,
                           .status = 201,
                           .content_type = "application/json",
                           .location = "/v1/decisions/1",
                           .body = "{\"n\":\0}",
                           .body_len = 7,
                           .created_at = p.now};
}

static bool idem_put_fn(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  return crv_tx_idem_put(tx, ctx, err);
}
struct idem_ctx {
  struct crv_idem want, got;
};
static bool idem_fn(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct idem_ctx *c = ctx;
  return crv_rd_idem(tx, &c->want, p.now, p.arena, &c->got, err);
}
static bool idem_read(struct idem_ctx *c) {
  crv_err_init(p.err);
  return crv_store_read(p.store, idem_fn, c, p.err);
}
static bool idem_write(struct crv_idem *i) {
  crv_err_init(p.err);
  return crv_store_write(p.store, idem_put_fn, i, p.err);
}

START_TEST(an_answer_is_remembered_for_seven_days) {
  int64_t token = st_token(&p, "ana");
  struct crv_idem i = idem(token, print_a);
  struct idem_ctx c = {.want = i};
  ck_assert(!idem_read(&c));
  ck_assert_int_eq(p.err->code, CRV_NOT_FOUND);
  ck_assert_msg(idem_write(&i), "%s", p.err->log);
  ck_assert(idem_read(&c));
  ck_assert_int_eq(c.got.status, 201);
  ck_assert_str_eq(c.got.content_type, "application/json");
  ck_assert_str_eq(c.got.location, "/v1/decisions/1");
  ck_assert_uint_eq(c.got.body_len, 7);
  ck_assert_mem_eq(c.got.body, "{\"n\":\0}", 7);
  c.want.fingerprint = print_b;
  ck_assert(!idem_read(&c));
  ck_assert_int_eq(p.err->code, CRV_IDEMPOTENCY_MISMATCH);
  ck_assert(!idem_write(&i));
  ck_assert_int_eq(p.err->code, CRV_CONFLICT);
  p.now += 7 * CRV_DAY_MS - 1;
  c.want.fingerprint = print_a;
  ck_assert(idem_read(&c));
  p.now += 1;
  ck_assert(!idem_read(&c));
  ck_assert_int_eq(p.err->code, CRV_NOT_FOUND);
  i = idem(token, print_b);
  ck_assert(idem_write(&i));
}
END_TEST

START_TEST(keys_are_kept_apart_by_token_and_scope) {
  struct crv_idem i = idem(st_token(&p, "ana"), print_a);
  struct idem_ctx c = {.want = idem(st_token(&p, "rui"), print_a)};
  ck_assert(idem_write(&i));
  ck_assert(!idem_read(&c));
  ck_assert_int_eq(p.err->code, CRV_NOT_FOUND);
  c.want = i;
  c.want.scope = "POST /v1/imports";
  ck_assert(!idem_read(&c));
  ck_assert_int_eq(p.err->code, CRV_NOT_FOUND);
}
END_TEST

static void wait_for_no_rows(sqlite3 *h) {
  for (int i = 0; i < 2000 && st_number(h, "SELECT count(*) FROM idempotency"); i++) usleep(5000);
}

START_TEST(old_answers_are_purged) {
  int64_t token = st_token(&p, "ana");
  char keys[500][16];
  for (int i = 0; i < 500; i++) {
    struct crv_idem one = idem(token, print_a);
    snprintf(keys[i], sizeof keys[i], "job-%d", i);
    one.key = keys[i];
    ck_assert(idem_write(&one));
  }
  sqlite3 *h = st_raw(&p);
  ck_assert_int_eq(st_number(h, "SELECT count(*) FROM idempotency"), 500);
  __atomic_store_n(&p.now, p.now + 8 * CRV_DAY_MS, __ATOMIC_RELAXED);
  wait_for_no_rows(h);
  ck_assert_int_eq(st_number(h, "SELECT count(*) FROM idempotency"), 0);
  sqlite3_close(h);
}
END_TEST

START_TEST(a_running_key_is_in_progress) {
  struct crv_idem i = idem(1, print_a), other = idem(2, print_a);
  crv_err_init(p.err);
  ck_assert(crv_store_idem_begin(p.store, &i, p.err));
  ck_assert(!crv_store_idem_begin(p.store, &i, p.err));
  ck_assert_int_eq(p.err->code, CRV_IN_PROGRESS);
  ck_assert(crv_store_idem_begin(p.store, &other, p.err));
  crv_store_idem_end(p.store, &i);
  crv_store_idem_end(p.store, &i);
  ck_assert(crv_store_idem_begin(p.store, &i, p.err));
}
END_TEST

static void add(TCase *tc) {
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, tokens_are_kept_listed_and_revoked);
  tcase_add_test(tc, last_use_is_written_in_a_batch);
  tcase_add_test(tc, an_answer_is_remembered_for_seven_days);
  tcase_add_test(tc, keys_are_kept_apart_by_token_and_scope);
  tcase_add_test(tc, old_answers_are_purged);
  tcase_add_test(tc, a_running_key_is_in_progress);
}

int main(void) {
  return st_main("idem", add, 60);
}
