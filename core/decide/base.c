/* What the runs and failure reports about one load on one device say, for every offer of it: which
   passes cover the demand, which failures do, which pieces are set aside and why, and which of them
   have the same settings. Must not know: offers, capacities, verdicts. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

static void aside(struct crv_runs *r, const struct crv_piece_rec *rec, enum crv_aside why,
                  const char *dimension) {
  r->aside[r->n_aside++] = (struct crv_set_aside){rec, why, dimension};
  r->out_of_scope |= why == CRV_ASIDE_OUT_OF_SCOPE;
}

enum crv_aside crv_aside_of(enum crv_standing st) {
  static const enum crv_aside map[] = {
      [CRV_STANDS] = CRV_ASIDE_NOT_PROOF,           [CRV_STANDS_NOT_YET] = CRV_ASIDE_NOT_YET,
      [CRV_STANDS_EXPIRED] = CRV_ASIDE_EXPIRED,     [CRV_STANDS_SUPERSEDED] = CRV_ASIDE_SUPERSEDED,
      [CRV_STANDS_RETRACTED] = CRV_ASIDE_RETRACTED,
  };
  return map[st];
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
    crv_hit(&r->smaller, ix);
  aside(r, ix->rec, CRV_ASIDE_OUT_OF_SCOPE, why);
}

static void take_pass(const struct crv_case *c, const struct crv_indexed *ix, const char *mismatch,
                      struct crv_runs *r) {
  const struct crv_piece *p = ix->rec->piece;
  const char *why = mismatch ? mismatch : crv_scope_magnitudes(p, &c->demand, false);
  enum crv_reason is_void = crv_pass_void(c, p);
  if (ix->standing != CRV_STANDS) {
    if (ix->standing == CRV_STANDS_EXPIRED && !why && is_void == CRV_REASON_SATISFIED)
      crv_hit(&r->expired, ix);
    aside(r, ix->rec, crv_aside_of(ix->standing), NULL);
  } else if (mismatch) {
    aside(r, ix->rec, CRV_ASIDE_OUT_OF_SCOPE, mismatch);
  } else if (why) {
    take_short(c, ix, why, r);
  } else if (is_void != CRV_REASON_SATISFIED) {
    if (r->void_reason == CRV_REASON_SATISFIED) r->void_reason = is_void;
    aside(r, ix->rec, CRV_ASIDE_NOT_PROOF, crv_reason_info(is_void)->code);
  } else {
    crv_hit(&r->pass, ix);
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
    if (mismatch && is_setting(mismatch)) crv_hit(&r->other, ix);
    aside(r, ix->rec, CRV_ASIDE_OUT_OF_SCOPE, why);
    return;
  }
  if (p->result->cause == CRV_CAUSE_OUT_OF_MEMORY) {
    crv_hit(&r->oom, ix);
    return;
  }
  if (p->result->cause == CRV_CAUSE_UNSUPPORTED) crv_hit(&r->unsupported, ix);
  crv_hit(&r->other, ix);
  aside(r, ix->rec, CRV_ASIDE_CAUSE_NOT_MEMORY, NULL);
}

static void take(const struct crv_case *c, const struct crv_indexed *ix, struct crv_runs *r) {
  const struct crv_piece *p = ix->rec->piece;
  bool omitted = false, passed = p->result && p->result->outcome == CRV_OUTCOME_PASSED;
  if (p->kind != CRV_KIND_PROTOCOL_RUN && p->kind != CRV_KIND_FAILURE_REPORT) return;
  const char *mismatch = crv_scope_mismatch(CRV_DIMS_MEMORY, p, &c->demand, &omitted);
  if (passed && p->kind == CRV_KIND_PROTOCOL_RUN)
    take_pass(c, ix, mismatch, r);
  else
    take_failure(c, ix, mismatch, r);
}

/* Lists with room for every piece. */
static bool runs_room(struct crv_eval *ev, struct crv_runs *r, size_t n) {
  struct crv_hits *lists[] = {&r->pass,  &r->smaller, &r->oom,
                              &r->other, &r->expired, &r->unsupported};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++)
    if (!crv_hits_room(ev, lists[i], n)) return false;
  r->aside = crv_new_array(ev->a, n ? n : 1, struct crv_set_aside);
  if (!r->aside) ev->failed = true;
  return r->aside != NULL;
}

/* -- settings -------------------------------------------------------------------------------------
 */

/* What a piece pins follows from the sheet alone. */
static const struct crv_pins *pins_of(const struct crv_case *c, const struct crv_indexed *ix) {
  const struct crv_indexed *all;
  struct crv_eval *ev = c->ev;
  size_t n = crv_index_all(ev->index, &all);
  if (!ev->pins) ev->pins = crv_new_array(ev->a, n + 1, struct crv_pins);
  struct crv_pins *pins = ev->pins ? &ev->pins[ix - all] : NULL;
  if (pins && pins->made) return pins;
  if (pins) pins->at = crv_new_array(ev->a, CRV_MAX_FACTS, struct crv_fact);
  if (!pins || !pins->at) {
    ev->failed = true;
    return NULL;
  }
  pins->n = crv_scope_pins(ix->rec->piece, &c->demand, pins->at);
  pins->made = true;
  return pins;
}

