/* schedule: is a documented delivery in time? Only a delivery commitment documents one; stock is no
   date, and an offer's own schedule can exclude but never admit.
   Must not know: prices. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/terms.h"

/* What the considered pieces say of the delivery. */
struct delivery {
  const struct crv_indexed *best, *late,
      *expired; /* in time or earliest, first too late, out of date */
  int64_t best_at, late_at, expired_at;
};

/* Held at once, a date, or a lead time counted from as_of. */
static bool delivery_date(const struct crv_piece *p, int64_t as_of, int64_t *ret) {
  const struct crv_result *r = p->result;
  int64_t lead;
  if (r->held == CRV_TRUE) {
    *ret = as_of;
    return true;
  }
  if (r->date.set) {
    *ret = r->date.v;
    return true;
  }
  return r->lead_time_hours.set && crv_mul(r->lead_time_hours.v, CRV_HOUR_MS, &lead) &&
         crv_add(as_of, lead, ret);
}

static struct crv_opt_int quantity(const struct crv_piece *p) {
  if (p->result && p->result->quantity.set) return p->result->quantity;
  return p->scope ? p->scope->quantity : (struct crv_opt_int){0, false};
}

/* NULL when the commitment is for this offer in the needed quantity. Lots that are not known are at
   most as many as the devices. */
static const char *out_of_scope(const struct crv_case *c, const struct crv_piece *p) {
  int64_t need = c->row->cost.lots ? c->row->cost.lots : c->demand.devices;
  struct crv_opt_int n = quantity(p);
  if (!p->scope || !p->scope->offer || strcmp(p->scope->offer, c->rec->key) != 0) return "offer";
  if (!n.set) return need > 1 ? "quantity_unknown" : NULL; /* one lot is promised at least */
  return n.v < need ? "quantity_short" : NULL;
}

static void aside(struct crv_finding *f, const struct crv_indexed *ix, enum crv_aside why,
                  const char *dimension) {
  if (f) crv_find_aside(f, ix->rec, why, dimension);
}

static void keep_earliest(const struct crv_indexed **at, int64_t *had, const struct crv_indexed *ix,
                          int64_t when) {
  if (*at && *had <= when) return;
  *at = ix;
  *had = when;
}

/* f NULL: only the date is wanted. */
static void take(const struct crv_case *c, struct crv_finding *f, const struct crv_indexed *ix,
                 struct crv_opt_int start_by, struct delivery *d) {
  const struct crv_piece *p = ix->rec->piece;
  int64_t when = 0;
  if (p->kind == CRV_KIND_ORDER_PREFERENCE || p->kind == CRV_KIND_STOCK_DECLARATION)
    aside(f, ix, CRV_ASIDE_WRONG_KIND, NULL);
  if (p->kind != CRV_KIND_DELIVERY_COMMITMENT || !p->result) return;
  const char *why = out_of_scope(c, p);
  if (why) {
    aside(f, ix, CRV_ASIDE_OUT_OF_SCOPE, why);
  } else if (!delivery_date(p, c->ev->q->as_of, &when)) {
    aside(f, ix, CRV_ASIDE_NOT_PROOF, "date");
  } else if (ix->standing == CRV_STANDS) {
    if (start_by.set && when > start_by.v)
      keep_earliest(&d->late, &d->late_at, ix, when);
    else
      keep_earliest(&d->best, &d->best_at, ix, when);
  } else {
    if (ix->standing == CRV_STANDS_EXPIRED) keep_earliest(&d->expired, &d->expired_at, ix, when);
    aside(f, ix, crv_aside_of(ix->standing), NULL);
  }
}

/* A promise for another number of lots is another promise. */
static bool contradicts(const struct crv_indexed *a, const struct crv_indexed *b) {
  struct crv_opt_int x = quantity(a->rec->piece), y = quantity(b->rec->piece);
  return x.set == y.set && (!x.set || x.v == y.v);
}

static void keep_schedule(struct crv_row *row, const struct crv_indexed *ix, int64_t when) {
  row->schedule = (struct crv_opt_int){when, true};
  row->schedule_piece = ix->rec;
}

