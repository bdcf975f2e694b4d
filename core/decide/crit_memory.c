/* memory.floor and memory.peak. The floor is arithmetic; the peak is what a run in scope measured
   at device level in every phase on every device. An estimate proves nothing here. Must not know:
   prices, ranking. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

/* What the passing runs in scope say, sorted by how they meet the capacity. */
struct peak {
  const struct crv_runs *runs;
  const struct crv_indexed *fits[64]; /* prove it */
  struct crv_run_demand fits_demand[64];
  size_t n_fits;
  const struct crv_indexed *over; /* first whose peak is above what the capacity surely gives */
  struct crv_run_demand over_demand;
  enum crv_reason over_reason;
  enum crv_reason void_reason; /* first run in scope that proves nothing, and why */
  const struct crv_indexed *voided;
  const char *void_detail;
  struct crv_opt_int largest; /* demand: largest of those that fit */
  size_t largest_at;
  const struct crv_indexed *conflict;
};

static int64_t headroom(const struct crv_case *c) {
  const struct crv_headroom *h = c->ev->q->sheet->headroom;
  return h && h->bytes.set ? h->bytes.v : 0;
}

static bool unified(const struct crv_case *c) {
  const struct crv_device *d = c->offer->device;
  if (d && d->memory_kind) return d->memory_kind == CRV_MEM_UNIFIED;
  return c->model && c->model->memory_kind == CRV_MEM_UNIFIED;
}

/* Peak plus headroom; unified memory carries the host's demand as well, counted once. */
static bool total_of(const struct crv_case *c, int64_t peak, int64_t *ret) {
  const struct crv_host_need *h = c->ev->q->sheet->host;
  int64_t total;
  if (!crv_add(peak, headroom(c), &total)) return false;
  if (unified(c) && h && h->ram.bytes.set) return crv_add(total, h->ram.bytes.v, ret);
  *ret = total;
  return true;
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
  if (!total_of(c, d->bytes.v, &total)) return CRV_REASON_OVERFLOW;
  if (c->capacity.lower.set && total <= c->capacity.lower.v) return CRV_REASON_SATISFIED;
  if (c->capacity.upper.set && total > c->capacity.upper.v) return CRV_REASON_PEAK_OVER_LIMIT;
  return c->capacity.lower.set ? CRV_REASON_CAPACITY_INTERVAL : CRV_REASON_CAPACITY_UNKNOWN;
}

static void add_fit(struct peak *k, const struct crv_indexed *ix, const struct crv_run_demand *d) {
  if (k->n_fits == sizeof k->fits / sizeof *k->fits) return;
  k->fits[k->n_fits] = ix;
  k->fits_demand[k->n_fits++] = *d;
}

static void weigh(const struct crv_case *c, struct peak *k, const struct crv_indexed *ix) {
  struct crv_run_demand d;
  crv_run_demand(c, ix->rec, &d);
  if (d.why_not != CRV_REASON_SATISFIED) {
    if (!k->voided) {
      k->voided = ix;
      k->void_reason = d.why_not;
      k->void_detail = d.detail;
    }
    return;
  }
  enum crv_reason r = against_capacity(c, ix->rec->piece, &d);
  if (r == CRV_REASON_SATISFIED) {
    add_fit(k, ix, &d);
  } else if (!k->over) {
    k->over = ix;
    k->over_demand = d;
    k->over_reason = r;
  }
}

static bool same_executed(const struct crv_piece *a, const struct crv_piece *b) {
  struct crv_executed x, y;
  crv_piece_executed(a, &x);
  crv_piece_executed(b, &y);
  return x.length.v == y.length.v && x.concurrency.v == y.concurrency.v &&
         x.microbatch.v == y.microbatch.v && x.rank.v == y.rank.v && x.jobs.v == y.jobs.v;
}

