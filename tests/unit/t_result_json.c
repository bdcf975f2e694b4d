/* core/decide/{result_json,row_json,json_parts,current}: the answer's shape, what stays out. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "tests/unit/decidetest.h"

/* A value at a dotted path; digits enter lists. NULL: none. */
static json_t *at(json_t *j, const char *path) {
  while (j && *path) {
    char name[64];
    size_t n = strcspn(path, "/");
    memcpy(name, path, n);
    name[n] = '\0';
    j = json_is_array(j) ? json_array_get(j, (size_t)strtoul(name, NULL, 10))
                         : json_object_get(j, name);
    path += n + (path[n] == '/');
  }
  return j;
}

static void text_is(json_t *j, const char *path, const char *want) {
  const char *have = json_string_value(at(j, path));
  ck_assert_msg(have && !strcmp(have, want), "%s: %s", path, have ? have : "(no text)");
}
static void int_is(json_t *j, const char *path, int64_t want) {
  ck_assert_msg(json_is_integer(at(j, path)), "%s is no integer", path);
  ck_assert_msg(json_integer_value(at(j, path)) == want, "%s: %lld", path,
                (long long)json_integer_value(at(j, path)));
}
static void null_at(json_t *j, const char *path) {
  ck_assert_msg(json_is_null(at(j, path)), "%s is not null", path);
}
static void size_is(json_t *j, const char *path, size_t want) {
  json_t *v = at(j, path);
  size_t n = json_is_array(v) ? json_array_size(v) : json_object_size(v);
  ck_assert_msg(v && n == want, "%s has %zu", path, n);
}
static void absent(json_t *j, const char *path) {
  ck_assert_msg(!at(j, path), "%s is there", path);
}

static json_t *finding_of(json_t *row, const char *criterion) {
  size_t i;
  json_t *f;
  json_array_foreach(
      json_object_get(row, "criteria"), i,
      f) if (!strcmp(json_string_value(json_object_get(f, "criterion")), criterion)) return f;
  ck_abort_msg("no finding %s", criterion);
}

/* A second, cheaper offer of an unmeasured card. */
#define CHEAP \
  "'b':{'supplier':'s','supplier_ref':'y','region':'eu'," \
  "'device':{'name':'RTX 4090','model':'nvidia/rtx-4090','memory_nominal':'24 GB'}," \
  "'lot':{'devices':1},'plan':{'hours':168,'interruptible':false}," \
  "'price':{'amount':'100','currency':'USD','basis':'per_lot','per':'plan'}," \
  "'source':{'evidence':'list@1'}}"

START_TEST(a_shortlist_has_the_fields_of_the_page) {
  struct world w;
  dt_world(&w, "{'offers':{" CHEAP "}}");
  _json_ json_t *j = crv_shortlist_json(&w.list);
  ck_assert_ptr_nonnull(j);
  text_is(j, "outcome", "retained");
  text_is(j, "headline", w.list.headline);
  int_is(j, "counts/retained", 1);
  int_is(j, "counts/to_confirm", 1);
  int_is(j, "counts/excluded", 0);
  int_is(j, "shown/retained", 1);
  int_is(j, "shown/preselection", 1);
  int_is(j, "budget/weights_bytes", 14000000000);
  int_is(j, "funnel/0/before", 2);
  text_is(j, "retained/0/offer", "a");
  text_is(j, "retained/0/status", "admissible");
  text_is(j, "preselection/0/status", "to_confirm");
  int_is(j, "preselection/0/rank", 1);
  int_is(j, "preselection/0/version", 1);
  text_is(j, "retained/0/cost/amount", "141.42");
  text_is(j, "retained/0/cost/currency", "USD");
  int_is(j, "retained/0/cost/lots", 1);
  int_is(j, "retained/0/cost/periods", 3);
  text_is(j, "retained/0/cost/items/0/item", "plan");
  int_is(j, "retained/0/margin_bytes", 48000000000 - (INT64_C(20) << 30));
  text_is(j, "retained/0/margin_from/capacity", "nominal_decimal");
  text_is(j, "retained/0/margin_from/demand", "measured_peak");
  null_at(j, "retained/0/schedule");
  null_at(j, "retained/0/decided_by");
  ck_assert_uint_gt(json_array_size(at(j, "retained/0/pins")), 0);
  ck_assert_uint_gt(json_array_size(at(j, "retained/0/before_order")), 0);
  ck_assert_uint_gt(json_array_size(at(j, "invalidated_by")), 0);
  absent(j, "retained/0/conditions");
  text_is(j, "waivers/0/why", "a draft assistant");
  size_is(j, "excluded/nearest", 0);
  static const char *const kept_out[] = {"decision", "as_of",         "decided_at", "holds_until",
                                         "digest",   "result_digest", "catalogue",  "evidence"};
  for (size_t i = 0; i < sizeof kept_out / sizeof *kept_out; i++) absent(j, kept_out[i]);
  world_done(&w);
}
END_TEST

