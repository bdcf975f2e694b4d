/* What the readers of measurements share: the cleaned text and its lines, forms that find figures
   in it, and the gathering of facts, devices, notes and series. For core/evidence/measure*.c alone.
   Must not know: where records are kept, HTTP. */
#ifndef CRV_EVIDENCE_MEASURE_INTERNAL_H
#define CRV_EVIDENCE_MEASURE_INTERNAL_H

#include "core/evidence/measure.h"

/* -- text (measure_text.c) -------------------------------------------------------------------- */

/* The text without colour codes, NULs as spaces, ended by NUL; line breaks are where they were. */
struct crv_mtext {
  const char *s;
  size_t len;
  size_t width; /* of lines that a terminal broke: the longest, when several have it; else 0 */
};
/* A piece of it. */
struct crv_mspan {
  const char *s;
  size_t len;
};
/* The width of its lines, as struct crv_mtext has it. */
size_t crv_mtext_width(const char *s, size_t len);
/* malloc'ed copy; NULL: out of memory. */
char *crv_mtext_clean(const char *data, size_t len, size_t *ret_len);

/* Walks lines: "\n" ends a line, "\r" inside it begins it anew (a progress bar). */
struct crv_mlines {
  const struct crv_mtext *t;
  size_t at;
  int64_t line;
};
bool crv_mline_next(struct crv_mlines *l, struct crv_mspan *ret);
/* The line around an offset, at most 2048 bytes to either side. */
struct crv_mspan crv_mline_at(const struct crv_mtext *t, size_t at);
/* The last line before it that is not blank; len 0: none. */
struct crv_mspan crv_mline_before(const struct crv_mtext *t, size_t at);

struct crv_mspan crv_mtrim(struct crv_mspan s);
bool crv_mspan_is(struct crv_mspan s, const char *text);
bool crv_mspan_starts(struct crv_mspan s, const char *text);
/* Offset of text in s, or SIZE_MAX. */
size_t crv_mspan_find(struct crv_mspan s, const char *text);
size_t crv_mspan_find_nocase(struct crv_mspan s, const char *text);
struct crv_mspan crv_mspan_from(struct crv_mspan s, size_t at);
/* Splits at sep into trimmed cells; returns how many (at most max). */
size_t crv_msplit(struct crv_mspan s, char sep, struct crv_mspan *cells, size_t max);
/* The next run without blanks; removes it from s; len 0: none. */
struct crv_mspan crv_mword(struct crv_mspan *s);
/* Valid UTF-8 without control characters, at most max bytes, NUL-ended; NULL: out of memory. */
const char *crv_mcopy(struct crv_arena *a, struct crv_mspan s, size_t max);
bool crv_mint(struct crv_mspan s, int64_t *ret); /* all digits, at most 15 */

/* A number as printed, exact: mantissa / 10^places. */
struct crv_mnumber {
  int64_t mantissa;
  int places;
  bool set;       /* false: "N/A", or not to be read */
  bool ambiguous; /* "1,024": thousands or decimals */
  bool too_big;   /* more than 18 digits */
  char text[40];
};
struct crv_mfigure {
  struct crv_mnumber n;
  char unit[12]; /* "" for none */
};
/* Reads a number at s; returns the bytes it took, 0 for none. */
size_t crv_mnumber_read(struct crv_mspan s, struct crv_mnumber *ret);
/* A number, or a word that says there is none ("N/A", "[Not Supported]"), and a unit of memory. */
size_t crv_mfigure_read(struct crv_mspan s, struct crv_mfigure *ret);
bool crv_mnumber_micro(const struct crv_mnumber *n, int64_t *ret); /* rounded toward zero */
/* Ends at the number's end and holds nothing else. */
bool crv_mnumber_only(struct crv_mspan s, struct crv_mnumber *ret);

/* -- times (measure_time.c) ------------------------------------------------------------------- */

/* "2024/01/15 10:30:00.123", ISO 8601 with or without zone. UTC is assumed throughout, because only
   differences are used. */
