/* What a text is about (wordings.def): which failure, on which backend, of which engine, and what
   it tells of the job. Must not know: figures, phases, causes. */
#include <string.h>

#include "core/evidence/diagnose_internal.h"

static const struct wording {
  enum crv_dx_effect effect;
  enum crv_dx_trait trait;
  const char *backend, *engine, *pattern;
} wordings[] = {
#define X(effect, trait, backend, engine, pattern) \
  {CRV_DE_##effect, CRV_DT_##trait, backend, engine, pattern},
#include "core/evidence/wordings.def"
#undef X
};
enum { N_WORDINGS = sizeof wordings / sizeof *wordings };

static const char *pattern(size_t i) {
  return i < N_WORDINGS ? wordings[i].pattern : NULL;
}

const char *crv_dx_wording_engine(size_t i) {
  return i < N_WORDINGS ? wordings[i].engine : NULL;
}

/* "Killed" is the shell's word only where it ends a line and nothing but the shell's own
   "script.sh: line 12: 1234" stands before it. */
static bool is_shell_line(const struct crv_flat *f, size_t at, size_t end) {
  size_t from = crv_flat_raw(f, at), to = crv_flat_raw(f, end - 1) + 1, n = 0;
  while (to < f->raw_len && n < 8 && (f->raw[to] == ' ' || f->raw[to] == '\r')) to++, n++;
  bool ends = to >= f->raw_len || f->raw[to] == '\n' || n >= 2;
  for (n = 0; from > 0 && n < 80 && f->raw[from - 1] == ' '; n++) from--;
  if (from == 0 || f->raw[from - 1] == '\n') return ends;
  char before = f->raw[from - 1];
  return ends && ((before >= '0' && before <= '9') || before == ':');
}

static void set_mark(struct crv_dx *d, const struct wording *w, size_t at) {
  struct crv_dx_mark *m = &d->mark[w->effect];
  if (!m->set) *m = (struct crv_dx_mark){.set = true, .at = at};
  if (!m->backend && *w->backend) m->backend = w->backend;
  if (!m->engine && *w->engine) m->engine = w->engine;
}

/* "vllm 0.8.5", "vllm==0.8.5", "vllm-0.8.5": two points at least, or it is no version. */
static void read_version(struct crv_dx *d, size_t end) {
  const struct crv_flat *f = d->flat;
  size_t i = end, n = 0, dots = 0;
  while (i < f->n && i < end + 3 && strchr("=-:v/(", f->s[i])) i++;
  while (i + n < f->n && n + 1 < sizeof d->engine_version) {
    char c = f->s[i + n];
    if (c == '.')
      dots++;
    else if (c < '0' || c > '9')
      break;
    n++;
  }
  while (n && f->s[i + n - 1] == '.') n--, dots--;
  if (n == 0 || dots < 2 || dots > 3) return;
  memcpy(d->engine_version, f->s + i, n);
  d->engine_version[n] = '\0';
}

static void set_engine(struct crv_dx *d, size_t i, size_t at, size_t end) {
  bool same =
      d->engine_row != SIZE_MAX && !strcmp(wordings[d->engine_row].engine, wordings[i].engine);
  if (i < d->engine_row) {
    d->engine_row = i;
    d->mark[CRV_DE_ENGINE] =
        (struct crv_dx_mark){.set = true, .at = at, .engine = wordings[i].engine};
    if (!same) d->engine_version[0] = '\0';
    same = true;
  }
  if (same && !d->engine_version[0]) read_version(d, end);
}

static void hit(struct crv_dx *d, size_t i, size_t at, size_t end) {
  const struct wording *w = &wordings[i];
  if (w->effect == CRV_DE_TRACEBACK) {
    crv_dx_frames_reset(d);
    return;
  }
  if (w->trait == CRV_DT_WHOLE_LINE && !is_shell_line(d->flat, at, end)) return;
  if (w->effect == CRV_DE_ENGINE) {
    set_engine(d, i, at, end);
    return;
  }
  (d->in_context ? d->context_trait : d->trait)[w->trait] = true;
  if (w->trait == CRV_DT_BUFFER_LIMIT) d->trait[CRV_DT_UNIFIED] = true;
  if (d->in_context || w->effect == CRV_DE_TRAIT) return;
  set_mark(d, w, at);
  if (w->effect != CRV_DE_DEVICE) return;
  crv_dx_split_at(&d->by_word);
  crv_dx_message_start(d, at);
}

const struct crv_dx_table crv_dx_wordings = {pattern, hit};
