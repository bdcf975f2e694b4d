/* What every handler can reach: the store, the snapshots of offers and pieces, and what the process
   around lends to it. One for the process; rq->app is a pointer to it. */
#ifndef CRV_API_CONTEXT_H
#define CRV_API_CONTEXT_H

#include <stdint.h>

#include "core/base/buf.h"
#include "db/store.h"
#include "server/req.h"

struct crv_world;

enum { CRV_CURSOR_KEY = 32 };

struct crv_api {
  struct crv_store *store;
  struct crv_world *world;
  unsigned char cursor_key[CRV_CURSOR_KEY]; /* of the checksum in cursors */
  char *openapi;                            /* the document, malloc'ed */
  size_t openapi_len;
  size_t json_limit, import_limit, content_limit; /* bytes, as /version shows them */
  unsigned connections;
  /* Lent by the process: its metrics as Prometheus text, and whether it is stopping. */
  void *process;
  void (*process_metrics)(void *process, struct crv_buf *out);
  bool (*process_draining)(void *process);
};

/* Makes world, cursor key and document over an open store; the rest is the caller's to fill in. */
bool crv_api_init(struct crv_api *api, struct crv_store *store, struct crv_err *err);
void crv_api_done(struct crv_api *api);
/* The service's own metrics as Prometheus text; fit for struct crv_app. */
void crv_api_metrics(void *api, struct crv_buf *out);

static inline struct crv_api *crv_api_of(const struct crv_req *rq) {
  return rq->app;
}

#endif
