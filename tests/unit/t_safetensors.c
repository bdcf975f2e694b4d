/* core/model/safetensors and tensors: exact bytes of a whole model's header, packed files, heads
   that lie, fingerprints. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/model/safetensors.h"
#include "tests/unit/modeltest.h"

#define ENTRY(name, dtype, shape, begin, end) \
  "\"" name "\":{\"dtype\":\"" dtype "\",\"shape\":" shape ",\"data_offsets\":[" begin "," end "]" \
  "}"

static bool load(const char *text, struct crv_arena *a, struct crv_tensors *ret) {
  struct crv_bytes file = {text, strlen(text)};
  crv_err_init(&model_err);
  return crv_safetensors_load(&file, 1, "/tensors", a, ret, &model_err);
}

static void add_u64(struct crv_buf *b, uint64_t v) {
  for (int i = 0; i < 8; i++) crv_buf_char(b, (char)(v >> 8 * i));
}

/* The header of a model's weights in one type, as its files would list them. */
static void add_header(struct crv_buf *b, const struct crv_arch *arch, const char *dtype) {
  int64_t at = 0;
  crv_buf_str(b, "{\"__metadata__\":{\"format\":\"pt\"}");
  for (size_t i = 0; i < arch->weights.n; i++) {
    const struct crv_weight *w = crv_list_at(arch->weights, struct crv_weight, i);
    for (int64_t k = 0; k < w->each * w->places; k++) {
      int64_t bytes = w->rows * w->cols * 2;
      crv_buf_printf(b, ",\"%lld.%s\":{\"dtype\":\"%s\",\"shape\":[%lld,%lld],", (long long)k,
                     w->name, dtype, (long long)w->rows, (long long)w->cols);
      crv_buf_printf(b, "\"data_offsets\":[%lld,%lld]}", (long long)at, (long long)(at + bytes));
      at += bytes;
    }
  }
  crv_buf_char(b, '}');
}

START_TEST(a_whole_models_header_gives_its_bytes_and_parameters) {
  static const struct {
    const char *model;
    int64_t bytes, parameters;
  } cases[] = {{"Llama-3.1-8B", 16060522496, 8030261248},
               {"Qwen3-30B-A3B", 61064245248, 30532122624},
               {"Llama-2-7B", 13476831232, 6738415616}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    _buf_ struct crv_buf b = {0};
    crv_buf_init(&b, 0);
    struct crv_arch arch;
    struct crv_tensors t;
    model_read(model_row(cases[i].model), a, &arch);
    add_header(&b, &arch, "BF16");
    ck_assert_msg(load(b.data, a, &t), "%s", model_err.at[0].detail);
    ck_assert_int_eq(t.bytes, cases[i].bytes);
    ck_assert_int_eq(t.parameters.v, cases[i].parameters);
    ck_assert(t.parameters.set && !t.packed);
    _json_ json_t *j = crv_tensors_json(&t);
    ck_assert_int_eq(json_integer_value(json_object_get(j, "bytes")), cases[i].bytes);
    ck_assert(json_is_null(json_object_get(j, "artefact_bytes")));
    ck_assert(!t.artefact_bytes.set); /* the length of the head is not told by its JSON */
    ck_assert_uint_eq(t.types.n, 1);
    ck_assert_int_eq(crv_tensors_have_head(&t), CRV_TRUE);
  }
}
END_TEST

START_TEST(a_raw_head_tells_the_whole_files_bytes) {
  static const char json[] = "{" ENTRY("a", "F16", "[2,3]", "0", "12") "}  ";
  _arena_ struct crv_arena *a = crv_arena_new(0);
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  struct crv_tensors t;
  add_u64(&b, sizeof json - 1);
  crv_buf_str(&b, json);
  struct crv_bytes file = {b.data, b.len};
  ck_assert(crv_safetensors_load(&file, 1, "", a, &t, &model_err));
  ck_assert_int_eq(t.bytes, 12);
  ck_assert_int_eq(t.artefact_bytes.v, (int64_t)(8 + sizeof json - 1 + 12));
  crv_buf_add(&b, "0123456789ab", 12);
  file = (struct crv_bytes){b.data, b.len};
  ck_assert(crv_safetensors_load(&file, 1, "", a, &t, &model_err));
  crv_buf_char(&b, 'c');
  file = (struct crv_bytes){b.data, b.len};
  crv_err_init(&model_err);
  ck_assert(!crv_safetensors_load(&file, 1, "/f", a, &t, &model_err));
  ck_assert(model_refused("/f", "conflict"));
}
END_TEST

