/* GGUF files that were split: the parts' heads put together. Keys: ggml-org/llama.cpp
   src/llama-impl.h, LLM_KV_SPLIT_*. Must not know: the layout of a part. */
#include <string.h>

#include "core/model/gguf.h"

static int64_t number(const struct crv_gguf *g, const char *key, int64_t absent) {
  const struct crv_gguf_entry *e = crv_gguf_entry(g, key);
  return e && e->number.set ? e->number.v : absent;
}

/* Same split.count in all, each split.no once and below it. */
static bool check_parts(struct crv_gguf *const *part, size_t n, const char *ptr,
                        struct crv_err *err) {
  int64_t count = number(part[0], "split.count", 1);
  for (size_t i = 0; i < n; i++) {
    int64_t no = number(part[i], "split.no", 0);
    if (number(part[i], "split.count", 1) != count || no < 0 || no >= count)
      return crv_fail_field(err, ptr, "conflict", NULL,
                            "Part %zu is of another split (split.no, split.count).", i);
    for (size_t k = 0; k < i; k++)
      if (number(part[k], "split.no", 0) == no)
        return crv_fail_field(err, ptr, "duplicate", NULL,
                              "Parts %zu and %zu are both number %lld.", k, i, (long long)no);
  }
  return true;
}

static bool join(struct crv_gguf *const *part, size_t n, const char *ptr, struct crv_arena *a,
                 struct crv_gguf *ret, struct crv_err *err) {
  struct crv_tensors all = {.artefact_bytes = {.set = true}};
  size_t room = 0;
  for (size_t i = 0; i < n; i++) room += part[i]->tensors.at.n;
  struct crv_tensor *to = crv_new_array(a, room, struct crv_tensor);
  if (!to) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  all.at = (struct crv_list){.n = room, .at = to};
  for (size_t i = 0; i < n; i++) {
    const struct crv_list *from = &part[i]->tensors.at;
    if (from->n) memcpy(to, from->at, from->n * sizeof *to);
    to += from->n;
    if (!crv_add(all.artefact_bytes.v, part[i]->tensors.artefact_bytes.v, &all.artefact_bytes.v))
      return crv_fail_field(err, ptr, "overflow", NULL, "The files would be beyond 2^63 bytes.");
  }
  ret->tensors = all;
  return crv_tensors_finish(&ret->tensors, ptr, a, err);
}

static bool read_parts(const struct crv_bytes *files, size_t n, const char *ptr,
                       struct crv_arena *a, struct crv_gguf **part, struct crv_err *err) {
  bool ok = true;
  for (size_t i = 0; i < n; i++) {
    const char *where = n > 1 ? crv_arena_printf(a, "%s/%zu", ptr, i) : ptr;
    part[i] = crv_new(a, struct crv_gguf);
    if (!where || !part[i])
      return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
    ok = crv_gguf_read(files[i].p, files[i].len, where, a, part[i], err) && ok;
  }
  return ok;
}

bool crv_gguf_load(const struct crv_bytes *files, size_t n, const char *ptr, struct crv_arena *a,
                   struct crv_gguf *ret, struct crv_err *err) {
  struct crv_gguf **part = crv_new_array(a, n, struct crv_gguf *);
  size_t first = n;
  memset(ret, 0, sizeof *ret);
  if (!part) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  if (n == 0) return crv_fail_field(err, ptr, "missing", NULL, "At least one file.");
  if (!read_parts(files, n, ptr, a, part, err) || !check_parts(part, n, ptr, err)) return false;
  for (size_t i = 0; i < n; i++)
    if (number(part[i], "split.no", 0) == 0) first = i;
  if (first == n)
    return crv_fail_field(err, ptr, "missing", NULL,
                          "The first part of the split (split.no 0) tells of the model.");
  *ret = *part[first];
  ret->files = number(ret, "split.count", 1);
  ret->files_read = (int64_t)n;
  return n == 1 || join(part, n, ptr, a, ret, err);
}
