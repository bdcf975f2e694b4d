/* core/decide/cost and rates: the package's cost to the micro-unit, and what is unknown stays so.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "tests/unit/decidetest.h"

#define NONE INT64_MIN

/* patch of the base world -> the cost of offer "a". amount in micro, NONE: unknown. */
struct cost_case {
  const char *name, *patch;
  int64_t amount, lots, periods, paid, idle;
};

#define PRICE(fields) "{'offers':{'a':{'price':{" fields "}}}}"
#define PLAN(plan, price) "{'offers':{'a':{'plan':" plan ",'price':{" price "}}}}"
#define PLACED(n, lot, more) \
  "{'sheet':{'placement':{'devices':" #n ",'strategy':'tensor_parallel'}}," \
  "'offers':{'a':{'lot':{'devices':" #lot "}" more "}}}"

static const struct cost_case plans[] = {
    {"three days, three periods", "{}", 141420000, 1, 3, 216, 0},
    {"by the hour without plan hours",
     PLAN("{'hours':null,'renewal':null}", "'amount':'0.78','per':'hour'"), 131040000, 1, 168, 168,
     0},
    {"by the hour with plan hours", PLAN("{'hours':24}", "'amount':'0.78','per':'hour'"), 131040000,
     1, 7, 168, 0},
    {"one month", PLAN("{'hours':null,'months':1}", "'amount':'330'"), 330000000, 1, 1, 672, 0},
    {"one period to the hour", PLAN("{'hours':168}", "'amount':'100'"), 100000000, 1, 1, 168, 0},
    {"one hour too many", PLAN("{'hours':167}", "'amount':'100'"), 200000000, 1, 2, 334, 0},
    {"a minimum above the campaign",
     PLAN("{'hours':null,'renewal':null,'minimum_hours':500}", "'amount':'1','per':'hour'"),
     500000000, 1, 500, 500, 0},
    {"a minimum below the campaign",
     PLAN("{'hours':null,'renewal':null,'minimum_hours':100}", "'amount':'1','per':'hour'"),
     168000000, 1, 168, 168, 0},
    {"a price per hour over a month is counted at 744 hours",
     PLAN("{'hours':null,'months':1}", "'amount':'0.5','per':'hour'"), 372000000, 1, 1, 672, 0},
    {"700 hours in months: the larger count is shown",
     "{'sheet':{'campaign':{'hours':700}},"
     "'offers':{'a':{'plan':{'hours':null,'months':1},'price':{'amount':'330'}}}}",
     660000000, 1, 2, 1344, 0},
    {"a micro-unit is kept", PRICE("'amount':'0.000001'"), 3, 1, 3, 216, 0},
};

static const struct cost_case lots[] = {
    {"two devices in lots of one", PLACED(2, 1, ""), 282840000, 2, 3, 216, 0},
    {"two devices in one lot", PLACED(2, 2, ""), 141420000, 1, 3, 216, 0},
    {"two devices in a lot of eight, six idle", PLACED(2, 8, ""), 141420000, 1, 3, 216, 6},
    {"per device: all of the lot are paid", PLACED(2, 8, ",'price':{'basis':'per_device'}"),
     1131360000, 1, 3, 216, 6},
    {"three devices in lots of two", PLACED(3, 2, ""), 282840000, 2, 3, 216, 1},
    {"upfront and one_off once, whatever the lots",
     PLACED(2, 1, ",'price':{'upfront':'10','one_off':'0.5'}"), 293340000, 2, 3, 216, 0},
    {"extras per order, lot, period and hour",
     PLACED(2, 1,
            ",'price':{'extras':[{'item':'o','amount':'1','per':'order'},"
            "{'item':'l','amount':'1','per':'lot'},{'item':'p','amount':'1','per':'period'},"
            "{'item':'h','amount':'0.01','per':'hour'}]}"),
     282840000 + 1000000 + 2000000 + 6000000 + 4320000, 2, 3, 216, 0},
    {"a lot of one needs no basis", PRICE("'basis':null"), 141420000, 1, 3, 216, 0},
    {"a plan of one hour needs no per",
     PLAN("{'hours':1,'renewal':null}", "'amount':'1','per':null"), 168000000, 1, 168, 168, 0},
};

