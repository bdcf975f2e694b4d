/* Findings of an import: the closed list of codes, the findings of one row, and how rows become the
   result: offers by row, the first findings by row and a count of the rest.
   Must not know: which source the rows came from. */
#include <string.h>

#include "core/base/text.h"
#include "core/catalogue/import_internal.h"

const struct crv_import_code crv_import_codes[] = {
#define X(name, code, field, effect, doc) {code, field, effect, doc},
#include "import_codes.def"
#undef X
};
const size_t crv_n_import_codes = sizeof crv_import_codes / sizeof *crv_import_codes;

enum {
  SHOWN = 160,         /* bytes of a cell in a finding */
  OFFER_FINDINGS = 64, /* as many as an offer's field table takes */
};

bool crv_import_oom(struct crv_err *err) {
  return crv_fail(err, CRV_OUT_OF_MEMORY, "The import does not fit into memory.");
}

/* Length of a prefix of whole UTF-8 sequences, at most room bytes. */
static size_t fitting(const char *s, size_t len, size_t room) {
  size_t at = 0;
  while (at < len) {
    size_t n = crv_utf8_seq(s + at, len - at);
    if (!n) n = 1;
    if (at + n > room) break;
    at += n;
  }
  return at;
}

/* A cell's text as a finding shows it: bounded, on one line, without control characters. */
static const char *copy(struct crv_ifindings *fs, const char *s) {
  if (!s) return NULL;
  size_t len = strlen(s), keep = fitting(s, len, SHOWN);
  char *ret = !len         ? crv_arena_strdup(fs->a, "blank")
              : keep < len ? crv_arena_printf(fs->a, "%.*s...", (int)keep, s)
                           : crv_arena_strndup(fs->a, s, len);
  if (!ret) {
    fs->failed = true;
    return NULL;
  }
  crv_text_repair(ret);
  for (unsigned char *u = (unsigned char *)ret; *u; u++) {
    if (*u < 0x20 || *u == 0x7F) *u = ' ';
    if (*u == 0xC2 && u[1] >= 0x80 && u[1] <= 0x9F) u[0] = u[1] = ' '; /* C1 */
  }
  return ret;
}

void crv_ifind_as(struct crv_ifindings *fs, enum crv_icode code, const char *column, const char *v0,
                  const char *v1, const char *field, const char *effect) {
  struct crv_ifinding *n = crv_new(fs->a, struct crv_ifinding);
  if (!n) {
    fs->failed = true;
    return;
  }
  n->plans = fs->plans;
  n->f.row = fs->row;
  n->f.code = crv_import_codes[code].code;
  n->f.column = copy(fs, column);
  n->f.value[0] = copy(fs, v0);
  n->f.value[1] = copy(fs, v1);
  n->f.field = field;
  n->f.effect = copy(fs, effect);
  if (fs->last)
    fs->last->next = n;
  else
    fs->first = n;
  fs->last = n;
}

void crv_ifind(struct crv_ifindings *fs, enum crv_icode code, const char *column, const char *v0,
               const char *v1) {
  const struct crv_import_code *c = &crv_import_codes[code];
  crv_ifind_as(fs, code, column, v0, v1, c->field, c->effect);
}

bool crv_ifound(const struct crv_ifindings *fs, enum crv_icode code) {
  for (const struct crv_ifinding *f = fs->first; f; f = f->next)
    if (crv_streq(f->f.code, crv_import_codes[code].code)) return true;
  return false;
}

void *crv_irow_new(struct crv_irun *run, int64_t row, size_t size) {
  struct crv_irow *r = crv_arena_alloc(run->a, size);
  if (!r) return NULL;
  r->findings.a = run->a;
  r->findings.row = row;
  if (run->last)
    run->last->next = r;
  else
    run->first = r;
  run->last = r;
  run->n_rows++;
  return r;
}

bool crv_irow_refuse(struct crv_irun *run, int64_t row, enum crv_icode code, const char *column,
                     const char *v0, const char *v1) {
  run->ret->refused++;
  if (run->bad >= CRV_IMPORT_FINDINGS) { /* noise must not fill memory: the rest is only counted */
    run->ret->more_findings++;
    return true;
  }
  run->bad++;
  struct crv_irow *r = crv_irow_new(run, row, sizeof *r);
  if (!r) return false;
  crv_ifind(&r->findings, code, column, v0, v1);
  return !r->findings.failed;
}

static const char *detail(struct crv_arena *a, const struct crv_row_finding *f) {
  const char *v0 = f->value[0], *v1 = f->value[1];
  if (v0 && v1) return crv_arena_printf(a, "%s against %s: %s", v0, v1, f->effect);
  if (v0) return crv_arena_printf(a, "%s: %s", v0, f->effect);
  return f->effect;
}

static bool touches(const struct crv_ifinding *f, unsigned plan) {
  return f->f.field && (!f->plans || (f->plans & 1u << plan));
}

static bool attach_to(struct crv_arena *a, const struct crv_irow *r, size_t o) {
  struct crv_list *list = &r->offers[o].offer->findings;
  size_t n = 0;
  for (const struct crv_ifinding *f = r->findings.first; f; f = f->next)
    n += touches(f, r->plan[o]);
  if (!n) return true;
  struct crv_import_finding *at = crv_new_array(a, list->n + n, struct crv_import_finding);
  if (!at) return false;
  if (list->n) memcpy(at, list->at, list->n * sizeof *at); /* those that the document states */
  *list = (struct crv_list){list->n, at};
  for (const struct crv_ifinding *f = r->findings.first; f; f = f->next) {
    if (!touches(f, r->plan[o]) || list->n >= OFFER_FINDINGS) continue;
    at[list->n] = (struct crv_import_finding){f->f.field, f->f.code, detail(a, &f->f)};
    if (!at[list->n++].detail) return false;
  }
  return true;
}

bool crv_irow_attach(struct crv_arena *a, struct crv_irow *r) {
  if (r->findings.failed) return false;
  for (size_t o = 0; o < r->n_offers; o++)
    if (!attach_to(a, r, o)) return false;
  return true;
}

static void count(const struct crv_irun *run, size_t *offers, size_t *findings, bool *failed) {
  *offers = *findings = 0;
  *failed = false;
  for (const struct crv_irow *r = run->first; r; r = r->next) {
    *offers += r->n_offers;
    for (const struct crv_ifinding *f = r->findings.first; f; f = f->next) (*findings)++;
    *failed = *failed || r->findings.failed;
  }
}

bool crv_irun_finish(struct crv_irun *run, struct crv_err *err) {
  size_t offers, findings;
  bool failed;
  count(run, &offers, &findings, &failed);
  size_t keep = findings < CRV_IMPORT_FINDINGS ? findings : CRV_IMPORT_FINDINGS;
  struct crv_import_offer *o = crv_new_array(run->a, offers, struct crv_import_offer);
  struct crv_row_finding *f = crv_new_array(run->a, keep, struct crv_row_finding);
  if (failed || !o || !f) return crv_import_oom(err);
  size_t no = 0, nf = 0;
  for (const struct crv_irow *r = run->first; r; r = r->next) {
    for (size_t i = 0; i < r->n_offers; i++) o[no++] = r->offers[i];
    for (const struct crv_ifinding *n = r->findings.first; n && nf < keep; n = n->next)
      f[nf++] = n->f;
  }
  run->ret->offers = (struct crv_list){no, o};
  run->ret->findings = (struct crv_list){nf, f};
  run->ret->more_findings += (int64_t)(findings - keep);
  return true;
}
