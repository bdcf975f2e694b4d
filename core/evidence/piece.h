/* A piece of evidence: one immutable version of a document or measurement with kind, scope and
   result. Structs, field tables and the validation by kind (kinds.def).
   Must not know: verdicts. */
#ifndef CRV_EVIDENCE_PIECE_H
#define CRV_EVIDENCE_PIECE_H

#include "core/catalogue/offer.h"

enum crv_kind {
  CRV_KIND_NONE = 0,
#define X(NAME, name, scope_needed, result_needed, proves, never, ci) CRV_KIND_##NAME,
#include "core/evidence/kinds.def"
#undef X
  CRV_KIND_COUNT
};
struct crv_kind_info {
  enum crv_kind kind;
  const char *name;
  const char *scope_needed;   /* dotted fields of scope, separated by spaces; "a|b": one of them */
  const char *result_needed;  /* likewise of result */
  const char *proves, *never; /* sentences for /v1/kinds */
  bool ci;                    /* may the role ci write it? */
};
const struct crv_kind_info *crv_kind_info(enum crv_kind k); /* never NULL for a valid kind */
extern const struct crv_enum_name crv_kind_names[];

/* Are the kinds that a sheet's requirements name (attested_by) kinds? Field errors below ptr, at
   /requirements/0/attested_by/0. */
bool crv_attested_by_check(const struct crv_sheet *s, const char *ptr, struct crv_err *err);
/* All that a sheet's own tables cannot check of it, for a sheet that stands at ptr of the body:
   requirements and preferences against the offer's fields, and the kinds in attested_by. */
bool crv_sheet_check_demands(const struct crv_sheet *s, const char *ptr, struct crv_err *err);

/* A text field of a scope may be "*": its author claims every value. NULL: not stated. */
struct crv_scope_model {
  const char *name, *revision, *fingerprint;
};
struct crv_scope {
  enum crv_task task;
  const char *offer, *supplier, *supplier_ref, *region;
  const char *device;         /* canonical model */
  struct crv_opt_int devices; /* devices used, not lot size */
  enum crv_strategy strategy;
  struct crv_scope_model *model;
  struct crv_precision *precision;
  const char *adapter;
  struct crv_opt_int length, concurrency, microbatch, rank, accumulation;
  struct crv_adaptation *adaptation; /* settings, as the sheet's */
  struct crv_execution *execution;   /* settings, as the sheet's */
  const char *engine, *runtime, *driver,
      *architecture; /* "vllm 0.17.0", "transformers 5.17.0", "580.159" */
  const char *input, *input_revision, *resolution; /* rendering, processing: the largest input */
  struct crv_opt_int jobs;                         /* rendering, processing: jobs together */
  const char *application, *application_version;   /* rendering, processing */
  const char *metric, *dataset, *dataset_revision; /* quality */
  const char *from, *to;                           /* exchange_rate: currencies */
  struct crv_opt_int quantity;                     /* delivery: lots or devices promised */
  const char *file;                                /* catalogue_import: the file's name */
};

