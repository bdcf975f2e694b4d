/* memory.floor and memory.peak. The floor is arithmetic; the peak is what a run in scope measured
   at device level in every phase on every device. An estimate proves nothing here. Must not know:
   prices, ranking. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

/* A passing run in scope and how it meets the capacity. SATISFIED: it fits. */
struct weighed {
  size_t i; /* among the passes */
  const struct crv_indexed *ix;
  const struct crv_run_demand *demand;
  enum crv_reason reason;
  bool proves; /* a device-level figure for every phase and device: fits, or is too large */
};
/* What the passing runs in scope say. An ix of NULL: none. */
struct peak {
  const struct crv_runs *runs;
  struct weighed fits;   /* the largest demand of those that fit, uncontradicted if any is */
  struct weighed over;   /* measured, but above what the capacity surely gives */
  struct weighed voided; /* measured nothing that counts */
  const struct crv_indexed *against; /* contradicts `fits`; NULL: none */
};

static int64_t headroom(const struct crv_case *c) {
  const struct crv_headroom *h = c->ev->q->sheet->headroom;
  return h && h->bytes.set ? h->bytes.v : 0;
}

/* A run of an engine that fills memory by policy, without its pool: it proves fit only on a device
   that declares at least what the device it ran on declared. */
static enum crv_reason same_or_larger(const struct crv_case *c, const struct crv_piece *p) {
  struct crv_opt_int had = p->result->declared_bytes;
  if (!had.set) return CRV_REASON_POOL_UNKNOWN;
  if (!c->capacity.lower.set) return CRV_REASON_CAPACITY_UNKNOWN;
  if (c->capacity.lower.v >= had.v) return CRV_REASON_SATISFIED;
  return c->capacity.upper.set && c->capacity.upper.v >= had.v ? CRV_REASON_CAPACITY_INTERVAL
                                                               : CRV_REASON_PEAK_OVER_LIMIT;
}

static enum crv_reason against_capacity(const struct crv_case *c, const struct crv_piece *p,
                                        const struct crv_run_demand *d) {
  int64_t total;
  if (d->only_same_or_larger) return same_or_larger(c, p);
  if (!crv_case_total(c, d->bytes.v, &total)) return CRV_REASON_OVERFLOW;
  if (c->capacity.lower.set && total <= c->capacity.lower.v) return CRV_REASON_SATISFIED;
  if (c->capacity.upper.set && total > c->capacity.upper.v) return CRV_REASON_PEAK_OVER_LIMIT;
  return c->capacity.lower.set ? CRV_REASON_CAPACITY_INTERVAL : CRV_REASON_CAPACITY_UNKNOWN;
}

static struct weighed weigh(const struct crv_case *c, size_t i) {
  const struct crv_base *b = c->base;
  struct weighed w = {.i = i, .ix = b->runs.pass.at[i], .demand = &b->demand[i]};
  w.proves = w.demand->why_not == CRV_REASON_SATISFIED;
  w.reason = w.proves ? against_capacity(c, w.ix->rec->piece, w.demand) : w.demand->why_not;
  return w;
}

static bool does_fit(const struct weighed *w) {
  return w->proves && w->reason == CRV_REASON_SATISFIED;
}

/* Which settings, by their first pass, were measured above the limit in this case. */
static void mark_over(const struct crv_case *c) {
  const struct crv_base *b = c->base;
  size_t n = b->runs.pass.n;
  if (n) memset(b->over, 0, n * sizeof *b->over);
  for (size_t i = 0; i < n; i++) {
    struct weighed w = weigh(c, i);
    if (w.proves && w.reason == CRV_REASON_PEAK_OVER_LIMIT) b->over[b->twin[i]] = true;
  }
}

/* Another piece of the same settings that says the contrary; NULL: none. */
static const struct crv_indexed *contrary(const struct crv_case *c, size_t i) {
  const struct crv_base *b = c->base;
  if (b->against[i] || !b->over[b->twin[i]]) return b->against[i];
  for (size_t j = 0; j < b->runs.pass.n; j++) {
    struct weighed w = weigh(c, j);
    if (b->twin[j] == b->twin[i] && w.proves && w.reason == CRV_REASON_PEAK_OVER_LIMIT) return w.ix;
  }
  return NULL;
}

