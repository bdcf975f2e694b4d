/* The one door for JSON from outside, canonical JSON, and short constructors for answers.
   A text whose first byte is CRV_JSON_NUM was a number token; on the way out it is written as the
   plain text of that token, so that nothing stored or hashed holds a JSON real.
   Must not know: what the members mean. */
#include "core/base/json.h"

#include <string.h>

#include "core/base/buf.h"
#include "core/base/json_scan.h"
#include "core/base/text.h"

static bool out_of_memory(struct crv_err *err) {
  return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

/* Start of the text that ends before `end`: its opening quote. */
static size_t string_start(const char *s, size_t end) {
  size_t at = end - 1;
  while (at > 0) {
    size_t slashes = 0;
    if (s[--at] != '"') continue;
    while (slashes < at && s[at - 1 - slashes] == '\\') slashes++;
    if (slashes % 2 == 0) break;
  }
  return at;
}

/* After the walk, jansson has only these left to refuse: a key that stands twice, and memory. */
static void explain(const char *data, size_t len, const struct crv_json_text *t,
                    const json_error_t *je, struct crv_err *err) {
  char quote[CRV_QUOTE_ROOM];
  unsigned line, column;
  size_t end = crv_json_text_origin(t, je->position > 0 ? (size_t)je->position : 0);
  if (json_error_code(je) == json_error_out_of_memory) {
    out_of_memory(err);
    return;
  }
  if (json_error_code(je) == json_error_duplicate_key && end > 1 && end <= len) {
    size_t start = string_start(data, end);
    crv_json_position(data, len, start, &line, &column);
    crv_text_quote(data + start + 1, end - start - 2, quote);
    crv_fail(err, CRV_MALFORMED_JSON, "line %u, column %u: the key %s stands twice in one object.",
             line, column, quote);
    return;
  }
  crv_json_position(data, len, end, &line, &column);
  crv_fail(err, CRV_MALFORMED_JSON, "line %u, column %u: not valid JSON.", line, column);
}

static json_t *parse(const char *data, size_t len, const struct crv_json_limits *limits,
                     struct crv_err *err) {
  struct crv_json_text t;
  json_error_t je;
  json_t *j = NULL;
  if (crv_json_scan(data, len, limits, &t, err)) {
    size_t flags = JSON_REJECT_DUPLICATES | (limits->any_top ? JSON_DECODE_ANY : 0);
    j = json_loadb(t.data, t.len, flags, &je);
    if (!j) explain(data, len, &t, &je, err);
  }
  crv_json_text_done(&t);
  return j;
}

json_t *crv_json_parse(const char *data, size_t len, struct crv_err *err) {
  static const struct crv_json_limits limits = {.depth = CRV_JSON_DEPTH, .tokens = CRV_JSON_TOKENS};
  return parse(data, len, &limits, err);
}

json_t *crv_json_parse_stored(const char *data, size_t len, struct crv_err *err) {
  static const struct crv_json_limits limits = {.depth = CRV_JSON_STORED_DEPTH, .any_top = true};
  return parse(data, len, &limits, err);
}

static json_t *unconst(const json_t *j) {
  return (json_t *)(uintptr_t)j; /* jansson's iterators take a plain pointer and change nothing */
}

static bool has_real(const json_t *j) {
  const char *key;
  json_t *v;
  size_t i;
  if (json_is_real(j)) return true;
  if (json_is_array(j)) {
    json_array_foreach(j, i, v) {
      if (has_real(v)) return true;
    }
  } else if (json_is_object(j)) {
    json_object_foreach(unconst(j), key, v) {
      if (has_real(v)) return true;
    }
  }
  return false;
}

static int add_chunk(const char *chunk, size_t len, void *ctx) {
  struct crv_buf *b = ctx;
  crv_buf_add(b, chunk, len);
  return b->failed ? -1 : 0;
}

/* Takes the marks of number tokens out of JSON text in place. A mark is an escape right behind the
   quote that opens a text. */
static void drop_marks(char *s) {
  static const char mark[] = "\\u0001";
  bool inside = false;
  char *out = s;
  while (*s) {
    char c = *s;
    *out++ = *s++;
    if (c == '\\' && inside && *s) {
      *out++ = *s++;
    } else if (c == '"') {
      inside = !inside;
      if (inside && strncmp(s, mark, sizeof mark - 1) == 0) s += sizeof mark - 1;
    }
  }
  *out = '\0';
}

static char *dump(const json_t *j, size_t flags) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  if (!j || has_real(j)) return NULL;
  if (json_dump_callback(j, add_chunk, &b, flags | JSON_COMPACT | JSON_ENCODE_ANY) != 0)
    return NULL;
  char *s = crv_buf_take(&b, NULL);
  if (s && strstr(s, "\"\\u0001")) drop_marks(s);
  return s;
}

char *crv_json_canonical(const json_t *j) {
  return dump(j, JSON_SORT_KEYS);
}

char *crv_json_compact(const json_t *j) {
  return dump(j, 0);
}

bool crv_json_set_text(json_t *obj, const char *key, const char *value) {
  return !value || json_object_set_new(obj, key, json_string(value)) == 0;
}

bool crv_json_set_int(json_t *obj, const char *key, int64_t value) {
  return json_object_set_new(obj, key, json_integer(value)) == 0;
}

bool crv_json_set_bool(json_t *obj, const char *key, bool value) {
  return json_object_set_new(obj, key, json_boolean(value)) == 0;
}

bool crv_json_set_opt(json_t *obj, const char *key, struct crv_opt_int value) {
  return json_object_set_new(obj, key, value.set ? json_integer(value.v) : json_null()) == 0;
}

bool crv_json_set_decimal(json_t *obj, const char *key, int64_t micro) {
  char text[32];
  return crv_json_set_text(obj, key, crv_decimal_text(micro, text, sizeof text));
}

bool crv_json_set_money(json_t *obj, const char *key, int64_t micro) {
  return crv_json_set_decimal(obj, key, micro);
}

bool crv_json_set_time(json_t *obj, const char *key, int64_t ms) {
  char text[40];
  return crv_json_set_text(obj, key, crv_time_text(ms, text, sizeof text));
}

bool crv_json_set_steal(json_t *obj, const char *key, json_t *value) {
  return !value || json_object_set_new(obj, key, value) == 0;
}
