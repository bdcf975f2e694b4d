/* Scans over the snapshots, which hold the versions of a key one after the other. */
#include "api/catalogue.h"

#include <string.h>

#include "api/answer.h"

bool crv_newest_offers(const struct crv_catalogue *c, int64_t position, bool withdrawn,
                       struct crv_arena *a, const struct crv_offer_rec ***ret, size_t *ret_n,
                       struct crv_err *err) {
  const struct crv_offer_rec **at = crv_new_array(a, c->n, const struct crv_offer_rec *);
  size_t n = 0;
  if (!at) return crv_no_memory(err);
  for (size_t i = 0; i < c->n;) {
    const struct crv_offer_rec *newest = NULL;
    const char *key = c->recs[i]->key;
    for (; i < c->n && strcmp(c->recs[i]->key, key) == 0; i++)
      if (c->recs[i]->seq <= position) newest = c->recs[i];
    if (newest && (withdrawn || !newest->withdrawn)) at[n++] = newest;
  }
  *ret = at;
  *ret_n = n;
  return true;
}

bool crv_newest_pieces(const struct crv_evidence *e, int64_t position, struct crv_arena *a,
                       const struct crv_piece_rec ***ret, size_t *ret_n, struct crv_err *err) {
  const struct crv_piece_rec **at = crv_new_array(a, e->n, const struct crv_piece_rec *);
  size_t n = 0;
  if (!at) return crv_no_memory(err);
  for (size_t i = 0; i < e->n;) {
    const struct crv_piece_rec *newest = NULL;
    const char *key = e->recs[i]->key;
    for (; i < e->n && strcmp(e->recs[i]->key, key) == 0; i++)
      if (e->recs[i]->seq <= position) newest = e->recs[i];
    if (newest) at[n++] = newest;
  }
  *ret = at;
  *ret_n = n;
  return true;
}

static void free_arena(void *p) {
  crv_arena_free(p);
}

struct crv_arena *crv_big_arena(struct crv_req *rq, struct crv_err *err) {
  struct crv_arena *a = crv_arena_new(0);
  if (a && crv_arena_defer(rq->arena, free_arena, a) == 0) return a;
  crv_arena_free(a);
  crv_no_memory(err);
  return NULL;
}
