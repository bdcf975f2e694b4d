/* A budget while it is made. For core/memory only. */
#ifndef CRV_MEMORY_BUILD_H
#define CRV_MEMORY_BUILD_H

#include "core/memory/budget.h"

struct crv_build {
  const struct crv_sheet *sheet;
  int64_t devices;
  enum crv_strategy strategy;
  struct crv_arena *arena;
  struct crv_err *err;
  const char *phases[8]; /* of the sheet's task */
  size_t n_phases;
  struct crv_budget_item *items;
  size_t n_items, max_items;
  const char **unknown, **left_out;
  size_t n_unknown, n_left_out;
  /* sums over the items, for the whole workload and for one device */
  int64_t floor, device_floor, declared, device_declared, reserve, device_reserve;
  bool has_floor, has_reserve, unknown_reserve, unknown_weights;
  bool failed; /* err is set */
};

/* How an item lies on the devices. */
enum crv_spread {
  CRV_SPREAD_SHARDED,    /* one copy over all devices: the largest part, rounded up */
  CRV_SPREAD_REPLICATED, /* one copy on each device */
};

/* What the item adds to. */
enum crv_share { CRV_SHARE_FLOOR, CRV_SHARE_DECLARED, CRV_SHARE_RESERVE };

/* Adds an item with its bytes (one copy) to the items and the sums. NULL after a failure. */
struct crv_budget_item *crv_build_add(struct crv_build *b, enum crv_share share,
                                      enum crv_spread spread, const char *item, int64_t bytes,
                                      enum crv_basis basis);
/* Adds an item whose bytes are not known, and its name to `unknown`. NULL after a failure. */
struct crv_budget_item *crv_build_unknown(struct crv_build *b, const char *item, const char *note);
void crv_build_input(struct crv_budget_item *item, const char *name, enum crv_fact_type type,
                     int64_t v);
/* Gives the item every phase of the task but those that the text names. */
void crv_build_phases(struct crv_build *b, struct crv_budget_item *item, const char *but);
void crv_build_left_out(struct crv_build *b, const char *sentence);
/* The field error of a budget beyond 2^53 - 1 bytes. */
void crv_build_overflow(struct crv_build *b);
/* Adds; on overflow that error and false. */
bool crv_build_sum(struct crv_build *b, int64_t *sum, int64_t bytes);

/* May the weights leave the device by what the sheet says of offload? */
bool crv_build_weights_stay(const struct crv_sheet *s);
/* training.c: gradients, optimizer state and adapter. weights: bytes of one copy, unset when
 * unknown. */
void crv_build_training(struct crv_build *b, struct crv_opt_int weights,
                        const struct crv_weight_format *format);

#endif