/* Does a stand before b among those that fit? The largest measured figure; a setting of the engine
   is none. */
static bool says_more(const struct weighed *a, const struct weighed *b) {
  if (!b->ix) return true;
  bool setting = b->demand->only_same_or_larger;
  if (a->demand->only_same_or_larger != setting) return setting;
  return a->demand->bytes.v > b->demand->bytes.v;
}

/* Runs that a piece of the same settings contradicts are believed no more than it; they only matter
   where no other run fits, so that one more proof never makes things worse. */
static void choose_fit(const struct crv_case *c, struct peak *k) {
  for (size_t i = 0; i < k->runs->pass.n; i++) {
    struct weighed w = weigh(c, i);
    if (!does_fit(&w)) continue;
    const struct crv_indexed *no = contrary(c, i);
    if (no && !k->fits.ix) {
      k->fits = w;
      k->against = no;
    } else if (!no && (k->against || says_more(&w, &k->fits))) {
      k->fits = w;
      k->against = NULL;
    }
  }
}

/* The nearest to a proof: what a report of the capacity can still settle. */
static void choose_over(const struct crv_case *c, struct peak *k) {
  for (size_t i = 0; i < k->runs->pass.n; i++) {
    struct weighed w = weigh(c, i);
    if (!w.proves) {
      if (!k->voided.ix) k->voided = w;
    } else if (w.reason != CRV_REASON_SATISFIED) {
      bool hopeless = k->over.ix && k->over.reason == CRV_REASON_PEAK_OVER_LIMIT;
      if (!k->over.ix || (hopeless && w.reason != CRV_REASON_PEAK_OVER_LIMIT)) k->over = w;
    }
  }
}

static void peak_gather(struct crv_case *c, struct peak *k) {
  memset(k, 0, sizeof *k);
  k->runs = crv_runs(c, CRV_DIMS_MEMORY);
  if (c->ev->failed) return;
  mark_over(c);
  choose_fit(c, k);
  choose_over(c, k);
}

/* -- what the finding shows
 * ------------------------------------------------------------------------ */

static void show_capacity(const struct crv_case *c, struct crv_finding *f) {
  const struct crv_capacity *cap = &c->capacity;
  if (cap->lower.set && cap->upper.set && cap->lower.v == cap->upper.v) {
    crv_observed(f, crv_f_bytes("capacity_bytes", cap->lower.v));
  } else {
    crv_observed(f, crv_f_opt("capacity_lower_bytes", CRV_FACT_BYTES, cap->lower));
    crv_observed(f, crv_f_opt("capacity_upper_bytes", CRV_FACT_BYTES, cap->upper));
  }
  crv_observed(f, crv_f_text("capacity_from", cap->from == CRV_CAP_REPORTED  ? "reported"
                                              : cap->from == CRV_CAP_NOMINAL ? "nominal"
                                                                             : NULL));
  crv_find_cite(f, c->capacity_piece);
  crv_find_cite(f, c->capacity_other);
  if (c->expired_report) crv_find_aside(f, c->expired_report, CRV_ASIDE_EXPIRED, NULL);
}

static const char *demand_label(const struct crv_run_demand *d) {
  if (d->only_same_or_larger) return "setting of an engine that fills memory by policy";
  if (d->composed) return "composed: device.used less the pool, plus the needed part of it";
  if (d->sampled) return d->not_separated ? "sampled peak, not separated" : "sampled peak";
  return d->not_separated ? "peak, not separated" : "peak";
}

/* Framework and device views side by side, with their gap. */
static void show_views(struct crv_finding *f, const struct crv_piece *p, int64_t device_bytes) {
  struct crv_opt_int inside = {0, false};
  for (size_t i = 0; i < p->result->peaks.n; i++) {
    const struct crv_peak *k = crv_list_at(p->result->peaks, struct crv_peak, i);
    if (k->counter == CRV_COUNTER_TORCH_RESERVED && k->bytes.set &&
        (!inside.set || k->bytes.v > inside.v))
      inside = k->bytes;
  }
  if (!inside.set) return;
  crv_observed(f, crv_f_bytes("torch_reserved_bytes", inside.v));
  if (device_bytes >= inside.v)
    crv_observed(f, crv_f_bytes("outside_framework_bytes", device_bytes - inside.v));
}

