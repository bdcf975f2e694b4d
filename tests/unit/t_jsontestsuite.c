/* The JSON parsing test suite of N. Seriot (tests/data/jsontestsuite, MIT): every text that is not
   JSON is refused, and every text that is JSON is taken, or refused by one of our own rules alone:
   duplicate keys, \u0000, a top level that is no object. CRV_JSONTESTSUITE names another folder. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"

static struct crv_err err;
static char folder[1024];

static void find_folder(void) {
  const char *given = getenv("CRV_JSONTESTSUITE"), *top = getenv("top_srcdir");
  if (!top) top = getenv("srcdir");
  if (given)
    snprintf(folder, sizeof folder, "%s", given);
  else
    snprintf(folder, sizeof folder, "%s/tests/data/jsontestsuite/test_parsing", top ? top : ".");
}

static char *read_file(const char *name, size_t *len) {
  char path[1400], chunk[4096];
  struct crv_buf b;
  crv_buf_init(&b, 0);
  snprintf(path, sizeof path, "%s/%s", folder, name);
  FILE *f = fopen(path, "rb");
  ck_assert_msg(f != NULL, "%s", path);
  for (size_t n; (n = fread(chunk, 1, sizeof chunk, f)) > 0;) crv_buf_add(&b, chunk, n);
  fclose(f);
  return crv_buf_take(&b, len);
}

static bool refused_by_our_rules(void) {
  static const char *const rules[] = {"stands twice", "\\u0000 is not taken",
                                      "top level must be an object"};
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
    if (strstr(err.detail, rules[i])) return true;
  return false;
}

/* The suite's texts of any top level also go through the door for stored text. */
static void check_stored(const char *name, const char *data, size_t len) {
  crv_err_init(&err);
  _json_ json_t *j = crv_json_parse_stored(data, len, &err);
  if (name[0] == 'n') {
    ck_assert_msg(!j && err.code == CRV_MALFORMED_JSON, "%s was taken as stored text", name);
  } else if (name[0] == 'y') {
    ck_assert_msg(j || refused_by_our_rules(), "%s: %s", name, err.detail);
  }
  if (!j) return;
  _free_ char *canonical = crv_json_canonical(j);
  _json_ json_t *again = crv_json_parse_stored(canonical, strlen(canonical), &err);
  _free_ char *same = crv_json_canonical(again);
  ck_assert_str_eq(canonical, same);
}

static void check_file(const char *name) {
  size_t len;
  _free_ char *data = read_file(name, &len);
  crv_err_init(&err);
  _json_ json_t *j = crv_json_parse(data, len, &err);
  if (!j) {
    ck_assert_msg(err.code == CRV_MALFORMED_JSON, "%s: code %d", name, (int)err.code);
    ck_assert_msg(strncmp(err.detail, "line ", 5) == 0, "%s: %s", name, err.detail);
  }
  if (name[0] == 'n') ck_assert_msg(!j, "%s was taken", name);
  if (name[0] == 'y') ck_assert_msg(j || refused_by_our_rules(), "%s: %s", name, err.detail);
  check_stored(name, data, len);
}

START_TEST(the_suite_is_told_apart) {
  int seen[256] = {0};
  find_folder();
  DIR *d = opendir(folder);
  ck_assert_msg(d != NULL, "%s cannot be opened", folder);
  for (struct dirent *e; (e = readdir(d));) {
    const char *dot = strrchr(e->d_name, '.');
    if (!dot || strcmp(dot, ".json") != 0) continue;
    check_file(e->d_name);
    seen[(unsigned char)e->d_name[0]]++;
  }
  closedir(d);
  ck_assert_int_ge(seen['n'], 180);
  ck_assert_int_ge(seen['y'], 90);
  ck_assert_int_ge(seen['i'], 30);
}
END_TEST

int main(void) {
  Suite *s = suite_create("jsontestsuite");
  TCase *t = tcase_create("jsontestsuite");
  tcase_set_timeout(t, 60);
  tcase_add_test(t, the_suite_is_told_apart);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
