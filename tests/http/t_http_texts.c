/* What people write is text and stays text: statements, formats, commands, markup and formulas in
   the text fields of every record come back to the letter in JSON, guarded in CSV, escaped in
   pages, and find nothing but themselves in a query. */
#include <stdlib.h>
#include <string.h>

#include "tests/http/client.h"
#include "tests/http/http.h"

static const struct {
  const char *text;
  bool formula; /* a spreadsheet would run it */
} texts[] = {
    {"'; DROP TABLE offer_version; --", false},
    {"x' OR '1'='1", false},
    {"\" UNION SELECT hash FROM token --", false},
    {"%s%s%n%x%99999d", false},
    {"$(reboot) `id` ; rm -rf / & | > x", false},
    {"{{7*7}} ${7*7} #{7*7} <%= 7 %>", false},
    {"<script>alert(1)</script>", false},
    {"\"><img src=x onerror=alert(1)>", false},
    {"</pre><a href='javascript:alert(1)'>&amp;", false},
    {"]]></testcase><testcase name=\"a\"/>", false},
    {"| a | b |\\n# `c` [d](javascript:e)", false},
    {"=cmd|' /C calc'!A0", true},
    {"=HYPERLINK(\"https://example.org\",\"x\")", true},
    {"+1+cmd|' /C calc'!A0", true},
    {"-2+3+cmd|' /C calc'!A0", true},
    {"@SUM(1,2)", true},
    {"../../etc/passwd\\..\\x", false},
    {"%2e%2e%2f%00%0d%0aX-Injected: 1", false},
    {"caf\xc3\xa9", false},
    {"cafe\xcc\x81", false},
    {"\xf0\x9f\x92\xb8 \xd7\x90 \xef\xbc\x9d", false},
    {"a, \"b\"; c", false},
};
enum { TEXTS = sizeof texts / sizeof *texts };

/* -- forms ------------------------------------------------------------------------------------- */

static const char *freed(char *s) {
  const char *kept = text_of("%s", s ? s : "");
  free(s);
  return kept;
}

/* The template with the text for each "@". */
static const char *filled(const char *template, const char *text) {
  json_t *j = json_string(text);
  const char *quoted = freed(json_dumps(j, JSON_ENCODE_ANY)), *made = "";
  json_decref(j);
  for (const char *spot; (spot = strstr(template, "\"@\"")); template = spot + 3)
    made = text_of("%s%.*s%s", made, (int)(spot - template), template, quoted);
  return text_of("%s%s", made, template);
}

static const char *csv_cell(const char *text, bool guard) {
  const char *made = guard ? "\"'" : "\"";
  for (; *text; text++) made = text_of("%s%s%c", made, *text == '"' ? "\"" : "", *text);
  return text_of("%s\"", made);
}

static const char *escaped(const char *text) {
  static const char hex[] = "0123456789ABCDEF";
  const char *made = "";
  for (const unsigned char *s = (const unsigned char *)text; *s; s++)
    made = text_of("%s%%%c%c", made, hex[*s >> 4], hex[*s & 15]);
  return made;
}

static void same(const struct answer *a, const char *path, const char *text) {
  ck_assert_msg(strcmp(text_at(a, path), text) == 0, "%s: %s, not %s", path, text_at(a, path),
                text);
}

/* A spreadsheet sees the guarded cell; whoever asks for it raw, the text. A text without comma,
   quote or line break stands bare. */
static void check_csv(const char *path, const char *text, bool formula) {
  const char *bare = strpbrk(text, ",\"\r\n") ? NULL : text;
  const struct answer *a = CRV_CALL(.path = path);
  const char *want = formula || !bare ? csv_cell(text, formula) : bare;
  ck_assert_msg(strstr(a->body, want), "no %s in %s", want, a->body);
  if (!formula) return;
  ck_assert_msg(!strstr(a->body, text_of(",%s", text)), "%s", a->body);
  a = CRV_CALL(.path = text_of("%s&raw=1", path));
  want = bare ? bare : csv_cell(text, false);
  ck_assert_msg(strstr(a->body, want) && !strstr(a->body, csv_cell(text, true)), "%s", a->body);
}

/* No tag and no attribute of the text's is left. */
static void check_page(const char *path) {
  static const char *const tags[] = {"<script>alert", "<img src=x", "<a href='java", "<%="};
  const struct answer *a = CRV_CALL(.path = path, .header = {"Accept: text/html"});
  ck_assert_msg(strncmp(header_of(a, "Content-Type"), "text/html", 9) == 0, "%s", a->headers);
  for (size_t i = 0; i < sizeof tags / sizeof *tags; i++)
    ck_assert_msg(!strstr(a->body, tags[i]), "%s: %s", path, a->body);
  ck_assert_ptr_nonnull(strstr(header_of(a, "Content-Security-Policy"), "default-src"));
}

