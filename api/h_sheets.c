/* /v1/sheets: the demand, named, with numbered revisions. */
#include <string.h>

#include "api/answer.h"
#include "api/handlers.h"
#include "api/listing.h"
#include "api/record.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/evidence/piece.h"
#include "core/sheet/sheet.h"

/* "missing": what completeness by task asks and the sheet lacks. */
static bool show_missing(struct crv_req *rq, const struct crv_version *v, const json_t *content,
                         json_t *obj, struct crv_err *err) {
  struct crv_sheet *sheet;
  struct crv_missing missing[CRV_MAX_MISSING];
  (void)v;
  if (!crv_sheet_decode(content, "", rq->arena, &sheet, err)) return false;
  size_t n = crv_sheet_missing(sheet, missing);
  _json_ json_t *list = json_array();
  for (size_t i = 0; i < n; i++) {
    json_t *one = json_object();
    if (!crv_json_set_text(one, "field", missing[i].field) ||
        !crv_json_set_text(one, "why", missing[i].why)) {
      json_decref(one);
      return crv_no_memory(err);
    }
    if (json_array_append_new(list, one) != 0) return crv_no_memory(err);
  }
  return crv_json_set_steal(obj, "missing", crv_steal(&list)) || crv_no_memory(err);
}

const struct crv_record_type crv_sheet_record = {
    .agg = CRV_AGG_SHEET,
    .noun = "sheet",
    .key_name = "name",
    .version_name = "revision",
    .base = "/v1/sheets",
    .versions = "revisions",
    .show = show_missing,
};

bool crv_h_sheet_put(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_record_put p = {.type = &crv_sheet_record, .rq = rq};
  struct crv_sheet *sheet;
  const json_t *body;
  if (!crv_req_key(rq, 0, &p.put.key, err) ||
      !(body = crv_record_body(rq, &crv_sheet_record, err)) ||
      !crv_sheet_decode(body, "", rq->arena, &sheet, err) ||
      !crv_sheet_check_demands(sheet, "", err) ||
      !crv_record_same_key(&crv_sheet_record, sheet->name, p.put.key, err))
    return false;
  sheet->name = NULL; /* the same demand under any name has one digest */
  p.put.canonical = crv_record_canonical(&crv_sheet_spec, sheet, rq->arena, err);
  return p.put.canonical && crv_record_put(&p, rs, err);
}

bool crv_h_sheet_get(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  const char *name;
  return crv_req_key(rq, 0, &name, err) && crv_record_get(rq, rs, &crv_sheet_record, name, 0, err);
}

bool crv_h_sheet_delete(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  const char *name;
  return crv_req_key(rq, 0, &name, err) && crv_record_delete(rq, rs, &crv_sheet_record, name, err);
}

bool crv_h_sheet_revisions(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  const char *name;
  return crv_req_key(rq, 0, &name, err) &&
         crv_record_versions(rq, rs, &crv_sheet_record, name, err);
}

bool crv_h_sheet_revision(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  const char *name;
  int64_t n;
  return crv_req_key(rq, 0, &name, err) && crv_req_number(rq, 1, &n, err) &&
         crv_record_get(rq, rs, &crv_sheet_record, name, n, err);
}

/* -- the list ------------------------------------------------------------------------------ */

static const struct crv_column columns[] = {
    {"SHEET", "name", CRV_COL_KEY},
    {"REV", "revision", CRV_COL_NUMBER},
    {"TASK", "task", CRV_COL_TEXT},
    {"MODEL", "model.name", CRV_COL_TEXT},
    {"RECORDED", "recorded_at", CRV_COL_TEXT},
    {"BY", "recorded_by", CRV_COL_TEXT},
    {"WITHDRAWN", "withdrawn", CRV_COL_CSV},
    {"DIGEST", "digest", CRV_COL_CSV},
};

struct sheets {
  struct crv_listing l;
  struct crv_page page;
  const char *last;
  size_t seen;
};

static bool list_row(const struct crv_version *v, void *ctx, struct crv_err *err) {
  struct sheets *s = ctx;
  _json_ json_t *content = NULL;
  _json_ json_t *j = json_object();
  s->seen++;
  s->last = crv_arena_strdup(s->l.rq->arena, v->key);
  if (v->canonical && !(content = crv_json_parse_stored(v->canonical, v->canonical_len, err)))
    return false;
  if (!j || !s->last || !crv_json_set_text(j, "name", v->key) ||
      !crv_json_set_int(j, "revision", v->version) ||
      !crv_json_set_bool(j, "withdrawn", v->withdrawn))
    return crv_no_memory(err);
  if (content && (!crv_json_set_text(j, "task", crv_json_text(content, "task")) ||
                  (json_object_get(content, "model") &&
                   json_object_set(j, "model", json_object_get(content, "model")) != 0)))
    return crv_no_memory(err);
  if (!crv_json_set_time(j, "recorded_at", v->recorded_at) ||
      !crv_json_set_text(j, "recorded_by", v->recorded_by) ||
      !crv_json_set_text(j, "digest", v->digest))
    return crv_no_memory(err);
  return crv_listing_add(&s->l, v->key, crv_steal(&j), err);
}

/* One page, or page after page for a format that gives everything. */
static bool list_read(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  struct sheets *s = ctx;
  struct crv_ledger_head head;
  if (!crv_rd_ledger_head(tx, &head, err)) return false;
  if (s->l.from.position == 0) s->l.from.position = head.size;
  s->page.position = s->l.from.position;
  if (s->page.position == 0) return true;
  s->page.after_key = s->l.from.last;
  s->page.limit = s->l.paged ? s->l.limit + 1 : CRV_PAGE_MAX;
  do {
    s->seen = 0;
    if (!crv_rd_page(tx, CRV_AGG_SHEET, &s->page, list_row, s, err)) return false;
    s->page.after_key = s->last;
  } while (!s->l.paged && s->seen == s->page.limit);
  s->l.total = s->page.total;
  return true;
}

bool crv_h_sheets_list(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct sheets s = {0};
  if (!crv_req_param_bool(rq, "withdrawn", false, &s.page.withdrawn, err)) return false;
  s.page.prefix = crv_req_param(rq, "prefix");
  bool ok =
      crv_listing_begin(&s.l, rq, columns, sizeof columns / sizeof *columns, 0, rq->now_ms, err) &&
      crv_store_read(crv_api_of(rq)->store, list_read, &s, err) && crv_listing_end(&s.l, rs, err);
  if (ok) {
    const char *seed = crv_arena_printf(rq->arena, "%lld", (long long)s.l.from.position);
    ok = seed ? crv_answer_tag(rq, rs, seed, err) : crv_no_memory(err);
  }
  crv_listing_done(&s.l);
  return ok;
}
