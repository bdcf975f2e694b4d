/* Reads credentials and compares roles. Must not know: which tokens exist; that is asked of the
   application. */
#include "server/auth.h"

#include <sodium.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

static const char *scheme_rest(const char *value, const char *scheme) {
  size_t len = strlen(scheme);
  if (strncasecmp(value, scheme, len) != 0 || value[len] != ' ') return NULL;
  return value + len + strspn(value + len, " ");
}

static const char *token_keep(const char *s, size_t len, struct crv_arena *arena) {
  if (len == 0 || len > CRV_TOKEN_TEXT) return NULL;
  for (size_t i = 0; i < len; i++)
    if (s[i] <= 0x20 || s[i] >= 0x7f) return NULL;
  return crv_arena_strndup(arena, s, len);
}

static size_t trimmed_length(const char *s) {
  size_t len = strlen(s);
  while (len > 0 && (s[len - 1] == ' ' || s[len - 1] == '\t')) len--;
  return len;
}

static const char *basic_password(const char *s, struct crv_arena *arena) {
  char plain[2 * CRV_TOKEN_TEXT];
  size_t len;
  const char *end, *text = s + trimmed_length(s);
  if (sodium_base642bin((unsigned char *)plain, sizeof plain, s, (size_t)(text - s), NULL, &len,
                        &end, sodium_base64_VARIANT_ORIGINAL) != 0 ||
      end != text)
    return NULL;
  const char *colon = memchr(plain, ':', len);
  const char *token =
      colon ? token_keep(colon + 1, len - (size_t)(colon + 1 - plain), arena) : NULL;
  sodium_memzero(plain, sizeof plain);
  return token;
}

const char *crv_auth_token(const char *authorization, struct crv_arena *arena) {
  const char *rest = scheme_rest(authorization, "Bearer");
  if (rest) return token_keep(rest, trimmed_length(rest), arena);
  rest = scheme_rest(authorization, "Basic");
  return rest ? basic_password(rest, arena) : NULL;
}

const char *crv_auth_find(const char *s) {
  enum { SECRET = 32 }; /* hexadecimal digits at least */
  for (s = strstr(s, "crv_"); s; s = strstr(s + 1, "crv_")) {
    const char *secret = s + 4 + strspn(s + 4, "0123456789");
    if (secret > s + 4 && *secret == '_' && strspn(secret + 1, "0123456789abcdef") >= SECRET)
      return s;
  }
  return NULL;
}

bool crv_auth_role(const struct crv_route *route, const struct crv_principal *who,
                   struct crv_err *err) {
  char list[64];
  size_t used = 0;
  if (route->roles == CRV_ROLE_NONE || (route->roles & who->role)) return true;
  list[0] = '\0';
  for (unsigned bit = CRV_ROLE_READER; bit <= CRV_ROLE_ADMIN; bit <<= 1) {
    if (!(route->roles & bit)) continue;
    int k = snprintf(list + used, sizeof list - used, "%s%s", used ? ", " : "", crv_role_name(bit));
    used = k > 0 && (size_t)k < sizeof list - used ? used + (size_t)k : used;
  }
  return crv_fail(err, CRV_FORBIDDEN, "The token's role is %s; this takes: %s.",
                  crv_role_name(who->role), list);
}
