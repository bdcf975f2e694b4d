/* Any bytes as a request target: matching and the query string never crash, and what they give is
   clean: UTF-8 without control characters, no slash or dot segment in a capture, no name twice. */
#include <string.h>

#include "core/base/units.h"
#include "server/query.h"
#include "tests/fuzz/fuzz.h"

static const struct crv_route table[] = {
    {.method = CRV_M_GET, .pattern = "/", .params = ""},
    {.method = CRV_M_GET, .pattern = "/v1/offers", .params = "limit cursor sort"},
    {.method = CRV_M_PUT, .pattern = "/v1/offers/{key}", .params = ""},
    {.method = CRV_M_GET, .pattern = "/v1/offers/{key}/versions/{n}", .params = "pretty"},
    {.method = CRV_M_GET, .pattern = "/v1/decisions/{n}", .params = "limit"},
    {.method = CRV_M_GET, .pattern = "/v1/decisions/head", .params = ""},
    {.method = CRV_M_GET, .pattern = "/v1/{a}/{b}/{c}/{d}", .params = "token"},
};
enum { ROWS = sizeof table / sizeof *table };

static void check_text(const char *s) {
  MUST(crv_utf8_ok(s, strlen(s)));
  for (; *s; s++) MUST((unsigned char)*s >= 0x20 && *s != 0x7f);
}

static void check_path(const char *path, struct crv_arena *arena) {
  struct crv_err err;
  struct crv_match m;
  crv_err_init(&err);
  if (!crv_route_match(table, ROWS, CRV_M_GET, path, arena, &m, &err)) {
    MUST(err.code == CRV_BAD_PATH || err.code == CRV_NOT_FOUND || err.code == CRV_URI_TOO_LONG);
    return;
  }
  MUST(m.allowed != 0);
  for (int i = 0; i < CRV_MAX_CAPTURES && m.capture[i]; i++) {
    check_text(m.capture[i]);
    MUST(m.capture[i][0] && !strchr(m.capture[i], '/'));
    MUST(strcmp(m.capture[i], ".") != 0 && strcmp(m.capture[i], "..") != 0);
  }
}

static void check_query(const char *raw, struct crv_arena *arena) {
  struct crv_err err;
  struct crv_query q;
  crv_err_init(&err);
  if (!crv_query_parse(&table[1], raw, arena, &q, &err)) {
    MUST(err.code == CRV_BAD_PARAMETER || err.code == CRV_TOKEN_IN_QUERY);
    return;
  }
  for (size_t i = 0; i < q.n; i++) {
    check_text(q.params[i].name);
    check_text(q.params[i].value);
    for (size_t k = 0; k < i; k++) MUST(strcmp(q.params[i].name, q.params[k].name) != 0);
  }
  if (!crv_query_known(&table[1], &q, &err)) MUST(err.code == CRV_UNKNOWN_PARAMETER);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  struct crv_arena *arena = crv_arena_new(0);
  char *target = malloc(size + 1);
  MUST(arena && target);
  memcpy(target, data, size);
  target[size] = '\0';
  char *query = strchr(target, '?');
  if (query) *query++ = '\0';
  check_path(target, arena);
  check_query(query ? query : target, arena);
  free(target);
  crv_arena_free(arena);
  return 0;
}
