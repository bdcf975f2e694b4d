/* Frames and wording to the phase (frames.def). Hints are kept on both sides of the first failed
   request; what led to it counts before what follows it. The innermost frame wins, but a frame
   whose work has forward passes inside (evaluation, saving, generation) is not ended by them. Must
   not know: figures, causes. */
#include <string.h>

#include "core/base/text.h"
#include "core/evidence/diagnose_internal.h"

enum level { SENTENCE, CONTAINER, STEP, PROSE, INNER, PROGRESS };

static const struct rule {
  enum level level;
  int rank;
  enum crv_dx_phase phase;
  const char *subphase, *pattern;
} rules[] = {
#define X(level, rank, phase, subphase, pattern) {level, rank, CRV_DP_##phase, subphase, pattern},
#include "core/evidence/frames.def"
#undef X
};
enum { N_RULES = sizeof rules / sizeof *rules };

static const char *const phase_names[] = {
    [CRV_DP_UNDETERMINED] = "undetermined",
    [CRV_DP_LOADING] = "loading",
    [CRV_DP_FORWARD] = "forward",
    [CRV_DP_BACKWARD] = "backward",
    [CRV_DP_OPTIMIZER_STEP] = "optimizer_step",
    [CRV_DP_GENERATION] = "generation",
    [CRV_DP_EVALUATION] = "evaluation",
    [CRV_DP_CHECKPOINT_EXPORT] = "checkpoint_export",
};

const char *crv_dx_phase_name(enum crv_dx_phase p) {
  return phase_names[p];
}

enum crv_dx_phase crv_dx_phase_of(const struct crv_dx *d) {
  for (size_t i = 0; i < sizeof phase_names / sizeof *phase_names; i++)
    if (crv_streq(phase_names[i], d->ret->phase)) return (enum crv_dx_phase)i;
  return CRV_DP_UNDETERMINED;
}

static const char *pattern(size_t i) {
  return i < N_RULES ? rules[i].pattern : NULL;
}

/* -- taking hints
 * ----------------------------------------------------------------------------------
 */

static void support(struct crv_dx_hint *h, const struct rule *r, size_t at, size_t end) {
  for (size_t i = 0; i < h->n; i++)
    if (h->from[i] == r->pattern) return;
  if (h->n == CRV_DX_FROM) {
    memmove(h->from, h->from + 1, sizeof *h->from * (CRV_DX_FROM - 1));
    memmove(h->at, h->at + 1, sizeof *h->at * (CRV_DX_FROM - 1));
    memmove(h->to, h->to + 1, sizeof *h->to * (CRV_DX_FROM - 1));
    h->n--;
  }
  h->from[h->n] = r->pattern;
  h->at[h->n] = at;
  h->to[h->n++] = end;
}

static void replace(struct crv_dx_hint *h, const struct rule *r, size_t at, size_t end) {
  bool same = h->set && h->phase == r->phase && h->rank == r->rank;
  if (!same) *h = (struct crv_dx_hint){.set = true, .subphase = ""};
  h->container = r->level == CONTAINER;
  h->rank = r->rank;
  h->phase = r->phase;
  if (*r->subphase) h->subphase = r->subphase;
  support(h, r, at, end);
}

/* Does r end what the frame h is about? */
static bool ends(const struct crv_dx_hint *h, const struct rule *r) {
  if (!h->set || !h->container) return true;
  if (r->level == CONTAINER) return r->rank >= h->rank;
  return r->phase == CRV_DP_BACKWARD || r->phase == CRV_DP_OPTIMIZER_STEP;
}

static void add_frame(struct crv_dx_hint *h, const struct rule *r, size_t at, size_t end) {
  if (ends(h, r)) {
    replace(h, r, at, end);
  } else if (h->phase == r->phase) {
    support(h, r, at, end);
    if (*r->subphase) h->subphase = r->subphase;
  }
}

static void add(struct crv_dx_side *side, const struct rule *r, size_t at, size_t end) {
  static const enum crv_dx_level levels[] = {
      [SENTENCE] = CRV_DL_SENTENCE, [CONTAINER] = CRV_DL_FRAME, [STEP] = CRV_DL_FRAME,
      [PROSE] = CRV_DL_PROSE,       [INNER] = CRV_DL_INNER,     [PROGRESS] = CRV_DL_PROGRESS,
  };
  struct crv_dx_hint *h = &side->at[levels[r->level]];
  if (r->level == CONTAINER || r->level == STEP)
    add_frame(h, r, at, end);
  else if (r->level != SENTENCE || !h->set || r->rank >= h->rank)
    replace(h, r, at, end);
}

static void hit(struct crv_dx *d, size_t i, size_t at, size_t end) {
  if (d->in_context) {
    add(&d->context, &rules[i], at, end);
    return;
  }
  add(d->by_figure.passed ? &d->by_figure.after : &d->by_figure.before, &rules[i], at, end);
  add(d->by_word.passed ? &d->by_word.after : &d->by_word.before, &rules[i], at, end);
}

const struct crv_dx_table crv_dx_frames = {pattern, hit};

void crv_dx_split_at(struct crv_dx_split *s) {
  s->passed = true;
}

