/* core/base/units: bytes, decimals, money, times, checked arithmetic, and every refusal by code. */
#include <check.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/units.h"

#define BIG CRV_INT_MAX

static const struct {
  const char *text;
  int64_t up, down;
} bytes[] = {
    {"0 B", 0, 0},
    {"1B", 1, 1},
    {"512 B", 512, 512},
    {"24 GB", 24000000000, 24000000000},
    {"24GiB", 25769803776, 25769803776},
    {"24564MiB", 25757220864, 25757220864},
    {"19.04 GiB", 20444044329, 20444044328},
    {"19.0390625 GiB", 20443037696, 20443037696},
    {"1.5 kB", 1500, 1500},
    {"1 KiB", 1024, 1024},
    {"0.0001 kB", 1, 0},
    {"0.1 B", 1, 0},
    {"1.0000000000000000 GB", 1000000000, 1000000000},
    {"000000000000000000000024 GB", 24000000000, 24000000000},
    {"1 MB", 1000000, 1000000},
    {"1 TB", 1000000000000, 1000000000000},
    {"9 PB", 9000000000000000, 9000000000000000},
    {"1 TiB", 1099511627776, 1099511627776},
    {"7 PiB", 7881299347898368, 7881299347898368},
    {"9007199254740991 B", BIG, BIG},
    {"9007199254740990.5 B", BIG, BIG - 1},
};

START_TEST(bytes_round_up_and_down) {
  for (size_t i = 0; i < sizeof bytes / sizeof *bytes; i++) {
    struct crv_unit_err ue;
    int64_t up = -1, down = -1;
    size_t len = strlen(bytes[i].text);
    ck_assert_msg(crv_bytes_parse(bytes[i].text, len, CRV_ROUND_UP, &up, &ue), "%s: %s",
                  bytes[i].text, ue.detail);
    ck_assert(crv_bytes_parse(bytes[i].text, len, CRV_ROUND_DOWN, &down, &ue));
    ck_assert_msg(up == bytes[i].up && down == bytes[i].down, "%s: %" PRId64 " %" PRId64,
                  bytes[i].text, up, down);
  }
}
END_TEST

static const struct {
  const char *text, *code, *says;
} bad_bytes[] = {
    {"", "bad_format", "24 GiB"},
    {"GB", "bad_format", "with its unit"},
    {" 24 GB", "bad_format", "with its unit"},
    {"+24 GB", "bad_format", "with its unit"},
    {".5 GB", "bad_format", "with its unit"},
    {"5. GB", "bad_format", "with its unit"},
    {"24  GB", "bad_format", "one space"},
    {"24 \tGB", "bad_format", "one space"},
    {"1,000 GB", "bad_format", "plain digits"},
    {"19,04 GiB", "bad_format", "plain digits"},
    {"1e3 GB", "bad_format", "plain digits"},
    {"1_000 GB", "bad_format", "plain digits"},
    {"1.2.3 GB", "bad_format", "plain digits"},
    {"NaN GB", "bad_format", "with its unit"},
    {"24G", "ambiguous_unit", "24 GB = 24000000000 B or 24 GiB = 25769803776 B"},
    {"24 gb", "ambiguous_unit", "24 GB = 24000000000 B or 24 GiB = 25769803776 B"},
    {"24 Gb", "ambiguous_unit", "24 GB = 24000000000 B or 24 GiB = 25769803776 B"},
    {"24g", "ambiguous_unit", "24 GB = 24000000000 B or 24 GiB = 25769803776 B"},
    {"24", "ambiguous_unit", "24 GB = 24000000000 B or 24 GiB = 25769803776 B"},
    {"24 ", "ambiguous_unit", "24 GB = 24000000000 B or 24 GiB = 25769803776 B"},
    {"1.5", "ambiguous_unit", "1.5 GB = 1500000000 B or 1.5 GiB = 1610612736 B"},
    {"64KB", "ambiguous_unit", "64 kB = 64000 B or 64 KiB = 65536 B"},
    {"64K", "ambiguous_unit", "64 kB = 64000 B or 64 KiB = 65536 B"},
    {"5M", "ambiguous_unit", "5 MB = 5000000 B or 5 MiB = 5242880 B"},
    {"2t", "ambiguous_unit", "2 TB = 2000000000000 B or 2 TiB = 2199023255552 B"},
    {"9 pb", "ambiguous_unit", "9 PB = 9000000000000000 B or 9 PiB;"},
    {"24 GB ", "bad_unit", "kB, MB, GB"},
    {"24 gib", "bad_unit", "24 GiB = 25769803776 B"},
    {"24Gi", "bad_unit", "24 GiB = 25769803776 B"},
    {"24 bytes", "bad_unit", "24 B = 24 B"},
    {"24 b", "bad_unit", "24 B = 24 B"},
    {"24 EB", "bad_unit", "kB, MB, GB"},
    {"24 GBs", "bad_unit", "kB, MB, GB"},
    {"24 Gibibyte", "bad_unit", "kB, MB, GB"},
    {"-1 GB", "out_of_range", "not negative"},
    {"-0 GB", "out_of_range", "not negative"},
    {"9007199254740992 B", "out_of_range", "9007199254740991 B"},
    {"8388608 GiB", "out_of_range", "9007199254740991 B"},
    {"10 PB", "out_of_range", "9007199254740991 B"},
    {"99999999999999999999 B", "out_of_range", "9007199254740991 B"},
    {"8388607.9999999990686774 GiB", "too_many_decimals", "18 digits"},
};

