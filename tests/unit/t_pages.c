/* Lists of the store: pages pinned to a position, history, what came after a position. */
#include <stdio.h>
#include <string.h>

#include "tests/unit/storetest.h"

static struct st_place p;
static void setup(void) {
  st_begin(&p);
  st_open(&p);
}
static void teardown(void) {
  st_end(&p);
}

static const enum crv_aggregate all[] = {CRV_AGG_SHEET, CRV_AGG_OFFER, CRV_AGG_PIECE};

struct list {
  struct crv_page page;
  enum crv_aggregate agg;
  int64_t after, upto;
  unsigned n, stop_at;
  char text[4000]; /* "key@version " for each row; '!' before a withdrawn one */
  char last[129];
};

static bool collect(const struct crv_version *v, void *ctx, struct crv_err *err) {
  struct list *l = ctx;
  if (l->stop_at && l->n == l->stop_at) return crv_fail(err, CRV_CONFLICT, "enough");
  size_t len = strlen(l->text);
  snprintf(l->text + len, sizeof l->text - len, "%s%s@%lld ", v->withdrawn ? "!" : "", v->key,
           (long long)v->version);
  snprintf(l->last, sizeof l->last, "%s", v->key);
  ck_assert_int_eq(v->canonical == NULL, v->withdrawn);
  ck_assert_ptr_null(v->raw);
  l->n++;
  return true;
}

static bool page_fn(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct list *l = ctx;
  return crv_rd_page(tx, l->agg, &l->page, collect, l, err);
}
static bool after_fn(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct list *l = ctx;
  return crv_rd_versions_after(tx, l->agg, l->after, l->upto, collect, l, err);
}
static bool history_fn(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct list *l = ctx;
  return crv_rd_history(tx, l->agg, "b", l->after, l->page.limit, collect, l, err);
}

static bool read_list(struct list *l, crv_read_fn *fn) {
  l->n = 0;
  l->text[0] = '\0';
  crv_err_init(p.err);
  return crv_store_read(p.store, fn, l, p.err);
}

static void five(enum crv_aggregate agg) {
  st_put(&p, agg, "b", "{\"n\":1}");
  st_put(&p, agg, "a", "{\"n\":1}");
  st_put(&p, agg, "c.x", "{\"n\":1}");
  st_put(&p, agg, "b", "{\"n\":2}");
  st_put(&p, agg, "c-y", "{\"n\":1}");
}

START_TEST(a_page_is_the_newest_of_each_key_in_order) {
  struct list l = {.agg = all[_i], .page = {.limit = 100}};
  five(all[_i]);
  ck_assert(read_list(&l, page_fn));
  ck_assert_str_eq(l.text, "a@1 b@2 c-y@1 c.x@1 ");
  ck_assert_int_eq(l.page.total, 4);
  l.page = (struct crv_page){.limit = 2, .after_key = "a"};
  ck_assert(read_list(&l, page_fn));
  ck_assert_str_eq(l.text, "b@2 c-y@1 ");
  ck_assert_int_eq(l.page.total, 4);
  l.page = (struct crv_page){.limit = 100, .prefix = "c"};
  ck_assert(read_list(&l, page_fn));
  ck_assert_str_eq(l.text, "c-y@1 c.x@1 ");
  ck_assert_int_eq(l.page.total, 2);
  l.page = (struct crv_page){.limit = 100, .prefix = "c."};
  ck_assert(read_list(&l, page_fn));
  ck_assert_str_eq(l.text, "c.x@1 ");
  l.page = (struct crv_page){.limit = 100, .position = 3};
  ck_assert(read_list(&l, page_fn));
  ck_assert_str_eq(l.text, "a@1 b@1 c.x@1 ");
}
END_TEST

START_TEST(withdrawn_rows_show_only_when_asked) {
  struct list l = {.agg = CRV_AGG_OFFER, .page = {.limit = 100}};
  five(CRV_AGG_OFFER);
  ck_assert(st_withdraw(&p, CRV_AGG_OFFER, "b"));
  ck_assert(read_list(&l, page_fn));
  ck_assert_str_eq(l.text, "a@1 c-y@1 c.x@1 ");
  ck_assert_int_eq(l.page.total, 3);
  l.page = (struct crv_page){.limit = 100, .withdrawn = true};
  ck_assert(read_list(&l, page_fn));
  ck_assert_str_eq(l.text, "a@1 !b@3 c-y@1 c.x@1 ");
  ck_assert_int_eq(l.page.total, 4);
}
END_TEST

