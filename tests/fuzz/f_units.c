/* Any bytes as an amount, a decimal, a time, a date, a version: what is taken stays in range and
   reads back to itself; what is refused has a code and a detail in UTF-8. */
#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"
#include "tests/fuzz/fuzz.h"

static void check_refusal(const struct crv_unit_err *ue) {
  MUST(ue->code && ue->code[0]);
  MUST(ue->detail[0] && crv_utf8_ok(ue->detail, strlen(ue->detail)));
}

static void check_bytes(const char *s, size_t len) {
  struct crv_unit_err ue;
  char out[64];
  int64_t up, down, again, micro, factor;
  bool ok_up = crv_bytes_parse(s, len, CRV_ROUND_UP, &up, &ue);
  if (!ok_up) check_refusal(&ue);
  bool ok_down = crv_bytes_parse(s, len, CRV_ROUND_DOWN, &down, &ue);
  MUST(ok_down || !ok_up);
  if (ok_up) {
    MUST(down >= 0 && down <= up && up - down <= 1 && up <= CRV_INT_MAX);
    snprintf(out, sizeof out, "%lld B", (long long)up);
    MUST(crv_bytes_parse(out, strlen(out), CRV_ROUND_UP, &again, &ue) && again == up);
    MUST(strlen(crv_bytes_gib(up, out, sizeof out)) < 32);
  }
  if (crv_bytes_split(s, len, &micro, &factor, &ue) && ok_up)
    MUST(crv_bytes_scale(micro, factor, CRV_ROUND_UP, &again) && again == up);
}

static void check_decimal(const char *s, size_t len) {
  struct crv_unit_err ue;
  char out[64];
  int64_t v, again;
  if (!crv_decimal_parse(s, len, &v, &ue)) {
    check_refusal(&ue);
    return;
  }
  crv_decimal_text(v, out, sizeof out);
  MUST(crv_decimal_parse(out, strlen(out), &again, &ue) && again == v);
  crv_money_text(v, out, sizeof out);
  MUST(crv_decimal_parse(out, strlen(out), &again, &ue) && again == v);
}

static void check_times(const char *s, size_t len) {
  struct crv_unit_err ue;
  char out[64];
  int64_t v, again;
  if (crv_time_parse(s, len, &v, &ue)) {
    crv_time_text(v, out, sizeof out);
    MUST(crv_time_parse(out, strlen(out), &again, &ue) && again == v);
    MUST(strlen(crv_date_text(v, out, sizeof out)) < 32);
  } else {
    check_refusal(&ue);
  }
  if (crv_date_parse(s, len, &v, &ue)) {
    crv_time_text(v, out, sizeof out);
    MUST(memcmp(out, s, 10) == 0);
  }
}

/* The text and its reverse half as a version and a rule. */
static void check_texts(const char *s, size_t len) {
  char a[256], b[256], quote[CRV_QUOTE_ROOM];
  size_t half = len / 2, la = half < 255 ? half : 255, lb = len - half < 255 ? len - half : 255;
  MUST(strlen(crv_text_quote(s, len, quote)) < CRV_QUOTE_ROOM);
  memcpy(a, s, la);
  memcpy(b, s + half, lb);
  a[la] = '\0';
  b[lb] = '\0';
  int c = crv_version_cmp(a, b), back = crv_version_cmp(b, a);
  MUST((c > 0) == (back < 0) && (c == 0) == (back == 0));
  crv_version_matches(a, b);
  MUST(crv_edit_distance(a, b, 2) == crv_edit_distance(b, a, 2));
  crv_text_repair(a);
  MUST(crv_utf8_ok(a, strlen(a)));
  MUST(crv_text_columns(a) <= strlen(a));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  const char *s = size ? (const char *)data : "";
  check_bytes(s, size);
  check_decimal(s, size);
  check_times(s, size);
  check_texts(s, size);
  return 0;
}
