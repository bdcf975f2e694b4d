/* Tables of texts. Widths are terminal columns, so that names beyond ASCII line up. */
#include "api/table.h"

#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"

enum { GAP = 2 };

void crv_table_init(struct crv_table *t, const struct crv_column *columns, size_t n) {
  *t = (struct crv_table){.columns = columns, .n_columns = n};
}

void crv_table_done(struct crv_table *t) {
  for (size_t i = 0; i < t->n; i++) free(t->cells[i]);
  free(t->cells);
  *t = (struct crv_table){0};
}

void crv_table_cell(struct crv_table *t, const char *text) {
  if (t->failed) return;
  if (t->n == t->room) {
    size_t room = t->room ? 2 * t->room : 256;
    char **cells = reallocarray(t->cells, room, sizeof *cells);
    if (!cells) {
      t->failed = true;
      return;
    }
    t->cells = cells;
    t->room = room;
  }
  char *cell = strdup(text && text[0] ? text : "-");
  if (!cell) {
    t->failed = true;
    return;
  }
  for (char *s = cell; *s; s++)
    if ((unsigned char)*s < 0x20 || *s == 0x7f) *s = ' ';
  t->cells[t->n++] = cell;
}

static const char *cell_at(const struct crv_table *t, size_t row, size_t column) {
  return t->cells[row * t->n_columns + column];
}

static size_t rows_of(const struct crv_table *t) {
  return t->n_columns ? t->n / t->n_columns : 0;
}

/* Is there anything to show in the column? */
static bool empty(const struct crv_table *t, size_t column) {
  for (size_t i = 0; i < rows_of(t); i++)
    if (strcmp(cell_at(t, i, column), "-") != 0) return false;
  return true;
}

static size_t total(const struct crv_table *t, const size_t *width) {
  size_t sum = 0;
  for (size_t c = 0; c < t->n_columns; c++)
    if (width[c]) sum += width[c] + GAP;
  return sum > GAP ? sum - GAP : 0;
}

/* The widest column of a kind that is wider than least, or n_columns. */
static size_t widest(const struct crv_table *t, const size_t *width, enum crv_column_how how,
                     size_t least) {
  size_t best = t->n_columns;
  for (size_t c = 0; c < t->n_columns; c++) {
    if (t->columns[c].how != how || width[c] <= least) continue;
    if (best == t->n_columns || width[c] > width[best]) best = c;
  }
  return best;
}

static void narrow(const struct crv_table *t, size_t *width, enum crv_column_how how,
                   size_t least) {
  size_t cut;
  while (total(t, width) > CRV_TEXT_COLUMNS && (cut = widest(t, width, how, least)) < t->n_columns)
    width[cut]--;
}

/* Widths that fit; 0: the column is left out. */
static void widths(const struct crv_table *t, size_t *width) {
  for (size_t c = 0; c < t->n_columns; c++) {
    width[c] = t->columns[c].how == CRV_COL_CSV ? 0 : crv_text_columns(t->columns[c].title);
    if (!width[c]) continue;
    for (size_t i = 0; i < rows_of(t); i++) {
      size_t w = crv_text_columns(cell_at(t, i, c));
      if (w > width[c]) width[c] = w;
    }
  }
  /* a column that says nothing goes before a name is cut */
  for (size_t c = t->n_columns; c-- > 0 && total(t, width) > CRV_TEXT_COLUMNS;)
    if (empty(t, c) && rows_of(t)) width[c] = 0;
  narrow(t, width, CRV_COL_TEXT, 12);
  narrow(t, width, CRV_COL_KEY, 24);
  narrow(t, width, CRV_COL_TEXT, 8);
  narrow(t, width, CRV_COL_KEY, 8);
}

/* s within width columns, the last an ellipsis when it is cut; returns the columns used. */
static size_t put_cut(struct crv_buf *out, const char *s, size_t width) {
  size_t used = crv_text_columns(s);
  if (used <= width) {
    crv_buf_str(out, s);
    return used;
  }
  crv_buf_add(out, s, crv_text_fit(s, width ? width - 1 : 0, &used));
  crv_buf_str(out, "…");
  return used + 1;
}

static void pad(struct crv_buf *out, size_t n) {
  while (n-- > 0) crv_buf_char(out, ' ');
}

static void put_line(const struct crv_table *t, const size_t *width, const char *const *texts,
                     struct crv_buf *out) {
  size_t owed = 0;
  bool first = true;
  for (size_t c = 0; c < t->n_columns; c++) {
    if (!width[c]) continue;
    if (!first) owed += GAP;
    first = false;
    size_t used = crv_text_columns(texts[c]);
    if (t->columns[c].how == CRV_COL_NUMBER && used < width[c]) owed += width[c] - used;
    pad(out, owed);
    used = put_cut(out, texts[c], t->columns[c].how == CRV_COL_NUMBER ? used : width[c]);
    owed = t->columns[c].how != CRV_COL_NUMBER && used < width[c] ? width[c] - used : 0;
  }
  crv_buf_char(out, '\n');
}