static void show_demand(struct crv_finding *f, const struct crv_piece *p,
                        const struct crv_run_demand *d) {
  crv_observed(f, crv_f_opt("peak_bytes", CRV_FACT_BYTES, d->bytes));
  crv_observed(f, crv_f_text("counter", crv_enum_text(crv_counter_names, (int)d->counter)));
  crv_observed(f, crv_f_text("reading", demand_label(d)));
  if (d->bytes.set && !d->composed) show_views(f, p, d->bytes.v);
}

static const struct crv_condition *report_condition(struct crv_case *c, struct crv_opt_int need) {
  const char *device = c->demand.device;
  if (!device) return crv_which_device(c);
  struct crv_fact p[] = {
      crv_f_text("device", device),
      c->model && c->model->memory_kind == CRV_MEM_DEDICATED
          ? crv_f_text("supplier", NULL)
          : crv_f_text("supplier", c->offer->supplier),
      crv_f_opt("need_bytes", CRV_FACT_BYTES, need),
  };
  if (c->row->demand_run && c->row->demand_run->piece->is_private == CRV_TRUE)
    p[2] = crv_f_text("need_bytes", NULL); /* a private figure stays with its piece */
  return crv_cond(c->ev, CRV_COND_DEVICE_REPORT, p, 3, crv_pair(c->ev, "device_report", device));
}

/* A share gives no memory surely: it takes one that reserves it. */
static void ask_reserved(struct crv_case *c, struct crv_finding *f) {
  struct crv_fact p[] = {crv_f_text("field", "device.memory_kind"),
                         crv_f_text("offer", c->rec->key),
                         crv_f_text("need", "a slice with memory of its own, or a whole device")};
  crv_find_condition(f, crv_cond(c->ev, CRV_COND_STATE_FIELD, p, 3,
                                 crv_pair(c->ev, "commercial_sheet", c->rec->key)));
}

/* What would make the capacity sure: the nominal's document when it is only stated, else a report.
 */
static void ask_capacity(struct crv_case *c, struct crv_finding *f, struct crv_opt_int need) {
  if (crv_case_memory_kind(c) == CRV_MEM_SHARED) {
    ask_reserved(c, f);
    return;
  }
  if (!c->capacity_unattested) {
    crv_find_condition(f, report_condition(c, need));
    return;
  }
  struct crv_attest at = crv_attest(c, "device.memory_nominal", 0);
  crv_attest_to_confirm(c, f, &at, "device.memory_nominal", NULL);
}

/* -- memory.peak
 * ------------------------------------------------------------------------------------ */

static void keep_demand(struct crv_case *c, const struct crv_run_demand *d) {
  if (d->only_same_or_larger) return;
  c->row->demand_bytes = d->bytes;
  c->row->demand_from = d->composed ? CRV_DEMAND_COMPOSED : CRV_DEMAND_PEAK;
}

static void peak_admitted(struct crv_case *c, struct crv_finding *f, const struct peak *k) {
  f->verdict = CRV_ADMISSIBLE;
  f->reason = CRV_REASON_SATISFIED;
  c->admitting = k->fits.ix->rec;
  crv_find_cite(f, c->admitting);
  for (size_t i = 0; i < k->runs->pass.n; i++) {
    struct weighed w = weigh(c, i);
    if (does_fit(&w) && !contrary(c, i)) crv_find_cite(f, w.ix->rec);
  }
  show_demand(f, c->admitting->piece, k->fits.demand);
  show_capacity(c, f);
  f->n_pins = crv_scope_pins(c->admitting->piece, &c->demand, f->pins);
  keep_demand(c, k->fits.demand);
  c->row->demand_run = c->admitting;
  c->row->invalidated_by = c->base->failures; /* the first that the row notes */
}

