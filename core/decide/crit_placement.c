/* placement, placement.same_host, device.slice. Memory is not pooled: a lot is one machine, several
   lots are several unless attested or the sheet accepts any span.
   Must not know: memory figures, prices. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

static void placement_finding(struct crv_case *c) {
  const struct crv_runs *r = crv_runs(c, CRV_DIMS_MEMORY);
  struct crv_finding *f = crv_find(c, CRV_CRIT_PLACEMENT, CRV_TO_CONFIRM, CRV_REASON_NO_EVIDENCE);
  crv_demanded(f, crv_f_int("devices", c->demand.devices));
  crv_demanded(f,
               crv_f_text("strategy", crv_enum_text(crv_strategy_names, (int)c->demand.strategy)));
  if (r->pass.n) {
    f->verdict = CRV_ADMISSIBLE;
    f->reason = CRV_REASON_SATISFIED;
    crv_find_cite(f, r->pass.at[0]->rec);
    f->n_pins = crv_scope_pins(r->pass.at[0]->rec->piece, &c->demand, f->pins);
  } else {
    crv_runs_to_confirm(c, f, r);
  }
  crv_runs_asides(f, r);
  for (size_t i = 0; i < r->oom.n; i++)
    crv_find_aside(f, r->oom.at[i]->rec, CRV_ASIDE_NOT_PROOF,
                   crv_reason_info(CRV_REASON_OUT_OF_MEMORY)->code);
}

static void several_lots(struct crv_case *c, struct crv_finding *f, int64_t lots) {
  struct crv_fact p[] = {crv_f_int("lots", lots), crv_f_text("offer", c->rec->key),
                         crv_f_int("devices", c->demand.devices)};
  f->reason = CRV_REASON_SEVERAL_LOTS;
  crv_find_condition(f, crv_cond(c->ev, CRV_COND_SAME_MACHINE, p, 3,
                                 crv_pair(c->ev, "commercial_sheet", c->rec->key)));
}

/* A document about so many lots of this offer that says whether they stand in one machine. */
static const struct crv_piece_rec *lots_together(const struct crv_case *c, int64_t lots,
                                                 enum crv_tri *ret) {
  for (size_t i = 0; i < c->about->own.n; i++) {
    const struct crv_piece *p = c->about->own.at[i]->rec->piece;
    const struct crv_lot *lot = p->result && p->result->facts ? p->result->facts->lot : NULL;
    if (p->kind != CRV_KIND_COMMERCIAL_SHEET || !lot || lot->one_machine == CRV_UNSET) continue;
    struct crv_opt_int of = p->scope->quantity;
    bool covers =
        of.set && of.v > 1 && (lot->one_machine == CRV_TRUE ? of.v >= lots : of.v <= lots);
    if (!covers) continue;
    *ret = lot->one_machine;
    return c->about->own.at[i]->rec;
  }
  return NULL;
}

/* Several lots are several machines unless attested. */
static void spread(struct crv_case *c, struct crv_finding *f, int64_t lot,
                   const struct crv_piece_rec *each) {
  int64_t lots = crv_cdiv(c->demand.devices, lot);
  enum crv_tri together = CRV_UNSET;
  const struct crv_piece_rec *rec = lots_together(c, lots, &together);
  if (rec && together == CRV_TRUE) {
    f->verdict = CRV_ADMISSIBLE;
    f->reason = CRV_REASON_SATISFIED;
    crv_find_cite(f, rec);
  } else if (rec || each) {
    f->verdict = CRV_EXCLUDED;
    f->reason = CRV_REASON_LOT_TOO_SMALL;
    f->resolvable = true;
    crv_find_cite(f, rec ? rec : each);
  } else {
    several_lots(c, f, lots);
  }
}

