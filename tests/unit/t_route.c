/* Matching of raw paths, and the query string. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/query.h"
#include "server/route.h"

#define ROW(m, p) \
  { .method = CRV_M_##m, .pattern = p, .params = "limit cursor token" }
static const struct crv_route table[] = {
    ROW(GET, "/"),
    ROW(GET, "/v1/offers"),
    ROW(GET, "/v1/offers/{key}"),
    ROW(PUT, "/v1/offers/{key}"),
    ROW(DELETE, "/v1/offers/{key}"),
    ROW(GET, "/v1/offers/{key}/versions/{n}"),
    ROW(GET, "/v1/decisions/{n}"),
    ROW(DELETE, "/v1/decisions/{n}"),
    ROW(GET, "/v1/decisions/head"),
    ROW(POST, "/v1/decisions"),
    ROW(GET, "/v1/{a}/{b}/{c}/{d}/end"),
};
enum { ROWS = sizeof table / sizeof *table };

static const struct {
  enum crv_method method;
  const char *path;
  enum crv_code code;  /* CRV_OK: a match */
  const char *pattern; /* NULL: no row for the method */
  const char *capture[2];
} paths[] = {
    {CRV_M_GET, "/", CRV_OK, "/", {NULL}},
    {CRV_M_GET, "/v1/offers", CRV_OK, "/v1/offers", {NULL}},
    {CRV_M_HEAD, "/v1/offers", CRV_OK, "/v1/offers", {NULL}},
    {CRV_M_HEAD, "/v1/decisions", CRV_OK, NULL, {NULL}},
    {CRV_M_POST, "/v1/offers", CRV_OK, NULL, {NULL}},
    {CRV_M_PUT, "/v1/offers/a-1", CRV_OK, "/v1/offers/{key}", {"a-1", NULL}},
    {CRV_M_GET, "/v1/%6fffers/a%2Db", CRV_OK, "/v1/offers/{key}", {"a-b", NULL}},
    {CRV_M_GET, "/v1/offers/a+b", CRV_OK, "/v1/offers/{key}", {"a+b", NULL}},
    {CRV_M_GET, "/v1/offers/k/versions/12", CRV_OK, "/v1/offers/{key}/versions/{n}", {"k", "12"}},
    {CRV_M_GET, "/v1/offers/gr%C3%BC%C3%9Fe", CRV_OK, "/v1/offers/{key}", {"gr\303\274\303\237e"}},
    {CRV_M_GET, "/v1/decisions/head", CRV_OK, "/v1/decisions/head", {NULL}},
    {CRV_M_GET, "/v1/decisions/17", CRV_OK, "/v1/decisions/{n}", {"17"}},
    {CRV_M_DELETE, "/v1/decisions/head", CRV_OK, NULL, {NULL}},
    {CRV_M_GET, "/v1/w/x/y/z/end", CRV_OK, "/v1/{a}/{b}/{c}/{d}/end", {"w", "x"}},
    {CRV_M_GET, "/v1/offers/", CRV_NOT_FOUND, NULL, {NULL}},
    {CRV_M_GET, "//", CRV_NOT_FOUND, NULL, {NULL}},
    {CRV_M_GET, "//v1/offers", CRV_NOT_FOUND, NULL, {NULL}},
    {CRV_M_GET, "/v1//offers", CRV_NOT_FOUND, NULL, {NULL}},
    {CRV_M_GET, "/v1/offers/k/versions", CRV_NOT_FOUND, NULL, {NULL}},
    {CRV_M_GET, "/v1/offer", CRV_NOT_FOUND, NULL, {NULL}},
    {CRV_M_GET, "/v1/offers;x", CRV_NOT_FOUND, NULL, {NULL}},
    {CRV_M_GET, "/V1/offers", CRV_NOT_FOUND, NULL, {NULL}},
    {CRV_M_GET, "/1/2/3/4/5/6/7/8/9/10/11/12/13/14/15/16/17", CRV_NOT_FOUND, NULL, {NULL}},
    {CRV_M_GET, "/v1/offers/%00", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "/v1/offers/abc%00def", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "/v1/offers/a%2Fb", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "/v1%2foffers", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "/v1/offers/%", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "/v1/offers/%4", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "/v1/offers/%zz", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "/v1/offers/%u0041", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "/v1/offers/%ff", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "/v1/offers/%C0%AF", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "/v1/offers/%0a", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "/v1/offers/%7f", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "/v1/./offers", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "/v1/offers/..", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "/v1/%2e%2e/offers", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "/v1/.%2E/offers", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "v1/offers", CRV_BAD_PATH, NULL, {NULL}},
    {CRV_M_GET, "", CRV_BAD_PATH, NULL, {NULL}},
};

