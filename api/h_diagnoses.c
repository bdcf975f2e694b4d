/* POST /v1/diagnoses: an out-of-memory text, and the sheet of the job when there is one, to phase,
   cause, single changes and a draft failure_report. Nothing is stored. The text comes as it is
   (text/plain), or in a JSON object beside what is known of the job. */
#include <stddef.h>
#include <string.h>

#include "api/answer.h"
#include "api/diagnosis.h"
#include "api/handlers.h"
#include "api/record.h"
#include "api/render.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/catalogue/offer.h"

#define FIELD(member) .offset = offsetof(struct crv_diagnosis_ask, member)

static const struct crv_jfield fields[] = {
    {.name = "text",
     .type = CRV_JT_TEXT,
     .flags = CRV_JF_REQUIRED | CRV_JF_LINES,
     FIELD(text),
     .max = 4 << 20,
     .doc = "The message or the log, as it is: at most 4 MiB here, 16 MiB as text/plain."},
    {.name = "context",
     .type = CRV_JT_TEXT,
     .flags = CRV_JF_LINES,
     FIELD(context),
     .max = 1 << 16,
     .doc =
         "What is known of the job in words or name: value lines; no figures are taken from it."},
    {.name = "sheet",
     .type = CRV_JT_KEY,
     FIELD(sheet),
     .doc = "Name of the stored sheet of the job that failed."},
    {.name = "capacity_bytes",
     .alias = "capacity",
     .type = CRV_JT_BYTES,
     .flags = CRV_JF_ROUND_DOWN | CRV_JF_POSITIVE,
     FIELD(capacity),
     .doc = "Bytes of one device, where the text does not say; what it says wins."},
    {.name = "device", .type = CRV_JT_TEXT, FIELD(device), .doc = "Canonical device model."},
    {.name = "devices",
     .type = CRV_JT_INT,
     .flags = CRV_JF_POSITIVE,
     FIELD(devices),
     .max = 1048576,
     .doc = "Devices that the job used."},
    {.name = NULL},
};
const struct crv_jspec crv_diagnosis_ask_spec = {.name = "DiagnosisRequest",
                                                 .size = sizeof(struct crv_diagnosis_ask),
                                                 .fields = fields,
                                                 .extras_offset = SIZE_MAX};

/* -- reading ------------------------------------------------------------------------------- */

static bool from_json(struct crv_req *rq, struct crv_diagnosis_ask *ask, struct crv_diagnose_in *in,
                      struct crv_err *err) {
  _json_ json_t *j = crv_json_parse(rq->body, rq->body_len, err);
  if (!j || !crv_jspec_decode(&crv_diagnosis_ask_spec, j, "", rq->arena, ask, err)) return false;
  in->text = ask->text;
  in->len = strlen(ask->text);
  in->context = ask->context;
  in->context_len = ask->context ? strlen(ask->context) : 0;
  return true;
}

static bool from_text(struct crv_req *rq, struct crv_diagnosis_ask *ask, struct crv_diagnose_in *in,
                      struct crv_err *err) {
  const char *capacity = crv_req_param(rq, "capacity");
  int64_t devices;
  struct crv_unit_err ue;
  in->text = rq->body ? rq->body : "";
  in->len = rq->body_len;
  ask->sheet = crv_req_param(rq, "sheet");
  ask->device = crv_req_param(rq, "device");
  if (!crv_req_param_int(rq, "devices", 1, 1048576, 0, &devices, err)) return false;
  ask->devices = (struct crv_opt_int){devices, devices > 0};
  if (ask->sheet && !crv_key_ok(ask->sheet, strlen(ask->sheet)))
    return crv_fail(err, CRV_BAD_PARAMETER, "The parameter 'sheet' takes the name of a sheet.");
  if (!capacity) return true;
  ask->capacity.set =
      crv_bytes_parse(capacity, strlen(capacity), CRV_ROUND_DOWN, &ask->capacity.v, &ue);
  return ask->capacity.set ||
         crv_fail(err, CRV_BAD_PARAMETER, "The parameter 'capacity': %s", ue.detail);
}

static bool read_sheet(struct crv_req *rq, const char *name, struct crv_diagnose_in *in,
                       struct crv_err *err) {
  struct crv_version v;
  struct crv_sheet *sheet;
  if (!name) return true;
  if (!crv_record_read(rq, &crv_sheet_record, name, 0, &v, err)) return false;
  if (v.withdrawn) return crv_fail(err, CRV_WITHDRAWN, "The sheet %s was withdrawn.", name);
  _json_ json_t *j = crv_json_parse_stored(v.canonical, v.canonical_len, err);
  if (!j || !crv_sheet_decode(j, "", rq->arena, &sheet, err)) return false;
  in->sheet = sheet;
  return true;
}

bool crv_h_diagnose(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_diagnosis_ask ask = {0};
  struct crv_diagnose_in in = {0};
  struct crv_diagnosis *d = crv_new(rq->arena, struct crv_diagnosis);
  int64_t start = crv_now_us();
  bool json = rq->body_type && strcmp(rq->body_type, "application/json") == 0;
  if (!d) return crv_no_memory(err);
  if (json ? !from_json(rq, &ask, &in, err) : !from_text(rq, &ask, &in, err)) return false;
  if (!read_sheet(rq, ask.sheet, &in, err)) return false;
  in.capacity_bytes = ask.capacity;
  in.device = ask.device;
  in.devices = ask.devices;
  if (!crv_diagnose_text(&in, rq->arena, d, err)) return false;
  _json_ json_t *j = crv_diagnosis_json(d);
  rq->us_evaluate += crv_now_us() - start;
  if (!j) return crv_no_memory(err);
  if (rq->format == CRV_F_JSON) return crv_resp_json_steal(rq, rs, 200, crv_steal(&j), err);
  _buf_ struct crv_buf text = {0};
  crv_buf_init(&text, 0);
  crv_render_diagnosis(j, &text);
  return crv_answer_buf(rq, rs, 200, &text, err);
}
