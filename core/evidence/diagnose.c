/* The diagnosis of one text, from beginning to end. Must not know: JSON, HTTP. */
#include "core/evidence/diagnose.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/evidence/diagnose_internal.h"

bool crv_dx_no_memory(struct crv_dx *d) {
  if (!d->failed) crv_fail(d->err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  d->failed = true;
  return false;
}

const char *crv_dx_text(struct crv_dx *d, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  int n = vsnprintf(NULL, 0, fmt, ap);
  va_end(ap);
  char *s = n < 0 ? NULL : crv_arena_alloc(d->a, (size_t)n + 1);
  if (!s) {
    crv_dx_no_memory(d);
    return NULL;
  }
  va_start(ap, fmt);
  vsnprintf(s, (size_t)n + 1, fmt, ap);
  va_end(ap);
  return s;
}

/* The engine that is named, else the one whose wording it is. Every message of torch's allocator
   names PyTorch, whatever runs on it. */
static void name_software(struct crv_dx *d) {
  static const enum crv_dx_effect effects[] = {CRV_DE_DEVICE, CRV_DE_BUDGET, CRV_DE_HOST,
                                               CRV_DE_ELSE};
  const char *engine = d->mark[CRV_DE_ENGINE].engine;
  bool plain = !engine || !strcmp(engine, "torch");
  for (size_t i = 0; i < sizeof effects / sizeof *effects; i++) {
    const struct crv_dx_mark *m = &d->mark[effects[i]];
    if (!d->ret->backend) d->ret->backend = m->backend;
    if (!plain || !m->engine) continue;
    engine = m->engine;
    plain = false;
  }
  d->ret->engine = engine;
  if (d->engine_version[0]) d->ret->engine_version = crv_dx_text(d, "%s", d->engine_version);
}

static bool conclude(struct crv_dx *d) {
  const struct crv_dx_message *m = crv_dx_first(d);
  name_software(d);
  if (m) {
    d->ret->gpu_index = m->device;
    d->ret->rank = m->rank;
  }
  if (!crv_dx_list_figures(d) || !crv_dx_phase(d) || !crv_dx_job(d)) return false;
  if (!crv_dx_explain(d) || !crv_dx_derive(d)) return false;
  crv_dx_flags(d);
  return !d->failed && crv_dx_cause(d) && crv_dx_advice(d) && crv_dx_list_facts(d) &&
         crv_dx_draft(d);
}

static bool scan_context(struct crv_dx *d) {
  struct crv_flat flat;
  struct crv_flat *text = d->flat;
  if (!d->in->context || !d->in->context_len) return true;
  bool ok = crv_flat_make(d->in->context, d->in->context_len, &flat) || crv_dx_no_memory(d);
  ok = ok && crv_dx_scan(d, &flat, true);
  crv_flat_done(&flat);
  d->flat = text;
  d->in_context = false;
  return ok;
}

bool crv_diagnose_text(const struct crv_diagnose_in *in, struct crv_arena *a,
                       struct crv_diagnosis *ret, struct crv_err *err) {
  struct crv_flat flat;
  if (in->len > CRV_DIAGNOSE_MAX || in->context_len > CRV_DIAGNOSE_MAX)
    return crv_fail(err, CRV_TOO_LARGE, "A text of at most %d bytes is read.", CRV_DIAGNOSE_MAX);
  struct crv_dx *d = crv_new(a, struct crv_dx);
  if (!d) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  *ret = (struct crv_diagnosis){0};
  *d = (struct crv_dx){.in = in, .a = a, .err = err, .ret = ret, .engine_row = SIZE_MAX};
  bool ok = crv_flat_make(in->len ? in->text : "", in->len, &flat) || crv_dx_no_memory(d);
  ok = ok && crv_dx_scan(d, &flat, false) && scan_context(d) && conclude(d);
  crv_flat_done(&flat);
  return ok;
}

bool crv_diagnose(const char *text, size_t len, const struct crv_sheet *sheet,
                  const struct crv_budget *budget, struct crv_opt_int capacity_bytes,
                  struct crv_arena *a, struct crv_diagnosis *ret, struct crv_err *err) {
  const struct crv_diagnose_in in = {
      .text = text, .len = len, .sheet = sheet, .budget = budget, .capacity_bytes = capacity_bytes};
  return crv_diagnose_text(&in, a, ret, err);
}
