/* core/base/json: what the door takes and refuses, with line and column; canonical text. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"

static struct crv_err err;

static json_t *parse_n(const char *s, size_t len) {
  crv_err_init(&err);
  json_t *j = crv_json_parse(s, len, &err);
  ck_assert_msg(j || err.code == CRV_MALFORMED_JSON, "%s", s);
  ck_assert_msg(!j || err.code == CRV_OK, "%s", s);
  return j;
}

static json_t *parse(const char *s) {
  return parse_n(s, strlen(s));
}

/* What canonical gives for text that is taken. */
static const struct {
  const char *in, *out;
} taken[] = {
    {"{}", "{}"},
    {" \t\r\n{ } \n", "{}"},
    {"{\"b\":1,\"a\":2}", "{\"a\":2,\"b\":1}"},
    {"{\"a\":[true,false,null,\"x\",-1,0]}", "{\"a\":[true,false,null,\"x\",-1,0]}"},
    {"{\"a\":-0}", "{\"a\":0}"},
    {"{\"a\":1.50}", "{\"a\":\"1.50\"}"},
    {"{\"a\":-0.0}", "{\"a\":\"-0.0\"}"},
    {"{\"a\":1e400,\"b\":[1E+2,2e-2]}", "{\"a\":\"1e400\",\"b\":[\"1E+2\",\"2e-2\"]}"},
    {"{\"a\":9007199254740993}", "{\"a\":9007199254740993}"},
    {"{\"a\":9223372036854775807}", "{\"a\":9223372036854775807}"},
    {"{\"a\":-9223372036854775808}", "{\"a\":-9223372036854775808}"},
    {"{\"a\":9223372036854775808}", "{\"a\":\"9223372036854775808\"}"},
    {"{\"a\":-9223372036854775809}", "{\"a\":\"-9223372036854775809\"}"},
    {"{\"a\":123456789012345678901234567890}", "{\"a\":\"123456789012345678901234567890\"}"},
    {"{\"\\u00e9\":\"\\ud83d\\ude00\"}", "{\"\xC3\xA9\":\"\xF0\x9F\x98\x80\"}"},
    {"{\"a\":\"x\\u0001\"}", "{\"a\":\"x\\u0001\"}"},
    {"{\"a\":\"\\\"\\u0001\",\"b\":1.5}", "{\"a\":\"\\\"\\u0001\",\"b\":\"1.5\"}"},
    {"{\"a\":\"\\\\\",\"b\":2.5}", "{\"a\":\"\\\\\",\"b\":\"2.5\"}"},
    {"{\"\":0,\"a\":{\"\":1}}", "{\"\":0,\"a\":{\"\":1}}"},
    {"{\"a\":\"\\u007f\\/\\b\\f\\n\\r\\t\"}", "{\"a\":\"\x7F/\\b\\f\\n\\r\\t\"}"},
};

START_TEST(what_is_taken_has_one_canonical_text) {
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) {
    _json_ json_t *j = parse(taken[i].in);
    ck_assert_msg(j != NULL, "%s: %s", taken[i].in, err.detail);
    _free_ char *s = crv_json_canonical(j);
    ck_assert_str_eq(s, taken[i].out);
    _json_ json_t *again = crv_json_parse_stored(s, strlen(s), &err);
    _free_ char *same = crv_json_canonical(again);
    ck_assert_str_eq(same, s);
  }
}
END_TEST

