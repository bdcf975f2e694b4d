/* Tokens: POST /v1/tokens, GET /v1/tokens, DELETE /v1/tokens/{id}; and which role may do what. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/http/http.h"

enum { R = 1, C = 2, P = 4, A = 8, ALL = 15, OPEN = 0 };

/* Every operation with who may: r reader, c ci, p procurement, a admin; OPEN: no token needed. The
   test holds it against /openapi.json, so that a new operation must be put here. */
static const struct {
  const char *operation;
  unsigned roles;
} matrix[] = {
    {"GET /v1/sheets", ALL},
    {"PUT /v1/sheets/{name}", C | A},
    {"GET /v1/sheets/{name}", ALL},
    {"DELETE /v1/sheets/{name}", C | A},
    {"GET /v1/sheets/{name}/revisions", ALL},
    {"GET /v1/sheets/{name}/revisions/{n}", ALL},
    {"GET /v1/sheets/{name}/budget", ALL},
    {"GET /v1/sheets/{name}/shortlist", ALL},
    {"GET /v1/offers", ALL},
    {"PUT /v1/offers/{key}", P | A},
    {"GET /v1/offers/{key}", ALL},
    {"DELETE /v1/offers/{key}", P | A},
    {"GET /v1/offers/{key}/versions", ALL},
    {"GET /v1/offers/{key}/versions/{n}", ALL},
    {"GET /v1/evidence", ALL},
    {"PUT /v1/evidence/{key}", C | P | A},
    {"GET /v1/evidence/{key}", ALL},
    {"GET /v1/evidence/{key}/versions", ALL},
    {"GET /v1/evidence/{key}/versions/{n}", ALL},
    {"PUT /v1/evidence/{key}/content", C | P | A},
    {"GET /v1/evidence/{key}/content", ALL},
    {"GET /v1/evidence/{key}/versions/{n}/content", ALL},
    {"POST /v1/imports", P | A},
    {"GET /v1/decisions", ALL},
    {"POST /v1/decisions", C | P | A},
    {"GET /v1/decisions/head", ALL},
    {"GET /v1/decisions/{n}", ALL},
    {"GET /v1/decisions/{n}/offers/{key}", ALL},
    {"GET /v1/budget", OPEN},
    {"POST /v1/budget", ALL},
    {"POST /v1/diagnoses", ALL},
    {"GET /v1/reason-codes", OPEN},
    {"GET /v1/kinds", OPEN},
    {"GET /v1/formats", OPEN},
    {"GET /v1/tokens", A},
    {"POST /v1/tokens", A},
    {"DELETE /v1/tokens/{id}", A},
    {"GET /", OPEN},
    {"GET /s/{sheet}", ALL},
    {"GET /o/{offer}", ALL},
    {"GET /d/{n}", ALL},
    {"GET /healthz", OPEN},
    {"GET /readyz", OPEN},
    {"GET /version", OPEN},
    {"GET /metrics", ALL},
    {"GET /openapi.json", OPEN},
    {"GET /docs", OPEN},
    {"GET /problems/{slug}", OPEN},
};
enum { N_MATRIX = sizeof matrix / sizeof *matrix };

/* "/v1/sheets/{name}" with something in each place. */
static const char *filled(const char *pattern) {
  char out[256];
  size_t n = 0;
  for (const char *s = pattern; *s; s++) {
    if (*s != '{') {
      out[n++] = *s;
      continue;
    }
    bool number = s[1] == 'n' && s[2] == '}';
    n += (size_t)snprintf(out + n, sizeof out - n, "%s", number || s[1] == 'i' ? "999" : "nothing");
    s += strcspn(s, "}");
  }
  out[n] = '\0';
  return text_of("%s", out);
}

static int status_as(const char *operation, const char *role) {
  size_t method = strcspn(operation, " ");
  struct call c = {.method = text_of("%.*s", (int)method, operation),
                   .path = filled(operation + method + 1),
                   .as = role,
                   .expect = -1};
  if (strstr(operation, "/imports") || strstr(operation, "/content")) {
    c.body = "x";
    c.type = "text/plain";
  } else if (operation[0] == 'P') {
    c.json = "{}";
  }
  if (operation[0] == 'G') c.body = NULL;
  return http_call(&c, __FILE__, __LINE__)->status;
}

