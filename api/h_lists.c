/* Closed lists, from the code's own tables: reason codes, kinds of piece, weight formats. */
#include "api/answer.h"
#include "api/handlers.h"
#include "api/listing.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/decide/decide.h"

/* A whole list: rows from row(i), i < n. */
static bool answer(struct crv_req *rq, struct crv_resp *rs, const struct crv_column *columns,
                   size_t n_columns, json_t *(*row)(size_t), size_t n, struct crv_err *err) {
  _listing_ struct crv_listing l = {0};
  if (!crv_listing_begin(&l, rq, columns, n_columns, 0, rq->now_ms, err)) return false;
  l.total = (int64_t)n;
  l.limit = (unsigned)n;
  for (size_t i = 0; i < n; i++)
    if (!crv_listing_add(&l, "", row(i), err)) return false;
  return crv_listing_end(&l, rs, err) && crv_answer_tag(rq, rs, CRV_RULES_VERSION, err);
}

static const struct crv_column reason_columns[] = {
    {"CODE", "code", CRV_COL_TEXT},
    {"MEANING", "meaning", CRV_COL_TEXT},
    {"CURE", "cure", CRV_COL_TEXT},
};

static json_t *reason_row(size_t i) {
  const struct crv_reason_info *r = crv_reason_info((enum crv_reason)i);
  _json_ json_t *j = json_object();
  if (j && crv_json_set_text(j, "code", r->code) && crv_json_set_text(j, "meaning", r->meaning) &&
      crv_json_set_text(j, "cure", r->cure[0] ? r->cure : NULL))
    return crv_steal(&j);
  return NULL;
}

bool crv_h_reason_codes(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  return answer(rq, rs, reason_columns, 3, reason_row, CRV_REASON_COUNT, err);
}

static const struct crv_column kind_columns[] = {
    {"KIND", "kind", CRV_COL_TEXT},
    {"SCOPE", "scope", CRV_COL_TEXT},
    {"RESULT", "result", CRV_COL_TEXT},
    {"CAN PROVE", "can_prove", CRV_COL_TEXT},
    {"NEVER", "can_never_prove", CRV_COL_CSV},
    {"CI", "ci_may_write", CRV_COL_TEXT},
};

static json_t *kind_row(size_t i) {
  const struct crv_kind_info *k = crv_kind_info((enum crv_kind)(i + 1));
  _json_ json_t *j = json_object();
  if (j && crv_json_set_text(j, "kind", k->name) &&
      crv_json_set_text(j, "scope", k->scope_needed) &&
      crv_json_set_text(j, "result", k->result_needed) &&
      crv_json_set_text(j, "can_prove", k->proves) &&
      crv_json_set_text(j, "can_never_prove", k->never) &&
      crv_json_set_bool(j, "ci_may_write", k->ci))
    return crv_steal(&j);
  return NULL;
}

bool crv_h_kinds(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  return answer(rq, rs, kind_columns, 6, kind_row, CRV_KIND_COUNT - 1, err);
}

static const struct crv_column format_columns[] = {
    {"FORMAT", "format", CRV_COL_TEXT}, {"BITS", "bits", CRV_COL_NUMBER},
    {"EXACT", "exact", CRV_COL_TEXT},   {"NOTE", "note", CRV_COL_TEXT},
    {"SOURCE", "source", CRV_COL_CSV},
};

static json_t *format_row(size_t i) {
  const struct crv_weight_format *f = &crv_weight_formats[i];
  int64_t micro;
  _json_ json_t *j = json_object();
  if (!crv_muldiv(f->bits_num, CRV_MICRO, f->bits_den, true, &micro)) return NULL;
  if (j && crv_json_set_text(j, "format", f->id) && crv_json_set_decimal(j, "bits", micro) &&
      crv_json_set_bool(j, "exact", f->exact) &&
      crv_json_set_text(j, "note", f->note[0] ? f->note : NULL) &&
      crv_json_set_text(j, "source", f->source))
    return crv_steal(&j);
  return NULL;
}

bool crv_h_formats(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  return answer(rq, rs, format_columns, 5, format_row, crv_n_weight_formats, err);
}