static void check_cost(const struct cost_case *t) {
  struct world w;
  dt_world(&w, t->patch);
  const struct crv_cost *k = &dt_row(&w, "a")->cost;
  ck_assert_msg(k->amount.set == (t->amount != NONE) &&
                    (!k->amount.set || k->amount.v == t->amount),
                "%s: %lld", t->name, (long long)k->amount.v);
  ck_assert_msg(k->lots == t->lots && k->periods == t->periods && k->idle_devices == t->idle,
                "%s: lots %lld periods %lld idle %lld", t->name, (long long)k->lots,
                (long long)k->periods, (long long)k->idle_devices);
  ck_assert_msg(k->paid_hours.v == t->paid, "%s: paid %lld", t->name, (long long)k->paid_hours.v);
  world_done(&w);
}

START_TEST(plans_cover_the_campaign) {
  for (size_t i = 0; i < sizeof plans / sizeof *plans; i++) check_cost(&plans[i]);
}
END_TEST

START_TEST(lots_devices_and_extras_count_as_they_are_bought) {
  for (size_t i = 0; i < sizeof lots / sizeof *lots; i++) check_cost(&lots[i]);
}
END_TEST

/* -- unknown parts ------------------------------------------------------------------------------
 */

static const struct {
  const char *patch, *parts[3];
} unknowns[] = {
    {PRICE("'amount':null"), {"price.amount"}},
    {PRICE("'currency':null"), {"price.currency"}},
    {PRICE("'per':null"), {"price.per"}},
    {"{'offers':{'a':{'price':null}}}", {"price.per", "price.amount", "price.currency"}},
    {"{'offers':{'a':{'plan':{'hours':null}}}}", {"plan.hours"}},
    {"{'offers':{'a':{'lot':null}}}", {"lot.devices"}},
    {"{'offers':{'a':{'lot':{'devices':2},'price':{'basis':null}}}}", {"price.basis"}},
    {PRICE("'extras':[{'item':'setup','per':'order'}]"), {"price.extras (setup)"}},
    {PRICE("'currency':'EUR'"), {"exchange_rate"}},
};

static bool names(const struct crv_list *list, const char *part) {
  for (size_t i = 0; i < list->n; i++)
    if (!strcmp(*crv_list_at(*list, const char *, i), part)) return true;
  return false;
}

START_TEST(a_part_without_value_leaves_the_cost_unknown_and_is_named) {
  for (size_t i = 0; i < sizeof unknowns / sizeof *unknowns; i++) {
    struct world w;
    dt_world(&w, unknowns[i].patch);
    const struct crv_cost *k = &dt_row(&w, "a")->cost;
    ck_assert_msg(!k->amount.set, "%s", unknowns[i].parts[0]);
    for (size_t p = 0; p < 3 && unknowns[i].parts[p]; p++)
      ck_assert_msg(names(&k->unknown, unknowns[i].parts[p]), "%s", unknowns[i].parts[p]);
    world_done(&w);
  }
}
END_TEST

START_TEST(without_campaign_hours_the_price_of_one_period_is_shown) {
  struct world w;
  dt_world(&w, "{'sheet':{'campaign':null},'offers':{'a':{'price':{'upfront':'9'}}}}");
  const struct crv_cost *k = &dt_row(&w, "a")->cost;
  ck_assert(k->no_campaign && k->amount.set && !k->used_hours.set && !k->paid_hours.set);
  ck_assert_int_eq(k->amount.v, 47140000);
  ck_assert_str_eq(k->currency, "USD");
  world_done(&w);
}
END_TEST

