/* core/decide/gate and matrix: what a gate asks, and the digest of all verdicts. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/hash.h"
#include "tests/unit/decidetest.h"

static struct crv_arena *arena;
static struct crv_sheet sheet;
static struct crv_question question;

static void setup(void) {
  arena = crv_arena_new(0);
  memset(&sheet, 0, sizeof sheet);
  memset(&question, 0, sizeof question);
  question.sheet = &sheet;
}
static void teardown(void) {
  crv_arena_free(arena);
}

/* A row with memory.peak (workload) and cost.known (not) as given. */
static struct crv_row *row(const char *key, enum crv_verdict peak, enum crv_verdict cost) {
  struct crv_row *r = dt_new_row(arena, key, "s");
  r->findings = crv_new_array(arena, 2, struct crv_finding);
  r->n_findings = 2;
  r->findings[0] = (struct crv_finding){.criterion = CRV_CRIT_PEAK, .verdict = peak};
  r->findings[1] = (struct crv_finding){.criterion = CRV_CRIT_COST_KNOWN, .verdict = cost};
  r->status = peak > cost ? peak : cost;
  r->device = "nvidia/l40s";
  r->devices = 1;
  return r;
}

static void list(struct crv_shortlist *s, struct crv_row **rows, size_t n) {
  memset(s, 0, sizeof *s);
  s->question = &question;
  struct crv_row ***to[] = {&s->retained, &s->preselection, &s->excluded};
  size_t *count[] = {&s->n_retained, &s->n_preselection, &s->n_excluded};
  for (int i = 0; i < 3; i++) *to[i] = crv_new_array(arena, n, struct crv_row *);
  for (size_t i = 0; i < n; i++) (*to[rows[i]->status])[(*count[rows[i]->status])++] = rows[i];
  s->n_offers = n;
}

static const struct {
  enum crv_verdict peak, cost;
  bool retained, preselection, workload;
} gates[] = {
    {CRV_ADMISSIBLE, CRV_ADMISSIBLE, true, true, true},
    {CRV_ADMISSIBLE, CRV_TO_CONFIRM, false, true, true},
    {CRV_ADMISSIBLE, CRV_EXCLUDED, false, false, true},
    {CRV_TO_CONFIRM, CRV_ADMISSIBLE, false, true, false},
    {CRV_EXCLUDED, CRV_ADMISSIBLE, false, false, false},
};

START_TEST(gates_ask_for_what_they_name) {
  for (size_t i = 0; i < sizeof gates / sizeof *gates; i++) {
    struct crv_shortlist s;
    struct crv_row *rows[] = {row("a", gates[i].peak, gates[i].cost)};
    list(&s, rows, 1);
    ck_assert_int_eq(crv_gate_met(&s, CRV_GATE_RETAINED), gates[i].retained);
    ck_assert_int_eq(crv_gate_met(&s, CRV_GATE_PRESELECTION), gates[i].preselection);
    ck_assert_int_eq(crv_gate_met(&s, CRV_GATE_WORKLOAD), gates[i].workload);
    ck_assert(crv_gate_met(&s, CRV_GATE_NONE));
  }
}
END_TEST

START_TEST(nothing_considered_meets_no_gate) {
  struct crv_shortlist s;
  list(&s, NULL, 0);
  ck_assert(!crv_gate_met(&s, CRV_GATE_RETAINED));
  ck_assert(!crv_gate_met(&s, CRV_GATE_PRESELECTION));
  ck_assert(!crv_gate_met(&s, CRV_GATE_WORKLOAD));
  ck_assert(!crv_gate_met(&s, CRV_GATE_CURRENT));
}
END_TEST

START_TEST(current_is_the_offer_in_use) {
  struct crv_shortlist s;
  struct crv_row *rows[] = {row("a", CRV_EXCLUDED, CRV_ADMISSIBLE),
                            row("b", CRV_TO_CONFIRM, CRV_ADMISSIBLE)};
  struct crv_current in_use = {.offer = "b"};
  list(&s, rows, 2);
  ck_assert_msg(!crv_gate_met(&s, CRV_GATE_CURRENT), "no configuration is named");
  sheet.current = &in_use;
  ck_assert(crv_gate_met(&s, CRV_GATE_CURRENT));
  in_use.offer = "a";
  ck_assert(!crv_gate_met(&s, CRV_GATE_CURRENT));
  in_use.offer = "gone";
  ck_assert(!crv_gate_met(&s, CRV_GATE_CURRENT));
  in_use = (struct crv_current){.device = "nvidia/l40s", .devices = dt_some(1)};
  ck_assert(crv_gate_met(&s, CRV_GATE_CURRENT));
  in_use.devices = dt_some(2);
  ck_assert(!crv_gate_met(&s, CRV_GATE_CURRENT));
}
END_TEST

START_TEST(the_gates_have_their_names) {
  static const char *const names[] = {"retained", "preselection", "workload", "current",
                                      "no-worse"};
  for (int i = 0; i < 5; i++) ck_assert_str_eq(crv_gate_names[i].name, names[i]);
  ck_assert_ptr_null(crv_gate_names[5].name);
}
END_TEST

static void digest(struct crv_row **rows, size_t n, char *out) {
  struct crv_shortlist s;
  list(&s, rows, n);
  ck_assert(crv_matrix_digest(&s, out));
}

START_TEST(the_matrix_digest_sees_every_verdict_and_no_order) {
  struct crv_row *ab[] = {row("a", CRV_ADMISSIBLE, CRV_EXCLUDED),
                          row("b", CRV_TO_CONFIRM, CRV_ADMISSIBLE)};
  struct crv_row *ba[] = {ab[1], ab[0]};
  char one[CRV_SHA256_HEX], two[CRV_SHA256_HEX];
  digest(ab, 2, one);
  digest(ba, 2, two);
  ck_assert_str_eq(one, two);
  ab[1]->findings[1].verdict = CRV_TO_CONFIRM;
  digest(ab, 2, two);
  ck_assert_str_ne(one, two);
  ab[1]->findings[1].verdict = CRV_ADMISSIBLE;
  ab[1]->findings[1].subject = "other";
  digest(ab, 2, two);
  ck_assert_str_ne(one, two);
  digest(ab, 0, two);
  ck_assert_str_ne(one, two);
}
END_TEST

int main(void) {
  Suite *s = suite_create("gate");
  TCase *t = tcase_create("gate");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, gates_ask_for_what_they_name);
  tcase_add_test(t, nothing_considered_meets_no_gate);
  tcase_add_test(t, current_is_the_offer_in_use);
  tcase_add_test(t, the_gates_have_their_names);
  tcase_add_test(t, the_matrix_digest_sees_every_verdict_and_no_order);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
