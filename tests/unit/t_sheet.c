/* core/sheet: the documented sheet, every refusal of its tables, completeness by task. */
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/sheet/sheet.h"
#include "tests/unit/shapes.h"

/* api.md, "Shapes" */
static const char documented[] =
    "{'task':'inference',"
    "'model':{'name':'example/seven-b','revision':'4f1c2a9','parameters':7000000000},"
    "'precision':{'weights':'bf16','kv_cache':'bf16'},"
    "'length':{'prompt':6144,'generated':2048},'concurrency':8,"
    "'quality':{'metric':'exact_match','dataset':'support-eval','dataset_revision':'v3',"
    "'at_least':'0.82'},"
    "'reserve':[{'item':'cache, activations and runtime','bytes':'6 GiB','basis':'estimated',"
    "'why':'hypothesis to control by a run'}],"
    "'placement':{'devices':1,'strategy':'single'},"
    "'campaign':{'hours':72,'currency':'USD','ceiling':'200'},"
    "'preferences':[{'field':'region','equals':'eu-central'}],'current':'rtx-4090-3d'}";

static const struct crv_sheet *sheet_of(const char *text, struct crv_arena *a) {
  struct crv_err err;
  void *out;
  _json_ json_t *j = shape_json(text);
  ck_assert_msg(shape_decode(&crv_sheet_spec, j, a, &out, &err), "%s: %s %s", text, err.at[0].ptr,
                err.at[0].detail);
  return out;
}

START_TEST(the_documented_sheet_decodes) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  const struct crv_sheet *s = sheet_of(documented, a);
  ck_assert_int_eq(s->task, CRV_TASK_INFERENCE);
  ck_assert_int_eq(s->model->parameters.v, 7000000000);
  ck_assert_int_eq(crv_sheet_length(s).v, 8192);
  ck_assert_uint_eq(s->quality.n, 1);
  ck_assert_int_eq(crv_list_at(s->quality, struct crv_quality, 0)->at_least.v, 820000);
  const struct crv_reserve *r = crv_list_at(s->reserve, struct crv_reserve, 0);
  ck_assert_int_eq(r->bytes.v, INT64_C(6442450944));
  ck_assert_uint_eq(s->placement.n, 1);
  ck_assert_int_eq(s->campaign->ceiling.v, 200000000);
  const struct crv_preference *p = crv_list_at(s->preferences, struct crv_preference, 0);
  ck_assert_str_eq(p->equals, "\"eu-central\"");
  ck_assert_str_eq(s->current->offer, "rtx-4090-3d");
  struct crv_missing missing[CRV_MAX_MISSING];
  ck_assert_uint_eq(crv_sheet_missing(s, missing), 0);
}
END_TEST

