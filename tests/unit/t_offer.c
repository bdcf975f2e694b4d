/* core/catalogue/offer: the documented offer, every refusal of its tables, nominal sizes. */
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/catalogue/offer.h"
#include "tests/unit/shapes.h"

/* api.md, "Shapes" */
static const char documented[] =
    "{'supplier':'example-cloud','supplier_ref':'rtx4090-1','region':'eu-central',"
    "'device':{'name':'RTX 4090','model':'nvidia/rtx-4090','vendor':'nvidia','architecture':'ada',"
    "'memory_nominal':'24 GB'},"
    "'lot':{'devices':1},'plan':{'hours':72,'interruptible':false},"
    "'price':{'amount':'47.14','currency':'USD','basis':'per_lot','per':'plan'},"
    "'host':{'ram':'64 GiB','vcpus':16,'disk':'500 GB'},'schedule':{'kind':'undocumented'},"
    "'source':{'evidence':'example-price-list@1'}}";

static bool decode(const json_t *j, bool partial, struct crv_arena *a, struct crv_offer **ret,
                   struct crv_err *err) {
  crv_err_init(err);
  return crv_offer_decode(j, "", partial, a, ret, err);
}

START_TEST(the_documented_offer_decodes) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  struct crv_offer *o;
  struct crv_value v;
  _json_ json_t *j = shape_json(documented);
  ck_assert_msg(decode(j, false, a, &o, &err), "%s %s", err.at[0].ptr, err.at[0].detail);
  ck_assert_int_eq(o->device->memory_nominal.micro, 24000000);
  ck_assert_str_eq(o->device->memory_nominal.unit, "GB");
  ck_assert_int_eq(o->price->amount.v, 47140000);
  ck_assert_int_eq(o->host->ram_bytes.v, INT64_C(68719476736));
  ck_assert_int_eq(o->host->disk_bytes.v, INT64_C(500000000000));
  ck_assert_int_eq(o->plan->interruptible, CRV_FALSE);
  ck_assert(crv_jspec_value(&crv_offer_spec, o, "host.ram", &v) && v.set);
  ck_assert_int_eq(v.i, INT64_C(68719476736));
  ck_assert(crv_jspec_value(&crv_offer_spec, o, "software.driver", &v) && !v.set);
}
END_TEST

static const struct {
  const char *text, *contains;
} forms[] = {
    {documented, "\"ram_bytes\":68719476736"},
    {documented, "\"memory_nominal\":\"24 GB\""},
    {documented, "\"amount\":\"47.14\""},
    {"{'device':{'name':'d','memory_nominal':{'value':'24','unit':null}}}",
     "\"memory_nominal\":{\"unit\":null,\"value\":\"24\"}"},
    {"{'device':{'name':'d','memory_nominal':{'value':24.50,'unit':'GiB'}}}",
     "\"memory_nominal\":\"24.5 GiB\""},
    {"{'device':{'memory_nominal':'24564MiB'}}", "\"memory_nominal\":\"24564 MiB\""},
    {"{'device':'RTX 4090'}", "\"device\":{\"name\":\"RTX 4090\"}"},
    {"{'service':{'managed':true}}", "\"service\":{\"managed\":true}"},
    {"{'lot':{'interconnect':'nvlink'}}", "\"interconnect\":{\"kind\":\"nvlink\"}"},
    {"{'source':'list@3'}", "\"source\":{\"evidence\":\"list@3\"}"},
    {"{'effective_from':'2026-11-30'}", "\"effective_from\":\"2026-11-30T00:00:00Z\""},
    {"{'device':{'candidates':['nvidia/h100-pcie','nvidia/h100-sxm']}}",
     "\"candidates\":[\"nvidia/h100-pcie\",\"nvidia/h100-sxm\"]"},
    {"{'price':{'extras':[{'item':'disk','amount':0,'per':'hour'}],'tax':'excluded'}}",
     "\"extras\":[{\"amount\":\"0\",\"item\":\"disk\",\"per\":\"hour\"}]"},
    {"{'findings':[{'field':'device.memory_nominal','code':'memory_ambiguous','detail':'d'}]}",
     "\"code\":\"memory_ambiguous\""},
};

