/* core/base/buf: growth, the limit, the sticky error, giving the contents away. */
#include <check.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"

START_TEST(appends_are_joined_and_end_with_nul) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  crv_buf_str(&b, "ab");
  crv_buf_char(&b, 'c');
  crv_buf_add(&b, "d\0e", 3);
  crv_buf_printf(&b, "%d%%", 7);
  crv_buf_i64(&b, INT64_MIN);
  ck_assert(!b.failed);
  ck_assert_uint_eq(b.len, 6 + 2 + 20);
  ck_assert_mem_eq(b.data, "abcd\0e7%-9223372036854775808", b.len + 1);
}
END_TEST

START_TEST(long_contents_survive_growth) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  for (int i = 0; i < 20000; i++) crv_buf_printf(&b, "%05d", i);
  ck_assert_uint_eq(b.len, 100000);
  ck_assert_mem_eq(b.data + 5 * 12345, "12345", 5);
}
END_TEST

START_TEST(the_limit_is_met_to_the_byte_and_the_error_sticks) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 5);
  crv_buf_str(&b, "12345");
  ck_assert(!b.failed);
  crv_buf_str(&b, "6");
  ck_assert(b.failed);
  ck_assert_uint_eq(b.len, 5);
  crv_buf_str(&b, "");
  ck_assert(b.failed);
  ck_assert_ptr_null(crv_buf_take(&b, NULL));
}
END_TEST

START_TEST(a_length_that_overflows_fails) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  crv_buf_str(&b, "x");
  crv_buf_add(&b, "y", SIZE_MAX);
  ck_assert(b.failed);
}
END_TEST

START_TEST(take_gives_the_contents_and_empties) {
  _buf_ struct crv_buf b = {0};
  size_t len = 99;
  crv_buf_init(&b, 10);
  char *empty = crv_buf_take(&b, &len);
  ck_assert_str_eq(empty, "");
  ck_assert_uint_eq(len, 0);
  free(empty);
  crv_buf_str(&b, "abc");
  char *s = crv_buf_take(&b, &len);
  ck_assert_str_eq(s, "abc");
  ck_assert_uint_eq(len, 3);
  ck_assert_ptr_null(b.data);
  ck_assert_uint_eq(b.limit, 10);
  free(s);
}
END_TEST

int main(void) {
  Suite *s = suite_create("buf");
  TCase *t = tcase_create("buf");
  tcase_add_test(t, appends_are_joined_and_end_with_nul);
  tcase_add_test(t, long_contents_survive_growth);
  tcase_add_test(t, the_limit_is_met_to_the_byte_and_the_error_sticks);
  tcase_add_test(t, a_length_that_overflows_fails);
  tcase_add_test(t, take_gives_the_contents_and_empties);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
