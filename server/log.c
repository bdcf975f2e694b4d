/* The log: JSON lines with RFC 3339 times, one write each, so that lines of several threads never
   mix. Must not know: requests beyond the struct it is given, and no secrets. */
#include "server/log.h"

#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/base/units.h"
#include "server/auth.h"

enum { LINE = 4096, VALUE = 1024 }; /* a pipe takes 4096 bytes in one piece */

struct line {
  size_t n;
  char at[LINE];
};

static atomic_int log_fd = -1;

void crv_log_open(int fd) {
  atomic_store(&log_fd, fd);
}

/* Everything but the closing brace and newline, which always fit. */
static bool put(struct line *l, const char *s, size_t len) {
  if (l->n + len > LINE - 2) return false;
  memcpy(l->at + l->n, s, len);
  l->n += len;
  return true;
}

static size_t escape(char *out, unsigned char c) {
  if (c >= 0x20 && c < 0x7f && c != '"' && c != '\\') {
    out[0] = (char)c;
    return 1;
  }
  return (size_t)snprintf(out, 8, "\\u%04x", c);
}

/* A quoted text, cut in front of a whole character when it is long. Bytes beyond ASCII pass only
   where the whole text is UTF-8. */
static bool put_text(struct line *l, const char *s) {
  enum { LONGEST = 7 }; /* an escape and the closing quote */
  char text[8];
  size_t len = strlen(s), end = l->n + VALUE;
  bool utf8 = crv_utf8_ok(s, len);
  if (end > LINE - 2) end = LINE - 2;
  if (l->n + LONGEST > end) return false;
  put(l, "\"", 1);
  for (size_t i = 0; i < len; i++) {
    unsigned char c = (unsigned char)s[i];
    bool follows = utf8 && (c & 0xc0) == 0x80;
    if (!follows && l->n + LONGEST > end) break;
    text[0] = (char)c;
    put(l, text, utf8 && c >= 0x80 ? 1 : escape(text, c));
  }
  return put(l, "\"", 1);
}

static bool put_key(struct line *l, const char *key) {
  if (l->n > 1 && !put(l, ",", 1)) return false;
  return put_text(l, key) && put(l, ":", 1);
}

/* A pair that has no room is left out whole. */
static void put_pair(struct line *l, const char *key, const char *value) {
  size_t before = l->n;
  if (value && (!put_key(l, key) || !put_text(l, value))) l->n = before;
}

static void put_number(struct line *l, const char *key, const char *digits) {
  size_t before = l->n;
  if (!put_key(l, key) || !put(l, digits, strlen(digits))) l->n = before;
}

static void start(struct line *l, const char *level, const char *event) {
  struct timespec now;
  char ts[32];
  clock_gettime(CLOCK_REALTIME, &now);
  crv_time_text(now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000, ts, sizeof ts);
  l->n = 0;
  put(l, "{", 1);
  put_pair(l, "ts", ts);
  put_pair(l, "level", level);
  put_pair(l, "event", event);
}

static void finish(struct line *l) {
  l->at[l->n++] = '}';
  l->at[l->n++] = '\n';
  ssize_t n = write(atomic_load(&log_fd), l->at, l->n);
  (void)n; /* a log that cannot be written has nowhere to say so */
}

void crv_log(const char *level, const char *event, ...) {
  struct line l;
  const char *key;
  va_list ap;
  if (atomic_load(&log_fd) < 0) return;
  start(&l, level, event);
  va_start(ap, event);
  while ((key = va_arg(ap, const char *))) put_pair(&l, key, va_arg(ap, const char *));
  va_end(ap);
  finish(&l);
}

/* A path, up to a token that somebody put into it. */
static void put_path(struct line *l, const char *path) {
  char shown[VALUE];
  const char *token = path ? crv_auth_find(path) : NULL;
  if (token) snprintf(shown, sizeof shown, "%.*s...", (int)(token - path), path);
  put_pair(l, "path", token ? shown : path);
}

void crv_log_request(const struct crv_log_request *r) {
  struct line l;
  char digits[48];
  if (atomic_load(&log_fd) < 0) return;
  bool ours = r->status >= 500 && r->status != 501; /* 501: what the client sent is not served */
  start(&l, ours ? "error" : "info", "request");
  put_pair(&l, "request_id", r->request_id);
  put_pair(&l, "method", r->method);
  put_pair(&l, "route", r->route);
  put_path(&l, r->path);
  snprintf(digits, sizeof digits, "%d", r->status);
  put_number(&l, "status", digits);
  snprintf(digits, sizeof digits, "%zu", r->bytes);
  put_number(&l, "bytes", digits);
  snprintf(digits, sizeof digits, "%lld.%03lld", (long long)(r->duration_us / 1000),
           (long long)(r->duration_us % 1000));
  put_number(&l, "duration_ms", digits);
  put_pair(&l, "token", r->token);
  put_pair(&l, "remote", r->remote);
  put_pair(&l, "ended", r->ended);
  finish(&l);
}
