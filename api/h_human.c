/* Short addresses for people: text for curl, the same text in a page for browsers. */
#include <stdio.h>
#include <string.h>

#include "api/answer.h"
#include "api/handlers.h"
#include "api/record.h"
#include "api/render.h"
#include "api/shortlist.h"
#include "core/base/cleanup.h"

static const char help[] =
    "Crivo: which GPU offers can really carry a workload, what proves it, what is still to "
    "confirm.\n"
    "\n"
    "  curl \"$CRIVO/v1/budget?params=7e9&bits=16&reserve=6GiB\"           memory calculator, no "
    "token\n"
    "  T=\"Authorization: Bearer $CRIVO_TOKEN\"                          or: curl -u "
    ":\"$CRIVO_TOKEN\"\n"
    "  curl -H \"$T\" -X PUT --json @sheet.json $CRIVO/v1/sheets/NAME     the demand\n"
    "  curl -H \"$T\" -X PUT --json @offer.json $CRIVO/v1/offers/KEY      what a supplier offers\n"
    "  curl -H \"$T\" -X PUT --json @run.json $CRIVO/v1/evidence/KEY      what proves it\n"
    "  curl -H \"$T\" --json '{\"sheet\":\"NAME\"}' $CRIVO/v1/decisions      answer and keep it\n"
    "  curl -H \"$T\" $CRIVO/s/NAME                                     the shortlist as a page\n"
    "  curl -H \"$T\" \"$CRIVO/s/NAME?why=OFFER\"                         every criterion of one "
    "offer\n"
    "  curl -H \"$T\" \"$CRIVO/v1/offers?format=csv\"                     any list: json csv "
    "ndjson text\n"
    "  curl -H \"$T\" -H 'Content-Type: text/csv' --data-binary @vms.csv \\\n"
    "       \"$CRIVO/v1/imports?source=skypilot&profile=vast&currency=USD\" a price file\n"
    "\n"
    "Operations: /docs  OpenAPI: /openapi.json  Health: /healthz /readyz  Version: /version\n";

/* The handler's text as it is, or in a page. */
static bool page(struct crv_req *rq, struct crv_resp *rs, const char *title, const char *text,
                 struct crv_err *err) {
  rs->status = 200;
  if (rq->format == CRV_F_HTML) return crv_show_html(rq, rs, title, text, err);
  return crv_resp_text(rs, 200, crv_format_type(rq->format), text, err);
}

bool crv_h_home(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  return page(rq, rs, "Crivo", help, err) && crv_answer_tag(rq, rs, help, err);
}

bool crv_h_human_sheet(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  const char *name;
  return crv_req_key(rq, 0, &name, err) &&
         crv_shortlist_show(rq, rs, name, crv_req_param(rq, "why"), err);
}

bool crv_h_human_decision(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_decision_row *row = crv_new(rq->arena, struct crv_decision_row);
  struct crv_asked *asked = crv_new(rq->arena, struct crv_asked);
  struct crv_evaluation *run = crv_new(rq->arena, struct crv_evaluation);
  const char *why = crv_req_param(rq, "why");
  int64_t n;
  if (!row || !asked || !run) return crv_no_memory(err);
  if (!crv_req_number(rq, 0, &n, err) || !crv_decision_read(rq, n, row, asked, err)) return false;
  struct crv_show show = {.row = row, .sheet = asked->sheet};
  if (!why)
    return crv_show_decision(rq, rs, 200, &show, err) && crv_answer_tag(rq, rs, row->digest, err);
  if (!crv_evaluate_again(rq, row, asked, run, err)) return false;
  show.run = run;
  return crv_show_row(rq, rs, &show, why, err) && crv_answer_tag(rq, rs, row->digest, err);
}

/* -- an offer -------------------------------------------------------------------------------- */

static void put_value(const char *path, const char *name, const json_t *v, struct crv_buf *out) {
  struct crv_buf text;
  crv_buf_init(&text, 0);
  crv_value_words(name, v, &text);
  if (text.failed)
    out->failed = true;
  else if (text.len) {
    crv_buf_printf(out, "%-28s ", path);
    crv_text_wrap(out, text.data, 29, 29, CRV_TEXT_COLUMNS);
  }
  crv_buf_done(&text);
}

/* Members by dotted path; lists of objects count their items from 1. Depth is that of a record. */
static void put_members(const char *prefix, const json_t *obj, struct crv_buf *out) {
  const char *name;
  json_t *v, *one;
  size_t i;
  char path[256];
  json_object_foreach((json_t *)(uintptr_t)obj, name, v) {
    snprintf(path, sizeof path, "%s%s%s", prefix, prefix[0] ? "." : "", name);
    if (json_is_object(v))
      put_members(path, v, out);
    else if (!json_is_array(v) || json_is_string(json_array_get(v, 0)))
      put_value(path, name, v, out);
    json_array_foreach(v, i, one) {
      snprintf(path, sizeof path, "%s%s%s.%zu", prefix, prefix[0] ? "." : "", name, i + 1);
      if (json_is_object(one)) put_members(path, one, out);
    }
  }
}

bool crv_h_human_offer(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_version v;
  const char *key;
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  if (!crv_req_key(rq, 0, &key, err) || !crv_record_read(rq, &crv_offer_record, key, 0, &v, err))
    return false;
  _json_ json_t *j = crv_record_json(rq, &crv_offer_record, &v, err);
  if (!j) return false;
  put_members("", j, &b);
  if (b.failed) return crv_no_memory(err);
  const char *seed = crv_version_etag(v.key, v.version, v.digest, rq->arena);
  return seed ? page(rq, rs, key, b.data, err) && crv_answer_tag(rq, rs, seed, err)
              : crv_no_memory(err);
}
