/* The cost of the whole package, exact to the micro-unit:
   unit = amount x (plan hours if per hour) x (the lot's devices if per device);
   lots = ceil(devices / lot devices); periods = ceil(max(campaign, minimum) / plan hours);
   cost = upfront + one_off + lots x periods x unit + extras.
   Must not know: verdicts; whether a figure is attested is the criteria's question. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/terms.h"

/* One cost under way: items gathered, parts without a value named. */
struct making {
  struct crv_case *c;
  const struct crv_terms *t;
  struct crv_cost *cost;
  struct crv_cost_item *items;
  size_t n_items;
  const char **unknown;
  size_t n_unknown, cap_unknown;
  int64_t lot;               /* devices in a lot; 0: unknown */
  struct crv_opt_int billed; /* hours that amounts per hour count, per lot */
};

static void unknown(struct making *m, const char *part) {
  if (part && m->n_unknown < m->cap_unknown) m->unknown[m->n_unknown++] = part;
  if (!part) m->c->ev->failed = true;
}

static bool room(struct making *m) {
  size_t extras = m->c->offer->price ? m->c->offer->price->extras.n : 0;
  m->cap_unknown = CRV_TERM_COUNT + 4 + extras;
  m->items = crv_new_array(m->c->ev->a, 3 + extras, struct crv_cost_item);
  m->unknown = crv_new_array(m->c->ev->a, m->cap_unknown, const char *);
  if (m->items && m->unknown) return true;
  m->c->ev->failed = true;
  return false;
}

/* Multiplies into *v; a product too large leaves it unset and marks the cost. */
static void times(struct making *m, struct crv_opt_int *v, int64_t by) {
  if (!v->set || crv_mul(v->v, by, &v->v)) return;
  v->set = false;
  m->cost->overflow = true;
}

static void add_item(struct making *m, const char *name, struct crv_opt_int unit,
                     struct crv_opt_int count) {
  struct crv_cost_item *it = &m->items[m->n_items++];
  *it = (struct crv_cost_item){.item = name, .times = count.set ? count.v : 0, .unit = unit};
  if (!count.set) return;
  it->amount = unit;
  times(m, &it->amount, count.v);
}

static void count_lots(struct making *m) {
  struct crv_cost *k = m->cost;
  struct crv_opt_int lot = crv_term_int(m->t, CRV_TERM_LOT);
  int64_t devices = m->c->demand.devices, all;
  if (!lot.set || lot.v <= 0 || devices <= 0) {
    unknown(m, crv_term_path(CRV_TERM_LOT));
    return;
  }
  m->lot = lot.v;
  k->lots = crv_cdiv(devices, lot.v);
  if (crv_mul(k->lots, lot.v, &all)) k->idle_devices = all - devices;
}

static void count_periods(struct making *m) {
  const struct crv_campaign *campaign = m->c->ev->q->sheet->campaign;
  const struct crv_period *p = &m->t->period;
  struct crv_opt_int minimum = crv_term_int(m->t, CRV_TERM_MINIMUM);
  struct crv_cost *k = m->cost;
  k->no_campaign = !campaign || !campaign->hours.set;
  if (!k->no_campaign) k->used_hours = campaign->hours;
  if (!p->known) {
    if (p->months) k->overflow = true;
    unknown(m, crv_term_path(p->months ? CRV_TERM_MONTHS : CRV_TERM_HOURS));
    return;
  }
  k->period_hours = (struct crv_opt_int){p->surely, true};
  k->periods = k->periods_least = 1;
  if (!k->no_campaign) {
    int64_t need = campaign->hours.v;
    if (minimum.set && minimum.v > need) need = minimum.v;
    k->periods = crv_cdiv(need, p->surely);
    k->periods_least = crv_cdiv(need, p->most);
  }
  m->billed = (struct crv_opt_int){p->most, true};
  times(m, &m->billed, k->periods);
  if (k->no_campaign) return;
  k->paid_hours = (struct crv_opt_int){p->surely, true};
  times(m, &k->paid_hours, k->periods);
}

/* The price of one lot for one period. */
static struct crv_opt_int unit_price(struct making *m) {
  const struct crv_terms *t = m->t;
  struct crv_opt_int unit = crv_term_int(t, CRV_TERM_AMOUNT);
  bool price_known = unit.set && unit.v > 0; /* a price of 0 is a finding, not a value */
  if (!price_known) unknown(m, crv_term_path(CRV_TERM_AMOUNT));
  unit.set = price_known;
  if (crv_term_costs(t, CRV_TERM_PER) && !t->per_hour && !t->per_plan) {
    unknown(m, crv_term_path(CRV_TERM_PER));
    unit.set = false;
  }
  if (crv_term_costs(t, CRV_TERM_BASIS) && !crv_term_text(t, CRV_TERM_BASIS)) {
    unknown(m, crv_term_path(CRV_TERM_BASIS));
    unit.set = false;
  }
  if ((t->per_hour && !t->period.known) || (t->per_device && !m->lot)) unit.set = false;
  if (t->per_hour) times(m, &unit, t->period.most);
  if (t->per_device) times(m, &unit, m->lot);
  if (t->per_hour && t->period.months) m->cost->month_hours = true;
  return unit;
}

