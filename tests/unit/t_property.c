/* Properties of the engine over random worlds: counts sum, a status is the worst verdict,
   preferences and irrelevant pieces change nothing, one more proof never worsens its criterion, the
   order of insertion and the time of recording never show, an action retains what it says.
   CRV_PROPERTY_WORLDS sets how many worlds (default 10000, shared out over the tests of this file);
   a failure prints the seed. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/hash.h"
#include "tests/unit/world.h"

enum { CHUNKS = 20 };

static unsigned state;
static unsigned pick(unsigned n) {
  state = state * 1103515245u + 12345u;
  return (state >> 16) % n;
}
static bool chance(unsigned percent) {
  return pick(100) < percent;
}
#define ONE_OF(list) ((list)[pick(sizeof(list) / sizeof *(list))])

static void set(json_t *o, const char *key, json_t *v) {
  json_object_set_new(o, key, v);
}
static json_t *text(const char *s) {
  return json_string(s);
}

static const char *const devices[][3] = {
    {"RTX 4090", "nvidia/rtx-4090", "24 GB"},
    {"RTX 6000 Ada", "nvidia/rtx-6000-ada", "48 GB"},
    {"L40S", "nvidia/l40s", "48 GB"},
    {"H100", NULL, "80 GB"},
};
static const char *const suppliers[] = {"alpha", "beta", "gamma"};
static const char *const regions[] = {"eu", "us"};
static const char *const amounts[] = {"10", "10.5", "47.14", "55.71", "400"};

/* -- random documents ----------------------------------------------------------------------------
 */

/* Demands on the machine, the run and the delivery that few sheets make. */
static void further_demands(json_t *s) {
  if (chance(20))
    set(s, "acceptance", json_pack("{s:{s:i}}", "latency_ms", "p95", 100 + (int)pick(400)));
  if (chance(20))
    set(s, "software",
        json_pack("{s:s, s:s}", "driver", ">=570", "runtime",
                  chance(50) ? "vllm >=0.17" : "engine"));
  if (chance(15))
    set(s, "headroom", json_pack("{s:s, s:s}", "bytes", "4 GiB", "why", "a second model"));
  if (chance(15))
    set(s, "requirements",
        json_pack("[{s:s, s:s, s:s}]", "field", "region", "op", "==", "value", "eu"));
  json_t *campaign = json_object_get(s, "campaign");
  if (campaign && chance(30)) set(campaign, "start_by", text("2026-12-20T00:00:00Z"));
  if (chance(10))
    set(s, "placement",
        json_pack("[{s:i, s:s}, {s:i, s:s, s:s}]", "devices", 1, "strategy", "single", "devices", 2,
                  "strategy", "tensor_parallel", "span", "any"));
}

static json_t *random_sheet(void) {
  json_t *s = json_object(), *m = json_object(), *p = json_object(), *l = json_object();
  set(s, "task", text("inference"));
  set(m, "name", text("m/seven"));
  set(m, "revision", text("r1"));
  if (chance(90)) set(m, "parameters", json_integer(1000000000 * (json_int_t)(1 + pick(40))));
  set(s, "model", m);
  set(p, "weights", text(chance(70) ? "bf16" : "fp8"));
  set(s, "precision", p);
  set(l, "prompt", json_integer(1000 * (json_int_t)(1 + pick(8))));
  set(l, "generated", json_integer(1000));
  set(s, "length", l);
  set(s, "concurrency", json_integer((json_int_t)(1 + pick(16))));
  if (chance(80)) set(s, "quality", json_pack("{s:s, s:s}", "metric", "em", "at_least", "0.8"));
  if (chance(50))
    set(s, "reserve",
        json_pack("[{s:s, s:s, s:s, s:s}]", "item", "runtime", "bytes", "6 GiB", "basis",
                  "estimated", "why", "guess"));
  if (chance(40))
    set(s, "placement", json_pack("{s:i, s:s}", "devices", 2, "strategy", "tensor_parallel"));
  if (chance(70))
    set(s, "campaign",
        json_pack("{s:i, s:s, s:s}", "hours", 72, "currency", "USD", "ceiling", "200"));
  if (chance(30)) set(s, "host", json_pack("{s:s, s:i}", "ram", "32 GiB", "vcpus", 8));
  if (chance(60))
    set(s, "preferences", json_pack("[{s:s, s:s}]", "field", "region", "equals", "eu"));
  further_demands(s);
  return s;
}

