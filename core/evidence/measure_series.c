/* Samples in time: one counter of one device or process becomes an instant when it was read once,
   and the largest of its samples, with their longest gap and number, when it was read more often.
   Must not know: any tool's format. */
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/evidence/measure_internal.h"

enum { SLOTS = 4096 };

struct crv_mseries_set {
  struct crv_mseries *at[SLOTS];
  size_t n;
  bool full;
};

struct crv_mseries_set *crv_mseries_new(struct crv_mrun *run) {
  struct crv_mseries_set *set = crv_new(run->a, struct crv_mseries_set);
  if (!set) run->failed = true;
  return set;
}

static struct crv_mseries *find(struct crv_mrun *run, struct crv_mseries_set *set,
                                const struct crv_mseries *key) {
  uint64_t h = ((uint64_t)key->id * 64 + (uint64_t)key->counter) * UINT64_C(0x9E3779B97F4A7C15);
  size_t at = (size_t)(h >> 32) % SLOTS;
  for (size_t i = 0; i < SLOTS; i++, at = (at + 1) % SLOTS) {
    struct crv_mseries *s = set->at[at];
    if (s && (s->id != key->id || s->counter != key->counter)) continue;
    if (s) return s;
    if (set->n >= SLOTS / 2) break;
    s = crv_new(run->a, struct crv_mseries);
    if (!s) {
      run->failed = true;
      return NULL;
    }
    *s = *key;
    s->line = run->line;
    set->n++;
    return set->at[at] = s;
  }
  set->full = true;
  return NULL;
}

static void add_time(struct crv_mseries *s, int64_t at) {
  if (s->timed++ == 0) {
    s->first = s->last = (struct crv_opt_int){at, true};
    return;
  }
  int64_t gap = at - s->last.v;
  if (gap < 0) s->backwards = true;
  if (gap > s->longest) s->longest = gap;
  if (s->timed == 2 || gap < s->shortest) s->shortest = gap;
  s->last.v = at;
}

/* As crv_mfact_figure reads it, without its notes: a series closes with one fact. */
static bool bytes_of(const struct crv_mfigure *fig, int64_t *ret) {
  int64_t scale = 1, factor = crv_unit_factor(fig->unit);
  if (!fig->n.set || fig->n.too_big || fig->n.ambiguous || !factor) return false;
  for (int i = 0; i < fig->n.places; i++) scale *= 10;
  return crv_muldiv(fig->n.mantissa, factor, scale, true, ret) && *ret <= CRV_INT_MAX;
}

void crv_mseries_add(struct crv_mrun *run, struct crv_mseries_set *set,
                     const struct crv_mseries *key, const struct crv_mfigure *fig,
                     struct crv_opt_int at) {
  struct crv_mseries *s = set && !run->failed ? find(run, set, key) : NULL;
  int64_t v;
  if (!s) return;
  if (!bytes_of(fig, &v)) {
    if (s->missing++ == 0 && s->n == 0) snprintf(s->text, sizeof s->text, "%s", fig->n.text);
    if (at.set && s->last.set && at.v - s->last.v > s->longest) s->longest = at.v - s->last.v;
    return;
  }
  s->n++;
  if (at.set) add_time(s, at.v);
  bool least = s->counter == CRV_MEASURE_DEVICE_FREE; /* of what is free, the least counts */
  if (s->bytes.set && (least ? v >= s->bytes.v : v <= s->bytes.v)) return;
  s->bytes = (struct crv_opt_int){v, true};
  s->line = run->line;
  snprintf(s->text, sizeof s->text, "%s", fig->n.text);
  snprintf(s->unit, sizeof s->unit, "%s", fig->unit);
}

static struct crv_opt_int interval_of(const struct crv_mseries *s, struct crv_opt_int stated) {
  struct crv_opt_int none = {0, false};
  if (s->timed == s->n && s->n > 1 && !s->backwards && s->longest > 0)
    return (struct crv_opt_int){s->longest, true};
  return s->timed ? none : stated;
}

static void note_series(struct crv_mrun *run, const struct crv_mseries *s,
                        struct crv_opt_int interval) {
  if (s->n < 2) {
    if (s->n == 1) crv_mnote(run, CRV_MN_INSTANT);
    return;
  }
  crv_mnote(run, interval.set ? CRV_MN_SAMPLED : CRV_MN_NO_INTERVAL);
  if (s->backwards) crv_mnote(run, CRV_MN_UNORDERED);
  if (s->missing)
    crv_mnote_say(run, CRV_MN_MISSING,
                  "%" PRId64 " of %" PRId64
                  " samples have no figure: what was used then is not known.",
                  s->missing, s->missing + s->n);
  if (interval.set && s->timed > 2 && s->shortest * 2 < s->longest)
    crv_mnote_say(run, CRV_MN_UNEVEN,
                  "Samples stand %" PRId64 " to %" PRId64
                  " ms apart; the interval given is the longest gap.",
                  s->shortest, s->longest);
}

static void close_series(struct crv_mrun *run, const struct crv_mseries *s,
                         struct crv_opt_int stated, bool unknown) {
  struct crv_opt_int interval = interval_of(s, stated);
  struct crv_mfigure fig = {.n = {.set = s->n > 0}};
  bool sampled = s->n > 1 && !unknown;
  run->line = s->line;
  struct crv_measure_fact f =
      crv_mfact(run, s->counter, sampled ? CRV_MEASURE_SAMPLED : CRV_MEASURE_INSTANT, s->item);
  if (!unknown) f.device = s->device;
  snprintf(fig.n.text, sizeof fig.n.text, "%s", s->text);
  snprintf(fig.unit, sizeof fig.unit, "%s", s->unit);
  if (s->n > 0) crv_mnumber_read((struct crv_mspan){s->text, strlen(s->text)}, &fig.n);
  crv_mfact_figure(run, &f, &fig, CRV_MU_BINARY);
  if (sampled) {
    f.samples = (struct crv_opt_int){s->n, true};
    f.interval_ms = interval;
  }
  if (!unknown) note_series(run, s, interval);
  crv_mfact_add(run, &f);
}

void crv_mseries_done(struct crv_mrun *run, struct crv_mseries_set *set,
                      struct crv_opt_int stated_ms, bool unknown) {
  for (size_t i = 0; set && i < SLOTS; i++)
    if (set->at[i]) close_series(run, set->at[i], stated_ms, unknown);
  if (set && set->full) run->ret->more_facts++;
}
