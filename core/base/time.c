/* Times: RFC 3339 text and integer milliseconds since 1970 UTC, by the proleptic Gregorian
   calendar. The days are counted as in H. Hinnant, "chrono-compatible low-level date algorithms"
   (days_from_civil, civil_from_days). Must not know: what time it is. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/units.h"

struct civil {
  int64_t year;
  int month, day;
};

#define LAST_MS INT64_C(253402300799999) /* 9999-12-31T23:59:59.999Z */

static int64_t days_from_civil(struct civil c) {
  int64_t y = c.month <= 2 ? c.year - 1 : c.year;
  int64_t era = (y >= 0 ? y : y - 399) / 400;
  int64_t yoe = y - era * 400;
  int64_t doy = (153 * (c.month + (c.month > 2 ? -3 : 9)) + 2) / 5 + c.day - 1;
  int64_t doe = yoe * 365 + yoe / 4 - yoe / 100 + doy;
  return era * 146097 + doe - 719468;
}

static struct civil civil_from_days(int64_t days) {
  int64_t z = days + 719468;
  int64_t era = (z >= 0 ? z : z - 146096) / 146097;
  int64_t doe = z - era * 146097;
  int64_t yoe = (doe - doe / 1460 + doe / 36524 - doe / 146096) / 365;
  int64_t doy = doe - (365 * yoe + yoe / 4 - yoe / 100);
  int64_t mp = (5 * doy + 2) / 153;
  struct civil c = {.year = yoe + era * 400,
                    .month = (int)(mp < 10 ? mp + 3 : mp - 9),
                    .day = (int)(doy - (153 * mp + 2) / 5 + 1)};
  if (c.month <= 2) c.year++;
  return c;
}

static int days_in_month(int64_t year, int month) {
  static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
  bool leap = (year % 4 == 0 && year % 100 != 0) || year % 400 == 0;
  return month == 2 && leap ? 29 : days[month - 1];
}

/* n digits at s, or -1. */
static int number(const char *s, size_t len, size_t at, size_t n) {
  int v = 0;
  if (at + n > len) return -1;
  for (size_t i = at; i < at + n; i++) {
    if (s[i] < '0' || s[i] > '9') return -1;
    v = v * 10 + (s[i] - '0');
  }
  return v;
}

static bool char_at(const char *s, size_t len, size_t at, const char *one_of) {
  return at < len && s[at] && strchr(one_of, s[at]);
}

#define DATE_FORMAT "Expected a date such as \"2026-11-30\""
#define TIME_FORMAT "Expected a time with its zone such as \"2026-11-30T10:00:00Z\""

/* The date at the beginning of s. */
static bool read_date(const char *s, size_t len, const char *format, int64_t *days,
                      struct crv_unit_err *ue) {
  int year = number(s, len, 0, 4), month = number(s, len, 5, 2), day = number(s, len, 8, 2);
  if (year < 0 || month < 0 || day < 0 || s[4] != '-' || s[7] != '-')
    return crv_unit_refuse(ue, "bad_format", format, s, len);
  if (year < 1970)
    return crv_unit_refuse(ue, "out_of_range", "Expected a year of 1970 or later", s, len);
  if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month))
    return crv_unit_refuse(ue, "out_of_range", "Expected a day that the calendar has", s, len);
  *days = days_from_civil((struct civil){.year = year, .month = month, .day = day});
  return true;
}

/* ".250" at *at: up to three digits that are not trailing zeros. */
static bool read_fraction(const char *s, size_t len, size_t *at, int64_t *ms,
                          struct crv_unit_err *ue) {
  size_t n = 0;
  int64_t scale = 100;
  *ms = 0;
  if (!char_at(s, len, *at, ".")) return true;
  for ((*at)++; *at < len && s[*at] >= '0' && s[*at] <= '9'; (*at)++, n++) {
    if (scale == 0 && s[*at] != '0')
      return crv_unit_refuse(ue, "too_many_decimals", "Expected at most milliseconds", s, len);
    *ms += (s[*at] - '0') * scale;
    scale /= 10;
  }
  return n ? true : crv_unit_refuse(ue, "bad_format", TIME_FORMAT, s, len);
}

