/* core/catalogue/catalogue and filter: which version is in force, snapshots that don't depend on
   the order of insertion, filters. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/catalogue/catalogue.h"
#include "tests/unit/shapes.h"

static struct crv_offer_rec *rec(const char *key, int64_t version, int64_t seq, const char *text) {
  struct crv_err err;
  crv_err_init(&err);
  _json_ json_t *j = text ? shape_json(text) : NULL;
  _free_ char *json = j ? json_dumps(j, JSON_COMPACT) : NULL;
  struct crv_offer_rec *r = crv_offer_rec_new(key, version, seq, 1000, json,
                                              json ? strlen(json) : 0, "list", 1, "digest", &err);
  ck_assert_msg(r != NULL, "%s %s", err.at[0].ptr, err.at[0].detail);
  return r;
}

#define OFFER "'supplier':'s','device':{'name':'RTX 4090'}"

/* Versions 1 to 4 of "a", 1 of "b"; times are 2026-01-0x. */
static void make(struct crv_offer_rec *at[6]) {
  at[0] = rec("a", 1, 1, "{" OFFER "}");
  at[1] =
      rec("a", 2, 3, "{" OFFER ",'effective_from':'2026-01-05','effective_until':'2026-01-08'}");
  at[2] = rec("a", 3, 5, NULL);
  at[3] = rec("a", 4, 7, "{" OFFER ",'region':'eu'}");
  at[4] = rec("b", 1, 2, "{" OFFER "}");
  at[5] = rec("b", 2, 9, "{" OFFER ",'effective_from':'2026-01-05'}");
}

static int64_t day(int n) {
  return INT64_C(1767225600000) + (n - 1) * CRV_DAY_MS; /* 2026-01-n */
}

static const struct {
  int64_t p;
  int day;
  int64_t a, b; /* version in force, 0 for none */
} in_force[] = {
    {0, 1, 0, 0}, {1, 1, 1, 0}, {2, 1, 1, 1}, {3, 4, 1, 1}, {3, 5, 2, 1}, {3, 7, 2, 1},
    {3, 8, 1, 1}, {5, 5, 0, 1}, {5, 1, 0, 1}, {7, 1, 4, 1}, {9, 4, 4, 1}, {9, 5, 4, 2},
};

static void expect_in_force(const struct crv_catalogue *c, size_t i) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  const struct crv_offer_rec **recs;
  size_t n;
  int64_t got[2] = {0, 0};
  ck_assert(crv_catalogue_in_force(c, in_force[i].p, day(in_force[i].day), a, &recs, &n, &err));
  for (size_t k = 0; k < n; k++) {
    if (k > 0) ck_assert(strcmp(recs[k - 1]->key, recs[k]->key) < 0);
    got[recs[k]->key[0] - 'a'] = recs[k]->version;
  }
  ck_assert_int_eq(got[0], in_force[i].a);
  ck_assert_int_eq(got[1], in_force[i].b);
}

START_TEST(the_version_in_force_is_by_position_and_time) {
  struct crv_offer_rec *at[6];
  make(at);
  struct crv_catalogue *c = crv_catalogue_extend(NULL, at, 6, 9);
  ck_assert_ptr_nonnull(c);
  ck_assert_int_eq(c->position, 9);
  expect_in_force(c, (size_t)_i);
  crv_catalogue_unref(c);
}
END_TEST

/* The records in another order and in steps: the same arrays. */
START_TEST(the_order_of_insertion_does_not_matter) {
  static const size_t orders[][6] = {
      {0, 1, 2, 3, 4, 5}, {5, 4, 3, 2, 1, 0}, {3, 0, 5, 1, 4, 2}, {4, 2, 0, 1, 3, 5}};
  struct crv_offer_rec *at[6], *shuffled[6];
  make(at);
  for (int i = 0; i < 6; i++) shuffled[i] = at[orders[_i][i]];
  struct crv_catalogue *half = crv_catalogue_extend(NULL, shuffled, 3, 4);
  struct crv_catalogue *c = crv_catalogue_extend(half, shuffled + 3, 3, 9);
  ck_assert_uint_eq(half->n, 3);
  crv_catalogue_unref(half);
  ck_assert_uint_eq(c->n, 6);
  static const char *const keys[] = {"a", "a", "a", "a", "b", "b"};
  for (size_t i = 0; i < 6; i++) {
    ck_assert_str_eq(c->recs[i]->key, keys[i]);
    ck_assert_int_eq(c->recs[i]->version, (int64_t)(i < 4 ? i + 1 : i - 3));
  }
  for (size_t i = 0; i < sizeof in_force / sizeof *in_force; i++) expect_in_force(c, i);
  crv_catalogue_unref(c);
}
END_TEST

