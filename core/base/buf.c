/* The growable buffer. A failed append changes nothing but the flag, and every later one does
   nothing, so that a writer looks once at the end. Must not know: what is written into it. */
#include "core/base/buf.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void crv_buf_init(struct crv_buf *b, size_t limit) {
  *b = (struct crv_buf){.limit = limit};
}

void crv_buf_done(struct crv_buf *b) {
  free(b->data);
  *b = (struct crv_buf){.limit = b->limit};
}

/* Room for len more bytes and the NUL. */
static bool reserve(struct crv_buf *b, size_t len) {
  if (b->failed) return false;
  size_t need;
  if (__builtin_add_overflow(b->len, len, &need) || need > SIZE_MAX / 4 ||
      (b->limit && need > b->limit)) {
    b->failed = true;
    return false;
  }
  if (need < b->cap) return true;
  size_t cap = b->cap ? b->cap : 64;
  while (cap <= need) cap *= 2;
  char *p = realloc(b->data, cap);
  if (!p) {
    b->failed = true;
    return false;
  }
  b->data = p;
  b->cap = cap;
  return true;
}

void crv_buf_add(struct crv_buf *b, const void *p, size_t len) {
  if (!reserve(b, len)) return;
  if (len) memcpy(b->data + b->len, p, len);
  b->len += len;
  b->data[b->len] = '\0';
}

void crv_buf_str(struct crv_buf *b, const char *s) {
  crv_buf_add(b, s, strlen(s));
}

void crv_buf_char(struct crv_buf *b, char c) {
  crv_buf_add(b, &c, 1);
}

void crv_buf_printf(struct crv_buf *b, const char *fmt, ...) {
  va_list ap, again;
  va_start(ap, fmt);
  va_copy(again, ap);
  int len = vsnprintf(NULL, 0, fmt, ap);
  if (len < 0) {
    b->failed = true;
  } else if (reserve(b, (size_t)len)) {
    vsnprintf(b->data + b->len, (size_t)len + 1, fmt, again);
    b->len += (size_t)len;
  }
  va_end(again);
  va_end(ap);
}

void crv_buf_i64(struct crv_buf *b, int64_t v) {
  char text[24];
  int len = snprintf(text, sizeof text, "%" PRId64, v);
  crv_buf_add(b, text, (size_t)len);
}

char *crv_buf_take(struct crv_buf *b, size_t *len) {
  crv_buf_add(b, "", 0);
  char *data = NULL;
  if (!b->failed) {
    data = b->data;
    if (len) *len = b->len;
    b->data = NULL;
  }
  crv_buf_done(b);
  return data;
}
