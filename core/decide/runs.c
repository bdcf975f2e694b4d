/* What the considered runs and failure reports say about a case: which passes cover the demand,
   which failures do, which pieces are set aside and why.
   Must not know: capacities, verdicts. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

static void aside(struct crv_runs *r, const struct crv_piece_rec *rec, enum crv_aside why,
                  const char *dimension) {
  r->aside[r->n_aside++] = (struct crv_set_aside){rec, why, dimension};
}

enum crv_aside crv_aside_of(enum crv_standing st) {
  static const enum crv_aside map[] = {
      [CRV_STANDS] = CRV_ASIDE_NOT_PROOF,           [CRV_STANDS_NOT_YET] = CRV_ASIDE_NOT_YET,
      [CRV_STANDS_EXPIRED] = CRV_ASIDE_EXPIRED,     [CRV_STANDS_SUPERSEDED] = CRV_ASIDE_SUPERSEDED,
      [CRV_STANDS_RETRACTED] = CRV_ASIDE_RETRACTED,
  };
  return map[st];
}

static void push(struct crv_hits *list, const struct crv_indexed *ix) {
  list->at[list->n++] = ix;
}

/* A setting that differs makes a failure "failed once"; another model, task or device makes it a
   failure of something else. */
static bool is_setting(const char *dimension) {
  return !strncmp(dimension, "precision", 9) || !strncmp(dimension, "execution", 9) ||
         !strncmp(dimension, "adaptation", 10) || !strcmp(dimension, "accumulation") ||
         !strcmp(dimension, "strategy");
}

static bool offload_accepted(const struct crv_sheet *s) {
  return s->execution && s->execution->offload && strcmp(s->execution->offload, "none") != 0;
}

/* Did part of the load leave the device, by the counter or by the run's own settings? */
static bool left_device(const struct crv_piece *p) {
  const struct crv_execution *x = p->scope->execution;
  if (p->result->spilled == CRV_TRUE) return true;
  return x && x->offload && strcmp(x->offload, "none") != 0 && strcmp(x->offload, "*") != 0;
}

/* Why a passing run that covers the categorical dimensions still proves nothing; SATISFIED: it
 * does. */
enum crv_reason crv_pass_void(const struct crv_case *c, const struct crv_piece *p) {
  const struct crv_result *res = p->result;
  if (res->truncated == CRV_TRUE && !res->executed) return CRV_REASON_TRUNCATED;
  if (left_device(p) && !offload_accepted(c->ev->q->sheet)) return CRV_REASON_SPILLED;
  return CRV_REASON_SATISFIED;
}

/* A pass whose dimensions are too small, or not stated; it may still have missed a target. */
static void take_short(const struct crv_case *c, const struct crv_indexed *ix, const char *why,
                       struct crv_runs *r) {
  const struct crv_piece *p = ix->rec->piece;
  if (crv_pass_void(c, p) == CRV_REASON_SATISFIED && !crv_scope_magnitudes(p, &c->demand, true))
    push(&r->smaller, ix);
  aside(r, ix->rec, CRV_ASIDE_OUT_OF_SCOPE, why);
}

static void take_pass(const struct crv_case *c, const struct crv_indexed *ix, const char *mismatch,
                      struct crv_runs *r) {
  const struct crv_piece *p = ix->rec->piece;
  const char *why = mismatch ? mismatch : crv_scope_magnitudes(p, &c->demand, false);
  enum crv_reason is_void = crv_pass_void(c, p);
  if (ix->standing != CRV_STANDS) {
    if (ix->standing == CRV_STANDS_EXPIRED && !why && is_void == CRV_REASON_SATISFIED)
      push(&r->expired, ix);
    aside(r, ix->rec, crv_aside_of(ix->standing), NULL);
  } else if (mismatch) {
    aside(r, ix->rec, CRV_ASIDE_OUT_OF_SCOPE, mismatch);
  } else if (why) {
    take_short(c, ix, why, r);
  } else if (is_void != CRV_REASON_SATISFIED) {
    if (r->void_reason == CRV_REASON_SATISFIED) r->void_reason = is_void;
    aside(r, ix->rec, CRV_ASIDE_NOT_PROOF, crv_reason_info(is_void)->code);
  } else {
    push(&r->pass, ix);
  }
}

static void take_failure(const struct crv_case *c, const struct crv_indexed *ix,
                         const char *mismatch, struct crv_runs *r) {
  const struct crv_piece *p = ix->rec->piece;
  const char *why = mismatch ? mismatch : crv_scope_magnitudes(p, &c->demand, true);
  if (ix->standing != CRV_STANDS) {
    aside(r, ix->rec, crv_aside_of(ix->standing), NULL);
    return;
  }
  if (why) {
    if (mismatch && is_setting(mismatch)) push(&r->other, ix);
    aside(r, ix->rec, CRV_ASIDE_OUT_OF_SCOPE, why);
    return;
  }
  if (p->result->cause == CRV_CAUSE_OUT_OF_MEMORY) {
    push(&r->oom, ix);
    return;
  }
  if (p->result->cause == CRV_CAUSE_UNSUPPORTED) push(&r->unsupported, ix);
  push(&r->other, ix);
  aside(r, ix->rec, CRV_ASIDE_CAUSE_NOT_MEMORY, NULL);
}

