/* /v1/evidence/{key}/content: the document of a piece, any media type, with its SHA-256. It
   attaches once to the newest version; other bytes make a new version. */
#include <inttypes.h>
#include <sodium.h>
#include <string.h>

#include "api/answer.h"
#include "api/catalogue.h"
#include "api/handlers.h"
#include "api/piece.h"
#include "api/record.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"

struct content_put {
  struct crv_req *rq;
  struct crv_arena *arena; /* without a cap: documents are as large as a request's arena */
  struct crv_content content;
  struct crv_version piece;
  char sha256[CRV_SHA256_HEX];
  bool created;
};

static const char *tag_of(const char *sha256, struct crv_arena *a) {
  return crv_arena_printf(a, "\"%.32s\"", sha256);
}

/* The piece's own statement of its document's digest, when it makes one, holds. */
static bool digest_agrees(struct content_put *p, struct crv_err *err) {
  json_t *j = crv_json_parse_stored(p->piece.canonical, p->piece.canonical_len, err);
  if (!j) return false;
  _json_ json_t *owned = j;
  const char *stated = crv_json_text(owned, "content.sha256");
  if (!stated || strcmp(stated, p->sha256) == 0) return true;
  return crv_fail(err, CRV_CONFLICT,
                  "%s@%" PRId64
                  " states another SHA-256 of its document than these bytes have: PUT "
                  "a new version of the piece first.",
                  p->piece.key, p->piece.version);
}

/* What is attached now; *ret_found false: nothing. */
static bool attached(struct crv_rtx *tx, struct content_put *p, struct crv_content *ret,
                     bool *ret_found, struct crv_err *err) {
  *ret_found = crv_rd_content(tx, p->piece.key, p->piece.version, p->arena, ret, err);
  if (*ret_found) return true;
  if (err->code != CRV_NOT_FOUND) return false;
  crv_err_init(err);
  return true;
}

static bool new_version(struct crv_wtx *tx, struct content_put *p, struct crv_err *err) {
  struct crv_put put = {.agg = CRV_AGG_PIECE,
                        .key = p->piece.key,
                        .canonical = p->piece.canonical,
                        .canonical_len = p->piece.canonical_len,
                        .raw = p->piece.canonical,
                        .raw_len = p->piece.canonical_len,
                        .who = p->rq->who.name,
                        .kind = p->piece.kind};
  if (!crv_tx_put(tx, &put, p->arena, err)) return false;
  p->content.version = put.now.version;
  return true;
}

static bool write_content(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  struct content_put *p = ctx;
  struct crv_rtx *rtx = crv_wtx_read(tx);
  struct crv_content was = {0};
  bool found;
  if (!crv_rd_version(rtx, CRV_AGG_PIECE, p->content.key, 0, 0, p->arena, &p->piece, err) ||
      !crv_piece_role(p->rq, crv_kind_of(p->piece.kind), err) || !digest_agrees(p, err) ||
      !attached(rtx, p, &was, &found, err))
    return false;
  if (crv_req_condition(p->rq, found ? tag_of(was.sha256, p->arena) : NULL) != CRV_COND_GO)
    return crv_fail(err, CRV_PRECONDITION_FAILED, "%s%.32s%s",
                    found ? "The current ETag is \"" : "No document is stored",
                    found ? was.sha256 : "", found ? "\"." : ".");
  p->content.version = p->piece.version;
  p->created = !found || strcmp(was.sha256, p->sha256) != 0;
  if (!p->created) {
    p->content.media_type = was.media_type; /* what is stored stays as it was sent first */
    return true;
  }
  if (found && !new_version(tx, p, err)) return false;
  return crv_tx_content_put(tx, &p->content, p->rq->who.name, err);
}

static bool answer_put(struct content_put *p, struct crv_resp *rs, struct crv_err *err) {
  struct crv_req *rq = p->rq;
  const struct crv_content *c = &p->content;
  _json_ json_t *j = json_object();
  const char *where = crv_arena_printf(rq->arena, "/v1/evidence/%s/versions/%" PRId64 "/content",
                                       c->key, c->version);
  if (!j || !crv_json_set_text(j, "key", c->key) || !crv_json_set_int(j, "version", c->version) ||
      !crv_json_set_text(j, "sha256", c->sha256) ||
      !crv_json_set_text(j, "media_type", c->media_type) ||
      !crv_json_set_int(j, "bytes", (int64_t)c->len))
    return crv_no_memory(err);
  rs->etag = tag_of(c->sha256, rq->arena);
  return rs->etag && crv_resp_json_steal(rq, rs, p->created ? 201 : 200, crv_steal(&j), err) &&
         crv_answer_header(rs, "Revision-Created", p->created ? "true" : "false", err) &&
         crv_answer_header(rs, "Content-Location", where, err);
}

