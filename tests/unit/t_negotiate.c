/* Accept, ?format= and the form of refusals. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "server/negotiate.h"
#include "server/reply.h"

enum { NONE = 0, J = CRV_F_JSON, T = CRV_F_TEXT, C = CRV_F_CSV, X = CRV_F_JUNIT, H = CRV_F_HTML };
enum { O = CRV_F_OTHER, M = CRV_F_MD, N = CRV_F_NDJSON };

static const struct {
  unsigned formats;
  const char *param, *accept;
  unsigned expect; /* NONE: 406 */
} cases[] = {
    {J | T | C, NULL, NULL, J},
    {J | T | C, NULL, "", J},
    {J | T | C, NULL, "*/*", J},
    {T | H, NULL, "*/*", T},
    {J | T | C, NULL, "text/plain", T},
    {J | T | C, NULL, "TEXT/Plain", T},
    {J | T | C, NULL, "text/*", T},
    {J | C, NULL, "text/*", C},
    {J | T | C, NULL, "text/csv;q=0.5, application/json;q=0.4", C},
    {J | T | C, NULL, "application/json;q=0.4,text/csv;q=0.5", C},
    {J | T | C, NULL, "text/csv, */*", C},
    {J | T | C, NULL, "*/*, text/csv", C},
    {J | T | C, NULL, "*/*;q=0.1, text/*;q=0.2, text/plain;q=0.05", C},
    {J | T | C, NULL, "application/json;q=0, */*", T},
    {J | T, NULL, "text/plain;q=0, text/*;q=0, */*;q=0.001", J},
    {J | T, NULL, "*/*;q=0", NONE},
    {J, NULL, "text/plain", NONE},
    {J, NULL, "image/png, text/plain", NONE},
    {J, NULL, "application/problem+json", J},
    {J, NULL, "application/json; charset=utf-8", J},
    {J | C, NULL, "text/csv ; header=present ; q=0.9, application/json;q=0.8", C},
    {J | C, NULL, "text/csv;p=\"a,b;q=0\";q=1, application/json;q=0.5", C},
    {J | T, NULL, "text/plain, application/json", J},
    {J | T, NULL, "rubbish", J},
    {J | T, NULL, "rubbish, text/plain", T},
    {J | T, NULL, "text/plain;q=2, application/json;q=0.1", J},
    {J | T, NULL, "text/plain;q=0.1234", J},
    {J | T, NULL, "text/plain;q=1.001", J},
    {J | T, NULL, ",,;,/,*/,/*,text/plain,", T},
    {J | T, NULL, "*/plain", NONE},
    {J | X, NULL, "application/xml", X},
    {J | X, NULL, "text/xml", X},
    {X, NULL, "application/xml;q=0.001", X},
    {J | T | X, NULL, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", J},
    {T | H, NULL, "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8", H},
    {J | N, NULL, "application/x-ndjson", N},
    {J | M, NULL, "text/markdown", M},
    {O, NULL, "image/png", O},
    {O, NULL, NULL, O},
    {J | O, NULL, "*/*", J},
    {J | O, NULL, "image/png", O},
    {0, NULL, "image/png", NONE},
    {0, NULL, "*/*", J},
    {J | T | C, "csv", "application/json", C},
    {J | T | C, "csv", NULL, C},
    {J | T | C, "text", "image/png", T},
    {J | T | C, "junit", "*/*", NONE},
    {J | T | C, "", "*/*", NONE},
    {J | T | C, "JSON", "*/*", NONE},
    {O, "json", "*/*", NONE},
};

START_TEST(format) {
  struct crv_err err;
  enum crv_format f = 0;
  crv_err_init(&err);
  bool ok = crv_negotiate(cases[_i].formats, cases[_i].param, cases[_i].accept, &f, &err);
  const char *what = cases[_i].accept ? cases[_i].accept : "(none)";
  ck_assert_msg(ok == (cases[_i].expect != NONE), "%s gave %d", what, (int)f);
  if (ok)
    ck_assert_msg(f == (enum crv_format)cases[_i].expect, "%s gave %d", what, (int)f);
  else
    ck_assert_int_eq(err.code, CRV_NOT_ACCEPTABLE);
}
END_TEST

START_TEST(refusal_lists_what_there_is) {
  struct crv_err err;
  enum crv_format f;
  crv_err_init(&err);
  ck_assert(!crv_negotiate(J | C | X, "yaml", NULL, &f, &err));
  ck_assert_ptr_nonnull(strstr(err.detail, "json (application/json), csv (text/csv), junit"));
  ck_assert_ptr_null(strstr(err.detail, "text/plain"));
}
END_TEST

START_TEST(problems_as_text) {
  ck_assert(!crv_accept_prefers_text(NULL));
  ck_assert(!crv_accept_prefers_text("*/*"));
  ck_assert(!crv_accept_prefers_text("application/json, text/plain"));
  ck_assert(!crv_accept_prefers_text("application/problem+json"));
  ck_assert(!crv_accept_prefers_text("rubbish"));
  ck_assert(crv_accept_prefers_text("text/plain"));
  ck_assert(crv_accept_prefers_text("text/plain, */*"));
  ck_assert(crv_accept_prefers_text("application/json;q=0.5, text/plain"));
}
END_TEST

START_TEST(names_and_types) {
  ck_assert_str_eq(crv_format_name(CRV_F_JUNIT), "junit");
  ck_assert_str_eq(crv_format_type(CRV_F_JSON), "application/json");
  ck_assert_str_eq(crv_format_type(CRV_F_TEXT), "text/plain; charset=utf-8");
  ck_assert_ptr_null(crv_format_name(CRV_F_OTHER));
  ck_assert_ptr_null(crv_format_type(CRV_F_OTHER));
}
END_TEST

int main(void) {
  Suite *s = suite_create("negotiate");
  TCase *t = tcase_create("negotiate");
  tcase_add_loop_test(t, format, 0, sizeof cases / sizeof *cases);
  tcase_add_test(t, refusal_lists_what_there_is);
  tcase_add_test(t, problems_as_text);
  tcase_add_test(t, names_and_types);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
