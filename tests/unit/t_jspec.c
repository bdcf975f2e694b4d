/* core/base/jspec, decoding: every type, and every refusal with its pointer, code and hint. */
#include <stdio.h>

#include "core/base/text.h"
#include "tests/unit/jspec_thing.h"

START_TEST(every_type_is_decoded) {
  struct thing t;
  memset(&t, 0xAA, sizeof t);
  ck_assert_msg(
      decode("{\"key\":\"k-1\",\"name\":\"T\",\"note\":\"a\\nb\",\"currency\":\"EUR\",\"count\":3,"
             "\"level\":-5,\"bytes\":\"1.5 MB\",\"price\":47.14,\"share\":\"-0.5\","
             "\"since\":\"2026-11-30T12:00:00+02:00\",\"interruptible\":false,"
             "\"color\":\"dark_blue\",\"host\":{\"ram\":\"0.1 GiB\",\"disks\":[{\"kind\":\"ssd\","
             "\"size_bytes\":5},\"hdd\"],\"boot\":\"nvme\"},\"tags\":\"one\","
             "\"keys\":[\"a\",\"b\"],\"facts\":{\"z\":1,\"a\":0.50,\"t\":\"x\",\"b\":true},"
             "\"at\":[3,4]}",
             &t),
      "%s", err.n ? err.at[0].detail : "");
  ck_assert_str_eq(t.key, "k-1");
  ck_assert_str_eq(t.title, "T");
  ck_assert_str_eq(t.note, "a\nb");
  ck_assert_str_eq(t.currency, "EUR");
  ck_assert(t.count.set && t.count.v == 3 && t.level.set && t.level.v == -5);
  ck_assert(t.bytes.set && t.bytes.v == 1500000);
  ck_assert(t.price.set && t.price.v == 47140000 && t.share.set && t.share.v == -500000);
  ck_assert(t.since.set && t.since.v == 1796032800000);
  ck_assert_int_eq(t.interruptible, CRV_FALSE);
  ck_assert_int_eq(t.color, COLOR_DARK_BLUE);
  ck_assert(t.host->ram.set && t.host->ram.v == 107374182 && !t.host->reserve.set);
  ck_assert_uint_eq(t.host->disks.n, 2);
  ck_assert_str_eq(crv_list_at(t.host->disks, struct disk, 0)->kind, "ssd");
  ck_assert_int_eq(crv_list_at(t.host->disks, struct disk, 0)->size.v, 5);
  ck_assert_str_eq(crv_list_at(t.host->disks, struct disk, 1)->kind, "hdd");
  ck_assert_str_eq(t.host->boot->kind, "nvme");
  ck_assert_uint_eq(t.tags.n, 1);
  ck_assert_str_eq(*crv_list_at(t.tags, const char *, 0), "one");
  ck_assert_uint_eq(t.keys.n, 2);
  ck_assert_str_eq(*crv_list_at(t.keys, const char *, 1), "b");
  ck_assert_uint_eq(t.facts.n, 4);
  const struct crv_pair *pairs = t.facts.at;
  ck_assert(crv_streq(pairs[0].name, "z") && crv_streq(pairs[0].value, "1"));
  ck_assert_int_eq(pairs[0].type, CRV_PAIR_INT);
  ck_assert(crv_streq(pairs[1].value, "0.5") && pairs[1].type == CRV_PAIR_DECIMAL);
  ck_assert(crv_streq(pairs[2].value, "x") && pairs[2].type == CRV_PAIR_TEXT);
  ck_assert(crv_streq(pairs[3].value, "true") && pairs[3].type == CRV_PAIR_BOOL);
  ck_assert(t.at.x == 3 && t.at.y == 4);
  ck_assert(!t.config.set && t.extras.n == 0);
}
END_TEST

