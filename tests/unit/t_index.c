/* core/evidence: snapshots, standing, which pieces concern an offer, citations, ages. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/evidence/evidence.h"
#include "tests/unit/shapes.h"

static struct crv_piece_rec *rec(const char *key, int64_t version, int64_t seq, const char *text) {
  struct crv_err err;
  crv_err_init(&err);
  _json_ json_t *j = shape_json(text);
  _free_ char *json = json_dumps(j, JSON_COMPACT);
  struct crv_piece_rec *r =
      crv_piece_rec_new(key, version, seq, 1000, "ci", json, strlen(json), "digest", &err);
  ck_assert_msg(r != NULL, "%s: %s %s", text, err.at[0].ptr, err.at[0].detail);
  return r;
}

static int64_t day(int n) {
  return INT64_C(1767225600000) + (n - 1) * CRV_DAY_MS; /* 2026-01-n */
}

#define LIST(more) \
  "{'kind':'commercial_sheet','observed_at':'2026-01-05','scope':{'supplier':'s'}" more "}"
#define RUN(scope) \
  "{'kind':'protocol_run','observed_at':'2026-01-05','scope':{" scope \
  "},'result':{'outcome':'passed','truncated':false,'errors':0}}"

/* -- standing --------------------------------------------------------------------------------- */

static struct crv_evidence *lists(void) {
  struct crv_piece_rec *at[] = {
      rec("plain", 1, 1, LIST("")),
      rec("dated", 1, 2, LIST(",'valid_until':'2026-01-10'")),
      rec("wrong", 1, 3, LIST("")),
      rec("wrong", 2, 8, LIST(",'retracted':'typed by hand'")),
      rec("older", 1, 4, LIST("")),
      rec("newer", 1, 9, LIST(",'supersedes':['older','newer','nothing']")),
      rec("tried", 1, 5, LIST("")),
      rec("undone", 1, 6, LIST(",'supersedes':'tried','retracted':'was wrong'")),
  };
  return crv_evidence_extend(NULL, at, sizeof at / sizeof *at, 9);
}

static const struct {
  const char *key;
  int64_t p;
  int day;
  int standing; /* -1: not there */
} standings[] = {
    {"plain", 9, 6, CRV_STANDS},
    {"plain", 9, 4, CRV_STANDS_NOT_YET},
    {"plain", 9, 5, CRV_STANDS},
    {"plain", 9, 34, CRV_STANDS},
    {"plain", 9, 35, CRV_STANDS_EXPIRED},
    {"plain", 0, 6, -1},
    {"dated", 9, 9, CRV_STANDS},
    {"dated", 9, 10, CRV_STANDS_EXPIRED},
    {"wrong", 7, 6, CRV_STANDS},
    {"wrong", 8, 6, CRV_STANDS_RETRACTED},
    {"older", 8, 6, CRV_STANDS},
    {"older", 9, 6, CRV_STANDS_SUPERSEDED},
    {"older", 9, 4, CRV_STANDS_NOT_YET},
    {"older", 9, 60, CRV_STANDS_SUPERSEDED},
    {"newer", 9, 6, CRV_STANDS},
    {"tried", 9, 6, CRV_STANDS},
    {"undone", 9, 6, CRV_STANDS_RETRACTED},
};

START_TEST(standing_is_by_position_and_time) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_policy policy;
  const struct crv_indexed *all;
  struct crv_evidence *e = lists();
  crv_policy_default(&policy);
  struct crv_index *ix = crv_index_new(e, standings[_i].p, day(standings[_i].day), &policy, a);
  size_t n = crv_index_all(ix, &all);
  int standing = -1;
  for (size_t i = 0; i < n; i++) {
    if (i > 0) ck_assert(strcmp(all[i - 1].rec->key, all[i].rec->key) < 0);
    if (!strcmp(all[i].rec->key, standings[_i].key)) standing = (int)all[i].standing;
  }
  ck_assert_msg(standing == standings[_i].standing, "%s stands as %d", standings[_i].key, standing);
  crv_evidence_unref(e);
}
END_TEST