/* Another piece of the same settings that says the contrary; NULL: none. */
static const struct crv_indexed *contrary(const struct crv_case *c, const struct peak *k,
                                          const struct crv_piece *p) {
  for (size_t j = 0; j < k->runs->n_oom; j++)
    if (crv_same_settings(c, p, k->runs->oom[j]->rec->piece)) return k->runs->oom[j];
  if (k->over && k->over_reason == CRV_REASON_PEAK_OVER_LIMIT &&
      same_executed(p, k->over->rec->piece) && crv_same_settings(c, p, k->over->rec->piece))
    return k->over;
  return NULL;
}

/* Runs that a piece of the same settings contradicts are believed no more than it; they only matter
   where no other run fits, so that one more proof never makes things worse. */
static void find_conflict(const struct crv_case *c, struct peak *k) {
  size_t clean = 0;
  const struct crv_indexed *first = NULL, *against = NULL;
  struct crv_run_demand first_demand = {.why_not = CRV_REASON_SATISFIED};
  k->largest.set = false;
  for (size_t i = 0; i < k->n_fits; i++) {
    const struct crv_indexed *ix = k->fits[i], *no = contrary(c, k, ix->rec->piece);
    struct crv_run_demand d = k->fits_demand[i];
    if (!no) {
      k->fits[clean] = ix;
      k->fits_demand[clean] = d;
      if (!k->largest.set || (d.bytes.v > k->largest.v && !d.only_same_or_larger)) {
        k->largest = d.bytes;
        k->largest_at = clean;
      }
      clean++;
    } else if (!first) {
      first = ix;
      first_demand = d;
      against = no;
    }
  }
  if (!clean && first) {
    k->fits[0] = first;
    k->fits_demand[0] = first_demand;
    k->conflict = against;
    clean = 1;
  }
  k->n_fits = clean;
}

static void peak_gather(struct crv_case *c, struct peak *k) {
  memset(k, 0, sizeof *k);
  k->runs = crv_runs(c, CRV_DIMS_MEMORY);
  for (size_t i = 0; i < k->runs->n_pass; i++) weigh(c, k, k->runs->pass[i]);
  find_conflict(c, k);
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
  if (!device) return crv_run_condition(c); /* which device comes first */
  struct crv_fact p[] = {
      crv_f_text("device", device),
      c->model && c->model->memory_kind == CRV_MEM_DEDICATED
          ? crv_f_text("supplier", NULL)
          : crv_f_text("supplier", c->offer->supplier),
      crv_f_opt("need_bytes", CRV_FACT_BYTES, need),
  };
  return crv_cond(c->ev, CRV_COND_DEVICE_REPORT, p, 3,
                  crv_arena_printf(c->ev->a, "device_report %s", device));
}

/* What would make the capacity sure: the nominal's document when it is only stated, else a report.
 */
static void ask_capacity(struct crv_case *c, struct crv_finding *f, struct crv_opt_int need) {
  if (!c->capacity_unattested) {
    crv_find_condition(f, report_condition(c, need));
    return;
  }
  struct crv_attest at = crv_attest(c, "device.memory_nominal", 0);
  crv_attest_to_confirm(c, f, &at, "device.memory_nominal", NULL);
}

/* -- memory.peak
 * ------------------------------------------------------------------------------------ */

static void note_failures(struct crv_case *c, const struct peak *k) {
  struct crv_row *row = c->row;
  const struct crv_runs *r = k->runs;
  size_t n = r->n_oom + r->n_other, at = row->invalidated_by.n;
  const char **list = crv_new_array(c->ev->a, at + n + 1, const char *);
  if (!list) {
    c->ev->failed = true;
    return;
  }
  if (at) memcpy(list, row->invalidated_by.at, at * sizeof *list);
  for (size_t i = 0; i < n; i++) {
    const struct crv_piece_rec *rec = i < r->n_oom ? r->oom[i]->rec : r->other[i - r->n_oom]->rec;
    list[at++] = crv_arena_printf(
        c->ev->a, "settings as in the failed run %s (%s)", rec->ref,
        rec->piece->result->cause ? crv_enum_text(crv_cause_names, (int)rec->piece->result->cause)
                                  : "cause not stated");
  }
  row->invalidated_by = (struct crv_list){at, list};
}