START_TEST(each_role_may_what_the_table_says) {
  static const struct {
    const char *role;
    unsigned bit;
  } roles[] = {{"reader", R}, {"ci", C}, {"procurement", P}, {"admin", A}};
  for (size_t i = 0; i < N_MATRIX; i++) {
    const char *operation = matrix[i].operation;
    int none = status_as(operation, "");
    ck_assert_msg((none == 401) == (matrix[i].roles != OPEN), "%s without a token: %d", operation,
                  none);
    for (size_t k = 0; k < 4; k++) {
      int status = status_as(operation, roles[k].role);
      bool may = matrix[i].roles == OPEN || matrix[i].roles & roles[k].bit;
      ck_assert_msg((status == 403) == !may, "%s as %s: %d", operation, roles[k].role, status);
      ck_assert_msg(status != 401 && status < 500, "%s as %s: %d", operation, roles[k].role,
                    status);
    }
  }
}
END_TEST

START_TEST(the_matrix_holds_every_operation) {
  const struct answer *a = CRV_CALL(.path = "/openapi.json", .as = "");
  const char *path, *method;
  json_t *item, *operation;
  size_t n = 0;
  json_object_foreach(json_object_get(a->json, "paths"), path, item) {
    json_object_foreach(item, method, operation) {
      bool found = false;
      char upper[8] = "";
      for (size_t i = 0; method[i] && i < 7; i++) upper[i] = (char)(method[i] - 'a' + 'A');
      for (size_t i = 0; i < N_MATRIX; i++)
        found |= strcmp(matrix[i].operation, text_of("%s %s", upper, path)) == 0;
      ck_assert_msg(found, "not in the matrix: %s %s", upper, path);
      n++;
    }
  }
  ck_assert_uint_eq(n, N_MATRIX);
}
END_TEST

START_TEST(a_token_is_shown_once_and_revoked) {
  const struct answer *a = CRV_CALL(.path = "/v1/tokens", .expect = 201,
                                    .json = "{\"name\":\"nightly\",\"role\":\"ci\"}");
  const char *token = text_at(a, "token");
  long long id = int_at(a, "id");
  ck_assert(strncmp(token, "crv_", 4) == 0);
  ck_assert_str_eq(header_of(a, "Location"), text_of("/v1/tokens/%lld", id));
  ck_assert_str_eq(header_of(a, "Cache-Control"), "no-store");
  CRV_CALL(.path = "/v1/sheets", .as = token);
  a = CRV_CALL(.path = "/v1/tokens?limit=1000", .contains = "\"nightly\"", .lacks = token);
  ck_assert(strstr(a->body, "hash") == NULL);
  const char *path = text_of("/v1/tokens/%lld", id);
  CRV_CALL(.method = "DELETE", .path = path, .contains = "revoked_at");
  a = CRV_CALL(.path = "/v1/sheets", .as = token, .expect = 401);
  CRV_PROBLEM(a, 401, "unauthenticated", NULL);
  ck_assert(strstr(header_of(a, "WWW-Authenticate"), "realm=\"crivo\"") != NULL);
  CRV_CALL(.method = "DELETE", .path = "/v1/tokens/999999", .expect = 404);
  CRV_CALL(.method = "DELETE", .path = "/v1/tokens/x", .expect = 404);
}
END_TEST

START_TEST(a_token_expires) {
  const struct answer *a =
      CRV_CALL(.path = "/v1/tokens", .expect = 422,
               .json = "{\"name\":\"n\",\"role\":\"ci\",\"expires_at\":\"2020-01-01T00:00:00Z\"}");
  CRV_PROBLEM(a, 422, "invalid-fields", "/expires_at");
  a = CRV_CALL(.path = "/v1/tokens", .expect = 201,
               .json = "{\"name\":\"n\",\"role\":\"ci\",\"expires_at\":\"2099-01-01T00:00:00Z\"}");
  ck_assert_str_eq(text_at(a, "expires_at"), "2099-01-01T00:00:00Z");
  CRV_CALL(.path = "/v1/sheets", .as = text_at(a, "token"));
}
END_TEST

START_TEST(bad_token_requests) {
  static const struct {
    const char *json, *pointer;
  } rows[] = {{"{\"role\":\"ci\"}", "/name"},
              {"{\"name\":\"n\"}", "/role"},
              {"{\"name\":\"n\",\"role\":\"root\"}", "/role"},
              {"{\"name\":\"n\",\"role\":\"ci\",\"expires\":\"x\"}", "/expires"},
              {"{\"name\":\"n\",\"role\":\"ci\",\"expires_at\":\"soon\"}", "/expires_at"}};
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    CRV_PROBLEM(CRV_CALL(.path = "/v1/tokens", .json = rows[i].json, .expect = 422), 422,
                "invalid-fields", rows[i].pointer);
}
END_TEST

