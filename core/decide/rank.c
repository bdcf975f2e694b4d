/* The order of a list: a total order over integers and bytes, without tolerance or chance. An
   unknown value comes after every known one. Cost asc, margin desc, schedule asc, preferences in
   the sheet's order, then supplier and key bytewise; in the preselection the outlook comes first.
   Must not know: how any of the values came about. */
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/decide/result.h"

static int by_int(int64_t a, int64_t b) {
  return (a > b) - (a < b);
}

static int known_first(struct crv_opt_int a, struct crv_opt_int b, bool descending) {
  if (a.set != b.set) return a.set ? -1 : 1;
  if (!a.set) return 0;
  return descending ? by_int(b.v, a.v) : by_int(a.v, b.v);
}

static int compare_key(const struct crv_row *a, const struct crv_row *b, enum crv_key key) {
  switch (key) {
  case CRV_KEY_OUTLOOK:
    return by_int(a->outlook, b->outlook);
  case CRV_KEY_COST:
    return known_first(a->cost.amount, b->cost.amount, false);
  case CRV_KEY_MARGIN:
    return known_first(a->margin_bytes, b->margin_bytes, true);
  case CRV_KEY_SCHEDULE:
    return known_first(a->schedule, b->schedule, false);
  case CRV_KEY_PREFERENCE:
    return (b->preferences > a->preferences) - (b->preferences < a->preferences);
  case CRV_KEY_SUPPLIER:
    return crv_strorder(a->rec->offer->supplier, b->rec->offer->supplier);
  case CRV_KEY_OFFER:
    return strcmp(a->rec->key, b->rec->key);
  case CRV_KEY_NONE:
  default:
    return 0;
  }
}

/* Which keys a list is ordered by, besides those that always count. */
enum { WITH_OUTLOOK = 1, WITH_COST = 2 };

static bool counts(enum crv_key key, unsigned with) {
  if (key == CRV_KEY_OUTLOOK) return with & WITH_OUTLOOK;
  return key != CRV_KEY_COST || (with & WITH_COST);
}

static int compare(const struct crv_row *a, const struct crv_row *b, unsigned with,
                   enum crv_key *ret_key) {
  for (int key = CRV_KEY_OUTLOOK; key < CRV_KEY_NONE; key++) {
    int order = counts((enum crv_key)key, with) ? compare_key(a, b, (enum crv_key)key) : 0;
    *ret_key = (enum crv_key)key;
    if (order) return order;
  }
  *ret_key = CRV_KEY_NONE;
  return 0;
}

static int sort_with(const void *a, const void *b, unsigned with) {
  enum crv_key key;
  return compare(*(struct crv_row *const *)a, *(struct crv_row *const *)b, with, &key);
}
static int sort_plain(const void *a, const void *b) {
  return sort_with(a, b, 0);
}
static int sort_outlook(const void *a, const void *b) {
  return sort_with(a, b, WITH_OUTLOOK);
}
static int sort_cost(const void *a, const void *b) {
  return sort_with(a, b, WITH_COST);
}
static int sort_both(const void *a, const void *b) {
  return sort_with(a, b, WITH_OUTLOOK | WITH_COST);
}

/* Costs are compared only where a campaign makes them whole and all stand in one currency: amounts
   of two currencies have no order without a rate. */
static bool comparable(struct crv_row *const *rows, size_t n) {
  const char *currency = NULL;
  for (size_t i = 0; i < n; i++) {
    const struct crv_cost *k = &rows[i]->cost;
    if (k->no_campaign) return false;
    if (!k->amount.set) continue;
    if (currency && !crv_streq(currency, k->currency)) return false;
    currency = k->currency;
  }
  return true;
}

static struct crv_opt_int distance(struct crv_opt_int a, struct crv_opt_int b) {
  struct crv_opt_int d = {0, a.set && b.set};
  if (d.set && __builtin_sub_overflow(a.v > b.v ? a.v : b.v, a.v > b.v ? b.v : a.v, &d.v))
    d = (struct crv_opt_int){0, false};
  return d;
}

static void decide_by(struct crv_row *row, const struct crv_row *next, unsigned with) {
  row->decided_key = CRV_KEY_NONE;
  row->decided_over = NULL;
  row->difference = (struct crv_opt_int){0, false};
  if (!next) return;
  compare(row, next, with, &row->decided_key);
  row->decided_over = next->rec->key;
  if (row->decided_key == CRV_KEY_COST)
    row->difference = distance(row->cost.amount, next->cost.amount);
  else if (row->decided_key == CRV_KEY_MARGIN && !crv_margin_hidden(row) &&
           !crv_margin_hidden(next))
    row->difference = distance(row->margin_bytes, next->margin_bytes);
  else if (row->decided_key == CRV_KEY_SCHEDULE)
    row->difference = distance(row->schedule, next->schedule);
}

void crv_rank(struct crv_row **rows, size_t n, bool outlook) {
  static int (*const order[])(const void *, const void *) = {sort_plain, sort_outlook, sort_cost,
                                                             sort_both};
  unsigned with = (outlook ? WITH_OUTLOOK : 0u) | (comparable(rows, n) ? WITH_COST : 0u);
  if (n) qsort(rows, n, sizeof *rows, order[with]);
  for (size_t i = 0; i < n; i++) {
    rows[i]->rank = (int64_t)i + 1;
    decide_by(rows[i], i + 1 < n ? rows[i + 1] : NULL, with);
  }
}
