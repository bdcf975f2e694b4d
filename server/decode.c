/* Strict percent-decoding: a bad escape, NUL, an encoded slash in a path, control characters and
   bytes that are no UTF-8 are refused, never repaired, so that two spellings of one address cannot
   reach different resources. Must not know: routes and parameters. */
#include "server/decode.h"

#include "core/base/units.h"

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static int escape_value(const char *s, size_t room) {
  if (room < 3) return -1;
  int high = hex_digit(s[1]), low = hex_digit(s[2]);
  return high < 0 || low < 0 ? -1 : high * 16 + low;
}

static const char *refused(enum crv_decode_part part, unsigned char c) {
  if (c == 0) return "It holds a NUL.";
  if (c < 0x20 || c == 0x7f) return "It holds a control character.";
  if (part == CRV_DECODE_SEGMENT && c == '/') return "It holds an encoded slash.";
  return NULL;
}

const char *crv_decode(enum crv_decode_part part, const char *s, size_t len, char *out,
                       size_t *ret_len) {
  size_t n = 0;
  for (size_t i = 0; i < len; i++) {
    int c = (unsigned char)s[i];
    if (c == '%') {
      c = escape_value(s + i, len - i);
      if (c < 0) return "A % is not followed by two hexadecimal digits.";
      i += 2;
    } else if (c == '+' && part == CRV_DECODE_QUERY) {
      c = ' ';
    }
    const char *why = refused(part, (unsigned char)c);
    if (why) return why;
    out[n++] = (char)c;
  }
  out[n] = '\0';
  if (!crv_utf8_ok(out, n)) return "It is not UTF-8.";
  *ret_len = n;
  return NULL;
}
