/* core/model/arch: every published count of tests/data/vectors/architectures.json, the split, the
   layers, LoRA from the shapes; what is unknown or refused, and why. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/model/arch.h"

static struct crv_err err;
static json_t *vectors;

static json_t *parse(const char *text) {
  crv_err_init(&err);
  json_t *j = crv_json_parse_stored(text, strlen(text), &err);
  ck_assert_msg(j != NULL, "%s: %s", text, err.detail);
  return j;
}

static void load_vectors(void) {
  char path[4096];
  const char *top = getenv("top_srcdir");
  snprintf(path, sizeof path, "%s/tests/data/vectors/architectures.json", top ? top : ".");
  FILE *f = fopen(path, "rb");
  ck_assert_msg(f != NULL, "%s", path);
  _buf_ struct crv_buf b;
  char block[4096];
  crv_buf_init(&b, 0);
  for (size_t n; (n = fread(block, 1, sizeof block, f)) > 0;) crv_buf_add(&b, block, n);
  fclose(f);
  vectors = parse(b.data);
}

static void drop_vectors(void) {
  json_decref(vectors);
}

static int64_t expect(const json_t *row, const char *name) {
  return json_integer_value(json_object_get(json_object_get(row, "expect"), name));
}

static bool expects(const json_t *row, const char *name) {
  return json_object_get(json_object_get(row, "expect"), name) != NULL;
}

static void read_row(const json_t *row, struct crv_arena *a, struct crv_arch *arch) {
  crv_err_init(&err);
  bool ok = crv_arch_read(json_object_get(row, "config"), "/config", a, arch, &err);
  ck_assert_msg(ok, "%s: %s %s %s", json_string_value(json_object_get(row, "model")), err.detail,
                err.n ? err.at[0].ptr : "", err.n ? err.at[0].detail : "");
}

static int64_t fp8_blocks(const struct crv_arch *arch) {
  int64_t sum = 0;
  for (size_t i = 0; i < arch->weights.n; i++) {
    const struct crv_weight *w = crv_list_at(arch->weights, struct crv_weight, i);
    if (!w->linear || w->part == CRV_PART_HEAD || w->part == CRV_PART_OTHER) continue;
    sum += crv_cdiv(w->rows, 128) * crv_cdiv(w->cols, 128) * w->each * w->places;
  }
  return sum;
}

static int64_t expert_matrices(const struct crv_arch *arch) {
  int64_t sum = 0;
  for (size_t i = 0; i < arch->weights.n; i++) {
    const struct crv_weight *w = crv_list_at(arch->weights, struct crv_weight, i);
    if (w->linear && w->part == CRV_PART_EXPERTS) sum += w->total;
  }
  return sum;
}

static void count_layers(const struct crv_arch *arch, int64_t *kv, int64_t *sliding) {
  *kv = *sliding = 0;
  for (int64_t i = 0; i < arch->layers; i++) {
    const struct crv_arch_layer *l = &arch->layer[i];
    *kv += l->kv_heads * (l->k_dim + l->v_dim);
    *sliding += l->attention == CRV_ATTN_SLIDING;
    ck_assert_int_eq(l->window, l->attention == CRV_ATTN_SLIDING ? arch->window : 0);
  }
}

static void check_figures(const json_t *row, const struct crv_arch *arch) {
  const struct crv_arch_params *p = &arch->params;
  int64_t kv, sliding;
  ck_assert(p->total.set);
  ck_assert_int_eq(p->total.v, expect(row, "parameters"));
  count_layers(arch, &kv, &sliding);
  if (expects(row, "kv_elements")) ck_assert_int_eq(kv, expect(row, "kv_elements"));
  if (expects(row, "sliding")) ck_assert_int_eq(sliding, expect(row, "sliding"));
  if (expects(row, "window")) ck_assert_int_eq(arch->window, expect(row, "window"));
  if (expects(row, "context")) ck_assert_int_eq(arch->context.v, expect(row, "context"));
  if (expects(row, "active")) ck_assert_int_eq(p->active.v, expect(row, "active"));
  if (expects(row, "mtp")) ck_assert_int_eq(p->by[CRV_PART_MTP], expect(row, "mtp"));
  if (expects(row, "mtp_copies")) ck_assert_int_eq(p->mtp_copies, expect(row, "mtp_copies"));
  if (expects(row, "if_untied")) ck_assert_int_eq(p->if_untied, expect(row, "if_untied"));
  if (expects(row, "language"))
    ck_assert_int_eq(p->total.v - p->by[CRV_PART_VISION], expect(row, "language"));
  if (expects(row, "fp8_blocks")) ck_assert_int_eq(fp8_blocks(arch), expect(row, "fp8_blocks"));
  if (expects(row, "expert_matrices"))
    ck_assert_int_eq(expert_matrices(arch), expect(row, "expert_matrices"));
  if (expects(row, "latent_elements"))
    ck_assert_int_eq(arch->layers * (arch->mla.kv_rank + arch->mla.rope),
                     expect(row, "latent_elements"));
}

static void check_lora(const json_t *row, const struct crv_arch *arch) {
  const json_t *list = json_object_get(json_object_get(row, "expect"), "lora"), *one;
  size_t i;
  json_array_foreach(list, i, one) {
    const char *names[16];
    const json_t *targets = json_array_get(one, 1);
    struct crv_list t = {.n = json_array_size(targets), .at = names};
    int64_t got;
    for (size_t k = 0; k < t.n; k++) names[k] = json_string_value(json_array_get(targets, k));
    ck_assert(crv_arch_lora(arch, &t, json_integer_value(json_array_get(one, 0)), &got, NULL));
    ck_assert_int_eq(got, json_integer_value(json_array_get(one, 2)));
  }
}

/* The split adds up to the total, and the table to the split. */
static void check_sums(const struct crv_arch *arch) {
  int64_t parts = 0, table = 0;
  for (int i = 0; i < CRV_PART_MTP; i++) parts += arch->params.by[i];
  ck_assert_int_eq(parts, arch->params.total.v);
  for (size_t i = 0; i < arch->weights.n; i++)
    table += crv_list_at(arch->weights, struct crv_weight, i)->total;
  ck_assert_int_eq(table, parts + arch->params.by[CRV_PART_MTP]);
}

