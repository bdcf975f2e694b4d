/* Query parameters against a route's list of names. A duplicate is refused because readers differ
   on which one counts; a token is refused because addresses end up in logs. Must not know: what a
   parameter means. */
#include "server/query.h"

#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "server/auth.h"
#include "server/decode.h"

enum { MAX_PARAMS = 64 };

static const char everywhere[] = "format pretty";
static const char token_names[] = "token access_token auth api_key key";

static bool word_in(const char *words, const char *word) {
  size_t len = strlen(word);
  while (*words) {
    words += strspn(words, " ");
    size_t n = strcspn(words, " ");
    if (n > 0 && n == len && memcmp(words, word, n) == 0) return true;
    words += n;
  }
  return false;
}

static bool known(const struct crv_route *route, const char *name) {
  return word_in(everywhere, name) || (route->params && word_in(route->params, name));
}

static size_t count_pieces(const char *raw) {
  size_t n = 1;
  for (; *raw; raw++) n += *raw == '&';
  return n;
}

static bool decode_part(const char *s, size_t len, const char *what, struct crv_arena *arena,
                        const char **ret, struct crv_err *err) {
  size_t n;
  char *out = crv_arena_alloc(arena, len + 1);
  if (!out) return crv_fail(err, CRV_OUT_OF_MEMORY, "No memory for the query.");
  const char *why = crv_decode(CRV_DECODE_QUERY, s, len, out, &n);
  if (why) return crv_fail(err, CRV_BAD_PARAMETER, "A query parameter's %s: %s", what, why);
  *ret = out;
  return true;
}

static bool piece_decode(const char *s, size_t len, struct crv_arena *arena, struct crv_param *ret,
                         struct crv_err *err) {
  const char *equals = memchr(s, '=', len);
  size_t name = equals ? (size_t)(equals - s) : len;
  ret->value = "";
  if (!decode_part(s, name, "name", arena, &ret->name, err)) return false;
  return !equals || decode_part(equals + 1, len - name - 1, "value", arena, &ret->value, err);
}

static bool piece_check(const struct crv_route *route, const struct crv_param *params, size_t n,
                        struct crv_err *err) {
  const char *name = params[n].name;
  if (word_in(token_names, name) && !known(route, name))
    return crv_fail(err, CRV_TOKEN_IN_QUERY,
                    "The parameter '%s' looks like a token in the address.", name);
  if (crv_auth_find(name) || crv_auth_find(params[n].value))
    return crv_fail(err, CRV_TOKEN_IN_QUERY, "A token stands in a query parameter.");
  for (size_t i = 0; i < n; i++)
    if (strcmp(params[i].name, name) == 0)
      return crv_fail(err, CRV_BAD_PARAMETER, "The parameter '%.64s' was sent more than once.",
                      name);
  return true;
}

bool crv_query_parse(const struct crv_route *route, const char *raw, struct crv_arena *arena,
                     struct crv_query *ret, struct crv_err *err) {
  *ret = (struct crv_query){0};
  if (raw[0] == '\0') return true;
  size_t pieces = count_pieces(raw), n = 0;
  if (pieces > MAX_PARAMS)
    return crv_fail(err, CRV_BAD_PARAMETER, "There are more than %d query parameters.", MAX_PARAMS);
  struct crv_param *params = crv_new_array(arena, pieces, struct crv_param);
  if (!params) return crv_fail(err, CRV_OUT_OF_MEMORY, "No memory for the query.");
  for (const char *s = raw; *s;) {
    size_t len = strcspn(s, "&");
    if (len > 0) {
      if (!piece_decode(s, len, arena, &params[n], err)) return false;
      if (!piece_check(route, params, n, err)) return false;
      n++;
    }
    s += len;
    s += *s == '&';
  }
  *ret = (struct crv_query){params, n};
  return true;
}

/* The names as "format, pretty, gate" into out; also the one nearest to name, or "". */
static void known_names(const struct crv_route *route, const char *name, char *out, size_t room,
                        char *near, size_t near_room) {
  const char *lists[] = {route->params ? route->params : "", everywhere};
  size_t best = 3, used = 0;
  out[0] = near[0] = '\0';
  for (size_t i = 0; i < 2; i++) {
    for (const char *s = lists[i] + strspn(lists[i], " "); *s; s += strspn(s, " ")) {
      int len = (int)strcspn(s, " ");
      char word[64];
      snprintf(word, sizeof word, "%.*s", len, s);
      int k = snprintf(out + used, room - used, "%s%s", used ? ", " : "", word);
      used = k > 0 && (size_t)k < room - used ? used + (size_t)k : used;
      size_t distance = crv_edit_distance(word, name, best);
      if (distance < best) {
        best = distance;
        snprintf(near, near_room, "%s", word);
      }
      s += len;
    }
  }
}

bool crv_query_known(const struct crv_route *route, const struct crv_query *query,
                     struct crv_err *err) {
  char names[320], near[64];
  for (size_t i = 0; i < query->n; i++) {
    const char *name = query->params[i].name;
    if (known(route, name)) continue;
    known_names(route, name, names, sizeof names, near, sizeof near);
    return crv_fail(err, CRV_UNKNOWN_PARAMETER, "'%.64s' is not a parameter here%s%s%s Known: %s.",
                    name, near[0] ? "; did you mean '" : "", near, near[0] ? "'?" : ".", names);
  }
  return true;
}
