/* The drafted failure report: a piece once it is completed, claiming what the text shows and no
   more; what it then excludes. */
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/evidence/evidence.h"
#include "tests/unit/diagnosetest.h"

#define FULL \
  "CUDA out of memory. Tried to allocate 98.00 MiB (GPU 0; 23.65 GiB total capacity; 22.80 GiB " \
  "already allocated; 40.00 MiB free; 23.10 GiB reserved in total by PyTorch)\n"
#define BACKWARD "loss.backward()\n" FULL
#define SHEET(more) \
  "{'task':'adaptation','model':{'name':'m','revision':'r1','parameters':7000000000}," \
  "'precision':{'weights':'bf16'},'sequence':2048,'microbatch':4,'accumulation':2," \
  "'adaptation':{'method':'lora','rank':16},'placement':{'devices':1,'strategy':'single'}," \
  "'quality_waived':'test'" more "}"

static const char *text_at(const json_t *j, const char *a, const char *b) {
  return json_string_value(json_object_get(json_object_get(j, a), b));
}

static const json_t *draft(const json_t *j) {
  return json_object_get(j, "draft");
}

static const char *cause(const json_t *j) {
  return text_at(draft(j), "result", "cause");
}

/* The draft as a piece, with what a person fills in. */
static struct crv_piece *completed(const json_t *j, struct crv_arena *a) {
  static struct crv_err err;
  _json_ json_t *body = json_deep_copy(draft(j));
  json_t *scope = json_object_get(body, "scope");
  struct crv_piece *p = NULL;
  size_t i;
  const json_t *v;
  crv_err_init(&err);
  json_array_foreach(json_object_get(j, "draft_missing"), i, v) {
    const char *field = json_string_value(v);
    if (!strcmp(field, "observed_at"))
      json_object_set_new(body, field, json_string("2026-11-30T10:00:00Z"));
    if (!strcmp(field, "scope.device"))
      json_object_set_new(scope, "device", json_string("nvidia/rtx-4090"));
    if (!strcmp(field, "scope.devices")) json_object_set_new(scope, "devices", json_integer(1));
    if (!strcmp(field, "scope.model.name"))
      json_object_set_new(scope, "model", json_pack("{s:s}", "name", "m"));
  }
  /* as a client would send it */
  _free_ char *body_text = json_dumps(body, JSON_COMPACT);
  _json_ json_t *read = crv_json_parse(body_text, strlen(body_text), &err);
  ck_assert_msg(read != NULL, "%s", err.detail);
  bool ok = crv_piece_decode(read, "", a, &p, &err);
  ck_assert_msg(ok, "%s %s: %s", err.at[0].ptr, err.at[0].detail, body_text);
  return p;
}

static const struct {
  const char *text, *sheet, *cause;
} rows[] = {
    /* this process filled the device */
    {BACKWARD, NULL, "out_of_memory"},
    {BACKWARD, SHEET(""), "out_of_memory"},
    {"CUDA out of memory. Tried to allocate 31.00 GiB (GPU 0; 23.65 GiB total capacity; 1.00 GiB "
     "already allocated; 21.00 GiB free; 1.10 GiB reserved in total by PyTorch)",
     NULL, "out_of_memory"},
    {"RESOURCE_EXHAUSTED: Out of memory while trying to allocate 9 bytes. total allocation: "
     "30.00GiB",
     NULL, "out_of_memory"},
    /* nothing rules out that something else did */
    {"loss.backward()\nCUDA out of memory. Tried to allocate 98.00 MiB", NULL, "undetermined"},
    {"CUDA error: out of memory", NULL, "undetermined"},
    {"loss.backward()\nCUDA out of memory. Tried to allocate 9.00 MiB (GPU 0; 23.65 GiB total "
     "capacity; 2.80 GiB already allocated; 4.00 MiB free; 3.10 GiB reserved in total by PyTorch)",
     NULL, "external_use"},
    {"RESOURCE_EXHAUSTED: Out of memory while trying to allocate 9 bytes. total allocation: "
     "30.00MiB",
     NULL, "external_use"},
    {"in forward\nCUDA out of memory. Tried to allocate 1.90 GiB. GPU 0 has a total capacity of "
     "8.00 "
     "GiB of which 0 bytes is free. Of the allocated memory 3.90 GiB is allocated by PyTorch, and "
     "3.05 GiB is reserved by PyTorch but unallocated.",
     NULL, "fragmentation"},
    /* settings, not the hardware */
    {"No available memory for the cache blocks.", NULL, "setting"},
    {"CUDA out of memory occurred when warming up sampler with 64 dummy requests", NULL, "setting"},
    {"n_ctx_per_seq (8192) kv_size = 65536, KV self size  = 8192.00 MiB\nllama_kv_cache: "
     "allocating "
     "3000.00 MiB on device 0: cudaMalloc failed: out of memory",
     NULL, "setting"},
    /* phases that the sheet does not ask for are no part of the job */
    {"in evaluation_loop\n" FULL, SHEET(""), "setting"},
    {"in evaluation_loop\n" FULL, SHEET(",'phases':['evaluation']"), "out_of_memory"},
    {"save_pretrained(\n" FULL, NULL, "setting"},
    /* the host */
    {"Out of memory: Killed process 7 (python) total-vm:9kB, anon-rss:9kB", NULL, "host_killed"},
    {"no kernel image is available", NULL, "unsupported"},
    {"CUDA out of memory. Tried to allocate more than 1EB memory", NULL, "undetermined"},
};

