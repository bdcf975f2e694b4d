/* Pieces over HTTP: PUT and GET /v1/evidence/{key}, versions, documents, and who may write what. */
#include <stdlib.h>
#include <string.h>

#include "tests/http/http.h"

#define SEEN "\"observed_at\":\"2026-11-01T00:00:00Z\","

static const char sheet_of_s1[] =
    "{\"kind\":\"commercial_sheet\"," SEEN "\"scope\":{\"supplier\":\"s1\"},\"result\":{}}";

static const struct answer *put(const char *key, const char *json, int expect) {
  return CRV_CALL(.method = "PUT", .path = text_of("/v1/evidence/%s", key), .json = json,
                  .expect = expect);
}

/* Each kind with the least it needs. */
static const struct {
  const char *kind, *rest;
  bool ci;
} kinds[] = {
    {"commercial_sheet", "\"scope\":{\"supplier\":\"s1\"},\"result\":{}", false},
    {"catalogue_import", "\"scope\":{\"file\":\"vms.csv\"},\"result\":{\"origin\":\"third_party\"}",
     false},
    {"delivery_commitment",
     "\"scope\":{\"offer\":\"o1\"},\"result\":{\"date\":\"2027-01-01T00:00:00Z\"}", false},
    {"device_report",
     "\"scope\":{\"device\":\"nvidia/rtx-4090\"},\"result\":{\"declared_bytes\":25757220864}",
     true},
    {"vendor_documentation",
     "\"scope\":{\"architecture\":\"ada\"},\"result\":{\"supports\":[\"fp8\"]}", false},
    {"protocol_run",
     "\"scope\":{\"device\":\"nvidia/rtx-4090\",\"model\":{\"name\":\"m\"}},"
     "\"result\":{\"outcome\":\"passed\",\"truncated\":false,\"errors\":0}",
     true},
    {"failure_report",
     "\"scope\":{\"device\":\"nvidia/rtx-4090\",\"model\":{\"name\":\"m\"}},"
     "\"result\":{\"cause\":\"out_of_memory\"}",
     true},
    {"quality_evaluation",
     "\"scope\":{\"model\":{\"name\":\"m\"}},\"result\":{\"metric\":\"f1\",\"value\":\"0.5\"}",
     true},
    {"exchange_rate", "\"scope\":{\"from\":\"EUR\",\"to\":\"USD\"},\"result\":{\"rate\":\"1.08\"}",
     false},
    {"order_preference", "\"scope\":{\"offer\":\"o1\"},\"result\":{}", false},
    {"stock_declaration", "\"scope\":{\"supplier\":\"s1\"},\"result\":{}", false},
};

/* PUT /v1/evidence/{key} */
START_TEST(every_kind_is_taken_from_who_may_write_it) {
  const char *json = text_of("{\"kind\":\"%s\"," SEEN "%s}", kinds[_i].kind, kinds[_i].rest);
  const char *path = text_of("/v1/evidence/kind-%d", _i);
  const struct answer *a = CRV_CALL(.method = "PUT", .path = path, .json = json, .as = "ci",
                                    .expect = kinds[_i].ci ? 201 : 403);
  if (!kinds[_i].ci) CRV_PROBLEM(a, 403, "forbidden", NULL);
  CRV_CALL(.method = "PUT", .path = path, .json = json, .as = "procurement",
           .expect = kinds[_i].ci ? 200 : 201);
  a = CRV_CALL(.path = path, .as = "reader");
  ck_assert_str_eq(text_at(a, "kind"), kinds[_i].kind);
  ck_assert_str_eq(text_at(a, "ref"), text_of("kind-%d@1", _i));
  a = CRV_CALL(.method = "PUT", .path = path, .as = "procurement", .expect = 422,
               .json = text_of("{\"kind\":\"%s\"}", kinds[_i].kind));
  CRV_PROBLEM(a, 422, "invalid-fields", NULL);
}
END_TEST

