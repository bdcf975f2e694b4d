/* The service about itself: health, readiness, version, metrics, its own description, problems. */
#include <stdio.h>
#include <string.h>

#include "api/answer.h"
#include "api/handlers.h"
#include "api/routes.h"
#include "api/show.h"
#include "api/table.h"
#include "config.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/decide/decide.h"

/* Text, or the text in a page. */
static bool page(struct crv_req *rq, struct crv_resp *rs, const char *title, struct crv_buf *b,
                 struct crv_err *err) {
  if (b->failed) return crv_no_memory(err);
  if (rq->format != CRV_F_HTML) return crv_answer_buf(rq, rs, 200, b, err);
  rs->status = 200;
  return crv_show_html(rq, rs, title, b->data ? b->data : "", err);
}

/* An object of texts and numbers, or its members as lines. */
static bool object(struct crv_req *rq, struct crv_resp *rs, int status, json_t *j,
                   struct crv_err *err) {
  _json_ json_t *owned = j;
  const char *name;
  json_t *v;
  if (!owned) return crv_no_memory(err);
  if (rq->format == CRV_F_JSON) return crv_resp_json_steal(rq, rs, status, crv_steal(&owned), err);
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  json_object_foreach(owned, name, v) {
    if (json_is_string(v)) crv_buf_printf(&b, "%s: %s\n", name, json_string_value(v));
    if (json_is_integer(v))
      crv_buf_printf(&b, "%s: %" JSON_INTEGER_FORMAT "\n", name, json_integer_value(v));
  }
  return crv_answer_buf(rq, rs, status, &b, err);
}

bool crv_h_healthz(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  _json_ json_t *j = json_object();
  if (!crv_json_set_text(j, "status", "ok")) return crv_no_memory(err);
  return object(rq, rs, 200, crv_steal(&j), err) &&
         crv_answer_header(rs, "Cache-Control", "no-store", err);
}

/* -- readiness ----------------------------------------------------------------------------- */

struct readiness {
  json_t *j;
  bool ready;
};

static void check(struct readiness *r, const char *name, bool ok, const char *why) {
  crv_json_set_text(r->j, name, ok ? "ok" : why);
  r->ready = r->ready && ok;
}

bool crv_h_readyz(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_api *api = crv_api_of(rq);
  const char *why = NULL;
  struct readiness r = {json_object(), true};
  if (!r.j) return crv_no_memory(err);
  bool writable = crv_store_writable(api->store, &why);
  bool stopping = api->process_draining && api->process_draining(api->process);
  check(&r, "store", writable, why ? why : "read-only");
  check(&r, "drain", !stopping, "stopping");
  crv_json_set_text(r.j, "status", r.ready ? "ready" : "not ready");
  if (!r.ready && !crv_answer_header(rs, "Retry-After", "5", err)) {
    json_decref(r.j);
    return false;
  }
  return object(rq, rs, r.ready ? 200 : 503, r.j, err) &&
         crv_answer_header(rs, "Cache-Control", "no-store", err);
}

/* -- version ------------------------------------------------------------------------------- */

static json_t *limits_json(const struct crv_api *api) {
  _json_ json_t *j = json_object();
  if (crv_json_set_int(j, "head_bytes", 16384) && crv_json_set_int(j, "target_bytes", 4096) &&
      crv_json_set_int(j, "json_bytes", (int64_t)api->json_limit) &&
      crv_json_set_int(j, "json_depth", CRV_JSON_DEPTH) &&
      crv_json_set_int(j, "json_tokens", CRV_JSON_TOKENS) &&
      crv_json_set_int(j, "import_bytes", (int64_t)api->import_limit) &&
      crv_json_set_int(j, "content_bytes", (int64_t)api->content_limit) &&
      crv_json_set_int(j, "connections", api->connections))
    return crv_steal(&j);
  return NULL;
}

bool crv_h_version(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_api *api = crv_api_of(rq);
  _json_ json_t *j = json_object();
  if (!crv_json_set_text(j, "name", "crivo") || !crv_json_set_text(j, "version", PACKAGE_VERSION) ||
      !crv_json_set_text(j, "rules", CRV_RULES_VERSION) ||
      !crv_json_set_int(j, "alias_table", crv_alias_version) ||
      !crv_json_set_steal(j, "limits", limits_json(api)))
    return crv_no_memory(err);
  return object(rq, rs, 200, crv_steal(&j), err);
}

bool crv_h_metrics(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_api *api = crv_api_of(rq);
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  if (api->process_metrics)
    api->process_metrics(api->process, &b);
  else
    crv_api_metrics(api, &b);
  return crv_resp_buf(rs, 200, "text/plain; version=0.0.4; charset=utf-8", &b, err);
}

bool crv_h_openapi(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  struct crv_api *api = crv_api_of(rq);
  return crv_answer_json_text(rq, rs, 200, api->openapi, api->openapi_len, err) &&
         crv_answer_tag(rq, rs, api->openapi, err);
}

/* -- documentation -------------------------------------------------------------------------- */

static const char *roles_text(unsigned roles, char *out, size_t room) {
  static const unsigned each[] = {CRV_ROLE_READER, CRV_ROLE_CI, CRV_ROLE_PROCUREMENT,
                                  CRV_ROLE_ADMIN};
  size_t used = 0;
  if (roles == CRV_ROLE_NONE) return "no token";
  if (roles == CRV_ROLE_ANY) return "any token";
  out[0] = '\0';
  for (size_t i = 0; i < 4; i++)
    if (roles & each[i] && used < room)
      used += (size_t)snprintf(out + used, room - used, "%s%s", used ? ", " : "",
                               crv_role_name(each[i]));
  return out;
}

bool crv_h_docs(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  char roles[64];
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  crv_buf_str(
      &b, "Crivo sieves GPU offers against workload sheets with evidence.\n"
          "The whole description: /openapi.json. Every list takes ?format=json|csv|ndjson|text.\n");
  for (size_t i = 0; i < crv_n_routes; i++) {
    const struct crv_route *r = &crv_routes[i];
    crv_buf_printf(&b, "\n%s %s\n    %s\n    %s", crv_method_name(r->method), r->pattern,
                   r->summary, roles_text(r->roles, roles, sizeof roles));
    if (r->params[0]) {
      crv_buf_str(&b, "; ?");
      crv_text_wrap(&b, r->params, 20, 8, CRV_TEXT_COLUMNS);
    } else {
      crv_buf_char(&b, '\n');
    }
  }
  return page(rq, rs, "Crivo: operations", &b, err);
}

bool crv_h_problem(struct crv_req *rq, struct crv_resp *rs, struct crv_err *err) {
  const struct crv_code_info *info = crv_code_by_slug(rq->capture[0]);
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  if (!info) return crv_fail(err, CRV_NOT_FOUND, "There is no problem of that name.");
  crv_buf_printf(&b, "%s (status %d)\n\n", info->slug, info->status);
  crv_text_wrap(&b, info->title, 0, 0, CRV_TEXT_COLUMNS);
  crv_buf_str(&b, "What helps: ");
  crv_text_wrap(&b, info->cure, 12, 0, CRV_TEXT_COLUMNS);
  return page(rq, rs, info->slug, &b, err);
}
