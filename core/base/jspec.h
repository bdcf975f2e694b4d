/* Typed field tables: JSON <-> struct, from one description.
   A table of fields (struct crv_jspec) decodes a JSON object into a struct and gathers every field
   error at once, encodes the struct back (canonical or for an answer), reaches a field by its
   dotted path ("host.ram_bytes") for custom requirements and attestation, and describes itself as a
   JSON Schema for the OpenAPI document. Absent means unknown: no field has a default. Must not
   know: what the fields mean. */
#ifndef CRV_BASE_JSPEC_H
#define CRV_BASE_JSPEC_H

#include <jansson.h>

#include "arena.h"
#include "err.h"
#include "units.h"

enum crv_jtype {
  CRV_JT_TEXT,     /* const char *            UTF-8, not empty, no control characters, max = bytes
                                              (0: 1024) */
  CRV_JT_KEY,      /* const char *            crv_key_ok */
  CRV_JT_INT,      /* struct crv_opt_int      min..max (both 0: 0..CRV_INT_MAX) */
  CRV_JT_BOOL,     /* enum crv_tri */
  CRV_JT_ENUM,     /* int, 0 = absent         names[] */
  CRV_JT_BYTES,    /* struct crv_opt_int      integer bytes where the name is "bytes" or ends in
                                              "_bytes", else only a text with a unit */
  CRV_JT_DECIMAL,  /* struct crv_opt_int      micro-units; text or number; min..max in micro
                                              (both 0: not negative) */
  CRV_JT_TIME,     /* struct crv_opt_int      ms; RFC 3339 text, or YYYY-MM-DD */
  CRV_JT_CURRENCY, /* const char *            ISO 4217 shape */
  CRV_JT_OBJECT,   /* pointer to sub's struct, NULL = absent */
  CRV_JT_LIST,     /* struct crv_list         of sub's struct; of const char * when sub is NULL;
                                              min..max items (max 0: 256); .at is not NULL when the
                                              list was given, also when it is empty */
  CRV_JT_MAP,      /* struct crv_list         of struct crv_pair: free names (64 bytes), scalar
                                              values, at most 64 pairs */
  CRV_JT_CUSTOM,   /* custom->size bytes at offset */
};

enum crv_jflag {
  CRV_JF_REQUIRED = 1,
  CRV_JF_ROUND_DOWN = 2,  /* BYTES: capacities; demands round up */
  CRV_JF_ONE_OR_LIST = 4, /* LIST: a single object (or text) is short for a list of one */
  CRV_JF_NOT_YET = 8,     /* present: refused with code "not_yet" and doc as the reason */
  CRV_JF_KEYS = 16,       /* LIST of texts: each must be crv_key_ok */
  CRV_JF_POSITIVE = 32,   /* INT, BYTES, DECIMAL: zero is refused */
  CRV_JF_LINES = 64,      /* TEXT: line breaks and tabs are taken */
};

/* A text in the shape of an exact fraction ("0.5") is DECIMAL as the number 0.5 is, because
   decimals are written as texts and must read back the same. */
struct crv_pair {
  const char *name;
  const char
      *value; /* text of the scalar: "true", "false", an integer, an exact decimal, or text */
  enum { CRV_PAIR_TEXT, CRV_PAIR_INT, CRV_PAIR_BOOL, CRV_PAIR_DECIMAL } type;
};

struct crv_enum_name {
  int value;
  const char *name;
};

struct crv_jspec;

/* A field type of its own: text or object forms that no plain type covers. decode gets the JSON
   pointer for its errors; encode returns a new json_t, or NULL to leave the field out; both may be
   asked for the schema by NULL. */
struct crv_jcustom {
  size_t size;
  bool (*decode)(const json_t *j, const char *ptr, struct crv_arena *a, void *out,
                 struct crv_err *err);
  json_t *(*encode)(const void *in);
  bool (*is_set)(const void *in);
  const char *schema; /* JSON Schema text */
};

