/* Inside core/decide only: the context that one evaluation shares, and the pieces that the
   criterion families build their findings from. Every pointer lives in the evaluation's arena. A
   criterion family is a function void crv_crit_<family>(struct crv_case *c): it appends its
   findings, in table order, and never returns early without a finding when the criterion is on. */
#ifndef CRV_DECIDE_EVAL_H
#define CRV_DECIDE_EVAL_H

#include "core/decide/decide.h"

/* How a field of an offer stands (attest.c). */
enum crv_attested {
  CRV_ATTESTED = 1,      /* a piece in date that can prove the field */
  CRV_ATTEST_NO_VALUE,   /* the offer doesn't state it and no piece does */
  CRV_ATTEST_UNATTESTED, /* stated, nothing proves it */
  CRV_ATTEST_EXPIRED,    /* stated, its piece is out of date */
  CRV_ATTEST_FINDING,    /* stated, an open import finding removes it */
  CRV_ATTEST_CONFLICT,   /* two pieces differ */
};
struct crv_attest {
  enum crv_attested how;
  struct crv_value value; /* the offer's own, or the piece's when the offer states none */
  const struct crv_piece_rec *piece; /* proves, or expired; NULL: the offer's own words alone */
  const struct crv_piece_rec *other; /* the conflicting one */
  struct crv_opt_int expiry;
  const struct crv_import_finding *finding;
  unsigned can; /* kinds that may attest it, as bits */
};

enum { CRV_MAX_MODELS = 8 };

struct crv_eval {
  const struct crv_question *q;
  struct crv_arena *a;
  struct crv_err *err; /* set on the first failure; `failed` then stops the work */
  bool failed;
  const struct crv_index *index;
  struct crv_missing missing[CRV_MAX_MISSING];
  size_t n_missing;
  struct crv_placement placements[16]; /* the accepted ones, devices and strategy resolved */
  struct crv_budget budgets[16];
  size_t n_placements;
  bool placement_assumed; /* the sheet names none: one device */
  struct crv_elsewhere {  /* the same load measured on another device model, by placement */
    bool looked;
    struct crv_opt_int bytes;
    const struct crv_piece_rec *rec;
  } elsewhere[16];
  struct crv_rooms *rooms[CRV_MAX_MODELS]; /* findings under work, by candidate */
  struct crv_group **groups;               /* open addressing; grows */
  size_t n_groups, cap_groups;
  struct crv_pins { /* by piece, in the order of the index; made when first compared */
    bool made;
    size_t n;
    struct crv_fact *at;
  } * pins;
  const char *phases;                  /* "loading and generation"; made when first asked for */
  const char *targets[CRV_CRIT_COUNT]; /* of the acceptance, likewise */
  struct crv_rate_found *rates;        /* by pair of currencies */
  struct {                             /* names of kinds that attest a field */
    unsigned kinds;
    const char *words, *phrase;
  } provers[16];
  size_t n_provers;
  struct { /* when a piece goes out of date, in words; by address */
    const struct crv_piece_rec *rec;
    const char *text;
  } expiries[256];
  struct crv_source_found { /* the piece that an offer cites, of the last one asked for */
    const struct crv_offer_rec *of;
    enum crv_standing standing;
    const struct crv_piece_rec *rec;
    struct crv_opt_int expiry;
  } source;
  struct crv_memo { /* how its fields stand, likewise */
    const struct crv_offer_rec *of;
    size_t n;
    struct {
      const char *path;
      unsigned kinds;
      struct crv_attest found;
    } at[48];
  } memo;
  /* conditions by id, open addressing; grows */
  struct crv_condition **cond;
  size_t n_cond, cap_cond;
  struct crv_condition **cond_order; /* by first use */
};

/* A run's demand on each device, from its widest counter. */
struct crv_run_demand {
  struct crv_opt_int bytes; /* largest device and phase; composed when pooled */
  bool composed;            /* device.used - pool + what the sheet needs of it */
  bool only_same_or_larger; /* pooled without figures: fits only where capacity >= that of its
                               device */
  enum crv_counter counter;
  bool sampled, not_separated; /* labels */
  enum crv_reason why_not; /* CRV_REASON_SATISFIED when it is a device-level figure for every phase
                              and device; else why it proves nothing */
  const char *detail;      /* phase or device missing */
};
struct crv_hits {
  const struct crv_indexed **at; /* by key */
  size_t n;
};

