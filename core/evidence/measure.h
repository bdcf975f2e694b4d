/* Measurements -> facts: what nvidia-smi, torch, engines and trainers print, read as figures with
   their counter, device, kind and exact bytes. One file a source. A reader takes what is there,
   says what is missing or doubtful, and invents nothing: a missing figure stays missing, a negative
   one negative, one sample is no peak, a forecast is no measurement.
   Must not know: where records are kept, HTTP, verdicts. */
#ifndef CRV_EVIDENCE_MEASURE_H
#define CRV_EVIDENCE_MEASURE_H

#include "core/evidence/piece.h"

enum crv_measure_counter {
  CRV_MEASURE_NONE = 0,
#define X(NAME, name, unit, peak, doc) CRV_MEASURE_##NAME,
#include "core/evidence/measure_counters.def"
#undef X
  CRV_MEASURE_COUNTERS
};
extern const struct crv_enum_name crv_measure_counter_names[]; /* "torch.allocated", ... */

enum crv_measure_kind {
  CRV_MEASURE_PEAK = 1, /* a maximum that the counter itself keeps */
  CRV_MEASURE_SAMPLED,  /* the largest of samples in time */
  CRV_MEASURE_INSTANT,  /* one reading */
  CRV_MEASURE_FORECAST, /* what the tool expects, before or without doing it */
  CRV_MEASURE_STATED,   /* what the tool says of a device, a buffer, a setting or a result */
  CRV_MEASURE_DELTA,    /* a change over a stage; may be negative */
};
extern const struct crv_enum_name crv_measure_kind_names[]; /* "peak", "sampled", ... */

struct crv_measure_fact {
  const char *source; /* the reader: "vllm-log" */
  enum crv_measure_counter counter;
  enum crv_measure_kind kind;
  const char *item;  /* what part: "weights", "kv_cache", "compute"; NULL: the whole counter */
  const char *phase; /* of domain's phases, when the text says; NULL: not separated or not known */
  const char *stage; /* the tool's own words for the moment, or the test; NULL: none */
  const char *label; /* the words before the figure, as printed */
  int64_t line;      /* 1-based */
  struct crv_opt_int device; /* index; unset: the text does not say which */
  struct crv_opt_int rank;   /* process that printed it */
  const char *device_label;  /* the tool's name of the place: "CUDA0", "CPU"; NULL: none */
  bool host;                 /* the place is host memory, whatever its name ("CUDA_Host") */
  struct crv_opt_int interval_ms, samples; /* sampled; the interval is the longest gap */
  const char *text, *unit;  /* as printed; text NULL: derived; unit NULL: none printed */
  const char *means;        /* what the unit means: "MiB", "GB", "bytes", "tokens" */
  struct crv_opt_int bytes; /* memory: exact bytes of the printed figure, may be negative; unset:
                               not in the text ("N/A"), or its unit is not known */
  struct crv_opt_int step_bytes; /* memory: one unit of the last printed place */
  struct crv_opt_int micro;      /* other figures, decimal micro-units */
  struct crv_opt_int spread;     /* of a mean, decimal micro-units */
  const char *derived;           /* how it was computed; NULL: printed */
  int64_t repeats;               /* how often the same figure came, from 1 */
};

/* What the text says of one device. */
struct crv_measure_device {
  int64_t index;
  const char *name;           /* verbatim; NULL: not stated */
  bool name_cut;              /* the tool cut it: it identifies nothing */
  const char *model;          /* canonical, when the name fits one model; NULL otherwise */
  struct crv_list candidates; /* const char *: models that it fits when they are several */
  const char *uuid, *bus_id, *driver, *compute_capability;
  struct crv_opt_int total_bytes; /* what it declares, exact to the unit printed */
  enum crv_tri ecc, mig;
  int64_t line;
};

/* Something that a reader of the figures must know. */
struct crv_measure_note {
  const char *code; /* closed list: crv_measure_note_codes */
  int64_t line;     /* 0: the whole text */
  const char *text; /* a sentence */
};

enum { CRV_MEASURE_FACTS = 4000, CRV_MEASURE_NOTES = 200, CRV_MEASURE_DEVICES = 1024 };
struct crv_measure {
  const char *source; /* canonical name */
  int64_t lines;
  struct crv_list facts;   /* struct crv_measure_fact, by line */
  int64_t more_facts;      /* not kept; their largest figures are in the kept ones */
  struct crv_list devices; /* struct crv_measure_device, by index */
  struct crv_list notes;   /* struct crv_measure_note, by line */
  int64_t more_notes;
  struct crv_list settings; /* struct crv_pair: settings that the text states */
  struct crv_list phases;   /* const char *: phases that the text shows as executed */
  const char *engine;       /* "vllm 0.8.5", NULL: not stated */
  const char *driver, *cuda;
  struct crv_pool pool; /* per device, the smallest of the ranks; both unset: none stated */
  struct crv_opt_int free_at_start_bytes; /* the smallest of the devices */
  enum crv_tri spilled;                   /* part of the model was left to the host */
  int64_t failure_line;                   /* first line that reports memory running out; 0: none */
};

struct crv_measure_source {
  const char *name;
  const char *aliases; /* separated by spaces */
  const char *doc;     /* what it reads, one sentence */
};
extern const struct crv_measure_source crv_measure_sources[];
extern const size_t crv_n_measure_sources;
/* The source of a name or alias; NULL: unknown. */
const struct crv_measure_source *crv_measure_source(const char *name);

/* The closed list of note codes. */
struct crv_measure_code {
  const char *code, *doc;
};
extern const struct crv_measure_code crv_measure_note_codes[];
extern const size_t crv_n_measure_note_codes;

/* Reads the text (any bytes) into ret, all in a; linear time. False: BAD_PARAMETER for an unknown
   source; INVALID_FIELDS (code nothing_recognised) when nothing in it is of that source;
   OUT_OF_MEMORY. */
bool crv_measure_read(const char *source, const char *data, size_t len, struct crv_arena *a,
                      struct crv_measure *ret, struct crv_err *err);

/* What a person adds to make a result; unset where they add nothing. */
struct crv_measure_ask {
  enum crv_kind kind;             /* CRV_KIND_PROTOCOL_RUN or CRV_KIND_DEVICE_REPORT */
  struct crv_opt_int device;      /* device_report: which, where devices differ */
  struct crv_opt_int interval_ms; /* between samples, where the text has no times */
};
/* The facts as a result of that kind. protocol_run: peaks (an instant stays an instant, a forecast
   or a stated size is left out, samples without an interval count as instants), pool, phases,
   settings, spilled, free_at_start_bytes, declared_bytes, duration; outcome, truncated and errors
   are never in a log and stay unset. device_report: declared bytes, driver, ECC, MIG, compute
   capability, where the devices agree. False: INVALID_FIELDS when there is nothing to record or
   the devices differ and none was named; BAD_PARAMETER for another kind. */
bool crv_measure_result(const struct crv_measure *m, const struct crv_measure_ask *ask,
                        struct crv_arena *a, struct crv_result *ret, struct crv_err *err);

/* The whole reading as a new JSON object for an answer; what is unknown is null. NULL when out of
   memory. */
json_t *crv_measure_json(const struct crv_measure *m);

#endif
