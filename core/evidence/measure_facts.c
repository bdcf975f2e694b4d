/* Facts: a printed figure as exact bytes under the tool's meaning of its unit; kept by their kind,
   where equal figures are counted and a flood keeps its first and its largest.
   Must not know: any tool's format. */
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "core/evidence/measure_keep.h"

bool crv_mrun_init(struct crv_mrun *run) {
  run->facts = crv_new(run->a, struct crv_mfacts);
  run->failed = !run->facts;
  return run->facts != NULL;
}

/* -- a fact ----------------------------------------------------------------------------------- */

struct crv_measure_fact crv_mfact(const struct crv_mrun *run, enum crv_measure_counter c,
                                  enum crv_measure_kind k, const char *item) {
  return (struct crv_measure_fact){.source = run->source,
                                   .counter = c,
                                   .kind = k,
                                   .item = item,
                                   .stage = run->stage,
                                   .line = run->line,
                                   .rank = run->rank,
                                   .repeats = 1};
}

static const struct {
  const char *text;
  int power;
  bool binary; /* always */
  const char *binary_name, *decimal_name;
} units[] = {
    {"B", 0, true, "bytes", "bytes"},     {"bytes", 0, true, "bytes", "bytes"},
    {"Bytes", 0, true, "bytes", "bytes"}, {"byte", 0, true, "bytes", "bytes"},
    {"KiB", 1, true, "KiB", "KiB"},       {"kib", 1, true, "KiB", "KiB"},
    {"Ki", 1, true, "KiB", "KiB"},        {"MiB", 2, true, "MiB", "MiB"},
    {"mib", 2, true, "MiB", "MiB"},       {"Mi", 2, true, "MiB", "MiB"},
    {"GiB", 3, true, "GiB", "GiB"},       {"gib", 3, true, "GiB", "GiB"},
    {"Gi", 3, true, "GiB", "GiB"},        {"TiB", 4, true, "TiB", "TiB"},
    {"PiB", 5, true, "PiB", "PiB"},       {"KB", 1, false, "KiB", "kB"},
    {"kB", 1, false, "KiB", "kB"},        {"kb", 1, false, "KiB", "kB"},
    {"K", 1, false, "KiB", "kB"},         {"k", 1, false, "KiB", "kB"},
    {"MB", 2, false, "MiB", "MB"},        {"mb", 2, false, "MiB", "MB"},
    {"M", 2, false, "MiB", "MB"},         {"m", 2, false, "MiB", "MB"},
    {"GB", 3, false, "GiB", "GB"},        {"gb", 3, false, "GiB", "GB"},
    {"G", 3, false, "GiB", "GB"},         {"g", 3, false, "GiB", "GB"},
    {"TB", 4, false, "TiB", "TB"},        {"T", 4, false, "TiB", "TB"},
    {"PB", 5, false, "PiB", "PB"},
};

static int64_t power_of(int64_t base, int n) {
  int64_t v = 1;
  while (n-- > 0) v *= base;
  return v;
}

/* Factor of the unit as the tool means it; 0: not known. */
static int64_t factor_of(struct crv_mrun *run, const char *unit, enum crv_munit how,
                         const char **ret_means) {
  *ret_means = NULL;
  if (!*unit && how == CRV_MU_GIB) unit = "GiB";
  if (!*unit && how == CRV_MU_MIB) unit = "MiB";
  if (!*unit && how == CRV_MU_BYTES) unit = "B";
  for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
    if (strcmp(units[i].text, unit) != 0) continue;
    bool decimal = how == CRV_MU_DECIMAL && !units[i].binary;
    *ret_means = decimal ? units[i].decimal_name : units[i].binary_name;
    if (!units[i].binary)
      crv_mnote(run, decimal                 ? CRV_MN_UNIT_DECIMAL
                     : how == CRV_MU_ASSUMED ? CRV_MN_UNIT_ASSUMED
                                             : CRV_MN_UNIT_BINARY);
    return power_of(decimal ? 1000 : 1024, units[i].power);
  }
  crv_mnote(run, CRV_MN_UNIT_MISSING);
  return 0;
}

static bool is_memory(enum crv_measure_counter c) {
  static const bool memory[] = {
#define MEMORY true
#define COUNT false
#define RATE false
#define TIME false
#define SHARE false
#define X(NAME, name, unit, peak, doc) [CRV_MEASURE_##NAME] = unit,
#include "core/evidence/measure_counters.def"
#undef X
#undef MEMORY
#undef COUNT
#undef RATE
#undef TIME
#undef SHARE
  };
  return memory[c];
}

