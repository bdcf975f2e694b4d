/* Which weights a quantization_config leaves as they are. Entries are paths of modules, as written
   by the methods: whole parts between dots, anywhere in the path, "*" for any one part
   (huggingface/transformers src/transformers/quantizers/quantizers_utils.py,
   should_convert_module), or "re:" and a pattern from the path's start
   (neuralmagic/compressed-tensors utils/match.py). Of patterns only literal text, "." and ".*" are
   read. Must not know: bytes. */
#include <string.h>

#include "core/base/text.h"
#include "core/model/arch.h"

enum { PARTS = 24 };

struct part {
  const char *s;
  size_t len;
};

/* Parts between dots; 0 when there are more than fit. */
static size_t split(const char *s, struct part *ret) {
  size_t n = 0;
  while (n < PARTS) {
    const char *dot = strchr(s, '.');
    ret[n++] = (struct part){s, dot ? (size_t)(dot - s) : strlen(s)};
    if (!dot) return n;
    s = dot + 1;
  }
  return 0;
}

static bool is(struct part p, const char *s) {
  return p.len == strlen(s) && strncmp(p.s, s, p.len) == 0;
}

/* A layer's or an expert's number, at most six digits. */
static bool is_number(struct part p, int64_t *ret) {
  *ret = 0;
  if (p.len == 0 || p.len > 6) return false;
  for (size_t i = 0; i < p.len; i++) {
    if (p.s[i] < '0' || p.s[i] > '9') return false;
    *ret = *ret * 10 + (p.s[i] - '0');
  }
  return true;
}

enum { EVERY_LAYER = -1 };
enum answer { NO, YES, UNKNOWN };

/* layer: set to a number that the entry names in place of {}. */
static enum answer part_matches(struct part entry, struct part path, int64_t *layer) {
  int64_t n;
  if (is(entry, "*")) return YES;
  if (is(path, "{}") && is_number(entry, &n)) {
    *layer = n;
    return YES;
  }
  if (is(path, "{e}") && is_number(entry, &n)) return UNKNOWN;
  return entry.len == path.len && strncmp(entry.s, path.s, path.len) == 0 ? YES : NO;
}

static enum answer parts_match(const struct part *entry, size_t n, const struct part *path,
                               size_t m, int64_t *layer) {
  for (size_t from = 0; n > 0 && from + n <= m; from++) {
    enum answer all = YES;
    *layer = EVERY_LAYER;
    for (size_t i = 0; i < n && all != NO; i++) {
      enum answer one = part_matches(entry[i], path[from + i], layer);
      if (one != YES) all = one;
    }
    if (all != NO) return all;
  }
  return NO;
}

/* "*" in pattern stands for any text, also none. */
static bool glob(const char *pattern, size_t n, const char *s, size_t len) {
  size_t p = 0, i = 0, star = SIZE_MAX, back = 0;
  while (i < len) {
    if (p < n && pattern[p] == '*') {
      star = p++;
      back = i;
    } else if (p < n && pattern[p] == s[i]) {
      p++;
      i++;
    } else if (star != SIZE_MAX) {
      p = star + 1;
      i = ++back;
    } else {
      return false;
    }
  }
  while (p < n && pattern[p] == '*') p++;
  return p == n;
}

static bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
         c == '-';
}

/* A pattern as text with stars, which ends in one unless the pattern ends in "$". False when it
   holds what is not read, or names layers by number. */
static bool to_glob(const char *re, char *out, size_t room, size_t *ret) {
  size_t n = 0;
  bool end = false;
  if (*re == '^') re++;
  for (; *re && n + 2 < room; re++) {
    if (end) return false;
    if (is_plain(*re) && !(*re >= '0' && *re <= '9' && n && out[n - 1] == '.'))
      out[n++] = *re;
    else if (re[0] == '.' && re[1] == '*')
      out[n++] = *++re;
    else if (re[0] == '.')
      out[n++] = '.';
    else if (re[0] == '\\' && re[1] == '.')
      out[n++] = *++re;
    else if (*re == '$')
      end = true;
    else
      return false;
  }
  if (*re) return false;
  if (!end) out[n++] = '*';
  *ret = n;
  return true;
}

static enum answer pattern_matches(const char *re, const char *path, size_t len) {
  char text[300];
  size_t n;
  if (!to_glob(re, text, sizeof text, &n)) return UNKNOWN;
  return glob(text, n, path, len) ? YES : NO;
}

struct path {
  const char *s;
  size_t len, n;
  struct part part[PARTS];
};

static enum answer entry_matches(const char *entry, const struct path *path, int64_t *layer) {
  struct part parts[PARTS];
  *layer = EVERY_LAYER;
  if (strncmp(entry, "re:", 3) == 0) return pattern_matches(entry + 3, path->s, path->len);
  size_t n = split(entry, parts);
  return parts_match(parts, n, path->part, path->n, layer);
}

/* Does the weight stand in that layer? Layers for prediction count on behind the others. */
static bool stands_in(const struct crv_arch *arch, const struct crv_weight *w, int64_t layer) {
  if (w->where == CRV_WHERE_MTP_LAYERS)
    return layer >= arch->layers && layer - arch->layers < arch->mtp_layers;
  if (layer < 0 || layer >= arch->layers) return false;
  if (w->where == CRV_WHERE_LAYERS) return true;
  return w->where ==
         (arch->layer[layer].experts ? CRV_WHERE_EXPERT_LAYERS : CRV_WHERE_DENSE_LAYERS);
}

/* Path of the module that holds the weight. */
static bool module_path(const struct crv_weight *w, char *text, size_t room, struct path *ret) {
  static const char end[] = ".weight";
  size_t len = strlen(w->name), n = sizeof end - 1;
  if (len > n && crv_streq(w->name + len - n, end)) len -= n;
  if (len >= room) return false;
  memcpy(text, w->name, len);
  text[len] = '\0';
  *ret = (struct path){.s = text, .len = len};
  ret->n = split(text, ret->part);
  return true;
}

bool crv_arch_unconverted(const struct crv_arch *arch, const struct crv_weight *w, int64_t *ret) {
  uint8_t seen[CRV_ARCH_LAYERS * 2] = {0};
  struct path path;
  char text[256];
  int64_t layer;
  *ret = 0;
  if (!arch->quant) return true;
  if (!module_path(w, text, sizeof text, &path)) return false;
  for (size_t i = 0; i < arch->quant->skipped.n; i++) {
    const char *entry = *crv_list_at(arch->quant->skipped, const char *, i);
    enum answer a = entry_matches(entry, &path, &layer);
    if (a == UNKNOWN) return false;
    if (a == NO) continue;
    if (layer == EVERY_LAYER) {
      *ret = w->each * w->places;
      return true;
    }
    if (layer >= CRV_ARCH_LAYERS * 2 || seen[layer] || !stands_in(arch, w, layer)) continue;
    seen[layer] = 1;
    *ret += w->each;
  }
  return true;
}
