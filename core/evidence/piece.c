/* What a piece of each kind must state and what it cannot: the checks that the field tables cannot
   say of one field alone. Must not know: verdicts. */
#include "core/evidence/piece.h"

#include <stdio.h>
#include <string.h>

#include "core/base/text.h"
#include "core/evidence/kinds.h"
#include "core/evidence/piece_check.h"
#include "core/model/field.h"

/* -- one table --------------------------------------------------------------------------------- */

bool crv_piece_check_scope(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_scope *s = obj;
  bool ok = true;
  if (s->device && strcmp(s->device, "*") != 0)
    ok = crv_check_device_model(err, ptr, "device", s->device);
  if (s->from && crv_streq(s->from, s->to))
    ok = crv_refuse(err, ptr, "to", "conflict", NULL, "A rate is between two currencies.");
  if (s->strategy == CRV_STRATEGY_SINGLE && s->devices.set && s->devices.v > 1)
    ok = crv_refuse(err, ptr, "strategy", "conflict", NULL,
                    "`single` is for one device; this scope names more.");
  return ok;
}

#define PHASES \
  "loading, prefill, generation, forward, backward, optimizer_step, evaluation, " \
  "checkpoint_export, execution, export"

static bool is_phase(const char *s) {
  static const char *const phases[] = {
      "loading",        "prefill",    "generation",        "forward",   "backward",
      "optimizer_step", "evaluation", "checkpoint_export", "execution", "export",
  };
  for (size_t i = 0; i < sizeof phases / sizeof *phases; i++)
    if (strcmp(phases[i], s) == 0) return true;
  return false;
}

static bool check_phase(struct crv_err *err, const char *ptr, const char *below, const char *s) {
  if (!s || is_phase(s)) return true;
  return crv_refuse(err, ptr, below, "not_one_of", PHASES, "Expected the name of a phase.");
}

bool crv_piece_check_peak(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_peak *p = obj;
  bool sampled = p->kind == CRV_PEAK_SAMPLED;
  bool ok = check_phase(err, ptr, "phase", p->phase);
  if (sampled && !p->interval_ms.set)
    ok = crv_refuse(err, ptr, "interval_ms", "missing", NULL,
                    "A sampled peak needs the interval of its samples.");
  if (sampled && !p->samples.set)
    ok = crv_refuse(err, ptr, "samples", "missing", NULL, "A sampled peak needs their number.");
  if (sampled && p->samples.set && p->samples.v < 2)
    ok = crv_refuse(err, ptr, "samples", "out_of_range", "kind instant",
                    "One sample is a reading, not a sampled peak.");
  if (!sampled && (p->interval_ms.set || p->samples.set))
    ok = crv_refuse(err, ptr, "kind", "conflict", "sampled",
                    "Only a sampled peak has an interval and samples.");
  return ok;
}

static bool check_phases(struct crv_err *err, const char *ptr, const struct crv_list *phases) {
  bool ok = crv_check_distinct(err, ptr, "phases", phases);
  for (size_t i = 0; i < phases->n; i++) {
    char where[32];
    snprintf(where, sizeof where, "phases/%zu", i);
    ok &= check_phase(err, ptr, where, *crv_list_at(*phases, const char *, i));
  }
  return ok;
}

bool crv_piece_check_result(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_result *r = obj;
  bool ok = check_phases(err, ptr, &r->phases);
  if (r->phase && strcmp(r->phase, "undetermined") != 0)
    ok &= check_phase(err, ptr, "phase", r->phase);
  ok &= crv_check_distinct(err, ptr, "supports", &r->supports);
  ok &= crv_check_distinct(err, ptr, "unsupported", &r->unsupported);
  if (r->outcome == CRV_OUTCOME_FAILED && !r->cause)
    ok = crv_refuse(err, ptr, "cause", "missing", "undetermined when it is not known",
                    "A failure needs its cause.");
  if (r->outcome == CRV_OUTCOME_PASSED && r->cause)
    ok = crv_refuse(err, ptr, "cause", "conflict", "outcome failed",
                    "A run that passed has no cause of failure.");
  if (r->throughput.set && !r->throughput_unit)
    ok = crv_refuse(err, ptr, "throughput_unit", "missing", "such as tokens/s",
                    "`throughput` needs its unit.");
  if (r->date.set && r->lead_time_hours.set)
    ok = crv_refuse(err, ptr, "lead_time_hours", "conflict", NULL,
                    "Either `date` or `lead_time_hours`; got both.");
  return ok;
}

bool crv_piece_check_content(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_piece_content *c = obj;
  if (!c->sha256 || (strlen(c->sha256) == 64 && strspn(c->sha256, "0123456789abcdef") == 64))
    return true;
  return crv_refuse(err, ptr, "sha256", "bad_format", NULL,
                    "Expected 64 hexadecimal digits in lower case.");
}

/* -- by kind ------------------------------------------------------------------------------------
 */

/* Is the field at a dotted path stated? Any type of field. */
static bool is_stated(const struct crv_jspec *spec, const void *obj, const char *path, size_t len) {
  size_t n = 0;
  while (n < len && path[n] != '.') n++;
  for (const struct crv_jfield *f = spec->fields; obj && f->name; f++) {
    if (strlen(f->name) != n || strncmp(f->name, path, n) != 0) continue;
    if (!crv_field_is_set(f, obj)) return false;
    if (n == len) return true;
    const void *sub = *(const void *const *)(const void *)((const char *)obj + f->offset);
    return is_stated(f->sub, sub, path + n + 1, len - n - 1);
  }
  return false;
}

