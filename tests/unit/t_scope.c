/* core/evidence/scope: each dimension of each set, "*", omissions, joint magnitudes, the direction
   of failures, fingerprints, pins. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/evidence/evidence.h"
#include "tests/unit/shapes.h"

static const char sheet[] =
    "{'task':'inference','model':{'name':'m','revision':'r1','fingerprint':'f'},"
    "'precision':{'weights':'bf16','kv_cache':'fp8'},'length':{'prompt':6000,'generated':2000},"
    "'concurrency':8}";
static const char offer[] =
    "{'supplier':'s','supplier_ref':'ref','device':{'name':'L40S','model':'nvidia/l40s'}}";
static const char piece[] =
    "{'kind':'protocol_run','observed_at':'2026-01-05','scope':{'device':'nvidia/l40s','devices':1,"
    "'model':{'name':'m','revision':'r1'},'precision':{'weights':'bf16','kv_cache':'fp8'},"
    "'length':8000,'concurrency':8},"
    "'result':{'outcome':'passed','truncated':false,'errors':0}}";

struct fixture {
  struct crv_arena *a;
  struct crv_offer_rec *rec;
  struct crv_demand d;
  const struct crv_piece *p;
};

static void *decoded(const struct crv_jspec *spec, const char *base, const char *patch,
                     struct crv_arena *a) {
  struct crv_err err;
  void *out;
  _json_ json_t *j = shape_patched(base, patch);
  ck_assert_msg(shape_decode(spec, j, a, &out, &err), "%s: %s %s", patch, err.at[0].ptr,
                err.at[0].detail);
  return out;
}

static void set_up(struct fixture *f, const char *sheet_patch, const char *piece_patch) {
  struct crv_err err;
  crv_err_init(&err);
  f->a = crv_arena_new(0);
  _json_ json_t *j = shape_json(offer);
  _free_ char *json = json_dumps(j, JSON_COMPACT);
  f->rec = crv_offer_rec_new("o", 1, 1, 0, json, strlen(json), NULL, 0, NULL, &err);
  ck_assert_ptr_nonnull(f->rec);
  struct crv_sheet *s = decoded(&crv_sheet_spec, sheet, sheet_patch, f->a);
  f->p = decoded(&crv_piece_spec, piece, piece_patch, f->a);
  f->d = (struct crv_demand){
      .sheet = s,
      .offer = f->rec,
      .device = "nvidia/l40s",
      .devices = 1,
      .length = crv_sheet_length(s),
      .concurrency = s->concurrency,
      .microbatch = s->microbatch,
      .rank = s->adaptation ? s->adaptation->rank : (struct crv_opt_int){0, false},
  };
}

static void tear_down(struct fixture *f) {
  crv_offer_rec_unref(f->rec);
  crv_arena_free(f->a);
}

static const struct {
  enum crv_dim_set set;
  const char *sheet, *piece, *dim;
  bool omitted;
} rows[] = {
    {CRV_DIMS_MEMORY, "{}", "{}", NULL, false},
    /* each dimension: another value, left out, claimed */
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'task':'training'}}", "task", false},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'task':'inference'}}", NULL, false},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'device':'nvidia/l40'}}", "device", false},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'device':'*'}}", NULL, false},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'devices':2}}", "devices", false},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'devices':null}}", "devices", true},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'strategy':'single'}}", NULL, false},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'model':{'name':'n'}}}", "model.name", false},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'model':{'name':'*'}}}", NULL, false},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'model':{'revision':'r2'}}}", "model.revision", false},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'model':{'revision':null}}}", "model.revision", true},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'model':{'revision':'*'}}}", NULL, false},
    {CRV_DIMS_MEMORY, "{'model':{'revision':null}}", "{'scope':{'model':{'revision':null}}}", NULL,
     false},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'precision':{'weights':'fp16'}}}", "precision.weights",
     false},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'precision':{'weights':'bfloat16'}}}", NULL, false},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'precision':{'kv_cache':null}}}", "precision.kv_cache",
     true},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'precision':null}}", "precision.weights", true},
    {CRV_DIMS_MEMORY, "{'precision':null}", "{'scope':{'precision':null}}", NULL, false},
    {CRV_DIMS_MEMORY, "{'precision':{'compute':'fp32'}}", "{}", "precision.compute", true},
    /* a fingerprint makes two revisions one, for memory only */
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'model':{'revision':'r2','fingerprint':'f'}}}", NULL, false},
    {CRV_DIMS_MEMORY, "{}", "{'scope':{'model':{'revision':'r2','fingerprint':'g'}}}",
     "model.revision", false},
    {CRV_DIMS_QUALITY, "{}", "{'scope':{'model':{'revision':'r2','fingerprint':'f'}}}",
     "model.revision", false},
    /* settings that the sheet names */
    {CRV_DIMS_MEMORY, "{'execution':{'engine':'vllm'}}", "{}", "execution.engine", true},
    {CRV_DIMS_MEMORY, "{'execution':{'engine':'vllm'}}", "{'scope':{'engine':'vllm'}}", NULL,
     false},
    {CRV_DIMS_MEMORY, "{'execution':{'engine':'vllm'}}", "{'scope':{'engine':'vllm 0.17.0'}}", NULL,
     false},
    {CRV_DIMS_MEMORY, "{'execution':{'engine':'vllm'}}", "{'scope':{'engine':'vllmx'}}",
     "execution.engine", false},
    {CRV_DIMS_MEMORY, "{'execution':{'engine':'vllm 0.16'}}", "{'scope':{'engine':'vllm 0.17.0'}}",
     "execution.engine", false},
    {CRV_DIMS_MEMORY, "{'execution':{'engine':'vllm >=0.16'}}",
     "{'scope':{'engine':'vllm 0.17.0'}}", NULL, false},
    {CRV_DIMS_MEMORY, "{'execution':{'engine':'vllm'}}", "{'scope':{'runtime':'vllm 0.17.0'}}",
     NULL, false},
    {CRV_DIMS_MEMORY, "{'execution':{'engine':'vllm'}}",
     "{'scope':{'runtime':'transformers 5.17.0'}}", "execution.engine", true},
    {CRV_DIMS_MEMORY, "{'execution':{'engine':'vllm'}}",
     "{'scope':{'execution':{'engine':'vllm 1'}}}", NULL, false},
    {CRV_DIMS_MEMORY, "{'execution':{'limits':{'n':4}}}", "{}", "execution.limits", true},
    {CRV_DIMS_MEMORY, "{'execution':{'limits':{'n':4}}}",
     "{'scope':{'execution':{'limits':{'n':5}}}}", "execution.limits", false},
    {CRV_DIMS_MEMORY, "{'execution':{'limits':{'n':4}}}",
     "{'scope':{'execution':{'limits':{'n':4}}}}", NULL, false},
    {CRV_DIMS_MEMORY, "{'execution':{'limits':{'n':4}}}", "{'result':{'settings':{'n':4,'m':1}}}",
     NULL, false},
    {CRV_DIMS_MEMORY, "{'execution':{'offload':'none'}}", "{}", "execution.offload", true},
    {CRV_DIMS_MEMORY, "{'execution':{'offload':'none'}}", "{'result':{'spilled':false}}", NULL,
     false},
    {CRV_DIMS_MEMORY, "{'execution':{'offload':'none'}}",
     "{'scope':{'execution':{'offload':"
     "'weights'}}}",
     "execution.offload", false},
    {CRV_DIMS_MEMORY, "{'execution':{'kv_sharing':'none'}}", "{}", "execution.kv_sharing", true},
    {CRV_DIMS_MEMORY, "{'adaptation':{'method':'lora'}}", "{}", "adaptation.method", true},
    {CRV_DIMS_MEMORY, "{'adaptation':{'method':'lora'}}",
     "{'scope':{'adaptation':{'method':'qlora'}}}", "adaptation.method", false},
    {CRV_DIMS_MEMORY, "{'adaptation':{'target_modules':['q','v']}}",
     "{'scope':{'adaptation':{'target_modules':['v','q']}}}", NULL, false},
    {CRV_DIMS_MEMORY, "{'adaptation':{'target_modules':['q','v']}}",
     "{'scope':{'adaptation':{'target_modules':['q','v','k']}}}", "adaptation.target_modules",
     false},
    {CRV_DIMS_MEMORY, "{'adaptation':{'optimizer':'adamw'}}",
     "{'scope':{'adaptation':{'optimizer':'sgd'}}}", "adaptation.optimizer", false},
    {CRV_DIMS_MEMORY, "{'adaptation':{'checkpointing':'full'}}", "{}", "adaptation.checkpointing",
     true},
    {CRV_DIMS_MEMORY, "{'adaptation':{'attention':'flash'}}", "{}", "adaptation.attention", true},
    {CRV_DIMS_MEMORY, "{'adaptation':{'loss':'fused'}}", "{}", "adaptation.loss", true},
    {CRV_DIMS_MEMORY, "{'adaptation':{'fused_backward':false}}",
     "{'scope':{'adaptation':{'fused_backward':true}}}", "adaptation.fused_backward", false},
    {CRV_DIMS_MEMORY, "{'accumulation':4}", "{'scope':{'accumulation':8}}", "accumulation", false},
    {CRV_DIMS_MEMORY, "{'accumulation':4}", "{}", "accumulation", true},
    {CRV_DIMS_MEMORY, "{'scene':{'application':'b','version':'4'}}",
     "{'scope':{'application':'b','application_version':'3'}}", "application_version", false},
    {CRV_DIMS_MEMORY, "{'scene':{'application':'b'}}", "{}", "application", true},
    /* what the piece states beyond the sheet hides nothing */
    {CRV_DIMS_MEMORY, "{}",
     "{'scope':{'driver':'580','engine':'x','supplier':'t','region':'z','adapter':'a','adaptation':"
     "{'loss':'l'},'execution':{'limits':{'k':1}}}}",
     NULL, false},
    /* quality knows no device and no supplier */
    {CRV_DIMS_QUALITY, "{}", "{'scope':{'device':'nvidia/t4','devices':7,'supplier':'t'}}", NULL,
     false},
    {CRV_DIMS_QUALITY, "{}", "{'scope':{'precision':{'kv_cache':'bf16'}}}", "precision.kv_cache",
     false},
    {CRV_DIMS_QUALITY, "{'adaptation':{'method':'lora'}}", "{}", "adapter", true},
    {CRV_DIMS_QUALITY, "{'adaptation':{'method':'lora'}}", "{'scope':{'adapter':'lora run-7'}}",
     NULL, false},
    {CRV_DIMS_QUALITY, "{'adaptation':{'method':'lora'}}", "{'scope':{'adapter':'none'}}",
     "adapter", false},
    {CRV_DIMS_QUALITY, "{'adaptation':{'method':'lora'}}",
     "{'scope':{'adaptation':{'method':'lora'}}}", NULL, false},
    /* another host is another latency */
    {CRV_DIMS_LATENCY, "{}", "{}", "supplier", true},
    {CRV_DIMS_LATENCY, "{}", "{'scope':{'supplier':'t','supplier_ref':'ref'}}", "supplier", false},
    {CRV_DIMS_LATENCY, "{}", "{'scope':{'supplier':'s'}}", "supplier_ref", true},
    {CRV_DIMS_LATENCY, "{}", "{'scope':{'supplier':'s','supplier_ref':'x'}}", "supplier_ref",
     false},
    {CRV_DIMS_LATENCY, "{}", "{'scope':{'supplier':'s','supplier_ref':'ref'}}", NULL, false},
    {CRV_DIMS_LATENCY, "{}", "{'scope':{'supplier':'s','supplier_ref':'*'}}", NULL, false},
    {CRV_DIMS_LATENCY, "{}", "{'scope':{'offer':'o'}}", NULL, false},
    {CRV_DIMS_LATENCY, "{}", "{'scope':{'offer':'o','device':'nvidia/t4'}}", "device", false},
    {CRV_DIMS_SUPPLIER, "{}",
     "{'scope':{'device':'nvidia/t4','supplier':'s','supplier_ref':'ref'}}", NULL, false},
    {CRV_DIMS_SUPPLIER, "{}", "{'scope':{'supplier':'t','supplier_ref':'ref'}}", "supplier", false},
    {CRV_DIMS_OFFER, "{}", "{'scope':{'offer':'o'}}", NULL, false},
    {CRV_DIMS_OFFER, "{}", "{'scope':{'offer':'x'}}", "offer", false},
    {CRV_DIMS_OFFER, "{}", "{'scope':{'supplier':'s'}}", "offer", true},
    /* architecture */
    {CRV_DIMS_ARCHITECTURE, "{}", "{}", NULL, false},
    {CRV_DIMS_ARCHITECTURE, "{}", "{'scope':{'device':'nvidia/t4'}}", "device", false},
    {CRV_DIMS_RUNTIME, "{'software':{'runtime':'vllm >=0.17'}}", "{}", "runtime", true},
    {CRV_DIMS_RUNTIME, "{'software':{'runtime':'vllm >=0.17'}}",
     "{'scope':{'runtime':'vllm 0.16'}}", "runtime", false},
    {CRV_DIMS_RUNTIME, "{'software':{'runtime':'vllm >=0.17'}}",
     "{'scope':{'runtime':'vllm 0.17.1'}}", NULL, false},
    {CRV_DIMS_RUNTIME, "{'software':{'runtime':'vllm >=0.17'}}", "{'scope':{'engine':'vllm 0.18'}}",
     NULL, false},
};

