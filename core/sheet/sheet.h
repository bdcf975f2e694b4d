/* The workload sheet: the demand, the same for every offer. Its structs, its field table and what
   makes it complete. Absent means unknown: nothing here has a default.
   Must not know: offers, evidence, verdicts. */
#ifndef CRV_SHEET_SHEET_H
#define CRV_SHEET_SHEET_H

#include "core/base/jspec.h"
#include "core/model/model.h"

enum crv_task {
  CRV_TASK_INFERENCE = 1,
  CRV_TASK_ADAPTATION,
  CRV_TASK_TRAINING,
  CRV_TASK_RENDERING,
  CRV_TASK_PROCESSING,
};

enum crv_strategy {
  CRV_STRATEGY_SINGLE = 1,
  CRV_STRATEGY_DATA_PARALLEL,
  CRV_STRATEGY_TENSOR_PARALLEL,
  CRV_STRATEGY_PIPELINE_PARALLEL,
  CRV_STRATEGY_ZERO1,
  CRV_STRATEGY_ZERO2,
  CRV_STRATEGY_ZERO3,
  CRV_STRATEGY_FSDP,
};
extern const struct crv_enum_name crv_task_names[];
extern const struct crv_enum_name crv_strategy_names[];
/* Name of an enum value, NULL when it has none. */
const char *crv_enum_text(const struct crv_enum_name *names, int value);

struct crv_precision {
  const char *weights, *kv_cache, *compute; /* format names: "bf16" */
};
struct crv_length {
  struct crv_opt_int prompt, generated; /* tokens */
};
struct crv_adaptation {
  const char *method; /* "full", "lora", "qlora" */
  struct crv_opt_int rank;
  struct crv_list target_modules; /* const char * */
  const char *optimizer;
  const char *checkpointing, *attention, *loss;
  enum crv_tri fused_backward;
};
struct crv_execution {
  const char *engine;     /* "vllm", "vllm 0.17.0" */
  struct crv_list limits; /* struct crv_pair: engine limits by name */
  const char *offload;    /* "none", "weights", "kv_cache", "optimizer", ... */
  const char *kv_sharing;
};
struct crv_scene_input {
  const char *name, *revision;
};
struct crv_scene {
  const char *application, *version;
  struct crv_list inputs; /* struct crv_scene_input */
  const char *largest_input, *resolution;
  struct crv_list assets, textures; /* struct crv_amount_item */
  struct crv_opt_int jobs;
};
struct crv_quality {
  const char *metric, *dataset, *dataset_revision;
  struct crv_opt_int at_least, at_most; /* decimal micro; exactly one */
  struct crv_opt_int share; /* decimal micro of the dataset, 1000000 = all; unset: all */
};
struct crv_latency {
  struct crv_opt_int p50, p90, p95, p99, max; /* ms, at most */
};
struct crv_acceptance {
  struct crv_latency *latency_ms;
  struct crv_opt_int completion; /* decimal micro, least share of requests or jobs completed */
  struct crv_opt_int errors;     /* most errors */
  struct crv_opt_int throughput; /* decimal micro, at least, in throughput_unit */
  const char *throughput_unit;   /* "tokens/s" */
};
enum crv_span { CRV_SPAN_ONE_MACHINE = 1, CRV_SPAN_ANY };
struct crv_placement {
  struct crv_opt_int devices;
  enum crv_strategy strategy; /* 0: not stated */
  enum crv_tri whole;         /* whole devices only; unset: not said, a slice is asked about */
  enum crv_span span;         /* 0: one machine */
};
struct crv_software {
  const char *architecture;     /* device architecture wanted, "hopper" */
  const char *runtime, *driver; /* version rules: ">=580", "0.17.*", "vllm >=0.17" */
};
enum crv_amount_basis { CRV_AMOUNT_NONE = 0, CRV_AMOUNT_TOTAL, CRV_AMOUNT_ITEMS };
struct crv_amount_item {
  const char *item, *why;
  struct crv_opt_int bytes;
};
/* "64 GiB", {"bytes": n} or [{item, bytes, why}]: items add up to bytes; an item without bytes
   leaves bytes unset. */