void crv_table_text(const struct crv_table *t, struct crv_buf *out) {
  size_t width[CRV_TABLE_MAX];
  const char *texts[CRV_TABLE_MAX];
  if (t->failed) out->failed = true;
  if (t->failed || t->n_columns > CRV_TABLE_MAX) return;
  widths(t, width);
  for (size_t c = 0; c < t->n_columns; c++) texts[c] = t->columns[c].title;
  put_line(t, width, texts, out);
  for (size_t i = 0; i < rows_of(t); i++) {
    for (size_t c = 0; c < t->n_columns; c++) texts[c] = cell_at(t, i, c);
    put_line(t, width, texts, out);
  }
}

void crv_md_text(struct crv_buf *out, const char *s) {
  for (; *s; s++) {
    if (strchr("\\`*_[]<>|#~", *s)) crv_buf_char(out, '\\');
    crv_buf_char(out, (unsigned char)*s < 0x20 ? ' ' : *s);
  }
}

void crv_table_md(const struct crv_table *t, struct crv_buf *out) {
  if (t->failed) out->failed = true;
  if (t->failed) return;
  for (size_t c = 0; c < t->n_columns; c++)
    if (t->columns[c].how != CRV_COL_CSV) crv_buf_printf(out, "| %s ", t->columns[c].title);
  crv_buf_str(out, "|\n");
  for (size_t c = 0; c < t->n_columns; c++)
    if (t->columns[c].how != CRV_COL_CSV)
      crv_buf_str(out, t->columns[c].how == CRV_COL_NUMBER ? "|---:" : "|---");
  crv_buf_str(out, "|\n");
  for (size_t i = 0; i < rows_of(t); i++) {
    for (size_t c = 0; c < t->n_columns; c++) {
      if (t->columns[c].how == CRV_COL_CSV) continue;
      crv_buf_str(out, "| ");
      crv_md_text(out, cell_at(t, i, c));
      crv_buf_char(out, ' ');
    }
    crv_buf_str(out, "|\n");
  }
}

/* A number may start with a sign; anything else that starts like a formula, full-width signs and
   blanks before it too, is one to some spreadsheet. */
static bool formula(const char *s) {
  static const char *const full_width[] = {"＝", "＋", "－", "＠"};
  struct crv_unit_err ue;
  int64_t v;
  s += strspn(s, " ");
  for (size_t i = 0; i < sizeof full_width / sizeof *full_width; i++)
    if (strncmp(s, full_width[i], strlen(full_width[i])) == 0) return true;
  if (!strchr("=+-@\t\r", s[0]) || s[0] == '\0') return false;
  return !(s[0] == '-' && crv_decimal_parse(s, strlen(s), &v, &ue));
}

void crv_csv_cell(struct crv_buf *out, const char *text, bool first, bool raw) {
  const char *s = text ? text : "";
  bool guard = !raw && formula(s);
  bool quote = guard || strpbrk(s, ",\"\r\n") || s[0] == ' ';
  if (!first) crv_buf_char(out, ',');
  if (quote) crv_buf_char(out, '"');
  if (guard) crv_buf_char(out, '\'');
  for (; *s; s++) {
    if (*s == '"') crv_buf_char(out, '"');
    crv_buf_char(out, *s);
  }
  if (quote) crv_buf_char(out, '"');
}

void crv_csv_end(struct crv_buf *out) {
  crv_buf_str(out, "\r\n");
}

void crv_text_wrap(struct crv_buf *out, const char *s, size_t first, size_t indent, size_t width) {
  size_t at = first;
  bool empty_line = true;
  while (*(s += strspn(s, " \n"))) {
    char word[512];
    size_t len = strcspn(s, " \n");
    if (len >= sizeof word) len = sizeof word - 1;
    memcpy(word, s, len);
    word[len] = '\0';
    crv_text_repair(word); /* a character that did not fit whole comes with the next part */
    len = strlen(word);
    size_t wide = crv_text_columns(word);
    if (!empty_line && at + 1 + wide > width) {
      crv_buf_char(out, '\n');
      pad(out, indent);
      at = indent;
    } else if (!empty_line) {
      crv_buf_char(out, ' ');
      at++;
    }
    crv_buf_str(out, word);
    empty_line = false;
    at += wide;
    s += len;
  }
  crv_buf_char(out, '\n');
}

/* U+FFFE and U+FFFF: no document may hold them, not even by number (XML 1.0, 2.2). */
static bool no_xml_char(const char *s) {
  return strncmp(s, "\xEF\xBF\xBE", 3) == 0 || strncmp(s, "\xEF\xBF\xBF", 3) == 0;
}

void crv_xml_text(struct crv_buf *out, const char *s) {
  for (; *s; s++) {
    if (no_xml_char(s)) {
      crv_buf_str(out, "\xEF\xBF\xBD");
      s += 2;
      continue;
    }
    switch (*s) {
    case '<':
      crv_buf_str(out, "&lt;");
      break;
    case '>':
      crv_buf_str(out, "&gt;");
      break;
    case '&':
      crv_buf_str(out, "&amp;");
      break;
    case '"':
      crv_buf_str(out, "&quot;");
      break;
    case '\'':
      crv_buf_str(out, "&#39;");
      break;
    case '\n':
      crv_buf_char(out, '\n');
      break;
    default:
      crv_buf_char(out, (unsigned char)*s < 0x20 ? ' ' : *s);
    }
  }
}
