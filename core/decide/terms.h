/* The terms of an offer that money and time depend on, each with how it is attested, read once per
   case; the exchange rate; the cost made from both. Inside core/decide only.
   Must not know: verdicts. */
#ifndef CRV_DECIDE_TERMS_H
#define CRV_DECIDE_TERMS_H

#include "core/decide/eval.h"

enum crv_term {
  CRV_TERM_AMOUNT = 0,
  CRV_TERM_CURRENCY,
  CRV_TERM_BASIS,
  CRV_TERM_PER,
  CRV_TERM_UPFRONT,
  CRV_TERM_ONE_OFF,
  CRV_TERM_TAX,
  CRV_TERM_HOURS,
  CRV_TERM_MONTHS,
  CRV_TERM_MINIMUM,
  CRV_TERM_MAXIMUM,
  CRV_TERM_RENEWAL,
  CRV_TERM_INTERRUPTIBLE,
  CRV_TERM_LOT,
  CRV_TERM_COUNT,
};
/* The offer's dotted field of a term. */
const char *crv_term_path(enum crv_term t);

/* Hours that one period covers. */
struct crv_period {
  bool known;
  bool pay_as_you_go; /* a price per hour without plan hours: periods of one hour */
  bool months;
  int64_t surely, most; /* equal but for months: 672 and 744 h each */
};

struct crv_terms {
  struct crv_attest at[CRV_TERM_COUNT];
  struct crv_period period;
  bool per_hour, per_plan, per_device;
};
void crv_terms_read(const struct crv_case *c, struct crv_terms *ret);
/* The value of an integer term, unset when unknown. */
struct crv_opt_int crv_term_int(const struct crv_terms *t, enum crv_term id);
const char *crv_term_text(const struct crv_terms *t, enum crv_term id);
/* Stated, and neither doubted by an import nor disputed by another piece: enough to exclude. */
bool crv_term_stands(const struct crv_terms *t, enum crv_term id);
/* Is the term part of the package's cost? Those that do not change it need no attestation. */
bool crv_term_costs(const struct crv_terms *t, enum crv_term id);

/* A rate between two currencies. */
struct crv_rate {
  const struct crv_piece_rec *rec;   /* NULL: none recorded */
  const struct crv_piece_rec *other; /* a rate of equal standing with another value */
  int64_t micro;                     /* 1 rec.from = micro / 10^6 rec.to */
  bool inverse;                      /* the piece states the opposite direction */
  bool expired;
};
/* In-date pieces for exactly (from -> to), else those for (to -> from), else the newest expired
   one; only those that the sheet lists when it lists any. */
void crv_rate_find(struct crv_eval *ev, const char *from, const char *to, struct crv_rate *ret);
/* amount (micro, not negative) in the other currency, half up to 10^-6; false on overflow. */
bool crv_rate_apply(const struct crv_rate *r, int64_t amount, int64_t *ret);

/* crv_cost_make with terms read already. */
void crv_cost_from(struct crv_case *c, const struct crv_terms *t, struct crv_cost *ret);

/* Parts of crv_crit_plan. crv_crit_cost appends cost.known and cost.ceiling. */
void crv_crit_cost(struct crv_case *c, const struct crv_terms *t);
void crv_crit_schedule(struct crv_case *c);

#endif