START_TEST(absent_and_null_leave_everything_unset) {
  struct thing t;
  memset(&t, 0xAA, sizeof t);
  ck_assert(decode("{\"key\":\"k\",\"title\":null,\"count\":null,\"host\":null,\"tags\":null,"
                   "\"config\":null,\"nothing_known\":null}",
                   &t));
  ck_assert_ptr_null(t.title);
  ck_assert(!t.count.set && !t.price.set && t.interruptible == CRV_UNSET && t.color == 0);
  ck_assert_ptr_null(t.host);
  ck_assert_ptr_null(t.tags.at);
  ck_assert_ptr_null(t.facts.at);
}
END_TEST

/* One wrong member beside a good key: pointer, code, and words of detail and hint. */
static const struct {
  const char *member, *ptr, *code, *detail, *hint;
} wrong[] = {
    {"\"title\":5", "/title", "wrong_type", "Expected a text; got 5.", ""},
    {"\"title\":1.5", "/title", "wrong_type", "Expected a text; got 1.5.", ""},
    {"\"title\":1e999999", "/title", "wrong_type", "Expected a text; got 1e999999.", ""},
    {"\"title\":{}", "/title", "wrong_type", "Expected a text; got an object.", ""},
    {"\"title\":[]", "/title", "wrong_type", "Expected a text; got a list.", ""},
    {"\"title\":true", "/title", "wrong_type", "Expected a text; got true.", ""},
    {"\"title\":\"\"", "/title", "out_of_range", "not empty", "leave the field out"},
    {"\"title\":\"a\\nb\"", "/title", "bad_format", "got \"a\\nb\".", ""},
    {"\"title\":\"a\\u007fb\"", "/title", "bad_format", "got \"a\\u007fb\".", ""},
    {"\"title\":\"a\\u0085b\"", "/title", "bad_format", "got \"a\\u0085b\".", ""},
    {"\"title\":\"a\\u202eb\"", "/title", "bad_format", "got \"a\\u202eb\".", ""},
    {"\"title\":\"a\\uffffb\"", "/title", "bad_format", "got \"a\\uffffb\".", ""},
    {"\"note\":\"a\\u0007b\"", "/note", "bad_format", "control characters", ""},
    {"\"name\":5", "/name", "wrong_type", "Expected a text; got 5.", ""},
    {"\"currency\":\"eur\"", "/currency", "bad_format", "got \"eur\".", "three capital letters"},
    {"\"currency\":978", "/currency", "wrong_type", "got 978.", ""},
    {"\"count\":\"16\"", "/count", "wrong_type", "Expected a whole number", ""},
    {"\"count\":1.5", "/count", "wrong_type", "a whole number without point or exponent; got 1.5.",
     ""},
    {"\"count\":3.0", "/count", "wrong_type", "a whole number without point or exponent", ""},
    {"\"count\":1e3", "/count", "wrong_type", "a whole number without point or exponent", ""},
    {"\"count\":0", "/count", "out_of_range", "greater than 0; got 0.", ""},
    {"\"count\":-1", "/count", "out_of_range", "from 1 to 9007199254740991; got -1.", ""},
    {"\"count\":9007199254740992", "/count", "out_of_range", "got 9007199254740992.", ""},
    {"\"count\":99999999999999999999999", "/count", "out_of_range", "got 99999999999999999999999.",
     ""},
    {"\"count\":true", "/count", "wrong_type", "got true.", ""},
    {"\"level\":6", "/level", "out_of_range", "from -5 to 5; got 6.", ""},
    {"\"level\":-6", "/level", "out_of_range", "from -5 to 5; got -6.", ""},
    {"\"bytes\":1023", "/bytes", "out_of_range", "from 1024 to 1073741824 bytes; got 1023.", ""},
    {"\"bytes\":\"2 GiB\"", "/bytes", "out_of_range", "got \"2 GiB\".", ""},
    {"\"bytes\":2048.5", "/bytes", "wrong_type", "a whole number", ""},
    {"\"bytes\":\"24G\"", "/bytes", "ambiguous_unit",
     "24 GB = 24000000000 B or 24 GiB = 25769803776 B", ""},
    {"\"bytes\":\"24 gb\"", "/bytes", "ambiguous_unit",
     "24 GB = 24000000000 B or 24 GiB = 25769803776 B", ""},
    {"\"bytes\":\"24\"", "/bytes", "ambiguous_unit",
     "24 GB = 24000000000 B or 24 GiB = 25769803776 B", ""},
    {"\"bytes\":\"-1 GB\"", "/bytes", "out_of_range", "not negative", ""},
    {"\"bytes\":\"24 XB\"", "/bytes", "bad_unit", "KiB, MiB, GiB", ""},
    {"\"bytes\":\"lots\"", "/bytes", "bad_format", "with its unit", ""},
    {"\"bytes\":false", "/bytes", "wrong_type", "with its unit", ""},
    {"\"host\":{\"ram\":24}", "/host/ram", "ambiguous_unit",
     "\"24\" could be 24 GB = 24000000000 B or 24 GiB = 25769803776 B", ""},
    {"\"host\":{\"ram\":24.5}", "/host/ram", "ambiguous_unit", "24.5 GB = 24500000000 B", ""},
    {"\"host\":{\"ram\":-24}", "/host/ram", "out_of_range", "not negative", ""},
    {"\"host\":{\"ram\":99999999999999999999}", "/host/ram", "out_of_range",
     "at most 9007199254740991 B", ""},
    {"\"host\":{\"reserve\":24}", "/host/reserve", "ambiguous_unit", "24 GiB", ""},
    {"\"host\":{\"ram_bytes\":-1}", "/host/ram_bytes", "out_of_range", "got -1.", ""},
    {"\"host\":{\"ram_bytes\":9007199254740992}", "/host/ram_bytes", "out_of_range",
     "got 9007199254740992.", ""},
    {"\"host\":{\"ram_bytes\":99999999999999999999}", "/host/ram_bytes", "out_of_range",
     "got 99999999999999999999.", ""},
    {"\"host\":{\"ram_bytes\":1,\"ram\":\"1 GB\"}", "/host/ram_bytes", "duplicate",
     "`ram_bytes` and `ram`; got both", ""},
    {"\"price\":0", "/price", "out_of_range", "greater than 0; got 0.", ""},
    {"\"price\":\"0.00\"", "/price", "out_of_range", "greater than 0; got \"0.00\".", ""},
    {"\"price\":-1.5", "/price", "out_of_range", "got -1.5.", ""},
    {"\"price\":1.2345678", "/price", "too_many_decimals", "at most six places", ""},
    {"\"price\":\"abc\"", "/price", "bad_format", "Expected a decimal number", ""},
    {"\"price\":1e400", "/price", "out_of_range", "got \"1e400\".", ""},
    {"\"price\":99999999999999999999", "/price", "out_of_range", "99999999999999999999", ""},
    {"\"price\":9223372036854775807", "/price", "out_of_range", "9223372036854775807", ""},
    {"\"price\":true", "/price", "wrong_type", "got true.", ""},
    {"\"share\":1.000001", "/share", "out_of_range", "from -1 to 1; got 1.000001.", ""},
    {"\"since\":\"yesterday\"", "/since", "bad_format", "2026-11-30T10:00:00Z", ""},
    {"\"since\":\"2026-02-30\"", "/since", "out_of_range", "the calendar", ""},
    {"\"since\":1796032800", "/since", "wrong_type", "got 1796032800.", ""},
    {"\"interruptible\":\"true\"", "/interruptible", "wrong_type",
     "Expected true or false; got \"true\".", ""},
    {"\"interruptible\":1", "/interruptible", "wrong_type", "got 1.", ""},
    {"\"color\":\"gren\"", "/color", "not_one_of",
     "Expected one of red, green, dark_blue; got \"gren\".", "did you mean `green`?"},
    {"\"color\":\"Dark-Blue\"", "/color", "not_one_of", "one of red", "did you mean `dark_blue`?"},
    {"\"color\":\"mauve\"", "/color", "not_one_of", "one of red, green, dark_blue", ""},
    {"\"color\":1", "/color", "wrong_type", "one of red", ""},
    {"\"color\":1.5", "/color", "wrong_type", "got 1.5.", ""},
    {"\"host\":5", "/host", "wrong_type", "Expected an object; got 5.", ""},
    {"\"host\":\"x\"", "/host", "wrong_type", "Expected an object; got \"x\".", ""},
    {"\"host\":[]", "/host", "wrong_type", "got a list.", ""},
    {"\"host\":{\"boot\":5}", "/host/boot", "wrong_type", "Expected an object or a text; got 5.",
     ""},
    {"\"host\":{\"boot\":1.5}", "/host/boot", "wrong_type", "got 1.5.", ""},
    {"\"host\":{\"boot\":\"ninechars\"}", "/host/boot", "out_of_range",
     "at most 8 bytes (this has 9)", ""},
    {"\"host\":{\"boot\":{}}", "/host/boot/kind", "missing", "`kind` is missing.", "Kind of disk."},
    {"\"host\":{\"boot\":{\"kind\":null}}", "/host/boot/kind", "missing", "`kind` is missing.", ""},
    {"\"host\":{\"disks\":[\"a\",{\"kind\":7}]}", "/host/disks/1/kind", "wrong_type", "got 7.", ""},
    {"\"host\":{\"disks\":[\"a\",null]}", "/host/disks/1", "wrong_type", "got null.", ""},
    {"\"host\":{\"disks\":{\"kind\":7}}", "/host/disks/kind", "wrong_type", "got 7.", ""},
    {"\"host\":{\"disks\":7}", "/host/disks", "wrong_type", "a list of objects; got 7.", ""},
    {"\"host\":{\"disks\":[\"a\",\"b\",\"c\",\"d\"]}", "/host/disks", "out_of_range",
     "0 to 3 items; got 4.", ""},
    {"\"tags\":[\"a\",5]", "/tags/1", "wrong_type", "Expected a text; got 5.", ""},
    {"\"tags\":{}", "/tags", "wrong_type", "", ""},
    {"\"tags\":1.5", "/tags", "wrong_type", "got 1.5.", ""},
    {"\"keys\":\"a\"", "/keys", "wrong_type", "a list of texts; got \"a\".", ""},
    {"\"keys\":[]", "/keys", "out_of_range", "1 to 256 items; got 0.", ""},
    {"\"keys\":[\"a\",\"B\"]", "/keys/1", "bad_format", "got \"B\".", "[a-z0-9]"},
    {"\"facts\":[]", "/facts", "wrong_type", "names and values; got a list.", ""},
    {"\"facts\":{\"a/b~c\":{}}", "/facts/a~1b~0c", "wrong_type", "got an object.", ""},
    {"\"facts\":{\"a\":1.1234567}", "/facts/a", "too_many_decimals", "six places", ""},
    {"\"facts\":{\"a\":9007199254740992}", "/facts/a", "out_of_range", "got 9007199254740992.", ""},
    {"\"facts\":{\"\":1}", "/facts/", "bad_format", "1 to 64 bytes", ""},
    {"\"facts\":{\"a\":\"\"}", "/facts/a", "out_of_range", "not empty", ""},
    {"\"at\":[1]", "/at", "bad_point", "two numbers", "[x, y]"},
    {"\"config\":1", "/config", "not_yet", "A config.json is not read yet.", ""},
    {"\"colour\":\"red\"", "/colour", "unknown_field", "\"colour\" is not a field here.",
     "did you mean `color`?"},
    {"\"nmae\":\"x\"", "/nmae", "unknown_field", "", "did you mean `name`?"},
    {"\"curr\":\"x\"", "/curr", "unknown_field", "", "did you mean `currency`?"},
    {"\"interruptible_plan\":1", "/interruptible_plan", "unknown_field", "",
     "did you mean `interruptible`?"},
    {"\"host\":{\"ramBytes\":1}", "/host/ramBytes", "unknown_field", "",
     "did you mean `ram_bytes`?"},
    {"\"a/b~\":1", "/a~1b~0", "unknown_field", "\"a/b~\" is not a field here.",
     "known: key, title, note"},
    {"\"x_note\":1", "/x_note", "unknown_field", "", ""},
    {"\"price\":\"5\"", "", "missing_currency", "needs its currency", ""},
};

