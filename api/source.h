/* What an offer rests on: a stored piece that it cites, or an inline source that is recorded as a
   commercial_sheet with the offer. */
#ifndef CRV_API_SOURCE_H
#define CRV_API_SOURCE_H

#include "core/catalogue/offer.h"
#include "db/store.h"

struct crv_offer_source {
  const char *key;       /* of the piece; NULL: the offer states no source */
  int64_t version;       /* cited; 0: the inline source */
  const char *canonical; /* of the inline source's piece */
};

/* Reads the offer's source and makes the inline piece's canonical JSON. */
bool crv_source_prepare(const struct crv_offer *offer, const char *offer_key, struct crv_arena *a,
                        struct crv_offer_source *ret, struct crv_err *err);
/* Inside the offer's write: MISSING_REFERENCE when the cited piece is not stored; records the
   inline one unless it is unchanged; sets put's source. */
bool crv_source_settle(struct crv_wtx *tx, const struct crv_offer_source *s, const char *who,
                       struct crv_arena *a, struct crv_put *put, struct crv_err *err);
/* False with MISSING_REFERENCE at ptr unless the piece's version is stored (0: any). */
bool crv_source_exists(struct crv_rtx *tx, const char *key, int64_t version, const char *ptr,
                       struct crv_arena *a, struct crv_version *ret, struct crv_err *err);

#endif
