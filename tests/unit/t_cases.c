/* Walks tests/data/cases/: each file holds a base world and cases; a case patches the world and
   says what must come out. Expectations, one object each:
     {"retained": [...]}, {"preselection": [...]}, {"excluded": [...]}   the lists in order
     {"headline": "..."}, {"outcome": "..."}, {"actions": n, "first_action": "..."}
     {"offer": k, "list", "rank", "cost", "margin", "outlook", "conditions", "decided_by",
   "difference"}
     {"offer": k, "criterion", "subject", "verdict", "reason", "condition", "cites", "aside", "pin",
      "expired", "resolvable", "observed": {name: text}, "off": true, "no_aside": key@version,
      "more_aside": n, "conditions": n}
   Every key is checked; an unknown one fails, so that no expectation is silently skipped. */
#include <check.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "core/decide/eval.h"
#include "tests/unit/world.h"

static const char *current; /* "file: case", for messages */

static void same_text(const char *what, const char *want, const char *have) {
  ck_assert_msg(crv_streq(want, have), "%s: %s is \"%s\", expected \"%s\"", current, what,
                have ? have : "(null)", want);
}

static void same_list(const char *what, const json_t *want, struct crv_row *const *rows, size_t n) {
  size_t i;
  json_t *key;
  char have[2000] = "";
  for (i = 0; i < n; i++)
    snprintf(have + strlen(have), sizeof have - strlen(have), "%s ", rows[i]->rec->key);
  ck_assert_msg(json_array_size(want) == n, "%s: %s has %zu: %s", current, what, n, have);
  json_array_foreach((json_t *)(uintptr_t)want, i, key) ck_assert_msg(
      !strcmp(json_string_value(key), rows[i]->rec->key), "%s: %s is %s", current, what, have);
}

/* -- one finding --------------------------------------------------------------------------------
 */

static bool has_condition(const struct crv_finding *f, const char *code) {
  for (size_t i = 0; i < f->n_conditions; i++)
    if (!strcmp(crv_condition_info(f->conditions[i]->code)->code, code)) return true;
  return false;
}

static bool has_cite(const struct crv_finding *f, const char *ref) {
  for (size_t i = 0; i < f->n_cited; i++)
    if (!strcmp(f->cited[i]->ref, ref)) return true;
  return false;
}

/* want: "key@1 wrong_kind" or "key@1 out_of_scope concurrency_short" */
static bool has_aside(const struct crv_finding *f, const char *want) {
  for (size_t i = 0; i < f->n_aside; i++) {
    char have[400];
    snprintf(have, sizeof have, "%s %s%s%s", f->aside[i].rec->ref,
             crv_enum_text(crv_aside_names, (int)f->aside[i].why), f->aside[i].dimension ? " " : "",
             f->aside[i].dimension ? f->aside[i].dimension : "");
    if (!strcmp(have, want)) return true;
  }
  return false;
}

static bool has_aside_of(const struct crv_finding *f, const char *ref) {
  for (size_t i = 0; i < f->n_aside; i++)
    if (!strcmp(f->aside[i].rec->ref, ref)) return true;
  return false;
}

static bool has_pin(const struct crv_finding *f, const char *want) {
  char have[300], value[200];
  for (size_t i = 0; i < f->n_pins; i++) {
    snprintf(have, sizeof have, "%s=%s", f->pins[i].name,
             crv_fact_text(&f->pins[i], value, sizeof value));
    if (!strcmp(have, want)) return true;
  }
  return false;
}

static void observed(const struct crv_finding *f, const json_t *want) {
  const char *name, *found;
  json_t *value;
  json_object_foreach((json_t *)(uintptr_t)want, name, value) {
    char text[300];
    found = NULL;
    for (size_t i = 0; i < f->n_observed; i++)
      if (!strcmp(f->observed[i].name, name))
        found = crv_fact_text(&f->observed[i], text, sizeof text);
    same_text(name, json_string_value(value), found);
  }
}