START_TEST(every_refusal_has_pointer_code_and_words) {
  for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
    char text[300];
    struct thing t;
    snprintf(text, sizeof text, "{\"key\":\"k\",%s}", wrong[i].member);
    ck_assert_msg(!decode(text, &t), "%s", text);
    ck_assert_int_eq(err.code, CRV_INVALID_FIELDS);
    ck_assert_msg(err.n == 1 && err.more == 0, "%s: %u errors", text, err.n);
    ck_assert_msg(strcmp(err.at[0].ptr, wrong[i].ptr) == 0, "%s: %s", text, err.at[0].ptr);
    ck_assert_msg(strcmp(err.at[0].code, wrong[i].code) == 0, "%s: %s", text, err.at[0].code);
    ck_assert_msg(strstr(err.at[0].detail, wrong[i].detail) != NULL, "%s: %s", text,
                  err.at[0].detail);
    ck_assert_msg(strstr(err.at[0].hint, wrong[i].hint) != NULL, "%s: %s", text, err.at[0].hint);
  }
}
END_TEST

START_TEST(all_errors_are_told_at_once) {
  struct thing t;
  ck_assert(!decode("{\"titel\":1,\"count\":\"x\",\"host\":{\"ram\":5,\"disks\":[{},{\"kind\":1}]},"
                    "\"color\":\"x\"}",
                    &t));
  static const char *const ptrs[] = {"/titel",
                                     "/key",
                                     "/count",
                                     "/color",
                                     "/host/ram",
                                     "/host/disks/0/kind",
                                     "/host/disks/1/kind"};
  ck_assert_uint_eq(err.n, 7);
  for (size_t i = 0; i < 7; i++) ck_assert_str_eq(err.at[i].ptr, ptrs[i]);
  ck_assert_str_eq(err.at[1].code, "missing");
  ck_assert_str_eq(err.at[1].hint, "Its key.");
}
END_TEST