/* Refused, with the beginning of the detail and a word of it. */
static const struct {
  const char *in, *begins, *says;
} refused[] = {
    {"", "line 1, column 1:", "body is empty"},
    {"  \n ", "line 2, column 2:", "body is empty"},
    {"[]", "line 1, column 1:", "must be an object; got a list"},
    {"\n \"a\"", "line 2, column 2:", "must be an object; got a text"},
    {"12", "line 1, column 1:", "must be an object; got a number"},
    {"null", "line 1, column 1:", "must be an object"},
    {"x", "line 1, column 1:", "expected an object"},
    {"{", "line 1, column 2:", "end of the text"},
    {"{\"a\"", "line 1, column 5:", "\":\" after the key"},
    {"{\"a\":", "line 1, column 6:", "end of the text"},
    {"{\"a\":1", "line 1, column 7:", "end of the text"},
    {"{\"a\":1]", "line 1, column 7:", "\",\" or \"}\""},
    {"{\"a\":[1}", "line 1, column 8:", "\",\" or \"]\""},
    {"{\"a\":1,}", "line 1, column 8:", "a key in double quotes"},
    {"{\"a\":[1,]}", "line 1, column 9:", "expected a value"},
    {"{\"a\":[,1]}", "line 1, column 7:", "expected a value"},
    {"{a:1}", "line 1, column 2:", "a key in double quotes"},
    {"{'a':1}", "line 1, column 2:", "a key in double quotes"},
    {"{\"a\" 1}", "line 1, column 6:", "\":\" after the key"},
    {"{} {}", "line 1, column 4:", "nothing after"},
    {"{}\n\n  x", "line 3, column 3:", "nothing after"},
    {"{\"a\":NaN}", "line 1, column 6:", "expected a value"},
    {"{\"a\":Infinity}", "line 1, column 6:", "expected a value"},
    {"{\"a\":-Infinity}", "line 1, column 7:", "a digit"},
    {"{\"a\":nan}", "line 1, column 6:", "expected a value"},
    {"{\"a\":True}", "line 1, column 6:", "expected a value"},
    {"{\"a\":truex}", "line 1, column 10:", "\",\" or \"}\""},
    {"{\"a\":+1}", "line 1, column 6:", "expected a value"},
    {"{\"a\":01}", "line 1, column 6:", "leading zero"},
    {"{\"a\":-01}", "line 1, column 6:", "leading zero"},
    {"{\"a\":.5}", "line 1, column 6:", "expected a value"},
    {"{\"a\":1.}", "line 1, column 8:", "a digit"},
    {"{\"a\":1e}", "line 1, column 8:", "a digit"},
    {"{\"a\":1e+}", "line 1, column 9:", "a digit"},
    {"{\"a\":0x1}", "line 1, column 7:", "\",\" or \"}\""},
    {"{\"a\":1 /* c */}", "line 1, column 8:", "\",\" or \"}\""},
    {"{\"a\":\"\n\"}", "line 1, column 7:", "control character"},
    {"{\"a\":\"x", "line 1, column 6:", "does not end"},
    {"{\"a\":\"\\x\"}", "line 1, column 7:", "unknown escape"},
    {"{\"a\":\"\\u12g4\"}", "line 1, column 7:", "four hex digits"},
    {"{\"a\":\"\\u0000\"}", "line 1, column 7:", "\\u0000"},
    {"{\"\\u0000\":1}", "line 1, column 3:", "\\u0000"},
    {"{\"a\":\"\\u0001x\"}", "line 1, column 7:", "\\u0001"},
    {"{\"\\u0001\":1}", "line 1, column 3:", "\\u0001"},
    {"{\"a\":\"\\ud800\"}", "line 1, column 7:", "surrogate"},
    {"{\"a\":\"\\ud800\\u0041\"}", "line 1, column 7:", "surrogate"},
    {"{\"a\":\"\\udc00\"}", "line 1, column 7:", "surrogate"},
    {"{\"a\":\"\\udc00\\ud800\"}", "line 1, column 7:", "surrogate"},
    {"{\"a\":\"\xC3\xA4\xC0\xAF\"}", "line 1, column 8:", "UTF-8 (byte 0xc0)"},
    {"{\"a\":\"\xED\xA0\x80\"}", "line 1, column 7:", "UTF-8"},
    {"{\"a\":\"\xF4\x90\x80\x80\"}", "line 1, column 7:", "UTF-8"},
    {"{\"a\":\"\xE2\x82\"}", "line 1, column 7:", "UTF-8"},
    {"{\"a\":1\xFF}", "line 1, column 7:", "got \"\\xff\""},
    {"\xEF\xBB\xBF{}", "line 1, column 1:", "byte order mark"},
    {"{\"a\":1,\"a\":2}", "line 1, column 8:", "the key \"a\" stands twice"},
    {"{\"a\":1,\"\\u0061\":2}", "line 1, column 8:", "stands twice"},
    {"{\"x\":1.5,\n \"\xC3\xBC\":1.25,\"y\":{\"k\\\"\":1,\"k\\\"\":2}}",
     "line 2, column 24:", "stands twice"},
};

