/* The head of a GGUF file (versions 2 and 3, little endian): metadata and the table of tensors,
   from the file's first bytes; the data itself is not needed. Source: ggml-org/ggml docs/gguf.md
   and ggml-org/llama.cpp ggml/src/gguf.cpp. Must not know: engines, budgets. */
#ifndef CRV_MODEL_GGUF_H
#define CRV_MODEL_GGUF_H

#include "core/model/arch.h"
#include "core/model/tensors.h"

enum {
  CRV_GGUF_ENTRIES = 1 << 20, /* most metadata entries, and most tensors */
  CRV_GGUF_STRING = 1 << 30,  /* longest text and array that gguf.cpp takes */
};

struct crv_ggml_type {
  int64_t id;
  const char *name;
  int64_t elements, bytes; /* of a block */
};
extern const struct crv_ggml_type crv_ggml_types[];
extern const size_t crv_n_ggml_types;
/* By name, exact case; NULL when unknown. */
const struct crv_ggml_type *crv_ggml_type(const char *name);
/* Bytes of rows * row elements: whole blocks in each row. False when row is no multiple of the
   block, or on overflow. */
bool crv_ggml_bytes(const struct crv_ggml_type *type, int64_t row, int64_t rows, int64_t *ret);

/* One metadata entry that is kept: whole numbers, truth values, short texts, short arrays of the
   first two. Numbers with a fraction and long arrays are passed over, but count tells the length.
 */
struct crv_gguf_entry {
  const char *key;
  const char *text; /* NULL: no text */
  struct crv_opt_int number;
  struct crv_list numbers; /* int64_t */
  int64_t count;           /* of an array, else 0 */
};

struct crv_gguf {
  int64_t version;
  const char *architecture;     /* general.architecture */
  const char *name;             /* general.name, NULL: none */
  struct crv_opt_int file_type; /* general.file_type */
  struct crv_opt_int layers;    /* block_count, layers for multi-token prediction among them */
  struct crv_opt_int hidden, intermediate, context, vocab;
  struct crv_opt_int experts, experts_per_token, expert_intermediate;
  struct crv_opt_int mtp_layers;
  struct crv_opt_int kv_rank, rope_dim;
  bool latent; /* converted for latent attention (key_length_mla): a layer caches kv_rank + rope_dim
                  elements once, not the heads of `layer` */
  int64_t window;               /* 0: none */
  struct crv_arch_layer *layer; /* layers of them; NULL when the file tells no layers */
  struct crv_list entries;      /* struct crv_gguf_entry, sorted by key */
  struct crv_tensors tensors;   /* shape: ne[], the row's length first */
  int64_t head_bytes;           /* from the file's start to the tensor data, padded */
  int64_t files, files_read;    /* split.count, 1 when not split; how many of them are in here */
};

/* Reads the first len bytes of a file. Everything lives in a; nothing points into data. False with
   INVALID_FIELDS at ptr: truncated (the detail says how many bytes are needed at least),
   bad_format (no GGUF, big endian, version), or what in the head is wrong; or OUT_OF_MEMORY. */
bool crv_gguf_read(const void *data, size_t len, const char *ptr, struct crv_arena *a,
                   struct crv_gguf *ret, struct crv_err *err);

/* All parts of a split file together, in any order: dimensions from the first, tensors of all. n =
   1 is crv_gguf_read. Parts that lack are no error: files_read is then below files, and tensors is
   incomplete. False also when parts differ in split.count or one stands twice. */
bool crv_gguf_load(const struct crv_bytes *files, size_t n, const char *ptr, struct crv_arena *a,
                   struct crv_gguf *ret, struct crv_err *err);

/* The entry of a key, or NULL. */
const struct crv_gguf_entry *crv_gguf_entry(const struct crv_gguf *g, const char *key);
/* The number at "{architecture}.{key}", unset when there is none. */
struct crv_opt_int crv_gguf_number(const struct crv_gguf *g, const char *key);

#endif
