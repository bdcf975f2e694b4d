/* SHA-256 (libsodium) in lower-case hex. */
#ifndef CRV_BASE_HASH_H
#define CRV_BASE_HASH_H

#include <stddef.h>

enum { CRV_SHA256_HEX = 65 }; /* 64 digits and NUL */

/* out: CRV_SHA256_HEX bytes; returns out. */
char *crv_sha256_hex(const void *data, size_t len, char *out);
/* Several parts in order, as if concatenated. */
struct crv_bytes {
  const void *p;
  size_t len;
};
char *crv_sha256_hex_parts(const struct crv_bytes *parts, size_t n, char *out);

#endif