START_TEST(what_is_refused_says_where_and_why) {
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    json_t *j = parse(refused[i].in);
    ck_assert_msg(!j, "%s", refused[i].in);
    ck_assert_msg(strncmp(err.detail, refused[i].begins, strlen(refused[i].begins)) == 0, "%s: %s",
                  refused[i].in, err.detail);
    ck_assert_msg(strstr(err.detail, refused[i].says) != NULL, "%s: %s", refused[i].in, err.detail);
  }
}
END_TEST

START_TEST(nul_and_utf16_are_refused) {
  ck_assert_ptr_null(parse_n("{\"a\":\"x\0y\"}", 11));
  ck_assert_ptr_nonnull(strstr(err.detail, "line 1, column 8: a NUL byte"));
  ck_assert_ptr_null(parse_n("{}\0", 3));
  ck_assert_ptr_nonnull(strstr(err.detail, "NUL"));
  ck_assert_ptr_null(parse_n("{\"a\0\":1}", 8));
  ck_assert_ptr_null(parse_n("{\0}\0", 4));
  ck_assert_ptr_nonnull(strstr(err.detail, "UTF-16"));
  ck_assert_ptr_null(parse_n("\0{\0}", 4));
  ck_assert_ptr_nonnull(strstr(err.detail, "UTF-16"));
  ck_assert_ptr_null(parse_n("\xFF\xFE{\0}\0", 6));
  ck_assert_ptr_nonnull(strstr(err.detail, "UTF-16"));
  ck_assert_ptr_null(parse_n("\xFE\xFF\0{\0}", 6));
  ck_assert_ptr_nonnull(strstr(err.detail, "UTF-16"));
  ck_assert_ptr_null(parse_n(NULL, 0));
  ck_assert_ptr_nonnull(strstr(err.detail, "empty"));
}
END_TEST

/* An object with lists in it, n levels in all. */
static char *nested(size_t n) {
  struct crv_buf b;
  crv_buf_init(&b, 0);
  crv_buf_str(&b, "{\"a\":");
  for (size_t i = 1; i < n; i++) crv_buf_char(&b, '[');
  if (n == 1) crv_buf_char(&b, '1');
  for (size_t i = 1; i < n; i++) crv_buf_char(&b, ']');
  crv_buf_char(&b, '}');
  return crv_buf_take(&b, NULL);
}

START_TEST(the_depth_limit_is_met_exactly) {
  _free_ char *fits = nested(32), *deep = nested(33), *stored = nested(64), *too_deep = nested(65);
  _free_ char *abyss = nested(500000);
  _json_ json_t *j = parse(fits), *kept = crv_json_parse_stored(stored, strlen(stored), &err);
  ck_assert_ptr_nonnull(j);
  ck_assert_ptr_nonnull(kept);
  ck_assert_ptr_null(parse(deep));
  ck_assert_str_eq(err.detail,
                   "line 1, column 37: nested more than 32 levels deep; the limit is 32.");
  ck_assert_ptr_null(crv_json_parse_stored(too_deep, strlen(too_deep), &err));
  ck_assert_ptr_null(parse(abyss));
}
END_TEST

static char *list_of(size_t n) {
  struct crv_buf b;
  crv_buf_init(&b, 0);
  crv_buf_str(&b, "{\"a\":[1");
  for (size_t i = 1; i < n; i++) crv_buf_str(&b, ",1");
  crv_buf_str(&b, "]}");
  return crv_buf_take(&b, NULL);
}

START_TEST(the_token_limit_is_met_exactly) {
  _free_ char *fits = list_of(100000 - 3), *over = list_of(100000 - 2);
  _json_ json_t *j = parse(fits), *stored = crv_json_parse_stored(over, strlen(over), &err);
  ck_assert_ptr_nonnull(j);
  ck_assert_ptr_nonnull(stored);
  ck_assert_ptr_null(parse(over));
  ck_assert_ptr_nonnull(strstr(err.detail, "the limit is 100000"));
}
END_TEST

START_TEST(stored_text_may_have_any_top) {
  static const char *const tops[] = {"[]", "1", "\"x\"", "null", "true", "{}", "[1,{\"a\":2}]"};
  for (size_t i = 0; i < sizeof tops / sizeof *tops; i++) {
    crv_err_init(&err);
    _json_ json_t *j = crv_json_parse_stored(tops[i], strlen(tops[i]), &err);
    _free_ char *s = crv_json_canonical(j);
    ck_assert_str_eq(s, tops[i]);
  }
  ck_assert_ptr_null(crv_json_parse_stored("[1] x", 5, &err));
  ck_assert_ptr_null(crv_json_parse_stored("{\"a\":1,\"a\":1}", 13, &err));
}
END_TEST

