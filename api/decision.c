/* The answer of a decision. Its members' order is fixed by the interface: number, headline and
   outcome, then what the record knows, then the rest of the result, then the digests. The stored
   result begins with headline and outcome, so the answer is spliced from it without parsing. */
#include "api/decision.h"

#include <stdlib.h>
#include <string.h>

#include "api/answer.h"
#include "api/catalogue.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"

/* -- members ------------------------------------------------------------------------------- */

static bool set_number(json_t *j, int64_t number) {
  return number ? crv_json_set_int(j, "decision", number)
                : crv_json_set_steal(j, "decision", json_null());
}

static bool set_standing(json_t *j, const struct crv_standing_now *st) {
  if (!st || !st->told) return true;
  json_t *why = json_array();
  bool ok = crv_json_set_text(j, "decision_status", st->stale ? "stale" : "current");
  for (const struct crv_enum_name *n = crv_stale_names; why && n->name; n++)
    if (st->stale & (unsigned)n->value)
      ok = json_array_append_new(why, json_string(n->name)) == 0 && ok;
  return crv_json_set_steal(j, "stale_because", why) && ok;
}

static bool set_head(json_t *j, const struct crv_decision_row *d,
                     const struct crv_standing_now *st) {
  return set_number(j, d->number) && set_standing(j, st);
}

static bool set_times(json_t *j, const struct crv_decision_row *d) {
  bool holds = d->holds_until.set ? crv_json_set_time(j, "holds_until", d->holds_until.v)
                                  : crv_json_set_steal(j, "holds_until", json_null());
  bool as_of = crv_json_set_time(j, "as_of", d->as_of);
  bool at = d->decided_at ? crv_json_set_time(j, "decided_at", d->decided_at)
                          : crv_json_set_steal(j, "decided_at", json_null());
  return holds && as_of && at && crv_json_set_text(j, "rules", d->rules);
}

/* What was asked beside the sheet: filter, limit, policy. */
static bool set_question(json_t *j, const struct crv_decision_row *d) {
  struct crv_err *ignored = calloc(1, sizeof *ignored);
  json_t *q =
      ignored ? crv_json_parse_stored(d->question_json, strlen(d->question_json), ignored) : NULL;
  free(ignored);
  if (q) json_object_del(q, "sheet");
  return crv_json_set_steal(j, "question", q);
}

static bool set_inputs(json_t *j, const struct crv_decision_row *d) {
  json_t *sheet = json_object(), *offers = json_object(), *pieces = json_object();
  bool ok = crv_json_set_text(sheet, "name", d->sheet_name);
  if (d->sheet_name && d->sheet_revision)
    ok = crv_json_set_int(sheet, "revision", d->sheet_revision) && ok;
  ok = crv_json_set_text(sheet, "digest", d->sheet_digest) && ok;
  ok = crv_json_set_int(offers, "position", d->catalogue_position) &&
       crv_json_set_int(offers, "offers", d->n_retained + d->n_to_confirm + d->n_excluded) && ok;
  ok = crv_json_set_int(pieces, "position", d->evidence_position) && ok;
  ok = crv_json_set_steal(j, "sheet", sheet) && ok;
  ok = crv_json_set_steal(j, "catalogue", offers) && ok;
  ok = crv_json_set_steal(j, "evidence", pieces) && ok;
  return ok && set_question(j, d);
}

static json_t *text_or_null(const char *s) {
  return s ? json_string(s) : json_null();
}

static bool set_digests(json_t *j, const struct crv_decision_row *d) {
  return crv_json_set_text(j, "question_digest", d->question_digest) &&
         crv_json_set_text(j, "result_digest", d->result_digest) &&
         crv_json_set_steal(j, "digest", text_or_null(d->digest)) &&
         crv_json_set_text(j, "matrix_digest", d->matrix_digest) &&
         crv_json_set_steal(j, "previous_digest", text_or_null(d->previous_digest));
}

json_t *crv_decision_json(const struct crv_decision_row *d, const struct crv_standing_now *st,
                          const json_t *result) {
  _json_ json_t *j = json_object();
  if (!j || !set_head(j, d, st) || !crv_json_set_text(j, "headline", d->headline) ||
      !crv_json_set_text(j, "outcome", d->outcome) || !set_times(j, d) || !set_inputs(j, d) ||
      !crv_json_merge(j, result) || !set_digests(j, d))
    return NULL;
  return crv_steal(&j);
}

/* -- spliced ------------------------------------------------------------------------------- */

/* The compact text of obj without its braces. */
static void put_members(struct crv_buf *out, json_t *obj) {
  _json_ json_t *owned = obj;
  _free_ char *text = owned ? crv_json_compact(owned) : NULL;
  if (!text) out->failed = true;
  if (text && strlen(text) > 2) crv_buf_add(out, text + 1, strlen(text) - 2);
}

static json_t *made(json_t *j, bool ok) {
  if (ok) return j;
  json_decref(j);
  return NULL;
}

