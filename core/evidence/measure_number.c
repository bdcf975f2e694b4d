/* Numbers and figures of memory as tools print them, exact: digits and places, never a double.
   "43,472" is read as thousands, "23721,00" as a decimal comma, "1,024" as neither.
   Must not know: what a unit means for a tool. */
#include <string.h>

#include "core/evidence/measure_internal.h"

enum { DIGITS = 18 };

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* -- the separators --------------------------------------------------------------------------- */

/* What stands between the digits of one number. */
struct shape {
  size_t len; /* from the first digit to the last */
  size_t dots, commas;
  size_t last_dot, last_comma; /* offsets */
  bool grouped;                /* every comma is followed by exactly three digits */
};

static size_t digits_at(struct crv_mspan s, size_t at) {
  size_t n = 0;
  while (at + n < s.len && is_digit(s.s[at + n])) n++;
  return n;
}

static struct shape shape_of(struct crv_mspan s) {
  struct shape h = {.grouped = true};
  size_t at = digits_at(s, 0), first = at;
  while (at + 1 < s.len && (s.s[at] == '.' || s.s[at] == ',') && is_digit(s.s[at + 1])) {
    size_t n = digits_at(s, at + 1);
    if (s.s[at] == '.') {
      h.dots++;
      h.last_dot = at;
    } else {
      if (n != 3 || h.dots || first > 3) h.grouped = false;
      h.commas++;
      h.last_comma = at;
    }
    at += 1 + n;
  }
  h.len = at;
  return h;
}

/* Offset of the decimal separator, or len when there is none. False: no number at all. */
static bool point_of(const struct shape *h, size_t *ret, bool *ambiguous) {
  *ret = h->len;
  if (h->dots > 1) return false;
  if (h->dots == 1 && h->commas == 0) {
    *ret = h->last_dot;
    return true;
  }
  if (h->dots == 1) {
    *ret = h->last_dot;
    return h->last_dot > h->last_comma && h->grouped;
  }
  if (h->commas == 0) return true;
  if (h->grouped) {
    *ambiguous = h->commas == 1;
    return true;
  }
  *ret = h->last_comma;
  return h->commas == 1;
}

static void collect(struct crv_mspan s, size_t point, struct crv_mnumber *n) {
  int digits = 0;
  for (size_t i = 0; i < s.len; i++) {
    if (!is_digit(s.s[i])) continue;
    if (digits > 0 || s.s[i] != '0') digits++;
    if (digits > DIGITS || n->places >= DIGITS) {
      n->too_big = digits > DIGITS && i < point;
      if (i >= point) continue; /* a digit no counter holds: cut */
      n->mantissa = 0;
      return;
    }
    n->mantissa = n->mantissa * 10 + (s.s[i] - '0');
    if (i > point) n->places++;
  }
}

size_t crv_mnumber_read(struct crv_mspan s, struct crv_mnumber *ret) {
  size_t sign = s.len && (s.s[0] == '-' || s.s[0] == '+') ? 1 : 0, point;
  struct crv_mspan body = crv_mspan_from(s, sign);
  if (body.len > 64) body.len = 64;
  *ret = (struct crv_mnumber){.set = true};
  struct shape h = shape_of(body);
  if (h.len == 0 || digits_at(body, 0) == 0 || !point_of(&h, &point, &ret->ambiguous)) return 0;
  body.len = h.len;
  collect(body, point, ret);
  if (sign && s.s[0] == '-') ret->mantissa = -ret->mantissa;
  size_t took = sign + h.len, kept = took < sizeof ret->text - 1 ? took : sizeof ret->text - 1;
  memcpy(ret->text, s.s, kept);
  ret->text[kept] = '\0';
  return took;
}

bool crv_mnumber_only(struct crv_mspan s, struct crv_mnumber *ret) {
  return s.len > 0 && crv_mnumber_read(s, ret) == s.len;
}

bool crv_mnumber_micro(const struct crv_mnumber *n, int64_t *ret) {
  int64_t scale = 1;
  if (!n->set || n->too_big) return false;
  for (int i = 0; i < n->places; i++) scale *= 10;
  return n->mantissa < 0 ? crv_muldiv(n->mantissa, CRV_MICRO, scale, true, ret)
                         : crv_muldiv(n->mantissa, CRV_MICRO, scale, false, ret);
}

/* -- figures ---------------------------------------------------------------------------------- */

/* Words that stand where a figure would. */
static size_t missing_word(struct crv_mspan s) {
  static const char *const words[] = {
      "[N/A]",
      "N/A",
      "[Not Supported]",
      "Not Supported",
      "[Unknown Error]",
      "ERR!",
      "nan",
      "None",
      "null",
      "Unknown",
      "[GPU requires reset]",
      "[Insufficient Permissions]",
  };
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    size_t n = strlen(words[i]);
    if (crv_mspan_starts(s, words[i]) && (n == s.len || !is_letter(s.s[n]))) return n;
  }
  return 0;
}

/* A unit of memory at s; bare letters count only where they touch the number. */
static size_t unit_at(struct crv_mspan s, bool touches, char *out) {
  static const char *const units[] = {"bytes", "Bytes", "byte", "B",   "KiB", "MiB", "GiB", "TiB",
                                      "PiB",   "KB",    "kB",   "MB",  "GB",  "TB",  "PB",  "kb",
                                      "mb",    "gb",    "kib",  "mib", "gib", "Ki",  "Mi",  "Gi"};
  size_t n = 0;
  while (n < s.len && n < 8 && is_letter(s.s[n])) n++;
  if (n == 0 || n == 8 || (n < s.len && (is_digit(s.s[n]) || s.s[n] == '/' || s.s[n] == '_')))
    return 0;
  for (size_t i = 0; i < sizeof units / sizeof *units; i++)
    if (crv_mspan_is((struct crv_mspan){s.s, n}, units[i])) {
      memcpy(out, units[i], n + 1);
      return n;
    }
  if (n == 1 && touches && strchr("KMGTkmg", s.s[0])) {
    memcpy(out, s.s, 1);
    out[1] = '\0';
    return 1;
  }
  return 0;
}

size_t crv_mfigure_read(struct crv_mspan s, struct crv_mfigure *ret) {
  memset(ret, 0, sizeof *ret);
  size_t took = crv_mnumber_read(s, &ret->n), gap = 0;
  if (took == 0) {
    took = missing_word(s);
    size_t kept = took < sizeof ret->n.text - 1 ? took : sizeof ret->n.text - 1;
    ret->n = (struct crv_mnumber){.set = false};
    memcpy(ret->n.text, s.s, kept);
    return took;
  }
  while (gap < 4 && took + gap < s.len && (s.s[took + gap] == ' ' || s.s[took + gap] == '\t'))
    gap++;
  size_t unit = unit_at(crv_mspan_from(s, took + gap), gap == 0, ret->unit);
  if (unit) return took + gap + unit;
  /* A word that touches the number makes it another thing ("12x", "4k"). */
  return took;
}
