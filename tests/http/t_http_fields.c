/* Values of the wrong type or range for each class of field, and unknown members, on the addresses
   that take JSON: each is answered by a problem that names the member and what is accepted, and
   stores nothing. */
#include <stdlib.h>
#include <string.h>

#include "tests/http/hostile.h"

/* -- wrong values ------------------------------------------------------------------------------ */

/* What no field of a class takes, as JSON. */
static const char *const text_values[] = {"7",           "1.5",         "true", "[]",
                                          "[\"a\"]",     "{}",          "\"\"", "\"a\\u0007b\"",
                                          "\"\\u0085\"", "\"\\u202e\"", NULL};
static const char *const count_values[] = {"\"8\"",
                                           "1.5",
                                           "8.0",
                                           "-1",
                                           "1e400",
                                           "1e3",
                                           "true",
                                           "[]",
                                           "[8]",
                                           "{}",
                                           "\"\"",
                                           "9007199254740992",
                                           "99999999999999999999",
                                           "-99999999999999999999",
                                           "\"NaN\"",
                                           NULL};
static const char *const bool_values[] = {"\"true\"", "1", "0", "[]", "{}", "\"\"", NULL};
static const char *const word_values[] = {"\"nonsense\"", "\"\"", "7",         "true",
                                          "[]",           "{}",   "\" none\"", NULL};
static const char *const bytes_values[] = {
    "\"24G\"",     "\"24 gb\"",   "\"24\"",
    "24",          "\"-1 GiB\"",  "\"1e400 GiB\"",
    "\"NaN GiB\"", "\"24  GiB\"", "\"9999999999999999999 GiB\"",
    "\"GiB\"",     "\"24 GiB \"", "\"0x10 GiB\"",
    "\"24 Gib\"",  "1.5",         "true",
    "[]",          "\"\"",        NULL};
static const char *const decimal_values[] = {"\"abc\"",
                                             "\"-3\"",
                                             "-3",
                                             "1e400",
                                             "\"1e400\"",
                                             "\"NaN\"",
                                             "\"0.1234567\"",
                                             "0.1234567",
                                             "\"1,5\"",
                                             "\"0x10\"",
                                             "\" 1\"",
                                             "\"\"",
                                             "true",
                                             "[]",
                                             "{}",
                                             "\"\xef\xbc\x91\"",
                                             "99999999999999999999",
                                             "\"1.000000000000000000005\"",
                                             NULL};
static const char *const time_values[] = {"\"yesterday\"",
                                          "\"2026-13-01T00:00:00Z\"",
                                          "\"2026-02-30\"",
                                          "\"2026-11-28T25:00:00Z\"",
                                          "\"2026-11-28T09:00:00\"",
                                          "\"2026-11-28T09:00:00+25:00\"",
                                          "1764321600",
                                          "true",
                                          "\"\"",
                                          "[]",
                                          "{}",
                                          "\"-2026-11-28\"",
                                          NULL};
static const char *const money_values[] = {"\"usd\"",          "\"US\"", "\"USDX\"", "\"\"", "7",
                                           "\"\xe2\x82\xac\"", "[]",     "true",     NULL};
static const char *const object_values[] = {"7", "1.5", "true", "[]", "[{}]", NULL};
static const char *const list_values[] = {"7", "true", "1e400", NULL};

