/* Damaged, prefixed, cut and hostile texts: the same figures, or an honest answer, in linear time.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "tests/unit/diagnosetest.h"

/* One message in its sound form, of which the others are damages. */
static const char sound[] =
    "CUDA out of memory. Tried to allocate 54.00 MiB. GPU 6 has a total capacity of 44.52 GiB of "
    "which 48.25 MiB is free. Including non-PyTorch memory, this process has 44.47 GiB memory in "
    "use. Of the allocated memory 43.89 GiB is allocated by PyTorch, and 79.61 MiB is reserved by "
    "PyTorch but unallocated. If reserved but unallocated memory is large try setting "
    "PYTORCH_CUDA_ALLOC_CONF=expandable_segments:True to avoid fragmentation.";

static void expect_sound(const json_t *j) {
  dx_bytes(j, "requested", 1, MIB(5400));
  dx_bytes(j, "capacity", 1, GIB(4452));
  dx_bytes(j, "free", 1, MIB(4825));
  dx_bytes(j, "process_in_use", 1, GIB(4447));
  dx_bytes(j, "allocated", 1, GIB(4389));
  dx_bytes(j, "reserved_unallocated", 1, MIB(7961));
  ck_assert_int_eq(json_integer_value(json_object_get(j, "gpu_index")), 6);
  ck_assert_uint_eq(json_array_size(json_object_get(j, "messages")), 1);
}

static void add_line(struct crv_buf *b, const char *prefix, const char *s, size_t len,
                     const char *suffix) {
  crv_buf_str(b, prefix);
  crv_buf_add(b, s, len);
  crv_buf_str(b, suffix);
  crv_buf_char(b, '\n');
}

/* Broken every `width` bytes, inside words and numbers as a terminal does. */
static char *broken(const char *prefix, size_t width, const char *suffix) {
  _buf_ struct crv_buf b = {0};
  for (size_t i = 0, len = strlen(sound); i < len; i += width)
    add_line(&b, prefix, sound + i, len - i < width ? len - i : width, suffix);
  return crv_buf_take(&b, NULL);
}

/* At every width that a terminal has, so that each word and number is cut somewhere. */
START_TEST(broken_inside_words_and_numbers) {
  _free_ char *text = broken("", (size_t)_i, "");
  _json_ json_t *j = dx_text(text);
  expect_sound(j);
}
END_TEST

static const struct {
  const char *prefix, *suffix;
} margins[] = {
    {"[rank3]: ", ""},
    {"(VllmWorker rank=3 pid=2978) ERROR [multiproc_executor.py:375] ", ""},
    {"(Worker_TP1 pid=99) ", ""},
    {"> ", ""},
    {"| ", " |"},
    {"\xE2\x94\x82 ", " \xE2\x94\x82"},
    {"2024-06-28T06:11:52.685302801Z ", ""},
    {"ERROR 06-28 06:11:45 [worker_base.py:145] ", ""},
    {"[2024-09-09 17:43:57] [INFO] ", ""},
    {"Jul 24 16:07:57 vega ollama[114917]: ", ""},
    {"3: ", ""},
    {"\x1b[31m", "\x1b[0m"},
    {"    ", "   "},
    {"\xC2\xA0", "\r"},
};

START_TEST(lines_with_margins_are_joined) {
  _free_ char *text = broken(margins[_i].prefix, 76, margins[_i].suffix);
  _json_ json_t *j = dx_text(text);
  expect_sound(j);
}
END_TEST

START_TEST(in_quotes_and_upper_case_and_sixteen_bits) {
  char upper[sizeof sound], wide[2 * sizeof sound], quoted[sizeof sound + 64];
  for (size_t i = 0; i < sizeof sound; i++)
    upper[i] = (char)(sound[i] >= 'a' && sound[i] <= 'z' ? sound[i] - 32 : sound[i]);
  for (size_t i = 0; i < sizeof sound; i++) {
    wide[2 * i] = sound[i];
    wide[2 * i + 1] = '\0';
  }
  snprintf(quoted, sizeof quoted, "OutOfMemoryError('%s').\\nSee documentation", sound);
  _json_ json_t *a = dx_text(upper);
  _json_ json_t *b = dx_run((struct dx_in){.text = wide, .len = 2 * sizeof sound});
  _json_ json_t *c = dx_text(quoted);
  expect_sound(a);
  expect_sound(b);
  expect_sound(c);
}
END_TEST

/* The words that a span covers, the line breaks taken out. */
static void expect_covered(const json_t *j, const char *name, const char *text, const char *want) {
  const json_t *span = json_object_get(dx_figure(j, name, 1), "span");
  size_t offset = (size_t)json_integer_value(json_object_get(span, "offset"));
  size_t len = (size_t)json_integer_value(json_object_get(span, "length")), n = 0;
  char got[256];
  ck_assert(offset + len <= strlen(text) && len < sizeof got);
  for (size_t i = 0; i < len; i++)
    if (text[offset + i] != '\n') got[n++] = text[offset + i];
  got[n] = '\0';
  ck_assert_str_eq(got, want);
}