START_TEST(scope_is_matched_by_dimension) {
  struct fixture f;
  bool omitted;
  set_up(&f, rows[_i].sheet, rows[_i].piece);
  const char *dim = crv_scope_mismatch(rows[_i].set, f.p, &f.d, &omitted);
  ck_assert_msg(dim ? rows[_i].dim && !strcmp(dim, rows[_i].dim) : !rows[_i].dim,
                "%s with %s: %s, expected %s", rows[_i].sheet, rows[_i].piece,
                dim ? dim : "covered", rows[_i].dim ? rows[_i].dim : "covered");
  ck_assert_int_eq(omitted, rows[_i].omitted);
  tear_down(&f);
}
END_TEST

static const struct {
  int64_t devices;
  enum crv_strategy strategy;
  const char *piece, *dim;
  bool omitted;
} placements[] = {
    {1, CRV_STRATEGY_SINGLE, "{}", NULL, false},
    {1, 0, "{'scope':{'strategy':'single'}}", NULL, false},
    {2, CRV_STRATEGY_TENSOR_PARALLEL, "{}", "devices", false},
    {2, CRV_STRATEGY_TENSOR_PARALLEL, "{'scope':{'devices':2}}", "strategy", true},
    {2, CRV_STRATEGY_TENSOR_PARALLEL, "{'scope':{'devices':2,'strategy':'fsdp'}}", "strategy",
     false},
    {2, CRV_STRATEGY_TENSOR_PARALLEL, "{'scope':{'devices':2,'strategy':'tensor_parallel'}}", NULL,
     false},
    {2, 0, "{'scope':{'devices':2,'strategy':'fsdp'}}", NULL, false},
};

