/* /v1/tokens, for the role admin: made once shown, listed without secrets, revoked. */
#include <inttypes.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/answer.h"
#include "api/auth.h"
#include "api/dispatch.h"
#include "api/handlers.h"
#include "api/listing.h"
#include "api/token.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"

/* -- POST ---------------------------------------------------------------------------------- */

struct wanted {
  const char *name;
  int role;
  struct crv_opt_int expires_at;
};
static const struct crv_enum_name role_names[] = {{CRV_ROLE_READER, "reader"},
                                                  {CRV_ROLE_CI, "ci"},
                                                  {CRV_ROLE_PROCUREMENT, "procurement"},
                                                  {CRV_ROLE_ADMIN, "admin"},
                                                  {0, NULL}};
static const struct crv_jfield fields[] = {
    {.name = "name",
     .type = CRV_JT_TEXT,
     .flags = CRV_JF_REQUIRED,
     .offset = offsetof(struct wanted, name),
     .max = 100,
     .doc = "Who or what uses it, as records show it."},
    {.name = "role",
     .type = CRV_JT_ENUM,
     .flags = CRV_JF_REQUIRED,
     .offset = offsetof(struct wanted, role),
     .names = role_names,
     .doc = "reader, ci, procurement or admin."},
    {.name = "expires_at",
     .type = CRV_JT_TIME,
     .offset = offsetof(struct wanted, expires_at),
     .doc = "Until when it is taken; absent: until it is revoked."},
    {.name = NULL},
};
const struct crv_jspec crv_token_spec = {.name = "TokenRequest",
                                         .size = sizeof(struct wanted),
                                         .fields = fields,
                                         .extras_offset = SIZE_MAX};

struct making {
  struct wanted wanted;
  struct crv_secret secret;
};

static json_t *token_json(const struct crv_token_row *t, const char *text) {
  _json_ json_t *j = json_object();
  if (!j || !crv_json_set_int(j, "id", t->id) || !crv_json_set_text(j, "name", t->name) ||
      !crv_json_set_text(j, "role", t->role) ||
      !crv_json_set_time(j, "created_at", t->created_at) ||
      (t->expires_at.set && !crv_json_set_time(j, "expires_at", t->expires_at.v)) ||
      (t->revoked_at.set && !crv_json_set_time(j, "revoked_at", t->revoked_at.v)) ||
      (t->last_used_at.set && !crv_json_set_time(j, "last_used_at", t->last_used_at.v)) ||
      !crv_json_set_text(j, "token", text))
    return NULL;
  return crv_steal(&j);
}

/* What a replay tells: everything but the secret, which is kept nowhere. */
static bool remember(struct crv_effect *e, const struct crv_token_row *row, struct crv_err *err) {
  _json_ json_t *j = token_json(row, NULL);
  if (!j || !crv_json_set_steal(j, "token", json_null()) ||
      !crv_json_set_text(j, "note",
                         "The token was shown once. When it was lost, revoke it and make another."))
    return crv_no_memory(err);
  _free_ char *text = crv_json_compact(j);
  e->remember = text ? crv_arena_strdup(e->rq->arena, text) : NULL;
  return e->remember || crv_no_memory(err);
}

static bool store(struct crv_wtx *tx, struct crv_effect *e, struct crv_err *err) {
  struct making *m = e->ctx;
  char text[CRV_TOKEN_ROOM];
  struct crv_token_row row = {.name = m->wanted.name,
                              .role = crv_role_name((unsigned)m->wanted.role),
                              .hash = m->secret.hash,
                              .created_at = crv_wtx_now(tx),
                              .expires_at = m->wanted.expires_at};
  if (!crv_tx_token_put(tx, &row, err)) return false;
  json_t *j = token_json(&row, crv_token_text(row.id, &m->secret, text));
  if (!j) return crv_no_memory(err);
  return crv_resp_json_steal(e->rq, e->rs, 201, j, err) &&
         crv_answer_header(e->rs, "Location",
                           crv_arena_printf(e->rq->arena, "/v1/tokens/%" PRId64, row.id), err) &&
         crv_answer_header(e->rs, "Cache-Control", "no-store", err) && remember(e, &row, err);
}

bool crv_h_token_post(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct making m;
  struct crv_effect effect = {.run = store, .rq = rq, .rs = rs, .ctx = &m};
  if (!crv_jspec_decode(&crv_token_spec, rq->json, "", rq->arena, &m.wanted, err)) return false;
  if (m.wanted.expires_at.set && m.wanted.expires_at.v <= rq->now_ms)
    return crv_fail_field(err, "/expires_at", "out_of_range", "a time to come",
                          "The token would have expired already.");
  crv_secret_draw(&m.secret);
  bool ok = crv_effect_write(&effect, err);
  explicit_bzero(&m.secret, sizeof m.secret);
  return ok;
}

/* -- GET ----------------------------------------------------------------------------------- */

static const struct crv_column columns[] = {
    {"ID", "id", CRV_COL_NUMBER},
    {"NAME", "name", CRV_COL_KEY},
    {"ROLE", "role", CRV_COL_TEXT},
    {"CREATED", "created_at", CRV_COL_TEXT},
    {"EXPIRES", "expires_at", CRV_COL_TEXT},
    {"REVOKED", "revoked_at", CRV_COL_TEXT},
    {"LAST USED", "last_used_at", CRV_COL_TEXT},
};

static bool list_row(const struct crv_token_row *t, void *ctx, struct crv_err *err) {
  struct crv_listing *l = ctx;
  char number[24];
  if (l->from.position && t->id > l->from.position) return true;
  l->total++;
  if (l->full || t->id <= strtoll(l->from.last, NULL, 10)) return true;
  snprintf(number, sizeof number, "%" PRId64, t->id);
  return crv_listing_add(l, number, token_json(t, NULL), err);
}

static bool last_id(const struct crv_token_row *t, void *ctx, struct crv_err *err) {
  (void)err;
  *(int64_t *)ctx = t->id;
  return true;
}

static bool list_read(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct crv_listing *l = ctx;
  if (l->from.position == 0 && !crv_rd_tokens(tx, last_id, &l->from.position, err)) return false;
  return crv_rd_tokens(tx, list_row, l, err);
}

bool crv_h_tokens_list(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  _listing_ struct crv_listing l = {0};
  return crv_listing_begin(&l, rq, columns, sizeof columns / sizeof *columns, 0, rq->now_ms, err) &&
         crv_store_read(crv_api_of(rq)->store, list_read, &l, err) && crv_listing_end(&l, rs, err);
}

/* -- DELETE -------------------------------------------------------------------------------- */

struct revoking {
  struct crv_req *rq;
  int64_t id;
  struct crv_token_row row;
};

static bool revoke(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  struct revoking *r = ctx;
  return crv_tx_token_revoke(tx, r->id, err) &&
         crv_rd_token(crv_wtx_read(tx), r->id, r->rq->arena, &r->row, err);
}

bool crv_h_token_delete(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct revoking r = {.rq = rq};
  if (!crv_req_number(rq, 0, &r.id, err) ||
      !crv_store_write(crv_api_of(rq)->store, revoke, &r, err))
    return false;
  json_t *j = token_json(&r.row, NULL);
  return j ? crv_resp_json_steal(rq, rs, 200, j, err) : crv_no_memory(err);
}
