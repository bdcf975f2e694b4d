/* The tensor that a failed request equals: of the model's own, of the sheet's arithmetic, of
   published shapes; and none where several fit. */
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "tests/unit/diagnosetest.h"

#define SHEET(model, parameters) \
  "{'task':'training','model':{'name':'" model "','revision':'r','parameters':" parameters "}," \
  "'precision':{'weights':'bf16'},'sequence':1024,'microbatch':2,'accumulation':4," \
  "'adaptation':{'method':'full','optimizer':'adamw'},'placement':{'devices':2,'strategy':'zero2'" \
  "}," \
  "'quality_waived':'test'}"

static const char *explained(const json_t *j, const char *key) {
  const json_t *e = json_object_get(j, "explained_by");
  return json_is_object(e) ? json_string_value(json_object_get(e, key)) : "nothing";
}

static const struct {
  const char *request, *context, *how;
} matrices[] = {
    {"448.00 MiB", NULL, "28672 x 8192 x 2 bytes"},
    {"172.00 MiB", "model: x-7b", "11008 x 4096 x 4 bytes"},
    {"280.00 MiB", NULL, "14336 x 5120 x 4 bytes"},
    {"314.00 MiB", NULL, "32000 x 5120 x 2 bytes"},         /* 312.5, rounded up by the allocator */
    {"130.00 MiB", "Qwen2.5-7B", "18944 x 3584 x 2 bytes"}, /* 129.5 */
    {"1002.00 MiB", "Llama-3.1-8B-Instruct", "128256 x 4096 x 2 bytes"},
    {"64.00 MiB", NULL, "nothing"},         /* a size of everything */
    {"131.00 MiB", NULL, "nothing"},        /* of nothing known */
    {"20.00 MiB", "Llama-2-7B", "nothing"}, /* the allocator's own block */
};

START_TEST(a_request_is_explained_by_a_known_matrix) {
  char text[256];
  snprintf(text, sizeof text, "CUDA out of memory. Tried to allocate %s", matrices[_i].request);
  _json_ json_t *j = dx_run((struct dx_in){.text = text, .context = matrices[_i].context});
  ck_assert_str_eq(explained(j, "how"), matrices[_i].how);
}
END_TEST

START_TEST(a_tensor_of_the_model_comes_first) {
  static const struct crv_diag_named tensors[] = {{"model.embed", INT64_C(301989888)},
                                                  {"model.layers.3.mlp.up", INT64_C(180355072)}};
  static const struct crv_diag_dims dims[] = {{"lm_head", 50257, 1600}, {"wte", 11008, 4096}};
  static const char text[] = "CUDA out of memory. Tried to allocate 172.00 MiB";
  _json_ json_t *a = dx_run((struct dx_in){.text = text, .tensors = tensors, .n_tensors = 2});
  _json_ json_t *b = dx_run((struct dx_in){.text = text, .dims = dims, .n_dims = 2});
  ck_assert_str_eq(explained(a, "tensor"), "model.layers.3.mlp.up");
  ck_assert_str_eq(explained(a, "basis"), "tensors");
  ck_assert_str_eq(explained(b, "tensor"), "wte in 32 bits");
  ck_assert_str_eq(explained(b, "how"), "11008 x 4096 x 4 bytes");
}
END_TEST

START_TEST(a_request_is_explained_by_the_sheets_own_products) {
  _json_ json_t *logits =
      dx_run((struct dx_in){.text = "CUDA out of memory. Tried to allocate 1002.00 MiB",
                            .sheet = SHEET("Llama-3-8B", "8030261248")});
  ck_assert_str_eq(explained(logits, "how"),
                   "2048 tokens x 128256 entries of the vocabulary x 4 bytes");
  _json_ json_t *scores =
      dx_run((struct dx_in){.text = "CUDA out of memory. Tried to allocate 128.00 MiB",
                            .sheet = SHEET("Llama-2-7B", "6738415616")});
  ck_assert_str_eq(explained(scores, "how"), "2 x 32 heads x 1024 x 1024 tokens x 2 bytes");
}
END_TEST

