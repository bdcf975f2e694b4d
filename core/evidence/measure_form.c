/* Forms: short texts that find a tool's clause wherever it stands, also when a terminal or a mail
   broke it over lines, and take the figures out of it. Every attempt looks at a bounded stretch, so
   that the walk is linear. Must not know: any tool's clauses. */
#include <stdint.h>
#include <string.h>

#include "core/evidence/measure_internal.h"

enum { BLANKS = 200, WORD = 128, REACH = 160, JOIN = 48, LABEL = 80, HEAD = 160, ROOM = 96 };

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_word_char(char c) {
  return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
         (unsigned char)c >= 0x80;
}

static char lower(char c) {
  return c >= 'A' && c <= 'Z' ? (char)(c + ('a' - 'A')) : c;
}

/* -- one form at one place ------------------------------------------------------------------- */

struct walk {
  const struct crv_mtext *t;
  size_t at;
  bool nocase;
  struct crv_mmatch *m;
};

static struct crv_mspan rest_of(const struct crv_mtext *t, size_t at) {
  size_t left = t->len - at;
  return (struct crv_mspan){t->s + at, left < ROOM ? left : ROOM};
}

/* Blanks with one line break; a ">" of a quoted mail after it counts as blank. */
static size_t skip_blanks(const struct crv_mtext *t, size_t at) {
  size_t from = at;
  int breaks = 0;
  while (at < t->len && at - from < BLANKS) {
    char c = t->s[at];
    if (c == '\n' && ++breaks > 1) break;
    if (c != ' ' && c != '\t' && c != '\r' && c != '\n' && !(c == '>' && breaks)) break;
    at++;
  }
  return at;
}

static void note_wrap(struct walk *w, size_t to) {
  if (to > w->at && memchr(w->t->s + w->at, '\n', to - w->at)) w->m->wrapped = true;
}

static bool take_blanks(struct walk *w) {
  size_t to = skip_blanks(w->t, w->at);
  note_wrap(w, to);
  w->at = to;
  return true;
}

static bool take_literal(struct walk *w, char want) {
  const struct crv_mtext *t = w->t;
  size_t at = w->at;
  if (at > w->m->at && (unsigned char)t->s[at - 1] > ' ') { /* a word broken over lines */
    if (at < t->len && t->s[at] == '\r') at++;
    if (at < t->len && t->s[at] == '\n')
      at++;
    else
      at = w->at;
  }
  if (at >= t->len) return false;
  char c = t->s[at];
  if (c != want && !(w->nocase && lower(c) == lower(want))) {
    if (at == w->at) return false;
    at = w->at;
    c = t->s[at];
    if (c != want) return false;
  }
  note_wrap(w, at);
  w->at = at + 1;
  return true;
}

static struct crv_mcap *next_cap(struct walk *w) {
  if (w->m->n == CRV_MCAPS) return NULL;
  struct crv_mcap *cap = &w->m->cap[w->m->n++];
  *cap = (struct crv_mcap){.at = w->at};
  return cap;
}

/* -- numbers and figures, which a line break may part ------------------------------------------ */

struct reading {
  struct crv_mfigure f;
  size_t len; /* in the text; 0: none */
};

static struct reading read_plain(const struct walk *w, bool figure) {
  struct reading r = {.len = 0};
  struct crv_mspan s = rest_of(w->t, w->at);
  r.len = figure ? crv_mfigure_read(s, &r.f) : crv_mnumber_read(s, &r.f.n);
  return r;
}

/* As if the first line break were not there; none when the break is not inside of it. */
static struct reading read_joined(const struct walk *w, bool figure) {
  struct reading r = {.len = 0};
  struct crv_mspan s = rest_of(w->t, w->at);
  char text[ROOM];
  const char *brk = s.len ? memchr(s.s, '\n', s.len) : NULL;
  size_t head = brk ? (size_t)(brk - s.s) : 0, skip = 1;
  if (head > 0 && s.s[head - 1] == '\r') head--, skip++;
  if (head == 0 || head > JOIN) return r;
  memcpy(text, s.s, head);
  memcpy(text + head, s.s + head + skip, s.len - head - skip);
  struct crv_mspan joined = {text, s.len - skip};
  size_t len = figure ? crv_mfigure_read(joined, &r.f) : crv_mnumber_read(joined, &r.f.n);
  r.len = len > head ? len + skip : 0;
  return r;
}

/* Does the line end at the width at which the text was broken, so that digits that follow belong to
   the number? A date or time on the next line does not. */
