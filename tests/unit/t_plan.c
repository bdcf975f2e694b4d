/* plan.duration, plan.interruptible, cost.known, cost.ceiling, schedule: each verdict and each
   reason, from real documents through the whole engine. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "tests/unit/decidetest.h"

/* patch of the base world -> one finding of offer "a". condition, cites, aside NULL: none is looked
   for; "-": there must be none. */
struct plan_case {
  const char *name, *patch;
  const char *verdict, *reason, *condition, *cites;
};

#define A(fields) "{'offers':{'a':{" fields "}}}"
#define FACTS(facts) \
  "'evidence':{'quote':{'kind':'commercial_sheet','observed_at':'2026-11-29T00:00:00Z'," \
  "'valid_until':'2027-01-01T00:00:00Z','scope':{'offer':'a'},'result':{'facts':{" facts "}}}}"
#define UNSOURCED "'source':null"
#define EXPIRED_LIST "'evidence':{'list':{'valid_until':'2026-11-30T00:00:00Z'}}"
#define DOUBT(field) \
  "'findings':[{'field':'" field "','code':'price_implausible','detail':'1 and 2'}]"

static const struct plan_case durations[] = {
    {"renewed at the same price", "{}", "admissible", "satisfied", "-", "list@1"},
    {"one period needs no renewal", A("'plan':{'hours':168,'renewal':null}"), "admissible",
     "satisfied", "-", "list@1"},
    {"pay as you go", A("'plan':{'hours':null,'renewal':null},'price':{'per':'hour'}"),
     "admissible", "satisfied", "-", "list@1"},
    {"a month covers 168 h", A("'plan':{'hours':null,'months':1,'renewal':null}"), "admissible",
     "satisfied", "-", "list@1"},
    {"a maximum that suffices", A("'plan':{'maximum_hours':168}"), "admissible", "satisfied", "-",
     NULL},
    {"renewal not stated", A("'plan':{'renewal':null}"), "to_confirm", "renewal_unknown", "renewal",
     NULL},
    {"renewal stated as unknown", A("'plan':{'renewal':'unknown'}"), "to_confirm",
     "renewal_unknown", "renewal", NULL},
    {"renewal by the offer's own words alone", A(UNSOURCED), "to_confirm", "unattested", "renewal",
     NULL},
    {"hours not stated", A("'plan':{'hours':null,'renewal':null}"), "to_confirm", "value_unknown",
     "state_field", NULL},
    {"no plan at all", A("'plan':null"), "to_confirm", "value_unknown", "state_field", NULL},
    {"hours by the offer's own words alone", A("'plan':{'hours':168}," UNSOURCED), "to_confirm",
     "unattested", "attest_field", NULL},
    {"price list out of date", "{" EXPIRED_LIST "}", "to_confirm", "expired", "price_in_date",
     "list@1"},
    {"a doubt of the import", A("'plan':{'hours':168}," DOUBT("plan.hours")), "to_confirm",
     "import_finding", "import_cell", NULL},
    {"a document that says otherwise",
     "{'offers':{'a':{'plan':{'hours':168}}}," FACTS("'plan':{'hours':72}") "}", "to_confirm",
     "evidence_conflict", "resolve_conflict", "quote@1"},
    {"700 h in one month",
     "{'sheet':{'campaign':{'hours':700}},'offers':{'a':{'plan':{'hours':null,'months':1}}}}",
     "to_confirm", "month_length", "month_hours", NULL},
    {"745 h in one month need a second",
     "{'sheet':{'campaign':{'hours':745}},"
     "'offers':{'a':{'plan':{'hours':null,'months':1,'renewal':null}}}}",
     "to_confirm", "renewal_unknown", "renewal", NULL},
    {"a maximum below the campaign", A("'plan':{'maximum_hours':167}"), "excluded", "falls_short",
     "-", "list@1"},
    {"a maximum below it by its own words", A("'plan':{'maximum_hours':167}," UNSOURCED),
     "excluded", "falls_short", "-", "-"},
    {"no renewal, by its own words", A("'plan':{'renewal':'none'}"), "excluded", "falls_short", "-",
     "list@1"},
    {"a doubted maximum excludes nothing",
     A("'plan':{'hours':168,'maximum_hours':100}," DOUBT("plan.maximum_hours")), "admissible",
     "satisfied", "-", NULL},
};

