/* core/model/arch: every published count of tests/data/vectors/architectures.json, the split, the
   layers, LoRA from the shapes, the tie. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "tests/unit/modeltest.h"

static int64_t expect(const json_t *row, const char *name) {
  return json_integer_value(json_object_get(json_object_get(row, "expect"), name));
}

static bool expects(const json_t *row, const char *name) {
  return json_object_get(json_object_get(row, "expect"), name) != NULL;
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
  _json_ json_t *j = model_parse(arch->canonical);
  ck_assert(crv_arch_read(j, "", a, &again, &model_err));
  ck_assert_str_eq(again.canonical, arch->canonical);
  ck_assert_int_eq(again.params.total.v, arch->params.total.v);
  ck_assert_uint_eq(again.assumed.n, arch->assumed.n);
}

START_TEST(every_vector_comes_out_to_the_unit) {
  const json_t *rows = model_rows(), *row;
  size_t i;
  ck_assert_uint_ge(json_array_size(rows), 70);
  json_array_foreach(rows, i, row) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    struct crv_arch arch;
    model_read(row, a, &arch);
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

START_TEST(the_split_of_a_hub_total_that_counts_copies_and_scales) {
  const json_t *row = model_row("DeepSeek-V3");
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch;
  model_read(row, a, &arch);
  ck_assert_int_eq(arch.params.total.v + arch.params.by[CRV_PART_MTP] + arch.params.mtp_copies +
                       fp8_blocks(&arch),
                   expect(row, "hub_total"));
  ck_assert_str_eq(arch.quant->method, "fp8");
  ck_assert_int_eq(arch.quant->block_rows, 128);
  ck_assert_str_eq(arch.dtype, "bfloat16");
}
END_TEST

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
    ck_assert(model_with(cases[i].model, "tie_word_embeddings", NULL, a, &arch));
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
  ck_assert(model_with("Llama-3.1-8B", "tie_word_embeddings", NULL, a, &arch));
  size_t rows = arch.weights.n;
  ck_assert(crv_arch_settle_tie(&arch, true, "tensors"));
  ck_assert_int_eq(arch.params.total.v, 7504924672);
  ck_assert_uint_eq(arch.weights.n, rows - 1);
  check_sums(&arch);
  ck_assert(!crv_arch_settle_tie(&arch, false, "tensors"));
  ck_assert(model_with("Llama-3.1-8B", "tie_word_embeddings", NULL, a, &arch));
  ck_assert(crv_arch_settle_tie(&arch, false, "tensors"));
  ck_assert_int_eq(arch.params.total.v, 8030261248);
  check_sums(&arch);
}
END_TEST

START_TEST(dense_layers_among_experts_are_placed) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch, all;
  model_read(model_row("Qwen3-30B-A3B"), a, &all);
  ck_assert(model_with("Qwen3-30B-A3B", "mlp_only_layers", "[0,47]", a, &arch));
  ck_assert(!arch.layer[0].experts && arch.layer[1].experts && !arch.layer[47].experts);
  /* Two layers change 128 experts of 768 and a router for one MLP of 6144. */
  int64_t experts = 128 * 3 * 2048 * 768 + 2048 * 128, dense = 3 * 2048 * 6144;
  ck_assert_int_eq(all.params.total.v - arch.params.total.v, 2 * (experts - dense));
  ck_assert(model_with("Qwen3-30B-A3B", "decoder_sparse_step", "2", a, &arch));
  ck_assert(!arch.layer[0].experts && arch.layer[1].experts);
}
END_TEST

START_TEST(a_head_narrower_or_wider_than_its_share_is_taken_as_stated) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch;
  model_read(model_row("Mistral-Nemo"), a, &arch);
  ck_assert_int_eq(arch.head_dim, 128); /* not 5120 / 32 */
  ck_assert(model_with("Mistral-Nemo", "head_dim", "null", a, &arch));
  ck_assert_int_eq(arch.head_dim, 160);
}
END_TEST

START_TEST(lora_knows_paths_experts_and_what_it_does_not_touch) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch;
  const char *names[1];
  struct crv_list t = {.n = 1, .at = names};
  int64_t got, matched;
  model_read(model_row("Mixtral-8x7B"), a, &arch);
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

/* Bytes of the linear layers that formats take, the rest in 2 bytes. */
static int64_t format_bytes(const struct crv_arch *arch,
                            int64_t (*of)(const struct crv_weight *w, int64_t n)) {
  int64_t sum = 0;
  for (size_t i = 0; i < arch->weights.n; i++) {
    const struct crv_weight *w = crv_list_at(arch->weights, struct crv_weight, i);
    int64_t n = w->rows * w->cols;
    bool takes = w->linear && w->part != CRV_PART_HEAD && w->part != CRV_PART_ROUTER;
    sum += (takes ? of(w, n) : 2 * n) * w->each * w->places;
  }
  return sum;
}
static int64_t nf4(const struct crv_weight *w, int64_t n) {
  (void)w;
  return n / 2 + 4 * crv_cdiv(n, 64);
}
static int64_t nf4_twice(const struct crv_weight *w, int64_t n) {
  (void)w;
  return n / 2 + crv_cdiv(n, 64) + 4 * crv_cdiv(crv_cdiv(n, 64), 256);
}
static int64_t awq(const struct crv_weight *w, int64_t n) {
  (void)w;
  return n / 2 + 2 * n / 128 + n / 256;
}
static int64_t gptq(const struct crv_weight *w, int64_t n) {
  return awq(w, n) + 4 * w->cols;
}
static int64_t fp8_rows(const struct crv_weight *w, int64_t n) {
  return n + 4 * w->rows;
}
static int64_t fp8_rows_bf16(const struct crv_weight *w, int64_t n) {
  return n + 2 * w->rows;
}
static int64_t fp8_blocks_bf16(const struct crv_weight *w, int64_t n) {
  return n + 2 * crv_cdiv(w->rows, 128) * crv_cdiv(w->cols, 128);
}

