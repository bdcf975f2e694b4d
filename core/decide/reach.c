/* What a question touches: the offers that pass its filter, and the pieces that would be considered
   for one of them and whose kind can prove a criterion that the sheet makes active. Wider than one
   evaluation rather than narrower: it decides what makes an answer stale.
   Must not know: verdicts. */
#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/decide/result.h"

/* Texts, sorted once filled. */
struct set {
  const char **at;
  size_t n, cap;
};

struct crv_reach {
  const struct crv_question *q;
  const struct crv_evidence *evidence;
  struct crv_arena *a;
  bool failed;
  struct set keys, suppliers, refs, devices, architectures, currencies, sources, cited;
};

static void add(struct crv_reach *r, struct set *s, const char *text) {
  if (!text) return;
  if (s->n && !strcmp(s->at[s->n - 1], text)) return;
  if (s->n == s->cap) {
    size_t cap = s->cap ? s->cap * 2 : 64;
    const char **grown = crv_new_array(r->a, cap, const char *);
    if (!grown) {
      r->failed = true;
      return;
    }
    if (s->n) memcpy(grown, s->at, s->n * sizeof *grown);
    s->at = grown;
    s->cap = cap;
  }
  s->at[s->n++] = text;
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static void seal(struct set *s) {
  size_t kept = 0;
  if (s->n) qsort(s->at, s->n, sizeof *s->at, by_text);
  for (size_t i = 0; i < s->n; i++)
    if (kept == 0 || strcmp(s->at[kept - 1], s->at[i]) != 0) s->at[kept++] = s->at[i];
  s->n = kept;
}

/* "*" claims every value. */
static bool has(const struct set *s, const char *text) {
  if (!text || s->n == 0) return false;
  return !strcmp(text, "*") || bsearch(&text, s->at, s->n, sizeof *s->at, by_text) != NULL;
}

/* -- filling --------------------------------------------------------------------------------------
 */

/* An architecture is compared without regard to case. */
static void fold(const char *text, char out[80]) {
  size_t n = 0;
  for (; text[n] && n + 1 < 80; n++) out[n] = (char)tolower((unsigned char)text[n]);
  out[n] = '\0';
}

static void add_architecture(struct crv_reach *r, const char *text) {
  char folded[80];
  if (!text) return;
  fold(text, folded);
  struct set *s = &r->architectures;
  if (s->n && !strcmp(s->at[s->n - 1], folded)) return;
  const char *kept = crv_arena_strdup(r->a, folded);
  if (kept)
    add(r, s, kept);
  else
    r->failed = true;
}

static void add_model(struct crv_reach *r, const char *model) {
  const struct crv_device_model *m = model ? crv_device_model(model) : NULL;
  add(r, &r->devices, model);
  if (m) add_architecture(r, m->architecture);
}

static void add_device(struct crv_reach *r, const struct crv_device *d) {
  const struct crv_device_model *found[8];
  if (!d) return;
  add_architecture(r, d->architecture);
  add_model(r, d->model);
  for (size_t i = 0; i < d->candidates.n; i++)
    add_model(r, *crv_list_at(d->candidates, const char *, i));
  if (d->model || d->candidates.n || !d->name) return;
  size_t n = crv_device_resolve(d->name, &d->memory_nominal, found);
  for (size_t i = 0; i < n; i++) add_model(r, found[i]->model);
}

static void add_offer(struct crv_reach *r, const struct crv_offer_rec *rec) {
  const struct crv_offer *o = rec->offer;
  add(r, &r->keys, rec->key);
  add(r, &r->suppliers, o->supplier);
  add(r, &r->refs, o->supplier_ref);
  add_device(r, o->device);
  if (o->price) add(r, &r->currencies, o->price->currency);
  if (!rec->source_key) return;
  const char *ref =
      crv_arena_printf(r->a, "%s@%lld", rec->source_key, (long long)rec->source_version);
  if (!ref) r->failed = true;
  add(r, &r->sources, rec->source_key);
  add(r, &r->cited, ref);
}

struct crv_reach *crv_reach_new(const struct crv_question *q, const struct crv_catalogue *catalogue,
                                const struct crv_evidence *evidence, struct crv_arena *a) {
  struct crv_reach *r = crv_new(a, struct crv_reach);
  if (!r) return NULL;
  r->q = q;
  r->evidence = evidence;
  r->a = a;
  for (size_t i = 0; i < catalogue->n; i++) {
    const struct crv_offer_rec *rec = catalogue->recs[i];
    if (rec->seq <= q->catalogue_position && rec->offer && crv_filter_passes(&q->filter, rec))
      add_offer(r, rec);
  }
  struct set *all[] = {&r->keys,          &r->suppliers,  &r->refs,    &r->devices,
                       &r->architectures, &r->currencies, &r->sources, &r->cited};
  for (size_t i = 0; i < sizeof all / sizeof *all; i++) seal(all[i]);
  return r->failed ? NULL : r;
}

bool crv_reach_offer(const struct crv_reach *r, const char *key) {
  return has(&r->keys, key);
}

bool crv_reach_cites(const struct crv_reach *r, const struct crv_piece_rec *rec) {
  return has(&r->cited, rec->ref);
}

/* -- pieces ---------------------------------------------------------------------------------------
 */

/* Not another value than the wanted one: an omission may yet be stated, "*" claims all. */
static bool may_be(const char *stated, const char *wanted) {
  return !stated || !wanted || !strcmp(stated, "*") || !strcmp(stated, wanted);
}

static bool about_offers(const struct crv_reach *r, const struct crv_scope *s) {
  return has(&r->keys, s->offer) || has(&r->refs, s->supplier_ref) || has(&r->devices, s->device) ||
         (!s->offer && !s->supplier_ref && !s->device && has(&r->suppliers, s->supplier));
}

static bool about_load(const struct crv_reach *r, const struct crv_scope *s) {
  const struct crv_sheet *sheet = r->q->sheet;
  const char *model = sheet->model ? sheet->model->name : NULL;
  const char *application = sheet->scene ? sheet->scene->application : NULL;
  if (s->task && s->task != sheet->task) return false;
  return may_be(s->model ? s->model->name : NULL, model) && may_be(s->application, application);
}

/* A run of this load on a card that nobody offers still gives the outlook its best figure. */
static bool touches_run(const struct crv_reach *r, const struct crv_scope *s) {
  const struct crv_model *m = r->q->sheet->model;
  const struct crv_scene *scene = r->q->sheet->scene;
  bool same = m && m->name && s->model && crv_streq(s->model->name, m->name);
  same |= scene && scene->application && crv_streq(s->application, scene->application);
  return about_load(r, s) && (same || about_offers(r, s));
}

static bool touches_quality(const struct crv_reach *r, const struct crv_piece *p) {
  const struct crv_sheet *sheet = r->q->sheet;
  const char *metric = p->result && p->result->metric ? p->result->metric : p->scope->metric;
  if (sheet->quality_waived || !about_load(r, p->scope)) return false;
  for (size_t i = 0; i < sheet->quality.n; i++)
    if (may_be(metric, crv_list_at(sheet->quality, struct crv_quality, i)->metric)) return true;
  return false;
}

static bool touches_rate(const struct crv_reach *r, const struct crv_piece_rec *rec) {
  const struct crv_campaign *k = r->q->sheet->campaign;
  const struct crv_scope *s = rec->piece->scope;
  if (!k || !k->currency || !s->from || !s->to) return false;
  bool listed = k->rates.n == 0;
  for (size_t i = 0; i < k->rates.n && !listed; i++)
    listed = !strcmp(*crv_list_at(k->rates, const char *, i), rec->key);
  return listed && ((!strcmp(s->to, k->currency) && has(&r->currencies, s->from)) ||
                    (!strcmp(s->from, k->currency) && has(&r->currencies, s->to)));
}

static bool touches_support(const struct crv_reach *r, const struct crv_scope *s) {
  const struct crv_sheet *sheet = r->q->sheet;
  if (!crv_task_has_model(sheet->task) && !sheet->software) return false;
  char folded[80];
  if (!s->architecture) return true;
  fold(s->architecture, folded);
  return has(&r->architectures, folded);
}

static bool touches(const struct crv_reach *r, const struct crv_piece_rec *rec) {
  const struct crv_piece *p = rec->piece;
  if (!p->scope) return false;
  switch (p->kind) {
  case CRV_KIND_PROTOCOL_RUN:
  case CRV_KIND_FAILURE_REPORT:
    return touches_run(r, p->scope);
  case CRV_KIND_QUALITY_EVALUATION:
    return touches_quality(r, p);
  case CRV_KIND_EXCHANGE_RATE:
    return touches_rate(r, rec);
  case CRV_KIND_VENDOR_DOCUMENTATION:
    return touches_support(r, p->scope);
  case CRV_KIND_DELIVERY_COMMITMENT:
    return has(&r->keys, p->scope->offer);
  case CRV_KIND_COMMERCIAL_SHEET:
  case CRV_KIND_CATALOGUE_IMPORT:
  case CRV_KIND_DEVICE_REPORT:
    return about_offers(r, p->scope);
  case CRV_KIND_ORDER_PREFERENCE: /* these prove nothing, whomever they name */
  case CRV_KIND_STOCK_DECLARATION:
  case CRV_KIND_NONE:
  case CRV_KIND_COUNT:
  default:
    return false;
  }
}

bool crv_reach_piece(const struct crv_reach *r, const struct crv_piece_rec *rec) {
  if (has(&r->sources, rec->key) || touches(r, rec)) return true;
  if (rec->version > 1) { /* a new version may have left the scope of the one before */
    const struct crv_piece_rec *before =
        crv_evidence_find(r->evidence, rec->key, rec->version - 1, INT64_MAX);
    if (before && touches(r, before)) return true;
  }
  for (size_t i = 0; i < rec->piece->supersedes.n; i++) {
    const char *key = *crv_list_at(rec->piece->supersedes, const char *, i);
    const struct crv_piece_rec *old = crv_evidence_find(r->evidence, key, 0, INT64_MAX);
    if (has(&r->sources, key) || (old && touches(r, old))) return true;
  }
  return false;
}
