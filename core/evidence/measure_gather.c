/* What is gathered beside the facts: notes, devices, settings, phases; and the end of a reading,
   which sorts everything by line and names the devices' models.
   Must not know: any tool's format. */
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/evidence/measure_keep.h"

enum { NOTES_A_CODE = 8 };

/* -- notes ------------------------------------------------------------------------------------ */

const struct crv_measure_code crv_measure_note_codes[] = {
#define X(NAME, code, text) {code, text},
#include "core/evidence/measure_notes.def"
#undef X
};
const size_t crv_n_measure_note_codes =
    sizeof crv_measure_note_codes / sizeof *crv_measure_note_codes;

static void note(struct crv_mrun *run, enum crv_mnote code, const char *text) {
  struct crv_mfacts *k = run->facts;
  if (!text) run->failed = true;
  if (run->failed) return;
  if (k->n_notes == CRV_MEASURE_NOTES) {
    run->ret->more_notes++;
    return;
  }
  run->noted[code]++;
  k->notes[k->n_notes++] =
      (struct crv_measure_note){crv_measure_note_codes[code].code, run->line, text};
}

void crv_mnote(struct crv_mrun *run, enum crv_mnote code) {
  if (run->noted[code] == 0) note(run, code, crv_measure_note_codes[code].doc);
}

void crv_mnote_say(struct crv_mrun *run, enum crv_mnote code, const char *fmt, ...) {
  char text[512];
  va_list ap;
  if (run->noted[code] >= NOTES_A_CODE) {
    run->ret->more_notes++;
    return;
  }
  va_start(ap, fmt);
  vsnprintf(text, sizeof text, fmt, ap);
  va_end(ap);
  note(run, code, crv_mcopy(run->a, (struct crv_mspan){text, strlen(text)}, sizeof text));
}

/* -- devices, settings, phases ------------------------------------------------------------------
 */

struct crv_measure_device *crv_mdevice(struct crv_mrun *run, int64_t index) {
  struct crv_mfacts *k = run->facts;
  if (index < 0 || index >= CRV_MEASURE_DEVICES || run->failed) return NULL;
  if (k->devices[index]) return k->devices[index];
  struct crv_measure_device *d = crv_new(run->a, struct crv_measure_device);
  if (!d) {
    run->failed = true;
    return NULL;
  }
  d->index = index;
  d->line = run->line;
  k->n_devices++;
  return k->devices[index] = d;
}

int64_t crv_mdevice_by_uuid(const struct crv_mrun *run, struct crv_mspan uuid) {
  size_t n = run->facts->n_devices;
  for (int64_t i = 0; uuid.len && n && i < CRV_MEASURE_DEVICES; i++) {
    const struct crv_measure_device *d = run->facts->devices[i];
    if (!d) continue;
    if (d->uuid && crv_mspan_is(uuid, d->uuid)) return i;
    n--;
  }
  return -1;
}

void crv_mdevice_name(struct crv_mrun *run, struct crv_measure_device *d, struct crv_mspan name) {
  name = crv_mtrim(name);
  if (!d || d->name || name.len == 0) return;
  d->name = crv_mcopy(run->a, name, 128);
  if (!d->name) run->failed = true;
  if (d->name && !*d->name) d->name = NULL; /* bad bytes alone leave nothing */
  d->name_cut =
      crv_mspan_find(name, "...") != SIZE_MAX || crv_mspan_find(name, "\xE2\x80\xA6") != SIZE_MAX;
  if (d->name_cut) crv_mnote(run, CRV_MN_NAME_CUT);
}

/* "0.9" and "0.90" */
static bool same_number(struct crv_mspan a, const char *b) {
  struct crv_mnumber x, y;
  int64_t v, w;
  return crv_mnumber_only(a, &x) && crv_mnumber_only((struct crv_mspan){b, strlen(b)}, &y) &&
         crv_mnumber_micro(&x, &v) && crv_mnumber_micro(&y, &w) && v == w;
}

void crv_msetting(struct crv_mrun *run, const char *name, struct crv_mspan value) {
  struct crv_mfacts *k = run->facts;
  while (value.len && strchr(".:'\"`", value.s[value.len - 1])) value.len--;
  if (value.len == 0 || run->failed) return;
  if (value.len > 128) value.len = 128;
  for (size_t i = 0; i < k->n_settings; i++) {
    const char *old = k->settings[i].value;
    if (strcmp(k->settings[i].name, name) != 0) continue;
    if (!crv_mspan_is(value, old) && !same_number(value, old))
      crv_mnote_say(run, CRV_MN_SETTING_DIFFERS, "%s is %s and later %.*s; the first is kept.",
                    name, old, (int)value.len, value.s);
    return;
  }
  if (k->n_settings == CRV_MSETTINGS) return;
  const char *text = crv_mcopy(run->a, value, 128);
  if (!text)
    run->failed = true;
  else if (*text)
    k->settings[k->n_settings++] = (struct crv_pair){name, text, CRV_PAIR_TEXT};
}

