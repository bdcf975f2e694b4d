/* Reading a GGUF head. A count or length is never believed before it was compared with the bytes
   that came: nothing is allocated for what is only claimed. Must not know: engines, budgets. */
#include "core/model/gguf.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/model/gguf_in.h"

const struct crv_ggml_type crv_ggml_types[] = {
#define X(id, name, elements, bytes) {id, #name, elements, bytes},
#include "core/model/ggml_types.def"
#undef X
};
const size_t crv_n_ggml_types = sizeof crv_ggml_types / sizeof *crv_ggml_types;

enum value { U8, I8, U16, I16, U32, I32, F32, BOOL, STRING, ARRAY, U64, I64, F64, VALUES };
/* Bytes of a value; a string: of its length alone. */
static const size_t sizes[VALUES] = {1, 1, 2, 2, 4, 4, 4, 1, 8, 12, 8, 8, 8};

enum {
  ENTRY_LEAST = 8 + 1 + 4 + 1,          /* key, type, a byte */
  TENSOR_LEAST = 8 + 1 + 4 + 8 + 4 + 8, /* name, dimensions, type, offset */
  KEY_MAX = 65535,
  NAME_MAX_BYTES = 255,
  TEXT_MAX = 256,
  ARRAY_MAX = CRV_ARCH_LAYERS,
};

const struct crv_ggml_type *crv_ggml_type(const char *name) {
  for (size_t i = 0; i < crv_n_ggml_types; i++)
    if (crv_streq(crv_ggml_types[i].name, name)) return &crv_ggml_types[i];
  return NULL;
}

bool crv_ggml_bytes(const struct crv_ggml_type *type, int64_t row, int64_t rows, int64_t *ret) {
  int64_t n;
  if (row < 0 || rows < 0 || row % type->elements != 0) return false;
  return crv_mul(row / type->elements, type->bytes, &n) && crv_mul(n, rows, ret);
}

