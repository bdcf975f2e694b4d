/* GET /v1/decisions: the list, one decision, one of its rows in full, and the ledger's head. */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/answer.h"
#include "api/handlers.h"
#include "api/listing.h"
#include "api/show.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"

static const char immutable[] = "private, max-age=31536000, immutable";

/* JUnit shows excluded rows, which are not stored: the matrix is computed again. */
static bool show_stored(struct crv_req *rq, struct crv_resp *rs, const struct crv_decision_row *row,
                        const struct crv_asked *asked, struct crv_err *err) {
  struct crv_show show = {.row = row, .sheet = asked->sheet};
  struct crv_evaluation *run = crv_new(rq->arena, struct crv_evaluation);
  if (!run) return crv_no_memory(err);
  if (rq->format == CRV_F_JUNIT) {
    if (!crv_evaluate_again(rq, row, asked, run, err)) return false;
    show.run = run;
  }
  return crv_show_decision(rq, rs, 200, &show, err);
}

bool crv_h_decision_get(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_decision_row row;
  struct crv_asked asked;
  int64_t n;
  return crv_req_number(rq, 0, &n, err) && crv_decision_read(rq, n, &row, &asked, err) &&
         show_stored(rq, rs, &row, &asked, err) && crv_answer_tag(rq, rs, row.digest, err) &&
         crv_answer_header(rs, "Cache-Control", immutable, err);
}

bool crv_h_decision_offer(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_decision_row row;
  struct crv_asked asked;
  struct crv_evaluation *run = crv_new(rq->arena, struct crv_evaluation);
  const char *offer;
  int64_t n;
  if (!run) return crv_no_memory(err);
  if (!crv_req_number(rq, 0, &n, err) || !crv_req_key(rq, 1, &offer, err) ||
      !crv_decision_read(rq, n, &row, &asked, err) ||
      !crv_evaluate_again(rq, &row, &asked, run, err))
    return false;
  struct crv_show show = {.row = &row, .sheet = asked.sheet, .run = run};
  const char *seed = crv_arena_printf(rq->arena, "%s %s", row.digest, offer);
  if (!seed) return crv_no_memory(err);
  return crv_show_row(rq, rs, &show, offer, err) && crv_answer_tag(rq, rs, seed, err) &&
         crv_answer_header(rs, "Cache-Control", immutable, err);
}

/* -- the list ------------------------------------------------------------------------------ */

static const struct crv_column columns[] = {
    {"DECISION", "decision", CRV_COL_NUMBER},
    {"SHEET", "sheet.name", CRV_COL_TEXT},
    {"REV", "sheet.revision", CRV_COL_NUMBER},
    {"OUTCOME", "outcome", CRV_COL_TEXT},
    {"RETAINED", "counts.retained", CRV_COL_NUMBER},
    {"CONFIRM", "counts.to_confirm", CRV_COL_NUMBER},
    {"EXCLUDED", "counts.excluded", CRV_COL_NUMBER},
    {"DECIDED", "decided_at", CRV_COL_TEXT},
    {"AS OF", "as_of", CRV_COL_CSV},
    {"HOLDS UNTIL", "holds_until", CRV_COL_CSV},
    {"HEADLINE", "headline", CRV_COL_CSV},
    {"DIGEST", "digest", CRV_COL_CSV},
};

struct decisions {
  struct crv_listing *l;
  const char *sheet, *outcome;
  int64_t last;
  size_t seen;
};

static json_t *item(const struct crv_decision_row *d) {
  _json_ json_t *j = json_object();
  json_t *sheet = json_object(), *counts = json_object();
  bool ok = crv_json_set_text(sheet, "name", d->sheet_name);
  if (d->sheet_name) ok = crv_json_set_int(sheet, "revision", d->sheet_revision) && ok;
  ok = crv_json_set_text(sheet, "digest", d->sheet_digest) && ok;
  ok = crv_json_set_int(counts, "retained", d->n_retained) &&
       crv_json_set_int(counts, "to_confirm", d->n_to_confirm) &&
       crv_json_set_int(counts, "excluded", d->n_excluded) && ok;
  ok = crv_json_set_int(j, "decision", d->number) &&
       crv_json_set_text(j, "headline", d->headline) &&
       crv_json_set_text(j, "outcome", d->outcome) && ok;
  ok = crv_json_set_steal(j, "sheet", sheet) && ok;
  ok = crv_json_set_steal(j, "counts", counts) && ok;
  ok = ok && crv_json_set_time(j, "as_of", d->as_of) &&
       crv_json_set_time(j, "decided_at", d->decided_at) &&
       (!d->holds_until.set || crv_json_set_time(j, "holds_until", d->holds_until.v)) &&
       crv_json_set_text(j, "decided_by", d->who) && crv_json_set_text(j, "digest", d->digest);
  return ok ? crv_steal(&j) : NULL;
}

static bool list_row(const struct crv_decision_row *d, void *ctx, struct crv_err *err) {
  struct decisions *s = ctx;
  char number[24];
  s->seen++;
  s->last = d->number;
  if (s->l->full) return true;
  snprintf(number, sizeof number, "%" PRId64, d->number);
  return crv_listing_add(s->l, number, item(d), err);
}

static bool newest_row(const struct crv_decision_row *d, void *ctx, struct crv_err *err) {
  (void)err;
  *(int64_t *)ctx = d->number;
  return true;
}

static bool list_read(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct decisions *s = ctx;
  struct crv_listing *l = s->l;
  int64_t before = l->from.last[0] ? strtoll(l->from.last, NULL, 10) : 0, total;
  unsigned limit = l->paged ? l->limit + 1 : CRV_PAGE_MAX;
  if (l->from.position == 0 &&
      !crv_rd_decisions(tx, 0, 0, NULL, NULL, 1, &total, newest_row, &l->from.position, err))
    return false;
  if (l->from.position == 0) return true;
  do {
    s->seen = 0;
    if (!crv_rd_decisions(tx, l->from.position, before, s->sheet, s->outcome, limit, &l->total,
                          list_row, s, err))
      return false;
    before = s->last;
  } while (!l->paged && s->seen == limit);
  return true;
}

bool crv_h_decisions_list(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  _listing_ struct crv_listing l = {0};
  struct decisions s = {.l = &l, .sheet = crv_req_param(rq, "sheet")};
  if (!crv_listing_begin(&l, rq, columns, sizeof columns / sizeof *columns, 0, rq->now_ms, err) ||
      !crv_req_param_word(rq, "outcome", "retained needs_confirmation none", &s.outcome, err) ||
      !crv_store_read(crv_api_of(rq)->store, list_read, &s, err) || !crv_listing_end(&l, rs, err))
    return false;
  const char *seed = crv_arena_printf(rq->arena, "decisions %" PRId64, l.from.position);
  return seed ? crv_answer_tag(rq, rs, seed, err) : crv_no_memory(err);
}

/* -- the ledger's head ----------------------------------------------------------------------- */

static bool read_head(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  return crv_rd_ledger_head(tx, ctx, err);
}

bool crv_h_decisions_head(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_ledger_head head;
  _json_ json_t *j = json_object();
  if (!crv_store_read(crv_api_of(rq)->store, read_head, &head, err)) return false;
  if (!j || !crv_json_set_int(j, "size", head.size) || !crv_json_set_text(j, "digest", head.digest))
    return crv_no_memory(err);
  return crv_resp_json_steal(rq, rs, 200, crv_steal(&j), err) &&
         crv_answer_tag(rq, rs, head.digest[0] ? head.digest : "empty", err);
}
