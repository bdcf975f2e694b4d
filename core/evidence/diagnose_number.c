/* Numbers with units as messages print them: separators of thousands or a decimal comma, broken by
   the end of a terminal's line, cut, or beyond 64 bits. Exact; no floating point. GB and MB are
   read as powers of 1024: every tool in clauses.def divides by 1024. Must not know: what a number
   stands for. */
#include <string.h>

#include "core/evidence/diagnose_internal.h"

static const struct {
  const char *lower, *shown;
  int64_t factor;
} units[] = {
    {"bytes", "bytes", 1},
    {"byte", "byte", 1},
    {"kib", "KiB", 1 << 10},
    {"kb", "kB", 1 << 10},
    {"mib", "MiB", 1 << 20},
    {"mb", "MB", 1 << 20},
    {"gib", "GiB", 1 << 30},
    {"gb", "GB", 1 << 30},
    {"tib", "TiB", INT64_C(1) << 40},
    {"tb", "TB", INT64_C(1) << 40},
    {"pib", "PiB", INT64_C(1) << 50},
    {"eib", "EiB", INT64_C(1) << 60},
    {"eb", "EB", INT64_C(1) << 60},
    {"b", "B", 1},
    {"k", "K", 1 << 10},
    {"m", "M", 1 << 20},
    {"g", "G", 1 << 30},
    {"t", "T", INT64_C(1) << 40},
};
enum { N_UNITS = sizeof units / sizeof *units, MAX_DIGITS = 21, WRAP_COLUMNS = 60 };

static bool digit(char c) {
  return c >= '0' && c <= '9';
}

static bool in_number(char c) {
  return digit(c) || c == '.' || c == ',';
}

/* Is the break before byte `at` one that a full terminal line made? */
static bool wrapped_here(const struct crv_flat *f, size_t at) {
  size_t end = crv_flat_raw(f, at - 1), width = 0;
  while (width < WRAP_COLUMNS && width < end && f->raw[end - width] != '\n') width++;
  return width >= WRAP_COLUMNS;
}

static bool joins(const struct crv_flat *f, size_t at, bool whole) {
  enum crv_gap gap = crv_flat_gap(f, at);
  return gap == CRV_GAP_NONE || (gap == CRV_GAP_LINE && !whole && wrapped_here(f, at));
}

/* -- separators ----------------------------------------------------------------------------------
 */

struct groups {
  size_t n, dots, commas;
  size_t last;       /* separator that comes last, index in the text */
  size_t tail, head; /* digits behind the last separator, before the first one */
  bool thousands;    /* every group between and behind has three digits */
};

static struct groups look(const char *s, size_t len) {
  struct groups g = {.thousands = true};
  size_t run = 0;
  for (size_t i = 0; i <= len; i++) {
    if (i < len && digit(s[i])) {
      run++;
      continue;
    }
    if (g.n == 0)
      g.head = run;
    else if (run != 3)
      g.thousands = false;
    if (i == len) break;
    g.dots += s[i] == '.';
    g.commas += s[i] == ',';
    g.last = i;
    g.n++;
    run = 0;
  }
  g.tail = run;
  return g;
}

/* Where the decimal point stands, SIZE_MAX: nowhere. */
static size_t point(const char *s, size_t len, bool *unclear) {
  struct groups g = look(s, len);
  if (g.n == 0) return SIZE_MAX;
  if (g.n == 1 && g.dots == 1) return g.last;
  if (g.n == 1) return g.tail == 3 && g.head <= 3 && g.head > 0 ? SIZE_MAX : g.last;
  if (g.dots && g.commas && (s[g.last] == '.' ? g.dots : g.commas) == 1) return g.last;
  if (!g.thousands || g.head > 3) *unclear = true;
  return SIZE_MAX;
}

static void read_digits(const char *s, size_t len, struct crv_dx_number *n) {
  size_t dot = point(s, len, &n->unclear);
  int count = 0;
  for (size_t i = 0; i < len; i++) {
    if (!digit(s[i])) continue;
    if (count >= MAX_DIGITS) {
      n->endless |= dot == SIZE_MAX || i < dot;
      continue;
    }
    n->digits = n->digits * 10 + (unsigned)(s[i] - '0');
    if (n->digits) count++;
    if (dot != SIZE_MAX && i > dot) n->places++;
  }
}

/* -- units
 * -----------------------------------------------------------------------------------------
 */

