/* Exact decimals: int64 micro-units (10^-6) and text, for money, metrics and rates.
   This is the documented parser of decimals: the digits are collected, never a double.
   Must not know: currencies. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/units.h"

/* The digits without zeros at either end, and the power of ten of the last of them. */
struct decimal {
  bool negative;
  int64_t exponent;
  size_t n;
  const char *first; /* of the significant digits; a point may stand among them */
};

enum { PLACES = 6, EXPONENT_CAP = 1000000000 };
#define MICRO_MAX INT64_C(9200000000000000000) /* 9.2 * 10^12 */

static size_t count_digits(const char *s, size_t len) {
  size_t n = 0;
  while (n < len && s[n] >= '0' && s[n] <= '9') n++;
  return n;
}

/* "e-12" at s; false when what stands there is no whole exponent. */
static bool read_exponent(const char *s, size_t len, int64_t *ret) {
  int64_t v = 0;
  bool negative = false;
  size_t at = 1;
  if (s[0] != 'e' && s[0] != 'E') return false;
  if (at < len && (s[at] == '+' || s[at] == '-')) negative = s[at++] == '-';
  size_t n = count_digits(s + at, len - at);
  if (n == 0 || at + n != len) return false;
  for (size_t i = 0; i < n && v < EXPONENT_CAP; i++) v = v * 10 + (s[at + i] - '0');
  if (v > EXPONENT_CAP) v = EXPONENT_CAP;
  *ret = negative ? -v : v;
  return true;
}

/* Drops the zeros at both ends of s[0..len), which holds digits and at most one point. */
static void strip(struct decimal *d, const char *s, size_t len, size_t fraction) {
  d->exponent -= (int64_t)fraction;
  while (len && (s[0] == '0' || s[0] == '.')) s++, len--;
  while (len && (s[len - 1] == '0' || s[len - 1] == '.')) {
    if (s[len - 1] == '0') d->exponent++;
    len--;
  }
  d->first = s;
  d->n = len - (len && memchr(s, '.', len) ? 1 : 0);
}

static bool scan(const char *s, size_t len, struct decimal *d) {
  *d = (struct decimal){0};
  if (len && s[0] == '-') {
    d->negative = true;
    s++;
    len--;
  }
  size_t whole = count_digits(s, len), fraction = 0, end = whole;
  if (whole == 0) return false;
  if (end < len && s[end] == '.') {
    fraction = count_digits(s + end + 1, len - end - 1);
    if (fraction == 0) return false;
    end += 1 + fraction;
  }
  if (end < len && !read_exponent(s + end, len - end, &d->exponent)) return false;
  strip(d, s, end, fraction);
  return true;
}

/* At most 19 digits reach this: value < 10^13. */
static int64_t to_micro(const struct decimal *d) {
  uint64_t v = 0;
  const char *p = d->first;
  for (size_t i = 0; i < d->n; p++) {
    if (*p == '.') continue;
    v = v * 10 + (uint64_t)(*p - '0');
    i++;
  }
  for (int64_t e = d->exponent; e > -PLACES; e--) v *= 10;
  return v > (uint64_t)MICRO_MAX ? -1 : (int64_t)v;
}

bool crv_decimal_parse(const char *s, size_t len, int64_t *ret_micro, struct crv_unit_err *ue) {
  struct decimal d;
  if (!scan(s, len, &d))
    return crv_unit_refuse(ue, "bad_format", "Expected a decimal number such as \"47.14\"", s, len);
  if (d.n == 0) {
    *ret_micro = 0;
    return true;
  }
  if ((int64_t)d.n + d.exponent > 13)
    return crv_unit_refuse(ue, "out_of_range", "Expected a number within 9200000000000", s, len);
  if (d.exponent < -PLACES)
    return crv_unit_refuse(ue, "too_many_decimals", "Expected at most six places after the point",
                           s, len);
  int64_t micro = to_micro(&d);
  if (micro < 0)
    return crv_unit_refuse(ue, "out_of_range", "Expected a number within 9200000000000", s, len);
  *ret_micro = d.negative ? -micro : micro;
  return true;
}

static char *with_places(int64_t micro, int least, char *out, size_t room) {
  uint64_t size = micro < 0 ? -(uint64_t)micro : (uint64_t)micro;
  uint64_t whole = size / CRV_MICRO, fraction = size % CRV_MICRO;
  int places = PLACES;
  while (places > least && fraction % 10 == 0) {
    fraction /= 10;
    places--;
  }
  const char *sign = micro < 0 ? "-" : "";
  if (places == 0)
    snprintf(out, room, "%s%" PRIu64, sign, whole);
  else
    snprintf(out, room, "%s%" PRIu64 ".%0*" PRIu64, sign, whole, places, fraction);
  return out;
}

char *crv_decimal_text(int64_t micro, char *out, size_t room) {
  return with_places(micro, 0, out, room);
}

char *crv_money_text(int64_t micro, char *out, size_t room) {
  return with_places(micro, 2, out, room);
}