static struct crv_opt_int lots_times(struct making *m, struct crv_opt_int count) {
  if (!m->cost->lots) count.set = false;
  times(m, &count, m->cost->lots);
  return count;
}

static void add_extra(struct making *m, const struct crv_price_extra *x) {
  struct crv_opt_int one = {1, true}, count = {0, false};
  struct crv_opt_int periods = {m->cost->periods, m->cost->periods > 0};
  switch (x->per) {
  case CRV_EXTRA_ORDER:
    count = one;
    break;
  case CRV_EXTRA_LOT:
    count = lots_times(m, one);
    break;
  case CRV_EXTRA_PERIOD:
    count = lots_times(m, periods);
    break;
  case CRV_EXTRA_HOUR:
    count = lots_times(m, m->billed);
    if (m->t->period.months) m->cost->month_hours = true;
    break;
  default:
    break;
  }
  const char *name = x->item ? x->item : "extra";
  if (!x->amount.set || !x->per)
    unknown(m, crv_arena_printf(m->c->ev->a, "price.extras (%s)", name));
  add_item(m, name, x->amount, count);
}

static void add_items(struct making *m) {
  const struct crv_price *price = m->c->offer->price;
  struct crv_opt_int one = {1, true}, upfront = crv_term_int(m->t, CRV_TERM_UPFRONT),
                     one_off = crv_term_int(m->t, CRV_TERM_ONE_OFF);
  struct crv_opt_int periods = {m->cost->periods, m->cost->periods > 0};
  add_item(m, "plan", unit_price(m), lots_times(m, periods));
  if (upfront.set) add_item(m, "upfront", upfront, one);
  if (one_off.set) add_item(m, "one_off", one_off, one);
  for (size_t i = 0; price && i < price->extras.n; i++)
    add_extra(m, crv_list_at(price->extras, struct crv_price_extra, i));
}

/* The sum of every item; without a campaign the price of the plan alone. */
static struct crv_opt_int total(struct making *m) {
  struct crv_opt_int sum = {0, true};
  size_t n = m->cost->no_campaign ? 1 : m->n_items;
  for (size_t i = 0; i < n && sum.set; i++) {
    if (!m->items[i].amount.set) {
      sum.set = false;
    } else if (!crv_add(sum.v, m->items[i].amount.v, &sum.v)) {
      sum.set = false;
      m->cost->overflow = true;
    }
  }
  return sum;
}

static void convert(struct making *m, struct crv_opt_int sum, const char *want) {
  struct crv_cost *k = m->cost;
  struct crv_rate rate;
  k->original = sum;
  k->currency = want;
  crv_rate_find(m->c->ev, k->original_currency, want, &rate);
  k->rate = rate.rec;
  k->rate_other = rate.other;
  k->rate_inverse = rate.inverse;
  k->rate_expired = rate.expired;
  if (!rate.rec || rate.other) {
    unknown(m, "exchange_rate");
  } else if (sum.set) {
    k->amount.set = crv_rate_apply(&rate, sum.v, &k->amount.v);
    if (!k->amount.set) k->overflow = true;
  }
}

void crv_cost_from(struct crv_case *c, const struct crv_terms *t, struct crv_cost *ret) {
  const struct crv_campaign *campaign = c->ev->q->sheet->campaign;
  const char *want = campaign ? campaign->currency : NULL;
  struct making m = {.c = c, .t = t, .cost = ret};
  memset(ret, 0, sizeof *ret);
  if (!room(&m)) return;
  count_lots(&m);
  count_periods(&m);
  add_items(&m);
  const char *has = crv_term_text(t, CRV_TERM_CURRENCY);
  struct crv_opt_int sum = total(&m);
  ret->currency = has;
  ret->original_currency = has;
  if (!has)
    unknown(&m, crv_term_path(CRV_TERM_CURRENCY));
  else if (want && strcmp(want, has) != 0)
    convert(&m, sum, want);
  else
    ret->amount = sum;
  if (crv_streq(ret->currency, ret->original_currency)) ret->original_currency = NULL;
  ret->items = (struct crv_list){m.n_items, m.items};
  ret->unknown = (struct crv_list){m.n_unknown, m.unknown};
}

void crv_cost_make(struct crv_case *c, struct crv_cost *ret) {
  struct crv_terms t;
  crv_terms_read(c, &t);
  crv_cost_from(c, &t, ret);
}
