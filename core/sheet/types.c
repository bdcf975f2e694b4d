/* The sheet's field types that no plain type covers: amounts in three forms, JSON values kept as
   canonical text, and an object that holds one truth value.
   Must not know: what an evaluation makes of them. */
#include "core/sheet/types.h"

#include <stdio.h>
#include <string.h>

#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/model/field.h"

/* -- amounts -------------------------------------------------------------------------------- */

static const struct crv_jfield item_fields[] = {
    CRV_FIELD(crv_amount_item, item, TEXT, .flags = CRV_JF_REQUIRED, .max = 256,
              .doc = "What the amount is for, in the sheet's own words."),
    CRV_FIELD(crv_amount_item, bytes, BYTES,
              .doc = "Bytes of this item, or a text with its unit; absent: not known, which leaves "
                     "the whole amount unknown."),
    CRV_FIELD(crv_amount_item, why, TEXT, .doc = "Where the figure comes from."),
    {.name = NULL},
};

const struct crv_jspec crv_amount_item_spec = {
    .name = "AmountItem",
    .size = sizeof(struct crv_amount_item),
    .fields = item_fields,
    .extras_offset = SIZE_MAX,
};

static const struct crv_jfield plain_fields[] = {
    CRV_FIELD(crv_amount, bytes, BYTES, .flags = CRV_JF_REQUIRED, .doc = "Bytes in all."),
    {.name = NULL},
};

/* "64 GiB" or {"bytes": n}. */
static const struct crv_jspec plain_spec = {
    .name = "Amount",
    .size = sizeof(struct crv_amount),
    .fields = plain_fields,
    .extras_offset = SIZE_MAX,
    .short_field = "bytes",
};

static bool add_items(struct crv_amount *amount, const char *ptr, struct crv_err *err) {
  int64_t sum = 0;
  for (size_t i = 0; i < amount->items.n; i++) {
    const struct crv_opt_int bytes = crv_list_at(amount->items, struct crv_amount_item, i)->bytes;
    if (!bytes.set) return true;
    if (!crv_add(sum, bytes.v, &sum) || sum > CRV_INT_MAX)
      return crv_refuse(err, ptr, NULL, "out_of_range", NULL, "The items add up to too much.");
  }
  amount->bytes = (struct crv_opt_int){sum, true};
  return true;
}

enum { MAX_ITEMS = 64 };

static bool decode_items(const json_t *j, const char *ptr, struct crv_arena *a,
                         struct crv_amount *out, struct crv_err *err) {
  bool ok = true;
  size_t n = json_array_size(j);
  if (n < 1 || n > MAX_ITEMS)
    return crv_refuse(err, ptr, NULL, "out_of_range", NULL,
                      "Expected a list of 1 to %d items; got %zu.", MAX_ITEMS, n);
  struct crv_amount_item *items = crv_new_array(a, n, struct crv_amount_item);
  if (!items) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  for (size_t i = 0; i < n; i++) {
    char where[160];
    snprintf(where, sizeof where, "%s/%zu", ptr, i);
    ok &= crv_jspec_decode(&crv_amount_item_spec, json_array_get(j, i), where, a, &items[i], err);
  }
  out->items = (struct crv_list){n, items};
  return ok && add_items(out, ptr, err);
}

static bool decode_amount(const json_t *j, const char *ptr, struct crv_arena *a, void *out,
                          struct crv_err *err) {
  if (json_is_array(j)) return decode_items(j, ptr, a, out, err);
  if (json_is_integer(j))
    return crv_refuse(err, ptr, NULL, "bad_unit", "\"64 GiB\", or {\"bytes\": 68719476736}",
                      "Expected an amount with its unit, an object with bytes, or a list of items; "
                      "got a bare number.");
  return crv_jspec_decode(&plain_spec, j, ptr, a, out, err);
}

static json_t *encode_amount(const void *in) {
  const struct crv_amount *amount = in;
  if (!amount->items.at) return crv_jspec_encode(&plain_spec, amount);
  _json_ json_t *list = json_array();
  for (size_t i = 0; list && i < amount->items.n; i++) {
    const struct crv_amount_item *item = crv_list_at(amount->items, struct crv_amount_item, i);
    if (json_array_append_new(list, crv_jspec_encode(&crv_amount_item_spec, item)) != 0)
      return NULL;
  }
  return crv_steal(&list);
}