static const struct plan_case interruptions[] = {
    {"not interruptible", "{}", "admissible", "satisfied", "-", "list@1"},
    {"tolerated",
     "{'sheet':{'campaign':{'interruption':'tolerated'}},"
     "'offers':{'a':{'plan':{'interruptible':true}}}}",
     "admissible", "satisfied", "-", NULL},
    {"tolerated and not stated",
     "{'sheet':{'campaign':{'interruption':'tolerated'}},"
     "'offers':{'a':{'plan':{'interruptible':null}}}}",
     "admissible", "satisfied", "-", NULL},
    {"not stated", A("'plan':{'interruptible':null}"), "to_confirm", "value_unknown", "state_field",
     NULL},
    {"by its own words", A(UNSOURCED), "to_confirm", "unattested", "attest_field", NULL},
    {"out of date", "{" EXPIRED_LIST "}", "to_confirm", "expired", "price_in_date", "list@1"},
    {"doubted", A("'plan':{'interruptible':true}," DOUBT("plan.interruptible")), "to_confirm",
     "import_finding", "import_cell", NULL},
    {"disputed", "{" FACTS("'plan':{'interruptible':true}") "}", "to_confirm", "evidence_conflict",
     "resolve_conflict", NULL},
    {"interruptible", A("'plan':{'interruptible':true}"), "excluded", "interruptible", "-",
     "list@1"},
    {"interruptible by its own words", A("'plan':{'interruptible':true}," UNSOURCED), "excluded",
     "interruptible", "-", "-"},
};

#define RATE(name, rate, until) \
  "'" name "':{'kind':'exchange_rate','observed_at':'2026-11-30T00:00:00Z','valid_until':'" until \
  "','scope':{'from':'EUR','to':'USD'},'result':{'rate':'" rate "'}}"
#define SOON "2026-12-15T00:00:00Z"
#define GONE "2026-11-30T12:00:00Z"
#define IN_EUR "'offers':{'a':{'price':{'currency':'EUR'}}}"