START_TEST(a_value_that_only_a_piece_states_counts) {
  struct world w;
  dt_world(&w, "{'offers':{'a':{'price':{'amount':null}}},'evidence':{'quote':{"
               "'kind':'commercial_sheet','observed_at':'2026-11-29T00:00:00Z',"
               "'valid_until':'2027-01-01T00:00:00Z','scope':{'offer':'a'},"
               "'result':{'facts':{'price':{'amount':'50'}}}}}}");
  const struct crv_cost *k = &dt_row(&w, "a")->cost;
  ck_assert(k->amount.set);
  ck_assert_int_eq(k->amount.v, 150000000);
  world_done(&w);
}
END_TEST

START_TEST(too_large_a_package_is_no_number) {
  static const char *const patches[] = {
      "{'sheet':{'campaign':{'hours':1000000}},'offers':{'a':{'plan':{'hours':1},"
      "'price':{'amount':'9200000000000'}}}}",
      "{'offers':{'a':{'price':{'amount':'9200000000000','upfront':'9200000000000'}}}}",
      "{'sheet':{'campaign':{'hours':1}},'offers':{'a':{'lot':{'devices':1048576},"
      "'price':{'amount':'9200000000000','basis':'per_device'}}}}",
  };
  for (size_t i = 0; i < sizeof patches / sizeof *patches; i++) {
    struct world w;
    dt_world(&w, patches[i]);
    const struct crv_cost *k = &dt_row(&w, "a")->cost;
    ck_assert_msg(!k->amount.set && k->overflow, "%zu", i);
    const struct crv_finding *f = dt_finding(&w, "a", "cost.known");
    ck_assert_int_eq(f->verdict, CRV_TO_CONFIRM);
    ck_assert_int_eq(f->reason, CRV_REASON_OVERFLOW);
    ck_assert_uint_ge(f->n_conditions, 1);
    world_done(&w);
  }
}
END_TEST

/* -- rates
 * ----------------------------------------------------------------------------------------- */

#define RATE(from, to, rate, until) \
  "{'kind':'exchange_rate','observed_at':'2026-11-30T00:00:00Z','valid_until':'" until \
  "','scope':{'from':'" from "','to':'" to "'},'result':{'rate':'" rate "'}}"
#define SOON "2026-12-15T00:00:00Z"
#define GONE "2026-11-30T12:00:00Z"
#define IN_EUR "'offers':{'a':{'plan':{'hours':168},'price':{'currency':'EUR','amount':'50'}}}"

static const struct {
  const char *name, *patch;
  int64_t amount;
  const char *rate;
  bool inverse, expired, conflict;
} rates[] = {
    {"none", "{" IN_EUR "}", NONE, NULL, false, false, false},
    {"direct", "{" IN_EUR ",'evidence':{'r':" RATE("EUR", "USD", "1.1", SOON) "}}", 55000000, "r",
     false, false, false},
    {"inverse is a quotient, half up",
     "{" IN_EUR ",'evidence':{'r':" RATE("USD", "EUR", "0.9", SOON) "}}", 55555556, "r", true,
     false, false},
    {"direct goes before inverse",
     "{" IN_EUR ",'evidence':{'a-inverse':" RATE("USD", "EUR", "0.9",
                                                 SOON) ",'r':" RATE("EUR", "USD", "1.1", SOON) "}}",
     55000000, "r", false, false, false},
    {"half up at the last place",
     "{'offers':{'a':{'plan':{'hours':168},'price':{'currency':'EUR','amount':'0.000001'}}},"
     "'evidence':{'r':" RATE("EUR", "USD", "0.5", SOON) "}}",
     1, "r", false, false, false},
    {"expired keeps its value", "{" IN_EUR ",'evidence':{'r':" RATE("EUR", "USD", "1.1", GONE) "}}",
     55000000, "r", false, true, false},
    {"in date goes before expired",
     "{" IN_EUR ",'evidence':{'old':" RATE("EUR", "USD", "9", GONE) ",'r':" RATE("EUR", "USD",
                                                                                 "1.1", SOON) "}}",
     55000000, "r", false, false, false},
    {"two that differ",
     "{" IN_EUR ",'evidence':{'r':" RATE("EUR", "USD", "1.1", SOON) ",'r2':" RATE("EUR", "USD",
                                                                                  "1.2", SOON) "}}",
     NONE, "r", false, false, true},
    {"two that agree",
     "{" IN_EUR ",'evidence':{'r':" RATE("EUR", "USD", "1.1",
                                         SOON) ",'r2':" RATE("EUR", "USD", "1.10", SOON) "}}",
     55000000, "r", false, false, false},
    {"only those that the sheet lists",
     "{'sheet':{'campaign':{'rates':['r2']}}," IN_EUR ",'evidence':{'r':" RATE(
         "EUR", "USD", "1.1", SOON) ",'r2':" RATE("EUR", "USD", "1.2", SOON) "}}",
     60000000, "r2", false, false, false},
    {"another pair is no rate", "{" IN_EUR ",'evidence':{'r':" RATE("EUR", "GBP", "1.1", SOON) "}}",
     NONE, NULL, false, false, false},
};

