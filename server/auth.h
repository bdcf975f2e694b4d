/* The token inside an Authorization header, and whether a role may use a route. */
#ifndef CRV_SERVER_AUTH_H
#define CRV_SERVER_AUTH_H

#include "core/base/arena.h"
#include "core/base/err.h"
#include "server/req.h"

enum { CRV_TOKEN_TEXT = 256 };

/* The token of "Bearer TOKEN" or of "Basic base64(user:TOKEN)", copied to arena. NULL when the
   value is neither or the token is empty, longer than CRV_TOKEN_TEXT or not of visible ASCII. */
const char *crv_auth_token(const char *authorization, struct crv_arena *arena);
/* Where a token of this service ("crv_", a number, "_", its secret) begins in s; NULL: nowhere. */
const char *crv_auth_find(const char *s);
/* False with FORBIDDEN naming the roles that may. */
bool crv_auth_role(const struct crv_route *route, const struct crv_principal *who,
                   struct crv_err *err);

#endif
