/* What the importers share: findings of a row, rows gathered into a result, the CSV reader, the
   reader of literal cells, the checks, and keys. For core/catalogue/import*.c and checks.c alone.
   Must not know: where records are kept, HTTP. */
#ifndef CRV_CATALOGUE_IMPORT_INTERNAL_H
#define CRV_CATALOGUE_IMPORT_INTERNAL_H

#include "core/catalogue/import.h"

/* -- findings (import_findings.c) ------------------------------------------------------------ */

enum crv_icode {
#define X(name, code, field, effect, doc) CRV_IC_##name,
#include "import_codes.def"
#undef X
  CRV_IC_COUNT
};

/* A row may give two offers; a finding on one plan's price touches that offer alone. */
enum { CRV_PLAN_ON_DEMAND, CRV_PLAN_SPOT, CRV_PLANS };
struct crv_ifinding {
  struct crv_row_finding f;
  unsigned plans; /* bits 1u << CRV_PLAN_...; 0: every offer of the row */
  struct crv_ifinding *next;
};
/* The findings of one row in the order found; texts are copied to a. */
struct crv_ifindings {
  struct crv_arena *a;
  int64_t row;
  struct crv_ifinding *first, *last;
  unsigned plans; /* given to findings as they are added */
  bool failed;    /* out of memory: sticky */
};
/* Adds a finding with its code's own field and effect. column, v0 and v1 may be NULL. */
void crv_ifind(struct crv_ifindings *fs, enum crv_icode code, const char *column, const char *v0,
               const char *v1);
/* As above with another field (NULL: none) and effect. */
void crv_ifind_as(struct crv_ifindings *fs, enum crv_icode code, const char *column, const char *v0,
                  const char *v1, const char *field, const char *effect);
bool crv_ifound(const struct crv_ifindings *fs, enum crv_icode code);

/* One row that gave offers or findings. Importers embed it as their row's first member. */
struct crv_irow {
  struct crv_ifindings findings;
  struct crv_import_offer offers[CRV_PLANS];
  unsigned plan[CRV_PLANS]; /* of each offer, CRV_PLAN_... */
  size_t n_offers;
  bool readable; /* set by its importer: more of the row follows this struct */
  struct crv_irow *next;
};
/* One import under way. */
struct crv_irun {
  const struct crv_import_params *p;
  struct crv_arena *a;
  struct crv_import_result *ret;
  struct crv_irow *first, *last; /* rows ascending */
  size_t n_rows;
  int64_t bad; /* findings of refused rows kept so far */
};
/* A row of size bytes (at least struct crv_irow), zeroed and appended; NULL: out of memory. */
void *crv_irow_new(struct crv_irun *run, int64_t row, size_t size);
/* Counts a refused row and keeps its finding while there is room. False: out of memory. */
bool crv_irow_refuse(struct crv_irun *run, int64_t row, enum crv_icode code, const char *column,
                     const char *v0, const char *v1);
/* Copies the findings that touch a field into each offer of the row, by the field's name. */
bool crv_irow_attach(struct crv_arena *a, struct crv_irow *r);
/* Fills offers, findings and more_findings of the result from the rows. */
bool crv_irun_finish(struct crv_irun *run, struct crv_err *err);

bool crv_import_oom(struct crv_err *err);

/* -- CSV (import_csv_reader.c) --------------------------------------------------------------- */

enum { CRV_CSV_CELLS = 256, CRV_CSV_ROW_BYTES = 65536 };
struct crv_csv_row {
  int64_t row;              /* 0 for the header, then 1.. counting every row, bad ones too */
  const char *const *cells; /* NUL-terminated UTF-8 without NULs, valid during the call */
  size_t n;
};
struct crv_csv_handler {
  void *ctx;
  bool (*header)(void *ctx, const struct crv_csv_row *row, struct crv_err *err);
  bool (*row)(void *ctx, const struct crv_csv_row *row, struct crv_err *err);
  /* A row that could not be read: ROW_QUOTING, ROW_ENCODING, ROW_TOO_LONG or CELL_COUNT. */
  bool (*bad)(void *ctx, int64_t row, enum crv_icode code, const char *v0, const char *v1,
              struct crv_err *err);
};
/* Reads comma-separated text (RFC 4180; CRLF, LF or CR; a BOM is skipped; blank lines do not
   count): the header first, then every row. A broken row ends with its line, so that it hides no
   other. Time is linear in len. False: INVALID_FIELDS when the header itself cannot be read, or
   whatever a callback set. */
bool crv_csv_read(const char *data, size_t len, const struct crv_csv_handler *h,
                  struct crv_err *err);

