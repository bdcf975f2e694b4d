/* core/base/jspec, the way back: kept extras, round trips, values by path, the schema. */
#include <stdio.h>

#include "core/base/text.h"
#include "tests/unit/jspec_thing.h"

START_TEST(names_that_begin_with_x_are_kept_and_given_back) {
  struct thing t;
  ck_assert(decode("{\"key\":\"k\",\"x-b\":{\"z\":1,\"a\":1.5},\"x-a\":[\"t\"]}", &t));
  ck_assert_uint_eq(t.extras.n, 2);
  const struct crv_extra *extras = t.extras.at;
  ck_assert_str_eq(extras[0].name, "x-b");
  ck_assert_str_eq(extras[0].json, "{\"a\":\"1.5\",\"z\":1}");
  ck_assert_str_eq(extras[1].name, "x-a");
  _free_ char *s = encode(&thing_spec, &t);
  ck_assert_str_eq(s, "{\"key\":\"k\",\"x-b\":{\"a\":\"1.5\",\"z\":1},\"x-a\":[\"t\"]}");
  struct host h;
  ck_assert(decode_with(&host_spec, "{\"x-anything\":1}", &h));
  _free_ char *dropped = encode(&host_spec, &h);
  ck_assert_str_eq(dropped, "{}");
}
END_TEST

START_TEST(an_open_table_keeps_every_unknown_field) {
  static struct crv_jspec open;
  struct thing t;
  open = thing_spec;
  open.open = true;
  ck_assert(decode_with(&open, "{\"key\":\"k\",\"rope_theta\":1e6,\"anything\":null}", &t));
  ck_assert_uint_eq(t.extras.n, 1);
  ck_assert_str_eq(crv_list_at(t.extras, struct crv_extra, 0)->json, "\"1e6\"");
}
END_TEST

static const char *const round_trips[] = {
    "{\"key\":\"k\"}",
    "{\"key\":\"k\",\"title\":\"T \xC3\xA4\",\"note\":\"a\\nb\",\"currency\":\"USD\",\"count\":1,"
    "\"level\":-5,\"bytes\":1024,\"price\":\"0.000001\",\"share\":\"-1\","
    "\"since\":\"2026-11-30T10:00:00.250Z\",\"interruptible\":true,\"color\":\"red\","
    "\"host\":{\"ram_bytes\":0,\"reserve\":\"1 "
    "B\",\"disks\":[{\"kind\":\"a\",\"size_bytes\":9007199254740991}],"
    "\"boot\":{\"kind\":\"b\"}},\"tags\":[],\"keys\":[\"a\"],"
    "\"facts\":{\"d\":\"0.5\",\"i\":-7,\"t\":\"0.50\",\"b\":false,\"n\":\"-0.25\"},\"at\":[1,2],"
    "\"x-k\":{\"a\":[1]}}",
};

START_TEST(what_is_encoded_decodes_to_the_same) {
  for (size_t i = 0; i < sizeof round_trips / sizeof *round_trips; i++) {
    struct thing t, again;
    ck_assert_msg(decode(round_trips[i], &t), "%s", err.at[0].detail);
    _free_ char *s = encode(&thing_spec, &t);
    ck_assert_msg(decode(s, &again), "%s: %s %s", s, err.at[0].ptr, err.at[0].detail);
    _free_ char *same = encode(&thing_spec, &again);
    ck_assert_str_eq(s, same);
    ck_assert_uint_eq(t.facts.n, again.facts.n);
    for (size_t k = 0; k < t.facts.n; k++)
      ck_assert_int_eq(crv_list_at(t.facts, struct crv_pair, k)->type,
                       crv_list_at(again.facts, struct crv_pair, k)->type);
  }
}
END_TEST