START_TEST(short_rows_keep_of_an_admissible_criterion_verdict_and_pieces) {
  struct world w;
  dt_world(&w, "{'offers':{" CHEAP "}}");
  _json_ json_t *j = crv_shortlist_json(&w.list);
  json_t *good = finding_of(at(j, "retained/0"), "memory.peak");
  text_is(good, "verdict", "admissible");
  text_is(good, "evidence/0", "run@1");
  ck_assert_uint_eq(json_object_size(good), 3);
  json_t *open = finding_of(at(j, "preselection/0"), "memory.peak");
  text_is(open, "verdict", "to_confirm");
  text_is(open, "reason", "no_evidence");
  null_at(open, "observed");
  size_is(open, "evidence", 0);
  ck_assert(json_is_true(at(open, "resolvable")));
  ck_assert_uint_gt(json_object_size(at(open, "demanded")), 0);
  const char *id = json_string_value(at(open, "conditions/0"));
  ck_assert_uint_eq(strlen(id), 12);
  text_is(j, "preselection/0/conditions/0/id", id);
  text_is(j, "preselection/0/conditions/0/code", "run_limit_stage");
  text_is(j, "preselection/0/conditions/0/ask", "engineer");
  text_is(j, "preselection/0/conditions/0/settled_by/0", "protocol_run");
  int_is(j, "preselection/0/conditions/0/params/length", 8192);
  ck_assert_uint_gt(strlen(json_string_value(at(j, "preselection/0/conditions/0/text"))), 20);
  text_is(j, "actions/0/conditions/0", id);
  text_is(j, "conditions/0/id", id);
  world_done(&w);
}
END_TEST

START_TEST(a_full_row_says_everything) {
  struct world w;
  dt_world(&w, NULL);
  _json_ json_t *row = crv_row_json(&w.list, dt_row(&w, "a"), true);
  json_t *f = finding_of(row, "memory.peak");
  text_is(f, "reason", "satisfied");
  ck_assert_uint_gt(json_object_size(at(f, "observed")), 0);
  ck_assert_uint_gt(json_array_size(at(f, "pins")), 0);
  size_is(f, "set_aside", 0);
  absent(f, "resolvable");
  world_done(&w);
}
END_TEST

START_TEST(set_aside_names_piece_reason_and_dimension) {
  struct world w;
  dt_world(&w, "{'evidence':{'run':{'scope':{'concurrency':4}}}}");
  _json_ json_t *j = crv_shortlist_json(&w.list);
  json_t *f = finding_of(at(j, "preselection/0"), "memory.peak");
  text_is(f, "reason", "out_of_scope");
  text_is(f, "set_aside/0/evidence", "run@1");
  text_is(f, "set_aside/0/why", "out_of_scope");
  text_is(f, "set_aside/0/dimension", "concurrency_short");
  world_done(&w);
}
END_TEST

