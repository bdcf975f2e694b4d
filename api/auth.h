/* Tokens: their text, making them, and telling whose a token is.
   crv_<id>_<secret>_<crc>: id decimal, secret 48 hex digits (192 random bits), crc the CRC-32 of
   all before it in 8 hex digits, so that a mistyped token is known without the store. Only the
   secret's SHA-256 is kept. */
#ifndef CRV_API_AUTH_H
#define CRV_API_AUTH_H

#include "db/store.h"
#include "server/req.h"

enum { CRV_SECRET_HEX = 49, CRV_TOKEN_ROOM = 96 };

/* A token being made: draw first, then store `hash`, then write the text with the id it got. */
struct crv_secret {
  char secret[CRV_SECRET_HEX];
  char hash[CRV_SHA256_HEX];
};
void crv_secret_draw(struct crv_secret *ret);
/* out: CRV_TOKEN_ROOM bytes; returns out. */
char *crv_token_text(int64_t id, const struct crv_secret *s, char *out);

/* Fit for struct crv_app: UNAUTHENTICATED unless the token is stored, in date and not revoked.
   Names in arena. ctx is struct crv_api *. */
bool crv_api_authenticate(void *ctx, const char *token, int64_t now_ms, struct crv_arena *arena,
                          struct crv_principal *ret, struct crv_err *err);

/* Stores a new token of that role; out gets its text (CRV_TOKEN_ROOM bytes). */
bool crv_token_make(struct crv_store *st, const char *name, const char *role,
                    struct crv_opt_int expires_at, char *out, int64_t *ret_id, struct crv_err *err);
/* Has any token ever been made? */
bool crv_token_any(struct crv_store *st, bool *ret, struct crv_err *err);

#endif