static void peak_conflict(struct crv_case *c, struct crv_finding *f, const struct weighed *yes,
                          const struct crv_indexed *no) {
  crv_find_conflict(c, f, yes->ix->rec, no->rec, "whether the load fits");
  show_demand(f, yes->ix->rec->piece, yes->demand);
}

/* A run measured it, but the capacity does not surely hold it. */
static void peak_over(struct crv_case *c, struct crv_finding *f, const struct weighed *over) {
  const struct crv_run_demand *d = over->demand;
  struct crv_opt_int need = {0, false};
  f->verdict = CRV_TO_CONFIRM;
  f->reason = over->reason;
  crv_find_cite(f, over->ix->rec);
  show_demand(f, over->ix->rec->piece, d);
  show_capacity(c, f);
  if (d->only_same_or_larger)
    need = over->ix->rec->piece->result->declared_bytes;
  else
    need.set = crv_case_total(c, d->bytes.v, &need.v);
  keep_demand(c, d);
  if (!d->only_same_or_larger) c->row->demand_run = over->ix->rec;
  if (over->reason == CRV_REASON_CAPACITY_INTERVAL || over->reason == CRV_REASON_CAPACITY_UNKNOWN)
    ask_capacity(c, f, need);
  else
    crv_find_condition(f, crv_run_condition(c));
}

static void peak_void(struct crv_case *c, struct crv_finding *f, const struct peak *k) {
  const struct crv_piece_rec *rec = k->voided.ix->rec;
  crv_runs_to_confirm(c, f, k->runs);
  f->reason = k->voided.reason;
  f->expired = false;
  crv_find_cite(f, rec);
  if (k->voided.demand->detail) crv_observed(f, crv_f_text("phase", k->voided.demand->detail));
  for (size_t i = 0; i < rec->piece->result->peaks.n && i < 6; i++) {
    const struct crv_peak *p = crv_list_at(rec->piece->result->peaks, struct crv_peak, i);
    const char *name = crv_enum_text(crv_counter_names, (int)p->counter);
    crv_observed(f, crv_f_opt(name ? name : "counter", CRV_FACT_BYTES, p->bytes));
  }
}

static void peak_oom(struct crv_finding *f, const struct peak *k) {
  f->verdict = CRV_EXCLUDED;
  f->reason = CRV_REASON_OUT_OF_MEMORY;
  for (size_t i = 0; i < k->runs->oom.n; i++) crv_find_cite(f, k->runs->oom.at[i]->rec);
}

/* An expired run keeps its figure and its place in the ranking, marked, and never admits. */
static void peak_expired(struct crv_case *c, struct crv_finding *f, const struct peak *k) {
  struct crv_run_demand d;
  crv_runs_to_confirm(c, f, k->runs);
  if (!k->runs->expired.n) return;
  const struct crv_piece_rec *rec = k->runs->expired.at[0]->rec;
  crv_run_demand(c, rec, &d);
  if (d.why_not != CRV_REASON_SATISFIED || d.only_same_or_larger) return;
  show_demand(f, rec->piece, &d);
  keep_demand(c, &d);
  c->row->demand_run = rec;
}

/* A passing run in scope with a failure's settings, though its figures prove nothing. */
static struct weighed pass_like_oom(const struct crv_case *c) {
  struct weighed none = {.ix = NULL};
  for (size_t i = 0; i < c->base->runs.pass.n; i++)
    if (c->base->against[i]) return weigh(c, i);
  return none;
}

/* Runs in scope that another decided without. */
static void peak_asides(const struct crv_case *c, struct crv_finding *f, const struct peak *k) {
  for (size_t i = 0; i < k->runs->pass.n; i++) {
    struct weighed w = weigh(c, i);
    crv_find_aside(f, w.ix->rec, CRV_ASIDE_NOT_PROOF, crv_reason_info(w.reason)->code);
  }
  for (size_t i = 0; i < k->runs->oom.n; i++)
    crv_find_aside(f, k->runs->oom.at[i]->rec, CRV_ASIDE_NOT_PROOF, "settings");
  crv_runs_asides(f, k->runs);
}

