/* From a device's name as people write it to a canonical model, or to candidates where the name
   fits several. A name matches as a whole and never by its beginning; vendor words, punctuation and
   case are folded, memory sizes are split off as a hint. Facts are in devices.def.
   Must not know: sheets, evidence. */
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/catalogue/offer.h"

const int crv_alias_version = 1;

const struct crv_device_model crv_device_models[] = {
#define X(model, display, vendor, architecture, kind, gb, names, source) \
  {model, display, vendor, architecture, CRV_MEM_##kind, gb},
#include "core/catalogue/devices.def"
#undef X
};
const size_t crv_n_device_models = sizeof crv_device_models / sizeof *crv_device_models;

/* Names of the row of the same index, separated by spaces. */
static const char *const names[] = {
#define X(model, display, vendor, architecture, kind, gb, names, source) names,
#include "core/catalogue/devices.def"
#undef X
};

static int by_model(const void *key, const void *row) {
  return strcmp(key, ((const struct crv_device_model *)row)->model);
}

const struct crv_device_model *crv_device_model(const char *model) {
  return bsearch(model, crv_device_models, crv_n_device_models, sizeof *crv_device_models,
                 by_model);
}

/* -- reading a name -----------------------------------------------------------------------------
 */

enum { KEY_ROOM = 96, TOKEN_ROOM = 48, MAX_TOKENS = 16, MAX_CANDIDATES = 8 };

struct reading {
  char key[KEY_ROOM];      /* what is left of the name, joined */
  char profile[16];        /* "3g.40gb", or "" */
  struct crv_nominal size; /* stated in the name */
  const char *vendor;      /* NULL: not stated */
  bool share;              /* GRID, vGPU */
};

struct tokens {
  char at[MAX_TOKENS][TOKEN_ROOM];
  size_t n;
};

/* Lower-case runs of letters, digits, "." and "/". False: too long or too many. */
static bool split(const char *name, struct tokens *t) {
  size_t len = 0;
  t->n = 0;
  for (;; name++) {
    unsigned char c = (unsigned char)*name;
    if (c < 0x80 && (isalnum(c) || c == '.' || c == '/')) {
      if (t->n == MAX_TOKENS || len + 1 >= TOKEN_ROOM) return false;
      t->at[t->n][len++] = (char)tolower(c);
      continue;
    }
    if (len > 0) t->at[t->n++][len] = '\0';
    len = 0;
    if (c == '\0') return true;
  }
}

/* Words that name a vendor or say nothing about the model; vendor "" says nothing at all. */
static const struct {
  const char *word, *vendor;
} words[] = {
    {"nvidia", "nvidia"}, {"geforce", "nvidia"}, {"tesla", "nvidia"}, {"amd", "amd"},
    {"instinct", "amd"},  {"radeon", "amd"},     {"intel", "intel"},  {"habana", "intel"},
    {"corporation", ""},  {"gpu", ""},           {"generation", ""},  {"graphics", ""},
    {"mig", ""},
};

static bool is_word(const char *token, const char **ret_vendor) {
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (strcmp(words[i].word, token) != 0) continue;
    *ret_vendor = words[i].vendor;
    return true;
  }
  return false;
}

/* "3g.40gb" */
static bool is_profile(const char *s) {
  size_t slices = strspn(s, "1234567");
  if (slices != 1 || s[1] != 'g' || s[2] != '.') return false;
  size_t digits = strspn(s + 3, "0123456789");
  return digits > 0 && strcmp(s + 3 + digits, "gb") == 0;
}

/* "80gb", or "80" and a "gb" that follows; how many tokens it took, 0 for none. A "G" alone leaves
   open which unit is meant. */
static size_t read_size(const struct tokens *t, size_t i, struct crv_nominal *size) {
  static const struct {
    const char *text, *unit;
  } units[] = {{"gb", "GB"}, {"gib", "GiB"}, {"g", NULL}, {"mib", "MiB"}};
  const char *s = t->at[i];
  size_t digits = strspn(s, "0123456789"), took = 1;
  if (digits == 0 || digits > 7) return 0;
  const char *unit = s + digits;
  if (*unit == '\0' && i + 1 < t->n) {
    unit = t->at[i + 1];
    took = 2;
  }
  for (size_t u = 0; u < sizeof units / sizeof *units; u++) {
    if (strcmp(unit, units[u].text) != 0) continue;
    *size = (struct crv_nominal){true, strtoll(s, NULL, 10) * CRV_MICRO, units[u].unit};
    return took;
  }
  return 0;
}

/* False: the name cannot be read as one device's. */
static bool read_name(const char *name, struct reading *r) {
  struct tokens t;
  size_t len = 0;
  *r = (struct reading){.key = ""};
  if (strstr(name, "...") || strstr(name, "\xE2\x80\xA6") || !split(name, &t)) return false;
  for (size_t i = 0; i < t.n; i++) {
    const char *token = t.at[i], *vendor = "";
    size_t took = read_size(&t, i, &r->size);
    if (took > 0) {
      i += took - 1;
    } else if (is_profile(token)) {
      snprintf(r->profile, sizeof r->profile, "%.15s", token);
    } else if (strcmp(token, "grid") == 0 || strcmp(token, "vgpu") == 0) {
      r->share = true;
    } else if (is_word(token, &vendor)) {
      if (*vendor) r->vendor = vendor;
    } else {
      size_t n = strlen(token);
      if (len + n >= KEY_ROOM) return false;
      memcpy(r->key + len, token, n + 1);
      len += n;
    }
  }
  return true;
}

