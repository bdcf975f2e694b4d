/* core/evidence/piece: the documented run, every refusal by kind, facts under both kinds of names,
   executed dimensions. */
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/evidence/kinds.h"
#include "core/evidence/piece.h"
#include "tests/unit/shapes.h"

/* api.md, "Shapes" */
static const char run[] =
    "{'kind':'protocol_run','observed_at':'2026-11-30T10:00:00Z',"
    "'valid_until':'2027-05-30T00:00:00Z','uri':'https://ci.example/run/812',"
    "'scope':{'device':'nvidia/rtx-6000-ada','devices':1,'strategy':'single',"
    "'model':{'name':'example/seven-b','revision':'4f1c2a9'},"
    "'precision':{'weights':'bf16','kv_cache':'bf16'},'length':8192,'concurrency':8,"
    "'runtime':'transformers 5.17.0','driver':'580.159'},"
    "'result':{'outcome':'passed','stage':'limit','truncated':false,'errors':0,"
    "'phases':['loading','generation'],"
    "'peaks':[{'phase':'generation','device':0,'counter':'device.used','kind':'peak',"
    "'bytes':'21.4 GiB'},{'phase':'loading','device':0,'counter':'device.used','kind':'peak',"
    "'bytes':'14.2 GiB'}],'latency_ms':{'p95':410},'duration_s':1800}}";

#define OBSERVED "'observed_at':'2026-11-30'"
static const char failure[] =
    "{'kind':'failure_report'," OBSERVED ",'scope':{'device':'nvidia/l4','model':'m'},"
    "'result':{'cause':'out_of_memory','phase':'backward'}}";
static const char list[] =
    "{'kind':'commercial_sheet'," OBSERVED ",'scope':{'supplier':'s'},'result':{}}";
static const char report[] = "{'kind':'device_report'," OBSERVED ",'scope':{'device':'nvidia/l4'},"
                             "'result':{'declared_bytes':'23034 MiB','ecc':true}}";
static const char quality[] = "{'kind':'quality_evaluation'," OBSERVED ",'scope':{'model':'m'},"
                              "'result':{'metric':'em','value':'0.83','share':1}}";
static const char rate[] = "{'kind':'exchange_rate'," OBSERVED ",'scope':{'from':'EUR','to':'USD'},"
                           "'result':{'rate':'1.08'}}";
static const char delivery[] =
    "{'kind':'delivery_commitment'," OBSERVED ",'scope':{'offer':'o'},'result':{'held':true}}";
static const char import[] = "{'kind':'catalogue_import'," OBSERVED ",'scope':{'file':'f'},"
                             "'result':{'origin':'third_party','rows':67}}";
static const char vendor[] =
    "{'kind':'vendor_documentation'," OBSERVED ",'scope':{'architecture':'ada'},"
    "'result':{'supports':['fp8']}}";
static const char preference[] = "{'kind':'order_preference','scope':{'offer':'o'}}";
static const char stock[] =
    "{'kind':'stock_declaration','scope':{'supplier':'s'},'result':{'quantity':3}}";

static bool decode(const json_t *j, struct crv_arena *a, struct crv_piece **ret,
                   struct crv_err *err) {
  crv_err_init(err);
  return crv_piece_decode(j, "", a, ret, err);
}

START_TEST(the_documented_run_decodes) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  struct crv_piece *p;
  _json_ json_t *j = shape_json(run);
  ck_assert_msg(decode(j, a, &p, &err), "%s %s", err.at[0].ptr, err.at[0].detail);
  ck_assert_int_eq(p->kind, CRV_KIND_PROTOCOL_RUN);
  ck_assert_str_eq(p->scope->model->revision, "4f1c2a9");
  ck_assert_uint_eq(p->result->peaks.n, 2);
  const struct crv_peak *peak = crv_list_at(p->result->peaks, struct crv_peak, 0);
  ck_assert_int_eq(peak->counter, CRV_COUNTER_DEVICE_USED);
  ck_assert_int_eq(peak->bytes.v, INT64_C(22978075034)); /* 21.4 * 2^30, rounded up */
  ck_assert_int_eq(p->result->latency_ms->p95.v, 410);
}
END_TEST

static const char *const documents[] = {run,      failure, list,   report,     quality, rate,
                                        delivery, import,  vendor, preference, stock};

