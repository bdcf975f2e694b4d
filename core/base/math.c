/* Checked integer arithmetic for bytes and money, with 128-bit intermediates, and the checks of
   plain text. Must not know: units or JSON. */
#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"

bool crv_add(int64_t a, int64_t b, int64_t *ret) {
  int64_t sum;
  if (__builtin_add_overflow(a, b, &sum)) return false;
  *ret = sum;
  return true;
}

bool crv_mul(int64_t a, int64_t b, int64_t *ret) {
  int64_t product;
  if (__builtin_mul_overflow(a, b, &product)) return false;
  *ret = product;
  return true;
}

static bool narrow(__int128 v, int64_t *ret) {
  if (v > INT64_MAX || v < INT64_MIN) return false;
  *ret = (int64_t)v;
  return true;
}

bool crv_muldiv(int64_t a, int64_t b, int64_t c, bool up, int64_t *ret) {
  if (c <= 0) return false;
  __int128 product = (__int128)a * b, quotient = product / c, rest = product % c;
  if (rest > 0 && up) quotient++;
  if (rest < 0 && !up) quotient--;
  return narrow(quotient, ret);
}

bool crv_muldiv_half(int64_t a, int64_t b, int64_t c, int64_t *ret) {
  if (a < 0 || b < 0 || c <= 0) return false;
  __int128 product = (__int128)a * b;
  __int128 rest = product % c;
  return narrow(product / c + (rest >= c - rest ? 1 : 0), ret);
}

int64_t crv_cdiv(int64_t a, int64_t b) {
  return a / b + (a % b ? 1 : 0);
}

static bool is_key_char(char c, bool first) {
  if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9')) return true;
  return !first && (c == '.' || c == '_' || c == '-');
}

bool crv_key_ok(const char *s, size_t len) {
  if (len == 0 || len > 128) return false;
  for (size_t i = 0; i < len; i++)
    if (!is_key_char(s[i], i == 0)) return false;
  return true;
}

bool crv_utf8_ok(const char *s, size_t len) {
  while (len) {
    size_t n = crv_utf8_seq(s, len);
    if (n == 0 || *s == '\0') return false;
    s += n;
    len -= n;
  }
  return true;
}

bool crv_currency_ok(const char *s) {
  if (!s || strnlen(s, 4) != 3) return false;
  for (size_t i = 0; i < 3; i++)
    if (s[i] < 'A' || s[i] > 'Z') return false;
  return true;
}
