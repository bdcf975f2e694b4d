/* cost.known and cost.ceiling: is every part of the package's cost attested and comparable, and is
   it within what the sheet allows? Must not know: how the cost is computed, ranking. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/terms.h"

static const char *offer_piece(const struct crv_case *c) {
  return crv_pair(c->ev, "commercial_sheet", c->rec->key);
}

static void to_confirm(struct crv_finding *f, enum crv_reason r) {
  if (f->verdict == CRV_ADMISSIBLE) f->reason = r; /* the first found stands */
  f->verdict = CRV_TO_CONFIRM;
}

/* -- the parts ------------------------------------------------------------------------------------
 */

/* A value in use: a price of 0 counts as none. */
static struct crv_attest part(const struct crv_terms *t, enum crv_term id) {
  struct crv_attest at = t->at[id];
  bool zero = at.value.set && at.value.i == 0 && (id == CRV_TERM_AMOUNT || id == CRV_TERM_LOT);
  if (zero) at.how = CRV_ATTEST_NO_VALUE;
  return at;
}

static void ask_part(struct crv_case *c, struct crv_finding *f, const struct crv_attest *at,
                     enum crv_term id) {
  struct crv_finding before = *f;
  crv_attest_to_confirm(c, f, at, crv_term_path(id), NULL);
  f->expired |= before.expired;
  if (before.verdict != CRV_ADMISSIBLE) f->reason = before.reason;
}

/* Worst first, so that the reason is the worst one's. What is merely stated, or out of date, stands
   on one document: it is asked for once. */
static void parts(struct crv_case *c, struct crv_finding *f, const struct crv_terms *t) {
  static const enum crv_attested order[] = {CRV_ATTEST_NO_VALUE, CRV_ATTEST_CONFLICT,
                                            CRV_ATTEST_FINDING, CRV_ATTEST_UNATTESTED,
                                            CRV_ATTEST_EXPIRED};
  for (size_t o = 0; o < sizeof order / sizeof *order; o++) {
    bool asked = false;
    for (int id = 0; id < CRV_TERM_COUNT; id++) {
      struct crv_attest at = part(t, (enum crv_term)id);
      if (at.how != order[o] || !crv_term_costs(t, (enum crv_term)id)) continue;
      bool once = at.how == CRV_ATTEST_UNATTESTED || at.how == CRV_ATTEST_EXPIRED;
      if (!asked || !once) ask_part(c, f, &at, (enum crv_term)id);
      asked = true;
    }
  }
  for (int id = 0; id < CRV_TERM_COUNT; id++)
    if (t->at[id].how == CRV_ATTESTED && crv_term_costs(t, (enum crv_term)id))
      crv_find_cite(f, t->at[id].piece);
}

/* Extras stand on the document of the price; a doubt about one, or one without a value, is asked.
 */
static void extras(struct crv_case *c, struct crv_finding *f) {
  const struct crv_price *price = c->offer->price;
  for (size_t i = 0; price && i < price->extras.n; i++) {
    const struct crv_price_extra *x = crv_list_at(price->extras, struct crv_price_extra, i);
    if (x->amount.set && x->per) continue;
    struct crv_fact p[] = {
        crv_f_text("field",
                   crv_arena_printf(c->ev->a, "price.extras (%s)", x->item ? x->item : "extra")),
        crv_f_text("offer", c->rec->key),
        crv_f_text("need", x->amount.set ? "per order, lot, period or hour" : "an amount")};
    to_confirm(f, CRV_REASON_VALUE_UNKNOWN);
    crv_find_condition(f, crv_cond(c->ev, CRV_COND_STATE_FIELD, p, 3, offer_piece(c)));
  }
  for (size_t i = 0; price && price->extras.n && i < c->offer->findings.n; i++) {
    const struct crv_import_finding *x =
        crv_list_at(c->offer->findings, struct crv_import_finding, i);
    if (!x->field || strncmp(x->field, "price.extras", 12) != 0) continue;
    struct crv_fact p[] = {crv_f_text("field", x->field), crv_f_text("offer", c->rec->key),
                           crv_f_text("detail", x->detail)};
    to_confirm(f, CRV_REASON_IMPORT_FINDING);
    crv_find_condition(f, crv_cond(c->ev, CRV_COND_IMPORT_CELL, p, 3, offer_piece(c)));
  }
}

/* -- currency, tax, months ------------------------------------------------------------------------
 */

