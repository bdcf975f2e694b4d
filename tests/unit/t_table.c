/* Texts of other people in tables, CSV, Markdown and XML: nothing in them may break the page. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/table.h"
#include "core/base/text.h"

static struct crv_buf out;

static void setup(void) {
  crv_buf_init(&out, 0);
}
static void teardown(void) {
  crv_buf_done(&out);
}

/* What was written; empties out. */
static const char *written(void) {
  static char text[8192];
  ck_assert(!out.failed && out.len < sizeof text);
  memcpy(text, out.data ? out.data : "", out.len);
  text[out.len] = '\0';
  crv_buf_done(&out);
  crv_buf_init(&out, 0);
  return text;
}

static const struct {
  const char *text, *csv;
} cells[] = {
    {"a", "a"},
    {"a,\"b\"", "\"a,\"\"b\"\"\""},
    {"-4.14", "-4.14"},
    {"=1+1", "\"'=1+1\""},
    {"-1+1", "\"'-1+1\""},
    {"@SUM(1)", "\"'@SUM(1)\""},
    {" =1+1", "\"' =1+1\""},
    {"＝1+1", "\"'＝1+1\""},
    {"－1+1", "\"'－1+1\""},
    {"＠A1", "\"'＠A1\""},
};

START_TEST(formulas_behind_blanks_and_in_full_width_were_not_guarded) {
  crv_csv_cell(&out, cells[_i].text, true, false);
  ck_assert_str_eq(written(), cells[_i].csv);
  crv_csv_cell(&out, cells[_i].text, true, true);
  ck_assert_ptr_null(strchr(written(), '\''));
}
END_TEST

START_TEST(noncharacters_made_the_junit_file_malformed) {
  crv_xml_text(&out, "a\xEF\xBF\xBE<\xEF\xBF\xBF&\x1b\xEF\xBF\xBD");
  ck_assert_str_eq(written(), "a\xEF\xBF\xBD&lt;\xEF\xBF\xBD&amp; \xEF\xBF\xBD");
}
END_TEST

START_TEST(wide_names_made_a_table_wider_than_a_page) {
  static const struct crv_column columns[] = {
      {.title = "A"}, {.title = "B"}, {.title = "C"}, {.title = "D"}};
  char name[121] = "";
  struct crv_table t;
  for (int i = 0; i < 40; i++) memcpy(name + 3 * i, "語", 4);
  crv_table_init(&t, columns, 4);
  for (int i = 0; i < 4; i++) crv_table_cell(&t, name);
  crv_table_text(&t, &out);
  crv_table_done(&t);
  const char *page = written();
  ck_assert_ptr_nonnull(strstr(page, "…"));
  for (const char *line = page; *line; line += strcspn(line, "\n") + 1) {
    char one[2048];
    snprintf(one, sizeof one, "%.*s", (int)strcspn(line, "\n"), line);
    ck_assert_uint_le(crv_text_columns(one), CRV_TEXT_COLUMNS);
  }
}
END_TEST

/* "RTX 6000…" is two cards. */
START_TEST(a_name_was_cut_while_an_empty_column_stood) {
  static const struct crv_column columns[] = {{.title = "OFFER", .how = CRV_COL_KEY},
                                              {.title = "DEVICES"},
                                              {.title = "SCHEDULE", .how = CRV_COL_NUMBER}};
  static const char key[] =
      "a-key-of-eighty-columns-a-key-of-eighty-columns-a-key-of-eighty-columns-a-key-of";
  struct crv_table t;
  crv_table_init(&t, columns, 3);
  crv_table_cell(&t, key);
  crv_table_cell(&t, "RTX 6000 Ada XYZ");
  crv_table_cell(&t, NULL);
  crv_table_text(&t, &out);
  crv_table_done(&t);
  ck_assert_ptr_nonnull(strstr(written(), "RTX 6000 Ada XYZ"));
  ck_assert_ptr_null(strstr(written(), "SCHEDULE"));
}
END_TEST

START_TEST(long_words_were_cut_inside_a_character) {
  char word[1201] = "";
  for (int i = 0; i < 400; i++) memcpy(word + 3 * i, "語", 4);
  crv_text_wrap(&out, word, 0, 2, CRV_TEXT_COLUMNS);
  const char *page = written();
  size_t characters = 0, n;
  for (; *page; page += n) {
    n = crv_utf8_seq(page, strlen(page));
    ck_assert_uint_gt(n, 0);
    characters += n == 3;
  }
  ck_assert_uint_eq(characters, 400);
}
END_TEST

int main(void) {
  Suite *s = suite_create("table");
  TCase *t = tcase_create("table");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_loop_test(t, formulas_behind_blanks_and_in_full_width_were_not_guarded, 0,
                      sizeof cells / sizeof *cells);
  tcase_add_test(t, noncharacters_made_the_junit_file_malformed);
  tcase_add_test(t, wide_names_made_a_table_wider_than_a_page);
  tcase_add_test(t, a_name_was_cut_while_an_empty_column_stood);
  tcase_add_test(t, long_words_were_cut_inside_a_character);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
