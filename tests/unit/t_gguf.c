/* core/model/gguf: tensor bytes of whole models, dimensions from the metadata, split files, heads
   that are cut or lie. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "core/model/gguf.h"
#include "tests/unit/ggufhead.h"
#include "tests/unit/modeltest.h"

enum { F32 = 0, F16 = 1, Q4_0 = 2, Q8_0 = 8, Q6_K = 14 };

static bool read_buf(const struct crv_buf *b, struct crv_arena *a, struct crv_gguf *ret) {
  crv_err_init(&model_err);
  /* A block of exactly that size, so that a sanitizer sees a read past its end. */
  _free_ char *exact = malloc(b->len ? b->len : 1);
  if (b->len) memcpy(exact, b->data, b->len);
  return crv_gguf_read(exact, b->len, "/gguf", a, ret, &model_err);
}

struct table {
  struct crv_buf *b;
  uint64_t at;
};

static void add(struct table *t, const char *name, int64_t rows, int64_t cols, unsigned id) {
  const struct crv_ggml_type *type = NULL;
  for (size_t i = 0; i < crv_n_ggml_types; i++)
    if (crv_ggml_types[i].id == id) type = &crv_ggml_types[i];
  int64_t bytes;
  ck_assert(crv_ggml_bytes(type, cols, rows ? rows : 1, &bytes));
  gg_tensor(t->b, name, (uint64_t)rows, (uint64_t)cols, id, t->at);
  t->at += (uint64_t)(bytes + 31) / 32 * 32;
}

/* The tensors of a model as llama.cpp converts it: vectors in F32, the rest in `id`. */
static int64_t add_model(struct table *t, const struct crv_arch *arch, unsigned id, unsigned head) {
  int64_t n = 0;
  for (size_t i = 0; i < arch->weights.n; i++) {
    const struct crv_weight *w = crv_list_at(arch->weights, struct crv_weight, i);
    for (int64_t k = 0; k < w->each * w->places; k++, n++) {
      char name[80];
      snprintf(name, sizeof name, "%zu.%lld.weight", i, (long long)k);
      if (w->vector)
        add(t, name, 0, w->rows, F32);
      else
        add(t, name, w->rows, w->cols, w->part == CRV_PART_HEAD ? head : id);
    }
  }
  return n;
}

static void add_whole(struct crv_buf *b, const char *model, unsigned id, unsigned head,
                      bool rope_freqs) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  _buf_ struct crv_buf table = {0};
  crv_buf_init(&table, 0);
  struct crv_arch arch;
  struct table t = {&table, 0};
  model_read(model_row(model), a, &arch);
  int64_t n = add_model(&t, &arch, id, head);
  if (rope_freqs) add(&t, "rope_freqs.weight", 0, 64, F32);
  gg_start(b, 3, (uint64_t)n + rope_freqs, 1);
  gg_string(b, "general.architecture", "llama");
  crv_buf_add(b, table.data, table.len);
}

/* Figures that llama.cpp and file lists print: tools/quantize/README.md, load logs, hub file sizes
   less their heads. */
START_TEST(whole_models_have_the_bytes_that_are_published) {
  static const struct {
    const char *model;
    unsigned type, head;
    bool rope;
    int64_t bytes;
  } cases[] = {
      {"Llama-3.1-8B", F16, F16, true, 16061055232},
      {"Llama-3.1-8B", Q8_0, Q8_0, true, 8532934912},
      {"Llama-3.1-8B", Q6_K, Q6_K, false, 6588170240},
      {"Llama-3.1-70B", Q4_0, Q6_K, true, 39961870592},
      {"Llama-2-7B", Q8_0, Q8_0, false, 7160348672},
      {"Llama-2-7B", Q6_K, Q6_K, false, 5528453120},
      {"Qwen2.5-7B", Q8_0, Q8_0, false, 8092571648},
      {"Qwen2.5-7B", Q6_K, Q6_K, false, 6248245248},
      {"Qwen3-8B", Q8_0, Q8_0, false, 8703561728},
      {"Qwen3-32B", Q6_K, Q6_K, false, 26877331456},
      {"Qwen2.5-32B", Q8_0, Q8_0, false, 34814906368},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    _buf_ struct crv_buf b = {0};
    crv_buf_init(&b, 0);
    struct crv_gguf g;
    add_whole(&b, cases[i].model, cases[i].type, cases[i].head, cases[i].rope);
    ck_assert_msg(read_buf(&b, a, &g), "%s", model_err.at[0].detail);
    ck_assert_msg(g.tensors.bytes == cases[i].bytes, "%zu %s: %lld", i, cases[i].model,
                  (long long)g.tensors.bytes);
    ck_assert_int_eq(g.tensors.parameters.v,
                     json_integer_value(json_object_get(
                         json_object_get(model_row(cases[i].model), "expect"), "parameters")));
    ck_assert_int_ge(g.tensors.artefact_bytes.v, g.head_bytes + g.tensors.bytes);
    ck_assert_int_eq(g.head_bytes % 32, 0);
  }
}
END_TEST