static void check_finding_key(const struct crv_finding *f, const char *key, json_t *value) {
  const char *text = json_string_value(value);
  if (!strcmp(key, "verdict"))
    same_text(key, text, crv_verdict_name(f->verdict));
  else if (!strcmp(key, "reason"))
    same_text(key, text, crv_reason_info(f->reason)->code);
  else if (!strcmp(key, "condition"))
    ck_assert_msg(has_condition(f, text), "%s: no condition %s, first is %s", current, text,
                  f->n_conditions ? crv_condition_text(f->conditions[0]) : "(none)");
  else if (!strcmp(key, "condition_text"))
    same_text(key, text, f->n_conditions ? crv_condition_text(f->conditions[0]) : NULL);
  else if (!strcmp(key, "cites"))
    ck_assert_msg(has_cite(f, text), "%s: does not cite %s", current, text);
  else if (!strcmp(key, "aside"))
    ck_assert_msg(has_aside(f, text), "%s: does not set aside \"%s\"", current, text);
  else if (!strcmp(key, "no_aside"))
    ck_assert_msg(!has_aside_of(f, text), "%s: sets aside %s", current, text);
  else if (!strcmp(key, "conditions"))
    ck_assert_msg((json_int_t)f->n_conditions == json_integer_value(value), "%s: %zu conditions",
                  current, f->n_conditions);
  else if (!strcmp(key, "more_aside"))
    ck_assert_msg((json_int_t)f->more_aside == json_integer_value(value), "%s: %zu more set aside",
                  current, f->more_aside);
  else if (!strcmp(key, "pin"))
    ck_assert_msg(has_pin(f, text), "%s: no pin %s", current, text);
  else if (!strcmp(key, "expired"))
    ck_assert_msg(f->expired == json_is_true(value), "%s: expired is %d", current, f->expired);
  else if (!strcmp(key, "resolvable"))
    ck_assert_msg(f->resolvable == json_is_true(value), "%s: resolvable is %d", current,
                  f->resolvable);
  else if (!strcmp(key, "observed"))
    observed(f, value);
  else
    ck_assert_msg(!strcmp(key, "offer") || !strcmp(key, "criterion") || !strcmp(key, "subject"),
                  "%s: unknown expectation \"%s\"", current, key);
}

static void check_finding(const struct world *w, json_t *want) {
  const char *offer = json_string_value(json_object_get(want, "offer"));
  const char *id = json_string_value(json_object_get(want, "criterion")), *list, *key;
  const struct crv_row *row = world_row(w, offer, &list);
  ck_assert_msg(row != NULL, "%s: offer %s was not considered", current, offer);
  const struct crv_finding *f =
      world_finding(row, id, json_string_value(json_object_get(want, "subject")));
  if (json_is_true(json_object_get(want, "off"))) {
    ck_assert_msg(f == NULL, "%s: criterion %s is on", current, id);
    return;
  }
  ck_assert_msg(f != NULL, "%s: criterion %s is off", current, id);
  json_t *value;
  json_object_foreach(want, key, value) check_finding_key(f, key, value);
}

static bool has_text(const struct crv_list *list, const char *text) {
  for (size_t i = 0; i < list->n; i++)
    if (!strcmp(*crv_list_at(*list, const char *, i), text)) return true;
  return false;
}

/* -- one row -------------------------------------------------------------------------------------
 */

static void check_row_key(const struct crv_row *row, const char *list, const char *key,
                          json_t *value) {
  char text[64];
  const char *want = json_string_value(value);
  if (!strcmp(key, "list"))
    same_text(key, want, list);
  else if (!strcmp(key, "rank"))
    ck_assert_msg(row->rank == json_integer_value(value), "%s: rank %d", current, (int)row->rank);
  else if (!strcmp(key, "cost"))
    same_text(key, json_is_null(value) ? "unknown" : want,
              row->cost.amount.set ? crv_money_text(row->cost.amount.v, text, sizeof text)
                                   : "unknown");
  else if (!strcmp(key, "currency"))
    same_text(key, want, row->cost.currency);
  else if (!strcmp(key, "margin"))
    ck_assert_msg(row->margin_bytes.set && row->margin_bytes.v == json_integer_value(value),
                  "%s: margin %lld", current,
                  row->margin_bytes.set ? (long long)row->margin_bytes.v : -1LL);
  else if (!strcmp(key, "margin_unknown"))
    ck_assert_msg(!row->margin_bytes.set, "%s: margin is known", current);
  else if (!strcmp(key, "outlook"))
    same_text(key, want, crv_outlook_name(row->outlook));
  else if (!strcmp(key, "schedule"))
    same_text(key, want,
              row->schedule.set ? crv_date_text(row->schedule.v, text, sizeof text)
                                : "undocumented");
  else if (!strcmp(key, "conditions"))
    ck_assert_msg((json_int_t)row->n_conditions == json_integer_value(value), "%s: %zu conditions",
                  current, row->n_conditions);
  else if (!strcmp(key, "decided_by"))
    same_text(key, want,
              row->decided_key == CRV_KEY_NONE ? "none" : crv_key_names[row->decided_key]);
  else if (!strcmp(key, "difference"))
    ck_assert_msg(row->difference.v == json_integer_value(value), "%s: difference %lld", current,
                  (long long)row->difference.v);
  else if (!strcmp(key, "outlook_from"))
    same_text(key, want, row->outlook_from);
  else if (!strcmp(key, "invalidated"))
    ck_assert_msg(has_text(&row->invalidated_by, want), "%s: not invalidated by %s", current, want);
  else
    ck_assert_msg(!strcmp(key, "offer"), "%s: unknown expectation \"%s\"", current, key);
}

