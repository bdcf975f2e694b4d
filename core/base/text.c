/* Small text helpers: order, distance, width, UTF-8 repair, quoting for error details. Bytewise,
   never locale-dependent. Must not know: what the texts are about. */
#include "core/base/text.h"

#include <stdint.h>
#include <stdio.h>
#include <string.h>

bool crv_streq(const char *a, const char *b) {
  if (!a || !b) return a == b;
  return strcmp(a, b) == 0;
}

int crv_strorder(const char *a, const char *b) {
  if (a == b) return 0;
  if (!a) return 1;
  if (!b) return -1;
  return strcmp(a, b);
}

enum { DISTANCE_MAX = 64 };

static size_t min2(size_t a, size_t b) {
  return a < b ? a : b;
}

size_t crv_edit_distance(const char *a, const char *b, size_t cap) {
  size_t rows[3][DISTANCE_MAX + 1];
  size_t la = strlen(a), lb = strlen(b);
  size_t gap = la > lb ? la - lb : lb - la;
  if (strcmp(a, b) == 0) return 0;
  if (gap > cap || la > DISTANCE_MAX || lb > DISTANCE_MAX) return cap + 1;
  for (size_t j = 0; j <= lb; j++) rows[0][j] = j;
  for (size_t i = 1; i <= la; i++) {
    size_t *row = rows[i % 3];
    const size_t *prev = rows[(i + 2) % 3], *prev2 = rows[(i + 1) % 3];
    row[0] = i;
    for (size_t j = 1; j <= lb; j++) {
      size_t cost = a[i - 1] == b[j - 1] ? 0 : 1;
      row[j] = min2(min2(prev[j] + 1, row[j - 1] + 1), prev[j - 1] + cost);
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
        row[j] = min2(row[j], prev2[j - 2] + 1);
    }
  }
  return min2(rows[la % 3][lb], cap + 1);
}

size_t crv_utf8_seq(const char *s, size_t len) {
  if (len == 0) return 0;
  const unsigned char *u = (const unsigned char *)s;
  if (u[0] < 0x80) return 1;
  size_t n = u[0] >= 0xF0 ? 4 : u[0] >= 0xE0 ? 3 : 2;
  if (u[0] < 0xC2 || u[0] > 0xF4 || n > len) return 0;
  for (size_t i = 1; i < n; i++)
    if ((u[i] & 0xC0) != 0x80) return 0;
  if (u[0] == 0xE0 && u[1] < 0xA0) return 0; /* overlong */
  if (u[0] == 0xED && u[1] > 0x9F) return 0; /* surrogates */
  if (u[0] == 0xF0 && u[1] < 0x90) return 0; /* overlong */
  if (u[0] == 0xF4 && u[1] > 0x8F) return 0; /* above U+10FFFF */
  return n;
}

static uint32_t code_point(const char *s, size_t n) {
  const unsigned char *u = (const unsigned char *)s;
  uint32_t cp = n == 1 ? u[0] : u[0] & (0xFFU >> (n + 1));
  for (size_t i = 1; i < n; i++) cp = cp << 6 | (u[i] & 0x3FU);
  return cp;
}

/* Code points from, to and all between; ranges in ascending order, the last ends with 0. */
struct range {
  uint32_t from, to;
};

static bool is_in(const struct range *ranges, uint32_t cp) {
  while (ranges->to && cp > ranges->to) ranges++;
  return ranges->to && cp >= ranges->from;
}

/* Combining diacritical marks and their later blocks, zero-width characters, variation selectors.
 */
static const struct range zero_width[] = {{0x0300, 0x036F}, {0x0483, 0x0489}, {0x0591, 0x05BD},
                                          {0x064B, 0x065F}, {0x1AB0, 0x1AFF}, {0x1DC0, 0x1DFF},
                                          {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F},
                                          {0xFE20, 0xFE2F}, {0xFEFF, 0xFEFF}, {0, 0}};

