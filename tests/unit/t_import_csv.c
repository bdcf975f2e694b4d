/* core/catalogue/import_csv_reader: what RFC 4180 allows, and that a broken row hides no other. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "core/base/buf.h"
#include "core/catalogue/import_internal.h"

/* Rows as text: "0:a|b;1:c|d;2!row_quoting;" */
struct seen {
  struct crv_buf text;
  size_t rows, bad;
};

static bool on_cells(void *ctx, const struct crv_csv_row *row, struct crv_err *err) {
  struct seen *s = ctx;
  (void)err;
  s->rows++;
  crv_buf_printf(&s->text, "%d:", (int)row->row);
  for (size_t i = 0; i < row->n; i++) crv_buf_printf(&s->text, "%s%s", i ? "|" : "", row->cells[i]);
  crv_buf_char(&s->text, ';');
  return true;
}

static bool on_bad(void *ctx, int64_t row, enum crv_icode code, const char *v0, const char *v1,
                   struct crv_err *err) {
  struct seen *s = ctx;
  (void)v0, (void)v1, (void)err;
  s->bad++;
  crv_buf_printf(&s->text, "%d!%s;", (int)row, crv_import_codes[code].code);
  return true;
}

static bool run(const char *data, size_t len, struct seen *s, struct crv_err *err) {
  const struct crv_csv_handler h = {s, on_cells, on_cells, on_bad};
  memset(s, 0, sizeof *s);
  crv_buf_init(&s->text, 0);
  crv_err_init(err);
  return crv_csv_read(data, len, &h, err);
}

static const struct {
  const char *csv, *seen;
} cases[] = {
    {"a,b\nc,d\n", "0:a|b;1:c|d;"},
    {"a,b\r\nc,d\r\n", "0:a|b;1:c|d;"},
    {"a,b\rc,d", "0:a|b;1:c|d;"},
    {"\xEF\xBB\xBF"
     "a,b\nc,d",
     "0:a|b;1:c|d;"},
    {"a,b\nc,", "0:a|b;1:c|;"},
    {"a,b\n,\n", "0:a|b;1:|;"},
    {"a,b\n\n\r\n  \nc,d\n\n", "0:a|b;1:c|d;"},
    {"a,b\n\"c,1\",\"d\ne\"\nf,g\n", "0:a|b;1:c,1|d\ne;2:f|g;"},
    {"a,b\r\n\"c\r\nd\",e\r\n", "0:a|b;1:c\r\nd|e;"},
    {"a,b\n\"c\"\"d\"\"\",\"\"\n", "0:a|b;1:c\"d\"|;"},
    {"a,b\n  c  , \"d\" \n", "0:a|b;1:c|d;"},
    {"a,b\n\" c \",d\n", "0:a|b;1: c |d;"},
    {"a,b\n\xC3\xA9,\"\xC3\xA9, FR\"\n", "0:a|b;1:\xC3\xA9|\xC3\xA9, FR;"},
    /* broken rows */
    {"a,b\nc\nd,e\n", "0:a|b;1!cell_count;2:d|e;"},
    {"a,b\nc,d,e\nf,g\n", "0:a|b;1!cell_count;2:f|g;"},
    {"a,b\nc\"d,e\nf,g\n", "0:a|b;1!row_quoting;2:f|g;"},
    {"a,b\n\"c\"d,e\nf,g\n", "0:a|b;1!row_quoting;2:f|g;"},
    {"a,b\n\"c\" \"d,e\nf,g\n", "0:a|b;1!row_quoting;2:f|g;"},
    {"a,b\nc,\"d\ne,f\ng,h\n", "0:a|b;1!row_quoting;2:e|f;3:g|h;"},
    {"a,b\nc,\"d\ne,\"f\"\ng,h\n", "0:a|b;1!row_quoting;2:e|f;3:g|h;"},
    {"a,b\nc,\xFF\nd,e\n", "0:a|b;1!row_encoding;2:d|e;"},
    {"a,b\nc,\xC0\x80\nd,e\n", "0:a|b;1!row_encoding;2:d|e;"},
    {"a,b\nc,\xED\xA0\x80\nd,e\n", "0:a|b;1!row_encoding;2:d|e;"},
};

START_TEST(rows_and_broken_rows) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct seen s;
    struct crv_err err;
    ck_assert(run(cases[i].csv, strlen(cases[i].csv), &s, &err));
    ck_assert_msg(!strcmp(s.text.data, cases[i].seen), "%s\n-> %s\nnot %s", cases[i].csv,
                  s.text.data, cases[i].seen);
    crv_buf_done(&s.text);
  }
}
END_TEST

START_TEST(a_nul_is_no_text) {
  static const char csv[] = "a,b\nc,\0d\ne,f\n";
  struct seen s;
  struct crv_err err;
  ck_assert(run(csv, sizeof csv - 1, &s, &err));
  ck_assert_str_eq(s.text.data, "0:a|b;1!row_encoding;2:e|f;");
  crv_buf_done(&s.text);
}
END_TEST