static const struct plan_case known[] = {
    {"all attested", "{}", "admissible", "satisfied", "-", "list@1"},
    {"upfront and extras ride on the price's document",
     A("'price':{'upfront':'5','extras':[{'item':'setup','amount':'1','per':'order'}]}"),
     "admissible", "satisfied", "-", "list@1"},
    {"no price", A("'price':{'amount':null}"), "to_confirm", "value_unknown", "state_field", NULL},
    {"no currency", A("'price':{'currency':null}"), "to_confirm", "value_unknown", "state_field",
     NULL},
    {"no lot", A("'lot':null"), "to_confirm", "value_unknown", "state_field", NULL},
    {"an extra without amount", A("'price':{'extras':[{'item':'setup','per':'order'}]}"),
     "to_confirm", "value_unknown", "state_field", NULL},
    {"only its own words", A(UNSOURCED), "to_confirm", "unattested", "attest_field", NULL},
    {"price list out of date", "{" EXPIRED_LIST "}", "to_confirm", "expired", "price_in_date",
     "list@1"},
    {"an unknown part outweighs an expired one",
     "{'offers':{'a':{'price':{'amount':null}}}," EXPIRED_LIST "}", "to_confirm", "value_unknown",
     "state_field", NULL},
    {"a doubt about the price", A(DOUBT("price.amount")), "to_confirm", "import_finding",
     "import_cell", NULL},
    {"a doubt about an extra",
     A("'price':{'extras':[{'item':'setup','amount':'1','per':'order'}]}," DOUBT("price.extras")),
     "to_confirm", "import_finding", "import_cell", NULL},
    {"a quote that says another price", "{" FACTS("'price':{'amount':'49'}") "}", "to_confirm",
     "evidence_conflict", "resolve_conflict", "quote@1"},
    {"another currency without a rate", "{" IN_EUR "}", "to_confirm", "currency_differs",
     "exchange_rate", NULL},
    {"with a rate", "{" IN_EUR ",'evidence':{" RATE("r", "1.1", SOON) "}}", "admissible",
     "satisfied", "-", "r@1"},
    {"with a rate out of date", "{" IN_EUR ",'evidence':{" RATE("r", "1.1", GONE) "}}",
     "to_confirm", "expired", "exchange_rate", "r@1"},
    {"with two rates",
     "{" IN_EUR ",'evidence':{" RATE("r", "1.1", SOON) "," RATE("r2", "1.2", SOON) "}}",
     "to_confirm", "evidence_conflict", "resolve_conflict", "r2@1"},
    {"tax not compared", A("'price':{'tax':'included'}"), "admissible", "satisfied", "-", NULL},
    {"tax not stated", "{'sheet':{'campaign':{'tax':'excluded'}}}", "to_confirm", "tax_unknown",
     "tax", NULL},
    {"tax alike",
     "{'sheet':{'campaign':{'tax':'excluded'}},'offers':{'a':{'price':{'tax':'excluded'}}}}",
     "admissible", "satisfied", "-", NULL},
    {"no tax falls due",
     "{'sheet':{'campaign':{'tax':'included'}},'offers':{'a':{'price':{'tax':'none'}}}}",
     "admissible", "satisfied", "-", NULL},
    {"tax otherwise",
     "{'sheet':{'campaign':{'tax':'excluded'}},'offers':{'a':{'price':{'tax':'included'}}}}",
     "to_confirm", "tax_differs", "tax", NULL},
    {"700 h in one month",
     "{'sheet':{'campaign':{'hours':700}},'offers':{'a':{'plan':{'hours':null,'months':1}}}}",
     "to_confirm", "month_length", "month_hours", NULL},
    {"a price per hour over months",
     A("'plan':{'hours':null,'months':1,'renewal':null},'price':{'per':'hour','amount':'0.5'}"),
     "to_confirm", "month_length", "month_hours", NULL},
    {"too large to compute with", A("'price':{'amount':'9200000000000','upfront':'9200000000000'}"),
     "to_confirm", "overflow", "state_field", NULL},
};

#define CEILING(n, more) "{'sheet':{'campaign':{'ceiling':'" n "'}}" more "}"

static const struct plan_case ceilings[] = {
    {"exactly the ceiling", CEILING("141.42", ""), "admissible", "satisfied", "-", "list@1"},
    {"a micro-unit above", CEILING("141.419999", ""), "excluded", "over_ceiling", "-", "list@1"},
    {"above by its own words", CEILING("100", ",'offers':{'a':{" UNSOURCED "}}"), "excluded",
     "over_ceiling", "-", "-"},
    {"above, out of date", CEILING("100", "," EXPIRED_LIST), "excluded", "over_ceiling", "-",
     "list@1"},
    {"below by its own words", CEILING("200", ",'offers':{'a':{" UNSOURCED "}}"), "to_confirm",
     "unattested", "attest_field", NULL},
    {"below, out of date", CEILING("200", "," EXPIRED_LIST), "to_confirm", "expired",
     "price_in_date", "list@1"},
    {"unknown", CEILING("200", ",'offers':{'a':{'price':{'amount':null}}}"), "to_confirm",
     "cost_unknown", "state_field", NULL},
    {"doubted", CEILING("100", ",'offers':{'a':{" DOUBT("price.amount") "}}"), "to_confirm",
     "import_finding", "import_cell", NULL},
    {"disputed", CEILING("100", "," FACTS("'price':{'amount':'49'}")), "to_confirm",
     "evidence_conflict", "resolve_conflict", NULL},
    {"above at an expired rate",
     CEILING("100", "," IN_EUR ",'evidence':{" RATE("r", "1.1", GONE) "}"), "to_confirm", "expired",
     "exchange_rate", "r@1"},
    {"above at a rate in date",
     CEILING("100", "," IN_EUR ",'evidence':{" RATE("r", "1.1", SOON) "}"), "excluded",
     "over_ceiling", "-", "r@1"},
    {"above with tax that is not to be compared",
     "{'sheet':{'campaign':{'ceiling':'100','tax':'excluded'}},"
     "'offers':{'a':{'price':{'tax':'included'}}}}",
     "to_confirm", "tax_differs", "tax", NULL},
    {"above only if the month is short",
     "{'sheet':{'campaign':{'hours':700,'ceiling':'400'}},"
     "'offers':{'a':{'plan':{'hours':null,'months':1},'price':{'amount':'330'}}}}",
     "to_confirm", "month_length", "month_hours", NULL},
    {"a campaign without hours", "{'sheet':{'campaign':{'hours':null,'ceiling':'100'}}}",
     "to_confirm", "cost_unknown", "sheet_field", NULL},
};