START_TEST(encoding_is_canonical) {
  struct thing t;
  ck_assert(decode("{\"price\":47.140,\"currency\":\"EUR\",\"name\":\"T\",\"since\":\"2026-11-30\","
                   "\"host\":{\"disks\":\"ssd\",\"ram\":\"1 KiB\"},\"key\":\"k\",\"tags\":[],"
                   "\"facts\":{\"b\":2.0,\"a\":1e2,\"c\":0.50}}",
                   &t));
  _free_ char *s = encode(&thing_spec, &t);
  ck_assert_str_eq(s, "{\"key\":\"k\",\"title\":\"T\",\"currency\":\"EUR\",\"price\":\"47.14\","
                      "\"since\":\"2026-11-30T00:00:00Z\",\"host\":{\"ram_bytes\":1024,"
                      "\"disks\":[{\"kind\":\"ssd\"}]},\"tags\":[],"
                      "\"facts\":{\"b\":2,\"a\":100,\"c\":\"0.5\"}}");
}
END_TEST

START_TEST(a_bytes_field_without_bytes_in_its_name_round_trips) {
  struct host h, again;
  ck_assert(decode_with(&host_spec, "{\"reserve\":\"6 GiB\"}", &h));
  _free_ char *s = encode(&host_spec, &h);
  ck_assert_msg(decode_with(&host_spec, s, &again), "%s", err.at[0].detail);
  ck_assert(again.reserve.set && again.reserve.v == 6442450944);
}
END_TEST

START_TEST(values_are_reached_by_path) {
  struct thing t;
  struct crv_value v;
  char out[64];
  ck_assert(decode("{\"key\":\"k\",\"color\":\"red\",\"interruptible\":true,\"share\":0.5,"
                   "\"since\":\"2026-11-30\",\"count\":16,"
                   "\"host\":{\"ram_bytes\":20442450944,\"boot\":\"ssd\"}}",
                   &t));
  static const struct {
    const char *path, *text, *json;
    enum crv_jtype type;
  } rows[] = {
      {"key", "k", "\"k\"", CRV_JT_TEXT},
      {"color", "red", "\"red\"", CRV_JT_TEXT},
      {"interruptible", "true", "true", CRV_JT_BOOL},
      {"share", "0.5", "\"0.5\"", CRV_JT_DECIMAL},
      {"since", "2026-11-30T00:00:00Z", "\"2026-11-30T00:00:00Z\"", CRV_JT_TIME},
      {"count", "16", "16", CRV_JT_INT},
      {"host.ram", "19.04 GiB (20442450944 B)", "20442450944", CRV_JT_BYTES},
      {"host.ram_bytes", "19.04 GiB (20442450944 B)", "20442450944", CRV_JT_BYTES},
      {"host.boot.kind", "ssd", "\"ssd\"", CRV_JT_TEXT},
      {"host.boot.size", "unknown", "null", CRV_JT_BYTES},
      {"title", "unknown", "null", CRV_JT_TEXT},
      {"price", "unknown", "null", CRV_JT_DECIMAL},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
    ck_assert_msg(crv_jspec_value(&thing_spec, &t, rows[i].path, &v), "%s", rows[i].path);
    ck_assert_int_eq(v.type, rows[i].type);
    ck_assert_int_eq(v.set, strcmp(rows[i].text, "unknown") != 0);
    ck_assert_str_eq(crv_value_text(&v, out, sizeof out), rows[i].text);
    _json_ json_t *j = crv_value_json(&v);
    _free_ char *s = crv_json_compact(j);
    ck_assert_str_eq(s, rows[i].json);
  }
}
END_TEST

START_TEST(paths_that_name_no_scalar_are_refused) {
  static const char *const paths[] = {"",       ".",         "nothing",    "host",  "host.",
                                      "host.x", "tags",      "facts.a",    "key.x", "host.disks.0",
                                      "at",     "host..ram", "host.disks", ".key"};
  struct thing t = {0};
  struct crv_value v;
  for (size_t i = 0; i < sizeof paths / sizeof *paths; i++)
    ck_assert_msg(!crv_jspec_value(&thing_spec, &t, paths[i], &v), "%s", paths[i]);
}
END_TEST