void crv_dx_unit_at(const struct crv_flat *f, struct crv_dx_number *n) {
  const char *s = f->s + n->to;
  size_t left = f->n - n->to;
  for (size_t i = 0; i < N_UNITS; i++) {
    size_t len = strlen(units[i].lower);
    if (left < len || memcmp(s, units[i].lower, len) != 0) continue;
    if (!crv_flat_ends_word(f, n->to + len)) continue;
    /* a lone letter at the end may be the first of a longer unit, on a new line of another word */
    if (len == 1 && (left == 1 || crv_flat_gap(f, n->to) == CRV_GAP_LINE)) continue;
    n->unit = units[i].shown;
    n->factor = units[i].factor;
    n->to += len;
    return;
  }
  n->cut |= left == 0 || (left == 1 && strchr("kmgtb", *s)) || (left == 2 && s[1] == 'i');
}

bool crv_dx_number_at(const struct crv_flat *f, size_t at, bool whole, struct crv_dx_number *ret) {
  *ret = (struct crv_dx_number){0};
  size_t i = at;
  while (i < f->n && i < at + 4 && strchr(":=(\"'[~", f->s[i])) i++;
  ret->from = i;
  if (i < f->n && f->s[i] == '-') {
    ret->negative = true;
    i++;
  }
  size_t start = i;
  if (i >= f->n || !digit(f->s[i])) return false;
  for (i++; i < f->n && in_number(f->s[i]) && joins(f, i, whole); i++) continue;
  size_t end = i;
  while (!digit(f->s[end - 1])) end--;
  read_digits(f->s + start, end - start, ret);
  ret->to = end;
  ret->cut = i == f->n;
  return true;
}

bool crv_dx_number_before(const struct crv_flat *f, size_t end, bool whole,
                          struct crv_dx_number *ret) {
  *ret = (struct crv_dx_number){.to = end};
  size_t e = end;
  for (size_t i = 0; !whole && i < N_UNITS && !ret->unit; i++) {
    size_t len = strlen(units[i].lower);
    if (len == 1 || end <= len || memcmp(f->s + end - len, units[i].lower, len) != 0) continue;
    if (!digit(f->s[end - len - 1])) continue;
    ret->unit = units[i].shown;
    ret->factor = units[i].factor;
    e = end - len;
  }
  if (e == 0 || !digit(f->s[e - 1]) || (!whole && !ret->unit)) return false;
  size_t i = e - 1;
  while (i > 0 && in_number(f->s[i - 1]) && joins(f, i, whole)) i--;
  while (!digit(f->s[i])) i++;
  read_digits(f->s + i, e - i, ret);
  ret->negative = i > 0 && f->s[i - 1] == '-' && crv_flat_gap(f, i) == CRV_GAP_NONE;
  ret->from = i - ret->negative;
  return true;
}

/* -- values
 * ----------------------------------------------------------------------------------------
 */

static unsigned __int128 ten_to(int places) {
  unsigned __int128 v = 1;
  for (int i = 0; i < places; i++) v *= 10;
  return v;
}

bool crv_dx_number_bytes(const struct crv_dx_number *n, int64_t factor, bool up, int64_t *ret,
                         bool *wrapped) {
  const unsigned __int128 one = 1;
  *wrapped = false;
  if (n->endless || n->digits > (one << 70)) return false;
  /* digits < 2^70 and a factor of at most 2^50 fit; larger factors only with fewer digits */
  if (factor > (INT64_C(1) << 50) && n->digits > (one << 60)) return false;
  unsigned __int128 scale = ten_to(n->places), v = n->digits * (uint64_t)factor;
  bool exact = v % scale == 0;
  v /= scale;
  if (!exact && up != n->negative) v++;
  *wrapped = v >= (one << 63) - (one << 40) && v <= (one << 64);
  if (v > (unsigned __int128)CRV_INT_MAX) return false;
  *ret = n->negative ? -(int64_t)v : (int64_t)v;
  return true;
}

bool crv_dx_number_int(const struct crv_dx_number *n, int64_t *ret) {
  if (n->endless || n->places || n->digits > (unsigned __int128)CRV_INT_MAX) return false;
  *ret = n->negative ? -(int64_t)n->digits : (int64_t)n->digits;
  return true;
}

bool crv_dx_number_micro(const struct crv_dx_number *n, int64_t *ret) {
  if (n->endless || n->places > 6 || n->digits > (unsigned __int128)CRV_INT_MAX) return false;
  unsigned __int128 v = n->digits * ten_to(6 - n->places);
  if (v > (unsigned __int128)CRV_INT_MAX) return false;
  *ret = n->negative ? -(int64_t)v : (int64_t)v;
  return true;
}