static void reset(struct crv_dx_split *s) {
  struct crv_dx_side *side = s->passed ? &s->after : &s->before;
  side->at[CRV_DL_FRAME] = side->at[CRV_DL_INNER] = (struct crv_dx_hint){0};
}

void crv_dx_frames_reset(struct crv_dx *d) {
  if (d->in_context) return;
  reset(&d->by_figure);
  reset(&d->by_word);
}

/* -- the answer
 * ------------------------------------------------------------------------------------
 */

static bool say(struct crv_dx *d, const struct crv_dx_hint *h, const char *basis, bool text) {
  struct crv_diagnosis *ret = d->ret;
  const char **from = crv_new_array(d->a, CRV_DX_FROM, const char *);
  struct crv_diag_span *spans = crv_new_array(d->a, CRV_DX_FROM, struct crv_diag_span);
  if (!from || !spans) return crv_dx_no_memory(d);
  ret->phase = phase_names[h->phase];
  ret->subphase = *h->subphase ? h->subphase : NULL;
  ret->phase_basis = basis;
  for (size_t i = 0; i < h->n; i++) {
    size_t start = *h->from[i] == '|', len = strlen(h->from[i]) - start;
    if (len > 1 && h->from[i][start + len - 1] == '|') len--;
    from[i] = crv_arena_strndup(d->a, h->from[i] + start, len);
    if (!from[i]) return crv_dx_no_memory(d);
    if (text) spans[i] = crv_flat_span(d->flat, h->at[i], h->to[i]);
  }
  ret->phase_from = (struct crv_list){h->n, from};
  ret->phase_spans = (struct crv_list){text ? h->n : 0, spans};
  return true;
}

/* What the frames of a step say of its inside: a forward pass that computes logits. */
static void refine(const struct crv_dx_side *side, struct crv_diagnosis *ret) {
  const struct crv_dx_hint *frame = &side->at[CRV_DL_FRAME], *inner = &side->at[CRV_DL_INNER];
  if (ret->subphase || !inner->set || inner->phase != CRV_DP_FORWARD || !*inner->subphase) return;
  if (frame->set && (frame->phase == CRV_DP_FORWARD || frame->phase == CRV_DP_EVALUATION))
    ret->subphase = inner->subphase;
}

static bool by_sides(struct crv_dx *d, const struct crv_dx_split *s, bool *said) {
  static const enum crv_dx_level order[] = {CRV_DL_SENTENCE, CRV_DL_FRAME, CRV_DL_PROSE,
                                            CRV_DL_INNER, CRV_DL_PROGRESS};
  static const char *const basis[] = {"wording", "frames", "wording", "frames", "log"};
  const struct crv_dx_side *sides[] = {&s->before, &s->after};
  for (size_t k = 0; k < sizeof order / sizeof *order; k++) {
    for (size_t i = 0; i < 2; i++) {
      const struct crv_dx_hint *h = &sides[i]->at[order[k]];
      if (!h->set) continue;
      *said = true;
      if (!say(d, h, basis[k], true)) return false;
      if (order[k] == CRV_DL_FRAME) refine(sides[i], d->ret);
      return true;
    }
  }
  return true;
}

static bool by_context(struct crv_dx *d) {
  for (size_t k = 0; k < CRV_DL_COUNT; k++)
    if (d->context.at[k].set) return say(d, &d->context.at[k], "context", false);
  return true;
}

/* A compiled program that fills the device was being run; one that needs next to nothing tells
   nothing. */
static bool by_program(struct crv_dx *d) {
  static const struct crv_dx_hint run = {
      .set = true, .phase = CRV_DP_FORWARD, .subphase = "execution_of_a_compiled_program"};
  struct crv_opt_int total = crv_dx_bytes(d, CRV_DF_PROGRAM);
  if (!total.set) total = crv_dx_bytes(d, CRV_DF_HBM_USED);
  if (!total.set || total.v < CRV_GIB) return true;
  return say(d, &run, "arithmetic", true);
}

/* Pinned pages show that offload buffers were in place, so loading was over; after that, what takes
   host memory anew is saving. */
static bool by_host(struct crv_dx *d) {
  static const struct crv_dx_hint save = {.set = true,
                                          .phase = CRV_DP_CHECKPOINT_EXPORT,
                                          .subphase = "",
                                          .n = 1,
                                          .from = {"shmem-rss"}};
  const struct crv_dx_figure *shared = crv_dx_figure(d, CRV_DF_HOST_SHMEM);
  struct crv_dx_hint h = save;
  if (!d->trait[CRV_DT_LAUNCHER] || !shared || !shared->bytes.set || shared->bytes.v < CRV_GIB)
    return true;
  h.at[0] = shared->from;
  h.to[0] = shared->to;
  return say(d, &h, "arithmetic", true);
}

bool crv_dx_phase(struct crv_dx *d) {
  bool said = false;
  d->ret->phase = phase_names[CRV_DP_UNDETERMINED];
  d->ret->phase_basis = "none";
  const struct crv_dx_split *s = d->by_figure.passed ? &d->by_figure : &d->by_word;
  if (!by_sides(d, s, &said)) return false;
  if (!said && !by_context(d)) return false;
  if (!said && d->ret->phase_from.n == 0 && !by_program(d)) return false;
  if (!said && d->ret->phase_from.n == 0 && !d->ret->subphase && !by_host(d)) return false;
  return true;
}