/* Derived figures, and sizes of published files less their heads. */
START_TEST(bytes_by_format_follow_from_the_shapes) {
  static const struct {
    const char *model;
    int64_t (*of)(const struct crv_weight *w, int64_t n);
    int64_t bytes;
  } cases[] = {
      {"Llama-3.1-8B", nf4, 6027747328},
      {"Llama-3.1-8B", nf4_twice, 5702295552},
      {"Llama-3.1-8B", gptq, 5732835328},
      {"Llama-3.1-8B", awq, 5727854592},
      {"Llama-3.1-8B", fp8_rows, 9086705664},
      {"Llama-3.1-70B", fp8_rows_bf16, 72669806592},
      {"Llama-3.1-70B", awq, 39767785472},
      {"Qwen2.5-7B", awq, 5570747392},
      {"Qwen3-8B", awq, 6098479104},
      {"Qwen3-8B", fp8_blocks_bf16, 9436551168},
      {"Qwen3-32B", fp8_blocks_bf16, 34322434048},
      {"Qwen3-30B-A3B", fp8_blocks_bf16, 31170895872},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    struct crv_arch arch;
    model_read(model_row(cases[i].model), a, &arch);
    ck_assert_msg(format_bytes(&arch, cases[i].of) == cases[i].bytes, "%zu %s: %lld", i,
                  cases[i].model, (long long)format_bytes(&arch, cases[i].of));
  }
}
END_TEST

/* gpt-oss: only the experts' matrices are MXFP4, 17 bytes for 32. */
START_TEST(the_artefact_of_a_model_with_mxfp4_experts) {
  static const struct {
    const char *model;
    int64_t bytes;
  } cases[] = {{"gpt-oss-20b", 13761264768}, {"gpt-oss-120b", 65248815744}};
  for (size_t i = 0; i < 2; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    struct crv_arch arch;
    model_read(model_row(cases[i].model), a, &arch);
    int64_t experts = expert_matrices(&arch);
    ck_assert_int_eq(experts / 32 * 17 + (arch.params.total.v - experts) * 2, cases[i].bytes);
    ck_assert_str_eq(arch.quant->method, "mxfp4");
    ck_assert_uint_eq(arch.quant->skipped.n, 4);
  }
}
END_TEST

START_TEST(answers_show_what_was_read) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_arch arch;
  model_read(model_row("Gemma-2-2B"), a, &arch);
  _json_ json_t *j = crv_arch_json(&arch);
  _free_ char *text = crv_json_compact(j);
  ck_assert_ptr_nonnull(strstr(text, "\"total\":2614341888"));
  ck_assert_ptr_nonnull(strstr(text, "{\"kind\":\"sliding\",\"layers\":13,\"window\":4096}"));
  ck_assert_ptr_nonnull(strstr(text, "\"tied\":true"));
  ck_assert(model_with("Llama-3.1-8B", "tie_word_embeddings", NULL, a, &arch));
  _json_ json_t *open = crv_arch_json(&arch);
  _free_ char *unknown = crv_json_compact(open);
  ck_assert_ptr_nonnull(strstr(unknown, "\"total\":null"));
  ck_assert_ptr_nonnull(strstr(unknown, "\"if_untied\":8030261248"));
  ck_assert_ptr_null(strstr(unknown, "\"head\":"));
  _json_ json_t *table = crv_architectures_json();
  ck_assert_uint_eq(json_array_size(table), crv_n_architectures);
  for (size_t i = 1; i < crv_n_architectures; i++)
    ck_assert_int_lt(strcmp(crv_architectures[i - 1].model_type, crv_architectures[i].model_type),
                     0);
}
END_TEST

int main(void) {
  Suite *s = suite_create("arch");
  TCase *t = tcase_create("arch");
  tcase_add_unchecked_fixture(t, model_vectors_load, model_vectors_drop);
  tcase_add_test(t, every_vector_comes_out_to_the_unit);
  tcase_add_test(t, the_split_of_a_hub_total_that_counts_copies_and_scales);
  tcase_add_test(t, an_absent_tie_flag_is_unknown_unless_the_class_ties);
  tcase_add_test(t, other_evidence_settles_an_unknown_tie);
  tcase_add_test(t, dense_layers_among_experts_are_placed);
  tcase_add_test(t, a_head_narrower_or_wider_than_its_share_is_taken_as_stated);
  tcase_add_test(t, lora_knows_paths_experts_and_what_it_does_not_touch);
  tcase_add_test(t, bytes_by_format_follow_from_the_shapes);
  tcase_add_test(t, the_artefact_of_a_model_with_mxfp4_experts);
  tcase_add_test(t, answers_show_what_was_read);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
