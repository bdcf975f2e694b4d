/* /v1/evidence: pieces of every kind, keyed, with numbered versions. A new version supersedes the
   one before; a version with `retracted` takes the piece back. A piece keeps its kind. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/answer.h"
#include "api/handlers.h"
#include "api/piece.h"
#include "api/record.h"
#include "api/source.h"
#include "core/base/json.h"
#include "core/base/text.h"

bool crv_private_seen(const struct crv_req *rq) {
  return (rq->who.role & (CRV_ROLE_PROCUREMENT | CRV_ROLE_ADMIN)) != 0;
}

static bool may_see(struct crv_req *rq, const struct crv_version *v, const json_t *content,
                    struct crv_err *err) {
  if (!json_is_true(json_object_get(content, "private")) || crv_private_seen(rq)) return true;
  return crv_fail(err, CRV_FORBIDDEN,
                  "The piece %s is private: the roles procurement and admin may read it.", v->key);
}

static bool show_ref(struct crv_req *rq, const struct crv_version *v, const json_t *content,
                     json_t *obj, struct crv_err *err) {
  const char *ref = crv_arena_printf(rq->arena, "%s@%" PRId64, v->key, v->version);
  (void)content;
  return (ref && crv_json_set_text(obj, "ref", ref)) || crv_no_memory(err);
}

const struct crv_record_type crv_piece_record = {
    .agg = CRV_AGG_PIECE,
    .noun = "piece",
    .key_name = "key",
    .version_name = "version",
    .base = "/v1/evidence",
    .versions = "versions",
    .show = show_ref,
    .allowed = may_see,
};

bool crv_piece_role(const struct crv_req *rq, enum crv_kind kind, struct crv_err *err) {
  const struct crv_kind_info *info = crv_kind_info(kind);
  if (rq->who.role != CRV_ROLE_CI || info->ci) return true;
  return crv_fail(err, CRV_FORBIDDEN,
                  "The role ci writes protocol_run, failure_report, quality_evaluation and "
                  "device_report; %s is for procurement and admin.",
                  info->name);
}

enum crv_kind crv_kind_of(const char *name) {
  for (int k = 1; k < CRV_KIND_COUNT; k++)
    if (crv_streq(crv_kind_info((enum crv_kind)k)->name, name)) return (enum crv_kind)k;
  return CRV_KIND_NONE;
}

/* -- PUT ----------------------------------------------------------------------------------- */

static bool kind_kept(struct crv_wtx *tx, struct crv_record_put *p, struct crv_err *err) {
  struct crv_version was;
  if (!crv_rd_version(crv_wtx_read(tx), CRV_AGG_PIECE, p->put.key, 0, 0, p->rq->arena, &was, err)) {
    if (err->code != CRV_NOT_FOUND) return false;
    crv_err_init(err);
    return true;
  }
  if (crv_streq(was.kind, p->put.kind)) return true;
  return crv_fail(err, CRV_CONFLICT, "%s is a %s and stays one: use another key for a %s.",
                  p->put.key, was.kind, p->put.kind);
}

/* Superseded pieces exist, and a role supersedes only what it may write. */
static bool supersedes_ok(struct crv_wtx *tx, struct crv_record_put *p, struct crv_err *err) {
  const struct crv_piece *piece = p->ctx;
  for (size_t i = 0; i < piece->supersedes.n; i++) {
    const char *key = *crv_list_at(piece->supersedes, const char *, i);
    struct crv_version v;
    char ptr[40];
    snprintf(ptr, sizeof ptr, "/supersedes/%zu", i);
    if (!crv_source_exists(crv_wtx_read(tx), key, 0, ptr, p->rq->arena, &v, err)) return false;
    if (!crv_piece_role(p->rq, crv_kind_of(v.kind), err)) return false;
  }
  return true;
}

static bool check_piece(struct crv_wtx *tx, struct crv_record_put *p, struct crv_err *err) {
  return kind_kept(tx, p, err) && supersedes_ok(tx, p, err);
}

bool crv_h_piece_put(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_record_put p = {.type = &crv_piece_record, .rq = rq, .before = check_piece};
  struct crv_piece *piece;
  const json_t *body;
  if (!crv_req_key(rq, 0, &p.put.key, err) ||
      !(body = crv_record_body(rq, &crv_piece_record, err)) ||
      !crv_piece_decode(body, "", rq->arena, &piece, err) ||
      !crv_record_same_key(&crv_piece_record, piece->key, p.put.key, err) ||
      !crv_piece_role(rq, piece->kind, err))
    return false;
  if (piece->is_private == CRV_TRUE && !crv_private_seen(rq))
    return crv_fail(err, CRV_FORBIDDEN,
                    "A private piece is recorded by the roles procurement and admin.");
  piece->key = NULL;
  p.ctx = piece;
  p.put.kind = crv_kind_info(piece->kind)->name;
  p.put.canonical = crv_record_canonical(&crv_piece_spec, piece, rq->arena, err);
  return p.put.canonical && crv_record_put(&p, rs, err);
}

/* -- GET ----------------------------------------------------------------------------------- */

bool crv_h_piece_get(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  const char *key;
  return crv_req_key(rq, 0, &key, err) && crv_record_get(rq, rs, &crv_piece_record, key, 0, err);
}

bool crv_h_piece_versions(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  const char *key;
  return crv_req_key(rq, 0, &key, err) && crv_record_versions(rq, rs, &crv_piece_record, key, err);
}

bool crv_h_piece_version(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  const char *key;
  int64_t n;
  return crv_req_key(rq, 0, &key, err) && crv_req_number(rq, 1, &n, err) &&
         crv_record_get(rq, rs, &crv_piece_record, key, n, err);
}
