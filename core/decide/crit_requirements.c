/* The sheet's own requirements on any field of an offer: {field, op, value, attested_by}.
   The offer's field table reads the value, so that "64 GiB" means bytes here too.
   Must not know: what the fields mean. */
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/decide/eval.h"

static bool compare(enum crv_op op, int order) {
  switch (op) {
  case CRV_OP_EQ:
  case CRV_OP_IN:
    return order == 0;
  case CRV_OP_NE:
    return order != 0;
  case CRV_OP_GE:
    return order >= 0;
  case CRV_OP_LE:
    return order <= 0;
  case CRV_OP_GT:
    return order > 0;
  case CRV_OP_LT:
    return order < 0;
  default:
    return false;
  }
}

static bool one_holds(struct crv_case *c, const struct crv_jfield *field, enum crv_op op,
                      const json_t *want, const struct crv_value *have) {
  struct crv_value v;
  struct crv_err err;
  crv_err_init(&err);
  if (!crv_jspec_value_parse(field, want, "", c->ev->a, &v, &err)) return false;
  return v.set && compare(op, crv_value_cmp(have, &v));
}

/* The requirement was checked when the sheet was stored; a value that no longer reads holds never.
 */
static bool holds(struct crv_case *c, const struct crv_requirement *r,
                  const struct crv_value *have) {
  const struct crv_jfield *field = crv_offer_field(r->field);
  struct crv_err err;
  crv_err_init(&err);
  _json_ json_t *want = crv_json_parse_stored(r->value, strlen(r->value), &err);
  if (!field || !want) return false;
  if (!json_is_array(want)) return one_holds(c, field, r->op, want, have);
  size_t i;
  json_t *item;
  json_array_foreach(want, i, item) if (one_holds(c, field, CRV_OP_EQ, item, have)) return true;
  return false;
}

static unsigned kinds_of(const struct crv_requirement *r) {
  unsigned kinds = 0;
  for (size_t i = 0; i < r->attested_by.n; i++)
    for (const struct crv_enum_name *k = crv_kind_names; k->name; k++)
      if (!strcmp(k->name, *crv_list_at(r->attested_by, const char *, i))) kinds |= 1u << k->value;
  return kinds;
}

static const char *need_text(struct crv_eval *ev, const struct crv_requirement *r) {
  return crv_arena_printf(ev->a, "%s %s", crv_enum_text(crv_op_names, (int)r->op), r->value);
}

static void requirement_finding(struct crv_case *c, const struct crv_requirement *r) {
  struct crv_attest at = crv_attest(c, r->field, kinds_of(r));
  struct crv_finding *f =
      crv_find(c, CRV_CRIT_REQUIREMENT, CRV_TO_CONFIRM, CRV_REASON_VALUE_UNKNOWN);
  const char *need = need_text(c->ev, r);
  char text[256];
  f->subject = r->field;
  crv_demanded(f, crv_f_text(r->field, need));
  if (at.value.set)
    crv_observed(f, crv_f_text(r->field, crv_arena_strdup(c->ev->a, crv_value_text(&at.value, text,
                                                                                   sizeof text))));
  crv_attest_settle(c, f, &at, r->field, need, at.value.set && holds(c, r, &at.value),
                    CRV_REASON_CONTRADICTED);
}

void crv_crit_requirements(struct crv_case *c) {
  const struct crv_list *list = &c->ev->q->sheet->requirements;
  for (size_t i = 0; i < list->n; i++)
    requirement_finding(c, crv_list_at(*list, struct crv_requirement, i));
}
