/* Opaque cursors of lists: where a page ended and at which position the list is pinned, with a
   keyed checksum over that and over the list's address and filters. Must not know: what is listed.
 */
#ifndef CRV_API_CURSOR_H
#define CRV_API_CURSOR_H

#include "api/context.h"

struct crv_cursor {
  int64_t position; /* the list shows what was recorded up to here */
  int64_t at;       /* instant of the first page, ms */
  const char *last; /* what the page before ended with, "" on the first page */
};

/* The request's ?cursor=; without one `first` is taken over. BAD_CURSOR. */
bool crv_cursor_read(const struct crv_req *rq, const struct crv_cursor *first,
                     struct crv_cursor *ret, struct crv_err *err);
/* The text of a cursor, in the arena; NULL when out of memory. */
const char *crv_cursor_text(const struct crv_req *rq, const struct crv_cursor *c);
/* The request's address with its parameters but for `limit`, `format`, `pretty` and `cursor`:
   what two pages of one list have in common. */
const char *crv_cursor_scope(const struct crv_req *rq);

#endif
