/* The tables that the tests of core/base/jspec share: one field of each kind. */
#ifndef CRV_TESTS_JSPEC_THING_H
#define CRV_TESTS_JSPEC_THING_H

#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/buf.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/base/jspec.h"

enum color { COLOR_ABSENT, COLOR_RED, COLOR_GREEN, COLOR_DARK_BLUE };
static const struct crv_enum_name colors[] = {
    {COLOR_RED, "red"}, {COLOR_GREEN, "green"}, {COLOR_DARK_BLUE, "dark_blue"}, {0, NULL}};

struct disk {
  const char *kind;
  struct crv_opt_int size;
};
static const struct crv_jfield disk_fields[] = {{.name = "kind",
                                                 .type = CRV_JT_TEXT,
                                                 .flags = CRV_JF_REQUIRED,
                                                 .max = 8,
                                                 .offset = offsetof(struct disk, kind),
                                                 .doc = "Kind of disk."},
                                                {.name = "size_bytes",
                                                 .alias = "size",
                                                 .type = CRV_JT_BYTES,
                                                 .flags = CRV_JF_ROUND_DOWN,
                                                 .offset = offsetof(struct disk, size)},
                                                {.name = NULL}};
static const struct crv_jspec disk_spec = {.name = "Disk",
                                           .size = sizeof(struct disk),
                                           .fields = disk_fields,
                                           .extras_offset = SIZE_MAX,
                                           .short_field = "kind"};

struct host {
  struct crv_opt_int ram, reserve;
  struct crv_list disks;
  struct disk *boot;
};
static const struct crv_jfield host_fields[] = {
    {.name = "ram_bytes",
     .alias = "ram",
     .type = CRV_JT_BYTES,
     .flags = CRV_JF_ROUND_DOWN,
     .offset = offsetof(struct host, ram),
     .doc = "Host memory."},
    {.name = "reserve", .type = CRV_JT_BYTES, .offset = offsetof(struct host, reserve)},
    {.name = "disks",
     .type = CRV_JT_LIST,
     .flags = CRV_JF_ONE_OR_LIST,
     .max = 3,
     .sub = &disk_spec,
     .offset = offsetof(struct host, disks)},
    {.name = "boot",
     .type = CRV_JT_OBJECT,
     .sub = &disk_spec,
     .offset = offsetof(struct host, boot)},
    {.name = NULL}};
static const struct crv_jspec host_spec = {
    .name = "Host", .size = sizeof(struct host), .fields = host_fields, .extras_offset = SIZE_MAX};

struct point {
  int64_t x, y;
};
static bool point_decode(const json_t *j, const char *ptr, struct crv_arena *a, void *out,
                         struct crv_err *e) {
  struct point *p = out;
  (void)a;
  if (json_array_size(j) != 2)
    return crv_fail_field(e, ptr, "bad_point", "[x, y]", "Expected two numbers.");
  p->x = json_integer_value(json_array_get(j, 0));
  p->y = json_integer_value(json_array_get(j, 1));
  return true;
}
static json_t *point_encode(const void *in) {
  const struct point *p = in;
  return json_pack("[I, I]", (json_int_t)p->x, (json_int_t)p->y);
}
static bool point_is_set(const void *in) {
  const struct point *p = in;
  return p->x || p->y;
}
static const struct crv_jcustom point_type = {sizeof(struct point), point_decode, point_encode,
                                              point_is_set,
                                              "{\"type\":\"array\",\"minItems\":2,\"maxItems\":2}"};

