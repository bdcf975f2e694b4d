/* The table of weight formats. Must not know: sheets, devices. */
#include <string.h>

#include "core/memory/budget.h"

const struct crv_weight_format crv_weight_formats[] = {
#define X(id, names, num, den, exact, usual, note, source) {id, num, den, exact, note, source},
#include "core/memory/formats.def"
#undef X
};
const size_t crv_n_weight_formats = sizeof crv_weight_formats / sizeof *crv_weight_formats;

static const struct {
  const char *names; /* other spellings, separated by spaces */
  bool usual;
} rows[] = {
#define X(id, names, num, den, exact, usual, note, source) {names, usual},
#include "core/memory/formats.def"
#undef X
};

static bool is_listed(const char *names, const char *s) {
  size_t len = strlen(s);
  while (*names) {
    size_t n = strcspn(names, " ");
    if (n == len && !strncmp(names, s, n)) return true;
    names += n;
    names += strspn(names, " ");
  }
  return false;
}

const struct crv_weight_format *crv_weight_format(const char *id) {
  for (size_t i = 0; i < crv_n_weight_formats; i++)
    if (!strcmp(crv_weight_formats[i].id, id) || is_listed(rows[i].names, id))
      return &crv_weight_formats[i];
  return NULL;
}

const struct crv_weight_format *crv_weight_format_usual(size_t i) {
  for (size_t k = 0; k < crv_n_weight_formats; k++)
    if (rows[k].usual && i-- == 0) return &crv_weight_formats[k];
  return NULL;
}

const struct crv_weight_format *crv_weight_format_for_bits(int64_t bits) {
  const struct crv_weight_format *f;
  for (size_t i = 0; (f = crv_weight_format_usual(i)); i++)
    if (f->bits_den == 1 && f->bits_num == bits) return f;
  return NULL;
}
