/* Reading safetensors headers. A length is never believed before it was compared with what came.
   Must not know: what the tensors are for. */
#include "core/model/safetensors.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/text.h"

const struct crv_safetensors_type crv_safetensors_types[] = {
#define X(name, bits) {#name, bits},
#include "core/model/safetensors_types.def"
#undef X
};
const size_t crv_n_safetensors_types = sizeof crv_safetensors_types / sizeof *crv_safetensors_types;

static bool no_memory(struct crv_err *err) {
  return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

static uint64_t little_endian(const uint8_t *p) {
  uint64_t v = 0;
  for (int i = 7; i >= 0; i--) v = v << 8 | p[i];
  return v;
}

/* JSON text cannot pass for a length: its bytes make more than the format allows. */
static bool is_raw(const uint8_t *p, size_t len) {
  return len >= 8 && little_endian(p) <= CRV_SAFETENSORS_HEADER;
}

static bool looks_like_json(const uint8_t *p, size_t len) {
  size_t i = 0;
  while (i < len && (p[i] == ' ' || p[i] == '\t' || p[i] == '\n' || p[i] == '\r')) i++;
  return i < len && p[i] == '{';
}

static json_t *parse(const char *text, size_t len, const char *ptr, struct crv_arena *a,
                     struct crv_err *err) {
  struct crv_err *own = crv_new(a, struct crv_err);
  if (!own) {
    no_memory(err);
    return NULL;
  }
  json_t *j = crv_json_parse_stored(text, len, own);
  if (j && json_is_object(j)) return j;
  if (!j && own->code == CRV_OUT_OF_MEMORY)
    no_memory(err);
  else if (!j)
    crv_fail_field(err, ptr, "bad_format", NULL, "The header is not acceptable JSON: %.160s",
                   own->detail);
  else
    crv_fail_field(err, ptr, "wrong_type", NULL, "The header must be an object of tensors.");
  json_decref(j);
  return NULL;
}

/* The raw file's header; its claim is at most 100 MB and is compared with len first. */
static json_t *open_raw(const uint8_t *p, size_t len, const char *ptr, struct crv_arena *a,
                        struct crv_safetensors_shard *ret, struct crv_err *err) {
  size_t n = (size_t)little_endian(p);
  if (n > len - 8) {
    crv_fail_field(err, ptr, "truncated", "the file's beginning, by head -c",
                   "The header ends at byte %zu; only %zu came.", n + 8, len);
    return NULL;
  }
  ret->head_bytes = (struct crv_opt_int){.v = (int64_t)n + 8, .set = true};
  ret->file_bytes = (struct crv_opt_int){.v = (int64_t)len, .set = true};
  return parse((const char *)p + 8, n, ptr, a, err);
}

json_t *crv_safetensors_open(const void *data, size_t len, const char *ptr, struct crv_arena *a,
                             struct crv_safetensors_shard *ret, struct crv_err *err) {
  const uint8_t *p = data;
  json_t *header = NULL;
  memset(ret, 0, sizeof *ret);
  if (is_raw(p, len))
    header = open_raw(p, len, ptr, a, ret, err);
  else if (looks_like_json(p, len))
    header = parse(data, len, ptr, a, err);
  else if (len < 8)
    crv_fail_field(err, ptr, "truncated", NULL, "Only %zu bytes came; a header has more.", len);
  else
    crv_fail_field(err, ptr, "bad_format", NULL,
                   "No safetensors: the header's length would be beyond 100000000 bytes.");
  ret->header = header;
  return header;
}

/* While the tensors of one shard are read. */
struct reading {
  const char *ptr; /* of the shard */
  struct crv_arena *a;
  struct crv_err *err;
  struct crv_tensor *tensor; /* room for all tensors */
  size_t n;
};
struct span {
  int64_t begin, end;
  const char *name;
};

static bool refuse(struct reading *r, const char *name, const char *code, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));
static bool refuse(struct reading *r, const char *name, const char *code, const char *fmt, ...) {
  char where[160], detail[200];
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(detail, sizeof detail, fmt, ap);
  va_end(ap);
  return crv_fail_field(r->err, crv_tensor_ptr(r->ptr, name, where, sizeof where), code, NULL, "%s",
                        detail);
}

static const struct crv_safetensors_type *type_of(const json_t *entry) {
  const char *name = json_string_value(json_object_get(entry, "dtype"));
  for (size_t i = 0; name && i < crv_n_safetensors_types; i++)
    if (strcmp(crv_safetensors_types[i].name, name) == 0) return &crv_safetensors_types[i];
  return NULL;
}

