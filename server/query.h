/* The query string as parameters: strict decoding, no duplicates, only known names, no tokens. */
#ifndef CRV_SERVER_QUERY_H
#define CRV_SERVER_QUERY_H

#include "core/base/arena.h"
#include "core/base/err.h"
#include "server/req.h"

struct crv_query {
  const struct crv_param *params; /* in the arena, in the order sent */
  size_t n;
};

/* Splits and decodes a raw query. False with BAD_PARAMETER (cannot be decoded, sent twice, more
   than 64), TOKEN_IN_QUERY (a token, or a name that people use for tokens, where the route has no
   such parameter) or OUT_OF_MEMORY. Unknown names are not looked at: see crv_query_known. */
bool crv_query_parse(const struct crv_route *route, const char *raw, struct crv_arena *arena,
                     struct crv_query *ret, struct crv_err *err);
/* False with UNKNOWN_PARAMETER naming the known ones when a name is not the route's. */
bool crv_query_known(const struct crv_route *route, const struct crv_query *query,
                     struct crv_err *err);

#endif