static void peak_admitted(struct crv_case *c, struct crv_finding *f, const struct peak *k) {
  f->verdict = CRV_ADMISSIBLE;
  f->reason = CRV_REASON_SATISFIED;
  const struct crv_run_demand *d = &k->fits_demand[k->largest_at];
  c->admitting = k->fits[k->largest_at]->rec;
  crv_find_cite(f, c->admitting);
  for (size_t i = 0; i < k->n_fits; i++) crv_find_cite(f, k->fits[i]->rec);
  show_demand(f, c->admitting->piece, d);
  show_capacity(c, f);
  f->n_pins = crv_scope_pins(c->admitting->piece, &c->demand, f->pins);
  if (!d->only_same_or_larger) {
    c->row->demand_bytes = d->bytes;
    c->row->demand_from = d->composed ? CRV_DEMAND_COMPOSED : CRV_DEMAND_PEAK;
  }
  c->row->demand_run = c->admitting;
  note_failures(c, k);
}

static void peak_conflict(struct crv_case *c, struct crv_finding *f, const struct peak *k) {
  crv_find_conflict(c, f, k->fits[0]->rec, k->conflict->rec, "whether the load fits");
  show_demand(f, k->fits[0]->rec->piece, &k->fits_demand[0]);
}

/* A run measured it, but the capacity does not surely hold it. */
static void peak_over(struct crv_case *c, struct crv_finding *f, const struct peak *k) {
  struct crv_opt_int need = {0, false};
  f->verdict = CRV_TO_CONFIRM;
  f->reason = k->over_reason;
  crv_find_cite(f, k->over->rec);
  show_demand(f, k->over->rec->piece, &k->over_demand);
  show_capacity(c, f);
  if (k->over_demand.only_same_or_larger)
    need = k->over->rec->piece->result->declared_bytes;
  else
    need.set = total_of(c, k->over_demand.bytes.v, &need.v);
  bool by_report = k->over_reason == CRV_REASON_CAPACITY_INTERVAL ||
                   k->over_reason == CRV_REASON_CAPACITY_UNKNOWN;
  if (!k->over_demand.only_same_or_larger) {
    c->row->demand_bytes = k->over_demand.bytes;
    c->row->demand_from = k->over_demand.composed ? CRV_DEMAND_COMPOSED : CRV_DEMAND_PEAK;
    c->row->demand_run = k->over->rec;
  }
  if (by_report)
    ask_capacity(c, f, need);
  else
    crv_find_condition(f, crv_run_condition(c));
}

static void peak_void(struct crv_case *c, struct crv_finding *f, const struct peak *k) {
  crv_runs_to_confirm(c, f, k->runs);
  f->reason = k->void_reason;
  f->expired = false;
  crv_find_cite(f, k->voided->rec);
  if (k->void_detail) crv_observed(f, crv_f_text("phase", k->void_detail));
  for (size_t i = 0; i < k->voided->rec->piece->result->peaks.n && i < 6; i++) {
    const struct crv_peak *p =
        crv_list_at(k->voided->rec->piece->result->peaks, struct crv_peak, i);
    const char *name = crv_enum_text(crv_counter_names, (int)p->counter);
    crv_observed(f, crv_f_opt(name ? name : "counter", CRV_FACT_BYTES, p->bytes));
  }
}

static void peak_oom(struct crv_finding *f, const struct peak *k) {
  f->verdict = CRV_EXCLUDED;
  f->reason = CRV_REASON_OUT_OF_MEMORY;
  for (size_t i = 0; i < k->runs->n_oom; i++) crv_find_cite(f, k->runs->oom[i]->rec);
}

