/* core/model/arch: windows, class defaults, quantization_config; what is refused, and where. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "tests/unit/modeltest.h"

static void count_layers(const struct crv_arch *arch, int64_t *kv, int64_t *sliding) {
  *kv = *sliding = 0;
  for (int64_t i = 0; i < arch->layers; i++) {
    const struct crv_arch_layer *l = &arch->layer[i];
    *kv += l->kv_heads * (l->k_dim + l->v_dim);
    *sliding += l->attention == CRV_ATTN_SLIDING;
    ck_assert_int_eq(l->window, l->attention == CRV_ATTN_SLIDING ? arch->window : 0);
  }
}

static void check_canonical(const struct crv_arch *arch) {
  struct crv_arch again;
  _arena_ struct crv_arena *a = crv_arena_new(0);
  _json_ json_t *j = model_parse(arch->canonical);
  ck_assert(crv_arch_read(j, "", a, &again, &model_err));
  ck_assert_str_eq(again.canonical, arch->canonical);
  ck_assert_int_eq(again.params.total.v, arch->params.total.v);
  ck_assert_uint_eq(again.assumed.n, arch->assumed.n);
}

START_TEST(a_window_that_is_not_used_slides_nothing) {
  static const struct {
    const char *model, *field, *value;
    int64_t sliding;
  } cases[] = {
      {"Qwen2.5-7B", "use_sliding_window", "false", 0},
      {"Qwen2.5-7B", "use_sliding_window", NULL, 0},
      {"Qwen2.5-7B", "max_window_layers", "7", 0},
      {"Qwen2.5-7B", "sliding_window", "null", 0},
      {"Qwen2.5-7B", "use_sliding_window", "true", 0}, /* max_window_layers is 28 of 28 */
      {"Mistral-7B-v0.1", "sliding_window", "null", 0},
      {"Mistral-7B-v0.1", "sliding_window", NULL, 32},
      {"Gemma-2-2B", "sliding_window", NULL, 13},
      {"Mixtral-8x7B", "sliding_window", NULL, 0},
      {"Mixtral-8x7B", "sliding_window", "4096", 32},
      {"Phi-4", "sliding_window", NULL, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    struct crv_arch arch;
    int64_t kv, sliding;
    ck_assert(model_with(cases[i].model, cases[i].field, cases[i].value, a, &arch));
    count_layers(&arch, &kv, &sliding);
    ck_assert_msg(sliding == cases[i].sliding, "%s %s: %lld", cases[i].model, cases[i].field,
                  (long long)sliding);
  }
}
END_TEST

START_TEST(layers_from_max_window_layers_on_slide_when_told) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch;
  _json_ json_t *config = json_deep_copy(json_object_get(model_row("Qwen2.5-7B"), "config"));
  json_object_set_new(config, "use_sliding_window", json_true());
  json_object_set_new(config, "max_window_layers", json_integer(21));
  json_object_set_new(config, "sliding_window", json_integer(4096));
  ck_assert(crv_arch_read(config, "", a, &arch, &model_err));
  ck_assert_int_eq(arch.layer[20].attention, CRV_ATTN_FULL);
  ck_assert_int_eq(arch.layer[21].attention, CRV_ATTN_SLIDING);
  ck_assert_int_eq(arch.layer[27].window, 4096);
}
END_TEST

START_TEST(class_defaults_that_were_taken_are_listed_with_their_source) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch;
  bool heads = false;
  model_read(model_row("Gemma-3-4B"), a, &arch);
  for (size_t i = 0; i < arch.assumed.n; i++) {
    const struct crv_arch_assumed *one = crv_list_at(arch.assumed, struct crv_arch_assumed, i);
    ck_assert(strstr(one->source, "class Gemma3") != NULL);
    if (crv_streq(one->field, "num_attention_heads")) {
      ck_assert_str_eq(one->value, "8");
      heads = true;
    }
  }
  ck_assert(heads);
}
END_TEST

