/* Price files -> offers: the table of sources, the check of the request, and what every source
   shares about one offer document.
   Must not know: a source's layout, where records are kept. */
#include <string.h>

#include "core/base/json.h"
#include "core/base/text.h"
#include "core/catalogue/import_internal.h"

static const struct {
  const char *name;
  bool (*read)(struct crv_irun *run, const char *data, size_t len, struct crv_err *err);
} readers[] = {
    {"skypilot", crv_import_skypilot},
    {"ndjson", crv_import_ndjson},
    {"csv", crv_import_native_csv},
};

const struct crv_import_source crv_import_sources[] = {
    {"skypilot", crv_skypilot_profiles, "text/csv",
     "SkyPilot vms.csv (v7, v8): one row an instance type in a region, prices per hour and lot; "
     "the "
     "profile names the provider and with it what GpuInfo means.",
     true},
    {"ndjson", "", "application/x-ndjson",
     "One offer document a line, as PUT takes it, with `key`; `check` {price_per_device, "
     "memory_total} "
     "is compared and not stored.",
     false},
    {"csv", "", "text/csv",
     "A header of offer fields by dotted path "
     "(key,supplier,device.name,lot.devices,price.amount,...); "
     "a blank cell is absent; check.price_per_device and check.memory_total are compared and not "
     "stored.",
     false},
};
const size_t crv_n_import_sources = sizeof crv_import_sources / sizeof *crv_import_sources;

static const struct crv_import_source *find(const char *name) {
  for (size_t i = 0; i < crv_n_import_sources; i++)
    if (crv_streq(crv_import_sources[i].name, name)) return &crv_import_sources[i];
  return NULL;
}

static bool bad(struct crv_err *err, const char *what, const char *accepted) {
  return crv_fail(err, CRV_BAD_PARAMETER, "%s; accepted: %s.", what, accepted);
}

static bool check_profile(const struct crv_import_params *p, const struct crv_import_source *s,
                          struct crv_err *err) {
  if (!*s->profiles) {
    if (!p->profile) return true;
    return crv_fail(err, CRV_BAD_PARAMETER, "The source %s has no profiles: leave `profile` out.",
                    s->name);
  }
  if (!p->profile) return bad(err, "`profile` is needed for this source", s->profiles);
  return crv_skypilot_profile_known(p->profile) ||
         bad(err, "`profile` is not one of this source", s->profiles);
}

static bool check_texts(const struct crv_import_params *p, const struct crv_import_source *s,
                        struct crv_err *err) {
  if (s->needs_currency && !p->currency)
    return bad(err, "`currency` is needed: the file states none",
               "three capital letters (ISO 4217), such as USD");
  if (p->currency && !crv_currency_ok(p->currency))
    return bad(err, "`currency` is no currency code", "three capital letters (ISO 4217)");
  if (p->key_prefix &&
      !(strlen(p->key_prefix) <= 64 && crv_key_ok(p->key_prefix, strlen(p->key_prefix))))
    return bad(err, "`key_prefix` is no key", "[a-z0-9][a-z0-9._-]{0,63}");
  if (p->supplier && (!*p->supplier || strlen(p->supplier) > 128 ||
                      !crv_utf8_ok(p->supplier, strlen(p->supplier))))
    return bad(err, "`supplier` cannot be used", "1 to 128 bytes of UTF-8");
  return true;
}

static bool check_params(const struct crv_import_params *p, struct crv_err *err) {
  const struct crv_import_source *s = find(p->source);
  if (!s) return bad(err, "`source` is not known", "skypilot, ndjson, csv");
  return check_profile(p, s, err) && check_texts(p, s, err);
}

bool crv_import_decode(json_t *j, struct crv_arena *a, struct crv_offer **ret,
                       struct crv_err *why) {
  return crv_offer_decode(j, "", false, a, ret, why);
}

bool crv_import_read(const struct crv_import_params *p, const char *data, size_t len,
                     struct crv_arena *a, struct crv_import_result *ret, struct crv_err *err) {
  struct crv_irun run = {.p = p, .a = a, .ret = ret};
  *ret = (struct crv_import_result){.rows = 0};
  if (!check_params(p, err)) return false;
  for (size_t i = 0; i < sizeof readers / sizeof *readers; i++)
    if (!strcmp(readers[i].name, p->source))
      return readers[i].read(&run, data, len, err) && crv_irun_finish(&run, err);
  return crv_bug(err, "the import source %s has no reader", p->source);
}
