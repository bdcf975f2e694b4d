/* POST /v1/imports: a price file becomes offers, and the answer says row by row what was found. */
#include <inttypes.h>
#include <string.h>

#include "api/answer.h"
#include "api/catalogue.h"
#include "api/dispatch.h"
#include "api/handlers.h"
#include "api/importing.h"
#include "api/listing.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/evidence/piece.h"

enum { TRIES = 3 };

/* -- the report's formats -------------------------------------------------------------------- */

static const struct crv_column columns[] = {
    {"ROW", "row", CRV_COL_NUMBER},     {"COLUMN", "column", CRV_COL_TEXT},
    {"CODE", "code", CRV_COL_TEXT},     {"VALUES", "values", CRV_COL_TEXT},
    {"EFFECT", "effect", CRV_COL_TEXT}, {"FIELD", "field", CRV_COL_CSV},
};
enum { N_COLUMNS = sizeof columns / sizeof *columns };

static void report_csv(const json_t *report, bool raw, struct crv_buf *out) {
  char text[1024];
  size_t i;
  json_t *f;
  for (size_t c = 0; c < N_COLUMNS; c++) crv_csv_cell(out, columns[c].path, c == 0, true);
  crv_csv_end(out);
  json_array_foreach(json_object_get(report, "findings"), i, f) {
    for (size_t c = 0; c < N_COLUMNS; c++)
      crv_csv_cell(out, crv_item_text(f, columns[c].path, text, sizeof text), c == 0, raw);
    crv_csv_end(out);
  }
}

static void report_text(const json_t *r, struct crv_buf *out) {
  _table_ struct crv_table t = {0};
  char text[1024];
  size_t i;
  json_t *f;
  crv_buf_printf(out,
                 "%s: %" PRId64 " rows, %" PRId64 " without a GPU. Offers: %" PRId64
                 " created, %" PRId64 " versioned, %" PRId64 " unchanged, %" PRId64 " refused.\n",
                 json_is_true(json_object_get(r, "dry_run")) ? "Dry run" : "Imported",
                 crv_json_int(r, "rows", 0), crv_json_int(r, "skipped", 0),
                 crv_json_int(r, "offers.created", 0), crv_json_int(r, "offers.versioned", 0),
                 crv_json_int(r, "offers.unchanged", 0), crv_json_int(r, "offers.refused", 0));
  crv_buf_printf(out, "Recorded as %s.\n", crv_json_text(r, "evidence"));
  json_array_foreach(json_object_get(r, "missing"), i, f) {
    crv_buf_printf(out, "Missing from this file: %s\n", json_string_value(f));
  }
  if (json_array_size(json_object_get(r, "findings")) == 0) return;
  crv_table_init(&t, columns, N_COLUMNS);
  json_array_foreach(json_object_get(r, "findings"), i, f) {
    for (size_t c = 0; c < N_COLUMNS; c++)
      crv_table_cell(&t, crv_item_text(f, columns[c].path, text, sizeof text));
  }
  crv_buf_char(out, '\n');
  crv_table_text(&t, out);
  crv_buf_printf(out, "%zu findings; %" PRId64 " more\n",
                 json_array_size(json_object_get(r, "findings")),
                 crv_json_int(r, "more_findings", 0));
}

static bool answer(struct crv_req *rq, struct crv_resp *rs, const struct crv_import_job *job,
                   struct crv_err *err) {
  bool raw;
  _json_ json_t *report = crv_import_report(job);
  if (!report) return crv_no_memory(err);
  if (rq->format == CRV_F_JSON) return crv_resp_json_steal(rq, rs, 200, crv_steal(&report), err);
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  if (!crv_req_param_bool(rq, "raw", false, &raw, err)) return false;
  if (rq->format == CRV_F_CSV)
    report_csv(report, raw, &b);
  else
    report_text(report, &b);
  return crv_answer_buf(rq, rs, 200, &b, err);
}

/* -- the request ----------------------------------------------------------------------------- */

static bool read_params(struct crv_req *rq, struct crv_import_job *job, struct crv_err *err) {
  const char *origin;
  job->params = (struct crv_import_params){.source = crv_req_param(rq, "source"),
                                           .profile = crv_req_param(rq, "profile"),
                                           .supplier = crv_req_param(rq, "supplier"),
                                           .currency = crv_req_param(rq, "currency"),
                                           .key_prefix = crv_req_param(rq, "key_prefix")};
  job->piece_key = crv_req_param(rq, "key");
  job->file = crv_req_param(rq, "file");
  job->uri = crv_req_param(rq, "uri");
  if (!job->params.source)
    return crv_fail(err, CRV_BAD_PARAMETER,
                    "The parameter 'source' is needed: skypilot, ndjson or csv.");
  if (job->piece_key && !crv_key_ok(job->piece_key, strlen(job->piece_key)))
    return crv_fail(err, CRV_BAD_PARAMETER,
                    "The parameter 'key' takes 1 to 128 of a-z, 0-9, '.', '_' and '-'.");
  if (!crv_req_param_time(rq, "observed_at", &job->observed_at, err) ||
      !crv_req_param_word(rq, "origin", "supplier third_party", &origin, err) ||
      !crv_req_param_bool(rq, "dry_run", false, &job->dry_run, err) ||
      !crv_req_param_bool(rq, "withdraw_missing", false, &job->withdraw_missing, err))
    return false;
  if (job->file && (!job->file[0] || strlen(job->file) > 256))
    return crv_fail(err, CRV_BAD_PARAMETER, "The parameter 'file' takes a name of 1 to 256 bytes.");
  job->origin =
      origin && strcmp(origin, "supplier") == 0 ? CRV_ORIGIN_SUPPLIER : CRV_ORIGIN_THIRD_PARTY;
  return true;
}

static bool prepare(struct crv_req *rq, struct crv_import_job *job, struct crv_err *err) {
  struct crv_view view;
  int64_t start = crv_now_us();
  bool ok = crv_world_view(crv_api_of(rq)->world, rq->arena, &view, err) &&
            crv_import_prepare(job, &view, err);
  rq->us_parse += crv_now_us() - start;
  return ok;
}

static bool store(struct crv_wtx *tx, struct crv_effect *e, struct crv_err *err) {
  return crv_import_store(tx, e->ctx, err) && answer(e->rq, e->rs, e->ctx, err);
}

bool crv_h_import(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_import_job *job = crv_new(rq->arena, struct crv_import_job);
  if (!job) return crv_no_memory(err);
  *job = (struct crv_import_job){.data = rq->body,
                                 .len = rq->body_len,
                                 .media_type = rq->body_type,
                                 .who = rq->who.name,
                                 .now = rq->now_ms,
                                 .arena = crv_big_arena(rq, err)};
  if (!job->arena || !read_params(rq, job, err)) return false;
  if (rq->body_len == 0) return crv_fail(err, CRV_BAD_PARAMETER, "The file is empty.");
  struct crv_effect effect = {.run = store, .rq = rq, .rs = rs, .ctx = job};
  for (int i = 0; i < TRIES; i++) {
    if (!prepare(rq, job, err)) return false;
    if (job->dry_run) return answer(rq, rs, job, err);
    if (crv_effect_write(&effect, err)) return true;
    if (!job->raced) return false;
    crv_err_init(err);
  }
  return crv_fail(err, CRV_CONFLICT, "Other imports of %s kept coming in between; send it again.",
                  job->piece_key);
}