static const struct {
  const char *csv, *says;
} headers[] = {
    {"", "empty"},
    {"\n\n", "empty"},
    {"\xEF\xBB\xBF", "empty"},
    {"a,\"b\nc,d\n", "quotes"},
    {"a,\xFF\nb,c\n", "UTF-8"},
    {"a,b,a\n1,2,3\n", "name a"},
};

START_TEST(a_bad_header_refuses_the_file) {
  for (size_t i = 0; i < sizeof headers / sizeof *headers; i++) {
    struct seen s;
    struct crv_err err;
    ck_assert(!run(headers[i].csv, strlen(headers[i].csv), &s, &err));
    ck_assert_int_eq(err.code, CRV_INVALID_FIELDS);
    ck_assert_str_eq(err.at[0].ptr, "header");
    ck_assert_msg(strstr(err.at[0].detail, headers[i].says) != NULL, "%s", err.at[0].detail);
    ck_assert_uint_eq(s.rows, 0);
    crv_buf_done(&s.text);
  }
}
END_TEST

static char *repeat(const char *head, const char *part, size_t times, size_t *ret_len) {
  struct crv_buf b;
  crv_buf_init(&b, 0);
  crv_buf_str(&b, head);
  for (size_t i = 0; i < times; i++) crv_buf_str(&b, part);
  return crv_buf_take(&b, ret_len);
}

START_TEST(a_header_has_at_most_256_columns) {
  size_t len;
  char *many = repeat("x", ",", 300, &len);
  struct seen s;
  struct crv_err err;
  ck_assert(!run(many, len, &s, &err));
  ck_assert_ptr_nonnull(strstr(err.at[0].detail, "too many"));
  crv_buf_done(&s.text);
  free(many);
}
END_TEST

START_TEST(a_long_row_is_refused_and_the_next_read) {
  size_t len;
  char *csv = repeat("a,b\nc,", "0123456789abcdef", 65536, &len); /* one line of 1 MiB */
  struct crv_buf b;
  struct seen s;
  struct crv_err err;
  crv_buf_init(&b, 0);
  crv_buf_add(&b, csv, len);
  crv_buf_str(&b, "\nd,e\n");
  ck_assert(run(b.data, b.len, &s, &err));
  ck_assert_str_eq(s.text.data, "0:a|b;1!row_too_long;2:d|e;");
  crv_buf_done(&s.text);
  crv_buf_done(&b);
  free(csv);
}
END_TEST

/* Each would take hours if a broken row could be read again from every line it swallows. */
START_TEST(noise_takes_linear_time) {
  static const char *const part[] = {"\n\"", "\"\"\n", "\n,\"a",   "\"\n\"",
                                     "\r",   "\"a\n",  ",\"\"\"\n"};
  for (size_t i = 0; i < sizeof part / sizeof *part; i++) {
    size_t len;
    char *csv = repeat("a,b\nc,\"", part[i], (10 << 20) / strlen(part[i]) / 4, &len);
    struct timespec from, to;
    struct crv_err err;
    struct seen s;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &from);
    ck_assert(run(csv, len, &s, &err));
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &to);
    ck_assert_int_lt(to.tv_sec - from.tv_sec, 20);
    crv_buf_done(&s.text);
    free(csv);
  }
}
END_TEST

static bool stop(void *ctx, const struct crv_csv_row *row, struct crv_err *err) {
  (void)ctx, (void)row;
  return crv_fail(err, CRV_OUT_OF_MEMORY, "enough");
}

START_TEST(a_callback_can_stop) {
  struct seen s;
  struct crv_err err;
  const struct crv_csv_handler h = {&s, on_cells, stop, on_bad};
  memset(&s, 0, sizeof s);
  crv_buf_init(&s.text, 0);
  crv_err_init(&err);
  ck_assert(!crv_csv_read("a,b\nc,d\ne,f\n", 12, &h, &err));
  ck_assert_int_eq(err.code, CRV_OUT_OF_MEMORY);
  ck_assert_uint_eq(s.rows, 1);
  crv_buf_done(&s.text);
}
END_TEST

int main(void) {
  Suite *s = suite_create("import_csv");
  TCase *t = tcase_create("import_csv");
  tcase_set_timeout(t, 120);
  tcase_add_test(t, rows_and_broken_rows);
  tcase_add_test(t, a_nul_is_no_text);
  tcase_add_test(t, a_bad_header_refuses_the_file);
  tcase_add_test(t, a_header_has_at_most_256_columns);
  tcase_add_test(t, a_long_row_is_refused_and_the_next_read);
  tcase_add_test(t, noise_takes_linear_time);
  tcase_add_test(t, a_callback_can_stop);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