START_TEST(every_kind_round_trips) {
  _free_ char *text = shape_round_trip(&crv_piece_spec, documents[_i]);
  ck_assert_ptr_nonnull(strstr(text, "\"kind\":"));
}
END_TEST

struct row {
  const char *base;
  struct refusal is;
};

static const struct row refusals[] = {
    {run, {"{}", NULL, NULL}},
    {run, {"{'kind':'benchmark'}", "/kind", "not_one_of"}},
    {run, {"{'kind':null}", "/kind", "missing"}},
    {run, {"{'scope':null}", "/scope", "missing"}},
    {run, {"{'key':'A'}", "/key", "bad_format"}},
    {run, {"{'observed_at':null}", "/observed_at", "missing"}},
    {run, {"{'valid_until':'2026-11-30T10:00:00Z'}", "/valid_until", "out_of_range"}},
    {run, {"{'valid_until':null}", NULL, NULL}},
    {run, {"{'scope':{'device':null}}", "/scope/device", "missing"}},
    {run, {"{'scope':{'device':'RTX 6000 Ada'}}", "/scope/device", "bad_format"}},
    {run, {"{'scope':{'device':'*'}}", NULL, NULL}},
    {run, {"{'scope':{'model':null}}", "/scope/model/name", "missing"}},
    {run, {"{'scope':{'model':null,'application':'blender'}}", NULL, NULL}},
    {run, {"{'scope':{'model':{'revision':'*'}}}", NULL, NULL}},
    {run, {"{'scope':{'devices':0}}", "/scope/devices", "out_of_range"}},
    {run, {"{'scope':{'devices':2}}", "/scope/strategy", "conflict"}},
    {run, {"{'scope':{'length':'8192'}}", "/scope/length", "wrong_type"}},
    {run, {"{'scope':{'lenght':1}}", "/scope/lenght", "unknown_field"}},
    {run, {"{'result':null}", "/result/outcome", "missing"}},
    {run, {"{'result':{'outcome':null}}", "/result/outcome", "missing"}},
    {run, {"{'result':{'truncated':null}}", "/result/truncated", "missing"}},
    {run, {"{'result':{'errors':null}}", "/result/errors", "missing"}},
    {run, {"{'result':{'outcome':'failed'}}", "/result/cause", "missing"}},
    {run, {"{'result':{'outcome':'failed','cause':'setting'}}", NULL, NULL}},
    {run, {"{'result':{'cause':'setting'}}", "/result/cause", "conflict"}},
    {run, {"{'result':{'phases':['warmup']}}", "/result/phases/0", "not_one_of"}},
    {run, {"{'result':{'phases':['loading','loading']}}", "/result/phases/1", "duplicate"}},
    {run,
     {"{'result':{'peaks':[{'kind':'peak','bytes':1}]}}", "/result/peaks/0/counter", "missing"}},
    {run,
     {"{'result':{'peaks':[{'kind':'peak','bytes':1,'counter':'gpu'}]}}", "/result/peaks/0/counter",
      "not_one_of"}},
    {run,
     {"{'result':{'peaks':[{'counter':'device.used','bytes':1}]}}", "/result/peaks/0/kind",
      "missing"}},
    {run,
     {"{'result':{'peaks':[{'counter':'device.used','kind':'peak'}]}}", "/result/peaks/0/bytes",
      "missing"}},
    {run,
     {"{'result':{'peaks':[{'counter':'device.used','kind':'peak','bytes':0}]}}",
      "/result/peaks/0/bytes", "out_of_range"}},
    {run,
     {"{'result':{'peaks':[{'counter':'device.used','kind':'peak','bytes':'24G'}]}}",
      "/result/peaks/0/bytes", "ambiguous_unit"}},
    {run,
     {"{'result':{'peaks':[{'counter':'device.used','kind':'sampled','bytes':1,'samples':9}]}}",
      "/result/peaks/0/interval_ms", "missing"}},
    {run,
     {"{'result':{'peaks':[{'counter':'device.used','kind':'sampled','bytes':1,"
      "'interval_ms':9}]}}",
      "/result/peaks/0/samples", "missing"}},
    {run,
     {"{'result':{'peaks':[{'counter':'device.used','kind':'sampled','bytes':1,"
      "'interval_ms':9,'samples':1}]}}",
      "/result/peaks/0/samples", "out_of_range"}},
    {run,
     {"{'result':{'peaks':[{'counter':'device.used','kind':'sampled','bytes':1,"
      "'interval_ms':9,'samples':2}]}}",
      NULL, NULL}},
    {run,
     {"{'result':{'peaks':[{'counter':'device.used','kind':'instant','bytes':1,"
      "'samples':1}]}}",
      "/result/peaks/0/kind", "conflict"}},
    {run,
     {"{'result':{'peaks':[{'counter':'device.used','kind':'peak','bytes':1,"
      "'phase':'start'}]}}",
      "/result/peaks/0/phase", "not_one_of"}},
    {run, {"{'result':{'pool':{'bytes':1}}}", "/result/pool/tokens", "missing"}},
    {run, {"{'result':{'throughput':5}}", "/result/throughput_unit", "missing"}},
    {run, {"{'result':{'completion':'1.01'}}", "/result/completion", "out_of_range"}},
    {run, {"{'result':{'value':1}}", "/result/value", "not_for_kind"}},
    {run, {"{'result':{'rate':1}}", "/result/rate", "not_for_kind"}},
    {run, {"{'result':{'date':'2026-12-01'}}", "/result/date", "not_for_kind"}},
    {run, {"{'result':{'supports':['x']}}", "/result/supports", "not_for_kind"}},
    {run, {"{'result':{'origin':'supplier'}}", "/result/origin", "not_for_kind"}},
    {run, {"{'retracted':''}", "/retracted", "out_of_range"}},
    {run, {"{'retracted':true}", "/retracted", "wrong_type"}},
    {run, {"{'retracted':'wrong card','result':null}", NULL, NULL}},
    {run, {"{'supersedes':['a','a']}", "/supersedes/1", "duplicate"}},
    {run, {"{'key':'run-1','supersedes':'run-1'}", "/supersedes/0", "conflict"}},
    {run, {"{'supersedes':['Run']}", "/supersedes/0", "bad_format"}},
    {run, {"{'content':{'sha256':'abc'}}", "/content/sha256", "bad_format"}},
    {run, {"{'private':'yes'}", "/private", "wrong_type"}},
    {failure, {"{'result':{'cause':null}}", "/result/cause", "missing"}},
    {failure, {"{'result':{'cause':'gremlins'}}", "/result/cause", "not_one_of"}},
    {failure, {"{'result':{'outcome':'passed','cause':null}}", "/result/outcome", "conflict"}},
    {failure, {"{'result':{'outcome':'failed'}}", NULL, NULL}},
    {failure, {"{'result':{'phase':'undetermined'}}", NULL, NULL}},
    {failure, {"{'result':{'phase':'somewhere'}}", "/result/phase", "not_one_of"}},
    {failure, {"{'result':{'latency_ms':{'p95':1}}}", "/result/latency_ms", "not_for_kind"}},
    {list, {"{'scope':{'supplier':null}}", "/scope/supplier", "missing"}},
    {list, {"{'scope':{'supplier':null,'offer':'o'}}", NULL, NULL}},
    {list, {"{'result':{'outcome':'passed'}}", "/result/outcome", "not_for_kind"}},
    {list, {"{'result':{'declared_bytes':1}}", "/result/declared_bytes", "not_for_kind"}},
    {list, {"{'result':{'facts':{'host.ram':'64 GiB','host':{'vcpus':4}}}}", NULL, NULL}},
    {list, {"{'result':{'facts':{'host.ram':'64G'}}}", "/result/facts/host.ram", "ambiguous_unit"}},
    {list,
     {"{'result':{'facts':{'host':{'ram':'64G'}}}}", "/result/facts/host/ram", "ambiguous_unit"}},
    {list,
     {"{'result':{'facts':{'host.rom':'64 GiB'}}}", "/result/facts/host.rom", "unknown_field"}},
    {list, {"{'result':{'facts':{'host.ram.x':1}}}", "/result/facts/host.ram.x", NULL}},
    {list,
     {"{'result':{'facts':{'host.ram':'1 B','host':{'ram':'2 B'}}}}", "/result/facts/host",
      "duplicate"}},
    {list,
     {"{'result':{'facts':{'region':'a','region.b':'c'}}}", "/result/facts/region.b", "duplicate"}},
    {list, {"{'result':{'facts':[]}}", "/result/facts", "wrong_type"}},
    {report, {"{'scope':{'device':null}}", "/scope/device", "missing"}},
    {report, {"{'scope':{'device':null,'supplier_ref':'r'}}", NULL, NULL}},
    {report,
     {"{'result':{'declared_bytes':null,'ecc':true}}", "/result/declared_bytes", "missing"}},
    {report, {"{'result':{'declared_bytes':null,'host':{'ram':'64 GiB'}}}", NULL, NULL}},
    {report, {"{'result':{'peaks':[]}}", NULL, NULL}},
    {quality, {"{'scope':{'model':null}}", "/scope/model/name", "missing"}},
    {quality, {"{'result':{'metric':null}}", "/result/metric", "missing"}},
    {quality, {"{'result':{'value':null}}", "/result/value", "missing"}},
    {quality, {"{'result':{'value':'-3.5'}}", NULL, NULL}},
    {quality, {"{'result':{'share':'1.1'}}", "/result/share", "out_of_range"}},
    {quality, {"{'result':{'share':0}}", "/result/share", "out_of_range"}},
    {rate, {"{'result':{'rate':0}}", "/result/rate", "out_of_range"}},
    {rate, {"{'result':{'rate':'-1'}}", "/result/rate", "out_of_range"}},
    {rate, {"{'result':{'rate':null}}", "/result/rate", "missing"}},
    {rate, {"{'scope':{'to':null}}", "/scope/to", "missing"}},
    {rate, {"{'scope':{'to':'EUR'}}", "/scope/to", "conflict"}},
    {rate, {"{'scope':{'to':'usd'}}", "/scope/to", "bad_format"}},
    {delivery, {"{'scope':{'offer':null,'supplier':'s'}}", "/scope/offer", "missing"}},
    {delivery, {"{'result':{'held':null}}", "/result/date", "missing"}},
    {delivery,
     {"{'result':{'date':'2026-12-01','lead_time_hours':4}}", "/result/lead_time_hours",
      "conflict"}},
    {import, {"{'result':{'origin':null}}", "/result/origin", "missing"}},
    {import, {"{'result':{'origin':'friend'}}", "/result/origin", "not_one_of"}},
    {import, {"{'result':{'facts':{'region':'a'}}}", "/result/facts", "not_for_kind"}},
    {import, {"{'scope':{'file':null}}", "/scope/file", "missing"}},
    {vendor, {"{'scope':{'architecture':null}}", "/scope/architecture", "missing"}},
    {vendor, {"{'result':{'supports':null}}", "/result/supports", "missing"}},
    {vendor, {"{'result':{'supports':null,'unsupported':['fp8']}}", NULL, NULL}},
    {vendor, {"{'result':{'supports':['a','a']}}", "/result/supports/1", "duplicate"}},
    {preference, {"{'scope':{'offer':null,'supplier':'s'}}", "/scope/offer", "missing"}},
    {preference, {"{'result':{'facts':{'software.driver':'580'}}}", NULL, NULL}},
    {preference, {"{'result':{'quantity':1}}", "/result/quantity", "not_for_kind"}},
    {stock, {"{'scope':{'supplier':null}}", "/scope/offer", NULL}},
};