START_TEST(errors_beyond_fifty_are_counted) {
  struct crv_buf b;
  struct thing t;
  crv_buf_init(&b, 0);
  crv_buf_str(&b, "{\"key\":\"k\",\"tags\":[0");
  for (int i = 1; i < 60; i++) crv_buf_str(&b, ",0");
  crv_buf_str(&b, "]}");
  _free_ char *text = crv_buf_take(&b, NULL);
  ck_assert(!decode(text, &t));
  ck_assert_uint_eq(err.n, 50);
  ck_assert_uint_eq(err.more, 10);
  ck_assert_str_eq(err.at[49].ptr, "/tags/49");
}
END_TEST

START_TEST(foreign_text_in_details_is_cut_and_escaped) {
  struct thing t;
  ck_assert(!decode("{\"key\":\"\\u001b[31m0123456789012345678901234567890123456789\"}", &t));
  ck_assert_ptr_nonnull(
      strstr(err.at[0].detail, "\"\\u001b[31m01234567890123456789012345678901234...\""));
  char text[600];
  snprintf(text, sizeof text, "{\"key\":\"k\",\"%0400d\":1}", 0);
  ck_assert(!decode(text, &t));
  ck_assert_uint_eq(strlen(err.at[0].ptr), 157);
  ck_assert_ptr_nonnull(strstr(err.at[0].detail, "000...\" is not a field here."));
}
END_TEST

