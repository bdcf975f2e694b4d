/* What the files of the diagnosis share. For core/evidence/diagnose*.c only.
   Order of work: the text is squeezed (flat), scanned once for all patterns (scan), which fills
   messages, log figures and facts (message), hints of the phase (frames) and marks; then the job is
   put together (job), the request explained (explain), phase and cause decided, advice chosen and
   the report drafted. */
#ifndef CRV_EVIDENCE_DIAGNOSE_INTERNAL_H
#define CRV_EVIDENCE_DIAGNOSE_INTERNAL_H

#include <stdint.h>

#include "core/base/buf.h"
#include "core/evidence/diagnose.h"

/* -- diagnose_flat.c: the text without white space, control characters and prefixes of lines, in
   lower case; every place leads back to its byte in the text ------------------------------------
 */

struct crv_flat_jump {
  uint32_t flat, raw; /* from here on, byte flat + k is raw + k */
};
struct crv_flat_rank {
  uint32_t flat;
  int32_t rank; /* of the process whose line this is */
};
struct crv_flat {
  char *s;
  size_t n;
  const char *raw;
  size_t raw_len;
  struct crv_buf jumps, ranks; /* arrays of the structs above */
};
enum crv_gap { CRV_GAP_NONE, CRV_GAP_SPACE, CRV_GAP_LINE }; /* NONE: nothing, or no blank */

/* raw must outlive ret. False: out of memory; crv_flat_done in both cases. */
bool crv_flat_make(const char *raw, size_t len, struct crv_flat *ret);
void crv_flat_done(struct crv_flat *f);
/* The byte in the text; at may be n (the text's end). */
size_t crv_flat_raw(const struct crv_flat *f, size_t at);
/* From the byte of `from` to behind the byte of `to` - 1; from < to. */
struct crv_diag_span crv_flat_span(const struct crv_flat *f, size_t from, size_t to);
/* What was left out before byte at. */
enum crv_gap crv_flat_gap(const struct crv_flat *f, size_t at);
struct crv_opt_int crv_flat_rank_of(const struct crv_flat *f, size_t at);
/* No letter, digit or "_" stands directly before (behind) it in the text. */
bool crv_flat_starts_word(const struct crv_flat *f, size_t at);
bool crv_flat_ends_word(const struct crv_flat *f, size_t end);
/* Bytes at raw that a line begins with and that are no part of what it says (rank, time, level,
   quote and box marks); *rank is set when they name one. Bounded by a constant. */
size_t crv_flat_prefix(const char *raw, size_t len, struct crv_opt_int *rank);

/* -- diagnose_number.c --------------------------------------------------------------------------
 */

struct crv_dx_number {
  size_t from, to;          /* in the squeezed text, unit included */
  unsigned __int128 digits; /* without separators */
  int places;               /* digits behind the point */
  bool negative, unclear;
  bool cut;         /* the text ends inside it */
  bool endless;     /* more digits than any size has */
  const char *unit; /* as people write it; NULL: none */
  int64_t factor;   /* bytes of the unit; 0: none */
};
/* A number at `at` (behind a few of ":=(\"'[~") with the unit behind it; without: the unit stays
 * NULL. */
bool crv_dx_number_at(const struct crv_flat *f, size_t at, bool whole, struct crv_dx_number *ret);
/* A number whose unit (or last digit, when whole) ends before `end`. */
bool crv_dx_number_before(const struct crv_flat *f, size_t end, bool whole,
                          struct crv_dx_number *ret);
void crv_dx_unit_at(const struct crv_flat *f, struct crv_dx_number *n);
/* Bytes under a factor, rounded as told; false beyond CRV_INT_MAX, with *wrapped when the number is
   one at the edge of 64 bits. */
bool crv_dx_number_bytes(const struct crv_dx_number *n, int64_t factor, bool up, int64_t *ret,
                         bool *wrapped);
bool crv_dx_number_int(const struct crv_dx_number *n, int64_t *ret);
bool crv_dx_number_micro(const struct crv_dx_number *n, int64_t *ret);

