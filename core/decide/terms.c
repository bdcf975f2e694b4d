/* The terms of an offer that money and time depend on, each with how it is attested.
   Must not know: money's arithmetic, verdicts. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/terms.h"

/* What a month covers: four weeks surely, 31 days at most. */
enum { MONTH_SURELY = 672, MONTH_MOST = 744 };

static const char *const paths[CRV_TERM_COUNT] = {
    [CRV_TERM_AMOUNT] = "price.amount",
    [CRV_TERM_CURRENCY] = "price.currency",
    [CRV_TERM_BASIS] = "price.basis",
    [CRV_TERM_PER] = "price.per",
    [CRV_TERM_UPFRONT] = "price.upfront",
    [CRV_TERM_ONE_OFF] = "price.one_off",
    [CRV_TERM_TAX] = "price.tax",
    [CRV_TERM_HOURS] = "plan.hours",
    [CRV_TERM_MONTHS] = "plan.months",
    [CRV_TERM_MINIMUM] = "plan.minimum_hours",
    [CRV_TERM_MAXIMUM] = "plan.maximum_hours",
    [CRV_TERM_RENEWAL] = "plan.renewal",
    [CRV_TERM_INTERRUPTIBLE] = "plan.interruptible",
    [CRV_TERM_LOT] = "lot.devices",
};

const char *crv_term_path(enum crv_term t) {
  return paths[t];
}

struct crv_opt_int crv_term_int(const struct crv_terms *t, enum crv_term id) {
  const struct crv_value *v = &t->at[id].value;
  return (struct crv_opt_int){v->set ? v->i : 0, v->set};
}

const char *crv_term_text(const struct crv_terms *t, enum crv_term id) {
  const struct crv_value *v = &t->at[id].value;
  return v->set ? v->text : NULL;
}

bool crv_term_stands(const struct crv_terms *t, enum crv_term id) {
  const struct crv_attest *at = &t->at[id];
  return at->value.set && at->how != CRV_ATTEST_FINDING && at->how != CRV_ATTEST_CONFLICT;
}

static void read_period(const struct crv_terms *t, struct crv_period *p) {
  struct crv_opt_int hours = crv_term_int(t, CRV_TERM_HOURS);
  struct crv_opt_int months = crv_term_int(t, CRV_TERM_MONTHS);
  memset(p, 0, sizeof *p);
  if (hours.set && hours.v > 0) {
    p->known = true;
    p->surely = p->most = hours.v;
  } else if (months.set && months.v > 0) {
    p->months = true;
    p->known =
        crv_mul(months.v, MONTH_SURELY, &p->surely) && crv_mul(months.v, MONTH_MOST, &p->most);
  } else if (!hours.set && !months.set && t->per_hour) {
    p->known = p->pay_as_you_go = true;
    p->surely = p->most = 1;
  }
}

void crv_terms_read(const struct crv_case *c, struct crv_terms *ret) {
  memset(ret, 0, sizeof *ret);
  for (size_t i = 0; i < CRV_TERM_COUNT; i++) ret->at[i] = crv_attest(c, paths[i], 0);
  ret->per_hour = crv_streq(crv_term_text(ret, CRV_TERM_PER), "hour");
  ret->per_plan = crv_streq(crv_term_text(ret, CRV_TERM_PER), "plan");
  ret->per_device = crv_streq(crv_term_text(ret, CRV_TERM_BASIS), "per_device");
  read_period(ret, &ret->period);
}

bool crv_term_costs(const struct crv_terms *t, enum crv_term id) {
  struct crv_opt_int lot = crv_term_int(t, CRV_TERM_LOT);
  switch (id) {
  case CRV_TERM_AMOUNT:
  case CRV_TERM_CURRENCY:
  case CRV_TERM_LOT:
    return true;
  case CRV_TERM_BASIS: /* a lot of one device costs the same either way */
    return !lot.set || lot.v != 1;
  case CRV_TERM_PER: /* and so does a plan of one hour */
    return t->period.pay_as_you_go || !t->period.known || t->period.surely != 1;
  case CRV_TERM_UPFRONT:
  case CRV_TERM_ONE_OFF:
  case CRV_TERM_MINIMUM:
    return t->at[id].value.set;
  case CRV_TERM_HOURS:
    return !t->period.months && !t->period.pay_as_you_go;
  case CRV_TERM_MONTHS:
    return t->period.months;
  case CRV_TERM_TAX:
  case CRV_TERM_MAXIMUM:
  case CRV_TERM_RENEWAL:
  case CRV_TERM_INTERRUPTIBLE:
  case CRV_TERM_COUNT:
  default:
    return false;
  }
}
