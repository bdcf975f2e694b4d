/* What a model is made of, read from its Hugging Face config.json: dimensions, attention layer by
   layer, every weight with its shape, and the exact number of parameters. One adapter a family
   (architectures.def); a model_type without an adapter is refused, never guessed. All numbers are
   exact; a product beyond 2^53 - 1 is an error. What the config leaves out and its class defines is
   taken only where the adapter states that default, and listed in `assumed` with its source.
   Must not know: bytes, weight formats, engines, sheets. */
#ifndef CRV_MODEL_ARCH_H
#define CRV_MODEL_ARCH_H

#include <jansson.h>

#include "core/base/arena.h"
#include "core/base/err.h"
#include "core/base/units.h"

enum {
  CRV_ARCH_LAYERS = 4096, /* most layers that are read */
  CRV_ARCH_WEIGHTS = 96,  /* most rows of the weight table */
  CRV_ARCH_ASSUMED = 24,
};

/* What a layer keeps of the tokens before. */
enum crv_attention {
  CRV_ATTN_UNKNOWN = 0, /* GGUF heads only: the architecture's pattern is not known */
  CRV_ATTN_FULL,
  CRV_ATTN_SLIDING, /* the last `window` tokens */
  CRV_ATTN_CHUNKED, /* its own chunk of `window` tokens */
  CRV_ATTN_LINEAR,  /* a state of fixed size */
  CRV_ATTN_NONE,
};
const char *crv_attention_name(enum crv_attention kind);

struct crv_arch_layer {
  enum crv_attention attention;
  bool experts;         /* a mixture of experts stands in place of the dense MLP */
  int64_t window;       /* tokens; 0 where nothing slides */
  int64_t heads;        /* query heads */
  int64_t kv_heads;     /* cached heads, unless mla is set */
  int64_t k_dim, v_dim; /* elements of a cached head */
};

/* The split of the parameters. */
enum crv_part {
  CRV_PART_EMBEDDING,
  CRV_PART_ATTENTION, /* with biases and sinks */
  CRV_PART_MLP,       /* dense */
  CRV_PART_EXPERTS,   /* routed */
  CRV_PART_SHARED_EXPERTS,
  CRV_PART_ROUTER,
  CRV_PART_NORMS,
  CRV_PART_HEAD,
  CRV_PART_VISION, /* tower and projector */
  CRV_PART_OTHER,
  CRV_PART_MTP, /* layers for multi-token prediction; not in the total */
  CRV_PARTS
};
const char *crv_part_name(enum crv_part part);

/* Where a weight stands. */
enum crv_where {
  CRV_WHERE_MODEL = 1, /* once */
  CRV_WHERE_LAYERS,    /* in every layer */
  CRV_WHERE_DENSE_LAYERS,
  CRV_WHERE_EXPERT_LAYERS,
  CRV_WHERE_MTP_LAYERS,
  CRV_WHERE_VISION,
};

/* How tensor parallelism over t devices splits a weight. */
enum crv_shard {
  CRV_SHARD_NONE = 1, /* a copy on each device */
  CRV_SHARD_ROWS,     /* rows / t */
  CRV_SHARD_COLS,     /* columns / t */
  CRV_SHARD_KV_ROWS,  /* rows / t by cached heads: copies when t exceeds kv_heads */
  CRV_SHARD_QKV_ROWS, /* fused: (heads / t + 2 * max(1, kv_heads / t)) * head_dim rows */
};

struct crv_weight {
  const char *name;   /* "model.layers.{}.self_attn.q_proj.weight"; {} the layer, {e} the expert */
  const char *module; /* as LoRA's target_modules name it: "q_proj" */
  enum crv_part part;
  enum crv_where where;
  enum crv_shard shard;
  int64_t rows, cols; /* outputs, inputs; a vector: cols = 1 */
  int64_t each;       /* such weights in one place: 1, or the experts */
  int64_t places;     /* layers that hold it; 1 for the model */
  int64_t total;      /* rows * cols * each * places */
  bool vector;        /* stored with one dimension */
  bool linear;        /* the matrix of a linear layer: what weight formats and LoRA apply to */
  bool stacked;       /* the `each` are stored as one tensor [each, ...] */
  bool transposed;    /* stored as [in, out] */
};

struct crv_arch_params {
  int64_t by[CRV_PARTS];      /* HEAD: 0 when tied, its own matrix when not or not known */
  int64_t if_tied, if_untied; /* total in either case, always set */
  struct crv_opt_int total;   /* unset while the tie is unknown; vision counted, MTP not */
  struct crv_opt_int active;  /* of total: what one token passes through; unset when unknown */
  int64_t mtp_copies; /* embedding and head that the published files store again beside the MTP
                         layers: 2 * vocab * hidden a layer; 0 without MTP */
};

