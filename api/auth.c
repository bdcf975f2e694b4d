/* Tokens against the store. Every refusal before the secret is known to be right says the same, so
   that an answer does not tell which ids exist. Must not know: routes. */
#include "api/auth.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "api/context.h"

static void hash(const char *secret, char *out) {
  crv_sha256_hex(secret, strlen(secret), out);
}

void crv_secret_draw(struct crv_secret *ret) {
  unsigned char bytes[(CRV_SECRET_HEX - 1) / 2];
  randombytes_buf(bytes, sizeof bytes);
  sodium_bin2hex(ret->secret, sizeof ret->secret, bytes, sizeof bytes);
  hash(ret->secret, ret->hash);
  sodium_memzero(bytes, sizeof bytes);
}

static unsigned long crc_of(const char *s, size_t len) {
  return crc32(crc32(0, NULL, 0), (const unsigned char *)s, (unsigned)len);
}

char *crv_token_text(int64_t id, const struct crv_secret *s, char *out) {
  int n = snprintf(out, CRV_TOKEN_ROOM, "crv_%lld_%s", (long long)id, s->secret);
  snprintf(out + n, CRV_TOKEN_ROOM - (size_t)n, "_%08lx", crc_of(out, (size_t)n));
  return out;
}

/* Splits a copy of the token; secret: CRV_SECRET_HEX bytes. */
static bool split(const char *token, int64_t *ret_id, char *secret) {
  char crc[9];
  char *end;
  size_t len = strlen(token);
  if (len < 4 + 1 + 1 + CRV_SECRET_HEX - 1 + 9 || len >= CRV_TOKEN_ROOM) return false;
  if (strncmp(token, "crv_", 4) != 0 || token[4] < '1' || token[4] > '9') return false;
  snprintf(crc, sizeof crc, "%08lx", crc_of(token, len - 9));
  if (token[len - 9] != '_' || strcmp(token + len - 8, crc) != 0) return false;
  *ret_id = strtoll(token + 4, &end, 10);
  if (*end != '_' || *ret_id <= 0 || token + len - 9 - (end + 1) != CRV_SECRET_HEX - 1)
    return false;
  memcpy(secret, end + 1, CRV_SECRET_HEX - 1);
  secret[CRV_SECRET_HEX - 1] = '\0';
  return true;
}

struct lookup {
  int64_t id;
  struct crv_arena *arena;
  struct crv_token_row row;
};

static bool read_token(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct lookup *l = ctx;
  return crv_rd_token(tx, l->id, l->arena, &l->row, err);
}

static bool refuse(struct crv_err *err) {
  return crv_fail(err, CRV_UNAUTHENTICATED, "The token is not valid.");
}

/* Compares in constant time, also when there is no such token. */
static bool secret_right(const struct crv_token_row *row, const char *secret) {
  static const char nobody[CRV_SHA256_HEX] =
      "0000000000000000000000000000000000000000000000000000000000000000";
  char given[CRV_SHA256_HEX];
  const char *want = row->hash && strlen(row->hash) == CRV_SHA256_HEX - 1 ? row->hash : nobody;
  hash(secret, given);
  return sodium_memcmp(given, want, CRV_SHA256_HEX - 1) == 0;
}

bool crv_api_authenticate(void *ctx, const char *token, int64_t now_ms, struct crv_arena *arena,
                          struct crv_principal *ret, struct crv_err *err) {
  struct crv_api *api = ctx;
  char secret[CRV_SECRET_HEX];
  struct lookup l = {.arena = arena};
  if (!split(token, &l.id, secret)) return refuse(err);
  if (!crv_store_read(api->store, read_token, &l, err) && err->code != CRV_NOT_FOUND) return false;
  bool right = secret_right(&l.row, secret);
  sodium_memzero(secret, sizeof secret);
  if (!right) return refuse(err);
  if (l.row.revoked_at.set && l.row.revoked_at.v <= now_ms)
    return crv_fail(err, CRV_UNAUTHENTICATED, "The token was revoked.");
  if (l.row.expires_at.set && l.row.expires_at.v <= now_ms)
    return crv_fail(err, CRV_UNAUTHENTICATED, "The token has expired.");
  *ret = (struct crv_principal){l.id, l.row.name, crv_role_parse(l.row.role)};
  crv_store_token_used(api->store, l.id, now_ms);
  return true;
}

static bool put_token(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  struct crv_token_row *row = ctx;
  row->created_at = crv_wtx_now(tx);
  return crv_tx_token_put(tx, row, err);
}

bool crv_token_make(struct crv_store *st, const char *name, const char *role,
                    struct crv_opt_int expires_at, char *out, int64_t *ret_id,
                    struct crv_err *err) {
  struct crv_secret s;
  crv_secret_draw(&s);
  struct crv_token_row row = {.name = name, .role = role, .hash = s.hash, .expires_at = expires_at};
  bool ok = crv_store_write(st, put_token, &row, err);
  if (ok) crv_token_text(row.id, &s, out);
  if (ok && ret_id) *ret_id = row.id;
  sodium_memzero(&s, sizeof s);
  return ok;
}

static bool count(const struct crv_token_row *t, void *ctx, struct crv_err *err) {
  (void)t;
  (void)err;
  *(bool *)ctx = true;
  return true;
}

static bool read_any(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  return crv_rd_tokens(tx, count, ctx, err);
}

bool crv_token_any(struct crv_store *st, bool *ret, struct crv_err *err) {
  *ret = false;
  return crv_store_read(st, read_any, ret, err);
}