/* GET /v1/evidence/{key}, GET /v1/evidence/{key}/versions, GET /v1/evidence/{key}/versions/{n} */
START_TEST(versions_supersede_and_retract) {
  const struct answer *a = put("list", sheet_of_s1, 201);
  const char *tag = text_of("%s", header_of(a, "ETag"));
  CRV_CALL(.path = "/v1/evidence/list", .expect = 304,
           .header = {text_of("If-None-Match: %s", tag)});
  a = put("list", CRV_CALL(.path = "/v1/evidence/list")->body, 200);
  ck_assert_str_eq(header_of(a, "Revision-Created"), "false");
  a = CRV_CALL(.method = "PUT", .path = "/v1/evidence/list",
               .header = {text_of("If-Match: %s", tag)},
               .json = "{\"kind\":\"commercial_sheet\"," SEEN "\"scope\":{\"supplier\":\"s1\"},"
                       "\"result\":{},\"retracted\":\"typed by mistake\"}");
  ck_assert_int_eq(int_at(a, "version"), 2);
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/list", .json = sheet_of_s1, .expect = 412,
           .header = {text_of("If-Match: %s", tag)});
  CRV_CALL(.path = "/v1/evidence/list", .contains = "typed by mistake");
  CRV_CALL(.path = "/v1/evidence/list/versions/1", .lacks = "retracted");
  a = CRV_CALL(.path = "/v1/evidence/list/versions");
  ck_assert_uint_eq(count_at(a, "items"), 2);
  CRV_CALL(.path = "/v1/evidence/list/versions/3", .expect = 404);
  CRV_CALL(.path = "/v1/evidence/none", .expect = 404);
  CRV_CALL(.path = "/v1/evidence/none/versions", .expect = 404);
  CRV_CALL(.method = "DELETE", .path = "/v1/evidence/list", .expect = 405);
}
END_TEST

START_TEST(a_piece_keeps_its_kind) {
  put("kept", sheet_of_s1, 201);
  CRV_PROBLEM(
      put("kept", text_of("{\"kind\":\"stock_declaration\"," SEEN "%s}", kinds[10].rest), 409), 409,
      "conflict", NULL);
  /* so that no run can supersede a price list under its key */
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/kept", .as = "ci", .expect = 409,
           .json = text_of("{\"kind\":\"protocol_run\"," SEEN "%s}", kinds[5].rest));
}
END_TEST

START_TEST(superseded_pieces_exist_and_are_ones_own_to_supersede) {
  put("prices", sheet_of_s1, 201);
  CRV_PROBLEM(put("run-a",
                  text_of("{\"kind\":\"protocol_run\"," SEEN "\"supersedes\":[\"nothing\"],%s}",
                          kinds[5].rest),
                  422),
              422, "missing-reference", "/supersedes/0");
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/run-a", .as = "ci", .expect = 403,
           .json = text_of("{\"kind\":\"protocol_run\"," SEEN "\"supersedes\":[\"prices\"],%s}",
                           kinds[5].rest));
  put("run-b", text_of("{\"kind\":\"protocol_run\"," SEEN "%s}", kinds[5].rest), 201);
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/run-a", .as = "ci", .expect = 201,
           .json = text_of("{\"kind\":\"protocol_run\"," SEEN "\"supersedes\":[\"run-b\"],%s}",
                           kinds[5].rest));
}
END_TEST

START_TEST(a_private_piece_shows_only_that_it_is_there) {
  static const char json[] = "{\"kind\":\"commercial_sheet\"," SEEN "\"private\":true,"
                             "\"scope\":{\"supplier\":\"secret-supplier\"},\"result\":{}}";
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/hidden", .json = json, .as = "procurement",
           .expect = 201);
  CRV_PROBLEM(CRV_CALL(.path = "/v1/evidence/hidden", .as = "reader", .expect = 403), 403,
              "forbidden", NULL);
  CRV_CALL(.path = "/v1/evidence/hidden/versions/1", .as = "ci", .expect = 403,
           .lacks = "secret-supplier");
  CRV_CALL(.path = "/v1/evidence/hidden", .as = "procurement", .contains = "secret-supplier");
  CRV_CALL(.path = "/v1/evidence?prefix=hidden", .as = "reader", .contains = "\"private\":true",
           .lacks = "secret-supplier");
  CRV_CALL(.path = "/v1/evidence?prefix=hidden", .as = "admin", .contains = "secret-supplier");
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/mine", .as = "ci", .expect = 403,
           .json =
               text_of("{\"kind\":\"protocol_run\"," SEEN "\"private\":true,%s}", kinds[5].rest));
}
END_TEST

