/* Answers, problem documents, requests' helpers, credentials. */
#include <check.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "core/base/units.h"
#include "server/auth.h"
#include "server/problem.h"
#include "server/reply.h"

static const char *lookup(const struct crv_req *rq, const char *name) {
  return strcasecmp(name, "Accept") == 0 ? rq->header_ctx : NULL;
}

static struct crv_req request(char *accept) {
  return (struct crv_req){.target = "/v1/sheets/a",
                          .request_id = "r-1",
                          .header = lookup,
                          .header_ctx = accept,
                          .format = CRV_F_JSON};
}

static json_t *body_json(const struct crv_resp *rs) {
  json_t *j = json_loadb(rs->body, rs->body_len, 0, NULL);
  ck_assert_ptr_nonnull(j);
  return j;
}

static const char *member(const json_t *j, const char *name) {
  return json_string_value(json_object_get(j, name));
}

static const char *header_of(const struct crv_resp *rs, const char *name) {
  for (size_t i = 0; i < rs->n_headers; i++)
    if (strcmp(rs->headers[i].name, name) == 0) return rs->headers[i].value;
  return NULL;
}

START_TEST(problem_has_all_members) {
  struct crv_err err;
  struct crv_resp rs;
  struct crv_req rq = request(NULL);
  crv_resp_init(&rs);
  crv_err_init(&err);
  crv_fail_field(&err, "/model/parameters", "wrong_type", "an integer", "It is a text.");
  crv_fail_field(&err, "/task", "missing", NULL, "It is missing.");
  crv_resp_problem(&rq, &rs, &err);
  ck_assert_int_eq(rs.status, 422);
  ck_assert_str_eq(rs.content_type, "application/problem+json");
  json_t *j = body_json(&rs), *errors = json_object_get(j, "errors");
  ck_assert_str_eq(member(j, "type"), "/problems/invalid-fields");
  ck_assert_str_eq(member(j, "title"), crv_code_info(CRV_INVALID_FIELDS)->title);
  ck_assert_int_eq(json_integer_value(json_object_get(j, "status")), 422);
  ck_assert_str_eq(member(j, "code"), "invalid-fields");
  ck_assert_str_ne(member(j, "detail"), "");
  ck_assert_str_eq(member(j, "instance"), "/v1/sheets/a");
  ck_assert_str_eq(member(j, "request_id"), "r-1");
  ck_assert_uint_eq(json_array_size(errors), 2);
  ck_assert_str_eq(member(json_array_get(errors, 0), "pointer"), "/model/parameters");
  ck_assert_str_eq(member(json_array_get(errors, 0), "code"), "wrong_type");
  ck_assert_str_eq(member(json_array_get(errors, 0), "detail"), "It is a text.");
  ck_assert_str_eq(member(json_array_get(errors, 0), "hint"), "an integer");
  ck_assert_ptr_null(json_object_get(json_array_get(errors, 1), "hint"));
  json_decref(j);
  crv_resp_done(&rs);
}
END_TEST

START_TEST(errors_is_a_list_also_when_empty) {
  struct crv_err err;
  struct crv_resp rs;
  crv_resp_init(&rs);
  crv_err_init(&err);
  crv_fail(&err, CRV_NOT_FOUND, "No sheet has this name.");
  crv_resp_problem(NULL, &rs, &err);
  json_t *j = body_json(&rs);
  ck_assert_int_eq(rs.status, 404);
  ck_assert(json_is_array(json_object_get(j, "errors")));
  ck_assert_str_eq(member(j, "detail"), "No sheet has this name.");
  json_decref(j);
  crv_resp_done(&rs);
}
END_TEST

START_TEST(every_code_gives_its_status_and_slug) {
  struct crv_err err;
  struct crv_resp rs;
  char type[96];
  if (_i == CRV_OK) return;
  crv_resp_init(&rs);
  crv_err_init(&err);
  crv_fail(&err, (enum crv_code)_i, "x");
  crv_resp_problem(NULL, &rs, &err);
  const struct crv_code_info *info = crv_code_info((enum crv_code)_i);
  json_t *j = body_json(&rs);
  snprintf(type, sizeof type, "/problems/%s", info->slug);
  ck_assert_int_eq(rs.status, info->status);
  ck_assert_str_eq(member(j, "type"), type);
  bool wait = info->status == 503 || info->status == 429;
  ck_assert_msg(wait == (header_of(&rs, "Retry-After") != NULL), "%s", info->slug);
  ck_assert((info->status == 401) == (header_of(&rs, "WWW-Authenticate") != NULL));
  json_decref(j);
  crv_resp_done(&rs);
}
END_TEST