static json_t *random_offer(void) {
  size_t d = pick(4);
  json_t *o = json_object(), *dev = json_object();
  set(o, "supplier", text(ONE_OF(suppliers)));
  if (chance(70)) set(o, "supplier_ref", text(chance(50) ? "x1" : "x2"));
  set(o, "region", text(ONE_OF(regions)));
  set(dev, "name", text(devices[d][0]));
  if (devices[d][1] && chance(80)) set(dev, "model", text(devices[d][1]));
  if (chance(85)) set(dev, "memory_nominal", text(devices[d][2]));
  set(o, "device", dev);
  if (chance(85)) set(o, "lot", json_pack("{s:i}", "devices", 1 + (int)pick(3)));
  if (chance(85))
    set(o, "plan",
        json_pack("{s:i, s:b}", "hours", 24 * (1 + (int)pick(4)), "interruptible", chance(20)));
  if (chance(85))
    set(o, "price",
        json_pack("{s:s, s:s, s:s, s:s}", "amount", ONE_OF(amounts), "currency",
                  chance(80) ? "USD" : "EUR", "basis", "per_lot", "per", "plan"));
  if (chance(60))
    set(o, "host",
        json_pack("{s:s, s:i}", "ram", chance(50) ? "64 GiB" : "16 GiB", "vcpus",
                  4 + (int)pick(16)));
  if (chance(80)) set(o, "source", json_pack("{s:s}", "evidence", "prices@1"));
  return o;
}

static json_t *random_run(bool satisfying, const char *device, int64_t n, const json_t *sheet) {
  json_t *weights = json_object_get(json_object_get(sheet, "precision"), "weights");
  json_int_t length = 1000 * (json_int_t)(satisfying ? 9 : 1 + pick(10));
  json_int_t users = satisfying ? 16 : 1 + (json_int_t)pick(16);
  json_t *scope =
      json_pack("{s:s, s:I, s:s, s:{s:s, s:s}, s:{s:O}, s:I, s:I}", "device", device, "devices",
                (json_int_t)n, "strategy", n == 1 ? "single" : "tensor_parallel", "model", "name",
                "m/seven", "revision", chance(90) || satisfying ? "r1" : "r0", "precision",
                "weights", weights, "length", length, "concurrency", users);
  if (chance(40)) set(scope, "runtime", text(chance(50) ? "vllm 0.17.0" : "engine 1.0"));
  if (!satisfying && chance(40)) {
    set(scope, "supplier", text(ONE_OF(suppliers)));
    set(scope, "supplier_ref", text(chance(50) ? "x1" : "x2"));
    set(scope, "driver", text(chance(50) ? "580.1" : "560.2"));
  }
  bool failed = !satisfying && chance(30);
  json_t *result = json_pack("{s:s, s:b, s:i, s:[s,s], s:[{s:s, s:s, s:I}]}", "outcome",
                             failed ? "failed" : "passed", "truncated", false, "errors", 0,
                             "phases", "loading", "generation", "peaks", "counter",
                             satisfying || chance(80) ? "device.used" : "torch.reserved", "kind",
                             "peak", "bytes", (json_int_t)(satisfying ? 1 : 1 + pick(40)) << 30);
  if (!satisfying && chance(40)) set(result, "spilled", json_boolean(chance(30)));
  if (!satisfying && !failed && chance(50))
    set(result, "latency_ms", json_pack("{s:i}", "p95", 100 + (int)pick(400)));
  if (failed) set(result, "cause", text(chance(70) ? "out_of_memory" : "external_use"));
  if (satisfying || chance(30))
    set(result, "pool",
        json_pack("{s:I, s:I}", "bytes", (json_int_t)1 << 20, "tokens", (json_int_t)1000000));
  return json_pack("{s:s, s:s, s:o, s:o}", "kind", "protocol_run", "observed_at",
                   "2026-11-20T00:00:00Z", "scope", scope, "result", result);
}

/* About an offer, its machine or its supplier. */
static json_t *random_document(void) {
  static const char *const kinds[] = {"commercial_sheet", "delivery_commitment", "order_preference",
                                      "stock_declaration"};
  const char *kind = ONE_OF(kinds);
  json_t *scope = json_object(), *result = json_object();
  char key[20];
  snprintf(key, sizeof key, "offer-%u", pick(4));
  set(scope, "offer", text(key));
  if (!strcmp(kind, "delivery_commitment")) {
    set(result, "date", text(chance(50) ? "2026-12-10T00:00:00Z" : "2026-12-28T00:00:00Z"));
    if (chance(50)) set(result, "quantity", json_integer((json_int_t)(1 + pick(2))));
  } else if (!strcmp(kind, "commercial_sheet")) {
    set(result, "facts",
        json_pack("{s:s, s:s}", "host.ram", chance(50) ? "64 GiB" : "16 GiB", "device.model",
                  chance(50) ? "nvidia/h100-sxm" : "nvidia/h100-pcie"));
  }
  return json_pack("{s:s, s:s, s:o, s:o}", "kind", kind, "observed_at", "2026-11-20T00:00:00Z",
                   "scope", scope, "result", result);
}