static const struct {
  const char *json, *pointer;
} bad[] = {
    {"{\"scope\":{}}", "/kind"},
    {"{\"kind\":\"rumour\"}", "/kind"},
    {"{\"kind\":\"protocol_run\",\"scope\":{\"device\":\"nvidia/rtx-4090\",\"model\":\"m\"},"
     "\"result\":{\"outcome\":\"passed\",\"truncated\":false}}",
     "/result/errors"},
    {"{\"kind\":\"exchange_rate\",\"scope\":{\"from\":\"EUR\",\"to\":\"USD\"},"
     "\"result\":{\"rate\":\"1.0000001\"}}",
     "/result/rate"},
    {"{\"kind\":\"commercial_sheet\",\"scope\":{\"supplier\":\"s\"},"
     "\"result\":{\"outcome\":\"passed\"}}",
     "/result/outcome"},
    {"{\"kind\":\"commercial_sheet\",\"scope\":{\"suplier\":\"s\"},\"result\":{}}",
     "/scope/suplier"},
};

START_TEST(bad_pieces_are_refused) {
  CRV_PROBLEM(put("bad", bad[_i].json, 422), 422, "invalid-fields", bad[_i].pointer);
  CRV_CALL(.path = "/v1/evidence/bad", .expect = 404);
}
END_TEST

/* PUT /v1/evidence/{key}/content, GET /v1/evidence/{key}/content,
   GET /v1/evidence/{key}/versions/{n}/content */
START_TEST(a_document_attaches_once) {
  static const char pdf[] = "%PDF-1.7 \0\1\2 not really";
  put("doc", sheet_of_s1, 201);
  CRV_CALL(.path = "/v1/evidence/doc/content", .expect = 404);
  const struct answer *a =
      CRV_CALL(.method = "PUT", .path = "/v1/evidence/doc/content", .body = pdf,
               .len = sizeof pdf - 1, .type = "application/pdf", .expect = 201);
  ck_assert_int_eq(int_at(a, "version"), 1);
  ck_assert_int_eq(int_at(a, "bytes"), sizeof pdf - 1);
  ck_assert_uint_eq(strlen(text_at(a, "sha256")), 64);
  const char *digest = text_at(a, "sha256");
  a = CRV_CALL(.path = "/v1/evidence/doc/content");
  ck_assert_uint_eq(a->len, sizeof pdf - 1);
  ck_assert(memcmp(a->body, pdf, a->len) == 0);
  ck_assert_str_eq(header_of(a, "Content-Type"), "application/pdf");
  ck_assert(strstr(header_of(a, "Content-Security-Policy"), "sandbox") != NULL);
  ck_assert(strncmp(header_of(a, "Repr-Digest"), "sha-256=:", 9) == 0);
  ck_assert(strncmp(header_of(a, "Content-Disposition"), "attachment", 10) == 0);
  ck_assert(strncmp(header_of(a, "ETag") + 1, digest, 32) == 0);
  CRV_CALL(.path = "/v1/evidence/doc/content", .expect = 304,
           .header = {text_of("If-None-Match: %s", header_of(a, "ETag"))});
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/doc/content", .body = pdf, .len = sizeof pdf - 1,
           .type = "application/pdf", .expect = 200, .contains = digest);
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/doc/content", .body = "other", .expect = 412,
           .type = "text/plain", .header = {"If-None-Match: *"});
  a = CRV_CALL(.method = "PUT", .path = "/v1/evidence/doc/content", .body = "other",
               .type = "text/html", .expect = 201);
  ck_assert_int_eq(int_at(a, "version"), 2);
  CRV_CALL(.path = "/v1/evidence/doc/content", .contains = "other");
  a = CRV_CALL(.path = "/v1/evidence/doc/versions/1/content");
  ck_assert_uint_eq(a->len, sizeof pdf - 1);
  a = CRV_CALL(.path = "/v1/evidence/doc/versions/2/content");
  ck_assert_str_eq(header_of(a, "Content-Security-Policy"), "sandbox; default-src 'none'");
}
END_TEST