struct crv_jfield {
  const char *name;  /* the canonical name, the one that answers show */
  const char *alias; /* a second accepted name, or NULL ("ram" for "ram_bytes") */
  enum crv_jtype type;
  unsigned flags;
  size_t offset;
  int64_t min, max;
  const struct crv_enum_name *names; /* ends with {0, NULL} */
  const struct crv_jspec *sub;
  const struct crv_jcustom *custom;
  const char *doc; /* unit, range and meaning, one sentence, for the OpenAPI document */
};

struct crv_jspec {
  const char *name; /* of the schema: "Offer" */
  size_t size;
  const struct crv_jfield *fields; /* ends with .name NULL */
  /* Offset of a struct crv_list of struct crv_extra that keeps fields named x-... and, when open,
     every unknown field; SIZE_MAX when the struct keeps none (x-... is then accepted and dropped).
     An offset where a field stands counts as none too. */
  size_t extras_offset;
  bool open;
  /* The field that a plain text stands for ({"name": text}), or NULL. */
  const char *short_field;
  /* Checks across fields after decoding; adds field errors; NULL for none. */
  bool (*check)(const void *obj, const char *ptr, struct crv_err *err);
};

struct crv_extra {
  const char *name;
  const char *json; /* canonical JSON of the value */
};

/* Decodes j into the struct at out (spec->size bytes, zeroed first); texts and lists are copied to
   a. False with INVALID_FIELDS (every field error, up to the cap), or OUT_OF_MEMORY. ptr is the
   pointer of j itself ("" for the body). */
bool crv_jspec_decode(const struct crv_jspec *spec, const json_t *j, const char *ptr,
                      struct crv_arena *a, void *out, struct crv_err *err);

/* The struct as a new JSON object: canonical names, table order, absent fields left out, decimals
   without trailing zeros, times as RFC 3339, bytes as integers (as "N B" under a name that is
   neither "bytes" nor ends in "_bytes"). What it gives, decode takes. NULL when out of memory. */
json_t *crv_jspec_encode(const struct crv_jspec *spec, const void *in);

/* The JSON Schema (2020-12) of the spec as a new object; nested specs by "$ref" to
   #/components/schemas/NAME. */
json_t *crv_jspec_schema(const struct crv_jspec *spec);
/* Calls fn for spec and every spec below it once. */
void crv_jspec_each(const struct crv_jspec *spec, void (*fn)(const struct crv_jspec *, void *),
                    void *ctx);

/* A scalar reached by path. kind says which member holds it. */
struct crv_value {
  enum crv_jtype type; /* TEXT for KEY, CURRENCY and ENUM too */
  bool set;
  int64_t i;        /* INT, BYTES, DECIMAL, TIME; BOOL: 0 or 1 */
  const char *text; /* TEXT */
};
/* The field at a dotted path of names or aliases ("host.ram", "host.ram_bytes", "lot.devices");
   lists are not entered. False when the path names no scalar field. A path through an absent
   object gives set = false. */
bool crv_jspec_value(const struct crv_jspec *spec, const void *obj, const char *path,
                     struct crv_value *ret);
/* The field's table row at a path, NULL when there is none. */
const struct crv_jfield *crv_jspec_field(const struct crv_jspec *spec, const char *path);
/* Decodes a text or JSON scalar as the field at path would ("64 GiB" for host.ram): for the value
   of a requirement or preference. */
bool crv_jspec_value_parse(const struct crv_jfield *field, const json_t *j, const char *ptr,
                           struct crv_arena *a, struct crv_value *ret, struct crv_err *err);
/* <0, 0, >0 for two set values of one type. */
int crv_value_cmp(const struct crv_value *a, const struct crv_value *b);
/* As above for a value that stood under that name: a bare number for BYTES is taken only under the
   canonical name ("ram_bytes"), not under an alias ("ram"). crv_jspec_value_parse takes it. */
bool crv_jspec_value_parse_as(const struct crv_jfield *field, const char *name, const json_t *j,
                              const char *ptr, struct crv_arena *a, struct crv_value *ret,
                              struct crv_err *err);
/* A value as people read it ("19.04 GiB (20442450944 B)", "true", "16", "unknown" when unset); into
   out, cut to room; returns out. */
char *crv_value_text(const struct crv_value *v, char *out, size_t room);
/* The value as a new json_t (null when unset). */
json_t *crv_value_json(const struct crv_value *v);

#endif