static bool no_memory(struct crv_gguf_in *in) {
  return crv_fail(in->err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

/* n bytes at the cursor, NULL with the error when they did not come. n is at most 2^30 * 12. */
static const uint8_t *take(struct crv_gguf_in *in, size_t n) {
  if (in->at + n + in->rest > in->least) in->least = in->at + n + in->rest;
  if (n <= in->len - in->at) {
    in->at += n;
    return in->p + in->at - n;
  }
  crv_fail_field(in->err, in->ptr, "truncated", "the file's beginning, by head -c",
                 "The head does not end within the %zu bytes that came: at least %zu are needed.",
                 in->len, in->least);
  return NULL;
}

static uint64_t little_endian(const uint8_t *p, size_t n) {
  uint64_t v = 0;
  while (n-- > 0) v = v << 8 | p[n];
  return v;
}

static bool get(struct crv_gguf_in *in, size_t n, uint64_t *ret) {
  const uint8_t *p = take(in, n);
  if (p) *ret = little_endian(p, n);
  return p != NULL;
}

/* A text of at most max bytes; what names it in an error. Valid UTF-8 without NUL unless any. */
static bool get_text(struct crv_gguf_in *in, const char *what, size_t max, const char **ret,
                     size_t *ret_len) {
  uint64_t len;
  if (!get(in, 8, &len)) return false;
  if (len > max)
    return crv_fail_field(in->err, in->ptr, "out_of_range", NULL,
                          "At byte %zu, %s claims %llu bytes; at most %zu are taken.", in->at - 8,
                          what, (unsigned long long)len, max);
  *ret = (const char *)take(in, (size_t)len);
  *ret_len = (size_t)len;
  return *ret != NULL;
}

/* As above, copied and checked. */
static bool get_name(struct crv_gguf_in *in, const char *what, size_t max, const char **ret) {
  const char *s;
  size_t len;
  if (!get_text(in, what, max, &s, &len)) return false;
  if (len == 0 || !crv_utf8_ok(s, len))
    return crv_fail_field(in->err, in->ptr, "bad_format", NULL,
                          "Before byte %zu, %s is empty or no UTF-8.", in->at, what);
  *ret = crv_arena_strndup(in->a, s, len);
  return *ret ? true : no_memory(in);
}

static bool is_whole(uint64_t type) {
  return type <= I32 || type == U64 || type == I64 || type == BOOL;
}

/* The value of a whole number's bytes; unset beyond int64. */
static struct crv_opt_int whole(uint64_t type, uint64_t raw) {
  struct crv_opt_int v = {.set = true};
  switch ((enum value)type) {
  case I8:
    v.v = (int8_t)raw;
    break;
  case I16:
    v.v = (int16_t)raw;
    break;
  case I32:
    v.v = (int32_t)raw;
    break;
  default:
    v.v = (int64_t)raw;
    v.set = type != U64 || raw <= INT64_MAX;
  }
  return v;
}

/* A text too long to keep is passed over. */
static bool read_string(struct crv_gguf_in *in, struct crv_gguf_entry *e) {
  const char *s;
  size_t len;
  if (!get_text(in, "a text", CRV_GGUF_STRING, &s, &len)) return false;
  if (len > TEXT_MAX || !crv_utf8_ok(s, len)) return true;
  e->text = crv_arena_strndup(in->a, s, len);
  return e->text ? true : no_memory(in);
}

static bool keep_numbers(struct crv_gguf_in *in, struct crv_gguf_entry *e, uint64_t type,
                         const uint8_t *p) {
  int64_t *to = crv_new_array(in->a, (size_t)e->count, int64_t);
  if (!to) return no_memory(in);
  for (int64_t i = 0; i < e->count; i++, p += sizes[type]) {
    struct crv_opt_int v = whole(type, little_endian(p, sizes[type]));
    if (!v.set) return true;
    to[i] = v.v;
  }
  e->numbers = (struct crv_list){.n = (size_t)e->count, .at = to};
  return true;
}

static bool skip_strings(struct crv_gguf_in *in, uint64_t count) {
  const char *s;
  size_t len, rest = in->rest;
  for (uint64_t i = 0; i < count; i++) {
    in->rest = rest + (size_t)(count - i - 1) * 8;
    if (!get_text(in, "a text", CRV_GGUF_STRING, &s, &len)) return false;
  }
  in->rest = rest;
  return true;
}

static bool read_array(struct crv_gguf_in *in, struct crv_gguf_entry *e) {
  uint64_t type, count;
  if (!get(in, 4, &type) || !get(in, 8, &count)) return false;
  if (type >= VALUES || type == ARRAY || count > CRV_GGUF_STRING)
    return crv_fail_field(in->err, in->ptr, "bad_format", NULL,
                          "At byte %zu stands no array of plain values of at most 2^30.",
                          in->at - 12);
  e->count = (int64_t)count;
  if (type == STRING) return skip_strings(in, count);
  const uint8_t *p = take(in, (size_t)count * sizes[type]);
  if (!p) return false;
  return !is_whole(type) || count > ARRAY_MAX || keep_numbers(in, e, type, p);
}

static bool read_entry(struct crv_gguf_in *in, struct crv_gguf_entry *e) {
  uint64_t type, raw;
  if (!get_name(in, "a key", KEY_MAX, &e->key) || !get(in, 4, &type)) return false;
  if (type >= VALUES)
    return crv_fail_field(in->err, in->ptr, "bad_format", NULL,
                          "At byte %zu stands no type of GGUF values.", in->at - 4);
  if (type == STRING) return read_string(in, e);
  if (type == ARRAY) return read_array(in, e);
  if (!get(in, sizes[type], &raw)) return false;
  if (is_whole(type)) e->number = whole(type, raw);
  return true;
}

static int by_key(const void *a, const void *b) {
  return strcmp(((const struct crv_gguf_entry *)a)->key, ((const struct crv_gguf_entry *)b)->key);
}

/* Room for n entries was checked against the bytes before. */
static bool read_entries(struct crv_gguf_in *in, uint64_t n, size_t after) {
  struct crv_list *list = &in->g->entries;
  struct crv_gguf_entry *e = crv_new_array(in->a, (size_t)n, struct crv_gguf_entry);
  if (!e) return no_memory(in);
  *list = (struct crv_list){.n = (size_t)n, .at = e};
  for (uint64_t i = 0; i < n; i++) {
    in->rest = after + (size_t)(n - i - 1) * ENTRY_LEAST;
    if (!read_entry(in, &e[i])) return false;
  }
  if (n) qsort(e, (size_t)n, sizeof *e, by_key);
  for (uint64_t i = 1; i < n; i++)
    if (strcmp(e[i - 1].key, e[i].key) == 0)
      return crv_fail_field(in->err, in->ptr, "duplicate", NULL, "The key %.120s stands twice.",
                            e[i].key);
  return true;
}

const struct crv_gguf_entry *crv_gguf_entry(const struct crv_gguf *g, const char *key) {
  struct crv_gguf_entry e = {.key = key};
  return g->entries.n ? bsearch(&e, g->entries.at, g->entries.n, sizeof e, by_key) : NULL;
}

static const struct crv_ggml_type *type_by_id(uint64_t id) {
  for (size_t i = 0; i < crv_n_ggml_types; i++)
    if ((uint64_t)crv_ggml_types[i].id == id) return &crv_ggml_types[i];
  return NULL;
}

static bool refuse(struct crv_gguf_in *in, const char *name, const char *code, const char *why) {
  char where[160];
  return crv_fail_field(in->err, crv_tensor_ptr(in->ptr, name, where, sizeof where), code, NULL,
                        "%s", why);
}

static bool read_shape(struct crv_gguf_in *in, struct crv_tensor *t) {
  uint64_t dims, n;
  if (!get(in, 4, &dims)) return false;
  if (dims < 1 || dims > 4)
    return refuse(in, t->name, "out_of_range", "A tensor has 1 to 4 dimensions.");
  int64_t *shape = crv_new_array(in->a, (size_t)dims, int64_t);
  if (!shape) return no_memory(in);
  t->shape = shape;
  t->dims = (unsigned)dims;
  t->elements = 1;
  for (uint64_t i = 0; i < dims; i++) {
    if (!get(in, 8, &n)) return false;
    if (n < 1 || n > (uint64_t)CRV_INT_MAX)
      return refuse(in, t->name, "out_of_range", "A dimension is zero, or beyond 2^53 - 1.");
    shape[i] = (int64_t)n;
    if (!crv_mul(t->elements, shape[i], &t->elements))
      return refuse(in, t->name, "overflow", "It would have more than 2^63 elements.");
  }
  return true;
}

/* pad: what tensors end on; at: where this one must begin, moved on behind it. */
static bool read_tensor(struct crv_gguf_in *in, struct crv_tensor *t, int64_t pad, int64_t *at) {
  uint64_t id, offset;
  if (!get_name(in, "a tensor's name", NAME_MAX_BYTES, &t->name) || !read_shape(in, t) ||
      !get(in, 4, &id) || !get(in, 8, &offset))
    return false;
  const struct crv_ggml_type *type = type_by_id(id);
  if (!type)
    return refuse(in, t->name, "not_one_of",
                  "Its type is none that is known, or was removed from the format.");
  t->type = type->name;
  if (t->shape[0] % type->elements != 0)
    return refuse(in, t->name, "conflict", "A row is no whole number of its type's blocks.");
  if (!crv_ggml_bytes(type, t->shape[0], t->elements / t->shape[0], &t->bytes))
    return refuse(in, t->name, "overflow", "It would have more than 2^63 bytes.");
  if (offset != (uint64_t)*at)
    return refuse(in, t->name, "conflict", "Its data does not begin where the tensor before ends.");
  int64_t blocks = crv_cdiv(t->bytes, pad);
  if (!crv_mul(blocks, pad, &blocks) || !crv_add(*at, blocks, at) || *at > CRV_INT_MAX)
    return refuse(in, t->name, "overflow", "The file would have more than 2^53 bytes.");
  return true;
}

static bool alignment(struct crv_gguf_in *in, int64_t *ret) {
  const struct crv_gguf_entry *e = crv_gguf_entry(in->g, "general.alignment");
  *ret = e ? e->number.v : 32;
  if (!e || (e->number.set && *ret > 0 && *ret <= (1 << 30) && (*ret & (*ret - 1)) == 0))
    return true;
  return crv_fail_field(in->err, in->ptr, "out_of_range", NULL,
                        "general.alignment must be a power of two.");
}

static bool read_tensors(struct crv_gguf_in *in, uint64_t n) {
  struct crv_tensors *to = &in->g->tensors;
  struct crv_tensor *t = crv_new_array(in->a, (size_t)n, struct crv_tensor);
  int64_t pad, at = 0, head;
  if (!t) return no_memory(in);
  if (!alignment(in, &pad)) return false;
  for (uint64_t i = 0; i < n; i++) {
    in->rest = (size_t)(n - i - 1) * TENSOR_LEAST;
    if (!read_tensor(in, &t[i], pad, &at)) return false;
  }
  head = crv_cdiv((int64_t)in->at, pad) * pad;
  in->g->head_bytes = head;
  if (!crv_add(head, at, &at)) return no_memory(in);
  to->at = (struct crv_list){.n = (size_t)n, .at = t};
  to->artefact_bytes = (struct crv_opt_int){.v = at, .set = true};
  return crv_tensors_finish(to, in->ptr, in->a, in->err);
}

static bool check_version(struct crv_gguf_in *in) {
  uint64_t v;
  const uint8_t *magic = take(in, 4);
  if (!magic) return false;
  if (memcmp(magic, "GGUF", 4) != 0)
    return crv_fail_field(in->err, in->ptr, "bad_format", NULL,
                          "No GGUF: the first four bytes are not \"GGUF\".");
  if (!get(in, 4, &v)) return false;
  in->g->version = (int64_t)v;
  if (v == 2 || v == 3) return true;
  if ((v & 0xffff) == 0)
    return crv_fail_field(in->err, in->ptr, "bad_format", NULL,
                          "The file is big endian; only little endian is read.");
  return crv_fail_field(in->err, in->ptr, "bad_format", "version 2 or 3",
                        "GGUF version %llu is not read.", (unsigned long long)v);
}

/* Both counts, and that the bytes could hold that many before anything is made for them. */
static bool read_counts(struct crv_gguf_in *in, uint64_t *tensors, uint64_t *entries) {
  in->rest = 16;
  if (!check_version(in) || !get(in, 8, tensors) || !get(in, 8, entries)) return false;
  if (*tensors > CRV_GGUF_ENTRIES || *entries > CRV_GGUF_ENTRIES)
    return crv_fail_field(in->err, in->ptr, "out_of_range", NULL,
                          "The head claims %llu tensors and %llu entries; at most %d are read.",
                          (unsigned long long)*tensors, (unsigned long long)*entries,
                          CRV_GGUF_ENTRIES);
  size_t at = in->at, least = (size_t)*entries * ENTRY_LEAST + (size_t)*tensors * TENSOR_LEAST;
  in->rest = 0;
  if (!take(in, least)) return false;
  in->at = at;
  return true;
}

bool crv_gguf_read(const void *data, size_t len, const char *ptr, struct crv_arena *a,
                   struct crv_gguf *ret, struct crv_err *err) {
  struct crv_gguf_in in = {
      .p = data, .len = len, .rest = 20, .ptr = ptr, .a = a, .err = err, .g = ret};
  uint64_t tensors = 0, entries = 0;
  memset(ret, 0, sizeof *ret);
  ret->files = ret->files_read = 1;
  return read_counts(&in, &tensors, &entries) &&
         read_entries(&in, entries, (size_t)tensors * TENSOR_LEAST) && read_tensors(&in, tensors) &&
         crv_gguf_dims(&in);
}
