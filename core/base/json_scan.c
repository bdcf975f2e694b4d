/* The walk over raw JSON text before jansson sees it: the grammar of RFC 8259 as a state machine
   with a bounded stack, so that depth and token count are known before any memory is spent, and
   number tokens that jansson would turn into doubles (or refuse as too big) become marked texts.
   Must not know: jansson, or what the members mean. */
#include "core/base/json_scan.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"

enum { STACK = 128 };
enum state { VALUE, FIRST_VALUE, KEY, FIRST_KEY, COLON, AFTER, END };

#define MARK_BEFORE "\"\\u0001"
#define MARK_AFTER "\""
enum { MARK_BYTES = sizeof MARK_BEFORE - 1 + sizeof MARK_AFTER - 1 };

struct scan {
  const char *s;
  size_t len, at, copied, tokens, depth;
  bool is_object[STACK];
  enum state state;
  const struct crv_json_limits *limits;
  struct crv_json_text *ret;
  struct crv_err *err;
};

void crv_json_position(const char *data, size_t len, size_t offset, unsigned *line,
                       unsigned *column) {
  *line = 1;
  *column = 1;
  for (size_t i = 0; i < offset && i < len; i++) {
    if (data[i] == '\n') {
      (*line)++;
      *column = 1;
    } else if (((unsigned char)data[i] & 0xC0) != 0x80) {
      (*column)++;
    }
  }
}

/* The column of a byte inside a character is that character's. */
static __attribute__((format(printf, 3, 4))) bool fail_at(struct scan *sc, size_t offset,
                                                          const char *fmt, ...) {
  char what[400];
  unsigned line, column;
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(what, sizeof what, fmt, ap);
  va_end(ap);
  crv_json_position(sc->s, sc->len, offset, &line, &column);
  return crv_fail(sc->err, CRV_MALFORMED_JSON, "line %u, column %u: %s", line, column, what);
}