static const struct {
  enum at at;
  const char *pointer;
  const char *const *values;
} fields[] = {
    {SHEET, "/task", word_values},
    {SHEET, "/model", object_values},
    {SHEET, "/model/name", text_values},
    {SHEET, "/model/revision", text_values},
    {SHEET, "/model/parameters", count_values},
    {SHEET, "/precision", object_values},
    {SHEET, "/precision/weights", text_values},
    {SHEET, "/length/prompt", count_values},
    {SHEET, "/concurrency", count_values},
    {SHEET, "/reserve", list_values},
    {SHEET, "/reserve/0/item", text_values},
    {SHEET, "/reserve/0/basis", word_values},
    {SHEET, "/placement/devices", count_values},
    {SHEET, "/placement/strategy", word_values},
    {SHEET, "/campaign/hours", count_values},
    {SHEET, "/campaign/currency", money_values},
    {SHEET, "/campaign/ceiling", decimal_values},
    {SHEET, "/preferences", list_values},
    {SHEET, "/preferences/0/field", text_values},
    {OFFER, "/supplier", text_values},
    {OFFER, "/region", text_values},
    {OFFER, "/device", object_values},
    {OFFER, "/device/name", text_values},
    {OFFER, "/device/memory_declared_bytes", count_values},
    {OFFER, "/device/memory_kind", word_values},
    {OFFER, "/lot/devices", count_values},
    {OFFER, "/lot/homogeneous", bool_values},
    {OFFER, "/plan/hours", count_values},
    {OFFER, "/plan/interruptible", bool_values},
    {OFFER, "/plan/renewal", word_values},
    {OFFER, "/price", object_values},
    {OFFER, "/price/amount", decimal_values},
    {OFFER, "/price/currency", money_values},
    {OFFER, "/price/basis", word_values},
    {OFFER, "/price/per", word_values},
    {OFFER, "/host/ram", bytes_values},
    {OFFER, "/host/disk", bytes_values},
    {OFFER, "/host/vcpus", count_values},
    {OFFER, "/schedule/kind", word_values},
    {OFFER, "/effective_from", time_values},
    {PIECE, "/kind", word_values},
    {PIECE, "/observed_at", time_values},
    {PIECE, "/valid_until", time_values},
    {PIECE, "/uri", text_values},
    {PIECE, "/scope", object_values},
    {PIECE, "/scope/devices", count_values},
    {PIECE, "/scope/strategy", word_values},
    {PIECE, "/scope/length", count_values},
    {PIECE, "/result", object_values},
    {PIECE, "/result/outcome", word_values},
    {PIECE, "/result/truncated", bool_values},
    {PIECE, "/result/errors", count_values},
    {PIECE, "/result/peaks", list_values},
    {PIECE, "/result/peaks/0/counter", word_values},
    {PIECE, "/result/peaks/1/kind", word_values},
    {PIECE, "/result/latency_ms/p95", count_values},
    {PIECE, "/result/completion", decimal_values},
    {DECIDE, "/as_of", time_values},
    {DECIDE, "/limit", count_values},
    {DECIDE, "/offers", object_values},
    {DECIDE, "/offers/currency", money_values},
    {DECIDE, "/offers/min_memory", bytes_values},
    {DECIDE, "/sheet/concurrency", count_values},
    {DECIDE, "/sheet/task", word_values},
    {DECIDE, "/sheet/length/prompt", count_values},
    {DECIDE, "/policy", object_values},
    {BUDGET, "/model/parameters", count_values},
    {BUDGET, "/campaign/ceiling", decimal_values},
    {TOKEN, "/name", text_values},
    {TOKEN, "/role", word_values},
    {TOKEN, "/expires_at", time_values},
};

/* The member at a pointer's end gets this value; what the pointer goes through is made. */
static void put_at(json_t *j, const char *pointer, json_t *value) {
  char name[64];
  for (;;) {
    size_t len = strcspn(pointer + 1, "/");
    bool last = pointer[len + 1] == '\0';
    snprintf(name, sizeof name, "%.*s", (int)len, pointer + 1);
    if (last) break;
    json_t *next =
        json_is_array(j) ? json_array_get(j, strtoul(name, NULL, 10)) : json_object_get(j, name);
    if (!next) json_object_set_new(j, name, next = json_object());
    j = next;
    pointer += len + 1;
  }
  if (json_is_array(j))
    json_array_set_new(j, strtoul(name, NULL, 10), value);
  else
    json_object_set_new(j, name, value);
}

/* The address's good body with that JSON in one place. */
static const char *changed(enum at at, const char *pointer, const char *value) {
  static const char mark[] = "\"@@@@\"";
  json_t *j = json_loadb(routes[at].base, strlen(routes[at].base), 0, NULL);
  put_at(j, pointer, json_string("@@@@"));
  char *text = json_dumps(j, JSON_COMPACT);
  const char *spot = text ? strstr(text, mark) : NULL;
  ck_assert_ptr_nonnull(spot);
  const char *made = text_of("%.*s%s%s", (int)(spot - text), text, value, spot + sizeof mark - 1);
  free(text);
  json_decref(j);
  return made;
}

START_TEST(wrong_values) {
  const char *p = fields[_i].pointer;
  enum at at = fields[_i].at;
  still_remember();
  for (const char *const *v = fields[_i].values; *v; v++) {
    const struct answer *a = hostile_send(at, changed(at, p, *v), 0);
    const char *what = text_of("%s %s = %s", routes[at].path, p, *v);
    check_refused(a, 422, "invalid-fields", p, what);
    still_in_ledger(what);
    for (size_t i = 0; i < count_at(a, "errors"); i++)
      ck_assert_msg(strstr(a->body, "xpected") || strstr(a->body, "hint") ||
                        strstr(a->body, "write "),
                    "%s: what is accepted? %s", what, a->body);
  }
  still_all(p);
}
END_TEST