static bool broken_here(const struct walk *w, const struct reading *plain,
                        const struct reading *joined) {
  const struct crv_mtext *t = w->t;
  size_t end = w->at + plain->len, from = end, past = w->at + joined->len;
  if (t->width == 0 || t->s[end] != '\n') return false;
  while (from > 0 && end - from <= t->width && t->s[from - 1] != '\n') from--;
  return end - from == t->width && (past >= t->len || !strchr("-:/.", t->s[past]));
}

/* Is the joined reading the likelier one? A figure that has its unit only when joined, or a whole
   one only then; a number whose point stands at the break. */
static bool prefers_joined(const struct walk *w, bool figure, const struct reading *plain,
                           const struct reading *joined) {
  const char *after = w->t->s + w->at + plain->len;
  if (joined->len == 0) return false;
  if (figure) return strlen(joined->f.unit) > strlen(plain->f.unit);
  if (*after == '.' || (*after == '\n' && after[1] == '.' && is_digit(after[2]))) return true;
  return broken_here(w, plain, joined);
}

static bool form_rest(struct walk *w, const char *form);

static bool try_value(struct walk *w, const char *form, const struct reading *r, bool joined) {
  struct walk start = *w;
  unsigned n = w->m->n;
  bool wrapped = w->m->wrapped;
  struct crv_mcap *cap = r->len ? next_cap(w) : NULL;
  if (!cap) return false;
  cap->len = r->len;
  cap->f = r->f;
  w->at += r->len;
  w->m->wrapped |= joined;
  if (form_rest(w, form + 1)) return true;
  *w = start;
  w->m->n = n;
  w->m->wrapped = wrapped;
  return false;
}

static bool take_value(struct walk *w, const char *form) {
  const struct crv_mtext *t = w->t;
  bool figure = *form == '$';
  if (w->at > w->m->at && w->at < t->len && t->s[w->at] == '\n') { /* right before the number */
    w->m->wrapped = true;
    w->at++;
  }
  struct reading plain = read_plain(w, figure), joined = read_joined(w, figure);
  bool first = prefers_joined(w, figure, &plain, &joined);
  return try_value(w, form, first ? &joined : &plain, first) ||
         try_value(w, form, first ? &plain : &joined, !first);
}

static bool take_word(struct walk *w) {
  struct crv_mcap *cap = next_cap(w);
  if (!cap) return false;
  while (cap->len < WORD && w->at + cap->len < w->t->len) {
    char c = w->t->s[w->at + cap->len];
    if (c == '\0' || strchr(" \t\r\n,;()[]{}\"'`|", c)) break;
    cap->len++;
  }
  w->at += cap->len;
  return cap->len > 0;
}

static bool take_gap(struct walk *w, const char *form) {
  const struct crv_mtext *t = w->t;
  size_t start = w->at;
  unsigned n = w->m->n;
  bool wrapped = w->m->wrapped;
  for (size_t k = 0; k <= REACH && start + k < t->len; k++) {
    bool may = strchr(" #$&\\", *form) || lower(t->s[start + k]) == lower(*form);
    w->at = start + k;
    w->m->n = n;
    w->m->wrapped = wrapped;
    if (may && form_rest(w, form)) return true;
    if (t->s[start + k] == '\n') return false;
  }
  return false;
}

static bool form_rest(struct walk *w, const char *form) {
  for (; *form; form++) {
    bool ok;
    switch (*form) {
    case ' ':
      ok = take_blanks(w);
      break;
    case '#':
    case '$':
      return take_value(w, form);
    case '&':
      ok = take_word(w);
      break;
    case '~':
      return take_gap(w, form + 1);
    case '\\':
      ok = take_literal(w, *++form);
      break;
    default:
      ok = take_literal(w, *form);
    }
    if (!ok) return false;
  }
  w->m->end = w->at;
  return true;
}

static bool starts_word(const struct crv_mtext *t, size_t at) {
  return at == 0 || !is_word_char(t->s[at]) || !is_word_char(t->s[at - 1]);
}

bool crv_mform(const struct crv_mtext *t, size_t at, const char *form, struct crv_mmatch *ret) {
  struct walk w = {t, at, *form == '!', ret};
  ret->at = at;
  ret->n = 0;
  ret->wrapped = false;
  if (w.nocase) form++;
  if (at >= t->len || !starts_word(t, at)) return false;
  if ((*form == '$' || *form == '#') && at > 0 && strchr(".,-", t->s[at - 1])) return false;
  return form_rest(&w, form);
}

/* -- the walk -----------------------------------------------------------------------------------
 */

enum { RULES = 64 };
/* The bytes that each form may start with: two of a letter whose case is ignored; digits and "-"
   of a number. */
struct starts {
  unsigned char a[RULES], b[RULES];
  bool number[RULES];
  bool any[256];
};