static void check_canonical(const struct crv_arch *arch) {
  struct crv_arch again;
  _arena_ struct crv_arena *a = crv_arena_new(0);
  _json_ json_t *j = parse(arch->canonical);
  ck_assert(crv_arch_read(j, "", a, &again, &err));
  ck_assert_str_eq(again.canonical, arch->canonical);
  ck_assert_int_eq(again.params.total.v, arch->params.total.v);
  ck_assert_uint_eq(again.assumed.n, arch->assumed.n);
}

START_TEST(every_vector_comes_out_to_the_unit) {
  const json_t *rows = json_object_get(vectors, "rows"), *row;
  size_t i;
  ck_assert_uint_ge(json_array_size(rows), 70);
  json_array_foreach(rows, i, row) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    struct crv_arch arch;
    read_row(row, a, &arch);
    if (getenv("VERBOSE_VECTORS"))
      printf("%s %lld\n", json_string_value(json_object_get(row, "model")),
             (long long)arch.params.total.v);
    check_figures(row, &arch);
    check_lora(row, &arch);
    check_sums(&arch);
    check_canonical(&arch);
  }
}
END_TEST

static const json_t *row_of(const char *model) {
  const json_t *rows = json_object_get(vectors, "rows"), *row;
  size_t i;
  json_array_foreach(rows, i, row) {
    if (crv_streq(json_string_value(json_object_get(row, "model")), model)) return row;
  }
  ck_abort_msg("%s", model);
}

