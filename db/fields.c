/* Content digests: the fields of a stored row in one unambiguous form, hashed. A ledger row carries
   this digest, so that any change to the stored row shows.
   Must not know: SQL, JSON. */
#include <string.h>

#include "core/base/buf.h"
#include "db/internal.h"

void crv_fields_text(struct crv_buf *b, const char *s) {
  if (!s) {
    crv_buf_str(b, "-\n");
    return;
  }
  size_t len = strlen(s);
  crv_buf_char(b, 't');
  crv_buf_i64(b, (int64_t)len);
  crv_buf_char(b, ':');
  crv_buf_add(b, s, len);
  crv_buf_char(b, '\n');
}

void crv_fields_int(struct crv_buf *b, int64_t v) {
  crv_buf_char(b, 'i');
  crv_buf_i64(b, v);
  crv_buf_char(b, '\n');
}

void crv_fields_opt(struct crv_buf *b, struct crv_opt_int v) {
  if (v.set)
    crv_fields_int(b, v.v);
  else
    crv_buf_str(b, "-\n");
}

bool crv_fields_digest(const struct crv_buf *b, char *out, struct crv_err *err) {
  if (b->failed) return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  crv_sha256_hex(b->data, b->len, out);
  return true;
}

bool crv_version_content(const struct crv_version *v, char *out, struct crv_err *err) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  crv_fields_int(&b, v->withdrawn);
  crv_fields_text(&b, v->digest);
  crv_fields_text(&b, v->raw_digest);
  crv_fields_text(&b, v->kind);
  crv_fields_text(&b, v->source_key);
  crv_fields_int(&b, v->source_version);
  return crv_fields_digest(&b, out, err);
}

bool crv_content_content(const struct crv_content *c, char *out, struct crv_err *err) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  crv_fields_text(&b, c->sha256);
  crv_fields_text(&b, c->media_type);
  crv_fields_int(&b, (int64_t)c->len);
  return crv_fields_digest(&b, out, err);
}

bool crv_decision_content(const struct crv_decision_row *d, const char *result_sha, char *out,
                          struct crv_err *err) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  crv_fields_int(&b, d->number);
  crv_fields_text(&b, d->sheet_name);
  crv_fields_int(&b, d->sheet_revision);
  crv_fields_text(&b, d->sheet_digest);
  crv_fields_text(&b, d->sheet_json);
  crv_fields_text(&b, d->question_digest);
  crv_fields_text(&b, d->question_json);
  crv_fields_int(&b, d->as_of_given);
  crv_fields_int(&b, d->as_of);
  crv_fields_int(&b, d->decided_at);
  crv_fields_opt(&b, d->holds_until);
  crv_fields_int(&b, d->catalogue_position);
  crv_fields_int(&b, d->evidence_position);
  crv_fields_text(&b, d->rules);
  crv_fields_text(&b, d->outcome);
  crv_fields_text(&b, d->headline);
  crv_fields_int(&b, d->n_retained);
  crv_fields_int(&b, d->n_to_confirm);
  crv_fields_int(&b, d->n_excluded);
  crv_fields_text(&b, result_sha);
  crv_fields_text(&b, d->result_digest);
  crv_fields_text(&b, d->matrix_digest);
  return crv_fields_digest(&b, out, err);
}
