/* Runs the engine for one request. */
#include "api/evaluate.h"

#include <string.h>

#include "api/answer.h"
#include "api/catalogue.h"
#include "core/base/cleanup.h"
#include "core/base/hash.h"
#include "core/base/json.h"

static void unref_json(void *p) {
  json_decref(p);
}

static bool digests(struct crv_evaluation *e, struct crv_err *err) {
  char *result = crv_arena_alloc(e->arena, CRV_SHA256_HEX);
  char *matrix = crv_arena_alloc(e->arena, CRV_SHA256_HEX);
  _free_ char *canonical = crv_json_canonical(e->result);
  if (!result || !matrix || !canonical || !crv_matrix_digest(&e->s, matrix))
    return crv_no_memory(err);
  e->row.result_digest = crv_sha256_hex(canonical, strlen(canonical), result);
  e->row.matrix_digest = matrix;
  return true;
}

static bool result_set(struct crv_req *rq, struct crv_evaluation *e, struct crv_err *err) {
  json_t *j = crv_shortlist_json(&e->s);
  if (!j || crv_arena_defer(rq->arena, unref_json, j) != 0) {
    json_decref(j);
    return crv_no_memory(err);
  }
  e->result = j;
  _free_ char *text = crv_json_compact(j);
  e->row.result = text ? crv_arena_strdup(e->arena, text) : NULL;
  if (!e->row.result) return crv_no_memory(err);
  e->row.result_len = strlen(e->row.result);
  return digests(e, err);
}

static void row_set(const struct crv_asked *asked, struct crv_evaluation *e) {
  const struct crv_shortlist *s = &e->s;
  struct crv_decision_row *d = &e->row;
  d->sheet_name = asked->name;
  d->sheet_revision = asked->revision;
  d->sheet_digest = asked->digest;
  d->sheet_json = asked->name ? NULL : asked->canonical;
  d->question_digest = asked->question_digest;
  d->question_json = asked->question;
  d->as_of_given = asked->as_of.set;
  d->as_of = e->q.as_of;
  d->catalogue_position = e->q.catalogue_position;
  d->evidence_position = e->q.evidence_position;
  d->rules = CRV_RULES_VERSION;
  d->outcome = crv_outcome_name(s->outcome);
  d->headline = s->headline;
  d->n_retained = (int64_t)s->n_retained;
  d->n_to_confirm = (int64_t)s->n_preselection;
  d->n_excluded = (int64_t)s->n_excluded;
}

static bool begin(struct crv_req *rq, const struct crv_asked *asked, struct crv_evaluation *e,
                  struct crv_err *err) {
  *e = (struct crv_evaluation){.arena = crv_big_arena(rq, err)};
  if (!e->arena || !crv_world_view(crv_api_of(rq)->world, rq->arena, &e->view, err)) return false;
  crv_asked_question(asked, &e->q);
  e->q.catalogue = e->view.offers;
  e->q.evidence = e->view.pieces;
  return true;
}

bool crv_evaluate(struct crv_req *rq, const struct crv_asked *asked, struct crv_evaluation *ret,
                  struct crv_err *err) {
  struct crv_opt_int next = {0};
  int64_t start = crv_now_us();
  if (!begin(rq, asked, ret, err)) return false;
  ret->q.catalogue_position = ret->view.offers_seq;
  ret->q.evidence_position = ret->view.pieces_seq;
  ret->q.as_of = asked->as_of.v;
  bool ok = asked->as_of.set ||
            crv_boundaries(&ret->q, rq->now_ms, ret->arena, &ret->q.as_of, &next, err);
  ok = ok && crv_decide(&ret->q, ret->arena, &ret->s, err) && result_set(rq, ret, err);
  if (ok) row_set(asked, ret);
  ret->row.holds_until = asked->as_of.set ? ret->s.holds_until : next;
  rq->us_evaluate += crv_now_us() - start;
  return ok;
}

bool crv_evaluate_again(struct crv_req *rq, const struct crv_decision_row *d,
                        const struct crv_asked *asked, struct crv_evaluation *ret,
                        struct crv_err *err) {
  char matrix[CRV_SHA256_HEX];
  int64_t start = crv_now_us();
  if (strcmp(d->rules, CRV_RULES_VERSION) != 0)
    return crv_fail(err, CRV_CONFLICT,
                    "Decision %lld was made under rules %s; this service has rules %s.",
                    (long long)d->number, d->rules, CRV_RULES_VERSION);
  if (!begin(rq, asked, ret, err)) return false;
  ret->q.catalogue_position = d->catalogue_position;
  ret->q.evidence_position = d->evidence_position;
  ret->q.as_of = d->as_of;
  if (!crv_decide(&ret->q, ret->arena, &ret->s, err)) return false;
  if (!crv_matrix_digest(&ret->s, matrix)) return crv_no_memory(err);
  rq->us_evaluate += crv_now_us() - start;
  if (strcmp(matrix, d->matrix_digest) == 0) return true;
  return crv_fail(err, CRV_CONFLICT,
                  "The matrix of decision %lld comes out otherwise from its records: its digest is "
                  "%s and not %s.",
                  (long long)d->number, matrix, d->matrix_digest);
}

static const struct crv_row *find(struct crv_row *const *rows, size_t n, const char *offer) {
  for (size_t i = 0; i < n; i++)
    if (strcmp(rows[i]->rec->key, offer) == 0) return rows[i];
  return NULL;
}

const struct crv_row *crv_evaluation_row(const struct crv_evaluation *e, const char *offer) {
  const struct crv_row *r = find(e->s.retained, e->s.n_retained, offer);
  if (!r) r = find(e->s.preselection, e->s.n_preselection, offer);
  return r ? r : find(e->s.excluded, e->s.n_excluded, offer);
}