/* Config of model with a field replaced is refused there, with that code. */
static const struct {
  const char *model, *field, *value, *ptr, *code;
} refused[] = {
    {"Llama-3.1-8B", "model_type", "\"mamba\"", "/config/model_type", "unknown_architecture"},
    {"Llama-3.1-8B", "model_type", "\"Llama\"", "/config/model_type", "unknown_architecture"},
    {"Llama-3.1-8B", "model_type", NULL, "/config/model_type", "missing"},
    {"Llama-3.1-8B", "model_type", "null", "/config/model_type", "missing"},
    {"Llama-3.1-8B", "model_type", "7", "/config/model_type", "wrong_type"},
    {"Llama-3.1-8B", "model_type", "7.5", "/config/model_type", "wrong_type"},
    {"Llama-3.1-8B", "hidden_size", NULL, "/config/hidden_size", "missing"},
    {"Llama-3.1-8B", "hidden_size", "null", "/config/hidden_size", "missing"},
    {"Llama-3.1-8B", "hidden_size", "0", "/config/hidden_size", "out_of_range"},
    {"Llama-3.1-8B", "hidden_size", "-4096", "/config/hidden_size", "out_of_range"},
    {"Llama-3.1-8B", "hidden_size", "4096.0", "/config/hidden_size", "wrong_type"},
    {"Llama-3.1-8B", "hidden_size", "\"4096\"", "/config/hidden_size", "wrong_type"},
    {"Llama-3.1-8B", "hidden_size", "true", "/config/hidden_size", "wrong_type"},
    {"Llama-3.1-8B", "hidden_size", "[4096]", "/config/hidden_size", "wrong_type"},
    {"Llama-3.1-8B", "hidden_size", "9223372036854775808", "/config/hidden_size", "out_of_range"},
    {"Llama-3.1-8B", "hidden_size", "9007199254740992", "/config/hidden_size", "out_of_range"},
    {"Llama-3.1-8B", "hidden_size", "4097", "/config/head_dim", "missing"},
    {"Llama-3.1-8B", "num_hidden_layers", "4097", "/config/num_hidden_layers", "out_of_range"},
    {"Llama-3.1-8B", "num_hidden_layers", "9007199254740991", "/config/num_hidden_layers",
     "out_of_range"},
    {"Llama-3.1-8B", "num_key_value_heads", "5", "/config/num_key_value_heads", "conflict"},
    {"Llama-3.1-8B", "num_key_value_heads", "64", "/config/num_key_value_heads", "conflict"},
    {"Llama-3.1-8B", "tie_word_embeddings", "1", "/config/tie_word_embeddings", "wrong_type"},
    {"Llama-3.1-8B", "vocab_size", "9007199254740991", "/config", "overflow"},
    {"Llama-3.1-8B", "intermediate_size", "9007199254740991", "/config", "overflow"},
    {"Llama-3.1-8B", "head_dim", "9007199254740991", "/config", "overflow"},
    {"Llama-3.1-8B", "intermediate_size", "23000000000", "/config", "overflow"},
    {"Llama-3.1-8B", "architectures", "[\"LlamaForSequenceClassification\"]",
     "/config/architectures", "not_one_of"},
    {"Llama-3.1-8B", "per_layer_config", "{\"0\":{\"hidden_size\":1}}", "/config/per_layer_config",
     "not_yet"},
    {"Llama-3.1-8B", "dtype", "\"float16\"", "/config/torch_dtype", "conflict"},
    {"Llama-3.1-8B", "quantization_config", "{}", "/config/quantization_config/quant_method",
     "missing"},
    {"Llama-3.1-8B", "quantization_config", "[]", "/config/quantization_config", "wrong_type"},
    {"Llama-3.1-8B", "quantization_config", "{\"quant_method\":\"gptq\",\"group_size\":0}",
     "/config/quantization_config/group_size", "out_of_range"},
    {"Llama-3.1-8B", "quantization_config",
     "{\"quant_method\":\"fp8\",\"weight_block_size\":[128]}",
     "/config/quantization_config/weight_block_size", "wrong_type"},
    {"Mistral-7B-v0.1", "num_key_value_heads", NULL, "/config/num_key_value_heads", "missing"},
    {"Mixtral-8x7B", "num_experts_per_tok", "9", "/config/num_experts_per_tok", "conflict"},
    {"Mixtral-8x7B", "num_local_experts", NULL, "/config/num_local_experts", "missing"},
    {"Qwen3-30B-A3B", "use_sliding_window", "true", "/config/use_sliding_window", "not_yet"},
    {"Qwen3-30B-A3B", "head_dim", NULL, "/config/head_dim", "missing"},
    {"Qwen3-30B-A3B", "mlp_only_layers", "[48]", "/config/mlp_only_layers", "conflict"},
    {"Qwen3-30B-A3B", "mlp_only_layers", "[-1]", "/config/mlp_only_layers", "wrong_type"},
    {"Qwen3-30B-A3B", "num_experts", "9007199254740991", "/config", "overflow"},
    {"gpt-oss-20b", "layer_types", "[\"full_attention\"]", "/config/layer_types", "conflict"},
    {"gpt-oss-20b", "layer_types", "[1,2]", "/config/layer_types", "wrong_type"},
    {"gpt-oss-20b", "experts_per_token", "5", "/config/experts_per_token", "conflict"},
    {"Gemma-3-4B", "text_config", NULL, "/config/text_config", "missing"},
    {"Gemma-3-4B", "text_config", "{\"model_type\":\"llama\"}", "/config/text_config/model_type",
     "not_one_of"},
    {"Gemma-3-4B", "vision_config", "{\"vision_use_head\":true}",
     "/config/vision_config/hidden_size", "missing"},
    {"Falcon-40B", "num_kv_heads", NULL, "/config/num_kv_heads", "missing"},
    {"GPT-2 small", "n_head", "7", "/config/n_embd", "conflict"},
    {"GPT-2 small", "hidden_size", "1024", "/config/hidden_size", "conflict"},
    {"GPT-2 small", "add_cross_attention", "true", "/config/add_cross_attention", "not_one_of"},
    {"DeepSeek-V3", "q_lora_rank", NULL, "/config/q_lora_rank", "missing"},
    {"DeepSeek-V3", "first_k_dense_replace", NULL, "/config/first_k_dense_replace", "missing"},
    {"DeepSeek-V3", "n_shared_experts", "9007199254740991", "/config", "overflow"},
    {"DeepSeek-V3", "num_nextn_predict_layers", "9007199254740991", "/config", "overflow"},
};

