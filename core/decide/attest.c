/* Attestation: does a piece in date, of a kind that can prove it, stand behind a field of an offer?
   The cited piece's content isn't re-read; a piece scoped to the offer may state the value in its
   facts. An unattested statement can exclude, never admit.
   Must not know: what a criterion does with the answer. */
#include <string.h>

#include "core/base/text.h"
#include "core/decide/eval.h"

#define BIT(k) (1u << CRV_KIND_##k)

/* Which kinds can prove which field of an offer (domain.md, "Evidence"). The longest prefix wins.
 */
static const struct {
  const char *prefix;
  unsigned kinds;
} provers[] = {
    {"price", BIT(COMMERCIAL_SHEET) | BIT(CATALOGUE_IMPORT)},
    {"plan", BIT(COMMERCIAL_SHEET) | BIT(CATALOGUE_IMPORT)},
    {"lot.devices", BIT(COMMERCIAL_SHEET) | BIT(CATALOGUE_IMPORT) | BIT(DEVICE_REPORT)},
    {"lot.interconnect", BIT(COMMERCIAL_SHEET) | BIT(DEVICE_REPORT)},
    {"lot", BIT(COMMERCIAL_SHEET)},
    {"region", BIT(COMMERCIAL_SHEET) | BIT(CATALOGUE_IMPORT)},
    {"device.memory_nominal", BIT(COMMERCIAL_SHEET) | BIT(CATALOGUE_IMPORT)},
    {"device.memory_declared_bytes", BIT(DEVICE_REPORT)},
    {"device", BIT(COMMERCIAL_SHEET) | BIT(CATALOGUE_IMPORT) | BIT(DEVICE_REPORT)},
    {"host", BIT(COMMERCIAL_SHEET) | BIT(CATALOGUE_IMPORT) | BIT(DEVICE_REPORT)},
    {"software.driver", BIT(DEVICE_REPORT) | BIT(PROTOCOL_RUN)},
    {"software", BIT(DEVICE_REPORT) | BIT(PROTOCOL_RUN)},
    {"service", BIT(COMMERCIAL_SHEET)},
    {"schedule", BIT(DELIVERY_COMMITMENT)},
    {"supplier", BIT(COMMERCIAL_SHEET) | BIT(CATALOGUE_IMPORT)},
    {"supplier_ref", BIT(COMMERCIAL_SHEET) | BIT(CATALOGUE_IMPORT)},
};

static bool under(const char *path, const char *prefix) {
  size_t n = strlen(prefix);
  return !strncmp(path, prefix, n) && (path[n] == '\0' || path[n] == '.');
}

static unsigned kinds_for(const char *path) {
  unsigned kinds = 0;
  size_t best = 0;
  for (size_t i = 0; i < sizeof provers / sizeof *provers; i++) {
    size_t n = strlen(provers[i].prefix);
    if (n > best && under(path, provers[i].prefix)) {
      best = n;
      kinds = provers[i].kinds;
    }
  }
  return kinds;
}

/* An imported file proves host facts only when it is the supplier's own. */
static bool kind_proves(const struct crv_piece *p, unsigned kinds, const char *path) {
  if (!(kinds & (1u << p->kind))) return false;
  if (p->kind == CRV_KIND_CATALOGUE_IMPORT && under(path, "host"))
    return p->result && p->result->origin == CRV_ORIGIN_SUPPLIER;
  return true;
}

static const struct crv_import_finding *finding_on(const struct crv_offer *o, const char *path) {
  for (size_t i = 0; i < o->findings.n; i++) {
    const struct crv_import_finding *f = crv_list_at(o->findings, struct crv_import_finding, i);
    if (under(path, f->field) || under(f->field, path)) return f;
  }
  return NULL;
}

/* Does the piece speak for this very offer? */
bool crv_scoped_to_offer(const struct crv_piece *p, const struct crv_offer_rec *rec) {
  const struct crv_scope *s = p->scope;
  if (!s) return false;
  if (s->offer) return !strcmp(s->offer, rec->key);
  return s->supplier_ref && crv_streq(s->supplier_ref, rec->offer->supplier_ref) &&
         (!s->supplier || crv_streq(s->supplier, rec->offer->supplier));
}