START_TEST(limits_of_lists_and_maps_are_met_exactly) {
  for (int n = 255; n <= 257; n++) {
    struct crv_buf b;
    struct thing t;
    crv_buf_init(&b, 0);
    crv_buf_str(&b, "{\"key\":\"k\",\"tags\":[\"a\"");
    for (int i = 1; i < n; i++) crv_buf_str(&b, ",\"a\"");
    crv_buf_str(&b, "]}");
    _free_ char *text = crv_buf_take(&b, NULL);
    ck_assert_int_eq(decode(text, &t), n <= 256);
  }
  for (int n = 63; n <= 65; n++) {
    struct crv_buf b;
    struct thing t;
    crv_buf_init(&b, 0);
    crv_buf_str(&b, "{\"key\":\"k\",\"facts\":{\"0\":0");
    for (int i = 1; i < n; i++) crv_buf_printf(&b, ",\"%d\":0", i);
    crv_buf_str(&b, "}}");
    _free_ char *text = crv_buf_take(&b, NULL);
    ck_assert_int_eq(decode(text, &t), n <= 64);
  }
  for (int n = 1023; n <= 1025; n++) {
    char text[1100];
    struct thing t;
    snprintf(text, sizeof text, "{\"key\":\"k\",\"title\":\"%0*d\"}", n, 0);
    ck_assert_int_eq(decode(text, &t), n <= 1024);
  }
}
END_TEST