/* ggml/src/ggml-common.h: bits a weight times 10^4. */
START_TEST(every_type_has_its_block) {
  static const struct {
    const char *name;
    int64_t bits;
  } rows[] = {{"F32", 320000},   {"F16", 160000},   {"BF16", 160000},   {"Q4_0", 45000},
              {"Q4_1", 50000},   {"Q5_0", 55000},   {"Q5_1", 60000},    {"Q8_0", 85000},
              {"Q8_1", 90000},   {"Q2_K", 26250},   {"Q3_K", 34375},    {"Q4_K", 45000},
              {"Q5_K", 55000},   {"Q6_K", 65625},   {"Q8_K", 91250},    {"TQ1_0", 16875},
              {"TQ2_0", 20625},  {"IQ1_S", 15625},  {"IQ1_M", 17500},   {"IQ2_XXS", 20625},
              {"IQ2_XS", 23125}, {"IQ2_S", 25625},  {"IQ3_XXS", 30625}, {"IQ3_S", 34375},
              {"IQ4_NL", 45000}, {"IQ4_XS", 42500}, {"MXFP4", 42500},   {"NVFP4", 45000}};
  int64_t n;
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    const struct crv_ggml_type *t = crv_ggml_type(rows[i].name);
    ck_assert_msg(t != NULL, "%s", rows[i].name);
    ck_assert_int_eq(t->bytes * 80000, rows[i].bits * t->elements);
    ck_assert(crv_ggml_bytes(t, t->elements * 3, 5, &n));
    ck_assert_int_eq(n, t->bytes * 15);
    ck_assert(t->elements == 1 || !crv_ggml_bytes(t, t->elements - 1, 5, &n));
    ck_assert(!crv_ggml_bytes(t, t->elements, INT64_MAX, &n) || t->bytes == 1);
  }
  for (size_t i = 1; i < crv_n_ggml_types; i++)
    ck_assert_int_lt(crv_ggml_types[i - 1].id, crv_ggml_types[i].id);
  ck_assert_ptr_null(crv_ggml_type("Q4_K_M")); /* a mix, no type */
}
END_TEST

static void add_gemma3(struct crv_buf *b) {
  gg_start(b, 3, 1, 12);
  gg_u32(b, "gemma3.block_count", 12); /* before general.architecture: any order is right */
  gg_string(b, "general.architecture", "gemma3");
  gg_string(b, "general.name", "A Gemma");
  gg_u32(b, "gemma3.embedding_length", 640);
  gg_u32(b, "gemma3.feed_forward_length", 2048);
  gg_u32(b, "gemma3.attention.head_count", 4);
  gg_u32(b, "gemma3.attention.head_count_kv", 1);
  gg_u32(b, "gemma3.attention.key_length", 256);
  gg_u32(b, "gemma3.attention.value_length", 256);
  gg_u32(b, "gemma3.attention.sliding_window", 512);
  gg_array(b, "tokenizer.ggml.tokens", GG_TEXT, 3);
  gg_text(b, "<s>");
  gg_text(b, "");
  gg_text(b, "\xff not utf-8");
  gg_u32(b, "general.file_type", 7);
  gg_tensor(b, "token_embd.weight", 3, 640, Q8_0, 0);
}

START_TEST(dimensions_come_from_the_metadata) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  struct crv_gguf g;
  add_gemma3(&b);
  ck_assert_msg(read_buf(&b, a, &g), "%s", model_err.at[0].detail);
  ck_assert_str_eq(g.architecture, "gemma3");
  ck_assert_str_eq(g.name, "A Gemma");
  ck_assert_int_eq(g.file_type.v, 7);
  ck_assert_int_eq(g.hidden.v, 640);
  ck_assert_int_eq(g.intermediate.v, 2048);
  ck_assert_int_eq(g.vocab.v, 3);
  ck_assert_int_eq(g.window, 512);
  ck_assert(!g.context.set && !g.experts.set);
  for (int i = 0; i < 12; i++) {
    ck_assert_int_eq(g.layer[i].attention, i % 6 == 5 ? CRV_ATTN_FULL : CRV_ATTN_SLIDING);
    ck_assert_int_eq(g.layer[i].window, i % 6 == 5 ? 0 : 512);
    ck_assert_int_eq(g.layer[i].k_dim, 256); /* not 640 / 4 */
    ck_assert_int_eq(g.layer[i].kv_heads, 1);
  }
  ck_assert_int_eq(crv_tensors_find(&g.tensors, "token_embd.weight")->bytes, 3 * 640 / 32 * 34);
  ck_assert_int_eq(crv_gguf_number(&g, "attention.head_count").v, 4);
}
END_TEST

