/* core/decide/stale: what came later and touches a question, and what does not. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/hash.h"
#include "core/base/json.h"
#include "tests/unit/decidetest.h"

static int64_t at(const char *time) {
  int64_t ms;
  struct crv_unit_err ue;
  if (!crv_time_parse(time, strlen(time), &ms, &ue)) abort();
  return ms;
}

#define NOW "2026-12-02T00:00:00Z"
#define PIECE(kind, more) "{'kind':'" kind "','observed_at':'2026-12-01T00:00:00Z'," more "}"
#define RUN(device, model, more) \
  PIECE("protocol_run", "'scope':{'device':'" device "','devices':1,'model':{'name':'" model \
                        "'},'precision':{'weights':'bf16'}},'result':{'outcome':'passed'," \
                        "'truncated':false,'errors':0}" more)

/* A piece recorded after the answer. */
static const struct {
  const char *name, *patch, *key;
  int64_t version;
  const char *piece;
  bool touches;
} pieces[] = {
    {"a run of the load on an offered card", "{}", "r", 1,
     RUN("nvidia/rtx-6000-ada", "m/seven", ""), true},
    {"of the load on a card that nobody offers", "{}", "r", 1, RUN("nvidia/h200", "m/seven", ""),
     true},
    {"of another model on an offered card", "{}", "r", 1,
     RUN("nvidia/rtx-6000-ada", "m/another", ""), false},
    {"of another model that supersedes a cited run", "{}", "r", 1,
     RUN("nvidia/rtx-6000-ada", "m/another", ",'supersedes':['run']"), true},
    {"a version that leaves the scope of the one before", "{}", "run", 2,
     RUN("nvidia/rtx-6000-ada", "m/another", ""), true},
    {"a new version of the cited price list", "{}", "list", 2,
     PIECE("commercial_sheet", "'scope':{'supplier':'another'},'result':{}"), true},
    {"a quote for the offer", "{}", "q", 1,
     PIECE("commercial_sheet", "'scope':{'offer':'a'},'result':{}"), true},
    {"a price list of another supplier", "{}", "q", 1,
     PIECE("commercial_sheet", "'scope':{'supplier':'another'},'result':{}"), false},
    {"a quote for another offer of the supplier", "{}", "q", 1,
     PIECE("commercial_sheet", "'scope':{'offer':'b','supplier':'s'},'result':{}"), false},
    {"a device report of an offered card", "{}", "d", 1,
     PIECE("device_report",
           "'scope':{'device':'nvidia/rtx-6000-ada'},'result':{'declared_bytes':'49140 MiB'}"),
     true},
    {"of another card", "{}", "d", 1,
     PIECE("device_report",
           "'scope':{'device':'nvidia/t4'},'result':{'declared_bytes':'15360 MiB'}"),
     false},
    {"documentation of an offered architecture, whatever its case", "{}", "v", 1,
     PIECE("vendor_documentation", "'scope':{'architecture':'Ada'},'result':{'supports':['bf16']}"),
     true},
    {"of another architecture", "{}", "v", 1,
     PIECE("vendor_documentation",
           "'scope':{'architecture':'Hopper'},'result':{'supports':['bf16']}"),
     false},
    {"a commitment for the offer", "{}", "c", 1,
     PIECE("delivery_commitment", "'scope':{'offer':'a'},'result':{'held':true}"), true},
    {"for another offer", "{}", "c", 1,
     PIECE("delivery_commitment", "'scope':{'offer':'b'},'result':{'held':true}"), false},
    {"a stock declaration", "{}", "s", 1,
     PIECE("stock_declaration", "'scope':{'offer':'a'},'result':{'text':'5'}"), false},
    {"an order preference", "{}", "s", 1,
     PIECE("order_preference", "'scope':{'offer':'a'},'result':{'text':'ubuntu'}"), false},
    {"an evaluation where quality is waived", "{}", "e", 1,
     PIECE("quality_evaluation", "'scope':{'model':{'name':'m/seven','revision':'r1'}},"
                                 "'result':{'metric':'em','value':'0.9'}"),
     false},
    {"an evaluation where it is asked",
     "{'sheet':{'quality_waived':null,'quality':{'metric':'em','at_least':'0.8'}}}", "e", 1,
     PIECE("quality_evaluation", "'scope':{'model':{'name':'m/seven','revision':'r1'}},"
                                 "'result':{'metric':'em','value':'0.9'}"),
     true},
    {"of a metric that is not asked",
     "{'sheet':{'quality_waived':null,'quality':{'metric':'em','at_least':'0.8'}}}", "e", 1,
     PIECE("quality_evaluation", "'scope':{'model':{'name':'m/seven','revision':'r1'}},"
                                 "'result':{'metric':'bleu','value':'0.9'}"),
     false},
    {"a rate that no price needs", "{}", "x", 1,
     PIECE("exchange_rate", "'scope':{'from':'EUR','to':'USD'},'result':{'rate':'1.1'}"), false},
    {"a rate that a price needs", "{'offers':{'a':{'price':{'currency':'EUR'}}}}", "x", 1,
     PIECE("exchange_rate", "'scope':{'from':'EUR','to':'USD'},'result':{'rate':'1.1'}"), true},
    {"its inverse", "{'offers':{'a':{'price':{'currency':'EUR'}}}}", "x", 1,
     PIECE("exchange_rate", "'scope':{'from':'USD','to':'EUR'},'result':{'rate':'0.9'}"), true},
};

