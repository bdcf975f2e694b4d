/* POST /v1/decisions: the question is answered by its newest decision unless that is stale, else by
   a new one, stored with its sheet and with the remembered answer in one transaction. */
#include <inttypes.h>
#include <string.h>

#include "api/answer.h"
#include "api/dispatch.h"
#include "api/gate.h"
#include "api/handlers.h"
#include "core/base/json.h"

struct deciding {
  struct crv_req *rq;
  struct crv_asked asked;
  struct crv_gate_asked gate;
  bool dry_run;
  bool found;                  /* an earlier decision still is the answer */
  struct crv_decision_row row; /* the answer's */
  struct crv_evaluation run;
  bool ran;
};

/* -- the newest decision of the question ---------------------------------------------------- */

static bool read_earlier(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct deciding *d = ctx;
  return crv_rd_decision_by_question(tx, d->asked.question_digest, d->rq->arena, &d->row, err);
}

/* Sets found when the question has a decision that is not stale. */
static bool look_for_earlier(struct deciding *d, struct crv_err *err) {
  unsigned stale;
  if (d->asked.put || d->dry_run) return true;
  if (!crv_store_read(crv_api_of(d->rq)->store, read_earlier, d, err)) {
    if (err->code != CRV_NOT_FOUND) return false;
    crv_err_init(err);
    return true;
  }
  if (!crv_decision_stale(d->rq, &d->row, &d->asked, !d->asked.as_of.set, &stale, err))
    return false;
  d->found = stale == 0;
  return true;
}

/* What the answer needs of the matrix beyond what is stored. */
static bool evaluate(struct deciding *d, struct crv_err *err) {
  if (d->found) {
    if (!crv_gate_needs_run(&d->gate) && d->rq->format != CRV_F_JUNIT) return true;
    d->ran = true;
    return crv_evaluate_again(d->rq, &d->row, &d->asked, &d->run, err);
  }
  if (!crv_evaluate(d->rq, &d->asked, &d->run, err)) return false;
  d->ran = true;
  if (!d->dry_run && !crv_decision_pack(&d->run.row, d->run.arena, err)) return false;
  d->row = d->run.row;
  return true;
}

/* -- the answer ----------------------------------------------------------------------------- */

static bool answer(struct crv_rtx *tx, struct deciding *d, struct crv_resp *rs, bool created,
                   struct crv_err *err) {
  struct crv_req *rq = d->rq;
  struct crv_show show = {.row = &d->row,
                          .sheet = d->asked.sheet,
                          .result = created ? d->run.result : NULL,
                          .run = d->ran ? &d->run : NULL};
  bool met;
  if (!crv_gate_check(tx, &d->gate, &d->row, show.run, rq->arena, &met, err)) return false;
  bool ok = met ? crv_show_decision(rq, rs, created && !d->dry_run ? 201 : 200, &show, err)
                : crv_gate_refuse(rq, rs, &d->gate, &show, err);
  if (!ok || !d->row.number) return ok;
  return crv_answer_header(
      rs, "Location", crv_arena_printf(rq->arena, "/v1/decisions/%" PRId64, d->row.number), err);
}

struct plain {
  struct deciding *d;
  struct crv_resp *rs;
};

static bool answer_read(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct plain *p = ctx;
  return answer(tx, p->d, p->rs, !p->d->found, err);
}

/* -- storing -------------------------------------------------------------------------------- */

static bool put_sheet(struct crv_wtx *tx, struct deciding *d, struct crv_err *err) {
  struct crv_put put = {.agg = CRV_AGG_SHEET,
                        .key = d->asked.name,
                        .canonical = d->asked.canonical,
                        .canonical_len = strlen(d->asked.canonical),
                        .raw = d->asked.raw,
                        .raw_len = d->asked.raw_len,
                        .who = d->rq->who.name,
                        .allow_unchanged = true};
  if (!d->asked.put) return true;
  if (!crv_tx_put(tx, &put, d->rq->arena, err)) return false;
  d->row.sheet_revision = put.now.version;
  return true;
}

/* The same answer, stored by another request while this one was working. */
static bool twin(struct crv_wtx *tx, struct deciding *d, bool *ret, struct crv_err *err) {
  struct crv_decision_row other;
  *ret = false;
  if (!crv_rd_decision_by_question(crv_wtx_read(tx), d->row.question_digest, d->run.arena, &other,
                                   err)) {
    if (err->code != CRV_NOT_FOUND) return false;
    crv_err_init(err);
    return true;
  }
  *ret = other.catalogue_position == d->row.catalogue_position &&
         other.evidence_position == d->row.evidence_position && other.as_of == d->row.as_of &&
         other.sheet_revision == d->row.sheet_revision && strcmp(other.rules, d->row.rules) == 0;
  if (*ret) d->row = other;
  return true;
}

static bool store(struct crv_wtx *tx, struct crv_effect *e, struct crv_err *err) {
  struct deciding *d = e->ctx;
  bool stored = d->found;
  if (!stored) {
    d->row = d->run.row; /* as before an earlier run of this effect */
    if (!put_sheet(tx, d, err) || !twin(tx, d, &stored, err)) return false;
  }
  if (!stored) {
    d->row.decided_at = crv_wtx_now(tx);
    d->row.who = d->rq->who.name;
    if (!crv_tx_decision_put(tx, &d->row, d->run.arena, err)) return false;
  }
  return answer(crv_wtx_read(tx), d, e->rs, !stored, err);
}

bool crv_h_decide(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct deciding *d = crv_new(rq->arena, struct deciding);
  if (!d) return crv_no_memory(err);
  d->rq = rq;
  if (!crv_gate_read(rq, &d->gate, err) ||
      !crv_req_param_bool(rq, "dry_run", false, &d->dry_run, err) ||
      !crv_asked_read(rq, &d->asked, err) || !look_for_earlier(d, err) || !evaluate(d, err))
    return false;
  bool writes = !d->dry_run && (!d->found || rq->idempotency_key);
  struct crv_effect effect = {.run = store, .rq = rq, .rs = rs, .ctx = d};
  if (writes) return crv_effect_write(&effect, err);
  struct plain plain = {d, rs};
  return crv_store_read(crv_api_of(rq)->store, answer_read, &plain, err);
}
