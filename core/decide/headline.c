/* The one sentence above every shortlist.
   Must not know: how the counts came about. */
#include <string.h>

#include "core/base/buf.h"
#include "core/decide/result.h"

static const char *noun(int64_t n, const char *one, const char *many) {
  return n == 1 ? one : many;
}

/* Bytes as GiB with one decimal, half up away from zero: "25.0 GiB". */
static void say_gib(struct crv_buf *b, int64_t bytes) {
  uint64_t size = bytes < 0 ? -(uint64_t)bytes : (uint64_t)bytes;
  uint64_t tenths = (uint64_t)(((unsigned __int128)size * 10 + CRV_GIB / 2) / CRV_GIB);
  crv_buf_printf(b, "%s%llu.%llu GiB", bytes < 0 ? "-" : "", (unsigned long long)(tenths / 10),
                 (unsigned long long)(tenths % 10));
}

/* The run that the first retained offer's memory rests on, else the first piece cited for it. */
static const struct crv_piece_rec *proof_of(const struct crv_row *row) {
  if (row->demand_run) return row->demand_run;
  for (size_t i = 0; i < row->n_findings; i++)
    if (row->findings[i].criterion == CRV_CRIT_PEAK && row->findings[i].n_cited)
      return row->findings[i].cited[0];
  return NULL;
}

static void say_retained(const struct crv_shortlist *s, struct crv_buf *b) {
  const struct crv_row *row = s->retained[0];
  const struct crv_piece_rec *proof = proof_of(row);
  char date[40];
  if (proof)
    crv_buf_printf(b, "Proved by %s", proof->key);
  else
    crv_buf_printf(b, "%s is retained", row->rec->key);
  if (row->margin_bytes.set && !crv_margin_hidden(row)) {
    crv_buf_str(b, ", margin ");
    say_gib(b, row->margin_bytes.v);
  }
  if (s->holds_until.set)
    crv_buf_printf(b, ", holds until %s", crv_date_text(s->holds_until.v, date, sizeof date));
  crv_buf_printf(b, ": %zu retained, %zu to confirm, %zu excluded.", s->n_retained,
                 s->n_preselection, s->n_excluded);
}

static void say_open(const struct crv_shortlist *s, struct crv_buf *b) {
  int64_t groups[3] = {0, 0, (int64_t)s->n_excluded};
  for (size_t i = 0; i < s->n_preselection; i++) groups[s->preselection[i]->outlook]++;
  crv_buf_printf(b, "Nothing is proven yet: %lld %s on paper, %lld %s open, %lld cannot",
                 (long long)groups[CRV_FITS_ON_PAPER],
                 noun(groups[CRV_FITS_ON_PAPER], "fits", "fit"), (long long)groups[CRV_OPEN],
                 noun(groups[CRV_OPEN], "is", "are"), (long long)groups[CRV_EXCEEDS_ON_PAPER]);
  if (s->unlock_actions)
    crv_buf_printf(b, "; %lld %s would retain %lld", (long long)s->unlock_actions,
                   noun(s->unlock_actions, "action", "actions"), (long long)s->unlock_offers);
  crv_buf_char(b, '.');
}

/* The criterion that excludes most offers first, in the table's order on a tie. */
static void say_none(const struct crv_shortlist *s, struct crv_buf *b) {
  int most = 0;
  if (s->n_offers == 0) {
    crv_buf_str(b, "No offer was considered: none in force passes the filter.");
    return;
  }
  for (int c = 1; c < CRV_CRIT_COUNT; c++)
    if (s->excluded_by[c] > s->excluded_by[most]) most = c;
  crv_buf_printf(b, "No offer can carry it: %zu excluded, %lld of them first by %s.", s->n_excluded,
                 (long long)s->excluded_by[most], crv_criterion_info((enum crv_criterion)most)->id);
}

void crv_headline_make(struct crv_shortlist *s, struct crv_eval *ev) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  if (s->n_retained)
    say_retained(s, &b);
  else if (s->n_preselection)
    say_open(s, &b);
  else
    say_none(s, &b);
  s->headline = b.failed ? NULL : crv_arena_strndup(ev->a, b.data, b.len);
  if (!s->headline) ev->failed = true;
}