static void check_row(const struct world *w, json_t *want) {
  const char *offer = json_string_value(json_object_get(want, "offer")), *list, *key;
  const struct crv_row *row = world_row(w, offer, &list);
  json_t *value;
  ck_assert_msg(row != NULL, "%s: offer %s was not considered", current, offer);
  json_object_foreach(want, key, value) check_row_key(row, list, key, value);
}

/* -- the whole ------------------------------------------------------------------------------------
 */

static void check_whole(const struct world *w, json_t *want) {
  const struct crv_shortlist *s = &w->list;
  const char *key;
  json_t *value;
  json_object_foreach(want, key, value) {
    if (!strcmp(key, "retained"))
      same_list(key, value, s->retained, s->n_retained);
    else if (!strcmp(key, "preselection"))
      same_list(key, value, s->preselection, s->n_preselection);
    else if (!strcmp(key, "excluded"))
      same_list(key, value, s->excluded, s->n_excluded);
    else if (!strcmp(key, "headline"))
      same_text(key, json_string_value(value), s->headline);
    else if (!strcmp(key, "outcome"))
      same_text(key, json_string_value(value), crv_outcome_name(s->outcome));
    else if (!strcmp(key, "first_action"))
      same_text(key, json_string_value(value), s->n_actions ? s->actions[0].text : NULL);
    else if (!strcmp(key, "actions"))
      ck_assert_msg((json_int_t)s->n_actions == json_integer_value(value), "%s: %zu actions",
                    current, s->n_actions);
    else if (!strcmp(key, "assumption"))
      ck_assert_msg(has_text(&s->assumptions, json_string_value(value)), "%s: does not assume %s",
                    current, json_string_value(value));
    else
      ck_abort_msg("%s: unknown expectation \"%s\"", current, key);
  }
}

static void run_case(const json_t *base, json_t *c) {
  struct world w;
  _json_ json_t *doc = world_patched(base, json_object_get(c, "patch"));
  bool made = world_make(&w, doc, 0);
  ck_assert_msg(made, "%s: %s %s %s", current, w.err.detail, w.err.n ? w.err.at[0].ptr : "",
                w.err.n ? w.err.at[0].detail : "");
  size_t i;
  json_t *want;
  json_array_foreach(json_object_get(c, "expect"), i, want) {
    if (json_object_get(want, "criterion"))
      check_finding(&w, want);
    else if (json_object_get(want, "offer"))
      check_row(&w, want);
    else
      check_whole(&w, want);
  }
  ck_assert_msg(json_array_size(json_object_get(c, "expect")) > 0, "%s expects nothing", current);
  world_done(&w);
}

/* The file's base world: that of the file that "base" names, patched by its own. */
static json_t *base_world(const json_t *file) {
  const char *name = json_string_value(json_object_get(file, "base"));
  char path[600];
  if (!name) return json_incref(json_object_get(file, "world"));
  snprintf(path, sizeof path, "tests/data/cases/%s", name);
  _json_ json_t *from = world_load(path);
  _json_ json_t *base = base_world(from);
  json_t *own = json_object_get(file, "world");
  return own ? world_patched(base, own) : json_incref(base);
}

static struct {
  char *file;
  size_t index;
} cases[2000];
static int n_cases;

START_TEST(case_comes_out) {
  char path[600], label[900];
  snprintf(path, sizeof path, "tests/data/cases/%s", cases[_i].file);
  _json_ json_t *file = world_load(path);
  _json_ json_t *base = base_world(file);
  json_t *c = json_array_get(json_object_get(file, "cases"), cases[_i].index);
  snprintf(label, sizeof label, "%s: %s", cases[_i].file,
           json_string_value(json_object_get(c, "name")));
  current = label;
  run_case(base, c);
}
END_TEST

/* -- the cases cover the tables
 * ---------------------------------------------------------------------- */