START_TEST(shards_are_read_together) {
  static const char one[] = "{" ENTRY("b", "F32", "[2]", "0", "8") "}";
  static const char two[] =
      "{" ENTRY("a", "BF16", "[]", "0", "2") "," ENTRY("z", "F32", "[0,4]", "2", "2") "}";
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_tensors t;
  struct crv_bytes files[] = {{one, sizeof one - 1}, {two, sizeof two - 1}};
  crv_err_init(&model_err);
  ck_assert(crv_safetensors_load(files, 2, "", a, &t, &model_err));
  ck_assert_uint_eq(t.at.n, 3);
  ck_assert_str_eq(crv_list_at(t.at, struct crv_tensor, 0)->name, "a");
  ck_assert_int_eq(crv_list_at(t.at, struct crv_tensor, 0)->elements, 1);
  ck_assert_int_eq(t.bytes, 10);
  ck_assert_int_eq(crv_list_at(t.types, struct crv_tensor_type_total, 1)->tensors, 2);
  ck_assert(crv_tensors_find(&t, "z") && !crv_tensors_find(&t, "y"));
  size_t count;
  ck_assert_str_eq(crv_tensors_of_size(&t, 8, &count)->name, "b");
  ck_assert_uint_eq(count, 1);
  ck_assert_ptr_null(crv_tensors_of_size(&t, 9, &count));
  files[1] = files[0];
  ck_assert(!crv_safetensors_load(files, 2, "/s", a, &t, &model_err));
  ck_assert(model_refused("/s/b", "duplicate"));
}
END_TEST

START_TEST(every_type_has_its_size) {
  for (size_t i = 0; i < crv_n_safetensors_types; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    const struct crv_safetensors_type *type = &crv_safetensors_types[i];
    struct crv_tensors t;
    char text[256];
    snprintf(text, sizeof text,
             "{\"x\":{\"dtype\":\"%s\",\"shape\":[4,2],\"data_offsets\":[0,%lld]}}", type->name,
             (long long)type->bits);
    ck_assert_msg(load(text, a, &t), "%s", text);
    ck_assert_int_eq(t.bytes, type->bits);
    if (i) ck_assert_int_lt(strcmp(type[-1].name, type->name), 0);
  }
}
END_TEST

