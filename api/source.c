/* Sources of offers. The piece of an inline source has the key "src." and the offer's, shortened by
   its digest where that would be too long. */
#include "api/source.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/record.h"
#include "core/base/hash.h"
#include "core/evidence/piece.h"

enum { KEY_MAX = 128 };

static bool no_memory(struct crv_err *err) {
  return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
}

static const char *source_key(const char *offer_key, struct crv_arena *a) {
  char hex[CRV_SHA256_HEX];
  if (strlen(offer_key) + 4 <= KEY_MAX) return crv_arena_printf(a, "src.%s", offer_key);
  crv_sha256_hex(offer_key, strlen(offer_key), hex);
  return crv_arena_printf(a, "src.%.90s.%.32s", offer_key, hex);
}

static bool prepare_inline(const struct crv_offer *offer, const char *offer_key,
                           struct crv_arena *a, struct crv_offer_source *ret, struct crv_err *err) {
  const struct crv_source *s = offer->source;
  struct crv_scope scope = {.offer = offer_key};
  struct crv_result result = {0};
  struct crv_piece piece = {.kind = CRV_KIND_COMMERCIAL_SHEET,
                            .scope = &scope,
                            .result = &result,
                            .uri = s->uri,
                            .observed_at = s->observed_at,
                            .valid_until = s->valid_until};
  ret->key = source_key(offer_key, a);
  if (!ret->key) return no_memory(err);
  ret->canonical = crv_record_canonical(&crv_piece_spec, &piece, a, err);
  return ret->canonical != NULL;
}

bool crv_source_prepare(const struct crv_offer *offer, const char *offer_key, struct crv_arena *a,
                        struct crv_offer_source *ret, struct crv_err *err) {
  *ret = (struct crv_offer_source){0};
  if (!offer->source) return true;
  if (!offer->source->evidence) return prepare_inline(offer, offer_key, a, ret, err);
  if (crv_ref_split(offer->source->evidence, a, &ret->key, &ret->version)) return true;
  return crv_fail_field(err, "/source/evidence", "bad_format", "such as example-price-list@1",
                        "A piece is cited as key@version.");
}

bool crv_source_exists(struct crv_rtx *tx, const char *key, int64_t version, const char *ptr,
                       struct crv_arena *a, struct crv_version *ret, struct crv_err *err) {
  char ref[192] = "";
  if (crv_rd_version(tx, CRV_AGG_PIECE, key, version, 0, a, ret, err)) return true;
  if (err->code != CRV_NOT_FOUND) return false;
  crv_err_init(err);
  if (version)
    snprintf(ref, sizeof ref, "%.128s@%" PRId64, key, version);
  else
    snprintf(ref, sizeof ref, "%.128s", key);
  crv_fail(err, CRV_MISSING_REFERENCE, "There is no piece %s.", ref);
  return crv_fail_field(err, ptr, "missing_reference", "Record the piece first.",
                        "There is no piece %s.", ref);
}

bool crv_source_settle(struct crv_wtx *tx, const struct crv_offer_source *s, const char *who,
                       struct crv_arena *a, struct crv_put *put, struct crv_err *err) {
  struct crv_version found;
  put->source_key = s->key;
  put->source_version = s->version;
  if (!s->key) return true;
  if (s->version)
    return crv_source_exists(crv_wtx_read(tx), s->key, s->version, "/source/evidence", a, &found,
                             err);
  struct crv_put piece = {.agg = CRV_AGG_PIECE,
                          .key = s->key,
                          .canonical = s->canonical,
                          .canonical_len = strlen(s->canonical),
                          .raw = s->canonical,
                          .raw_len = strlen(s->canonical),
                          .who = who,
                          .kind = "commercial_sheet",
                          .allow_unchanged = true};
  if (!crv_tx_put(tx, &piece, a, err)) return false;
  put->source_version = piece.now.version;
  return true;
}