START_TEST(what_cannot_be_read_is_refused_at_its_field) {
  for (size_t i = 0; i < sizeof refused / sizeof *refused; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(1 << 20);
    struct crv_arch arch;
    ck_assert_msg(!model_with(refused[i].model, refused[i].field, refused[i].value, a, &arch),
                  "%zu %s", i, refused[i].field);
    ck_assert_int_eq(model_err.code, CRV_INVALID_FIELDS);
    ck_assert_msg(model_refused(refused[i].ptr, refused[i].code), "%zu %s %s: %s %s %s", i,
                  refused[i].model, refused[i].field, model_err.at[0].ptr, model_err.at[0].code,
                  model_err.at[0].detail);
  }
}
END_TEST

START_TEST(every_missing_field_is_told_at_once) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  _json_ json_t *j = model_parse("{\"model_type\":\"llama\"}");
  struct crv_arch arch;
  ck_assert(!crv_arch_read(j, "", a, &arch, &model_err));
  ck_assert_uint_eq(model_err.n, 5);
  ck_assert_str_eq(model_err.at[0].ptr, "/hidden_size");
  ck_assert_str_eq(model_err.at[4].ptr, "/vocab_size");
}
END_TEST

START_TEST(an_unknown_model_type_is_told_all_known_ones) {
  static const char *const types[] = {"qwen3_next", "a_name_longer_than_what_is_quoted_of_it",
                                      "\x01", "\xF0\x9F\xA6\x99\xF0\x9F\xA6\x99\xF0\x9F\xA6\x99"};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    _json_ json_t *j = json_pack("{s:s}", "model_type", types[t]);
    struct crv_arch arch;
    crv_err_init(&model_err);
    ck_assert(!crv_arch_read(j, "", a, &arch, &model_err));
    if (types[t][0] == '\x01') continue; /* a number's mark: no text */
    for (size_t i = 0; i < crv_n_architectures; i++)
      ck_assert_msg(strstr(model_err.at[0].detail, crv_architectures[i].model_type) != NULL,
                    "%s: %s", crv_architectures[i].model_type, model_err.at[0].detail);
  }
}
END_TEST