/* -- finding rows ---------------------------------------------------------------------------------
 */

struct found {
  const struct crv_device_model *at[MAX_CANDIDATES];
  size_t n;
};

static void found_add(struct found *f, const struct crv_device_model *m) {
  if (f->n < MAX_CANDIDATES) f->at[f->n++] = m;
}

/* Does key stand among the names? *by_size: only with the mark that asks for the size. */
static bool is_named(const char *list, const char *key, bool *by_size) {
  size_t len = strlen(key);
  while (*list) {
    size_t n = strcspn(list, " ");
    *by_size = *list == '?';
    if (n - *by_size == len && strncmp(list + *by_size, key, len) == 0) return true;
    list += n;
    list += strspn(list, " ");
  }
  return false;
}

/* Rows that the name fits, and those that it fits only with their size. */
static void find(const struct reading *r, struct found *plain, struct found *sized) {
  if (r->key[0] == '\0') return;
  for (size_t i = 0; i < crv_n_device_models; i++) {
    bool by_size = false;
    const struct crv_device_model *m = &crv_device_models[i];
    if (r->vendor && strcmp(r->vendor, m->vendor) != 0) continue;
    if (is_named(names[i], r->key, &by_size)) found_add(by_size ? sized : plain, m);
  }
}

/* Is the size within what a card of this nominal figure may be stated as: 0.90 to 1.02 of it? */
static bool size_fits(const struct crv_device_model *m, const struct crv_nominal *size) {
  int64_t factor = size->unit ? crv_unit_factor(size->unit) : 1000000000, v = 0;
  bool binary = size->unit && strchr(size->unit, 'i');
  if (m->nominal_gb == 0) return true;
  if (!crv_muldiv(size->micro, factor, binary ? CRV_GIB : 1000000000, false, &v)) return false;
  return v >= m->nominal_gb * 900000 && v <= m->nominal_gb * 1020000;
}

/* Those that the size fits; all when it fits none. */
static void narrow(struct found *f, const struct crv_nominal *size) {
  struct found kept = {.n = 0};
  if (!size || !size->set) return;
  for (size_t i = 0; i < f->n; i++)
    if (size_fits(f->at[i], size)) found_add(&kept, f->at[i]);
  if (kept.n > 0) *f = kept;
}

static bool any_fits(const struct found *f, const struct crv_nominal *size) {
  for (size_t i = 0; i < f->n; i++)
    if (size_fits(f->at[i], size)) return true;
  return false;
}

/* A size that fits no plain row but one that asks for its size picks that one. */
static void choose(struct found *plain, const struct found *sized, const struct crv_nominal *size) {
  if (!size || !size->set) return;
  if (!any_fits(plain, size) && any_fits(sized, size)) *plain = *sized;
  narrow(plain, size);
}

/* -- slices and shares ----------------------------------------------------------------------------
 */

/* The name under which a card's slices stand: "nvidia/a100-80" of "nvidia/a100-80-pcie". */
static bool is_slice_of(const char *slice, const struct crv_device_model *card) {
  static const struct {
    const char *card, *slices;
  } bases[] = {
      {"nvidia/h100-nvl", "nvidia/h100-94"},  {"nvidia/h100-pcie", "nvidia/h100-80"},
      {"nvidia/h100-sxm", "nvidia/h100-80"},  {"nvidia/h200-nvl", "nvidia/h200-141"},
      {"nvidia/h200-sxm", "nvidia/h200-141"},
  };
  size_t n = strcspn(slice, "@");
  const char *model = card->model;
  for (size_t i = 0; i < sizeof bases / sizeof *bases; i++)
    if (strcmp(bases[i].card, model) == 0) model = bases[i].slices;
  return strncmp(slice, model, n) == 0 && (model[n] == '\0' || model[n] == '-');
}

static void to_slices(struct found *f, const char *profile) {
  struct found slices = {.n = 0};
  for (size_t i = 0; i < crv_n_device_models; i++) {
    const struct crv_device_model *m = &crv_device_models[i];
    const char *at = strchr(m->model, '@');
    if (!at || strcmp(at + 1, profile) != 0) continue;
    bool fits = false;
    for (size_t j = 0; j < f->n && !fits; j++) fits = is_slice_of(m->model, f->at[j]);
    if (fits) found_add(&slices, m);
  }
  *f = slices;
}

/* Boards of 2012 and 2013 that bear the name without being shares. */
static bool is_old_grid_board(const char *key) {
  return !strcmp(key, "k1") || !strcmp(key, "k2") || !strcmp(key, "k340") || !strcmp(key, "k520");
}

size_t crv_device_resolve(const char *name, const struct crv_nominal *size_hint,
                          const struct crv_device_model *ret[8]) {
  struct reading r;
  struct found plain = {.n = 0}, sized = {.n = 0};
  const struct crv_device_model *exact = crv_device_model(name);
  if (exact) {
    ret[0] = exact;
    return 1;
  }
  if (!read_name(name, &r)) return 0;
  if (r.share) {
    ret[0] = crv_device_model("nvidia/vgpu");
    return is_old_grid_board(r.key) ? 0 : 1;
  }
  find(&r, &plain, &sized);
  choose(&plain, &sized, &r.size);
  if (r.profile[0])
    to_slices(&plain, r.profile);
  else
    choose(&plain, &sized, size_hint);
  memcpy(ret, plain.at, plain.n * sizeof *ret);
  return plain.n;
}
