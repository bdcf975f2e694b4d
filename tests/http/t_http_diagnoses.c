/* POST /v1/diagnoses: the text as it is, or in JSON beside what is known of the job. */
#include <stdlib.h>
#include <string.h>

#include "tests/http/http.h"

static const char backward[] =
    "    Variable._execution_engine.run_backward(\n"
    "torch.cuda.OutOfMemoryError: CUDA out of memory. Tried to allocate 732.00 MiB (GPU 0; 24.00 "
    "GiB "
    "total capacity; 20.62 GiB already allocated; 0 bytes free; 22.68 GiB reserved in total by "
    "PyTorch)\n";

static const char full_finetune[] =
    "{\"task\":\"training\",\"model\":{\"name\":\"example/"
    "seven-b\",\"revision\":\"4f1c2a9\",\"parameters\":7241732096},\"precision\":{\"weights\":"
    "\"bf16\"},\"sequence\":2048,\"microbatch\":1,\"accumulation\":8,\"adaptation\":{\"method\":"
    "\"full\",\"optimizer\":\"adamw\"},\"quality_waived\":\"a test\"}";

START_TEST(a_pasted_text_gives_phase_and_figures) {
  const struct answer *a =
      CRV_CALL(.path = "/v1/diagnoses", .body = backward, .type = "text/plain", .as = "reader");
  ck_assert_str_eq(text_at(a, "phase"), "backward");
  ck_assert_str_eq(text_at(a, "figures[0].name"), "requested");
  ck_assert_int_eq(int_at(a, "figures[0].bytes"), 767557632);
  ck_assert_int_eq(int_at(a, "figures[3].bytes"), 0);
  ck_assert_str_eq(text_at(a, "draft.kind"), "failure_report");
}
END_TEST

/* The same frames have another cause where the sheet's weights and gradients exceed the card. */
START_TEST(the_sheet_gives_the_cause) {
  CRV_CALL(.method = "PUT", .path = "/v1/sheets/full-ft", .json = full_finetune, .expect = 201);
  const struct answer *a =
      CRV_CALL(.path = "/v1/diagnoses?sheet=full-ft", .body = backward, .type = "text/plain");
  ck_assert_str_eq(text_at(a, "phase"), "backward");
  ck_assert_str_eq(text_at(a, "cause.code"), "static_shortage");
  a = CRV_CALL(.path = "/v1/diagnoses?format=text&sheet=full-ft", .body = backward,
               .type = "text/plain", .contains = "Phase  backward");
  ck_assert_uint_le(widest_line(a->body), 100);
}
END_TEST

START_TEST(json_says_what_is_known_beside_the_text) {
  const struct answer *a = CRV_CALL(
          .path = "/v1/diagnoses",
          .json =
              "{\"text\":\"CUDA out of memory. Tried to allocate 20.00 MiB\",\"capacity\":\"24 "
              "GiB\",\"device\":\"nvidia/rtx-4090\",\"devices\":1,\"context\":\"title: a test\"}");
  ck_assert_str_eq(text_at(a, "phase"), "undetermined");
  ck_assert_int_eq(int_at(a, "figures[0].bytes"), 20971520);
  ck_assert_uint_ge(count_at(a, "provide"), 1);
}
END_TEST

START_TEST(nothing_known_is_said_as_that) {
  const struct answer *a =
      CRV_CALL(.path = "/v1/diagnoses", .body = "it crashed", .type = "text/plain");
  ck_assert_str_eq(text_at(a, "phase"), "undetermined");
  ck_assert_uint_ge(count_at(a, "provide"), 1);
}
END_TEST

START_TEST(what_cannot_be_read_is_refused) {
  CRV_PROBLEM(CRV_CALL(.path = "/v1/diagnoses", .json = "{\"txt\":\"x\"}", .expect = 422), 422,
              "invalid-fields", "/txt");
  CRV_PROBLEM(CRV_CALL(.path = "/v1/diagnoses", .json = "{\"text\":", .expect = 400), 400,
              "malformed-json", NULL);
  CRV_PROBLEM(CRV_CALL(.path = "/v1/diagnoses?sheet=none", .body = backward, .type = "text/plain",
                       .expect = 404),
              404, "not-found", NULL);
  CRV_PROBLEM(CRV_CALL(.path = "/v1/diagnoses?capacity=24G", .body = backward, .type = "text/plain",
                       .expect = 400),
              400, "bad-parameter", NULL);
  CRV_PROBLEM(CRV_CALL(.path = "/v1/diagnoses", .body = "a=b",
                       .type = "application/x-www-form-urlencoded", .expect = 415),
              415, "unsupported-media-type", NULL);
  CRV_CALL(.path = "/v1/diagnoses", .body = backward, .type = "text/plain", .as = "",
           .expect = 401);
}
END_TEST

int main(void) {
  Suite *s = suite_create("http diagnoses");
  TCase *t = tcase_create("diagnoses");
  tcase_set_timeout(t, 60);
  tcase_add_test(t, a_pasted_text_gives_phase_and_figures);
  tcase_add_test(t, the_sheet_gives_the_cause);
  tcase_add_test(t, json_says_what_is_known_beside_the_text);
  tcase_add_test(t, nothing_known_is_said_as_that);
  tcase_add_test(t, what_cannot_be_read_is_refused);
  suite_add_tcase(s, t);
  return suite_run(s, false);
}