START_TEST(quantisation_is_read_by_method) {
  static const struct {
    const char *config, *method;
    int64_t bits, group, block;
    const char *type;
    enum crv_tri twice;
    size_t skipped;
  } cases[] = {
      {"{\"quant_method\":\"gptq\",\"bits\":4,\"group_size\":128,\"desc_act\":true,"
       "\"damp_percent\":0.1}",
       "gptq", 4, 128, 0, NULL, CRV_UNSET, 0},
      {"{\"quant_method\":\"gptq\",\"bits\":4,\"group_size\":-1}", "gptq", 4, -1, 0, NULL,
       CRV_UNSET, 0},
      {"{\"quant_method\":\"awq\",\"w_bit\":4,\"q_group_size\":64,\"zero_point\":true,"
       "\"modules_to_not_convert\":null}",
       "awq", 4, 64, 0, NULL, CRV_UNSET, 0},
      {"{\"quant_method\":\"fp8\",\"weight_block_size\":[128,128]}", "fp8", 0, 0, 128, NULL,
       CRV_UNSET, 0},
      {"{\"load_in_4bit\":true,\"load_in_8bit\":false,\"bnb_4bit_quant_type\":\"nf4\","
       "\"bnb_4bit_use_double_quant\":true,\"llm_int8_skip_modules\":[\"lm_head\"]}",
       "bitsandbytes", 4, 0, 0, "nf4", CRV_TRUE, 1},
      {"{\"quant_method\":\"bitsandbytes\",\"load_in_8bit\":true}", "bitsandbytes", 8, 0, 0, NULL,
       CRV_UNSET, 0},
      {"{\"quant_method\":\"compressed-tensors\",\"format\":\"pack-quantized\",\"ignore\":"
       "[\"lm_head\",\"re:.*gate\"],\"config_groups\":{\"group_0\":{\"weights\":{\"num_bits\":4,"
       "\"type\":\"int\",\"strategy\":\"group\",\"group_size\":32}}}}",
       "compressed-tensors", 4, 32, 0, "int", CRV_UNSET, 2},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    struct crv_arch arch;
    ck_assert_msg(model_with("Llama-3.1-8B", "quantization_config", cases[i].config, a, &arch),
                  "%zu: %s", i, model_err.at[0].detail);
    ck_assert_str_eq(arch.quant->method, cases[i].method);
    ck_assert_int_eq(arch.quant->bits.set ? arch.quant->bits.v : 0, cases[i].bits);
    ck_assert_int_eq(arch.quant->group_size.set ? arch.quant->group_size.v : 0, cases[i].group);
    ck_assert_int_eq(arch.quant->block_cols, cases[i].block);
    ck_assert(crv_streq(arch.quant->type, cases[i].type));
    ck_assert_int_eq(arch.quant->double_quant, cases[i].twice);
    ck_assert_uint_eq(arch.quant->skipped.n, cases[i].skipped);
    check_canonical(&arch);
  }
}
END_TEST

START_TEST(groups_with_differing_settings_are_called_mixed) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch;
  ck_assert(model_with("Llama-3.1-8B", "quantization_config",
                       "{\"quant_method\":\"compressed-tensors\",\"config_groups\":{"
                       "\"group_0\":{\"weights\":{\"num_bits\":4}},"
                       "\"group_1\":{\"weights\":{\"num_bits\":8}}}}",
                       a, &arch));
  ck_assert(arch.quant->mixed);
  ck_assert_int_eq(arch.quant->bits.v, 4);
}
END_TEST