static void rate(struct crv_case *c, struct crv_finding *f) {
  const struct crv_cost *k = &c->row->cost;
  if (!k->original_currency) return;
  const char *piece =
      crv_arena_printf(c->ev->a, "exchange_rate %s %s", k->original_currency, k->currency);
  crv_find_cite(f, k->rate);
  if (k->rate_other) {
    struct crv_fact p[] = {crv_f_text("first", k->rate->ref),
                           crv_f_text("second", k->rate_other->ref),
                           crv_f_text("what", "the rate")};
    crv_find_cite(f, k->rate_other);
    to_confirm(f, CRV_REASON_EVIDENCE_CONFLICT);
    crv_find_condition(f, crv_cond(c->ev, CRV_COND_CONFLICT, p, 3, piece));
    return;
  }
  if (k->rate && !k->rate_expired) return;
  struct crv_fact p[] = {crv_f_text("from", k->original_currency), crv_f_text("to", k->currency)};
  to_confirm(f, k->rate ? CRV_REASON_EXPIRED : CRV_REASON_CURRENCY_DIFFERS);
  f->expired |= k->rate_expired;
  crv_find_condition(f, crv_cond(c->ev, CRV_COND_RATE, p, 2, piece));
}

/* Where no tax falls due, a price with and a price without it are one. */
static void tax(struct crv_case *c, struct crv_finding *f, const struct crv_terms *t) {
  const struct crv_attest *at = &t->at[CRV_TERM_TAX];
  const char *want = crv_enum_text(crv_tax_names, (int)c->ev->q->sheet->campaign->tax);
  if (!want) return;
  const char *has = crv_term_text(t, CRV_TERM_TAX);
  crv_demanded(f, crv_f_text("tax", want));
  crv_observed(f, crv_f_text("tax", has));
  if (has && at->how != CRV_ATTESTED) {
    ask_part(c, f, at, CRV_TERM_TAX);
    return;
  }
  if (has && (!strcmp(has, want) || !strcmp(has, "none"))) return;
  struct crv_fact p[] = {crv_f_text("wanted", want), crv_f_text("offer", c->rec->key)};
  to_confirm(f, has ? CRV_REASON_TAX_DIFFERS : CRV_REASON_TAX_UNKNOWN);
  crv_find_condition(f, crv_cond(c->ev, CRV_COND_TAX, p, 2, offer_piece(c)));
}

static void months(struct crv_case *c, struct crv_finding *f, const struct crv_terms *t) {
  const struct crv_cost *k = &c->row->cost;
  if (!t->period.months || (k->periods == k->periods_least && !k->month_hours)) return;
  struct crv_fact p[] = {crv_f_text("offer", c->rec->key),
                         crv_f_opt("months", CRV_FACT_INT, crv_term_int(t, CRV_TERM_MONTHS)),
                         crv_f_int("hours", c->ev->q->sheet->campaign->hours.v)};
  to_confirm(f, CRV_REASON_MONTH_LENGTH);
  crv_find_condition(f, crv_cond(c->ev, CRV_COND_MONTH, p, 3, offer_piece(c)));
}

static void overflow(struct crv_case *c, struct crv_finding *f) {
  if (!c->row->cost.overflow) return;
  struct crv_fact p[] = {crv_f_text("field", "price.amount"), crv_f_text("offer", c->rec->key),
                         crv_f_text("need", "a package that costs at most 9200000000000")};
  to_confirm(f, CRV_REASON_OVERFLOW);
  f->reason = CRV_REASON_OVERFLOW;
  crv_find_condition(f, crv_cond(c->ev, CRV_COND_STATE_FIELD, p, 3, offer_piece(c)));
}

static void show_cost(struct crv_case *c, struct crv_finding *f) {
  const struct crv_cost *k = &c->row->cost;
  crv_observed(f, crv_f_opt("amount", CRV_FACT_DECIMAL, k->amount));
  crv_observed(f, crv_f_text("currency", k->currency));
  if (k->original_currency) {
    crv_observed(f, crv_f_opt("original_amount", CRV_FACT_DECIMAL, k->original));
    crv_observed(f, crv_f_text("original_currency", k->original_currency));
  }
  if (k->rate_inverse) crv_observed(f, crv_f_text("rate_reading", "quotient by the inverse rate"));
}