void crv_msetting_once(struct crv_mrun *run, const char *name, struct crv_mspan value) {
  if (run->failed || value.len == 0 || !*name || run->facts->n_settings == CRV_MSETTINGS) return;
  struct crv_mspan old = crv_msetting_of(run, name);
  const char *kept = old.len ? name : crv_mcopy(run->a, (struct crv_mspan){name, strlen(name)}, 63);
  if (!kept)
    run->failed = true;
  else if (*kept)
    crv_msetting(run, kept, value);
}

struct crv_mspan crv_msetting_of(const struct crv_mrun *run, const char *name) {
  const struct crv_mfacts *k = run->facts;
  for (size_t i = 0; i < k->n_settings; i++)
    if (strcmp(k->settings[i].name, name) == 0)
      return (struct crv_mspan){k->settings[i].value, strlen(k->settings[i].value)};
  return (struct crv_mspan){"", 0};
}

bool crv_msetting_int(const struct crv_mrun *run, const char *name, int64_t *ret) {
  return crv_mint(crv_msetting_of(run, name), ret);
}

void crv_mphase(struct crv_mrun *run, const char *phase) {
  struct crv_mfacts *k = run->facts;
  for (size_t i = 0; i < k->n_phases; i++)
    if (strcmp(k->phases[i], phase) == 0) return;
  if (k->n_phases < CRV_MPHASES) k->phases[k->n_phases++] = phase;
}

void crv_mengine(struct crv_mrun *run, const char *name, struct crv_mspan version) {
  if (run->ret->engine || run->failed) return;
  if (version.len && version.s[0] == 'v') version = crv_mspan_from(version, 1);
  const char *text = crv_mcopy(run->a, version, 64);
  if (text && *text)
    run->ret->engine = crv_arena_printf(run->a, "%s %s", name, text);
  else if (text)
    run->ret->engine = name;
  if (!run->ret->engine) run->failed = true;
}

void crv_msmallest(struct crv_opt_int *keep, int64_t v) {
  if (!keep->set || v < keep->v) *keep = (struct crv_opt_int){v, true};
}

/* -- whose line it is ----------------------------------------------------------------------------
 */

static bool word_char(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
}

/* A whole number after the word, with one of the separators between; at most four digits. */
static struct crv_opt_int number_after(struct crv_mspan s, const char *word, const char *seps) {
  struct crv_opt_int none = {0, false};
  size_t at = 0, n = strlen(word), from = 0, digits = 0;
  while ((at = crv_mspan_find_nocase(crv_mspan_from(s, from), word)) != SIZE_MAX) {
    at += from;
    struct crv_mspan rest = crv_mspan_from(s, at + n);
    bool starts = at == 0 || !word_char(s.s[at - 1]);
    if (rest.len && strchr(seps, rest.s[0])) rest = crv_mspan_from(rest, 1);
    for (digits = 0; digits < rest.len && rest.s[digits] >= '0' && rest.s[digits] <= '9';) digits++;
    bool ends = digits == rest.len || !(word_char(rest.s[digits]) || rest.s[digits] == '.');
    int64_t v;
    if (starts && ends && digits <= 4 && crv_mint((struct crv_mspan){rest.s, digits}, &v))
      return (struct crv_opt_int){v, true};
    from = at + n;
  }
  return none;
}

struct crv_opt_int crv_mrank(struct crv_mspan line) {
  size_t n = 0;
  while (n < line.len && line.s[n] != '\n' && line.s[n] != '\r') n++;
  line.len = n;
  struct crv_opt_int r = number_after(line, "rank", " =:_");
  if (!r.set) r = number_after(line, "TP", "=:_");
  return r.set ? r : number_after(line, "[default", "");
}

struct crv_opt_int crv_mdevice_of(struct crv_mspan line) {
  struct crv_opt_int d = number_after(line, "cuda:", "");
  if (!d.set) d = number_after(line, "GPU", " :_#");
  return d.set ? d : number_after(line, "device", " :_=");
}

/* -- settings by name ----------------------------------------------------------------------------
 */

/* Length of the name at s, "-" standing for "_"; 0: another word. */
static size_t name_at(struct crv_mspan s, const char *name) {
  size_t n = strlen(name);
  if (s.len < n) return 0;
  for (size_t i = 0; i < n; i++)
    if (s.s[i] != name[i] && !(s.s[i] == '-' && name[i] == '_')) return 0;
  return n;
}

/* The value after a name: "=", ":" or, after "--", a blank. len 0: none. */
static struct crv_mspan value_at(struct crv_mspan s, bool option) {
  struct crv_mspan none = {s.s, 0};
  size_t i = 0;
  while (i < s.len && strchr("'\"`", s.s[i])) i++;
  size_t blank = i;
  while (i < s.len && s.s[i] == ' ') i++;
  if (i < s.len && (s.s[i] == '=' || s.s[i] == ':'))
    i++;
  else if (!option || i == blank)
    return none;
  while (i < s.len && i < 64 && strchr(" '\"", s.s[i])) i++;
  size_t from = i;
  while (i < s.len && i - from < 128 && !strchr(" ,;)}]'\"`\t\r\n", s.s[i])) i++;
  return (struct crv_mspan){s.s + from, i - from};
}

