/* Content negotiation over the closed list of formats. Must not know: what is in an answer.
   JUnit's application/xml counts half: browsers list application/xml, and should get the format
   that the wildcard gets; a client that asks for XML alone still gets it. */
#include "server/negotiate.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "server/reply.h"

struct format_row {
  enum crv_format format;
  unsigned weight; /* permille of preference */
  const char *name;
  const char *content_type;
  const char *types[3]; /* the media types it answers to */
};

static const struct format_row rows[] = {
    {CRV_F_JSON,
     1000,
     "json",
     "application/json",
     {"application/json", "application/problem+json", NULL}},
    {CRV_F_TEXT, 1000, "text", "text/plain; charset=utf-8", {"text/plain", NULL, NULL}},
    {CRV_F_CSV, 1000, "csv", "text/csv; charset=utf-8; header=present", {"text/csv", NULL, NULL}},
    {CRV_F_MD, 1000, "md", "text/markdown; charset=utf-8", {"text/markdown", NULL, NULL}},
    {CRV_F_NDJSON,
     1000,
     "ndjson",
     "application/x-ndjson",
     {"application/x-ndjson", "application/jsonl", NULL}},
    {CRV_F_JUNIT,
     500,
     "junit",
     "application/xml; charset=utf-8",
     {"application/xml", "text/xml", NULL}},
    {CRV_F_HTML,
     1000,
     "html",
     "text/html; charset=utf-8",
     {"text/html", "application/xhtml+xml", NULL}},
};
enum { N_ROWS = sizeof rows / sizeof *rows };

struct range {
  const char *type; /* "type/subtype" as sent */
  size_t len;
  unsigned q; /* permille */
};

const char *crv_format_type(enum crv_format f) {
  for (size_t i = 0; i < N_ROWS; i++)
    if (rows[i].format == f) return rows[i].content_type;
  return NULL;
}

const char *crv_format_name(enum crv_format f) {
  for (size_t i = 0; i < N_ROWS; i++)
    if (rows[i].format == f) return rows[i].name;
  return NULL;
}

static const char *skip_space(const char *s, const char *end) {
  while (s < end && (*s == ' ' || *s == '\t')) s++;
  return s;
}

/* First unquoted c between s and end, or end. */
static const char *find_unquoted(const char *s, const char *end, char c) {
  bool quoted = false;
  for (; s < end; s++) {
    if (*s == '"') quoted = !quoted;
    if (quoted && *s == '\\' && s + 1 < end)
      s++;
    else if (!quoted && *s == c)
      return s;
  }
  return end;
}

/* "0", "0.5", "1.000" in permille, or -1. */
static int q_parse(const char *s, size_t len) {
  static const int scale[] = {100, 10, 1};
  if (len == 0 || len > 5 || (s[0] != '0' && s[0] != '1')) return -1;
  int q = (s[0] - '0') * 1000;
  if (len > 1 && s[1] != '.') return -1;
  for (size_t i = 2; i < len; i++) {
    if (s[i] < '0' || s[i] > '9') return -1;
    q += (s[i] - '0') * scale[i - 2];
  }
  return q <= 1000 ? q : -1;
}

static size_t trimmed(const char *s, const char *end) {
  while (end > s && (end[-1] == ' ' || end[-1] == '\t')) end--;
  return (size_t)(end - s);
}

/* One element of Accept; false when it is malformed. */
static bool range_parse(const char *s, const char *end, struct range *ret) {
  const char *param = find_unquoted(s, end, ';');
  s = skip_space(s, end);
  *ret = (struct range){s, s < param ? trimmed(s, param) : 0, 1000};
  const char *slash = memchr(ret->type, '/', ret->len);
  if (!slash || slash == ret->type || slash + 1 == ret->type + ret->len) return false;
  if (memchr(ret->type, ' ', ret->len)) return false;
  while (param < end) {
    const char *p = skip_space(param + 1, end);
    param = find_unquoted(p, end, ';');
    if (param - p < 2 || (p[0] != 'q' && p[0] != 'Q') || p[1] != '=') continue;
    int q = q_parse(p + 2, trimmed(p + 2, param));
    if (q < 0) return false;
    ret->q = (unsigned)q;
  }
  return true;
}