static bool fail_expected(struct scan *sc, const char *expected) {
  char quote[CRV_QUOTE_ROOM];
  if (sc->at >= sc->len)
    return fail_at(sc, sc->len, "expected %s; got the end of the text.", expected);
  if (sc->s[sc->at] == '\0') return fail_at(sc, sc->at, "expected %s; got a NUL byte.", expected);
  size_t n = crv_utf8_seq(sc->s + sc->at, sc->len - sc->at);
  crv_text_quote(sc->s + sc->at, n ? n : 1, quote);
  return fail_at(sc, sc->at, "expected %s; got %s.", expected, quote);
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static char peek(const struct scan *sc) {
  return sc->at < sc->len ? sc->s[sc->at] : '\0';
}

static void skip_space(struct scan *sc) {
  while (sc->at < sc->len && strchr(" \t\r\n", sc->s[sc->at]) && sc->s[sc->at]) sc->at++;
}

static bool count_token(struct scan *sc) {
  sc->tokens++;
  if (sc->limits->tokens == 0 || sc->tokens <= sc->limits->tokens) return true;
  return fail_at(sc, sc->at, "more than %zu keys, values and brackets; the limit is %zu.",
                 sc->limits->tokens, sc->limits->tokens);
}

/* Four hex digits at `at`, or -1. */
static int hex4(const struct scan *sc, size_t at) {
  int v = 0;
  if (at + 4 > sc->len) return -1;
  for (size_t i = at; i < at + 4; i++) {
    char c = sc->s[i], low = (char)(c | 0x20);
    if (is_digit(c))
      v = v * 16 + (c - '0');
    else if (low >= 'a' && low <= 'f')
      v = v * 16 + (low - 'a' + 10);
    else
      return -1;
  }
  return v;
}

/* \uXXXX at the backslash, with its second half. */
static bool unicode_escape(struct scan *sc, bool is_first) {
  size_t start = sc->at;
  int unit = hex4(sc, start + 2);
  if (unit < 0) return fail_at(sc, start, "expected four hex digits after \\u.");
  if (unit == 0) return fail_at(sc, start, "\\u0000 is not taken in a text.");
  if (unit == 1 && is_first) return fail_at(sc, start, "a text may not begin with \\u0001.");
  sc->at += 6;
  if (unit < 0xD800 || unit > 0xDFFF) return true;
  int second = -1;
  if (sc->at + 1 < sc->len && sc->s[sc->at] == '\\' && sc->s[sc->at + 1] == 'u')
    second = hex4(sc, sc->at + 2);
  if (unit > 0xDBFF || second < 0xDC00 || second > 0xDFFF)
    return fail_at(sc, start, "half a surrogate pair without its other half.");
  sc->at += 6;
  return true;
}

static bool escape(struct scan *sc, bool is_first) {
  char c = sc->at + 1 < sc->len ? sc->s[sc->at + 1] : '\0';
  if (c == 'u') return unicode_escape(sc, is_first);
  if (c == '\0' || !strchr("\"\\/bfnrt", c))
    return fail_at(
        sc, sc->at,
        "an unknown escape in a text; known: \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\uXXXX.");
  sc->at += 2;
  return true;
}

static bool string_char(struct scan *sc, size_t start) {
  unsigned char c = (unsigned char)sc->s[sc->at];
  if (c == '\\') return escape(sc, sc->at == start + 1);
  if (c == 0) return fail_at(sc, sc->at, "a NUL byte in a text.");
  if (c < 0x20)
    return fail_at(sc, sc->at, "a control character in a text; write it as \\u%04x.", c);
  size_t n = crv_utf8_seq(sc->s + sc->at, sc->len - sc->at);
  if (n == 0) return fail_at(sc, sc->at, "not valid UTF-8 (byte 0x%02x).", c);
  sc->at += n;
  return true;
}

static bool string(struct scan *sc) {
  size_t start = sc->at++;
  while (sc->at < sc->len && sc->s[sc->at] != '"')
    if (!string_char(sc, start)) return false;
  if (sc->at >= sc->len) return fail_at(sc, start, "a text that does not end.");
  sc->at++;
  return true;
}

static bool digits(struct scan *sc) {
  if (!is_digit(peek(sc))) return fail_expected(sc, "a digit");
  while (is_digit(peek(sc))) sc->at++;
  return true;
}

/* Does the integer token fit an int64? */
static bool fits(const char *s, size_t len) {
  bool negative = s[0] == '-';
  if (negative) s++, len--;
  if (len != 19) return len < 19;
  return memcmp(s, negative ? "9223372036854775808" : "9223372036854775807", 19) <= 0;
}

static bool mark_number(struct scan *sc, size_t start) {
  struct crv_buf *copy = &sc->ret->copy, *marks = &sc->ret->marks;
  crv_buf_add(copy, sc->s + sc->copied, start - sc->copied);
  crv_buf_add(marks, &copy->len, sizeof copy->len);
  crv_buf_str(copy, MARK_BEFORE);
  crv_buf_add(copy, sc->s + start, sc->at - start);
  crv_buf_str(copy, MARK_AFTER);
  sc->copied = sc->at;
  if (!copy->failed && !marks->failed) return true;
  return crv_fail(sc->err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

static bool number(struct scan *sc) {
  size_t start = sc->at;
  bool is_integer = true;
  if (peek(sc) == '-') sc->at++;
  if (peek(sc) == '0') {
    sc->at++;
    if (is_digit(peek(sc))) return fail_at(sc, start, "a number with a leading zero.");
  } else if (!digits(sc)) {
    return false;
  }
  if (peek(sc) == '.') {
    is_integer = false;
    sc->at++;
    if (!digits(sc)) return false;
  }
  if (peek(sc) == 'e' || peek(sc) == 'E') {
    is_integer = false;
    sc->at++;
    if (peek(sc) == '+' || peek(sc) == '-') sc->at++;
    if (!digits(sc)) return false;
  }
  if (is_integer && fits(sc->s + start, sc->at - start)) return true;
  return mark_number(sc, start);
}

static bool literal(struct scan *sc, const char *word) {
  size_t n = strlen(word);
  if (sc->len - sc->at < n || memcmp(sc->s + sc->at, word, n) != 0)
    return fail_expected(sc, "a value (an object, a list, a text in double quotes, a number, true, "
                             "false or null)");
  sc->at += n;
  return true;
}

static bool open_bracket(struct scan *sc, bool is_object) {
  size_t limit = sc->limits->depth < STACK ? sc->limits->depth : STACK;
  if (sc->depth >= limit)
    return fail_at(sc, sc->at, "nested more than %zu levels deep; the limit is %zu.", limit, limit);
  sc->is_object[sc->depth++] = is_object;
  sc->state = is_object ? FIRST_KEY : FIRST_VALUE;
  sc->at++;
  return true;
}

static bool value(struct scan *sc) {
  char c = peek(sc);
  if (!count_token(sc)) return false;
  if (c == '{' || c == '[') return open_bracket(sc, c == '{');
  sc->state = sc->depth ? AFTER : END;
  if (c == '"') return string(sc);
  if (c == '-' || is_digit(c)) return number(sc);
  return literal(sc, c == 't' ? "true" : c == 'f' ? "false" : "null");
}

static bool close_bracket(struct scan *sc) {
  sc->at++;
  sc->depth--;
  sc->state = sc->depth ? AFTER : END;
  return true;
}

static bool key(struct scan *sc) {
  if (peek(sc) != '"')
    return fail_expected(sc, sc->state == KEY ? "a key in double quotes"
                                              : "a key in double quotes, or \"}\"");
  sc->state = COLON;
  return count_token(sc) && string(sc);
}

static bool after(struct scan *sc) {
  bool is_object = sc->is_object[sc->depth - 1];
  char c = peek(sc);
  if (c == (is_object ? '}' : ']')) return close_bracket(sc);
  if (c != ',') return fail_expected(sc, is_object ? "\",\" or \"}\"" : "\",\" or \"]\"");
  sc->at++;
  sc->state = is_object ? KEY : VALUE;
  return true;
}

static bool colon(struct scan *sc) {
  if (peek(sc) != ':') return fail_expected(sc, "\":\" after the key");
  sc->at++;
  sc->state = VALUE;
  return true;
}

static bool step(struct scan *sc) {
  switch (sc->state) {
  case FIRST_VALUE:
    if (peek(sc) == ']') return close_bracket(sc);
    return value(sc);
  case VALUE:
    return value(sc);
  case FIRST_KEY:
    if (peek(sc) == '}') return close_bracket(sc);
    return key(sc);
  case KEY:
    return key(sc);
  case COLON:
    return colon(sc);
  case AFTER:
    return after(sc);
  case END:
    break;
  }
  return fail_expected(sc, "nothing after the JSON value");
}

/* What stands before the first token: encodings that are not UTF-8, and the kind of the top. */
static bool check_start(struct scan *sc) {
  const unsigned char *u = (const unsigned char *)sc->s;
  if (sc->len >= 3 && memcmp(u, "\xEF\xBB\xBF", 3) == 0)
    return fail_at(sc, 0, "the text begins with a byte order mark; send UTF-8 without one.");
  if (sc->len >= 2 &&
      (u[0] == 0 || u[1] == 0 || (u[0] == 0xFE && u[1] == 0xFF) || (u[0] == 0xFF && u[1] == 0xFE)))
    return fail_at(sc, 0, "this looks like UTF-16 or UTF-32 (or holds a NUL byte); send UTF-8.");
  skip_space(sc);
  if (sc->at >= sc->len) return fail_at(sc, sc->at, "the body is empty; send one JSON object.");
  char c = peek(sc);
  if (sc->limits->any_top || c == '{') return true;
  if (c && strchr("[\"-0123456789tfn", c))
    return fail_at(sc, sc->at, "the top level must be an object; got %s.",
                   c == '['   ? "a list"
                   : c == '"' ? "a text"
                              : "a number, true, false or null");
  return fail_expected(sc, "an object that begins with \"{\"");
}

static void finish(struct scan *sc) {
  struct crv_json_text *t = sc->ret;
  if (t->marks.len == 0) {
    t->data = sc->s;
    t->len = sc->len;
    return;
  }
  crv_buf_add(&t->copy, sc->s + sc->copied, sc->len - sc->copied);
  t->data = t->copy.data;
  t->len = t->copy.len;
}

bool crv_json_scan(const char *data, size_t len, const struct crv_json_limits *limits,
                   struct crv_json_text *ret, struct crv_err *err) {
  struct scan sc = {.s = data ? data : "", .len = len, .limits = limits, .ret = ret, .err = err};
  *ret = (struct crv_json_text){0};
  if (!check_start(&sc)) return false;
  sc.state = VALUE;
  do {
    if (!step(&sc)) return false;
    skip_space(&sc);
  } while (sc.state != END || sc.at < sc.len);
  finish(&sc);
  if (!ret->copy.failed) return true;
  return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

void crv_json_text_done(struct crv_json_text *t) {
  crv_buf_done(&t->copy);
  crv_buf_done(&t->marks);
  t->data = NULL;
}

size_t crv_json_text_origin(const struct crv_json_text *t, size_t offset) {
  size_t shift = 0, mark;
  for (size_t i = 0; i + sizeof mark <= t->marks.len; i += sizeof mark) {
    memcpy(&mark, t->marks.data + i, sizeof mark);
    if (mark >= offset) break;
    shift += MARK_BYTES;
  }
  return offset >= shift ? offset - shift : 0;
}
