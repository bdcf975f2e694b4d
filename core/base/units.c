/* Bytes with their units, as text and as integers. A unit is taken in exact case only: where a
   text has two readings, both are named with their bytes instead of guessing one.
   GB = 10^9, GiB = 2^30 (IEC 80000-13). No floating point. Must not know: which field asks. */
#include "core/base/units.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"

static const struct {
  const char *name;
  int64_t factor;
} units[] = {
    {"B", 1},
    {"kB", INT64_C(1000)},
    {"MB", INT64_C(1000000)},
    {"GB", INT64_C(1000000000)},
    {"TB", INT64_C(1000000000000)},
    {"PB", INT64_C(1000000000000000)},
    {"KiB", INT64_C(1) << 10},
    {"MiB", INT64_C(1) << 20},
    {"GiB", INT64_C(1) << 30},
    {"TiB", INT64_C(1) << 40},
    {"PiB", INT64_C(1) << 50},
};

/* A number before its unit: digits / 10^places. */
struct amount {
  int64_t digits;
  int places;
  const char *number, *unit;
  size_t number_len, unit_len;
};

bool crv_unit_refuse(struct crv_unit_err *ue, const char *code, const char *expected, const char *s,
                     size_t len) {
  char quote[CRV_QUOTE_ROOM];
  ue->code = code;
  snprintf(ue->detail, sizeof ue->detail, "%s; got %.150s.", expected,
           crv_text_quote(s, len, quote));
  crv_text_repair(ue->detail);
  return false;
}

static int64_t factor_of(const char *unit, size_t len) {
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (strlen(units[i].name) == len && memcmp(units[i].name, unit, len) == 0)
      return units[i].factor;
  return 0;
}