static void add_start(struct starts *s, size_t i, const char *form) {
  bool nocase = *form == '!';
  if (nocase) form++;
  s->number[i] = *form == '#' || *form == '$';
  if (*form == '\\') form++;
  s->a[i] = s->b[i] = (unsigned char)*form;
  if (nocase) s->a[i] = (unsigned char)lower(*form);
  if (nocase && *form >= 'a' && *form <= 'z') s->b[i] = (unsigned char)(*form - ('a' - 'A'));
  if (s->number[i]) {
    for (int c = '0'; c <= '9'; c++) s->any[c] = true;
    s->any['-'] = true;
    return;
  }
  s->any[s->a[i]] = s->any[s->b[i]] = true;
}

/* The words before a capture. */
static const char *label_of(const struct crv_mrun *run, size_t from, size_t to, char *out) {
  struct crv_mspan s = {run->text.s + from, to - from};
  size_t n = 0;
  while (s.len && strchr(" \t\r\n=:(\"[", s.s[s.len - 1])) s.len--;
  while (s.len && strchr(" \t\r\n;,.)", s.s[0])) s = crv_mspan_from(s, 1);
  for (size_t i = 0; i < s.len && n < LABEL; i++) {
    bool blank = (unsigned char)s.s[i] <= ' ';
    if (blank && n && out[n - 1] == ' ') continue;
    out[n++] = blank ? ' ' : s.s[i];
  }
  out[n] = '\0';
  return n ? out : NULL;
}

static void take_want(struct crv_mrun *run, const struct crv_mwant *want,
                      const struct crv_mcap *cap, const char *label) {
  struct crv_mspan text = {run->text.s + cap->at, cap->len};
  if (want->as == CRV_MA_SETTING) {
    crv_msetting(run, want->item, text);
  } else if (want->as == CRV_MA_ENGINE) {
    crv_mengine(run, want->item, text);
  } else if (want->counter) {
    struct crv_measure_fact f = crv_mfact(run, want->counter, want->kind, want->item);
    f.phase = want->phase;
    f.label = label;
    crv_mfact_figure(run, &f, &cap->f, want->unit ? want->unit : CRV_MU_BINARY);
    crv_mfact_add(run, &f);
  }
}

static void take_match(struct crv_mrun *run, const struct crv_mrule *rule,
                       const struct crv_mmatch *m) {
  char label[LABEL + 1];
  run->recognised++;
  if (m->wrapped) crv_mnote(run, CRV_MN_WRAPPED);
  if (rule->hook) {
    rule->hook(run, rule, m);
    return;
  }
  size_t from = m->at;
  for (unsigned i = 0; i < m->n && i < sizeof rule->want / sizeof *rule->want; i++) {
    take_want(run, &rule->want[i], &m->cap[i], label_of(run, from, m->cap[i].at, label));
    from = m->cap[i].at + m->cap[i].len;
  }
}

static const struct crv_mrule *find_rule(const struct crv_mrun *run, const struct crv_mrule *rules,
                                         const struct starts *s, size_t n, size_t at,
                                         struct crv_mmatch *m) {
  unsigned char c = (unsigned char)run->text.s[at];
  if (!s->any[c] || !starts_word(&run->text, at)) return NULL;
  bool number = is_digit((char)c) || c == '-';
  for (size_t i = 0; i < n; i++)
    if ((s->number[i] ? number : c == s->a[i] || c == s->b[i]) &&
        crv_mform(&run->text, at, rules[i].form, m))
      return &rules[i];
  return NULL;
}

void crv_mrules_run(struct crv_mrun *run, const struct crv_mrule *rules, size_t n) {
  const struct crv_mtext *t = &run->text;
  struct starts starts = {.any = {false}};
  size_t head = 0, ranked = SIZE_MAX;
  struct crv_mmatch m;
  if (n > RULES) n = RULES;
  for (size_t i = 0; i < n; i++) add_start(&starts, i, rules[i].form);
  run->line = 1;
  for (size_t at = 0; at < t->len && !run->failed;) {
    const struct crv_mrule *rule = find_rule(run, rules, &starts, n, at, &m);
    size_t to = rule && m.end > at ? m.end : at + 1;
    if (rule) {
      size_t left = t->len - head;
      if (ranked != head)
        run->rank = crv_mrank((struct crv_mspan){t->s + head, left < HEAD ? left : HEAD});
      ranked = head;
      run->skip = 0;
      take_match(run, rule, &m);
      if (run->skip > to && run->skip <= t->len) to = run->skip;
    }
    for (; at < to; at++)
      if (t->s[at] == '\n') {
        run->line++;
        head = at + 1;
      }
  }
  run->rank.set = false;
}
