/* The digest of the whole matrix: every offer's verdicts in the table's order, offers by key. A
   stored answer keeps only the rows shown; a replay is held against this. Must not know: reasons,
   figures. */
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/hash.h"
#include "core/decide/decide.h"

static int by_key(const void *a, const void *b) {
  return strcmp((*(struct crv_row *const *)a)->rec->key, (*(struct crv_row *const *)b)->rec->key);
}

/* "key@version" and one line for each verdict. Neither keys nor subjects hold line breaks. */
static void write_row(struct crv_buf *b, const struct crv_row *row) {
  b->len = 0;
  crv_buf_printf(b, "%s@%lld\n", row->rec->key, (long long)row->rec->version);
  for (size_t i = 0; i < row->n_findings; i++) {
    const struct crv_finding *f = &row->findings[i];
    crv_buf_str(b, crv_criterion_info(f->criterion)->id);
    crv_buf_char(b, ' ');
    crv_buf_str(b, crv_verdict_name(f->verdict));
    crv_buf_char(b, ' ');
    crv_buf_str(b, f->subject ? f->subject : "");
    crv_buf_char(b, '\n');
  }
}

static size_t gather(struct crv_row **to, struct crv_row *const *rows, size_t n) {
  if (n) memcpy(to, rows, n * sizeof(*to));
  return n;
}

bool crv_matrix_digest(const struct crv_shortlist *s, char *out) {
  _buf_ struct crv_buf row = {0}, all = {0};
  size_t n = 0, most = s->n_retained + s->n_preselection + s->n_excluded;
  _free_ struct crv_row **rows = calloc(most + 1, sizeof(*rows));
  crv_buf_init(&row, 0);
  crv_buf_init(&all, 0);
  if (!rows) return false;
  n += gather(rows + n, s->retained, s->n_retained);
  n += gather(rows + n, s->preselection, s->n_preselection);
  n += gather(rows + n, s->excluded, s->n_excluded);
  qsort(rows, n, sizeof(*rows), by_key);
  for (size_t i = 0; i < n; i++) {
    char hex[CRV_SHA256_HEX];
    write_row(&row, rows[i]);
    if (row.failed) return false;
    crv_buf_str(&all, crv_sha256_hex(row.data, row.len, hex));
  }
  if (all.failed) return false;
  crv_sha256_hex(all.data ? all.data : "", all.len, out);
  return true;
}