START_TEST(problem_as_text) {
  struct crv_err err;
  struct crv_resp rs;
  char accept[] = "text/plain";
  struct crv_req rq = request(accept);
  crv_resp_init(&rs);
  crv_err_init(&err);
  crv_fail_field(&err, "/reserve/0/bytes", "ambiguous_unit", "24 GB or 24 GiB",
                 "\"24G\" can be 24000000000 or 25769803776 bytes, and nothing here says which one "
                 "of the two was meant by whoever wrote it.");
  crv_resp_problem(&rq, &rs, &err);
  ck_assert_str_eq(rs.content_type, "text/plain; charset=utf-8");
  ck_assert_int_eq(strncmp(rs.body, "Some fields cannot be accepted. (422 invalid-fields)\n", 52),
                   0);
  ck_assert_ptr_nonnull(strstr(rs.body, "- /reserve/0/bytes: \"24G\" can be"));
  ck_assert_ptr_nonnull(strstr(rs.body, "Request r-1\n"));
  for (const char *s = rs.body; *s; s += strcspn(s, "\n") + 1)
    ck_assert_uint_le(strcspn(s, "\n"), 100);
  crv_resp_done(&rs);
}
END_TEST

START_TEST(format_json_wins_over_accept_text) {
  struct crv_err err;
  struct crv_resp rs;
  char accept[] = "text/plain";
  struct crv_param param = {"format", "json"};
  struct crv_req rq = request(accept);
  rq.params = &param;
  rq.n_params = 1;
  crv_resp_init(&rs);
  crv_err_init(&err);
  crv_fail(&err, CRV_NOT_FOUND, "x");
  crv_resp_problem(&rq, &rs, &err);
  ck_assert_str_eq(rs.content_type, "application/problem+json");
  crv_resp_done(&rs);
}
END_TEST

START_TEST(detail_cut_inside_a_character_stays_utf8) {
  struct crv_err err;
  struct crv_resp rs;
  char text[1200];
  struct crv_req rq = request(NULL);
  size_t n = 0;
  text[n++] = 'a'; /* so that a cut at an even place falls inside a character */
  while (n + 3 < sizeof text) {
    text[n++] = '\303';
    text[n++] = '\274';
  }
  text[n] = '\0';
  rq.target = "/v1/sheets/\377\300";
  crv_resp_init(&rs);
  crv_err_init(&err);
  crv_fail(&err, CRV_NOT_FOUND, "%s", text);
  crv_fail_field(&err, text, "x", text, "%s", text);
  crv_resp_problem(&rq, &rs, &err);
  ck_assert_int_eq(rs.status, 404);
  ck_assert(crv_utf8_ok(rs.body, rs.body_len));
  json_t *j = body_json(&rs);
  ck_assert_uint_gt(strlen(member(j, "detail")), 400);
  json_decref(j);
  crv_resp_done(&rs);
}
END_TEST

START_TEST(internal_log_text_is_not_sent) {
  struct crv_err err;
  struct crv_resp rs;
  struct crv_req rq = request(NULL);
  crv_resp_init(&rs);
  crv_err_init(&err);
  crv_bug(&err, "secret %s", "SELECT");
  crv_resp_problem(&rq, &rs, &err);
  ck_assert_int_eq(rs.status, 500);
  ck_assert_ptr_null(strstr(rs.body, "SELECT"));
  ck_assert_ptr_null(strstr(rs.body, ".c"));
  crv_resp_done(&rs);
}
END_TEST

START_TEST(header_values_are_checked) {
  struct crv_resp rs;
  crv_resp_init(&rs);
  ck_assert(crv_resp_header(&rs, "Location", "/v1/sheets/a"));
  ck_assert(!crv_resp_header(&rs, "Location", "/v1\r\nSet-Cookie: a"));
  ck_assert(!crv_resp_header(&rs, "Location", "a\177"));
  ck_assert(!crv_resp_header(&rs, "Location", ""));
  for (int i = 1; i < CRV_MAX_HEADERS; i++) ck_assert(crv_resp_header(&rs, "X-A", "b"));
  ck_assert(!crv_resp_header(&rs, "X-A", "b"));
  crv_resp_done(&rs);
}
END_TEST

START_TEST(json_compact_and_pretty) {
  struct crv_err err;
  struct crv_resp rs;
  struct crv_req rq = request(NULL);
  crv_resp_init(&rs);
  crv_err_init(&err);
  ck_assert(crv_resp_json_steal(&rq, &rs, 201, json_pack("{s:i,s:[]}", "b", 1, "a"), &err));
  ck_assert_int_eq(rs.status, 201);
  ck_assert_str_eq(rs.body, "{\"b\":1,\"a\":[]}");
  ck_assert_uint_eq(rs.body_len, strlen(rs.body));
  rq.pretty = true;
  ck_assert(crv_resp_json_steal(&rq, &rs, 200, json_pack("{s:i}", "b", 1), &err));
  ck_assert_str_eq(rs.body, "{\n  \"b\": 1\n}\n");
  ck_assert(!crv_resp_json_steal(&rq, &rs, 200, NULL, &err));
  ck_assert_int_eq(err.code, CRV_OUT_OF_MEMORY);
  crv_resp_done(&rs);
}
END_TEST

