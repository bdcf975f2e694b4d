/* The squeezed form of a text: no white space, no control characters, no drawn boxes, no prefixes
   of lines, lower case, so that a message broken over lines or inside words reads as one. Every
   place in it leads back to its byte in the text. One pass, bounded work for a byte. Must not know:
   what is looked for. */
#include <string.h>

#include "core/evidence/diagnose_internal.h"

struct maker {
  struct crv_flat *f;
  size_t expected; /* the next byte of the text, were nothing left out */
};

static void keep(struct maker *m, size_t raw) {
  struct crv_flat *f = m->f;
  unsigned char c = (unsigned char)f->raw[raw];
  if (f->n == 0 || raw != m->expected) {
    struct crv_flat_jump jump = {(uint32_t)f->n, (uint32_t)raw};
    crv_buf_add(&f->jumps, &jump, sizeof jump);
  }
  f->s[f->n++] = (char)(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  m->expected = raw + 1;
}

/* Length of an escape sequence of a terminal at p, 0 when there is none. */
static size_t escape_length(const char *p, size_t len) {
  if (len < 2 || p[0] != '\033' || p[1] != '[') return 0;
  size_t i = 2;
  while (i < len && i < 32 && ((p[i] >= '0' && p[i] <= '9') || p[i] == ';')) i++;
  return i < len && i < 32 ? i + 1 : 0;
}

/* Length of a character that says nothing: boxes, spinners, special spaces, marks of order. */
static size_t drawn_length(const unsigned char *p, size_t len) {
  if (len >= 2 && p[0] == 0xC2 && (p[1] == 0xA0 || p[1] == 0xAD || p[1] == 0xA6)) return 2;
  if (len < 3) return 0;
  if (p[0] == 0xE2 && (p[1] == 0x94 || p[1] == 0x95 || p[1] == 0xA0 || p[1] == 0xA1)) return 3;
  if (p[0] == 0xE2 && p[1] == 0x9D && p[2] == 0xB1) return 3;
  if (p[0] == 0xE2 && p[1] == 0x80 && (p[2] <= 0x8F || p[2] == 0xAF)) return 3;
  if (p[0] == 0xEF && p[1] == 0xBB && p[2] == 0xBF) return 3;
  return 0;
}

/* "\n" written out, as a quoted message shows it; "\nodes.py" is a path. */
static size_t written_break(const char *p, size_t len) {
  if (len < 2 || p[0] != '\\') return 0;
  if (p[1] == '_' || p[1] == '*' || p[1] == '[' || p[1] == ']') return 1;
  if (p[1] != 'n' && p[1] != 'r') return 0;
  if (len == 2) return 2;
  char c = p[2];
  return (c >= 'A' && c <= 'Z') || c == ' ' || c == '"' || c == '\'' || c == '\\' ? 2 : 0;
}

/* A frame's right side: "|" with nothing but blanks to the end of its line. */
static bool ends_line(const char *p, size_t len) {
  size_t i = 1;
  while (i < len && i < 16 && (p[i] == ' ' || p[i] == '\r')) i++;
  return i < len && p[i] == '\n';
}

static size_t skip_length(const char *p, size_t len) {
  unsigned char c = (unsigned char)*p;
  size_t n = 0;
  if (c == '|') return ends_line(p, len);
  if (c <= ' ' || c == 0x7F || c == '`') {
    n = c == 0x1B ? escape_length(p, len) : 1;
    return n ? n : 1;
  }
  if (c == '\\') return written_break(p, len);
  return c >= 0xC2 ? drawn_length((const unsigned char *)p, len) : 0;
}

static void take_rank(struct maker *m, struct crv_opt_int rank) {
  struct crv_flat_rank r = {(uint32_t)m->f->n, (int32_t)rank.v};
  if (rank.set && rank.v <= INT32_MAX) crv_buf_add(&m->f->ranks, &r, sizeof r);
}

static void squeeze(struct maker *m) {
  const char *raw = m->f->raw;
  size_t len = m->f->raw_len, i = 0;
  bool line_start = true;
  while (i < len) {
    if (line_start) {
      struct crv_opt_int rank = {0, false};
      i += crv_flat_prefix(raw + i, len - i, &rank);
      take_rank(m, rank);
      line_start = false;
      continue;
    }
    size_t skip = skip_length(raw + i, len - i);
    line_start = raw[i] == '\n' || raw[i] == '\r';
    if (skip == 0) keep(m, i++);
    i += skip;
  }
}

bool crv_flat_make(const char *raw, size_t len, struct crv_flat *ret) {
  *ret = (struct crv_flat){.raw = raw, .raw_len = len, .s = malloc(len + 1)};
  crv_buf_init(&ret->jumps, 0);
  crv_buf_init(&ret->ranks, 0);
  if (!ret->s) return false;
  struct maker m = {.f = ret};
  squeeze(&m);
  ret->s[ret->n] = '\0';
  return !ret->jumps.failed && !ret->ranks.failed;
}

void crv_flat_done(struct crv_flat *f) {
  free(f->s);
  f->s = NULL;
  crv_buf_done(&f->jumps);
  crv_buf_done(&f->ranks);
}

/* -- places --------------------------------------------------------------------------------------
 */

static const struct crv_flat_jump *jump_of(const struct crv_flat *f, size_t at) {
  const struct crv_flat_jump *jumps = (const void *)f->jumps.data;
  size_t lo = 0, hi = f->jumps.len / sizeof *jumps;
  while (hi - lo > 1) {
    size_t mid = lo + (hi - lo) / 2;
    if (jumps[mid].flat <= at)
      lo = mid;
    else
      hi = mid;
  }
  return hi ? &jumps[lo] : NULL;
}

size_t crv_flat_raw(const struct crv_flat *f, size_t at) {
  if (at >= f->n) return f->raw_len;
  const struct crv_flat_jump *j = jump_of(f, at);
  return j ? j->raw + (at - j->flat) : at;
}

struct crv_diag_span crv_flat_span(const struct crv_flat *f, size_t from, size_t to) {
  size_t a = crv_flat_raw(f, from);
  size_t b = to > from ? crv_flat_raw(f, to - 1) + 1 : a;
  return (struct crv_diag_span){a, b > f->raw_len ? f->raw_len - a : b - a};
}

enum crv_gap crv_flat_gap(const struct crv_flat *f, size_t at) {
  if (at == 0 || at >= f->n) return CRV_GAP_LINE;
  size_t a = crv_flat_raw(f, at - 1) + 1, b = crv_flat_raw(f, at);
  if (a == b) return CRV_GAP_NONE;
  if (memchr(f->raw + a, '\n', b - a)) return CRV_GAP_LINE;
  for (size_t i = a; i < b; i++)
    if (f->raw[i] == ' ' || f->raw[i] == '\t' || f->raw[i] == '\r') return CRV_GAP_SPACE;
  return CRV_GAP_NONE;
}

struct crv_opt_int crv_flat_rank_of(const struct crv_flat *f, size_t at) {
  const struct crv_flat_rank *ranks = (const void *)f->ranks.data;
  size_t lo = 0, hi = f->ranks.len / sizeof *ranks;
  struct crv_opt_int none = {0, false};
  if (hi == 0 || ranks[0].flat > at) return none;
  while (hi - lo > 1) {
    size_t mid = lo + (hi - lo) / 2;
    if (ranks[mid].flat <= at)
      lo = mid;
    else
      hi = mid;
  }
  return (struct crv_opt_int){ranks[lo].rank, true};
}

static bool is_word(char c) {
  unsigned char u = (unsigned char)c;
  return (u >= 'a' && u <= 'z') || (u >= 'A' && u <= 'Z') || (u >= '0' && u <= '9') || u == '_';
}

bool crv_flat_starts_word(const struct crv_flat *f, size_t at) {
  size_t raw = crv_flat_raw(f, at);
  return raw == 0 || !is_word(f->raw[raw - 1]);
}

bool crv_flat_ends_word(const struct crv_flat *f, size_t end) {
  size_t raw = end ? crv_flat_raw(f, end - 1) + 1 : 0;
  return raw >= f->raw_len || !is_word(f->raw[raw]);
}