#define COMMITMENT(name, result) \
  "'" name "':{'kind':'delivery_commitment','observed_at':'2026-11-29T00:00:00Z'," \
  "'valid_until':'2027-01-01T00:00:00Z','scope':{'offer':'a'},'result':{" result "}}"
#define START(pieces) \
  "{'sheet':{'campaign':{'start_by':'2026-12-20T00:00:00Z'}},'evidence':{" pieces "}}"

static const struct plan_case schedules[] = {
    {"on the day", START(COMMITMENT("d", "'date':'2026-12-20T00:00:00Z'")), "admissible",
     "satisfied", "-", "d@1"},
    {"lead time from as_of", START(COMMITMENT("d", "'lead_time_hours':456")), "admissible",
     "satisfied", "-", "d@1"},
    {"held running", START(COMMITMENT("d", "'held':true")), "admissible", "satisfied", "-", "d@1"},
    {"enough lots", START(COMMITMENT("d", "'date':'2026-12-20T00:00:00Z','quantity':1")),
     "admissible", "satisfied", "-", "d@1"},
    {"nothing documented", START(""), "to_confirm", "undocumented", "delivery_commitment", "-"},
    {"the offer's own date is no document",
     "{'sheet':{'campaign':{'start_by':'2026-12-20T00:00:00Z'}},"
     "'offers':{'a':{'schedule':{'kind':'documented','date':'2026-12-02T00:00:00Z'}}}}",
     "to_confirm", "undocumented", "delivery_commitment", "-"},
    {"too few lots",
     "{'sheet':{'placement':{'devices':2,'strategy':'tensor_parallel'},"
     "'campaign':{'start_by':'2026-12-20T00:00:00Z'}},'evidence':{" COMMITMENT(
         "d", "'date':'2026-12-10T00:00:00Z','quantity':1") "}}",
     "to_confirm", "undocumented", "delivery_commitment", "-"},
    {"out of date",
     START("'d':{'kind':'delivery_commitment','observed_at':'2026-11-01T00:00:00Z',"
           "'valid_until':'2026-11-30T00:00:00Z','scope':{'offer':'a'},"
           "'result':{'date':'2026-12-10T00:00:00Z'}}"),
     "to_confirm", "expired", "delivery_commitment", "d@1"},
    {"out of date and too late excludes nothing",
     START("'d':{'kind':'delivery_commitment','observed_at':'2026-11-01T00:00:00Z',"
           "'valid_until':'2026-11-30T00:00:00Z','scope':{'offer':'a'},"
           "'result':{'date':'2027-12-10T00:00:00Z'}}"),
     "to_confirm", "expired", "delivery_commitment", "d@1"},
    {"two that disagree",
     START(COMMITMENT("d", "'date':'2026-12-10T00:00:00Z'") "," COMMITMENT(
         "e", "'date':'2026-12-30T00:00:00Z'")),
     "to_confirm", "evidence_conflict", "resolve_conflict", "e@1"},
    {"a later promise for more lots is another promise",
     START(COMMITMENT("d", "'date':'2026-12-10T00:00:00Z','quantity':1") "," COMMITMENT(
         "e", "'date':'2026-12-30T00:00:00Z','quantity':4")),
     "admissible", "satisfied", "-", "d@1"},
    {"committed later", START(COMMITMENT("d", "'date':'2026-12-20T00:00:01Z'")), "excluded",
     "too_late", "-", "d@1"},
    {"lead time too long", START(COMMITMENT("d", "'lead_time_hours':457")), "excluded", "too_late",
     "-", "d@1"},
    {"later by the offer's own words",
     "{'sheet':{'campaign':{'start_by':'2026-12-20T00:00:00Z'}},"
     "'offers':{'a':{'schedule':{'kind':'documented','date':'2026-12-21T00:00:00Z'}}}}",
     "excluded", "too_late", "-", "-"},
};

