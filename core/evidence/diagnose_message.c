/* The failed requests of a text and the sizes of its log lines: which figure belongs to which
   message, the same message counted once, a rounded figure replaced by the exact one beside it.
   Must not know: patterns, phases, causes. */
#include <string.h>

#include "core/evidence/diagnose_internal.h"

enum {
  NEAR = 300,   /* squeezed bytes between a failure's first words and its request */
  BESIDE = 600, /* between two figures of one message */
  REACH = 3000, /* beyond that, a figure belongs to another message */
};

static const struct {
  const char *name, *says;
  enum crv_counter counter;
  bool message, last;
} figures[CRV_DF_COUNT] = {
#define MESSAGE true
#define LOG false
#define LAST true
#define FIRST false
#define X(ID, name, counter, scope, keep, round, says) \
  [CRV_DF_##ID] = {name, says, counter, scope, keep},
#include "core/evidence/figures.def"
#undef X
#undef MESSAGE
#undef LOG
#undef LAST
#undef FIRST
};

const char *crv_dx_figure_name(enum crv_dx_figure_id id) {
  return figures[id].name;
}

bool crv_dx_figure_of_message(enum crv_dx_figure_id id) {
  return figures[id].message;
}

static struct crv_dx_figure *find(struct crv_dx_message *m, enum crv_dx_figure_id id) {
  for (size_t i = 0; i < m->n; i++)
    if (m->at[i].id == id) return &m->at[i];
  return NULL;
}

static bool same_int(struct crv_opt_int a, struct crv_opt_int b) {
  return a.set == b.set && (!a.set || a.v == b.v);
}

/* How far `at` lies behind `to`. */
static size_t behind(size_t at, size_t to) {
  return at > to ? at - to : 0;
}

/* -- one message ---------------------------------------------------------------------------------
 */

static bool same_message(const struct crv_dx_message *a, const struct crv_dx_message *b) {
  if (a->n != b->n || !same_int(a->device, b->device)) return false;
  for (size_t i = 0; i < a->n; i++)
    if (a->at[i].id != b->at[i].id || strcmp(a->at[i].printed, b->at[i].printed) != 0) return false;
  return true;
}

static void close_message(struct crv_dx *d) {
  struct crv_dx_message *m = &d->open;
  bool keep = d->is_open && m->n > 0;
  d->is_open = false;
  if (!keep) return;
  for (size_t i = 0; i < d->n_msg; i++) {
    if (!same_message(&d->msg[i], m)) continue;
    d->msg[i].times++;
    return;
  }
  if (d->n_msg == CRV_DX_MESSAGES) {
    d->more_messages = true;
    return;
  }
  d->msg[d->n_msg++] = *m;
}

static void open_message(struct crv_dx *d, size_t at) {
  close_message(d);
  d->open = (struct crv_dx_message){.from = at, .to = at, .times = 1};
  d->open.rank = crv_flat_rank_of(d->flat, at);
  d->is_open = true;
}

void crv_dx_message_start(struct crv_dx *d, size_t at) {
  struct crv_dx_message *m = &d->open;
  bool near = d->is_open && behind(at, m->to) < NEAR;
  if (near && (m->n == 0 || (!m->worded && m->n <= 2))) {
    m->worded = true;
    return;
  }
  open_message(d, at);
  d->open.worded = true;
}

void crv_dx_message_device(struct crv_dx *d, int64_t device, size_t at) {
  if (!d->is_open || behind(at, d->open.to) > BESIDE) open_message(d, at);
  if (!d->open.device.set) d->open.device = (struct crv_opt_int){device, true};
}

void crv_dx_messages_end(struct crv_dx *d) {
  close_message(d);
}

/* -- figures
 * ---------------------------------------------------------------------------------------
 */

static bool same_size(const struct crv_dx_figure *a, const struct crv_dx_figure *b) {
  if (!a->bytes.set || !b->bytes.set) return a->bytes.set == b->bytes.set;
  int64_t gap = a->bytes.v > b->bytes.v ? a->bytes.v - b->bytes.v : b->bytes.v - a->bytes.v;
  return gap <= a->half_step + b->half_step + 1;
}

/* The request again, beside itself: the finer of two figures counts. True when f is used up. */
static bool refines(struct crv_dx *d, struct crv_dx_figure *have, const struct crv_dx_figure *f) {
  if (behind(f->from, d->open.to) > BESIDE || !same_size(have, f)) return false;
  if (f->half_step < have->half_step) *have = *f;
  d->open.to = f->to;
  return true;
}

static void to_message(struct crv_dx *d, const struct crv_dx_figure *f) {
  struct crv_dx_figure *have;
  if (!d->is_open || behind(f->from, d->open.to) > REACH) open_message(d, f->from);
  have = find(&d->open, f->id);
  if (have && f->id == CRV_DF_REQUESTED) {
    if (refines(d, have, f)) return;
    open_message(d, f->from);
  } else if (have && f->id != CRV_DF_PROCESS) {
    return;
  }
  if (f->id == CRV_DF_REQUESTED) crv_dx_split_at(&d->by_figure);
  if (d->open.n == CRV_DX_FIGURES) return;
  d->open.at[d->open.n++] = *f;
  if (f->to > d->open.to) d->open.to = f->to;
}

static void to_log(struct crv_dx *d, const struct crv_dx_figure *f) {
  for (size_t i = 0; i < d->n_log; i++) {
    if (d->log[i].id != f->id || !same_int(d->log[i].device, f->device)) continue;
    if (figures[f->id].last) d->log[i] = *f;
    return;
  }
  if (d->n_log < CRV_DX_LOG) d->log[d->n_log++] = *f;
}

void crv_dx_take(struct crv_dx *d, struct crv_dx_figure *f) {
  if (figures[f->id].message)
    to_message(d, f);
  else
    to_log(d, f);
}

const struct crv_dx_message *crv_dx_first(const struct crv_dx *d) {
  return d->n_msg ? &d->msg[0] : NULL;
}

const struct crv_dx_figure *crv_dx_figure(const struct crv_dx *d, enum crv_dx_figure_id id) {
  const struct crv_dx_message *m = crv_dx_first(d);
  if (m && figures[id].message)
    for (size_t i = 0; i < m->n; i++)
      if (m->at[i].id == id) return &m->at[i];
  for (size_t i = 0; i < d->n_log; i++)
    if (d->log[i].id == id) return &d->log[i];
  return NULL;
}

struct crv_opt_int crv_dx_bytes(const struct crv_dx *d, enum crv_dx_figure_id id) {
  const struct crv_dx_figure *f = crv_dx_figure(d, id);
  return f ? f->bytes : (struct crv_opt_int){0, false};
}

/* -- the answer's lists
 * ----------------------------------------------------------------------------
 */

static void show(struct crv_dx *d, const struct crv_dx_figure *f, size_t message,
                 const struct crv_dx_message *m, struct crv_diag_figure *ret) {
  *ret = (struct crv_diag_figure){
      .name = figures[f->id].name,
      .says = figures[f->id].says,
      .counter = figures[f->id].counter,
      .bytes = f->bytes,
      .half_step = f->half_step,
      .printed = crv_dx_text(d, "%s", f->printed),
      .unit = f->unit,
      .unit_means = f->unit_means,
      .device = f->device,
      .message = message,
      .span = crv_flat_span(d->flat, f->from, f->to),
  };
  if (!m) return;
  ret->device = m->device;
  ret->rank = m->rank;
}

static bool list_messages(struct crv_dx *d) {
  struct crv_diag_message *at = crv_new_array(d->a, d->n_msg, struct crv_diag_message);
  if (!at) return crv_dx_no_memory(d);
  for (size_t i = 0; i < d->n_msg; i++) {
    const struct crv_dx_message *m = &d->msg[i];
    at[i] = (struct crv_diag_message){
        .device = m->device,
        .rank = m->rank,
        .times = m->times,
        .truncated = m->opened && !m->closed,
        .span = crv_flat_span(d->flat, m->from, m->to),
    };
  }
  d->ret->messages = (struct crv_list){d->n_msg, at};
  return true;
}

bool crv_dx_list_figures(struct crv_dx *d) {
  size_t n = d->n_log, k = 0;
  for (size_t i = 0; i < d->n_msg; i++) n += d->msg[i].n;
  struct crv_diag_figure *at = crv_new_array(d->a, n, struct crv_diag_figure);
  if (!at) return crv_dx_no_memory(d);
  for (size_t i = 0; i < d->n_msg; i++)
    for (size_t j = 0; j < d->msg[i].n; j++) show(d, &d->msg[i].at[j], i + 1, &d->msg[i], &at[k++]);
  for (size_t i = 0; i < d->n_log; i++) show(d, &d->log[i], 0, NULL, &at[k++]);
  d->ret->figures = (struct crv_list){n, at};
  return !d->failed && list_messages(d);
}
