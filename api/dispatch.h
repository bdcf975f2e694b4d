/* Runs a route's handler, with Idempotency-Key on every POST that writes; and the one way for a
   POST to write, so that the remembered answer is in the effect's own transaction. */
#ifndef CRV_API_DISPATCH_H
#define CRV_API_DISPATCH_H

#include "api/context.h"
#include "server/reply.h"

/* Fit for struct crv_app. */
bool crv_api_dispatch(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err);

/* A write of a POST and its answer. run makes the effect and fills rs; it may run more than once,
   on the writer's thread, while the request waits: it may use the request's arena, and must be
   short. */
struct crv_effect {
  bool (*run)(struct crv_wtx *tx, struct crv_effect *e, struct crv_err *err);
  struct crv_req *rq;
  struct crv_resp *rs;
  void *ctx;
  const char *remember; /* body to keep in place of an answer that holds a secret, or NULL */
};
/* True after COMMIT, with rs filled. */
bool crv_effect_write(struct crv_effect *e, struct crv_err *err);

#endif