START_TEST(a_path_through_an_absent_object_is_unset) {
  struct thing t = {0};
  struct crv_value v;
  ck_assert(crv_jspec_value(&thing_spec, &t, "host.boot.kind", &v));
  ck_assert(!v.set && v.type == CRV_JT_TEXT);
  ck_assert(crv_jspec_value(&thing_spec, NULL, "count", &v));
  ck_assert(!v.set && v.type == CRV_JT_INT);
  ck_assert_ptr_eq(crv_jspec_field(&thing_spec, "host.ram"), &host_fields[0]);
  ck_assert_ptr_eq(crv_jspec_field(&thing_spec, "host.disks"), &host_fields[2]);
  ck_assert_ptr_null(crv_jspec_field(&thing_spec, "host.nothing"));
}
END_TEST

static bool value_parse(const char *path, const char *name, const char *json, struct crv_value *v) {
  crv_err_init(&err);
  _json_ json_t *j = crv_json_parse_stored(json, strlen(json), &err);
  const struct crv_jfield *f = crv_jspec_field(&thing_spec, path);
  ck_assert(j && f);
  return crv_jspec_value_parse_as(f, name ? name : f->name, j, "/value", arena, v, &err);
}

START_TEST(values_are_parsed_as_their_field_would) {
  struct crv_value v, w;
  ck_assert(value_parse("host.ram", NULL, "\"64 GiB\"", &v) && v.set && v.i == 64 * CRV_GIB);
  ck_assert_int_eq(v.type, CRV_JT_BYTES);
  ck_assert(value_parse("host.ram", NULL, "68719476736", &w));
  ck_assert_int_eq(crv_value_cmp(&v, &w), 0);
  ck_assert(!value_parse("host.ram", "ram", "64", &v));
  ck_assert_str_eq(err.at[0].code, "ambiguous_unit");
  ck_assert_str_eq(err.at[0].ptr, "/value");
  ck_assert(value_parse("color", NULL, "\"green\"", &v) && crv_streq(v.text, "green"));
  ck_assert(!value_parse("color", NULL, "\"gren\"", &v));
  ck_assert(value_parse("interruptible", NULL, "false", &v) && v.set && v.i == 0);
  ck_assert(value_parse("share", NULL, "0.25", &v) && v.i == 250000);
  ck_assert(!value_parse("count", NULL, "null", &v));
  ck_assert(!value_parse("host", NULL, "1", &v));
  ck_assert_str_eq(err.at[0].code, "wrong_type");
  _json_ json_t *j = json_integer(5);
  ck_assert(crv_jspec_value_parse(&thing_fields[4], j, "", arena, &v, &err) && v.i == 5);
}
END_TEST

START_TEST(values_have_an_order) {
  struct crv_value one = {.type = CRV_JT_INT, .set = true, .i = -1};
  struct crv_value two = {.type = CRV_JT_INT, .set = true, .i = 2};
  struct crv_value a = {.type = CRV_JT_TEXT, .set = true, .text = "a"};
  struct crv_value b = {.type = CRV_JT_TEXT, .set = true, .text = "b"};
  ck_assert_int_lt(crv_value_cmp(&one, &two), 0);
  ck_assert_int_gt(crv_value_cmp(&two, &one), 0);
  ck_assert_int_eq(crv_value_cmp(&two, &two), 0);
  ck_assert_int_lt(crv_value_cmp(&a, &b), 0);
  ck_assert_int_eq(crv_value_cmp(&a, &a), 0);
  char out[4];
  struct crv_value euro = {.type = CRV_JT_TEXT, .set = true, .text = "a\xE2\x82\xAC"};
  ck_assert_str_eq(crv_value_text(&euro, out, sizeof out), "a");
}
END_TEST

