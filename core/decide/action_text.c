/* The sentence of an action: what one piece would settle, for how many offers.
   Must not know: how conditions are gathered. */
#include <string.h>

#include "core/base/buf.h"
#include "core/decide/result.h"

static const struct crv_fact *param(const struct crv_condition *c, const char *name) {
  for (size_t i = 0; i < c->n_params; i++)
    if (!strcmp(c->params[i].name, name)) return &c->params[i];
  return NULL;
}

static const char *text_param(const struct crv_condition *c, const char *name) {
  const struct crv_fact *f = param(c, name);
  return f && f->type == CRV_FACT_TEXT ? f->text : NULL;
}

static const struct crv_condition *of_code(const struct crv_condition *const *conds, size_t n,
                                           enum crv_condition_code code) {
  for (size_t i = 0; i < n; i++)
    if (conds[i]->code == code) return conds[i];
  return NULL;
}

/* The measurement holds at every supplier of the card: another host is no other memory. */
static void say_run(struct crv_buf *b, const struct crv_condition *run) {
  const char *device = text_param(run, "device"), *strategy = text_param(run, "strategy");
  const struct crv_fact *devices = param(run, "devices");
  const struct crv_device_model *m = device ? crv_device_model(device) : NULL;
  crv_buf_str(b, "Run the limit stage on ");
  if (!devices || devices->i == 1)
    crv_buf_str(b, "one ");
  else
    crv_buf_printf(b, "%lld × ", (long long)devices->i);
  crv_buf_str(b, m && m->display ? m->display : device ? device : "device");
  if (strategy) crv_buf_printf(b, " (%s)", strategy);
  crv_buf_str(b, ", any supplier");
}

/* What a document is to say, in two or three words; NULL when the condition is no such thing. */
static const char *subject_of(const struct crv_condition *c) {
  switch (c->code) {
  case CRV_COND_SHEET_FIELD:
  case CRV_COND_ATTEST:
  case CRV_COND_STATE_FIELD:
  case CRV_COND_IMPORT_CELL:
    return text_param(c, "field");
  case CRV_COND_ACCEPT_SLICE:
    return "placement.whole";
  case CRV_COND_PRICE_AGAIN:
    return "the price in date";
  case CRV_COND_RENEWAL:
    return "renewal at the same price";
  case CRV_COND_MONTH:
    return "the hours of a month";
  case CRV_COND_TAX:
    return "the tax in the price";
  case CRV_COND_SAME_MACHINE:
    return "whether its lots share one machine";
  case CRV_COND_WHICH_DEVICE:
    return "which device it is";
  case CRV_COND_CONFLICT:
    return text_param(c, "what");
  case CRV_COND_RUN_LIMIT:
  case CRV_COND_RUN_AGAIN:
  case CRV_COND_RUN_RATE:
  case CRV_COND_DEVICE_REPORT:
  case CRV_COND_SUPPORT:
  case CRV_COND_DRIVER:
  case CRV_COND_EVALUATE:
  case CRV_COND_RATE:
  case CRV_COND_DELIVERY:
  case CRV_COND_COUNT:
  default:
    return NULL;
  }
}

static void say_subjects(struct crv_buf *b, const struct crv_condition *const *conds, size_t n) {
  enum { NAMED = 4 };
  size_t named = n > NAMED ? NAMED - 1 : n;
  for (size_t i = 0; i < named; i++) {
    bool last = i + 1 == n;
    crv_buf_str(b, i == 0 ? "" : last ? " and " : ", ");
    crv_buf_str(b, subject_of(conds[i]));
  }
  if (n > named) crv_buf_printf(b, " and %zu more", n - named);
}

static bool all_subjects(const struct crv_condition *const *conds, size_t n) {
  for (size_t i = 0; i < n; i++)
    if (!subject_of(conds[i])) return false;
  return true;
}

/* A condition's own sentence without its full stop. */
static void say_own(struct crv_buf *b, const struct crv_condition *c) {
  const char *text = crv_condition_text(c);
  size_t len = text ? strlen(text) : 0;
  if (len && text[len - 1] == '.') len--;
  if (text)
    crv_buf_add(b, text, len);
  else
    b->failed = true;
}

static void say(struct crv_buf *b, const struct crv_condition *const *conds, size_t n) {
  const struct crv_condition *run = of_code(conds, n, CRV_COND_RUN_LIMIT);
  const char *offer = text_param(conds[0], "offer");
  if (run) {
    say_run(b, run);
  } else if (n > 1 && all_subjects(conds, n) && !strcmp(conds[0]->piece, "sheet")) {
    crv_buf_str(b, "State in the sheet ");
    say_subjects(b, conds, n);
  } else if (n > 1 && all_subjects(conds, n) && offer) {
    crv_buf_printf(b, "Get one document in date for offer %s that states ", offer);
    say_subjects(b, conds, n);
  } else {
    say_own(b, conds[0]);
    if (n > 1) crv_buf_printf(b, " (and %zu more)", n - 1);
  }
}

const char *crv_action_text(struct crv_arena *a, const struct crv_condition *const *conds, size_t n,
                            int64_t points, int64_t offers) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  say(&b, conds, n);
  if (b.failed) return NULL;
  /* a sentence that holds a colon already is followed by a semicolon */
  crv_buf_str(&b, strstr(b.data, ": ") ? "; " : ": ");
  crv_buf_printf(&b, "settles %lld %s for %lld %s", (long long)points,
                 points == 1 ? "point" : "points", (long long)offers,
                 offers == 1 ? "offer" : "offers");
  return b.failed ? NULL : crv_arena_strndup(a, b.data, b.len);
}
