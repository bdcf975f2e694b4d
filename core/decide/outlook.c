/* Outlook and margin of a row: how the best figure compares with the capacity as it is printed, and
   what is left of it. Never a verdict: an unattested capacity counts here, and the row says so.
   Must not know: findings. */
#include <string.h>

#include "core/decide/eval.h"

/* The capacity as it reads on paper, whoever attests it. */
static void paper(const struct crv_case *c, struct crv_capacity *cap,
                  enum crv_margin_capacity *from) {
  const struct crv_device *d = c->offer->device;
  memset(cap, 0, sizeof *cap);
  *from = CRV_MARGIN_NONE;
  enum crv_memory_kind kind = crv_case_memory_kind(c);
  bool nominal = kind != CRV_MEM_SHARED && kind != CRV_MEM_UNIFIED; /* else it says nothing */
  if (c->capacity.from == CRV_CAP_REPORTED) {
    *cap = c->capacity;
    *from = CRV_MARGIN_REPORTED;
  } else if (c->expired_report && kind != CRV_MEM_SHARED) {
    *cap = c->capacity_expired; /* keeps its value and place, and never admits */
    *from = CRV_MARGIN_REPORTED;
  } else if (nominal && d && d->memory_nominal.set &&
             crv_capacity_nominal(&d->memory_nominal, cap)) {
    *from = CRV_MARGIN_NOMINAL_DECIMAL;
  } else if (nominal && d && d->memory_declared_bytes.set) {
    cap->lower = cap->upper = cap->decimal = d->memory_declared_bytes;
    *from = CRV_MARGIN_DECLARED;
  }
}

/* A standing pass of this very load on whatever device it names. */
static bool same_load(const struct crv_case *c, const struct crv_piece *p) {
  struct crv_demand d = c->demand;
  bool omitted = false;
  if (p->kind != CRV_KIND_PROTOCOL_RUN || p->result->outcome != CRV_OUTCOME_PASSED ||
      !p->scope->device || crv_pass_void(c, p) != CRV_REASON_SATISFIED)
    return false;
  d.device = p->scope->device;
  return !crv_scope_mismatch(CRV_DIMS_MEMORY, p, &d, &omitted) &&
         !crv_scope_magnitudes(p, &d, false);
}

static const struct crv_elsewhere *measured_elsewhere(struct crv_case *c) {
  struct crv_elsewhere *e = &c->ev->elsewhere[c->row->placement];
  const struct crv_indexed *all;
  if (e->looked) return e;
  e->looked = true;
  size_t n = crv_index_all(c->ev->index, &all);
  for (size_t i = 0; i < n; i++) {
    struct crv_run_demand d;
    if (all[i].standing != CRV_STANDS || !same_load(c, all[i].rec->piece)) continue;
    crv_run_demand(c, all[i].rec, &d);
    if (d.why_not != CRV_REASON_SATISFIED || d.only_same_or_larger) continue;
    if (!e->bytes.set || d.bytes.v > e->bytes.v) {
      e->bytes = d.bytes;
      e->rec = all[i].rec;
    }
  }
  return e;
}

static enum crv_outlook against(const struct crv_case *c, const struct crv_capacity *cap,
                                struct crv_opt_int figure) {
  int64_t total;
  if (!figure.set || !crv_case_total(c, figure.v, &total)) return CRV_OPEN;
  if (cap->upper.set && total > cap->upper.v) return CRV_EXCEEDS_ON_PAPER;
  return cap->lower.set && total <= cap->lower.v ? CRV_FITS_ON_PAPER : CRV_OPEN;
}

static void choose_outlook(struct crv_case *c, const struct crv_capacity *cap) {
  struct crv_row *row = c->row;
  const struct crv_budget *b = c->budget;
  if (row->demand_bytes.set) {
    row->outlook = against(c, cap, row->demand_bytes);
    row->outlook_from = "measured peak";
    return;
  }
  const struct crv_elsewhere *e = measured_elsewhere(c);
  if (e->bytes.set) {
    row->outlook = against(c, cap, e->bytes);
    row->outlook_from =
        crv_arena_printf(c->ev->a, "measured peak of %s", e->rec->piece->scope->device);
  } else if (b->device_envelope.set) {
    row->outlook = against(c, cap, b->device_envelope);
    row->outlook_from = "envelope";
  } else {
    /* a floor alone can only show that it doesn't fit */
    row->outlook = against(c, cap, b->device_floor);
    if (row->outlook == CRV_FITS_ON_PAPER) row->outlook = CRV_OPEN;
    row->outlook_from = b->device_floor.set ? "floor" : "nothing known";
  }
}

static bool is_private(const struct crv_piece_rec *rec) {
  return rec && rec->piece->is_private == CRV_TRUE;
}

static void mark_private(struct crv_case *c) {
  struct crv_row *row = c->row;
  bool reported = row->capacity_from == CRV_MARGIN_REPORTED;
  row->capacity_expired = reported && c->capacity.from != CRV_CAP_REPORTED;
  row->demand_private = is_private(row->demand_run);
  row->capacity_private =
      reported && (is_private(c->capacity_piece) || is_private(c->capacity_other) ||
                   (row->capacity_expired && is_private(c->expired_report)));
}

void crv_outlook_make(struct crv_case *c) {
  struct crv_row *row = c->row;
  struct crv_capacity cap;
  paper(c, &cap, &row->capacity_from);
  row->capacity = cap;
  choose_outlook(c, &cap);
  if (!row->demand_bytes.set && c->budget->device_envelope.set && !row->demand_run) {
    row->demand_bytes = c->budget->device_envelope;
    row->demand_from = CRV_DEMAND_ENVELOPE;
  }
  if (cap.decimal.set && row->demand_bytes.set) {
    row->margin_bytes.v = cap.decimal.v - row->demand_bytes.v;
    row->margin_bytes.set = true;
  } else {
    row->capacity_from = cap.decimal.set ? row->capacity_from : CRV_MARGIN_NONE;
  }
  mark_private(c);
}
