/* The exchange rate between two currencies, from recorded pieces alone: there is no hidden rate.
   Must not know: prices, verdicts. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/terms.h"

static bool listed(const struct crv_eval *ev, const char *key) {
  const struct crv_campaign *k = ev->q->sheet->campaign;
  if (!k || k->rates.n == 0) return true;
  for (size_t i = 0; i < k->rates.n; i++)
    if (!strcmp(*crv_list_at(k->rates, const char *, i), key)) return true;
  return false;
}

/* A usable rate piece for exactly (from -> to). */
static bool states(const struct crv_piece *p, const char *from, const char *to) {
  return p->kind == CRV_KIND_EXCHANGE_RATE && p->scope && p->result && p->result->rate.set &&
         p->result->rate.v > 0 && crv_streq(p->scope->from, from) && crv_streq(p->scope->to, to);
}

static void take(struct crv_rate *r, const struct crv_piece_rec *rec) {
  if (!r->rec) {
    r->rec = rec;
    r->micro = rec->piece->result->rate.v;
  } else if (rec->piece->result->rate.v != r->micro && !r->other) {
    r->other = rec;
  }
}

/* Of expired rates the newest is shown; equal dates fall back on the order of keys. */
static void take_newest(struct crv_rate *r, const struct crv_piece_rec *rec) {
  const struct crv_opt_int seen = rec->piece->observed_at;
  const struct crv_opt_int had = r->rec ? r->rec->piece->observed_at : (struct crv_opt_int){0};
  if (r->rec && (!seen.set || (had.set && seen.v <= had.v))) return;
  r->rec = rec;
  r->micro = rec->piece->result->rate.v;
}

static void find(const struct crv_eval *ev, const char *from, const char *to,
                 struct crv_rate *ret) {
  const struct crv_indexed *all = NULL;
  size_t n = crv_index_all(ev->index, &all);
  struct crv_rate found[4] = {
      {0}, {.inverse = true}, {.expired = true}, {.inverse = true, .expired = true}};
  for (size_t i = 0; i < n; i++) {
    const struct crv_piece_rec *rec = all[i].rec;
    bool direct = states(rec->piece, from, to);
    if (!direct && !states(rec->piece, to, from)) continue;
    if (!listed(ev, rec->key)) continue;
    if (all[i].standing == CRV_STANDS)
      take(&found[direct ? 0 : 1], rec);
    else if (all[i].standing == CRV_STANDS_EXPIRED)
      take_newest(&found[direct ? 2 : 3], rec);
  }
  memset(ret, 0, sizeof *ret);
  for (size_t i = 0; i < 4 && !ret->rec; i++)
    if (found[i].rec) *ret = found[i];
}

/* Of each pair of currencies, found once. */
struct crv_rate_found {
  struct crv_rate_found *next;
  const char *from, *to;
  struct crv_rate rate;
};

void crv_rate_find(struct crv_eval *ev, const char *from, const char *to, struct crv_rate *ret) {
  for (const struct crv_rate_found *f = ev->rates; f; f = f->next)
    if (!strcmp(f->from, from) && !strcmp(f->to, to)) {
      *ret = f->rate;
      return;
    }
  find(ev, from, to, ret);
  struct crv_rate_found *f = crv_new(ev->a, struct crv_rate_found);
  if (!f) {
    ev->failed = true;
    return;
  }
  *f = (struct crv_rate_found){ev->rates, from, to, *ret};
  ev->rates = f;
}

bool crv_rate_apply(const struct crv_rate *r, int64_t amount, int64_t *ret) {
  if (r->inverse) return crv_muldiv_half(amount, CRV_MICRO, r->micro, ret);
  return crv_muldiv_half(amount, r->micro, CRV_MICRO, ret);
}