START_TEST(figures_of_a_private_piece_stay_out) {
  struct world w;
  dt_world(&w, "{'sheet':{'campaign':{'start_by':'2026-12-20T00:00:00Z'}},"
               "'evidence':{'run':{'private':true},"
               "'d':{'kind':'delivery_commitment','observed_at':'2026-11-29T00:00:00Z',"
               "'private':true,'scope':{'offer':'a'},'result':{'date':'2026-12-10T00:00:00Z'}}}}");
  _json_ json_t *row = crv_row_json(&w.list, dt_row(&w, "a"), true);
  json_t *f = finding_of(row, "memory.peak");
  ck_assert(json_is_true(at(f, "observed/private")));
  size_is(f, "observed", 1);
  text_is(f, "evidence/0", "run@1");
  null_at(row, "schedule");
  text_is(row, "schedule_evidence", "d@1");
  _json_ json_t *date = crv_row_json(&w.list, dt_row(&w, "a"), true);
  _free_ char *all = crv_json_compact(date);
  ck_assert_ptr_null(strstr(all, "2026-12-10"));
  world_done(&w);
}
END_TEST

/* 20 GiB measured, 49140 MiB declared: neither they nor their difference show anywhere. */
START_TEST(nothing_that_follows_from_private_pieces_tells_their_figures) {
  static const char *const secrets[] = {"21474836480", "51527024640", "30052188160"};
  struct world w;
  dt_world(&w,
           "{'sheet':{'current':'b'},'offers':{" CHEAP "},'evidence':{'run':{'private':true},"
           "'report':{'kind':'device_report','observed_at':'2026-11-29T00:00:00Z','private':true,"
           "'scope':{'device':'nvidia/rtx-6000-ada'},'result':{'declared_bytes':'49140 MiB'}}}}");
  const struct crv_row *row = dt_row(&w, "a");
  ck_assert_int_eq(row->margin_bytes.v, INT64_C(30052188160));
  _json_ json_t *list = crv_shortlist_json(&w.list);
  _json_ json_t *full = crv_row_json(&w.list, row, true);
  _free_ char *in_list = crv_json_compact(list), *in_row = crv_json_compact(full);
  for (size_t i = 0; i < sizeof secrets / sizeof *secrets; i++) {
    ck_assert_msg(!strstr(in_list, secrets[i]), "the list tells %s", secrets[i]);
    ck_assert_msg(!strstr(in_row, secrets[i]), "the row tells %s", secrets[i]);
  }
  ck_assert_ptr_null(strstr(w.list.headline, "margin"));
  ck_assert(json_is_true(at(full, "margin_from/private")));
  world_done(&w);
}
END_TEST

/* What is asked for an offer that a private report leaves short does not tell the report's bytes.
 */
START_TEST(a_condition_does_not_tell_a_private_capacity) {
  struct world w;
  dt_world(&w, "{'evidence':{'run':null,'report':{'kind':'device_report',"
               "'observed_at':'2026-11-29T00:00:00Z','private':true,"
               "'scope':{'device':'nvidia/rtx-6000-ada'},"
               "'result':{'declared_bytes':'49140 MiB'}}}}");
  _json_ json_t *full = crv_row_json(&w.list, dt_row(&w, "a"), true);
  _free_ char *all = crv_json_compact(full);
  ck_assert_ptr_null(strstr(all, "51527024640"));
  world_done(&w);
}
END_TEST

START_TEST(what_the_sheet_lacks_is_a_criterion_by_the_field_s_name) {
  struct world w;
  dt_world(&w, "{'sheet':{'quality_waived':null}}");
  _json_ json_t *row = crv_row_json(&w.list, dt_row(&w, "a"), false);
  text_is(finding_of(row, "sheet.quality_missing"), "reason", "field_missing");
  world_done(&w);
}
END_TEST

START_TEST(the_limit_counts_retained_rows_first) {
  struct world w;
  dt_world(&w, "{'offers':{" CHEAP "}}");
  w.question.limit = 1;
  _json_ json_t *j = crv_shortlist_json(&w.list);
  size_is(j, "retained", 1);
  size_is(j, "preselection", 0);
  int_is(j, "shown/preselection", 0);
  int_is(j, "counts/to_confirm", 1);
  world_done(&w);
}
END_TEST

START_TEST(decided_by_gives_money_as_text_with_its_unit) {
  struct world w;
  dt_world(&w, "{'evidence':{'run':null},'offers':{" CHEAP "}}");
  _json_ json_t *j = crv_shortlist_json(&w.list);
  text_is(j, "preselection/0/offer", "b");
  text_is(j, "preselection/0/decided_by/key", "cost");
  text_is(j, "preselection/0/decided_by/difference", "41.42");
  text_is(j, "preselection/0/decided_by/unit", "USD");
  text_is(j, "preselection/0/decided_by/over", "a");
  null_at(j, "preselection/1/decided_by");
  world_done(&w);
}
END_TEST

