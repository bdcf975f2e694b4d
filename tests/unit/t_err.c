/* core/base/err: the table of codes, field errors gathered and counted, texts fit for JSON. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/err.h"
#include "core/base/units.h"

static struct crv_err err;

START_TEST(every_code_has_a_status_and_a_slug_of_its_own) {
  for (int code = 1; code < CRV_CODE_COUNT; code++) {
    const struct crv_code_info *info = crv_code_info((enum crv_code)code);
    ck_assert_int_eq(info->code, code);
    ck_assert_msg(info->status >= 400 && info->status <= 599, "%s: %d", info->slug, info->status);
    ck_assert_ptr_eq(crv_code_by_slug(info->slug), info);
    ck_assert(info->title[0] && info->cure[0]);
  }
}
END_TEST

START_TEST(an_unknown_code_is_internal) {
  ck_assert_int_eq(crv_code_info(CRV_OK)->code, CRV_INTERNAL);
  ck_assert_int_eq(crv_code_info(CRV_CODE_COUNT)->code, CRV_INTERNAL);
  ck_assert_int_eq(crv_code_info(CRV_INTERNAL)->status, 500);
  ck_assert_ptr_null(crv_code_by_slug("nothing-like-this"));
  ck_assert_ptr_null(crv_code_by_slug(NULL));
}
END_TEST

START_TEST(fail_sets_code_and_detail_and_returns_false) {
  crv_err_init(&err);
  ck_assert(!crv_fail(&err, CRV_NOT_FOUND, "No offer has the key %s.", "k"));
  ck_assert_int_eq(err.code, CRV_NOT_FOUND);
  ck_assert_str_eq(err.detail, "No offer has the key k.");
  ck_assert_uint_eq(err.n, 0);
}
END_TEST

START_TEST(field_errors_gather_under_one_code) {
  crv_err_init(&err);
  ck_assert(!crv_fail_field(&err, "/a", "missing", "say it", "`%s` is missing.", "a"));
  ck_assert_int_eq(err.code, CRV_INVALID_FIELDS);
  ck_assert_str_eq(err.detail, "1 field cannot be accepted.");
  crv_fail_field(&err, "/b", "wrong_type", NULL, "Expected a text; got 1.");
  ck_assert_uint_eq(err.n, 2);
  ck_assert_str_eq(err.detail, "2 fields cannot be accepted.");
  ck_assert_str_eq(err.at[0].ptr, "/a");
  ck_assert_str_eq(err.at[0].code, "missing");
  ck_assert_str_eq(err.at[0].hint, "say it");
  ck_assert_str_eq(err.at[0].detail, "`a` is missing.");
  ck_assert_str_eq(err.at[1].hint, "");
}
END_TEST

START_TEST(field_errors_beyond_fifty_are_counted) {
  crv_err_init(&err);
  for (int i = 0; i < 53; i++) crv_fail_field(&err, "/x", "missing", NULL, "%d", i);
  ck_assert_uint_eq(err.n, 50);
  ck_assert_uint_eq(err.more, 3);
  ck_assert_str_eq(err.at[49].detail, "49");
  ck_assert_str_eq(err.detail, "53 fields cannot be accepted.");
}
END_TEST

START_TEST(a_code_and_a_detail_set_before_stay) {
  crv_err_init(&err);
  crv_fail(&err, CRV_MISSING_REFERENCE, "It cites what is not there.");
  crv_fail_field(&err, "/source", "missing_reference", NULL, "No piece p@1.");
  ck_assert_int_eq(err.code, CRV_MISSING_REFERENCE);
  ck_assert_str_eq(err.detail, "It cites what is not there.");
  crv_err_init(&err);
  crv_fail(&err, CRV_INVALID_FIELDS, "Own words.");
  crv_fail_field(&err, "/a", "missing", NULL, "x");
  ck_assert_str_eq(err.detail, "Own words.");
}
END_TEST

START_TEST(init_empties_a_used_error) {
  crv_fail_field(&err, "/a", "missing", NULL, "x");
  crv_err_init(&err);
  ck_assert_int_eq(err.code, CRV_OK);
  ck_assert_uint_eq(err.n, 0);
  ck_assert_uint_eq(err.more, 0);
  ck_assert_str_eq(err.detail, "");
  ck_assert_str_eq(err.log, "");
}
END_TEST

START_TEST(a_cut_text_is_still_utf8) {
  char text[2001];
  for (int shift = 0; shift < 4; shift++) {
    memset(text, 'a', (size_t)shift);
    for (int i = shift; i + 3 <= 2000; i += 3) memcpy(text + i, "\xE2\x82\xAC", 4);
    crv_err_init(&err);
    crv_fail(&err, CRV_BAD_PATH, "%s", text);
    ck_assert(crv_utf8_ok(err.detail, strlen(err.detail)));
    ck_assert_uint_gt(strlen(err.detail), 505);
    crv_fail_field(&err, text, "missing", text, "%s", text);
    ck_assert(crv_utf8_ok(err.at[0].ptr, strlen(err.at[0].ptr)));
    ck_assert(crv_utf8_ok(err.at[0].hint, strlen(err.at[0].hint)));
    ck_assert(crv_utf8_ok(err.at[0].detail, strlen(err.at[0].detail)));
  }
}
END_TEST

START_TEST(bad_bytes_do_not_reach_an_answer) {
  crv_err_init(&err);
  crv_fail(&err, CRV_BAD_PATH,
           "a\xFF"
           "b\xC3");
  ck_assert_str_eq(err.detail, "a?b");
}
END_TEST

START_TEST(a_bug_shows_nothing_to_the_client) {
  crv_err_init(&err);
  ck_assert(!crv_bug(&err, "count is %d", -1));
  ck_assert_int_eq(err.code, CRV_INTERNAL);
  ck_assert_ptr_null(strstr(err.detail, "-1"));
  ck_assert_ptr_null(strstr(err.detail, "t_err"));
  ck_assert_ptr_nonnull(strstr(err.log, "t_err.c:"));
  ck_assert_ptr_nonnull(strstr(err.log, "count is -1"));
}
END_TEST

int main(void) {
  Suite *s = suite_create("err");
  TCase *t = tcase_create("err");
  tcase_add_test(t, every_code_has_a_status_and_a_slug_of_its_own);
  tcase_add_test(t, an_unknown_code_is_internal);
  tcase_add_test(t, fail_sets_code_and_detail_and_returns_false);
  tcase_add_test(t, field_errors_gather_under_one_code);
  tcase_add_test(t, field_errors_beyond_fifty_are_counted);
  tcase_add_test(t, a_code_and_a_detail_set_before_stay);
  tcase_add_test(t, init_empties_a_used_error);
  tcase_add_test(t, a_cut_text_is_still_utf8);
  tcase_add_test(t, bad_bytes_do_not_reach_an_answer);
  tcase_add_test(t, a_bug_shows_nothing_to_the_client);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
