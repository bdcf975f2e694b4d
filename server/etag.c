/* Entity tags and the conditions built on them (RFC 9110 8.8.3, 13.1, 13.2.2). Must not know: how a
   tag is made. */
#include <string.h>

#include "server/req.h"

/* One entity tag at s: its end, with the opaque part (quotes included) and weakness told; NULL when
   there is none. */
static const char *tag_parse(const char *s, const char **ret_opaque, bool *ret_weak) {
  *ret_weak = s[0] == 'W' && s[1] == '/';
  if (*ret_weak) s += 2;
  if (*s != '"') return NULL;
  *ret_opaque = s++;
  while (*s && *s != '"' && (unsigned char)*s > 0x20 && *s != 0x7f) s++;
  return *s == '"' ? s + 1 : NULL;
}

static const char *skip(const char *s, const char *set) {
  return s + strspn(s, set);
}

bool crv_etag_list_has(const char *list, const char *etag, bool weak) {
  const char *want, *have;
  bool want_weak, have_weak;
  if (!list || !etag) return false;
  const char *want_end = tag_parse(etag, &want, &want_weak);
  list = skip(list, " \t");
  if (list[0] == '*' && *skip(list + 1, " \t") == '\0') return true;
  if (!want_end || *want_end) return false;
  size_t len = (size_t)(want_end - want);
  for (list = skip(list, " \t,"); *list; list = skip(list, " \t,")) {
    const char *end = tag_parse(list, &have, &have_weak);
    if (!end || !strchr(" \t,", *end)) return false; /* the rest cannot be trusted */
    bool same = (size_t)(end - have) == len && memcmp(have, want, len) == 0;
    if (same && (weak || (!want_weak && !have_weak))) return true;
    list = end;
  }
  return false;
}

enum crv_cond crv_req_condition(const struct crv_req *rq, const char *etag) {
  const char *match = rq->header ? rq->header(rq, "If-Match") : NULL;
  const char *none = rq->header ? rq->header(rq, "If-None-Match") : NULL;
  if (match && !crv_etag_list_has(match, etag, false)) return CRV_COND_FAILED;
  if (none && crv_etag_list_has(none, etag, true))
    return rq->method == CRV_M_GET ? CRV_COND_NOT_MODIFIED : CRV_COND_FAILED;
  return CRV_COND_GO;
}
