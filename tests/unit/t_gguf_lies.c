/* core/model/gguf: heads that lie about counts, lengths, types, shapes and offsets. */
#include <check.h>
#include <stdlib.h>

#include "core/base/cleanup.h"
#include "core/model/gguf.h"
#include "tests/unit/ggufhead.h"
#include "tests/unit/modeltest.h"

enum { F32 = 0, Q8_0 = 8 };

/* Small, so that memory made for a mere claim shows. */
enum { ROOM = 64 * 1024 };

static void begin(struct crv_buf *b, uint64_t tensors) {
  gg_start(b, 3, tensors, 1);
  gg_string(b, "general.architecture", "llama");
}

static void magic(struct crv_buf *b) {
  crv_buf_str(b, "GGML");
  gg_int(b, 3, 8);
  gg_int(b, 0, 16);
}
static void version_1(struct crv_buf *b) {
  gg_start(b, 1, 0, 0);
}
static void version_4(struct crv_buf *b) {
  gg_start(b, 4, 0, 0);
}
static void big_endian(struct crv_buf *b) {
  gg_start(b, 3u << 24, 0, 0);
}
static void many_tensors(struct crv_buf *b) {
  gg_start(b, 3, UINT64_MAX, 0);
}
static void many_entries(struct crv_buf *b) {
  gg_start(b, 3, 0, UINT64_C(1) << 62);
}
static void tensors_that_did_not_come(struct crv_buf *b) {
  gg_start(b, 3, 1 << 20, 0);
}
static void entries_that_did_not_come(struct crv_buf *b) {
  gg_start(b, 3, 0, 1 << 20);
}
static void long_key(struct crv_buf *b) {
  gg_start(b, 3, 0, 1);
  gg_int(b, UINT64_MAX, 8);
  gg_int(b, 0, 8);
}
static void empty_key(struct crv_buf *b) {
  gg_start(b, 3, 0, 1);
  gg_u32(b, "", 1);
}
static void key_no_utf8(struct crv_buf *b) {
  gg_start(b, 3, 0, 1);
  gg_u32(b, "\xc0\x80", 1);
}
static void twice(struct crv_buf *b) {
  gg_start(b, 3, 0, 2);
  gg_u32(b, "a", 1);
  gg_u32(b, "a", 1);
}
static void value_type(struct crv_buf *b) {
  gg_start(b, 3, 0, 1);
  gg_text(b, "a");
  gg_int(b, 13, 8);
}
static void nested_array(struct crv_buf *b) {
  gg_start(b, 3, 0, 1);
  gg_array(b, "a", GG_ARRAY, 1);
}
static void long_array(struct crv_buf *b) {
  gg_start(b, 3, 0, 1);
  gg_array(b, "a", GG_U64, UINT64_MAX / 8);
}
static void array_that_did_not_come(struct crv_buf *b) {
  gg_start(b, 3, 0, 1);
  gg_array(b, "a", GG_U64, 1 << 30);
}
static void strings_that_did_not_come(struct crv_buf *b) {
  gg_start(b, 3, 0, 1);
  gg_array(b, "a", GG_TEXT, 1 << 30);
}
static void string_that_did_not_come(struct crv_buf *b) {
  gg_start(b, 3, 0, 1);
  gg_text(b, "a");
  gg_int(b, GG_TEXT, 4);
  gg_int(b, 1 << 30, 8);
}
static void long_string(struct crv_buf *b) {
  gg_start(b, 3, 0, 1);
  gg_text(b, "a");
  gg_int(b, GG_TEXT, 4);
  gg_int(b, INT64_MAX, 8);
}
static void no_architecture(struct crv_buf *b) {
  gg_start(b, 3, 0, 1);
  gg_u32(b, "general.architecture", 1);
}
static void alignment(struct crv_buf *b) {
  gg_start(b, 3, 0, 2);
  gg_string(b, "general.architecture", "llama");
  gg_u32(b, "general.alignment", 48);
}
static void alignment_0(struct crv_buf *b) {
  gg_start(b, 3, 0, 2);
  gg_string(b, "general.architecture", "llama");
  gg_u32(b, "general.alignment", 0);
}
static void dims(struct crv_buf *b, uint64_t n, uint64_t each) {
  begin(b, 1);
  gg_text(b, "t");
  gg_int(b, n, 4);
  for (uint64_t i = 0; i < n; i++) gg_int(b, each, 8);
  gg_int(b, F32, 4);
  gg_int(b, 0, 8);
}
static void no_dims(struct crv_buf *b) {
  dims(b, 0, 0);
  gg_int(b, 0, 8);
}
static void five_dims(struct crv_buf *b) {
  dims(b, 5, 1);
}
static void empty_dim(struct crv_buf *b) {
  dims(b, 2, 0);
}
static void huge_dim(struct crv_buf *b) {
  dims(b, 1, UINT64_MAX);
}
static void huge_product(struct crv_buf *b) {
  dims(b, 4, 1 << 20);
}
static void huge_bytes(struct crv_buf *b) {
  dims(b, 2, UINT64_C(3000000000));
}
static void removed_type(struct crv_buf *b) {
  begin(b, 1);
  gg_tensor(b, "t", 4, 32, 31, 0);
}
static void unknown_type(struct crv_buf *b) {
  begin(b, 1);
  gg_tensor(b, "t", 4, 32, 0xffffffff, 0);
}
static void part_of_a_block(struct crv_buf *b) {
  begin(b, 1);
  gg_tensor(b, "t", 32, 33, Q8_0, 0);
}
static void gap(struct crv_buf *b) {
  begin(b, 2);
  gg_tensor(b, "t", 1, 32, Q8_0, 0);
  gg_tensor(b, "u", 1, 32, Q8_0, 96);
}
static void overlap(struct crv_buf *b) {
  begin(b, 2);
  gg_tensor(b, "t", 1, 32, Q8_0, 0);
  gg_tensor(b, "u", 1, 32, Q8_0, 32);
}
static void same_name(struct crv_buf *b) {
  begin(b, 2);
  gg_tensor(b, "t", 1, 32, Q8_0, 0);
  gg_tensor(b, "t", 1, 32, Q8_0, 64);
}
static void long_name(struct crv_buf *b) {
  begin(b, 1);
  char name[300] = "";
  memset(name, 'n', sizeof name - 1);
  gg_tensor(b, name, 1, 32, Q8_0, 0);
}
static void dimension(struct crv_buf *b, const char *key, uint32_t v) {
  gg_start(b, 3, 0, 3);
  gg_string(b, "general.architecture", "llama");
  gg_u32(b, "llama.attention.head_count", 8);
  gg_u32(b, key, v);
}
static void many_layers(struct crv_buf *b) {
  dimension(b, "llama.block_count", UINT32_MAX);
}
static void negative_layers(struct crv_buf *b) {
  gg_start(b, 3, 0, 2);
  gg_string(b, "general.architecture", "llama");
  gg_text(b, "llama.block_count");
  gg_int(b, GG_I32, 4);
  gg_int(b, UINT32_MAX, 4);
}
static void layers_no_number(struct crv_buf *b) {
  gg_start(b, 3, 0, 2);
  gg_string(b, "general.architecture", "llama");
  gg_string(b, "llama.block_count", "32");
}
static void heads_of_other_layers(struct crv_buf *b) {
  gg_start(b, 3, 0, 3);
  gg_string(b, "general.architecture", "llama");
  gg_u32(b, "llama.block_count", 4);
  gg_array(b, "llama.attention.head_count_kv", GG_U32, 3);
  gg_int(b, 0, 12);
}
static void interval_0(struct crv_buf *b) {
  gg_start(b, 3, 0, 3);
  gg_string(b, "general.architecture", "llama");
  gg_u32(b, "llama.block_count", 4);
  gg_u32(b, "llama.full_attention_interval", 0);
}
static void more_mtp_than_layers(struct crv_buf *b) {
  gg_start(b, 3, 0, 3);
  gg_string(b, "general.architecture", "llama");
  gg_u32(b, "llama.block_count", 4);
  gg_u32(b, "llama.nextn_predict_layers", 5);
}