START_TEST(rates_come_from_pieces_alone) {
  for (size_t i = 0; i < sizeof rates / sizeof *rates; i++) {
    struct world w;
    dt_world(&w, rates[i].patch);
    const struct crv_cost *k = &dt_row(&w, "a")->cost;
    ck_assert_msg(k->amount.set == (rates[i].amount != NONE), "%s", rates[i].name);
    if (k->amount.set)
      ck_assert_msg(k->amount.v == rates[i].amount, "%s: %lld", rates[i].name,
                    (long long)k->amount.v);
    ck_assert_msg((k->rate != NULL) == (rates[i].rate != NULL), "%s", rates[i].name);
    if (k->rate) ck_assert_str_eq(k->rate->key, rates[i].rate);
    ck_assert_int_eq(k->rate_inverse, rates[i].inverse);
    ck_assert_int_eq(k->rate_expired, rates[i].expired);
    ck_assert_msg((k->rate_other != NULL) == rates[i].conflict, "%s", rates[i].name);
    ck_assert_str_eq(k->original_currency, "EUR");
    ck_assert_str_eq(k->currency, "USD");
    ck_assert(k->original.set);
    world_done(&w);
  }
}
END_TEST

START_TEST(items_show_what_the_cost_is_made_of) {
  struct world w;
  dt_world(&w, PLACED(2, 1,
                      ",'price':{'upfront':'10','extras':[{'item':'setup','amount':'1',"
                      "'per':'lot'}]}"));
  const struct crv_cost *k = &dt_row(&w, "a")->cost;
  static const struct {
    const char *item;
    int64_t unit, times, amount;
  } want[] = {{"plan", 47140000, 6, 282840000},
              {"upfront", 10000000, 1, 10000000},
              {"setup", 1000000, 2, 2000000}};
  ck_assert_uint_eq(k->items.n, 3);
  for (size_t i = 0; i < 3; i++) {
    const struct crv_cost_item *it = crv_list_at(k->items, struct crv_cost_item, i);
    ck_assert_str_eq(it->item, want[i].item);
    ck_assert_int_eq(it->unit.v, want[i].unit);
    ck_assert_int_eq(it->times, want[i].times);
    ck_assert_int_eq(it->amount.v, want[i].amount);
  }
  ck_assert_int_eq(k->used_hours.v, 168);
  ck_assert_uint_eq(k->unknown.n, 0);
  world_done(&w);
}
END_TEST

int main(void) {
  Suite *s = suite_create("cost");
  TCase *t = tcase_create("cost");
  tcase_add_test(t, plans_cover_the_campaign);
  tcase_add_test(t, lots_devices_and_extras_count_as_they_are_bought);
  tcase_add_test(t, a_part_without_value_leaves_the_cost_unknown_and_is_named);
  tcase_add_test(t, without_campaign_hours_the_price_of_one_period_is_shown);
  tcase_add_test(t, a_value_that_only_a_piece_states_counts);
  tcase_add_test(t, too_large_a_package_is_no_number);
  tcase_add_test(t, rates_come_from_pieces_alone);
  tcase_add_test(t, items_show_what_the_cost_is_made_of);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
