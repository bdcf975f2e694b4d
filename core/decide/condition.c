/* Facts and conditions: the small constructors that every criterion uses. A condition exists once
   per evaluation, identified by its code and parameters; its sentence is rendered from the template
   in conditions.def. Must not know: any criterion. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/hash.h"
#include "core/base/json.h"
#include "core/base/text.h"
#include "core/decide/eval.h"

struct crv_fact crv_f_text(const char *name, const char *v) {
  return (struct crv_fact){name, v ? CRV_FACT_TEXT : CRV_FACT_NULL, 0, v};
}
struct crv_fact crv_f_int(const char *name, int64_t v) {
  return (struct crv_fact){name, CRV_FACT_INT, v, NULL};
}
struct crv_fact crv_f_bytes(const char *name, int64_t v) {
  return (struct crv_fact){name, CRV_FACT_BYTES, v, NULL};
}
struct crv_fact crv_f_dec(const char *name, int64_t micro) {
  return (struct crv_fact){name, CRV_FACT_DECIMAL, micro, NULL};
}
struct crv_fact crv_f_time(const char *name, int64_t ms) {
  return (struct crv_fact){name, CRV_FACT_TIME, ms, NULL};
}
struct crv_fact crv_f_bool(const char *name, bool v) {
  return (struct crv_fact){name, CRV_FACT_BOOL, v, NULL};
}
struct crv_fact crv_f_opt(const char *name, enum crv_fact_type type, struct crv_opt_int v) {
  return (struct crv_fact){name, v.set ? type : CRV_FACT_NULL, v.set ? v.v : 0, NULL};
}

const char *crv_pair(struct crv_eval *ev, const char *a, const char *b) {
  size_t n = strlen(a), m = strlen(b);
  char *out = crv_arena_alloc(ev->a, n + m + 2);
  if (!out) return NULL;
  memcpy(out, a, n);
  out[n] = ' ';
  memcpy(out + n + 1, b, m + 1);
  return out;
}

char *crv_fact_text(const struct crv_fact *f, char *out, size_t room) {
  switch (f->type) {
  case CRV_FACT_TEXT:
    snprintf(out, room, "%s", f->text ? f->text : "");
    break;
  case CRV_FACT_INT:
  case CRV_FACT_BYTES:
    snprintf(out, room, "%" PRId64, f->i);
    break;
  case CRV_FACT_DECIMAL:
    crv_decimal_text(f->i, out, room);
    break;
  case CRV_FACT_TIME:
    crv_date_text(f->i, out, room);
    break;
  case CRV_FACT_BOOL:
    snprintf(out, room, "%s", f->i ? "true" : "false");
    break;
  case CRV_FACT_NULL:
  default:
    snprintf(out, room, "unknown");
    break;
  }
  return out;
}

/* -- conditions ---------------------------------------------------------------------------------
 */

static const struct crv_fact *param(const struct crv_condition *c, const char *name, size_t len) {
  for (size_t i = 0; i < c->n_params; i++)
    if (strlen(c->params[i].name) == len && !memcmp(c->params[i].name, name, len))
      return &c->params[i];
  return NULL;
}

/* Writes t[0..len) with {name} replaced; false when a parameter is absent. */
static bool render_part(const struct crv_condition *c, const char *t, size_t len,
                        struct crv_buf *out) {
  bool all = true;
  for (size_t i = 0; i < len; i++) {
    if (t[i] != '{') {
      crv_buf_char(out, t[i]);
      continue;
    }
    const char *end = memchr(t + i, '}', len - i);
    const struct crv_fact *f = param(c, t + i + 1, (size_t)(end - t) - i - 1);
    char text[1100];
    if (f)
      crv_buf_str(out, crv_fact_text(f, text, sizeof text));
    else
      all = false;
    i = (size_t)(end - t);
  }
  return all;
}

static const char *render(struct crv_arena *a, const struct crv_condition *c) {
  _buf_ struct crv_buf out = {0}, part = {0};
  crv_buf_init(&out, 0);
  crv_buf_init(&part, 0);
  for (const char *t = crv_condition_info(c->code)->sentence; *t;) {
    if (*t == '[') {
      const char *end = strchr(t, ']');
      part.len = 0;
      if (render_part(c, t + 1, (size_t)(end - t) - 1, &part))
        crv_buf_add(&out, part.data, part.len);
      t = end + 1;
    } else {
      size_t n = strcspn(t, "[");
      render_part(c, t, n, &out);
      t += n;
    }
  }
  if (out.failed || part.failed) return NULL;
  return crv_arena_strndup(a, out.data ? out.data : "", out.len);
}

/* Most conditions of a large catalogue are never read: what they say is made when they are. */
struct crv_said {
  struct crv_arena *a;
  const char *text;
  char id[CRV_COND_ID];
};