/* A field's value; the two that are no plain scalar are read as one. */
bool crv_offer_states(const struct crv_case *c, const struct crv_offer *o, const char *path,
                      struct crv_value *ret) {
  memset(ret, 0, sizeof *ret);
  if (!strcmp(path, "device.memory_nominal")) {
    const struct crv_nominal *n = o->device ? &o->device->memory_nominal : NULL;
    char figure[40];
    if (!n || !n->set) return false;
    crv_decimal_text(n->micro, figure, sizeof figure);
    ret->type = CRV_JT_TEXT;
    ret->text =
        crv_arena_printf(c->ev->a, "%s %s", figure, n->unit ? n->unit : "(unit not stated)");
    ret->set = ret->text != NULL;
    return ret->set;
  }
  if (!strcmp(path, "service.managed")) {
    *ret = (struct crv_value){CRV_JT_BOOL, o->service_managed != CRV_UNSET,
                              o->service_managed == CRV_TRUE, NULL};
    return ret->set;
  }
  return crv_jspec_value(&crv_offer_spec, o, path, ret) && ret->set;
}

/* What a machine says of itself stands in the result, without the facts' wrapping. */
static bool piece_states(const struct crv_case *c, const struct crv_piece *p, const char *path,
                         struct crv_value *ret) {
  const struct crv_result *r = p->result;
  if (!r) return false;
  if (r->facts && crv_offer_states(c, r->facts, path, ret)) return true;
  struct crv_lot lot = {.interconnect = r->interconnect};
  struct crv_software software = {.driver = r->driver};
  struct crv_device device = {.architecture = p->scope->architecture};
  struct crv_offer seen = {.host = r->host, .lot = &lot, .software = &software, .device = &device};
  return p->kind == CRV_KIND_DEVICE_REPORT && crv_offer_states(c, &seen, path, ret);
}

/* A document about several lots together says nothing of where one of them stands. */
static bool of_several_lots(const struct crv_piece *p, const char *path) {
  return !strcmp(path, "lot.one_machine") && p->scope->quantity.set && p->scope->quantity.v > 1;
}

/* Pieces scoped to the offer that state the field. */
static void from_facts(const struct crv_case *c, const char *path, unsigned kinds,
                       struct crv_attest *at) {
  for (size_t i = 0; i < c->about->own.n; i++) {
    const struct crv_indexed *ix = c->about->own.at[i];
    const struct crv_piece *p = ix->rec->piece;
    struct crv_value v;
    if (!kind_proves(p, kinds, path) || of_several_lots(p, path) || !piece_states(c, p, path, &v))
      continue;
    if (!at->value.set) {
      at->value = v;
    } else if (crv_value_cmp(&at->value, &v) != 0) {
      at->how = CRV_ATTEST_CONFLICT; /* with the piece that proves it, or the offer's own words */
      at->other = ix->rec;
      return;
    }
    if (at->how != CRV_ATTESTED) {
      at->how = CRV_ATTESTED;
      at->piece = ix->rec;
      at->expiry = ix->expiry;
    }
  }
}

/* The piece that the offer cites as its source, looked up once. */
static const struct crv_source_found *source_of(const struct crv_case *c) {
  struct crv_source_found *s = &c->ev->source;
  if (s->of == c->rec) return s;
  *s = (struct crv_source_found){.of = c->rec};
  s->standing = crv_citation_standing(c->ev->index, c->ev->q->evidence, c->rec->source_key,
                                      c->rec->source_version, &s->rec, &s->expiry);
  return s;
}

