/* core/base/arena: zeroed, aligned, capped memory, and destructors in reverse order. */
#include <check.h>
#include <stdalign.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/arena.h"

START_TEST(memory_is_zeroed_aligned_and_apart) {
  static const size_t sizes[] = {0, 1, 7, 16, 100, 2000, 2049, 5000, 1, 300000, 3};
  struct crv_arena *a = crv_arena_new(0);
  char *at[sizeof sizes / sizeof *sizes];
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
    at[i] = crv_arena_alloc(a, sizes[i]);
    ck_assert_ptr_nonnull(at[i]);
    ck_assert_uint_eq((uintptr_t)at[i] % alignof(max_align_t), 0);
    for (size_t k = 0; k < sizes[i]; k++) ck_assert_int_eq(at[i][k], 0);
    memset(at[i], (int)i + 1, sizes[i]);
  }
  for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++)
    for (size_t k = 0; k < sizes[i]; k++) ck_assert_int_eq(at[i][k], (int)i + 1);
  ck_assert_ptr_null(crv_arena_free(a));
}
END_TEST

START_TEST(the_cap_is_met_to_the_byte) {
  struct crv_arena *a = crv_arena_new(100);
  ck_assert_ptr_nonnull(crv_arena_alloc(a, 60));
  ck_assert_ptr_null(crv_arena_alloc(a, 41));
  ck_assert_uint_eq(crv_arena_used(a), 60);
  ck_assert_ptr_nonnull(crv_arena_alloc(a, 40));
  ck_assert_ptr_null(crv_arena_alloc(a, 1));
  ck_assert_uint_eq(crv_arena_used(a), 100);
  crv_arena_free(a);
}
END_TEST

START_TEST(an_array_too_large_to_count_is_refused) {
  struct crv_arena *a = crv_arena_new(0);
  ck_assert_ptr_null(crv_arena_array(a, SIZE_MAX / 2, 3));
  ck_assert_ptr_null(crv_arena_alloc(a, SIZE_MAX));
  ck_assert_ptr_null(crv_arena_alloc(a, SIZE_MAX - 40));
  ck_assert_ptr_null(crv_arena_strndup(a, "", SIZE_MAX));
  ck_assert_ptr_nonnull(crv_arena_array(a, 0, 8));
  ck_assert_ptr_nonnull(crv_arena_array(a, 10, 8));
  crv_arena_free(a);
}
END_TEST

START_TEST(texts_are_copied) {
  char source[] = "abcdef";
  struct crv_arena *a = crv_arena_new(0);
  const char *all = crv_arena_strdup(a, source), *part = crv_arena_strndup(a, source, 3);
  const char *printed = crv_arena_printf(a, "%s-%05d", source, 42);
  memset(source, 'x', 6);
  ck_assert_str_eq(all, "abcdef");
  ck_assert_str_eq(part, "abc");
  ck_assert_str_eq(printed, "abcdef-00042");
  crv_arena_free(a);
}
END_TEST

static char order[8];
static void note(void *p) {
  strncat(order, p, 1);
}

START_TEST(destructors_run_newest_first) {
  static char names[] = "123";
  struct crv_arena *a = crv_arena_new(0);
  order[0] = '\0';
  for (int i = 0; i < 3; i++) ck_assert_int_eq(crv_arena_defer(a, note, names + i), 0);
  ck_assert_str_eq(order, "");
  crv_arena_free(a);
  ck_assert_str_eq(order, "321");
  ck_assert_ptr_null(crv_arena_free(NULL));
}
END_TEST

START_TEST(the_cleanup_attribute_frees) {
  static char name[] = "z";
  order[0] = '\0';
  {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    crv_arena_defer(a, note, name);
  }
  ck_assert_str_eq(order, "z");
}
END_TEST

int main(void) {
  Suite *s = suite_create("arena");
  TCase *t = tcase_create("arena");
  tcase_add_test(t, memory_is_zeroed_aligned_and_apart);
  tcase_add_test(t, the_cap_is_met_to_the_byte);
  tcase_add_test(t, an_array_too_large_to_count_is_refused);
  tcase_add_test(t, texts_are_copied);
  tcase_add_test(t, destructors_run_newest_first);
  tcase_add_test(t, the_cleanup_attribute_frees);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
