/* What must be refused on every address that takes a body: bodies that are no JSON, other media
   types, too much, files that are no price list. Each is answered by a problem, or by a finding for
   a row of a file; nothing is stored and the service lives on. */
#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "tests/http/hostile.h"

/* -- no JSON ----------------------------------------------------------------------------------- */

#define BYTES(s) s, sizeof(s) - 1
static const struct {
  const char *name, *body;
  size_t len;
} malformed[] = {
    {"cut", BYTES("{\"task\":\"infer")},
    {"no value", BYTES("{\"task\":}")},
    {"comma at the end", BYTES("{\"task\":\"inference\",}")},
    {"single quotes", BYTES("{'task':'inference'}")},
    {"comment", BYTES("{/* why */\"task\":\"inference\"}")},
    {"text behind", BYTES("{\"task\":\"inference\"} {}")},
    {"list", BYTES("[{\"task\":\"inference\"}]")},
    {"text", BYTES("\"inference\"")},
    {"null", BYTES("null")},
    {"number", BYTES("8")},
    {"NaN", BYTES("{\"concurrency\":NaN}")},
    {"Infinity", BYTES("{\"concurrency\":-Infinity}")},
    {"hexadecimal", BYTES("{\"concurrency\":0x8}")},
    {"plus", BYTES("{\"concurrency\":+8}")},
    {"zero in front", BYTES("{\"concurrency\":08}")},
    {"no digit behind the point", BYTES("{\"concurrency\":8.}")},
    {"same key twice", BYTES("{\"task\":\"inference\",\"task\":\"training\"}")},
    {"same key twice, deeper", BYTES("{\"length\":{\"prompt\":1,\"prompt\":2}}")},
    {"same key twice, escaped", BYTES("{\"task\":\"inference\",\"t\\u0061sk\":\"training\"}")},
    {"NUL", BYTES("{\"task\":\"infer\0ence\"}")},
    {"NUL, escaped", BYTES("{\"task\":\"infer\\u0000ence\"}")},
    {"NUL in a key", BYTES("{\"ta\\u0000sk\":\"inference\"}")},
    {"NUL behind", BYTES("{\"task\":\"inference\"}\0")},
    {"line break in a text", BYTES("{\"task\":\"infer\nence\"}")},
    {"byte 1 in a text", BYTES("{\"task\":\"\001"
                               "8.5\"}")},
    {"byte 1 escaped in a text", BYTES("{\"task\":\"\\u00018.5\"}")},
    {"no UTF-8", BYTES("{\"task\":\"\xff\xfe\"}")},
    {"overlong UTF-8", BYTES("{\"task\":\"\xc0\xaf\"}")},
    {"surrogate in UTF-8", BYTES("{\"task\":\"\xed\xa0\x80\"}")},
    {"beyond U+10FFFF", BYTES("{\"task\":\"\xf4\x90\x80\x80\"}")},
    {"cut UTF-8", BYTES("{\"task\":\"\xe2\x82\"}")},
    {"lone surrogate", BYTES("{\"task\":\"\\ud800\"}")},
    {"byte order mark", BYTES("\xef\xbb\xbf{\"task\":\"inference\"}")},
    {"UTF-16", BYTES("\xff\xfe{\0\"\0t\0\"\0:\0001\0}\0")},
    {"form", BYTES("task=inference&concurrency=8")},
    {"blank", BYTES("  \n ")},
};

/* N times what, between head and tail. */
static const char *many(const char *head, const char *what, size_t n, const char *tail) {
  size_t one = strlen(what), h = strlen(head), t = strlen(tail);
  char *text = malloc(h + n * one + t + 1);
  ck_assert(text != NULL);
  memcpy(text, head, h);
  for (size_t i = 0; i < n; i++) memcpy(text + h + i * one, what, one);
  memcpy(text + h + n * one, tail, t + 1);
  const char *kept = text_of("%s", text);
  free(text);
  return kept;
}

static const char *nested(size_t depth) {
  const char *open = many("{\"a\":", "[", depth - 1, "");
  return text_of("%s%s", open, many("", "]", depth - 1, "}"));
}

static const char *listed(size_t tokens) { /* the object, the key and the list are tokens too */
  return many("{\"a\":[0", ",0", tokens - 4, "]}");
}

START_TEST(no_json) {
  enum at at = (enum at)_i;
  still_remember();
  for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
    const struct answer *a = hostile_send(at, malformed[i].body, malformed[i].len);
    check_refused(a, 400, "malformed-json", NULL, malformed[i].name);
    still_in_ledger(malformed[i].name);
  }
  check_refused(hostile_send(at, nested(33), 0), 400, "malformed-json", NULL, "depth 33");
  check_refused(hostile_send(at, nested(32), 0), 422, "invalid-fields", "/a", "depth 32");
  check_refused(hostile_send(at, listed(100001), 0), 400, "malformed-json", NULL, "100001 tokens");
  check_refused(hostile_send(at, listed(100000), 0), 422, "invalid-fields", "/a", "100000 tokens");
  check_refused(hostile_send(at, many("{\"a\":\"", "a", 65537, "\"}"), 0), 422, "invalid-fields",
                "/a", "a long text");
  still_all(routes[at].path);
}
END_TEST