static void check_xml(const struct answer *a) {
  const char *fault = xml_fault(a->body);
  ck_assert_msg(!fault, "%s: %s", fault, a->body);
  ck_assert_ptr_nonnull(strstr(a->body, "<testsuite"));
}

/* -- records ----------------------------------------------------------------------------------- */

static const char offer[] =
    "{\"supplier\":\"@\",\"supplier_ref\":\"@\",\"region\":\"@\",\"stock\":\"@\",\"note\":\"@\","
    "\"device\":{\"name\":\"@\",\"vendor\":\"@\"},\"lot\":{\"devices\":1},"
    "\"price\":{\"amount\":\"1.5\",\"currency\":\"USD\",\"basis\":\"per_lot\",\"per\":\"hour\","
    "\"raw\":\"@\"},\"source\":{\"evidence\":\"example-price-list@1\"},\"x-own\":\"@\"}";
static const char piece[] =
    "{\"kind\":\"commercial_sheet\",\"observed_at\":\"2026-11-28\",\"uri\":\"@\",\"note\":\"@\","
    "\"scope\":{\"supplier\":\"@\",\"region\":\"@\"},\"result\":{\"text\":\"@\"}}";
static const char sheet[] =
    "{\"task\":\"inference\",\"model\":{\"name\":\"@\",\"revision\":\"@\",\"parameters\":1000},"
    "\"precision\":{\"weights\":\"bf16\"},\"length\":{\"prompt\":64,\"generated\":64},"
    "\"concurrency\":1,\"quality\":{\"metric\":\"@\",\"dataset\":\"@\",\"dataset_revision\":\"@\","
    "\"at_least\":\"0.5\"},\"reserve\":[{\"item\":\"@\",\"bytes\":\"1 GiB\","
    "\"basis\":\"estimated\",\"why\":\"@\"}],\"campaign\":{\"hours\":24,\"currency\":\"USD\"},"
    "\"preferences\":[{\"field\":\"region\",\"equals\":\"@\"}]}";

static void put(const char *path, const char *template, const char *text) {
  const struct answer *a =
      CRV_CALL(.method = "PUT", .path = path, .json = filled(template, text), .expect = -1);
  ck_assert_msg(a->status == 201 || a->status == 200, "%s: %d %s", text, a->status, a->body);
}

START_TEST(in_offers) {
  const char *t = texts[_i].text, *key = text_of("t%d", _i);
  put(text_of("/v1/offers/%s", key), offer, t);
  const char *paths[] = {text_of("/v1/offers/%s", key), text_of("/v1/offers/%s/versions/1", key)};
  const char *fields[] = {"supplier",    "supplier_ref",  "region",    "stock", "note",
                          "device.name", "device.vendor", "price.raw", "x-own"};
  for (size_t p = 0; p < 2; p++) {
    const struct answer *a = CRV_CALL(.path = paths[p]);
    for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) same(a, fields[f], t);
  }
  const struct answer *a = CRV_CALL(.path = text_of("/v1/offers?supplier=%s", escaped(t)));
  ck_assert_int_eq(int_at(a, "total"), 1);
  same(a, "items[0].supplier", t);
  check_csv(text_of("/v1/offers?format=csv&prefix=%s", key), t, texts[_i].formula);
  CRV_CALL(.path = text_of("/v1/offers?format=text&prefix=%s", key), .lacks = "\r");
  check_page(text_of("/o/%s", key));
  CRV_CALL(.path = text_of("/v1/offers/%s", escaped(t)), .expect = -1, .lacks = "\"supplier\"");
}
END_TEST

START_TEST(in_pieces) {
  const char *t = texts[_i].text, *key = text_of("t%d", _i);
  put(text_of("/v1/evidence/%s", key), piece, t);
  const struct answer *a = CRV_CALL(.path = text_of("/v1/evidence/%s", key));
  const char *fields[] = {"uri", "note", "scope.supplier", "scope.region", "result.text"};
  for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) same(a, fields[f], t);
  a = CRV_CALL(.path = text_of("/v1/evidence?supplier=%s", escaped(t)));
  ck_assert_int_eq(int_at(a, "total"), 1);
  CRV_CALL(.path = text_of("/v1/evidence?format=csv&prefix=%s", key));
}
END_TEST

