/* Any bytes as Accept and as Authorization: negotiation gives one of the formats there are or a
   refusal, never something else, and a token is plain text of bounded length. */
#include <string.h>

#include "server/auth.h"
#include "server/negotiate.h"
#include "tests/fuzz/fuzz.h"

static void check_formats(unsigned formats, const char *accept) {
  struct crv_err err;
  enum crv_format f = 0, again = 0;
  crv_err_init(&err);
  if (!crv_negotiate(formats, NULL, accept, &f, &err)) {
    MUST(err.code == CRV_NOT_ACCEPTABLE && err.detail[0]);
    return;
  }
  MUST((f & formats) && (f & (f - 1)) == 0);
  MUST(crv_negotiate(f, NULL, accept, &again, &err) && again == f);
}

static void check_token(const char *value) {
  struct crv_arena *arena = crv_arena_new(0);
  MUST(arena);
  const char *token = crv_auth_token(value, arena);
  if (token) {
    MUST(token[0] && strlen(token) <= CRV_TOKEN_TEXT);
    for (; *token; token++) MUST(*token > 0x20 && *token < 0x7f);
  }
  crv_arena_free(arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  char *text = malloc(size + 1);
  MUST(text);
  memcpy(text, data, size);
  text[size] = '\0';
  for (unsigned formats = 1; formats < 2 * CRV_F_OTHER; formats = formats * 3 + 1)
    check_formats(formats % (2 * CRV_F_OTHER), text);
  check_formats(CRV_F_JSON, text);
  crv_accept_prefers_text(text);
  check_token(text);
  free(text);
  return 0;
}
