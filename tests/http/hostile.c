/* The addresses that take JSON with a good body each, and the looks that every refusal gets. */
#include "tests/http/hostile.h"

#include <stdio.h>
#include <string.h>

/* -- addresses --------------------------------------------------------------------------------- */

static const char ask_json[] =
    "{\"sheet\":{\"task\":\"inference\",\"concurrency\":8,\"length\":{\"prompt\":64}},"
    "\"as_of\":\"2026-12-01T00:00:00Z\",\"limit\":5,"
    "\"offers\":{\"device\":\"RTX 4090\",\"currency\":\"EUR\",\"min_memory\":\"8 GiB\"},"
    "\"policy\":{\"max_age\":{\"commercial_sheet\":\"30d\"}}}";
static const char token_json[] =
    "{\"name\":\"new\",\"role\":\"ci\",\"expires_at\":\"2099-01-01T00:00:00Z\"}";

const struct hostile_route routes[ROUTES] = {
    {"PUT", "/v1/sheets/x", sheet_json}, {"PUT", "/v1/offers/x", offer_4090_json},
    {"PUT", "/v1/evidence/x", run_json}, {"POST", "/v1/decisions", ask_json},
    {"POST", "/v1/budget", sheet_json},  {"POST", "/v1/tokens", token_json},
};

const struct answer *hostile_send(enum at at, const char *body, size_t len) {
  return CRV_CALL(.method = routes[at].method, .path = routes[at].path, .body = body, .len = len,
                  .type = "application/json", .expect = -1);
}

/* -- nothing stored ---------------------------------------------------------------------------- */

static const char *const lists[] = {"sheets", "offers", "evidence", "decisions", "tokens"};
enum { LISTS = sizeof lists / sizeof *lists };
static struct {
  long long total[LISTS], size;
  char digest[80];
} before;

void still_remember(void) {
  const struct answer *head = CRV_CALL(.path = "/v1/decisions/head");
  before.size = int_at(head, "size");
  snprintf(before.digest, sizeof before.digest, "%s", text_at(head, "digest"));
  for (size_t i = 0; i < LISTS; i++)
    before.total[i] =
        int_at(CRV_CALL(.path = text_of("/v1/%s?limit=1&format=json", lists[i])), "total");
}

void still_in_ledger(const char *what) {
  const struct answer *head = CRV_CALL(.path = "/v1/decisions/head");
  if (int_at(head, "size") != before.size || strcmp(text_at(head, "digest"), before.digest) != 0)
    ck_abort_msg("something was stored: %.300s", what);
}

void still_all(const char *what) {
  still_in_ledger(what);
  for (size_t i = 0; i < LISTS; i++)
    ck_assert_msg(int_at(CRV_CALL(.path = text_of("/v1/%s?limit=1", lists[i])), "total") ==
                      before.total[i],
                  "%s: something is in %s", what, lists[i]);
  CRV_CALL(.path = "/healthz", .as = "");
  CRV_CALL(.path = "/readyz", .as = "");
}

/* No statement, path or source line in what a client sees. */
static void check_discreet(const struct answer *a) {
  static const char *const inner[] = {"SELECT ", "INSERT ", "sqlite", ".c:", "/tmp/", "core/"};
  for (size_t i = 0; i < sizeof inner / sizeof *inner; i++)
    ck_assert_msg(!strstr(a->body, inner[i]), "%s in %.800s", inner[i], a->body);
}

void check_refused(const struct answer *a, int status, const char *slug, const char *pointer,
                   const char *what) {
  if (a->status != status || !strstr(a->body, slug))
    ck_abort_msg("%.300s: %d, not %d %s: %.1000s", what, a->status, status, slug, a->body);
  CRV_PROBLEM(a, status, slug, pointer);
  ck_assert_str_ne(text_at(a, "detail"), "");
  check_discreet(a);
  for (size_t i = 0; i < count_at(a, "errors"); i++) {
    ck_assert_str_ne(text_at(a, text_of("errors[%zu].code", i)), "");
    ck_assert_str_ne(text_at(a, text_of("errors[%zu].detail", i)), "");
  }
}

static void fill(void) {
  const struct answer *a = CRV_CALL(.path = "/v1/sheets/support-bot", .expect = -1);
  if (a->status == 404) example_put();
}

int hostile_run(Suite *s, TCase *tc) {
  tcase_add_checked_fixture(tc, fill, NULL);
  tcase_set_timeout(tc, 120);
  suite_add_tcase(s, tc);
  return suite_run(s, false);
}
