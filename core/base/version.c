/* Versions as people write them: "580.159", "vllm 0.17.0", "v1.2rc1", and rules over them.
   A version has three parts: the name before the number, the dotted numbers, and the rest.
   Must not know: which software is meant. */
#include <string.h>

#include "core/base/text.h"

struct version {
  const char *name, *numbers, *rest;
  size_t name_len, numbers_len, rest_len;
};

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static bool is_space(char c) {
  return c == ' ' || c == '\t';
}

/* Where the number begins: a digit at the start, after a space, or after a "v" that stands there.
 */
static size_t number_start(const char *s, size_t len) {
  for (size_t i = 0; i < len; i++) {
    if (!is_digit(s[i])) continue;
    size_t before = i;
    if (before && (s[before - 1] == 'v' || s[before - 1] == 'V')) before--;
    if (before == 0 || is_space(s[before - 1])) return i;
  }
  return len;
}

static struct version split(const char *s, size_t len) {
  struct version v;
  size_t start = number_start(s, len), end = start, name_end = start;
  while (end < len &&
         (is_digit(s[end]) || (s[end] == '.' && end + 1 < len && is_digit(s[end + 1]))))
    end++;
  if (start < len && name_end && !is_space(s[name_end - 1])) name_end--; /* the "v" */
  while (name_end && is_space(s[name_end - 1])) name_end--;
  v.name = s;
  v.name_len = name_end;
  v.numbers = s + start;
  v.numbers_len = end - start;
  v.rest = s + end;
  v.rest_len = len - end;
  return v;
}

static int cmp_bytes(const char *a, size_t la, const char *b, size_t lb) {
  int c = memcmp(a, b, la < lb ? la : lb);
  if (c) return c;
  return (la > lb) - (la < lb);
}

/* Takes one number off the front, without leading zeros; an exhausted text gives 0. */
static size_t take_number(const char **s, size_t *len, const char **digits) {
  size_t n = 0;
  if (*len && **s == '.') (*s)++, (*len)--;
  while (*len && **s == '0') (*s)++, (*len)--;
  *digits = *s;
  while (n < *len && is_digit((*s)[n])) n++;
  *s += n;
  *len -= n;
  return n;
}

static int cmp_numbers(const struct version *a, const struct version *b) {
  const char *pa = a->numbers, *pb = b->numbers, *da, *db;
  size_t la = a->numbers_len, lb = b->numbers_len;
  while (la || lb) {
    size_t na = take_number(&pa, &la, &da), nb = take_number(&pb, &lb, &db);
    if (na != nb) return na < nb ? -1 : 1;
    int c = memcmp(da, db, na);
    if (c) return c;
  }
  return 0;
}

static int cmp_parts(const struct version *a, const struct version *b) {
  int c = cmp_numbers(a, b);
  return c ? c : cmp_bytes(a->rest, a->rest_len, b->rest, b->rest_len);
}

int crv_version_cmp(const char *a, const char *b) {
  struct version va = split(a, strlen(a)), vb = split(b, strlen(b));
  int c = cmp_bytes(va.name, va.name_len, vb.name, vb.name_len);
  return c ? c : cmp_parts(&va, &vb);
}

enum op { OP_NONE, OP_GE, OP_LE, OP_NE, OP_EQ, OP_GT, OP_LT };

/* The operator at s and its length. */
static enum op op_at(const char *s, size_t len, size_t *op_len) {
  static const struct {
    const char *text;
    enum op op;
  } ops[] = {{">=", OP_GE}, {"<=", OP_LE}, {"!=", OP_NE}, {"==", OP_EQ},
             {"=", OP_EQ},  {">", OP_GT},  {"<", OP_LT}};
  for (size_t i = 0; i < sizeof ops / sizeof *ops; i++) {
    *op_len = strlen(ops[i].text);
    if (*op_len <= len && memcmp(s, ops[i].text, *op_len) == 0) return ops[i].op;
  }
  *op_len = 0;
  return OP_NONE;
}

static bool holds(enum op op, int c) {
  switch (op) {
  case OP_GE:
    return c >= 0;
  case OP_LE:
    return c <= 0;
  case OP_NE:
    return c != 0;
  case OP_EQ:
    return c == 0;
  case OP_GT:
    return c > 0;
  case OP_LT:
    return c < 0;
  case OP_NONE:
    break;
  }
  return false;
}

static void trim(const char **s, size_t *len) {
  while (*len && is_space(**s)) (*s)++, (*len)--;
  while (*len && is_space((*s)[*len - 1])) (*len)--;
}

static bool name_fits(const struct version *v, const char *name, size_t len) {
  return len == 0 || (v->name_len == len && memcmp(v->name, name, len) == 0);
}

/* "580.*": the numbers up to the star, whole numbers only, so that "58.*" does not take 580. */
static bool matches_prefix(const char *text, size_t len, const char *rule, size_t rule_len) {
  struct version v = split(text, len), r = split(rule, rule_len - 2);
  if (!name_fits(&v, r.name, r.name_len) || r.rest_len) return false;
  if (r.numbers_len == 0 || v.numbers_len < r.numbers_len) return false;
  if (memcmp(v.numbers, r.numbers, r.numbers_len) != 0) return false;
  return v.numbers_len == r.numbers_len || v.numbers[r.numbers_len] == '.';
}

static bool matches_clause(const char *text, size_t len, const char *rule, size_t rule_len) {
  size_t at = 0, op_len = 0;
  trim(&rule, &rule_len);
  if (rule_len == 0) return false;
  if (rule_len == 1 && rule[0] == '*') return true;
  if (rule_len > 2 && memcmp(rule + rule_len - 2, ".*", 2) == 0 && !strchr("<>=!", rule[0]))
    return matches_prefix(text, len, rule, rule_len);
  while (at < rule_len && !strchr("<>=!", rule[at])) at++;
  enum op op = op_at(rule + at, rule_len - at, &op_len);
  if (op == OP_NONE) return rule_len == len && memcmp(rule, text, len) == 0;
  const char *name = rule, *operand = rule + at + op_len;
  size_t name_len = at, operand_len = rule_len - at - op_len;
  trim(&name, &name_len);
  trim(&operand, &operand_len);
  struct version v = split(text, len), r = split(operand, operand_len);
  if (operand_len == 0 || !name_fits(&v, name, name_len)) return false;
  if (r.numbers_len == 0) /* no number: only sameness makes sense */
    return (op == OP_EQ || op == OP_NE) && holds(op, cmp_bytes(text, len, operand, operand_len));
  return v.numbers_len && name_fits(&v, r.name, r.name_len) && holds(op, cmp_parts(&v, &r));
}

bool crv_version_matches(const char *v, const char *rule) {
  if (!v || !rule || !*v) return false;
  size_t len = strlen(v);
  if (strcmp(v, rule) == 0) return true;
  for (const char *p = rule;;) {
    size_t n = strcspn(p, ",");
    if (!matches_clause(v, len, p, n)) return false;
    if (p[n] == '\0') return true;
    p += n + 1;
  }
}