/* What the considered runs say on a dimension set. */
struct crv_runs {
  struct crv_hits pass;        /* standing passes in scope, magnitudes covered, untruncated */
  struct crv_hits smaller;     /* standing passes in scope of a demand that the sheet's exceeds */
  struct crv_hits oom;         /* standing failures in scope, out of memory, covering the demand */
  struct crv_hits unsupported; /* likewise, unsupported; also among the others */
  struct crv_hits other;       /* standing failures of other causes or settings */
  struct crv_hits expired;     /* passes that would count but for their date */
  enum crv_reason void_reason; /* a pass in scope that proves nothing, and why; else SATISFIED */
  bool out_of_scope;           /* some piece stands, but is about another demand */
  struct crv_set_aside *aside; /* the rest, by key */
  size_t n_aside;
  struct crv_set_aside *more; /* the rest of what names the offer, by key */
  size_t n_more;
};

/* Shared by every offer of one device under one placement: what its runs say. */
struct crv_base {
  struct crv_runs runs; /* memory dimensions; none of what names an offer */
  /* of each pass: what it demands, the first failure of its settings (NULL: none), and the first
     pass of its settings and dimensions */
  struct crv_run_demand *demand;
  const struct crv_indexed **against;
  size_t *twin;
  bool *over;                     /* by twin, for one case at a time */
  struct crv_list failures;       /* const char *: what a pass does not cover */
  struct crv_support *support[2]; /* architecture, runtime */
};

/* Shared by every offer whose device may be the same models: the pieces about the load on them. */
struct crv_group {
  const char *models[CRV_MAX_MODELS];
  size_t n_models;
  const char *architecture; /* what the offers say of it */
  struct crv_hits pieces;
  struct crv_hits reports;                    /* device reports that declare bytes */
  struct crv_hits machines;                   /* with a driver, on whatever machine of a supplier */
  struct crv_hits notes;                      /* of orders and stocks */
  struct crv_evaluated **quality;             /* by metric */
  struct crv_base *bases[CRV_MAX_MODELS][16]; /* by model and placement */
};

/* One offer, whatever the placement. */
struct crv_about {
  const struct crv_offer_rec *rec;
  const char *models[CRV_MAX_MODELS]; /* what its device may be */
  size_t n_models;
  const struct crv_piece_rec *identified; /* says which device it is; NULL: the offer itself does */
  struct crv_group *group;
  struct crv_hits named; /* pieces that name the offer, its supplier_ref or its supplier */
  struct crv_hits extra; /* those of them that the group lacks */
  struct crv_hits own;   /* those in force that speak for this very offer */
};

/* One offer under one placement as one device model. */
struct crv_case {
  struct crv_eval *ev;
  struct crv_row *row;
  const struct crv_offer_rec *rec;
  const struct crv_offer *offer;
  const struct crv_placement *placement;
  const struct crv_budget *budget;
  struct crv_demand demand; /* demand.device is the model evaluated, NULL when unknown */
  const struct crv_device_model *model; /* its row in the alias table, NULL when unknown */
  const struct crv_about *about;
  const struct crv_group *group;
  const struct crv_base *base;
  struct crv_capacity capacity; /* per device, from reports or the attested nominal */
  const struct crv_piece_rec *capacity_piece, *capacity_other; /* of the lower and upper limit */
  struct crv_capacity capacity_expired; /* by reports that are no longer in date: shown, ranked */
  const struct crv_piece_rec *expired_report;
  bool capacity_unattested; /* a nominal is stated but nothing attests it: excludes, never admits */
  bool capacity_own_words;  /* the upper limit is what the offer declares of itself */
  const struct crv_condition *run; /* the limit-stage run for this device, shared by its criteria */
  const struct crv_runs *runs[2];  /* made once: memory dimensions, latency dimensions */
  const struct crv_piece_rec *admitting; /* the run that memory.peak rests on; NULL: none */
  size_t candidate; /* which of the offer's models; its findings have rooms of their own */
};

/* Appends a finding (empty but criterion, verdict, reason), good until the next case of the same
   candidate; never NULL: after a failure it gives a scratch one. */
struct crv_finding *crv_find(struct crv_case *c, enum crv_criterion id, enum crv_verdict v,
                             enum crv_reason r);
/* Gives a row that is kept exact copies of its findings. False: out of memory. */
bool crv_row_keep(struct crv_eval *ev, struct crv_row *row);
void crv_find_cite(struct crv_finding *f,
                   const struct crv_piece_rec *rec); /* no doubles; counts beyond 8 */
void crv_find_aside(struct crv_finding *f, const struct crv_piece_rec *rec, enum crv_aside why,
                    const char *dimension); /* likewise */
/* A list by key, of pieces that nothing else in the finding set aside; citations are made. */
void crv_find_asides(struct crv_finding *f, const struct crv_set_aside *at, size_t n);
void crv_find_condition(struct crv_finding *f,
                        const struct crv_condition *cond); /* NULL and doubles ignored */
/* Two pieces of equal standing differ: to_confirm, both cited, and the condition that settles it.
 */