START_TEST(a_log_explains_its_own_request) {
  _json_ json_t *j =
      dx_text("RESOURCE_EXHAUSTED: Out of memory while trying to allocate 3221225472 "
              "bytes.\npreallocated temp allocation:  3.00GiB\n");
  ck_assert_str_eq(explained(j, "tensor"), "the program's block for intermediates");
}
END_TEST

START_TEST(parts_of_all_parameters) {
  static const char text[] =
      "in initialize_optimizer_states\nCUDA out of memory. Tried to allocate %s";
  static const struct {
    const char *request, *how;
  } parts[] = {{"14.96 GiB", "8030261248 parameters x 4 bytes / 2 devices"},
               {"29.92 GiB", "8030261248 parameters x 4 bytes"},
               {"7.48 GiB", "8030261248 parameters x 2 bytes / 2 devices"},
               {"15.96 GiB", "nothing"}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    char one[160];
    snprintf(one, sizeof one, text, parts[i].request);
    _json_ json_t *j = dx_run((struct dx_in){.text = one, .sheet = SHEET("m", "8030261248")});
    ck_assert_str_eq(explained(j, "how"), parts[i].how);
  }
}
END_TEST

/* A shape that happens to fit decides no cause while nothing names the model. */
START_TEST(a_coincidence_decides_no_cause) {
  static const char text[] =
      "from_pretrained(\nCUDA out of memory. Tried to allocate 280.00 MiB (GPU 0; 23.65 GiB total "
      "capacity; 23.01 GiB already allocated; 30.00 MiB free; 23.10 GiB reserved in total by "
      "PyTorch)";
  _json_ json_t *alone = dx_text(text);
  _json_ json_t *named = dx_run((struct dx_in){.text = text, .context = "model: Mistral-Nemo"});
  ck_assert_str_eq(explained(alone, "basis"), "shapes");
  dx_cause(alone, "static_shortage/weights_do_not_fit_one_device");
  dx_cause(named, "format_not_as_intended/weights_in_32_bits");
}
END_TEST

/* The callers' own matrix tells the vocabulary where no model is named. */
START_TEST(tokens_of_a_logits_request) {
  static const struct crv_diag_dims dims[] = {{"wte", 9, 9}, {"lm_head.weight", 50304, 1600}};
  static const char text[] =
      "in _convert_to_fp32\nCUDA out of memory. Tried to allocate 786.00 MiB";
  _json_ json_t *j = dx_run((struct dx_in){.text = text, .dims = dims, .n_dims = 2});
  dx_derived(j, "vocabulary", 50304);
  dx_derived(j, "tokens_implied", 4096);
}
END_TEST

START_TEST(what_was_tried_is_not_advised_as_new) {
  static const char text[] =
      "in training_step\nCUDA out of memory. Tried to allocate 1.95 GiB (GPU 0; 23.65 GiB total "
      "capacity; 20.80 GiB already allocated; 1.00 GiB free; 21.10 GiB reserved in total by "
      "PyTorch)";
  _json_ json_t *fresh = dx_text(text);
  _json_ json_t *tried =
      dx_run((struct dx_in){.text = text, .context = "reducing the batch size had no effect"});
  ck_assert(dx_says(fresh, "try", "Smaller microbatch"));
  ck_assert(!dx_says(fresh, "do_not", "smaller batch"));
  ck_assert(!dx_says(tried, "try", "Smaller microbatch"));
  ck_assert(dx_says(tried, "do_not", "smaller batch once more"));
}
END_TEST

int main(void) {
  Suite *s = suite_create("diagnose_explain");
  TCase *t = tcase_create("explain");
  tcase_add_loop_test(t, a_request_is_explained_by_a_known_matrix, 0,
                      sizeof matrices / sizeof *matrices);
  tcase_add_test(t, a_tensor_of_the_model_comes_first);
  tcase_add_test(t, a_request_is_explained_by_the_sheets_own_products);
  tcase_add_test(t, a_log_explains_its_own_request);
  tcase_add_test(t, parts_of_all_parameters);
  tcase_add_test(t, a_coincidence_decides_no_cause);
  tcase_add_test(t, tokens_of_a_logits_request);
  tcase_add_test(t, what_was_tried_is_not_advised_as_new);
  suite_add_tcase(s, t);
  return dx_main(s);
}