bool crv_decision_text(const struct crv_decision_row *d, const struct crv_standing_now *st,
                       struct crv_buf *out, struct crv_err *err) {
  json_t *head = json_object(), *says = json_object(), *record = json_object(),
         *digests = json_object();
  _buf_ struct crv_buf prefix = {0};
  crv_buf_init(&prefix, 0);
  crv_buf_char(&prefix, '{');
  put_members(&prefix, made(says, crv_json_set_text(says, "headline", d->headline) &&
                                      crv_json_set_text(says, "outcome", d->outcome)));
  crv_buf_char(out, '{');
  put_members(out, made(head, set_head(head, d, st)));
  crv_buf_char(out, ',');
  if (!prefix.failed) crv_buf_add(out, prefix.data + 1, prefix.len - 1);
  crv_buf_char(out, ',');
  put_members(out, made(record, set_times(record, d) && set_inputs(record, d)));
  bool fits = !prefix.failed && d->result_len > prefix.len + 2 &&
              memcmp(d->result, prefix.data, prefix.len) == 0 && d->result[prefix.len] == ',';
  if (fits) crv_buf_add(out, d->result + prefix.len, d->result_len - prefix.len - 1);
  crv_buf_char(out, ',');
  put_members(out, made(digests, set_digests(digests, d)));
  crv_buf_char(out, '}');
  if (prefix.failed || out->failed) return crv_no_memory(err);
  return fits || crv_bug(err, "decision %lld: result does not begin with its headline",
                         (long long)d->number);
}

/* -- reading ------------------------------------------------------------------------------- */

struct reading {
  struct crv_req *rq;
  int64_t number;
  const char *sheet;
  struct crv_decision_row *row;
  struct crv_asked *asked;
  struct crv_version newest;
};

static bool read_number(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct reading *r = ctx;
  return crv_rd_decision(tx, r->number, r->rq->arena, r->row, err) &&
         crv_asked_stored(tx, r->row, r->rq->arena, r->asked, err);
}

bool crv_decision_read(struct crv_req *rq, int64_t number, struct crv_decision_row *ret,
                       struct crv_asked *ret_asked, struct crv_err *err) {
  struct reading r = {.rq = rq, .number = number, .row = ret, .asked = ret_asked};
  return crv_store_read(crv_api_of(rq)->store, read_number, &r, err);
}

static bool read_sheet(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct reading *r = ctx;
  struct crv_arena *a = r->rq->arena;
  if (crv_rd_decision_by_sheet(tx, r->sheet, 0, a, r->row, err))
    return crv_asked_stored(tx, r->row, a, r->asked, err);
  if (err->code != CRV_NOT_FOUND) return false;
  crv_err_init(err);
  if (!crv_rd_version(tx, CRV_AGG_SHEET, r->sheet, 0, 0, a, &r->newest, err)) return false;
  return crv_fail(
      err, CRV_NOT_FOUND,
      "No decision was made on sheet %s yet: POST /v1/decisions {\"sheet\":\"%s\"} makes "
      "one.",
      r->sheet, r->sheet);
}

bool crv_decision_newest(struct crv_req *rq, const char *sheet, struct crv_decision_row *ret,
                         struct crv_asked *ret_asked, struct crv_err *err) {
  struct reading r = {.rq = rq, .sheet = sheet, .row = ret, .asked = ret_asked};
  return crv_store_read(crv_api_of(rq)->store, read_sheet, &r, err);
}

/* -- standing ------------------------------------------------------------------------------ */

static bool read_newest(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct reading *r = ctx;
  return crv_rd_version(tx, CRV_AGG_SHEET, r->sheet, 0, 0, r->rq->arena, &r->newest, err);
}

static bool sheet_revised(struct crv_req *rq, const struct crv_decision_row *d, bool *ret,
                          struct crv_err *err) {
  struct reading r = {.rq = rq, .sheet = d->sheet_name};
  *ret = false;
  if (!d->sheet_name) return true;
  if (!crv_store_read(crv_api_of(rq)->store, read_newest, &r, err)) return false;
  *ret = r.newest.version != d->sheet_revision;
  return true;
}

bool crv_decision_stale(struct crv_req *rq, const struct crv_decision_row *d,
                        const struct crv_asked *asked, bool by_time, unsigned *ret,
                        struct crv_err *err) {
  struct crv_view view;
  struct crv_question q;
  struct crv_opt_int holds = by_time ? d->holds_until : (struct crv_opt_int){0};
  bool revised;
  *ret = 0;
  if (!crv_world_view(crv_api_of(rq)->world, rq->arena, &view, err) ||
      !sheet_revised(rq, d, &revised, err))
    return false;
  if (revised) *ret |= CRV_STALE_SHEET_REVISED;
  if (strcmp(d->rules, CRV_RULES_VERSION) != 0) *ret |= CRV_STALE_RULES_CHANGED;
  if (view.offers_seq <= d->catalogue_position && view.pieces_seq <= d->evidence_position &&
      !(holds.set && rq->now_ms >= holds.v))
    return true;
  struct crv_arena *a = crv_big_arena(rq, err);
  if (!a) return false;
  crv_asked_question(asked, &q);
  q.catalogue = view.offers;
  q.evidence = view.pieces;
  q.catalogue_position = d->catalogue_position;
  q.evidence_position = d->evidence_position;
  q.as_of = d->as_of;
  *ret |= crv_staleness(&q, view.offers, view.pieces, rq->now_ms, holds, a);
  return true;
}

const char *crv_stale_text(unsigned bits, struct crv_arena *a) {
  const char *text = "";
  for (const struct crv_enum_name *n = crv_stale_names; text && n->name; n++)
    if (bits & (unsigned)n->value)
      text = crv_arena_printf(a, "%s%s%s", text, text[0] ? ", " : "", n->name);
  return text;
}