START_TEST(forms_round_trip) {
  _free_ char *text = shape_round_trip(&crv_offer_spec, forms[_i].text);
  ck_assert_msg(strstr(text, forms[_i].contains) != NULL, "%s lacks %s", text, forms[_i].contains);
}
END_TEST

static const struct refusal refusals[] = {
    {"{}", NULL, NULL},
    {"{'supplier':null}", "/supplier", "missing"},
    {"{'device':null}", "/device", "missing"},
    {"{'device':{'name':null,'model':null}}", "/device/name", "missing"},
    {"{'device':{'name':null}}", NULL, NULL},
    {"{'key':'RTX'}", "/key", "bad_format"},
    {"{'supplier':''}", "/supplier", "out_of_range"},
    {"{'device':{'model':'RTX 4090'}}", "/device/model", "bad_format"},
    {"{'device':{'model':'nvidia/'}}", "/device/model", "bad_format"},
    {"{'device':{'model':'acme/x-1'}}", NULL, NULL},
    {"{'device':{'candidates':['nvidia/h100-sxm']}}", "/device/candidates", "conflict"},
    {"{'device':{'model':null,'candidates':['a/b','a/b']}}", "/device/candidates/1", "duplicate"},
    {"{'device':{'model':null,'candidates':['H100']}}", "/device/candidates/0", "bad_format"},
    {"{'device':{'memory_nominal':24}}", "/device/memory_nominal", "bad_unit"},
    {"{'device':{'memory_nominal':'24G'}}", "/device/memory_nominal", "ambiguous_unit"},
    {"{'device':{'memory_nominal':'24 gb'}}", "/device/memory_nominal", "ambiguous_unit"},
    {"{'device':{'memory_nominal':'24'}}", "/device/memory_nominal", "ambiguous_unit"},
    {"{'device':{'memory_nominal':'0 GB'}}", "/device/memory_nominal", "out_of_range"},
    {"{'device':{'memory_nominal':null}}", NULL, NULL},
    {"{'device':{'memory_declared_bytes':0}}", "/device/memory_declared_bytes", "out_of_range"},
    {"{'device':{'memory_kind':'fast'}}", "/device/memory_kind", "not_one_of"},
    {"{'lot':{'devices':0}}", "/lot/devices", "out_of_range"},
    {"{'lot':{'devices':1048577}}", "/lot/devices", "out_of_range"},
    {"{'lot':{'devices':'1'}}", "/lot/devices", "wrong_type"},
    {"{'plan':{'months':1}}", "/plan/months", "conflict"},
    {"{'plan':{'hours':null,'months':1}}", NULL, NULL},
    {"{'plan':{'hours':null}}", NULL, NULL},
    {"{'plan':{'minimum_hours':10,'maximum_hours':5}}", "/plan/maximum_hours", "out_of_range"},
    {"{'plan':{'interruptible':'no'}}", "/plan/interruptible", "wrong_type"},
    {"{'price':{'amount':'-1'}}", "/price/amount", "out_of_range"},
    {"{'price':{'amount':0}}", "/price/amount", "out_of_range"},
    {"{'price':{'amount':'47.1400001'}}", "/price/amount", "too_many_decimals"},
    {"{'price':{'amount':null,'currency':null}}", NULL, NULL},
    {"{'price':{'currency':'dollar'}}", "/price/currency", "bad_format"},
    {"{'price':{'extras':[{'item':'a'}]}}", "/price/extras/0/per", "missing"},
    {"{'price':{'extras':[{'item':'a','per':'lot'},{'item':'a','per':'hour'}]}}",
     "/price/extras/1/item", "duplicate"},
    {"{'host':{'ram':64}}", "/host/ram", "ambiguous_unit"},
    {"{'host':{'ram':null,'ram_bytes':64}}", NULL, NULL},
    {"{'host':{'ram_bytes':64}}", "/host/ram_bytes", "duplicate"},
    {"{'host':{'disk':'0 GB'}}", "/host/disk", "out_of_range"},
    {"{'schedule':{'kind':'documented'}}", "/schedule/date", "missing"},
    {"{'schedule':{'date':'2026-12-01'}}", "/schedule/kind", "conflict"},
    {"{'schedule':{'kind':'documented','date':'2026-12-01','lead_time_hours':2}}",
     "/schedule/lead_time_hours", "conflict"},
    {"{'schedule':{'kind':'documented','lead_time_hours':0}}", NULL, NULL},
    {"{'source':{'uri':'https://a'}}", "/source/evidence", "conflict"},
    {"{'source':{'evidence':'list'}}", "/source/evidence", "bad_format"},
    {"{'source':{'evidence':'list@x'}}", "/source/evidence", "bad_format"},
    {"{'source':{'evidence':null,'uri':'https://a'}}", "/source/observed_at", "missing"},
    {"{'source':{'evidence':null,'observed_at':'2026-11-30'}}", "/source/uri", "missing"},
    {"{'source':{'evidence':null,'uri':'u','observed_at':'2026-11-30','valid_until':"
     "'2026-11-30'}}",
     "/source/valid_until", "out_of_range"},
    {"{'effective_from':'2026-11-30','effective_until':'2026-11-30'}", "/effective_until",
     "out_of_range"},
    {"{'memory':'24 GB'}", "/memory", "unknown_field"},
};