/* Each document, and what its canonical form contains. */
static const struct {
  const char *text, *contains;
} forms[] = {
    {documented, "\"current\":{\"offer\":\"rtx-4090-3d\"}"},
    {documented, "\"bytes\":6442450944"},
    {documented, "\"placement\":[{\"devices\":1,\"strategy\":\"single\"}]"},
    {"{'task':'inference','quality':{'metric':'m','minimum':0.5}}", "\"at_least\":\"0.5\""},
    {"{'task':'inference','service':{'managed':false}}", "\"service\":{\"managed\":false}"},
    {"{'task':'inference','interconnect':'nvlink'}", "\"interconnect\":[\"nvlink\"]"},
    {"{'task':'inference','headroom':'1 GiB'}", "\"headroom\":{\"bytes\":1073741824}"},
    {"{'task':'inference','host':{'ram':'64 GiB','disk':{'bytes':1000}}}",
     "\"host\":{\"disk\":{\"bytes\":1000},\"ram\":{\"bytes\":68719476736}}"},
    {"{'task':'inference','host':{'ram':[{'item':'a','bytes':1,'why':'w'},{'item':'b'}]}}",
     "\"ram\":[{\"bytes\":1,\"item\":\"a\",\"why\":\"w\"},{\"item\":\"b\"}]"},
    {"{'task':'inference','requirements':[{'field':'lot.devices','op':'in','value':[1,2.50]}]}",
     "\"value\":[1,\"2.50\"]"},
    {"{'task':'inference','requirements':[{'field':'region','op':'==','value':true}]}",
     "\"value\":true"},
    {"{'task':'inference','x-ticket':{'n':1},'model':{'name':'m','license':'mit'}}",
     "\"x-ticket\":{\"n\":1}"},
    {"{'task':'inference','model':{'name':'m','license':'mit'}}", "\"license\":\"mit\""},
    {"{'task':'rendering','scene':{'application':'a','inputs':['i'],'jobs':2,"
     "'textures':[{'item':'t','bytes':'1 MiB'}]}}",
     "\"inputs\":[{\"name\":\"i\"}]"},
    {"{'task':'training','phases':['evaluation'],'execution':{'limits':{'n':4,'r':0.5}}}",
     "\"limits\":{\"n\":4,\"r\":\"0.5\"}"},
    {"{'task':'inference','acceptance':{'latency':{'p95':500},'completion':1,'throughput':'12.5',"
     "'throughput_unit':'tokens/s'}}",
     "\"latency_ms\":{\"p95\":500}"},
};

START_TEST(forms_round_trip) {
  _free_ char *text = shape_round_trip(&crv_sheet_spec, forms[_i].text);
  ck_assert_msg(strstr(text, forms[_i].contains) != NULL, "%s lacks %s", text, forms[_i].contains);
}
END_TEST