/* An expired run keeps its figure and its place in the ranking, marked, and never admits. */
static void peak_expired(struct crv_case *c, struct crv_finding *f, const struct peak *k) {
  struct crv_run_demand d;
  crv_runs_to_confirm(c, f, k->runs);
  if (!k->runs->n_expired) return;
  crv_run_demand(c, k->runs->expired[0]->rec, &d);
  if (d.why_not != CRV_REASON_SATISFIED || d.only_same_or_larger) return;
  show_demand(f, k->runs->expired[0]->rec->piece, &d);
  c->row->demand_bytes = d.bytes;
  c->row->demand_from = d.composed ? CRV_DEMAND_COMPOSED : CRV_DEMAND_PEAK;
  c->row->demand_run = k->runs->expired[0]->rec;
}

/* Some passing run in scope has the failure's settings, though its figures prove nothing. */
static bool pass_like_oom(const struct crv_case *c, const struct peak *k) {
  for (size_t i = 0; i < k->runs->n_pass; i++)
    for (size_t j = 0; j < k->runs->n_oom; j++)
      if (crv_same_settings(c, k->runs->pass[i]->rec->piece, k->runs->oom[j]->rec->piece))
        return true;
  return false;
}

static void peak_finding(struct crv_case *c, struct crv_finding *f, struct peak *k) {
  if (k->n_fits && k->conflict) {
    peak_conflict(c, f, k);
  } else if (k->n_fits) {
    peak_admitted(c, f, k);
  } else if (k->runs->n_oom && pass_like_oom(c, k)) {
    k->fits[0] = k->runs->pass[0];
    k->conflict = k->runs->oom[0];
    crv_run_demand(c, k->fits[0]->rec, &k->fits_demand[0]);
    peak_conflict(c, f, k);
  } else if (k->runs->n_oom && !k->runs->n_pass) {
    peak_oom(f, k);
  } else if (k->over) {
    peak_over(c, f, k);
  } else if (k->voided) {
    peak_void(c, f, k);
  } else {
    peak_expired(c, f, k);
  }
  crv_runs_asides(f, k->runs);
}

/* -- memory.floor
 * ----------------------------------------------------------------------------------- */

static void floor_over(struct crv_case *c, struct crv_finding *f, bool admitted) {
  if (admitted) {
    f->reason = CRV_REASON_EVIDENCE_CONFLICT;
    crv_find_cite(f, c->admitting);
    struct crv_fact p[] = {crv_f_text("first", c->admitting->ref),
                           crv_f_text("second", "the floor by arithmetic"),
                           crv_f_text("what", "whether the weights fit")};
    crv_find_condition(f, crv_cond(c->ev, CRV_COND_CONFLICT, p, 3, "conflict floor"));
    return;
  }
  f->verdict = CRV_EXCLUDED;
  f->reason = CRV_REASON_ARITHMETIC;
  f->resolvable =
      c->capacity.from != CRV_CAP_REPORTED && (c->capacity_unattested || !c->capacity.lower.set);
}

static void floor_finding(struct crv_case *c, struct crv_finding *f, bool admitted) {
  const struct crv_capacity *cap = &c->capacity;
  int64_t floor = c->budget->device_floor.v;
  f->verdict = CRV_TO_CONFIRM;
  crv_demanded(f, crv_f_bytes("floor_bytes", floor));
  show_capacity(c, f);
  if (cap->upper.set && floor > cap->upper.v) {
    floor_over(c, f, admitted);
  } else if (cap->lower.set && floor <= cap->lower.v) {
    f->verdict = CRV_ADMISSIBLE;
    f->reason = CRV_REASON_ARITHMETIC;
  } else if (admitted) {
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
  peak_finding(c, f, &k);
  bool admitted = f->verdict == CRV_ADMISSIBLE;
  if (has_floor && !c->ev->failed) floor_finding(c, &c->row->findings[at], admitted);
}
