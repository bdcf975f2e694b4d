/* Matching of raw paths against the route table: split at '/', decode each segment strictly, then
   compare with every pattern; a literal segment beats a capture. Must not know: what any handler
   does, and nothing of HTTP beyond method names. */
#include "server/route.h"

#include <string.h>

#include "core/base/arena.h"
#include "server/decode.h"

enum { MAX_PATH = 4096, MAX_SEGMENTS = 16 };

struct segments {
  unsigned n;
  const char *at[MAX_SEGMENTS];
  size_t len[MAX_SEGMENTS];
  char text[MAX_PATH + 1];
};

static const struct {
  enum crv_method method;
  const char *name;
} method_names[] = {
    {CRV_M_GET, "GET"},   {CRV_M_HEAD, "HEAD"},     {CRV_M_PUT, "PUT"},
    {CRV_M_POST, "POST"}, {CRV_M_DELETE, "DELETE"}, {CRV_M_OPTIONS, "OPTIONS"},
};

static const struct {
  unsigned role;
  const char *name;
} role_names[] = {
    {CRV_ROLE_READER, "reader"},
    {CRV_ROLE_CI, "ci"},
    {CRV_ROLE_PROCUREMENT, "procurement"},
    {CRV_ROLE_ADMIN, "admin"},
};

enum crv_method crv_method_parse(const char *name) {
  for (size_t i = 0; i < sizeof method_names / sizeof *method_names; i++)
    if (strcmp(method_names[i].name, name) == 0) return method_names[i].method;
  return CRV_M_UNKNOWN;
}

const char *crv_method_name(enum crv_method m) {
  for (size_t i = 0; i < sizeof method_names / sizeof *method_names; i++)
    if (method_names[i].method == m) return method_names[i].name;
  return "unknown";
}

const char *crv_role_name(unsigned role) {
  for (size_t i = 0; i < sizeof role_names / sizeof *role_names; i++)
    if (role_names[i].role == role) return role_names[i].name;
  return "none";
}

unsigned crv_role_parse(const char *name) {
  for (size_t i = 0; i < sizeof role_names / sizeof *role_names; i++)
    if (strcmp(role_names[i].name, name) == 0) return role_names[i].role;
  return 0;
}

static bool is_dots(const char *s, size_t len) {
  return (len == 1 && s[0] == '.') || (len == 2 && s[0] == '.' && s[1] == '.');
}

static bool segment_add(struct segments *ret, char **text, const char *raw, size_t len,
                        struct crv_err *err) {
  if (ret->n == MAX_SEGMENTS) return crv_fail(err, CRV_NOT_FOUND, "No address here is that deep.");
  if (len == 0)
    return crv_fail(err, CRV_NOT_FOUND, "Addresses here have no empty part and no trailing slash.");
  size_t n;
  const char *why = crv_decode(CRV_DECODE_SEGMENT, raw, len, *text, &n);
  if (why) return crv_fail(err, CRV_BAD_PATH, "Part %u of the path: %s", ret->n + 1, why);
  if (is_dots(*text, n))
    return crv_fail(err, CRV_BAD_PATH, "Part %u of the path is a dot segment.", ret->n + 1);
  ret->at[ret->n] = *text;
  ret->len[ret->n++] = n;
  *text += n + 1;
  return true;
}

static bool path_split(const char *raw, struct segments *ret, struct crv_err *err) {
  ret->n = 0;
  if (raw[0] != '/') return crv_fail(err, CRV_BAD_PATH, "The path does not start with a slash.");
  if (strlen(raw) > MAX_PATH)
    return crv_fail(err, CRV_URI_TOO_LONG, "The path is longer than %d bytes.", MAX_PATH);
  if (raw[1] == '\0') return true;
  char *text = ret->text;
  const char *s = raw;
  while (*s == '/') {
    size_t len = strcspn(++s, "/");
    if (!segment_add(ret, &text, s, len, err)) return false;
    s += len;
  }
  return true;
}

/* Does the pattern match? The rank has one bit a segment, the first highest, set for a literal one:
   of two matching patterns the more specific has the larger rank, and equal ranks mean one path. */
static bool pattern_match(const char *p, const struct segments *s, unsigned *ret_rank) {
  unsigned rank = 0;
  if (s->n == 0) {
    *ret_rank = 0;
    return strcmp(p, "/") == 0;
  }
  for (unsigned i = 0; i < s->n; i++) {
    if (*p++ != '/') return false;
    size_t len = strcspn(p, "/");
    unsigned literal = *p != '{';
    if (literal && (len != s->len[i] || memcmp(p, s->at[i], len) != 0)) return false;
    rank = rank << 1 | literal;
    p += len;
  }
  *ret_rank = rank;
  return *p == '\0';
}

static bool method_serves(enum crv_method row, enum crv_method asked) {
  return row == asked || (row == CRV_M_GET && asked == CRV_M_HEAD);
}

static bool captures_keep(const char *pattern, const struct segments *s, struct crv_arena *arena,
                          struct crv_match *ret, struct crv_err *err) {
  unsigned kept = 0;
  for (unsigned i = 0; i < s->n && kept < CRV_MAX_CAPTURES; i++) {
    if (*++pattern == '{') {
      ret->capture[kept] = crv_arena_strndup(arena, s->at[i], s->len[i]);
      if (!ret->capture[kept++]) return crv_fail(err, CRV_OUT_OF_MEMORY, "No memory for the path.");
    }
    pattern += strcspn(pattern, "/");
  }
  return true;
}

bool crv_route_match(const struct crv_route *table, size_t n, enum crv_method method,
                     const char *raw_path, struct crv_arena *arena, struct crv_match *ret,
                     struct crv_err *err) {
  struct segments segments;
  unsigned best = 0, rank;
  *ret = (struct crv_match){0};
  if (!path_split(raw_path, &segments, err)) return false;
  for (size_t i = 0; i < n; i++) {
    if (!pattern_match(table[i].pattern, &segments, &rank)) continue;
    if (ret->allowed && rank < best) continue;
    if (rank > best) {
      ret->route = NULL;
      ret->allowed = 0;
    }
    best = rank;
    ret->allowed |= 1u << table[i].method;
    if (method_serves(table[i].method, method)) ret->route = &table[i];
  }
  if (!ret->allowed) return crv_fail(err, CRV_NOT_FOUND, "No resource has this address.");
  return !ret->route || captures_keep(ret->route->pattern, &segments, arena, ret, err);
}
