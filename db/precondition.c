/* If-Match and If-None-Match against the newest stored version, and the tag of a version.
   Must not know: SQL, requests (it gets the header values as texts). */
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "db/internal.h"

char *crv_version_etag(const char *key, int64_t version, const char *digest, struct crv_arena *a) {
  char number[24], hex[CRV_SHA256_HEX];
  int n = snprintf(number, sizeof number, "\n%lld\n", (long long)version);
  struct crv_bytes parts[] = {{key, strlen(key)}, {number, (size_t)n}, {digest, strlen(digest)}};
  return crv_arena_printf(a, "\"%.32s\"", crv_sha256_hex_parts(parts, 3, hex));
}

static const char *skip(const char *s, const char *set) {
  return s + strspn(s, set);
}

/* Takes the next tag of a list: its text with quotes, whether it is weak. False at the end and at
   anything that is no entity tag. */
static bool next_tag(const char **at, const char **ret, size_t *ret_len, bool *ret_weak) {
  const char *s = skip(*at, " \t,");
  *ret_weak = strncmp(s, "W/", 2) == 0;
  if (*ret_weak) s += 2;
  if (*s != '"') return false;
  const char *end = strchr(s + 1, '"');
  if (!end) return false;
  *ret = s;
  *ret_len = (size_t)(end + 1 - s);
  *at = end + 1;
  return true;
}

static bool any(const char *list) {
  list = skip(list, " \t");
  return *list == '*' && *skip(list + 1, " \t") == '\0';
}

static bool lists(const char *list, const char *etag, bool weak_too) {
  const char *tag;
  size_t len;
  bool weak;
  while (next_tag(&list, &tag, &len, &weak))
    if ((weak_too || !weak) && len == strlen(etag) && memcmp(tag, etag, len) == 0) return true;
  return false;
}

bool crv_precondition(const char *etag, bool exists, const char *if_match,
                      const char *if_none_match, struct crv_err *err) {
  bool ok = true;
  if (if_match) ok = any(if_match) ? exists : etag && lists(if_match, etag, false);
  if (ok && if_none_match)
    ok = !(exists && (any(if_none_match) || lists(if_none_match, etag, true)));
  if (ok) return true;
  if (!etag) return crv_fail(err, CRV_PRECONDITION_FAILED, "Nothing is stored under this key.");
  return crv_fail(err, CRV_PRECONDITION_FAILED, "The current ETag is %s%s.", etag,
                  exists ? "" : " (withdrawn)");
}
