/* plan.duration and plan.interruptible; and the family's order: plan, cost, schedule.
   Must not know: how a cost is computed. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/terms.h"

static const char *offer_piece(const struct crv_case *c) {
  return crv_pair(c->ev, "commercial_sheet", c->rec->key);
}

static void exclude(struct crv_finding *f, enum crv_reason r, const struct crv_attest *at) {
  f->verdict = CRV_EXCLUDED;
  f->reason = r;
  f->resolvable = true; /* terms can be quoted anew */
  f->expired = at->how == CRV_ATTEST_EXPIRED;
  crv_find_cite(f, at->piece);
}

/* -- plan.duration --------------------------------------------------------------------------------
 */

static void show_plan(const struct crv_case *c, struct crv_finding *f, const struct crv_terms *t) {
  const struct crv_cost *k = &c->row->cost;
  struct crv_opt_int periods = {k->periods, k->periods > 0};
  crv_demanded(f, crv_f_int("hours", c->ev->q->sheet->campaign->hours.v));
  if (t->period.pay_as_you_go)
    crv_observed(f, crv_f_bool("pay_as_you_go", true));
  else if (t->period.months)
    crv_observed(f, crv_f_opt("plan_months", CRV_FACT_INT, crv_term_int(t, CRV_TERM_MONTHS)));
  else
    crv_observed(f, crv_f_opt("plan_hours", CRV_FACT_INT, crv_term_int(t, CRV_TERM_HOURS)));
  crv_observed(f, crv_f_opt("periods", CRV_FACT_INT, periods));
  if (crv_term_text(t, CRV_TERM_RENEWAL))
    crv_observed(f, crv_f_text("renewal", crv_term_text(t, CRV_TERM_RENEWAL)));
  if (t->at[CRV_TERM_MAXIMUM].value.set)
    crv_observed(f, crv_f_int("maximum_hours", t->at[CRV_TERM_MAXIMUM].value.i));
}

/* The campaign outlasts what the plan allows by its own words. */
static bool too_short(const struct crv_case *c, struct crv_finding *f, const struct crv_terms *t) {
  const struct crv_attest *most = &t->at[CRV_TERM_MAXIMUM], *renews = &t->at[CRV_TERM_RENEWAL];
  if (crv_term_stands(t, CRV_TERM_MAXIMUM) && most->value.i < c->ev->q->sheet->campaign->hours.v) {
    exclude(f, CRV_REASON_FALLS_SHORT, most);
    return true;
  }
  if (c->row->cost.periods_least > 1 && !t->period.pay_as_you_go &&
      crv_term_stands(t, CRV_TERM_RENEWAL) && crv_streq(renews->value.text, "none")) {
    exclude(f, CRV_REASON_FALLS_SHORT, renews);
    return true;
  }
  return false;
}

static void ask_renewal(struct crv_case *c, struct crv_finding *f, const struct crv_terms *t) {
  const struct crv_attest *at = &t->at[CRV_TERM_RENEWAL];
  bool undecided =
      at->how == CRV_ATTESTED || at->how == CRV_ATTEST_NO_VALUE || at->how == CRV_ATTEST_UNATTESTED;
  if (!undecided) {
    crv_attest_to_confirm(c, f, at, crv_term_path(CRV_TERM_RENEWAL), NULL);
    return;
  }
  struct crv_fact p[] = {crv_f_text("offer", c->rec->key),
                         crv_f_int("periods", c->row->cost.periods),
                         crv_f_int("hours", c->ev->q->sheet->campaign->hours.v)};
  f->verdict = CRV_TO_CONFIRM;
  f->reason = CRV_REASON_RENEWAL_UNKNOWN;
  crv_find_condition(f, crv_cond(c->ev, CRV_COND_RENEWAL, p, 3, offer_piece(c)));
}

static void ask_month(struct crv_case *c, struct crv_finding *f, const struct crv_terms *t) {
  struct crv_fact p[] = {crv_f_text("offer", c->rec->key),
                         crv_f_opt("months", CRV_FACT_INT, crv_term_int(t, CRV_TERM_MONTHS)),
                         crv_f_int("hours", c->ev->q->sheet->campaign->hours.v)};
  f->verdict = CRV_TO_CONFIRM;
  f->reason = CRV_REASON_MONTH_LENGTH;
  crv_find_condition(f, crv_cond(c->ev, CRV_COND_MONTH, p, 3, offer_piece(c)));
}

/* Which term says how long one price covers. */
static enum crv_term length_term(const struct crv_terms *t) {
  if (t->period.pay_as_you_go) return CRV_TERM_PER;
  return t->period.months ? CRV_TERM_MONTHS : CRV_TERM_HOURS;
}

static void duration(struct crv_case *c, const struct crv_terms *t) {
  const struct crv_cost *k = &c->row->cost;
  enum crv_term id = length_term(t);
  struct crv_finding *f = crv_find(c, CRV_CRIT_DURATION, CRV_ADMISSIBLE, CRV_REASON_SATISFIED);
  bool renews = !t->period.pay_as_you_go && k->periods > 1;
  show_plan(c, f, t);
  if (too_short(c, f, t)) return;
  if (renews && (t->at[CRV_TERM_RENEWAL].how != CRV_ATTESTED ||
                 !crv_streq(crv_term_text(t, CRV_TERM_RENEWAL), "same_price")))
    ask_renewal(c, f, t);
  if (k->periods != k->periods_least) ask_month(c, f, t);
  if (t->at[id].how != CRV_ATTESTED || !t->period.known) {
    crv_attest_to_confirm(c, f, &t->at[id], crv_term_path(id), NULL);
    if (t->at[id].how == CRV_ATTESTED) f->reason = CRV_REASON_OVERFLOW;
    return;
  }
  crv_find_cite(f, t->at[id].piece);
  if (renews && f->verdict == CRV_ADMISSIBLE) crv_find_cite(f, t->at[CRV_TERM_RENEWAL].piece);
}

/* -- plan.interruptible ---------------------------------------------------------------------------
 */

static void interruptible(struct crv_case *c, const struct crv_terms *t) {
  const struct crv_attest *at = &t->at[CRV_TERM_INTERRUPTIBLE];
  bool tolerated = c->ev->q->sheet->campaign->interruption == CRV_INTERRUPTION_TOLERATED;
  struct crv_finding *f = crv_find(c, CRV_CRIT_INTERRUPTIBLE, CRV_ADMISSIBLE, CRV_REASON_SATISFIED);
  crv_demanded(f, crv_f_text("interruption", tolerated ? "tolerated" : "refused"));
  if (at->value.set) crv_observed(f, crv_f_bool("interruptible", at->value.i != 0));
  if (tolerated) {
    crv_find_cite(f, at->how == CRV_ATTESTED ? at->piece : NULL);
  } else if (crv_term_stands(t, CRV_TERM_INTERRUPTIBLE) && at->value.i) {
    exclude(f, CRV_REASON_INTERRUPTIBLE, at);
  } else if (at->how == CRV_ATTESTED) {
    crv_find_cite(f, at->piece);
  } else {
    crv_attest_to_confirm(c, f, at, crv_term_path(CRV_TERM_INTERRUPTIBLE), "false");
  }
}

void crv_crit_plan(struct crv_case *c) {
  const struct crv_campaign *campaign = c->ev->q->sheet->campaign;
  struct crv_terms t;
  crv_terms_read(c, &t);
  crv_cost_from(c, &t, &c->row->cost);
  if (campaign && campaign->hours.set) duration(c, &t);
  if (campaign) interruptible(c, &t);
  crv_crit_cost(c, &t);
  crv_crit_schedule(c);
}
