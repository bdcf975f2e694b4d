/* Keeps the newest snapshots of offers and pieces and extends them by what the ledger has gained.
   A reader takes references under the lock and evaluates without it. Must not know: what the
   records are read for. */
#include "api/world.h"

#include <pthread.h>
#include <stdlib.h>

struct crv_world {
  struct crv_store *store;
  pthread_mutex_t lock;
  struct crv_view now;
};

/* Records read by one refresh, not yet part of a snapshot. */
struct gained {
  void **at;
  size_t n, room;
};
struct refresh {
  struct crv_world *w;
  int64_t upto, offers_seq, pieces_seq;
  struct gained offers, pieces;
};

static bool gained_add(struct gained *g, void *rec, struct crv_err *err) {
  if (g->n == g->room) {
    size_t room = g->room ? 2 * g->room : 64;
    void **at = reallocarray(g->at, room, sizeof *at);
    if (!at) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
    g->at = at;
    g->room = room;
  }
  g->at[g->n++] = rec;
  return true;
}

static bool offer_row(const struct crv_version *v, void *ctx, struct crv_err *err) {
  struct refresh *r = ctx;
  struct crv_offer_rec *rec =
      crv_offer_rec_new(v->key, v->version, v->seq, v->recorded_at, v->canonical, v->canonical_len,
                        v->source_key, v->source_version, v->digest, err);
  if (!rec) return false;
  r->offers_seq = v->seq;
  if (gained_add(&r->offers, rec, err)) return true;
  crv_offer_rec_unref(rec);
  return false;
}

static bool piece_row(const struct crv_version *v, void *ctx, struct crv_err *err) {
  struct refresh *r = ctx;
  struct crv_piece_rec *rec =
      crv_piece_rec_new(v->key, v->version, v->seq, v->recorded_at, v->recorded_by, v->canonical,
                        v->canonical_len, v->digest, err);
  if (!rec) return false;
  r->pieces_seq = v->seq;
  if (gained_add(&r->pieces, rec, err)) return true;
  crv_piece_rec_unref(rec);
  return false;
}

static bool read_new(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct refresh *r = ctx;
  struct crv_ledger_head head;
  int64_t after = r->w->now.position;
  if (!crv_rd_ledger_head(tx, &head, err)) return false;
  r->upto = head.size;
  return crv_rd_versions_after(tx, CRV_AGG_OFFER, after, r->upto, offer_row, r, err) &&
         crv_rd_versions_after(tx, CRV_AGG_PIECE, after, r->upto, piece_row, r, err);
}

/* Extends both snapshots; takes what was gained in every case. */
static bool extend(struct refresh *r, struct crv_err *err) {
  struct crv_view *now = &r->w->now;
  struct crv_catalogue *offers = crv_catalogue_extend(
      now->offers, (struct crv_offer_rec **)r->offers.at, r->offers.n, r->upto);
  r->offers.n = 0;
  struct crv_evidence *pieces =
      crv_evidence_extend(now->pieces, (struct crv_piece_rec **)r->pieces.at, r->pieces.n, r->upto);
  r->pieces.n = 0;
  if (!offers || !pieces) {
    crv_catalogue_unref(offers);
    if (pieces) crv_evidence_unref(pieces);
    return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  }
  crv_catalogue_unref(now->offers);
  if (now->pieces) crv_evidence_unref(now->pieces);
  *now = (struct crv_view){offers, pieces, r->upto, r->offers_seq, r->pieces_seq};
  return true;
}

static bool refresh(struct crv_world *w, struct crv_err *err) {
  struct refresh r = {.w = w, .offers_seq = w->now.offers_seq, .pieces_seq = w->now.pieces_seq};
  bool ok = crv_store_read(w->store, read_new, &r, err);
  if (ok && w->now.offers && r.offers.n == 0 && r.pieces.n == 0) {
    w->now.position = r.upto;
  } else if (ok) {
    ok = extend(&r, err);
  }
  for (size_t i = 0; i < r.offers.n; i++) crv_offer_rec_unref(r.offers.at[i]);
  for (size_t i = 0; i < r.pieces.n; i++) crv_piece_rec_unref(r.pieces.at[i]);
  free(r.offers.at);
  free(r.pieces.at);
  return ok;
}

struct crv_world *crv_world_new(struct crv_store *store) {
  struct crv_world *w = calloc(1, sizeof *w);
  if (!w) return NULL;
  w->store = store;
  pthread_mutex_init(&w->lock, NULL);
  return w;
}

void crv_world_free(struct crv_world *w) {
  if (!w) return;
  crv_catalogue_unref(w->now.offers);
  if (w->now.pieces) crv_evidence_unref(w->now.pieces);
  pthread_mutex_destroy(&w->lock);
  free(w);
}

static void unref_offers(void *p) {
  crv_catalogue_unref(p);
}
static void unref_pieces(void *p) {
  crv_evidence_unref(p);
}

bool crv_world_view(struct crv_world *w, struct crv_arena *arena, struct crv_view *ret,
                    struct crv_err *err) {
  pthread_mutex_lock(&w->lock);
  bool ok = w->now.offers && w->now.position >= crv_store_position(w->store);
  if (!ok) ok = refresh(w, err);
  if (ok) {
    *ret = w->now;
    crv_catalogue_ref(ret->offers);
    crv_evidence_ref(ret->pieces);
  }
  pthread_mutex_unlock(&w->lock);
  if (!ok) return false;
  bool offers = crv_arena_defer(arena, unref_offers, ret->offers) == 0;
  bool pieces = crv_arena_defer(arena, unref_pieces, ret->pieces) == 0;
  if (offers && pieces) return true;
  if (!offers) crv_catalogue_unref(ret->offers);
  if (!pieces) crv_evidence_unref(ret->pieces);
  return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}