/* -- checking ------------------------------------------------------------------------------------
 */

static void check_condition(const struct plan_case *t, const struct crv_finding *f) {
  bool found = false;
  if (!strcmp(t->condition, "-")) {
    ck_assert_msg(f->n_conditions == 0, "%s: asks %s", t->name,
                  f->n_conditions ? crv_condition_text(f->conditions[0]) : "");
    return;
  }
  for (size_t i = 0; i < f->n_conditions; i++)
    found |= !strcmp(crv_condition_info(f->conditions[i]->code)->code, t->condition);
  ck_assert_msg(found, "%s: lacks condition %s (has %s)", t->name, t->condition,
                f->n_conditions ? crv_condition_text(f->conditions[0]) : "none");
}

static void check_cites(const struct plan_case *t, const struct crv_finding *f) {
  bool found = false;
  if (!t->cites) return;
  for (size_t i = 0; i < f->n_cited; i++) found |= !strcmp(f->cited[i]->ref, t->cites);
  if (!strcmp(t->cites, "-"))
    ck_assert_msg(f->n_cited == 0, "%s: cites %s", t->name, f->n_cited ? f->cited[0]->ref : "");
  else
    ck_assert_msg(found, "%s: does not cite %s", t->name, t->cites);
}

static void check(const char *criterion, const struct plan_case *t, size_t n) {
  for (size_t i = 0; i < n; i++) {
    struct world w;
    dt_world(&w, t[i].patch);
    const struct crv_finding *f = dt_finding(&w, "a", criterion);
    ck_assert_msg(!strcmp(crv_verdict_name(f->verdict), t[i].verdict), "%s %s: %s (%s)", criterion,
                  t[i].name, crv_verdict_name(f->verdict), crv_reason_info(f->reason)->code);
    ck_assert_msg(!strcmp(crv_reason_info(f->reason)->code, t[i].reason), "%s %s: %s", criterion,
                  t[i].name, crv_reason_info(f->reason)->code);
    ck_assert_msg(f->verdict != CRV_EXCLUDED || f->resolvable, "%s %s", criterion, t[i].name);
    ck_assert_msg((f->verdict == CRV_TO_CONFIRM) == (f->n_conditions > 0), "%s %s", criterion,
                  t[i].name);
    check_condition(&t[i], f);
    check_cites(&t[i], f);
    world_done(&w);
  }
}
#define CHECK(criterion, table) check(criterion, table, sizeof(table) / sizeof *(table))

START_TEST(duration) {
  CHECK("plan.duration", durations);
}
END_TEST
START_TEST(interruptible) {
  CHECK("plan.interruptible", interruptions);
}
END_TEST
START_TEST(cost_known) {
  CHECK("cost.known", known);
}
END_TEST
START_TEST(cost_ceiling) {
  CHECK("cost.ceiling", ceilings);
}
END_TEST
START_TEST(schedule) {
  CHECK("schedule", schedules);
}
END_TEST

/* -- what the tables do not show
 * -------------------------------------------------------------------- */

START_TEST(an_expired_price_keeps_its_value_and_is_marked) {
  struct world w;
  dt_world(&w, "{" EXPIRED_LIST "}");
  ck_assert_int_eq(dt_row(&w, "a")->cost.amount.v, 141420000);
  ck_assert(dt_finding(&w, "a", "cost.known")->expired);
  ck_assert(dt_finding(&w, "a", "plan.duration")->expired);
  world_done(&w);
}
END_TEST

