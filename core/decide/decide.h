/* The engine's face: a question (sheet, catalogue, evidence, instant, policy) in, a shortlist out.
   Pure and total: the same question gives the same shortlist, whatever the order of insertion.
   A preference never changes a status; nothing is admissible or excluded by silence.
   Must not know: HTTP, SQL, the clock. */
#ifndef CRV_DECIDE_DECIDE_H
#define CRV_DECIDE_DECIDE_H

#include "core/catalogue/catalogue.h"
#include "core/evidence/evidence.h"
#include "core/memory/budget.h"
#include "core/sheet/sheet.h"

#define CRV_RULES_VERSION "1"

enum crv_verdict { CRV_ADMISSIBLE = 0, CRV_TO_CONFIRM, CRV_EXCLUDED }; /* worse is larger */
const char *crv_verdict_name(enum crv_verdict v);

enum crv_criterion {
#define X(NAME, id, workload, meaning) CRV_CRIT_##NAME,
#include "core/decide/criteria.def"
#undef X
  CRV_CRIT_COUNT
};
struct crv_criterion_info {
  const char *id;
  bool workload;
  const char *meaning;
};
const struct crv_criterion_info *crv_criterion_info(enum crv_criterion c);

enum crv_reason {
#define X(NAME, code, meaning, cure) CRV_REASON_##NAME,
#include "core/decide/reasons.def"
#undef X
  CRV_REASON_COUNT
};
struct crv_reason_info {
  const char *code, *meaning, *cure;
};
const struct crv_reason_info *crv_reason_info(enum crv_reason r);

enum crv_condition_code {
#define X(NAME, code, ask, settled_by, sentence) CRV_COND_##NAME,
#include "core/decide/conditions.def"
#undef X
  CRV_COND_COUNT
};
struct crv_condition_info {
  const char *code, *ask, *settled_by, *sentence;
};
const struct crv_condition_info *crv_condition_info(enum crv_condition_code c);

enum { CRV_COND_ID = 13, CRV_MAX_FACTS = 12 };

/* One thing to confirm; one object for every offer that waits for it. */
struct crv_condition {
  enum crv_condition_code code;
  struct crv_fact params[CRV_MAX_FACTS];
  size_t n_params;
  const char *settled_by; /* kinds of piece, or "sheet", separated by spaces; "": nothing can */
  const char *piece;      /* identity of the one piece that would settle it: conditions with
                             the same text here are one action ("protocol_run nvidia/l40s 1") */
  int64_t offers;         /* not excluded offers that wait for it; filled by the shortlist */
  struct crv_said *said;  /* private: what is only made when it is read */
};
/* First 12 hex of the SHA-256 of the canonical {code, params}; the rendered sentence. Both live as
   long as the condition. NULL: out of memory. */
const char *crv_condition_id(const struct crv_condition *c);
const char *crv_condition_text(const struct crv_condition *c);

enum crv_aside { /* why a considered piece is set aside */
                 CRV_ASIDE_WRONG_KIND = 1,
                 CRV_ASIDE_OUT_OF_SCOPE,
                 CRV_ASIDE_EXPIRED,
                 CRV_ASIDE_SUPERSEDED,
                 CRV_ASIDE_RETRACTED,
                 CRV_ASIDE_NOT_YET,
                 CRV_ASIDE_CAUSE_NOT_MEMORY,
                 CRV_ASIDE_NOT_PROOF, /* in scope, but its own figures prove nothing here (reason in
                                         dimension) */
};
extern const struct crv_enum_name crv_aside_names[];
struct crv_set_aside {
  const struct crv_piece_rec *rec;
  enum crv_aside why;
  const char *dimension; /* "concurrency_short", "precision.weights", ...; NULL: none */
};

enum { CRV_MAX_CITED = 8, CRV_MAX_CONDITIONS = 96 };
/* Lists are exact in a row of the shortlist: at most 12 facts, 8 pieces, 96 conditions. */
struct crv_finding {
  enum crv_criterion criterion;
  const char *subject; /* quality: the metric; requirement: the field; sheet: the field */
  enum crv_verdict verdict;
  enum crv_reason reason;
  struct crv_fact *demanded, *observed;
  size_t n_demanded, n_observed;
  const struct crv_piece_rec **cited;
  size_t n_cited, more_cited;
  struct crv_set_aside *aside; /* by key */
  size_t n_aside, more_aside;
  bool expired;    /* the observed value comes from a piece that is no longer in date */
  bool resolvable; /* excluded: a new quote could change it */
  const struct crv_condition **conditions;
  size_t n_conditions;
  struct crv_fact *pins;
  size_t n_pins;
};

enum crv_outlook { CRV_FITS_ON_PAPER = 0, CRV_OPEN, CRV_EXCEEDS_ON_PAPER };
const char *crv_outlook_name(enum crv_outlook o);

/* -- cost of the whole package --------------------------------------------------------------- */

