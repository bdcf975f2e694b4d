/* Price files -> offers. One file a source; each turns text into candidate offers and findings,
   never repairs, never lets one bad row hide the others. Pure: the caller stores.
   Must not know: where records are kept, HTTP. */
#ifndef CRV_CATALOGUE_IMPORT_H
#define CRV_CATALOGUE_IMPORT_H

#include "core/catalogue/offer.h"

/* What a finding does to the row. */
struct crv_row_finding {
  int64_t row;          /* 1-based, of data rows; the header is row 0 */
  const char *column;   /* the file's own column name */
  const char *code;     /* closed list: import_codes.def */
  const char *value[2]; /* both values as text; NULL when there is one or none */
  const char *effect;   /* a clause: "device memory left unknown" */
  const char *field;    /* offer field whose attestation it removes; NULL: none */
};
struct crv_import_offer {
  const char *key; /* stable for one identity across files and orders */
  int64_t row;
  struct crv_offer *offer; /* complete but for source; findings filled */
};
struct crv_import_params {
  const char *source;     /* "skypilot", "ndjson", "csv" */
  const char *profile;    /* "vast"; NULL when the source has none */
  const char *supplier;   /* names the supplier when the file doesn't */
  const char *currency;   /* for files that have none */
  const char *key_prefix; /* optional, for keys */
};
enum { CRV_IMPORT_FINDINGS = 1000 };
struct crv_import_result {
  int64_t rows;    /* data rows seen */
  int64_t skipped; /* rows without a GPU */
  int64_t refused; /* rows that gave no offer for a fault of theirs; a repeated row is none */
  struct crv_list offers;   /* struct crv_import_offer, by row */
  struct crv_list findings; /* struct crv_row_finding, by row, the first CRV_IMPORT_FINDINGS */
  int64_t more_findings;    /* findings beyond those kept */
};
/* Reads data as params say into ret (all in a). False: INVALID_FIELDS / BAD_PARAMETER when the
   source or profile is unknown, a needed currency is missing, or the header lacks a needed column.
 */
bool crv_import_read(const struct crv_import_params *p, const char *data, size_t len,
                     struct crv_arena *a, struct crv_import_result *ret, struct crv_err *err);
/* Known sources with their profiles, for the closed lists and errors. */
struct crv_import_source {
  const char *name;
  const char *profiles; /* separated by spaces, "" for none */
  const char *media;    /* "text/csv" */
  const char *doc;
  bool needs_currency;
};
extern const struct crv_import_source crv_import_sources[];
extern const size_t crv_n_import_sources;

/* The closed list of finding codes (import_codes.def). */
struct crv_import_code {
  const char *code;
  const char *field;  /* the offer field it usually touches; NULL: information only */
  const char *effect; /* its usual effect */
  const char *doc;    /* one sentence */
};
extern const struct crv_import_code crv_import_codes[];
extern const size_t crv_n_import_codes;

#endif