/* The row keeps the documented date; what is out of date or disputed keeps its place as well. */
static void fill_row(struct crv_row *row, const struct delivery *d) {
  if (d->best && d->late && contradicts(d->best, d->late))
    keep_schedule(row, d->late, d->late_at);
  else if (d->best)
    keep_schedule(row, d->best, d->best_at);
  else if (d->late)
    keep_schedule(row, d->late, d->late_at);
  else if (d->expired)
    keep_schedule(row, d->expired, d->expired_at);
}

/* The date that the offer itself states, proved or not. */
static bool own_words(const struct crv_case *c, int64_t *ret) {
  const struct crv_schedule *s = c->offer->schedule;
  int64_t lead;
  if (!s) return false;
  if (s->date.set) {
    *ret = s->date.v;
    return true;
  }
  return s->lead_time_hours.set && crv_mul(s->lead_time_hours.v, CRV_HOUR_MS, &lead) &&
         crv_add(c->ev->q->as_of, lead, ret);
}

static void ask_delivery(struct crv_case *c, struct crv_finding *f, enum crv_reason r) {
  struct crv_opt_int lots = {c->row->cost.lots, c->row->cost.lots > 1};
  struct crv_fact p[] = {crv_f_text("offer", c->rec->key),
                         crv_f_opt("quantity", CRV_FACT_INT, lots),
                         crv_f_opt("date", CRV_FACT_TIME, c->ev->q->sheet->campaign->start_by)};
  f->verdict = CRV_TO_CONFIRM;
  f->reason = r;
  crv_find_condition(f, crv_cond(c->ev, CRV_COND_DELIVERY, p, 3,
                                 crv_pair(c->ev, "delivery_commitment", c->rec->key)));
}

static void too_late(struct crv_finding *f, const struct crv_piece_rec *rec) {
  f->verdict = CRV_EXCLUDED;
  f->reason = CRV_REASON_TOO_LATE;
  f->resolvable = true;
  crv_find_cite(f, rec);
}

static void undocumented(struct crv_case *c, struct crv_finding *f, int64_t start_by) {
  int64_t stated = 0;
  bool states = own_words(c, &stated);
  if (states) crv_observed(f, crv_f_time("stated_date", stated));
  if (states && stated > start_by)
    too_late(f, NULL);
  else
    ask_delivery(c, f, CRV_REASON_UNDOCUMENTED);
}

static void settle(struct crv_case *c, struct crv_finding *f, const struct delivery *d,
                   int64_t start_by) {
  if (c->row->schedule.set) crv_observed(f, crv_f_time("date", c->row->schedule.v));
  if (d->best && d->late && contradicts(d->best, d->late)) {
    crv_find_conflict(c, f, d->best->rec, d->late->rec, "the delivery");
  } else if (d->best) {
    crv_find_cite(f, d->best->rec);
  } else if (d->late) {
    too_late(f, d->late->rec);
  } else if (d->expired) {
    f->expired = true;
    crv_find_cite(f, d->expired->rec);
    ask_delivery(c, f, CRV_REASON_EXPIRED);
  } else {
    undocumented(c, f, start_by);
  }
}

void crv_crit_schedule(struct crv_case *c) {
  const struct crv_campaign *campaign = c->ev->q->sheet->campaign;
  struct crv_opt_int start_by = campaign ? campaign->start_by : (struct crv_opt_int){0, false};
  struct crv_finding *f = NULL;
  struct delivery d = {0};
  if (start_by.set) {
    f = crv_find(c, CRV_CRIT_SCHEDULE, CRV_ADMISSIBLE, CRV_REASON_SATISFIED);
    crv_demanded(f, crv_f_time("start_by", start_by.v));
  }
  for (size_t i = 0; i < c->about->named.n; i++) take(c, f, c->about->named.at[i], start_by, &d);
  for (size_t i = 0; i < c->group->notes.n; i++) take(c, f, c->group->notes.at[i], start_by, &d);
  fill_row(c->row, &d);
  if (f) settle(c, f, &d, start_by.v);
}
