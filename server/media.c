/* Content-Type against what a route takes, and the syntax of Idempotency-Key. Must not know: what a
   body means. */
#include <string.h>
#include <strings.h>

#include "server/internal.h"

static const char *const import_types[] = {"application/x-ndjson", "text/csv",
                                           "text/plain",           "application/octet-stream",
                                           "application/json",     NULL};

/* The media type in lower case without parameters, in the arena; NULL when out of memory. */
static const char *type_of(const char *value, struct crv_arena *arena) {
  size_t len = strcspn(value, ";");
  while (len > 0 && (value[len - 1] == ' ' || value[len - 1] == '\t')) len--;
  char *type = crv_arena_strndup(arena, value, len);
  for (char *s = type; s && *s; s++)
    if (*s >= 'A' && *s <= 'Z') *s = (char)(*s - 'A' + 'a');
  return type;
}

/* charset=utf-8 and us-ascii (also quoted) or none. */
static bool charset_ok(const char *value) {
  static const char *const taken[] = {"utf-8", "\"utf-8\"", "us-ascii", "\"us-ascii\"", NULL};
  const char *s = strchr(value, ';');
  for (; s; s = strchr(s, ';')) {
    s += 1 + strspn(s + 1, " \t");
    if (strncasecmp(s, "charset=", 8) != 0) continue;
    size_t len = strcspn(s + 8, "; \t");
    for (size_t i = 0; taken[i]; i++)
      if (strlen(taken[i]) == len && strncasecmp(s + 8, taken[i], len) == 0) return true;
    return false;
  }
  return true;
}

static bool one_of(const char *type, const char *const *list) {
  for (; *list; list++)
    if (strcmp(*list, type) == 0) return true;
  return false;
}

static bool refuse_json(const char *type, struct crv_err *err) {
  if (type && strcmp(type, "application/x-www-form-urlencoded") == 0)
    return crv_fail(err, CRV_UNSUPPORTED_MEDIA_TYPE,
                    "curl -d sends a form: use --json @file. This address takes application/json.");
  if (type && strcmp(type, "multipart/form-data") == 0)
    return crv_fail(err, CRV_UNSUPPORTED_MEDIA_TYPE,
                    "curl -F sends a form: use --json @file. This address takes application/json.");
  return crv_fail(err, CRV_UNSUPPORTED_MEDIA_TYPE,
                  "This address takes application/json in UTF-8, and %s was sent; with curl: "
                  "--json @file.",
                  type ? "something else" : "no Content-Type");
}

static bool refuse_import(const char *type, struct crv_err *err) {
  return crv_fail(err, CRV_UNSUPPORTED_MEDIA_TYPE,
                  "%s: this address takes application/x-ndjson, text/csv, text/plain, "
                  "application/octet-stream or application/json; with curl: -H 'Content-Type: "
                  "text/csv' --data-binary @file.",
                  !type
                      ? "No Content-Type was sent"
                      : (strstr(type, "form") ? "A form was sent" : "The Content-Type is another"));
}

bool crv_media_check(struct crv_req *rq, bool has_body, struct crv_err *err) {
  const char *value = rq->header(rq, "Content-Type");
  if (value && value[0]) {
    rq->body_type = type_of(value, rq->arena);
    if (!rq->body_type) return crv_fail(err, CRV_OUT_OF_MEMORY, "No memory for the head.");
  }
  if (!has_body) return true;
  if (rq->route->body == CRV_BODY_JSON &&
      (!rq->body_type || strcmp(rq->body_type, "application/json") != 0 || !charset_ok(value)))
    return refuse_json(rq->body_type, err);
  if (rq->route->body == CRV_BODY_IMPORT &&
      (!rq->body_type || !one_of(rq->body_type, import_types)))
    return refuse_import(rq->body_type, err);
  return true;
}

bool crv_idempotency_check(struct crv_req *rq, struct crv_err *err) {
  const char *s = rq->header(rq, "Idempotency-Key");
  if (!s || rq->method != CRV_M_POST) return true;
  size_t len = strlen(s), ok = 0;
  bool quoted = len >= 2 && s[0] == '"' && s[len - 1] == '"';
  if (quoted) {
    s++;
    len -= 2;
  }
  while (ok < len && s[ok] > 0x20 && s[ok] < 0x7f && s[ok] != '"' && s[ok] != '\\') ok++;
  if (ok < len || len < 1 || len > 255)
    return crv_fail(err, CRV_BAD_PARAMETER,
                    "The header Idempotency-Key takes 1 to 255 visible ASCII characters without "
                    "quotes or backslashes inside, bare or in quotes.");
  rq->idempotency_key = crv_arena_strndup(rq->arena, s, len);
  return rq->idempotency_key || crv_fail(err, CRV_OUT_OF_MEMORY, "No memory for the head.");
}