static bool read_shape(struct reading *r, const char *name, const json_t *list,
                       struct crv_tensor *t) {
  size_t n = json_array_size(list);
  if (!json_is_array(list) || n > CRV_TENSOR_DIMS)
    return refuse(r, name, "wrong_type", "shape must be a list of at most %d whole numbers.",
                  CRV_TENSOR_DIMS);
  int64_t *shape = crv_new_array(r->a, n, int64_t);
  if (!shape) return no_memory(r->err);
  t->shape = shape;
  t->dims = (unsigned)n;
  t->elements = 1;
  for (size_t i = 0; i < n; i++) {
    const json_t *v = json_array_get(list, i);
    shape[i] = json_integer_value(v);
    if (!json_is_integer(v) || shape[i] < 0 || shape[i] > CRV_INT_MAX)
      return refuse(r, name, "out_of_range", "shape holds what is no size: entry %zu.", i);
    if (!crv_mul(t->elements, shape[i], &t->elements))
      return refuse(r, name, "overflow", "shape has more than 2^63 elements.");
  }
  return true;
}

static bool read_span(struct reading *r, const char *name, const json_t *list, struct span *s) {
  const json_t *begin = json_array_get(list, 0), *end = json_array_get(list, 1);
  s->name = name;
  s->begin = json_integer_value(begin);
  s->end = json_integer_value(end);
  if (json_array_size(list) != 2 || !json_is_integer(begin) || !json_is_integer(end))
    return refuse(r, name, "wrong_type", "data_offsets must be two whole numbers.");
  if (s->begin < 0 || s->end < s->begin || s->end > CRV_INT_MAX)
    return refuse(r, name, "out_of_range", "data_offsets must rise from 0 or more.");
  return true;
}

static bool check_size(struct reading *r, const struct crv_tensor *t, int64_t bits,
                       const struct span *s) {
  int64_t size;
  if (!crv_mul(t->elements, bits, &size))
    return refuse(r, t->name, "overflow", "Its size would be more than 2^63 bits.");
  if (size % 8 != 0)
    return refuse(r, t->name, "conflict", "%lld elements of %lld bits fill no whole byte.",
                  (long long)t->elements, (long long)bits);
  if (size / 8 != s->end - s->begin)
    return refuse(r, t->name, "conflict",
                  "data_offsets span %lld bytes; %s with this shape takes %lld.",
                  (long long)(s->end - s->begin), t->type, (long long)(size / 8));
  return true;
}

static bool read_tensor(struct reading *r, const char *name, const json_t *entry, struct span *s) {
  struct crv_tensor *t = &r->tensor[r->n];
  const struct crv_safetensors_type *type = type_of(entry);
  if (!json_is_object(entry)) return refuse(r, name, "wrong_type", "A tensor is an object.");
  if (!type)
    return refuse(r, name, "not_one_of", "dtype is missing, or none that safetensors defines.");
  if (!read_shape(r, name, json_object_get(entry, "shape"), t)) return false;
  if (!read_span(r, name, json_object_get(entry, "data_offsets"), s)) return false;
  t->name = crv_arena_strdup(r->a, name);
  if (!t->name) return no_memory(r->err);
  t->type = type->name;
  t->bytes = s->end - s->begin;
  if (!check_size(r, t, type->bits, s)) return false;
  r->n++;
  return true;
}

static int by_begin(const void *a, const void *b) {
  const struct span *x = a, *y = b;
  if (x->begin != y->begin) return x->begin < y->begin ? -1 : 1;
  return (x->end > y->end) - (x->end < y->end);
}

/* From 0 on, each begins where the one before ends. */
static bool check_spans(struct reading *r, struct span *spans, size_t n, int64_t *ret_end) {
  int64_t end = 0;
  if (n) qsort(spans, n, sizeof *spans, by_begin);
  for (size_t i = 0; i < n; i++) {
    if (spans[i].begin != end)
      return refuse(r, spans[i].name, "conflict",
                    "Its data begins at %lld, %s the tensor before it, which ends at %lld.",
                    (long long)spans[i].begin, spans[i].begin < end ? "within" : "with a gap after",
                    (long long)end);
    end = spans[i].end;
  }
  *ret_end = end;
  return true;
}

