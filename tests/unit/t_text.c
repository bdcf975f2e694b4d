/* core/base/text, version and hash: order, distance, width, repair, quoting, version rules. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/base/units.h"

START_TEST(equality_and_order_know_null) {
  ck_assert(crv_streq("a", "a") && crv_streq(NULL, NULL));
  ck_assert(!crv_streq("a", "b") && !crv_streq("a", NULL) && !crv_streq(NULL, ""));
  ck_assert_int_eq(crv_strorder(NULL, NULL), 0);
  ck_assert_int_eq(crv_strorder("a", "a"), 0);
  ck_assert_int_gt(crv_strorder(NULL, "zzz"), 0);
  ck_assert_int_lt(crv_strorder("zzz", NULL), 0);
  ck_assert_int_lt(crv_strorder("a", "b"), 0);
}
END_TEST

static const struct {
  const char *a, *b;
  size_t cap, distance;
} distances[] = {
    {"", "", 2, 0},       {"abc", "abc", 2, 0},        {"abc", "abd", 2, 1},
    {"abc", "acb", 2, 1}, {"regoin", "region", 2, 1},  {"abc", "ab", 2, 1},
    {"ab", "cd", 2, 2},   {"abc", "xyz", 2, 3},        {"a", "abcdef", 2, 3},
    {"", "ab", 2, 2},     {"kitten", "sitting", 9, 3}, {"ca", "abc", 9, 3},
};

START_TEST(distances_are_as_counted_by_hand) {
  for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
    size_t d = crv_edit_distance(distances[i].a, distances[i].b, distances[i].cap);
    size_t back = crv_edit_distance(distances[i].b, distances[i].a, distances[i].cap);
    ck_assert_msg(d == distances[i].distance && back == d, "%s %s: %zu", distances[i].a,
                  distances[i].b, d);
  }
  char longer[200];
  memset(longer, 'a', 199);
  longer[199] = '\0';
  ck_assert_uint_eq(crv_edit_distance(longer, longer + 1, 2), 3);
  ck_assert_uint_eq(crv_edit_distance(longer, longer, 2), 0);
}
END_TEST

START_TEST(columns_count_characters_and_no_combining_marks) {
  ck_assert_uint_eq(crv_text_columns(""), 0);
  ck_assert_uint_eq(crv_text_columns("abc"), 3);
  ck_assert_uint_eq(crv_text_columns("Zürich"), 6);
  ck_assert_uint_eq(crv_text_columns("Zu\xCC\x88rich"), 6);
  ck_assert_uint_eq(crv_text_columns("\xE2\x82\xAC 5"), 3);
  ck_assert_uint_eq(crv_text_columns("a\xFF"), 2);
}
END_TEST

START_TEST(wide_characters_were_counted_as_one_column) {
  size_t used;
  ck_assert_uint_eq(crv_text_columns("日本"), 4);
  ck_assert_uint_eq(crv_text_columns("ｆ한👩"), 6);
  ck_assert_uint_eq(crv_text_fit("日本語", 5, &used), strlen("日本"));
  ck_assert_uint_eq(used, 4);
  ck_assert_uint_eq(crv_text_fit("Zu\xCC\x88rich", 2, &used), strlen("Zu\xCC\x88"));
  ck_assert_uint_eq(crv_text_fit("abc", 9, &used), 3);
  ck_assert_uint_eq(used, 3);
}
END_TEST

static const struct {
  const char *text;
  bool plain, with_lines;
} plains[] = {
    {"", true, true},
    {"Zürich, 日本 👩 ‰", true, true},
    {"a\nb\r\tc", false, true},
    {"\x1b[31m", false, false},
    {"a\x7f", false, false},
    {"\xC2\x9b"
     "31m",
     false, false},
    {"\xC2\xA0", true, true},
    {"\xE2\x80\xA8", false, false},
    {"\xE2\x80\xAE"
     "abc",
     false, false},
    {"\xE2\x81\xA6"
     "abc",
     false, false},
    {"\xEF\xBF\xBE", false, false},
    {"\xEF\xBF\xBF", false, false},
    {"\xEF\xBF\xBD", true, true},
    {"\xFF", false, false},
};

START_TEST(texts_that_turn_round_or_break_lines_are_not_plain) {
  ck_assert_int_eq(crv_text_plain(plains[_i].text, false), plains[_i].plain);
  ck_assert_int_eq(crv_text_plain(plains[_i].text, true), plains[_i].with_lines);
}
END_TEST

static const struct {
  const char *in, *out;
} repairs[] = {
    {"", ""},
    {"abc", "abc"},
    {"a\xE2\x82", "a"},
    {"a\xE2", "a"},
    {"a\xF0\x9F\x98", "a"},
    {"\xFF", "?"},
    {"a\x80z", "a?z"},
    {"\xC0\xAFz", "??z"},
    {"\xED\xA0\x80", "???"},
    {"\xE2\x82\xAC", "\xE2\x82\xAC"},
    {"a\xE2z", "a?z"},
    {"\xF5", "?"},
};

START_TEST(repaired_texts_are_utf8) {
  for (size_t i = 0; i < sizeof repairs / sizeof *repairs; i++) {
    char text[16];
    strncpy(text, repairs[i].in, sizeof text - 1);
    text[sizeof text - 1] = '\0';
    crv_text_repair(text);
    ck_assert_msg(strcmp(text, repairs[i].out) == 0, "%zu: %s", i, text);
    ck_assert(crv_utf8_ok(text, strlen(text)));
  }
}
END_TEST

START_TEST(quotes_are_cut_at_forty_bytes_and_escaped) {
  char out[CRV_QUOTE_ROOM];
  ck_assert_str_eq(crv_text_quote("abc", 3, out), "\"abc\"");
  ck_assert_str_eq(crv_text_quote("", 0, out), "\"\"");
  ck_assert_str_eq(crv_text_quote("a\"b\\c\n\t\r\x01\x7F", 10, out),
                   "\"a\\\"b\\\\c\\n\\t\\r\\u0001\\u007f\"");
  ck_assert_str_eq(crv_text_quote("\xFF\0x", 3, out), "\"\\xff\\u0000x\"");
  ck_assert_str_eq(crv_text_quote("\xC2\x85", 2, out), "\"\\u0085\"");
  ck_assert_str_eq(crv_text_quote("0123456789012345678901234567890123456789", 40, out),
                   "\"0123456789012345678901234567890123456789\"");
  ck_assert_str_eq(crv_text_quote("0123456789012345678901234567890123456789a", 41, out),
                   "\"0123456789012345678901234567890123456789...\"");
  ck_assert_str_eq(crv_text_quote("012345678901234567890123456789012345678\xE2\x82\xAC", 42, out),
                   "\"012345678901234567890123456789012345678...\"");
  char controls[100];
  memset(controls, 2, sizeof controls);
  ck_assert_uint_eq(strlen(crv_text_quote(controls, sizeof controls, out)), 40 * 6 + 5);
}
END_TEST

static const struct {
  const char *a, *b;
  int order;
} versions[] = {
    {"580.159", "580.159", 0},
    {"580.9", "580.159", -1},
    {"580", "580.0", 0},
    {"580.0.1", "580", 1},
    {"0.17.0", "0.9.2", 1},
    {"007", "7", 0},
    {"1.0", "1.0rc1", -1},
    {"vllm 0.17.0", "vllm 0.9", 1},
    {"abc", "abd", -1},
    {"v1.2", "1.2", 0},
    {"vllm 1", "sglang 2", 1},
    {"", "1", -1},
    {"99999999999999999999999", "99999999999999999999998", 1},
    {"1.2-a", "1.2-b", -1},
};

START_TEST(versions_compare_as_numbers) {
  for (size_t i = 0; i < sizeof versions / sizeof *versions; i++) {
    int c = crv_version_cmp(versions[i].a, versions[i].b);
    int back = crv_version_cmp(versions[i].b, versions[i].a);
    c = (c > 0) - (c < 0);
    back = (back > 0) - (back < 0);
    ck_assert_msg(c == versions[i].order && back == -c, "%s %s: %d", versions[i].a, versions[i].b,
                  c);
  }
}
END_TEST

static const struct {
  const char *v, *rule;
  bool matches;
} rules[] = {
    {"580.159", ">=580", true},
    {"579.99", ">=580", false},
    {"580", ">=580.0", true},
    {"599", "<600", true},
    {"600", "<600", false},
    {"600", "<=600", true},
    {"601", ">600", true},
    {"600.0", ">600", false},
    {"580.159", "580.*", true},
    {"580", "580.*", true},
    {"5801.1", "580.*", false},
    {"58.1", "580.*", false},
    {"580.159", "58.*", false},
    {"585", ">=580,<590", true},
    {"590", ">=580,<590", false},
    {"585", ">=580, <590", true},
    {"580.159", "580.159", true},
    {"580.159", "580.15", false},
    {"580.1", "!=580.1", false},
    {"580.1", "==580.1.0", true},
    {"580.1", "=580.1", true},
    {"vllm 0.17.0", "vllm >=0.17", true},
    {"sglang 0.17.0", "vllm >=0.17", false},
    {"vllm 0.17.0", ">=0.17", true},
    {"vllm 0.17.3", "vllm 0.17.*", true},
    {"0.17.3", "vllm 0.17.*", false},
    {"vllm 0.17.0", "vllm 0.17.0", true},
    {"", ">=1", false},
    {"abc", ">=1", false},
    {"1", ">=", false},
    {"1", ">=1,", false},
    {"anything", "*", true},
    {"580", ">=abc", false},
    {"abc", "==abc", true},
    {"abc", "!=abd", true},
    {"1.10", ">1.9", true},
};

START_TEST(version_rules_hold_or_not) {
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    ck_assert_msg(crv_version_matches(rules[i].v, rules[i].rule) == rules[i].matches, "%s %s",
                  rules[i].v, rules[i].rule);
  ck_assert(!crv_version_matches(NULL, "*"));
  ck_assert(!crv_version_matches("1", NULL));
}
END_TEST

/* FIPS 180-2, appendix B. */
START_TEST(sha256_gives_the_published_digests) {
  char out[CRV_SHA256_HEX];
  const struct crv_bytes parts[] = {{"a", 1}, {NULL, 0}, {"bc", 2}};
  const char *abc = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
  ck_assert_str_eq(crv_sha256_hex("abc", 3, out), abc);
  ck_assert_str_eq(crv_sha256_hex_parts(parts, 3, out), abc);
  ck_assert_str_eq(crv_sha256_hex("", 0, out),
                   "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
}
END_TEST

int main(void) {
  Suite *s = suite_create("text");
  TCase *t = tcase_create("text");
  tcase_add_test(t, equality_and_order_know_null);
  tcase_add_test(t, distances_are_as_counted_by_hand);
  tcase_add_test(t, columns_count_characters_and_no_combining_marks);
  tcase_add_test(t, wide_characters_were_counted_as_one_column);
  tcase_add_loop_test(t, texts_that_turn_round_or_break_lines_are_not_plain, 0,
                      sizeof plains / sizeof *plains);
  tcase_add_test(t, repaired_texts_are_utf8);
  tcase_add_test(t, quotes_are_cut_at_forty_bytes_and_escaped);
  tcase_add_test(t, versions_compare_as_numbers);
  tcase_add_test(t, version_rules_hold_or_not);
  tcase_add_test(t, sha256_gives_the_published_digests);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