struct crv_cost_item {
  const char *item;          /* "plan", "upfront", "one_off", or the extra's own words */
  struct crv_opt_int amount; /* micro, offer's currency, over the whole campaign */
  int64_t times;             /* how often the unit counts */
  struct crv_opt_int unit;   /* micro */
};
struct crv_cost {
  struct crv_opt_int amount;   /* micro, in `currency`; unset: a part is unknown */
  const char *currency;        /* campaign's, or the offer's when no campaign names one */
  struct crv_opt_int original; /* micro, when converted */
  const char *original_currency;
  const struct crv_piece_rec *rate; /* the rate used; NULL: none */
  bool rate_inverse;
  int64_t lots, periods; /* 0: unknown */
  struct crv_opt_int period_hours;
  struct crv_opt_int paid_hours, used_hours;
  int64_t idle_devices;
  struct crv_list items;   /* struct crv_cost_item */
  struct crv_list unknown; /* const char *: parts without a value, dotted fields */
  bool no_campaign;        /* no hours demanded: one period of every lot shown, key skipped */
  int64_t periods_least;   /* periods when a month has 744 h; else equal to periods */
  bool month_hours;        /* an amount per hour counts over months: 744 h each */
  bool overflow;           /* a figure is too large: amount unset */
  bool rate_expired;       /* the rate is no longer in date */
  const struct crv_piece_rec *rate_other; /* a rate that differs: amount unset; NULL: none */
};

/* -- a row ------------------------------------------------------------------------------------ */

enum crv_key {                      /* ranking keys, in order */
               CRV_KEY_OUTLOOK = 0, /* preselection only */
               CRV_KEY_COST,
               CRV_KEY_MARGIN,
               CRV_KEY_SCHEDULE,
               CRV_KEY_PREFERENCE,
               CRV_KEY_SUPPLIER,
               CRV_KEY_OFFER,
               CRV_KEY_NONE,
};
extern const char *const crv_key_names[]; /* "outlook", "cost", "margin", "schedule", ... */

enum crv_margin_capacity {
  CRV_MARGIN_NONE = 0,
  CRV_MARGIN_NOMINAL_DECIMAL,
  CRV_MARGIN_REPORTED,
  CRV_MARGIN_DECLARED
};
enum crv_margin_demand {
  CRV_DEMAND_NONE = 0,
  CRV_DEMAND_PEAK,
  CRV_DEMAND_COMPOSED,
  CRV_DEMAND_ENVELOPE
};

struct crv_row {
  const struct crv_offer_rec *rec;
  const char *device; /* canonical model evaluated; NULL: unknown */
  int64_t devices;
  enum crv_strategy strategy;
  size_t placement;                /* index of the accepted placement chosen */
  const struct crv_budget *budget; /* under that placement */
  enum crv_verdict status;
  enum crv_outlook outlook;
  const char *outlook_from; /* "envelope", "measured peak of nvidia/...", static or arena */
  struct crv_finding *findings;
  size_t n_findings;
  struct crv_capacity capacity;
  enum crv_margin_capacity capacity_from;
  enum crv_margin_demand demand_from;
  const struct crv_piece_rec *demand_run; /* the run whose peak is the demand; NULL */
  struct crv_opt_int demand_bytes, margin_bytes;
  bool demand_private, capacity_private; /* the figure is a private piece's: shown to nobody */
  bool capacity_expired;                 /* reported, but the report is no longer in date */
  struct crv_cost cost;
  struct crv_opt_int schedule; /* ms; unset: undocumented */
  const struct crv_piece_rec *schedule_piece;
  uint64_t preferences; /* bit i: preference i is met, first preference = highest bit */
  size_t n_preferences_met;
  const struct crv_condition **conditions; /* distinct, in finding order */
  size_t n_conditions;
  struct crv_fact pins[CRV_MAX_FACTS];
  size_t n_pins;
  struct crv_list before_order;   /* const char *: what to confirm at delivery, retained rows */
  struct crv_list invalidated_by; /* const char *: failures listed, limits reached, expiries */
  int64_t rank;                   /* 1.. within its list */
  /* against the next row of its list */
  enum crv_key decided_key;      /* CRV_KEY_NONE on the last */
  struct crv_opt_int difference; /* micro, bytes or ms by key; unset where the key is no number */
  const char *decided_over;      /* key of the next offer */
};

/* -- question and shortlist ------------------------------------------------------------------- */

struct crv_question {
  const struct crv_sheet *sheet;
  const char *sheet_name; /* NULL: inline without a name */
  int64_t sheet_revision;
  const char *sheet_digest;
  const struct crv_catalogue *catalogue;
  const struct crv_evidence *evidence;
  int64_t catalogue_position, evidence_position;
  struct crv_filter filter;
  unsigned limit; /* rows over retained then preselection; 1..1000 */
  struct crv_policy policy;
  int64_t as_of; /* ms */
};

