/* One list as an answer: pages with pinned cursors in JSON, everything at once in NDJSON, CSV and
   text. The handler adds items in order; the listing knows which of them the page takes.
   Must not know: any resource. */
#ifndef CRV_API_LISTING_H
#define CRV_API_LISTING_H

#include <jansson.h>

#include "api/cursor.h"
#include "api/table.h"
#include "server/reply.h"

enum { CRV_PAGE_DEFAULT = 100, CRV_PAGE_MAX = 1000 };

struct crv_listing {
  struct crv_req *rq;
  const struct crv_column *columns;
  size_t n_columns;
  bool paged; /* JSON; other formats give everything */
  bool raw;   /* CSV without the guard against formulas */
  unsigned limit;
  struct crv_cursor from; /* where this page starts */
  int64_t total;          /* set by the handler */
  size_t n;               /* items taken */
  bool full;              /* the page is full and an item is left: adding may stop */
  const char *last;       /* key of the last item taken, in the arena */
  json_t *items;
  struct crv_buf out;
  struct crv_table table;
};

/* Reads limit, cursor and raw. first: position and instant to pin when no cursor was sent. */
bool crv_listing_begin(struct crv_listing *l, struct crv_req *rq, const struct crv_column *columns,
                       size_t n, int64_t position, int64_t at, struct crv_err *err);
/* Takes item (NULL: out of memory); key is what a cursor would name. Not called again once full. */
bool crv_listing_add(struct crv_listing *l, const char *key, json_t *item, struct crv_err *err);
/* The answer. */
bool crv_listing_end(struct crv_listing *l, struct crv_resp *rs, struct crv_err *err);
void crv_listing_done(struct crv_listing *l);

static inline void crv_cleanup_listing(struct crv_listing *l) {
  crv_listing_done(l);
}
#define _listing_ __attribute__((cleanup(crv_cleanup_listing)))

/* The text of an item's column for tables: text as it is, numbers and truth values as text, lists
   joined by blanks; "" when absent. In out, cut to room; returns out. */
char *crv_item_text(const json_t *item, const char *path, char *out, size_t room);

#endif
