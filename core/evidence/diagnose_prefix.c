/* What lines of logs begin with and is no part of what they say: the rank or worker, the time, the
   level, the source, quote marks. Each is recognised whole or not at all.
   Must not know: messages. */
#include <string.h>

#include "core/evidence/diagnose_internal.h"

enum { REACH = 160 }; /* bytes of a line that are looked at */

static bool digit(char c) {
  return c >= '0' && c <= '9';
}

static size_t digits(const char *p, size_t n, size_t at) {
  size_t i = at;
  while (i < n && digit(p[i])) i++;
  return i - at;
}

/* Does p begin with a shape: "9" a digit, " " one or more spaces, else the character itself? Its
   length, 0 when not. */
static size_t shape(const char *p, size_t n, const char *form) {
  size_t i = 0;
  for (; *form; form++) {
    if (*form == ' ') {
      size_t start = i;
      while (i < n && p[i] == ' ') i++;
      if (i == start) return 0;
    } else if (i < n && (*form == '9' ? digit(p[i]) : p[i] == *form)) {
      i++;
    } else {
      return 0;
    }
  }
  return i;
}

static struct crv_opt_int number(const char *p, size_t n) {
  struct crv_opt_int v = {0, false};
  for (size_t i = 0; i < n && i < 6 && digit(p[i]); i++)
    v = (struct crv_opt_int){v.v * 10 + (p[i] - '0'), true};
  return v;
}

/* "[rank0]:", "[default3]:", "[1,0]<stderr>:" */
static size_t bracketed_rank(const char *p, size_t n, struct crv_opt_int *rank) {
  static const char *const names[] = {"[rank", "[default", "[RANK", "[1,"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    size_t len = strlen(names[k]), d;
    if (n < len || memcmp(p, names[k], len) != 0) continue;
    d = digits(p, n, len);
    size_t i = len + d;
    if (d == 0 || i >= n || p[i] != ']') continue;
    i++;
    if (n - i > 8 && (!memcmp(p + i, "<stderr>", 8) || !memcmp(p + i, "<stdout>", 8))) i += 8;
    if (i < n && p[i] == ':') i++;
    *rank = number(p + len, d);
    return i;
  }
  return 0;
}

/* "(VllmWorker rank=1 pid=2978)", "(Worker_TP1 pid=7)", "(EngineCore_DP0 pid=1094)" */
static size_t worker(const char *p, size_t n, struct crv_opt_int *rank) {
  static const char *const ranks[] = {"rank=", "TP"};
  if (n == 0 || p[0] != '(') return 0;
  const char *end = memchr(p, ')', n);
  if (!end) return 0;
  size_t len = (size_t)(end - p);
  bool pid = false;
  for (size_t i = 0; i + 4 < len; i++) pid |= memcmp(p + i, "pid=", 4) == 0;
  if (!pid) return 0;
  for (size_t k = 0; k < sizeof ranks / sizeof *ranks && !rank->set; k++)
    for (size_t i = 0, w = strlen(ranks[k]); i + w < len && !rank->set; i++)
      if (memcmp(p + i, ranks[k], w) == 0) *rank = number(p + i + w, len - i - w);
  return len + 1;
}

static size_t date_and_time(const char *p, size_t n) {
  static const char *const forms[] = {"9999-99-99T99:99:99", "9999-99-99 99:99:99",
                                      "99-99 99:99:99", "9999/99/99 99:99:99"};
  size_t i = 0;
  for (size_t k = 0; k < sizeof forms / sizeof *forms && !i; k++) i = shape(p, n, forms[k]);
  if (i == 0) return 0;
  if (i < n && (p[i] == '.' || p[i] == ',') && digits(p, n, i + 1)) i += 1 + digits(p, n, i + 1);
  if (i < n && p[i] == 'Z') return i + 1;
  size_t zone = i < n ? shape(p + i, n - i, p[i] == '-' ? "-99:99" : "+99:99") : 0;
  return i + zone;
}

