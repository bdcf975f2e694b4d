/* Paths, operations and answers of the OpenAPI document. */
#include "api/openapi.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "api/openapi_in.h"
#include "api/routes.h"
#include "config.h"
#include "core/base/cleanup.h"
#include "server/reply.h"

static bool set(json_t *obj, const char *key, json_t *v) {
  return v && json_object_set_new(obj, key, v) == 0;
}

static bool add(json_t *list, json_t *v) {
  return v && json_array_append_new(list, v) == 0;
}

/* -- parameters ---------------------------------------------------------------------------- */

static json_t *param(const char *name, const char *where, const char *schema, const char *doc) {
  _json_ json_t *j = json_object();
  if (!j || !set(j, "name", json_string(name)) || !set(j, "in", json_string(where)) ||
      (doc && !set(j, "description", json_string(doc))) ||
      (strcmp(where, "path") == 0 && !set(j, "required", json_true())) ||
      !set(j, "schema", json_loadb(schema, strlen(schema), 0, NULL)))
    return NULL;
  return crv_steal(&j);
}

static bool path_params(json_t *list, const char *pattern) {
  char name[64];
  for (const char *s = strchr(pattern, '{'); s; s = strchr(s + 1, '{')) {
    int len = (int)strcspn(s + 1, "}");
    snprintf(name, sizeof name, "%.*s", len, s + 1);
    bool number = strcmp(name, "n") == 0 || strcmp(name, "id") == 0;
    if (!add(list,
             param(name, "path",
                   number ? "{\"type\":\"integer\",\"minimum\":1}"
                          : "{\"type\":\"string\",\"pattern\":\"^[a-z0-9][a-z0-9._-]{0,127}$\"}",
                   NULL)))
      return false;
  }
  return true;
}

static bool query_params(json_t *list, const char *params) {
  char name[64];
  const char *schema, *doc;
  for (const char *s = params; *s; s += strspn(s, " ")) {
    int len = (int)strcspn(s, " ");
    snprintf(name, sizeof name, "%.*s", len, s);
    crv_openapi_param(name, &schema, &doc);
    if (!add(list, param(name, "query", schema, doc))) return false;
    s += len;
  }
  return true;
}

static bool header_params(json_t *list, const struct crv_route *r) {
  static const char text[] = "{\"type\":\"string\"}";
  if (r->method == CRV_M_POST && !(r->roles & CRV_ROLE_READER))
    return add(list, param("Idempotency-Key", "header",
                           "{\"type\":\"string\",\"minLength\":1,\"maxLength\":255}",
                           "A retry with the same key gets the first answer."));
  if (r->method == CRV_M_PUT || r->method == CRV_M_DELETE) {
    if (!add(list, param("If-Match", "header", text, "The tag of the version that is replaced.")))
      return false;
  }
  if (r->method == CRV_M_PUT || r->method == CRV_M_GET)
    return add(list, param("If-None-Match", "header", text,
                           r->method == CRV_M_GET ? "Tags that the client has: 304."
                                                  : "*: only when nothing is stored."));
  return true;
}

static bool format_param(json_t *list, const struct crv_route *r) {
  char schema[128] = "{\"type\":\"string\",\"enum\":[";
  static const struct {
    unsigned bit;
    const char *name;
  } names[] = {{CRV_F_JSON, "json"}, {CRV_F_TEXT, "text"},     {CRV_F_CSV, "csv"},
               {CRV_F_MD, "md"},     {CRV_F_NDJSON, "ndjson"}, {CRV_F_JUNIT, "junit"},
               {CRV_F_HTML, "html"}};
  bool first = true;
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    if (!(r->formats & names[i].bit)) continue;
    size_t used = strlen(schema);
    snprintf(schema + used, sizeof schema - used, "%s\"%s\"", first ? "" : ",", names[i].name);
    first = false;
  }
  size_t used = strlen(schema);
  snprintf(schema + used, sizeof schema - used, "]}");
  return first ||
         add(list, param("format", "query", schema, "The answer's format; wins over Accept."));
}