/* Calls fn for every finding that some case expects. */
static void each_expected(void (*fn)(const json_t *want, void *ctx), void *ctx) {
  for (int i = 0; i < n_cases; i++) {
    char path[600];
    snprintf(path, sizeof path, "tests/data/cases/%s", cases[i].file);
    _json_ json_t *file = world_load(path);
    const json_t *c = json_array_get(json_object_get(file, "cases"), cases[i].index);
    size_t k;
    json_t *want;
    json_array_foreach(json_object_get(c, "expect"), k,
                       want) if (json_object_get(want, "criterion")) fn(want, ctx);
  }
}

struct seen {
  bool reason[CRV_REASON_COUNT];
  bool verdict[CRV_CRIT_COUNT][3];
};

static void note(const json_t *want, void *ctx) {
  struct seen *s = ctx;
  const char *reason = json_string_value(json_object_get(want, "reason"));
  const char *id = json_string_value(json_object_get(want, "criterion"));
  const char *verdict = json_string_value(json_object_get(want, "verdict"));
  for (int r = 0; reason && r < CRV_REASON_COUNT; r++)
    if (!strcmp(reason, crv_reason_info((enum crv_reason)r)->code)) s->reason[r] = true;
  for (int c = 0; c < CRV_CRIT_COUNT; c++)
    for (int v = 0; verdict && v < 3; v++)
      if (!strcmp(id, crv_criterion_info((enum crv_criterion)c)->id) &&
          !strcmp(verdict, crv_verdict_name((enum crv_verdict)v)))
        s->verdict[c][v] = true;
}

/* Never, by the meaning of the criterion. */
static bool never(int c, int v) {
  if (c == CRV_CRIT_SHEET) return v != CRV_TO_CONFIRM;
  if (c == CRV_CRIT_COST_KNOWN) return v == CRV_EXCLUDED;
  return c == CRV_CRIT_PLACEMENT && v == CRV_EXCLUDED; /* too small a lot: placement.same_host */
}

START_TEST(cases_cover_every_reason_and_verdict) {
  static struct seen s;
  each_expected(note, &s);
  for (int r = 0; r < CRV_REASON_COUNT; r++)
    ck_assert_msg(s.reason[r] || r == CRV_REASON_OVERFLOW, "no case for reason %s",
                  crv_reason_info((enum crv_reason)r)->code);
  for (int c = 0; c < CRV_CRIT_COUNT; c++)
    for (int v = 0; v < 3; v++)
      ck_assert_msg(s.verdict[c][v] || never(c, v), "no case for %s %s",
                    crv_criterion_info((enum crv_criterion)c)->id,
                    crv_verdict_name((enum crv_verdict)v));
}
END_TEST

static int by_name(const void *a, const void *b) {
  return strcmp(*(char *const *)a, *(char *const *)b);
}

static void add_cases(char *name) {
  char path[600];
  snprintf(path, sizeof path, "tests/data/cases/%s", name);
  _json_ json_t *file = world_load(path);
  for (size_t i = 0; i < json_array_size(json_object_get(file, "cases")) && n_cases < 2000; i++) {
    cases[n_cases].file = name;
    cases[n_cases++].index = i;
  }
}

static void find_cases(void) {
  const char *top = getenv("top_srcdir");
  char path[900], *files[200];
  size_t n = 0;
  snprintf(path, sizeof path, "%s/tests/data/cases", top ? top : ".");
  DIR *d = opendir(path);
  if (!d) {
    fprintf(stderr, "no %s\n", path);
    exit(1);
  }
  for (struct dirent *e; (e = readdir(d)) != NULL;) {
    size_t len = strlen(e->d_name);
    if (len > 5 && !strcmp(e->d_name + len - 5, ".json") && n < 200) files[n++] = strdup(e->d_name);
  }
  closedir(d);
  qsort(files, n, sizeof *files, by_name);
  for (size_t i = 0; i < n; i++) add_cases(files[i]);
}

int main(void) {
  find_cases();
  Suite *s = suite_create("cases");
  TCase *t = tcase_create("cases");
  tcase_add_loop_test(t, case_comes_out, 0, n_cases);
  tcase_add_test(t, cases_cover_every_reason_and_verdict);
  tcase_set_timeout(t, 60);
  suite_add_tcase(s, t);
  SRunner *sr = srunner_create(s);
  srunner_run_all(sr, CK_ENV);
  int failed = srunner_ntests_failed(sr);
  srunner_free(sr);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
