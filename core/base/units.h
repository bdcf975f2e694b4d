/* Text <-> integers: bytes, exact decimals, times, and the checks of plain text.
   No floating point anywhere. Decimals are int64 micro-units (10^-6). Times are int64
   milliseconds since 1970 UTC. */
#ifndef CRV_BASE_UNITS_H
#define CRV_BASE_UNITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "arena.h"
#include "err.h"

enum { CRV_MICRO = 1000000 };
#define CRV_INT_MAX INT64_C(9007199254740991) /* 2^53 - 1: the largest integer in our JSON */
#define CRV_GIB (INT64_C(1) << 30)
#define CRV_MIB (INT64_C(1) << 20)
#define CRV_HOUR_MS INT64_C(3600000)
#define CRV_DAY_MS INT64_C(86400000)

struct crv_opt_int {
  int64_t v;
  bool set;
};
enum crv_tri { CRV_UNSET = 0, CRV_FALSE, CRV_TRUE };
enum crv_round { CRV_ROUND_UP, CRV_ROUND_DOWN };

/* Why a text is no quantity; `why` points at static text fit for an error's detail. */
struct crv_unit_err {
  const char *code; /* bad_unit, bad_format, out_of_range, too_many_decimals, ambiguous_unit */
  char detail[256]; /* for an ambiguous "24G": both readings and their bytes */
};

/* Fills ue with code and "EXPECTED; got QUOTED."; returns false. */
bool crv_unit_refuse(struct crv_unit_err *ue, const char *code, const char *expected, const char *s,
                     size_t len);

/* "19.04 GiB", "24 GB", "24564MiB", "512 B": a decimal number, at most one space, a unit of
   B kB MB GB TB PB KiB MiB GiB TiB PiB in exact case. A fraction of a byte rounds as told.
   Negative, empty or larger than CRV_INT_MAX bytes: false with ue filled. */
bool crv_bytes_parse(const char *s, size_t len, enum crv_round round, int64_t *ret,
                     struct crv_unit_err *ue);
/* Number part and unit apart, exact: "24 GB" -> 24000000 micro, factor 10^9. */
bool crv_bytes_split(const char *s, size_t len, int64_t *ret_micro, int64_t *ret_factor,
                     struct crv_unit_err *ue);
/* Factor in bytes of a unit's exact name, 0 when unknown. */
int64_t crv_unit_factor(const char *unit);
/* micro * factor / 10^6, rounded as told; false on overflow. */
bool crv_bytes_scale(int64_t micro, int64_t factor, enum crv_round round, int64_t *ret);
/* Bytes as GiB with two decimals, rounded half up: "19.04 GiB". At least 32 bytes of room. */
char *crv_bytes_gib(int64_t bytes, char *out, size_t room);

/* An exact decimal: -?digits[.digits], also an exponent as JSON allows (7e9, 1.5e-3); at most six
   places after the point once trailing zeros are dropped (more: too_many_decimals), and
   |value| <= 9.2 * 10^12. */
bool crv_decimal_parse(const char *s, size_t len, int64_t *ret_micro, struct crv_unit_err *ue);
/* Shortest exact text: 47140000 -> "47.14", 5000000 -> "5", -1 -> "-0.000001". At least 32 bytes.
 */
char *crv_decimal_text(int64_t micro, char *out, size_t room);
/* Money for people: at least two decimals, no more than needed: "47.14", "131.04", "0.1381". */
char *crv_money_text(int64_t micro, char *out, size_t room);

/* RFC 3339 with Z or an offset -> UTC ms; fractions beyond ms refused; leap second refused;
   years 1970..9999. */
bool crv_time_parse(const char *s, size_t len, int64_t *ret_ms, struct crv_unit_err *ue);
/* "2026-11-30T10:00:00Z", with ".250" only when ms are not zero. At least 32 bytes. */
char *crv_time_text(int64_t ms, char *out, size_t room);
/* "30 May 2027" (UTC). At least 32 bytes. */
char *crv_date_text(int64_t ms, char *out, size_t room);
/* "YYYY-MM-DD" -> ms of that day's 00:00 UTC. */
bool crv_date_parse(const char *s, size_t len, int64_t *ret_ms, struct crv_unit_err *ue);

/* Checked arithmetic: false on overflow, *ret then untouched. */
bool crv_add(int64_t a, int64_t b, int64_t *ret);
bool crv_mul(int64_t a, int64_t b, int64_t *ret);
/* a * b / c with a 128-bit intermediate; c > 0; rounds toward +inf when up. */
bool crv_muldiv(int64_t a, int64_t b, int64_t c, bool up, int64_t *ret);
/* As crv_muldiv for a,b >= 0, rounding half up: for money in micro-units. */
bool crv_muldiv_half(int64_t a, int64_t b, int64_t c, int64_t *ret);
/* ceil(a / b), b > 0, a >= 0. */
int64_t crv_cdiv(int64_t a, int64_t b);

/* [a-z0-9][a-z0-9._-]{0,127} */
bool crv_key_ok(const char *s, size_t len);
/* Strict UTF-8: no surrogates, no overlong forms, at most U+10FFFF, no NUL. */
bool crv_utf8_ok(const char *s, size_t len);
/* Three capital letters. */
bool crv_currency_ok(const char *s);

#endif
