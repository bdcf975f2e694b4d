/* The refusals that checks across fields share. Must not know: what any field means. */
#include "core/model/field.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"

bool crv_refuse(struct crv_err *err, const char *ptr, const char *below, const char *code,
                const char *hint, const char *fmt, ...) {
  char where[160], detail[256];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(detail, sizeof detail, fmt, ap);
  va_end(ap);
  crv_text_repair(detail);
  snprintf(where, sizeof where, "%s%s%s", ptr, below ? "/" : "", below ? below : "");
  return crv_fail_field(err, where, code, hint, "%s", detail);
}

/* 1 to 15 digits, no leading zero: within 2^53 - 1. */
static bool is_version(const char *s) {
  size_t n = strspn(s, "0123456789");
  return n > 0 && n <= 15 && s[n] == '\0' && s[0] != '0';
}

bool crv_check_ref(struct crv_err *err, const char *ptr, const char *below, const char *ref) {
  if (!ref) return true;
  const char *at = strchr(ref, '@');
  size_t n = at ? (size_t)(at - ref) : strlen(ref);
  if (crv_key_ok(ref, n) && (!at || is_version(at + 1))) return true;
  char quote[CRV_QUOTE_ROOM];
  return crv_refuse(err, ptr, below, "bad_format", "a piece's key, or key@version",
                    "Expected the key of a piece, such as run-812 or run-812@1; got %.80s.",
                    crv_text_quote(ref, strlen(ref), quote));
}

bool crv_check_distinct(struct crv_err *err, const char *ptr, const char *below,
                        const struct crv_list *texts) {
  bool ok = true;
  for (size_t i = 1; i < texts->n; i++) {
    const char *s = *crv_list_at(*texts, const char *, i);
    bool again = false;
    for (size_t j = 0; j < i && !again; j++)
      again = crv_streq(s, *crv_list_at(*texts, const char *, j));
    if (!again) continue;
    char where[96];
    snprintf(where, sizeof where, "%s/%zu", below, i);
    ok = crv_refuse(err, ptr, where, "duplicate", NULL, "Each value once; this one came before.");
  }
  return ok;
}

bool crv_field_is_set(const struct crv_jfield *f, const void *obj) {
  const void *cell = (const char *)obj + f->offset;
  switch (f->type) {
  case CRV_JT_TEXT:
  case CRV_JT_KEY:
  case CRV_JT_CURRENCY:
    return *(const char *const *)cell != NULL;
  case CRV_JT_INT:
  case CRV_JT_BYTES:
  case CRV_JT_DECIMAL:
  case CRV_JT_TIME:
    return ((const struct crv_opt_int *)cell)->set;
  case CRV_JT_BOOL:
    return *(const enum crv_tri *)cell != CRV_UNSET;
  case CRV_JT_ENUM:
    return *(const int *)cell != 0;
  case CRV_JT_OBJECT:
    return *(const void *const *)cell != NULL;
  case CRV_JT_LIST:
  case CRV_JT_MAP:
    return ((const struct crv_list *)cell)->n > 0;
  case CRV_JT_CUSTOM:
    return f->custom->is_set(cell);
  }
  return false;
}