bool crv_mtime_stamp(struct crv_mspan s, int64_t *ret_ms);
/* "Mon Feb  3 10:11:12 2025", with AM/PM and a zone name or without. */
bool crv_mtime_ctime(struct crv_mspan s, int64_t *ret_ms);

/* -- forms (measure_form.c) ------------------------------------------------------------------- */

/* A form is a text to find, in which
     ' '  stands for any blanks, or none, with one line break at most;
     '#'  for a number, '$' for a figure of memory with or without a unit, '&' for a word: captured;
     '~'  for up to 160 characters of the same line;
     '\\' takes the next character as it is; a leading '!' ignores case.
   A line break inside a word is passed over. A form that starts with a letter or digit starts at
   the start of a word. */
enum { CRV_MCAPS = 8 };
struct crv_mcap {
  size_t at, len;
  struct crv_mfigure f; /* '#' and '$' */
};
struct crv_mmatch {
  size_t at, end;
  unsigned n;
  struct crv_mcap cap[CRV_MCAPS];
  bool wrapped;
};
bool crv_mform(const struct crv_mtext *t, size_t at, const char *form, struct crv_mmatch *ret);

/* How a memory unit without "i" is meant. */
enum crv_munit {
  CRV_MU_BINARY = 1, /* KB, MB, GB are 2^10, 2^20, 2^30: known of the tool */
  CRV_MU_DECIMAL,    /* 10^3, 10^6, 10^9: known of the tool */
  CRV_MU_ASSUMED,    /* binary, the tool not being known */
  CRV_MU_GIB,        /* binary; a number without a unit is GiB */
  CRV_MU_MIB,        /* binary; a number without a unit is MiB */
  CRV_MU_BYTES,      /* binary; a number without a unit is bytes */
};
enum crv_mas {
  CRV_MA_FACT = 0, /* a fact of want.counter; none when that is 0 */
  CRV_MA_SETTING,  /* the setting named item */
  CRV_MA_ENGINE,   /* "item version" */
};
struct crv_mwant {
  enum crv_measure_counter counter;
  enum crv_measure_kind kind;
  const char *item, *phase;
  enum crv_munit unit;
  enum crv_mas as;
};
struct crv_mrun;
struct crv_mrule {
  const char *form;
  struct crv_mwant want[6]; /* of each capture in order */
  /* Called instead of the wants when not NULL. */
  void (*hook)(struct crv_mrun *run, const struct crv_mrule *rule, const struct crv_mmatch *m);
};
/* Walks the text once; at each place the first rule that matches is taken and its text passed. */
void crv_mrules_run(struct crv_mrun *run, const struct crv_mrule *rules, size_t n);

/* -- gathering (measure_facts.c) -------------------------------------------------------------- */

enum crv_mnote {
#define X(NAME, code, text) CRV_MN_##NAME,
#include "core/evidence/measure_notes.def"
#undef X
  CRV_MN_COUNT
};

struct crv_mfacts; /* measure_facts.c */
struct crv_mrun {
  struct crv_arena *a;
  struct crv_measure *ret;
  struct crv_mtext text;
  const char *source;      /* of the facts */
  const char *stage;       /* given to facts as they are added; readers set it */
  int64_t line;            /* of the match at hand */
  struct crv_opt_int rank; /* of the line at hand */
  size_t skip;             /* a hook may set it: the walk goes on there */
  size_t recognised;       /* things that belong to the source, read or not */
  bool failed;             /* out of memory: sticky */
  struct crv_mfacts *facts;
  unsigned char noted[CRV_MN_COUNT];
};
bool crv_mrun_init(struct crv_mrun *run);
/* Facts, devices and notes into the result, sorted by line. */
void crv_mrun_finish(struct crv_mrun *run);

/* A fact to fill; line, rank, source and stage are set. */
struct crv_measure_fact crv_mfact(const struct crv_mrun *run, enum crv_measure_counter c,
                                  enum crv_measure_kind k, const char *item);
/* Sets text, unit, means, bytes and step of a memory fact (with notes on units), micro of others.
 */
void crv_mfact_figure(struct crv_mrun *run, struct crv_measure_fact *f,
                      const struct crv_mfigure *fig, enum crv_munit unit);