static struct crv_piece_rec *piece_rec(struct world *w, const char *key, int64_t version,
                                       const char *text) {
  struct crv_piece *p;
  _json_ json_t *doc = dt_json(text);
  if (!crv_piece_decode(doc, "", w->arena, &p, &w->err)) abort();
  _json_ json_t *j = crv_jspec_encode(&crv_piece_spec, p);
  _free_ char *canonical = crv_json_canonical(j);
  return crv_piece_rec_new(key, version, w->evidence->position + 1, at(NOW), "t", canonical,
                           strlen(canonical), "", &w->err);
}

static unsigned staleness(struct world *w, const struct crv_catalogue *c,
                          const struct crv_evidence *e, const char *now) {
  return crv_staleness(&w->question, c, e, at(now), w->list.holds_until, w->arena);
}

START_TEST(a_piece_makes_stale_what_it_touches_alone) {
  for (size_t i = 0; i < sizeof pieces / sizeof *pieces; i++) {
    struct world w;
    dt_world(&w, pieces[i].patch);
    struct crv_piece_rec *rec = piece_rec(&w, pieces[i].key, pieces[i].version, pieces[i].piece);
    ck_assert_msg(rec != NULL, "%s: %s", pieces[i].name, w.err.detail);
    struct crv_evidence *newer = crv_evidence_extend(w.evidence, &rec, 1, w.evidence->position + 1);
    unsigned bits = staleness(&w, w.catalogue, newer, NOW);
    ck_assert_msg(bits == (pieces[i].touches ? CRV_STALE_EVIDENCE_ADDED : 0u), "%s: %u",
                  pieces[i].name, bits);
    crv_evidence_unref(newer);
    world_done(&w);
  }
}
END_TEST

/* -- offers
 * ---------------------------------------------------------------------------------------- */

#define OFFER(supplier) \
  "{'supplier':'" supplier "','device':{'name':'RTX 6000 Ada','model':'nvidia/rtx-6000-ada'}}"

static const struct {
  const char *name, *patch, *key;
  int64_t version;
  const char *offer; /* NULL: withdrawn */
  bool touches;
} offers[] = {
    {"a new offer", "{}", "b", 1, OFFER("s"), true},
    {"a new version", "{}", "a", 2, OFFER("s"), true},
    {"a withdrawal", "{}", "a", 2, NULL, true},
    {"a new offer outside the filter", "{'filter':{'supplier':'s'}}", "b", 1, OFFER("t"), false},
    {"a version that leaves the filter", "{'filter':{'supplier':'s'}}", "a", 2, OFFER("t"), true},
    {"a withdrawal outside the filter", "{'filter':{'supplier':'t'}}", "a", 2, NULL, false},
};

