/* Changes to try one at a time, what does not help, what to provide: rows of advice.def chosen by
   phase, cause and engine. Which change cuts a dimension that the sheet demands is said.
   Must not know: how phase and cause came about. */
#include <string.h>

#include "core/base/text.h"
#include "core/evidence/diagnose_internal.h"

enum kind { TRY, ELSE, NOT, PROVIDE };
enum touch { NONE, LENGTH, CONCURRENCY, MICROBATCH, FORMAT, QUALITY };

static const struct row {
  enum kind kind;
  const char *phases, *causes, *engines, *text, *why, *verify;
  enum touch touches;
} rows[] = {
#define X(kind, phases, causes, engines, text, why, verify, touches) \
  {kind, phases, causes, engines, text, why, verify, touches},
#include "core/evidence/advice.def"
#undef X
};
enum { N_ROWS = sizeof rows / sizeof *rows };

bool crv_dx_advice_row(size_t i, const char *ret[5]) {
  if (i >= N_ROWS) return false;
  ret[0] = rows[i].phases;
  ret[1] = rows[i].causes;
  ret[2] = rows[i].engines;
  ret[3] = rows[i].text;
  ret[4] = rows[i].verify;
  return true;
}

static const struct {
  const char *name, *says;
} verifications[] = {
    {"peak", "peak of every phase on every device, at the largest input and concurrency"},
    {"quality", "quality on the evaluation set"},
    {"output", "outputs, compared with those before the change"},
    {"latency", "latency and throughput"},
    {"update", "that one update still sees as many samples (microbatch x accumulation x ranks)"},
    {"load", "loading on every rank, to its end"},
    {"export", "that the exported file loads and answers the same"},
    {"host", "host memory while loading, running and saving"},
    {"settings", "the settings that the engine printed at its start"},
};

/* Is one word of the list the name, or "*"? */
static bool lists(const char *list, const char *name) {
  while (*list) {
    size_t len = strcspn(list, "|");
    if (len == 1 && *list == '*') return true;
    if (name && strlen(name) == len && memcmp(list, name, len) == 0) return true;
    list += len;
    list += strspn(list, "|");
  }
  return false;
}

static bool applies(const struct crv_dx *d, const struct row *r) {
  const struct crv_diagnosis *ret = d->ret;
  return lists(r->phases, ret->phase) &&
         (lists(r->causes, ret->cause) || lists(r->causes, ret->detail)) &&
         lists(r->engines, ret->engine ? ret->engine : "none");
}

/* Halving the microbatch and doubling accumulation keeps the update. */
static enum crv_tri meets(const struct crv_dx *d, enum touch t) {
  const struct crv_sheet *s = d->in->sheet;
  if (!s) return CRV_UNSET;
  switch (t) {
  case LENGTH:
    return crv_sheet_length(s).set ? CRV_FALSE : CRV_UNSET;
  case CONCURRENCY:
    return s->concurrency.set ? CRV_FALSE : CRV_UNSET;
  case MICROBATCH:
    return s->microbatch.set ? CRV_TRUE : CRV_UNSET;
  case FORMAT:
    return s->precision && s->precision->weights ? CRV_FALSE : CRV_UNSET;
  case QUALITY:
    return s->adaptation && s->adaptation->method ? CRV_FALSE : CRV_UNSET;
  case NONE:
  default:
    return CRV_UNSET;
  }
}

static void add_verify(struct crv_diag_try *t, const char *list) {
  for (size_t i = 0; i < sizeof verifications / sizeof *verifications; i++)
    if (lists(list, verifications[i].name) && t->n_verify < 4)
      t->verify[t->n_verify++] = verifications[i].says;
}

struct lists {
  struct crv_diag_try *tries;
  const char **refused, **provide;
  size_t n_tries, n_not, n_provide;
};

static bool has(const char *const *at, size_t n, const char *text) {
  for (size_t i = 0; i < n; i++)
    if (!strcmp(at[i], text)) return true;
  return false;
}

static void take(const struct crv_dx *d, const struct row *r, const char *text, struct lists *l) {
  if (r->kind == NOT && !has(l->refused, l->n_not, text)) l->refused[l->n_not++] = text;
  if (r->kind == PROVIDE && !has(l->provide, l->n_provide, text)) l->provide[l->n_provide++] = text;
  if (r->kind != TRY && r->kind != ELSE) return;
  for (size_t i = 0; i < l->n_tries; i++)
    if (!strcmp(l->tries[i].change, text)) return;
  struct crv_diag_try *t = &l->tries[l->n_tries++];
  *t = (struct crv_diag_try){.change = text, .why = *r->why ? r->why : NULL};
  t->meets_sheet = meets(d, r->touches);
  add_verify(t, r->verify);
}

bool crv_dx_advice(struct crv_dx *d) {
  struct lists l = {
      .tries = crv_new_array(d->a, N_ROWS, struct crv_diag_try),
      .refused = crv_new_array(d->a, N_ROWS, const char *),
      .provide = crv_new_array(d->a, N_ROWS, const char *),
  };
  bool skipped = false;
  if (!l.tries || !l.refused || !l.provide) return crv_dx_no_memory(d);
  for (size_t i = 0; i < N_ROWS && !d->failed; i++) {
    const struct row *r = &rows[i];
    if (!applies(d, r) || (r->kind == ELSE && !skipped)) {
      if (r->kind != ELSE) skipped = false;
      continue;
    }
    const char *text = crv_dx_fill(d, r->text);
    skipped = !text && r->kind == TRY;
    if (text) take(d, r, text, &l);
  }
  d->ret->tries = (struct crv_list){l.n_tries, l.tries};
  d->ret->do_not = (struct crv_list){l.n_not, l.refused};
  d->ret->provide = (struct crv_list){l.n_provide, l.provide};
  return !d->failed;
}
