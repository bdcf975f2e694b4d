/* core/memory: the worked example to the digit, formats, sharding, reserve, training state, what is
   unknown, overflow. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/memory/budget.h"
#include "tests/unit/shapes.h"

#define SEVEN_B "'task':'inference','model':{'name':'m','parameters':7000000000}"
#define RESERVE \
  "'reserve':[{'item':'cache, activations and runtime','bytes':'6 GiB','basis':'estimated'}]"

static const struct crv_sheet *sheet_of(const char *text, struct crv_arena *a) {
  struct crv_err err;
  void *out;
  _json_ json_t *j = shape_json(text);
  ck_assert_msg(shape_decode(&crv_sheet_spec, j, a, &out, &err), "%s: %s %s", text, err.at[0].ptr,
                err.at[0].detail);
  return out;
}

static struct crv_budget budget_of(const char *text, int64_t devices, enum crv_strategy strategy,
                                   struct crv_arena *a) {
  struct crv_err err;
  struct crv_budget b;
  crv_err_init(&err);
  ck_assert_msg(crv_budget_make(sheet_of(text, a), devices, strategy, a, &b, &err), "%s %s", text,
                err.at[0].detail);
  return b;
}

/* Texts of a list joined by "|". */
static const char *joined(const struct crv_list *texts, struct crv_arena *a) {
  const char *all = "";
  for (size_t i = 0; i < texts->n; i++)
    all = crv_arena_printf(a, "%s%s%s", all, i ? "|" : "", *crv_list_at(*texts, const char *, i));
  return all;
}

static const struct {
  const char *format;
  int64_t weights, envelope;
  const char *weights_gib, *envelope_gib;
} example[] = {
    {"fp32", 28000000000, 34442450944, "26.08 GiB", "32.08 GiB"},
    {"bf16", 14000000000, 20442450944, "13.04 GiB", "19.04 GiB"},
    {"fp8", 7000000000, 13442450944, "6.52 GiB", "12.52 GiB"},
    {"int8", 7000000000, 13442450944, "6.52 GiB", "12.52 GiB"},
    {"int4", 3500000000, 9942450944, "3.26 GiB", "9.26 GiB"},
};

START_TEST(the_worked_example_comes_out_to_the_digit) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  char text[400], gib[40];
  snprintf(text, sizeof text, "{" SEVEN_B "," RESERVE ",'precision':{'weights':'%s'}}",
           example[_i].format);
  struct crv_budget b = budget_of(text, 1, CRV_STRATEGY_SINGLE, a);
  ck_assert_int_eq(b.weights_bytes.v, example[_i].weights);
  ck_assert_int_eq(b.floor_bytes.v, example[_i].weights);
  ck_assert_int_eq(b.device_floor.v, example[_i].weights);
  ck_assert_int_eq(b.reserve_bytes.v, INT64_C(6442450944));
  ck_assert_int_eq(b.envelope_bytes.v, example[_i].envelope);
  ck_assert_int_eq(b.device_envelope.v, example[_i].envelope);
  ck_assert_str_eq(crv_bytes_gib(b.weights_bytes.v, gib, sizeof gib), example[_i].weights_gib);
  ck_assert_str_eq(crv_bytes_gib(b.envelope_bytes.v, gib, sizeof gib), example[_i].envelope_gib);
  ck_assert_str_eq(joined(&b.unknown, a), "activations|runtime.context");
  ck_assert_ptr_nonnull(
      strstr(joined(&b.left_out, a), "kv_cache is not separated: inside the declared reserve"));
  ck_assert(!b.complete);
}
END_TEST