/* -- literals (import_literal.c) ------------------------------------------------------------- */

enum crv_literal_kind {
  CRV_LIT_NONE = 1,
  CRV_LIT_BOOL,
  CRV_LIT_NUMBER,
  CRV_LIT_TEXT,
  CRV_LIT_LIST,
  CRV_LIT_DICT,
};
struct crv_literal {
  enum crv_literal_kind kind;
  const char *key;           /* of a dict's member */
  const char *text;          /* TEXT decoded; NUMBER as written; BOOL "true" or "false" */
  struct crv_literal *child; /* of LIST and DICT, in order */
  struct crv_literal *next;  /* the next member of the same parent */
  size_t n;                  /* members */
};
enum { CRV_LITERAL_DEPTH = 8, CRV_LITERAL_NODES = 1024 };
/* Reads one JSON value or Python literal (dict, list, str, number, True, False, None) that fills s:
   only tokens are read, nothing is evaluated. NULL when it is none (repeated key, too deep, too
   many nodes, NUL in a text, out of memory); *why then points at static text. */
const struct crv_literal *crv_literal_read(const char *s, size_t len, struct crv_arena *a,
                                           const char **why);
extern const char crv_literal_no_memory[]; /* *why when memory ran out */
/* The member of a dict, or NULL (also when d is NULL or no dict). */
const struct crv_literal *crv_literal_get(const struct crv_literal *d, const char *key);

/* -- checks (checks.c) ----------------------------------------------------------------------- */

/* A size for findings: whole MiB as "49140 MiB", else bytes as "81000000 B". 32 bytes of room. */
char *crv_mib_text(int64_t bytes, char *out, size_t room);

/* Each returns true when the check holds, else adds its finding (domain.md, "Import checks"). */

/* 0.90 to 1.02 of one of the nominal sizes, n x 2^30 each; no nominal known: holds. */
bool crv_check_declared(struct crv_ifindings *fs, const char *column, int64_t bytes,
                        const int64_t *nominal_gb, size_t n);
/* The ratio alone. */
bool crv_declared_fits(int64_t bytes, int64_t nominal_gb);
/* total = devices x per_device. explained: the source is known to state its total so, and the
   figure per device is kept without attestation under kept_field. */
bool crv_check_total(struct crv_ifindings *fs, const char *column, int64_t devices,
                     int64_t per_device, int64_t total, bool explained, const char *kept_field);
/* Under 1 GiB or over 2 TiB for one device is no device's memory. shown: the figure as stated. */
bool crv_check_unit(struct crv_ifindings *fs, const char *column, int64_t bytes, const char *shown);
/* Host RAM equal to the memory of one device or of all. */
bool crv_check_host_ram(struct crv_ifindings *fs, const char *column, int64_t ram,
                        int64_t per_device, int64_t devices);
/* Price (micro) 0, or equal to the number of devices (unset: not compared). False only when the
   price is to be left unknown. */
bool crv_check_price(struct crv_ifindings *fs, const char *column, int64_t amount,
                     struct crv_opt_int devices);
/* per_device x devices = lot, in micro. */
bool crv_check_price_product(struct crv_ifindings *fs, const char *column, int64_t per_device,
                             int64_t devices, int64_t lot);

/* -- keys (import_key.c) --------------------------------------------------------------------- */

/* What a key is made of. identity parts are joined for the hash. */
struct crv_ikey {
  const char *prefix, *instance, *region;
  const char *variant;            /* tells rows of one identity apart, or NULL */
  const char *plan;               /* "od", "spot" */
  struct crv_import_offer *offer; /* gets the key */
  char *text;                     /* private */
};
/* Gives each entry's offer its key: slugs joined by '-', with a hash of the identity where two
   identities would share one or the text would pass 128 bytes. Independent of the order of k. */
bool crv_ikeys_assign(struct crv_ikey *k, size_t n, struct crv_arena *a, struct crv_err *err);

/* Decodes a whole offer document but for its source, as a PUT would. False: why says which fields.
 */
bool crv_import_decode(json_t *j, struct crv_arena *a, struct crv_offer **ret, struct crv_err *why);

/* -- sources --------------------------------------------------------------------------------- */

bool crv_import_skypilot(struct crv_irun *run, const char *data, size_t len, struct crv_err *err);
bool crv_import_ndjson(struct crv_irun *run, const char *data, size_t len, struct crv_err *err);
bool crv_import_native_csv(struct crv_irun *run, const char *data, size_t len, struct crv_err *err);
extern const char crv_skypilot_profiles[];
bool crv_skypilot_profile_known(const char *name);

#endif