static void cost_known(struct crv_case *c, const struct crv_terms *t) {
  struct crv_finding *f = crv_find(c, CRV_CRIT_COST_KNOWN, CRV_ADMISSIBLE, CRV_REASON_SATISFIED);
  if (c->ev->q->sheet->campaign->currency)
    crv_demanded(f, crv_f_text("currency", c->ev->q->sheet->campaign->currency));
  show_cost(c, f);
  overflow(c, f);
  parts(c, f, t);
  extras(c, f);
  rate(c, f);
  tax(c, f, t);
  months(c, f, t);
}

/* -- cost.ceiling
 * ---------------------------------------------------------------------------------- */

/* Does the offer's own price, wholly stated and comparable, decide it? What is only stated or out
   of date can exclude; what is doubted, disputed or not comparable cannot. */
static bool speaks(const struct crv_case *c, const struct crv_terms *t) {
  const struct crv_cost *k = &c->row->cost;
  const char *want = crv_enum_text(crv_tax_names, (int)c->ev->q->sheet->campaign->tax);
  const char *has = crv_term_text(t, CRV_TERM_TAX);
  for (int id = 0; id < CRV_TERM_COUNT; id++)
    if (crv_term_costs(t, (enum crv_term)id) && !crv_term_stands(t, (enum crv_term)id))
      return false;
  for (size_t i = 0; i < c->offer->findings.n; i++) {
    const char *field = crv_list_at(c->offer->findings, struct crv_import_finding, i)->field;
    if (field && !strncmp(field, "price.extras", 12)) return false;
  }
  if (k->periods != k->periods_least || k->month_hours || k->rate_expired) return false;
  return !want ||
         (crv_term_stands(t, CRV_TERM_TAX) && (!strcmp(has, want) || !strcmp(has, "none")));
}

static void ask_sheet(struct crv_case *c, struct crv_finding *f, const char *field) {
  struct crv_fact p[] = {crv_f_text("field", field),
                         crv_f_text("why", "the ceiling is held against the cost of the campaign")};
  f->verdict = CRV_TO_CONFIRM;
  f->reason = CRV_REASON_COST_UNKNOWN;
  crv_find_condition(f, crv_cond(c->ev, CRV_COND_SHEET_FIELD, p, 2, "sheet"));
}

/* What keeps cost.known open keeps the ceiling open too. */
static void as_known(struct crv_finding *f, const struct crv_finding *known) {
  f->verdict = CRV_TO_CONFIRM;
  f->reason = known->reason;
  f->expired = known->expired;
  for (size_t i = 0; i < known->n_conditions; i++) crv_find_condition(f, known->conditions[i]);
  for (size_t i = 0; i < known->n_cited; i++) crv_find_cite(f, known->cited[i]);
}

static void cost_ceiling(struct crv_case *c, const struct crv_terms *t, size_t known_at) {
  const struct crv_campaign *campaign = c->ev->q->sheet->campaign;
  const struct crv_cost *k = &c->row->cost;
  struct crv_finding *f = crv_find(c, CRV_CRIT_COST_CEILING, CRV_ADMISSIBLE, CRV_REASON_SATISFIED);
  crv_demanded(f, crv_f_dec("ceiling", campaign->ceiling.v));
  crv_demanded(f, crv_f_text("currency", campaign->currency));
  show_cost(c, f);
  if (!campaign->hours.set) {
    ask_sheet(c, f, "campaign.hours");
    return;
  }
  if (!campaign->currency) {
    ask_sheet(c, f, "campaign.currency");
    return;
  }
  if (c->ev->failed) return;
  const struct crv_finding *known = &c->row->findings[known_at];
  if (!k->amount.set) {
    as_known(f, known);
    f->reason = CRV_REASON_COST_UNKNOWN;
  } else if (k->amount.v > campaign->ceiling.v && speaks(c, t)) {
    for (size_t i = 0; i < known->n_cited; i++) crv_find_cite(f, known->cited[i]);
    f->verdict = CRV_EXCLUDED;
    f->reason = CRV_REASON_OVER_CEILING;
    f->expired = known->expired;
    f->resolvable = true;
  } else if (known->verdict != CRV_ADMISSIBLE) {
    as_known(f, known);
  } else {
    for (size_t i = 0; i < known->n_cited; i++) crv_find_cite(f, known->cited[i]);
  }
}

void crv_crit_cost(struct crv_case *c, const struct crv_terms *t) {
  const struct crv_campaign *campaign = c->ev->q->sheet->campaign;
  if (!campaign) return;
  size_t known_at = c->row->n_findings;
  if (campaign->hours.set) cost_known(c, t);
  if (campaign->ceiling.set) cost_ceiling(c, t, known_at);
}