/* -- bodies and answers -------------------------------------------------------------------- */

static json_t *media(const char *schema) {
  _json_ json_t *j = json_object();
  if (!j || (schema && !set(j, "schema", crv_openapi_ref(schema)))) return NULL;
  return crv_steal(&j);
}

static json_t *request_body(const struct crv_route *r) {
  static const char *const imports[] = {"text/csv", "application/x-ndjson", "text/plain",
                                        "application/octet-stream", NULL};
  static const char *const any[] = {"*/*", NULL};
  _json_ json_t *j = json_object();
  _json_ json_t *content = json_object();
  const char *const *types = r->body == CRV_BODY_IMPORT ? imports : any;
  if (!j || !content || !set(j, "required", json_true())) return NULL;
  if (r->body == CRV_BODY_JSON) {
    if (!set(content, "application/json", media(crv_openapi_request(r->id)))) return NULL;
  } else {
    for (; *types; types++)
      if (!set(content, *types, media(NULL))) return NULL;
  }
  return set(j, "content", crv_steal(&content)) ? crv_steal(&j) : NULL;
}

static json_t *answer_content(const struct crv_route *r) {
  _json_ json_t *content = json_object();
  if (!content) return NULL;
  if (r->formats == CRV_F_OTHER)
    return set(content, "*/*", media(NULL)) ? crv_steal(&content) : NULL;
  for (unsigned bit = CRV_F_JSON; bit <= CRV_F_HTML; bit <<= 1) {
    char type[64];
    if (!(r->formats & bit)) continue;
    const char *full = crv_format_type((enum crv_format)bit);
    snprintf(type, sizeof type, "%.*s", (int)strcspn(full, ";"), full);
    if (!set(content, type, media(bit == CRV_F_JSON ? crv_openapi_answer(r->id) : NULL)))
      return NULL;
  }
  return crv_steal(&content);
}

static json_t *answer(const char *doc, json_t *content) {
  _json_ json_t *j = json_object();
  _json_ json_t *owned = content;
  if (!j || !set(j, "description", json_string(doc)) ||
      (owned && json_object_set(j, "content", owned) != 0))
    return NULL;
  return crv_steal(&j);
}

static json_t *problem(const char *doc) {
  _json_ json_t *content = json_object();
  if (!content || !set(content, "application/problem+json", media("Problem"))) return NULL;
  return answer(doc, crv_steal(&content));
}

/* Which statuses an operation can give beside those of every one. */
static bool errors(json_t *list, const struct crv_route *r) {
  bool writes = r->method != CRV_M_GET, body = r->body != CRV_BODY_NONE;
  bool named = strchr(r->pattern, '{') != NULL;
  if (!set(list, "400", problem("The request cannot be read."))) return false;
  if (r->roles != CRV_ROLE_NONE && (!set(list, "401", problem("A valid token is needed.")) ||
                                    !set(list, "403", problem("The token's role may not."))))
    return false;
  if (named && (!set(list, "404", problem("Nothing is kept there.")) ||
                !set(list, "410", problem("It was withdrawn."))))
    return false;
  if (r->method == CRV_M_POST && !set(list, "409",
                                      problem("It does not fit what is stored, or the "
                                              "gate is not met.")))
    return false;
  if (writes && !set(list, "412", problem("The stored version is another."))) return false;
  if (body && (!set(list, "413", problem("The body is too large.")) ||
               !set(list, "415", problem("The media type is not taken.")) ||
               !set(list, "422", problem("Some fields cannot be accepted."))))
    return false;
  return set(list, "406", problem("No such format is given here.")) &&
         set(list, "503", problem("Not now; see Retry-After."));
}

