/* A small tokenizer for cells that hold a JSON value or a Python literal: dict, list, text in
   single or double quotes, numbers (kept as text), True/False/None. Nothing is evaluated; depth and
   size are bounded.
   Must not know: what the members mean. */
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"
#include "core/base/units.h"
#include "core/catalogue/import_internal.h"

const char crv_literal_no_memory[] = "out of memory";

struct lex {
  const char *s;
  size_t len, at;
  struct crv_arena *a;
  size_t nodes;
  const char *why;
};

static struct crv_literal *read_value(struct lex *x, int depth);

static void *fail(struct lex *x, const char *why) {
  if (!x->why) x->why = why;
  return NULL;
}

static int peek(const struct lex *x) {
  return x->at < x->len ? (unsigned char)x->s[x->at] : -1;
}

static void skip_space(struct lex *x) {
  while (x->at < x->len && strchr(" \t\r\n", x->s[x->at]) && x->s[x->at]) x->at++;
}

static struct crv_literal *node(struct lex *x, enum crv_literal_kind kind) {
  if (x->nodes >= CRV_LITERAL_NODES) return fail(x, "too many values");
  struct crv_literal *n = crv_new(x->a, struct crv_literal);
  if (!n) return fail(x, crv_literal_no_memory);
  x->nodes++;
  n->kind = kind;
  return n;
}

static int hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

static bool hex(struct lex *x, int digits, unsigned *ret) {
  unsigned v = 0;
  for (int i = 0; i < digits; i++, x->at++) {
    int d = x->at < x->len ? hex_digit(x->s[x->at]) : -1;
    if (d < 0) return false;
    v = v * 16 + (unsigned)d;
  }
  *ret = v;
  return true;
}

static void put_utf8(struct crv_buf *b, unsigned cp) {
  if (cp < 0x80) {
    crv_buf_char(b, (char)cp);
    return;
  }
  int more = cp < 0x800 ? 1 : cp < 0x10000 ? 2 : 3;
  static const unsigned lead[] = {0, 0xC0, 0xE0, 0xF0};
  crv_buf_char(b, (char)(lead[more] | cp >> (6 * more)));
  for (int i = more - 1; i >= 0; i--) crv_buf_char(b, (char)(0x80 | (cp >> (6 * i) & 0x3F)));
}

/* \uXXXX, with the low half after a high surrogate. */
static bool unicode(struct lex *x, struct crv_buf *b) {
  unsigned cp, low;
  if (!hex(x, 4, &cp)) return false;
  if (cp >= 0xDC00 && cp <= 0xDFFF) return false;
  if (cp >= 0xD800 && cp <= 0xDBFF) {
    if (x->len - x->at < 6 || x->s[x->at] != '\\' || x->s[x->at + 1] != 'u') return false;
    x->at += 2;
    if (!hex(x, 4, &low) || low < 0xDC00 || low > 0xDFFF) return false;
    cp = 0x10000 + ((cp - 0xD800) << 10) + (low - 0xDC00);
  }
  if (!cp) return false;
  put_utf8(b, cp);
  return true;
}

static bool escape(struct lex *x, struct crv_buf *b) {
  static const char from[] = "\\'\"/bfnrt", to[] = "\\'\"/\b\f\n\r\t";
  int c = peek(x);
  if (c < 0) return false;
  x->at++;
  const char *p = c ? strchr(from, c) : NULL;
  if (p) {
    crv_buf_char(b, to[p - from]);
    return true;
  }
  if (c == 'u') return unicode(x, b);
  unsigned v;
  if (c != 'x' || !hex(x, 2, &v) || !v) return false;
  put_utf8(b, v);
  return true;
}

static const char *read_text(struct lex *x) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  int quote = peek(x);
  x->at++;
  for (int c = peek(x); c != quote; c = peek(x)) {
    if (c < 0 || c == '\n' || c == '\r') return fail(x, "a text does not end");
    x->at++;
    if (c != '\\')
      crv_buf_char(&b, (char)c);
    else if (!escape(x, &b))
      return fail(x, "a text has a bad escape");
  }
  x->at++;
  if (b.failed) return fail(x, crv_literal_no_memory);
  const char *s = b.data ? b.data : "";
  if (b.len && !crv_utf8_ok(s, b.len)) return fail(x, "a text is not UTF-8");
  const char *ret = crv_arena_strndup(x->a, s, b.len);
  return ret ? ret : fail(x, crv_literal_no_memory);
}