START_TEST(an_unknown_cost_is_null_with_its_parts_named) {
  struct world w;
  dt_world(&w, "{'offers':{'a':{'price':{'amount':null}}}}");
  _json_ json_t *j = crv_shortlist_json(&w.list);
  null_at(j, "preselection/0/cost/amount");
  text_is(j, "preselection/0/cost/currency", "USD");
  text_is(j, "preselection/0/cost/unknown/0", "price.amount");
  null_at(j, "preselection/0/cost/items/0/amount");
  world_done(&w);
}
END_TEST

START_TEST(both_amounts_stand_beside_the_rate) {
  struct world w;
  dt_world(&w, "{'offers':{'a':{'price':{'currency':'EUR'}}},'evidence':{'r':{"
               "'kind':'exchange_rate','observed_at':'2026-11-30T00:00:00Z',"
               "'valid_until':'2026-12-15T00:00:00Z','scope':{'from':'USD','to':'EUR'},"
               "'result':{'rate':'0.5'}}}}");
  _json_ json_t *j = crv_shortlist_json(&w.list);
  text_is(j, "retained/0/cost/amount", "282.84");
  text_is(j, "retained/0/cost/currency", "USD");
  text_is(j, "retained/0/cost/original_amount", "141.42");
  text_is(j, "retained/0/cost/original_currency", "EUR");
  text_is(j, "retained/0/cost/rate/evidence", "r@1");
  text_is(j, "retained/0/cost/rate/rate", "0.5");
  ck_assert(json_is_true(at(j, "retained/0/cost/rate/inverse")));
  world_done(&w);
}
END_TEST

/* -- the configuration in use
 * ------------------------------------------------------------------------ */

START_TEST(alternatives_stand_beside_the_offer_in_use) {
  struct world w;
  dt_world(&w, "{'sheet':{'current':'b'},'offers':{" CHEAP "}}");
  _json_ json_t *j = crv_shortlist_json(&w.list);
  text_is(j, "current/offer", "b");
  text_is(j, "current/status", "to_confirm");
  size_is(j, "alternatives", 1);
  text_is(j, "alternatives/0/offer", "a");
  text_is(j, "alternatives/0/status", "admissible");
  text_is(j, "alternatives/0/cost_difference", "41.42");
  int_is(j, "alternatives/0/conditions", 0);
  ck_assert(json_is_integer(at(j, "alternatives/0/margin_difference_bytes")) ||
            json_is_null(at(j, "alternatives/0/margin_difference_bytes")));
  world_done(&w);
}
END_TEST

START_TEST(an_excluded_or_absent_offer_in_use_still_has_alternatives) {
  struct world w;
  dt_world(&w, "{'sheet':{'current':'b'},'offers':{" CHEAP "}}");
  world_done(&w);
  dt_world(&w, "{'sheet':{'current':'b','campaign':{'hours':200}},'offers':{" CHEAP "}}");
  world_done(&w);
  dt_world(&w,
           "{'sheet':{'current':'a'},'offers':{'a':{'plan':{'interruptible':true}}," CHEAP "}}");
  _json_ json_t *excluded = crv_shortlist_json(&w.list);
  text_is(excluded, "current/status", "excluded");
  size_is(excluded, "alternatives", 1);
  text_is(excluded, "alternatives/0/cost_difference", "-41.42");
  world_done(&w);
  dt_world(&w, "{'sheet':{'current':'gone'},'offers':{" CHEAP "}}");
  _json_ json_t *gone = crv_shortlist_json(&w.list);
  text_is(gone, "current/status", "absent");
  size_is(gone, "alternatives", 2);
  null_at(gone, "alternatives/0/cost_difference");
  world_done(&w);
  dt_world(&w, NULL);
  _json_ json_t *none = crv_shortlist_json(&w.list);
  absent(none, "current");
  size_is(none, "alternatives", 0);
  world_done(&w);
}
END_TEST

