/* Errors as values: the table of codes, and filling a struct crv_err.
   Every text that it keeps is valid UTF-8 even when cut, because it goes into a JSON answer.
   Must not know: how an answer is written, or what a log line looks like. */
#include "core/base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"

static const struct crv_code_info table[] = {
#define X(name, status, slug, title, cure) {CRV_##name, status, slug, title, cure},
#include "errcodes.def"
#undef X
};

const struct crv_code_info *crv_code_info(enum crv_code code) {
  const struct crv_code_info *internal = &table[CRV_INTERNAL - 1];
  if (code <= CRV_OK || code >= CRV_CODE_COUNT) return internal;
  return &table[code - 1];
}

const struct crv_code_info *crv_code_by_slug(const char *slug) {
  if (!slug) return NULL;
  for (size_t i = 0; i < sizeof table / sizeof *table; i++)
    if (strcmp(table[i].slug, slug) == 0) return &table[i];
  return NULL;
}

void crv_err_init(struct crv_err *err) {
  err->code = CRV_OK;
  err->detail[0] = '\0';
  err->log[0] = '\0';
  err->n = 0;
  err->more = 0;
}

static void fill(char *out, size_t room, const char *fmt, va_list ap) {
  if (vsnprintf(out, room, fmt, ap) < 0) out[0] = '\0';
  crv_text_repair(out);
}

static void copy(char *out, size_t room, const char *s) {
  size_t len = s ? strnlen(s, room - 1) : 0;
  if (len) memcpy(out, s, len);
  out[len] = '\0';
  crv_text_repair(out);
}

bool crv_fail(struct crv_err *err, enum crv_code code, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  fill(err->detail, sizeof err->detail, fmt, ap);
  va_end(ap);
  err->code = code;
  return false;
}

static void count_text(char *out, size_t room, unsigned n) {
  snprintf(out, room, n == 1 ? "%u field cannot be accepted." : "%u fields cannot be accepted.", n);
}

/* A detail that somebody else wrote stays. */
static void update_detail(struct crv_err *err, unsigned total) {
  char before[64];
  if (err->code == CRV_OK) {
    err->code = CRV_INVALID_FIELDS;
    err->detail[0] = '\0';
  }
  if (err->code != CRV_INVALID_FIELDS) return;
  count_text(before, sizeof before, total - 1);
  if (err->detail[0] == '\0' || strcmp(err->detail, before) == 0)
    count_text(err->detail, sizeof err->detail, total);
}

bool crv_fail_field(struct crv_err *err, const char *ptr, const char *code, const char *hint,
                    const char *fmt, ...) {
  update_detail(err, err->n + err->more + 1);
  if (err->n >= CRV_ERR_FIELDS) {
    err->more++;
    return false;
  }
  struct crv_field_err *f = &err->at[err->n++];
  copy(f->ptr, sizeof f->ptr, ptr);
  copy(f->code, sizeof f->code, code);
  copy(f->hint, sizeof f->hint, hint);
  va_list ap;
  va_start(ap, fmt);
  fill(f->detail, sizeof f->detail, fmt, ap);
  va_end(ap);
  return false;
}

bool crv_bug_at(struct crv_err *err, const char *file, int line, const char *fmt, ...) {
  char text[192];
  va_list ap;
  va_start(ap, fmt);
  fill(text, sizeof text, fmt, ap);
  va_end(ap);
  const char *slash = strrchr(file, '/');
  snprintf(err->log, sizeof err->log, "%.48s:%d: %s", slash ? slash + 1 : file, line, text);
  crv_text_repair(err->log);
  return crv_fail(err, CRV_INTERNAL, "The service failed; nothing was changed.");
}