static json_t *random_machine(void) {
  return json_pack("{s:s, s:s, s:{s:s, s:s}, s:{s:s, s:s, s:{s:s}}}", "kind", "device_report",
                   "observed_at", "2026-11-20T00:00:00Z", "scope", "supplier", ONE_OF(suppliers),
                   "supplier_ref", chance(50) ? "x1" : "x2", "result", "declared_bytes",
                   chance(50) ? "24564 MiB" : "46068 MiB", "driver", chance(50) ? "580.1" : "560.2",
                   "host", "ram", "64 GiB");
}

/* Pieces that are over, taken back, or that replace others. */
static json_t *perhaps_over(json_t *piece) {
  char key[20];
  snprintf(key, sizeof key, "piece-%u", pick(6));
  if (chance(8))
    set(piece, "valid_until", text("2026-11-25T00:00:00Z"));
  else if (chance(4))
    set(piece, "observed_at", text("2026-12-20T00:00:00Z"));
  if (chance(4)) set(piece, "retracted", text("wrong"));
  if (chance(6)) set(piece, "supersedes", json_pack("[s]", key));
  if (chance(10)) set(piece, "private", json_true());
  return piece;
}

static json_t *random_piece(const json_t *sheet) {
  size_t d = pick(3);
  switch (pick(6)) {
  case 4:
    return random_document();
  case 5:
    return random_machine();
  case 0:
    return json_pack("{s:s, s:s, s:{s:{s:s, s:s}, s:{s:O}}, s:{s:s, s:s}}", "kind",
                     "quality_evaluation", "observed_at", "2026-11-20T00:00:00Z", "scope", "model",
                     "name", "m/seven", "revision", "r1", "precision", "weights",
                     json_object_get(json_object_get(sheet, "precision"), "weights"), "result",
                     "metric", "em", "value", chance(70) ? "0.9" : "0.7");
  case 1:
    return json_pack("{s:s, s:s, s:{s:s}, s:{s:s}}", "kind", "device_report", "observed_at",
                     "2026-11-20T00:00:00Z", "scope", "device", devices[d][1], "result",
                     "declared_bytes",
                     d == 0       ? "24564 MiB"
                     : chance(50) ? "46068 MiB"
                                  : "49140 MiB");
  default:
    return random_run(false, devices[d][1], 1 + (int64_t)pick(2), sheet);
  }
}

static json_t *random_world(void) {
  json_t *w = json_object(), *offers = json_object(), *evidence = json_object();
  json_t *sheet = random_sheet();
  char key[20];
  for (unsigned i = 0, n = pick(6); i < n; i++) {
    snprintf(key, sizeof key, "offer-%u", i);
    set(offers, key, random_offer());
  }
  for (unsigned i = 0, n = pick(9); i < n; i++) {
    snprintf(key, sizeof key, "piece-%u", i);
    set(evidence, key, perhaps_over(random_piece(sheet)));
  }
  set(evidence, "prices",
      json_pack("{s:s, s:s, s:s, s:{s:s}, s:{}}", "kind", "commercial_sheet", "observed_at",
                "2026-11-28T00:00:00Z", "valid_until",
                chance(85) ? "2027-01-01T00:00:00Z" : "2026-11-30T00:00:00Z", "scope", "supplier",
                "alpha", "result"));
  set(w, "as_of", text("2026-12-01T00:00:00Z"));
  set(w, "sheet", sheet);
  set(w, "offers", offers);
  set(w, "evidence", evidence);
  return w;
}

/* -- comparing
 * -------------------------------------------------------------------------------------- */

static void make(struct world *w, const json_t *doc, unsigned seed, unsigned world_seed) {
  ck_assert_msg(world_make(w, doc, seed), "world %u: %s", world_seed, w->err.detail);
}

