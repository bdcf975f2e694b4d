/* core/decide/actions: conditions of one piece are one action, most unlocking first; the fewest
   actions that retain an offer. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/unit/decidetest.h"

static struct crv_arena *arena;
static struct crv_eval ev;

static void setup(void) {
  arena = crv_arena_new(0);
  memset(&ev, 0, sizeof ev);
  ev.a = arena;
}
static void teardown(void) {
  crv_arena_free(arena);
}

static const struct crv_condition *run_of(const char *device, int64_t devices,
                                          const char *strategy) {
  struct crv_fact p[] = {crv_f_int("devices", devices), crv_f_text("device", device),
                         crv_f_text("strategy", strategy), crv_f_text("phases", "loading")};
  return crv_cond(&ev, CRV_COND_RUN_LIMIT, p, 4,
                  crv_arena_printf(arena, "protocol_run %s %d", device, (int)devices));
}

static const struct crv_condition *evaluation(void) {
  struct crv_fact p[] = {crv_f_text("model", "m"), crv_f_text("format", "bf16"),
                         crv_f_text("dataset", "d"), crv_f_text("metric", "em"),
                         crv_f_text("threshold", "at least 0.8")};
  return crv_cond(&ev, CRV_COND_EVALUATE, p, 5, "quality_evaluation em");
}

static const struct crv_condition *attest(const char *offer, const char *field) {
  struct crv_fact p[] = {crv_f_text("field", field), crv_f_text("value", "1"),
                         crv_f_text("offer", offer)};
  return crv_cond(&ev, CRV_COND_ATTEST, p, 3,
                  crv_arena_printf(arena, "commercial_sheet %s", offer));
}

static const struct crv_condition *sheet_field(const char *field) {
  struct crv_fact p[] = {crv_f_text("field", field), crv_f_text("why", "it is needed")};
  return crv_cond(&ev, CRV_COND_SHEET_FIELD, p, 2, "sheet");
}

/* A row with one open finding for each condition given (NULL ends). */
static struct crv_row *waiting(const char *key, const struct crv_condition *const *conds,
                               size_t n) {
  struct crv_row *row = dt_new_row(arena, key, "s");
  row->findings = crv_new_array(arena, n, struct crv_finding);
  row->conditions = crv_new_array(arena, n, const struct crv_condition *);
  for (size_t i = 0; i < n; i++) {
    struct crv_finding *f = &row->findings[row->n_findings++];
    f->criterion = (enum crv_criterion)(CRV_CRIT_PEAK + (int)i);
    f->verdict = CRV_TO_CONFIRM;
    f->conditions = crv_new_array(arena, 1, const struct crv_condition *);
    crv_find_condition(f, conds[i]);
    size_t j = 0;
    while (j < row->n_conditions && row->conditions[j] != conds[i]) j++;
    if (j == row->n_conditions) row->conditions[row->n_conditions++] = conds[i];
  }
  return row;
}
#define WAITING(key, ...) \
  waiting(key, (const struct crv_condition *const[]){__VA_ARGS__}, \
          sizeof((const struct crv_condition *const[]){__VA_ARGS__}) / \
              sizeof(const struct crv_condition *))

START_TEST(what_one_piece_settles_is_one_action) {
  const struct crv_condition *run = run_of("nvidia/rtx-4090", 1, NULL);
  struct crv_row *rows[] = {WAITING("a", run, run, run, run), WAITING("b", run, run, run),
                            WAITING("c", run, attest("c", "price.amount"))};
  struct crv_shortlist s = {.preselection = rows, .n_preselection = 3};
  crv_actions_make(&s, &ev);
  ck_assert(!ev.failed);
  ck_assert_uint_eq(s.n_actions, 2);
  ck_assert_str_eq(
      s.actions[0].text,
      "Run the limit stage on one RTX 4090, any supplier: settles 4 points for 3 offers");
  ck_assert_int_eq(s.actions[0].offers, 3);
  ck_assert_int_eq(s.actions[0].retains, 2);
  ck_assert_str_eq(s.actions[0].ask, "engineer");
  ck_assert_int_eq(s.actions[1].offers, 1);
  ck_assert_int_eq(s.actions[1].retains, 0);
  ck_assert_uint_eq(s.n_conditions, 2);
  ck_assert_int_eq(s.conditions[0]->offers, 3);
  ck_assert_int_eq(s.unlock_actions, 1);
  ck_assert_int_eq(s.unlock_offers, 2);
}
END_TEST

START_TEST(the_fewest_actions_are_counted_together) {
  const struct crv_condition *e = evaluation(), *r1 = run_of("nvidia/l40s", 1, NULL),
                             *r2 = run_of("nvidia/rtx-4090", 1, NULL);
  struct crv_row *rows[] = {WAITING("a", r1, e), WAITING("b", r2, e), WAITING("c", e, r2),
                            WAITING("d", r2, e, attest("d", "price.amount"))};
  struct crv_shortlist s = {.preselection = rows, .n_preselection = 4};
  crv_actions_make(&s, &ev);
  ck_assert_int_eq(s.unlock_actions, 2);
  ck_assert_int_eq(s.unlock_offers, 2);
  ck_assert_int_eq(s.actions[0].retains, 0);
  ck_assert_int_eq(s.actions[0].offers, 4); /* the evaluation helps most offers */
  ck_assert_str_eq(s.actions[0].conditions[0]->piece, "quality_evaluation em");
}
END_TEST