START_TEST(refusals_name_the_field) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  struct crv_offer *o;
  _json_ json_t *j = shape_patched(documented, refusals[_i].patch);
  shape_expect(&err, decode(j, false, a, &o, &err), &refusals[_i]);
}
END_TEST

START_TEST(a_part_of_an_offer_needs_nothing) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  struct crv_offer *o;
  _json_ json_t *j = shape_json("{'host':{'disk':'1 TB'}}");
  ck_assert(decode(j, true, a, &o, &err));
  ck_assert(!decode(j, false, a, &o, &err));
  ck_assert_uint_eq(err.n, 2);
}
END_TEST

START_TEST(a_wrong_model_gets_its_canonical_name_as_hint) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  struct crv_offer *o;
  _json_ json_t *j = shape_patched(documented, "{'device':{'model':'RTX6000-Ada'}}");
  ck_assert(!decode(j, false, a, &o, &err));
  ck_assert_str_eq(err.at[0].hint, "did you mean `nvidia/rtx-6000-ada`?");
}
END_TEST

static const struct {
  const char *ref, *key;
  int64_t version;
} refs[] = {
    {"list@1", "list", 1}, {"a.b-c_d@120", "a.b-c_d", 120},
    {"list", NULL, 0},     {"list@", NULL, 0},
    {"list@0", NULL, 0},   {"list@01", NULL, 0},
    {"list@1x", NULL, 0},  {"List@1", NULL, 0},
    {"@1", NULL, 0},       {"list@-1", NULL, 0},
    {"list@1@2", NULL, 0}, {"list@9999999999999999", NULL, 0},
};

START_TEST(references_split) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  const char *key = NULL;
  int64_t version = 0;
  bool ok = crv_ref_split(refs[_i].ref, a, &key, &version);
  ck_assert_int_eq(ok, refs[_i].key != NULL);
  if (!ok) return;
  ck_assert_str_eq(key, refs[_i].key);
  ck_assert_int_eq(version, refs[_i].version);
}
END_TEST

static void every_field_is_documented(const struct crv_jspec *spec, void *ctx) {
  (void)ctx;
  for (const struct crv_jfield *f = spec->fields; f->name; f++)
    ck_assert_msg(f->doc && strlen(f->doc) > 3, "%s.%s has no doc", spec->name, f->name);
}

START_TEST(every_field_has_its_meaning) {
  crv_jspec_each(&crv_offer_spec, every_field_is_documented, NULL);
  _json_ json_t *schema = crv_jspec_schema(&crv_offer_spec);
  ck_assert_ptr_nonnull(schema);
}
END_TEST

#define LOOP(tc, test, table) tcase_add_loop_test(tc, test, 0, sizeof table / sizeof *table)

int main(void) {
  Suite *s = suite_create("offer");
  TCase *tc = tcase_create("offer");
  tcase_add_test(tc, the_documented_offer_decodes);
  LOOP(tc, forms_round_trip, forms);
  LOOP(tc, refusals_name_the_field, refusals);
  tcase_add_test(tc, a_part_of_an_offer_needs_nothing);
  tcase_add_test(tc, a_wrong_model_gets_its_canonical_name_as_hint);
  LOOP(tc, references_split, refs);
  tcase_add_test(tc, every_field_has_its_meaning);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