START_TEST(bad_bytes_say_why) {
  for (size_t i = 0; i < sizeof bad_bytes / sizeof *bad_bytes; i++) {
    struct crv_unit_err ue;
    int64_t v = -7;
    const char *text = bad_bytes[i].text;
    ck_assert_msg(!crv_bytes_parse(text, strlen(text), CRV_ROUND_UP, &v, &ue), "%s", text);
    ck_assert_msg(strcmp(ue.code, bad_bytes[i].code) == 0, "%s: %s", text, ue.code);
    ck_assert_msg(strstr(ue.detail, bad_bytes[i].says) != NULL, "%s: %s", text, ue.detail);
    ck_assert_int_eq(v, -7);
  }
}
END_TEST

START_TEST(rounding_up_beyond_the_largest_is_refused) {
  struct crv_unit_err ue;
  int64_t v = -1;
  const char *text = "9007199254740991.1 B";
  ck_assert(!crv_bytes_parse(text, strlen(text), CRV_ROUND_UP, &v, &ue));
  ck_assert_str_eq(ue.code, "out_of_range");
  ck_assert(crv_bytes_parse(text, strlen(text), CRV_ROUND_DOWN, &v, &ue));
  ck_assert_int_eq(v, BIG);
}
END_TEST

START_TEST(a_nul_inside_an_amount_is_no_end) {
  struct crv_unit_err ue;
  int64_t v;
  ck_assert(!crv_bytes_parse("24 GB\0x", 7, CRV_ROUND_UP, &v, &ue));
  ck_assert(!crv_decimal_parse("1\0", 2, &v, &ue));
  ck_assert(crv_bytes_parse("24 GBxxx", 5, CRV_ROUND_UP, &v, &ue));
}
END_TEST

START_TEST(amount_and_unit_split_exactly) {
  struct crv_unit_err ue;
  int64_t micro, factor, v;
  ck_assert(crv_bytes_split("24 GB", 5, &micro, &factor, &ue));
  ck_assert(micro == 24000000 && factor == 1000000000);
  ck_assert(crv_bytes_split("1.234567 KiB", 12, &micro, &factor, &ue));
  ck_assert(micro == 1234567 && factor == 1024);
  ck_assert(!crv_bytes_split("1.2345678 KiB", 13, &micro, &factor, &ue));
  ck_assert_str_eq(ue.code, "too_many_decimals");
  ck_assert(!crv_bytes_split("999999999999999 B", 17, &micro, &factor, &ue));
  ck_assert_str_eq(ue.code, "out_of_range");
  ck_assert(!crv_bytes_split("24G", 3, &micro, &factor, &ue));
  ck_assert_str_eq(ue.code, "ambiguous_unit");
  ck_assert(crv_bytes_scale(24000000, CRV_GIB, CRV_ROUND_UP, &v) && v == 25769803776);
  ck_assert(crv_bytes_scale(19040000, CRV_GIB, CRV_ROUND_UP, &v) && v == 20444044329);
  ck_assert(crv_bytes_scale(19040000, CRV_GIB, CRV_ROUND_DOWN, &v) && v == 20444044328);
  ck_assert(!crv_bytes_scale(INT64_MAX, CRV_GIB, CRV_ROUND_DOWN, &v));
  ck_assert_int_eq(crv_unit_factor("GiB"), CRV_GIB);
  ck_assert_int_eq(crv_unit_factor("gib"), 0);
  ck_assert_int_eq(crv_unit_factor(NULL), 0);
}
END_TEST