int64_t crv_unit_factor(const char *unit) {
  return unit ? factor_of(unit, strlen(unit)) : 0;
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static size_t count_digits(const char *s, size_t len) {
  size_t n = 0;
  while (n < len && is_digit(s[n])) n++;
  return n;
}

/* The value of "123.4500": zeros at either end do not count; at most 18 digits do. */
static bool read_number(struct amount *a, size_t whole, size_t fraction, struct crv_unit_err *ue,
                        const char *s, size_t len) {
  const char *p = a->number;
  a->digits = 0;
  a->places = 0;
  while (whole && *p == '0') p++, whole--;
  if (whole > 18)
    return crv_unit_refuse(ue, "out_of_range", "Expected at most 9007199254740991 B", s, len);
  for (size_t i = 0; i < whole; i++) a->digits = a->digits * 10 + (p[i] - '0');
  const char *f = p + whole + 1;
  while (fraction && f[fraction - 1] == '0') fraction--;
  if (whole + fraction > 18)
    return crv_unit_refuse(ue, "too_many_decimals", "Expected at most 18 digits in an amount", s,
                           len);
  for (size_t i = 0; i < fraction; i++) a->digits = a->digits * 10 + (f[i] - '0');
  a->places = (int)fraction;
  return true;
}

/* What follows the digits shows that the number is written in another way: "1,000", "7e9". */
static bool is_no_plain_number(const char *s, size_t len) {
  if (len == 0) return false;
  if (strchr(",.+_'", *s)) return true;
  return (*s == 'e' || *s == 'E') && len > 1 && (is_digit(s[1]) || s[1] == '+' || s[1] == '-');
}

#define EXAMPLE "Expected an amount with its unit, such as \"24 GB\" or \"24 GiB\""

/* Splits s into number and unit; the unit may be empty or unknown. */
static bool scan(const char *s, size_t len, struct amount *a, struct crv_unit_err *ue) {
  if (len == 0) return crv_unit_refuse(ue, "bad_format", EXAMPLE, s, len);
  if (s[0] == '-' && len > 1 && is_digit(s[1]))
    return crv_unit_refuse(ue, "out_of_range", "Expected an amount that is not negative", s, len);
  size_t whole = count_digits(s, len), fraction = 0, at = whole;
  if (whole == 0) return crv_unit_refuse(ue, "bad_format", EXAMPLE, s, len);
  if (at < len && s[at] == '.') {
    fraction = count_digits(s + at + 1, len - at - 1);
    if (fraction == 0) return crv_unit_refuse(ue, "bad_format", EXAMPLE, s, len);
    at += 1 + fraction;
  }
  a->number = s;
  a->number_len = at;
  if (at < len && s[at] == ' ') at++;
  a->unit = s + at;
  a->unit_len = len - at;
  if (a->unit_len && (*a->unit == ' ' || *a->unit == '\t'))
    return crv_unit_refuse(ue, "bad_format", "Expected at most one space before the unit", s, len);
  if (is_no_plain_number(a->unit, a->unit_len))
    return crv_unit_refuse(ue, "bad_format",
                           "Expected plain digits with a point before the fraction", s, len);
  return read_number(a, whole, fraction, ue, s, len);
}

static int64_t power10(int n) {
  int64_t p = 1;
  while (n-- > 0) p *= 10;
  return p;
}

/* digits * factor / 10^places: the digits stay below 10^18 and the factor below 2^51. */
static bool scale(const struct amount *a, int64_t factor, enum crv_round round, int64_t *ret) {
  return crv_muldiv(a->digits, factor, power10(a->places), round == CRV_ROUND_UP, ret) &&
         *ret <= CRV_INT_MAX;
}

/* "24 GB = 24000000000 B" */
static void reading(const struct amount *a, const char *unit, char *out, size_t room) {
  int64_t bytes;
  int n = a->number_len > 20 ? 20 : (int)a->number_len;
  if (scale(a, crv_unit_factor(unit), CRV_ROUND_UP, &bytes))
    snprintf(out, room, "%.*s %s = %" PRId64 " B", n, a->number, unit, bytes);
  else
    snprintf(out, room, "%.*s %s", n, a->number, unit);
}

static bool ambiguous(const struct amount *a, const char *s, size_t len, char letter,
                      struct crv_unit_err *ue) {
  char quote[CRV_QUOTE_ROOM], decimal[3] = {letter == 'K' ? 'k' : letter, 'B', '\0'};
  char binary[4] = {letter, 'i', 'B', '\0'}, first[64], second[64];
  reading(a, decimal, first, sizeof first);
  reading(a, binary, second, sizeof second);
  ue->code = "ambiguous_unit";
  snprintf(ue->detail, sizeof ue->detail, "%.80s could be %s or %s; write the unit that is meant.",
           crv_text_quote(s, len, quote), first, second);
  crv_text_repair(ue->detail);
  return false;
}

static bool same_letters(const char *s, size_t len, const char *lower) {
  if (strlen(lower) != len) return false;
  for (size_t i = 0; i < len; i++)
    if ((s[i] | 0x20) != lower[i]) return false;
  return true;
}

static bool suggest(const struct amount *a, const char *unit, const char *s, size_t len,
                    struct crv_unit_err *ue) {
  char quote[CRV_QUOTE_ROOM], meant[64];
  reading(a, unit, meant, sizeof meant);
  ue->code = "bad_unit";
  snprintf(ue->detail, sizeof ue->detail,
           "%.120s has no unit that is known; write %s if that is meant.",
           crv_text_quote(s, len, quote), meant);
  crv_text_repair(ue->detail);
  return false;
}

/* The unit is not one of the table's: say what it could have meant. */
static bool explain(const struct amount *a, const char *s, size_t len, struct crv_unit_err *ue) {
  static const char letters[] = "KMGTP";
  if (a->unit_len == 0) return ambiguous(a, s, len, 'G', ue);
  for (const char *l = letters; *l; l++) {
    char low = (char)(*l | 0x20);
    char with_b[3] = {low, 'b', '\0'}, with_i[3] = {low, 'i', '\0'},
         with_ib[4] = {low, 'i', 'b', '\0'};
    char binary[4] = {*l, 'i', 'B', '\0'};
    if ((a->unit_len == 1 && (*a->unit | 0x20) == low) ||
        same_letters(a->unit, a->unit_len, with_b))
      return ambiguous(a, s, len, *l, ue);
    if (same_letters(a->unit, a->unit_len, with_i) || same_letters(a->unit, a->unit_len, with_ib))
      return suggest(a, binary, s, len, ue);
  }
  if (same_letters(a->unit, a->unit_len, "b") || same_letters(a->unit, a->unit_len, "byte") ||
      same_letters(a->unit, a->unit_len, "bytes"))
    return suggest(a, "B", s, len, ue);
  return crv_unit_refuse(
      ue, "bad_unit",
      "Expected one of B, kB, MB, GB, TB, PB, KiB, MiB, GiB, TiB, PiB after the number", s, len);
}

static bool with_unit(const char *s, size_t len, struct amount *a, int64_t *factor,
                      struct crv_unit_err *ue) {
  if (!scan(s, len, a, ue)) return false;
  *factor = factor_of(a->unit, a->unit_len);
  return *factor ? true : explain(a, s, len, ue);
}

bool crv_bytes_parse(const char *s, size_t len, enum crv_round round, int64_t *ret,
                     struct crv_unit_err *ue) {
  struct amount a;
  int64_t factor, bytes;
  if (!with_unit(s, len, &a, &factor, ue)) return false;
  if (!scale(&a, factor, round, &bytes))
    return crv_unit_refuse(ue, "out_of_range", "Expected at most 9007199254740991 B", s, len);
  *ret = bytes;
  return true;
}

bool crv_bytes_split(const char *s, size_t len, int64_t *ret_micro, int64_t *ret_factor,
                     struct crv_unit_err *ue) {
  struct amount a;
  int64_t factor, micro;
  if (!with_unit(s, len, &a, &factor, ue)) return false;
  if (a.places > 6)
    return crv_unit_refuse(ue, "too_many_decimals", "Expected at most six places after the point",
                           s, len);
  if (!crv_mul(a.digits, power10(6 - a.places), &micro))
    return crv_unit_refuse(ue, "out_of_range", "Expected a smaller number before the unit", s, len);
  *ret_micro = micro;
  *ret_factor = factor;
  return true;
}

bool crv_bytes_scale(int64_t micro, int64_t factor, enum crv_round round, int64_t *ret) {
  return crv_muldiv(micro, factor, CRV_MICRO, round == CRV_ROUND_UP, ret);
}

char *crv_bytes_gib(int64_t bytes, char *out, size_t room) {
  unsigned __int128 size = bytes < 0 ? -(unsigned __int128)bytes : (unsigned __int128)bytes;
  uint64_t hundredths = (uint64_t)((size * 100 + CRV_GIB / 2) / CRV_GIB);
  snprintf(out, room, "%s%" PRIu64 ".%02u GiB", bytes < 0 && hundredths ? "-" : "",
           hundredths / 100, (unsigned)(hundredths % 100));
  return out;
}