START_TEST(nearest_misses_say_how_much_is_missing) {
  struct world w;
  dt_world(&w,
           "{'sheet':{'campaign':{'ceiling':'120'}},'offers':{"
           "'c':{'supplier':'s','supplier_ref':'z','device':{'name':'T4',"
           "'model':'nvidia/t4','memory_nominal':'12 GB'},'lot':{'devices':1},"
           "'plan':{'hours':168,'interruptible':false},'price':{'amount':'10',"
           "'currency':'USD','basis':'per_lot','per':'plan'},'source':{'evidence':'list@1'}}," CHEAP
           "}}");
  _json_ json_t *j = crv_shortlist_json(&w.list);
  int_is(j, "counts/excluded", 2);
  text_is(j, "excluded/nearest/0/offer", "c");
  text_is(j, "excluded/nearest/0/criterion", "memory.floor");
  int_is(j, "excluded/nearest/0/missing_bytes", 14000000000 - (INT64_C(12) << 30));
  text_is(j, "excluded/nearest/1/offer", "a");
  text_is(j, "excluded/nearest/1/criterion", "cost.ceiling");
  text_is(j, "excluded/nearest/1/missing", "21.42");
  text_is(j, "excluded/nearest/1/currency", "USD");
  int_is(j, "excluded/by_criterion/0/count", 1);
  world_done(&w);
}
END_TEST

/* T4s of several nominal sizes: c misses least, d most, e misses twice. */
#define SMALL(key, size, interruptible) \
  "'" key "':{'supplier':'s','device':{'name':'T4','model':'nvidia/t4','memory_nominal':'" size \
  "'},'lot':{'devices':1},'plan':{'hours':168,'interruptible':" interruptible \
  "},'price':{'amount':'10','currency':'USD','basis':'per_lot','per':'plan'}," \
  "'source':{'evidence':'list@1'}}"

START_TEST(a_plan_misses_by_the_term_that_is_too_short) {
  struct world w;
  dt_world(&w, "{'offers':{'a':{'plan':{'hours':160,'maximum_hours':100}}}}");
  _json_ json_t *j = crv_shortlist_json(&w.list);
  text_is(j, "excluded/nearest/0/criterion", "plan.duration");
  int_is(j, "excluded/nearest/0/missing", 68);
  world_done(&w);
}
END_TEST

START_TEST(fewest_exclusions_come_first_then_the_smallest_share) {
  struct world w;
  dt_world(&w, "{'offers':{" SMALL("d", "6 GB", "false") "," SMALL("e", "12 GB", "true") "," SMALL(
                   "c", "12 GB", "false") "}}");
  static const struct {
    const char *offer;
    int64_t exclusions;
  } want[] = {{"c", 1}, {"d", 1}, {"e", 2}};
  ck_assert_uint_eq(w.list.n_nearest, 3);
  for (size_t i = 0; i < 3; i++) {
    ck_assert_str_eq(w.list.nearest[i].row->rec->key, want[i].offer);
    ck_assert_int_eq(w.list.nearest[i].exclusions, want[i].exclusions);
  }
  /* of two exclusions the one that cannot be measured counts as the wider */
  ck_assert_int_eq(w.list.nearest[2].finding->criterion, CRV_CRIT_INTERRUPTIBLE);
  world_done(&w);
}
END_TEST

START_TEST(at_most_five_misses_are_named) {
  struct world w;
  dt_world(
      &w,
      "{'offers':{" SMALL("f", "4 GB", "false") "," SMALL("g", "5 GB", "false") "," SMALL(
          "h", "6 GB",
          "false") "," SMALL("i", "7 GB",
                             "false") "," SMALL("j", "8 GB",
                                                "false") "," SMALL("k", "9 GB",
                                                                   "false") "," SMALL("l", "10 GB",
                                                                                      "false") "}"
                                                                                               "}");
  static const char *const want[] = {"l", "k", "j", "i", "h"};
  ck_assert_uint_eq(w.list.n_nearest, 5);
  for (size_t i = 0; i < 5; i++) ck_assert_str_eq(w.list.nearest[i].row->rec->key, want[i]);
  world_done(&w);
}
END_TEST

