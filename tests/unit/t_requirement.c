/* core/catalogue/requirement: paths, values and orders of a sheet's requirements and preferences.
 */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/catalogue/offer.h"
#include "tests/unit/shapes.h"

static const struct {
  const char *entry; /* of requirements, or of preferences when it has no op */
  const char *ptr, *code, *hint;
} rows[] = {
    {"{'field':'host.ram','op':'>=','value':'64 GiB'}", NULL, NULL, NULL},
    {"{'field':'host.ram_bytes','op':'>=','value':64000000000}", NULL, NULL, NULL},
    {"{'field':'host.ram','op':'>=','value':64}", "/requirements/0/value", "ambiguous_unit", NULL},
    {"{'field':'host.ram','op':'>=','value':true}", "/requirements/0/value", "wrong_type", NULL},
    {"{'field':'lot.devices','op':'in','value':[1,2,4]}", NULL, NULL, NULL},
    {"{'field':'lot.devices','op':'in','value':[1,'2']}", "/requirements/0/value/1", "wrong_type",
     NULL},
    {"{'field':'region','op':'==','value':'eu'}", NULL, NULL, NULL},
    {"{'field':'region','op':'>=','value':'eu'}", "/requirements/0/op", "wrong_type", "==, !=, in"},
    {"{'field':'region','op':'==','value':5}", "/requirements/0/value", "wrong_type", NULL},
    {"{'field':'plan.interruptible','op':'==','value':false}", NULL, NULL, NULL},
    {"{'field':'plan.interruptible','op':'<','value':true}", "/requirements/0/op", "wrong_type",
     "==, !=, in"},
    {"{'field':'service.managed','op':'==','value':true}", NULL, NULL, NULL},
    {"{'field':'service.managed','op':'==','value':'yes'}", "/requirements/0/value", "wrong_type",
     NULL},
    {"{'field':'plan.renewal','op':'==','value':'same_price'}", NULL, NULL, NULL},
    {"{'field':'plan.renewal','op':'==','value':'always'}", "/requirements/0/value", "not_one_of",
     NULL},
    {"{'field':'price.amount','op':'<=','value':0.5}", NULL, NULL, NULL},
    {"{'field':'price.amount','op':'<=','value':'12.345678'}", NULL, NULL, NULL},
    {"{'field':'price.amount','op':'<=','value':'12.3456789'}", "/requirements/0/value",
     "too_many_decimals", NULL},
    {"{'field':'effective_until','op':'>','value':'2027-01-01'}", NULL, NULL, NULL},
    {"{'field':'lot.interconnect.kind','op':'==','value':'nvlink'}", NULL, NULL, NULL},
    {"{'field':'regoin','op':'==','value':'eu'}", "/requirements/0/field", "unknown_field",
     "did you mean `region`?"},
    {"{'field':'ram','op':'>=','value':'1 GiB'}", "/requirements/0/field", "unknown_field",
     "did you mean `host.ram_bytes`?"},
    {"{'field':'host.rams','op':'>=','value':'1 GiB'}", "/requirements/0/field", "unknown_field",
     NULL},
    {"{'field':'host','op':'==','value':1}", "/requirements/0/field", "wrong_type",
     "such as host.ram_bytes"},
    {"{'field':'device.candidates','op':'==','value':'a'}", "/requirements/0/field", "wrong_type",
     NULL},
    {"{'field':'device.memory_nominal','op':'==','value':'24 GB'}", "/requirements/0/field",
     "wrong_type", NULL},
    {"{'field':'host.ram.x','op':'==','value':'24 GB'}", "/requirements/0/field", "unknown_field",
     NULL},
    {"{'field':'.','op':'==','value':'x'}", "/requirements/0/field", "unknown_field", NULL},
    {"{'field':'region','equals':'eu'}", NULL, NULL, NULL},
    {"{'field':'host.disk','at_least':'1 TB'}", NULL, NULL, NULL},
    {"{'field':'host.disk','at_most':1}", "/preferences/0/at_most", "ambiguous_unit", NULL},
    {"{'field':'region','at_least':'eu'}", "/preferences/0/at_least", "wrong_type", "equals"},
    {"{'field':'supplier','at_most':'eu'}", "/preferences/0/at_most", "wrong_type", "equals"},
    {"{'field':'colour','equals':'eu'}", "/preferences/0/field", "unknown_field",
     "such as host.ram_bytes, lot.devices, region"},
};

START_TEST(requirements_are_held_against_the_offers_table) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  void *sheet;
  char text[512];
  snprintf(text, sizeof text, "{'task':'inference','%s':[%s]}",
           strstr(rows[_i].entry, "'op'") ? "requirements" : "preferences", rows[_i].entry);
  _json_ json_t *j = shape_json(text);
  ck_assert_msg(shape_decode(&crv_sheet_spec, j, a, &sheet, &err), "%s %s", text, err.at[0].detail);
  bool ok = crv_requirements_check(sheet, &err);
  ck_assert_msg(ok == !rows[_i].ptr, "%s: %s %s", text, err.at[0].ptr, err.at[0].detail);
  if (ok) return;
  ck_assert_str_eq(err.at[0].ptr, rows[_i].ptr);
  ck_assert_str_eq(err.at[0].code, rows[_i].code);
  if (rows[_i].hint) ck_assert_str_eq(err.at[0].hint, rows[_i].hint);
}
END_TEST

START_TEST(every_requirement_is_looked_at) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  struct crv_err err;
  void *sheet;
  _json_ json_t *j = shape_json(
      "{'task':'inference','requirements':[{'field':'x','op':'==','value':1},"
      "{'field':'region','op':'==','value':'eu'},{'field':'lot.devices','op':'==','value':'1'}],"
      "'preferences':[{'field':'y','equals':1}]}");
  ck_assert(shape_decode(&crv_sheet_spec, j, a, &sheet, &err));
  ck_assert(!crv_requirements_check(sheet, &err));
  ck_assert_uint_eq(err.n, 3);
  ck_assert_str_eq(err.at[1].ptr, "/requirements/2/value");
  ck_assert_str_eq(err.at[2].ptr, "/preferences/0/field");
}
END_TEST

int main(void) {
  Suite *s = suite_create("requirement");
  TCase *tc = tcase_create("requirement");
  tcase_add_loop_test(tc, requirements_are_held_against_the_offers_table, 0,
                      sizeof rows / sizeof *rows);
  tcase_add_test(tc, every_requirement_is_looked_at);
  suite_add_tcase(s, tc);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