/* -- what the tables name -----------------------------------------------------------------------
 */

enum crv_dx_figure_id {
  CRV_DF_NONE = 0,
#define X(ID, name, counter, scope, keep, round, says) CRV_DF_##ID,
#include "core/evidence/figures.def"
#undef X
  CRV_DF_COUNT
};
enum crv_dx_fact_id {
  CRV_DN_NONE = 0,
#define X(ID, name, type) CRV_DN_##ID,
#include "core/evidence/facts.def"
#undef X
  CRV_DN_COUNT
};
enum crv_dx_flag_id {
#define X(ID, code, says) CRV_DG_##ID,
#include "core/evidence/flags.def"
#undef X
  CRV_DG_COUNT
};
enum crv_dx_cause_id {
#define X(ID, cause, detail, draft, says) CRV_DC_##ID,
#include "core/evidence/causes.def"
#undef X
  CRV_DC_COUNT
};
enum crv_dx_phase {
  CRV_DP_UNDETERMINED = 0,
  CRV_DP_LOADING,
  CRV_DP_FORWARD,
  CRV_DP_BACKWARD,
  CRV_DP_OPTIMIZER_STEP,
  CRV_DP_GENERATION,
  CRV_DP_EVALUATION,
  CRV_DP_CHECKPOINT_EXPORT,
};
enum crv_dx_trait {
  CRV_DT_NONE = 0,
  CRV_DT_UNIFIED,
  CRV_DT_BUFFER_LIMIT,
  CRV_DT_INVALID_SIZE,
  CRV_DT_KV_MESSAGE,
  CRV_DT_START_CHECK,
  CRV_DT_PREFILL_MESSAGE,
  CRV_DT_DISPATCHED,
  CRV_DT_KERNEL_LINE,
  CRV_DT_MEMCG,
  CRV_DT_WHOLE_LINE,
  CRV_DT_SHM,
  CRV_DT_KERNEL_RESOURCES,
  CRV_DT_DISK_FULL,
  CRV_DT_UNSUPPORTED,
  CRV_DT_INDEX_LIMIT,
  CRV_DT_CRASH,
  CRV_DT_DEVICE_MAP,
  CRV_DT_DOT_CUDA,
  CRV_DT_DTYPE,
  CRV_DT_BITS4,
  CRV_DT_BITS8,
  CRV_DT_BITS16,
  CRV_DT_BITS32,
  CRV_DT_TRIALS,
  CRV_DT_BATCH_NO_EFFECT,
  CRV_DT_OFFLOAD,
  CRV_DT_QLORA,
  CRV_DT_LORA,
  CRV_DT_FULL,
  CRV_DT_ZERO2,
  CRV_DT_ZERO3,
  CRV_DT_FSDP,
  CRV_DT_REPLICATED,
  CRV_DT_LAUNCHER,
  CRV_DT_COUNT
};
enum crv_dx_effect {
  CRV_DE_NONE = 0,
  CRV_DE_DEVICE,
  CRV_DE_WEAK,
  CRV_DE_BUDGET,
  CRV_DE_KILLED,
  CRV_DE_HOST,
  CRV_DE_ELSE,
  CRV_DE_ENGINE,
  CRV_DE_TRAIT,
  CRV_DE_TRACEBACK,
  CRV_DE_COUNT
};
enum crv_dx_level {
  CRV_DL_SENTENCE = 0,
  CRV_DL_FRAME, /* CONTAINER and STEP */
  CRV_DL_PROSE,
  CRV_DL_INNER,
  CRV_DL_PROGRESS,
  CRV_DL_COUNT
};

/* -- what the scan fills ------------------------------------------------------------------------
 */

enum { CRV_DX_FIGURES = 20, CRV_DX_MESSAGES = 32, CRV_DX_LOG = 128, CRV_DX_FROM = 3 };