static const struct {
  const char *key;
  int64_t version, p;
  int day;
  bool there;
  enum crv_standing standing;
} citations[] = {
    {"plain", 1, 9, 6, true, CRV_STANDS},
    {"plain", 1, 0, 6, false, CRV_STANDS_NOT_YET},
    {"plain", 2, 9, 6, false, CRV_STANDS_NOT_YET},
    {"none", 1, 9, 6, false, CRV_STANDS_NOT_YET},
    {"dated", 1, 9, 12, true, CRV_STANDS_EXPIRED},
    {"wrong", 1, 9, 6, true, CRV_STANDS_RETRACTED}, /* by its newest version */
    {"wrong", 1, 7, 6, true, CRV_STANDS},
    {"older", 1, 9, 6, true, CRV_STANDS}, /* replaced as evidence, still a valid citation */
};

START_TEST(a_citation_keeps_its_version) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_policy policy;
  const struct crv_piece_rec *found;
  struct crv_opt_int expiry;
  struct crv_evidence *e = lists();
  crv_policy_default(&policy);
  struct crv_index *ix = crv_index_new(e, citations[_i].p, day(citations[_i].day), &policy, a);
  enum crv_standing s =
      crv_citation_standing(ix, e, citations[_i].key, citations[_i].version, &found, &expiry);
  ck_assert_int_eq(found != NULL, citations[_i].there);
  ck_assert_int_eq((int)s, (int)citations[_i].standing);
  if (found) ck_assert_int_eq(found->version, citations[_i].version);
  crv_evidence_unref(e);
}
END_TEST

/* -- which pieces concern an offer ----------------------------------------------------------------
 */

static struct crv_evidence *world(void) {
  struct crv_piece_rec *at[] = {
      rec("a-list", 1, 1, LIST("")),
      rec("b-other-supplier", 1, 2,
          "{'kind':'commercial_sheet','observed_at':'2026-01-05','scope':{'supplier':'t'}}"),
      rec("c-offer", 1, 3,
          "{'kind':'order_preference','scope':{'offer':'o','supplier':'t','device':'nvidia/l4'}}"),
      rec("d-other-offer", 1, 4,
          "{'kind':'commercial_sheet','observed_at':'2026-01-05','scope':{'offer':'x',"
          "'supplier':'s','device':'nvidia/l40s'}}"),
      rec("e-run", 1, 5, RUN("'device':'nvidia/l40s','model':'m','supplier':'t','offer':'x'")),
      rec("f-run-other-device", 1, 6, RUN("'device':'nvidia/l4','model':'m','supplier':'s'")),
      rec("g-run-any-device", 1, 7, RUN("'device':'*','model':'m'")),
      rec("h-report-ref", 1, 8,
          "{'kind':'device_report','observed_at':'2026-01-05','scope':{'supplier':'s',"
          "'supplier_ref':'r'},'result':{'driver':'580'}}"),
      rec("i-report-same-ref-elsewhere", 1, 9,
          "{'kind':'device_report','observed_at':'2026-01-05','scope':{'supplier':'t',"
          "'supplier_ref':'r'},'result':{'driver':'580'}}"),
      rec("j-quality", 1, 10,
          "{'kind':'quality_evaluation','observed_at':'2026-01-05','scope':{'model':'m','device':"
          "'nvidia/l4','supplier':'t'},'result':{'metric':'q','value':1}}"),
      rec("k-quality-other-model", 1, 11,
          "{'kind':'quality_evaluation','observed_at':'2026-01-05','scope':{'model':'n'},'result':"
          "{'metric':'q','value':1}}"),
      rec("l-docs", 1, 12,
          "{'kind':'vendor_documentation','observed_at':'2026-01-05','scope':{'architecture':"
          "'Ada'},'result':{'supports':['fp8']}}"),
      rec("m-docs-other", 1, 13,
          "{'kind':'vendor_documentation','observed_at':'2026-01-05','scope':{'architecture':"
          "'hopper'},'result':{'supports':['fp8']}}"),
      rec("n-docs-runtime", 1, 14,
          "{'kind':'vendor_documentation','observed_at':'2026-01-05','scope':{'runtime':"
          "'vllm 0.17.0'},'result':{'supports':['fp8']}}"),
      rec("o-stock", 1, 15, "{'kind':'stock_declaration','scope':{'supplier':'s'}}"),
      rec("p-rate", 1, 16,
          "{'kind':'exchange_rate','observed_at':'2026-01-05','scope':{'from':'EUR','to':'USD'},"
          "'result':{'rate':1}}"),
  };
  return crv_evidence_extend(NULL, at, sizeof at / sizeof *at, 16);
}