/* Out of a range that the field states, or an exact decimal that would have to be rounded. */
START_TEST(out_of_range) {
  static const struct {
    enum at at;
    const char *pointer, *value, *says;
  } cases[] = {
      {SHEET, "/concurrency", "0", "greater than 0"},
      {SHEET, "/concurrency", "1000000001", "1000000000"},
      {SHEET, "/placement/devices", "1048577", "1048576"},
      {SHEET, "/reserve/0/bytes", "\"24G\"", "25769803776"},
      {SHEET, "/reserve/0/bytes", "\"24 gb\"", "24000000000"},
      {OFFER, "/device/memory_nominal", "\"24G\"", "25769803776"},
      {OFFER, "/price/amount", "1.0000001", "six"},
      {OFFER, "/price/amount", "\"1.000000000000000005\"", "six"},
      {OFFER, "/plan/hours", "1000001", "1000000"},
      {DECIDE, "/limit", "0", "1000"},
      {DECIDE, "/limit", "1001", "1000"},
      {PIECE, "/result/peaks/0/bytes", "0", ""},
      {PIECE, "/result/peaks/0/bytes", "-1", ""},
      {PIECE, "/result/completion", "1.5", "1"},
  };
  still_remember();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const struct answer *a =
        hostile_send(cases[i].at, changed(cases[i].at, cases[i].pointer, cases[i].value), 0);
    check_refused(a, 422, "invalid-fields", cases[i].pointer, cases[i].value);
    ck_assert_msg(strstr(a->body, cases[i].says), "no %s in %s", cases[i].says, a->body);
  }
  still_all("out of range");
}
END_TEST

START_TEST(unknown_members) {
  static const struct {
    enum at at;
    const char *pointer, *nearest;
  } cases[] = {
      {SHEET, "/concurency", "concurrency"},
      {SHEET, "/length/promt", "prompt"},
      {SHEET, "/campaign/celing", "ceiling"},
      {SHEET, "/reserve/0/byte", "bytes"},
      {SHEET, "/__proto__", NULL},
      {SHEET, "/constructor", NULL},
      {OFFER, "/suplier", "supplier"},
      {OFFER, "/price/ammount", "amount"},
      {OFFER, "/device/memory_nominl", "memory_nominal"},
      {OFFER, "/device/__proto__", NULL},
      {PIECE, "/observedAt", "observed_at"},
      {PIECE, "/result/peaks/0/counters", "counter"},
      {PIECE, "/scope/concurrncy", "concurrency"},
      {DECIDE, "/limits", "limit"},
      {DECIDE, "/offers/suplier", "supplier"},
      {DECIDE, "/sheet/taks", "task"},
      {TOKEN, "/rol", "role"},
      {BUDGET, "/precison", "precision"},
  };
  still_remember();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const char *values[] = {"{}", "7", "\"x\""};
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
      const struct answer *a =
          hostile_send(cases[i].at, changed(cases[i].at, cases[i].pointer, values[v]), 0);
      check_refused(a, 422, "invalid-fields", cases[i].pointer, cases[i].pointer);
      ck_assert_ptr_nonnull(strstr(a->body, "unknown_field"));
      if (cases[i].nearest)
        ck_assert_msg(strstr(a->body, text_of("`%s`", cases[i].nearest)), "%s", a->body);
    }
  }
  still_all("unknown members");
}
END_TEST

/* All faults of a body come in one answer, fifty at most. */
START_TEST(all_faults_at_once) {
  const struct answer *a =
      hostile_send(OFFER,
                   "{\"supplier\":7,\"devise\":{},\"lot\":{\"devices\":-1},\"price\":"
                   "{\"amount\":\"-1\",\"currency\":\"eur\"},\"host\":{\"ram\":\"24G\"}}",
                   0);
  const char *const pointers[] = {"/supplier",     "/devise",         "/lot/devices",
                                  "/price/amount", "/price/currency", "/host/ram"};
  for (size_t i = 0; i < 6; i++) CRV_PROBLEM(a, 422, "invalid-fields", pointers[i]);
  const char *body = "{\"a0\":1";
  for (int i = 1; i < 80; i++) body = text_of("%s,\"a%d\":1", body, i);
  a = hostile_send(OFFER, text_of("%s}", body), 0);
  ck_assert_int_eq(a->status, 422);
  ck_assert_uint_eq(count_at(a, "errors"), 50);
}
END_TEST

int main(void) {
  Suite *s = suite_create("fields");
  TCase *tc = tcase_create("fields");
  tcase_add_loop_test(tc, wrong_values, 0, sizeof fields / sizeof *fields);
  tcase_add_test(tc, out_of_range);
  tcase_add_test(tc, unknown_members);
  tcase_add_test(tc, all_faults_at_once);
  return hostile_run(s, tc);
}