/* Line and column of what is wrong, counted from 1. */
START_TEST(place_is_told) {
  static const struct {
    const char *body, *place;
  } cases[] = {
      {"{\"task\":\"inference\",\n \"concurrency\":NaN}", "line 2, column 16"},
      {"{\n\n\"task\":\"a\",\n\"task\":\"b\"}", "line 4"},
      {"{\"task\":\"\xff\"}", "line 1, column 10"},
      {"{\"a\":\n\"\\u0000\"}", "line 2"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++)
    ck_assert_msg(strstr(text_at(hostile_send(SHEET, cases[i].body, 0), "detail"), cases[i].place),
                  "%s: %s", cases[i].place, hostile_send(SHEET, cases[i].body, 0)->body);
  ck_assert_ptr_nonnull(strstr(hostile_send(SHEET, nested(33), 0)->body, "32"));
  ck_assert_ptr_nonnull(strstr(hostile_send(SHEET, listed(100001), 0)->body, "100000"));
}
END_TEST

START_TEST(json_test_suite) {
  static const char dir[] = "tests/data/jsontestsuite/test_parsing";
  const char *top = getenv("top_srcdir");
  DIR *d = opendir(text_of("%s/%s", top ? top : ".", dir));
  size_t n = 0;
  ck_assert_ptr_nonnull(d);
  still_remember();
  for (const struct dirent *e; (e = readdir(d));) {
    size_t len;
    if (!strstr(e->d_name, ".json")) continue;
    const char *body = file_of(text_of("%s/%s", dir, e->d_name), &len);
    json_t *j = len ? json_loadb(body, len, JSON_REJECT_DUPLICATES, NULL) : NULL;
    bool taken = json_is_object(j);
    json_decref(j);
    const struct answer *a = CRV_CALL(.method = "PUT", .path = "/v1/sheets/x", .body = body,
                                      .len = len, .type = "application/json", .expect = -1);
    check_refused(a, taken ? 422 : 400, taken ? "invalid-fields" : "malformed-json", NULL,
                  e->d_name);
    if (e->d_name[0] == 'n') ck_assert_int_eq(a->status, 400);
    if (!taken && len) ck_assert_msg(strstr(a->body, "line "), "%s: %s", e->d_name, a->body);
    n++;
  }
  closedir(d);
  ck_assert_uint_ge(n, 300);
  still_all("JSONTestSuite");
}
END_TEST

/* -- other media, too much --------------------------------------------------------------------- */

START_TEST(other_media) {
  static const struct {
    const char *type, *header, *says;
  } cases[] = {
      {"application/x-www-form-urlencoded", NULL, "--json"},
      {"multipart/form-data; boundary=x", NULL, "--json"},
      {"", NULL, "--json"},
      {"text/plain", NULL, "--json"},
      {"text/json", NULL, "application/json"},
      {"application/xml", NULL, "application/json"},
      {"application/ld+json", NULL, "application/json"},
      {"application/json-seq", NULL, "application/json"},
      {"application/json; charset=utf-16", NULL, "UTF-8"},
      {"application/json", "Content-Encoding: gzip", "Content-Encoding"},
      {"application/json", "Content-Encoding: identity, br", "Content-Encoding"},
  };
  enum at at = (enum at)_i;
  still_remember();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct answer *a =
        CRV_CALL(.method = routes[at].method, .path = routes[at].path, .body = routes[at].base,
                 .type = cases[i].type, .header = {cases[i].header}, .expect = -1);
    check_refused(a, 415, "unsupported-media-type", NULL, cases[i].type);
    ck_assert_msg(strstr(text_at(a, "detail"), cases[i].says), "%s", a->body);
  }
  still_all("other media");
}
END_TEST

START_TEST(other_media_of_files) {
  static const char *const types[] = {"application/x-www-form-urlencoded",
                                      "multipart/form-data; boundary=x", "", "application/zip"};
  still_remember();
  for (size_t i = 0; i < sizeof types / sizeof *types; i++)
    check_refused(CRV_CALL(.path = "/v1/imports?source=csv", .body = "key\na\n", .type = types[i],
                           .expect = -1, .contains = "--data-binary"),
                  415, "unsupported-media-type", NULL, types[i]);
  check_refused(CRV_CALL(.path = "/v1/imports?source=csv", .body = "key\na\n", .type = "text/csv",
                         .header = {"Content-Encoding: gzip"}, .expect = -1),
                415, "unsupported-media-type", NULL, "gzip");
  still_all("other media");
}
END_TEST

/* The stored sheet again, with white space up to that length: nothing new. */
static const struct answer *padded(size_t len, const char *header) {
  size_t used = strlen(sheet_json);
  return CRV_CALL(.method = "PUT", .path = "/v1/sheets/support-bot",
                  .json = many(sheet_json, " ", len - used, ""), .header = {header}, .expect = -1);
}