enum crv_outcome { CRV_OUTCOME_PASSED = 1, CRV_OUTCOME_FAILED };
enum crv_cause {
  CRV_CAUSE_OUT_OF_MEMORY = 1,
  CRV_CAUSE_UNSUPPORTED,
  CRV_CAUSE_SETTING,
  CRV_CAUSE_EXTERNAL_USE,
  CRV_CAUSE_FRAGMENTATION,
  CRV_CAUSE_HOST_KILLED,
  CRV_CAUSE_UNDETERMINED,
};
extern const struct crv_enum_name crv_cause_names[];
enum crv_stage { CRV_STAGE_SHORT = 1, CRV_STAGE_USUAL, CRV_STAGE_LIMIT };
/* Widest last: each contains the one before; never summed. */
enum crv_counter {
  CRV_COUNTER_TORCH_ALLOCATED = 1,
  CRV_COUNTER_TORCH_RESERVED,
  CRV_COUNTER_ENGINE_DECLARED,
  CRV_COUNTER_PROCESS_USED,
  CRV_COUNTER_DEVICE_USED,
  CRV_COUNTER_PLATFORM_USED,
};
extern const struct crv_enum_name crv_counter_names[]; /* "torch.allocated", ... */
enum crv_peak_kind { CRV_PEAK_PEAK = 1, CRV_PEAK_SAMPLED, CRV_PEAK_INSTANT };
struct crv_peak {
  const char *phase;         /* NULL: the whole run */
  struct crv_opt_int device; /* index; unset: every device */
  enum crv_counter counter;
  enum crv_peak_kind kind;
  struct crv_opt_int interval_ms, samples; /* sampled */
  struct crv_opt_int bytes;
};
struct crv_executed {
  struct crv_opt_int length, concurrency, microbatch, rank, jobs;
};
struct crv_pool {
  struct crv_opt_int bytes, tokens;
};
struct crv_latency_result {
  struct crv_opt_int p50, p90, p95, p99, max; /* ms */
};
struct crv_result {
  /* protocol_run, failure_report */
  enum crv_outcome outcome;
  enum crv_cause cause;
  enum crv_stage stage;
  const char *phase;             /* failure: where */
  struct crv_executed *executed; /* overrides the scope's dimensions */
  enum crv_tri truncated;
  struct crv_opt_int errors;
  struct crv_list phases; /* const char * */
  struct crv_list peaks;  /* struct crv_peak */
  struct crv_pool *pool;
  struct crv_opt_int free_at_start_bytes;
  enum crv_tri spilled;
  struct crv_latency_result *latency_ms;
  struct crv_opt_int completion; /* decimal micro */
  struct crv_opt_int throughput; /* decimal micro */
  const char *throughput_unit;
  struct crv_opt_int duration_s;
  struct crv_list settings; /* struct crv_pair */
  /* device_report */
  struct crv_opt_int declared_bytes;
  enum crv_tri ecc, mig;
  const char *driver, *compute_capability;
  struct crv_host *host;
  struct crv_interconnect *interconnect;
  /* vendor_documentation */
  struct crv_list supports, unsupported; /* const char * */
  /* quality_evaluation */
  const char *metric, *dataset, *dataset_revision;
  struct crv_opt_int value, share; /* decimal micro */
  /* delivery_commitment */
  struct crv_opt_int date; /* ms */
  struct crv_opt_int lead_time_hours, quantity;
  enum crv_tri held; /* reservation confirmed or instance held running */
  /* exchange_rate */
  struct crv_opt_int rate; /* decimal micro: 1 from = rate to */
  /* catalogue_import */
  int origin; /* enum crv_origin */
  struct crv_opt_int rows;
  /* commercial_sheet, delivery_commitment, device_report, order_preference, stock_declaration */
  struct crv_offer *facts; /* a partial offer: dotted or nested names */
  const char *text;        /* what the document says, in words */
};
enum crv_origin { CRV_ORIGIN_SUPPLIER = 1, CRV_ORIGIN_THIRD_PARTY };

struct crv_piece_content {
  const char *sha256, *media_type, *locator;
};
struct crv_piece {
  const char *key; /* optional in the body */
  enum crv_kind kind;
  struct crv_scope *scope;
  struct crv_result *result;
  const char *uri;
  struct crv_piece_content *content;
  struct crv_opt_int observed_at, valid_until;
  struct crv_list supersedes; /* const char *: keys */
  const char *retracted;      /* why; NULL: not retracted */
  enum crv_tri is_private;    /* "private" in JSON */
  const char *note;
  struct crv_list extras;
};

extern const struct crv_jspec crv_scope_spec, crv_result_spec, crv_piece_spec;

/* Decodes and checks a piece by its kind: scope fields it needs, result fields it needs, results
   that do not belong to the kind (code not_for_kind), a peak without counter, a sampled peak
   without interval, an instant never called peak, ... */
bool crv_piece_decode(const json_t *j, const char *ptr, struct crv_arena *a, struct crv_piece **ret,
                      struct crv_err *err);

/* The executed dimensions: result.executed over scope. */
void crv_piece_executed(const struct crv_piece *p, struct crv_executed *ret);

#endif