START_TEST(the_split_of_a_hub_total_that_counts_copies_and_scales) {
  const json_t *row = row_of("DeepSeek-V3");
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch;
  read_row(row, a, &arch);
  ck_assert_int_eq(arch.params.total.v + arch.params.by[CRV_PART_MTP] + arch.params.mtp_copies +
                       fp8_blocks(&arch),
                   expect(row, "hub_total"));
  ck_assert_str_eq(arch.quant->method, "fp8");
  ck_assert_int_eq(arch.quant->block_rows, 128);
  ck_assert_str_eq(arch.dtype, "bfloat16");
}
END_TEST

/* A vector's config with one field replaced (NULL: dropped) is read. */
static bool with(const char *model, const char *field, const char *value, struct crv_arena *a,
                 struct crv_arch *arch) {
  _json_ json_t *config = json_deep_copy(json_object_get(row_of(model), "config"));
  crv_err_init(&err);
  if (value) {
    struct crv_err bad;
    crv_err_init(&bad);
    json_t *v = crv_json_parse_stored(value, strlen(value), &bad);
    ck_assert_msg(v != NULL, "%s", value);
    json_object_set_new(config, field, v);
  } else {
    json_object_del(config, field);
  }
  return crv_arch_read(config, "/config", a, arch, &err);
}

START_TEST(an_absent_tie_flag_is_unknown_unless_the_class_ties) {
  static const struct {
    const char *model;
    int64_t tied, untied;
    bool known;
  } cases[] = {
      {"Llama-3.1-8B", 7504924672, 8030261248, false},
      {"Qwen2.5-7B", 7070619136, 7615616512, false},
      {"Gemma-2B", 2506172416, 3030460416, true},
      {"GPT-2 small", 124439808, 163037184, true},
      {"Falcon-7B", 6921720704, 7217189760, true},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    struct crv_arch arch;
    ck_assert(with(cases[i].model, "tie_word_embeddings", NULL, a, &arch));
    ck_assert_int_eq(arch.params.if_tied, cases[i].tied);
    ck_assert_int_eq(arch.params.if_untied, cases[i].untied);
    ck_assert_int_eq(arch.params.total.set, cases[i].known);
    ck_assert_int_eq(arch.params.active.set, cases[i].known);
    ck_assert_int_eq(arch.tied, cases[i].known ? CRV_TRUE : CRV_UNSET);
    ck_assert((arch.tie_source != NULL) == cases[i].known);
  }
}
END_TEST

START_TEST(other_evidence_settles_an_unknown_tie) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch;
  ck_assert(with("Llama-3.1-8B", "tie_word_embeddings", NULL, a, &arch));
  size_t rows = arch.weights.n;
  ck_assert(crv_arch_settle_tie(&arch, true, "tensors"));
  ck_assert_int_eq(arch.params.total.v, 7504924672);
  ck_assert_uint_eq(arch.weights.n, rows - 1);
  check_sums(&arch);
  ck_assert(!crv_arch_settle_tie(&arch, false, "tensors"));
  ck_assert(with("Llama-3.1-8B", "tie_word_embeddings", NULL, a, &arch));
  ck_assert(crv_arch_settle_tie(&arch, false, "tensors"));
  ck_assert_int_eq(arch.params.total.v, 8030261248);
  check_sums(&arch);
}
END_TEST

START_TEST(a_window_that_is_not_used_slides_nothing) {
  static const struct {
    const char *model, *field, *value;
    int64_t sliding;
  } cases[] = {
      {"Qwen2.5-7B", "use_sliding_window", "false", 0},
      {"Qwen2.5-7B", "use_sliding_window", NULL, 0},
      {"Qwen2.5-7B", "max_window_layers", "7", 0},
      {"Qwen2.5-7B", "sliding_window", "null", 0},
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
    ck_assert(with(cases[i].model, cases[i].field, cases[i].value, a, &arch));
    count_layers(&arch, &kv, &sliding);
    ck_assert_msg(sliding == cases[i].sliding, "%s %s: %lld", cases[i].model, cases[i].field,
                  (long long)sliding);
  }
}
END_TEST

