/* core/evidence/measure_text, _number, _time and _form: numbers as printed, figures with their
   units, times, and forms that find a clause whole or broken over lines. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/evidence/measure_internal.h"

static struct crv_mtext text_of(const char *s) {
  return (struct crv_mtext){.s = s, .len = strlen(s)};
}

static struct crv_mspan span(const char *s) {
  return (struct crv_mspan){s, strlen(s)};
}

static const struct {
  const char *text;
  size_t took; /* 0: no number */
  int64_t mantissa;
  int places;
  bool ambiguous;
} numbers[] = {
    {"12", 2, 12, 0, false},
    {"12.50", 5, 1250, 2, false},
    {"-1.05GiB", 5, -105, 2, false},
    {"0.03", 4, 3, 2, false},
    {"43,472 tokens", 6, 43472, 0, true},
    {"4,455,808", 9, 4455808, 0, false},
    {"23721,00 MiB", 8, 2372100, 2, false},
    {"66,86", 5, 6686, 2, false},
    {"1,234.5", 7, 12345, 1, false},
    {"13.993540096GB", 12, 13993540096, 9, false},
    {"7.939.", 5, 7939, 3, false},
    {"10,", 2, 10, 0, false},
    {"418.87.00", 0, 0, 0, false},
    {"1.2,3", 0, 0, 0, false},
    {"12,34,56", 0, 0, 0, false},
    {".5", 0, 0, 0, false},
    {"-", 0, 0, 0, false},
    {"x", 0, 0, 0, false},
    {"", 0, 0, 0, false},
};

START_TEST(numbers_keep_every_digit) {
  for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
    struct crv_mnumber n;
    ck_assert_msg(crv_mnumber_read(span(numbers[i].text), &n) == numbers[i].took, "%s",
                  numbers[i].text);
    if (!numbers[i].took) continue;
    ck_assert_msg(n.mantissa == numbers[i].mantissa && n.places == numbers[i].places, "%s: %lld/%d",
                  numbers[i].text, (long long)n.mantissa, n.places);
    ck_assert_msg(n.ambiguous == numbers[i].ambiguous, "%s", numbers[i].text);
  }
}
END_TEST

START_TEST(a_number_beyond_every_counter_is_too_big) {
  struct crv_mnumber n;
  ck_assert(crv_mnumber_read(span("18446744073709551615"), &n) == 20 && n.too_big);
  ck_assert(crv_mnumber_read(span("123456789012345678"), &n) == 18 && !n.too_big);
  ck_assert(crv_mnumber_read(span("1.2345678901234567891234"), &n) == 24 && !n.too_big);
}
END_TEST

static const struct {
  const char *text, *unit;
  size_t took;
  bool set;
} figures[] = {
    {"8559MiB / 10989MiB", "MiB", 7, true},
    {"67.7229 GB", "GB", 10, true},
    {"5.20GiB;", "GiB", 7, true},
    {"12 x", "", 2, true},
    {"12 GB/s", "", 2, true},
    {"4877M", "M", 5, true},
    {"4877 M", "", 4, true},
    {"N/A", "", 3, false},
    {"[Not Supported]", "", 15, false},
    {"Nonesuch", "", 0, false},
};

START_TEST(figures_take_a_known_unit_or_say_there_is_none) {
  for (size_t i = 0; i < sizeof figures / sizeof *figures; i++) {
    struct crv_mfigure f;
    ck_assert_msg(crv_mfigure_read(span(figures[i].text), &f) == figures[i].took, "%s",
                  figures[i].text);
    ck_assert_str_eq(f.unit, figures[i].unit);
    ck_assert_msg(f.n.set == figures[i].set, "%s", figures[i].text);
  }
}
END_TEST

static const struct {
  const char *text, *form;
  const char *got[3]; /* texts of the figures; NULL: does not match when the first is NULL */
} forms[] = {
    {"model weights take 5.20GiB; x", "model weights take $", {"5.20"}},
    {"model weights\ntake 5.20GiB", "model weights take $", {"5.20"}},
    {"model wei\nghts take 5.20GiB", "model weights take $", {"5.20"}},
    {"model weights take 5.\n20GiB;", "model weights take $", {"5.20"}},
    {"model weights take 5.20\nGiB;", "model weights take $", {"5.20"}},
    {"model weights take\r\n  > 5.20 GiB", "model weights take $", {"5.20"}},
    {"model weights\n\ntake 5.20GiB", "model weights take $", {NULL}},
    {"total_gpu_memory (8.00GiB) x gpu_memory_utilization (0.70) = 5.60GiB",
     "total_gpu_memory ($) x gpu_memory_utilization (#) = $",
     {"8.00", "0.70", "5.60"}},
    {"size=12 MiB", "size = $", {"12"}},
    {"# GPU blocks: 13", "\\# GPU blocks: #", {"13"}},
    {"init engine (profile, warm) took 41.5 s", "init engine~took #", {"41.5"}},
    {"init engine\nlong after took 41.5 s", "init engine~took #", {NULL}},
    {"MAX Memory: 12", "!max memory: #", {"12"}},
    {"MAX Memory: 12", "max memory: #", {NULL}},
    {"memory: N/A", "memory: $", {"N/A"}},
    {"memory: none", "memory: $", {NULL}},
};

