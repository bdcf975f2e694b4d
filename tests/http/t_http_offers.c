/* Offers over HTTP: PUT, GET and DELETE /v1/offers/{key}, versions, and what an offer cites. */
#include <string.h>

#include "tests/http/http.h"

static const char *offer(const char *supplier, const char *amount, const char *source) {
  return text_of("{\"supplier\":\"%s\",\"supplier_ref\":\"r1\",\"region\":\"eu\","
                 "\"device\":{\"name\":\"RTX 4090\",\"memory_nominal\":\"24 GB\"},"
                 "\"lot\":{\"devices\":1},\"plan\":{\"hours\":72},"
                 "\"price\":{\"amount\":\"%s\",\"currency\":\"USD\",\"basis\":\"per_lot\","
                 "\"per\":\"plan\"}%s}",
                 supplier, amount, source);
}

static const struct answer *put(const char *key, const char *json, int expect) {
  return CRV_CALL(.method = "PUT", .path = text_of("/v1/offers/%s", key), .json = json,
                  .expect = expect);
}

/* PUT /v1/offers/{key} */
START_TEST(put_creates_versions) {
  const struct answer *a = put("v-offer", offer("s1", "47.14", ""), 201);
  ck_assert_int_eq(int_at(a, "version"), 1);
  ck_assert_str_eq(header_of(a, "Location"), "/v1/offers/v-offer");
  ck_assert_str_eq(header_of(a, "Content-Location"), "/v1/offers/v-offer/versions/1");
  ck_assert_str_eq(text_at(a, "price.amount"), "47.14");
  a = put("v-offer", offer("s1", "47.140", ""), 200);
  ck_assert_str_eq(header_of(a, "Revision-Created"), "false");
  a = put("v-offer", offer("s1", "48", ""), 200);
  ck_assert_int_eq(int_at(a, "version"), 2);
  ck_assert_str_eq(header_of(a, "Revision-Created"), "true");
  a = put("v-offer", CRV_CALL(.path = "/v1/offers/v-offer")->body, 200);
  ck_assert_str_eq(header_of(a, "Revision-Created"), "false");
}
END_TEST

START_TEST(amounts_are_exact_as_text_or_number) {
  static const char json[] = "{\"supplier\":\"s1\",\"device\":{\"name\":\"T4\"},"
                             "\"price\":{\"amount\":0.138123,\"currency\":\"USD\",\"basis\":\"per_"
                             "lot\",\"per\":\"hour\"}}";
  const struct answer *a = put("exact", json, 201);
  ck_assert_str_eq(text_at(a, "price.amount"), "0.138123");
  CRV_PROBLEM(
      put("exact2",
          "{\"supplier\":\"s1\",\"device\":{\"name\":\"T4\"},\"price\":{\"amount\":"
          "1.000000000000000005,\"currency\":\"USD\",\"basis\":\"per_lot\",\"per\":\"hour\"}}",
          422),
      422, "invalid-fields", "/price/amount");
}
END_TEST

/* GET /v1/offers/{key}, DELETE /v1/offers/{key}, GET /v1/offers/{key}/versions,
   GET /v1/offers/{key}/versions/{n} */
START_TEST(withdrawal_and_versions) {
  put("gone", offer("s1", "1", ""), 201);
  const struct answer *a = CRV_CALL(.path = "/v1/offers/gone");
  const char *tag = text_of("%s", header_of(a, "ETag"));
  CRV_CALL(.path = "/v1/offers/gone", .expect = 304, .header = {text_of("If-None-Match: %s", tag)});
  CRV_PROBLEM(CRV_CALL(.method = "DELETE", .path = "/v1/offers/gone", .expect = 412,
                       .header = {"If-Match: \"no\""}),
              412, "precondition-failed", NULL);
  CRV_CALL(.method = "DELETE", .path = "/v1/offers/gone", .header = {text_of("If-Match: %s", tag)});
  CRV_PROBLEM(CRV_CALL(.path = "/v1/offers/gone", .expect = 410), 410, "withdrawn", NULL);
  CRV_CALL(.method = "DELETE", .path = "/v1/offers/gone", .expect = 410);
  CRV_CALL(.method = "DELETE", .path = "/v1/offers/none", .expect = 404);
  CRV_CALL(.path = "/v1/offers/none", .expect = 404);
  a = CRV_CALL(.path = "/v1/offers/gone/versions/1", .contains = "\"amount\":\"1\"");
  ck_assert(strstr(header_of(a, "Cache-Control"), "immutable") != NULL);
  a = CRV_CALL(.path = "/v1/offers/gone/versions");
  ck_assert_uint_eq(count_at(a, "items"), 2);
  ck_assert(json_is_true(json_path(a->json, "items[0].withdrawn")));
  CRV_CALL(.path = "/v1/offers/gone/versions/9", .expect = 404);
  CRV_CALL(.path = "/v1/offers/none/versions", .expect = 404);
  ck_assert_int_eq(int_at(put("gone", offer("s1", "2", ""), 201), "version"), 3);
}
END_TEST