static const struct {
  int64_t bytes;
  const char *text;
} gib[] = {
    {0, "0.00 GiB"},
    {20442450944, "19.04 GiB"},
    {14000000000, "13.04 GiB"},
    {34442450944, "32.08 GiB"},
    {24000000000, "22.35 GiB"},
    {5368710, "0.01 GiB"},
    {5368709, "0.00 GiB"}, /* half of a hundredth is 5368709.12 */
    {-20442450944, "-19.04 GiB"},
    {-1, "0.00 GiB"},
    {BIG, "8388608.00 GiB"},
    {INT64_MAX, "8589934592.00 GiB"},
    {INT64_MIN, "-8589934592.00 GiB"},
};

START_TEST(gib_text_rounds_half_up) {
  char out[40];
  for (size_t i = 0; i < sizeof gib / sizeof *gib; i++)
    ck_assert_str_eq(crv_bytes_gib(gib[i].bytes, out, sizeof out), gib[i].text);
}
END_TEST

static const struct {
  const char *text;
  int64_t micro;
  const char *shortest;
} decimals[] = {
    {"0", 0, "0"},
    {"-0", 0, "0"},
    {"0.000000000", 0, "0"},
    {"0e999999999999999999999", 0, "0"},
    {"47.14", 47140000, "47.14"},
    {"5", 5000000, "5"},
    {"5.000000000000", 5000000, "5"},
    {"-0.000001", -1, "-0.000001"},
    {"0.1381", 138100, "0.1381"},
    {"7e9", 7000000000000000, "7000000000"},
    {"1.5e-3", 1500, "0.0015"},
    {"1.5E+3", 1500000000, "1500"},
    {"1000000e-12", 1, "0.000001"},
    {"0.0000001e1", 1, "0.000001"},
    {"10e-1", 1000000, "1"},
    {"9200000000000", 9200000000000000000, "9200000000000"},
    {"-9200000000000", -9200000000000000000, "-9200000000000"},
    {"9199999999999.999999", 9199999999999999999, "9199999999999.999999"},
    {"0047.14", 47140000, "47.14"},
    {"100", 100000000, "100"},
    {"100.5", 100500000, "100.5"},
    {"12345678.000001", 12345678000001, "12345678.000001"},
};

START_TEST(decimals_are_exact_both_ways) {
  for (size_t i = 0; i < sizeof decimals / sizeof *decimals; i++) {
    struct crv_unit_err ue;
    char out[40];
    int64_t v = -7, again;
    ck_assert_msg(crv_decimal_parse(decimals[i].text, strlen(decimals[i].text), &v, &ue), "%s: %s",
                  decimals[i].text, ue.detail);
    ck_assert_msg(v == decimals[i].micro, "%s: %" PRId64, decimals[i].text, v);
    ck_assert_str_eq(crv_decimal_text(v, out, sizeof out), decimals[i].shortest);
    ck_assert(crv_decimal_parse(out, strlen(out), &again, &ue) && again == v);
  }
}
END_TEST

static const struct {
  const char *text, *code;
} bad_decimals[] = {
    {"", "bad_format"},
    {"-", "bad_format"},
    {"+1", "bad_format"},
    {".5", "bad_format"},
    {"5.", "bad_format"},
    {"1,5", "bad_format"},
    {"1 ", "bad_format"},
    {" 1", "bad_format"},
    {"1e", "bad_format"},
    {"1e+", "bad_format"},
    {"1e1.5", "bad_format"},
    {"1.5.2", "bad_format"},
    {"0x10", "bad_format"},
    {"NaN", "bad_format"},
    {"Infinity", "bad_format"},
    {"--1", "bad_format"},
    {"1-", "bad_format"},
    {"\xC2\xBD", "bad_format"},
    {"0.0000001", "too_many_decimals"},
    {"1.1234567", "too_many_decimals"},
    {"1e-7", "too_many_decimals"},
    {"1e-400", "too_many_decimals"},
    {"1e-99999999999999999999", "too_many_decimals"},
    {"9200000000000.000001", "out_of_range"},
    {"9200000000001", "out_of_range"},
    {"10000000000000", "out_of_range"},
    {"1e13", "out_of_range"},
    {"1e400", "out_of_range"},
    {"-1e400", "out_of_range"},
    {"1e99999999999999999999", "out_of_range"},
    {"123456789012345678901234567890.5", "out_of_range"},
};