/* East Asian wide and full-width characters and emoji, by block (Unicode TR 11). */
static const struct range wide[] = {{0x1100, 0x115F},   {0x2E80, 0x303E},
                                    {0x3041, 0x4DBF},   {0x4E00, 0xA4CF},
                                    {0xAC00, 0xD7A3},   {0xF900, 0xFAFF},
                                    {0xFE30, 0xFE6F},   {0xFF01, 0xFF60},
                                    {0xFFE0, 0xFFE6},   {0x1F300, 0x1F64F},
                                    {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF},
                                    {0x20000, 0x3FFFD}, {0, 0}};

/* Characters that end a line, turn the reading direction round, or are none (XML refuses them). */
static const struct range unfit[] = {
    {0x7F, 0x9F}, {0x2028, 0x202E}, {0x2066, 0x2069}, {0xFFFE, 0xFFFF}, {0, 0}};

bool crv_text_plain(const char *s, bool lines) {
  size_t len = strlen(s);
  while (len) {
    size_t n = crv_utf8_seq(s, len);
    if (n == 0) return false;
    uint32_t cp = code_point(s, n);
    if (cp < 0x20 && !(lines && strchr("\n\r\t", *s))) return false;
    if (is_in(unfit, cp)) return false;
    s += n;
    len -= n;
  }
  return true;
}

size_t crv_text_fit(const char *s, size_t columns, size_t *ret_used) {
  size_t used = 0, at = 0, len = strlen(s);
  while (at < len) {
    size_t n = crv_utf8_seq(s + at, len - at);
    uint32_t cp = n ? code_point(s + at, n) : '?';
    size_t width = is_in(zero_width, cp) ? 0 : is_in(wide, cp) ? 2 : 1;
    if (used + width > columns) break;
    used += width;
    at += n ? n : 1;
  }
  *ret_used = used;
  return at;
}

size_t crv_text_columns(const char *s) {
  size_t columns;
  crv_text_fit(s, SIZE_MAX, &columns);
  return columns;
}

/* Could s, up to its end, be the beginning of a longer sequence? */
static bool is_cut(const char *s, size_t len) {
  char more[4] = {0};
  if (len >= 4) return false;
  memcpy(more, s, len);
  for (int fill = 0x80; fill <= 0xBF; fill += 0x10) {
    for (size_t i = len; i < 4; i++) more[i] = (char)fill;
    if (crv_utf8_seq(more, 4) > len) return true;
  }
  return false;
}

void crv_text_repair(char *s) {
  size_t len = strlen(s);
  while (len) {
    size_t n = crv_utf8_seq(s, len);
    if (n == 0 && is_cut(s, len)) {
      *s = '\0';
      return;
    }
    if (n == 0) {
      *s = '?';
      n = 1;
    }
    s += n;
    len -= n;
  }
}

enum { QUOTE_BYTES = 40 };

/* One character of a quoted text: itself, or an escape. Returns the bytes written. */
static size_t quote_one(const char *s, size_t n, char *out) {
  unsigned char c = (unsigned char)*s;
  if (n == 0) return (size_t)snprintf(out, 7, "\\x%02x", c);
  uint32_t cp = code_point(s, n);
  if (c == '"' || c == '\\') return (size_t)snprintf(out, 7, "\\%c", c);
  if (c == '\n') return (size_t)snprintf(out, 7, "\\n");
  if (c == '\t') return (size_t)snprintf(out, 7, "\\t");
  if (c == '\r') return (size_t)snprintf(out, 7, "\\r");
  if (cp < 0x20 || is_in(unfit, cp))
    return (size_t)snprintf(out, 7, "\\u%04x", (unsigned)(cp & 0xFFFF));
  memcpy(out, s, n);
  return n;
}

char *crv_text_quote(const char *s, size_t len, char *out) {
  size_t at = 0, done = 0;
  out[at++] = '"';
  while (done < len) {
    size_t n = crv_utf8_seq(s + done, len - done), step = n ? n : 1;
    if (done + step > QUOTE_BYTES) break;
    at += quote_one(s + done, n, out + at);
    done += step;
  }
  snprintf(out + at, CRV_QUOTE_ROOM - at, done < len ? "...\"" : "\"");
  return out;
}