void crv_find_conflict(struct crv_case *c, struct crv_finding *f, const struct crv_piece_rec *a,
                       const struct crv_piece_rec *b, const char *what);
void crv_demanded(struct crv_finding *f, struct crv_fact fact);
void crv_observed(struct crv_finding *f, struct crv_fact fact);

struct crv_fact crv_f_text(const char *name, const char *v); /* NULL: CRV_FACT_NULL */
struct crv_fact crv_f_int(const char *name, int64_t v);
struct crv_fact crv_f_bytes(const char *name, int64_t v);
struct crv_fact crv_f_dec(const char *name, int64_t micro);
struct crv_fact crv_f_time(const char *name, int64_t ms);
struct crv_fact crv_f_bool(const char *name, bool v);
struct crv_fact crv_f_opt(const char *name, enum crv_fact_type type, struct crv_opt_int v);

/* The condition of this code and parameters, made once per evaluation; params copied; facts of type
   CRV_FACT_NULL are dropped. piece: see struct crv_condition (copied). NULL after a failure. */
const struct crv_condition *crv_cond(struct crv_eval *ev, enum crv_condition_code code,
                                     const struct crv_fact *params, size_t n, const char *piece);
/* Likewise, settled by other kinds than the code's own (static or in the arena). */
const struct crv_condition *crv_cond_by(struct crv_eval *ev, enum crv_condition_code code,
                                        const struct crv_fact *params, size_t n, const char *piece,
                                        const char *settled_by);
/* "a b", in the arena; NULL: out of memory. */
const char *crv_pair(struct crv_eval *ev, const char *a, const char *b);
/* A fact as people read it; into out; returns out. */
char *crv_fact_text(const struct crv_fact *f, char *out, size_t room);

/* -- attestation (attest.c) ---------------------------------------------------------------------
 */

/* The value of an offer's field at a dotted path; false when it isn't stated. */
bool crv_offer_states(const struct crv_case *c, const struct crv_offer *o, const char *path,
                      struct crv_value *ret);
/* Does the piece speak for this very offer, by its key or the supplier's own id? */
bool crv_scoped_to_offer(const struct crv_piece *p, const struct crv_offer_rec *rec);
/* How the offer's field at a dotted path stands. kinds: the kinds that may attest it (bit 1u <<
   kind), 0: those of domain.md's table for the field. */
struct crv_attest crv_attest(const struct crv_case *c, const char *path, unsigned kinds);
/* Turns an unproved attest into a to_confirm finding's reason, citations and condition. */
void crv_attest_to_confirm(struct crv_case *c, struct crv_finding *f, const struct crv_attest *at,
                           const char *path, const char *need);
/* The rule of every field that must have a value: attested and met admits; attested otherwise
   excludes (reason `differs`), and so does the offer's own word when it falls short; all else is to
   confirm, as above. meets: does at->value meet the demand? */
void crv_attest_settle(struct crv_case *c, struct crv_finding *f, const struct crv_attest *at,
                       const char *path, const char *need, bool meets, enum crv_reason differs);
/* A numeric need on a field: attested >= need admits, attested < need excludes, an unattested value
   below need excludes (resolvable), else to_confirm. */
void crv_crit_at_least(struct crv_case *c, enum crv_criterion id, const char *path,
                       struct crv_fact need);

/* -- runs (runs.c) --------------------------------------------------------------------------------
 */

void crv_run_demand(const struct crv_case *c, const struct crv_piece_rec *rec,
                    struct crv_run_demand *ret);

const struct crv_runs *crv_runs(struct crv_case *c, enum crv_dim_set set);
/* Why a passing run of this load proves nothing: it was cut, or left the device; else SATISFIED. */
enum crv_reason crv_pass_void(const struct crv_case *c, const struct crv_piece *p);
/* Sets aside in a finding whose citations are made; what an order asks for or a stock says only
   where people bring it. */
void crv_runs_asides(struct crv_finding *f, const struct crv_runs *r);
/* Why a piece of this standing is set aside. */
enum crv_aside crv_aside_of(enum crv_standing st);
/* Asks which device the offer's name means. */
const struct crv_condition *crv_which_device(struct crv_case *c);
/* The shared limit-stage run condition of this case. */
const struct crv_condition *crv_run_condition(struct crv_case *c);

/* The reason and conditions of a run criterion that no pass proves: expired, failed once, out of
   scope or no evidence; sets verdict to_confirm. */
void crv_runs_to_confirm(struct crv_case *c, struct crv_finding *f, const struct crv_runs *r);
/* Do two pieces state different values of some setting? What one leaves out is unknown: it sets
   nothing apart. */
bool crv_settings_differ(const struct crv_case *c, const struct crv_indexed *a,
                         const struct crv_indexed *b);