static void from_source(const struct crv_case *c, const char *path, unsigned kinds,
                        struct crv_attest *at) {
  if (!c->rec->source_key) return;
  const struct crv_source_found *found = source_of(c);
  const struct crv_piece_rec *rec = found->rec;
  enum crv_standing st = found->standing;
  if (!rec || !kind_proves(rec->piece, kinds, path)) return;
  if (st == CRV_STANDS) {
    at->how = CRV_ATTESTED;
    at->piece = rec;
    at->expiry = found->expiry;
  } else if (st == CRV_STANDS_EXPIRED) {
    at->how = CRV_ATTEST_EXPIRED;
    at->piece = rec;
    at->expiry = found->expiry;
  }
}

static struct crv_attest look(const struct crv_case *c, const char *path, unsigned kinds) {
  struct crv_attest at = {.how = CRV_ATTEST_NO_VALUE};
  unsigned can = kinds_for(path);
  if (kinds) can &= kinds;
  at.can = can;
  if (crv_offer_states(c, c->offer, path, &at.value)) {
    at.how = CRV_ATTEST_UNATTESTED;
    from_source(c, path, can, &at);
  }
  const struct crv_import_finding *f = finding_on(c->offer, path);
  if (f && at.how != CRV_ATTEST_NO_VALUE) {
    at.how = CRV_ATTEST_FINDING;
    at.finding = f;
  }
  enum crv_attested before = at.how;
  from_facts(c, path, can, &at);
  /* a supplier's own document settles what the import doubted */
  if (before == CRV_ATTEST_FINDING && at.how == CRV_ATTESTED) at.finding = NULL;
  return at;
}

/* The same for every placement and candidate of an offer. */
struct crv_attest crv_attest(const struct crv_case *c, const char *path, unsigned kinds) {
  struct crv_memo *m = &c->ev->memo;
  if (m->of != c->rec) *m = (struct crv_memo){.of = c->rec};
  for (size_t i = 0; i < m->n; i++)
    if (m->at[i].path == path && m->at[i].kinds == kinds) return m->at[i].found;
  struct crv_attest at = look(c, path, kinds);
  if (m->n < sizeof m->at / sizeof *m->at) {
    m->at[m->n].path = path;
    m->at[m->n].kinds = kinds;
    m->at[m->n++].found = at;
  }
  return at;
}

/* The kinds by name, separated by sep. */
static const char *kinds_text(struct crv_eval *ev, unsigned kinds, const char *sep) {
  const char *text = "";
  for (int k = 1; text && k < CRV_KIND_COUNT; k++)
    if (kinds & (1u << k))
      text = crv_arena_printf(ev->a, "%s%s%s", text, *text ? sep : "",
                              crv_kind_info((enum crv_kind)k)->name);
  return text;
}

/* A supplier's document, where it can prove the field, is what people ask for; another kind is
   named. */
struct prover {
  const char *settled_by, *piece;
  struct crv_fact by;
};

static size_t named_kinds(struct crv_eval *ev, unsigned can) {
  size_t i = 0, most = sizeof ev->provers / sizeof *ev->provers;
  while (i < ev->n_provers && ev->provers[i].kinds != can) i++;
  if (i < ev->n_provers) return i;
  if (i == most) i = 0; /* more sets than anybody asks for: the first gives way */
  ev->provers[i].kinds = can;
  ev->provers[i].words = kinds_text(ev, can, " ");
  ev->provers[i].phrase = can ? kinds_text(ev, can, " or ") : "no kind";
  if (i == ev->n_provers) ev->n_provers++;
  return i;
}

static struct prover prover_of(struct crv_case *c, unsigned can) {
  struct crv_eval *ev = c->ev;
  size_t i = named_kinds(ev, can);
  bool document = can & BIT(COMMERCIAL_SHEET);
  const char *words = ev->provers[i].words ? ev->provers[i].words : "";
  return (struct prover){
      .settled_by = words,
      .piece = crv_pair(ev, document ? "commercial_sheet" : words, c->rec->key),
      .by = crv_f_text("by", document ? NULL : ev->provers[i].phrase),
  };
}