static void take(const struct crv_case *c, const struct crv_indexed *ix, enum crv_dim_set set,
                 struct crv_runs *r) {
  const struct crv_piece *p = ix->rec->piece;
  bool omitted = false;
  switch (p->kind) {
  case CRV_KIND_PROTOCOL_RUN:
    if (p->result->outcome == CRV_OUTCOME_PASSED) {
      take_pass(c, ix, crv_scope_mismatch(set, p, &c->demand, &omitted), r);
      return;
    } /* fall through */
  case CRV_KIND_FAILURE_REPORT:
    take_failure(c, ix, crv_scope_mismatch(set, p, &c->demand, &omitted), r);
    return;
  case CRV_KIND_ORDER_PREFERENCE:
  case CRV_KIND_STOCK_DECLARATION:
    /* people offer these as if they proved something */
    aside(r, ix->rec, CRV_ASIDE_WRONG_KIND, NULL);
    return;
  case CRV_KIND_NONE:
  case CRV_KIND_COMMERCIAL_SHEET:
  case CRV_KIND_CATALOGUE_IMPORT:
  case CRV_KIND_DELIVERY_COMMITMENT:
  case CRV_KIND_DEVICE_REPORT:
  case CRV_KIND_VENDOR_DOCUMENTATION:
  case CRV_KIND_QUALITY_EVALUATION:
  case CRV_KIND_EXCHANGE_RATE:
  case CRV_KIND_COUNT:
  default:
    return;
  }
}

/* Room for every considered piece in every list. */
static struct crv_runs *new_runs(struct crv_case *c) {
  struct crv_runs *r = crv_new(c->ev->a, struct crv_runs);
  if (!r) return NULL;
  struct crv_hits *lists[] = {&r->pass,  &r->smaller, &r->oom,
                              &r->other, &r->expired, &r->unsupported};
  size_t n = sizeof lists / sizeof *lists, room = c->n_pieces ? c->n_pieces : 1;
  const struct crv_indexed **at = crv_new_array(c->ev->a, n * room, const struct crv_indexed *);
  r->aside = crv_new_array(c->ev->a, room, struct crv_set_aside);
  if (!at || !r->aside) return NULL;
  for (size_t i = 0; i < n; i++) lists[i]->at = at + i * room;
  return r;
}

const struct crv_runs *crv_runs(struct crv_case *c, enum crv_dim_set set) {
  static const struct crv_runs none;
  size_t slot = set == CRV_DIMS_LATENCY;
  if (c->runs[slot]) return c->runs[slot];
  struct crv_runs *r = new_runs(c);
  if (!r) {
    c->ev->failed = true;
    return &none;
  }
  for (size_t i = 0; i < c->n_pieces; i++) take(c, c->pieces[i], set, r);
  c->runs[slot] = r;
  return r;
}

/* The criteria for which people bring what an order asks for or a stock says. */
static bool takes_notes(enum crv_criterion id) {
  return id == CRV_CRIT_ARCHITECTURE || id == CRV_CRIT_RUNTIME || id == CRV_CRIT_DRIVER ||
         id == CRV_CRIT_PEAK;
}

void crv_runs_asides(struct crv_finding *f, const struct crv_runs *r) {
  for (size_t i = 0; i < r->n_aside; i++) {
    const struct crv_set_aside *a = &r->aside[i];
    if (a->why == CRV_ASIDE_WRONG_KIND && !takes_notes(f->criterion)) continue;
    crv_find_aside(f, a->rec, a->why, a->dimension);
  }
}

bool crv_same_settings(const struct crv_case *c, const struct crv_piece *a,
                       const struct crv_piece *b) {
  struct crv_fact pa[CRV_MAX_FACTS], pb[CRV_MAX_FACTS];
  size_t na = crv_scope_pins(a, &c->demand, pa), nb = crv_scope_pins(b, &c->demand, pb);
  if (na != nb) return false;
  for (size_t i = 0; i < na; i++)
    if (strcmp(pa[i].name, pb[i].name) != 0 || !crv_streq(pa[i].text, pb[i].text) ||
        pa[i].i != pb[i].i)
      return false;
  return true;
}

const struct crv_indexed *crv_opposed(const struct crv_case *c, const struct crv_indexed *one,
                                      const struct crv_hits *others) {
  for (size_t i = 0; i < others->n; i++)
    if (crv_same_settings(c, one->rec->piece, others->at[i]->rec->piece)) return others->at[i];
  return NULL;
}

const struct crv_indexed *crv_unopposed(const struct crv_case *c, const struct crv_hits *yes,
                                        const struct crv_hits *no) {
  for (size_t i = 0; i < yes->n; i++)
    if (!crv_opposed(c, yes->at[i], no)) return yes->at[i];
  return NULL;
}

/* -- the limit-stage run -------------------------------------------------------------------------
 */

const char *crv_case_device_text(const struct crv_case *c) {
  if (c->model && c->model->display) return c->model->display;
  if (c->demand.device) return c->demand.device;
  return c->offer->device && c->offer->device->name ? c->offer->device->name : "the device";
}

static const char *phases_text(const struct crv_eval *ev) {
  const char *names[8];
  size_t n = crv_sheet_phases(ev->q->sheet, names);
  const char *text = n ? names[0] : "every phase";
  for (size_t i = 1; text && i < n; i++)
    text = crv_arena_printf(ev->a, i + 1 == n ? "%s and %s" : "%s, %s", text, names[i]);
  return text;
}

const struct crv_condition *crv_which_device(struct crv_case *c) {
  const struct crv_device *d = c->offer->device;
  struct crv_fact p[] = {crv_f_text("name", d ? d->name : NULL), crv_f_text("offer", c->rec->key)};
  if (!d || !d->name) p[0] = crv_f_text("name", "the device");
  return crv_cond(c->ev, CRV_COND_WHICH_DEVICE, p, 2,
                  crv_arena_printf(c->ev->a, "commercial_sheet %s", c->rec->key));
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
  for (size_t i = 0; i < r->n_aside; i++)
    if (r->aside[i].why == CRV_ASIDE_OUT_OF_SCOPE) f->reason = CRV_REASON_OUT_OF_SCOPE;
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