START_TEST(pieces_are_listed_by_kind) {
  struct list l = {.agg = CRV_AGG_PIECE, .page = {.limit = 100, .kind = "device_report"}};
  five(CRV_AGG_PIECE);
  struct crv_put put = {
      .agg = CRV_AGG_PIECE, .key = "rep", .canonical = "{}", .kind = "device_report"};
  ck_assert(st_put_as(&p, &put));
  ck_assert(read_list(&l, page_fn));
  ck_assert_str_eq(l.text, "rep@1 ");
  ck_assert_int_eq(l.page.total, 1);
}
END_TEST

START_TEST(pages_are_pinned_while_rows_are_added) {
  char key[32];
  struct list l = {.agg = CRV_AGG_OFFER};
  for (int i = 0; i < 40; i++) {
    snprintf(key, sizeof key, "k%02d", 2 * i);
    st_put(&p, CRV_AGG_OFFER, key, "{\"n\":0}");
  }
  int64_t pinned = crv_store_position(p.store);
  char after[129] = "";
  unsigned rows = 0;
  for (int page = 0; page < 10; page++) {
    l.page = (struct crv_page){.limit = 7, .position = pinned, .after_key = after};
    ck_assert(read_list(&l, page_fn));
    ck_assert_int_eq(l.page.total, 40);
    for (const char *s = l.text; *s; s = strchr(s, ' ') + 1) ck_assert(strstr(s, "@1 ") == s + 3);
    rows += l.n;
    if (l.n == 0) break;
    snprintf(after, sizeof after, "%s", l.last);
    snprintf(key, sizeof key, "k%02d", 2 * page + 1);
    st_put(&p, CRV_AGG_OFFER, key, "{\"n\":0}");
    st_put(&p, CRV_AGG_OFFER, "k78", "{\"n\":1}");
    st_put(&p, CRV_AGG_OFFER, "k00", "{\"n\":1}");
    ck_assert(st_withdraw(&p, CRV_AGG_OFFER, "k78"));
  }
  ck_assert_uint_eq(rows, 40);
}
END_TEST

START_TEST(versions_after_come_in_order_of_entry) {
  struct list l = {.agg = all[_i], .after = 1, .upto = 4};
  five(all[_i]);
  ck_assert(read_list(&l, after_fn));
  ck_assert_str_eq(l.text, "a@1 c.x@1 b@2 ");
  l.after = 4;
  l.upto = crv_store_position(p.store);
  ck_assert(read_list(&l, after_fn));
  ck_assert_str_eq(l.text, "c-y@1 ");
}
END_TEST

START_TEST(a_row_function_that_fails_ends_the_list_with_its_error) {
  struct list l = {.agg = all[_i], .upto = 5, .stop_at = 2};
  five(all[_i]);
  ck_assert(!read_list(&l, after_fn));
  ck_assert_int_eq(p.err->code, CRV_CONFLICT);
  ck_assert_str_eq(p.err->detail, "enough");
  l.stop_at = 0;
  ck_assert(read_list(&l, after_fn));
  ck_assert_uint_eq(l.n, 5);
}
END_TEST

START_TEST(history_is_newest_first) {
  struct list l = {.agg = all[_i], .page = {.limit = 2}};
  for (int i = 0; i < 4; i++) five(all[_i]);
  ck_assert(read_list(&l, history_fn));
  ck_assert_str_eq(l.text, "b@8 b@7 ");
  l.after = 7;
  ck_assert(read_list(&l, history_fn));
  ck_assert_str_eq(l.text, "b@6 b@5 ");
}
END_TEST

static void add(TCase *tc) {
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_loop_test(tc, a_page_is_the_newest_of_each_key_in_order, 0, 3);
  tcase_add_test(tc, withdrawn_rows_show_only_when_asked);
  tcase_add_test(tc, pieces_are_listed_by_kind);
  tcase_add_test(tc, pages_are_pinned_while_rows_are_added);
  tcase_add_loop_test(tc, versions_after_come_in_order_of_entry, 0, 3);
  tcase_add_loop_test(tc, a_row_function_that_fails_ends_the_list_with_its_error, 0, 3);
  tcase_add_loop_test(tc, history_is_newest_first, 0, 3);
}

int main(void) {
  return st_main("pages", add, 60);
}