static const struct {
  const char *offer, *device, *model, *pieces; /* first letters of their keys */
} concerns[] = {
    {"{'supplier':'s','supplier_ref':'r','device':'L40S'}", "nvidia/l40s", "m", "aceghjlno"},
    {"{'supplier':'s','device':'L40S'}", "nvidia/l40s", "m", "acegjlno"},
    {"{'supplier':'s','device':'L40S'}", NULL, NULL, "acgno"},
    {"{'supplier':'s','device':{'name':'?','architecture':'ADA'}}", NULL, NULL, "acglno"},
    {"{'supplier':'t','supplier_ref':'r','device':'L4'}", "nvidia/l4", "n", "bcfgijkln"},
    {"{'supplier':'u','device':'H100'}", "nvidia/h100-sxm", "z", "cgmn"},
};

START_TEST(an_offer_is_given_the_pieces_that_concern_it) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  struct crv_policy policy;
  const struct crv_indexed **pieces;
  size_t n;
  char got[32] = "", wanted[32] = "";
  crv_policy_default(&policy);
  crv_err_init(&err);
  struct crv_evidence *e = world();
  struct crv_index *ix = crv_index_new(e, 16, day(6), &policy, a);
  _json_ json_t *j = shape_json(concerns[_i].offer);
  _free_ char *json = json_dumps(j, JSON_COMPACT);
  struct crv_offer_rec *o =
      crv_offer_rec_new("o", 1, 1, 0, json, strlen(json), NULL, 0, NULL, &err);
  ck_assert_ptr_nonnull(o);
  ck_assert(crv_index_for_offer(ix, o, &concerns[_i].device, concerns[_i].device ? 1 : 0,
                                concerns[_i].model, a, &pieces, &n));
  for (size_t i = 0; i < n; i++) got[i] = pieces[i]->rec->key[0];
  snprintf(wanted, sizeof wanted, "%s", concerns[_i].pieces);
  ck_assert_str_eq(got, wanted);
  crv_offer_rec_unref(o);
  crv_evidence_unref(e);
}
END_TEST

START_TEST(a_piece_is_found_by_version_and_position) {
  struct crv_evidence *e = lists();
  ck_assert_int_eq(crv_evidence_find(e, "wrong", 0, 7)->version, 1);
  ck_assert_int_eq(crv_evidence_find(e, "wrong", 0, 9)->version, 2);
  ck_assert_str_eq(crv_evidence_find(e, "wrong", 2, 9)->ref, "wrong@2");
  ck_assert_ptr_null(crv_evidence_find(e, "wrong", 3, 9));
  struct crv_evidence *same = crv_evidence_ref(e);
  crv_evidence_unref(e);
  ck_assert_uint_eq(same->n, 8);
  crv_evidence_unref(same);
}
END_TEST

/* -- ages
 * ------------------------------------------------------------------------------------------ */

