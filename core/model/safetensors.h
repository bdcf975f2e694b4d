/* A safetensors header: raw bytes of the file's beginning (u64 length, little endian, then JSON),
   or its JSON text; one or several shards. Source: huggingface/safetensors README.md "Format" and
   safetensors/src/tensor.rs. Must not know: what the tensors are for. */
#ifndef CRV_MODEL_SAFETENSORS_H
#define CRV_MODEL_SAFETENSORS_H

#include <jansson.h>

#include "core/model/tensors.h"

enum { CRV_SAFETENSORS_HEADER = 100000000 }; /* longest header that the format allows */

/* One shard as it came. */
struct crv_safetensors_shard {
  const json_t *header;
  struct crv_opt_int head_bytes; /* 8 + the header's length; unset when it came as JSON */
  struct crv_opt_int
      file_bytes; /* what was given, when raw: more than the tensors need is refused */
};

/* The header of raw bytes or JSON text as a new JSON object, which the caller owns; ret's header
   points to it. NULL with INVALID_FIELDS at ptr (truncated: with the bytes that are needed; no
   safetensors; header too long; header no JSON) or OUT_OF_MEMORY. */
json_t *crv_safetensors_open(const void *data, size_t len, const char *ptr, struct crv_arena *a,
                             struct crv_safetensors_shard *ret, struct crv_err *err);

/* Tensors of n shards together. Checked: types known, sizes equal to shape times type, offsets
   without gap or overlap from 0, names once. Everything lives in a. ptr: of the shard when n is 1,
   else of the list. False with INVALID_FIELDS or OUT_OF_MEMORY. */
bool crv_safetensors_read(const struct crv_safetensors_shard *shards, size_t n, const char *ptr,
                          struct crv_arena *a, struct crv_tensors *ret, struct crv_err *err);

/* Open and read in one, from the bytes of n shards. */
bool crv_safetensors_load(const struct crv_bytes *files, size_t n, const char *ptr,
                          struct crv_arena *a, struct crv_tensors *ret, struct crv_err *err);

/* One row of the type table. */
struct crv_safetensors_type {
  const char *name;
  int64_t bits;
};
extern const struct crv_safetensors_type crv_safetensors_types[];
extern const size_t crv_n_safetensors_types;

#endif
