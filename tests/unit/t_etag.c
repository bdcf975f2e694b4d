/* Entity tag lists and conditions. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "server/req.h"

static const struct {
  const char *list, *etag;
  bool strong, weak;
} lists[] = {
    {"\"a\"", "\"a\"", true, true},
    {"*", "\"a\"", true, true},
    {" * ", "\"a\"", true, true},
    {"\"b\", \"a\"", "\"a\"", true, true},
    {"\"b\",\"a\" ,\"c\"", "\"a\"", true, true},
    {",, \"a\"", "\"a\"", true, true},
    {"W/\"a\"", "\"a\"", false, true},
    {"\"a\"", "W/\"a\"", false, true},
    {"W/\"a\"", "W/\"a\"", false, true},
    {"W/\"a\", \"a\"", "\"a\"", true, true},
    {"\"A\"", "\"a\"", false, false},
    {"\"a", "\"a\"", false, false},
    {"a", "\"a\"", false, false},
    {"a, \"a\"", "\"a\"", false, false},
    {"\"b\"x, \"a\"", "\"a\"", false, false},
    {"w/\"a\"", "\"a\"", false, false},
    {"\"a b\", \"a\"", "\"a\"", false, false},
    {"\"a,b\"", "\"a,b\"", true, true},
    {"\"a\"", "\"a,b\"", false, false},
    {"\"\"", "\"\"", true, true},
    {"", "\"a\"", false, false},
    {"*, \"b\"", "\"a\"", false, false},
    {"\"a\"", "a", false, false},
    {"\"a\"", NULL, false, false},
    {"*", NULL, false, false},
    {NULL, "\"a\"", false, false},
};

START_TEST(list_names_tag) {
  const char *l = lists[_i].list, *e = lists[_i].etag;
  ck_assert_msg(crv_etag_list_has(l, e, false) == lists[_i].strong, "%s strong", l ? l : "NULL");
  ck_assert_msg(crv_etag_list_has(l, e, true) == lists[_i].weak, "%s weak", l ? l : "NULL");
}
END_TEST

START_TEST(long_list) {
  char text[2200];
  size_t n = 0;
  for (int i = 0; i < 200; i++) n += (size_t)snprintf(text + n, sizeof text - n, "\"t%04d\", ", i);
  ck_assert(crv_etag_list_has(text, "\"t0199\"", true));
  ck_assert(!crv_etag_list_has(text, "\"t0200\"", true));
}
END_TEST

struct headers {
  const char *match, *none;
};

static const char *lookup(const struct crv_req *rq, const char *name) {
  const struct headers *h = rq->header_ctx;
  if (strcasecmp(name, "If-Match") == 0) return h->match;
  return strcasecmp(name, "If-None-Match") == 0 ? h->none : NULL;
}

static const struct {
  enum crv_method method;
  const char *match, *none, *etag;
  enum crv_cond expect;
} conditions[] = {
    {CRV_M_GET, NULL, NULL, "\"a\"", CRV_COND_GO},
    {CRV_M_GET, NULL, "\"a\"", "\"a\"", CRV_COND_NOT_MODIFIED},
    {CRV_M_GET, NULL, "W/\"a\"", "\"a\"", CRV_COND_NOT_MODIFIED},
    {CRV_M_GET, NULL, "*", "\"a\"", CRV_COND_NOT_MODIFIED},
    {CRV_M_GET, NULL, "\"b\"", "\"a\"", CRV_COND_GO},
    {CRV_M_GET, "\"b\"", "\"a\"", "\"a\"", CRV_COND_FAILED},
    {CRV_M_PUT, "\"a\"", NULL, "\"a\"", CRV_COND_GO},
    {CRV_M_PUT, "\"b\", \"a\"", NULL, "\"a\"", CRV_COND_GO},
    {CRV_M_PUT, "W/\"a\"", NULL, "\"a\"", CRV_COND_FAILED},
    {CRV_M_PUT, "\"b\"", NULL, "\"a\"", CRV_COND_FAILED},
    {CRV_M_PUT, "*", NULL, "\"a\"", CRV_COND_GO},
    {CRV_M_PUT, "*", NULL, NULL, CRV_COND_FAILED},
    {CRV_M_PUT, "\"a\"", NULL, NULL, CRV_COND_FAILED},
    {CRV_M_PUT, NULL, "*", NULL, CRV_COND_GO},
    {CRV_M_PUT, NULL, "*", "\"a\"", CRV_COND_FAILED},
    {CRV_M_PUT, NULL, "\"a\"", "\"a\"", CRV_COND_FAILED},
    {CRV_M_DELETE, NULL, "\"b\"", "\"a\"", CRV_COND_GO},
};

START_TEST(condition) {
  struct headers h = {conditions[_i].match, conditions[_i].none};
  struct crv_req rq = {.method = conditions[_i].method, .header = lookup, .header_ctx = &h};
  ck_assert_int_eq(crv_req_condition(&rq, conditions[_i].etag), conditions[_i].expect);
}
END_TEST

START_TEST(without_headers) {
  struct crv_req rq = {.method = CRV_M_PUT};
  ck_assert_int_eq(crv_req_condition(&rq, "\"a\""), CRV_COND_GO);
}
END_TEST

int main(void) {
  Suite *s = suite_create("etag");
  TCase *t = tcase_create("etag");
  tcase_add_loop_test(t, list_names_tag, 0, sizeof lists / sizeof *lists);
  tcase_add_test(t, long_list);
  tcase_add_loop_test(t, condition, 0, sizeof conditions / sizeof *conditions);
  tcase_add_test(t, without_headers);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