START_TEST(layers_from_max_window_layers_on_slide_when_told) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch;
  _json_ json_t *config = json_deep_copy(json_object_get(row_of("Qwen2.5-7B"), "config"));
  json_object_set_new(config, "use_sliding_window", json_true());
  json_object_set_new(config, "max_window_layers", json_integer(21));
  json_object_set_new(config, "sliding_window", json_integer(4096));
  ck_assert(crv_arch_read(config, "", a, &arch, &err));
  ck_assert_int_eq(arch.layer[20].attention, CRV_ATTN_FULL);
  ck_assert_int_eq(arch.layer[21].attention, CRV_ATTN_SLIDING);
  ck_assert_int_eq(arch.layer[27].window, 4096);
}
END_TEST

START_TEST(class_defaults_that_were_taken_are_listed_with_their_source) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch;
  bool heads = false;
  read_row(row_of("Gemma-3-4B"), a, &arch);
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
    bool found = false;
    ck_assert_msg(!with(refused[i].model, refused[i].field, refused[i].value, a, &arch), "%zu %s",
                  i, refused[i].field);
    ck_assert_int_eq(err.code, CRV_INVALID_FIELDS);
    for (unsigned k = 0; k < err.n; k++)
      found = found || (crv_streq(err.at[k].ptr, refused[i].ptr) &&
                        crv_streq(err.at[k].code, refused[i].code));
    ck_assert_msg(found, "%zu %s %s: %s %s %s", i, refused[i].model, refused[i].field,
                  err.at[0].ptr, err.at[0].code, err.at[0].detail);
  }
}
END_TEST

START_TEST(every_missing_field_is_told_at_once) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  _json_ json_t *j = parse("{\"model_type\":\"llama\"}");
  struct crv_arch arch;
  ck_assert(!crv_arch_read(j, "", a, &arch, &err));
  ck_assert_uint_eq(err.n, 5);
  ck_assert_str_eq(err.at[0].ptr, "/hidden_size");
  ck_assert_str_eq(err.at[4].ptr, "/vocab_size");
}
END_TEST

START_TEST(an_unknown_model_type_is_told_all_known_ones) {
  static const char *const types[] = {"qwen3_next", "a_name_longer_than_what_is_quoted_of_it",
                                      "\x01", "\xF0\x9F\xA6\x99\xF0\x9F\xA6\x99\xF0\x9F\xA6\x99"};
  for (size_t t = 0; t < sizeof types / sizeof *types; t++) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    _json_ json_t *j = json_pack("{s:s}", "model_type", types[t]);
    struct crv_arch arch;
    crv_err_init(&err);
    ck_assert(!crv_arch_read(j, "", a, &arch, &err));
    if (types[t][0] == '\x01') continue; /* a number's mark: no text */
    for (size_t i = 0; i < crv_n_architectures; i++)
      ck_assert_msg(strstr(err.at[0].detail, crv_architectures[i].model_type) != NULL, "%s: %s",
                    crv_architectures[i].model_type, err.at[0].detail);
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
    ck_assert_msg(with("Llama-3.1-8B", "quantization_config", cases[i].config, a, &arch), "%zu: %s",
                  i, err.at[0].detail);
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
  ck_assert(with("Llama-3.1-8B", "quantization_config",
                 "{\"quant_method\":\"compressed-tensors\",\"config_groups\":{"
                 "\"group_0\":{\"weights\":{\"num_bits\":4}},"
                 "\"group_1\":{\"weights\":{\"num_bits\":8}}}}",
                 a, &arch));
  ck_assert(arch.quant->mixed);
  ck_assert_int_eq(arch.quant->bits.v, 4);
}
END_TEST