START_TEST(refusals_name_the_field) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  struct crv_piece *p;
  const struct row *row = &refusals[_i];
  _json_ json_t *j = shape_patched(row->base, row->is.patch);
  bool ok = decode(j, a, &p, &err);
  if (row->is.ptr && !row->is.code) { /* any code, at that place */
    ck_assert(!ok);
    ck_assert_str_eq(err.at[0].ptr, row->is.ptr);
    return;
  }
  shape_expect(&err, ok, &row->is);
}
END_TEST

START_TEST(dotted_facts_are_a_part_of_an_offer) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  struct crv_piece *p;
  _json_ json_t *j = shape_patched(
      list, "{'result':{'facts':{'host.ram':'64 GiB','host':{'vcpus':16},'host.disk':'1 TB',"
            "'lot.one_machine':true,'region':'eu'}}}");
  ck_assert_msg(decode(j, a, &p, &err), "%s %s", err.at[0].ptr, err.at[0].detail);
  const struct crv_offer *f = p->result->facts;
  ck_assert_int_eq(f->host->ram_bytes.v, INT64_C(68719476736));
  ck_assert_int_eq(f->host->vcpus.v, 16);
  ck_assert_int_eq(f->host->disk_bytes.v, INT64_C(1000000000000));
  ck_assert_int_eq(f->lot->one_machine, CRV_TRUE);
  ck_assert_str_eq(f->region, "eu");
}
END_TEST