static void peak_finding(struct crv_case *c, struct crv_finding *f, struct peak *k) {
  struct weighed like = pass_like_oom(c);
  if (k->fits.ix && k->against)
    peak_conflict(c, f, &k->fits, k->against);
  else if (k->fits.ix)
    peak_admitted(c, f, k);
  else if (like.ix)
    peak_conflict(c, f, &like, c->base->against[like.i]);
  else if (k->runs->oom.n && !k->runs->pass.n)
    peak_oom(f, k);
  else if (k->over.ix)
    peak_over(c, f, &k->over);
  else if (k->voided.ix)
    peak_void(c, f, k);
  else
    peak_expired(c, f, k);
  peak_asides(c, f, k);
}

/* -- memory.floor
 * ----------------------------------------------------------------------------------- */

static void floor_over(struct crv_case *c, struct crv_finding *f, const struct crv_hits *passes) {
  if (passes->n) {
    const struct crv_piece_rec *rec = c->admitting ? c->admitting : passes->at[0]->rec;
    f->reason = CRV_REASON_EVIDENCE_CONFLICT;
    crv_find_cite(f, rec);
    struct crv_fact p[] = {crv_f_text("first", rec->ref),
                           crv_f_text("second", "the floor by arithmetic"),
                           crv_f_text("what", "whether the weights fit")};
    crv_find_condition(f, crv_cond(c->ev, CRV_COND_CONFLICT, p, 3, "conflict floor"));
    return;
  }
  f->verdict = CRV_EXCLUDED;
  f->reason = CRV_REASON_ARITHMETIC;
  f->resolvable = c->capacity.from != CRV_CAP_REPORTED &&
                  (c->capacity_unattested || c->capacity_own_words || !c->capacity.lower.set);
}

static void floor_finding(struct crv_case *c, struct crv_finding *f,
                          const struct crv_hits *passes) {
  const struct crv_capacity *cap = &c->capacity;
  int64_t floor = c->budget->device_floor.v;
  f->verdict = CRV_TO_CONFIRM;
  crv_demanded(f, crv_f_bytes("floor_bytes", floor));
  show_capacity(c, f);
  if (cap->upper.set && floor > cap->upper.v) {
    floor_over(c, f, passes);
  } else if (cap->lower.set && floor <= cap->lower.v) {
    f->verdict = CRV_ADMISSIBLE;
    f->reason = CRV_REASON_ARITHMETIC;
  } else if (c->admitting) {
    f->verdict = CRV_ADMISSIBLE;
    f->reason = CRV_REASON_SATISFIED;
    crv_find_cite(f, c->admitting);
  } else {
    struct crv_opt_int need = {floor, true};
    f->reason = cap->lower.set ? CRV_REASON_CAPACITY_INTERVAL : CRV_REASON_CAPACITY_UNKNOWN;
    ask_capacity(c, f, need);
  }
}

void crv_crit_memory(struct crv_case *c) {
  struct peak k;
  bool has_floor = c->budget->device_floor.set;
  peak_gather(c, &k);
  size_t at = c->row->n_findings;
  if (has_floor) crv_find(c, CRV_CRIT_FLOOR, CRV_TO_CONFIRM, CRV_REASON_CAPACITY_UNKNOWN);
  struct crv_finding *f = crv_find(c, CRV_CRIT_PEAK, CRV_TO_CONFIRM, CRV_REASON_NO_EVIDENCE);
  crv_demanded(f, crv_f_opt("length", CRV_FACT_INT, c->demand.length));
  crv_demanded(f, crv_f_opt("concurrency", CRV_FACT_INT, c->demand.concurrency));
  crv_demanded(f, crv_f_opt("microbatch", CRV_FACT_INT, c->demand.microbatch));
  if (headroom(c)) crv_demanded(f, crv_f_bytes("headroom_bytes", headroom(c)));
  if (c->budget->device_envelope.set)
    crv_demanded(f, crv_f_bytes("envelope_bytes", c->budget->device_envelope.v));
  if (c->ev->failed) return;
  peak_finding(c, f, &k);
  if (has_floor && !c->ev->failed) floor_finding(c, &c->row->findings[at], &k.runs->pass);
}