START_TEST(number_tokens_are_kept_as_marked_text) {
  _json_ json_t *j = parse("{\"a\":0.10,\"b\":\"0.10\",\"c\":99999999999999999999}");
  const char *a = json_string_value(json_object_get(j, "a"));
  const char *b = json_string_value(json_object_get(j, "b"));
  const char *c = json_string_value(json_object_get(j, "c"));
  ck_assert_int_eq(a[0], CRV_JSON_NUM);
  ck_assert_str_eq(a + 1, "0.10");
  ck_assert_str_eq(b, "0.10");
  ck_assert_int_eq(c[0], CRV_JSON_NUM);
  ck_assert_str_eq(c + 1, "99999999999999999999");
}
END_TEST

START_TEST(compact_keeps_the_order_of_keys) {
  _json_ json_t *j = parse("{\"b\": 1, \"a\": [1.5, {\"d\": 1, \"c\": 2}]}");
  _free_ char *s = crv_json_compact(j);
  ck_assert_str_eq(s, "{\"b\":1,\"a\":[\"1.5\",{\"d\":1,\"c\":2}]}");
}
END_TEST

START_TEST(keys_are_sorted_by_bytes) {
  _json_ json_t *j = parse("{\"\xC3\xA4\":1,\"z\":2,\"Z\":3,\"aa\":4,\"a\":5}");
  _free_ char *s = crv_json_canonical(j);
  ck_assert_str_eq(s, "{\"Z\":3,\"a\":5,\"aa\":4,\"z\":2,\"\xC3\xA4\":1}");
}
END_TEST

START_TEST(a_real_is_never_written) {
  _json_ json_t *j = json_pack("{s:[{s:f}]}", "a", "b", 0.5);
  ck_assert_ptr_nonnull(j);
  ck_assert_ptr_null(crv_json_canonical(j));
  ck_assert_ptr_null(crv_json_compact(j));
  ck_assert_ptr_null(crv_json_canonical(NULL));
}
END_TEST

START_TEST(constructors_leave_null_out) {
  _json_ json_t *j = json_object();
  ck_assert(crv_json_set_text(j, "text", "x") && crv_json_set_text(j, "none", NULL));
  ck_assert(crv_json_set_int(j, "int", -5) && crv_json_set_bool(j, "yes", true));
  ck_assert(crv_json_set_opt(j, "set", (struct crv_opt_int){3, true}));
  ck_assert(crv_json_set_opt(j, "unset", (struct crv_opt_int){3, false}));
  ck_assert(crv_json_set_decimal(j, "decimal", 500000) && crv_json_set_money(j, "money", 47140000));
  ck_assert(crv_json_set_time(j, "time", 1796032800000));
  ck_assert(crv_json_set_steal(j, "list", json_array()) && crv_json_set_steal(j, "gone", NULL));
  _free_ char *s = crv_json_compact(j);
  ck_assert_str_eq(s, "{\"text\":\"x\",\"int\":-5,\"yes\":true,\"set\":3,\"unset\":null,"
                      "\"decimal\":\"0.5\",\"money\":\"47.14\",\"time\":\"2026-11-30T10:00:00Z\","
                      "\"list\":[]}");
  ck_assert(!crv_json_set_text(j, "bad", "\xFF"));
  ck_assert(!crv_json_set_int(NULL, "x", 1));
}
END_TEST

int main(void) {
  Suite *s = suite_create("json");
  TCase *t = tcase_create("json");
  tcase_add_test(t, what_is_taken_has_one_canonical_text);
  tcase_add_test(t, what_is_refused_says_where_and_why);
  tcase_add_test(t, nul_and_utf16_are_refused);
  tcase_add_test(t, the_depth_limit_is_met_exactly);
  tcase_add_test(t, the_token_limit_is_met_exactly);
  tcase_add_test(t, stored_text_may_have_any_top);
  tcase_add_test(t, number_tokens_are_kept_as_marked_text);
  tcase_add_test(t, compact_keeps_the_order_of_keys);
  tcase_add_test(t, keys_are_sorted_by_bytes);
  tcase_add_test(t, a_real_is_never_written);
  tcase_add_test(t, constructors_leave_null_out);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