START_TEST(executed_dimensions_override_the_scope) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  struct crv_piece *p;
  struct crv_executed e;
  _json_ json_t *j = shape_patched(
      run, "{'result':{'executed':{'length':4096}},'scope':{'adaptation':{'rank':16}}}");
  ck_assert(decode(j, a, &p, &err));
  crv_piece_executed(p, &e);
  ck_assert_int_eq(e.length.v, 4096);
  ck_assert_int_eq(e.concurrency.v, 8);
  ck_assert(!e.microbatch.set);
  ck_assert_int_eq(e.rank.v, 16);
}
END_TEST

START_TEST(the_table_of_kinds_is_whole) {
  for (int k = 1; k < CRV_KIND_COUNT; k++) {
    const struct crv_kind_info *info = crv_kind_info((enum crv_kind)k);
    ck_assert_int_eq((int)info->kind, k);
    ck_assert_str_eq(info->name, crv_kind_names[k - 1].name);
    ck_assert_str_ne(info->proves, "");
  }
  ck_assert_ptr_null(crv_kind_names[CRV_KIND_COUNT - 1].name);
  ck_assert(crv_kind_has_result(CRV_KIND_ORDER_PREFERENCE, "text"));
  ck_assert(!crv_kind_has_result(CRV_KIND_ORDER_PREFERENCE, "peaks"));
}
END_TEST