START_TEST(devices_used_and_strategy_are_matched) {
  struct fixture f;
  bool omitted;
  set_up(&f, "{}", placements[_i].piece);
  f.d.devices = placements[_i].devices;
  f.d.strategy = placements[_i].strategy;
  const char *dim = crv_scope_mismatch(CRV_DIMS_MEMORY, f.p, &f.d, &omitted);
  ck_assert(dim ? placements[_i].dim && !strcmp(dim, placements[_i].dim) : !placements[_i].dim);
  ck_assert_int_eq(omitted, placements[_i].omitted);
  f.d.device = NULL;
  ck_assert_str_eq(crv_scope_mismatch(CRV_DIMS_MEMORY, f.p, &f.d, &omitted), "device");
  tear_down(&f);
}
END_TEST

START_TEST(documentation_is_matched_by_architecture) {
  static const struct {
    const char *scope, *dim;
  } docs[] = {{"'architecture':'Ada'", NULL},
              {"'architecture':'*'", NULL},
              {"'architecture':'hopper'", "architecture"},
              {"'device':'nvidia/l40s'", NULL},
              {"'driver':'580'", "architecture"}};
  struct fixture f;
  bool omitted;
  char text[256];
  set_up(&f, "{}", "{}");
  for (size_t i = 0; i < sizeof docs / sizeof *docs; i++) {
    struct crv_err err;
    void *p;
    snprintf(text, sizeof text,
             "{'kind':'vendor_documentation','observed_at':'2026-01-05','scope':{'engine':'e',%s},"
             "'result':{'supports':['x']}}",
             docs[i].scope);
    _json_ json_t *j = shape_json(text);
    ck_assert(shape_decode(&crv_piece_spec, j, f.a, &p, &err));
    const char *dim = crv_scope_mismatch(CRV_DIMS_ARCHITECTURE, p, &f.d, &omitted);
    ck_assert_msg(dim ? docs[i].dim && !strcmp(dim, docs[i].dim) : !docs[i].dim, "%s: %s", text,
                  dim);
  }
  tear_down(&f);
}
END_TEST