START_TEST(bad_decimals_say_why) {
  for (size_t i = 0; i < sizeof bad_decimals / sizeof *bad_decimals; i++) {
    struct crv_unit_err ue;
    int64_t v = -7;
    const char *text = bad_decimals[i].text;
    ck_assert_msg(!crv_decimal_parse(text, strlen(text), &v, &ue), "%s", text);
    ck_assert_msg(strcmp(ue.code, bad_decimals[i].code) == 0, "%s: %s", text, ue.code);
    ck_assert_ptr_nonnull(strstr(ue.detail, "got \""));
    ck_assert_int_eq(v, -7);
  }
}
END_TEST

static const struct {
  int64_t micro;
  const char *text;
} money[] = {
    {0, "0.00"},           {47140000, "47.14"},
    {131040000, "131.04"}, {138100, "0.1381"},
    {5000000, "5.00"},     {5100000, "5.10"},
    {-8570000, "-8.57"},   {1, "0.000001"},
    {200000000, "200.00"}, {INT64_MIN, "-9223372036854.775808"},
};

START_TEST(money_has_two_decimals_or_what_it_needs) {
  char out[40];
  for (size_t i = 0; i < sizeof money / sizeof *money; i++)
    ck_assert_str_eq(crv_money_text(money[i].micro, out, sizeof out), money[i].text);
}
END_TEST

static const struct {
  const char *text;
  int64_t ms;
  const char *utc, *date;
} times[] = {
    {"1970-01-01T00:00:00Z", 0, "1970-01-01T00:00:00Z", "1 Jan 1970"},
    {"2026-11-30T10:00:00Z", 1796032800000, "2026-11-30T10:00:00Z", "30 Nov 2026"},
    {"2026-11-30t10:00:00z", 1796032800000, "2026-11-30T10:00:00Z", "30 Nov 2026"},
    {"2026-11-30T10:00:00.25Z", 1796032800250, "2026-11-30T10:00:00.250Z", "30 Nov 2026"},
    {"2026-11-30T10:00:00.001000Z", 1796032800001, "2026-11-30T10:00:00.001Z", "30 Nov 2026"},
    {"2026-11-30T12:00:00+02:00", 1796032800000, "2026-11-30T10:00:00Z", "30 Nov 2026"},
    {"2026-11-30T04:30:00-05:30", 1796032800000, "2026-11-30T10:00:00Z", "30 Nov 2026"},
    {"2026-12-01T00:30:00+01:00", 1796081400000, "2026-11-30T23:30:00Z", "30 Nov 2026"},
    {"2024-02-29T00:00:00Z", 1709164800000, "2024-02-29T00:00:00Z", "29 Feb 2024"},
    {"2000-02-29T23:59:59Z", 951868799000, "2000-02-29T23:59:59Z", "29 Feb 2000"},
    {"2027-05-30T00:00:00-00:00", 1811635200000, "2027-05-30T00:00:00Z", "30 May 2027"},
    {"9999-12-31T23:59:59.999Z", 253402300799999, "9999-12-31T23:59:59.999Z", "31 Dec 9999"},
    {"1970-01-01T01:00:00+01:00", 0, "1970-01-01T00:00:00Z", "1 Jan 1970"},
};

START_TEST(times_become_utc_and_back) {
  for (size_t i = 0; i < sizeof times / sizeof *times; i++) {
    struct crv_unit_err ue;
    char out[40];
    int64_t v = -7;
    ck_assert_msg(crv_time_parse(times[i].text, strlen(times[i].text), &v, &ue), "%s: %s",
                  times[i].text, ue.detail);
    ck_assert_msg(v == times[i].ms, "%s: %" PRId64, times[i].text, v);
    ck_assert_str_eq(crv_time_text(v, out, sizeof out), times[i].utc);
    ck_assert_str_eq(crv_date_text(v, out, sizeof out), times[i].date);
  }
}
END_TEST

