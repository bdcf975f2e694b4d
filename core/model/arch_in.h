/* For the adapters in core/model/arch_*.c only: reading fields of a config with every error
   gathered, and building the weight table. Errors are sticky: a field that cannot be read counts as
   1 and the whole is refused at the end, so that adapters need no checks of their own.
   Must not know: any family. */
#ifndef CRV_MODEL_ARCH_IN_H
#define CRV_MODEL_ARCH_IN_H

#include "core/model/arch.h"

/* One object of the config, and what was read of it. */
struct crv_cfg {
  const json_t *j;
  json_t *kept;    /* mirrors j, borrowed from its parent */
  const char *ptr; /* of j */
  const struct crv_architecture *row;
  struct crv_arch *arch;
  struct crv_arena *a;
  struct crv_err *err;
  struct crv_cfg_state *state; /* one for the whole config */
};
struct crv_cfg_state {
  bool failed, no_memory, overflow;
};

/* One field error below c. Returns false. */
bool crv_cfg_fail(struct crv_cfg *c, const char *name, const char *code, const char *hint,
                  const char *fmt, ...) __attribute__((format(printf, 5, 6)));
bool crv_cfg_has(const struct crv_cfg *c, const char *name); /* present, null too */
bool crv_cfg_is_null(struct crv_cfg *c, const char *name);   /* present and null */

/* A whole number min..CRV_INT_MAX; absent or null: unset. */
struct crv_opt_int crv_cfg_opt(struct crv_cfg *c, const char *name, int64_t min);
/* A positive whole number that must be there. */
int64_t crv_cfg_need(struct crv_cfg *c, const char *name);
/* As crv_cfg_need for a field with two names; both given: they must agree. */
int64_t crv_cfg_need2(struct crv_cfg *c, const char *name, const char *other);
struct crv_opt_int crv_cfg_opt2(struct crv_cfg *c, const char *name, const char *other,
                                int64_t min);
/* Absent: the class default, listed in arch->assumed. Null is refused. */
int64_t crv_cfg_or(struct crv_cfg *c, const char *name, int64_t min, int64_t value);
/* CRV_UNSET when absent or null. */
enum crv_tri crv_cfg_flag(struct crv_cfg *c, const char *name);
bool crv_cfg_flag_or(struct crv_cfg *c, const char *name, bool value);
/* A text, copied to the arena; NULL when absent or null. */
const char *crv_cfg_text(struct crv_cfg *c, const char *name);
/* A list of at most max texts or whole numbers, NULL when absent or null. */
const json_t *crv_cfg_list(struct crv_cfg *c, const char *name, json_type of, size_t max);
/* The object at name as a config of its own; false when absent or null. */
bool crv_cfg_sub(struct crv_cfg *c, const char *name, struct crv_cfg *ret);
void crv_cfg_assume(struct crv_cfg *c, const char *field, const char *value);

/* A weight table row under construction; name is the module's path, ".weight" is added. */
struct crv_add {
  const char *path;
  enum crv_part part;
  enum crv_where where;
  enum crv_shard shard; /* 0: none */
  int64_t rows, cols;
  int64_t each; /* 0: 1 */
  bool bias, stacked, transposed;
  bool parameter; /* the path is the tensor's full name, and it is no linear layer */
};
/* A linear layer's matrix, with its bias when asked. */
void crv_add_linear(struct crv_cfg *c, struct crv_add add);
/* The same in every layer: rows (out) x cols (in), not stacked. */
void crv_add_layer_linear(struct crv_cfg *c, const char *path, enum crv_part part,
                          enum crv_shard shard, int64_t rows, int64_t cols, bool bias);
/* A vector; bias: a second one (LayerNorm). */
void crv_add_norm(struct crv_cfg *c, enum crv_where where, const char *path, int64_t n, bool bias);
void crv_add_vector(struct crv_cfg *c, struct crv_add add);
/* A table of vectors looked up by index: embeddings of tokens or positions. */
void crv_add_embedding(struct crv_cfg *c, const char *path, int64_t rows);
/* The head's matrix, and its bias, which is there also when the matrix is tied. */
void crv_add_head(struct crv_cfg *c, const char *path, bool bias);