START_TEST(elements_of_packed_files_are_never_parameters) {
  static const struct {
    const char *json, *packed;
    int64_t parameters;
  } cases[] = {
      {"{" ENTRY("m.q_proj.qweight", "I32", "[2]", "0", "8") "," ENTRY("m.q_proj.scales", "F16",
                                                                       "[2]", "8", "12") "}",
       "m.q_proj.qweight", 0},
      {"{" ENTRY("m.weight", "U8", "[4,1]", "0", "4") "," ENTRY("m.weight.absmax", "F32", "[1]",
                                                                "4", "8") "}",
       "m.weight", 0},
      {"{" ENTRY("m.experts.gate_up_proj_blocks", "U8", "[4]", "0", "4") "}",
       "m.experts.gate_up_proj_blocks", 0},
      {"{" ENTRY("m.weight_packed", "F4", "[4]", "0", "2") "}", "m.weight_packed", 0},
      {"{" ENTRY("m.weight", "F8_E4M3", "[4]", "0", "4") "," ENTRY("m.weight_scale_inv", "F32",
                                                                   "[1]", "4", "8") "}",
       NULL, 4},
      {"{" ENTRY("h.weight", "F16", "[4]", "0", "8") "," ENTRY("l.rotary_emb.inv_freq", "F32",
                                                               "[2]", "8", "16") "}",
       NULL, 4},
      {"{" ENTRY("h.0.attn.bias", "F32", "[1,1,2,2]", "0",
                 "16") "," ENTRY("h.0.attn.c_attn.bias", "F32", "[3]", "16", "28") "}",
       NULL, 3},
      {"{" ENTRY("e.position_ids", "I64", "[2]", "0", "16") "}", NULL, 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    struct crv_tensors t;
    ck_assert_msg(load(cases[i].json, a, &t), "%zu %s", i, model_err.at[0].detail);
    ck_assert_msg(crv_streq(t.packed, cases[i].packed), "%zu", i);
    ck_assert_int_eq(t.parameters.set, cases[i].packed == NULL);
    if (t.parameters.set) ck_assert_int_eq(t.parameters.v, cases[i].parameters);
  }
}
END_TEST

START_TEST(the_head_is_told_from_the_names) {
  static const struct {
    const char *json;
    enum crv_tri head;
  } cases[] = {
      {"{" ENTRY("lm_head.weight", "F16", "[1]", "0", "2") "}", CRV_TRUE},
      {"{" ENTRY("language_model.lm_head.weight", "F16", "[1]", "0", "2") "}", CRV_TRUE},
      {"{" ENTRY("model.embed_tokens.weight", "F16", "[1]", "0", "2") "}", CRV_FALSE},
      {"{" ENTRY("model.layers.0.mlp.down_proj.weight", "F16", "[1]", "0", "2") "}", CRV_UNSET},
      {"{" ENTRY("attn_output.weight", "F16", "[1]", "0", "2") "}", CRV_UNSET},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(0);
    struct crv_tensors t;
    ck_assert(load(cases[i].json, a, &t));
    ck_assert_int_eq(crv_tensors_have_head(&t), cases[i].head);
  }
}
END_TEST

/* Headers that lie, as JSON text. */
static const struct {
  const char *json, *ptr, *code;
} lies[] = {
    {"", "/tensors", "truncated"},
    {"abc", "/tensors", "truncated"},
    {"abcdefghij", "/tensors", "bad_format"},
    {"{\"a\":1}", "/tensors/a", "wrong_type"},
    {"{\"a\":{}}", "/tensors/a", "not_one_of"},
    {"{\"a/b~c\":{}}", "/tensors/a~1b~0c", "not_one_of"},
    {"{" ENTRY("a", "F17", "[1]", "0", "2") "}", "/tensors/a", "not_one_of"},
    {"{" ENTRY("a", "f16", "[1]", "0", "2") "}", "/tensors/a", "not_one_of"},
    {"{" ENTRY("a", "F16", "3", "0", "2") "}", "/tensors/a", "wrong_type"},
    {"{" ENTRY("a", "F16", "[-1]", "0", "2") "}", "/tensors/a", "out_of_range"},
    {"{" ENTRY("a", "F16", "[1.0]", "0", "2") "}", "/tensors/a", "out_of_range"},
    {"{" ENTRY("a", "F16", "[9223372036854775807]", "0", "2") "}", "/tensors/a", "out_of_range"},
    {"{" ENTRY("a", "F16", "[9223372036854775808]", "0", "2") "}", "/tensors/a", "out_of_range"},
    {"{" ENTRY("a", "F16", "[4294967296,4294967296]", "0", "2") "}", "/tensors/a", "overflow"},
    {"{" ENTRY("a", "F16", "[4294967296,1073741824]", "0", "2") "}", "/tensors/a", "overflow"},
    {"{" ENTRY("a", "F16", "[1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1,1]", "0", "2") "}", "/tensors/a",
     "wrong_type"},
    {"{" ENTRY("a", "F16", "[1]", "2", "0") "}", "/tensors/a", "out_of_range"},
    {"{" ENTRY("a", "F16", "[1]", "-2", "0") "}", "/tensors/a", "out_of_range"},
    {"{" ENTRY("a", "F16", "[1]", "0", "2.0") "}", "/tensors/a", "wrong_type"},
    {"{" ENTRY("a", "F16", "[1]", "0", "18446744073709551615") "}", "/tensors/a", "wrong_type"},
    {"{" ENTRY("a", "F16", "[2]", "0", "2") "}", "/tensors/a", "conflict"},
    {"{" ENTRY("a", "F4", "[3]", "0", "2") "}", "/tensors/a", "conflict"},
    {"{" ENTRY("a", "F16", "[1]", "2", "4") "}", "/tensors/a", "conflict"},
    {"{" ENTRY("a", "F16", "[1]", "0", "2") "," ENTRY("b", "F16", "[1]", "4", "6") "}",
     "/tensors/b", "conflict"},
    {"{" ENTRY("a", "F16", "[2]", "0", "4") "," ENTRY("b", "F16", "[2]", "2", "6") "}",
     "/tensors/b", "conflict"},
    {"{" ENTRY("a", "F16", "[1]", "0", "2") "," ENTRY("a", "F16", "[1]", "2", "4") "}", "/tensors",
     "bad_format"},
    {"{\"a\":{\"dtype\":\"F16\",\"shape\":[1]}}", "/tensors/a", "wrong_type"},
    {"{\"a\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[0,1,2]}}", "/tensors/a",
     "wrong_type"},
    {"{\"a\":{\"dtype\":\"F16\",\"shape\":[1],\"data_offsets\":[0,2]}", "/tensors", "bad_format"},
    {"{\"a\xff\":{}}", "/tensors", "bad_format"},
};

START_TEST(headers_that_lie_are_refused) {
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(1 << 20);
    struct crv_tensors t;
    ck_assert_msg(!load(lies[i].json, a, &t), "%zu %s", i, lies[i].json);
    ck_assert_int_eq(model_err.code, CRV_INVALID_FIELDS);
    ck_assert_msg(model_refused(lies[i].ptr, lies[i].code), "%zu %s: %s %s", i, lies[i].json,
                  model_err.at[0].ptr, model_err.at[0].code);
  }
}
END_TEST

