/* What adaptation and training keep beside the weights. Gradients and optimizer state are part of
   the floor only where the sheet's own words make them certain: the whole model is trained, the
   backward pass is not fused with the optimizer, nothing is offloaded, and the optimizer is one
   whose states are published. All else is unknown and listed. Must not know: devices' capacities.
 */
#include <string.h>

#include "core/base/text.h"
#include "core/memory/build.h"

/* States of an optimizer, in bytes of a parameter's own format. */
static const struct {
  const char *name;
  int64_t states;
  bool blockwise_8bit;
} optimizers[] = {
    {"adamw", 2, false},       {"adam", 2, false},
    {"adamw_torch", 2, false}, {"adamw_torch_fused", 2, false},
    {"adamw_8bit", 2, true},   {"adamw_bnb_8bit", 2, true},
};

#define ADAM_SOURCE \
  "pytorch/pytorch torch/optim/adam.py: exp_avg and exp_avg_sq are zeros_like the parameter; " \
  "frameworks that keep 32-bit master weights keep more (arXiv:1910.02054)"
#define ADAM_8BIT_SOURCE \
  "bitsandbytes-foundation/bitsandbytes bitsandbytes/optim/optimizer.py: two 8-bit states with a " \
  "32-bit scale for each block of 256; small tensors stay in 32 bits and add to it"
#define GRADIENT_SOURCE "PyTorch torch.Tensor.grad: a gradient has its parameter's own type"

static bool shards_gradients(enum crv_strategy s) {
  return s == CRV_STRATEGY_TENSOR_PARALLEL || s == CRV_STRATEGY_PIPELINE_PARALLEL ||
         s == CRV_STRATEGY_ZERO2 || s == CRV_STRATEGY_ZERO3 || s == CRV_STRATEGY_FSDP;
}

/* ZeRO stage 1 shards the optimizer state, stage 2 gradients as well: arXiv:1910.02054. */
static bool shards_states(enum crv_strategy s) {
  return shards_gradients(s) || s == CRV_STRATEGY_ZERO1;
}

static bool whole_model_is_kept(const struct crv_sheet *s) {
  const struct crv_adaptation *a = s->adaptation;
  const char *offload = s->execution ? s->execution->offload : NULL;
  return a && crv_streq(a->method, "full") && a->fused_backward == CRV_FALSE &&
         (!offload || crv_streq(offload, "none"));
}

/* Formats in which a parameter, its gradient and its states have one type. */
static bool is_trainable(const struct crv_weight_format *f) {
  return f && f->exact;
}

static void add_gradients(struct crv_build *b, int64_t weights) {
  bool gathered = b->sheet->accumulation.set && b->sheet->accumulation.v > 1;
  enum crv_spread spread =
      shards_gradients(b->strategy) ? CRV_SPREAD_SHARDED : CRV_SPREAD_REPLICATED;
  struct crv_budget_item *item =
      crv_build_add(b, CRV_SHARE_FLOOR, spread, "gradients", weights, CRV_BASIS_ARITHMETIC);
  if (!item) return;
  item->formula = "gradients.full";
  item->source = GRADIENT_SOURCE;
  crv_build_input(item, "weights_bytes", CRV_FACT_BYTES, weights);
  crv_build_phases(b, item, gathered ? "loading" : "loading forward");
}

static bool state_bytes(size_t optimizer, int64_t parameters, int64_t weights, int64_t *ret) {
  int64_t states = optimizers[optimizer].states, one = weights, scales;
  if (optimizers[optimizer].blockwise_8bit) {
    if (!crv_mul(crv_cdiv(parameters, 256), 4, &scales)) return false;
    if (!crv_add(parameters, scales, &one)) return false;
  }
  return crv_mul(one, states, ret);
}

static void add_states(struct crv_build *b, size_t optimizer, int64_t weights) {
  int64_t bytes, parameters = b->sheet->model->parameters.v;
  enum crv_spread spread = shards_states(b->strategy) ? CRV_SPREAD_SHARDED : CRV_SPREAD_REPLICATED;
  if (!state_bytes(optimizer, parameters, weights, &bytes)) {
    crv_build_overflow(b);
    return;
  }
  struct crv_budget_item *item =
      crv_build_add(b, CRV_SHARE_FLOOR, spread, "optimizer_state", bytes, CRV_BASIS_ARITHMETIC);
  if (!item) return;
  bool small = optimizers[optimizer].blockwise_8bit;
  item->formula = small ? "optimizer.adam_8bit" : "optimizer.adam";
  item->source = small ? ADAM_8BIT_SOURCE : ADAM_SOURCE;
  crv_build_input(item, "parameters", CRV_FACT_INT, parameters);
  crv_build_input(item, "states", CRV_FACT_INT, optimizers[optimizer].states);
  crv_build_phases(b, item, "loading");
}

static void add_full(struct crv_build *b, int64_t weights) {
  const char *optimizer = b->sheet->adaptation->optimizer;
  add_gradients(b, weights);
  for (size_t i = 0; optimizer && i < sizeof optimizers / sizeof *optimizers; i++) {
    if (strcmp(optimizers[i].name, optimizer) != 0) continue;
    add_states(b, i, weights);
    return;
  }
  crv_build_unknown(b, "optimizer_state", "The states of this optimizer are not computed.");
}

void crv_build_training(struct crv_build *b, struct crv_opt_int weights,
                        const struct crv_weight_format *format) {
  const struct crv_adaptation *a = b->sheet->adaptation;
  if (weights.set && whole_model_is_kept(b->sheet) && is_trainable(format)) {
    add_full(b, weights.v);
    return;
  }
  if (a && a->method && !crv_streq(a->method, "full"))
    crv_build_unknown(b, "adapter", "The adapter's own weights need the model's dimensions.");
  crv_build_unknown(b, "gradients",
                    "Counted only for the method full with fused_backward false and no offload.");
  crv_build_unknown(b, "optimizer_state",
                    "Counted only for the method full with fused_backward false and no offload.");
}
