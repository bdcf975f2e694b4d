/* From a checked request to its handler. An Idempotency-Key is looked up before and its answer is
   remembered with the effect; a second request with a key that is running is told to come back.
   Must not know: any resource. */
#include "api/dispatch.h"

#include <stdlib.h>
#include <string.h>

#include "api/answer.h"
#include "core/base/hash.h"

/* -- scope of a key ------------------------------------------------------------------------ */

static int by_name(const void *a, const void *b) {
  const struct crv_param *x = a, *y = b;
  return strcmp(x->name, y->name);
}

/* "POST /v1/decisions?gate=retained&limit=5" with the parameters by name. */
static const char *scope_of(const struct crv_req *rq) {
  struct crv_buf b;
  struct crv_param *sorted = crv_new_array(rq->arena, rq->n_params, struct crv_param);
  if (!sorted) return NULL;
  if (rq->n_params) memcpy(sorted, rq->params, rq->n_params * sizeof *sorted);
  qsort(sorted, rq->n_params, sizeof *sorted, by_name);
  crv_buf_init(&b, 0);
  crv_buf_printf(&b, "%s %s", crv_method_name(rq->method), rq->target);
  for (size_t i = 0; i < rq->n_params; i++)
    crv_buf_printf(&b, "%c%s=%s", i ? '&' : '?', sorted[i].name, sorted[i].value);
  const char *scope = b.failed ? NULL : crv_arena_strdup(rq->arena, b.data);
  crv_buf_done(&b);
  return scope;
}

static bool idem_of(const struct crv_req *rq, struct crv_idem *ret, struct crv_err *err) {
  char *fingerprint = crv_arena_alloc(rq->arena, CRV_SHA256_HEX);
  *ret = (struct crv_idem){.token_id = rq->who.token_id,
                           .scope = scope_of(rq),
                           .key = rq->idempotency_key,
                           .fingerprint = fingerprint};
  if (!fingerprint || !ret->scope) return crv_no_memory(err);
  crv_sha256_hex(rq->body, rq->body_len, fingerprint);
  return true;
}

/* A POST that readers may send, or a dry run, writes nothing and ignores the key. */
static bool uses_key(const struct crv_req *rq) {
  struct crv_err ignored;
  bool dry = false;
  if (rq->method != CRV_M_POST || !rq->idempotency_key || rq->who.token_id == 0) return false;
  if (rq->route->roles & CRV_ROLE_READER) return false;
  crv_err_init(&ignored);
  return !crv_req_param_bool(rq, "dry_run", false, &dry, &ignored) || !dry;
}

/* -- replay -------------------------------------------------------------------------------- */

struct lookup {
  struct crv_req *rq;
  const struct crv_idem *want;
  struct crv_idem found;
  struct crv_arena *arena;
};

static bool look_up(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct lookup *l = ctx;
  return crv_rd_idem(tx, l->want, l->rq->now_ms, l->arena, &l->found, err);
}

static bool replay(struct lookup *l, struct crv_resp *rs, struct crv_err *err) {
  struct crv_arena *a = l->rq->arena;
  struct crv_buf b;
  crv_buf_init(&b, 0);
  crv_buf_add(&b, l->found.body, l->found.body_len);
  const char *type = l->found.content_type ? crv_arena_strdup(a, l->found.content_type) : NULL;
  bool ok = crv_resp_buf(rs, l->found.status, type, &b, err) &&
            crv_answer_header(rs, "Idempotency-Replayed", "true", err);
  crv_buf_done(&b);
  if (!ok || !l->found.location) return ok;
  return crv_answer_header(rs, "Location", crv_arena_strdup(a, l->found.location), err);
}

/* *ret_done: the answer was remembered. */
static bool answered_before(struct crv_req *rq, const struct crv_idem *idem, struct crv_resp *rs,
                            bool *ret_done, struct crv_err *err) {
  _arena_ struct crv_arena *own = crv_arena_new(0);
  struct lookup l = {.rq = rq, .want = idem, .arena = own};
  *ret_done = false;
  if (!own) return crv_no_memory(err);
  if (crv_store_read(crv_api_of(rq)->store, look_up, &l, err)) {
    *ret_done = true;
    return replay(&l, rs, err);
  }
  if (err->code != CRV_NOT_FOUND) return false;
  crv_err_init(err);
  return true;
}

bool crv_api_dispatch(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_api *api = crv_api_of(rq);
  struct crv_idem idem;
  bool done;
  if (!uses_key(rq)) return rq->route->handler(rq, rs, err);
  if (!idem_of(rq, &idem, err) || !crv_store_idem_begin(api->store, &idem, err)) return false;
  bool ok = answered_before(rq, &idem, rs, &done, err);
  if (ok && !done) ok = rq->route->handler(rq, rs, err);
  crv_store_idem_end(api->store, &idem);
  return ok;
}

/* -- effects ------------------------------------------------------------------------------- */

static const char *location_of(const struct crv_resp *rs) {
  for (size_t i = 0; i < rs->n_headers; i++)
    if (strcmp(rs->headers[i].name, "Location") == 0) return rs->headers[i].value;
  return NULL;
}

static bool remember(struct crv_wtx *tx, const struct crv_effect *e, struct crv_err *err) {
  const struct crv_resp *rs = e->rs;
  struct crv_idem idem;
  if (!uses_key(e->rq)) return true;
  if (!idem_of(e->rq, &idem, err)) return false;
  idem.status = rs->status ? rs->status : 200;
  idem.content_type = rs->content_type;
  idem.location = location_of(rs);
  idem.body = e->remember ? e->remember : rs->body;
  idem.body_len = e->remember ? strlen(e->remember) : rs->body_len;
  idem.created_at = crv_wtx_now(tx);
  return crv_tx_idem_put(tx, &idem, err);
}

static bool run_effect(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  struct crv_effect *e = ctx;
  bool vary = e->rs->vary;
  crv_resp_done(e->rs); /* of an earlier run of the same effect */
  e->rs->vary = vary;
  return e->run(tx, e, err) && remember(tx, e, err);
}

bool crv_effect_write(struct crv_effect *e, struct crv_err *err) {
  int64_t start = crv_now_us();
  bool ok = crv_store_write(crv_api_of(e->rq)->store, run_effect, e, err);
  e->rq->us_store += crv_now_us() - start;
  return ok;
}