static struct crv_offer_rec *offer_rec(struct world *w, const char *key, int64_t version,
                                       const char *text) {
  struct crv_offer *o;
  int64_t seq = w->catalogue->position + 1;
  if (!text) return crv_offer_rec_new(key, version, seq, at(NOW), NULL, 0, NULL, 0, "", &w->err);
  _json_ json_t *doc = dt_json(text);
  if (!crv_offer_decode(doc, "", false, w->arena, &o, &w->err)) abort();
  _json_ json_t *j = crv_jspec_encode(&crv_offer_spec, o);
  _free_ char *canonical = crv_json_canonical(j);
  return crv_offer_rec_new(key, version, seq, at(NOW), canonical, strlen(canonical), NULL, 0, "",
                           &w->err);
}

START_TEST(an_offer_makes_stale_where_it_passes_or_passed_the_filter) {
  for (size_t i = 0; i < sizeof offers / sizeof *offers; i++) {
    struct world w;
    dt_world(&w, offers[i].patch);
    struct crv_offer_rec *rec = offer_rec(&w, offers[i].key, offers[i].version, offers[i].offer);
    ck_assert_msg(rec != NULL, "%s: %s", offers[i].name, w.err.detail);
    struct crv_catalogue *newer =
        crv_catalogue_extend(w.catalogue, &rec, 1, w.catalogue->position + 1);
    unsigned bits = staleness(&w, newer, w.evidence, NOW);
    ck_assert_msg(bits == (offers[i].touches ? CRV_STALE_OFFER_VERSIONED : 0u), "%s: %u",
                  offers[i].name, bits);
    crv_catalogue_unref(newer);
    world_done(&w);
  }
}
END_TEST

/* -- time
 * ------------------------------------------------------------------------------------------ */

START_TEST(a_passed_boundary_is_an_expiry_or_time) {
  struct world w;
  dt_world(&w, NULL);
  ck_assert_uint_eq(staleness(&w, w.catalogue, w.evidence, "2026-12-31T23:59:59Z"), 0);
  ck_assert_uint_eq(staleness(&w, w.catalogue, w.evidence, "2027-01-01T00:00:00Z"),
                    CRV_STALE_EVIDENCE_EXPIRED);
  world_done(&w);
  dt_world(&w, "{'offers':{'a':{'effective_until':'2026-12-10T00:00:00Z'}}}");
  ck_assert_uint_eq(staleness(&w, w.catalogue, w.evidence, "2026-12-10T00:00:00Z"),
                    CRV_STALE_TIME_PASSED);
  world_done(&w);
}
END_TEST

START_TEST(the_same_records_are_current) {
  struct world w;
  dt_world(&w, NULL);
  ck_assert_uint_eq(staleness(&w, w.catalogue, w.evidence, NOW), 0);
  world_done(&w);
}
END_TEST

START_TEST(the_reasons_have_their_names) {
  static const char *const names[] = {"sheet_revised",    "offer_versioned", "evidence_added",
                                      "evidence_expired", "time_passed",     "rules_changed"};
  for (int i = 0; i < 6; i++) {
    ck_assert_str_eq(crv_stale_names[i].name, names[i]);
    ck_assert_int_eq(crv_stale_names[i].value, 1 << i);
  }
}
END_TEST

int main(void) {
  Suite *s = suite_create("stale");
  TCase *t = tcase_create("stale");
  tcase_add_test(t, a_piece_makes_stale_what_it_touches_alone);
  tcase_add_test(t, an_offer_makes_stale_where_it_passes_or_passed_the_filter);
  tcase_add_test(t, a_passed_boundary_is_an_expiry_or_time);
  tcase_add_test(t, the_same_records_are_current);
  tcase_add_test(t, the_reasons_have_their_names);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_ENV);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