static const struct refusal refusals[] = {
    {"{}", NULL, NULL},
    {"{'task':null}", "/task", "missing"},
    {"{'task':'inferance'}", "/task", "not_one_of"},
    {"{'regoin':'eu'}", "/regoin", "unknown_field"},
    {"{'name':'Support Bot'}", "/name", "bad_format"},
    {"{'model':{'parameters':0}}", "/model/parameters", "out_of_range"},
    {"{'model':{'parameters':'7e9'}}", "/model/parameters", "wrong_type"},
    {"{'model':{'config':{}}}", "/model/config", "not_yet"},
    {"{'model':{'tensors':[]}}", "/model/tensors", "not_yet"},
    {"{'model':{'gguf':'f'}}", "/model/gguf", "not_yet"},
    {"{'sequence':4096}", "/sequence", "conflict"},
    {"{'concurrency':0}", "/concurrency", "out_of_range"},
    {"{'concurrency':-1}", "/concurrency", "out_of_range"},
    {"{'length':{'prompt':1.5}}", "/length/prompt", "wrong_type"},
    {"{'quality':{'at_least':null}}", "/quality/at_least", "missing"},
    {"{'quality':{'at_most':'1'}}", "/quality/at_most", "conflict"},
    {"{'quality':{'minimum':'1'}}", "/quality/at_least", "duplicate"},
    {"{'quality':{'metric':null}}", "/quality/metric", "missing"},
    {"{'quality':{'share':'1.5'}}", "/quality/share", "out_of_range"},
    {"{'quality':{'share':0}}", "/quality/share", "out_of_range"},
    {"{'quality':{'at_least':'0.1234567'}}", "/quality/at_least", "too_many_decimals"},
    {"{'quality':[{'metric':'m','at_least':1},{'metric':'m','at_least':2}]}", "/quality/1",
     "duplicate"},
    {"{'quality':[{'metric':'m','at_least':1},{'metric':'m','at_most':2}]}", NULL, NULL},
    {"{'reserve':[{'item':'i','basis':'estimated'}]}", "/reserve/0/bytes", "missing"},
    {"{'reserve':[{'item':'i','basis':'unknown'}]}", NULL, NULL},
    {"{'reserve':[{'item':'i','basis':'unknown','bytes':1}]}", "/reserve/0/bytes", "conflict"},
    {"{'reserve':[{'item':'i','basis':'measured','bytes':1}]}", "/reserve/0/evidence", "missing"},
    {"{'reserve':[{'item':'i','basis':'measured','bytes':1,'evidence':'run-1@2'}]}", NULL, NULL},
    {"{'reserve':[{'item':'i','basis':'measured','bytes':1,'evidence':'Run'}]}",
     "/reserve/0/evidence", "bad_format"},
    {"{'reserve':[{'item':'i','basis':'measured','bytes':1,'evidence':'run@0'}]}",
     "/reserve/0/evidence", "bad_format"},
    {"{'reserve':[{'item':'i','bytes':1}]}", "/reserve/0/basis", "missing"},
    {"{'reserve':[{'item':'i','bytes':'24G','basis':'estimated'}]}", "/reserve/0/bytes",
     "ambiguous_unit"},
    {"{'reserve':[{'item':'i','bytes':1,'basis':'estimated'},"
     "{'item':'i','bytes':2,'basis':'estimated'}]}",
     "/reserve/1", "duplicate"},
    {"{'headroom':{'why':'w'}}", "/headroom/bytes", "missing"},
    {"{'headroom':{'bytes':1,'evidence':'a b'}}", "/headroom/evidence", "bad_format"},
    {"{'placement':{'devices':2}}", "/placement/strategy", "conflict"},
    {"{'placement':{'devices':0}}", "/placement/devices", "out_of_range"},
    {"{'placement':{'devices':1048577}}", "/placement/devices", "out_of_range"},
    {"{'placement':{'interconnect':'nvlink'}}", "/placement/interconnect", "unknown_field"},
    {"{'placement':[{'devices':2,'strategy':'fsdp'},{'devices':2,'strategy':'fsdp'}]}",
     "/placement/1", "duplicate"},
    {"{'placement':[{'devices':2,'strategy':'fsdp'},{'devices':2,'strategy':'zero3'}]}", NULL,
     NULL},
    {"{'interconnect':['nvlink','nvlink']}", "/interconnect/1", "duplicate"},
    {"{'service':{}}", "/service/managed", "missing"},
    {"{'service':true}", "/service", "wrong_type"},
    {"{'host':{'ram':64}}", "/host/ram", "bad_unit"},
    {"{'host':{'ram':'64G'}}", "/host/ram", "ambiguous_unit"},
    {"{'host':{'ram':[]}}", "/host/ram", "out_of_range"},
    {"{'host':{'ram':[{'bytes':1}]}}", "/host/ram/0/item", "missing"},
    {"{'host':{'ram':[{'item':'a','bytes':9007199254740991},{'item':'b','bytes':1}]}}", "/host/ram",
     "out_of_range"},
    {"{'host':{'vcpus':0}}", "/host/vcpus", "out_of_range"},
    {"{'campaign':{'hours':0}}", "/campaign/hours", "out_of_range"},
    {"{'campaign':{'currency':null}}", "/campaign/currency", "missing"},
    {"{'campaign':{'currency':'usd'}}", "/campaign/currency", "bad_format"},
    {"{'campaign':{'ceiling':-1}}", "/campaign/ceiling", "out_of_range"},
    {"{'campaign':{'ceiling':0}}", "/campaign/ceiling", "out_of_range"},
    {"{'campaign':{'start_by':'tomorrow'}}", "/campaign/start_by", "bad_format"},
    {"{'campaign':{'rates':['a','a']}}", "/campaign/rates/1", "duplicate"},
    {"{'campaign':{'tax':'maybe'}}", "/campaign/tax", "not_one_of"},
    {"{'acceptance':{'completion':'1.1'}}", "/acceptance/completion", "out_of_range"},
    {"{'acceptance':{'throughput':5}}", "/acceptance/throughput_unit", "missing"},
    {"{'acceptance':{'latency_ms':{'p95':0}}}", "/acceptance/latency_ms/p95", "out_of_range"},
    {"{'adaptation':{'target_modules':['q','q']}}", "/adaptation/target_modules/1", "duplicate"},
    {"{'phases':['evaluation']}", "/phases", "conflict"},
    {"{'task':'training','phases':['warmup']}", "/phases/0", "not_one_of"},
    {"{'task':'training','phases':['evaluation','evaluation']}", "/phases/1", "duplicate"},
    {"{'requirements':[{'field':'region','op':'~','value':1}]}", "/requirements/0/op",
     "not_one_of"},
    {"{'requirements':[{'field':'region','op':'=='}]}", "/requirements/0/value", "missing"},
    {"{'requirements':[{'field':'region','op':'==','value':{}}]}", "/requirements/0/value",
     "wrong_type"},
    {"{'requirements':[{'field':'region','op':'==','value':['a']}]}", "/requirements/0/value",
     "wrong_type"},
    {"{'requirements':[{'field':'region','op':'in','value':'a'}]}", "/requirements/0/value",
     "wrong_type"},
    {"{'requirements':[{'field':'region','op':'in','value':[]}]}", "/requirements/0/value",
     "wrong_type"},
    {"{'requirements':[{'field':'region','op':'in','value':[['a']]}]}", "/requirements/0/value",
     "wrong_type"},
    {"{'requirements':[{'field':'region','op':'==','value':'a'},"
     "{'field':'region','op':'==','value':'a'}]}",
     "/requirements/1", "duplicate"},
    {"{'preferences':[{'field':'region'}]}", "/preferences/0/equals", "missing"},
    {"{'preferences':[{'field':'region','equals':'a','at_least':'b'}]}", "/preferences/0/at_least",
     "conflict"},
    {"{'preferences':[{'field':'region','equals':['a']}]}", "/preferences/0/equals", "wrong_type"},
    {"{'preferences':[{'field':'region','equals':'a'},{'field':'region','equals':'a'}]}",
     "/preferences/1", "duplicate"},
    {"{'current':{'device':'nvidia/l4','devices':1}}", NULL, NULL},
    {"{'current':{'offer':'a','device':'nvidia/l4'}}", "/current/offer", "conflict"},
    {"{'current':{'devices':1}}", "/current/offer", "missing"},
    {"{'current':'A B'}", "/current", "bad_format"},
    {"{'x-anything':[1,2]}", NULL, NULL},
};

