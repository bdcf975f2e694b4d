/* What the runs and failure reports say about one case: those of its group, and those that only its
   offer's names bring; the condition that asks for a run.
   Must not know: capacities, verdicts. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

/* -- of one case ----------------------------------------------------------------------------------
 */

static void more(struct crv_runs *r, const struct crv_indexed *ix, enum crv_aside why,
                 const char *dimension) {
  r->more[r->n_more++] = (struct crv_set_aside){ix->rec, why, dimension};
  r->out_of_scope |= why == CRV_ASIDE_OUT_OF_SCOPE;
}

/* A run that only its supplier's machine or its offer names was made on another device. */
static void name_more(const struct crv_case *c, struct crv_runs *r) {
  const struct crv_hits *extra = &c->about->extra;
  for (size_t i = 0; i < extra->n; i++) {
    const struct crv_indexed *ix = extra->at[i];
    enum crv_kind kind = ix->rec->piece->kind;
    bool omitted = false;
    if (kind == CRV_KIND_ORDER_PREFERENCE || kind == CRV_KIND_STOCK_DECLARATION) {
      more(r, ix, CRV_ASIDE_WRONG_KIND, NULL);
    } else if (kind == CRV_KIND_PROTOCOL_RUN || kind == CRV_KIND_FAILURE_REPORT) {
      const char *why = crv_scope_mismatch(CRV_DIMS_MEMORY, ix->rec->piece, &c->demand, &omitted);
      bool stands = ix->standing == CRV_STANDS;
      more(r, ix, stands ? CRV_ASIDE_OUT_OF_SCOPE : crv_aside_of(ix->standing),
           !stands ? NULL
           : why   ? why
                   : "device");
    }
  }
  for (size_t i = 0; i < c->group->notes.n; i++)
    more(r, c->group->notes.at[i], CRV_ASIDE_WRONG_KIND, NULL);
}

static const struct crv_runs *memory_runs(struct crv_case *c) {
  size_t room = c->about->extra.n + c->group->notes.n;
  if (room == 0) return &c->base->runs;
  struct crv_runs *r = crv_new(c->ev->a, struct crv_runs);
  if (!r) return NULL;
  *r = c->base->runs;
  r->more = crv_new_array(c->ev->a, room, struct crv_set_aside);
  if (!r->more) return NULL;
  name_more(c, r);
  return r;
}

/* Of the runs in scope of the load those that were made on this supplier's machine. */
static void keep_here(const struct crv_case *c, const struct crv_hits *from, struct crv_hits *to,
                      struct crv_runs *r) {
  for (size_t i = 0; i < from->n; i++) {
    bool omitted = false;
    const struct crv_indexed *ix = from->at[i];
    const char *why = crv_scope_mismatch(CRV_DIMS_SUPPLIER, ix->rec->piece, &c->demand, &omitted);
    if (!why)
      crv_hit(to, ix);
    else if (r)
      more(r, ix, CRV_ASIDE_OUT_OF_SCOPE, why);
  }
}

static const struct crv_runs *latency_runs(struct crv_case *c) {
  const struct crv_runs *all = crv_runs(c, CRV_DIMS_MEMORY);
  struct crv_runs *r = crv_new(c->ev->a, struct crv_runs);
  if (!r || c->ev->failed) return NULL;
  *r = *all;
  r->void_reason = CRV_REASON_SATISFIED;
  size_t room = all->n_more + all->pass.n + all->oom.n;
  r->more = crv_new_array(c->ev->a, room + 1, struct crv_set_aside);
  if (!r->more || !crv_hits_room(c->ev, &r->pass, all->pass.n) ||
      !crv_hits_room(c->ev, &r->smaller, all->smaller.n) ||
      !crv_hits_room(c->ev, &r->expired, all->expired.n) ||
      !crv_hits_room(c->ev, &r->other, all->other.n) || !crv_hits_room(c->ev, &r->oom, all->oom.n))
    return NULL;
  if (all->n_more) memcpy(r->more, all->more, all->n_more * sizeof *r->more);
  keep_here(c, &all->pass, &r->pass, r);
  keep_here(c, &all->smaller, &r->smaller, NULL);
  keep_here(c, &all->expired, &r->expired, NULL);
  keep_here(c, &all->other, &r->other, NULL);
  keep_here(c, &all->oom, &r->oom, r);
  for (size_t i = 0; i < r->oom.n; i++)
    more(r, r->oom.at[i], CRV_ASIDE_NOT_PROOF, crv_reason_info(CRV_REASON_OUT_OF_MEMORY)->code);
  return r;
}