START_TEST(in_tokens) {
  const char *t = texts[_i].text;
  CRV_CALL(.path = "/v1/tokens", .expect = 201,
           .json = filled("{\"name\":\"@\",\"role\":\"reader\"}", t));
  const struct answer *a = CRV_CALL(.path = "/v1/tokens?limit=1000");
  size_t found = 0;
  for (size_t i = 0; i < count_at(a, "items"); i++)
    found += strcmp(text_at(a, text_of("items[%zu].name", i)), t) == 0;
  ck_assert_uint_eq(found, 1);
  check_csv("/v1/tokens?format=csv", t, texts[_i].formula);
}
END_TEST

/* In the sheet, the offers, the decision and every form that it is shown in. */
START_TEST(in_decisions) {
  const char *t = texts[_i].text, *name = text_of("t%d", _i);
  put(text_of("/v1/offers/%s", name), offer, t);
  put(text_of("/v1/sheets/%s", name), sheet, t);
  const struct answer *a = CRV_CALL(.path = text_of("/v1/sheets/%s", name));
  const char *fields[] = {"model.name",           "model.revision",  "quality[0].metric",
                          "quality[0].dataset",   "reserve[0].item", "reserve[0].why",
                          "preferences[0].equals"};
  for (size_t f = 0; f < sizeof fields / sizeof *fields; f++) same(a, fields[f], t);
  a = CRV_CALL(.path = "/v1/decisions", .expect = 201,
               .json = text_of("{\"sheet\":\"%s\",\"offers\":{\"keys\":[\"%s\"]}}", name, name));
  same(a, "preselection[0].supplier", t);
  long long n = int_at(a, "decision");
  check_csv(text_of("/v1/decisions/%lld?format=csv", n), t, texts[_i].formula);
  check_xml(CRV_CALL(.path = text_of("/v1/decisions/%lld?format=junit", n)));
  CRV_CALL(.path = text_of("/v1/decisions/%lld?format=md", n), .lacks = "<script>");
  ck_assert_uint_le(
      widest_line(CRV_CALL(.path = text_of("/v1/decisions/%lld?format=text", n))->body), 100);
  check_page(text_of("/s/%s", name));
  check_page(text_of("/d/%lld", n));
  check_page(text_of("/s/%s?why=%s", name, name));
}
END_TEST

/* In a query or a path they name nothing. */
START_TEST(in_queries) {
  const char *t = escaped(texts[_i].text);
  static const char *const lists[] = {
      "offers?device=%s",  "offers?region=x%s",   "offers?prefix=%s",   "evidence?model=%s",
      "evidence?offer=%s", "sheets?prefix=%s",    "decisions?sheet=%s", "offers?sort=%s",
      "offers?cursor=%s",  "decisions?outcome=%s"};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) {
    const char *end = strchr(lists[i], '%');
    const struct answer *a =
        CRV_CALL(.path = text_of("/v1/%.*s%s", (int)(end - lists[i]), lists[i], t), .expect = -1);
    ck_assert_msg(a->status == 200 || a->status == 400 || a->status == 404, "%s: %d %s", lists[i],
                  a->status, a->body);
    if (a->status == 200 && i > 0) ck_assert_int_eq(int_at(a, "total"), 0);
    ck_assert_str_eq(header_of(a, "X-Injected"), "");
  }
  for (size_t i = 0; i < 3; i++) {
    static const char *const at[] = {"/v1/sheets/%s", "/s/%s", "/problems/%s"};
    const struct answer *a =
        CRV_CALL(.path = text_of("%.*s%s", (int)strcspn(at[i], "%"), at[i], t), .expect = -1);
    ck_assert_msg(a->status == 400 || a->status == 404, "%s: %d", at[i], a->status);
    ck_assert_str_eq(header_of(a, "X-Injected"), "");
  }
}
END_TEST

static void fill(void) {
  const struct answer *a = CRV_CALL(.path = "/v1/sheets/support-bot", .expect = -1);
  if (a->status == 404) example_put();
}

int main(void) {
  Suite *s = suite_create("texts");
  TCase *tc = tcase_create("texts");
  tcase_add_checked_fixture(tc, fill, NULL);
  tcase_set_timeout(tc, 120);
  tcase_add_loop_test(tc, in_offers, 0, TEXTS);
  tcase_add_loop_test(tc, in_pieces, 0, TEXTS);
  tcase_add_loop_test(tc, in_tokens, 0, TEXTS);
  tcase_add_loop_test(tc, in_decisions, 0, TEXTS);
  tcase_add_loop_test(tc, in_queries, 0, TEXTS);
  suite_add_tcase(s, tc);
  return suite_run(s, false);
}