struct crv_funnel_step {
  enum crv_criterion criterion;
  int64_t before, after;
};
struct crv_miss { /* nearest misses: fewest exclusions, then share of the limit missed */
  const struct crv_row *row;
  const struct crv_finding *finding;
  int64_t exclusions;
  struct crv_opt_int missing; /* in the finding's unit (bytes, micro, ms) */
};
struct crv_action {
  const char *text;
  const struct crv_condition **conditions;
  size_t n_conditions;
  int64_t offers;  /* not excluded offers that wait for one of them */
  int64_t retains; /* offers that it alone would retain */
  const char *ask;
};
enum crv_outcome_kind { CRV_RETAINED = 1, CRV_NEEDS_CONFIRMATION, CRV_NOTHING };
const char *crv_outcome_name(enum crv_outcome_kind o);

struct crv_shortlist {
  const struct crv_question *question;
  const struct crv_budget *budget; /* under the sheet's first placement */
  struct crv_list formats;         /* struct crv_format_row */
  struct crv_row **retained;       /* ranked */
  size_t n_retained;
  struct crv_row **preselection; /* ranked */
  size_t n_preselection;
  struct crv_row **excluded; /* by key */
  size_t n_excluded;
  size_t n_offers; /* considered: the three counts sum to it */
  struct crv_funnel_step funnel[CRV_CRIT_COUNT];
  size_t n_funnel;
  int64_t excluded_by[CRV_CRIT_COUNT]; /* offers whose first excluding criterion this is */
  struct crv_miss nearest[5];
  size_t n_nearest;
  struct crv_condition **conditions; /* all distinct of the not excluded offers, by first use */
  size_t n_conditions;
  struct crv_action *actions; /* most unlocking first */
  size_t n_actions;
  int64_t unlock_actions;      /* the fewest actions that together retain an offer; 0: none known */
  int64_t unlock_offers;       /* how many the best such set retains */
  struct crv_list assumptions; /* const char * */
  enum crv_outcome_kind outcome;
  const char *headline;
  struct crv_opt_int holds_until; /* next instant at which something counted begins or ends */
};

/* Evaluates. Everything in ret lives in a, and points into the question's snapshots. False with
   OUT_OF_MEMORY, or INVALID_FIELDS for a figure that overflows. */
bool crv_decide(const struct crv_question *q, struct crv_arena *a, struct crv_shortlist *ret,
                struct crv_err *err);

/* The last instant <= now at which a counted record, validity or period begins or ends, and the
   next one after now: as_of and holds_until of a question that names none. now itself when nothing
   counts. */
bool crv_boundaries(const struct crv_question *q, int64_t now, struct crv_arena *a,
                    int64_t *ret_last, struct crv_opt_int *ret_next, struct crv_err *err);

/* The result as JSON (api.md "Decision", without number, times, positions and digests): headline,
   outcome, counts, funnel, budget, retained, preselection, conditions, actions, assumptions,
   excluded, alternatives to current, invalidated_by. New object; NULL: out of memory. */
json_t *crv_shortlist_json(const struct crv_shortlist *s);
/* One full row: every finding with demanded, observed, pieces, set aside, conditions. */
json_t *crv_row_json(const struct crv_shortlist *s, const struct crv_row *r, bool full);
/* Digest of the verdict vectors of all offers, in key order. out: CRV_SHA256_HEX. */
bool crv_matrix_digest(const struct crv_shortlist *s, char *out);

/* Gates: does the shortlist meet one? `previous` outcome for no-worse: rank of the previous
   decision's outcome, 0 when there is none. */
enum crv_gate {
  CRV_GATE_NONE = 0,
  CRV_GATE_RETAINED,
  CRV_GATE_PRESELECTION,
  CRV_GATE_WORKLOAD,
  CRV_GATE_CURRENT,
  CRV_GATE_NO_WORSE
};
extern const struct crv_enum_name crv_gate_names[];
/* no-worse is decided by the caller, who has the previous decision. */
bool crv_gate_met(const struct crv_shortlist *s, enum crv_gate g);

/* -- staleness: does a record that came later touch a decision? ------------------------------- */

enum crv_stale { /* bits */
                 CRV_STALE_SHEET_REVISED = 1,
                 CRV_STALE_OFFER_VERSIONED = 2,
                 CRV_STALE_EVIDENCE_ADDED = 4,
                 CRV_STALE_EVIDENCE_EXPIRED = 8,
                 CRV_STALE_TIME_PASSED = 16,
                 CRV_STALE_RULES_CHANGED = 32,
};
extern const struct crv_enum_name crv_stale_names[];
/* Offers and pieces newer than the question's positions, held against its filter, offers and active
   criteria; and holds_until against now. newer: snapshots at least as new. cited: keys of the
   pieces that the decision cites, sorted. */
unsigned crv_staleness(const struct crv_question *q, const struct crv_catalogue *newer_offers,
                       const struct crv_evidence *newer_pieces, int64_t now,
                       struct crv_opt_int holds_until, struct crv_arena *a);

#endif