START_TEST(wrong_tokens_tell_nothing) {
  const char *good = service_token("reader");
  char cut[128], flipped[128];
  snprintf(cut, sizeof cut, "%.*s", (int)strlen(good) - 1, good);
  snprintf(flipped, sizeof flipped, "%s", good);
  flipped[10] = flipped[10] == 'a' ? 'b' : 'a';
  const char *wrong[] = {cut, flipped, "x", "crv_1_00_00",
                         "crv_999999_000000000000000000000000000000000000000000000000_00000000"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    const struct answer *a = CRV_CALL(.path = "/v1/sheets", .as = wrong[i], .expect = 401);
    ck_assert_str_eq(text_at(a, "detail"), "The token is not valid.");
  }
  CRV_CALL(.path = "/v1/sheets", .as = "", .expect = 401,
           .header = {"Authorization: Digest username=x"});
  /* Basic with the token as password: "u:TOKEN" */
  CRV_PROBLEM(CRV_CALL(.path = text_of("/v1/sheets?token=%s", good), .expect = 400), 400,
              "token-in-query", NULL);
}
END_TEST

START_TEST(a_replay_does_not_repeat_the_secret) {
  static const char json[] = "{\"name\":\"again\",\"role\":\"reader\"}";
  const struct answer *a = CRV_CALL(.path = "/v1/tokens", .json = json, .expect = 201,
                                    .header = {"Idempotency-Key: make-1"});
  const char *token = text_at(a, "token");
  long long id = int_at(a, "id");
  a = CRV_CALL(.path = "/v1/tokens", .json = json, .expect = 201,
               .header = {"Idempotency-Key: make-1"}, .lacks = token);
  ck_assert_str_eq(header_of(a, "Idempotency-Replayed"), "true");
  ck_assert_int_eq(int_at(a, "id"), id);
  ck_assert(json_is_null(json_path(a->json, "token")));
}
END_TEST

/* No secret stands in the database, the log or what the process printed but for the first token. */
START_TEST(secrets_are_kept_nowhere) {
  const char *files[] = {"crivo.db", "crivo.db-wal", "log"};
  const char *roles[] = {"admin", "reader", "ci", "procurement"};
  for (size_t i = 0; i < 3; i++) {
    FILE *f = fopen(text_of("%s/%s", service_dir(), files[i]), "rb");
    if (!f) continue;
    static char text[8 << 20];
    size_t n = fread(text, 1, sizeof text, f);
    fclose(f);
    for (size_t k = 0; k < 4; k++) {
      const char *secret = strchr(service_token(roles[k]) + 4, '_') + 1;
      bool found = false;
      for (size_t at = 0; at + 48 <= n && !found; at++) found = memcmp(text + at, secret, 48) == 0;
      ck_assert_msg(!found, "%s stands in %s", roles[k], files[i]);
    }
  }
}
END_TEST

START_TEST(offline_tokens_and_verify) {
  char out[1024];
  const char *create[] = {"token", "create",  "night",       "--role",
                          "ci",    "--state", service_dir(), NULL};
  const char *verify[] = {"verify", "--state", service_dir(), NULL};
  const char *bad[] = {"token", "create", "night", "--role", "king", NULL};
  ck_assert_int_eq(crivod_run(create, out, sizeof out), 75); /* the service holds the lock */
  ck_assert_int_eq(crivod_run(bad, out, sizeof out), 64);
  ck_assert_int_eq(crivod_run(verify, out, sizeof out), 75);
}
END_TEST

int main(void) {
  Suite *s = suite_create("http tokens");
  TCase *t = tcase_create("tokens");
  tcase_set_timeout(t, 120);
  tcase_add_test(t, each_role_may_what_the_table_says);
  tcase_add_test(t, the_matrix_holds_every_operation);
  tcase_add_test(t, a_token_is_shown_once_and_revoked);
  tcase_add_test(t, a_token_expires);
  tcase_add_test(t, bad_token_requests);
  tcase_add_test(t, wrong_tokens_tell_nothing);
  tcase_add_test(t, a_replay_does_not_repeat_the_secret);
  tcase_add_test(t, secrets_are_kept_nowhere);
  tcase_add_test(t, offline_tokens_and_verify);
  suite_add_tcase(s, t);
  return suite_run(s, false);
}
