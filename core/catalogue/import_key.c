/* Keys of imported offers: slugs of what identifies the offer, stable for one identity whatever
   the order of the rows.
   Must not know: what a row states beyond its identity. */
#include <string.h>

#include "core/base/hash.h"
#include "core/base/text.h"
#include "core/catalogue/import_internal.h"

enum { KEY_BYTES = 128, HASH_DIGITS = 10 };

/* Lower-case letters and digits; whatever stands between them becomes one '-'. */
static size_t slug(char *out, size_t at, const char *s) {
  bool gap = at > 0;
  for (; s && *s; s++) {
    char c = *s >= 'A' && *s <= 'Z' ? (char)(*s - 'A' + 'a') : *s;
    if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) {
      if (gap) out[at++] = '-';
      out[at++] = c;
      gap = false;
    } else
      gap = at > 0;
  }
  return at;
}

static size_t length(const char *s) {
  return s ? strlen(s) + 1 : 1;
}

static bool make_text(struct crv_ikey *k, struct crv_arena *a) {
  k->text = crv_arena_alloc(a, length(k->prefix) + length(k->instance) + length(k->region) +
                                   length(k->variant) + length(k->plan));
  if (!k->text) return false;
  size_t at = slug(k->text, 0, k->prefix);
  at = slug(k->text, at, k->instance);
  at = slug(k->text, at, k->region);
  at = slug(k->text, at, k->variant);
  k->text[slug(k->text, at, k->plan)] = '\0';
  return true;
}

static int identity_order(const struct crv_ikey *x, const struct crv_ikey *y) {
  int d = crv_strorder(x->instance, y->instance);
  if (!d) d = crv_strorder(x->region, y->region);
  if (!d) d = crv_strorder(x->variant, y->variant);
  return d ? d : crv_strorder(x->plan, y->plan);
}

static int by_text(const void *p, const void *q) {
  const struct crv_ikey *x = p, *y = q;
  int d = strcmp(x->text, y->text);
  return d ? d : identity_order(x, y);
}

static bool hashed(struct crv_ikey *k, struct crv_arena *a) {
  const char *part[] = {k->prefix, k->instance, k->region, k->variant, k->plan};
  struct crv_bytes b[5];
  char hex[CRV_SHA256_HEX];
  for (size_t i = 0; i < 5; i++) {
    const char *s = part[i] ? part[i] : "";
    b[i] = (struct crv_bytes){s, strlen(s) + 1}; /* the NUL keeps the parts apart */
  }
  crv_sha256_hex_parts(b, 5, hex);
  k->offer->key =
      crv_arena_printf(a, "%.*s-%.*s", KEY_BYTES - HASH_DIGITS - 1, k->text, HASH_DIGITS, hex);
  return k->offer->key != NULL;
}

bool crv_ikeys_assign(struct crv_ikey *k, size_t n, struct crv_arena *a, struct crv_err *err) {
  for (size_t i = 0; i < n; i++)
    if (!make_text(&k[i], a)) return crv_import_oom(err);
  if (n) qsort(k, n, sizeof *k, by_text);
  for (size_t i = 0; i < n; i++) {
    bool shared = (i && !strcmp(k[i - 1].text, k[i].text)) ||
                  (i + 1 < n && !strcmp(k[i + 1].text, k[i].text));
    k[i].offer->key = k[i].text;
    if (!shared && *k[i].text && strlen(k[i].text) <= KEY_BYTES) continue;
    if (!hashed(&k[i], a)) return crv_import_oom(err);
  }
  return true;
}
