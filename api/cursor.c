/* base64url of "position at\nlast" and 16 bytes of keyed BLAKE2b over it and the list's scope. */
#include "api/cursor.h"

#include <sodium.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MAC = 16, CURSOR_MAX = 1024 };

static bool page_name(const char *name) {
  static const char *const names[] = {"limit", "format", "pretty", "cursor"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(names[i], name) == 0) return true;
  return false;
}

static int by_name(const void *a, const void *b) {
  const struct crv_param *x = a, *y = b;
  return strcmp(x->name, y->name);
}

const char *crv_cursor_scope(const struct crv_req *rq) {
  struct crv_buf b;
  struct crv_param *p = crv_new_array(rq->arena, rq->n_params, struct crv_param);
  size_t n = 0;
  if (!p) return NULL;
  for (size_t i = 0; i < rq->n_params; i++)
    if (!page_name(rq->params[i].name)) p[n++] = rq->params[i];
  qsort(p, n, sizeof *p, by_name);
  crv_buf_init(&b, 0);
  crv_buf_str(&b, rq->target);
  for (size_t i = 0; i < n; i++) crv_buf_printf(&b, "\n%s=%s", p[i].name, p[i].value);
  const char *scope = b.failed ? NULL : crv_arena_strdup(rq->arena, b.data);
  crv_buf_done(&b);
  return scope;
}

static bool mac(const struct crv_req *rq, const char *payload, size_t len, unsigned char *out) {
  const char *scope = crv_cursor_scope(rq);
  crypto_generichash_state st;
  if (!scope) return false;
  crypto_generichash_init(&st, crv_api_of(rq)->cursor_key, CRV_CURSOR_KEY, MAC);
  crypto_generichash_update(&st, (const unsigned char *)payload, len);
  crypto_generichash_update(&st, (const unsigned char *)"\0", 1);
  crypto_generichash_update(&st, (const unsigned char *)scope, strlen(scope));
  crypto_generichash_final(&st, out, MAC);
  return true;
}

const char *crv_cursor_text(const struct crv_req *rq, const struct crv_cursor *c) {
  char raw[MAC + CURSOR_MAX];
  int n = snprintf(raw + MAC, CURSOR_MAX, "%lld %lld\n%s", (long long)c->position, (long long)c->at,
                   c->last);
  if (n < 0 || n >= CURSOR_MAX || !mac(rq, raw + MAC, (size_t)n, (unsigned char *)raw)) return NULL;
  size_t room =
      sodium_base64_encoded_len((size_t)n + MAC, sodium_base64_VARIANT_URLSAFE_NO_PADDING);
  char *out = crv_arena_alloc(rq->arena, room);
  if (!out) return NULL;
  return sodium_bin2base64(out, room, (unsigned char *)raw, (size_t)n + MAC,
                           sodium_base64_VARIANT_URLSAFE_NO_PADDING);
}

static bool refuse(struct crv_err *err) {
  return crv_fail(err, CRV_BAD_CURSOR,
                  "This cursor was not given by this list with these filters; start again without "
                  "one.");
}

bool crv_cursor_read(const struct crv_req *rq, const struct crv_cursor *first,
                     struct crv_cursor *ret, struct crv_err *err) {
  unsigned char raw[MAC + CURSOR_MAX], sum[MAC];
  const char *s = crv_req_param(rq, "cursor");
  char *end, *text;
  size_t n;
  *ret = *first;
  if (!s) return true;
  if (sodium_base642bin(raw, sizeof raw - 1, s, strlen(s), NULL, &n, NULL,
                        sodium_base64_VARIANT_URLSAFE_NO_PADDING) != 0 ||
      n <= MAC)
    return refuse(err);
  raw[n] = '\0';
  text = crv_arena_strndup(rq->arena, (const char *)raw + MAC, n - MAC);
  if (!text || !mac(rq, text, n - MAC, sum))
    return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  if (sodium_memcmp(sum, raw, MAC) != 0) return refuse(err);
  ret->position = strtoll(text, &end, 10);
  ret->at = strtoll(end, &end, 10);
  if (*end != '\n') return refuse(err);
  ret->last = end + 1;
  return true;
}