static size_t level_word(const char *p, size_t n) {
  static const char *const words[] = {"ERROR", "INFO", "WARNING", "WARN", "DEBUG", "CRITICAL"};
  for (size_t k = 0; k < sizeof words / sizeof *words; k++) {
    size_t len = strlen(words[k]);
    if (n > len && memcmp(p, words[k], len) == 0 && (p[len] == ' ' || p[len] == ']')) return len;
  }
  return 0;
}

static size_t level(const char *p, size_t n) {
  size_t len = level_word(p, n);
  return len && p[len] == ' ' ? len + 1 : 0;
}

/* "[2024-09-09 17:43:57]", "[INFO]" */
static size_t bracketed(const char *p, size_t n) {
  if (n < 3 || p[0] != '[') return 0;
  size_t i = date_and_time(p + 1, n - 1);
  if (!i) i = level_word(p + 1, n - 1);
  return i && i + 1 < n && p[i + 1] == ']' ? i + 2 : 0;
}

static bool in_file_name(char c) {
  return digit(c) || c == '_' || c == '.' || ((c | 32) >= 'a' && (c | 32) <= 'z');
}

/* "[multiproc_executor.py:375]" */
static size_t source(const char *p, size_t n) {
  size_t i = 1;
  if (n == 0 || p[0] != '[') return 0;
  while (i < n && i < 80 && in_file_name(p[i])) i++;
  if (i < 5 || i >= n || p[i] != ':' || memcmp(p + i - 3, ".py", 3) != 0) return 0;
  size_t d = digits(p, n, i + 1);
  i += 1 + d;
  return d && i < n && p[i] == ']' ? i + 1 : 0;
}

/* "Jul 24 16:07:57 host ollama[114917]: " */
static size_t syslog_line(const char *p, size_t n) {
  size_t i = 3;
  if (n < 16 || !(p[0] >= 'A' && p[0] <= 'Z') || p[3] != ' ') return 0;
  size_t t = shape(p + i, n - i, " 99 99:99:99 ");
  if (!t) t = shape(p + i, n - i, " 9 99:99:99 ");
  if (!t) return 0;
  i += t;
  const char *end = NULL;
  for (size_t k = i; k + 1 < n && !end; k++)
    if (p[k] == ':' && p[k + 1] == ' ') end = p + k;
  return end ? (size_t)(end - p) + 2 : i;
}

/* "3: ", as launchers label the lines of a task. */
static size_t label(const char *p, size_t n, struct crv_opt_int *rank) {
  size_t d = digits(p, n, 0);
  if (d == 0 || d > 4 || d + 1 >= n || p[d] != ':' || p[d + 1] != ' ') return 0;
  *rank = number(p, d);
  return d + 2;
}

static size_t marks(const char *p, size_t n) {
  size_t i = 0;
  while (i < n && (p[i] == ' ' || p[i] == '\t' || p[i] == '>' || p[i] == '|')) i++;
  return i;
}

static size_t one(const char *p, size_t n, struct crv_opt_int *rank) {
  size_t i = marks(p, n);
  if (!i) i = bracketed_rank(p, n, rank);
  if (!i) i = worker(p, n, rank);
  if (!i) i = date_and_time(p, n);
  if (!i) i = level(p, n);
  if (!i) i = bracketed(p, n);
  if (!i) i = source(p, n);
  if (!i) i = syslog_line(p, n);
  return i;
}

size_t crv_flat_prefix(const char *raw, size_t len, struct crv_opt_int *rank) {
  size_t n = len < REACH ? len : REACH;
  const char *end = memchr(raw, '\n', n);
  if (end) n = (size_t)(end - raw);
  size_t i = label(raw, n, rank);
  for (int round = 0; round < 8; round++) {
    size_t step = one(raw + i, n - i, rank);
    if (step == 0) break;
    i += step;
  }
  return i;
}