/* Allocates arch->layer for arch->layers layers, each full attention with the model's heads. */
bool crv_arch_layers(struct crv_cfg *c);
/* layer_types of the config when it has them (checked: length, names known here); then true. */
bool crv_arch_layer_types(struct crv_cfg *c);
/* Every layer slides with that window. */
void crv_arch_slide_all(struct crv_cfg *c, int64_t window);
/* All but each nth layer slide: layer i is full when (i + 1) % nth is 0. */
void crv_arch_slide_but(struct crv_cfg *c, int64_t nth, int64_t window);
/* tie_word_embeddings, of c or else of its parent (may be NULL); else the row's default. */
void crv_arch_tie(struct crv_cfg *c, struct crv_cfg *parent);
/* The language model of a multimodal config: text_config with that model_type, its row and tie set.
   False with a field error when it is missing; another type is a field error too. */
bool crv_arch_text_config(struct crv_cfg *c, const char *type, struct crv_cfg *ret);
/* Places, totals, the split. */
void crv_arch_total(struct crv_cfg *c);
/* quantization_config and dtype of the top object. */
void crv_arch_quantization(struct crv_cfg *c);

/* Building blocks of Llama-like decoders; the paths begin with prefix ("model."). */
struct crv_decoder {
  const char *prefix, *head; /* path of the head, NULL: "lm_head" */
  const char *out;           /* name of the output projection, NULL: "o_proj" */
  bool qkv_bias, out_bias, mlp_bias, norm_bias, head_bias;
  bool qk_norm;    /* q_norm and k_norm of head_dim */
  bool four_norms; /* Gemma 2 and 3 */
  bool fused;      /* qkv_proj and gate_up_proj in one matrix each */
};
/* Reads layers, hidden, heads, intermediate, vocab, context under their usual names. */
void crv_decoder_dims(struct crv_cfg *c);
/* num_key_value_heads; null, or absent where the class says so: as many as heads. */
void crv_decoder_kv_heads(struct crv_cfg *c, bool may_lack);
/* head_dim, else hidden / heads, which must divide. */
void crv_decoder_head_dim(struct crv_cfg *c);
/* kv_heads must divide heads. */
void crv_decoder_check(struct crv_cfg *c);
void crv_decoder_attention(struct crv_cfg *c, const struct crv_decoder *d);
void crv_decoder_norms(struct crv_cfg *c, const struct crv_decoder *d);
/* Gate, up and down of width f; below the layer at `below` ("mlp", "mlp.experts.{e}"). */
void crv_decoder_mlp(struct crv_cfg *c, const struct crv_decoder *d, enum crv_where where,
                     enum crv_part part, const char *below, int64_t f, int64_t each);
/* Embedding, last norm, head. */
void crv_decoder_ends(struct crv_cfg *c, const struct crv_decoder *d);
/* All of a dense decoder, layers already there. */
void crv_decoder_dense(struct crv_cfg *c, const struct crv_decoder *d);
/* arena text of three parts. */
const char *crv_path(struct crv_cfg *c, const char *prefix, const char *middle, const char *end);

/* What an adapter of text beneath a wrapper calls: reads c as a model_type of its own. */
typedef void crv_arch_adapter(struct crv_cfg *c, const char *prefix);
crv_arch_adapter crv_arch_llama, crv_arch_mistral, crv_arch_mixtral, crv_arch_phimoe,
    crv_arch_qwen2, crv_arch_qwen2_moe, crv_arch_qwen3, crv_arch_qwen3_moe, crv_arch_gemma,
    crv_arch_gemma2, crv_arch_gemma3_text, crv_arch_gemma3, crv_arch_mistral3, crv_arch_phi,
    crv_arch_phi3, crv_arch_gpt2, crv_arch_gpt_neox, crv_arch_falcon, crv_arch_deepseek_v2,
    crv_arch_deepseek_v3, crv_arch_gpt_oss;

/* Vision towers; c is vision_config. */
void crv_vision_siglip(struct crv_cfg *c);
void crv_vision_pixtral(struct crv_cfg *c);

#endif