/* Follows a dotted path of keys in JSON and compares its compact text. */
static void has(const json_t *j, const char *path, const char *expected) {
  char key[64];
  for (const char *p = path; *p;) {
    size_t n = strcspn(p, ">");
    snprintf(key, sizeof key, "%.*s", (int)n, p);
    j = json_is_array(j) ? json_array_get(j, (size_t)strtoul(key, NULL, 10))
                         : json_object_get(j, key);
    p += n + (p[n] ? 1 : 0);
  }
  _free_ char *s = crv_json_canonical(j);
  ck_assert_msg(s && strcmp(s, expected) == 0, "%s: %s", path, s ? s : "nothing");
}

START_TEST(the_schema_describes_what_is_taken) {
  _json_ json_t *j = crv_jspec_schema(&thing_spec);
  ck_assert_ptr_nonnull(j);
  has(j, "title", "\"Thing\"");
  has(j, "required", "[\"key\"]");
  has(j, "additionalProperties", "false");
  has(j, "patternProperties", "{\"^x-\":{}}");
  has(j, "properties>key>description", "\"Its key.\"");
  has(j, "properties>name>description", "\"Another name of title\"");
  has(j, "properties>title", "{\"maxLength\":1024,\"minLength\":1,\"type\":\"string\"}");
  has(j, "properties>count", "{\"maximum\":9007199254740991,\"minimum\":1,\"type\":\"integer\"}");
  has(j, "properties>level", "{\"maximum\":5,\"minimum\":-5,\"type\":\"integer\"}");
  has(j, "properties>color", "{\"enum\":[\"red\",\"green\",\"dark_blue\"],\"type\":\"string\"}");
  has(j, "properties>share>anyOf>1", "{\"maximum\":1,\"minimum\":-1,\"type\":\"number\"}");
  has(j, "properties>host>$ref", "\"#/components/schemas/Host\"");
  has(j, "properties>tags>anyOf>1>items>type", "\"string\"");
  has(j, "properties>keys>minItems", "1");
  has(j, "properties>facts>maxProperties", "64");
  has(j, "properties>at>minItems", "2");
  has(j, "properties>config>description", "\"Not yet: A config.json is not read yet.\"");
  has(j, "properties>since>anyOf>1>format", "\"date\"");
  _json_ json_t *host = crv_jspec_schema(&host_spec);
  has(host, "properties>ram_bytes>anyOf>0>type", "\"integer\"");
  has(host, "properties>ram>type", "\"string\"");
  has(host, "properties>disks>anyOf>1>maxItems", "3");
  _json_ json_t *disk = crv_jspec_schema(&disk_spec);
  has(disk, "anyOf>0>required", "[\"kind\"]");
  has(disk, "anyOf>1>maxLength", "8");
}
END_TEST

static void collect(const struct crv_jspec *spec, void *ctx) {
  crv_buf_str(ctx, spec->name);
  crv_buf_char(ctx, ' ');
}

START_TEST(every_table_is_visited_once) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  crv_jspec_each(&thing_spec, collect, &b);
  ck_assert_str_eq(b.data, "Thing Host Disk ");
}
END_TEST

int main(void) {
  Suite *s = suite_create("jspec_encode");
  TCase *t = tcase_create("jspec_encode");
  tcase_add_checked_fixture(t, set_up, tear_down);
  tcase_add_test(t, names_that_begin_with_x_are_kept_and_given_back);
  tcase_add_test(t, an_open_table_keeps_every_unknown_field);
  tcase_add_test(t, what_is_encoded_decodes_to_the_same);
  tcase_add_test(t, encoding_is_canonical);
  tcase_add_test(t, a_bytes_field_without_bytes_in_its_name_round_trips);
  tcase_add_test(t, values_are_reached_by_path);
  tcase_add_test(t, paths_that_name_no_scalar_are_refused);
  tcase_add_test(t, a_path_through_an_absent_object_is_unset);
  tcase_add_test(t, values_are_parsed_as_their_field_would);
  tcase_add_test(t, values_have_an_order);
  tcase_add_test(t, the_schema_describes_what_is_taken);
  tcase_add_test(t, every_table_is_visited_once);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