START_TEST(documents_that_are_refused) {
  put("doc2",
      "{\"kind\":\"commercial_sheet\"," SEEN "\"scope\":{\"supplier\":\"s1\"},\"result\":{},"
      "\"content\":{\"sha256\":"
      "\"2c26b46b68ffc68ff99b453c1d30413413422d706483bfa0f98a5e886266e7ae\"}}",
      201);
  CRV_PROBLEM(CRV_CALL(.method = "PUT", .path = "/v1/evidence/doc2/content", .body = "bar",
                       .type = "text/plain", .expect = 409),
              409, "conflict", NULL);
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/doc2/content", .body = "foo",
           .type = "text/plain", .expect = 201);
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/none/content", .body = "foo",
           .type = "text/plain", .expect = 404);
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/doc2/content", .body = "foo", .as = "ci",
           .type = "text/plain", .expect = 403);
  CRV_PROBLEM(CRV_CALL(.method = "PUT", .path = "/v1/evidence/doc2/content", .body = "",
                       .type = "text/plain", .expect = 400),
              400, "bad-parameter", NULL);
  size_t len = (8 << 20) + 1;
  char *large = malloc(len);
  ck_assert_ptr_nonnull(large);
  memset(large, 'x', len);
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/doc2/content", .body = large, .len = len,
           .type = "text/plain", .expect = 413);
  put("doc3", sheet_of_s1, 201);
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/doc3/content", .body = large, .len = len - 1,
           .type = "text/plain", .expect = 201);
  ck_assert_uint_eq(CRV_CALL(.path = "/v1/evidence/doc3/content")->len, len - 1);
  free(large);
}
END_TEST

START_TEST(an_answer_told_a_media_type_that_was_not_kept) {
  static const char *const wrong[] = {"x", "text/", "/plain", "text/pl\\ain", "text/a/b"};
  const char *path = "/v1/evidence/doc4/content";
  put("doc4", sheet_of_s1, 201);
  CRV_CALL(.method = "PUT", .path = path, .body = "foo", .type = "text/plain", .expect = 201);
  const struct answer *a =
      CRV_CALL(.method = "PUT", .path = path, .body = "foo", .type = "text/html");
  ck_assert_str_eq(text_at(a, "media_type"), "text/plain");
  a = CRV_CALL(.path = path);
  ck_assert_str_eq(header_of(a, "Content-Type"), "text/plain");
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++)
    CRV_PROBLEM(
        CRV_CALL(.method = "PUT", .path = path, .body = "bar", .type = wrong[i], .expect = 400),
        400, "bad-parameter", NULL);
}
END_TEST

int main(void) {
  Suite *s = suite_create("http evidence");
  TCase *t = tcase_create("evidence");
  tcase_set_timeout(t, 60);
  tcase_add_loop_test(t, every_kind_is_taken_from_who_may_write_it, 0,
                      sizeof kinds / sizeof *kinds);
  tcase_add_test(t, versions_supersede_and_retract);
  tcase_add_test(t, a_piece_keeps_its_kind);
  tcase_add_test(t, superseded_pieces_exist_and_are_ones_own_to_supersede);
  tcase_add_test(t, a_private_piece_shows_only_that_it_is_there);
  tcase_add_loop_test(t, bad_pieces_are_refused, 0, sizeof bad / sizeof *bad);
  tcase_add_test(t, a_document_attaches_once);
  tcase_add_test(t, documents_that_are_refused);
  tcase_add_test(t, an_answer_told_a_media_type_that_was_not_kept);
  suite_add_tcase(s, t);
  return suite_run(s, false);
}
