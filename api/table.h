/* Rows of texts as a table for people (at most 100 columns), as CSV (RFC 4180) and as Markdown.
   Must not know: where the texts come from. */
#ifndef CRV_API_TABLE_H
#define CRV_API_TABLE_H

#include <stdbool.h>

#include "core/base/buf.h"

enum { CRV_TEXT_COLUMNS = 100, CRV_TABLE_MAX = 24 };

enum crv_column_how {
  CRV_COL_TEXT,   /* cut where the table would be too wide */
  CRV_COL_NUMBER, /* to the right, never cut */
  CRV_COL_KEY,    /* a name that people type again: cut last */
  CRV_COL_CSV,    /* in CSV only */
};
struct crv_column {
  const char *title; /* of text and Markdown tables: "OFFER"; CSV writes `path` */
  const char *path;  /* dotted path into an item's JSON: "device.model" */
  enum crv_column_how how;
};

/* Cells are copied; freed by crv_table_done. */
struct crv_table {
  const struct crv_column *columns;
  size_t n_columns;
  char **cells; /* rows * n_columns */
  size_t n, room;
  bool failed; /* out of memory */
};
void crv_table_init(struct crv_table *t, const struct crv_column *columns, size_t n);
void crv_table_done(struct crv_table *t);
/* One cell after the other, row by row; NULL is "-". */
void crv_table_cell(struct crv_table *t, const char *text);
/* As text; columns that are not numbers are cut to fit. */
void crv_table_text(const struct crv_table *t, struct crv_buf *out);
void crv_table_md(const struct crv_table *t, struct crv_buf *out);

static inline void crv_cleanup_table(struct crv_table *t) {
  crv_table_done(t);
}
#define _table_ __attribute__((cleanup(crv_cleanup_table)))

/* One CSV cell; `first` leaves the comma out. Cells that a spreadsheet would take for a formula get
   an apostrophe in front unless raw. NULL is empty. */
void crv_csv_cell(struct crv_buf *out, const char *text, bool first, bool raw);
/* The end of a CSV line. */
void crv_csv_end(struct crv_buf *out);

/* Text broken at blanks so that no line is wider than `width`; lines after the first start with
   `indent` blanks; `first` is the column at which it starts. Ends with a newline. */
void crv_text_wrap(struct crv_buf *out, const char *s, size_t first, size_t indent, size_t width);
/* Writes s so that Markdown shows it as it is. */
void crv_md_text(struct crv_buf *out, const char *s);
/* Writes s escaped for XML and HTML text and attributes. */
void crv_xml_text(struct crv_buf *out, const char *s);

#endif