const char *crv_condition_text(const struct crv_condition *c) {
  if (!c->said->text) c->said->text = render(c->said->a, c);
  return c->said->text;
}

/* The id: first 12 hex of SHA-256 of the canonical {"code", "params"}. */
const char *crv_condition_id(const struct crv_condition *c) {
  char hex[CRV_SHA256_HEX];
  if (c->said->id[0]) return c->said->id;
  _json_ json_t *j = json_object();
  json_t *params = crv_fact_json(c->params, c->n_params);
  if (!j || !crv_json_set_text(j, "code", crv_condition_info(c->code)->code) ||
      !crv_json_set_steal(j, "params", params))
    return NULL;
  _free_ char *text = crv_json_canonical(j);
  if (!text) return NULL;
  crv_sha256_hex(text, strlen(text), hex);
  memcpy(c->said->id, hex, CRV_COND_ID - 1);
  return c->said->id;
}

static bool same_fact(const struct crv_fact *a, const struct crv_fact *b) {
  return a->type == b->type && a->i == b->i && !strcmp(a->name, b->name) &&
         crv_streq(a->text, b->text);
}

static bool same_condition(const struct crv_condition *a, const struct crv_condition *b) {
  if (a->code != b->code || a->n_params != b->n_params) return false;
  for (size_t i = 0; i < a->n_params; i++)
    if (!same_fact(&a->params[i], &b->params[i])) return false;
  return true;
}

/* FNV-1a over code and parameters: only picks the slot, equality decides. */
static size_t condition_hash(const struct crv_condition *c) {
  uint64_t h = UINT64_C(1469598103934665603) ^ (uint64_t)c->code;
  for (size_t i = 0; i < c->n_params; i++) {
    h = (h ^ (uint64_t)c->params[i].i) * UINT64_C(1099511628211);
    for (const char *p = c->params[i].text; p && *p; p++)
      h = (h ^ (unsigned char)*p) * UINT64_C(1099511628211);
  }
  return (size_t)(h ^ (h >> 32));
}

static struct crv_condition **slot_of(struct crv_condition **table, size_t cap,
                                      const struct crv_condition *c) {
  size_t i = condition_hash(c) & (cap - 1);
  while (table[i] && !same_condition(table[i], c)) i = (i + 1) & (cap - 1);
  return &table[i];
}

static bool grow_conditions(struct crv_eval *ev) {
  if (ev->n_cond * 2 < ev->cap_cond) return true;
  size_t cap = ev->cap_cond ? ev->cap_cond * 2 : 64;
  struct crv_condition **table = crv_new_array(ev->a, cap, struct crv_condition *);
  struct crv_condition **order = crv_new_array(ev->a, cap, struct crv_condition *);
  if (!table || !order) return false;
  for (size_t i = 0; i < ev->n_cond; i++) {
    order[i] = ev->cond_order[i];
    *slot_of(table, cap, order[i]) = order[i];
  }
  ev->cond = table;
  ev->cond_order = order;
  ev->cap_cond = cap;
  return true;
}

const struct crv_condition *crv_cond(struct crv_eval *ev, enum crv_condition_code code,
                                     const struct crv_fact *params, size_t n, const char *piece) {
  return crv_cond_by(ev, code, params, n, piece, crv_condition_info(code)->settled_by);
}

const struct crv_condition *crv_cond_by(struct crv_eval *ev, enum crv_condition_code code,
                                        const struct crv_fact *params, size_t n, const char *piece,
                                        const char *settled_by) {
  struct crv_condition probe = {.code = code, .settled_by = settled_by};
  for (size_t i = 0; i < n; i++)
    if (params[i].type != CRV_FACT_NULL && probe.n_params < CRV_MAX_FACTS)
      probe.params[probe.n_params++] = params[i];
  if (ev->failed || !grow_conditions(ev)) {
    ev->failed = true;
    return NULL;
  }
  struct crv_condition **slot = slot_of(ev->cond, ev->cap_cond, &probe);
  if (*slot) return *slot;
  struct crv_condition *c = crv_new(ev->a, struct crv_condition);
  if (c) {
    *c = probe;
    for (size_t i = 0; i < c->n_params; i++)
      if (c->params[i].text) c->params[i].text = crv_arena_strdup(ev->a, c->params[i].text);
    c->piece = crv_arena_strdup(ev->a, piece ? piece : "");
    c->said = crv_new(ev->a, struct crv_said);
  }
  if (!c || !c->piece || !c->said) {
    ev->failed = true;
    return NULL;
  }
  c->said->a = ev->a;
  *slot = c;
  ev->cond_order[ev->n_cond++] = c;
  return c;
}