START_TEST(too_large) {
  enum { LIMIT = 1 << 20 };
  static const char chunked[] = "Transfer-Encoding: chunked";
  still_remember();
  ck_assert_int_eq(padded(LIMIT - 1, NULL)->status, 200);
  ck_assert_int_eq(padded(LIMIT, NULL)->status, 200);
  ck_assert_int_eq(padded(LIMIT, chunked)->status, 200);
  check_refused(padded(LIMIT + 1, NULL), 413, "too-large", NULL, "one byte more");
  check_refused(padded(LIMIT + 1, chunked), 413, "too-large", NULL, "one byte more in chunks");
  check_refused(padded(4 * LIMIT, NULL), 413, "too-large", NULL, "four times as much");
  check_refused(CRV_CALL(.method = "PUT", .path = "/v1/evidence/example-price-list/content",
                         .body = many("", "a", 8 * LIMIT + 1, ""), .type = "text/plain",
                         .expect = -1),
                413, "too-large", NULL, "a document");
  check_refused(
      CRV_CALL(.method = "DELETE", .path = "/v1/offers/rtx-4090-3d", .json = "{}", .expect = -1),
      413, "too-large", NULL, "a body where none is taken");
  still_all("too large");
}
END_TEST

/* -- files ------------------------------------------------------------------------------------- */

static const struct {
  const char *query, *body;
  size_t len;
} files[] = {
    {"source=skypilot&profile=vast&currency=USD", BYTES("\0\0\0\0")},
    {"source=skypilot&profile=vast&currency=USD", BYTES("not,a,price,list\n1,2,3,4\n")},
    {"source=skypilot&profile=vast&currency=USD", BYTES("InstanceType,AcceleratorName\n\"open")},
    {"source=skypilot&profile=nebius&currency=USD",
     BYTES("InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,"
           "SpotPrice\n"
           "a,H100,1e400,NaN,-1,1e400,x,\"__import__('os').abort()\",NaN\n"
           "a,H100,99999999999999999999,1,1,-1,\xff\xfe,{'Gpus': [[[[,0x1\n"
           "a,H100,0,0,0,0,,,\n,,,,,,,,\n,,,\n")},
    {"source=ndjson", BYTES("{\n[]\nnull\n{\"key\":\"a\",\"key\":\"b\"}\n\xff\n{\"key\":\"a\"}\n")},
    {"source=ndjson",
     BYTES("{\"key\":\"a\",\"price\":{\"amount\":1e400}}\n{\"key\":\"../a\"}\n\0")},
    {"source=csv", BYTES("key,key\na,b\n")},
    {"source=csv", BYTES("key,supplier,device.name,price.amount\na,b,c,NaN\na,b,c,24G\n")},
    {"source=csv", BYTES("\"\"\"\r\r\n,,,\"")},
};

START_TEST(no_price_lists) {
  still_remember();
  for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
    const struct answer *a =
        CRV_CALL(.path = text_of("/v1/imports?%s&dry_run=1", files[i].query), .body = files[i].body,
                 .len = files[i].len, .type = "text/csv", .expect = -1);
    if (a->status == 200)
      ck_assert_msg(count_at(a, "findings") > 0, "%s", a->body);
    else
      ck_assert_msg(a->status == 400 || a->status == 422, "%zu: %d %s", i, a->status, a->body);
  }
  still_all("files");
}
END_TEST

/* One line without an end, one row with a hundred thousand cells, one cell nested ten thousand
 * deep. */
START_TEST(misshapen_files) {
  static const char head[] =
      "InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,Price,Region,GpuInfo,"
      "SpotPrice\na,H100,1,1,1,1,x,";
  const char *shapes[] = {many("", "a", 3000000, ""),    many("a", ",a", 100000, "\n"),
                          many(head, "[", 10000, ",\n"), many(head, "{'a':", 10000, ",\n"),
                          many("", "\n", 1000000, ""),   many("\"", "\"\"", 1000000, "")};
  still_remember();
  for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
    const struct answer *a =
        CRV_CALL(.path = "/v1/imports?source=skypilot&profile=nebius&currency=USD&dry_run=1",
                 .body = shapes[i], .type = "text/csv", .expect = -1);
    ck_assert_msg(a->status == 200 || a->status == 400 || a->status == 422, "%zu: %d %.500s", i,
                  a->status, a->body);
  }
  still_all("shapes");
}
END_TEST

int main(void) {
  Suite *s = suite_create("hostile");
  TCase *tc = tcase_create("hostile");
  tcase_add_loop_test(tc, no_json, 0, ROUTES);
  tcase_add_test(tc, place_is_told);
  tcase_add_test(tc, json_test_suite);
  tcase_add_loop_test(tc, other_media, 0, ROUTES);
  tcase_add_test(tc, other_media_of_files);
  tcase_add_test(tc, too_large);
  tcase_add_test(tc, no_price_lists);
  tcase_add_test(tc, misshapen_files);
  return hostile_run(s, tc);
}
