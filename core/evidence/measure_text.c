/* The text of a measurement: made clean once, then walked by lines and cut into words and cells.
   Lines found around an offset are looked for within a window, so that one endless line costs no
   more than many short ones. Must not know: any tool's format. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* memmem */
#endif
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/evidence/measure_internal.h"

enum { WINDOW = 400 };

/* -- cleaning --------------------------------------------------------------------------------- */

/* Length of the escape sequence at s (ESC [ ... letter, or ESC alone). */
static size_t escape_len(const char *s, size_t len) {
  size_t i = 1;
  if (len < 2 || s[1] != '[') return 1;
  for (i = 2; i < len && i < 32; i++) {
    unsigned char c = (unsigned char)s[i];
    if (c >= 0x40 && c <= 0x7e) return i + 1;
    if (c < 0x20) break;
  }
  return i;
}

/* UTF-16 as a Windows shell writes it: other than Latin letters become '?'. */
static size_t from_utf16(const char *data, size_t len, bool little, char *out) {
  size_t n = 0;
  for (size_t i = 2; i + 1 < len; i += 2) {
    unsigned char low = (unsigned char)data[little ? i : i + 1];
    unsigned char high = (unsigned char)data[little ? i + 1 : i];
    out[n++] = high == 0 && low < 0x80 ? (char)low : '?';
  }
  return n;
}

static size_t clean(const char *s, size_t len, char *out) {
  size_t n = 0;
  for (size_t i = 0; i < len;) {
    if (s[i] == '\033') {
      i += escape_len(s + i, len - i);
    } else if ((unsigned char)s[i] == 0xc2 && i + 1 < len && (unsigned char)s[i + 1] == 0xa0) {
      out[n++] = ' ';
      i += 2;
    } else {
      out[n++] = s[i] == '\0' ? ' ' : s[i];
      i++;
    }
  }
  return n;
}

char *crv_mtext_clean(const char *data, size_t len, size_t *ret_len) {
  static const char bom[] = "\xEF\xBB\xBF";
  char *out = malloc(len + 1);
  if (!out) return NULL;
  if (len >= 2 && (memcmp(data, "\xFF\xFE", 2) == 0 || memcmp(data, "\xFE\xFF", 2) == 0)) {
    size_t n = from_utf16(data, len, (unsigned char)data[0] == 0xff, out);
    *ret_len = clean(out, n, out); /* never longer than it was */
  } else {
    size_t skip = len >= 3 && memcmp(data, bom, 3) == 0 ? 3 : 0;
    *ret_len = clean(data + skip, len - skip, out);
  }
  out[*ret_len] = '\0';
  return out;
}

size_t crv_mtext_width(const char *s, size_t len) {
  size_t longest = 0, count = 0, from = 0;
  for (size_t i = 0; i <= len; i++) {
    if (i < len && s[i] != '\n') continue;
    size_t n = i - from - (i > from && s[i - 1] == '\r' ? 1 : 0);
    if (n == longest) count++;
    if (n > longest) longest = n, count = 1;
    from = i + 1;
  }
  return count > 1 && longest >= 30 && longest < WINDOW ? longest : 0;
}

/* -- lines ------------------------------------------------------------------------------------ */

static bool is_break(char c) {
  return c == '\n' || c == '\r';
}

bool crv_mline_next(struct crv_mlines *l, struct crv_mspan *ret) {
  const struct crv_mtext *t = l->t;
  if (l->line == 0)
    l->line = 1;
  else if (l->at < t->len && t->s[l->at] == '\n')
    l->line++, l->at++;
  else if (l->at < t->len)
    l->at++; /* "\r" */
  if (l->at >= t->len) return false;
  size_t from = l->at;
  while (l->at < t->len && !is_break(t->s[l->at])) l->at++;
  *ret = (struct crv_mspan){t->s + from, l->at - from};
  return true;
}