START_TEST(bodies_from_buffers_and_text) {
  struct crv_err err;
  struct crv_resp rs;
  struct crv_buf b;
  crv_resp_init(&rs);
  crv_err_init(&err);
  crv_buf_init(&b, 0);
  ck_assert(crv_resp_buf(&rs, 200, "text/csv", &b, &err));
  ck_assert_uint_eq(rs.body_len, 0);
  ck_assert_ptr_nonnull(rs.body);
  crv_buf_str(&b, "a,b");
  ck_assert(crv_resp_buf(&rs, 200, "text/csv", &b, &err));
  ck_assert_uint_eq(rs.body_len, 3);
  crv_buf_init(&b, 2);
  crv_buf_str(&b, "abc");
  ck_assert(!crv_resp_buf(&rs, 200, "text/csv", &b, &err));
  crv_buf_done(&b);
  ck_assert(crv_resp_text(&rs, 404, "text/plain", "hello", &err));
  ck_assert_str_eq(rs.body, "hello");
  ck_assert_int_eq(rs.status, 404);
  crv_resp_done(&rs);
}
END_TEST

static const struct {
  const char *value;
  bool ok;
  int64_t expect;
} integers[] = {
    {"1", true, 1},
    {"1000", true, 1000},
    {"-5", true, -5},
    {"0", true, 0},
    {"1001", false, 0},
    {"-6", false, 0},
    {"", false, 0},
    {"01", false, 0},
    {"-0", false, 0},
    {"+1", false, 0},
    {" 1", false, 0},
    {"1 ", false, 0},
    {"1e2", false, 0},
    {"0x1", false, 0},
    {"1.0", false, 0},
    {"-", false, 0},
    {"99999999999999999999", false, 0},
};

START_TEST(integer_parameter) {
  struct crv_err err;
  int64_t v = 77;
  struct crv_param param = {"limit", integers[_i].value};
  struct crv_req rq = {.params = &param, .n_params = 1};
  crv_err_init(&err);
  bool ok = crv_req_param_int(&rq, "limit", -5, 1000, 20, &v, &err);
  ck_assert_msg(ok == integers[_i].ok, "'%s'", integers[_i].value);
  ck_assert_int_eq(v, ok ? integers[_i].expect : 77);
  if (!ok) ck_assert_ptr_nonnull(strstr(err.detail, "-5 to 1000"));
}
END_TEST

START_TEST(absent_parameters) {
  struct crv_err err;
  int64_t v;
  bool b;
  struct crv_req rq = {0};
  crv_err_init(&err);
  ck_assert_ptr_null(crv_req_param(&rq, "limit"));
  ck_assert(crv_req_param_int(&rq, "limit", 1, 1000, 20, &v, &err));
  ck_assert_int_eq(v, 20);
  ck_assert(crv_req_param_bool(&rq, "raw", true, &b, &err));
  ck_assert(b);
}
END_TEST

START_TEST(bool_parameter) {
  static const char *const values[] = {"1", "true", "yes", "", "0", "false", "no", "2", "TRUE"};
  struct crv_err err;
  bool v = false;
  struct crv_param param = {"raw", values[_i]};
  struct crv_req rq = {.params = &param, .n_params = 1};
  crv_err_init(&err);
  ck_assert(crv_req_param_bool(&rq, "raw", false, &v, &err) == (_i < 7));
  if (_i < 7)
    ck_assert(v == (_i < 4));
  else
    ck_assert_int_eq(err.code, CRV_BAD_PARAMETER);
}
END_TEST

START_TEST(captured_keys_and_numbers) {
  struct crv_err err;
  const char *key;
  int64_t n;
  struct crv_req rq = {.capture = {"rtx-4090", "17", "017", "Bad Key"}};
  crv_err_init(&err);
  ck_assert(crv_req_key(&rq, 0, &key, &err));
  ck_assert_str_eq(key, "rtx-4090");
  ck_assert(!crv_req_key(&rq, 3, &key, &err));
  ck_assert_int_eq(err.code, CRV_NOT_FOUND);
  ck_assert(crv_req_number(&rq, 1, &n, &err));
  ck_assert_int_eq(n, 17);
  ck_assert(!crv_req_number(&rq, 2, &n, &err));
  ck_assert(!crv_req_number(&rq, 0, &n, &err));
  ck_assert(!crv_req_number(&rq, 9, &n, &err));
  rq.capture[1] = "9007199254740992";
  ck_assert(!crv_req_number(&rq, 1, &n, &err));
  rq.capture[1] = "0";
  ck_assert(!crv_req_number(&rq, 1, &n, &err));
}
END_TEST

