/* The funnel and the nearest misses: what follows from counting the rows.
   Must not know: how a verdict came about. */
#include <string.h>

#include "core/decide/eval.h"

/* -- funnel ---------------------------------------------------------------------------------------
 */

/* Marks the active criteria; returns the first that excludes the row, CRV_CRIT_COUNT when none
 * does. */
static enum crv_criterion first_excluding(const struct crv_row *row, bool *active) {
  enum crv_criterion first = CRV_CRIT_COUNT;
  for (size_t i = 0; i < row->n_findings; i++) {
    const struct crv_finding *f = &row->findings[i];
    active[f->criterion] = true;
    if (f->verdict == CRV_EXCLUDED && f->criterion < first) first = f->criterion;
  }
  return first;
}

static void count_rows(struct crv_shortlist *s, struct crv_row *const *rows, size_t n,
                       bool *active) {
  for (size_t i = 0; i < n; i++) {
    enum crv_criterion c = first_excluding(rows[i], active);
    if (c != CRV_CRIT_COUNT) s->excluded_by[c]++;
  }
}

void crv_funnel_make(struct crv_shortlist *s) {
  bool active[CRV_CRIT_COUNT] = {false};
  int64_t left = (int64_t)s->n_offers;
  memset(s->excluded_by, 0, sizeof s->excluded_by);
  count_rows(s, s->retained, s->n_retained, active);
  count_rows(s, s->preselection, s->n_preselection, active);
  count_rows(s, s->excluded, s->n_excluded, active);
  s->n_funnel = 0;
  for (int c = 0; c < CRV_CRIT_COUNT; c++) {
    if (!active[c]) continue;
    s->funnel[s->n_funnel++] =
        (struct crv_funnel_step){(enum crv_criterion)c, left, left - s->excluded_by[c]};
    left -= s->excluded_by[c];
  }
}

/* -- nearest misses -------------------------------------------------------------------------------
 */

/* How far one finding misses: missing out of limit, both positive; limit 0: not known. */
struct gap {
  const struct crv_finding *finding;
  int64_t missing, limit;
};

/* Does the observed figure stand against the demanded one? Of a plan's terms only the one that is
   too short: the most hours where they fall short, else what one period covers. */
static bool comparable(const struct crv_finding *f, const struct crv_fact *d,
                       const struct crv_fact *o) {
  bool measurable = d->type == CRV_FACT_BYTES || d->type == CRV_FACT_DECIMAL ||
                    d->type == CRV_FACT_TIME || d->type == CRV_FACT_INT;
  if (d->type != o->type || !measurable) return false;
  if (f->criterion != CRV_CRIT_DURATION) return true;
  const char *short_term = "plan_hours";
  for (size_t i = 0; i < f->n_observed; i++)
    if (!strcmp(f->observed[i].name, "maximum_hours") && f->observed[i].i < d->i)
      short_term = "maximum_hours";
  return !strcmp(o->name, short_term);
}

/* The smallest distance between a demanded and an observed figure of one type (of amounts the
   first, which stands in the demanded currency). A date is missed by a share of the time left until
   it. */
static struct gap gap_of(const struct crv_finding *f, int64_t as_of) {
  struct gap best = {f, 0, 0};
  for (size_t i = 0; i < f->n_demanded; i++)
    for (size_t j = 0; j < f->n_observed; j++) {
      const struct crv_fact *d = &f->demanded[i], *o = &f->observed[j];
      int64_t missing;
      if (!comparable(f, d, o)) continue;
      if (__builtin_sub_overflow(d->i > o->i ? d->i : o->i, d->i > o->i ? o->i : d->i, &missing))
        continue;
      int64_t limit = d->type == CRV_FACT_TIME ? d->i - as_of : d->i;
      if (missing <= 0 || (best.limit && (missing >= best.missing || d->type == CRV_FACT_DECIMAL)))
        continue;
      best = (struct gap){f, missing, limit > 0 ? limit : 1};
    }
  return best;
}

/* a/b against c/d by cross multiplication; an unknown share is the largest. */
static int by_share(const struct gap *a, const struct gap *b) {
  if (!a->limit || !b->limit) return (a->limit ? 0 : 1) - (b->limit ? 0 : 1);
  __int128 x = (__int128)a->missing * b->limit, y = (__int128)b->missing * a->limit;
  return (x > y) - (x < y);
}

/* The exclusions of a row and the widest of their gaps. */
static int64_t widest(const struct crv_row *row, int64_t as_of, struct gap *ret) {
  int64_t n = 0;
  memset(ret, 0, sizeof *ret);
  for (size_t i = 0; i < row->n_findings; i++) {
    if (row->findings[i].verdict != CRV_EXCLUDED) continue;
    struct gap g = gap_of(&row->findings[i], as_of);
    if (n++ == 0 || by_share(&g, ret) > 0) *ret = g;
  }
  return n;
}

static int by_nearness(int64_t na, const struct gap *a, const struct crv_row *ra, int64_t nb,
                       const struct gap *b, const struct crv_row *rb) {
  if (na != nb) return na < nb ? -1 : 1;
  int order = by_share(a, b);
  return order ? order : strcmp(ra->rec->key, rb->rec->key);
}

void crv_nearest_make(struct crv_shortlist *s) {
  enum { MOST = sizeof s->nearest / sizeof *s->nearest };
  struct gap gaps[MOST];
  s->n_nearest = 0;
  for (size_t i = 0; i < s->n_excluded; i++) {
    struct gap g;
    const struct crv_row *row = s->excluded[i];
    int64_t n = widest(row, s->question->as_of, &g);
    if (n == 0) continue;
    size_t at = s->n_nearest;
    while (at > 0 && by_nearness(n, &g, row, s->nearest[at - 1].exclusions, &gaps[at - 1],
                                 s->nearest[at - 1].row) < 0)
      at--;
    if (at == MOST) continue;
    size_t kept = s->n_nearest < MOST ? s->n_nearest : MOST - 1;
    memmove(&s->nearest[at + 1], &s->nearest[at], (kept - at) * sizeof *s->nearest);
    memmove(&gaps[at + 1], &gaps[at], (kept - at) * sizeof *gaps);
    s->nearest[at] = (struct crv_miss){row, g.finding, n, {g.missing, g.limit != 0}};
    gaps[at] = g;
    s->n_nearest = kept + 1;
  }
}