START_TEST(path_of_table) {
  struct crv_err err;
  struct crv_match m;
  struct crv_arena *a = crv_arena_new(0);
  crv_err_init(&err);
  bool ok = crv_route_match(table, ROWS, paths[_i].method, paths[_i].path, a, &m, &err);
  ck_assert_msg(ok == (paths[_i].code == CRV_OK), "%s: %s", paths[_i].path, err.detail);
  if (!ok) {
    ck_assert_int_eq(err.code, paths[_i].code);
    ck_assert_str_ne(err.detail, "");
  } else if (!paths[_i].pattern) {
    ck_assert_ptr_null(m.route);
    ck_assert_uint_ne(m.allowed, 0);
  } else {
    ck_assert_ptr_nonnull(m.route);
    ck_assert_str_eq(m.route->pattern, paths[_i].pattern);
    for (int i = 0; i < 2 && paths[_i].capture[i]; i++)
      ck_assert_str_eq(m.capture[i], paths[_i].capture[i]);
  }
  crv_arena_free(a);
}
END_TEST

START_TEST(allowed_is_of_the_most_specific_path) {
  struct crv_err err;
  struct crv_match m;
  struct crv_arena *a = crv_arena_new(0);
  crv_err_init(&err);
  ck_assert(crv_route_match(table, ROWS, CRV_M_POST, "/v1/offers/k", a, &m, &err));
  ck_assert_uint_eq(m.allowed, 1u << CRV_M_GET | 1u << CRV_M_PUT | 1u << CRV_M_DELETE);
  ck_assert(crv_route_match(table, ROWS, CRV_M_DELETE, "/v1/decisions/head", a, &m, &err));
  ck_assert_uint_eq(m.allowed, 1u << CRV_M_GET);
  crv_arena_free(a);
}
END_TEST

static enum crv_code match_long(size_t len) {
  struct crv_err err;
  struct crv_match m;
  struct crv_arena *a = crv_arena_new(0);
  char *path = malloc(len + 1);
  ck_assert_ptr_nonnull(path);
  memset(path, 'a', len);
  memcpy(path, "/v1/offers/", 11);
  path[len] = '\0';
  crv_err_init(&err);
  bool ok = crv_route_match(table, ROWS, CRV_M_GET, path, a, &m, &err);
  free(path);
  crv_arena_free(a);
  return ok ? CRV_OK : err.code;
}

START_TEST(path_length_limit) {
  ck_assert_int_eq(match_long(4096), CRV_OK);
  ck_assert_int_eq(match_long(4097), CRV_URI_TOO_LONG);
  ck_assert_int_eq(match_long(70000), CRV_URI_TOO_LONG);
}
END_TEST

START_TEST(no_memory_for_captures) {
  struct crv_err err;
  struct crv_match m;
  struct crv_arena *a = crv_arena_new(1);
  crv_err_init(&err);
  ck_assert(!crv_route_match(table, ROWS, CRV_M_GET, "/v1/offers/abcdefgh", a, &m, &err));
  ck_assert_int_eq(err.code, CRV_OUT_OF_MEMORY);
  crv_arena_free(a);
}
END_TEST

START_TEST(methods_and_roles) {
  ck_assert_int_eq(crv_method_parse("GET"), CRV_M_GET);
  ck_assert_int_eq(crv_method_parse("get"), CRV_M_UNKNOWN);
  ck_assert_int_eq(crv_method_parse("TRACE"), CRV_M_UNKNOWN);
  ck_assert_int_eq(crv_method_parse(""), CRV_M_UNKNOWN);
  ck_assert_str_eq(crv_method_name(CRV_M_DELETE), "DELETE");
  ck_assert_str_eq(crv_role_name(CRV_ROLE_PROCUREMENT), "procurement");
  ck_assert_uint_eq(crv_role_parse("ci"), CRV_ROLE_CI);
  ck_assert_uint_eq(crv_role_parse("root"), 0);
  for (unsigned bit = 1; bit <= CRV_ROLE_ADMIN; bit <<= 1)
    ck_assert_uint_eq(crv_role_parse(crv_role_name(bit)), bit);
}
END_TEST

#define TOKEN "crv_12_0123456789abcdef0123456789abcdef_01234567"

