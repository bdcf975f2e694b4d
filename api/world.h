/* The current snapshots of offers and pieces in memory, followed by ledger position.
   Must not know: requests, decisions. */
#ifndef CRV_API_WORLD_H
#define CRV_API_WORLD_H

#include "core/catalogue/catalogue.h"
#include "core/evidence/evidence.h"
#include "db/store.h"

struct crv_world;

/* What one request reads: both snapshots hold every record up to `position`. */
struct crv_view {
  struct crv_catalogue *offers;
  struct crv_evidence *pieces;
  int64_t position;   /* of the ledger */
  int64_t offers_seq; /* position of the newest offer version, 0: none */
  int64_t pieces_seq; /* position of the newest piece version, 0: none */
};

/* NULL when out of memory. */
struct crv_world *crv_world_new(struct crv_store *store);
void crv_world_free(struct crv_world *w); /* NULL allowed */
/* A view at least as new as every write that was acknowledged before the call. Its references end
   with arena. Any thread. */
bool crv_world_view(struct crv_world *w, struct crv_arena *arena, struct crv_view *ret,
                    struct crv_err *err);

#endif