static void same_lists(const struct world *a, const struct world *b, unsigned seed,
                       const char *what) {
  char da[CRV_SHA256_HEX], db[CRV_SHA256_HEX];
  ck_assert(crv_matrix_digest(&a->list, da) && crv_matrix_digest(&b->list, db));
  ck_assert_msg(!strcmp(da, db), "world %u: %s changed a verdict", seed, what);
  ck_assert_uint_eq(a->list.n_retained, b->list.n_retained);
  ck_assert_uint_eq(a->list.n_preselection, b->list.n_preselection);
  for (size_t i = 0; i < a->list.n_retained; i++)
    ck_assert_msg(!strcmp(a->list.retained[i]->rec->key, b->list.retained[i]->rec->key),
                  "world %u: %s changed the ranking", seed, what);
  for (size_t i = 0; i < a->list.n_preselection; i++)
    ck_assert_msg(!strcmp(a->list.preselection[i]->rec->key, b->list.preselection[i]->rec->key),
                  "world %u: %s changed the ranking", seed, what);
}

static void status_is_worst(const struct crv_row *row, enum crv_verdict list, unsigned seed) {
  enum crv_verdict worst = CRV_ADMISSIBLE;
  for (size_t i = 0; i < row->n_findings; i++) {
    const struct crv_finding *f = &row->findings[i];
    if (f->verdict > worst) worst = f->verdict;
    ck_assert_msg(f->verdict != CRV_TO_CONFIRM || f->n_conditions,
                  "world %u: %s of %s is to confirm without a condition (%s)", seed,
                  crv_criterion_info(f->criterion)->id, row->rec->key,
                  crv_reason_info(f->reason)->code);
  }
  ck_assert_msg(worst == list && row->status == list, "world %u: status of %s", seed,
                row->rec->key);
}

static void check_sums(const struct world *w, size_t offers, unsigned seed) {
  const struct crv_shortlist *s = &w->list;
  ck_assert_uint_eq(s->n_offers, offers);
  ck_assert_uint_eq(s->n_retained + s->n_preselection + s->n_excluded, offers);
  for (size_t i = 0; i < s->n_retained; i++) status_is_worst(s->retained[i], CRV_ADMISSIBLE, seed);
  for (size_t i = 0; i < s->n_preselection; i++)
    status_is_worst(s->preselection[i], CRV_TO_CONFIRM, seed);
  for (size_t i = 0; i < s->n_excluded; i++) status_is_worst(s->excluded[i], CRV_EXCLUDED, seed);
  for (size_t i = 1; i < s->n_preselection; i++)
    ck_assert_msg(s->preselection[i - 1]->outlook <= s->preselection[i]->outlook,
                  "world %u: outlook groups", seed);
}

/* Preferences order, they never decide. */
static void without_preferences(const json_t *doc, const struct world *w, unsigned seed) {
  struct world other;
  _json_ json_t *copy = json_deep_copy(doc);
  const char *list_a, *list_b;
  json_object_del(json_object_get(copy, "sheet"), "preferences");
  make(&other, copy, 0, seed);
  for (size_t i = 0; i < w->list.n_preselection; i++) {
    const char *key = w->list.preselection[i]->rec->key;
    world_row(w, key, &list_a);
    world_row(&other, key, &list_b);
    ck_assert_msg(!strcmp(list_a, list_b), "world %u: a preference moved %s", seed, key);
  }
  ck_assert_uint_eq(w->list.n_retained, other.list.n_retained);
  world_done(&other);
}

static void with_irrelevant(const json_t *doc, const struct world *w, unsigned seed) {
  struct world other;
  _json_ json_t *copy = json_deep_copy(doc);
  json_t *evidence = json_object_get(copy, "evidence");
  set(evidence, "alien-run",
      json_pack("{s:s, s:s, s:{s:s, s:i, s:{s:s, s:s}}, s:{s:s, s:b, s:i}}", "kind", "protocol_run",
                "observed_at", "2026-11-20T00:00:00Z", "scope", "device", "nvidia/v100-32-sxm2",
                "devices", 1, "model", "name", "other/model", "revision", "z", "result", "outcome",
                "passed", "truncated", false, "errors", 0));
  make(&other, copy, 0, seed);
  same_lists(w, &other, seed, "an irrelevant piece");
  world_done(&other);
}

