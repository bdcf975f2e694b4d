/* A diagnosis as a page of text: phase and cause apart, the figures with their counters, what to
   try one at a time. Must not know: how it came about. */
#include <string.h>

#include "api/answer.h"
#include "api/render.h"

static void wrapped(struct crv_buf *out, const char *lead, const char *text) {
  crv_buf_str(out, lead);
  crv_text_wrap(out, text ? text : "", strlen(lead), strlen(lead), CRV_TEXT_COLUMNS);
}

static void answers(const json_t *d, struct crv_buf *out) {
  const char *subphase = crv_json_text(d, "subphase");
  crv_buf_printf(out, "Phase  %s%s%s\n", crv_json_text(d, "phase"), subphase ? ", " : "",
                 subphase ? subphase : "");
  crv_buf_printf(out, "Cause  %s\n", crv_json_text(d, "cause.code"));
  wrapped(out, "       ", crv_json_text(d, "cause.says"));
}

static void figures(const json_t *d, struct crv_buf *out) {
  const json_t *list = json_object_get(d, "figures");
  char text[CRV_CELL];
  size_t i;
  json_t *f;
  if (json_array_size(list)) crv_buf_str(out, "\nFIGURES, as printed\n");
  json_array_foreach(list, i, f) {
    const char *counter = crv_json_text(f, "counter"), *printed = crv_json_text(f, "printed");
    crv_buf_printf(out, "  %-22s %-12s %s%s%s\n", crv_json_text(f, "name"), printed ? printed : "-",
                   crv_gib_of(json_object_get(f, "bytes"), text), counter ? "  " : "",
                   counter ? counter : "");
  }
}

static void tries(const json_t *d, struct crv_buf *out) {
  const json_t *list = json_object_get(d, "try");
  size_t i, k;
  json_t *t, *v;
  if (json_array_size(list)) crv_buf_str(out, "\nTRY, one at a time\n");
  json_array_foreach(list, i, t) {
    wrapped(out, "  - ", crv_json_text(t, "change"));
    json_array_foreach(json_object_get(t, "verify_again"), k, v) {
      wrapped(out, "      verify again: ", json_string_value(v));
    }
  }
}

static void sentences(const json_t *d, const char *member, const char *title, struct crv_buf *out) {
  const json_t *list = json_object_get(d, member);
  size_t i;
  json_t *v;
  if (json_array_size(list)) crv_buf_printf(out, "\n%s\n", title);
  json_array_foreach(list, i, v) {
    wrapped(out, "  - ", json_string_value(v));
  }
}

void crv_render_diagnosis(const json_t *d, struct crv_buf *out) {
  answers(d, out);
  figures(d, out);
  tries(d, out);
  sentences(d, "do_not", "DO NOT", out);
  sentences(d, "provide", "PROVIDE, to know more", out);
}
