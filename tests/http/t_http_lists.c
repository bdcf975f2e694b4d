/* Lists: GET /v1/sheets, GET /v1/offers, GET /v1/evidence, their pages, filters, orders and
 * formats. */
#include <stdlib.h>
#include <string.h>

#include "tests/http/http.h"

static void offer(const char *key, const char *supplier, const char *device, const char *amount) {
  CRV_CALL(.method = "PUT", .path = text_of("/v1/offers/%s", key), .expect = -1,
           .json = text_of("{\"supplier\":\"%s\",\"region\":\"eu\",\"device\":{\"name\":\"%s\","
                           "\"memory_nominal\":\"24 GB\"},\"price\":{\"amount\":\"%s\","
                           "\"currency\":\"USD\",\"basis\":\"per_lot\",\"per\":\"hour\"}}",
                           supplier, device, amount));
}

static void many(const char *prefix, int n) {
  for (int i = 0; i < n; i++)
    offer(text_of("%s-%02d", prefix, i), prefix, "RTX 4090", text_of("%d", n - i));
}

/* Walks a list by its cursors; changes something after each page; gives the keys in one text. */
static const char *walk(const char *path, const char *name, int limit, void (*between)(int)) {
  const char *keys = "", *cursor = "";
  for (int page = 0;; page++) {
    const struct answer *a =
        CRV_CALL(.path = text_of("%s%climit=%d%s%s", path, strchr(path, '?') ? '&' : '?', limit,
                                 cursor[0] ? "&cursor=" : "", cursor));
    for (size_t i = 0; i < count_at(a, "items"); i++)
      keys = text_of("%s%s ", keys, text_at(a, text_of("items[%zu].%s", i, name)));
    cursor = text_at(a, "next_cursor");
    ck_assert((cursor[0] != '\0') == (strstr(header_of(a, "Link"), "rel=\"next\"") != NULL));
    if (!cursor[0]) return keys;
    if (between) between(page);
  }
}

static void add_and_withdraw(int page) {
  offer(text_of("pin-%02d-new", page), "pin", "RTX 4090", "1");
  offer(text_of("pin-%02d", 9 - page), "pin", "RTX 3090", "99");
  CRV_CALL(.method = "DELETE", .path = text_of("/v1/offers/pin-%02d", page), .expect = -1);
}

START_TEST(no_row_doubles_or_vanishes_while_rows_change) {
  many("pin", 10);
  const char *before = walk("/v1/offers?prefix=pin", "key", 100, NULL);
  const char *keys = walk("/v1/offers?prefix=pin", "key", 3, add_and_withdraw);
  ck_assert_str_eq(keys, before);
  ck_assert_str_eq(before,
                   "pin-00 pin-01 pin-02 pin-03 pin-04 pin-05 pin-06 pin-07 pin-08 pin-09 ");
  ck_assert_str_ne(walk("/v1/offers?prefix=pin", "key", 4, NULL), before);
}
END_TEST

START_TEST(the_total_is_what_can_be_reached) {
  many("tot", 7);
  offer("tot-x", "other", "RTX 4090", "3");
  const struct answer *a = CRV_CALL(.path = "/v1/offers?supplier=tot&limit=2");
  ck_assert_int_eq(int_at(a, "total"), 7);
  ck_assert_uint_eq(count_at(a, "items"), 2);
  /* the link keeps the filter */
  const char *link = header_of(a, "Link");
  ck_assert(strstr(link, "supplier=tot") != NULL && strstr(link, "limit=2") != NULL);
  const char *next = text_of("%.*s", (int)strcspn(link + 1, ">"), link + 1);
  a = CRV_CALL(.path = next);
  ck_assert_str_eq(text_at(a, "items[0].key"), "tot-02");
}
END_TEST

START_TEST(filters_and_orders) {
  offer("f-a", "alpha", "RTX 4090", "3");
  offer("f-b", "beta", "RTX 3090", "1");
  offer("f-c", "alpha", "RTX 3090", "2");
  CRV_CALL(.method = "DELETE", .path = "/v1/offers/f-c");
  offer("f-d", "gamma", "RTX 3090", "2");
  static const struct {
    const char *query, *keys;
  } rows[] = {
      {"prefix=f-", "f-a f-b f-d "},
      {"prefix=f-&withdrawn=1", "f-a f-b f-c f-d "},
      {"prefix=f-&supplier=alpha", "f-a "},
      {"prefix=f-&region=us", ""},
      {"prefix=f-&currency=USD", "f-a f-b f-d "},
      {"prefix=f-&currency=EUR", ""},
      {"prefix=f-&min_memory=24+GB", "f-a f-b f-d "},
      {"prefix=f-&min_memory=48+GB", ""},
      {"prefix=f-&sort=price", "f-b f-d f-a "},
      {"prefix=f-&sort=newest", "f-d f-b f-a "},
      {"prefix=f-&sort=supplier", "f-a f-b f-d "},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ck_assert_str_eq(walk(text_of("/v1/offers?%s", rows[i].query), "key", 2, NULL), rows[i].keys);
  }
}
END_TEST

