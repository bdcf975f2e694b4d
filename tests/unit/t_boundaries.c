/* core/decide/boundaries: the instants between which an answer stays the same. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "tests/unit/decidetest.h"

static int64_t at(const char *time) {
  int64_t ms;
  struct crv_unit_err ue;
  if (!crv_time_parse(time, strlen(time), &ms, &ue)) abort();
  return ms;
}

/* last and next of a world under a patch at a time; NULL: none (next), now itself (last). */
static const struct {
  const char *name, *patch, *now, *last, *next;
} cases[] = {
    {"observed last, the price list ends next", "{}", "2026-12-01T00:00:00Z",
     "2026-11-29T00:00:00Z", "2027-01-01T00:00:00Z"},
    {"at the very end the price list is over", "{}", "2027-01-01T00:00:00Z", "2027-01-01T00:00:00Z",
     "2027-05-30T00:00:00Z"},
    {"after all of it", "{}", "2027-06-01T00:00:00Z", "2027-05-30T00:00:00Z", NULL},
    {"before anything was observed", "{}", "2025-12-02T00:00:00Z", "2025-12-01T00:00:00Z",
     "2026-11-28T00:00:00Z"},
    {"what is counted by its position does not begin when it was recorded", "{}",
     "2025-11-01T00:00:00Z", "2025-11-01T00:00:00Z", "2026-11-28T00:00:00Z"},
    {"a period of the offer",
     "{'offers':{'a':{'effective_from':'2026-11-30T00:00:00Z',"
     "'effective_until':'2026-12-10T00:00:00Z'}}}",
     "2026-12-01T00:00:00Z", "2026-11-30T00:00:00Z", "2026-12-10T00:00:00Z"},
    {"an age that the policy gives", "{'evidence':{'list':{'valid_until':null}}}",
     "2026-12-01T00:00:00Z", "2026-11-29T00:00:00Z", "2026-12-28T00:00:00Z"},
    {"an unrelated run is no boundary",
     "{'evidence':{'other':{'kind':'protocol_run','observed_at':'2026-11-30T00:00:00Z',"
     "'valid_until':'2026-12-05T00:00:00Z','scope':{'device':'nvidia/rtx-6000-ada','devices':1,"
     "'model':{'name':'m/another','revision':'r1'},'precision':{'weights':'bf16'}},"
     "'result':{'outcome':'passed','truncated':false,'errors':0}}}}",
     "2026-12-01T00:00:00Z", "2026-11-29T00:00:00Z", "2027-01-01T00:00:00Z"},
    {"a stock declaration is none",
     "{'evidence':{'stock':{'kind':'stock_declaration','observed_at':'2026-11-30T00:00:00Z',"
     "'valid_until':'2026-12-05T00:00:00Z','scope':{'offer':'a'},'result':{'text':'5'}}}}",
     "2026-12-01T00:00:00Z", "2026-11-29T00:00:00Z", "2027-01-01T00:00:00Z"},
    {"an offer outside the filter is none", "{'filter':{'supplier':'nobody'}}",
     "2026-12-01T00:00:00Z", "2026-11-29T00:00:00Z", "2027-05-30T00:00:00Z"},
    {"a retracted piece no longer ends", "{'evidence':{'run':{'retracted':'wrong card'}}}",
     "2027-02-01T00:00:00Z", "2027-01-01T00:00:00Z", NULL},
};

START_TEST(the_last_and_the_next_instant) {
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    struct world w;
    int64_t last;
    struct crv_opt_int next;
    dt_world(&w, cases[i].patch);
    ck_assert(crv_boundaries(&w.question, at(cases[i].now), w.arena, &last, &next, &w.err));
    ck_assert_msg(last == at(cases[i].last), "%s: last %lld", cases[i].name, (long long)last);
    ck_assert_msg(next.set == (cases[i].next != NULL), "%s", cases[i].name);
    if (next.set)
      ck_assert_msg(next.v == at(cases[i].next), "%s: next %lld", cases[i].name, (long long)next.v);
    world_done(&w);
  }
}
END_TEST

START_TEST(nothing_counted_gives_now) {
  struct world w;
  int64_t last, now = at("2026-12-01T00:00:00Z");
  struct crv_opt_int next;
  dt_world(&w, "{'offers':null,'evidence':null}");
  ck_assert(crv_boundaries(&w.question, now, w.arena, &last, &next, &w.err));
  ck_assert_int_eq(last, now);
  ck_assert(!next.set);
  ck_assert_uint_eq(w.list.n_offers, 0);
  world_done(&w);
}
END_TEST

START_TEST(an_older_version_ends_only_where_an_offer_cites_it) {
  struct world w;
  int64_t last;
  struct crv_opt_int next;
  _json_ json_t *doc = dt_base();
  json_t *evidence = json_object_get(doc, "evidence");
  _json_ json_t *later = json_deep_copy(json_object_get(evidence, "list"));
  json_object_set_new(later, "valid_until", json_string("2027-03-01T00:00:00Z"));
  json_object_set_new(evidence, "list",
                      json_pack("[O, O]", json_object_get(evidence, "list"), later));
  dt_make(&w, doc); /* list@1 is cited, list@2 is the newest: both count */
  ck_assert(crv_boundaries(&w.question, at("2026-12-01T00:00:00Z"), w.arena, &last, &next, &w.err));
  ck_assert_int_eq(next.v, at("2027-01-01T00:00:00Z"));
  world_done(&w);

  json_t *source = json_object_get(json_object_get(json_object_get(doc, "offers"), "a"), "source");
  json_object_set_new(source, "evidence", json_string("list@2"));
  dt_make(&w, doc);
  ck_assert(crv_boundaries(&w.question, at("2026-12-01T00:00:00Z"), w.arena, &last, &next, &w.err));
  ck_assert_int_eq(next.v, at("2027-03-01T00:00:00Z"));
  world_done(&w);
}
END_TEST

START_TEST(the_shortlist_tells_until_when_it_holds) {
  struct world w;
  dt_world(&w, NULL);
  ck_assert(w.list.holds_until.set);
  ck_assert_int_eq(w.list.holds_until.v, at("2027-01-01T00:00:00Z"));
  ck_assert_ptr_nonnull(strstr(w.list.headline, "holds until 1 Jan 2027"));
  world_done(&w);
}
END_TEST

int main(void) {
  Suite *s = suite_create("boundaries");
  TCase *t = tcase_create("boundaries");
  tcase_add_test(t, the_last_and_the_next_instant);
  tcase_add_test(t, nothing_counted_gives_now);
  tcase_add_test(t, an_older_version_ends_only_where_an_offer_cites_it);
  tcase_add_test(t, the_shortlist_tells_until_when_it_holds);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