/* Entries of one architecture, then what its layers are. */
struct meta {
  const char *architecture, *key;
  unsigned type; /* of an array's entries, when n is not 0 */
  uint64_t n, value[4];
  const char *kinds; /* a letter a layer of four: full, sliding, linear, none, unknown */
  int64_t kv_heads;  /* of the last layer */
};
static const struct meta metas[] = {
    {"llama", "attention.head_count_kv", 0, 0, {2}, "ffff", 2},
    {"llama", "attention.head_count", 0, 0, {8}, "ffff", 8},
    {"lfm2", "attention.head_count_kv", GG_I32, 4, {0, 8, 0, 4}, "lflf", 4},
    {"deci", "attention.head_count_kv", GG_U32, 4, {8, 4, 2, 1}, "ffff", 1},
    {"gemma2", "x", 0, 0, {0}, "sfsf", 8},
    {"gpt-oss", "attention.sliding_window", 0, 0, {128}, "sfsf", 8},
    {"phi3", "attention.sliding_window", 0, 0, {2047}, "ffff", 8},
    {"other", "attention.sliding_window", 0, 0, {2047}, "uuuu", 8},
    {"other", "attention.sliding_window", 0, 0, {0}, "ffff", 8},
    {"qwen3next", "full_attention_interval", 0, 0, {4}, "lllf", 8},
    {"glm4moe", "nextn_predict_layers", 0, 0, {1}, "fffn", 8},
};

static void add_meta(struct crv_buf *b, const struct meta *m) {
  char key[128];
  bool heads = strcmp(m->key, "attention.head_count") == 0;
  gg_start(b, 3, 0, heads ? 3 : 4);
  gg_string(b, "general.architecture", m->architecture);
  snprintf(key, sizeof key, "%s.block_count", m->architecture);
  gg_u32(b, key, 4);
  if (!heads) {
    snprintf(key, sizeof key, "%s.attention.head_count", m->architecture);
    gg_u32(b, key, 8);
  }
  snprintf(key, sizeof key, "%s.%s", m->architecture, m->key);
  if (!m->n) gg_u32(b, key, (uint32_t)m->value[0]);
  if (m->n) gg_array(b, key, m->type, m->n);
  for (uint64_t i = 0; i < m->n; i++) gg_int(b, m->value[i], m->type == GG_BOOL ? 1 : 4);
}

START_TEST(layers_are_told_one_by_one) {
  static const char letters[] = "ufscln";
  for (size_t i = 0; i < sizeof metas / sizeof *metas; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    _buf_ struct crv_buf b = {0};
    crv_buf_init(&b, 0);
    struct crv_gguf g;
    add_meta(&b, &metas[i]);
    ck_assert_msg(read_buf(&b, a, &g), "%zu %s", i, model_err.at[0].detail);
    for (int l = 0; l < 4; l++)
      ck_assert_msg(letters[g.layer[l].attention] == metas[i].kinds[l], "%s %s layer %d: %c",
                    metas[i].architecture, metas[i].key, l, letters[g.layer[l].attention]);
    ck_assert_int_eq(g.layer[3].kv_heads, metas[i].kv_heads);
  }
}
END_TEST

START_TEST(a_pattern_in_the_file_goes_before_the_architectures_own) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  struct crv_gguf g;
  gg_start(&b, 2, 0, 5);
  gg_string(&b, "general.architecture", "gemma3");
  gg_u32(&b, "gemma3.block_count", 3);
  gg_u32(&b, "gemma3.attention.head_count", 8);
  gg_u32(&b, "gemma3.attention.sliding_window", 64);
  gg_array(&b, "gemma3.attention.sliding_window_pattern", GG_BOOL, 3);
  gg_int(&b, 0x000100, 3);
  ck_assert_msg(read_buf(&b, a, &g), "%s", model_err.at[0].detail);
  ck_assert_int_eq(g.layer[0].attention, CRV_ATTN_FULL);
  ck_assert_int_eq(g.layer[1].attention, CRV_ATTN_SLIDING);
  ck_assert_int_eq(g.layer[2].attention, CRV_ATTN_FULL);
}
END_TEST

