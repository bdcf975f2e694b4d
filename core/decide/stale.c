/* Is a stored answer still the answer? Only what came later and touches the question makes it
   stale, or a boundary that has passed. Whether the sheet or the rules changed the caller sees by
   itself. Must not know: where records are kept. */
#include "core/decide/result.h"

const struct crv_enum_name crv_stale_names[] = {
    {CRV_STALE_SHEET_REVISED, "sheet_revised"},
    {CRV_STALE_OFFER_VERSIONED, "offer_versioned"},
    {CRV_STALE_EVIDENCE_ADDED, "evidence_added"},
    {CRV_STALE_EVIDENCE_EXPIRED, "evidence_expired"},
    {CRV_STALE_TIME_PASSED, "time_passed"},
    {CRV_STALE_RULES_CHANGED, "rules_changed"},
    {0, NULL},
};

/* A version that passes the filter now, or one of an offer that did. */
static bool offer_came(const struct crv_question *q, const struct crv_catalogue *newer,
                       const struct crv_reach *r) {
  for (size_t i = 0; i < newer->n; i++) {
    const struct crv_offer_rec *rec = newer->recs[i];
    if (rec->seq <= q->catalogue_position) continue;
    if (rec->offer && crv_filter_passes(&q->filter, rec)) return true;
    if (crv_reach_offer(r, rec->key)) return true;
  }
  return false;
}

static bool piece_came(const struct crv_question *q, const struct crv_evidence *newer,
                       const struct crv_reach *r) {
  for (size_t i = 0; i < newer->n; i++)
    if (newer->recs[i]->seq > q->evidence_position && crv_reach_piece(r, newer->recs[i]))
      return true;
  return false;
}

static bool piece_expired(const struct crv_question *q, const struct crv_evidence *e, int64_t now,
                          const struct crv_reach *r) {
  for (size_t i = 0; i < e->n; i++) {
    const struct crv_piece_rec *rec = e->recs[i];
    struct crv_opt_int at = crv_piece_expiry(rec->piece, &q->policy);
    if (rec->seq <= q->evidence_position && at.set && at.v > q->as_of && at.v <= now &&
        !rec->piece->retracted && crv_reach_piece(r, rec))
      return true;
  }
  return false;
}

unsigned crv_staleness(const struct crv_question *q, const struct crv_catalogue *newer_offers,
                       const struct crv_evidence *newer_pieces, int64_t now,
                       struct crv_opt_int holds_until, struct crv_arena *a) {
  bool passed = holds_until.set && now >= holds_until.v;
  unsigned bits = 0;
  if (newer_offers->position <= q->catalogue_position &&
      newer_pieces->position <= q->evidence_position && !passed)
    return 0;
  const struct crv_reach *r = crv_reach_new(q, newer_offers, newer_pieces, a);
  if (!r) /* not to be told apart now: an answer too often called stale is only computed again */
    return CRV_STALE_OFFER_VERSIONED | CRV_STALE_EVIDENCE_ADDED;
  if (offer_came(q, newer_offers, r)) bits |= CRV_STALE_OFFER_VERSIONED;
  if (piece_came(q, newer_pieces, r)) bits |= CRV_STALE_EVIDENCE_ADDED;
  if (passed)
    bits |=
        piece_expired(q, newer_pieces, now, r) ? CRV_STALE_EVIDENCE_EXPIRED : CRV_STALE_TIME_PASSED;
  return bits;
}