/* The base of the case's group, made once. NULL: out of memory. */
const struct crv_base *crv_base_of(struct crv_case *c, struct crv_group *g);
/* The first of the others whose settings do not differ from this piece's, which then contradicts
   it; NULL: none. */
const struct crv_indexed *crv_opposed(const struct crv_case *c, const struct crv_indexed *one,
                                      const struct crv_hits *others);
/* The first of yes that no piece of no contradicts; NULL: none. */
const struct crv_indexed *crv_unopposed(const struct crv_case *c, const struct crv_hits *yes,
                                        const struct crv_hits *no);
/* What would invalidate the row: failures of other settings than the proof's. */
void crv_note_failures(struct crv_case *c, const struct crv_hits *failures);

/* capacity.c: fills c->capacity, c->capacity_piece, c->capacity_unattested, c->capacity_own_words.
 */
void crv_case_capacity(struct crv_case *c);
/* The kind of the device's memory: a slice's model or the table's row before the offer's words. */
enum crv_memory_kind crv_case_memory_kind(const struct crv_case *c);
/* What a figure demands of each device: with the headroom, and where memory is unified with the
   host's demand, counted once. False: overflow. */
bool crv_case_total(const struct crv_case *c, int64_t figure, int64_t *ret);
/* "rtx-4090" of "nvidia/rtx-4090", or the display name when the table has one. */
const char *crv_case_device_text(const struct crv_case *c);

/* -- what offers share (group.c) ------------------------------------------------------------------
 */

/* The offer's models, group and the pieces that name it. False: out of memory. */
bool crv_about_make(struct crv_eval *ev, const struct crv_offer_rec *rec, struct crv_about *ret);
/* Adds one piece to a list with room for it. */
void crv_hit(struct crv_hits *list, const struct crv_indexed *ix);
/* An empty list with room for n. False: out of memory, and the evaluation fails. */
bool crv_hits_room(struct crv_eval *ev, struct crv_hits *list, size_t n);

/* -- which device (device.c) ----------------------------------------------------------------------
 */

/* The canonical models that the offer's device may be; how many. One that only a piece says is
   told with that piece, else *ret_by is NULL. */
size_t crv_models_of(const struct crv_offer_rec *rec, const struct crv_hits *named,
                     const char *ret[CRV_MAX_MODELS], const struct crv_piece_rec **ret_by);
/* Makes rows[0] the row of all n candidates. */
void crv_rows_merge(struct crv_eval *ev, struct crv_row *rows, size_t n, const char *const *models);
enum crv_verdict crv_row_worst(const struct crv_row *row);

/* -- criterion families ---------------------------------------------------------------------------
 */
void crv_crit_sheet(struct crv_case *c);
void crv_crit_software(struct crv_case *c); /* architecture, runtime, driver, managed */
void crv_crit_support(struct crv_case *c);  /* of those: architecture, runtime */
/* What the sheet's software names; never NULL. */
const struct crv_software *crv_wanted_software(const struct crv_case *c);
/* What runs and documents say of both, for a base. False: out of memory. */
bool crv_support_make(struct crv_case *c, struct crv_base *b);
void crv_crit_memory(struct crv_case *c);    /* floor, peak; fills row->demand_* */
void crv_crit_placement(struct crv_case *c); /* placement, same_host, slice */
void crv_crit_executed(struct crv_case *c);  /* length, concurrency, microbatch, scene */
void crv_crit_quality(struct crv_case *c);
void crv_crit_acceptance(struct crv_case *c); /* latency, completion, errors, throughput */
void crv_crit_host(struct crv_case *c);       /* host.*, interconnect */
void crv_crit_plan(
    struct crv_case *c); /* plan.duration, plan.interruptible, cost.known,
                            cost.ceiling,       schedule; fills row->cost, row->schedule */
void crv_crit_requirements(struct crv_case *c);

/* cost.c: the package's cost from what the offer states, attested or not. */
void crv_cost_make(struct crv_case *c, struct crv_cost *ret);
/* rank.c: sorts, numbers, fills decided_*. outlook: compare outlook first (preselection). */
void crv_rank(struct crv_row **rows, size_t n, bool outlook);
/* outlook.c: outlook, margin, capacity_from, demand_* of a row whose findings are made. */
void crv_outlook_make(struct crv_case *c);
/* preference.c: row->preferences. */
void crv_preferences_make(struct crv_case *c);
/* shortlist.c, headline.c, actions.c: what follows from the rows. */
void crv_funnel_make(struct crv_shortlist *s);
void crv_nearest_make(struct crv_shortlist *s);
void crv_actions_make(struct crv_shortlist *s, struct crv_eval *ev);
void crv_headline_make(struct crv_shortlist *s, struct crv_eval *ev);

#endif