/* What is needed at least, as the error says it. */
static size_t needed(void) {
  const char *s = strstr(model_err.at[0].detail, "at least ");
  ck_assert_msg(s != NULL, "%s", model_err.at[0].detail);
  return (size_t)strtoul(s + strlen("at least "), NULL, 10);
}

START_TEST(a_head_that_was_cut_says_how_much_is_needed) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  add_gemma3(&b);
  size_t before = 0;
  for (size_t len = 0; len < b.len; len++) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    struct crv_gguf g;
    struct crv_buf cut = {.data = b.data, .len = len};
    ck_assert(!read_buf(&cut, a, &g));
    ck_assert_msg(model_refused("/gguf", "truncated"), "%zu: %s", len, model_err.at[0].detail);
    ck_assert_uint_gt(needed(), len);
    ck_assert_uint_le(needed(), b.len);
    ck_assert_uint_ge(needed(), before); /* never tells less when more came */
    before = needed();
  }
  ck_assert_uint_eq(before, b.len);
}
END_TEST

START_TEST(what_follows_the_head_does_not_matter) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  struct crv_gguf g;
  add_gemma3(&b);
  for (int i = 0; i < 1000; i++) crv_buf_char(&b, (char)i);
  ck_assert(read_buf(&b, a, &g));
}
END_TEST

static void add_part(struct crv_buf *b, unsigned no, unsigned count, const char *tensor) {
  gg_start(b, 3, 1, no == 0 ? 3 : 2);
  if (no == 0) gg_string(b, "general.architecture", "llama");
  gg_u32(b, "split.no", no);
  gg_u32(b, "split.count", count);
  gg_tensor(b, tensor, 0, 8, F32, 0);
}

START_TEST(split_files_are_put_together) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_buf part[3];
  struct crv_bytes file[3];
  struct crv_gguf g;
  for (unsigned i = 0; i < 3; i++) {
    static const char *const names[] = {"c", "a", "b"};
    crv_buf_init(&part[i], 0);
    add_part(&part[i], 2 - i, 3, names[i]);
    file[i] = (struct crv_bytes){part[i].data, part[i].len};
  }
  crv_err_init(&model_err);
  ck_assert(crv_gguf_load(file, 3, "", a, &g, &model_err));
  ck_assert_uint_eq(g.tensors.at.n, 3);
  ck_assert_int_eq(g.tensors.bytes, 96);
  ck_assert_int_eq(g.files, 3);
  ck_assert_int_eq(g.files_read, 3);
  ck_assert(crv_gguf_load(file + 2, 1, "", a, &g, &model_err));
  ck_assert_int_eq(g.files_read, 1);
  ck_assert_int_eq(g.files, 3);
  ck_assert(!crv_gguf_load(file, 2, "/f", a, &g, &model_err));
  ck_assert(model_refused("/f", "missing"));
  file[0] = file[2];
  ck_assert(!crv_gguf_load(file, 3, "/f", a, &g, &model_err));
  ck_assert(model_refused("/f", "duplicate"));
  for (int i = 0; i < 3; i++) crv_buf_done(&part[i]);
}
END_TEST

START_TEST(no_memory_is_told) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  add_gemma3(&b);
  for (size_t cap = 1; cap < 1024; cap += 16) {
    _arena_ struct crv_arena *a = crv_arena_new(cap);
    struct crv_gguf g;
    ck_assert(!read_buf(&b, a, &g));
    ck_assert_int_eq(model_err.code, CRV_OUT_OF_MEMORY);
  }
}
END_TEST

int main(void) {
  Suite *s = suite_create("gguf");
  TCase *t = tcase_create("gguf");
  tcase_add_unchecked_fixture(t, model_vectors_load, model_vectors_drop);
  tcase_add_test(t, whole_models_have_the_bytes_that_are_published);
  tcase_add_test(t, every_type_has_its_block);
  tcase_add_test(t, dimensions_come_from_the_metadata);
  tcase_add_test(t, layers_are_told_one_by_one);
  tcase_add_test(t, a_pattern_in_the_file_goes_before_the_architectures_own);
  tcase_add_test(t, a_head_that_was_cut_says_how_much_is_needed);
  tcase_add_test(t, what_follows_the_head_does_not_matter);
  tcase_add_test(t, split_files_are_put_together);
  tcase_add_test(t, no_memory_is_told);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