static void memory_figure(struct crv_mrun *run, struct crv_measure_fact *f,
                          const struct crv_mfigure *fig, enum crv_munit how) {
  int64_t v, step, scale = power_of(10, fig->n.places);
  int64_t factor = factor_of(run, fig->unit, how, &f->means);
  if (!factor) return;
  if (fig->n.too_big || !crv_muldiv(fig->n.mantissa, factor, scale, true, &v) || v > CRV_INT_MAX ||
      v < -CRV_INT_MAX) {
    crv_mnote_say(run, CRV_MN_IMPOSSIBLE, "%s %s is more than any device has: it stays unknown.",
                  fig->n.text, fig->unit);
    return;
  }
  f->bytes = (struct crv_opt_int){v, true};
  if (crv_muldiv(1, factor, scale, true, &step)) f->step_bytes = (struct crv_opt_int){step, true};
  if (v < 0 && f->kind != CRV_MEASURE_DELTA)
    crv_mnote_say(run, CRV_MN_NEGATIVE, "%s %s is negative and kept so.", fig->n.text, fig->unit);
}

void crv_mfact_figure(struct crv_mrun *run, struct crv_measure_fact *f,
                      const struct crv_mfigure *fig, enum crv_munit how) {
  f->text = fig->n.text[0] ? fig->n.text : NULL;
  f->unit = fig->unit[0] ? fig->unit : NULL;
  if (!fig->n.set) return;
  if (is_memory(f->counter)) {
    if (fig->n.ambiguous)
      crv_mnote(run, CRV_MN_NUMBER_AMBIGUOUS);
    else
      memory_figure(run, f, fig, how);
    return;
  }
  if (crv_mnumber_micro(&fig->n, &f->micro.v)) f->micro.set = true;
}

/* -- keeping ---------------------------------------------------------------------------------- */

static uint64_t mix(uint64_t h, const char *s) {
  if (!s) return h * 31 + 7;
  for (; *s; s++) h = (h ^ (unsigned char)*s) * UINT64_C(1099511628211);
  return h * 31 + 1;
}

static uint64_t hash_of(const struct crv_measure_fact *f) {
  uint64_t h = UINT64_C(14695981039346656037);
  h = mix(mix(mix(h, f->source), f->item), f->phase);
  h = mix(mix(mix(h, f->stage), f->label), f->device_label);
  h = h * 131 + (uint64_t)f->counter * 16 + (uint64_t)f->kind;
  h = h * 131 + (uint64_t)(f->device.set ? f->device.v + 1 : 0);
  return (h * 131 + (uint64_t)(f->rank.set ? f->rank.v + 1 : 0)) * UINT64_C(0x9E3779B97F4A7C15);
}

static bool same_opt(struct crv_opt_int a, struct crv_opt_int b) {
  return a.set == b.set && (!a.set || a.v == b.v);
}

static bool same_group(const struct crv_measure_fact *a, const struct crv_measure_fact *b) {
  return a->counter == b->counter && a->kind == b->kind && same_opt(a->device, b->device) &&
         same_opt(a->rank, b->rank) && crv_streq(a->source, b->source) &&
         crv_streq(a->item, b->item) && crv_streq(a->phase, b->phase) &&
         crv_streq(a->stage, b->stage) && crv_streq(a->label, b->label) &&
         crv_streq(a->device_label, b->device_label);
}

static bool same_figure(const struct crv_measure_fact *a, const struct crv_measure_fact *b) {
  return same_opt(a->bytes, b->bytes) && same_opt(a->micro, b->micro) &&
         crv_streq(a->text, b->text) && crv_streq(a->unit, b->unit);
}

static bool larger(const struct crv_measure_fact *a, const struct crv_measure_fact *b) {
  if (a->bytes.set != b->bytes.set) return a->bytes.set;
  if (a->bytes.set) return a->bytes.v > b->bytes.v;
  return a->micro.set && (!b->micro.set || a->micro.v > b->micro.v);
}

static const char *keep_text(struct crv_mrun *run, const char *s, size_t max) {
  if (!s || !*s) return NULL;
  const char *kept = crv_mcopy(run->a, (struct crv_mspan){s, strlen(s)}, max);
  if (!kept) run->failed = true;
  return kept && *kept ? kept : NULL; /* bad bytes alone leave nothing */
}

/* The figure's text has a room of its own, so that a larger figure can take its place. */
enum { FIGURE_ROOM = 40 };