/* One word of a kind's needs: "a|b" is met by either. */
static bool check_need(const struct crv_jspec *spec, const void *obj, const char *word, size_t len,
                       const char *ptr, const char *kind, struct crv_err *err) {
  char where[64], hint[160];
  size_t first = 0, from = 0;
  for (size_t i = 0; i <= len; i++) {
    if (i < len && word[i] != '|') continue;
    if (is_stated(spec, obj, word + from, i - from)) return true;
    if (from == 0) first = i;
    from = i + 1;
  }
  snprintf(where, sizeof where, "%.*s", (int)first, word);
  snprintf(hint, sizeof hint, "%.*s", (int)len, word);
  for (char *s = where; *s; s++)
    if (*s == '.') *s = '/';
  return crv_refuse(err, ptr, where, "missing", first < len ? hint : NULL,
                    "A piece of kind %s needs %s%.*s.", kind, first < len ? "one of " : "",
                    (int)len, word);
}

static bool check_needs(const struct crv_jspec *spec, const void *obj, const char *needs,
                        const char *ptr, const char *kind, struct crv_err *err) {
  bool ok = true;
  while (*needs) {
    size_t len = strcspn(needs, " ");
    ok &= check_need(spec, obj, needs, len, ptr, kind, err);
    needs += len;
    needs += strspn(needs, " ");
  }
  return ok;
}

static bool check_belongs(const struct crv_piece *p, const char *ptr, struct crv_err *err) {
  const char *kind = crv_kind_info(p->kind)->name;
  bool ok = true;
  for (const struct crv_jfield *f = crv_result_spec.fields; f->name; f++) {
    char where[64];
    if (!crv_field_is_set(f, p->result) || crv_kind_has_result(p->kind, f->name)) continue;
    snprintf(where, sizeof where, "result/%.50s", f->name);
    ok = crv_refuse(err, ptr, where, "not_for_kind", NULL, "A piece of kind %s cannot state %s.",
                    kind, f->name);
  }
  return ok;
}

/* A preference or a declared stock proves nothing, so nothing hangs on when it was said. */
static bool needs_observed(enum crv_kind k) {
  return k != CRV_KIND_ORDER_PREFERENCE && k != CRV_KIND_STOCK_DECLARATION;
}

static bool check_times(const struct crv_piece *p, const char *ptr, struct crv_err *err) {
  if (!p->observed_at.set && needs_observed(p->kind))
    return crv_refuse(err, ptr, "observed_at", "missing", "such as 2026-11-30T10:00:00Z",
                      "A piece of kind %s needs when it was measured or read.",
                      crv_kind_info(p->kind)->name);
  if (p->observed_at.set && p->valid_until.set && p->valid_until.v <= p->observed_at.v)
    return crv_refuse(err, ptr, "valid_until", "out_of_range", NULL,
                      "`valid_until` is not after `observed_at`.");
  return true;
}

static bool check_supersedes(const struct crv_piece *p, const char *ptr, struct crv_err *err) {
  bool ok = crv_check_distinct(err, ptr, "supersedes", &p->supersedes);
  for (size_t i = 0; p->key && i < p->supersedes.n; i++) {
    char where[48];
    if (!crv_streq(p->key, *crv_list_at(p->supersedes, const char *, i))) continue;
    snprintf(where, sizeof where, "supersedes/%zu", i);
    ok = crv_refuse(err, ptr, where, "conflict", NULL,
                    "A new version supersedes the older one by itself.");
  }
  return ok;
}

bool crv_piece_check(const void *obj, const char *ptr, struct crv_err *err) {
  const struct crv_piece *p = obj;
  const struct crv_kind_info *kind = crv_kind_info(p->kind);
  char scope[160], result[160];
  snprintf(scope, sizeof scope, "%.140s/scope", ptr);
  snprintf(result, sizeof result, "%.140s/result", ptr);
  bool ok = check_times(p, ptr, err);
  ok &= check_supersedes(p, ptr, err);
  ok &= check_needs(&crv_scope_spec, p->scope, kind->scope_needed, scope, kind->name, err);
  if (!p->retracted)
    ok &= check_needs(&crv_result_spec, p->result, kind->result_needed, result, kind->name, err);
  if (p->result) ok &= check_belongs(p, ptr, err);
  if (p->kind == CRV_KIND_FAILURE_REPORT && p->result && p->result->outcome == CRV_OUTCOME_PASSED)
    ok = crv_refuse(err, ptr, "result/outcome", "conflict", "kind protocol_run",
                    "A failure_report reports a failure.");
  return ok;
}

bool crv_piece_decode(const json_t *j, const char *ptr, struct crv_arena *a, struct crv_piece **ret,
                      struct crv_err *err) {
  struct crv_piece *p = crv_new(a, struct crv_piece);
  if (!p) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  if (!crv_jspec_decode(&crv_piece_spec, j, ptr, a, p, err)) return false;
  *ret = p;
  return true;
}

static void override(struct crv_opt_int *dimension, struct crv_opt_int executed) {
  if (executed.set) *dimension = executed;
}

void crv_piece_executed(const struct crv_piece *p, struct crv_executed *ret) {
  const struct crv_scope *s = p->scope;
  const struct crv_executed *e = p->result ? p->result->executed : NULL;
  memset(ret, 0, sizeof *ret);
  if (s) *ret = (struct crv_executed){s->length, s->concurrency, s->microbatch, s->rank, s->jobs};
  if (s && !ret->rank.set && s->adaptation) ret->rank = s->adaptation->rank;
  if (!e) return;
  override(&ret->length, e->length);
  override(&ret->concurrency, e->concurrency);
  override(&ret->microbatch, e->microbatch);
  override(&ret->rank, e->rank);
  override(&ret->jobs, e->jobs);
}
