/* Any bytes at the door for JSON: taken or refused with a position, never a crash; what is taken
   has a canonical text that reads back to itself; and jansson never refuses what the walk took,
   but for keys that stand twice. */
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/units.h"
#include "tests/fuzz/fuzz.h"

static struct crv_err err;

/* By the detail's end: a key that it quotes may hold any words. */
static bool ends_with(const char *s, const char *end) {
  size_t len = strlen(s), n = strlen(end);
  return len >= n && strcmp(s + len - n, end) == 0;
}

static void check_refusal(void) {
  MUST(err.code == CRV_MALFORMED_JSON);
  MUST(strncmp(err.detail, "line ", 5) == 0);
  MUST(crv_utf8_ok(err.detail, strlen(err.detail)));
  MUST(!ends_with(err.detail, ": not valid JSON."));
}

static void check_taken(const json_t *j) {
  _free_ char *canonical = crv_json_canonical(j), *compact = crv_json_compact(j);
  MUST(canonical && compact);
  _json_ json_t *again = crv_json_parse_stored(canonical, strlen(canonical), &err);
  _json_ json_t *other = crv_json_parse_stored(compact, strlen(compact), &err);
  _free_ char *same = crv_json_canonical(again), *too = crv_json_canonical(other);
  MUST(same && strcmp(same, canonical) == 0);
  MUST(too && strcmp(too, canonical) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  crv_err_init(&err);
  _json_ json_t *j = crv_json_parse((const char *)data, size, &err);
  if (j) {
    MUST(json_is_object(j));
    check_taken(j);
  } else {
    check_refusal();
  }
  crv_err_init(&err);
  _json_ json_t *stored = crv_json_parse_stored((const char *)data, size, &err);
  MUST(!j || stored);
  if (!stored) check_refusal();
  return 0;
}