START_TEST(attested_by_names_kinds) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  void *out;
  _json_ json_t *j =
      shape_json("{'task':'inference','requirements':[{'field':'region','op':'==','value':'a',"
                 "'attested_by':['commercial_sheet','hearsay']}]}");
  ck_assert(shape_decode(&crv_sheet_spec, j, a, &out, &err));
  ck_assert(!crv_attested_by_check(out, "", &err));
  ck_assert_uint_eq(err.n, 1);
  ck_assert_str_eq(err.at[0].ptr, "/requirements/0/attested_by/1");
}
END_TEST

START_TEST(all_demands_are_checked_below_the_sheets_place) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  void *out;
  _json_ json_t *j =
      shape_json("{'task':'inference','requirements':[{'field':'regoin','op':'==','value':'a'},"
                 "{'field':'host.ram','op':'in','value':['1 GiB',1],'attested_by':'hearsay'}],"
                 "'preferences':[{'field':'region','at_least':'a'}]}");
  ck_assert(shape_decode(&crv_sheet_spec, j, a, &out, &err));
  ck_assert(!crv_sheet_check_demands(out, "/sheet", &err));
  ck_assert_uint_eq(err.n, 4);
  ck_assert_str_eq(err.at[0].ptr, "/sheet/requirements/0/field");
  ck_assert_str_eq(err.at[1].ptr, "/sheet/requirements/1/value/1");
  ck_assert_str_eq(err.at[2].ptr, "/sheet/preferences/0/at_least");
  ck_assert_str_eq(err.at[3].ptr, "/sheet/requirements/1/attested_by/0");
}
END_TEST

static void every_field_is_documented(const struct crv_jspec *spec, void *ctx) {
  (void)ctx;
  for (const struct crv_jfield *f = spec->fields; f->name; f++)
    ck_assert_msg(f->doc && strlen(f->doc) > 3, "%s.%s has no doc", spec->name, f->name);
}

START_TEST(every_field_has_its_meaning) {
  crv_jspec_each(&crv_piece_spec, every_field_is_documented, NULL);
  _json_ json_t *schema = crv_jspec_schema(&crv_piece_spec);
  ck_assert_ptr_nonnull(schema);
}
END_TEST

#define LOOP(tc, test, table) tcase_add_loop_test(tc, test, 0, sizeof table / sizeof *table)

int main(void) {
  Suite *s = suite_create("piece");
  TCase *tc = tcase_create("piece");
  tcase_add_test(tc, the_documented_run_decodes);
  LOOP(tc, every_kind_round_trips, documents);
  LOOP(tc, refusals_name_the_field, refusals);
  tcase_add_test(tc, dotted_facts_are_a_part_of_an_offer);
  tcase_add_test(tc, executed_dimensions_override_the_scope);
  tcase_add_test(tc, the_table_of_kinds_is_whole);
  tcase_add_test(tc, attested_by_names_kinds);
  tcase_add_test(tc, all_demands_are_checked_below_the_sheets_place);
  tcase_add_test(tc, every_field_has_its_meaning);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
