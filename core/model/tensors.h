/* The tensors of a model's files as their headers list them: names, shapes, types, exact bytes.
   Bytes of the artefact and a count of parameters are kept apart: a packed file's elements are no
   parameters. Must not know: what a tensor is for, beyond the names that mark packing and buffers.
 */
#ifndef CRV_MODEL_TENSORS_H
#define CRV_MODEL_TENSORS_H

#include <jansson.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/hash.h"
#include "core/base/units.h"

enum { CRV_TENSOR_DIMS = 16 };

struct crv_tensor {
  const char *name;
  const char *type;     /* static text of a type table: "BF16", "Q4_K" */
  const int64_t *shape; /* dims of them, in the file's own order */
  int64_t elements;     /* product of shape, 1 for none */
  int64_t bytes;
  unsigned dims;
};

struct crv_tensor_type_total {
  const char *type;
  int64_t tensors, elements, bytes;
};

struct crv_tensors {
  struct crv_list at;                /* struct crv_tensor, sorted by name's bytes */
  struct crv_list types;             /* struct crv_tensor_type_total, sorted by type */
  int64_t elements, bytes;           /* of all tensors; bytes without file heads and padding */
  struct crv_opt_int artefact_bytes; /* the whole files; unset when a head came as JSON alone */
  struct crv_opt_int parameters; /* elements that are weights: no scales, no buffers; unset when the
                                    tensors are packed or hold integers */
  const char *packed; /* why parameters is unset: the first such tensor's name, else NULL */
};

/* Sorts, refuses a name that stands twice, adds up. Called by the readers. False with
   INVALID_FIELDS or OUT_OF_MEMORY. */
bool crv_tensors_finish(struct crv_tensors *t, const char *ptr, struct crv_arena *a,
                        struct crv_err *err);
/* By name, or NULL. */
const struct crv_tensor *crv_tensors_find(const struct crv_tensors *t, const char *name);
/* The tensor whose bytes equal that figure: the first by name, and how many there are. NULL: none.
 */
const struct crv_tensor *crv_tensors_of_size(const struct crv_tensors *t, int64_t bytes,
                                             size_t *count);
/* Does the file hold the head's matrix on its own (lm_head.weight, embed_out.weight,
   output.weight, also behind a prefix)? CRV_UNSET when it has no embedding either, as one shard of
   several. */
enum crv_tri crv_tensors_have_head(const struct crv_tensors *t);

/* Counts, bytes and types as answers show them; parameters null when unknown, with the tensor that
   shows packing. New; NULL: out of memory. */
json_t *crv_tensors_json(const struct crv_tensors *t);

/* SHA-256 over the sorted lines (name, type, shape) and the config's canonical text; either may be
   NULL. Equal for two revisions that differ in values only. out: CRV_SHA256_HEX bytes. NULL when
   out of memory. */
char *crv_model_fingerprint(const struct crv_tensors *t, const char *canonical, char *out);

/* For the readers: ptr + "/" + name as a JSON pointer, escaped and cut to room. */
char *crv_tensor_ptr(const char *ptr, const char *name, char *out, size_t room);

#endif
