/* Offers and pieces as lists and answers read them from the snapshots in memory. */
#ifndef CRV_API_CATALOGUE_H
#define CRV_API_CATALOGUE_H

#include "api/world.h"
#include "server/req.h"

/* The newest version of every key recorded up to `position`, keys ascending, in arena a; tombstones
   too when withdrawn. */
bool crv_newest_offers(const struct crv_catalogue *c, int64_t position, bool withdrawn,
                       struct crv_arena *a, const struct crv_offer_rec ***ret, size_t *ret_n,
                       struct crv_err *err);
bool crv_newest_pieces(const struct crv_evidence *e, int64_t position, struct crv_arena *a,
                       const struct crv_piece_rec ***ret, size_t *ret_n, struct crv_err *err);
/* The version of an offer in force at a time. NOT_FOUND. */
bool crv_offer_in_force(struct crv_req *rq, const char *key, int64_t at, int64_t *ret_version,
                        struct crv_err *err);
/* An arena without a cap that ends with the request, for work as large as the catalogue. */
struct crv_arena *crv_big_arena(struct crv_req *rq, struct crv_err *err);

#endif