static const struct {
  const char *text, *code;
} bad_times[] = {
    {"", "bad_format"},
    {"2026-11-30", "bad_format"},
    {"2026-11-30T10:00:00", "bad_format"},
    {"2026-11-30 10:00:00Z", "bad_format"},
    {"2026-11-30T10:00Z", "bad_format"},
    {"2026-11-30T10:00:00.Z", "bad_format"},
    {"2026-11-30T10:00:00+0200", "bad_format"},
    {"2026-11-30T10:00:00+02", "bad_format"},
    {"2026-11-30T10:00:00ZZ", "bad_format"},
    {"2026-11-30T10:00:00+02:00Z", "bad_format"},
    {"2026/11/30T10:00:00Z", "bad_format"},
    {"26-11-30T10:00:00Z", "bad_format"},
    {"+026-11-30T10:00:00Z", "bad_format"},
    {"2026-1a-30T10:00:00Z", "bad_format"},
    {"2026-11-30T10:00:00.0000001Z", "too_many_decimals"},
    {"2026-11-30T10:00:00.1234Z", "too_many_decimals"},
    {"2026-11-30T23:59:60Z", "out_of_range"},
    {"2026-11-30T24:00:00Z", "out_of_range"},
    {"2026-11-30T10:60:00Z", "out_of_range"},
    {"2026-13-01T00:00:00Z", "out_of_range"},
    {"2026-00-01T00:00:00Z", "out_of_range"},
    {"2026-04-31T00:00:00Z", "out_of_range"},
    {"2026-02-29T00:00:00Z", "out_of_range"},
    {"2100-02-29T00:00:00Z", "out_of_range"},
    {"2026-11-00T00:00:00Z", "out_of_range"},
    {"1969-12-31T23:59:59Z", "out_of_range"},
    {"1970-01-01T00:00:00+00:01", "out_of_range"},
    {"9999-12-31T23:59:59-00:01", "out_of_range"},
    {"2026-11-30T10:00:00+24:00", "out_of_range"},
    {"2026-11-30T10:00:00+00:60", "out_of_range"},
};

START_TEST(bad_times_say_why) {
  for (size_t i = 0; i < sizeof bad_times / sizeof *bad_times; i++) {
    struct crv_unit_err ue;
    int64_t v = -7;
    const char *text = bad_times[i].text;
    ck_assert_msg(!crv_time_parse(text, strlen(text), &v, &ue), "%s", text);
    ck_assert_msg(strcmp(ue.code, bad_times[i].code) == 0, "%s: %s", text, ue.code);
    ck_assert_int_eq(v, -7);
  }
}
END_TEST

START_TEST(every_day_of_400_years_comes_back) {
  char out[40];
  int64_t v, expected = 0;
  for (; expected < 146097 * CRV_DAY_MS; expected += CRV_DAY_MS) {
    struct crv_unit_err ue;
    crv_time_text(expected, out, sizeof out);
    ck_assert_msg(crv_date_parse(out, 10, &v, &ue) && v == expected, "%s", out);
  }
  ck_assert_str_eq(out, "2369-12-31T00:00:00Z");
}
END_TEST

START_TEST(dates_are_days_alone) {
  struct crv_unit_err ue;
  int64_t v;
  ck_assert(crv_date_parse("2027-05-30", 10, &v, &ue) && v == 1811635200000);
  ck_assert(!crv_date_parse("2027-05-3", 9, &v, &ue));
  ck_assert_str_eq(ue.code, "bad_format");
  ck_assert(!crv_date_parse("2027-02-30", 10, &v, &ue));
  ck_assert_str_eq(ue.code, "out_of_range");
}
END_TEST