START_TEST(the_table_of_formats_holds_the_example) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  struct crv_list rows;
  const char *text = "{" SEVEN_B "," RESERVE ",'precision':{'weights':'bf16'}}";
  struct crv_budget b = budget_of(text, 1, CRV_STRATEGY_SINGLE, a);
  ck_assert(crv_budget_formats(sheet_of(text, a), &b, a, &rows, &err));
  ck_assert_uint_eq(rows.n, sizeof example / sizeof *example);
  for (size_t i = 0; i < rows.n; i++) {
    const struct crv_format_row *r = crv_list_at(rows, struct crv_format_row, i);
    ck_assert_str_eq(r->format, example[i].format);
    ck_assert_int_eq(r->weights_bytes.v, example[i].weights);
    ck_assert_int_eq(r->envelope_bytes.v, example[i].envelope);
  }
  const struct crv_format_row *last = crv_list_at(rows, struct crv_format_row, rows.n - 1);
  ck_assert_ptr_nonnull(strstr(last->note, "extra data"));
  _json_ json_t *j = crv_budget_json(&b, &rows);
  _free_ char *json = crv_json_compact(j);
  ck_assert_ptr_nonnull(strstr(json, "\"envelope_bytes\":20442450944,\"complete\":false"));
  ck_assert_ptr_nonnull(
      strstr(json, "\"inputs\":{\"parameters\":7000000000,\"bits\":16},\"phases\":[\"loading\","
                   "\"generation\"]"));
  ck_assert_ptr_nonnull(strstr(json, "{\"format\":\"fp32\",\"weights_bytes\":28000000000,"
                                     "\"envelope_bytes\":34442450944}"));
  ck_assert_ptr_nonnull(strstr(json, "\"kv_bytes\":null"));
}
END_TEST

static const struct {
  const char *text;
  int64_t devices;
  enum crv_strategy strategy;
  int64_t floor, device_floor, envelope, device_envelope; /* -1: unset */
  const char *unknown;
} budgets[] = {
    {"{" SEVEN_B ",'precision':{'weights':'bf16'}}", 1, 0, 14000000000, 14000000000, -1, -1,
     "kv_cache|activations|runtime.context"},
    {"{" SEVEN_B ",'precision':{'weights':'q9_z'}," RESERVE "}", 1, 0, -1, -1, -1, -1,
     "weights|activations|runtime.context"},
    {"{" SEVEN_B "," RESERVE "}", 1, 0, -1, -1, -1, -1, "weights|activations|runtime.context"},
    {"{'task':'inference','precision':{'weights':'bf16'}}", 1, 0, -1, -1, -1, -1,
     "weights|kv_cache|activations|runtime.context"},
    {"{" SEVEN_B ",'precision':{'weights':'float16'},'reserve':[{'item':'KV','bytes':1,"
     "'basis':'estimated'}]}",
     1, 0, 14000000000, 14000000000, 14000000001, 14000000001, "activations|runtime.context"},
    {"{" SEVEN_B ",'precision':{'weights':'fp16'},'reserve':[{'item':'cachet','bytes':1,"
     "'basis':'estimated'}]}",
     1, 0, 14000000000, 14000000000, 14000000001, 14000000001,
     "kv_cache|activations|runtime.context"},
    {"{" SEVEN_B ",'precision':{'weights':'bf16'},'reserve':[{'item':'a','bytes':1,"
     "'basis':'estimated'},{'item':'b','basis':'unknown'}]}",
     1, 0, 14000000000, 14000000000, -1, -1, "kv_cache|activations|runtime.context|b"},
    /* spread over devices */
    {"{" SEVEN_B "," RESERVE ",'precision':{'weights':'bf16'}}", 3, CRV_STRATEGY_TENSOR_PARALLEL,
     14000000000, 4666666667, 33327352832, 11109117611, "activations|runtime.context"},
    {"{" SEVEN_B "," RESERVE ",'precision':{'weights':'bf16'}}", 2, CRV_STRATEGY_PIPELINE_PARALLEL,
     14000000000, 7000000000, 26884901888, 13442450944, "activations|runtime.context"},
    {"{" SEVEN_B "," RESERVE ",'precision':{'weights':'bf16'}}", 2, CRV_STRATEGY_DATA_PARALLEL,
     28000000000, 14000000000, 40884901888, 20442450944, "activations|runtime.context"},
    {"{" SEVEN_B ",'precision':{'weights':'bf16'},'reserve':[{'item':'cache','bytes':3,"
     "'basis':'estimated','per':'total'}]}",
     2, CRV_STRATEGY_FSDP, 14000000000, 7000000000, 14000000003, 7000000002,
     "activations|runtime.context"},
    /* what may leave the device is no floor */
    {"{" SEVEN_B "," RESERVE ",'precision':{'weights':'bf16'},'execution':{'offload':'weights'}}",
     1, 0, -1, -1, 20442450944, 20442450944, "activations|runtime.context"},
    {"{" SEVEN_B "," RESERVE ",'precision':{'weights':'bf16'},'execution':{'offload':'none'}}", 1,
     0, 14000000000, 14000000000, 20442450944, 20442450944, "activations|runtime.context"},
    /* block formats round up */
    {"{'task':'inference','model':{'parameters':3},'precision':{'weights':'mxfp4'}}", 1, 0, 2, 2,
     -1, -1, "kv_cache|activations|runtime.context"},
    /* rendering has no floor */
    {"{'task':'rendering','scene':{'textures':[{'item':'t','bytes':100},{'item':'u'}]},"
     "'reserve':[{'item':'r','bytes':10,'basis':'estimated'}]}",
     2, CRV_STRATEGY_DATA_PARALLEL, -1, -1, 220, 110, "u|runtime.context"},
};