static void fill_figure(char *room, const char *text) {
  snprintf(room, FIGURE_ROOM, "%s", text);
  for (char *p = room; *p; p++)
    if ((unsigned char)*p < 0x20 || *p == 0x7f) *p = ' ';
  crv_text_repair(room);
  if (!*room) snprintf(room, FIGURE_ROOM, "?");
}

static const char *keep_figure(struct crv_mrun *run, const char *text) {
  if (!text) return NULL;
  char *room = crv_arena_alloc(run->a, FIGURE_ROOM);
  if (room)
    fill_figure(room, text);
  else
    run->failed = true;
  return room;
}

static void keep_texts(struct crv_mrun *run, struct crv_measure_fact *f) {
  f->label = keep_text(run, f->label, 96);
  f->stage = keep_text(run, f->stage, 160);
  f->text = keep_figure(run, f->text);
  f->unit = keep_text(run, f->unit, 12);
  f->device_label = keep_text(run, f->device_label, 64);
  f->derived = keep_text(run, f->derived, 200);
}

/* Another figure of the same group in the place of an older one; the unit stays when it is the
   same, which spares a copy for each of a flood. */
static void replace(struct crv_mrun *run, struct crv_measure_fact *old,
                    const struct crv_measure_fact *f) {
  struct crv_measure_fact was = *old;
  *old = *f;
  old->label = was.label;
  old->stage = was.stage;
  old->device_label = was.device_label;
  old->derived = was.derived;
  old->unit = crv_streq(was.unit, f->unit) ? was.unit : keep_text(run, f->unit, 12);
  if (was.text && f->text) {
    char *room = (char *)(uintptr_t)was.text;
    fill_figure(room, f->text);
    old->text = room;
  } else {
    old->text = keep_figure(run, f->text);
  }
}

static bool make_room(struct crv_mrun *run) {
  struct crv_mfacts *k = run->facts;
  size_t room = k->room ? k->room * 2 : 32;
  if (k->n < k->room) return true;
  if (k->n >= CRV_MEASURE_FACTS) return false;
  struct crv_measure_fact *at = crv_new_array(run->a, room, struct crv_measure_fact);
  if (!at) {
    run->failed = true;
    return false;
  }
  if (k->n) memcpy(at, k->at, k->n * sizeof *at);
  k->at = at;
  k->room = room;
  return true;
}

/* The group of a fact, an empty one for a new kind; NULL: none is left. */
static struct crv_mgroup *group_of(struct crv_mfacts *k, const struct crv_measure_fact *f) {
  size_t at = (size_t)(hash_of(f) >> 32) % CRV_MGROUPS;
  for (size_t i = 0; i < 64; i++, at = (at + 1) % CRV_MGROUPS) {
    struct crv_mgroup *g = &k->groups[at];
    if (g->n == 0) return k->n_groups < CRV_MGROUPS / 2 ? g : NULL;
    if (same_group(&k->at[g->at[0]], f)) return g;
  }
  return NULL;
}

static struct crv_measure_fact *append(struct crv_mrun *run, struct crv_mgroup *g,
                                       const struct crv_measure_fact *f) {
  struct crv_mfacts *k = run->facts;
  if (!make_room(run)) {
    run->ret->more_facts++;
    return NULL;
  }
  struct crv_measure_fact *kept = &k->at[k->n];
  *kept = *f;
  keep_texts(run, kept);
  if (g->n == 0) k->n_groups++;
  g->at[g->n++] = (unsigned)k->n++;
  return kept;
}

struct crv_measure_fact *crv_mfact_add(struct crv_mrun *run, const struct crv_measure_fact *f) {
  struct crv_mfacts *k = run->facts;
  if (run->failed) return NULL;
  struct crv_mgroup *g = group_of(k, f);
  if (!g) {
    run->ret->more_facts++;
    return NULL;
  }
  for (size_t i = 0; i < g->n; i++) {
    struct crv_measure_fact *old = &k->at[g->at[i]];
    if (!same_figure(old, f)) continue;
    old->repeats++;
    return old;
  }
  if (g->n < CRV_MGROUP) return append(run, g, f);
  struct crv_measure_fact *last = &k->at[g->at[CRV_MGROUP - 1]];
  run->ret->more_facts++;
  if (larger(f, last)) replace(run, last, f);
  return last;
}

size_t crv_mfacts_n(const struct crv_mrun *run) {
  return run->facts->n;
}

struct crv_measure_fact *crv_mfact_at(const struct crv_mrun *run, size_t i) {
  return &run->facts->at[i];
}
