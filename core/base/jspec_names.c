/* Names of fields: lookup, and the hints that a misspelt one gets. */
#include <stdio.h>
#include <string.h>

#include "core/base/jspec_in.h"
#include "core/base/text.h"

static bool is_named(const char *name, const char *key, size_t len) {
  return name && strlen(name) == len && memcmp(name, key, len) == 0;
}

const struct crv_jfield *crv_jspec_find(const struct crv_jspec *spec, const char *name,
                                        size_t len) {
  for (const struct crv_jfield *f = spec->fields; f->name; f++)
    if (is_named(f->name, name, len) || is_named(f->alias, name, len)) return f;
  return NULL;
}

bool crv_jspec_keeps_extras(const struct crv_jspec *spec) {
  if (spec->extras_offset == SIZE_MAX) return false;
  for (const struct crv_jfield *f = spec->fields; f->name; f++)
    if (f->offset == spec->extras_offset) return false;
  return true;
}

enum { DISTANCE_MAX = 2 };

static char fold(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

/* Equal but for case, "_" and "-": "supplierRef" and "supplier_ref". */
static bool is_same_word(const char *a, const char *b) {
  for (;;) {
    while (*a == '_' || *a == '-') a++;
    while (*b == '_' || *b == '-') b++;
    if (fold(*a) != fold(*b)) return false;
    if (*a == '\0') return true;
    a++;
    b++;
  }
}

static bool is_prefix(const char *s, const char *of) {
  size_t len = strlen(s);
  return len >= 3 && strncmp(s, of, len) == 0;
}

/* 0 for the same word, else the distance; a prefix counts as the largest that is accepted. A short
   word must keep half of its letters. */
static size_t distance(const char *key, const char *name) {
  size_t d = crv_edit_distance(key, name, DISTANCE_MAX);
  if (is_same_word(key, name)) return 0;
  if (d <= DISTANCE_MAX && d * 2 <= strlen(key)) return d;
  if (is_prefix(key, name) || is_prefix(name, key)) return DISTANCE_MAX;
  return DISTANCE_MAX + 1;
}

void crv_near_try(struct crv_near *n, const char *name) {
  if (!name || !n->key || !*n->key) return;
  size_t d = distance(n->key, name);
  if (d > DISTANCE_MAX || (n->best && d >= n->distance)) return;
  n->best = name;
  n->distance = d;
}

char *crv_near_hint(const struct crv_near *n, char *out, size_t room) {
  out[0] = '\0';
  if (n->best) snprintf(out, room, "did you mean `%s`?", n->best);
  return out;
}

bool crv_names_add(char *out, size_t room, const char *name) {
  static const char more[] = ", ...";
  size_t len = strlen(out), need = strlen(name) + 2;
  if (len >= sizeof more && strcmp(out + len - (sizeof more - 1), more) == 0) return false;
  if (len + need + sizeof more > room) {
    if (len + sizeof more <= room) memcpy(out + len, more, sizeof more);
    return false;
  }
  snprintf(out + len, room - len, "%s%s", len ? ", " : "", name);
  return true;
}