START_TEST(arithmetic_is_checked) {
  int64_t v = 7;
  ck_assert(crv_add(1, 2, &v) && v == 3);
  ck_assert(!crv_add(INT64_MAX, 1, &v) && v == 3);
  ck_assert(crv_mul(3, -4, &v) && v == -12);
  ck_assert(!crv_mul(INT64_MAX, 2, &v) && v == -12);
  ck_assert(crv_muldiv(INT64_MAX, 10, 10, false, &v) && v == INT64_MAX);
  ck_assert(crv_muldiv(7, 1, 2, false, &v) && v == 3);
  ck_assert(crv_muldiv(7, 1, 2, true, &v) && v == 4);
  ck_assert(crv_muldiv(-7, 1, 2, false, &v) && v == -4);
  ck_assert(crv_muldiv(-7, 1, 2, true, &v) && v == -3);
  ck_assert(crv_muldiv(8, 1, 2, true, &v) && v == 4);
  ck_assert(!crv_muldiv(INT64_MAX, 2, 1, false, &v) && v == 4);
  ck_assert(!crv_muldiv(1, 1, 0, false, &v));
  ck_assert(crv_muldiv_half(1, 1, 2, &v) && v == 1);
  ck_assert(crv_muldiv_half(1, 1, 3, &v) && v == 0);
  ck_assert(crv_muldiv_half(2, 1, 3, &v) && v == 1);
  ck_assert(crv_muldiv_half(3, 5, 2, &v) && v == 8);
  ck_assert(!crv_muldiv_half(-1, 1, 2, &v));
  ck_assert(!crv_muldiv_half(INT64_MAX, 2, 1, &v));
  ck_assert_int_eq(crv_cdiv(7, 2), 4);
  ck_assert_int_eq(crv_cdiv(8, 2), 4);
  ck_assert_int_eq(crv_cdiv(0, 2), 0);
  ck_assert_int_eq(crv_cdiv(INT64_MAX, 1), INT64_MAX);
}
END_TEST

START_TEST(keys_are_plain) {
  char longest[130];
  memset(longest, 'a', sizeof longest);
  ck_assert(crv_key_ok("a", 1) && crv_key_ok("0", 1) && crv_key_ok("rtx-4090_3d.v2", 14));
  ck_assert(crv_key_ok(longest, 128) && !crv_key_ok(longest, 129));
  ck_assert(!crv_key_ok("", 0) && !crv_key_ok("-a", 2) && !crv_key_ok(".a", 2));
  ck_assert(!crv_key_ok("A", 1) && !crv_key_ok("a b", 3) && !crv_key_ok("a/b", 3));
  ck_assert(!crv_key_ok("a\0b", 3) && !crv_key_ok("\xC3\xA4", 2));
}
END_TEST

START_TEST(utf8_is_strict) {
  static const struct {
    const char *s;
    size_t len;
    bool ok;
  } rows[] = {
      {"", 0, true},
      {"abc", 3, true},
      {"\xC3\xA4\xE2\x82\xAC\xF0\x9F\x98\x80", 9, true},
      {"\xF4\x8F\xBF\xBF", 4, true},
      {"a\0b", 3, false},
      {"\xC0\x80", 2, false},
      {"\xC1\xBF", 2, false},
      {"\xE0\x9F\xBF", 3, false},
      {"\xF0\x8F\xBF\xBF", 4, false},
      {"\xED\xA0\x80", 3, false},
      {"\xF4\x90\x80\x80", 4, false},
      {"\xF5\x80\x80\x80", 4, false},
      {"\x80", 1, false},
      {"\xE2\x82", 2, false},
      {"\xFF", 1, false},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    ck_assert_msg(crv_utf8_ok(rows[i].s, rows[i].len) == rows[i].ok, "row %zu", i);
}
END_TEST

START_TEST(currencies_are_three_capitals) {
  ck_assert(crv_currency_ok("EUR") && crv_currency_ok("USD"));
  ck_assert(!crv_currency_ok("eur") && !crv_currency_ok("EU") && !crv_currency_ok("EURO"));
  ck_assert(!crv_currency_ok("") && !crv_currency_ok("E1R") && !crv_currency_ok(NULL));
}
END_TEST

int main(void) {
  Suite *s = suite_create("units");
  TCase *t = tcase_create("units");
  tcase_add_test(t, bytes_round_up_and_down);
  tcase_add_test(t, bad_bytes_say_why);
  tcase_add_test(t, rounding_up_beyond_the_largest_is_refused);
  tcase_add_test(t, a_nul_inside_an_amount_is_no_end);
  tcase_add_test(t, amount_and_unit_split_exactly);
  tcase_add_test(t, gib_text_rounds_half_up);
  tcase_add_test(t, decimals_are_exact_both_ways);
  tcase_add_test(t, bad_decimals_say_why);
  tcase_add_test(t, money_has_two_decimals_or_what_it_needs);
  tcase_add_test(t, times_become_utc_and_back);
  tcase_add_test(t, bad_times_say_why);
  tcase_add_test(t, every_day_of_400_years_comes_back);
  tcase_add_test(t, dates_are_days_alone);
  tcase_add_test(t, arithmetic_is_checked);
  tcase_add_test(t, keys_are_plain);
  tcase_add_test(t, utf8_is_strict);
  tcase_add_test(t, currencies_are_three_capitals);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