static const struct {
  const char *sheet, *piece;
  const char *pass, *failure; /* what a pass, and a failure, answer */
} magnitudes[] = {
    {"{}", "{}", NULL, NULL},
    {"{}", "{'scope':{'length':8001,'concurrency':9}}", NULL, "length_beyond"},
    {"{}", "{'scope':{'length':7999}}", "length_short", NULL},
    {"{}", "{'scope':{'concurrency':7}}", "concurrency_short", NULL},
    /* joint: more of one does not make up for less of another */
    {"{}", "{'scope':{'length':16000,'concurrency':4}}", "concurrency_short", "length_beyond"},
    {"{}", "{'scope':{'length':4000,'concurrency':16}}", "length_short", "concurrency_beyond"},
    {"{}", "{'scope':{'length':null}}", "length_unknown", "length_unknown"},
    {"{}", "{'scope':{'concurrency':null}}", "concurrency_unknown", "concurrency_unknown"},
    {"{}", "{'result':{'executed':{'length':100}}}", "length_short", NULL},
    {"{'microbatch':2}", "{}", "microbatch_unknown", "microbatch_unknown"},
    {"{'microbatch':2}", "{'scope':{'microbatch':1}}", "microbatch_short", NULL},
    {"{'microbatch':2}", "{'scope':{'microbatch':4}}", NULL, "microbatch_beyond"},
    {"{'adaptation':{'rank':16}}", "{'scope':{'rank':8}}", "rank_short", NULL},
    {"{'adaptation':{'rank':16}}", "{'scope':{'adaptation':{'rank':32}}}", NULL, "rank_beyond"},
    {"{'adaptation':{'rank':16}}", "{}", "rank_unknown", "rank_unknown"},
    /* a failure at a concurrency that the sheet doesn't limit says nothing about it */
    {"{'concurrency':null}", "{}", NULL, "concurrency_beyond"},
};