struct crv_amount {
  struct crv_opt_int bytes;
  struct crv_list items; /* struct crv_amount_item */
};
struct crv_host_need {
  struct crv_amount ram, disk;
  struct crv_opt_int vcpus;
};
enum crv_tax { CRV_TAX_INCLUDED = 1, CRV_TAX_EXCLUDED, CRV_TAX_NONE };
extern const struct crv_enum_name crv_tax_names[];
enum crv_interruption { CRV_INTERRUPTION_REFUSED = 1, CRV_INTERRUPTION_TOLERATED };
struct crv_campaign {
  struct crv_opt_int hours;
  struct crv_opt_int start_by; /* ms */
  const char *currency;
  struct crv_opt_int ceiling;         /* decimal micro */
  enum crv_tax tax;                   /* how prices are to be compared; 0: not compared */
  enum crv_interruption interruption; /* 0: not stated, taken as refused and printed */
  struct crv_list rates;              /* const char *: keys of exchange_rate pieces to use */
};
struct crv_headroom {
  struct crv_opt_int bytes;
  const char *why, *evidence;
};
enum crv_reserve_basis { CRV_RESERVE_MEASURED = 1, CRV_RESERVE_ESTIMATED, CRV_RESERVE_UNKNOWN };
enum crv_per { CRV_PER_DEVICE = 1, CRV_PER_TOTAL };
struct crv_reserve {
  const char *item, *why, *evidence;
  struct crv_opt_int bytes; /* unset when basis is unknown */
  enum crv_reserve_basis basis;
  enum crv_per per; /* 0: device */
};
enum crv_op { CRV_OP_EQ = 1, CRV_OP_NE, CRV_OP_GE, CRV_OP_LE, CRV_OP_GT, CRV_OP_LT, CRV_OP_IN };
extern const struct crv_enum_name crv_op_names[]; /* "==", "!=", ">=", "<=", ">", "<", "in" */
/* A requirement or preference on any offer field; value is the JSON text of a scalar, or of a list
   for "in"; it is read by the offer's own field table. */
struct crv_requirement {
  const char *field; /* dotted path, "host.disk" */
  enum crv_op op;
  const char *value;           /* canonical JSON text */
  struct crv_list attested_by; /* const char *: evidence kinds; empty: any that can prove it */
  const char *why;
};
struct crv_preference {
  const char *field;
  const char *equals, *at_least, *at_most; /* canonical JSON text, exactly one */
};
struct crv_current {
  const char *offer;  /* key, or NULL when inline */
  const char *device; /* canonical model */
  struct crv_opt_int devices;
  enum crv_strategy strategy;
};

struct crv_sheet {
  const char *name; /* optional in the body */
  enum crv_task task;
  struct crv_model *model;
  struct crv_precision *precision;
  struct crv_length *length;
  struct crv_opt_int sequence, concurrency, microbatch, accumulation;
  struct crv_adaptation *adaptation;
  struct crv_execution *execution;
  struct crv_scene *scene;
  struct crv_list quality;    /* struct crv_quality */
  const char *quality_waived; /* why; closes the criterion */
  struct crv_acceptance *acceptance;
  struct crv_list placement; /* struct crv_placement: the accepted ones */
  struct crv_software *software;
  enum crv_tri service_managed; /* service {managed} */
  struct crv_host_need *host;
  struct crv_campaign *campaign;
  struct crv_headroom *headroom;
  struct crv_list reserve;      /* struct crv_reserve */
  struct crv_list requirements; /* struct crv_requirement */
  struct crv_list preferences;  /* struct crv_preference */
  struct crv_list phases; /* const char *: extra phases asked for: evaluation, checkpoint_export */
  struct crv_list interconnect; /* const char *: acceptable kinds, any of them */
  struct crv_current *current;
  const char *note;
  struct crv_list extras; /* struct crv_extra: x-... */
};

extern const struct crv_jspec crv_sheet_spec;

/* Decodes and checks a sheet. The struct and all it points to live in a. */
bool crv_sheet_decode(const json_t *j, const char *ptr, struct crv_arena *a, struct crv_sheet **ret,
                      struct crv_err *err);

/* A field that completeness needs and the sheet lacks: path as in the body ("model.revision"). */
struct crv_missing {
  const char *field;
  const char *why; /* what it is needed for, a clause */
};
/* Fills ret (struct crv_missing, static text) with what domain.md's completeness by task asks and
   the sheet lacks, in a fixed order. A written waiver counts for quality. */
enum { CRV_MAX_MISSING = 24 };
size_t crv_sheet_missing(const struct crv_sheet *s, struct crv_missing ret[CRV_MAX_MISSING]);

/* Tokens of one sequence: prompt + generated, or sequence; unset when not stated in full. */
struct crv_opt_int crv_sheet_length(const struct crv_sheet *s);
/* Is it a task about a model (inference, adaptation, training)? */
bool crv_task_has_model(enum crv_task t);
/* Phases that a run must cover, in order: names of domain.md; returns how many (at most 8). */
size_t crv_sheet_phases(const struct crv_sheet *s, const char *ret[8]);

#endif
