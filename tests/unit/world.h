/* Test fixture: a small world of sheet, offers and evidence, written as one JSON document, turned
   into the engine's question and evaluated. Deviations from a base world are RFC 7386 merge
   patches, so a case states only what it changes. */
#ifndef CRV_TESTS_WORLD_H
#define CRV_TESTS_WORLD_H

#include <jansson.h>

#include "core/decide/decide.h"

struct world {
  struct crv_arena *arena;
  struct crv_catalogue *catalogue;
  struct crv_evidence *evidence;
  struct crv_sheet *sheet;
  struct crv_question question;
  struct crv_shortlist list;
  struct crv_err err;
};

/* {"as_of", "sheet": {}, "offers": {key: document | [versions]}, "evidence": {key: document |
   [versions]}, "policy": {}, "filter": {}}. A null version is a tombstone. seed shuffles the order
   of insertion (0: by key). Evaluates; a failure is left in err with false. */
bool world_make(struct world *w, const json_t *doc, unsigned seed);
void world_done(struct world *w);

/* Applies an RFC 7386 merge patch; returns a new reference. */
json_t *world_patched(const json_t *base, const json_t *patch);
/* Reads a JSON file below the source tree ("tests/data/cases/world.json"); aborts when unreadable.
 */
json_t *world_load(const char *path);

/* The row of an offer, wherever it stands; NULL when it was not considered. *ret_list: "retained",
   "preselection" or "excluded". */
const struct crv_row *world_row(const struct world *w, const char *offer, const char **ret_list);
/* The n-th finding of a criterion id (and subject unless NULL); NULL when the criterion is off. */
const struct crv_finding *world_finding(const struct crv_row *row, const char *criterion,
                                        const char *subject);

#endif