static const struct crv_condition *attest_condition(struct crv_case *c, const struct crv_attest *at,
                                                    const char *path, const char *need) {
  struct crv_eval *ev = c->ev;
  char value[256], when[40];
  struct prover by = prover_of(c, at->can);
  struct crv_fact offer = crv_f_text("offer", c->rec->key), field = crv_f_text("field", path);
  switch (at->how) {
  case CRV_ATTEST_NO_VALUE: {
    struct crv_fact p[] = {field, offer, crv_f_text("need", need), by.by};
    return crv_cond_by(ev, CRV_COND_STATE_FIELD, p, 4, by.piece, by.settled_by);
  }
  case CRV_ATTEST_EXPIRED: {
    struct crv_fact p[] = {offer, crv_f_text("piece", at->piece->ref),
                           crv_f_text("expired", crv_date_text(at->expiry.v, when, sizeof when))};
    return crv_cond_by(ev, CRV_COND_PRICE_AGAIN, p, 3, by.piece, by.settled_by);
  }
  case CRV_ATTEST_FINDING: {
    struct crv_fact p[] = {field, offer, crv_f_text("detail", at->finding->detail)};
    return crv_cond_by(ev, CRV_COND_IMPORT_CELL, p, 3, by.piece, by.settled_by);
  }
  case CRV_ATTEST_CONFLICT: {
    struct crv_fact p[] = {crv_f_text("first", at->piece ? at->piece->ref : "the offer itself"),
                           crv_f_text("second", at->other->ref), crv_f_text("what", path)};
    return crv_cond_by(ev, CRV_COND_CONFLICT, p, 3, by.piece, by.settled_by);
  }
  case CRV_ATTESTED:
  case CRV_ATTEST_UNATTESTED:
  default: {
    struct crv_fact p[] = {
        field, offer, crv_f_text("value", crv_value_text(&at->value, value, sizeof value)), by.by};
    return crv_cond_by(ev, CRV_COND_ATTEST, p, 4, by.piece, by.settled_by);
  }
  }
}

void crv_attest_to_confirm(struct crv_case *c, struct crv_finding *f, const struct crv_attest *at,
                           const char *path, const char *need) {
  static const enum crv_reason reasons[] = {
      [CRV_ATTESTED] = CRV_REASON_SATISFIED,
      [CRV_ATTEST_NO_VALUE] = CRV_REASON_VALUE_UNKNOWN,
      [CRV_ATTEST_UNATTESTED] = CRV_REASON_UNATTESTED,
      [CRV_ATTEST_EXPIRED] = CRV_REASON_EXPIRED,
      [CRV_ATTEST_FINDING] = CRV_REASON_IMPORT_FINDING,
      [CRV_ATTEST_CONFLICT] = CRV_REASON_EVIDENCE_CONFLICT,
  };
  f->verdict = CRV_TO_CONFIRM;
  f->reason = reasons[at->how];
  f->expired = at->how == CRV_ATTEST_EXPIRED;
  crv_find_cite(f, at->piece);
  crv_find_cite(f, at->other);
  crv_find_condition(f, attest_condition(c, at, path, need));
}

void crv_attest_settle(struct crv_case *c, struct crv_finding *f, const struct crv_attest *at,
                       const char *path, const char *need, bool meets, enum crv_reason differs) {
  bool own_words = at->how == CRV_ATTEST_UNATTESTED || at->how == CRV_ATTEST_EXPIRED;
  if (at->how == CRV_ATTESTED && meets) {
    f->verdict = CRV_ADMISSIBLE;
    f->reason = CRV_REASON_SATISFIED;
    crv_find_cite(f, at->piece);
  } else if (at->value.set && !meets && (at->how == CRV_ATTESTED || own_words)) {
    f->verdict = CRV_EXCLUDED;
    f->reason = at->how == CRV_ATTESTED ? differs : CRV_REASON_FALLS_SHORT;
    f->resolvable = true;
    crv_find_cite(f, at->piece);
  } else {
    crv_attest_to_confirm(c, f, at, path, need);
  }
}