START_TEST(a_claimed_length_is_compared_before_it_is_used) {
  static const uint64_t claims[] = {
      1, 100, 100000000, 100000001, UINT32_MAX, UINT64_C(1) << 40, INT64_MAX, UINT64_MAX};
  for (size_t i = 0; i < sizeof claims / sizeof *claims; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(64 * 1024);
    _buf_ struct crv_buf b = {0};
    crv_buf_init(&b, 0);
    struct crv_tensors t;
    add_u64(&b, claims[i]);
    if (claims[i] > 1) crv_buf_str(&b, "{}");
    struct crv_bytes file = {b.data, b.len};
    crv_err_init(&model_err);
    ck_assert(!crv_safetensors_load(&file, 1, "/f", a, &t, &model_err));
    ck_assert_int_eq(model_err.code, CRV_INVALID_FIELDS);
    ck_assert(model_refused("/f", claims[i] <= 100000000 ? "truncated" : "bad_format"));
    if (claims[i] == 100) ck_assert_ptr_nonnull(strstr(model_err.at[0].detail, "byte 108"));
  }
}
END_TEST

START_TEST(nesting_beyond_what_is_parsed_is_refused) {
  _arena_ struct crv_arena *a = crv_arena_new(1 << 20);
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  struct crv_tensors t;
  crv_buf_str(&b, "{\"a\":");
  for (int i = 0; i < 100000; i++) crv_buf_char(&b, '[');
  ck_assert(!load(b.data, a, &t));
  ck_assert(model_refused("/tensors", "bad_format"));
}
END_TEST

START_TEST(the_fingerprint_is_of_names_shapes_types_and_config_alone) {
  static const char *const same[] = {
      "{" ENTRY("a", "F16", "[2]", "0", "4") "," ENTRY("b", "F16", "[1]", "4", "6") "}",
      "{" ENTRY("b", "F16", "[1]", "0", "2") "," ENTRY("a", "F16", "[2]", "2", "6") "}",
      "{\"__metadata__\":{}," ENTRY("b", "F16", "[1]", "0", "2") "," ENTRY("a", "F16", "[2]", "2",
                                                                           "6") "}"};
  static const char *const other[] = {
      "{" ENTRY("a", "BF16", "[2]", "0", "4") "," ENTRY("b", "F16", "[1]", "4", "6") "}",
      "{" ENTRY("a", "F16", "[2,1]", "0", "4") "," ENTRY("b", "F16", "[1]", "4", "6") "}",
      "{" ENTRY("c", "F16", "[2]", "0", "4") "," ENTRY("b", "F16", "[1]", "4", "6") "}",
      "{" ENTRY("a", "F16", "[2]", "0", "4") "}"};
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_tensors t;
  char first[CRV_SHA256_HEX], hex[CRV_SHA256_HEX];
  ck_assert(load(same[0], a, &t));
  ck_assert_ptr_nonnull(crv_model_fingerprint(&t, "{}", first));
  for (size_t i = 1; i < 3; i++) {
    ck_assert(load(same[i], a, &t));
    ck_assert_str_eq(crv_model_fingerprint(&t, "{}", hex), first);
  }
  ck_assert_str_ne(crv_model_fingerprint(&t, "{\"a\":1}", hex), first);
  ck_assert_str_ne(crv_model_fingerprint(NULL, "{}", hex), first);
  ck_assert_ptr_nonnull(crv_model_fingerprint(NULL, NULL, hex));
  for (size_t i = 0; i < sizeof other / sizeof *other; i++) {
    ck_assert(load(other[i], a, &t));
    ck_assert_str_ne(crv_model_fingerprint(&t, "{}", hex), first);
  }
}
END_TEST

START_TEST(no_memory_is_told) {
  static const char json[] = "{" ENTRY("a", "F16", "[2]", "0", "4") "}";
  for (size_t cap = 1; cap < 24000; cap += 500) {
    _arena_ struct crv_arena *a = crv_arena_new(cap);
    struct crv_tensors t;
    ck_assert(!load(json, a, &t));
    ck_assert_int_eq(model_err.code, CRV_OUT_OF_MEMORY);
  }
}
END_TEST

int main(void) {
  Suite *s = suite_create("safetensors");
  TCase *t = tcase_create("safetensors");
  tcase_add_unchecked_fixture(t, model_vectors_load, model_vectors_drop);
  tcase_add_test(t, a_whole_models_header_gives_its_bytes_and_parameters);
  tcase_add_test(t, a_raw_head_tells_the_whole_files_bytes);
  tcase_add_test(t, shards_are_read_together);
  tcase_add_test(t, every_type_has_its_size);
  tcase_add_test(t, elements_of_packed_files_are_never_parameters);
  tcase_add_test(t, the_head_is_told_from_the_names);
  tcase_add_test(t, headers_that_lie_are_refused);
  tcase_add_test(t, a_claimed_length_is_compared_before_it_is_used);
  tcase_add_test(t, nesting_beyond_what_is_parsed_is_refused);
  tcase_add_test(t, the_fingerprint_is_of_names_shapes_types_and_config_alone);
  tcase_add_test(t, no_memory_is_told);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
