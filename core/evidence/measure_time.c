/* Times of samples, as the tools print them. Only differences are used, so that a zone without an
   offset is read as UTC. Must not know: series. */
#include <string.h>

#include "core/evidence/measure_internal.h"

struct moment {
  int64_t year, month, day, hour, minute, second, ms, offset_minutes;
};

/* Days since 1970-01-01 in the proleptic Gregorian calendar: civil years start in March, so that a
   leap day ends one. */
static int64_t days_of(int64_t y, int64_t m, int64_t d) {
  if (m <= 2) y--;
  int64_t era = y / 400, of_era = y - era * 400;
  int64_t of_year = (153 * (m + (m > 2 ? -3 : 9)) + 2) / 5 + d - 1;
  return era * 146097 + of_era * 365 + of_era / 4 - of_era / 100 + of_year - 719468;
}

static bool to_ms(const struct moment *t, int64_t *ret) {
  if (t->year < 1970 || t->year > 9999 || t->month < 1 || t->month > 12 || t->day < 1 ||
      t->day > 31 || t->hour > 23 || t->minute > 59 || t->second > 60)
    return false;
  int64_t days = days_of(t->year, t->month, t->day);
  int64_t minutes = days * 1440 + t->hour * 60 + t->minute - t->offset_minutes;
  *ret = (minutes * 60 + t->second) * 1000 + t->ms;
  return true;
}

/* Up to max digits; removes them from s. */
static bool take_int(struct crv_mspan *s, size_t max, int64_t *ret) {
  size_t n = 0;
  while (n < max && n < s->len && s->s[n] >= '0' && s->s[n] <= '9') n++;
  if (!crv_mint((struct crv_mspan){s->s, n}, ret)) return false;
  *s = crv_mspan_from(*s, n);
  return true;
}

static bool take(struct crv_mspan *s, const char *any) {
  if (s->len == 0 || !strchr(any, s->s[0])) return false;
  *s = crv_mspan_from(*s, 1);
  return true;
}

/* "10:30:00", ".123" or ",123" after it. */
static bool take_clock(struct crv_mspan *s, struct moment *t) {
  if (!take_int(s, 2, &t->hour) || !take(s, ":") || !take_int(s, 2, &t->minute) || !take(s, ":") ||
      !take_int(s, 2, &t->second))
    return false;
  if (s->len > 1 && strchr(".,", s->s[0]) && s->s[1] >= '0' && s->s[1] <= '9') {
    int64_t scale = 100;
    for (take(s, ".,"); s->len && s->s[0] >= '0' && s->s[0] <= '9'; *s = crv_mspan_from(*s, 1)) {
      t->ms += (s->s[0] - '0') * scale;
      scale /= 10;
    }
  }
  return true;
}

static void take_offset(struct crv_mspan *s, struct moment *t) {
  int64_t h, m = 0;
  if (s->len < 3 || (s->s[0] != '+' && s->s[0] != '-')) return;
  int sign = s->s[0] == '-' ? -1 : 1;
  *s = crv_mspan_from(*s, 1);
  if (!take_int(s, 2, &h)) return;
  take(s, ":");
  if (!take_int(s, 2, &m)) m = 0;
  t->offset_minutes = sign * (h * 60 + m);
}

bool crv_mtime_stamp(struct crv_mspan s, int64_t *ret_ms) {
  struct moment t = {0};
  s = crv_mtrim(s);
  if (!take_int(&s, 4, &t.year) || !take(&s, "/-") || !take_int(&s, 2, &t.month) ||
      !take(&s, "/-") || !take_int(&s, 2, &t.day) || !take(&s, " T") || !take_clock(&s, &t))
    return false;
  take_offset(&s, &t);
  return to_ms(&t, ret_ms);
}

static int64_t month_of(struct crv_mspan word) {
  static const char names[] = "JanFebMarAprMayJunJulAugSepOctNovDec";
  for (int64_t i = 0; i < 12; i++)
    if (word.len == 3 && memcmp(word.s, names + i * 3, 3) == 0) return i + 1;
  return 0;
}

bool crv_mtime_ctime(struct crv_mspan s, int64_t *ret_ms) {
  struct moment t = {0};
  struct crv_mspan rest = crv_mtrim(s), word = crv_mword(&rest);
  if (word.len != 3 || !strchr("MTWFS", word.s[0])) return false;
  t.month = month_of(crv_mword(&rest));
  word = crv_mword(&rest);
  if (!t.month || !crv_mint(word, &t.day)) return false;
  word = crv_mword(&rest);
  if (!take_clock(&word, &t)) return false;
  for (int i = 0; i < 4 && rest.len; i++) {
    word = crv_mword(&rest);
    if (crv_mspan_is(word, "PM") && t.hour < 12) t.hour += 12;
    if (crv_mspan_is(word, "AM") && t.hour == 12) t.hour = 0;
    if (word.len == 4 && crv_mint(word, &t.year)) return to_ms(&t, ret_ms);
  }
  return false;
}