START_TEST(the_funnel_ends_with_those_not_excluded) {
  struct world w;
  dt_world(&w, "{'sheet':{'campaign':{'ceiling':'120'}},'offers':{" CHEAP "}}");
  const struct crv_shortlist *s = &w.list;
  int64_t left = (int64_t)s->n_offers;
  for (size_t i = 0; i < s->n_funnel; i++) {
    ck_assert_int_eq(s->funnel[i].before, left);
    ck_assert_int_le(s->funnel[i].after, left);
    left = s->funnel[i].after;
  }
  ck_assert_int_eq(left, (int64_t)(s->n_retained + s->n_preselection));
  ck_assert_int_eq(left, 1);
  world_done(&w);
}
END_TEST

/* -- memory that ends
 * --------------------------------------------------------------------------------- */

static long left; /* allocations until one fails; negative: none fails */

static void *failing_malloc(size_t n) {
  if (left == 0) return NULL;
  if (left > 0) left--;
  return malloc(n);
}

START_TEST(a_row_is_whole_or_none_when_memory_ends) {
  struct world w;
  dt_world(&w, "{'offers':{" CHEAP "}}");
  const struct crv_row *row = dt_row(&w, "b");
  _json_ json_t *whole = crv_row_json(&w.list, row, true);
  _free_ char *want = crv_json_canonical(whole);
  long n = 0;
  for (bool done = false; !done; n++) {
    left = n;
    json_set_alloc_funcs(failing_malloc, free);
    json_t *j = crv_row_json(&w.list, row, true);
    done = left > 0;
    left = -1;
    json_set_alloc_funcs(malloc, free);
    _free_ char *have = j ? crv_json_canonical(j) : NULL;
    ck_assert_msg(!have || !strcmp(have, want), "half a row at %ld", n);
    ck_assert_msg(have || !done, "no row at %ld", n);
    json_decref(j);
  }
  ck_assert_int_gt(n, 100);
  world_done(&w);
}
END_TEST

START_TEST(nothing_in_the_answer_is_a_real) {
  struct world w;
  dt_world(&w, "{'sheet':{'current':'a','campaign':{'ceiling':'120'}},'offers':{" CHEAP "}}");
  _json_ json_t *j = crv_shortlist_json(&w.list);
  _free_ char *canonical = crv_json_canonical(j); /* NULL when a real is inside */
  ck_assert_ptr_nonnull(canonical);
  world_done(&w);
}
END_TEST

int main(void) {
  Suite *s = suite_create("result_json");
  TCase *t = tcase_create("result_json");
  tcase_add_test(t, a_shortlist_has_the_fields_of_the_page);
  tcase_add_test(t, short_rows_keep_of_an_admissible_criterion_verdict_and_pieces);
  tcase_add_test(t, a_full_row_says_everything);
  tcase_add_test(t, set_aside_names_piece_reason_and_dimension);
  tcase_add_test(t, figures_of_a_private_piece_stay_out);
  tcase_add_test(t, nothing_that_follows_from_private_pieces_tells_their_figures);
  tcase_add_test(t, a_condition_does_not_tell_a_private_capacity);
  tcase_add_test(t, what_the_sheet_lacks_is_a_criterion_by_the_field_s_name);
  tcase_add_test(t, a_plan_misses_by_the_term_that_is_too_short);
  tcase_add_test(t, the_limit_counts_retained_rows_first);
  tcase_add_test(t, decided_by_gives_money_as_text_with_its_unit);
  tcase_add_test(t, an_unknown_cost_is_null_with_its_parts_named);
  tcase_add_test(t, both_amounts_stand_beside_the_rate);
  tcase_add_test(t, alternatives_stand_beside_the_offer_in_use);
  tcase_add_test(t, an_excluded_or_absent_offer_in_use_still_has_alternatives);
  tcase_add_test(t, nearest_misses_say_how_much_is_missing);
  tcase_add_test(t, fewest_exclusions_come_first_then_the_smallest_share);
  tcase_add_test(t, at_most_five_misses_are_named);
  tcase_add_test(t, the_funnel_ends_with_those_not_excluded);
  tcase_add_test(t, a_row_is_whole_or_none_when_memory_ends);
  tcase_add_test(t, nothing_in_the_answer_is_a_real);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
