/* The one write of an import. */
#include <inttypes.h>
#include <string.h>

#include "api/importing.h"
#include "core/base/text.h"

enum { CONTENT_MAX = 8 << 20 };

static bool raced(struct crv_import_job *job, struct crv_err *err) {
  job->raced = true;
  return crv_fail(err, CRV_CONFLICT, "Another import of %s came in between.", job->piece_key);
}

/* The version that the offers cite is known before the write: it must still be the next one. */
static bool piece_expected(struct crv_wtx *tx, struct crv_import_job *job, struct crv_err *err) {
  struct crv_version v;
  int64_t newest = 0;
  if (crv_rd_version(crv_wtx_read(tx), CRV_AGG_PIECE, job->piece_key, 0, 0, job->arena, &v, err))
    newest = v.version;
  else if (err->code != CRV_NOT_FOUND)
    return false;
  crv_err_init(err);
  return newest == job->piece_before || raced(job, err);
}

static bool piece_store(struct crv_wtx *tx, struct crv_import_job *job, struct crv_err *err) {
  struct crv_put put = {.agg = CRV_AGG_PIECE,
                        .key = job->piece_key,
                        .canonical = job->piece_canonical,
                        .canonical_len = strlen(job->piece_canonical),
                        .raw = job->piece_canonical,
                        .raw_len = strlen(job->piece_canonical),
                        .who = job->who,
                        .kind = "catalogue_import"};
  struct crv_content content = {.key = job->piece_key,
                                .version = job->piece_version,
                                .sha256 = job->sha256,
                                .media_type = job->media_type,
                                .bytes = job->data,
                                .len = job->len};
  if (job->piece_same) return true;
  if (!crv_tx_put(tx, &put, job->arena, err)) return false;
  if (put.now.version != job->piece_version) return raced(job, err);
  return job->len > CONTENT_MAX || crv_tx_content_put(tx, &content, job->who, err);
}

static bool offer_store(struct crv_wtx *tx, struct crv_import_job *job,
                        const struct crv_import_put *o, struct crv_err *err) {
  struct crv_put put = {.agg = CRV_AGG_OFFER,
                        .key = o->key,
                        .canonical = o->canonical,
                        .canonical_len = strlen(o->canonical),
                        .raw = o->canonical,
                        .raw_len = strlen(o->canonical),
                        .who = job->who,
                        .source_key = job->piece_key,
                        .source_version = job->piece_version,
                        .allow_unchanged = true};
  return crv_tx_put(tx, &put, job->arena, err);
}

/* Takes back an offer unless somebody gave it another source meanwhile. */
static bool withdraw(struct crv_wtx *tx, struct crv_import_job *job, const char *key,
                     struct crv_err *err) {
  struct crv_version v;
  if (!crv_rd_version(crv_wtx_read(tx), CRV_AGG_OFFER, key, 0, 0, job->arena, &v, err))
    return false;
  if (v.withdrawn || !crv_streq(v.source_key, job->piece_key)) return true;
  if (!crv_tx_withdraw(tx, CRV_AGG_OFFER, key, job->who, NULL, job->arena, &v, err)) return false;
  job->withdrawn++;
  return true;
}

bool crv_import_store(struct crv_wtx *tx, struct crv_import_job *job, struct crv_err *err) {
  job->withdrawn = 0; /* an earlier run of the same write was rolled back */
  if (!piece_expected(tx, job, err) || !piece_store(tx, job, err)) return false;
  for (size_t i = 0; i < job->puts.n; i++)
    if (!offer_store(tx, job, crv_list_at(job->puts, struct crv_import_put, i), err)) return false;
  if (!job->withdraw_missing || job->withheld) return true;
  for (size_t i = 0; i < job->missing.n; i++)
    if (!withdraw(tx, job, *crv_list_at(job->missing, const char *, i), err)) return false;
  return true;
}

static bool store_alone(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  return crv_import_store(tx, ctx, err);
}

json_t *crv_import_alone(struct crv_store *st, struct crv_import_job *job, struct crv_err *err) {
  struct crv_view view;
  struct crv_world *world = crv_world_new(st);
  job->arena = crv_arena_new(0);
  bool ok = world && job->arena;
  if (!ok) crv_fail(err, CRV_OUT_OF_MEMORY, "No memory for the import.");
  ok = ok && crv_world_view(world, job->arena, &view, err) && crv_import_prepare(job, &view, err) &&
       (job->dry_run || crv_store_write(st, store_alone, job, err));
  json_t *report = ok ? crv_import_report(job) : NULL;
  if (ok && !report) crv_fail(err, CRV_OUT_OF_MEMORY, "No memory for the report.");
  job->arena = crv_arena_free(job->arena); /* lets go of the view before its world */
  crv_world_free(world);
  return report;
}