START_TEST(forms_find_their_figures) {
  for (size_t i = 0; i < sizeof forms / sizeof *forms; i++) {
    struct crv_mtext t = text_of(forms[i].text);
    struct crv_mmatch m;
    bool found = crv_mform(&t, 0, forms[i].form, &m);
    ck_assert_msg(found == (forms[i].got[0] != NULL), "%s: %s", forms[i].form, forms[i].text);
    unsigned n = 0;
    for (unsigned c = 0; found && c < m.n; c++)
      if (m.cap[c].f.n.text[0]) ck_assert_str_eq(m.cap[c].f.n.text, forms[i].got[n++]);
    ck_assert(!found || n == 3 || !forms[i].got[n]);
  }
}
END_TEST

START_TEST(a_form_starts_at_a_word) {
  const char *text = "Max_MA 3 GB MA 2 GB";
  struct crv_mtext t = text_of(text);
  struct crv_mmatch m;
  ck_assert(!crv_mform(&t, 4, "MA $", &m));
  ck_assert(crv_mform(&t, 12, "MA $", &m));
}
END_TEST

START_TEST(a_broken_message_says_so) {
  const char *text = "model weights\ntake 5.20GiB";
  struct crv_mtext t = text_of(text);
  struct crv_mmatch m;
  ck_assert(crv_mform(&t, 0, "model weights take $", &m) && m.wrapped);
  t = text_of("model weights take 5.20GiB");
  ck_assert(crv_mform(&t, 0, "model weights take $", &m) && !m.wrapped);
}
END_TEST

START_TEST(times_of_samples) {
  int64_t a, b;
  ck_assert(crv_mtime_stamp(span("2024/01/15 10:30:00.123"), &a));
  ck_assert(crv_mtime_stamp(span("2024-01-15T10:30:01Z"), &b));
  ck_assert_int_eq(b - a, 877);
  ck_assert(crv_mtime_stamp(span("2024-01-15T12:30:01+02:00"), &a));
  ck_assert_int_eq(a, b);
  ck_assert(crv_mtime_ctime(span("Mon Jan 15 10:30:01 2024"), &a));
  ck_assert_int_eq(a, b);
  ck_assert(crv_mtime_ctime(span("Mon Jan 15 10:30:01 PM UTC 2024"), &a));
  ck_assert_int_eq(a - b, 12 * CRV_HOUR_MS);
  ck_assert(crv_mtime_stamp(span("2024-03-01 00:00:00"), &b));
  ck_assert(crv_mtime_stamp(span("2024-02-28 00:00:00"), &a));
  ck_assert_int_eq(b - a, 2 * CRV_DAY_MS);
  ck_assert(!crv_mtime_stamp(span("10:30:00"), &a));
  ck_assert(!crv_mtime_stamp(span("2024/13/15 10:30:00"), &a));
  ck_assert(!crv_mtime_ctime(span("Some day 10:30"), &a));
}
END_TEST

#define clean_is(data, want) check_clean(data, sizeof data - 1, want)

static void check_clean(const char *data, size_t len, const char *want) {
  size_t n;
  char *out = crv_mtext_clean(data, len, &n);
  ck_assert(out != NULL);
  ck_assert_uint_eq(n, strlen(want));
  ck_assert_str_eq(out, want);
  free(out);
}

START_TEST(colours_nuls_and_wide_text_are_made_plain) {
  clean_is("\033[1;36m(Engine)\033[0;0m x", "(Engine) x");
  clean_is("a\0b", "a b");
  clean_is("\xEF\xBB\xBFindex", "index");
  clean_is("\xFF\xFEi\0d\0\n\0", "id\n");
  clean_is("\xFE\xFF\0i\0d", "id");
  clean_is("8\xC2\xA0GB", "8 GB");
  clean_is("\033[", "");
  clean_is("", "");
}
END_TEST

START_TEST(lines_are_counted_by_their_breaks) {
  struct crv_mtext t = text_of("a\r\nb\rc\n\nd");
  struct crv_mlines l = {.t = &t};
  struct crv_mspan line;
  char seen[64] = "";
  while (crv_mline_next(&l, &line)) {
    char one[32];
    snprintf(one, sizeof one, "%d%.*s ", (int)l.line, (int)line.len, line.s);
    strncat(seen, one, sizeof seen - strlen(seen) - 1);
  }
  ck_assert_str_eq(seen, "1a 1 2b 2c 3 4d ");
}
END_TEST

int main(void) {
  Suite *s = suite_create("measure_text");
  TCase *tc = tcase_create("core");
  tcase_add_test(tc, numbers_keep_every_digit);
  tcase_add_test(tc, a_number_beyond_every_counter_is_too_big);
  tcase_add_test(tc, figures_take_a_known_unit_or_say_there_is_none);
  tcase_add_test(tc, forms_find_their_figures);
  tcase_add_test(tc, a_form_starts_at_a_word);
  tcase_add_test(tc, a_broken_message_says_so);
  tcase_add_test(tc, times_of_samples);
  tcase_add_test(tc, colours_nuls_and_wide_text_are_made_plain);
  tcase_add_test(tc, lines_are_counted_by_their_breaks);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