START_TEST(refusals_name_the_field) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  void *out;
  const struct refusal *row = &refusals[_i];
  _json_ json_t *j = shape_patched(documented, row->patch);
  bool ok = shape_decode(&crv_sheet_spec, j, a, &out, &err);
  shape_expect(&err, ok, row);
}
END_TEST

START_TEST(all_refusals_come_at_once) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  void *out;
  _json_ json_t *j = shape_patched(
      documented, "{'concurrency':0,'quality':{'at_most':'1'},'x':1,'model':{'config':{}}}");
  ck_assert(!shape_decode(&crv_sheet_spec, j, a, &out, &err));
  ck_assert_uint_eq(err.n, 4);
}
END_TEST

START_TEST(an_item_without_bytes_leaves_the_amount_unknown) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  const struct crv_sheet *s =
      sheet_of("{'task':'inference','host':{'ram':[{'item':'a','bytes':'1 KiB'},{'item':'b'}],"
               "'disk':[{'item':'a','bytes':'1 KiB'},{'item':'b','bytes':'0.5 B'}]}}",
               a);
  ck_assert(!s->host->ram.bytes.set);
  ck_assert_uint_eq(s->host->ram.items.n, 2);
  ck_assert(s->host->disk.bytes.set);
  ck_assert_int_eq(s->host->disk.bytes.v, 1025);
}
END_TEST

