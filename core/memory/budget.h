/* The memory budget of a sheet under one placement: items with bytes or unknown, each with basis,
   formula and inputs; floor (arithmetic alone), reserve, envelope (a planning figure).
   Must not know: devices' capacities, offers, verdicts. */
#ifndef CRV_MEMORY_BUDGET_H
#define CRV_MEMORY_BUDGET_H

#include "core/sheet/sheet.h"

/* One weight format: bytes = elements * bits_num / bits_den / 8, rounded up. */
struct crv_weight_format {
  const char *id; /* "bf16" */
  int64_t bits_num, bits_den;
  bool exact; /* false: real checkpoints carry extra data (scales, zeros, unquantised layers) */
  const char *note; /* "" or a sentence */
  const char *source;
};
extern const struct crv_weight_format crv_weight_formats[];
extern const size_t crv_n_weight_formats;
/* By id or a known other spelling ("float16"), case-sensitive; NULL when unknown. */
const struct crv_weight_format *crv_weight_format(const char *id);
/* The usual format of so many bits per weight (32, 16, 8, 4), NULL when there is none. */
const struct crv_weight_format *crv_weight_format_for_bits(int64_t bits);
/* The i-th format of the table that a budget shows, NULL after the last. */
const struct crv_weight_format *crv_weight_format_usual(size_t i);

enum crv_basis {
  CRV_BASIS_ARITHMETIC = 1, /* exact on declared facts: part of the floor */
  CRV_BASIS_ESTIMATED,
  CRV_BASIS_MEASURED,
  CRV_BASIS_DECLARED,
  CRV_BASIS_UNKNOWN, /* bytes unset */
};
extern const struct crv_enum_name crv_basis_names[];

/* A labelled value, used for formula inputs, demanded and observed values and condition parameters.
 */
enum crv_fact_type {
  CRV_FACT_TEXT = 1,
  CRV_FACT_INT,
  CRV_FACT_BYTES,
  CRV_FACT_DECIMAL, /* micro */
  CRV_FACT_TIME,    /* ms */
  CRV_FACT_BOOL,
  CRV_FACT_NULL, /* known to be unknown */
};
struct crv_fact {
  const char *name;
  enum crv_fact_type type;
  int64_t i;
  const char *text;
};

enum { CRV_MAX_INPUTS = 8 };
struct crv_budget_item {
  const char *item;         /* "weights", "kv_cache", "activations", or the sheet's own words */
  struct crv_opt_int bytes; /* for the whole workload when `per_total`, else on each device */
  struct crv_opt_int per_device; /* on one device under the placement (sharded, rounded up) */
  enum crv_basis basis;
  bool floor;          /* part of the floor */
  const char *formula; /* id, "weights.dense"; NULL for declared items */
  struct crv_fact inputs[CRV_MAX_INPUTS];
  size_t n_inputs;
  const char *phases[8];
  size_t n_phases;
  const char *source; /* of the formula or the piece's key */
  const char *note;
};

struct crv_budget {
  struct crv_opt_int parameters;
  struct crv_opt_int weights_bytes, kv_bytes_per_token, kv_bytes, headroom_bytes;
  struct crv_opt_int floor_bytes;   /* whole workload: unset when no floor is known */
  struct crv_opt_int reserve_bytes; /* unset when an item is unknown or none is declared */
  struct crv_opt_int envelope_bytes;
  struct crv_opt_int device_floor, device_envelope; /* on each device (the largest one) */
  bool complete;                                    /* no unknown item, nothing left out */
  int64_t devices;
  enum crv_strategy strategy;
  struct crv_list items;    /* struct crv_budget_item */
  struct crv_list unknown;  /* const char * */
  struct crv_list left_out; /* const char *: sentences */
  struct crv_list phases;   /* struct crv_phase_bytes */
};
struct crv_phase_bytes {
  const char *phase;
  struct crv_opt_int bytes; /* per device, known items of that phase */
};
struct crv_format_row {
  const char *format, *note;
  struct crv_opt_int weights_bytes, envelope_bytes;
};

/* Budget of sheet on devices with strategy (0: single). Everything lives in a. False with
   INVALID_FIELDS on overflow, OUT_OF_MEMORY. An unknown format or missing parameter count gives
   unset figures, never an error. */
bool crv_budget_make(const struct crv_sheet *sheet, int64_t devices, enum crv_strategy strategy,
                     struct crv_arena *a, struct crv_budget *ret, struct crv_err *err);
/* The same weights in the usual formats (fp32, bf16, fp8, int4-like rows), same reserve. */
bool crv_budget_formats(const struct crv_sheet *sheet, const struct crv_budget *b,
                        struct crv_arena *a, struct crv_list *ret, struct crv_err *err);
/* The budget as api.md's JSON, formats included when rows is not NULL. New; NULL: out of memory. */
json_t *crv_budget_json(const struct crv_budget *b, const struct crv_list *rows);
json_t *crv_fact_json(const struct crv_fact *facts, size_t n); /* object by name */

#endif
