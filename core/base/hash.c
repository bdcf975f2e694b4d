/* SHA-256 by libsodium, in lower-case hex. Must not know: what is hashed. */
#include "core/base/hash.h"

#include <sodium.h>

char *crv_sha256_hex_parts(const struct crv_bytes *parts, size_t n, char *out) {
  unsigned char digest[crypto_hash_sha256_BYTES];
  crypto_hash_sha256_state state;
  crypto_hash_sha256_init(&state);
  for (size_t i = 0; i < n; i++)
    if (parts[i].len) crypto_hash_sha256_update(&state, parts[i].p, parts[i].len);
  crypto_hash_sha256_final(&state, digest);
  return sodium_bin2hex(out, CRV_SHA256_HEX, digest, sizeof digest);
}

char *crv_sha256_hex(const void *data, size_t len, char *out) {
  struct crv_bytes part = {data, len};
  return crv_sha256_hex_parts(&part, 1, out);
}