static const struct {
  const char *text, *missing;
} complete[] = {
    {"{'task':'inference'}",
     "model.name model.revision precision.weights length concurrency quality"},
    {"{'task':'inference','length':{'prompt':1},'quality_waived':'trial'}",
     "model.name model.revision precision.weights length.generated concurrency"},
    {"{'task':'inference','sequence':8,'concurrency':1,'model':{'name':'m','revision':'r'},"
     "'precision':{'weights':'bf16'},'quality':{'metric':'m','at_least':1}}",
     ""},
    {"{'task':'training'}",
     "model.name model.revision precision.weights sequence microbatch accumulation "
     "adaptation.method adaptation.optimizer quality"},
    {"{'task':'adaptation','sequence':8,'microbatch':1,'accumulation':1,'adaptation':{'method':"
     "'lora'},'model':{'name':'m','revision':'r'},'precision':{'weights':'bf16'},"
     "'quality_waived':'w'}",
     "adaptation.optimizer"},
    {"{'task':'rendering'}",
     "scene.application scene.version scene.inputs scene.largest_input scene.jobs quality"},
    {"{'task':'processing','quality_waived':'w','scene':{'application':'a','version':'1',"
     "'inputs':[{'name':'i'}],'largest_input':'i','jobs':1}}",
     "scene.inputs.revision"},
};

START_TEST(completeness_is_by_task) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_missing missing[CRV_MAX_MISSING];
  char text[512] = "";
  size_t n = crv_sheet_missing(sheet_of(complete[_i].text, a), missing), used = 0;
  for (size_t i = 0; i < n; i++) {
    ck_assert_str_ne(missing[i].why, "");
    used +=
        (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "", missing[i].field);
  }
  ck_assert_str_eq(text, complete[_i].missing);
}
END_TEST

static const struct {
  const char *text, *phases;
} phases[] = {
    {"{'task':'inference'}", "loading generation"},
    {"{'task':'training'}", "loading forward backward optimizer_step"},
    {"{'task':'adaptation','phases':['checkpoint_export','evaluation']}",
     "loading forward backward optimizer_step checkpoint_export evaluation"},
    {"{'task':'rendering'}", "loading execution export"},
    {"{'task':'processing'}", "loading execution export"},
};

START_TEST(phases_are_by_task) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  const char *at[8];
  char text[256] = "";
  size_t n = crv_sheet_phases(sheet_of(phases[_i].text, a), at), used = 0;
  for (size_t i = 0; i < n; i++)
    used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", i ? " " : "", at[i]);
  ck_assert_str_eq(text, phases[_i].phases);
}
END_TEST

START_TEST(length_needs_both_parts) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  ck_assert(!crv_sheet_length(sheet_of("{'task':'inference','length':{'prompt':5}}", a)).set);
  ck_assert_int_eq(crv_sheet_length(sheet_of("{'task':'training','sequence':9}", a)).v, 9);
}
END_TEST

static void every_field_is_documented(const struct crv_jspec *spec, void *ctx) {
  (void)ctx;
  for (const struct crv_jfield *f = spec->fields; f->name; f++)
    ck_assert_msg(f->doc && strlen(f->doc) > 3, "%s.%s has no doc", spec->name, f->name);
}

START_TEST(every_field_has_its_meaning) {
  crv_jspec_each(&crv_sheet_spec, every_field_is_documented, NULL);
  _json_ json_t *schema = crv_jspec_schema(&crv_sheet_spec);
  ck_assert_ptr_nonnull(schema);
}
END_TEST

#define LOOP(tc, test, table) tcase_add_loop_test(tc, test, 0, sizeof table / sizeof *table)

int main(void) {
  Suite *s = suite_create("sheet");
  TCase *tc = tcase_create("sheet");
  tcase_add_test(tc, the_documented_sheet_decodes);
  LOOP(tc, forms_round_trip, forms);
  LOOP(tc, refusals_name_the_field, refusals);
  tcase_add_test(tc, all_refusals_come_at_once);
  tcase_add_test(tc, an_item_without_bytes_leaves_the_amount_unknown);
  LOOP(tc, completeness_is_by_task, complete);
  LOOP(tc, phases_are_by_task, phases);
  tcase_add_test(tc, length_needs_both_parts);
  tcase_add_test(tc, every_field_has_its_meaning);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