struct crv_mspan crv_mline_at(const struct crv_mtext *t, size_t at) {
  size_t from = at, to = at;
  while (from > 0 && at - from < WINDOW && !is_break(t->s[from - 1])) from--;
  while (to < t->len && to - at < WINDOW && !is_break(t->s[to])) to++;
  return (struct crv_mspan){t->s + from, to - from};
}

struct crv_mspan crv_mline_before(const struct crv_mtext *t, size_t at) {
  struct crv_mspan line = crv_mline_at(t, at);
  size_t from = (size_t)(line.s - t->s);
  for (int blank = 0; blank < 4 && from > 0 && is_break(t->s[from - 1]); blank++) {
    line = crv_mline_at(t, from - 1);
    if (crv_mtrim(line).len > 0) return crv_mtrim(line);
    from = (size_t)(line.s - t->s);
  }
  return (struct crv_mspan){t->s, 0};
}

/* -- words and cells --------------------------------------------------------------------------- */

static bool is_blank(char c) {
  return c == ' ' || c == '\t' || is_break(c);
}

struct crv_mspan crv_mtrim(struct crv_mspan s) {
  while (s.len && is_blank(s.s[0])) s.s++, s.len--;
  while (s.len && is_blank(s.s[s.len - 1])) s.len--;
  return s;
}

bool crv_mspan_is(struct crv_mspan s, const char *text) {
  return s.len == strlen(text) && memcmp(s.s, text, s.len) == 0;
}

bool crv_mspan_starts(struct crv_mspan s, const char *text) {
  size_t n = strlen(text);
  return s.len >= n && memcmp(s.s, text, n) == 0;
}

size_t crv_mspan_find(struct crv_mspan s, const char *text) {
  const char *at = s.len ? memmem(s.s, s.len, text, strlen(text)) : NULL;
  return at ? (size_t)(at - s.s) : SIZE_MAX;
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

size_t crv_mspan_find_nocase(struct crv_mspan s, const char *text) {
  size_t n = strlen(text);
  for (size_t i = 0; i + n <= s.len; i++) {
    size_t k = 0;
    while (k < n && lower(s.s[i + k]) == lower(text[k])) k++;
    if (k == n) return i;
  }
  return SIZE_MAX;
}

struct crv_mspan crv_mspan_from(struct crv_mspan s, size_t at) {
  if (at > s.len) at = s.len;
  return (struct crv_mspan){s.s + at, s.len - at};
}

size_t crv_msplit(struct crv_mspan s, char sep, struct crv_mspan *cells, size_t max) {
  size_t n = 0;
  while (n < max) {
    const char *at = s.len ? memchr(s.s, sep, s.len) : NULL;
    size_t len = at ? (size_t)(at - s.s) : s.len;
    cells[n++] = crv_mtrim((struct crv_mspan){s.s, len});
    if (!at) break;
    s = crv_mspan_from(s, len + 1);
  }
  return n;
}

struct crv_mspan crv_mword(struct crv_mspan *s) {
  *s = crv_mtrim(*s);
  size_t n = 0;
  while (n < s->len && !is_blank(s->s[n])) n++;
  struct crv_mspan word = {s->s, n};
  *s = crv_mspan_from(*s, n);
  return word;
}

const char *crv_mcopy(struct crv_arena *a, struct crv_mspan s, size_t max) {
  char *out = crv_arena_strndup(a, s.s, s.len < max ? s.len : max);
  if (!out) return NULL;
  for (char *p = out; *p; p++)
    if ((unsigned char)*p < 0x20 || *p == 0x7f) *p = ' ';
  crv_text_repair(out);
  return out;
}

bool crv_mint(struct crv_mspan s, int64_t *ret) {
  int64_t v = 0;
  if (s.len == 0 || s.len > 15) return false;
  for (size_t i = 0; i < s.len; i++) {
    if (s.s[i] < '0' || s.s[i] > '9') return false;
    v = v * 10 + (s.s[i] - '0');
  }
  *ret = v;
  return true;
}