static void same_host_finding(struct crv_case *c) {
  struct crv_finding *f = crv_find(c, CRV_CRIT_SAME_HOST, CRV_TO_CONFIRM, CRV_REASON_VALUE_UNKNOWN);
  struct crv_attest count = crv_attest(c, "lot.devices", 0);
  struct crv_attest one = crv_attest(c, "lot.one_machine", 0);
  crv_demanded(f, crv_f_int("devices", c->demand.devices));
  if (count.value.set) crv_observed(f, crv_f_int("lot_devices", count.value.i));
  if (one.value.set) crv_observed(f, crv_f_bool("one_machine", one.value.i != 0));
  if (c->placement->span == CRV_SPAN_ANY) {
    f->verdict = CRV_ADMISSIBLE;
    f->reason = CRV_REASON_ARITHMETIC;
    return;
  }
  if (!count.value.set || count.value.i < 1) {
    crv_attest_to_confirm(c, f, &count, "lot.devices", "the devices of one lot");
    return;
  }
  bool enough = count.value.i >= c->demand.devices;
  bool split = one.value.set && one.value.i == 0;
  if (enough && split) {
    several_lots(c, f, 1);
  } else if (enough && count.how == CRV_ATTESTED) {
    f->verdict = CRV_ADMISSIBLE;
    f->reason = CRV_REASON_SATISFIED;
    crv_find_cite(f, count.piece);
  } else if (enough) {
    crv_attest_to_confirm(c, f, &count, "lot.devices", NULL);
  } else {
    bool whole = count.how == CRV_ATTESTED && one.how == CRV_ATTESTED && !split;
    spread(c, f, count.value.i, whole ? one.piece : NULL);
  }
}

static bool is_slice(const struct crv_case *c) {
  enum crv_memory_kind k = crv_case_memory_kind(c);
  return k == CRV_MEM_SLICE || k == CRV_MEM_SHARED;
}

static void slice_undecided(struct crv_case *c, struct crv_finding *f) {
  struct crv_fact p[] = {crv_f_text("device", crv_case_device_text(c))};
  f->reason = CRV_REASON_SLICE_UNDECIDED;
  crv_find_condition(f, crv_cond(c->ev, CRV_COND_ACCEPT_SLICE, p, 1, "sheet"));
}

static void slice_finding(struct crv_case *c) {
  struct crv_finding *f = crv_find(c, CRV_CRIT_SLICE, CRV_TO_CONFIRM, CRV_REASON_COUNT_UNATTESTED);
  enum crv_tri whole = c->placement->whole;
  crv_demanded(f, whole ? crv_f_bool("whole", whole == CRV_TRUE) : crv_f_text("whole", NULL));
  if (whole == CRV_FALSE) { /* whole or not, it is accepted */
    if (is_slice(c)) crv_observed(f, crv_f_text("device", "slice"));
    f->verdict = CRV_ADMISSIBLE;
    f->reason = CRV_REASON_ARITHMETIC;
    return;
  }
  if (is_slice(c)) {
    crv_observed(f, crv_f_text("device", "slice"));
    f->verdict = whole == CRV_TRUE ? CRV_EXCLUDED : CRV_TO_CONFIRM;
    f->reason = CRV_REASON_SLICE_REFUSED;
    if (!whole) slice_undecided(c, f);
    return;
  }
  if (!c->demand.device) {
    f->reason = CRV_REASON_DEVICE_UNKNOWN;
    crv_find_condition(f, crv_which_device(c));
    return;
  }
  struct crv_attest at = crv_attest(c, "lot.devices", 0);
  if (at.value.set) crv_observed(f, crv_f_int("lot_devices", at.value.i));
  if (at.how == CRV_ATTESTED && at.value.i >= 1) {
    f->verdict = CRV_ADMISSIBLE;
    f->reason = CRV_REASON_SATISFIED;
    crv_find_cite(f, at.piece);
    crv_find_cite(f, c->about->identified);
    return;
  }
  crv_attest_to_confirm(c, f, &at, "lot.devices", "the count of whole devices");
  if (at.how == CRV_ATTEST_UNATTESTED) f->reason = CRV_REASON_COUNT_UNATTESTED;
}

void crv_crit_placement(struct crv_case *c) {
  if (c->demand.devices > 1) {
    placement_finding(c);
    same_host_finding(c);
  }
  slice_finding(c);
}