static void expect(struct crv_opt_int got, int64_t wanted) {
  ck_assert_int_eq(got.set ? got.v : -1, wanted);
}

START_TEST(budgets_add_up) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_budget b = budget_of(budgets[_i].text, budgets[_i].devices, budgets[_i].strategy, a);
  expect(b.floor_bytes, budgets[_i].floor);
  expect(b.device_floor, budgets[_i].device_floor);
  expect(b.envelope_bytes, budgets[_i].envelope);
  expect(b.device_envelope, budgets[_i].device_envelope);
  ck_assert_str_eq(joined(&b.unknown, a), budgets[_i].unknown);
}
END_TEST

/* 1000 parameters in bf16: 2000 bytes of weights, as many of gradients, two states of adamw. */
#define FULL \
  "'task':'training','model':{'parameters':1000},'precision':{'weights':'bf16'},'adaptation':{" \
  "'method':'full','fused_backward':false"
static const struct {
  const char *text;
  int64_t devices;
  enum crv_strategy strategy;
  int64_t device_floor;
  const char *unknown;
} trainings[] = {
    {"{" FULL ",'optimizer':'adamw'}}", 1, 0, 8000, "activations|runtime.context"},
    {"{" FULL ",'optimizer':'adamw_8bit'}}", 1, 0, 6032, "activations|runtime.context"},
    {"{" FULL ",'optimizer':'lion'}}", 1, 0, 4000, "optimizer_state|activations|runtime.context"},
    {"{" FULL ",'optimizer':'adamw'},'execution':{'offload':'optimizer'}}", 1, 0, 2000,
     "gradients|optimizer_state|activations|runtime.context"},
    {"{'task':'training','model':{'parameters':1000},'precision':{'weights':'bf16'},'adaptation':"
     "{'method':'full','optimizer':'adamw'}}",
     1, 0, 2000, "gradients|optimizer_state|activations|runtime.context"},
    {"{'task':'training','model':{'parameters':1000},'precision':{'weights':'bf16'},'adaptation':"
     "{'method':'full','optimizer':'adamw','fused_backward':true}}",
     1, 0, 2000, "gradients|optimizer_state|activations|runtime.context"},
    {"{'task':'adaptation','model':{'parameters':1000},'precision':{'weights':'nf4'},'adaptation':"
     "{'method':'qlora','optimizer':'adamw','fused_backward':false}}",
     1, 0, 500, "adapter|gradients|optimizer_state|activations|runtime.context"},
    {"{" FULL ",'optimizer':'adamw'}}", 4, CRV_STRATEGY_DATA_PARALLEL, 8000,
     "activations|runtime.context"},
    {"{" FULL ",'optimizer':'adamw'}}", 4, CRV_STRATEGY_ZERO1, 5000, "activations|runtime.context"},
    {"{" FULL ",'optimizer':'adamw'}}", 4, CRV_STRATEGY_ZERO2, 3500, "activations|runtime.context"},
    {"{" FULL ",'optimizer':'adamw'}}", 4, CRV_STRATEGY_ZERO3, 2000, "activations|runtime.context"},
};