static bool amount_is_set(const void *in) {
  const struct crv_amount *amount = in;
  return amount->bytes.set || amount->items.at;
}

const struct crv_jcustom crv_amount_type = {
    .size = sizeof(struct crv_amount),
    .decode = decode_amount,
    .encode = encode_amount,
    .is_set = amount_is_set,
    .schema = "{\"anyOf\":[{\"type\":\"string\",\"description\":\"an amount with its unit, such as "
              "64 GiB\"},{\"type\":\"object\",\"required\":[\"bytes\"],\"properties\":{\"bytes\":{"
              "\"type\":[\"integer\",\"string\"]}}},{\"type\":\"array\",\"minItems\":1,\"items\":{"
              "\"$ref\":\"#/components/schemas/AmountItem\"}}]}",
};

/* -- JSON values ---------------------------------------------------------------------------- */

enum { MAX_VALUE = 4096, MAX_VALUES = 64 };

static bool is_scalar(const json_t *j) {
  return json_is_string(j) || json_is_number(j) || json_is_boolean(j);
}

static bool decode_value(const json_t *j, const char *ptr, struct crv_arena *a, void *out,
                         struct crv_err *err) {
  bool ok = is_scalar(j);
  size_t i;
  json_t *item;
  if (json_is_array(j)) {
    ok = json_array_size(j) >= 1 && json_array_size(j) <= MAX_VALUES;
    json_array_foreach(j, i, item) ok &= is_scalar(item);
  }
  if (!ok)
    return crv_refuse(err, ptr, NULL, "wrong_type", NULL,
                      "Expected a text, a number, true or false, or a list of 1 to %d of them.",
                      MAX_VALUES);
  _free_ char *text = crv_json_canonical(j);
  if (text && strlen(text) > MAX_VALUE)
    return crv_refuse(err, ptr, NULL, "out_of_range", NULL, "Expected at most %d bytes of JSON.",
                      MAX_VALUE);
  const char *copy = text ? crv_arena_strdup(a, text) : NULL;
  if (!copy) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  *(const char **)out = copy;
  return true;
}

static json_t *encode_value(const void *in) {
  const char *text = *(const char *const *)in;
  _free_ struct crv_err *err = malloc(sizeof *err);
  if (!err) return NULL;
  crv_err_init(err);
  return crv_json_parse_stored(text, strlen(text), err);
}

static bool value_is_set(const void *in) {
  return *(const char *const *)in != NULL;
}

const struct crv_jcustom crv_json_value_type = {
    .size = sizeof(const char *),
    .decode = decode_value,
    .encode = encode_value,
    .is_set = value_is_set,
    .schema = "{\"anyOf\":[{\"type\":[\"string\",\"number\",\"boolean\"]},{\"type\":\"array\","
              "\"items\":{\"type\":[\"string\",\"number\",\"boolean\"]},\"minItems\":1}]}",
};

/* -- service {managed} ------------------------------------------------------------------------ */

struct service {
  enum crv_tri managed;
};

static const struct crv_jfield service_fields[] = {
    CRV_FIELD(service, managed, BOOL, .flags = CRV_JF_REQUIRED,
              .doc = "True: the supplier operates the machine's software."),
    {.name = NULL},
};

static const struct crv_jspec service_spec = {
    .name = "Service",
    .size = sizeof(struct service),
    .fields = service_fields,
    .extras_offset = SIZE_MAX,
};

static bool decode_service(const json_t *j, const char *ptr, struct crv_arena *a, void *out,
                           struct crv_err *err) {
  struct service s;
  if (!crv_jspec_decode(&service_spec, j, ptr, a, &s, err)) return false;
  *(enum crv_tri *)out = s.managed;
  return true;
}

static json_t *encode_service(const void *in) {
  struct service s = {*(const enum crv_tri *)in};
  return crv_jspec_encode(&service_spec, &s);
}

static bool service_is_set(const void *in) {
  return *(const enum crv_tri *)in != CRV_UNSET;
}

const struct crv_jcustom crv_service_type = {
    .size = sizeof(enum crv_tri),
    .decode = decode_service,
    .encode = encode_service,
    .is_set = service_is_set,
    .schema = "{\"type\":\"object\",\"required\":[\"managed\"],\"properties\":{\"managed\":{"
              "\"type\":\"boolean\"}},\"additionalProperties\":false}",
};