START_TEST(as_of_gives_the_version_in_force) {
  put("timed", offer("s1", "5", ",\"effective_from\":\"2027-01-01T00:00:00Z\""), 201);
  put("timed", offer("s1", "6", ",\"effective_from\":\"2028-01-01T00:00:00Z\""), 200);
  CRV_CALL(.path = "/v1/offers/timed?as_of=2027-06-01", .contains = "\"amount\":\"5\"");
  CRV_CALL(.path = "/v1/offers/timed?as_of=2028-06-01T00:00:00Z", .contains = "\"amount\":\"6\"");
  CRV_CALL(.path = "/v1/offers/timed?as_of=2026-06-01", .expect = 404);
  CRV_PROBLEM(CRV_CALL(.path = "/v1/offers/timed?as_of=soon", .expect = 400), 400, "bad-parameter",
              NULL);
  CRV_CALL(.path = "/v1/offers?as_of=2026-06-01", .lacks = "\"timed\"");
}
END_TEST

START_TEST(a_cited_piece_must_exist) {
  const struct answer *a =
      put("citing", offer("s2", "7", ",\"source\":{\"evidence\":\"price-s2@1\"}"), 422);
  CRV_PROBLEM(a, 422, "missing-reference", "/source/evidence");
  ck_assert(strstr(text_at(a, "detail"), "price-s2@1") != NULL);
  CRV_CALL(.path = "/v1/offers/citing", .expect = 404);
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/price-s2", .expect = 201,
           .json = "{\"kind\":\"commercial_sheet\",\"observed_at\":\"2026-11-01T00:00:00Z\","
                   "\"scope\":{\"supplier\":\"s2\"},\"result\":{}}");
  a = put("citing", offer("s2", "7", ",\"source\":{\"evidence\":\"price-s2@1\"}"), 201);
  ck_assert_str_eq(text_at(a, "cites"), "price-s2@1");
  CRV_PROBLEM(put("citing", offer("s2", "7", ",\"source\":{\"evidence\":\"price-s2@2\"}"), 422),
              422, "missing-reference", "/source/evidence");
  CRV_PROBLEM(put("citing", offer("s2", "7", ",\"source\":{\"evidence\":\"no version\"}"), 422),
              422, "invalid-fields", "/source/evidence");
}
END_TEST

START_TEST(an_inline_source_is_recorded_with_the_offer) {
  static const char source[] = ",\"source\":{\"uri\":\"https://s3.example/p\","
                               "\"observed_at\":\"2026-11-30T00:00:00Z\","
                               "\"valid_until\":\"2027-01-31T00:00:00Z\"}";
  const struct answer *a = put("inline", offer("s3", "9", source), 201);
  ck_assert_str_eq(text_at(a, "cites"), "src.inline@1");
  a = CRV_CALL(.path = "/v1/evidence/src.inline");
  ck_assert_str_eq(text_at(a, "kind"), "commercial_sheet");
  ck_assert_str_eq(text_at(a, "scope.offer"), "inline");
  ck_assert_str_eq(text_at(a, "uri"), "https://s3.example/p");
  ck_assert_str_eq(text_at(a, "valid_until"), "2027-01-31T00:00:00Z");
  a = put("inline", offer("s3", "9", source), 200);
  ck_assert_str_eq(header_of(a, "Revision-Created"), "false");
  CRV_CALL(.path = "/v1/evidence/src.inline/versions", .contains = "\"total\":1");
  a = put("inline", offer("s3", "10", source), 200); /* the document is the same one */
  ck_assert_str_eq(text_at(a, "cites"), "src.inline@1");
  a = put("inline",
          offer("s3", "10",
                ",\"source\":{\"uri\":\"https://s3.example/q\","
                "\"observed_at\":\"2026-12-01T00:00:00Z\"}"),
          200);
  ck_assert_str_eq(text_at(a, "cites"), "src.inline@2");
  char key[129];
  memset(key, 'k', 128);
  key[128] = '\0';
  a = put(key, offer("s3", "9", source), 201);
  ck_assert_uint_le(strcspn(text_at(a, "cites"), "@"), 128);
}
END_TEST