/* 3: the type itself, 2: type/ *, 1: any, 0: none. */
static unsigned range_covers(const struct range *r, const char *type) {
  size_t major = (size_t)(strchr(type, '/') - type);
  if (r->len == 3 && memcmp(r->type, "*/*", 3) == 0) return 1;
  if (r->len == strlen(type) && strncasecmp(r->type, type, r->len) == 0) return 3;
  if (r->len == major + 2 && r->type[major + 1] == '*' &&
      strncasecmp(r->type, type, major + 1) == 0)
    return 2;
  return 0;
}

struct score {
  unsigned q, specific;
};

static void score_range(const struct range *r, const char *type, struct score *ret) {
  unsigned specific = range_covers(r, type);
  if (specific > ret->specific || (specific && specific == ret->specific && r->q > ret->q))
    *ret = (struct score){r->q, specific};
}

/* q and specificity of one media type; *ret_any tells whether the header had a usable element. */
static struct score accept_score(const char *accept, const char *type, bool *ret_any) {
  struct score score = {0, 0};
  const char *end = accept + strlen(accept);
  *ret_any = false;
  for (const char *s = accept; s < end;) {
    const char *comma = find_unquoted(s, end, ',');
    struct range r;
    if (range_parse(s, comma, &r)) {
      *ret_any = true;
      score_range(&r, type, &score);
    }
    s = comma < end ? comma + 1 : end;
  }
  return score;
}

static struct score row_score(const struct format_row *row, const char *accept) {
  struct score best = {0, 0};
  bool any = false;
  if (!accept) return (struct score){row->weight, 1};
  for (size_t i = 0; row->types[i]; i++) {
    struct score s = accept_score(accept, row->types[i], &any);
    if (s.specific > best.specific) best = s;
  }
  if (!any) return (struct score){row->weight, 1};
  if (best.specific > 1 && best.q > 0) best.q = 1 + (best.q - 1) * row->weight / 1000;
  return best;
}

static bool refuse(unsigned formats, struct crv_err *err) {
  char list[300];
  size_t used = 0;
  list[0] = '\0';
  for (size_t i = 0; i < N_ROWS; i++) {
    if (!(formats & rows[i].format)) continue;
    int k = snprintf(list + used, sizeof list - used, "%s%s (%s)", used ? ", " : "", rows[i].name,
                     rows[i].types[0]);
    used = k > 0 && (size_t)k < sizeof list - used ? used + (size_t)k : used;
  }
  return crv_fail(err, CRV_NOT_ACCEPTABLE, "This address gives: %s.",
                  used ? list : "one fixed representation");
}

static bool negotiate_param(unsigned formats, const char *param, enum crv_format *ret,
                            struct crv_err *err) {
  for (size_t i = 0; i < N_ROWS; i++) {
    if (!(formats & rows[i].format) || strcmp(rows[i].name, param) != 0) continue;
    *ret = rows[i].format;
    return true;
  }
  return refuse(formats, err);
}

bool crv_negotiate(unsigned formats, const char *param, const char *accept, enum crv_format *ret,
                   struct crv_err *err) {
  if (formats == 0) formats = CRV_F_JSON;
  if (param) return negotiate_param(formats, param, ret, err);
  struct score best = {0, 0};
  for (size_t i = 0; i < N_ROWS; i++) {
    if (!(formats & rows[i].format)) continue;
    struct score s = row_score(&rows[i], accept);
    if (s.q < best.q || s.q == 0) continue;
    if (s.q == best.q && s.specific <= best.specific) continue;
    best = s;
    *ret = rows[i].format;
  }
  if (best.q == 0 && (formats & CRV_F_OTHER)) { /* the handler knows its own types */
    *ret = CRV_F_OTHER;
    return true;
  }
  return best.q > 0 || refuse(formats, err);
}

bool crv_accept_prefers_text(const char *accept) {
  if (!accept) return false;
  struct score text = row_score(&rows[1], accept), json = row_score(&rows[0], accept);
  return text.q > json.q || (text.q > 0 && text.q == json.q && text.specific > json.specific);
}
