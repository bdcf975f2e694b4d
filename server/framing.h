/* The first look at a request's head: what libmicrohttpd accepts but a proxy in front might read
   differently is refused, so that no second request can hide in a body (RFC 9112 6.3, 11.2). */
#ifndef CRV_SERVER_FRAMING_H
#define CRV_SERVER_FRAMING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/base/err.h"

enum { CRV_HEAD_BYTES = 16384, CRV_HEAD_FIELDS = 100, CRV_TARGET_BYTES = 4096 };

struct crv_field {
  const char *name, *value; /* not NUL-terminated */
  size_t name_len, value_len;
};

struct crv_head {
  const char *method, *version; /* "GET", "HTTP/1.1" */
  const char *target;           /* as sent */
  const struct crv_field *fields;
  size_t n_fields;
};

struct crv_framing {
  bool chunked;
  bool has_length;
  uint64_t length; /* beyond 10^18 when it is larger than any limit */
};

/* False with MALFORMED_REQUEST, NOT_IMPLEMENTED (method, transfer coding), URI_TOO_LONG,
   HEADERS_TOO_LARGE or UNSUPPORTED_MEDIA_TYPE (Content-Encoding). After false the connection must
   be closed: where this request ends is not known. */
bool crv_framing_check(const struct crv_head *head, struct crv_framing *ret, struct crv_err *err);

#endif
