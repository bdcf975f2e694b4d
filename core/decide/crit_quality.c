/* quality: one finding a metric. An evaluation in scope decides, on whatever device it was made.
   Must not know: devices, memory, prices. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

/* What the evaluations of this load say on one metric, for every offer. */
struct crv_evaluated {
  struct crv_hits yes, no;
  const struct crv_indexed *best, *opposed;  /* of yes, one that none opposes if there is any */
  const struct crv_indexed *share, *expired; /* the first that covers too little, that expired */
  bool out_of_scope;
  struct crv_set_aside *aside; /* by key */
  size_t n_aside;
};

static const char *own(const char *result, const char *scope) {
  return result ? result : scope;
}

/* The evaluation is about this metric on this data; else the dimension on which it isn't. */
static const char *about(const struct crv_piece *p, const struct crv_quality *q) {
  const char *metric = own(p->result->metric, p->scope ? p->scope->metric : NULL);
  const char *data = own(p->result->dataset, p->scope ? p->scope->dataset : NULL);
  const char *rev = own(p->result->dataset_revision, p->scope ? p->scope->dataset_revision : NULL);
  if (!crv_streq(metric, q->metric)) return "metric";
  if (q->dataset && !crv_streq(data, q->dataset)) return "dataset";
  if (q->dataset_revision && !crv_streq(rev, q->dataset_revision)) return "dataset_revision";
  return NULL;
}

static bool meets(const struct crv_quality *q, int64_t value) {
  if (q->at_least.set && value < q->at_least.v) return false;
  return !q->at_most.set || value <= q->at_most.v;
}

/* Full share unless the sheet says less; an evaluation that states none counts as full only where
   the sheet names none. */
static bool share_enough(const struct crv_quality *q, struct crv_opt_int share) {
  if (!share.set) return !q->share.set;
  return share.v >= (q->share.set ? q->share.v : CRV_MICRO);
}

static void aside(struct crv_evaluated *e, const struct crv_indexed *ix, enum crv_aside why,
                  const char *dimension) {
  e->aside[e->n_aside++] = (struct crv_set_aside){ix->rec, why, dimension};
  e->out_of_scope |= why == CRV_ASIDE_OUT_OF_SCOPE;
}

static const char *mismatch(const struct crv_case *c, const struct crv_quality *q,
                            const struct crv_piece *p) {
  bool omitted = false;
  const char *why = crv_scope_mismatch(CRV_DIMS_QUALITY, p, &c->demand, &omitted);
  return why ? why : about(p, q);
}

static void weigh(const struct crv_case *c, const struct crv_quality *q,
                  const struct crv_indexed *ix, struct crv_evaluated *e) {
  const struct crv_piece *p = ix->rec->piece;
  if (p->kind != CRV_KIND_QUALITY_EVALUATION) return;
  const char *why = mismatch(c, q, p);
  if (ix->standing != CRV_STANDS) {
    if (ix->standing == CRV_STANDS_EXPIRED && !why && !e->expired) e->expired = ix;
    aside(e, ix, crv_aside_of(ix->standing), NULL);
  } else if (why) {
    aside(e, ix, CRV_ASIDE_OUT_OF_SCOPE, why);
  } else if (!meets(q, p->result->value.v)) {
    crv_hit(&e->no, ix);
  } else if (share_enough(q, p->result->share)) {
    crv_hit(&e->yes, ix);
  } else if (!e->share) {
    e->share = ix;
  } else {
    aside(e, ix, CRV_ASIDE_NOT_PROOF, crv_reason_info(CRV_REASON_SHARE_SHORT)->code);
  }
}

static struct crv_evaluated *make(struct crv_case *c, const struct crv_quality *q) {
  const struct crv_hits *pieces = &c->group->pieces;
  struct crv_evaluated *e = crv_new(c->ev->a, struct crv_evaluated);
  if (!e || !crv_hits_room(c->ev, &e->yes, pieces->n) || !crv_hits_room(c->ev, &e->no, pieces->n))
    return NULL;
  e->aside = crv_new_array(c->ev->a, pieces->n + 1, struct crv_set_aside);
  if (!e->aside) return NULL;
  for (size_t i = 0; i < pieces->n; i++) weigh(c, q, pieces->at[i], e);
  e->best = crv_unopposed(c, &e->yes, &e->no);
  if (!e->best && e->yes.n) {
    e->best = e->yes.at[0];
    e->opposed = crv_opposed(c, e->best, &e->no);
  }
  return e;
}

