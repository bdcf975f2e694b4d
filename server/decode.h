/* Strict percent-decoding of one path segment or one query name or value (RFC 3986 2.1). */
#ifndef CRV_SERVER_DECODE_H
#define CRV_SERVER_DECODE_H

#include <stdbool.h>
#include <stddef.h>

enum crv_decode_part {
  CRV_DECODE_SEGMENT, /* '/' must not appear, '+' is itself */
  CRV_DECODE_QUERY,   /* '+' is a space, '/' is allowed */
};

/* Decodes len bytes at s into out, which has room for len + 1, and ends it with NUL. Returns NULL
   on success with *ret_len set, else a static sentence that says what is wrong. What it gives is
   UTF-8 without control characters. */
const char *crv_decode(enum crv_decode_part part, const char *s, size_t len, char *out,
                       size_t *ret_len);

#endif