static struct crv_literal *read_number(struct lex *x) {
  size_t from = x->at;
  while (x->at < x->len && x->s[x->at] && strchr("+-.0123456789eE", x->s[x->at])) x->at++;
  int64_t ignored;
  struct crv_unit_err ue;
  bool ok = crv_decimal_parse(x->s + from, x->at - from, &ignored, &ue);
  if (!ok && !strcmp(ue.code, "bad_format")) return fail(x, "a number is malformed");
  struct crv_literal *n = node(x, CRV_LIT_NUMBER);
  if (!n) return NULL;
  n->text = crv_arena_strndup(x->a, x->s + from, x->at - from);
  return n->text ? n : fail(x, crv_literal_no_memory);
}

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

static struct crv_literal *read_name(struct lex *x) {
  static const struct {
    const char *name;
    enum crv_literal_kind kind;
    const char *text;
  } names[] = {{"True", CRV_LIT_BOOL, "true"},   {"true", CRV_LIT_BOOL, "true"},
               {"False", CRV_LIT_BOOL, "false"}, {"false", CRV_LIT_BOOL, "false"},
               {"None", CRV_LIT_NONE, NULL},     {"null", CRV_LIT_NONE, NULL}};
  size_t n = 0, left = x->len - x->at;
  while (n < left && is_letter(x->s[x->at + n])) n++;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (strlen(names[i].name) != n || memcmp(names[i].name, x->s + x->at, n) != 0) continue;
    struct crv_literal *v = node(x, names[i].kind);
    if (v) v->text = names[i].text;
    x->at += n;
    return v;
  }
  return fail(x, "a value is neither text, number, list nor dict");
}

/* 'key': before a member. */
static const char *read_key(struct lex *x, const struct crv_literal *d) {
  int c = peek(x);
  if (c != '"' && c != '\'') return fail(x, "a key is not a text");
  const char *key = read_text(x);
  if (!key) return NULL;
  if (crv_literal_get(d, key)) return fail(x, "a key is repeated");
  skip_space(x);
  if (peek(x) != ':') return fail(x, "a key has no value");
  x->at++;
  skip_space(x);
  return key;
}

static struct crv_literal *read_member(struct lex *x, const struct crv_literal *parent, int depth) {
  const char *key = NULL;
  if (parent->kind == CRV_LIT_DICT && !(key = read_key(x, parent))) return NULL;
  struct crv_literal *v = read_value(x, depth);
  if (v) v->key = key;
  return v;
}

static struct crv_literal *read_many(struct lex *x, enum crv_literal_kind kind, int close,
                                     int depth) {
  struct crv_literal *parent = node(x, kind), **tail = parent ? &parent->child : NULL;
  x->at++;
  skip_space(x);
  while (parent && peek(x) != close) { /* a comma may stand before the close, as in Python */
    struct crv_literal *v = read_member(x, parent, depth + 1);
    if (!v) return NULL;
    *tail = v;
    tail = &v->next;
    parent->n++;
    skip_space(x);
    if (peek(x) == close) break;
    if (peek(x) != ',') return fail(x, "members are not separated by commas");
    x->at++;
    skip_space(x);
  }
  x->at++;
  return parent;
}

static struct crv_literal *read_value(struct lex *x, int depth) {
  if (depth >= CRV_LITERAL_DEPTH) return fail(x, "nested too deeply");
  int c = peek(x);
  if (c == '{') return read_many(x, CRV_LIT_DICT, '}', depth);
  if (c == '[') return read_many(x, CRV_LIT_LIST, ']', depth);
  if (c == '"' || c == '\'') {
    const char *text = read_text(x);
    struct crv_literal *v = text ? node(x, CRV_LIT_TEXT) : NULL;
    if (v) v->text = text;
    return v;
  }
  if (c == '-' || (c >= '0' && c <= '9')) return read_number(x);
  return read_name(x);
}

const struct crv_literal *crv_literal_read(const char *s, size_t len, struct crv_arena *a,
                                           const char **why) {
  struct lex x = {.s = s, .len = len, .a = a};
  skip_space(&x);
  struct crv_literal *v = read_value(&x, 0);
  skip_space(&x);
  if (v && x.at != len) v = fail(&x, "text follows the value");
  if (!v) *why = x.why ? x.why : "not readable";
  return v;
}

const struct crv_literal *crv_literal_get(const struct crv_literal *d, const char *key) {
  if (!d || d->kind != CRV_LIT_DICT) return NULL;
  for (const struct crv_literal *m = d->child; m; m = m->next)
    if (!strcmp(m->key, key)) return m;
  return NULL;
}