static void ask_evaluation(struct crv_case *c, struct crv_finding *f, const struct crv_quality *q) {
  const struct crv_sheet *s = c->ev->q->sheet;
  char value[40], share[40];
  const char *threshold =
      q->at_least.set ? crv_arena_printf(c->ev->a, "at least %s",
                                         crv_decimal_text(q->at_least.v, value, sizeof value))
                      : crv_arena_printf(c->ev->a, "at most %s",
                                         crv_decimal_text(q->at_most.v, value, sizeof value));
  struct crv_fact p[] = {
      crv_f_text("model", s->model && s->model->name ? s->model->name : "the workload"),
      crv_f_text("revision", s->model ? s->model->revision : NULL),
      crv_f_text("format", s->precision && s->precision->weights ? s->precision->weights
                                                                 : "the demanded format"),
      crv_f_text("dataset", q->dataset ? q->dataset : "its data"),
      crv_f_text("dataset_revision", q->dataset_revision),
      crv_f_text("metric", q->metric),
      crv_f_text("threshold", threshold),
      crv_f_text("share", q->share.set ? crv_decimal_text(q->share.v, share, sizeof share) : NULL),
  };
  crv_find_condition(f, crv_cond(c->ev, CRV_COND_EVALUATE, p, sizeof p / sizeof *p,
                                 crv_arena_printf(c->ev->a, "quality_evaluation %s %s %s",
                                                  q->metric, q->dataset ? q->dataset : "",
                                                  q->dataset_revision ? q->dataset_revision : "")));
}

static void show(struct crv_finding *f, const struct crv_indexed *ix) {
  crv_find_cite(f, ix->rec);
  crv_observed(f, crv_f_opt("value", CRV_FACT_DECIMAL, ix->rec->piece->result->value));
  if (ix->rec->piece->result->share.set)
    crv_observed(f, crv_f_dec("share", ix->rec->piece->result->share.v));
}

static void met(struct crv_case *c, struct crv_finding *f, const struct crv_indexed *yes,
                const struct crv_hits *no) {
  f->verdict = CRV_ADMISSIBLE;
  f->reason = CRV_REASON_SATISFIED;
  show(f, yes);
  f->n_pins = crv_scope_pins(yes->rec->piece, &c->demand, f->pins);
  crv_note_failures(c, no);
}

static void open_still(struct crv_case *c, struct crv_finding *f, const struct crv_quality *q,
                       const struct crv_evaluated *e) {
  const struct crv_indexed *near = e->share ? e->share : e->expired;
  f->reason = e->share          ? CRV_REASON_SHARE_SHORT
              : e->expired      ? CRV_REASON_EXPIRED
              : e->out_of_scope ? CRV_REASON_OUT_OF_SCOPE
                                : CRV_REASON_NO_EVIDENCE;
  f->expired = !e->share && e->expired;
  if (near) show(f, near);
  ask_evaluation(c, f, q);
}

static void settle(struct crv_case *c, struct crv_finding *f, const struct crv_quality *q,
                   const struct crv_evaluated *e) {
  if (e->best && e->opposed) {
    show(f, e->best);
    show(f, e->opposed);
    crv_find_conflict(c, f, e->best->rec, e->opposed->rec, q->metric);
  } else if (e->best) {
    met(c, f, e->best, &e->no);
  } else if (e->no.n) {
    f->verdict = CRV_EXCLUDED;
    f->reason = CRV_REASON_THRESHOLD_MISSED;
    show(f, e->no.at[0]);
    for (size_t i = 1; i < e->no.n; i++) crv_find_cite(f, e->no.at[i]->rec);
  } else {
    open_still(c, f, q, e);
  }
}

/* An evaluation that only the offer's names bring is one of another load. */
static void other_loads(const struct crv_case *c, const struct crv_quality *q,
                        struct crv_finding *f) {
  const struct crv_hits *extra = &c->about->extra;
  for (size_t i = 0; i < extra->n; i++) {
    const struct crv_indexed *ix = extra->at[i];
    if (ix->rec->piece->kind != CRV_KIND_QUALITY_EVALUATION) continue;
    bool stands = ix->standing == CRV_STANDS;
    const char *why = mismatch(c, q, ix->rec->piece);
    crv_find_aside(f, ix->rec, stands ? CRV_ASIDE_OUT_OF_SCOPE : crv_aside_of(ix->standing),
                   !stands ? NULL
                   : why   ? why
                           : "model.name");
  }
}

static void one_metric(struct crv_case *c, const struct crv_quality *q, size_t i) {
  struct crv_finding *f = crv_find(c, CRV_CRIT_QUALITY, CRV_TO_CONFIRM, CRV_REASON_NO_EVIDENCE);
  if (!c->group->quality[i]) c->group->quality[i] = make(c, q);
  const struct crv_evaluated *e = c->group->quality[i];
  if (!e) {
    c->ev->failed = true;
    return;
  }
  f->subject = q->metric;
  if (q->at_least.set) crv_demanded(f, crv_f_dec("at_least", q->at_least.v));
  if (q->at_most.set) crv_demanded(f, crv_f_dec("at_most", q->at_most.v));
  if (q->share.set) crv_demanded(f, crv_f_dec("share", q->share.v));
  settle(c, f, q, e);
  other_loads(c, q, f);
  crv_find_asides(f, e->aside, e->n_aside);
}

void crv_crit_quality(struct crv_case *c) {
  const struct crv_sheet *s = c->ev->q->sheet;
  if (s->quality_waived) {
    struct crv_finding *f = crv_find(c, CRV_CRIT_QUALITY, CRV_ADMISSIBLE, CRV_REASON_WAIVED);
    crv_demanded(f, crv_f_text("waived", s->quality_waived));
    return;
  }
  for (size_t i = 0; i < s->quality.n; i++)
    one_metric(c, crv_list_at(s->quality, struct crv_quality, i), i);
}