START_TEST(modules_that_are_not_converted_are_found_by_name) {
  static const struct {
    const char *skipped, *weight;
    int64_t left; /* -1: cannot be read */
  } cases[] = {
      {"[]", "model.layers.{}.self_attn.q_proj.weight", 0},
      {"[\"lm_head\"]", "lm_head.weight", 1},
      {"[\"lm_head\"]", "model.layers.{}.self_attn.q_proj.weight", 0},
      {"[\"self_attn\"]", "model.layers.{}.self_attn.q_proj.weight", 32},
      {"[\"attn\"]", "model.layers.{}.self_attn.q_proj.weight", 0},
      {"[\"q_proj\",\"q_proj\"]", "model.layers.{}.self_attn.q_proj.weight", 32},
      {"[\"model.layers.*.self_attn\"]", "model.layers.{}.self_attn.o_proj.weight", 32},
      {"[\"model.layers.*.self_attn\"]", "model.layers.{}.mlp.up_proj.weight", 0},
      {"[\"model.layers.0.mlp.up_proj\",\"model.layers.31.mlp\"]",
       "model.layers.{}.mlp.up_proj.weight", 2},
      {"[\"model.layers.3\",\"layers.3\"]", "model.layers.{}.mlp.up_proj.weight", 1},
      {"[\"model.layers.32\"]", "model.layers.{}.mlp.up_proj.weight", 0},
      /* a number of 30 digits overflowed the layer */
      {"[\"model.layers.777777777777777777777777777777\"]", "model.layers.{}.mlp.up_proj.weight",
       0},
      {"[\"re:.*lm_head\"]", "lm_head.weight", 1},
      {"[\"re:.*self_attn.*\"]", "model.layers.{}.self_attn.k_proj.weight", 32},
      {"[\"re:.*self_attn$\"]", "model.layers.{}.self_attn.k_proj.weight", 0},
      {"[\"re:.*\\\\.k_proj$\"]", "model.layers.{}.self_attn.k_proj.weight", 32},
      {"[\"re:mlp\"]", "model.layers.{}.mlp.up_proj.weight", 0},
      {"[\"re:model.layers.0.*\"]", "model.layers.{}.mlp.up_proj.weight", -1},
      {"[\"re:.*(gate|up)_proj\"]", "model.layers.{}.mlp.up_proj.weight", -1},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    struct crv_arch arch;
    char quant[512];
    int64_t left = -1;
    snprintf(quant, sizeof quant, "{\"quant_method\":\"x\",\"ignore\":%s}", cases[i].skipped);
    ck_assert(model_with("Llama-3.1-8B", "quantization_config", quant, a, &arch));
    for (size_t k = 0; k < arch.weights.n; k++) {
      const struct crv_weight *w = crv_list_at(arch.weights, struct crv_weight, k);
      if (!crv_streq(w->name, cases[i].weight)) continue;
      ck_assert_msg(crv_arch_unconverted(&arch, w, &left) == (cases[i].left >= 0), "%s",
                    cases[i].skipped);
      ck_assert_msg(cases[i].left < 0 || left == cases[i].left, "%s: %lld", cases[i].skipped,
                    (long long)left);
      left = 1000;
    }
    ck_assert_int_eq(left, 1000);
  }
}
END_TEST

START_TEST(no_memory_is_told) {
  for (size_t cap = 1; cap < 4096; cap += 64) {
    _arena_ struct crv_arena *a = crv_arena_new(cap);
    struct crv_arch arch;
    crv_err_init(&model_err);
    ck_assert(!crv_arch_read(json_object_get(model_row("DeepSeek-V3"), "config"), "", a, &arch,
                             &model_err));
    ck_assert_int_eq(model_err.code, CRV_OUT_OF_MEMORY);
  }
}
END_TEST

int main(void) {
  Suite *s = suite_create("arch_fields");
  TCase *t = tcase_create("arch_fields");
  tcase_add_unchecked_fixture(t, model_vectors_load, model_vectors_drop);
  tcase_add_test(t, a_window_that_is_not_used_slides_nothing);
  tcase_add_test(t, layers_from_max_window_layers_on_slide_when_told);
  tcase_add_test(t, class_defaults_that_were_taken_are_listed_with_their_source);
  tcase_add_test(t, what_cannot_be_read_is_refused_at_its_field);
  tcase_add_test(t, every_missing_field_is_told_at_once);
  tcase_add_test(t, an_unknown_model_type_is_told_all_known_ones);
  tcase_add_test(t, quantisation_is_read_by_method);
  tcase_add_test(t, groups_with_differing_settings_are_called_mixed);
  tcase_add_test(t, modules_that_are_not_converted_are_found_by_name);
  tcase_add_test(t, no_memory_is_told);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