struct thing {
  const char *key, *title, *note, *currency;
  struct crv_opt_int count, level, bytes, price, share, since;
  enum crv_tri interruptible;
  enum color color;
  struct host *host;
  struct crv_list tags, keys, facts, extras;
  struct point at;
  struct crv_opt_int config;
};
static const struct crv_jfield thing_fields[] = {
    {.name = "key",
     .type = CRV_JT_KEY,
     .flags = CRV_JF_REQUIRED,
     .offset = offsetof(struct thing, key),
     .doc = "Its key."},
    {.name = "title",
     .alias = "name",
     .type = CRV_JT_TEXT,
     .offset = offsetof(struct thing, title)},
    {.name = "note",
     .type = CRV_JT_TEXT,
     .flags = CRV_JF_LINES,
     .offset = offsetof(struct thing, note)},
    {.name = "currency", .type = CRV_JT_CURRENCY, .offset = offsetof(struct thing, currency)},
    {.name = "count",
     .type = CRV_JT_INT,
     .flags = CRV_JF_POSITIVE,
     .offset = offsetof(struct thing, count)},
    {.name = "level",
     .type = CRV_JT_INT,
     .min = -5,
     .max = 5,
     .offset = offsetof(struct thing, level)},
    {.name = "bytes",
     .type = CRV_JT_BYTES,
     .min = 1024,
     .max = CRV_GIB,
     .offset = offsetof(struct thing, bytes)},
    {.name = "price",
     .type = CRV_JT_DECIMAL,
     .flags = CRV_JF_POSITIVE,
     .offset = offsetof(struct thing, price)},
    {.name = "share",
     .type = CRV_JT_DECIMAL,
     .min = -CRV_MICRO,
     .max = CRV_MICRO,
     .offset = offsetof(struct thing, share)},
    {.name = "since", .type = CRV_JT_TIME, .offset = offsetof(struct thing, since)},
    {.name = "interruptible", .type = CRV_JT_BOOL, .offset = offsetof(struct thing, interruptible)},
    {.name = "color",
     .type = CRV_JT_ENUM,
     .names = colors,
     .offset = offsetof(struct thing, color)},
    {.name = "host",
     .type = CRV_JT_OBJECT,
     .sub = &host_spec,
     .offset = offsetof(struct thing, host)},
    {.name = "tags",
     .type = CRV_JT_LIST,
     .flags = CRV_JF_ONE_OR_LIST,
     .offset = offsetof(struct thing, tags)},
    {.name = "keys",
     .type = CRV_JT_LIST,
     .flags = CRV_JF_KEYS,
     .min = 1,
     .offset = offsetof(struct thing, keys)},
    {.name = "facts", .type = CRV_JT_MAP, .offset = offsetof(struct thing, facts)},
    {.name = "at",
     .type = CRV_JT_CUSTOM,
     .custom = &point_type,
     .offset = offsetof(struct thing, at)},
    {.name = "config",
     .type = CRV_JT_INT,
     .flags = CRV_JF_NOT_YET,
     .offset = offsetof(struct thing, config),
     .doc = "A config.json is not read yet."},
    {.name = NULL}};

static bool thing_check(const void *obj, const char *ptr, struct crv_err *e) {
  const struct thing *t = obj;
  if (!t->price.set || t->currency) return true;
  return crv_fail_field(e, ptr, "missing_currency", NULL, "A price needs its currency.");
}
static const struct crv_jspec thing_spec = {.name = "Thing",
                                            .size = sizeof(struct thing),
                                            .fields = thing_fields,
                                            .extras_offset = offsetof(struct thing, extras),
                                            .check = thing_check};

static struct crv_err err;
static struct crv_arena *arena;

static inline void set_up(void) {
  arena = crv_arena_new(0);
}
static inline void tear_down(void) {
  arena = crv_arena_free(arena);
}

static inline bool decode_with(const struct crv_jspec *spec, const char *text, void *out) {
  crv_err_init(&err);
  _json_ json_t *j = crv_json_parse(text, strlen(text), &err);
  ck_assert_msg(j != NULL, "%s: %s", text, err.detail);
  return crv_jspec_decode(spec, j, "", arena, out, &err);
}

static inline bool decode(const char *text, struct thing *out) {
  return decode_with(&thing_spec, text, out);
}

static inline char *encode(const struct crv_jspec *spec, const void *in) {
  _json_ json_t *j = crv_jspec_encode(spec, in);
  return crv_json_compact(j);
}

#endif