/* "Z" or "+02:00" at `at`, to the end. */
static bool read_zone(const char *s, size_t len, size_t at, int64_t *ms, struct crv_unit_err *ue) {
  *ms = 0;
  if (char_at(s, len, at, "Zz") && at + 1 == len) return true;
  int hours = number(s, len, at + 1, 2), minutes = number(s, len, at + 4, 2);
  if (!char_at(s, len, at, "+-") || hours < 0 || minutes < 0 || s[at + 3] != ':' || at + 6 != len)
    return crv_unit_refuse(ue, "bad_format", TIME_FORMAT, s, len);
  if (hours > 23 || minutes > 59)
    return crv_unit_refuse(ue, "out_of_range", "Expected an offset within 23:59", s, len);
  *ms = (hours * 60 + minutes) * INT64_C(60000);
  if (s[at] == '-') *ms = -*ms;
  return true;
}

bool crv_time_parse(const char *s, size_t len, int64_t *ret_ms, struct crv_unit_err *ue) {
  int64_t days, fraction, offset;
  if (!read_date(s, len, TIME_FORMAT, &days, ue)) return false;
  int hour = number(s, len, 11, 2), minute = number(s, len, 14, 2), second = number(s, len, 17, 2);
  if (!char_at(s, len, 10, "Tt") || hour < 0 || minute < 0 || second < 0 || s[13] != ':' ||
      s[16] != ':')
    return crv_unit_refuse(ue, "bad_format", TIME_FORMAT, s, len);
  if (hour > 23 || minute > 59 || second > 59)
    return crv_unit_refuse(ue, "out_of_range",
                           second == 60
                               ? "Expected seconds up to 59 (a leap second is not taken)"
                               : "Expected an hour up to 23 and minutes and seconds up to 59",
                           s, len);
  size_t at = 19;
  if (!read_fraction(s, len, &at, &fraction, ue) || !read_zone(s, len, at, &offset, ue))
    return false;
  int64_t seconds = days * 86400 + hour * INT64_C(3600) + minute * INT64_C(60) + second;
  int64_t ms = seconds * 1000 + fraction - offset;
  if (ms < 0 || ms > LAST_MS)
    return crv_unit_refuse(ue, "out_of_range", "Expected a time from 1970 to 9999 UTC", s, len);
  *ret_ms = ms;
  return true;
}

bool crv_date_parse(const char *s, size_t len, int64_t *ret_ms, struct crv_unit_err *ue) {
  int64_t days;
  if (len != 10) return crv_unit_refuse(ue, "bad_format", DATE_FORMAT, s, len);
  if (!read_date(s, len, DATE_FORMAT, &days, ue)) return false;
  *ret_ms = days * CRV_DAY_MS;
  return true;
}

static int64_t floor_div(int64_t a, int64_t b) {
  return a / b - (a % b < 0 ? 1 : 0);
}

char *crv_time_text(int64_t ms, char *out, size_t room) {
  int64_t days = floor_div(ms, CRV_DAY_MS);
  int rest = (int)(ms - days * CRV_DAY_MS);
  struct civil c = civil_from_days(days);
  int n = snprintf(out, room, "%04" PRId64 "-%02d-%02dT%02d:%02d:%02d", c.year, c.month, c.day,
                   rest / 3600000, rest / 60000 % 60, rest / 1000 % 60);
  if (n < 0 || (size_t)n >= room) return out;
  if (rest % 1000)
    snprintf(out + n, room - (size_t)n, ".%03dZ", rest % 1000);
  else
    snprintf(out + n, room - (size_t)n, "Z");
  return out;
}

char *crv_date_text(int64_t ms, char *out, size_t room) {
  static const char *const names[] = {"Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                      "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"};
  struct civil c = civil_from_days(floor_div(ms, CRV_DAY_MS));
  snprintf(out, room, "%d %s %04" PRId64, c.day, names[c.month - 1], c.year);
  return out;
}