static const struct {
  const char *policy, *piece;
  int expiry; /* day of January 2026; 0: never */
} ages[] = {
    {"{}", LIST(""), 35},
    {"{}", LIST(",'valid_until':'2026-03-01'"), 60},
    {"{}", RUN("'device':'*','model':'m'"), 0},
    {"{'max_age':{'commercial_sheet':'7d'}}", LIST(""), 12},
    {"{'max_age':{'commercial_sheet':168}}", LIST(",'valid_until':'2026-03-01'"), 12},
    {"{'max_age':{'commercial_sheet':'48h'}}", LIST(",'valid_until':'2026-01-06'"), 6},
    {"{'max_age':{'commercial_sheet':'none'}}", LIST(""), 0},
    {"{'max_age':{'commercial_sheet':'none'}}", LIST(",'valid_until':'2026-01-06'"), 6},
    {"{'max_age':{'protocol_run':'10d'}}", RUN("'device':'*','model':'m'"), 15},
    {"{'default_max_age':{'commercial_sheet':'1d'}}", LIST(""), 6},
    {"{'default_max_age':{'commercial_sheet':'1d'}}", LIST(",'valid_until':'2026-03-01'"), 60},
    {"{'default_max_age':{'commercial_sheet':'none'}}", LIST(""), 0},
};

START_TEST(ages_end_a_piece) {
  struct crv_err err;
  struct crv_policy policy, again;
  crv_err_init(&err);
  _json_ json_t *j = shape_json(ages[_i].policy);
  ck_assert(crv_policy_decode(j, "", &policy, &err));
  struct crv_piece_rec *r = rec("a", 1, 1, ages[_i].piece);
  struct crv_opt_int end = crv_piece_expiry(r->piece, &policy);
  ck_assert_int_eq(end.set, ages[_i].expiry != 0);
  if (end.set) ck_assert_int_eq(end.v, day(ages[_i].expiry));
  _json_ json_t *back = crv_policy_json(&policy);
  ck_assert(crv_policy_decode(back, "", &again, &err));
  struct crv_opt_int same = crv_piece_expiry(r->piece, &again);
  ck_assert(same.set == end.set && same.v == end.v);
  crv_piece_rec_unref(r);
}
END_TEST

static const struct refusal policies[] = {
    {"{'max_age':{'comercial_sheet':'7d'}}", "/policy/max_age/comercial_sheet", "unknown_field"},
    {"{'max_age':{'commercial_sheet':'7w'}}", "/policy/max_age/commercial_sheet", "bad_format"},
    {"{'max_age':{'commercial_sheet':0}}", "/policy/max_age/commercial_sheet", "bad_format"},
    {"{'max_age':{'commercial_sheet':-5}}", "/policy/max_age/commercial_sheet", "bad_format"},
    {"{'max_age':{'commercial_sheet':true}}", "/policy/max_age/commercial_sheet", "bad_format"},
    {"{'max_age':{'commercial_sheet':'99999999d'}}", "/policy/max_age/commercial_sheet",
     "bad_format"},
    {"{'max_age':[]}", "/policy/max_age", "wrong_type"},
    {"{'age':{}}", "/policy/age", "unknown_field"},
    {"{'max_age':null}", NULL, NULL},
};

START_TEST(policies_are_refused_by_field) {
  struct crv_err err;
  struct crv_policy policy;
  crv_err_init(&err);
  _json_ json_t *j = shape_json(policies[_i].patch);
  bool ok = crv_policy_decode(j, "/policy", &policy, &err);
  shape_expect(&err, ok, &policies[_i]);
}
END_TEST

#define LOOP(tc, test, table) tcase_add_loop_test(tc, test, 0, sizeof table / sizeof *table)

int main(void) {
  Suite *s = suite_create("index");
  TCase *tc = tcase_create("index");
  LOOP(tc, standing_is_by_position_and_time, standings);
  LOOP(tc, a_citation_keeps_its_version, citations);
  LOOP(tc, an_offer_is_given_the_pieces_that_concern_it, concerns);
  tcase_add_test(tc, a_piece_is_found_by_version_and_position);
  LOOP(tc, ages_end_a_piece, ages);
  LOOP(tc, policies_are_refused_by_field, policies);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