START_TEST(bad_pages_are_refused) {
  many("bad", 3);
  static const char *const wrong[] = {"limit=0",   "limit=1001",     "limit=x", "limit=1&limit=2",
                                      "sort=luck", "min_memory=24G", "as_of=x", "withdrawn=maybe"};
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CRV_PROBLEM(CRV_CALL(.path = text_of("/v1/offers?%s", wrong[i]), .expect = 400), 400,
                "bad-parameter", NULL);
  CRV_PROBLEM(CRV_CALL(.path = "/v1/offers?devise=x", .expect = 400, .contains = "device"), 400,
              "unknown-parameter", NULL);
  const struct answer *a = CRV_CALL(.path = "/v1/offers?prefix=bad&limit=1");
  const char *cursor = text_at(a, "next_cursor");
  char forged[512];
  strncpy(forged, cursor, sizeof forged - 1);
  forged[sizeof forged - 1] = '\0';
  forged[strlen(forged) - 2] = forged[strlen(forged) - 2] == 'A' ? 'B' : 'A';
  const char *cursors[] = {"x", "", "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA", forged};
  for (size_t i = 0; i < 4; i++)
    CRV_PROBLEM(
        CRV_CALL(.path = text_of("/v1/offers?prefix=bad&cursor=%s", cursors[i]), .expect = 400),
        400, "bad-cursor", NULL);
  /* a cursor of another filter, and of another list */
  CRV_CALL(.path = text_of("/v1/offers?prefix=ba&cursor=%s", cursor), .expect = 400);
  CRV_CALL(.path = text_of("/v1/sheets?prefix=bad&cursor=%s", cursor), .expect = 400);
  CRV_CALL(.path = text_of("/v1/offers?prefix=bad&limit=2&cursor=%s", cursor), .expect = 200);
}
END_TEST

START_TEST(every_format_gives_everything) {
  many("fmt", 12);
  const struct answer *a = CRV_CALL(.path = "/v1/offers?prefix=fmt&format=csv&limit=2");
  size_t lines = 0;
  for (const char *s = a->body; (s = strstr(s, "\r\n")); s += 2) lines++;
  ck_assert_uint_eq(lines, 13);
  ck_assert_str_eq(header_of(a, "Content-Type"), "text/csv; charset=utf-8; header=present");
  a = CRV_CALL(.path = "/v1/offers?prefix=fmt", .header = {"Accept: application/x-ndjson"});
  lines = 0;
  for (const char *s = a->body; *s; s += strcspn(s, "\n") + 1) {
    json_t *j = json_loadb(s, strcspn(s, "\n"), 0, NULL);
    ck_assert_ptr_nonnull(json_object_get(j, "supplier"));
    json_decref(j);
    lines++;
  }
  ck_assert_uint_eq(lines, 12);
  a = CRV_CALL(.path = "/v1/offers?prefix=fmt&format=text", .contains = "fmt-11");
  ck_assert_uint_le(widest_line(a->body), 100);
  ck_assert(strstr(a->body, "12 rows; position ") != NULL);
  CRV_CALL(.path = "/v1/offers?prefix=fmt", .header = {"Accept: image/png"}, .expect = 406,
           .contains = "ndjson");
  a = CRV_CALL(.path = "/v1/offers?prefix=fmt", .header = {"Accept: text/html;q=0.9, */*;q=0.1"});
  ck_assert_str_eq(header_of(a, "Content-Type"), "application/json");
}
END_TEST

START_TEST(an_unchanged_list_is_304) {
  offer("tag-a", "tag", "RTX 4090", "1");
  const struct answer *a = CRV_CALL(.path = "/v1/offers?prefix=tag");
  const char *match = text_of("If-None-Match: %s", header_of(a, "ETag"));
  CRV_CALL(.path = "/v1/offers?prefix=tag", .header = {match}, .expect = 304);
  CRV_CALL(.path = "/v1/offers?prefix=ta", .header = {match}, .expect = 200);
  CRV_CALL(.path = "/v1/offers?prefix=tag&format=csv", .header = {match}, .expect = 200);
  offer("tag-b", "tag", "RTX 4090", "1");
  CRV_CALL(.path = "/v1/offers?prefix=tag", .header = {match}, .expect = 200,
           .contains = "\"total\":2");
}
END_TEST

