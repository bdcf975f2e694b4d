/* An import from a file's bytes to stored offers: whole or not at all. The file is itself a piece
   (catalogue_import) that its offers cite. Must not know: requests, formats. */
#ifndef CRV_API_IMPORTING_H
#define CRV_API_IMPORTING_H

#include <jansson.h>

#include "api/world.h"
#include "core/catalogue/import.h"

struct crv_import_job {
  /* in */
  struct crv_import_params params;
  const char *piece_key;          /* NULL: made from source, profile and supplier */
  const char *file, *uri;         /* the file's name, and where it came from; NULL: not told */
  int origin;                     /* enum crv_origin; 0: third party */
  struct crv_opt_int observed_at; /* when the file was read at its source; unset: now */
  bool dry_run, withdraw_missing;
  const char *data;
  size_t len;
  const char *media_type, *who;
  int64_t now;             /* ms */
  struct crv_arena *arena; /* without a cap; holds all below */
  /* out */
  struct crv_import_result result;
  const char *sha256, *piece_canonical;
  int64_t piece_version, piece_before; /* version cited; newest one stored before, 0: none */
  bool piece_same;                     /* the same file as before: cited again, not recorded */
  struct crv_list puts;                /* struct crv_import_put: what is to be written */
  int64_t created, versioned, unchanged, confirmed; /* confirmed: unchanged, with a newer source */
  struct crv_list missing; /* const char *: keys of this source that the file lacks */
  int64_t withdrawn;
  const char *withheld; /* why missing keys are not withdrawn although asked; NULL: they are */
  bool raced;           /* the store failed because another import came in between: prepare again */
};
struct crv_import_put {
  const char *key, *canonical;
};

/* Reads the file and compares it with the snapshots. */
bool crv_import_prepare(struct crv_import_job *job, const struct crv_view *view,
                        struct crv_err *err);
/* Inside one write: the piece, its content when it is not too large, the offers, the withdrawals.
 */
bool crv_import_store(struct crv_wtx *tx, struct crv_import_job *job, struct crv_err *err);
/* The whole of it over an open store that no service uses; job->arena is not to be set. The report,
   or NULL with err. */
json_t *crv_import_alone(struct crv_store *st, struct crv_import_job *job, struct crv_err *err);
/* The report as a new object; NULL: out of memory. */
json_t *crv_import_report(const struct crv_import_job *job);

#endif