START_TEST(a_draft_proves_no_more_than_the_text) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  _json_ json_t *j = dx_run((struct dx_in){.text = rows[_i].text, .sheet = rows[_i].sheet});
  ck_assert_str_eq(cause(j), rows[_i].cause);
  const struct crv_piece *p = completed(j, a);
  ck_assert_int_eq(p->kind, CRV_KIND_FAILURE_REPORT);
  ck_assert_int_eq(p->result->outcome, CRV_OUTCOME_FAILED);
  ck_assert_str_eq(p->result->phase, json_string_value(json_object_get(j, "phase")));
}
END_TEST

START_TEST(no_failure_no_draft) {
  _json_ json_t *j = dx_text("all is well");
  ck_assert(json_is_null(draft(j)));
}
END_TEST

START_TEST(readings_at_the_failure_are_no_peaks) {
  _json_ json_t *j = dx_text(BACKWARD);
  size_t i, n = 0;
  const json_t *p;
  json_array_foreach(json_object_get(json_object_get(draft(j), "result"), "peaks"), i, p) {
    ck_assert_str_eq(json_string_value(json_object_get(p, "kind")), "instant");
    n++;
  }
  ck_assert_uint_eq(n, 2);
}
END_TEST

static bool listed(const json_t *j, const char *list, const char *name) {
  return dx_says(j, list, name);
}

START_TEST(what_comes_from_the_sheet_is_said) {
  _json_ json_t *with = dx_run((struct dx_in){.text = BACKWARD, .sheet = SHEET("")});
  _json_ json_t *without = dx_text(BACKWARD);
  ck_assert(listed(with, "draft_from_sheet", "scope.length"));
  ck_assert(listed(with, "draft_from_sheet", "scope.microbatch"));
  ck_assert(listed(with, "draft_from_sheet", "scope.model"));
  ck_assert(listed(with, "draft_missing", "scope.device"));
  ck_assert(!listed(with, "draft_missing", "scope.model.name"));
  ck_assert_uint_eq(json_array_size(json_object_get(without, "draft_from_sheet")), 0);
  ck_assert(listed(without, "draft_missing", "scope.model.name"));
  ck_assert(listed(without, "draft_missing", "observed_at"));
}
END_TEST

START_TEST(executed_dimensions_are_those_of_the_text) {
  _json_ json_t *a =
      dx_text("Batch size per device = 3 | Gradient Accumulation steps = 4\n" BACKWARD);
  _json_ json_t *b = dx_text(BACKWARD);
  _json_ json_t *c =
      dx_text("max seq len (65536), (8.00 GiB KV cache is needed, which is larger than "
              "the available KV cache memory (2.75 GiB).");
  const json_t *ra = json_object_get(draft(a), "result"), *rb = json_object_get(draft(b), "result");
  const json_t *rc = json_object_get(json_object_get(draft(c), "result"), "executed");
  ck_assert_int_eq(
      json_integer_value(json_object_get(json_object_get(ra, "executed"), "microbatch")), 3);
  ck_assert_ptr_null(json_object_get(rb, "executed"));
  ck_assert_int_eq(json_integer_value(json_object_get(rc, "length")), 65536);
  ck_assert_int_eq(json_integer_value(json_object_get(rc, "concurrency")), 1);
}
END_TEST

