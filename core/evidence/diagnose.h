/* What an out-of-memory message says: figures with their counters and places, phase and cause as
   two answers, changes to try one at a time, what not to try, what to provide, and the draft of a
   failure report that a person confirms. Text in, facts out: whatever the bytes are, there is an
   answer in linear time. Nothing is repaired: what is not in the text stays unknown.
   Must not know: offers, verdicts, clocks. */
#ifndef CRV_EVIDENCE_DIAGNOSE_H
#define CRV_EVIDENCE_DIAGNOSE_H

#include "core/evidence/piece.h"
#include "core/memory/budget.h"

enum { CRV_DIAGNOSE_MAX = 64 << 20 }; /* bytes of text */

struct crv_diag_span {
  size_t offset, len; /* bytes of the given text */
};

/* A size that the text prints. */
struct crv_diag_figure {
  const char *name;         /* figures.def */
  const char *says;         /* what the tool means by it */
  enum crv_counter counter; /* 0: no counter (a request, a capacity, a free amount) */
  struct crv_opt_int bytes; /* unset: without unit, cut, or no number that 64 bits hold */
  int64_t half_step;        /* the printed digits stand for bytes +- this */
  const char *printed;      /* digits and unit as printed, "352.00 MiB" */
  const char *unit;         /* NULL: none was printed */
  const char *unit_means;   /* where the label is not the unit: "GiB" for a printed "GB" */
  struct crv_opt_int device, rank;
  size_t message;            /* from 1; 0: a line of the log, not of a message */
  struct crv_diag_span span; /* of the clause that states it */
};

/* One message of the text: one request that failed. */
struct crv_diag_message {
  struct crv_opt_int device, rank;
  int64_t times;  /* how often it stands there word for word */
  bool truncated; /* cut before the end that this wording has */
  struct crv_diag_span span;
};

/* A number that is no size, or one that follows from figures. how: NULL for printed ones. */
struct crv_diag_fact {
  struct crv_fact fact;
  const char *how;
  struct crv_diag_span span;
};

struct crv_diag_flag {
  const char *code, *says; /* flags.def */
};

/* The tensor (or buffer) whose size is that of the failed request. */
struct crv_diag_tensor {
  const char *tensor, *how; /* "11008 x 4096 x 4 bytes" */
  int64_t bytes;            /* of the tensor; the allocator may have rounded it up */
  const char *basis;        /* tensors | dimensions | sheet | model_name | shapes | log */
};

struct crv_diag_try {
  const char *change, *why;
  const char *verify[4];
  size_t n_verify;
  enum crv_tri meets_sheet; /* CRV_FALSE: cuts a dimension that the sheet demands */
};

struct crv_diagnosis {
  const char *phase, *subphase; /* subphase NULL: not known */
  const char *phase_basis;      /* wording | frames | log | arithmetic | context | none */
  struct crv_list phase_from;   /* const char *: what in the text says so */
  struct crv_list phase_spans;  /* struct crv_diag_span, one for each of phase_from */
  const char *cause, *detail, *cause_says; /* causes.def */
  const char *cause_basis; /* figures | sheet | wording | model_name | phase | none */
  const char *backend;     /* cuda | hip | mps | xla | ... ; NULL: not known */
  const char *engine;      /* torch | vllm | llama.cpp | ... ; NULL: not known */
  const char *engine_version;
  const char *memory;                 /* device | unified | host | engine_budget | none | unknown */
  enum crv_tri gpu_oom;               /* did an allocation on a device fail? */
  struct crv_opt_int gpu_index, rank; /* of the first message */
  struct crv_list figures;            /* struct crv_diag_figure; the first message's first */
  struct crv_list messages;           /* struct crv_diag_message */
  struct crv_list facts;              /* struct crv_diag_fact */
  struct crv_list derived;            /* struct crv_diag_fact */
  struct crv_list flags;              /* struct crv_diag_flag */
  struct crv_list explained;          /* struct crv_diag_tensor: the best first, at most three */
  struct crv_list tries;              /* struct crv_diag_try */
  struct crv_list do_not;             /* const char * */
  struct crv_list provide;            /* const char *; the one that helps most first */
  struct crv_piece *draft;            /* a failure_report, NULL: no failure was found */
  struct crv_list draft_from_sheet;   /* const char *: fields taken from the sheet, to confirm */
  struct crv_list draft_missing; /* const char *: fields to fill in before it can be recorded */
};

struct crv_diag_named {
  const char *name;
  int64_t bytes;
};
struct crv_diag_dims {
  const char *name;
  int64_t rows, cols;
};
struct crv_diagnose_in {
  const char *text;
  size_t len;
  /* What a person says of the job in words or "name: value" lines (title, command, settings):
     weaker than the text, and no figures are taken from it. May be NULL. */
  const char *context;
  size_t context_len;
  const struct crv_sheet *sheet;     /* the job that failed; may be NULL */
  const struct crv_budget *budget;   /* of that sheet; NULL: made here */
  struct crv_opt_int capacity_bytes; /* of the device as known elsewhere; the text's own wins */
  const char *device;                /* canonical model, for the draft; may be NULL */
  struct crv_opt_int devices;
  struct crv_list tensors; /* struct crv_diag_named: tensors of the sheet's model */
  struct crv_list dims;    /* struct crv_diag_dims: matrices of the sheet's model */
};

/* Everything in ret lives in a and points neither into the text nor into the context; the draft's
   scope points into the sheet and at in->device. False with TOO_LARGE (over CRV_DIAGNOSE_MAX
   bytes), OUT_OF_MEMORY, or what crv_budget_make fails with. */
bool crv_diagnose_text(const struct crv_diagnose_in *in, struct crv_arena *a,
                       struct crv_diagnosis *ret, struct crv_err *err);
/* The same with text and sheet alone. sheet and budget may be NULL. */
bool crv_diagnose(const char *text, size_t len, const struct crv_sheet *sheet,
                  const struct crv_budget *budget, struct crv_opt_int capacity_bytes,
                  struct crv_arena *a, struct crv_diagnosis *ret, struct crv_err *err);

/* api.md's Diagnosis. New; NULL: out of memory. */
json_t *crv_diagnosis_json(const struct crv_diagnosis *d);

/* The closed lists, for documentation and tests: the i-th row, false after the last. */
bool crv_diag_cause_row(size_t i, const char **cause, const char **detail);
bool crv_diag_flag_row(size_t i, const char **code, const char **says);

#endif