START_TEST(a_span_leads_back_into_the_broken_text) {
  _free_ char *text = broken("", (size_t)_i, "");
  _json_ json_t *j = dx_text(text);
  expect_covered(j, "requested", text, "Tried to allocate 54.00 MiB");
  expect_covered(j, "free", text, "48.25 MiB is free");
  expect_covered(j, "allocated", text, "43.89 GiB is allocated by");
  expect_covered(j, "reserved_unallocated", text, "79.61 MiB is reserved by");
}
END_TEST

START_TEST(joined_lines_are_said) {
  static const char inside[] = "CUDA out of memory. Tried to allo\ncate 54.00 MiB";
  static const char between[] = "CUDA out of memory. Tried to\nallocate 54.00 MiB";
  _json_ json_t *a = dx_text(inside);
  _json_ json_t *b = dx_text(sound);
  ck_assert(dx_has_flag(a, "wrapped_lines"));
  ck_assert(!dx_has_flag(b, "wrapped_lines"));
  _json_ json_t *c = dx_text(between);
  dx_bytes(c, "requested", 1, MIB(5400));
}
END_TEST

/* What is cut off is missing, what stands before the cut is there, nothing is made up. */
START_TEST(cut_at_every_byte) {
  char text[sizeof sound];
  memcpy(text, sound, sizeof sound);
  text[_i] = '\0';
  _json_ json_t *j = dx_text(text);
  static const struct {
    const char *name, *until;
    int64_t bytes;
  } parts[] = {{"requested", "54.00 MiB", MIB(5400)},
               {"capacity", "44.52 GiB", GIB(4452)},
               {"free", "48.25 MiB is free", MIB(4825)},
               {"process_in_use", "44.47 GiB memory in use", GIB(4447)},
               {"allocated", "43.89 GiB is allocated by", GIB(4389)},
               {"reserved_unallocated", "79.61 MiB is reserved by", MIB(7961)}};
  for (size_t i = 0; i < sizeof parts / sizeof *parts; i++) {
    size_t end = (size_t)(strstr(sound, parts[i].until) - sound) + strlen(parts[i].until);
    bool whole = (size_t)_i >= end;
    if (whole) dx_bytes(j, parts[i].name, 1, parts[i].bytes);
    if (whole || !dx_has_figure(j, parts[i].name)) continue;
    const json_t *v = json_object_get(dx_figure(j, parts[i].name, 1), "bytes");
    ck_assert_msg(json_is_null(v), "%s of \"%s\"", parts[i].name, text);
  }
  size_t opened = (size_t)(strstr(sound, "has a total") - sound) + 11;
  size_t closed = (size_t)(strstr(sound, "is reserved by") - sound) + 14;
  if ((size_t)_i >= opened && (size_t)_i < closed) ck_assert(dx_has_flag(j, "message_truncated"));
  if ((size_t)_i >= closed) ck_assert(!dx_has_flag(j, "message_truncated"));
}
END_TEST

START_TEST(numbers_at_the_end_of_a_line_are_not_joined_with_the_next) {
  _json_ json_t *j = dx_text("# GPU blocks: 1381\n2024 tokens\nn_ctx = 4096\n17 layers\n"
                             "Tried to allocate 2.00 GiB\n3 frames");
  ck_assert_int_eq(json_integer_value(dx_named(j, "facts", "gpu_blocks")), 1381);
  ck_assert_int_eq(json_integer_value(dx_named(j, "facts", "context")), 4096);
  dx_bytes(j, "requested", 1, GIB(200));
}
END_TEST

/* -- hostile texts
 * ---------------------------------------------------------------------------------
 */

enum { TEN_MIB = 10 << 20 };

static char *filled(const char *unit, size_t unit_len, size_t len) {
  char *s = malloc(len);
  ck_assert_ptr_nonnull(s);
  for (size_t i = 0; i < len; i++) s[i] = unit[i % unit_len];
  return s;
}

static json_t *diagnosed(char *s, size_t len) {
  /* exactly that size, so that a sanitizer sees a read past its end */
  json_t *j = dx_run((struct dx_in){.text = s, .len = len});
  free(s);
  return j;
}

static const struct {
  const char *unit;
  size_t len;
} units[] = {
#define U(s) \
  { s, sizeof s - 1 }
    U("\0"),
    U(" "),
    U("\n"),
    U("\xff"),
    U("9"),
    U("CUDA out of memory. "),
    U("tried to allocate 1 MiB "),
    U("1.00 GiB already allocated; "),
    U("[rank1]: | > "),
    U("Killed\n"),
    U("llama-7b/"),
    U("loading checkpoint shards "),
    U("n_ctx = 18446744073709551616 "),
    U("oom when allocating tensor with shape[9999999,9999999,9999999] and type float "),
#undef U
};