struct crv_arch_experts {
  int64_t count;               /* routed experts of a layer, 0: none */
  int64_t per_token;           /* 0: not stated */
  int64_t intermediate;        /* of one routed expert */
  int64_t shared_intermediate; /* of all shared experts of a layer together, 0: none */
};

/* Multi-head latent attention (DeepSeek): the cache holds kv_rank + rope elements a layer. */
struct crv_arch_mla {
  bool set;
  int64_t q_rank; /* 0: queries are not compressed */
  int64_t kv_rank, nope, rope, v;
};

/* quantization_config, as far as sizes depend on it. */
struct crv_arch_quant {
  const char *method; /* quant_method to the letter: "gptq", "awq", "fp8", ... */
  struct crv_opt_int bits;
  struct crv_opt_int group_size;  /* -1: one group a row */
  int64_t block_rows, block_cols; /* weight_block_size, 0: none */
  const char *type;               /* "nf4", "fp4"; compressed-tensors: "int", "float" */
  const char *strategy;           /* "tensor", "channel", "group", "block" */
  const char *format;             /* of compressed-tensors: "pack-quantized" */
  const char *activations;        /* activation_scheme: "static", "dynamic" */
  enum crv_tri double_quant, zero_point, order_groups; /* order_groups: desc_act */
  bool mixed;              /* several groups of modules with differing settings: only the first is
                              kept here */
  struct crv_list skipped; /* const char *: modules left unquantised, as written */
};

struct crv_arch_assumed {
  const char *field, *value, *source;
};

struct crv_arch {
  const char *model_type, *family;
  const char *dtype; /* torch_dtype to the letter, NULL: not stated */
  int64_t layers, hidden, heads, kv_heads, head_dim, intermediate, vocab;
  struct crv_opt_int context; /* longest sequence that the config allows */
  struct crv_arch_experts experts;
  struct crv_arch_mla mla;
  int64_t mtp_layers;
  int64_t window;    /* of the layers that slide, 0: none */
  enum crv_tri tied; /* CRV_UNSET: the config does not tell */
  const char *tie_source;
  struct crv_arch_layer *layer; /* `layers` of them */
  struct crv_list weights;      /* struct crv_weight; the head's matrix too unless tied */
  struct crv_arch_params params;
  struct crv_arch_quant *quant; /* NULL: no quantization_config */
  struct crv_list assumed;      /* struct crv_arch_assumed */
  const char *canonical; /* JSON of exactly the fields that were read, keys sorted: reads back to
                            the same struct */
};

/* Reads a config.json (as crv_json_parse or crv_json_parse_stored gives it). Everything lives in a,
   nothing points into config. ptr is the pointer of config itself. False with INVALID_FIELDS (each
   field's error; model_type unknown: code unknown_architecture, the known ones in its detail) or
   OUT_OF_MEMORY. */
bool crv_arch_read(const json_t *config, const char *ptr, struct crv_arena *a, struct crv_arch *ret,
                   struct crv_err *err);

/* Settles an unknown tie by other evidence (does the tensor list hold the head's own matrix?) and
   the totals with it. False when the config states the opposite; nothing is then changed. */
bool crv_arch_settle_tie(struct crv_arch *arch, bool tied, const char *source);

/* How many of a weight's each * places its quantization_config leaves unconverted by name (0
   without one). Whether a method takes the weight at all (linear, not the head, not the router) is
   the format's rule, not told here. False when an entry cannot be read: a pattern beyond literal
   text and ".*", or single experts. */
bool crv_arch_unconverted(const struct crv_arch *arch, const struct crv_weight *w, int64_t *ret);

/* Trainable parameters of LoRA: sum of rank * (rows + cols) over the linear layers of the language
   layers (not MTP, not vision, not the head) whose module or path's end is one of targets (const
   char *); "all-linear" alone means each. Source: arXiv:2106.09685; huggingface/peft
   src/peft/utils/peft_utils (suffix match). matched: weights that were adapted; may be NULL. False
   on overflow. */
bool crv_arch_lora(const struct crv_arch *arch, const struct crv_list *targets, int64_t rank,
                   int64_t *ret, int64_t *matched);

/* One row of architectures.def. */
struct crv_architecture {
  const char *model_type, *family;
  enum crv_tri tie_default; /* when the config does not tell; CRV_UNSET: stays unknown */
  const char *source;       /* of shapes and defaults */
  const char *models;       /* published models that use it */
};
extern const struct crv_architecture crv_architectures[];
extern const size_t crv_n_architectures;
/* The row of a model_type, or NULL. */
const struct crv_architecture *crv_architecture(const char *model_type);

/* What was read, as answers show it: dimensions, parameters (total null while the tie is unknown,
   with if_tied and if_untied then), attention by kind, what was assumed. New; NULL: out of memory.
 */
json_t *crv_arch_json(const struct crv_arch *arch);
/* The table, for GET /v1/architectures: a list of objects. New; NULL: out of memory. */
json_t *crv_architectures_json(void);

#endif