static bool same_fact(const struct crv_fact *a, const struct crv_fact *b) {
  return a->i == b->i && crv_streq(a->text, b->text);
}

/* The same settings, stated and left out alike. */
static bool same_settings(const struct crv_case *c, const struct crv_indexed *a,
                          const struct crv_indexed *b) {
  const struct crv_pins *x = pins_of(c, a), *y = pins_of(c, b);
  bool same = x && y && x->n == y->n;
  for (size_t i = 0; same && i < x->n; i++)
    same = !strcmp(x->at[i].name, y->at[i].name) && same_fact(&x->at[i], &y->at[i]);
  return same;
}

bool crv_settings_differ(const struct crv_case *c, const struct crv_indexed *a,
                         const struct crv_indexed *b) {
  const struct crv_pins *x = pins_of(c, a), *y = pins_of(c, b);
  for (size_t i = 0; x && y && i < x->n; i++)
    for (size_t k = 0; k < y->n; k++)
      if (!strcmp(x->at[i].name, y->at[k].name) && !same_fact(&x->at[i], &y->at[k])) return true;
  return false;
}

const struct crv_indexed *crv_opposed(const struct crv_case *c, const struct crv_indexed *one,
                                      const struct crv_hits *others) {
  for (size_t i = 0; i < others->n; i++)
    if (!crv_settings_differ(c, one, others->at[i])) return others->at[i];
  return NULL;
}

const struct crv_indexed *crv_unopposed(const struct crv_case *c, const struct crv_hits *yes,
                                        const struct crv_hits *no) {
  for (size_t i = 0; i < yes->n; i++)
    if (!crv_opposed(c, yes->at[i], no)) return yes->at[i];
  return NULL;
}

static bool same_executed(const struct crv_indexed *a, const struct crv_indexed *b) {
  struct crv_executed x, y;
  crv_piece_executed(a->rec->piece, &x);
  crv_piece_executed(b->rec->piece, &y);
  return x.length.v == y.length.v && x.concurrency.v == y.concurrency.v &&
         x.microbatch.v == y.microbatch.v && x.rank.v == y.rank.v && x.jobs.v == y.jobs.v;
}

/* -- what offers share ----------------------------------------------------------------------------
 */

static void compare_passes(struct crv_case *c, struct crv_base *b) {
  const struct crv_hits *pass = &b->runs.pass;
  for (size_t i = 0; i < pass->n; i++) {
    size_t j = 0;
    while (
        !(same_executed(pass->at[j], pass->at[i]) && same_settings(c, pass->at[j], pass->at[i])) &&
        j < i)
      j++;
    b->twin[i] = j;
    b->against[i] = crv_opposed(c, pass->at[i], &b->runs.oom);
    crv_run_demand(c, pass->at[i]->rec, &b->demand[i]);
  }
}

static bool note(struct crv_eval *ev, struct crv_list *list, const struct crv_hits *failures) {
  const char **texts = crv_new_array(ev->a, list->n + failures->n + 1, const char *);
  if (!texts) return false;
  if (list->n) memcpy(texts, list->at, list->n * sizeof *texts);
  for (size_t i = 0; i < failures->n; i++) {
    const struct crv_piece_rec *rec = failures->at[i]->rec;
    const char *cause = crv_enum_text(crv_cause_names, (int)rec->piece->result->cause);
    const char *text = crv_arena_printf(ev->a, "settings as in the failed run %s (%s)", rec->ref,
                                        cause ? cause : "target missed");
    if (!text) return false;
    texts[list->n + i] = text;
  }
  *list = (struct crv_list){list->n + failures->n, texts};
  return true;
}

void crv_note_failures(struct crv_case *c, const struct crv_hits *failures) {
  if (failures->n && !note(c->ev, &c->row->invalidated_by, failures)) c->ev->failed = true;
}

static bool fill_base(struct crv_case *c, const struct crv_group *g, struct crv_base *b) {
  struct crv_arena *a = c->ev->a;
  if (!runs_room(c->ev, &b->runs, g->pieces.n)) return false;
  for (size_t i = 0; i < g->pieces.n; i++) take(c, g->pieces.at[i], &b->runs);
  size_t n = b->runs.pass.n + 1;
  b->demand = crv_new_array(a, n, struct crv_run_demand);
  b->against = crv_new_array(a, n, const struct crv_indexed *);
  b->twin = crv_new_array(a, n, size_t);
  b->over = crv_new_array(a, n, bool);
  if (!b->demand || !b->against || !b->twin || !b->over) return false;
  compare_passes(c, b);
  if (!note(c->ev, &b->failures, &b->runs.oom) || !note(c->ev, &b->failures, &b->runs.other))
    return false;
  return crv_support_make(c, b) && !c->ev->failed;
}

const struct crv_base *crv_base_of(struct crv_case *c, struct crv_group *g) {
  struct crv_base **at = &g->bases[c->candidate][c->row->placement];
  if (*at) return *at;
  struct crv_base *b = crv_new(c->ev->a, struct crv_base);
  if (!b || !fill_base(c, g, b)) {
    c->ev->failed = true;
    return NULL;
  }
  return *at = b;
}