START_TEST(criteria_are_off_when_the_sheet_does_not_ask) {
  static const struct {
    const char *patch, *criterion;
  } off[] = {{"{'sheet':{'campaign':null}}", "plan.duration"},
             {"{'sheet':{'campaign':null}}", "plan.interruptible"},
             {"{'sheet':{'campaign':null}}", "cost.known"},
             {"{}", "cost.ceiling"},
             {"{}", "schedule"}};
  for (size_t i = 0; i < sizeof off / sizeof *off; i++) {
    struct world w;
    dt_world(&w, off[i].patch);
    ck_assert_ptr_null(world_finding(dt_row(&w, "a"), off[i].criterion, NULL));
    world_done(&w);
  }
}
END_TEST

START_TEST(the_schedule_ranks_even_when_no_start_is_demanded) {
  struct world w;
  dt_world(&w, "{'evidence':{" COMMITMENT("d", "'date':'2026-12-10T00:00:00Z'") "}}");
  ck_assert(dt_row(&w, "a")->schedule.set);
  ck_assert_int_eq(dt_row(&w, "a")->schedule.v, INT64_C(1796860800000));
  ck_assert_str_eq(dt_row(&w, "a")->schedule_piece->ref, "d@1");
  world_done(&w);
}
END_TEST

START_TEST(undocumented_is_never_now) {
  struct world w;
  dt_world(&w, A("'schedule':{'kind':'documented','date':'2026-12-02T00:00:00Z'}"));
  ck_assert(!dt_row(&w, "a")->schedule.set);
  world_done(&w);
}
END_TEST

START_TEST(a_preference_and_a_stock_are_set_aside_under_schedule) {
  struct world w;
  dt_world(&w, START("'stock':{'kind':'stock_declaration','observed_at':'2026-11-29T00:00:00Z',"
                     "'scope':{'offer':'a'},'result':{'text':'5'}},"
                     "'wish':{'kind':'order_preference','observed_at':'2026-11-29T00:00:00Z',"
                     "'scope':{'offer':'a'},'result':{'text':'ubuntu'}}"));
  const struct crv_finding *f = dt_finding(&w, "a", "schedule");
  ck_assert_int_eq(f->verdict, CRV_TO_CONFIRM);
  ck_assert_uint_eq(f->n_aside, 2);
  for (size_t i = 0; i < 2; i++) ck_assert_int_eq(f->aside[i].why, CRV_ASIDE_WRONG_KIND);
  world_done(&w);
}
END_TEST

START_TEST(too_few_lots_are_out_of_scope_by_quantity) {
  struct world w;
  dt_world(&w, schedules[6].patch);
  const struct crv_finding *f = dt_finding(&w, "a", "schedule");
  ck_assert_uint_eq(f->n_aside, 1);
  ck_assert_int_eq(f->aside[0].why, CRV_ASIDE_OUT_OF_SCOPE);
  ck_assert_str_eq(f->aside[0].dimension, "quantity_short");
  world_done(&w);
}
END_TEST

START_TEST(one_document_is_asked_for_once) {
  struct world w;
  dt_world(&w, A(UNSOURCED));
  ck_assert_uint_eq(dt_finding(&w, "a", "cost.known")->n_conditions, 1);
  world_done(&w);
}
END_TEST

int main(void) {
  Suite *s = suite_create("plan");
  TCase *t = tcase_create("plan");
  tcase_add_test(t, duration);
  tcase_add_test(t, interruptible);
  tcase_add_test(t, cost_known);
  tcase_add_test(t, cost_ceiling);
  tcase_add_test(t, schedule);
  tcase_add_test(t, an_expired_price_keeps_its_value_and_is_marked);
  tcase_add_test(t, criteria_are_off_when_the_sheet_does_not_ask);
  tcase_add_test(t, the_schedule_ranks_even_when_no_start_is_demanded);
  tcase_add_test(t, undocumented_is_never_now);
  tcase_add_test(t, a_preference_and_a_stock_are_set_aside_under_schedule);
  tcase_add_test(t, too_few_lots_are_out_of_scope_by_quantity);
  tcase_add_test(t, one_document_is_asked_for_once);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