START_TEST(training_state_is_counted_only_when_it_is_certain) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_budget b =
      budget_of(trainings[_i].text, trainings[_i].devices, trainings[_i].strategy, a);
  ck_assert_int_eq(b.device_floor.v, trainings[_i].device_floor);
  ck_assert_str_eq(joined(&b.unknown, a), trainings[_i].unknown);
  for (size_t i = 0; i < b.items.n; i++) {
    const struct crv_budget_item *item = crv_list_at(b.items, struct crv_budget_item, i);
    if (item->basis == CRV_BASIS_ARITHMETIC) ck_assert(item->source && *item->source);
  }
}
END_TEST

START_TEST(phases_hold_their_items) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  static const int64_t bytes[] = {2000, 6000, 8000, 8000};
  struct crv_budget b = budget_of("{" FULL ",'optimizer':'adamw'}}", 1, 0, a);
  ck_assert_uint_eq(b.phases.n, 4);
  for (size_t i = 0; i < 4; i++)
    ck_assert_int_eq(crv_list_at(b.phases, struct crv_phase_bytes, i)->bytes.v, bytes[i]);
}
END_TEST

static const struct {
  const char *text;
  int64_t devices;
} overflows[] = {
    {"{'task':'inference','model':{'parameters':9007199254740991},'precision':{'weights':'fp32'}}",
     1},
    {"{" SEVEN_B ",'precision':{'weights':'bf16'}}", INT64_C(1048576)},
    {"{" SEVEN_B ",'precision':{'weights':'bf16'},'reserve':[{'item':'a','bytes':9007199254740991,"
     "'basis':'estimated'},{'item':'b','bytes':9007199254740991,'basis':'estimated'}]}",
     1},
    {"{'task':'rendering','scene':{'textures':[{'item':'t','bytes':9007199254740991}]}}", 1048576},
};

START_TEST(overflow_is_an_error) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  struct crv_budget b;
  crv_err_init(&err);
  ck_assert(!crv_budget_make(sheet_of(overflows[_i].text, a), overflows[_i].devices,
                             CRV_STRATEGY_DATA_PARALLEL, a, &b, &err));
  ck_assert_int_eq(err.code, CRV_INVALID_FIELDS);
  ck_assert_str_eq(err.at[0].code, "out_of_range");
}
END_TEST

START_TEST(formats_have_one_name_each) {
  ck_assert_ptr_eq(crv_weight_format("float16"), crv_weight_format("fp16"));
  ck_assert_ptr_eq(crv_weight_format("bfloat16"), crv_weight_format("bf16"));
  ck_assert_ptr_null(crv_weight_format("BF16"));
  ck_assert_ptr_null(crv_weight_format(""));
  ck_assert_str_eq(crv_weight_format_for_bits(16)->id, "bf16");
  ck_assert_str_eq(crv_weight_format_for_bits(4)->id, "int4");
  ck_assert_ptr_null(crv_weight_format_for_bits(5));
  for (size_t i = 0; i < crv_n_weight_formats; i++) {
    const struct crv_weight_format *f = &crv_weight_formats[i];
    ck_assert_ptr_eq(crv_weight_format(f->id), f);
    ck_assert_str_ne(f->source, "");
    ck_assert(f->exact || *f->note);
  }
}
END_TEST

#define LOOP(tc, test, table) tcase_add_loop_test(tc, test, 0, sizeof table / sizeof *table)

int main(void) {
  Suite *s = suite_create("budget");
  TCase *tc = tcase_create("budget");
  LOOP(tc, the_worked_example_comes_out_to_the_digit, example);
  tcase_add_test(tc, the_table_of_formats_holds_the_example);
  LOOP(tc, budgets_add_up, budgets);
  LOOP(tc, training_state_is_counted_only_when_it_is_certain, trainings);
  tcase_add_test(tc, phases_hold_their_items);
  LOOP(tc, overflow_is_an_error, overflows);
  tcase_add_test(tc, formats_have_one_name_each);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