START_TEST(dense_layers_among_experts_are_placed) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch, all;
  read_row(row_of("Qwen3-30B-A3B"), a, &all);
  ck_assert(with("Qwen3-30B-A3B", "mlp_only_layers", "[0,47]", a, &arch));
  ck_assert(!arch.layer[0].experts && arch.layer[1].experts && !arch.layer[47].experts);
  /* Two layers change 128 experts of 768 and a router for one MLP of 6144. */
  int64_t experts = 128 * 3 * 2048 * 768 + 2048 * 128, dense = 3 * 2048 * 6144;
  ck_assert_int_eq(all.params.total.v - arch.params.total.v, 2 * (experts - dense));
  ck_assert(with("Qwen3-30B-A3B", "decoder_sparse_step", "2", a, &arch));
  ck_assert(!arch.layer[0].experts && arch.layer[1].experts);
}
END_TEST

START_TEST(a_head_narrower_or_wider_than_its_share_is_taken_as_stated) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch;
  read_row(row_of("Mistral-Nemo"), a, &arch);
  ck_assert_int_eq(arch.head_dim, 128); /* not 5120 / 32 */
  ck_assert(with("Mistral-Nemo", "head_dim", "null", a, &arch));
  ck_assert_int_eq(arch.head_dim, 160);
}
END_TEST

START_TEST(lora_knows_paths_experts_and_what_it_does_not_touch) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch;
  const char *names[1];
  struct crv_list t = {.n = 1, .at = names};
  int64_t got, matched;
  read_row(row_of("Mixtral-8x7B"), a, &arch);
  names[0] = "w1";
  ck_assert(crv_arch_lora(&arch, &t, 8, &got, &matched));
  ck_assert_int_eq(matched, 32 * 8);
  ck_assert_int_eq(got, INT64_C(8) * 32 * 8 * (4096 + 14336));
  names[0] = "proj";
  ck_assert(crv_arch_lora(&arch, &t, 8, &got, &matched));
  ck_assert_int_eq(matched, 0);
  names[0] = "self_attn.q_proj";
  ck_assert(crv_arch_lora(&arch, &t, 8, &got, &matched));
  ck_assert_int_eq(got, 8 * 32 * 8192);
  names[0] = "q_proj";
  ck_assert(!crv_arch_lora(&arch, &t, INT64_MAX / 2, &got, &matched));
}
END_TEST

START_TEST(no_memory_is_told) {
  for (size_t cap = 1; cap < 4096; cap += 64) {
    _arena_ struct crv_arena *a = crv_arena_new(cap);
    struct crv_arch arch;
    crv_err_init(&err);
    ck_assert(!crv_arch_read(json_object_get(row_of("DeepSeek-V3"), "config"), "", a, &arch, &err));
    ck_assert_int_eq(err.code, CRV_OUT_OF_MEMORY);
  }
}
END_TEST

int main(void) {
  Suite *s = suite_create("arch");
  TCase *t = tcase_create("arch");
  tcase_add_unchecked_fixture(t, load_vectors, drop_vectors);
  tcase_add_test(t, every_vector_comes_out_to_the_unit);
  tcase_add_test(t, the_split_of_a_hub_total_that_counts_copies_and_scales);
  tcase_add_test(t, an_absent_tie_flag_is_unknown_unless_the_class_ties);
  tcase_add_test(t, other_evidence_settles_an_unknown_tie);
  tcase_add_test(t, a_window_that_is_not_used_slides_nothing);
  tcase_add_test(t, layers_from_max_window_layers_on_slide_when_told);
  tcase_add_test(t, class_defaults_that_were_taken_are_listed_with_their_source);
  tcase_add_test(t, what_cannot_be_read_is_refused_at_its_field);
  tcase_add_test(t, every_missing_field_is_told_at_once);
  tcase_add_test(t, an_unknown_model_type_is_told_all_known_ones);
  tcase_add_test(t, quantisation_is_read_by_method);
  tcase_add_test(t, groups_with_differing_settings_are_called_mixed);
  tcase_add_test(t, dense_layers_among_experts_are_placed);
  tcase_add_test(t, a_head_narrower_or_wider_than_its_share_is_taken_as_stated);
  tcase_add_test(t, lora_knows_paths_experts_and_what_it_does_not_touch);
  tcase_add_test(t, no_memory_is_told);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