void crv_msettings_find(struct crv_mrun *run, const char *const *names, size_t n) {
  const struct crv_mtext *t = &run->text;
  bool first[256] = {false};
  for (size_t i = 0; i < n; i++) first[(unsigned char)names[i][0]] = true;
  run->line = 1;
  for (size_t at = 0; at < t->len; at++) {
    if (t->s[at] == '\n') run->line++;
    if (!first[(unsigned char)t->s[at]] ||
        (at > 0 && (word_char(t->s[at - 1]) || t->s[at - 1] == '_')))
      continue;
    size_t left = t->len - at;
    struct crv_mspan s = {t->s + at, left < 256 ? left : 256};
    bool option = at >= 2 && t->s[at - 1] == '-' && t->s[at - 2] == '-';
    for (size_t i = 0; i < n; i++) {
      size_t len = name_at(s, names[i]);
      if (len) crv_msetting(run, names[i], value_at(crv_mspan_from(s, len), option));
    }
  }
}

/* -- the end -------------------------------------------------------------------------------------
 */

static int by_line(const void *a, const void *b) {
  const struct crv_measure_fact *x = a, *y = b;
  return (x->line > y->line) - (x->line < y->line);
}

static int note_by_line(const void *a, const void *b) {
  const struct crv_measure_note *x = a, *y = b;
  if (x->line != y->line) return x->line < y->line ? -1 : 1;
  return strcmp(x->code, y->code);
}

/* Insertion keeps the order of one line; the facts come nearly sorted, except those derived or
   closed at the end. */
static void sort_facts(struct crv_measure_fact *f, size_t n) {
  bool sorted = true;
  for (size_t i = 1; i < n; i++) sorted &= f[i - 1].line <= f[i].line;
  if (sorted) return;
  for (size_t i = 1; i < n && n <= 512; i++) {
    struct crv_measure_fact x = f[i];
    size_t k = i;
    for (; k > 0 && f[k - 1].line > x.line; k--) f[k] = f[k - 1];
    f[k] = x;
  }
  if (n > 512) qsort(f, n, sizeof *f, by_line);
}

static void name_model(struct crv_mrun *run, struct crv_measure_device *d) {
  const struct crv_device_model *found[8];
  struct crv_nominal size = {.set = false};
  if (!d->name || d->name_cut) return;
  if (d->total_bytes.set)
    size = (struct crv_nominal){true, d->total_bytes.v / CRV_MIB * CRV_MICRO, "MiB"};
  size_t n = crv_device_resolve(d->name, &size, found);
  if (n == 1) d->model = found[0]->model;
  if (n < 2) return;
  const char **at = crv_new_array(run->a, n, const char *);
  if (!at) {
    run->failed = true;
    return;
  }
  for (size_t i = 0; i < n; i++) at[i] = found[i]->model;
  d->candidates = (struct crv_list){n, at};
}

static void finish_devices(struct crv_mrun *run) {
  struct crv_mfacts *k = run->facts;
  struct crv_measure_device *at = crv_new_array(run->a, k->n_devices, struct crv_measure_device);
  size_t n = 0;
  bool unequal = false;
  if (!at) {
    run->failed = true;
    return;
  }
  for (size_t i = 0; i < CRV_MEASURE_DEVICES; i++) {
    if (!k->devices[i]) continue;
    name_model(run, k->devices[i]);
    at[n++] = *k->devices[i];
    const struct crv_measure_device *a = &at[0], *b = &at[n - 1];
    unequal |= a->total_bytes.set && b->total_bytes.set && a->total_bytes.v != b->total_bytes.v;
    unequal |= a->name && b->name && !a->name_cut && !b->name_cut && strcmp(a->name, b->name) != 0;
  }
  if (unequal) crv_mnote(run, CRV_MN_UNEQUAL_DEVICES);
  run->ret->devices = (struct crv_list){n, at};
}

void crv_mrun_finish(struct crv_mrun *run) {
  struct crv_mfacts *k = run->facts;
  run->line = 0;
  finish_devices(run);
  if (run->ret->more_facts) crv_mnote(run, CRV_MN_MORE);
  if (k->n) sort_facts(k->at, k->n);
  qsort(k->notes, k->n_notes, sizeof *k->notes, note_by_line);
  run->ret->facts = (struct crv_list){k->n, k->at};
  run->ret->notes = (struct crv_list){k->n_notes, k->notes};
  run->ret->settings = (struct crv_list){k->n_settings, k->settings};
  run->ret->phases = (struct crv_list){k->n_phases, k->phases};
}