const struct crv_runs *crv_runs(struct crv_case *c, enum crv_dim_set set) {
  static const struct crv_runs none;
  size_t slot = set == CRV_DIMS_LATENCY;
  if (c->runs[slot]) return c->runs[slot];
  c->runs[slot] = slot ? latency_runs(c) : memory_runs(c);
  if (!c->runs[slot]) c->ev->failed = true;
  return c->runs[slot] ? c->runs[slot] : &none;
}

/* The criteria for which people bring what an order asks for or a stock says. */
static bool takes_notes(enum crv_criterion id) {
  return id == CRV_CRIT_ARCHITECTURE || id == CRV_CRIT_RUNTIME || id == CRV_CRIT_DRIVER ||
         id == CRV_CRIT_PEAK;
}

void crv_runs_asides(struct crv_finding *f, const struct crv_runs *r) {
  crv_find_asides(f, r->aside, r->n_aside);
  for (size_t i = 0; i < r->n_more; i++) {
    const struct crv_set_aside *a = &r->more[i];
    if (a->why == CRV_ASIDE_WRONG_KIND && !takes_notes(f->criterion)) continue;
    crv_find_aside(f, a->rec, a->why, a->dimension);
  }
}

/* -- the limit-stage run -------------------------------------------------------------------------
 */

const char *crv_case_device_text(const struct crv_case *c) {
  if (c->model && c->model->display) return c->model->display;
  if (c->demand.device) return c->demand.device;
  return c->offer->device && c->offer->device->name ? c->offer->device->name : "the device";
}

static const char *phases_text(struct crv_eval *ev) {
  const char *names[8];
  if (ev->phases) return ev->phases;
  size_t n = crv_sheet_phases(ev->q->sheet, names);
  const char *text = n ? names[0] : "every phase";
  for (size_t i = 1; text && i < n; i++)
    text = crv_arena_printf(ev->a, i + 1 == n ? "%s and %s" : "%s, %s", text, names[i]);
  return ev->phases = text;
}

const struct crv_condition *crv_which_device(struct crv_case *c) {
  const struct crv_device *d = c->offer->device;
  struct crv_fact p[] = {crv_f_text("name", d ? d->name : NULL), crv_f_text("offer", c->rec->key)};
  if (!d || !d->name) p[0] = crv_f_text("name", "the device");
  return crv_cond(c->ev, CRV_COND_WHICH_DEVICE, p, 2,
                  crv_pair(c->ev, "commercial_sheet", c->rec->key));
}

/* How the limit of a measured peak follows from the capacity. */
static void limit_facts(const struct crv_case *c, int64_t headroom, struct crv_fact *limit,
                        struct crv_fact *from) {
  const struct crv_capacity *cap = &c->capacity;
  *limit = *from = crv_f_text("limit_from", NULL);
  bool hidden = c->capacity_piece && c->capacity_piece->piece->is_private == CRV_TRUE;
  if (!cap->lower.set || cap->lower.v < headroom || (hidden && cap->from == CRV_CAP_REPORTED))
    return;
  *limit = crv_f_bytes("limit_bytes", cap->lower.v - headroom);
  if (cap->from == CRV_CAP_REPORTED)
    *from = crv_f_text("limit_from", "reported by the device");
  else
    *from =
        crv_f_text("limit_from", "0.90 × the nominal size in GiB; a device report makes it exact");
}

/* One run settles what asks for this device, count and strategy; a device that nobody knows is each
   offer's own. */