static bool check_file(struct reading *r, const struct crv_safetensors_shard *shard, int64_t end,
                       struct crv_opt_int *artefact) {
  int64_t all = 0;
  artefact->set = artefact->set && shard->head_bytes.set;
  if (!shard->head_bytes.set) return true;
  if (!crv_add(shard->head_bytes.v, end, &all) || !crv_add(artefact->v, all, &artefact->v))
    return crv_fail_field(r->err, r->ptr, "overflow", NULL, "The file would be beyond 2^63 bytes.");
  if (shard->file_bytes.set && shard->file_bytes.v > all)
    return crv_fail_field(r->err, r->ptr, "conflict", NULL,
                          "%lld bytes came, and the last tensor ends at %lld.",
                          (long long)shard->file_bytes.v, (long long)all);
  return true;
}

enum { ERRORS_ENOUGH = 20 };

static bool read_shard(struct reading *r, const struct crv_safetensors_shard *shard,
                       struct crv_opt_int *artefact) {
  size_t room = json_object_size(shard->header), n = 0, errors = 0;
  _free_ struct span *spans = calloc(room ? room : 1, sizeof *spans);
  const char *name;
  json_t *entry;
  int64_t end = 0;
  if (!spans) return no_memory(r->err);
  json_object_foreach((json_t *)(uintptr_t)shard->header, name, entry) {
    if (strcmp(name, "__metadata__") == 0) continue;
    if (read_tensor(r, name, entry, &spans[n]))
      n++;
    else if (r->err->code == CRV_OUT_OF_MEMORY || ++errors >= ERRORS_ENOUGH)
      return false;
  }
  if (errors || !check_spans(r, spans, n, &end)) return false;
  return check_file(r, shard, end, artefact);
}

/* Every header must be an object; ret_room: tensors at most. */
static bool check_headers(const struct crv_safetensors_shard *shards, size_t n, const char *ptr,
                          size_t *ret_room, struct crv_err *err) {
  size_t room = 0;
  for (size_t i = 0; i < n; i++) {
    if (!json_is_object(shards[i].header))
      return crv_fail_field(err, ptr, "wrong_type", NULL,
                            "Expected the header of a safetensors file, an object.");
    room += json_object_size(shards[i].header);
  }
  *ret_room = room;
  return true;
}

bool crv_safetensors_read(const struct crv_safetensors_shard *shards, size_t n, const char *ptr,
                          struct crv_arena *a, struct crv_tensors *ret, struct crv_err *err) {
  struct reading r = {.ptr = ptr, .a = a, .err = err};
  struct crv_opt_int artefact = {.set = n > 0};
  size_t room = 0;
  bool ok = true;
  memset(ret, 0, sizeof *ret);
  if (!check_headers(shards, n, ptr, &room, err)) return false;
  r.tensor = crv_new_array(a, room, struct crv_tensor);
  if (!r.tensor) return no_memory(err);
  for (size_t i = 0; i < n && err->code != CRV_OUT_OF_MEMORY; i++) {
    if (n > 1) r.ptr = crv_arena_printf(a, "%s/%zu", ptr, i);
    if (!r.ptr) return no_memory(err);
    ok = read_shard(&r, &shards[i], &artefact) && ok;
  }
  if (!ok) return false;
  ret->at = (struct crv_list){.n = r.n, .at = r.tensor};
  ret->artefact_bytes = artefact;
  return crv_tensors_finish(ret, ptr, a, err);
}

/* Frees what crv_safetensors_open gave. */
static void drop(json_t **headers, size_t n) {
  for (size_t i = 0; i < n; i++) json_decref(headers[i]);
}

bool crv_safetensors_load(const struct crv_bytes *files, size_t n, const char *ptr,
                          struct crv_arena *a, struct crv_tensors *ret, struct crv_err *err) {
  struct crv_safetensors_shard *shards = crv_new_array(a, n, struct crv_safetensors_shard);
  _free_ json_t **headers = calloc(n ? n : 1, sizeof *headers);
  bool ok = true;
  if (!shards || !headers) return no_memory(err);
  for (size_t i = 0; i < n; i++) {
    const char *where = n > 1 ? crv_arena_printf(a, "%s/%zu", ptr, i) : ptr;
    headers[i] =
        where ? crv_safetensors_open(files[i].p, files[i].len, where, a, &shards[i], err) : NULL;
    if (!where) no_memory(err);
    ok = headers[i] && ok;
  }
  ok = ok && crv_safetensors_read(shards, n, ptr, a, ret, err);
  drop(headers, n);
  return ok;
}