START_TEST(ten_mebibytes_of_anything_get_an_answer) {
  char *s = filled(units[_i].unit, units[_i].len, TEN_MIB);
  _json_ json_t *j = diagnosed(s, TEN_MIB);
  ck_assert_ptr_nonnull(json_object_get(j, "phase"));
  ck_assert_uint_le(json_array_size(json_object_get(j, "messages")), 32);
}
END_TEST

START_TEST(noise_gets_an_answer) {
  size_t len = TEN_MIB;
  char *s = malloc(len);
  uint32_t x = 12345;
  ck_assert_ptr_nonnull(s);
  for (size_t i = 0; i < len; i++) {
    x = x * 1664525 + 1013904223;
    s[i] = (char)(x >> 24);
  }
  _json_ json_t *j = diagnosed(s, len);
  ck_assert(dx_has_flag(j, "no_failure_found"));
}
END_TEST

START_TEST(a_message_inside_one_line_of_a_mebibyte_is_found) {
  size_t len = (1 << 20) + sizeof sound;
  char *s = filled("x ", 2, len);
  memcpy(s + 600000, sound, sizeof sound - 1);
  _json_ json_t *j = diagnosed(s, len);
  expect_sound(j);
  ck_assert_int_ge(json_integer_value(json_object_get(
                       json_object_get(dx_figure(j, "requested", 1), "span"), "offset")),
                   600000);
}
END_TEST

START_TEST(more_messages_than_are_kept_are_said) {
  _buf_ struct crv_buf b = {0};
  for (int i = 1; i <= 40; i++)
    crv_buf_printf(&b, "CUDA out of memory. Tried to allocate %d.00 MiB\n", i * 32);
  _json_ json_t *j = dx_text(b.data);
  ck_assert_uint_eq(json_array_size(json_object_get(j, "messages")), 32);
  ck_assert(dx_has_flag(j, "more_messages"));
}
END_TEST

START_TEST(a_text_beyond_the_limit_is_refused) {
  static struct crv_err err;
  struct crv_diagnosis d;
  _arena_ struct crv_arena *a = crv_arena_new(0);
  const struct crv_diagnose_in in = {.text = "x", .len = (size_t)CRV_DIAGNOSE_MAX + 1};
  crv_err_init(&err);
  ck_assert(!crv_diagnose_text(&in, a, &d, &err));
  ck_assert_int_eq(err.code, CRV_TOO_LARGE);
}
END_TEST

/* An arena that ends at any point gives an error, never a half answer. */
START_TEST(no_memory_is_an_error) {
  static struct crv_err err;
  for (size_t cap = 64; cap < 400000; cap += cap / 3) {
    struct crv_diagnosis d;
    _arena_ struct crv_arena *a = crv_arena_new(cap);
    crv_err_init(&err);
    if (crv_diagnose(sound, sizeof sound - 1, NULL, NULL, (struct crv_opt_int){0, false}, a, &d,
                     &err)) {
      _json_ json_t *j = crv_diagnosis_json(&d);
      expect_sound(j);
    } else {
      ck_assert_int_eq(err.code, CRV_OUT_OF_MEMORY);
    }
  }
}
END_TEST

START_TEST(the_empty_text) {
  _json_ json_t *j = dx_text("");
  dx_phase(j, "undetermined/-");
  dx_cause(j, "undetermined/no_failure_found");
}
END_TEST

int main(void) {
  Suite *s = suite_create("diagnose_text");
  TCase *t = tcase_create("damage"), *h = tcase_create("hostile");
  tcase_add_loop_test(t, broken_inside_words_and_numbers, 60, 133);
  tcase_add_loop_test(t, lines_with_margins_are_joined, 0, sizeof margins / sizeof *margins);
  tcase_add_loop_test(t, cut_at_every_byte, 0, (int)sizeof sound);
  tcase_add_test(t, in_quotes_and_upper_case_and_sixteen_bits);
  tcase_add_loop_test(t, a_span_leads_back_into_the_broken_text, 60, 133);
  tcase_add_test(t, joined_lines_are_said);
  tcase_add_test(t, numbers_at_the_end_of_a_line_are_not_joined_with_the_next);
  tcase_add_test(t, the_empty_text);
  tcase_add_test(t, no_memory_is_an_error);
  tcase_set_timeout(h, 120);
  tcase_add_loop_test(h, ten_mebibytes_of_anything_get_an_answer, 0, sizeof units / sizeof *units);
  tcase_add_test(h, noise_gets_an_answer);
  tcase_add_test(h, a_message_inside_one_line_of_a_mebibyte_is_found);
  tcase_add_test(h, more_messages_than_are_kept_are_said);
  tcase_add_test(h, a_text_beyond_the_limit_is_refused);
  suite_add_tcase(s, t);
  suite_add_tcase(s, h);
  return dx_main(s);
}