static const char *run_piece(const struct crv_case *c) {
  const char *device = c->demand.device, *strategy = NULL;
  if (c->demand.devices > 1) strategy = crv_enum_text(crv_strategy_names, (int)c->demand.strategy);
  return crv_arena_printf(c->ev->a, "protocol_run %s %lld %s", device ? device : c->rec->key,
                          (long long)c->demand.devices, strategy ? strategy : "");
}

const struct crv_condition *crv_run_condition(struct crv_case *c) {
  if (c->run) return c->run;
  const struct crv_sheet *s = c->ev->q->sheet;
  int64_t headroom = s->headroom && s->headroom->bytes.set ? s->headroom->bytes.v : 0;
  struct crv_fact limit, from;
  limit_facts(c, headroom, &limit, &from);
  const char *strategy = crv_enum_text(crv_strategy_names, (int)c->demand.strategy);
  struct crv_fact p[] = {
      crv_f_opt("length", CRV_FACT_INT, c->demand.length),
      crv_f_opt("concurrency", CRV_FACT_INT, c->demand.concurrency),
      crv_f_opt("microbatch", CRV_FACT_INT, c->demand.microbatch),
      crv_f_opt("rank", CRV_FACT_INT, c->demand.rank),
      crv_f_text("input", s->scene ? s->scene->largest_input : NULL),
      crv_f_opt("jobs", CRV_FACT_INT, c->demand.jobs),
      crv_f_int("devices", c->demand.devices),
      crv_f_text("device", c->demand.device ? c->demand.device : crv_case_device_text(c)),
      crv_f_text("strategy", c->demand.devices > 1 ? strategy : NULL),
      crv_f_text("phases", phases_text(c->ev)),
      limit,
      from,
      headroom ? crv_f_bytes("headroom_bytes", headroom) : crv_f_text("headroom_bytes", NULL),
  };
  const char *piece = run_piece(c);
  return c->run = crv_cond(c->ev, CRV_COND_RUN_LIMIT, p, sizeof p / sizeof *p, piece);
}

static const char *what_to_change(const struct crv_piece *p) {
  switch (p->result->cause) {
  case CRV_CAUSE_SETTING:
    return "with the failing setting corrected";
  case CRV_CAUSE_EXTERNAL_USE:
    return "with nothing else on the device";
  case CRV_CAUSE_FRAGMENTATION:
    return "with the allocator set against fragmentation";
  case CRV_CAUSE_HOST_KILLED:
    return "with more host memory";
  case CRV_CAUSE_OUT_OF_MEMORY:
  case CRV_CAUSE_UNSUPPORTED:
    return "with the sheet's own settings";
  case CRV_CAUSE_UNDETERMINED:
  default:
    return "recording the cause should it fail again";
  }
}

void crv_runs_to_confirm(struct crv_case *c, struct crv_finding *f, const struct crv_runs *r) {
  f->verdict = CRV_TO_CONFIRM;
  f->reason = CRV_REASON_NO_EVIDENCE;
  if (r->out_of_scope) f->reason = CRV_REASON_OUT_OF_SCOPE;
  if (!c->demand.device) f->reason = CRV_REASON_DEVICE_UNKNOWN;
  if (r->void_reason != CRV_REASON_SATISFIED) f->reason = r->void_reason;
  if (r->other.n) {
    const struct crv_piece_rec *rec = r->other.at[0]->rec;
    struct crv_fact p[] = {crv_f_text("run", rec->ref),
                           crv_f_text("device", crv_case_device_text(c)),
                           crv_f_text("change", what_to_change(rec->piece))};
    f->reason = CRV_REASON_FAILED_ONCE;
    crv_find_condition(f, crv_cond(c->ev, CRV_COND_RUN_AGAIN, p, 3, run_piece(c)));
  }
  if (r->expired.n) {
    f->reason = CRV_REASON_EXPIRED;
    f->expired = true;
    crv_find_cite(f, r->expired.at[0]->rec);
  }
  if (!c->demand.device) crv_find_condition(f, crv_which_device(c));
  crv_find_condition(f, crv_run_condition(c));
}