static json_t *responses(const struct crv_route *r) {
  _json_ json_t *j = json_object();
  bool creates = r->method == CRV_M_PUT || r->method == CRV_M_POST;
  bool reads = r->roles & CRV_ROLE_READER || r->roles == CRV_ROLE_NONE;
  if (!j || !set(j, "200", answer("Done.", answer_content(r)))) return NULL;
  if (creates && !reads && r->body != CRV_BODY_IMPORT &&
      !set(j, "201", answer("Created.", answer_content(r))))
    return NULL;
  if (r->method == CRV_M_GET && !set(j, "304", answer("The client has it already.", NULL)))
    return NULL;
  return errors(j, r) ? crv_steal(&j) : NULL;
}

/* -- operations ---------------------------------------------------------------------------- */

static json_t *operation(const struct crv_route *r) {
  _json_ json_t *j = json_object();
  _json_ json_t *params = json_array();
  if (!j || !params || !set(j, "operationId", json_string(r->id)) ||
      !set(j, "summary", json_string(r->summary)))
    return NULL;
  if (!path_params(params, r->pattern) || !query_params(params, r->params) ||
      !format_param(params, r) || !header_params(params, r) ||
      !set(j, "parameters", crv_steal(&params)))
    return NULL;
  if (r->body != CRV_BODY_NONE && !set(j, "requestBody", request_body(r))) return NULL;
  if (r->roles == CRV_ROLE_NONE && !set(j, "security", json_array())) return NULL;
  return set(j, "responses", responses(r)) ? crv_steal(&j) : NULL;
}

static json_t *paths(void) {
  _json_ json_t *j = json_object();
  char method[8];
  for (size_t i = 0; j && i < crv_n_routes; i++) {
    const struct crv_route *r = &crv_routes[i];
    json_t *item = json_object_get(j, r->pattern);
    if (!item && (item = json_object()) && json_object_set_new(j, r->pattern, item) != 0)
      return NULL;
    snprintf(method, sizeof method, "%s", crv_method_name(r->method));
    for (char *s = method; *s; s++) *s = (char)(*s - 'A' + 'a');
    if (!item || !set(item, method, operation(r))) return NULL;
  }
  return crv_steal(&j);
}

static const char security[] = "{\"bearer\":{\"type\":\"http\",\"scheme\":\"bearer\"},"
                               "\"basic\":{\"type\":\"http\",\"scheme\":\"basic\",\"description\":"
                               "\"The token as password.\"}}";
static const char security_use[] = "[{\"bearer\":[]},{\"basic\":[]}]";

static json_t *components(void) {
  _json_ json_t *j = json_object();
  if (!j || !set(j, "securitySchemes", json_loadb(security, strlen(security), 0, NULL)) ||
      !set(j, "schemas", crv_openapi_schemas()))
    return NULL;
  return crv_steal(&j);
}

static json_t *info(void) {
  _json_ json_t *j = json_object();
  if (!j || !set(j, "title", json_string("Crivo")) ||
      !set(j, "version", json_string(PACKAGE_VERSION)) ||
      !set(j, "description",
           json_string("Sieves GPU offers against workload sheets with evidence: which offers can "
                       "really carry a workload, what proves it, and what is still to be "
                       "confirmed.")))
    return NULL;
  return crv_steal(&j);
}

char *crv_openapi_make(size_t *ret_len, struct crv_err *err) {
  _json_ json_t *j = json_object();
  bool ok = j && set(j, "openapi", json_string("3.1.0")) && set(j, "info", info()) &&
            set(j, "security", json_loadb(security_use, strlen(security_use), 0, NULL)) &&
            set(j, "paths", paths()) && set(j, "components", components());
  char *text = ok ? json_dumps(j, JSON_INDENT(1)) : NULL;
  if (!text) crv_fail(err, CRV_OUT_OF_MEMORY, "No memory for the interface's description.");
  if (text) *ret_len = strlen(text);
  return text;
}
