/* Test fixture of the engine's upper half: rows made by hand, and a small world of one offer with
   its three pieces, changed by merge patches written with single quotes. */
#ifndef CRV_TESTS_DECIDETEST_H
#define CRV_TESTS_DECIDETEST_H

#include "core/decide/eval.h"
#include "tests/unit/world.h"

/* JSON written with ' for "; aborts when it is none. The caller owns it. */
json_t *dt_json(const char *text);
/* The base world: offer "a" of supplier "s" with an RTX 6000 Ada, three days at 47.14 USD, renewed
   at the same price, a price list, a passing run, no quality asked, a campaign of 168 hours. as_of
   is 2026-12-01. */
json_t *dt_base(void);
/* The base world under a patch (NULL: none), evaluated; aborts with the error's text when the world
   cannot be made. End with world_done. */
void dt_world(struct world *w, const char *patch);
/* As dt_world for a whole document. */
void dt_make(struct world *w, const json_t *doc);
/* The row of an offer; never NULL. */
const struct crv_row *dt_row(const struct world *w, const char *offer);
/* Its finding on a criterion; never NULL. */
const struct crv_finding *dt_finding(const struct world *w, const char *offer,
                                     const char *criterion);

/* Rows made by hand, all from one arena. */
struct crv_row *dt_new_row(struct crv_arena *a, const char *key, const char *supplier);
struct crv_opt_int dt_some(int64_t v);

#endif
