/* core/catalogue/import_literal: JSON and Python literals are read alike, nothing else is. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/catalogue/import_internal.h"

static void show(const struct crv_literal *v, struct crv_buf *b) {
  if (v->key) crv_buf_printf(b, "%s=", v->key);
  switch (v->kind) {
  case CRV_LIT_NONE:
    crv_buf_str(b, "none");
    break;
  case CRV_LIT_BOOL:
  case CRV_LIT_NUMBER:
    crv_buf_str(b, v->text);
    break;
  case CRV_LIT_TEXT:
    crv_buf_printf(b, "<%s>", v->text);
    break;
  case CRV_LIT_LIST:
  case CRV_LIT_DICT:
    crv_buf_char(b, v->kind == CRV_LIT_LIST ? '[' : '{');
    for (const struct crv_literal *m = v->child; m; m = m->next) {
      show(m, b);
      if (m->next) crv_buf_char(b, ' ');
    }
    crv_buf_char(b, v->kind == CRV_LIT_LIST ? ']' : '}');
  }
}

static const struct {
  const char *text, *shown;
} good[] = {
    {"{'Gpus': [{'Name': 'H100', 'Count': 8.0, 'MemoryInfo': {'SizeInMiB': 81920}}], "
     "'TotalGpuMemoryInMiB': 81920}",
     "{Gpus=[{Name=<H100> Count=8.0 MemoryInfo={SizeInMiB=81920}}] TotalGpuMemoryInMiB=81920}"},
    {"{\"Gpus\":[{\"Name\":\"B300\",\"Count\":1}]}", "{Gpus=[{Name=<B300> Count=1}]}"},
    {"  [ ]  ", "[]"},
    {"{}", "{}"},
    {"[1, -2.50, 3e2, True, true, False, false, None, null]",
     "[1 -2.50 3e2 true true false false none none]"},
    {"['a', \"b\",]", "[<a> <b>]"},
    {"{'a': 1,}", "{a=1}"},
    {"'it\\'s \"x\"'", "<it's \"x\">"},
    {"\"it's \\\"x\\\"\"", "<it's \"x\">"},
    {"'\\u00e9\\xe9\\/\\\\'", "<\xC3\xA9\xC3\xA9/\\>"},
    {"'\\ud83d\\ude00'", "<\xF0\x9F\x98\x80>"},
    {"'\xC3\xA9'", "<\xC3\xA9>"},
    {"123456789012345678901234567890", "123456789012345678901234567890"},
    {"0.00000000001", "0.00000000001"},
};

START_TEST(literals_of_both_kinds) {
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    const char *why = "nothing";
    _arena_ struct crv_arena *a = crv_arena_new(0);
    _buf_ struct crv_buf b = {0};
    crv_buf_init(&b, 0);
    const struct crv_literal *v = crv_literal_read(good[i].text, strlen(good[i].text), a, &why);
    ck_assert_msg(v != NULL, "%s: %s", good[i].text, why);
    show(v, &b);
    ck_assert_str_eq(b.data, good[i].shown);
  }
}
END_TEST

static const struct {
  const char *text, *why;
} bad[] = {
    {"", "neither"},
    {"{", "key"},
    {"{'a'", "value"},
    {"{'a' 1}", "value"},
    {"{'a': }", "neither"},
    {"{'a': 1", "commas"},
    {"{'a': 1 'b': 2}", "commas"},
    {"{a: 1}", "key"},
    {"{1: 2}", "key"},
    {"{'a': 1, 'a': 2}", "repeated"},
    {"[1 2]", "commas"},
    {"[,]", "neither"},
    {"[1]]", "follows"},
    {"1 2", "follows"},
    {"'a", "end"},
    {"'a\nb'", "end"},
    {"'a\\", "escape"},
    {"'\\q'", "escape"},
    {"'\\u12'", "escape"},
    {"'\\ud800'", "escape"},
    {"'\\udc00'", "escape"},
    {"'\\u0000'", "escape"},
    {"'\\x00'", "escape"},
    {"'\xFF'", "UTF-8"},
    {"1.", "number"},
    {"-", "number"},
    {"1-2", "number"},
    {"1e", "number"},
    {"True1", "follows"},
    {"TRUE", "neither"},
    {"nan", "neither"},
    {"__import__('os')", "neither"},
    {"dict(a=1)", "neither"},
    {"{'a': print(1)}", "neither"},
    {"(1, 2)", "neither"},
    {"[1 + 2]", "commas"},
    {"[1] * 9", "follows"},
    {"[[[[[[[[[1]]]]]]]]]", "deep"},
};

START_TEST(whatever_is_no_literal_says_why) {
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *why = "nothing";
    _arena_ struct crv_arena *a = crv_arena_new(0);
    ck_assert_msg(!crv_literal_read(bad[i].text, strlen(bad[i].text), a, &why), "%s was read",
                  bad[i].text);
    ck_assert_msg(strstr(why, bad[i].why) != NULL, "%s: %s", bad[i].text, why);
  }
}
END_TEST

START_TEST(a_nul_ends_nothing) {
  static const char text[] = "{'a\0b': 1}";
  const char *why = NULL;
  _arena_ struct crv_arena *a = crv_arena_new(0);
  ck_assert(!crv_literal_read(text, sizeof text - 1, a, &why));
  ck_assert(!crv_literal_read("1\0", 2, a, &why));
}
END_TEST

START_TEST(size_is_bounded) {
  _buf_ struct crv_buf b = {0};
  const char *why = NULL;
  _arena_ struct crv_arena *a = crv_arena_new(0);
  crv_buf_init(&b, 0);
  crv_buf_char(&b, '[');
  for (int i = 0; i < CRV_LITERAL_NODES; i++) crv_buf_str(&b, "1,");
  crv_buf_char(&b, ']');
  ck_assert(!crv_literal_read(b.data, b.len, a, &why));
  ck_assert_str_eq(why, "too many values");
}
END_TEST

START_TEST(members_are_found_by_name) {
  const char *why = NULL;
  const char *text = "{'a': {'b': 'x'}, 'c': [1]}";
  _arena_ struct crv_arena *a = crv_arena_new(0);
  const struct crv_literal *v = crv_literal_read(text, strlen(text), a, &why);
  ck_assert_str_eq(crv_literal_get(crv_literal_get(v, "a"), "b")->text, "x");
  ck_assert_uint_eq(crv_literal_get(v, "c")->n, 1);
  ck_assert_ptr_null(crv_literal_get(v, "b"));
  ck_assert_ptr_null(crv_literal_get(NULL, "b"));
  ck_assert_ptr_null(crv_literal_get(crv_literal_get(v, "c"), "b"));
}
END_TEST

START_TEST(out_of_memory_is_no_value) {
  const char *why = NULL;
  _arena_ struct crv_arena *a = crv_arena_new(64);
  ck_assert(!crv_literal_read("['aaaaaaaaaaaaaaaaaaaaaaaaaaaa', 1, 2, 3]", 40, a, &why));
  ck_assert_ptr_nonnull(why);
}
END_TEST

int main(void) {
  Suite *s = suite_create("import_literal");
  TCase *t = tcase_create("import_literal");
  tcase_add_test(t, literals_of_both_kinds);
  tcase_add_test(t, whatever_is_no_literal_says_why);
  tcase_add_test(t, a_nul_ends_nothing);
  tcase_add_test(t, size_is_bounded);
  tcase_add_test(t, members_are_found_by_name);
  tcase_add_test(t, out_of_memory_is_no_value);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
