/* Imports: which offers a file makes, changes, confirms or lacks. */
#include "api/importing.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "api/catalogue.h"
#include "api/record.h"
#include "core/base/cleanup.h"
#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/base/text.h"

enum { MISSING_SHOWN = 1000 };

static bool no_memory(struct crv_err *err) {
  return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

/* -- the piece ----------------------------------------------------------------------------- */

/* Letters, digits and dots of s in lower case, anything else one '-'. */
static void slug(struct crv_buf *b, const char *s) {
  bool gap = false;
  for (; *s; s++) {
    char c = *s >= 'A' && *s <= 'Z' ? (char)(*s - 'A' + 'a') : *s;
    bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
    if (plain)
      crv_buf_char(b, c);
    else if (!gap)
      crv_buf_char(b, '-');
    gap = !plain;
  }
}

static bool default_key(struct crv_import_job *job, struct crv_err *err) {
  struct crv_buf b;
  if (job->piece_key) return true;
  crv_buf_init(&b, 0);
  crv_buf_printf(&b, "import.%s", job->params.source);
  if (job->params.profile) crv_buf_printf(&b, ".%s", job->params.profile);
  if (job->params.supplier) {
    crv_buf_char(&b, '.');
    slug(&b, job->params.supplier);
  }
  if (!b.failed && b.len > 128) b.data[128] = '\0';
  job->piece_key = b.failed ? NULL : crv_arena_strdup(job->arena, b.data);
  crv_buf_done(&b);
  return job->piece_key || no_memory(err);
}

static const char *file_of(const struct crv_import_job *job) {
  if (job->file) return job->file;
  return crv_arena_printf(job->arena, "%s%s%s", job->params.source, job->params.profile ? " " : "",
                          job->params.profile ? job->params.profile : "");
}

/* Everything but the time of reading, by which the same file is known again. */
static bool same_file(const struct crv_piece *was, const struct crv_piece *now) {
  return was->kind == CRV_KIND_CATALOGUE_IMPORT && was->content && !was->retracted &&
         crv_streq(was->content->sha256, now->content->sha256) && was->scope &&
         crv_streq(was->scope->file, now->scope->file) &&
         crv_streq(was->scope->supplier, now->scope->supplier) && was->result &&
         was->result->origin == now->result->origin && crv_streq(was->uri, now->uri) &&
         crv_streq(was->note, now->note);
}

static bool piece_make(struct crv_import_job *job, const struct crv_piece_rec *was,
                       struct crv_err *err) {
  char hex[CRV_SHA256_HEX];
  job->sha256 = crv_arena_strdup(job->arena, crv_sha256_hex(job->data, job->len, hex));
  struct crv_scope scope = {.file = file_of(job), .supplier = job->params.supplier};
  struct crv_result result = {.origin = job->origin ? job->origin : CRV_ORIGIN_THIRD_PARTY,
                              .rows = {job->result.rows, true}};
  struct crv_piece_content content = {.sha256 = job->sha256, .media_type = job->media_type};
  struct crv_piece piece = {
      .kind = CRV_KIND_CATALOGUE_IMPORT,
      .scope = &scope,
      .result = &result,
      .uri = job->uri,
      .content = &content,
      .observed_at = {job->observed_at.set ? job->observed_at.v : job->now, true},
      .note = job->params.currency
                  ? crv_arena_printf(job->arena, "currency given: %s", job->params.currency)
                  : NULL};
  if (!job->sha256 || !scope.file) return no_memory(err);
  job->piece_same = was && same_file(was->piece, &piece) &&
                    (!job->observed_at.set || (was->piece->observed_at.set &&
                                               was->piece->observed_at.v == job->observed_at.v));
  job->piece_before = was ? was->version : 0;
  job->piece_version = job->piece_same ? was->version : job->piece_before + 1;
  job->piece_canonical = crv_record_canonical(&crv_piece_spec, &piece, job->arena, err);
  return job->piece_canonical != NULL;
}

/* -- offers -------------------------------------------------------------------------------- */

/* Canonical JSON of the offer without what it cites. */
static char *facts_of(const struct crv_offer *offer) {
  struct crv_offer bare = *offer;
  bare.source = NULL;
  bare.key = NULL;
  _json_ json_t *j = crv_jspec_encode(&crv_offer_spec, &bare);
  return j ? crv_json_canonical(j) : NULL;
}

static bool put_add(struct crv_import_job *job, const struct crv_import_offer *o,
                    struct crv_err *err) {
  struct crv_source source = {
      .evidence = crv_arena_printf(job->arena, "%s@%" PRId64, job->piece_key, job->piece_version)};
  struct crv_offer offer = *o->offer;
  if (!source.evidence) return no_memory(err);
  offer.key = NULL;
  offer.source = &source;
  struct crv_import_put *put = crv_list_at(job->puts, struct crv_import_put, job->puts.n);
  put->key = o->key;
  put->canonical = crv_record_canonical(&crv_offer_spec, &offer, job->arena, err);
  if (!put->canonical) return false;
  job->puts.n++;
  return true;
}

static bool compare(struct crv_import_job *job, const struct crv_view *view,
                    const struct crv_import_offer *o, struct crv_err *err) {
  const struct crv_offer_rec *was = crv_catalogue_find(view->offers, o->key, 0, view->position);
  if (!was || was->withdrawn) {
    job->created++;
    return put_add(job, o, err);
  }
  _free_ char *before = facts_of(was->offer);
  _free_ char *now = facts_of(o->offer);
  if (!before || !now) return no_memory(err);
  if (strcmp(before, now) != 0) {
    job->versioned++;
    return put_add(job, o, err);
  }
  job->unchanged++;
  if (crv_streq(was->source_key, job->piece_key) && was->source_version == job->piece_version)
    return true;
  job->confirmed++;
  return put_add(job, o, err);
}

static int by_text(const void *a, const void *b) {
  return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Keys in force that cite this source and are not in the file. */
static bool find_missing(struct crv_import_job *job, const struct crv_view *view,
                         struct crv_err *err) {
  size_t n = job->result.offers.n, n_recs;
  const struct crv_offer_rec **recs;
  const char **keys = crv_new_array(job->arena, n, const char *);
  if (!keys ||
      !crv_newest_offers(view->offers, view->position, false, job->arena, &recs, &n_recs, err))
    return keys ? false : no_memory(err);
  const char **missing = crv_new_array(job->arena, n_recs, const char *);
  if (!missing) return no_memory(err);
  for (size_t i = 0; i < n; i++)
    keys[i] = crv_list_at(job->result.offers, struct crv_import_offer, i)->key;
  if (n) qsort(keys, n, sizeof *keys, by_text);
  job->missing = (struct crv_list){0, missing};
  for (size_t i = 0; i < n_recs; i++) {
    if (!crv_streq(recs[i]->source_key, job->piece_key)) continue;
    if (n && bsearch(&recs[i]->key, keys, n, sizeof *keys, by_text)) continue;
    missing[job->missing.n++] = crv_arena_strdup(job->arena, recs[i]->key);
    if (!missing[job->missing.n - 1]) return no_memory(err);
  }
  return true;
}

/* A row that gave no offer may be one of the missing ones: then none is taken away. */
static void withhold(struct crv_import_job *job) {
  if (!job->withdraw_missing || !job->missing.n) return;
  if (job->result.refused)
    job->withheld = "rows were refused that may be the missing ones";
  else if (!job->result.offers.n)
    job->withheld = "the file gave no offer at all";
}

bool crv_import_prepare(struct crv_import_job *job, const struct crv_view *view,
                        struct crv_err *err) {
  job->created = job->versioned = job->unchanged = job->confirmed = job->withdrawn = 0;
  job->raced = false;
  if (!crv_import_read(&job->params, job->data, job->len, job->arena, &job->result, err) ||
      !default_key(job, err))
    return false;
  const struct crv_piece_rec *was =
      crv_evidence_find(view->pieces, job->piece_key, 0, view->position);
  if (was && was->piece->kind != CRV_KIND_CATALOGUE_IMPORT)
    return crv_fail(err, CRV_CONFLICT, "The piece %s is no catalogue_import: give another key.",
                    job->piece_key);
  if (!piece_make(job, was, err)) return false;
  job->puts =
      (struct crv_list){0, crv_new_array(job->arena, job->result.offers.n, struct crv_import_put)};
  if (!job->puts.at) return no_memory(err);
  for (size_t i = 0; i < job->result.offers.n; i++)
    if (!compare(job, view, crv_list_at(job->result.offers, struct crv_import_offer, i), err))
      return false;
  if (!find_missing(job, view, err)) return false;
  withhold(job);
  return true;
}

/* -- the report ---------------------------------------------------------------------------- */

static json_t *finding_json(const struct crv_row_finding *f) {
  _json_ json_t *j = json_object();
  json_t *values = json_array();
  bool ok = values != NULL;
  for (size_t i = 0; i < 2; i++)
    if (f->value[i]) ok = json_array_append_new(values, json_string(f->value[i])) == 0 && ok;
  ok = crv_json_set_int(j, "row", f->row) && crv_json_set_text(j, "column", f->column) &&
       crv_json_set_text(j, "code", f->code) && ok;
  ok = crv_json_set_steal(j, "values", values) && ok;
  ok = ok && crv_json_set_text(j, "effect", f->effect) && crv_json_set_text(j, "field", f->field);
  return ok ? crv_steal(&j) : NULL;
}

static json_t *findings_json(const struct crv_import_job *job) {
  const struct crv_list *list = &job->result.findings;
  _json_ json_t *j = json_array();
  for (size_t i = 0; j && i < list->n; i++)
    if (json_array_append_new(j, finding_json(crv_list_at(*list, struct crv_row_finding, i))) != 0)
      return NULL;
  return crv_steal(&j);
}

static json_t *missing_json(const struct crv_import_job *job) {
  _json_ json_t *j = json_array();
  for (size_t i = 0; j && i < job->missing.n && i < MISSING_SHOWN; i++)
    if (json_array_append_new(j, json_string(*crv_list_at(job->missing, const char *, i))) != 0)
      return NULL;
  return crv_steal(&j);
}

static json_t *counts_json(const struct crv_import_job *job) {
  _json_ json_t *j = json_object();
  if (j && crv_json_set_int(j, "created", job->created) &&
      crv_json_set_int(j, "versioned", job->versioned) &&
      crv_json_set_int(j, "unchanged", job->unchanged) &&
      crv_json_set_int(j, "confirmed", job->confirmed) &&
      crv_json_set_int(j, "refused", job->result.refused))
    return crv_steal(&j);
  return NULL;
}

json_t *crv_import_report(const struct crv_import_job *job) {
  _json_ json_t *j = json_object();
  const char *ref = crv_arena_printf(job->arena, "%s@%" PRId64, job->piece_key, job->piece_version);
  if (!j || !ref || !crv_json_set_text(j, "source", job->params.source) ||
      !crv_json_set_text(j, "profile", job->params.profile) ||
      !crv_json_set_bool(j, "dry_run", job->dry_run) ||
      !crv_json_set_int(j, "rows", job->result.rows) ||
      !crv_json_set_int(j, "skipped", job->result.skipped) ||
      !crv_json_set_steal(j, "offers", counts_json(job)) ||
      !crv_json_set_text(j, "evidence", ref) || !crv_json_set_text(j, "sha256", job->sha256) ||
      !crv_json_set_bool(j, "same_file", job->piece_same))
    return NULL;
  if (!crv_json_set_steal(j, "missing", missing_json(job)) ||
      !crv_json_set_int(j, "missing_count", (int64_t)job->missing.n) ||
      !crv_json_set_int(j, "withdrawn", job->withdrawn) ||
      !crv_json_set_text(j, "withdrawal_withheld", job->withheld) ||
      !crv_json_set_steal(j, "findings", findings_json(job)) ||
      !crv_json_set_int(j, "more_findings", job->result.more_findings))
    return NULL;
  return crv_steal(&j);
}