/* type/subtype, each of a token's characters (RFC 9110, 8.3.1). */
static bool media_type_ok(const char *s) {
  static const char token[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
                              "!#$%&'*+-.^_`|~";
  size_t type = strspn(s, token);
  if (type == 0 || s[type] != '/' || strlen(s) > 255) return false;
  size_t subtype = strspn(s + type + 1, token);
  return subtype > 0 && s[type + 1 + subtype] == '\0';
}

bool crv_h_content_put(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct content_put p = {.rq = rq, .arena = crv_big_arena(rq, err)};
  if (!p.arena || !crv_req_key(rq, 0, &p.content.key, err)) return false;
  if (rq->body_len == 0) return crv_fail(err, CRV_BAD_PARAMETER, "The document is empty.");
  crv_sha256_hex(rq->body, rq->body_len, p.sha256);
  p.content.sha256 = p.sha256;
  p.content.media_type = rq->body_type ? rq->body_type : "application/octet-stream";
  p.content.bytes = rq->body;
  p.content.len = rq->body_len;
  if (!media_type_ok(p.content.media_type))
    return crv_fail(err, CRV_BAD_PARAMETER,
                    "The Content-Type is no media type such as text/plain, of at most 255 bytes.");
  int64_t start = crv_now_us();
  bool ok = crv_store_write(crv_api_of(rq)->store, write_content, &p, err);
  rq->us_store += crv_now_us() - start;
  return ok && answer_put(&p, rs, err);
}

/* -- GET ----------------------------------------------------------------------------------- */

struct content_get {
  struct crv_req *rq;
  struct crv_arena *arena;
  const char *key;
  int64_t version;
  struct crv_content found;
};

static bool read_content(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct content_get *g = ctx;
  struct crv_version v;
  if (!crv_rd_version(tx, CRV_AGG_PIECE, g->key, g->version, 0, g->arena, &v, err)) return false;
  _json_ json_t *content = crv_json_parse_stored(v.canonical, v.canonical_len, err);
  return content && crv_piece_record.allowed(g->rq, &v, content, err) &&
         crv_rd_content(tx, g->key, v.version, g->arena, &g->found, err);
}

/* RFC 9530: the digest in base64. */
static const char *repr_digest(const char *sha256, struct crv_arena *a) {
  unsigned char bytes[32];
  char text[sodium_base64_ENCODED_LEN(sizeof bytes, sodium_base64_VARIANT_ORIGINAL)];
  size_t n = 0;
  sodium_hex2bin(bytes, sizeof bytes, sha256, strlen(sha256), NULL, &n, NULL);
  sodium_bin2base64(text, sizeof text, bytes, n, sodium_base64_VARIANT_ORIGINAL);
  return crv_arena_printf(a, "sha-256=:%s:", text);
}

/* The document goes out as a download in a sandbox: it is somebody else's. */
static bool answer_get(struct content_get *g, struct crv_resp *rs, struct crv_err *err) {
  const struct crv_content *c = &g->found;
  struct crv_arena *a = g->rq->arena;
  struct crv_buf b;
  if (!c->bytes && c->len)
    return crv_fail(err, CRV_WITHDRAWN, "The document's bytes were erased; its SHA-256 is %s.",
                    c->sha256);
  crv_buf_init(&b, 0);
  crv_buf_add(&b, c->bytes, c->len);
  bool ok = crv_resp_buf(rs, 200, crv_arena_strdup(a, c->media_type), &b, err);
  crv_buf_done(&b);
  rs->etag = tag_of(c->sha256, a);
  return ok && rs->etag &&
         crv_answer_header(rs, "Content-Disposition",
                           crv_arena_printf(a, "attachment; filename=\"%s\"", g->key), err) &&
         crv_answer_header(rs, "Content-Security-Policy", "sandbox; default-src 'none'", err) &&
         crv_answer_header(rs, "Repr-Digest", repr_digest(c->sha256, a), err);
}

static bool get(struct crv_req *rq, struct crv_resp *rs, int64_t version, struct crv_err *err) {
  struct content_get g = {.rq = rq, .version = version, .arena = crv_big_arena(rq, err)};
  return g.arena && crv_req_key(rq, 0, &g.key, err) &&
         crv_store_read(crv_api_of(rq)->store, read_content, &g, err) && answer_get(&g, rs, err);
}

bool crv_h_content_get(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  return get(rq, rs, 0, err);
}

bool crv_h_content_version(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  int64_t n;
  return crv_req_number(rq, 1, &n, err) && get(rq, rs, n, err);
}