struct crv_dx_figure {
  enum crv_dx_figure_id id;
  struct crv_opt_int bytes, device;
  int64_t half_step;
  char printed[56];
  const char *unit, *unit_means;
  size_t from, to; /* of the clause, in the squeezed text */
};
struct crv_dx_message {
  size_t from, to; /* in the squeezed text */
  struct crv_opt_int device, rank;
  int64_t times;
  bool worded;         /* the words of failure stand in it */
  bool opened, closed; /* the wording's first clause after the request, and its last */
  struct crv_dx_figure at[CRV_DX_FIGURES];
  size_t n;
};
struct crv_dx_number_fact {
  bool set;
  int64_t v;
  size_t from, to;
};
struct crv_dx_hint {
  bool set, container;
  int rank;
  enum crv_dx_phase phase;
  const char *subphase; /* "" when the rule names none */
  const char *from[CRV_DX_FROM];
  size_t at[CRV_DX_FROM], to[CRV_DX_FROM];
  size_t n;
};
struct crv_dx_side {
  struct crv_dx_hint at[CRV_DL_COUNT];
};
/* Hints before and after one point of the text. */
struct crv_dx_split {
  struct crv_dx_side before, after;
  bool passed;
};
struct crv_dx_mark {
  bool set;
  size_t at; /* first place, in the squeezed text */
  const char *backend, *engine;
};

/* What is known of the job, and from where. */
struct crv_dx_job {
  const char *model; /* name; NULL: not known */
  int64_t size;      /* the number in the name, in units of 10^8; 0: none */
  struct crv_opt_int parameters;
  bool nominal;    /* parameters read out of the model's name: about, not exactly */
  bool from_sheet; /* parameters and formats are the sheet's */
  const struct crv_dx_shape *shape; /* published model of that name, NULL: none */
  const struct crv_dx_shape *like; /* the one whose matrix the request equals, when none is named */
  int64_t bits;                    /* of the weights, 0: not known; 4, 8, 16, 32 */
  struct crv_opt_int weights, gradients, states; /* on one device, bytes */
  struct crv_opt_int capacity;                   /* of the device: the text's, else the caller's */
  bool capacity_of_text;
  int64_t devices; /* 0: not known */
  bool full, lora, sharded_states, sharded_weights, replicated;
  struct crv_opt_int length, microbatch, concurrency;
};
/* A published model's dimensions (shapes.def). */
struct crv_dx_shape {
  const char *name, *key; /* key: lower case, letters, digits and points only */
  int64_t parameters, hidden, intermediate, layers, kv_heads, heads, head_dim, vocab;
  int64_t size; /* the number of its name in units of 10^8: "7B" is 70 */
};

struct crv_dx {
  const struct crv_diagnose_in *in;
  struct crv_arena *a;
  struct crv_err *err;
  bool failed; /* err is set */
  struct crv_flat *flat;
  bool in_context; /* the context is being scanned, not the text */

  struct crv_dx_message msg[CRV_DX_MESSAGES];
  size_t n_msg;
  struct crv_dx_message open; /* the one being read */
  bool is_open, more_messages;
  struct crv_dx_figure log[CRV_DX_LOG];
  size_t n_log;
  struct crv_dx_number_fact fact[CRV_DN_COUNT];

  struct crv_dx_split by_figure,
      by_word; /* split at the first request, at the first failure word */
  struct crv_dx_side context;
  struct crv_dx_mark mark[CRV_DE_COUNT];
  bool trait[CRV_DT_COUNT], context_trait[CRV_DT_COUNT];
  size_t engine_row; /* row of wordings.def, SIZE_MAX: none */
  char engine_version[24];
  bool flag[CRV_DG_COUNT];

  enum crv_dx_cause_id cause;
  struct crv_dx_job job;
  struct crv_budget budget;
  bool has_budget;

  struct crv_diagnosis *ret;
  struct crv_diag_fact derived[48];
  size_t n_derived;
};

