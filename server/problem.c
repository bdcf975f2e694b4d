/* Problem documents as JSON and as plain sentences. Details may quote what a client sent, so each
   text is made valid UTF-8 first. Must not know: which code a handler meant by what. */
#include "server/problem.h"

#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"

enum { COLUMNS = 100, TEXT = 1024 };

/* A copy that is UTF-8 whatever was cut or sent. */
static const char *clean(const char *s, char *out, size_t room) {
  snprintf(out, room, "%s", s);
  crv_text_repair(out);
  return out;
}

static const char *detail(const struct crv_err *err, char *out, size_t room) {
  if (err->detail[0]) return clean(err->detail, out, room);
  if (err->n == 0) return crv_code_info(err->code)->title;
  unsigned n = err->n + err->more;
  snprintf(out, room, "%u field%s cannot be accepted.", n, n == 1 ? "" : "s");
  return out;
}

static json_t *field_json(const struct crv_field_err *f) {
  char text[TEXT];
  _json_ json_t *j = json_object();
  if (!j || !crv_json_set_text(j, "pointer", clean(f->ptr, text, sizeof text)) ||
      !crv_json_set_text(j, "code", clean(f->code, text, sizeof text)) ||
      !crv_json_set_text(j, "detail", clean(f->detail, text, sizeof text)) ||
      (f->hint[0] && !crv_json_set_text(j, "hint", clean(f->hint, text, sizeof text))))
    return NULL;
  return crv_steal(&j);
}

static json_t *fields_json(const struct crv_err *err) {
  _json_ json_t *list = json_array();
  for (unsigned i = 0; i < err->n; i++)
    if (json_array_append_new(list, field_json(&err->at[i])) != 0) return NULL;
  return crv_steal(&list);
}

json_t *crv_problem_json(const struct crv_req *rq, const struct crv_err *err) {
  const struct crv_code_info *info = crv_code_info(err->code);
  char text[4 * TEXT + 256], type[80];
  _json_ json_t *j = json_object();
  snprintf(type, sizeof type, "/problems/%s", info->slug);
  if (!j || !crv_json_set_text(j, "type", type) || !crv_json_set_text(j, "title", info->title) ||
      !crv_json_set_int(j, "status", info->status) || !crv_json_set_text(j, "code", info->slug) ||
      !crv_json_set_text(j, "detail", detail(err, text, sizeof text)))
    return NULL;
  if (rq && rq->target && !crv_json_set_text(j, "instance", clean(rq->target, text, sizeof text)))
    return NULL;
  if (rq && !crv_json_set_text(j, "request_id", rq->request_id)) return NULL;
  if (!crv_json_set_steal(j, "errors", fields_json(err))) return NULL;
  if (err->more && !crv_json_set_int(j, "more_errors", err->more)) return NULL;
  return crv_steal(&j);
}

/* One paragraph, broken at blanks so that no line is wider than COLUMNS; a word that is longer
   stands alone. Following lines start with indent blanks. */
static void paragraph(struct crv_buf *out, const char *s, size_t indent) {
  size_t at = 0;
  bool line_empty = true;
  while (*(s += strspn(s, " \n"))) {
    size_t len = strcspn(s, " \n"), wide = 0;
    for (size_t i = 0; i < len; i++) wide += ((unsigned char)s[i] & 0xc0) != 0x80;
    if (!line_empty && at + 1 + wide > COLUMNS) {
      crv_buf_printf(out, "\n%*s", (int)indent, "");
      at = indent;
    } else if (!line_empty) {
      crv_buf_char(out, ' ');
      at++;
    }
    crv_buf_add(out, s, len);
    line_empty = false;
    at += wide;
    s += len;
  }
  crv_buf_char(out, '\n');
}

static void field_text(const struct crv_field_err *f, struct crv_buf *out) {
  char raw[TEXT], text[TEXT];
  snprintf(raw, sizeof raw, "- %s: %s%s%s", f->ptr[0] ? f->ptr : "the body", f->detail,
           f->hint[0] ? " Accepted: " : "", f->hint);
  paragraph(out, clean(raw, text, sizeof text), 2);
}

void crv_problem_text(const struct crv_req *rq, const struct crv_err *err, struct crv_buf *out) {
  const struct crv_code_info *info = crv_code_info(err->code);
  char text[TEXT], line[TEXT];
  snprintf(line, sizeof line, "%s (%d %s)", info->title, info->status, info->slug);
  paragraph(out, line, 0);
  if (err->detail[0] || err->n > 0) paragraph(out, detail(err, text, sizeof text), 0);
  for (unsigned i = 0; i < err->n; i++) field_text(&err->at[i], out);
  if (err->more) crv_buf_printf(out, "And %u more.\n", err->more);
  snprintf(line, sizeof line, "What helps: %s", info->cure);
  paragraph(out, line, 0);
  if (rq && rq->request_id) crv_buf_printf(out, "Request %s\n", rq->request_id);
}