/* Keeps a copy. Equal figures of one kind are counted; beyond a limit the largest is kept. Returns
   the kept fact, valid until the next add, or NULL. */
struct crv_measure_fact *crv_mfact_add(struct crv_mrun *run, const struct crv_measure_fact *f);
/* The facts so far, by order of adding. */
size_t crv_mfacts_n(const struct crv_mrun *run);
struct crv_measure_fact *crv_mfact_at(const struct crv_mrun *run, size_t i);

/* The usual sentence, once a text. */
void crv_mnote(struct crv_mrun *run, enum crv_mnote code);
/* A sentence of its own, at most eight a code. */
void crv_mnote_say(struct crv_mrun *run, enum crv_mnote code, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
/* The device of that index, made when there is none; NULL: too many, or out of memory. */
struct crv_measure_device *crv_mdevice(struct crv_mrun *run, int64_t index);
/* The index of the device with that uuid; -1: none. */
int64_t crv_mdevice_by_uuid(const struct crv_mrun *run, struct crv_mspan uuid);
/* Its name, once; a cut one is marked. */
void crv_mdevice_name(struct crv_mrun *run, struct crv_measure_device *d, struct crv_mspan name);
void crv_msetting(struct crv_mrun *run, const char *name, struct crv_mspan value);
/* As above for a name that is not static: it is copied. */
void crv_msetting_once(struct crv_mrun *run, const char *name, struct crv_mspan value);
/* Settings by their names wherever the text states them: name=value, 'name': value, --name value.
 */
void crv_msettings_find(struct crv_mrun *run, const char *const *names, size_t n);
/* The value of a setting gathered so far; len 0: none. */
struct crv_mspan crv_msetting_of(const struct crv_mrun *run, const char *name);
bool crv_msetting_int(const struct crv_mrun *run, const char *name, int64_t *ret);
void crv_mphase(struct crv_mrun *run, const char *phase);
void crv_mengine(struct crv_mrun *run, const char *name, struct crv_mspan version);
/* Rank that the head of a line names ("[rank1]", "Worker_TP1", "[Rank 1]"). */
struct crv_opt_int crv_mrank(struct crv_mspan line);
/* Device that a line names ("cuda:1", "GPU 1"). */
struct crv_opt_int crv_mdevice_of(struct crv_mspan line);
/* The smallest figure is kept. */
void crv_msmallest(struct crv_opt_int *keep, int64_t v);

/* A counter of one device or process in time. */
struct crv_mseries {
  enum crv_measure_counter counter;
  const char *item;
  struct crv_opt_int device;
  int64_t id;         /* tells series apart: device index, or pid */
  int64_t n, missing; /* samples with a figure; samples without */
  int64_t line;       /* of the largest, and of the first until there is one */
  struct crv_opt_int bytes;
  char text[40];
  char unit[12];
  struct crv_opt_int first, last; /* times, ms */
  int64_t longest, shortest, timed;
  bool backwards;
};
struct crv_mseries_set;
struct crv_mseries_set *crv_mseries_new(struct crv_mrun *run);
/* Adds a sample. fig without a number counts as missing. */
void crv_mseries_add(struct crv_mrun *run, struct crv_mseries_set *set,
                     const struct crv_mseries *key, const struct crv_mfigure *fig,
                     struct crv_opt_int at);
/* One fact a series: an instant for one sample, sampled for several. stated: interval that the
   text states elsewhere (a command line). unknown: the series cannot be told apart, so that each
   gives its largest reading as an instant of no device. */
void crv_mseries_done(struct crv_mrun *run, struct crv_mseries_set *set,
                      struct crv_opt_int stated_ms, bool unknown);

/* -- readers ---------------------------------------------------------------------------------- */

typedef void crv_mreader(struct crv_mrun *run);
crv_mreader crv_measure_nvidia_smi, crv_measure_torch, crv_measure_vllm, crv_measure_llamacpp,
    crv_measure_llama_bench, crv_measure_deepspeed, crv_measure_trainer;

#endif