START_TEST(an_arena_that_is_full_is_out_of_memory) {
  _arena_ struct crv_arena *small = crv_arena_new(16);
  struct thing t;
  crv_err_init(&err);
  _json_ json_t *j = json_pack("{s:s, s:s}", "key", "k", "title", "a text of more than 16 bytes");
  ck_assert(!crv_jspec_decode(&thing_spec, j, "", small, &t, &err));
  ck_assert_int_eq(err.code, CRV_OUT_OF_MEMORY);
}
END_TEST

START_TEST(pointers_begin_where_the_caller_says) {
  struct host h;
  crv_err_init(&err);
  _json_ json_t *j = json_pack("{s:i}", "ram", 1);
  ck_assert(!crv_jspec_decode(&host_spec, j, "/sheet/host", arena, &h, &err));
  ck_assert_str_eq(err.at[0].ptr, "/sheet/host/ram");
}
END_TEST

START_TEST(fractions_of_a_byte_round_as_the_table_says) {
  struct host h;
  ck_assert(decode_with(&host_spec, "{\"ram\":\"0.3 B\",\"reserve\":\"0.3 B\"}", &h));
  ck_assert_int_eq(h.ram.v, 0);
  ck_assert_int_eq(h.reserve.v, 1);
}
END_TEST

START_TEST(a_table_without_extras_that_forgot_to_say_so_keeps_its_fields) {
  static struct crv_jspec forgot;
  struct host h;
  forgot = host_spec;
  forgot.extras_offset = 0;
  ck_assert(decode_with(&forgot, "{\"ram_bytes\":5,\"x-a\":1}", &h));
  ck_assert(h.ram.set && h.ram.v == 5);
}
END_TEST

int main(void) {
  Suite *s = suite_create("jspec");
  TCase *t = tcase_create("jspec");
  tcase_add_checked_fixture(t, set_up, tear_down);
  tcase_add_test(t, every_type_is_decoded);
  tcase_add_test(t, absent_and_null_leave_everything_unset);
  tcase_add_test(t, every_refusal_has_pointer_code_and_words);
  tcase_add_test(t, all_errors_are_told_at_once);
  tcase_add_test(t, errors_beyond_fifty_are_counted);
  tcase_add_test(t, foreign_text_in_details_is_cut_and_escaped);
  tcase_add_test(t, limits_of_lists_and_maps_are_met_exactly);
  tcase_add_test(t, an_arena_that_is_full_is_out_of_memory);
  tcase_add_test(t, pointers_begin_where_the_caller_says);
  tcase_add_test(t, fractions_of_a_byte_round_as_the_table_says);
  tcase_add_test(t, a_table_without_extras_that_forgot_to_say_so_keeps_its_fields);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
