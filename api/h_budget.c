/* The memory budget alone: from a few parameters, from a sheet in the body, of a stored sheet.
   Nothing is stored. */
#include <string.h>

#include "api/answer.h"
#include "api/handlers.h"
#include "api/record.h"
#include "api/render.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/evidence/piece.h"
#include "core/memory/budget.h"

static bool answer(struct crv_req *rq, struct crv_resp *rs, const struct crv_sheet *sheet,
                   struct crv_err *err) {
  const struct crv_placement *p =
      sheet->placement.n ? crv_list_at(sheet->placement, struct crv_placement, 0) : NULL;
  struct crv_budget *b = crv_new(rq->arena, struct crv_budget);
  struct crv_list rows;
  int64_t start = crv_now_us();
  if (!b) return crv_no_memory(err);
  if (!crv_budget_make(sheet, p && p->devices.set ? p->devices.v : 1,
                       p ? p->strategy : (enum crv_strategy)0, rq->arena, b, err) ||
      !crv_budget_formats(sheet, b, rq->arena, &rows, err))
    return false;
  _json_ json_t *j = crv_budget_json(b, &rows);
  rq->us_evaluate += crv_now_us() - start;
  if (!j) return crv_no_memory(err);
  if (rq->format == CRV_F_JSON) return crv_resp_json_steal(rq, rs, 200, crv_steal(&j), err);
  _buf_ struct crv_buf text = {0};
  crv_buf_init(&text, 0);
  crv_render_budget(j, &text);
  return crv_answer_buf(rq, rs, 200, &text, err);
}

/* -- from parameters ----------------------------------------------------------------------- */

struct calculator {
  struct crv_sheet sheet;
  struct crv_model model;
  struct crv_precision precision;
  struct crv_reserve reserve;
  struct crv_placement placement;
};

/* The plainest format of that many bits; NULL when the table has none. */
static const char *format_of_bits(int64_t bits) {
  if (bits == 16) return "bf16";
  for (size_t i = 0; i < crv_n_weight_formats; i++) {
    const struct crv_weight_format *f = &crv_weight_formats[i];
    if (f->bits_num == bits * f->bits_den) return f->id;
  }
  return NULL;
}

static bool read_parameters(struct crv_req *rq, struct calculator *c, struct crv_err *err) {
  struct crv_unit_err ue;
  const char *s = crv_req_param(rq, "params");
  int64_t micro;
  if (!s)
    return crv_fail(err, CRV_BAD_PARAMETER,
                    "The parameter 'params' is needed: a count such as 7000000000 or 7e9.");
  if (!crv_decimal_parse(s, strlen(s), &micro, &ue) || micro <= 0 || micro % CRV_MICRO)
    return crv_fail(err, CRV_BAD_PARAMETER,
                    "The parameter 'params' takes a whole count such as 7000000000 or 7e9.");
  c->model.parameters = (struct crv_opt_int){micro / CRV_MICRO, true};
  return true;
}

static bool read_format(struct crv_req *rq, struct calculator *c, struct crv_err *err) {
  int64_t bits;
  const char *weights = crv_req_param(rq, "weights");
  if (weights && crv_req_param(rq, "bits"))
    return crv_fail(err, CRV_BAD_PARAMETER, "Send 'bits' or 'weights', not both.");
  if (weights && !crv_weight_format(weights))
    return crv_fail(err, CRV_BAD_PARAMETER,
                    "The parameter 'weights' takes a format; GET /v1/formats lists them.");
  c->precision.weights = weights;
  if (weights) return true;
  if (!crv_req_param_int(rq, "bits", 1, 64, 16, &bits, err)) return false;
  c->precision.weights = format_of_bits(bits);
  return c->precision.weights ||
         crv_fail(err, CRV_BAD_PARAMETER,
                  "No weight format has %lld bits; GET /v1/formats lists them.", (long long)bits);
}

static bool read_reserve(struct crv_req *rq, struct calculator *c, struct crv_err *err) {
  struct crv_unit_err ue;
  const char *s = crv_req_param(rq, "reserve");
  if (!s) return true;
  if (!crv_bytes_parse(s, strlen(s), CRV_ROUND_UP, &c->reserve.bytes.v, &ue))
    return crv_fail(err, CRV_BAD_PARAMETER, "The parameter 'reserve': %s", ue.detail);
  c->reserve.bytes.set = true;
  c->reserve.item = "reserve";
  c->reserve.basis = CRV_RESERVE_ESTIMATED;
  c->reserve.per = CRV_PER_DEVICE;
  c->sheet.reserve = (struct crv_list){1, &c->reserve};
  return true;
}

static bool read_placement(struct crv_req *rq, struct calculator *c, struct crv_err *err) {
  const char *name = crv_req_param(rq, "strategy");
  if (!crv_req_param_int(rq, "devices", 1, 1048576, 1, &c->placement.devices.v, err)) return false;
  c->placement.devices.set = true;
  c->sheet.placement = (struct crv_list){1, &c->placement};
  for (const struct crv_enum_name *n = crv_strategy_names; name && n->name; n++)
    if (strcmp(n->name, name) == 0) c->placement.strategy = (enum crv_strategy)n->value;
  return !name || c->placement.strategy ||
         crv_fail(err, CRV_BAD_PARAMETER,
                  "The parameter 'strategy' takes single, data_parallel, tensor_parallel, "
                  "pipeline_parallel, zero1, zero2, zero3 or fsdp.");
}

bool crv_h_budget_get(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct calculator c = {.sheet = {.task = CRV_TASK_INFERENCE}};
  c.sheet.model = &c.model;
  c.sheet.precision = &c.precision;
  return read_parameters(rq, &c, err) && read_format(rq, &c, err) && read_reserve(rq, &c, err) &&
         read_placement(rq, &c, err) && answer(rq, rs, &c.sheet, err) &&
         crv_answer_tag(rq, rs, rq->query, err);
}

/* -- from a sheet -------------------------------------------------------------------------- */

bool crv_h_budget_post(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_sheet *sheet;
  return crv_sheet_decode(rq->json, "", rq->arena, &sheet, err) &&
         crv_sheet_check_demands(sheet, "", err) && answer(rq, rs, sheet, err);
}

bool crv_h_sheet_budget(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_version v;
  struct crv_sheet *sheet;
  const char *name;
  if (!crv_req_key(rq, 0, &name, err) || !crv_record_read(rq, &crv_sheet_record, name, 0, &v, err))
    return false;
  if (v.withdrawn) return crv_fail(err, CRV_WITHDRAWN, "The sheet %s was withdrawn.", name);
  _json_ json_t *j = crv_json_parse_stored(v.canonical, v.canonical_len, err);
  const char *seed = crv_version_etag(v.key, v.version, v.digest, rq->arena);
  if (!seed) return crv_no_memory(err);
  return j && crv_sheet_decode(j, "", rq->arena, &sheet, err) && answer(rq, rs, sheet, err) &&
         crv_answer_tag(rq, rs, seed, err);
}
