/* Comma-separated text -> rows of UTF-8 cells. A record's end is found first, by the quoting rules
   of RFC 4180; libcsv, strict, then splits and unescapes that record alone. A record that breaks
   the rules ends with its physical line, so that a stray quote hides no other row.
   Must not know: what the columns mean. */
#include <csv.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/text.h"
#include "core/catalogue/import_internal.h"

enum scan_end { SCAN_OK, SCAN_QUOTING, SCAN_LONG };

struct record {
  size_t from, len; /* without its line end */
  size_t next;      /* where the following one starts */
  enum scan_end end;
};

struct reader {
  struct csv_parser csv;
  struct crv_buf text;      /* the cells, each NUL-terminated */
  size_t at[CRV_CSV_CELLS]; /* where each starts in text */
  const char *cells[CRV_CSV_CELLS];
  size_t n;     /* cells of the record, also those beyond the limit */
  int ends;     /* row ends that libcsv saw */
  size_t width; /* of the header */
  int64_t row;
  bool have_header;
  const struct crv_csv_handler *h;
};

static bool is_end(char c) {
  return c == '\n' || c == '\r';
}

static size_t after_end(const char *s, size_t len, size_t i) {
  if (i >= len) return len;
  if (s[i] == '\r' && i + 1 < len && s[i + 1] == '\n') return i + 2;
  return i + 1;
}

static size_t after_line(const char *s, size_t len, size_t i) {
  while (i < len && !is_end(s[i])) i++;
  return after_end(s, len, i);
}

enum cell { CELL_START, CELL_PLAIN, CELL_QUOTED, CELL_CLOSED, CELL_AFTER, CELL_BAD };

static enum cell plain_step(enum cell c, char ch) {
  if (ch == ',') return CELL_START;
  if (ch == '"') return c == CELL_START ? CELL_QUOTED : CELL_BAD;
  if (c == CELL_START && (ch == ' ' || ch == '\t')) return c;
  return CELL_PLAIN;
}

static enum cell closed_step(enum cell c, char ch) {
  if (ch == ',') return CELL_START;
  if (ch == '"') return c == CELL_CLOSED ? CELL_QUOTED : CELL_BAD;
  return ch == ' ' || ch == '\t' ? CELL_AFTER : CELL_BAD;
}

static enum cell step(enum cell c, char ch) {
  if (c == CELL_QUOTED) return ch == '"' ? CELL_CLOSED : CELL_QUOTED;
  return c == CELL_CLOSED || c == CELL_AFTER ? closed_step(c, ch) : plain_step(c, ch);
}

/* Every byte is looked at a bounded number of times: within the span of an unclosed quote all runs
   of quotes are even, and a line read afresh there closes whatever it opens. */
static struct record scan(const char *s, size_t len, size_t from) {
  struct record r = {.from = from, .end = SCAN_OK};
  enum cell c = CELL_START;
  size_t i = from;
  for (; i < len && i - from < CRV_CSV_ROW_BYTES; i++) {
    if (c != CELL_QUOTED && is_end(s[i])) break;
    c = step(c, s[i]);
    if (c == CELL_BAD) break;
  }
  bool whole = i == len || is_end(s[i]);
  if (c == CELL_BAD || c == CELL_QUOTED)
    r.end = SCAN_QUOTING;
  else if (!whole)
    r.end = SCAN_LONG;
  r.len = i - from;
  r.next = r.end == SCAN_OK ? after_end(s, len, i) : after_line(s, len, from);
  return r;
}

static void on_cell(void *p, size_t len, void *ctx) {
  struct reader *r = ctx;
  if (r->n < CRV_CSV_CELLS) {
    r->at[r->n] = r->text.len;
    if (len) crv_buf_add(&r->text, p, len);
    crv_buf_add(&r->text, "", 1);
  }
  r->n++;
}

static void on_end(int c, void *ctx) {
  (void)c;
  ((struct reader *)ctx)->ends++;
}

/* libcsv has no way to start over after an error. */
static bool restart(struct reader *r) {
  csv_free(&r->csv);
  return csv_init(&r->csv, CSV_STRICT | CSV_STRICT_FINI) == 0;
}

