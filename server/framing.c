/* Checks of one request head, as a pure function of its fields. Must not know: libmicrohttpd,
   routes, and what becomes of the answer. What the HTTP library hides (bare LF, folded lines, NUL
   in a value, chunk extensions) cannot be seen here. */
#include "server/framing.h"

#include <string.h>
#include <strings.h>

#include "server/route.h"

/* Fields that must not be sent twice: readers would differ on which one counts. */
static const char *const singletons[] = {
    "host",         "content-length",   "transfer-encoding",
    "content-type", "authorization",    "idempotency-key",
    "expect",       "content-encoding",
};
enum { N_SINGLETONS = sizeof singletons / sizeof *singletons };
enum { HOST = 0, LENGTH = 1, TRANSFER = 2, ENCODING = 7 };

static bool token_char(unsigned char c) {
  if ((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9')) return true;
  return c != 0 && strchr("!#$%&'*+-.^_`|~", c) != NULL;
}

static bool token_ok(const char *s, size_t len) {
  for (size_t i = 0; i < len; i++)
    if (!token_char((unsigned char)s[i])) return false;
  return len > 0;
}

static bool value_ok(const char *s, size_t len) {
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char)s[i];
    if ((c < 0x20 && c != '\t') || c == 0x7f) return false;
  }
  return true;
}

static bool field_named(const struct crv_field *f, const char *name) {
  return f->name_len == strlen(name) && strncasecmp(f->name, name, f->name_len) == 0;
}

/* The value without surrounding blanks. */
static struct crv_field trimmed(const struct crv_field *f) {
  struct crv_field t = *f;
  while (t.value_len && (t.value[0] == ' ' || t.value[0] == '\t')) t.value++, t.value_len--;
  while (t.value_len && (t.value[t.value_len - 1] == ' ' || t.value[t.value_len - 1] == '\t'))
    t.value_len--;
  return t;
}

static bool line_check(const struct crv_head *head, struct crv_err *err) {
  if (crv_method_parse(head->method) == CRV_M_UNKNOWN)
    return crv_fail(err, CRV_NOT_IMPLEMENTED, "The method is not one that is served.");
  if (strcmp(head->version, "HTTP/1.1") != 0 && strcmp(head->version, "HTTP/1.0") != 0)
    return crv_fail(err, CRV_MALFORMED_REQUEST, "The protocol version is not HTTP/1.1.");
  if (head->target[0] != '/')
    return crv_fail(err, CRV_MALFORMED_REQUEST, "The request target does not start with a slash.");
  if (strlen(head->target) > CRV_TARGET_BYTES)
    return crv_fail(err, CRV_URI_TOO_LONG, "The request target is longer than %d bytes.",
                    CRV_TARGET_BYTES);
  for (const char *s = head->target; *s; s++)
    if ((unsigned char)*s <= 0x20 || *s == 0x7f || *s == '#')
      return crv_fail(err, CRV_MALFORMED_REQUEST,
                      "The request target holds a space, a control character or a fragment.");
  return true;
}

static bool size_check(const struct crv_head *head, struct crv_err *err) {
  size_t bytes = strlen(head->method) + strlen(head->target) + strlen(head->version) + 6;
  for (size_t i = 0; i < head->n_fields; i++)
    bytes += head->fields[i].name_len + head->fields[i].value_len + 4;
  if (head->n_fields > CRV_HEAD_FIELDS)
    return crv_fail(err, CRV_HEADERS_TOO_LARGE, "There are more than %d header fields.",
                    CRV_HEAD_FIELDS);
  if (bytes > CRV_HEAD_BYTES)
    return crv_fail(err, CRV_HEADERS_TOO_LARGE, "The request head is larger than %d bytes.",
                    CRV_HEAD_BYTES);
  return true;
}

/* Looks at every field and remembers the singletons. */
static bool fields_check(const struct crv_head *head, const struct crv_field **single,
                         struct crv_err *err) {
  for (size_t i = 0; i < head->n_fields; i++) {
    const struct crv_field *f = &head->fields[i];
    if (!token_ok(f->name, f->name_len))
      return crv_fail(err, CRV_MALFORMED_REQUEST, "A header field's name is not a plain name.");
    if (!value_ok(f->value, f->value_len))
      return crv_fail(err, CRV_MALFORMED_REQUEST, "A header field holds a control character.");
    for (size_t k = 0; k < N_SINGLETONS; k++) {
      if (!field_named(f, singletons[k])) continue;
      if (single[k])
        return crv_fail(err, CRV_MALFORMED_REQUEST, "The header field %s was sent more than once.",
                        singletons[k]);
      single[k] = f;
    }
  }
  return true;
}

static bool host_check(const struct crv_field *host, bool required, struct crv_err *err) {
  if (!host) {
    if (!required) return true;
    return crv_fail(err, CRV_MALFORMED_REQUEST, "There is no Host header field.");
  }
  struct crv_field t = trimmed(host);
  for (size_t i = 0; i < t.value_len; i++) {
    unsigned char c = (unsigned char)t.value[i];
    if (c <= 0x20 || c >= 0x7f || strchr("/@?#\\\"<>,", c))
      return crv_fail(err, CRV_MALFORMED_REQUEST, "The Host header field is not a host.");
  }
  return true;
}

static bool length_parse(const struct crv_field *f, struct crv_framing *ret, struct crv_err *err) {
  struct crv_field t = trimmed(f);
  ret->has_length = true;
  for (size_t i = 0; i < t.value_len; i++) {
    unsigned digit = (unsigned)(unsigned char)t.value[i] - '0';
    if (digit > 9)
      t.value_len = 0;
    else if (__builtin_mul_overflow(ret->length, 10u, &ret->length) ||
             __builtin_add_overflow(ret->length, digit, &ret->length))
      ret->length = UINT64_MAX / 10; /* stays above every limit however many digits follow */
  }
  if (t.value_len > 0) return true;
  return crv_fail(err, CRV_MALFORMED_REQUEST, "Content-Length is not a plain decimal number.");
}

static bool body_check(const struct crv_field *length, const struct crv_field *transfer,
                       bool http10, struct crv_framing *ret, struct crv_err *err) {
  if (length && transfer)
    return crv_fail(err, CRV_MALFORMED_REQUEST,
                    "Content-Length and Transfer-Encoding were both sent.");
  if (length) return length_parse(length, ret, err);
  if (!transfer) return true;
  if (http10) return crv_fail(err, CRV_MALFORMED_REQUEST, "HTTP/1.0 knows no Transfer-Encoding.");
  struct crv_field t = trimmed(transfer);
  if (t.value_len != 7 || strncasecmp(t.value, "chunked", 7) != 0)
    return crv_fail(err, CRV_NOT_IMPLEMENTED, "The only transfer coding served is chunked.");
  ret->chunked = true;
  return true;
}

bool crv_framing_check(const struct crv_head *head, struct crv_framing *ret, struct crv_err *err) {
  const struct crv_field *single[N_SINGLETONS] = {NULL};
  *ret = (struct crv_framing){0};
  if (!line_check(head, err) || !size_check(head, err)) return false;
  if (!fields_check(head, single, err)) return false;
  bool http10 = strcmp(head->version, "HTTP/1.0") == 0;
  if (!host_check(single[HOST], !http10, err)) return false;
  if (!body_check(single[LENGTH], single[TRANSFER], http10, ret, err)) return false;
  if (single[ENCODING])
    return crv_fail(err, CRV_UNSUPPORTED_MEDIA_TYPE,
                    "Content-Encoding is not taken: send the body uncompressed.");
  return true;
}