START_TEST(nothing_known_retains_what_has_an_open_point_without_condition) {
  struct crv_row *row = WAITING("a", evaluation(), NULL);
  struct crv_shortlist s = {.preselection = &row, .n_preselection = 1};
  row->n_conditions = 1;
  crv_actions_make(&s, &ev);
  ck_assert_uint_eq(s.n_actions, 1);
  ck_assert_int_eq(s.actions[0].retains, 0);
  ck_assert_int_eq(s.unlock_actions, 0);
}
END_TEST

START_TEST(retaining_comes_before_waiting_and_text_breaks_ties) {
  struct crv_row *rows[] = {WAITING("a", attest("a", "price.amount")),
                            WAITING("b", attest("b", "price.amount")),
                            WAITING("c", attest("c", "plan.hours"), evaluation()),
                            WAITING("d", attest("d", "plan.hours"), evaluation())};
  struct crv_shortlist s = {.preselection = rows, .n_preselection = 4};
  crv_actions_make(&s, &ev);
  static const char *const pieces[] = {"commercial_sheet a", "commercial_sheet b",
                                       "quality_evaluation em", "commercial_sheet c",
                                       "commercial_sheet d"};
  ck_assert_uint_eq(s.n_actions, 5);
  for (size_t i = 0; i < 5; i++) ck_assert_str_eq(s.actions[i].conditions[0]->piece, pieces[i]);
}
END_TEST

START_TEST(at_most_twenty_actions_but_every_condition) {
  struct crv_row *rows[25];
  for (int i = 0; i < 25; i++) {
    char key[16];
    snprintf(key, sizeof key, "o%02d", i);
    const char *kept = crv_arena_strdup(arena, key);
    rows[i] = WAITING(kept, attest(kept, "price.amount"));
  }
  struct crv_shortlist s = {.preselection = rows, .n_preselection = 25};
  crv_actions_make(&s, &ev);
  ck_assert_uint_eq(s.n_actions, 20);
  ck_assert_uint_eq(s.n_conditions, 25);
  ck_assert_str_eq(s.actions[0].conditions[0]->piece, "commercial_sheet o00");
  ck_assert_int_eq(s.unlock_offers, 1);
}
END_TEST

START_TEST(sentences_say_what_to_do) {
  static const char *const want[] = {
      "Get one document in date for offer a that states price.amount, plan.hours and lot.devices: "
      "settles 3 points for 1 offer",
      "Give a document in date that states price.amount = 1 for offer b: settles 1 point for 1 "
      "offer",
      "Run the limit stage on 2 × nvidia/none-such (tensor_parallel), any supplier: settles 1 "
      "point "
      "for 1 offer",
      "State in the sheet f1, f2, f3 and 2 more: settles 5 points for 1 offer",
  };
  struct crv_row *rows[] = {WAITING("a", attest("a", "price.amount"), attest("a", "plan.hours"),
                                    attest("a", "lot.devices")),
                            WAITING("b", attest("b", "price.amount")),
                            WAITING("c", run_of("nvidia/none-such", 2, "tensor_parallel")),
                            WAITING("d", sheet_field("f1"), sheet_field("f2"), sheet_field("f3"),
                                    sheet_field("f4"), sheet_field("f5"))};
  struct crv_shortlist s = {.preselection = rows, .n_preselection = 4};
  crv_actions_make(&s, &ev);
  ck_assert_uint_eq(s.n_actions, 4);
  for (size_t i = 0; i < 4; i++) {
    bool found = false;
    for (size_t k = 0; k < 4; k++) found |= !strcmp(s.actions[k].text, want[i]);
    ck_assert_msg(found, "missing: %s (there is: %s)", want[i], s.actions[i].text);
  }
}
END_TEST

START_TEST(what_exceeds_on_paper_no_action_retains) {
  const struct crv_condition *small = run_of("nvidia/t4", 1, NULL);
  struct crv_row *rows[] = {WAITING("a", small), WAITING("b", small),
                            WAITING("c", run_of("nvidia/l40s", 1, NULL))};
  struct crv_shortlist s = {.preselection = rows, .n_preselection = 3};
  rows[0]->outlook = rows[1]->outlook = CRV_EXCEEDS_ON_PAPER;
  crv_actions_make(&s, &ev);
  ck_assert_int_eq(s.actions[0].retains, 1);
  ck_assert_int_eq(s.actions[0].offers, 1);
  ck_assert_int_eq(s.actions[1].retains, 0);
  ck_assert_int_eq(s.actions[1].offers, 2);
  ck_assert_int_eq(s.unlock_offers, 1);
}
END_TEST

START_TEST(no_offer_no_action) {
  struct crv_shortlist s = {0};
  crv_actions_make(&s, &ev);
  ck_assert(!ev.failed);
  ck_assert_uint_eq(s.n_actions, 0);
  ck_assert_int_eq(s.unlock_actions, 0);
}
END_TEST

int main(void) {
  Suite *s = suite_create("actions");
  TCase *t = tcase_create("actions");
  tcase_add_checked_fixture(t, setup, teardown);
  tcase_add_test(t, what_one_piece_settles_is_one_action);
  tcase_add_test(t, the_fewest_actions_are_counted_together);
  tcase_add_test(t, nothing_known_retains_what_has_an_open_point_without_condition);
  tcase_add_test(t, retaining_comes_before_waiting_and_text_breaks_ties);
  tcase_add_test(t, at_most_twenty_actions_but_every_condition);
  tcase_add_test(t, sentences_say_what_to_do);
  tcase_add_test(t, what_exceeds_on_paper_no_action_retains);
  tcase_add_test(t, no_offer_no_action);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