#define LIE(name, ptr, code) \
  { #name, name, ptr, code }
static const struct {
  const char *name;
  void (*build)(struct crv_buf *b);
  const char *ptr, *code;
} lies[] = {
    LIE(magic, "/gguf", "bad_format"),
    LIE(version_1, "/gguf", "bad_format"),
    LIE(version_4, "/gguf", "bad_format"),
    LIE(big_endian, "/gguf", "bad_format"),
    LIE(many_tensors, "/gguf", "out_of_range"),
    LIE(many_entries, "/gguf", "out_of_range"),
    LIE(tensors_that_did_not_come, "/gguf", "truncated"),
    LIE(entries_that_did_not_come, "/gguf", "truncated"),
    LIE(long_key, "/gguf", "out_of_range"),
    LIE(empty_key, "/gguf", "bad_format"),
    LIE(key_no_utf8, "/gguf", "bad_format"),
    LIE(twice, "/gguf", "duplicate"),
    LIE(value_type, "/gguf", "bad_format"),
    LIE(nested_array, "/gguf", "bad_format"),
    LIE(long_array, "/gguf", "bad_format"),
    LIE(array_that_did_not_come, "/gguf", "truncated"),
    LIE(strings_that_did_not_come, "/gguf", "truncated"),
    LIE(string_that_did_not_come, "/gguf", "truncated"),
    LIE(long_string, "/gguf", "out_of_range"),
    LIE(no_architecture, "/gguf", "missing"),
    LIE(alignment, "/gguf", "out_of_range"),
    LIE(alignment_0, "/gguf", "out_of_range"),
    LIE(no_dims, "/gguf/t", "out_of_range"),
    LIE(five_dims, "/gguf/t", "out_of_range"),
    LIE(empty_dim, "/gguf/t", "out_of_range"),
    LIE(huge_dim, "/gguf/t", "out_of_range"),
    LIE(huge_product, "/gguf/t", "overflow"),
    LIE(huge_bytes, "/gguf/t", "overflow"),
    LIE(removed_type, "/gguf/t", "not_one_of"),
    LIE(unknown_type, "/gguf/t", "not_one_of"),
    LIE(part_of_a_block, "/gguf/t", "conflict"),
    LIE(gap, "/gguf/u", "conflict"),
    LIE(overlap, "/gguf/u", "conflict"),
    LIE(same_name, "/gguf/t", "duplicate"),
    LIE(long_name, "/gguf", "out_of_range"),
    LIE(many_layers, "/gguf", "out_of_range"),
    LIE(negative_layers, "/gguf", "out_of_range"),
    LIE(layers_no_number, "/gguf", "out_of_range"),
    LIE(heads_of_other_layers, "/gguf", "out_of_range"),
    LIE(interval_0, "/gguf", "out_of_range"),
    LIE(more_mtp_than_layers, "/gguf", "conflict"),
};

START_TEST(heads_that_lie_are_refused) {
  for (size_t i = 0; i < sizeof lies / sizeof *lies; i++) {
    _arena_ struct crv_arena *a = crv_arena_new(ROOM);
    _buf_ struct crv_buf b = {0};
    crv_buf_init(&b, 0);
    struct crv_gguf g;
    lies[i].build(&b);
    crv_err_init(&model_err);
    ck_assert_msg(!crv_gguf_read(b.data, b.len, "/gguf", a, &g, &model_err), "%s", lies[i].name);
    ck_assert_msg(model_err.code == CRV_INVALID_FIELDS, "%s: %s", lies[i].name, model_err.detail);
    ck_assert_msg(model_refused(lies[i].ptr, lies[i].code), "%s: %s %s %s", lies[i].name,
                  model_err.at[0].ptr, model_err.at[0].code, model_err.at[0].detail);
  }
}
END_TEST

int main(void) {
  Suite *s = suite_create("gguf_lies");
  TCase *t = tcase_create("gguf_lies");
  tcase_add_test(t, heads_that_lie_are_refused);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