static const struct {
  const char *raw;
  enum crv_code code;
  const char *name, *value; /* expected, when ok; NULL: no parameter */
} queries[] = {
    {"", CRV_OK, NULL, NULL},
    {"&&", CRV_OK, NULL, NULL},
    {"limit=10", CRV_OK, "limit", "10"},
    {"limit", CRV_OK, "limit", ""},
    {"limit=", CRV_OK, "limit", ""},
    {"limit=a+b%2Bc%2Fd", CRV_OK, "limit", "a b+c/d"},
    {"limit=a=b", CRV_OK, "limit", "a=b"},
    {"&limit=1&", CRV_OK, "limit", "1"},
    {"%6Cimit=1", CRV_OK, "limit", "1"},
    {"format=json", CRV_OK, "format", "json"},
    {"pretty", CRV_OK, "pretty", ""},
    {"token=x", CRV_OK, "token", "x"}, /* a known parameter of this route */
    {"limit=1&limit=2", CRV_BAD_PARAMETER, NULL, NULL},
    {"limit=1&%6cimit=1", CRV_BAD_PARAMETER, NULL, NULL},
    {"limit=%00", CRV_BAD_PARAMETER, NULL, NULL},
    {"limit=%", CRV_BAD_PARAMETER, NULL, NULL},
    {"limit=%ff", CRV_BAD_PARAMETER, NULL, NULL},
    {"limit=%0d%0a", CRV_BAD_PARAMETER, NULL, NULL},
    {"%=1", CRV_BAD_PARAMETER, NULL, NULL},
    {"access_token=x", CRV_TOKEN_IN_QUERY, NULL, NULL},
    {"limit=1&auth=x", CRV_TOKEN_IN_QUERY, NULL, NULL},
    {"api_key=x", CRV_TOKEN_IN_QUERY, NULL, NULL},
    {"key=x", CRV_TOKEN_IN_QUERY, NULL, NULL},
    {"limit=" TOKEN, CRV_TOKEN_IN_QUERY, NULL, NULL},
    {TOKEN "=1", CRV_TOKEN_IN_QUERY, NULL, NULL},
    {"limit=crv_1_abc", CRV_OK, "limit", "crv_1_abc"},
    {"limi=1", CRV_UNKNOWN_PARAMETER, NULL, NULL},
    {"Limit=1", CRV_UNKNOWN_PARAMETER, NULL, NULL},
    {"=1", CRV_UNKNOWN_PARAMETER, NULL, NULL},
    {"limit%20cursor=1", CRV_UNKNOWN_PARAMETER, NULL, NULL},
};

START_TEST(query) {
  struct crv_err err;
  struct crv_query q;
  struct crv_arena *a = crv_arena_new(0);
  crv_err_init(&err);
  bool ok = crv_query_parse(&table[1], queries[_i].raw, a, &q, &err) &&
            crv_query_known(&table[1], &q, &err);
  ck_assert_msg(ok == (queries[_i].code == CRV_OK), "%s: %s", queries[_i].raw, err.detail);
  if (!ok)
    ck_assert_int_eq(err.code, queries[_i].code);
  else if (!queries[_i].name)
    ck_assert_uint_eq(q.n, 0);
  else {
    ck_assert_uint_eq(q.n, 1);
    ck_assert_str_eq(q.params[0].name, queries[_i].name);
    ck_assert_str_eq(q.params[0].value, queries[_i].value);
  }
  crv_arena_free(a);
}
END_TEST

START_TEST(unknown_parameter_names_the_known_ones) {
  struct crv_err err;
  struct crv_query q;
  struct crv_arena *a = crv_arena_new(0);
  crv_err_init(&err);
  ck_assert(crv_query_parse(&table[1], "limti=1", a, &q, &err));
  ck_assert(!crv_query_known(&table[1], &q, &err));
  ck_assert_ptr_nonnull(strstr(err.detail, "did you mean 'limit'? Known: limit,"));
  ck_assert_ptr_nonnull(strstr(err.detail, "limit, cursor, token, format, pretty"));
  crv_arena_free(a);
}
END_TEST

START_TEST(token_in_query_is_not_repeated_in_the_detail) {
  struct crv_err err;
  struct crv_query q;
  struct crv_arena *a = crv_arena_new(0);
  crv_err_init(&err);
  ck_assert(!crv_query_parse(&table[1], "access_token=crv_abc_secret", a, &q, &err));
  ck_assert_ptr_null(strstr(err.detail, "secret"));
  crv_arena_free(a);
}
END_TEST

START_TEST(too_many_parameters) {
  struct crv_err err;
  struct crv_query q;
  struct crv_arena *a = crv_arena_new(0);
  char raw[65 * 5 + 1] = "";
  for (unsigned i = 0; i < 65; i++)
    memcpy(raw + i * 5, (char[]){'p', (char)('0' + i / 10), (char)('0' + i % 10), '=', '&'}, 5);
  crv_err_init(&err);
  ck_assert(!crv_query_parse(&table[1], raw, a, &q, &err));
  ck_assert_int_eq(err.code, CRV_BAD_PARAMETER);
  raw[63 * 5 + 4] = '\0';
  ck_assert(crv_query_parse(&table[1], raw, a, &q, &err));
  ck_assert_uint_eq(q.n, 64);
  crv_arena_free(a);
}
END_TEST

int main(void) {
  Suite *s = suite_create("route");
  TCase *t = tcase_create("route");
  tcase_add_loop_test(t, path_of_table, 0, sizeof paths / sizeof *paths);
  tcase_add_test(t, allowed_is_of_the_most_specific_path);
  tcase_add_test(t, path_length_limit);
  tcase_add_test(t, no_memory_for_captures);
  tcase_add_test(t, methods_and_roles);
  tcase_add_loop_test(t, query, 0, sizeof queries / sizeof *queries);
  tcase_add_test(t, unknown_parameter_names_the_known_ones);
  tcase_add_test(t, token_in_query_is_not_repeated_in_the_detail);
  tcase_add_test(t, too_many_parameters);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