static void expect_text(const char *got, const char *wanted, const char *what) {
  ck_assert_msg(got ? wanted && !strcmp(got, wanted) : !wanted, "%s: %s, expected %s", what,
                got ? got : "covered", wanted ? wanted : "covered");
}

START_TEST(magnitudes_are_joint_and_monotone) {
  struct fixture f;
  set_up(&f, magnitudes[_i].sheet, magnitudes[_i].piece);
  expect_text(crv_scope_magnitudes(f.p, &f.d, false), magnitudes[_i].pass, "pass");
  expect_text(crv_scope_magnitudes(f.p, &f.d, true), magnitudes[_i].failure, "failure");
  tear_down(&f);
}
END_TEST

START_TEST(what_goes_beyond_the_sheet_is_pinned) {
  struct fixture f;
  struct crv_fact pins[12];
  char text[512] = "";
  size_t used = 0;
  set_up(&f, "{'execution':{'engine':'vllm','limits':{'n':4}},'precision':{'kv_cache':null}}",
         "{'scope':{'engine':'vllm 0.17.0','driver':'580.159','accumulation':2,'adapter':'*',"
         "'execution':{'limits':{'n':4,'k':5}}},'result':{'settings':{'ecc':true}}}");
  size_t n = crv_scope_pins(f.p, &f.d, pins);
  for (size_t i = 0; i < n; i++) {
    char number[32];
    snprintf(number, sizeof number, "%lld", (long long)pins[i].i);
    used += (size_t)snprintf(text + used, sizeof text - used, "%s=%s ", pins[i].name,
                             pins[i].type == CRV_FACT_TEXT ? pins[i].text : number);
  }
  ck_assert_str_eq(text, "engine=vllm 0.17.0 driver=580.159 precision.kv_cache=fp8 accumulation=2 "
                         "k=5 ecc=true ");
  tear_down(&f);
}
END_TEST

START_TEST(pins_are_twelve_at_most) {
  struct fixture f;
  struct crv_fact pins[12];
  set_up(&f, "{}",
         "{'result':{'settings':{'a':1,'b':1,'c':1,'d':1,'e':1,'f':1,'g':1,'h':1,'i':1,'j':1,'k':1,"
         "'l':1,'m':1,'n':1}}}");
  ck_assert_uint_eq(crv_scope_pins(f.p, &f.d, pins), 12);
  tear_down(&f);
}
END_TEST

#define LOOP(tc, test, table) tcase_add_loop_test(tc, test, 0, sizeof table / sizeof *table)

int main(void) {
  Suite *s = suite_create("scope");
  TCase *tc = tcase_create("scope");
  LOOP(tc, scope_is_matched_by_dimension, rows);
  LOOP(tc, devices_used_and_strategy_are_matched, placements);
  tcase_add_test(tc, documentation_is_matched_by_architecture);
  LOOP(tc, magnitudes_are_joint_and_monotone, magnitudes);
  tcase_add_test(tc, what_goes_beyond_the_sheet_is_pinned);
  tcase_add_test(tc, pins_are_twelve_at_most);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