static const struct {
  const char *value, *token;
} credentials[] = {
    {"Bearer crv_a_b_c", "crv_a_b_c"},
    {"bearer   crv_a_b_c ", "crv_a_b_c"},
    {"Basic OmNydl9hX2JfYw==", "crv_a_b_c"},     /* :crv_a_b_c */
    {"basic dXNlcjpjcnZfYV9iX2M=", "crv_a_b_c"}, /* user:crv_a_b_c */
    {"Basic dTphOmI=", "a:b"},                   /* u:a:b */
    {"Basic Y3J2X2FfYl9j", NULL},                /* no colon */
    {"Basic Og==", NULL},                        /* an empty password */
    {"Basic !!!!", NULL},
    {"Basic OmNydl9hX2JfYw==x", NULL},
    {"Basic OgAB", NULL}, /* control characters */
    {"Bearer ", NULL},
    {"Bearer", NULL},
    {"Bearer a b", NULL},
    {"Bearer gr\303\274n", NULL},
    {"Digest x", NULL},
    {"", NULL},
};

START_TEST(credential) {
  struct crv_arena *a = crv_arena_new(0);
  const char *token = crv_auth_token(credentials[_i].value, a);
  if (credentials[_i].token) {
    ck_assert_msg(token != NULL, "%s", credentials[_i].value);
    ck_assert_str_eq(token, credentials[_i].token);
  } else {
    ck_assert_msg(token == NULL, "%s gave %s", credentials[_i].value, token);
  }
  crv_arena_free(a);
}
END_TEST

START_TEST(token_length_limit) {
  struct crv_arena *a = crv_arena_new(0);
  char value[CRV_TOKEN_TEXT + 16] = "Bearer ";
  memset(value + 7, 'x', CRV_TOKEN_TEXT);
  ck_assert_ptr_nonnull(crv_auth_token(value, a));
  value[7 + CRV_TOKEN_TEXT] = 'x';
  ck_assert_ptr_null(crv_auth_token(value, a));
  crv_arena_free(a);
}
END_TEST

START_TEST(roles) {
  struct crv_err err;
  struct crv_route route = {.roles = CRV_ROLE_CI | CRV_ROLE_ADMIN};
  struct crv_principal who = {1, "n", CRV_ROLE_CI};
  crv_err_init(&err);
  ck_assert(crv_auth_role(&route, &who, &err));
  who.role = CRV_ROLE_READER;
  ck_assert(!crv_auth_role(&route, &who, &err));
  ck_assert_int_eq(err.code, CRV_FORBIDDEN);
  ck_assert_ptr_nonnull(strstr(err.detail, "reader; this takes: ci, admin."));
  who.role = 0;
  route.roles = CRV_ROLE_NONE;
  ck_assert(crv_auth_role(&route, &who, &err));
}
END_TEST

static TCase *replies(void) {
  TCase *t = tcase_create("reply");
  tcase_add_test(t, problem_has_all_members);
  tcase_add_test(t, errors_is_a_list_also_when_empty);
  tcase_add_loop_test(t, every_code_gives_its_status_and_slug, 0, CRV_CODE_COUNT);
  tcase_add_test(t, problem_as_text);
  tcase_add_test(t, format_json_wins_over_accept_text);
  tcase_add_test(t, detail_cut_inside_a_character_stays_utf8);
  tcase_add_test(t, internal_log_text_is_not_sent);
  tcase_add_test(t, header_values_are_checked);
  tcase_add_test(t, json_compact_and_pretty);
  tcase_add_test(t, bodies_from_buffers_and_text);
  return t;
}

static TCase *requests(void) {
  TCase *t = tcase_create("req");
  tcase_add_loop_test(t, integer_parameter, 0, sizeof integers / sizeof *integers);
  tcase_add_test(t, absent_parameters);
  tcase_add_loop_test(t, bool_parameter, 0, 9);
  tcase_add_test(t, captured_keys_and_numbers);
  tcase_add_loop_test(t, credential, 0, sizeof credentials / sizeof *credentials);
  tcase_add_test(t, token_length_limit);
  tcase_add_test(t, roles);
  return t;
}

int main(void) {
  Suite *s = suite_create("reply");
  suite_add_tcase(s, replies());
  suite_add_tcase(s, requests());
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