static const struct {
  const char *json, *pointer;
} bad[] = {
    {"{\"device\":{\"name\":\"T4\"}}", "/supplier"},
    {"{\"supplier\":\"s\"}", "/device"},
    {"{\"supplier\":\"s\",\"device\":{\"name\":\"T4\",\"memory_nominal\":\"24G\"}}",
     "/device/memory_nominal"},
    {"{\"supplier\":\"s\",\"device\":{\"name\":\"T4\"},\"price\":{\"amount\":\"0\"}}",
     "/price/amount"},
    {"{\"supplier\":\"s\",\"device\":{\"name\":\"T4\"},\"price\":{\"amount\":\"-1\"}}",
     "/price/amount"},
    {"{\"supplier\":\"s\",\"device\":{\"name\":\"T4\"},\"price\":{\"currency\":\"usd\"}}",
     "/price/currency"},
    {"{\"supplier\":\"s\",\"device\":{\"name\":\"T4\"},\"lot\":{\"devices\":0}}", "/lot/devices"},
    {"{\"supplier\":\"s\",\"device\":{\"name\":\"T4\"},\"suplier_ref\":\"x\"}", "/suplier_ref"},
    {"{\"supplier\":\"s\",\"device\":{\"name\":\"T4\"},\"key\":\"other\"}", "/key"},
    {"{\"supplier\":\"s\",\"device\":{\"name\":\"T4\"},\"source\":{}}", NULL},
};

START_TEST(bad_offers_are_refused) {
  CRV_PROBLEM(put("bad", bad[_i].json, 422), 422, "invalid-fields", bad[_i].pointer);
  CRV_CALL(.path = "/v1/offers/bad", .expect = 404);
}
END_TEST

/* The texts of a client are shown as they are, in every format. */
START_TEST(hostile_texts_are_only_texts) {
  static const char json[] =
      "{\"supplier\":\"'; DROP TABLE offers; --\",\"region\":\"=cmd|' /C calc'!A0\","
      "\"supplier_ref\":\"%s%n$(reboot)\",\"device\":{\"name\":\"<script>alert(1)</script>\"}}";
  put("hostile", json, 201);
  CRV_CALL(.path = "/v1/offers/hostile", .contains = "<script>alert(1)</script>");
  CRV_CALL(.path = "/v1/offers?format=csv&prefix=hostile", .contains = "\"'=cmd|' /C calc'!A0\"");
  CRV_CALL(.path = "/v1/offers?format=csv&prefix=hostile&raw=1",
           .contains = ",=cmd|' /C calc'!A0,");
  const struct answer *a =
      CRV_CALL(.path = "/o/hostile?format=html", .contains = "&lt;script&gt;", .lacks = "<script>");
  ck_assert(strstr(header_of(a, "Content-Security-Policy"), "default-src 'self'") != NULL);
  CRV_CALL(.path = "/v1/offers?supplier=%27%3B%20DROP%20TABLE%20offers%3B%20--",
           .contains = "\"total\":1");
}
END_TEST

int main(void) {
  Suite *s = suite_create("http offers");
  TCase *t = tcase_create("offers");
  tcase_set_timeout(t, 60);
  tcase_add_test(t, put_creates_versions);
  tcase_add_test(t, amounts_are_exact_as_text_or_number);
  tcase_add_test(t, withdrawal_and_versions);
  tcase_add_test(t, as_of_gives_the_version_in_force);
  tcase_add_test(t, a_cited_piece_must_exist);
  tcase_add_test(t, an_inline_source_is_recorded_with_the_offer);
  tcase_add_loop_test(t, bad_offers_are_refused, 0, sizeof bad / sizeof *bad);
  tcase_add_test(t, hostile_texts_are_only_texts);
  suite_add_tcase(s, t);
  return suite_run(s, false);
}