START_TEST(a_version_that_is_there_is_not_added_twice) {
  struct crv_offer_rec *first[] = {rec("a", 1, 1, "{" OFFER "}")};
  struct crv_offer_rec *again[] = {rec("a", 1, 1, "{" OFFER ",'region':'x'}"),
                                   rec("a", 2, 2, "{" OFFER "}")};
  struct crv_catalogue *base = crv_catalogue_extend(NULL, first, 1, 1);
  struct crv_catalogue *c = crv_catalogue_extend(base, again, 2, 2);
  ck_assert_uint_eq(c->n, 2);
  ck_assert_ptr_null(c->recs[0]->offer->region);
  struct crv_catalogue *shared = crv_catalogue_ref(c);
  crv_catalogue_unref(base);
  crv_catalogue_unref(c);
  ck_assert_str_eq(shared->recs[1]->offer->supplier, "s");
  crv_catalogue_unref(shared);
}
END_TEST

START_TEST(versions_are_found) {
  struct crv_offer_rec *at[6];
  make(at);
  struct crv_catalogue *c = crv_catalogue_extend(NULL, at, 6, 9);
  ck_assert_int_eq(crv_catalogue_find(c, "a", 2, 9)->version, 2);
  ck_assert_int_eq(crv_catalogue_find(c, "a", 0, 4)->version, 2);
  ck_assert_int_eq(crv_catalogue_find(c, "a", 0, 9)->version, 4);
  ck_assert(crv_catalogue_find(c, "a", 3, 9)->withdrawn);
  ck_assert_ptr_null(crv_catalogue_find(c, "a", 5, 9));
  ck_assert_ptr_null(crv_catalogue_find(c, "b", 0, 1));
  ck_assert_ptr_null(crv_catalogue_find(c, "c", 0, 9));
  ck_assert_ptr_null(crv_catalogue_find(c, "", 0, 9));
  crv_catalogue_unref(c);
}
END_TEST

START_TEST(a_record_that_does_not_decode_is_an_error) {
  struct crv_err err;
  crv_err_init(&err);
  ck_assert_ptr_null(crv_offer_rec_new("a", 1, 1, 0, "{}", 2, NULL, 0, NULL, &err));
  ck_assert_int_eq(err.code, CRV_INVALID_FIELDS);
  crv_err_init(&err);
  ck_assert_ptr_null(crv_offer_rec_new("a", 1, 1, 0, "{", 1, NULL, 0, NULL, &err));
  ck_assert_int_eq(err.code, CRV_MALFORMED_JSON);
}
END_TEST

static const char filtered[] =
    "{'supplier':'s','region':'eu','device':{'name':'NVIDIA H100','candidates':['nvidia/h100-pcie',"
    "'nvidia/h100-sxm'],'memory_nominal':'80 GB'},'price':{'amount':1,'currency':'USD'}}";

static const struct {
  const char *filter;
  bool passes;
} filters[] = {
    {"{}", true},
    {"{'supplier':'s','region':'eu','currency':'USD'}", true},
    {"{'supplier':'t'}", false},
    {"{'region':'us'}", false},
    {"{'currency':'EUR'}", false},
    {"{'key_prefix':'of'}", true},
    {"{'key_prefix':'x'}", false},
    {"{'keys':['offer','z']}", true},
    {"{'keys':'offer'}", true},
    {"{'keys':['z']}", false},
    {"{'device':'nvidia/h100-sxm'}", true},
    {"{'device':'H100'}", true},
    {"{'device':'NVIDIA H100'}", true},
    {"{'device':'nvidia/h100-nvl'}", false},
    {"{'device':'A100'}", false},
    {"{'min_memory':'80 GiB'}", true},
    {"{'min_memory':'81 GiB'}", false},
    {"{'min_memory_bytes':85899345920}", true},
};

START_TEST(filters_pass_what_they_name) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  void *f;
  _json_ json_t *j = shape_json(filters[_i].filter);
  ck_assert(shape_decode(&crv_filter_spec, j, a, &f, &err));
  struct crv_offer_rec *r = rec("offer", 1, 1, filtered);
  ck_assert_int_eq(crv_filter_passes(f, r), filters[_i].passes);
  crv_offer_rec_unref(r);
}
END_TEST

START_TEST(memory_that_is_not_known_passes_a_filter) {
  struct crv_filter f = {.min_memory_bytes = {INT64_C(100000000000), true}};
  struct crv_offer_rec *r = rec("offer", 1, 1, "{" OFFER "}");
  ck_assert(crv_filter_passes(&f, r));
  crv_offer_rec_unref(r);
}
END_TEST

#define LOOP(tc, test, table) tcase_add_loop_test(tc, test, 0, sizeof table / sizeof *table)

int main(void) {
  Suite *s = suite_create("catalogue");
  TCase *tc = tcase_create("catalogue");
  LOOP(tc, the_version_in_force_is_by_position_and_time, in_force);
  tcase_add_loop_test(tc, the_order_of_insertion_does_not_matter, 0, 4);
  tcase_add_test(tc, a_version_that_is_there_is_not_added_twice);
  tcase_add_test(tc, versions_are_found);
  tcase_add_test(tc, a_record_that_does_not_decode_is_an_error);
  LOOP(tc, filters_pass_what_they_name, filters);
  tcase_add_test(tc, memory_that_is_not_known_passes_a_filter);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