static void with_proof(const json_t *doc, const struct world *w, unsigned seed) {
  struct world other;
  if (!w->list.n_preselection) return;
  const struct crv_row *row = w->list.preselection[pick((unsigned)w->list.n_preselection)];
  if (!row->device) return;
  _json_ json_t *copy = json_deep_copy(doc);
  set(json_object_get(copy, "evidence"), "proof",
      random_run(true, row->device, row->devices, json_object_get(doc, "sheet")));
  make(&other, copy, 0, seed);
  const char *list;
  const struct crv_row *now = world_row(&other, row->rec->key, &list);
  ck_assert(now != NULL);
  ck_assert_uint_eq(row->n_findings, now->n_findings);
  for (size_t i = 0; i < row->n_findings; i++)
    ck_assert_msg(now->findings[i].verdict <= row->findings[i].verdict,
                  "world %u: one more proof worsened %s of %s", seed,
                  crv_criterion_info(row->findings[i].criterion)->id, row->rec->key);
  world_done(&other);
}

static void same_rows(const struct world *a, const struct world *b, struct crv_row *const *rows,
                      size_t n, unsigned seed) {
  const char *list;
  for (size_t i = 0; i < n; i++) {
    _json_ json_t *x = crv_row_json(&a->list, rows[i], true);
    _json_ json_t *y = crv_row_json(&b->list, world_row(b, rows[i]->rec->key, &list), true);
    ck_assert_msg(json_equal(x, y), "world %u: the order of insertion shows in %s", seed,
                  rows[i]->rec->key);
  }
}

static bool in_action(const struct crv_action *a, const struct crv_condition *c) {
  for (size_t i = 0; i < a->n_conditions; i++)
    if (a->conditions[i] == c) return true;
  return false;
}

/* Nothing of the row is open but what the action settles, and that can be settled for good. */
static bool settled_by(const struct crv_action *a, const struct crv_row *row) {
  for (size_t i = 0; i < row->n_conditions; i++)
    if (!in_action(a, row->conditions[i]) || !*row->conditions[i]->settled_by ||
        row->conditions[i]->code == CRV_COND_SHEET_FIELD)
      return false;
  return row->outlook != CRV_EXCEEDS_ON_PAPER;
}

static void actions_keep_their_promises(const struct world *w, unsigned seed) {
  for (size_t i = 0; i < w->list.n_actions; i++) {
    const struct crv_action *a = &w->list.actions[i];
    int64_t n = 0;
    for (size_t k = 0; k < w->list.n_preselection; k++) n += settled_by(a, w->list.preselection[k]);
    ck_assert_msg(a->retains == n, "world %u: \"%s\" retains %d, not %d", seed, a->text, (int)n,
                  (int)a->retains);
  }
}

static void in_another_order(const json_t *doc, const struct world *w, unsigned seed) {
  struct world other;
  make(&other, doc, seed * 7 + 1, seed);
  same_lists(w, &other, seed, "the order of insertion");
  _json_ json_t *a = crv_shortlist_json(&w->list);
  _json_ json_t *b = crv_shortlist_json(&other.list);
  ck_assert_msg(json_equal(a, b), "world %u: the order of insertion shows in the result", seed);
  same_rows(w, &other, w->list.retained, w->list.n_retained, seed);
  same_rows(w, &other, w->list.preselection, w->list.n_preselection, seed);
  same_rows(w, &other, w->list.excluded, w->list.n_excluded, seed);
  world_done(&other);
}

START_TEST(random_worlds_keep_the_rules) {
  const char *env = getenv("CRV_PROPERTY_WORLDS");
  unsigned n = (env ? (unsigned)strtoul(env, NULL, 10) : 10000) / CHUNKS;
  for (unsigned i = 0; i < n; i++) {
    unsigned seed = (unsigned)_i * 100003u + i;
    struct world w;
    state = seed * 2654435761u + 1;
    _json_ json_t *doc = random_world();
    make(&w, doc, 0, seed);
    check_sums(&w, json_object_size(json_object_get(doc, "offers")), seed);
    actions_keep_their_promises(&w, seed);
    without_preferences(doc, &w, seed);
    with_irrelevant(doc, &w, seed);
    with_proof(doc, &w, seed);
    in_another_order(doc, &w, seed);
    world_done(&w);
  }
}
END_TEST

int main(void) {
  Suite *s = suite_create("property");
  TCase *t = tcase_create("property");
  json_object_seed(1);
  tcase_add_loop_test(t, random_worlds_keep_the_rules, 0, CHUNKS);
  tcase_set_timeout(t, 300);
  suite_add_tcase(s, t);
  SRunner *sr = srunner_create(s);
  srunner_run_all(sr, CK_ENV);
  int failed = srunner_ntests_failed(sr);
  srunner_free(sr);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