/* ret_ok false: the record is not well quoted. False: out of memory. */
static bool split(struct reader *r, const char *s, size_t len, bool *ret_ok) {
  r->n = 0;
  r->ends = 0;
  r->text.len = 0;
  *ret_ok = csv_parse(&r->csv, s, len, on_cell, on_end, r) == len &&
            csv_fini(&r->csv, on_cell, on_end, r) == 0;
  if (csv_error(&r->csv) == CSV_ENOMEM || r->text.failed) return false;
  if (!*ret_ok) return restart(r);
  if (r->ends > 1) *ret_ok = false;
  size_t n = r->n < CRV_CSV_CELLS ? r->n : CRV_CSV_CELLS;
  for (size_t i = 0; i < n; i++) r->cells[i] = r->text.data + r->at[i];
  return true;
}

static bool bad_header(struct crv_err *err, const char *why) {
  return crv_fail_field(err, "header", "bad_format", "a first line that names the columns", "%s",
                        why);
}

static bool take_header(struct reader *r, struct crv_err *err) {
  if (r->n > CRV_CSV_CELLS) return bad_header(err, "The header has too many columns.");
  for (size_t i = 0; i < r->n; i++)
    for (size_t k = 0; k < i; k++)
      if (*r->cells[i] && !strcmp(r->cells[i], r->cells[k]))
        return crv_fail_field(err, "header", "duplicate", NULL, "Two columns have the name %.80s.",
                              r->cells[i]);
  struct crv_csv_row row = {0, r->cells, r->n};
  r->have_header = true;
  r->width = r->n;
  return r->h->header(r->h->ctx, &row, err);
}

static bool take_row(struct reader *r, struct crv_err *err) {
  r->row++;
  if (r->n != r->width) {
    char have[32], want[32];
    snprintf(have, sizeof have, "%zu cells", r->n);
    snprintf(want, sizeof want, "%zu columns", r->width);
    return r->h->bad(r->h->ctx, r->row, CRV_IC_CELL_COUNT, have, want, err);
  }
  struct crv_csv_row row = {r->row, r->cells, r->n};
  return r->h->row(r->h->ctx, &row, err);
}

static bool refuse(struct reader *r, enum crv_icode code, const char *s, size_t len,
                   struct crv_err *err) {
  if (!r->have_header)
    return bad_header(err, code == CRV_IC_ROW_ENCODING   ? "The header is not UTF-8 text."
                           : code == CRV_IC_ROW_TOO_LONG ? "The header is too long."
                                                         : "The header's quotes are broken.");
  char quoted[CRV_QUOTE_ROOM];
  r->row++;
  return r->h->bad(r->h->ctx, r->row, code, crv_text_quote(s, len, quoted), NULL, err);
}

static bool take(struct reader *r, const char *s, const struct record *rec, struct crv_err *err) {
  const char *at = s + rec->from;
  if (rec->end == SCAN_LONG) return refuse(r, CRV_IC_ROW_TOO_LONG, at, rec->len, err);
  if (rec->end == SCAN_QUOTING) return refuse(r, CRV_IC_ROW_QUOTING, at, rec->len, err);
  if (!crv_utf8_ok(at, rec->len)) return refuse(r, CRV_IC_ROW_ENCODING, at, rec->len, err);
  bool ok;
  if (!split(r, at, rec->len, &ok)) return crv_import_oom(err);
  if (!ok) return refuse(r, CRV_IC_ROW_QUOTING, at, rec->len, err);
  if (!r->n) return true; /* a blank line */
  return r->have_header ? take_row(r, err) : take_header(r, err);
}

static bool read_all(struct reader *r, const char *data, size_t len, struct crv_err *err) {
  size_t pos = len >= 3 && !memcmp(data, "\xEF\xBB\xBF", 3) ? 3 : 0;
  while (pos < len) {
    struct record rec = scan(data, len, pos);
    if (!take(r, data, &rec, err)) return false;
    pos = rec.next;
  }
  return r->have_header || bad_header(err, "The file is empty.");
}

bool crv_csv_read(const char *data, size_t len, const struct crv_csv_handler *h,
                  struct crv_err *err) {
  struct reader *r = calloc(1, sizeof *r);
  if (!r) return crv_import_oom(err);
  r->h = h;
  crv_buf_init(&r->text, 0);
  bool ok = csv_init(&r->csv, CSV_STRICT | CSV_STRICT_FINI) == 0 ? read_all(r, data, len, err)
                                                                 : crv_import_oom(err);
  csv_free(&r->csv);
  crv_buf_done(&r->text);
  free(r);
  return ok;
}