START_TEST(the_engine_and_its_version_are_stated) {
  _json_ json_t *j =
      dx_text("INFO vLLM API server version 0.8.5.post1\nINFO vllm==0.8.5\n"
              "gpu_memory_utilization=0.9\nNo available memory for the cache blocks.");
  ck_assert_str_eq(text_at(draft(j), "scope", "engine"), "vllm 0.8.5");
  const json_t *settings = json_object_get(json_object_get(draft(j), "result"), "settings");
  ck_assert_str_eq(json_string_value(json_object_get(settings, "gpu_memory_utilization")), "0.9");
}
END_TEST

/* -- what it excludes once recorded
 * ----------------------------------------------------------------
 */

static const char *scope_against(const struct crv_piece *p, const char *sheet) {
  static struct crv_err err;
  static char out[64];
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_sheet *s = NULL;
  char *copy = crv_arena_strdup(a, sheet);
  bool omitted = false;
  crv_err_init(&err);
  for (char *c = copy; *c; c++)
    if (*c == '\'') *c = '"';
  _json_ json_t *j = crv_json_parse(copy, strlen(copy), &err);
  ck_assert(crv_sheet_decode(j, "", a, &s, &err));
  static const char offer[] = "{\"supplier\":\"s\",\"device\":{\"model\":\"nvidia/rtx-4090\"}}";
  struct crv_offer_rec *rec =
      crv_offer_rec_new("o", 1, 1, 0, offer, strlen(offer), NULL, 0, NULL, &err);
  ck_assert_msg(rec != NULL, "%s", err.detail);
  const struct crv_demand d = {.sheet = s,
                               .offer = rec,
                               .device = "nvidia/rtx-4090",
                               .devices = 1,
                               .length = crv_sheet_length(s),
                               .concurrency = s->concurrency,
                               .microbatch = s->microbatch,
                               .rank = s->adaptation->rank};
  const char *why = crv_scope_mismatch(CRV_DIMS_MEMORY, p, &d, &omitted);
  if (!why) why = crv_scope_magnitudes(p, &d, true);
  snprintf(out, sizeof out, "%s", why ? why : "covered");
  crv_offer_rec_unref(rec);
  return out;
}

START_TEST(a_recorded_draft_excludes_what_it_proves) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  _json_ json_t *j = dx_run((struct dx_in){.text = BACKWARD, .sheet = SHEET("")});
  const struct crv_piece *p = completed(j, a);
  ck_assert_str_eq(scope_against(p, SHEET("")), "covered");
  /* larger demands fail as well; smaller ones are not proven to */
  ck_assert_str_eq(scope_against(p, SHEET(",'note':'n'")), "covered");
  static const char smaller[] =
      "{'task':'adaptation','model':{'name':'m','revision':'r1','parameters':7000000000},"
      "'precision':{'weights':'bf16'},'sequence':1024,'microbatch':4,'accumulation':2,"
      "'adaptation':{'method':'lora','rank':16},'quality_waived':'test'}";
  ck_assert_str_eq(scope_against(p, smaller), "length_beyond");
}
END_TEST

START_TEST(a_smaller_executed_microbatch_is_what_the_draft_proves) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  _json_ json_t *j =
      dx_run((struct dx_in){.text = "Batch size per device = 2\n" BACKWARD, .sheet = SHEET("")});
  const struct crv_piece *p = completed(j, a);
  struct crv_executed e;
  crv_piece_executed(p, &e);
  ck_assert_int_eq(e.microbatch.v, 2);
  ck_assert_int_eq(e.length.v, 2048);
  ck_assert_str_eq(scope_against(p, SHEET("")), "covered");
}
END_TEST

START_TEST(without_a_sheet_the_draft_covers_no_demand) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  _json_ json_t *j = dx_text(BACKWARD);
  ck_assert_str_ne(scope_against(completed(j, a), SHEET("")), "covered");
}
END_TEST

int main(void) {
  Suite *s = suite_create("diagnose_draft");
  TCase *t = tcase_create("draft");
  tcase_add_loop_test(t, a_draft_proves_no_more_than_the_text, 0, sizeof rows / sizeof *rows);
  tcase_add_test(t, no_failure_no_draft);
  tcase_add_test(t, readings_at_the_failure_are_no_peaks);
  tcase_add_test(t, what_comes_from_the_sheet_is_said);
  tcase_add_test(t, executed_dimensions_are_those_of_the_text);
  tcase_add_test(t, the_engine_and_its_version_are_stated);
  tcase_add_test(t, a_recorded_draft_excludes_what_it_proves);
  tcase_add_test(t, a_smaller_executed_microbatch_is_what_the_draft_proves);
  tcase_add_test(t, without_a_sheet_the_draft_covers_no_demand);
  suite_add_tcase(s, t);
  return dx_main(s);
}
