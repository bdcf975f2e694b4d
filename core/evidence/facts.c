/* The facts of a piece: a part of an offer, under nested names ({"host": {"ram": ...}}) or dotted
   ones ({"host.ram": ...}). Dotted names are nested first; errors name what the client wrote.
   Must not know: what a fact proves. */
#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/text.h"
#include "core/evidence/piece_check.h"
#include "core/model/field.h"

static bool no_memory(struct crv_err *err) {
  return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

/* The object below a name, made when there is none; NULL with *clash when something else is there.
   Borrowed. */
static json_t *below(json_t *obj, const char *name, bool *clash) {
  json_t *sub = json_object_get(obj, name);
  if (sub) {
    *clash = !json_is_object(sub);
    return *clash ? NULL : sub;
  }
  if (json_object_set_new(obj, name, json_object()) != 0) return NULL;
  return json_object_get(obj, name);
}

/* Copies the members of from into into; a member that is there twice is a clash. */
static bool merge(json_t *into, json_t *from, bool *clash) {
  const char *key;
  json_t *value;
  json_object_foreach(from, key, value) {
    if (json_object_get(into, key)) {
      *clash = true;
      return false;
    }
    if (json_object_set(into, key, value) != 0) return false;
  }
  return true;
}

/* Puts value at a dotted path. False: out of memory, or *clash. */
static bool place(json_t *root, const char *path, json_t *value, bool *clash) {
  json_t *at = root;
  char name[64];
  for (;;) {
    size_t n = strcspn(path, ".");
    if (n >= sizeof name) n = sizeof name - 1; /* unknown in any case */
    memcpy(name, path, n);
    name[n] = '\0';
    if (path[strcspn(path, ".")] == '\0') break;
    at = below(at, name, clash);
    if (!at) return false;
    path += strcspn(path, ".") + 1;
  }
  json_t *there = json_object_get(at, name);
  if (there && json_is_object(there) && json_is_object(value)) return merge(there, value, clash);
  *clash = there != NULL;
  if (*clash) return false;
  _json_ json_t *copy = json_is_object(value) ? json_copy(value) : json_incref(value);
  return json_object_set(at, name, copy) == 0;
}

static json_t *unconst(const json_t *j) {
  return (json_t *)(uintptr_t)j; /* jansson's iterators take a plain pointer and change nothing */
}

static json_t *nested(const json_t *j, const char *ptr, struct crv_err *err) {
  _json_ json_t *root = json_object();
  const char *key;
  json_t *value;
  if (!root) return no_memory(err), NULL;
  json_object_foreach(unconst(j), key, value) {
    bool clash = false;
    if (place(root, key, value, &clash)) continue;
    if (!clash) return no_memory(err), NULL;
    char where[96];
    snprintf(where, sizeof where, "%.90s", key);
    crv_text_repair(where);
    crv_refuse(err, ptr, where, "duplicate", NULL, "This fact is stated twice.");
    return NULL;
  }
  return crv_steal(&root);
}

/* Length of what at and the dotted key have in common, "/" standing for "."; 0 unless one of them
   ends there. */
static size_t in_common(const char *at, const char *key) {
  size_t i = 0;
  while (key[i] && (at[i] == key[i] || (key[i] == '.' && at[i] == '/'))) i++;
  bool key_ends = key[i] == '\0' && (at[i] == '\0' || at[i] == '/');
  return key_ends || (at[i] == '\0' && key[i] == '.') ? i : 0;
}

/* "/result/facts/host/ram" -> "/result/facts/host.ram" where the client wrote "host.ram". */
static void name_as_written(const json_t *j, const char *ptr, struct crv_field_err *at) {
  const char *key;
  json_t *value;
  char rest[sizeof at->ptr];
  size_t n = strlen(ptr);
  if (strncmp(at->ptr, ptr, n) != 0 || at->ptr[n] != '/') return;
  memcpy(rest, at->ptr, sizeof rest);
  json_object_foreach(unconst(j), key, value) {
    size_t same = strchr(key, '.') ? in_common(rest + n + 1, key) : 0;
    if (same == 0) continue;
    int room = (int)(sizeof at->ptr - n - 2);
    snprintf(at->ptr + n + 1, sizeof at->ptr - n - 1, "%.*s%s", room, key, rest + n + 1 + same);
    crv_text_repair(at->ptr);
    return;
  }
}

static bool decode_facts(const json_t *j, const char *ptr, struct crv_arena *a, void *out,
                         struct crv_err *err) {
  unsigned before = err->n;
  if (!json_is_object(j))
    return crv_refuse(err, ptr, NULL, "wrong_type", "{\"host.ram\": \"64 GiB\"}",
                      "Expected an object of the offer's fields.");
  _json_ json_t *offer = nested(j, ptr, err);
  if (!offer) return false;
  if (crv_offer_decode(offer, ptr, true, a, out, err)) return true;
  for (unsigned i = before; i < err->n; i++) name_as_written(j, ptr, &err->at[i]);
  return false;
}

static json_t *encode_facts(const void *in) {
  return crv_jspec_encode(&crv_offer_spec, *(const struct crv_offer *const *)in);
}

static bool facts_are_set(const void *in) {
  return *(const struct crv_offer *const *)in != NULL;
}

const struct crv_jcustom crv_facts_type = {
    .size = sizeof(struct crv_offer *),
    .decode = decode_facts,
    .encode = encode_facts,
    .is_set = facts_are_set,
    .schema = "{\"type\":\"object\",\"description\":\"Fields of an offer, nested or under dotted "
              "names such as host.ram\"}",
};
