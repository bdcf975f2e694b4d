/* Small parts of answers and requests that handlers share. */
#include "api/answer.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

#include "core/base/cleanup.h"
#include "core/base/hash.h"
#include "core/base/json.h"

bool crv_no_memory(struct crv_err *err) {
  return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

bool crv_answer_header(struct crv_resp *rs, const char *name, const char *value,
                       struct crv_err *err) {
  if (!value) return crv_no_memory(err);
  return crv_resp_header(rs, name, value) || crv_bug(err, "header %s cannot be set", name);
}

bool crv_answer_tag(struct crv_req *rq, struct crv_resp *rs, const char *seed,
                    struct crv_err *err) {
  char hex[CRV_SHA256_HEX], how[32];
  int n = snprintf(how, sizeof how, "\n%u%u\n", (unsigned)rq->format, rq->pretty ? 1u : 0u);
  struct crv_bytes parts[] = {
      {seed, strlen(seed)}, {how, (size_t)n}, {rq->query, strlen(rq->query)}};
  rs->etag = crv_arena_printf(rq->arena, "\"%.32s\"", crv_sha256_hex_parts(parts, 3, hex));
  return rs->etag || crv_no_memory(err);
}

bool crv_answer_buf(struct crv_req *rq, struct crv_resp *rs, int status, struct crv_buf *b,
                    struct crv_err *err) {
  return crv_resp_buf(rs, status, crv_format_type(rq->format), b, err);
}

bool crv_answer_json_text(struct crv_req *rq, struct crv_resp *rs, int status, const char *json,
                          size_t len, struct crv_err *err) {
  if (rq->pretty) {
    json_t *j = crv_json_parse_stored(json, len, err);
    return j && crv_resp_json_steal(rq, rs, status, j, err);
  }
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  crv_buf_add(&b, json, len);
  return crv_resp_buf(rs, status, crv_format_type(CRV_F_JSON), &b, err);
}

bool crv_json_merge(json_t *obj, const json_t *from) {
  _json_ json_t *copy = json_copy((json_t *)(uintptr_t)from);
  const char *key;
  json_t *value;
  if (!obj || !copy) return false;
  json_object_foreach(copy, key, value) {
    if (!json_object_get(obj, key) && json_object_set(obj, key, value) != 0) return false;
  }
  return true;
}

const json_t *crv_json_at(const json_t *j, const char *path) {
  char name[64];
  while (j && *path) {
    int len = (int)strcspn(path, ".");
    snprintf(name, sizeof name, "%.*s", len, path);
    j = json_object_get(j, name);
    path += len;
    path += *path == '.';
  }
  return j;
}

const char *crv_json_text(const json_t *j, const char *path) {
  return json_string_value(crv_json_at(j, path));
}

int64_t crv_json_int(const json_t *j, const char *path, int64_t dflt) {
  const json_t *v = crv_json_at(j, path);
  return json_is_integer(v) ? json_integer_value(v) : dflt;
}

const char *crv_time_of(struct crv_arena *a, int64_t ms) {
  char text[32];
  return crv_arena_strdup(a, crv_time_text(ms, text, sizeof text));
}

bool crv_req_param_time(const struct crv_req *rq, const char *name, struct crv_opt_int *ret,
                        struct crv_err *err) {
  struct crv_unit_err ue;
  const char *s = crv_req_param(rq, name);
  *ret = (struct crv_opt_int){0};
  if (!s) return true;
  ret->set = true;
  if (crv_date_parse(s, strlen(s), &ret->v, &ue) || crv_time_parse(s, strlen(s), &ret->v, &ue))
    return true;
  return crv_fail(err, CRV_BAD_PARAMETER,
                  "The parameter '%s' takes a time such as 2026-11-30T10:00:00Z, or a date.", name);
}

bool crv_req_param_word(const struct crv_req *rq, const char *name, const char *words,
                        const char **ret, struct crv_err *err) {
  const char *s = crv_req_param(rq, name);
  *ret = s;
  if (!s) return true;
  size_t n = strlen(s);
  for (const char *w = words; *w; w += strspn(w, " ")) {
    size_t len = strcspn(w, " ");
    if (len == n && memcmp(w, s, n) == 0) return true;
    w += len;
  }
  return crv_fail(err, CRV_BAD_PARAMETER, "The parameter '%s' takes one of: %s.", name, words);
}

int64_t crv_now_us(void) {
  struct timespec t;
  clock_gettime(CLOCK_MONOTONIC, &t);
  return t.tv_sec * INT64_C(1000000) + t.tv_nsec / 1000;
}