START_TEST(sheets_by_page) {
  for (int i = 0; i < 5; i++)
    CRV_CALL(.method = "PUT", .path = text_of("/v1/sheets/page-%d", i), .expect = 201,
             .json = "{\"task\":\"inference\",\"model\":{\"name\":\"m\",\"revision\":\"1\","
                     "\"parameters\":7}}");
  ck_assert_str_eq(walk("/v1/sheets?prefix=page", "name", 2, NULL),
                   "page-0 page-1 page-2 page-3 page-4 ");
  const struct answer *a = CRV_CALL(.path = "/v1/sheets?prefix=page&limit=1");
  ck_assert_int_eq(int_at(a, "total"), 5);
  ck_assert_str_eq(text_at(a, "items[0].model.name"), "m");
  CRV_CALL(.method = "DELETE", .path = "/v1/sheets/page-0");
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/sheets?prefix=page"), "total"), 4);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/sheets?prefix=page&withdrawn=1"), "total"), 5);
  CRV_CALL(.path = "/v1/sheets?prefix=page&format=csv", .contains = "page-4,1,inference,m,");
  CRV_CALL(.path = "/v1/sheets?prefix=page&format=ndjson", .contains = "{\"name\":\"page-4\"");
  CRV_CALL(.path = "/v1/sheets?prefix=page&format=text", .contains = "SHEET");
}
END_TEST

START_TEST(pieces_by_what_they_are_about) {
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/l-old", .expect = 201,
           .json = "{\"kind\":\"commercial_sheet\",\"observed_at\":\"2020-01-01T00:00:00Z\","
                   "\"scope\":{\"supplier\":\"l-s\"},\"result\":{}}");
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/l-new", .expect = 201,
           .json = "{\"kind\":\"commercial_sheet\",\"observed_at\":\"2020-01-01T00:00:00Z\","
                   "\"valid_until\":\"2099-01-01T00:00:00Z\",\"scope\":{\"offer\":\"l-o\"},"
                   "\"result\":{}}");
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/l-run", .expect = 201,
           .json = "{\"kind\":\"protocol_run\",\"observed_at\":\"2026-01-01T00:00:00Z\","
                   "\"scope\":{\"device\":\"nvidia/l40s\",\"model\":{\"name\":\"l-m\"}},"
                   "\"result\":{\"outcome\":\"passed\",\"truncated\":false,\"errors\":0}}");
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/l-back", .expect = 201,
           .json = "{\"kind\":\"stock_declaration\",\"observed_at\":\"2026-01-01T00:00:00Z\","
                   "\"retracted\":\"wrong\",\"scope\":{\"supplier\":\"l-s\"},\"result\":{}}");
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/l-later", .expect = 201,
           .json = "{\"kind\":\"stock_declaration\",\"observed_at\":\"2098-01-01T00:00:00Z\","
                   "\"scope\":{\"supplier\":\"l-s\"},\"result\":{}}");
  static const struct {
    const char *query, *keys;
  } rows[] = {
      {"prefix=l-", "l-back l-later l-new l-old l-run "},
      {"prefix=l-&kind=protocol_run", "l-run "},
      {"prefix=l-&supplier=l-s", "l-back l-later l-old "},
      {"prefix=l-&offer=l-o", "l-new "},
      {"prefix=l-&device=nvidia/l40s", "l-run "},
      {"prefix=l-&model=l-m", "l-run "},
      {"prefix=l-&status=current", "l-new l-run "},
      {"prefix=l-&status=expired", "l-old "},
      {"prefix=l-&status=retracted", "l-back "},
      {"prefix=l-&status=not_yet", "l-later "},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    ck_assert_str_eq(walk(text_of("/v1/evidence?%s", rows[i].query), "key", 2, NULL), rows[i].keys);
  CRV_PROBLEM(CRV_CALL(.path = "/v1/evidence?kind=rumour", .expect = 400), 400, "bad-parameter",
              NULL);
  CRV_CALL(.path = "/v1/evidence?status=fresh", .expect = 400);
  CRV_CALL(.path = "/v1/evidence?prefix=l-&format=csv",
           .contains = "l-run,1,protocol_run,current,");
}
END_TEST

/* GET /v1/tokens */
START_TEST(tokens_by_page) {
  ck_assert_str_eq(walk("/v1/tokens", "role", 2, NULL), "admin reader ci procurement ");
  CRV_CALL(.path = "/v1/tokens?format=csv", .contains = "1,admin,admin,");
}
END_TEST

int main(void) {
  Suite *s = suite_create("http lists");
  TCase *t = tcase_create("lists");
  tcase_set_timeout(t, 60);
  tcase_add_test(t, no_row_doubles_or_vanishes_while_rows_change);
  tcase_add_test(t, the_total_is_what_can_be_reached);
  tcase_add_test(t, filters_and_orders);
  tcase_add_test(t, bad_pages_are_refused);
  tcase_add_test(t, every_format_gives_everything);
  tcase_add_test(t, an_unchanged_list_is_304);
  tcase_add_test(t, sheets_by_page);
  tcase_add_test(t, pieces_by_what_they_are_about);
  tcase_add_test(t, tokens_by_page);
  suite_add_tcase(s, t);
  return suite_run(s, false);
}
