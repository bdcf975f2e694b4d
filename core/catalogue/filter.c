/* Which offers a question or a list asks for. Must not know: verdicts. */
#include <string.h>

#include "core/base/text.h"
#include "core/catalogue/catalogue.h"
#include "core/model/field.h"

static const struct crv_jfield fields[] = {
    CRV_FIELD(crv_filter, device, TEXT, .max = 128,
              .doc = "Canonical device model, or a name that resolves to it."),
    CRV_FIELD(crv_filter, supplier, TEXT, .max = 128, .doc = "Supplier, to the letter."),
    CRV_FIELD(crv_filter, region, TEXT, .max = 128, .doc = "Region, to the letter."),
    CRV_FIELD(crv_filter, currency, CURRENCY, .doc = "Currency of the price."),
    CRV_FIELD(crv_filter, key_prefix, TEXT, .max = 128, .doc = "Beginning of the offer's key."),
    CRV_FIELD(crv_filter, min_memory_bytes, BYTES, .alias = "min_memory",
              .doc = "Least memory of one device, by the upper reading of the nominal figure; "
                     "offers whose memory is not known pass."),
    CRV_FIELD(crv_filter, keys, LIST, .flags = CRV_JF_KEYS | CRV_JF_ONE_OR_LIST, .max = 1000,
              .doc = "Only these offers."),
    {.name = NULL},
};

const struct crv_jspec crv_filter_spec = {
    .name = "OfferFilter",
    .size = sizeof(struct crv_filter),
    .fields = fields,
    .extras_offset = SIZE_MAX,
};

static bool among(const struct crv_list *texts, const char *s) {
  for (size_t i = 0; i < texts->n; i++)
    if (crv_streq(*crv_list_at(*texts, const char *, i), s)) return true;
  return false;
}

static bool is_device(const struct crv_device *d, const char *want) {
  const struct crv_device_model *models[8];
  if (!d) return false;
  if (crv_streq(d->name, want) || crv_streq(d->model, want) || among(&d->candidates, want))
    return true;
  size_t n = crv_device_model_ok(want) ? 0 : crv_device_resolve(want, NULL, models);
  for (size_t i = 0; i < n; i++)
    if (crv_streq(d->model, models[i]->model) || among(&d->candidates, models[i]->model))
      return true;
  return false;
}

/* What is not known passes: a filter leaves out what it knows to be too small. */
static bool has_memory(const struct crv_device *d, int64_t least) {
  struct crv_capacity c;
  if (d && d->memory_declared_bytes.set) return d->memory_declared_bytes.v >= least;
  if (!d || !crv_capacity_nominal(&d->memory_nominal, &c)) return true;
  return c.upper.v >= least;
}

static bool offer_passes(const struct crv_filter *f, const struct crv_offer *o) {
  if (f->supplier && !crv_streq(f->supplier, o->supplier)) return false;
  if (f->region && !crv_streq(f->region, o->region)) return false;
  if (f->currency && !(o->price && crv_streq(f->currency, o->price->currency))) return false;
  if (f->min_memory_bytes.set && !has_memory(o->device, f->min_memory_bytes.v)) return false;
  return !f->device || is_device(o->device, f->device);
}

bool crv_filter_passes(const struct crv_filter *f, const struct crv_offer_rec *r) {
  if (f->keys.n > 0 && !among(&f->keys, r->key)) return false;
  if (f->key_prefix && strncmp(r->key, f->key_prefix, strlen(f->key_prefix)) != 0) return false;
  if (r->offer) return offer_passes(f, r->offer);
  return !f->device && !f->supplier && !f->region && !f->currency && !f->min_memory_bytes.set;
}
