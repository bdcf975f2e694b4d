/* The instants at which something that a question counts begins or ends: records, validities,
   periods. Between two of them the answer is the same, so that the last one names the answer's
   instant. Must not know: verdicts. */
#include <string.h>

#include "core/decide/result.h"

struct span {
  int64_t now;
  struct crv_opt_int last, next;
};

static void mark(struct span *s, struct crv_opt_int t) {
  if (!t.set) return;
  struct crv_opt_int *at = t.v <= s->now ? &s->last : &s->next;
  bool nearer = t.v <= s->now ? t.v > at->v : t.v < at->v;
  if (!at->set || nearer) *at = t;
}

/* What is counted is counted by its position: its record began, and does not begin again. */
static void mark_record(struct span *s, int64_t t) {
  if (t <= s->now) mark(s, (struct crv_opt_int){t, true});
}

static void mark_offers(const struct crv_question *q, const struct crv_reach *r, struct span *s) {
  for (size_t i = 0; i < q->catalogue->n; i++) {
    const struct crv_offer_rec *rec = q->catalogue->recs[i];
    if (rec->seq > q->catalogue_position || !crv_reach_offer(r, rec->key)) continue;
    mark_record(s, rec->recorded_at);
    if (!rec->offer) continue;
    mark(s, rec->offer->effective_from);
    mark(s, rec->offer->effective_until);
  }
}

/* Of a piece only the newest version counts, and an older one that an offer cites, or that stands
   until the newer one is observed. */
static bool counts(const struct crv_evidence *e, size_t i, int64_t position, int64_t now,
                   const struct crv_reach *r) {
  const struct crv_piece_rec *rec = e->recs[i];
  if (rec->seq > position || !crv_reach_piece(r, rec)) return false;
  for (size_t k = i + 1; k < e->n && !strcmp(e->recs[k]->key, rec->key); k++) {
    const struct crv_opt_int observed = e->recs[k]->piece->observed_at;
    bool yet = !observed.set || observed.v <= now;
    if (e->recs[k]->seq <= position && yet) return crv_reach_cites(r, rec);
  }
  return true;
}

static void mark_pieces(const struct crv_question *q, const struct crv_reach *r, struct span *s) {
  for (size_t i = 0; i < q->evidence->n; i++) {
    const struct crv_piece_rec *rec = q->evidence->recs[i];
    if (!counts(q->evidence, i, q->evidence_position, s->now, r)) continue;
    mark_record(s, rec->recorded_at);
    mark(s, rec->piece->observed_at);
    if (!rec->piece->retracted) mark(s, crv_piece_expiry(rec->piece, &q->policy));
  }
}

bool crv_boundaries(const struct crv_question *q, int64_t now, struct crv_arena *a,
                    int64_t *ret_last, struct crv_opt_int *ret_next, struct crv_err *err) {
  struct span s = {.now = now};
  const struct crv_reach *r = crv_reach_new(q, q->catalogue, q->evidence, a);
  if (!r) return crv_fail(err, CRV_OUT_OF_MEMORY, "Out of memory.");
  mark_offers(q, r, &s);
  mark_pieces(q, r, &s);
  *ret_last = s.last.set ? s.last.v : now;
  *ret_next = s.next;
  return true;
}