/* Out of memory: sets err once. Returns false. */
bool crv_dx_no_memory(struct crv_dx *d);
/* arena printf; NULL with crv_dx_no_memory. */
const char *crv_dx_text(struct crv_dx *d, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* -- diagnose_scan.c: all patterns of all tables in one pass -------------------------------------
 */

bool crv_dx_scan(struct crv_dx *d, struct crv_flat *flat, bool context);

/* A table of patterns: its i-th pattern (NULL after the last) and what a hit does. */
struct crv_dx_table {
  const char *(*pattern)(size_t i);
  void (*hit)(struct crv_dx *d, size_t i, size_t at, size_t end);
};
extern const struct crv_dx_table crv_dx_clauses, crv_dx_frames, crv_dx_wordings;

/* -- diagnose_message.c, diagnose_clause.c -------------------------------------------------------
 */

/* A failure's words stand at `at`: what follows belongs to a new message. */
void crv_dx_message_start(struct crv_dx *d, size_t at);
void crv_dx_message_device(struct crv_dx *d, int64_t device, size_t at);
/* Takes a figure into the open message or the log, by its id. */
void crv_dx_take(struct crv_dx *d, struct crv_dx_figure *f);
void crv_dx_messages_end(struct crv_dx *d);
/* The first message, NULL when there is none; its figure; the log's. NULL: not printed. */
const struct crv_dx_message *crv_dx_first(const struct crv_dx *d);
const struct crv_dx_figure *crv_dx_figure(const struct crv_dx *d, enum crv_dx_figure_id id);
struct crv_opt_int crv_dx_bytes(const struct crv_dx *d, enum crv_dx_figure_id id);
const char *crv_dx_figure_name(enum crv_dx_figure_id id);
bool crv_dx_figure_of_message(enum crv_dx_figure_id id);
/* The finished lists of ret. */
bool crv_dx_list_figures(struct crv_dx *d);

/* -- diagnose_frames.c ---------------------------------------------------------------------------
 */

/* The text passes the first request (or the first word of failure). */
void crv_dx_split_at(struct crv_dx_split *s);
void crv_dx_frames_reset(struct crv_dx *d);
bool crv_dx_phase(struct crv_dx *d);
const char *crv_dx_phase_name(enum crv_dx_phase p);
enum crv_dx_phase crv_dx_phase_of(const struct crv_dx *d);

/* -- diagnose_job.c, diagnose_explain.c, diagnose_derive.c ----------------------------------------
 */

bool crv_dx_job(struct crv_dx *d);
bool crv_dx_explain(struct crv_dx *d);
bool crv_dx_derive(struct crv_dx *d);
/* Adds a derived value; how: the arithmetic. */
void crv_dx_add(struct crv_dx *d, const char *name, enum crv_fact_type type, int64_t v,
                const char *how);
/* A derived value, fact or figure by its name; unset when not known. */
struct crv_opt_int crv_dx_known(const struct crv_dx *d, const char *name, enum crv_fact_type *type);
struct crv_opt_int crv_dx_derived(const struct crv_dx *d, const char *name);
/* The printed facts and the derived values, as lists of ret. */
bool crv_dx_list_facts(struct crv_dx *d);
extern const struct crv_dx_shape crv_dx_shapes[];
extern const size_t crv_dx_n_shapes;

/* -- diagnose_cause.c, diagnose_advice.c, diagnose_draft.c ----------------------------------------
 */

bool crv_dx_cause(struct crv_dx *d);
enum crv_cause crv_dx_draft_cause(const struct crv_dx *d);
void crv_dx_flags(struct crv_dx *d);
bool crv_dx_advice(struct crv_dx *d);
/* The i-th row of advice.def, for tests: phases, causes, engines, text, verifications. False after
   the last. */
bool crv_dx_advice_row(size_t i, const char *ret[5]);
/* The i-th sentence of causes.def and the engine of the i-th wording, NULL after the last. */
const char *crv_dx_cause_says(size_t i);
const char *crv_dx_wording_engine(size_t i);
/* A sentence with its {names} filled in; "[...]" goes out where a name in it is not known. NULL: a
   name outside brackets is not known (or out of memory, see failed). */
const char *crv_dx_fill(struct crv_dx *d, const char *template_text);
bool crv_dx_draft(struct crv_dx *d);

#endif
