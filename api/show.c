/* Decisions in every format. */
#include "api/show.h"

#include <inttypes.h>
#include <string.h>

#include "api/answer.h"
#include "api/render.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"

enum { EXCLUDED_MAX = 1000 };

bool crv_show_html(struct crv_req *rq, struct crv_resp *rs, const char *title, const char *text,
                   struct crv_err *err) {
  _buf_ struct crv_buf b = {0};
  (void)rq;
  crv_buf_init(&b, 0);
  crv_buf_str(
      &b, "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
          "content=\"width=device-width\">\n<title>");
  crv_xml_text(&b, title);
  crv_buf_str(&b, "</title>\n<pre>");
  crv_xml_text(&b, text);
  crv_buf_str(&b, "</pre>\n</html>\n");
  return crv_resp_buf(rs, rs->status, crv_format_type(CRV_F_HTML), &b, err);
}

/* The text that was rendered, as it is or in a page. */
static bool answer_text(struct crv_req *rq, struct crv_resp *rs, int status, const char *title,
                        struct crv_buf *b, struct crv_err *err) {
  if (b->failed) return crv_no_memory(err);
  rs->status = status;
  if (rq->format != CRV_F_HTML) return crv_answer_buf(rq, rs, status, b, err);
  return crv_show_html(rq, rs, title, b->data ? b->data : "", err);
}

static json_t *excluded_rows(const struct crv_show *show) {
  _json_ json_t *list = json_array();
  if (!show->run) return crv_steal(&list);
  const struct crv_shortlist *s = &show->run->s;
  for (size_t i = 0; i < s->n_excluded && i < EXCLUDED_MAX; i++)
    if (json_array_append_new(list, crv_row_json(s, s->excluded[i], true)) != 0) return NULL;
  return crv_steal(&list);
}

static bool render(struct crv_req *rq, const struct crv_show *show, const json_t *answer,
                   struct crv_buf *out, struct crv_err *err) {
  struct crv_render r = {.decision = answer, .sheet = show->sheet};
  _json_ json_t *excluded = rq->format == CRV_F_JUNIT ? excluded_rows(show) : NULL;
  if (rq->format == CRV_F_JUNIT && !excluded) return crv_no_memory(err);
  if (!crv_req_param_bool(rq, "raw", false, &r.raw, err)) return false;
  r.excluded = excluded;
  switch ((int)rq->format) {
  case CRV_F_CSV:
    crv_render_csv(&r, out);
    break;
  case CRV_F_MD:
    crv_render_md(&r, out);
    break;
  case CRV_F_JUNIT:
    crv_render_junit(&r, out);
    break;
  default:
    crv_render_text(&r, out);
    break;
  }
  return true;
}

static json_t *answer_of(const struct crv_show *show, struct crv_err *err) {
  const struct crv_decision_row *d = show->row;
  if (show->result) {
    json_t *j = crv_decision_json(d, &show->standing, show->result);
    if (!j) crv_no_memory(err);
    return j;
  }
  _json_ json_t *result = crv_json_parse_stored(d->result, d->result_len, err);
  if (!result) return NULL;
  json_t *j = crv_decision_json(d, &show->standing, result);
  if (!j) crv_no_memory(err);
  return j;
}

bool crv_show_decision(struct crv_req *rq, struct crv_resp *rs, int status,
                       const struct crv_show *show, struct crv_err *err) {
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  if (rq->format == CRV_F_JSON && !rq->pretty)
    return crv_decision_text(show->row, &show->standing, &b, err) &&
           crv_answer_buf(rq, rs, status, &b, err);
  _json_ json_t *answer = answer_of(show, err);
  if (!answer) return false;
  if (rq->format == CRV_F_JSON) return crv_resp_json_steal(rq, rs, status, crv_steal(&answer), err);
  const char *title = show->row->sheet_name ? show->row->sheet_name : "decision";
  return render(rq, show, answer, &b, err) && answer_text(rq, rs, status, title, &b, err);
}

/* -- one row ------------------------------------------------------------------------------- */

/* The full row with the decision that it belongs to. */
static json_t *row_answer(const struct crv_show *show, json_t *row) {
  const struct crv_decision_row *d = show->row;
  _json_ json_t *owned = row;
  _json_ json_t *j = json_object();
  if (!j || !owned || !crv_json_set_int(j, "decision", d->number) ||
      !crv_json_set_time(j, "as_of", d->as_of) || !crv_json_merge(j, owned) ||
      !crv_json_set_text(j, "matrix_digest", d->matrix_digest))
    return NULL;
  return crv_steal(&j);
}

/* -- which offer ----------------------------------------------------------------------------- */

struct search {
  const char *start; /* of a key */
  const struct crv_row *found;
  size_t n;
  char names[256];
};

static void search_rows(struct search *s, struct crv_row *const *rows, size_t n) {
  for (size_t i = 0; i < n; i++) {
    const char *key = rows[i]->rec->key;
    size_t used = strlen(s->names);
    if (strncmp(key, s->start, strlen(s->start)) != 0) continue;
    s->found = rows[i];
    s->n++;
    if (used + strlen(key) + 2 < sizeof s->names)
      snprintf(s->names + used, sizeof s->names - used, "%s%s", used ? ", " : "", key);
  }
}

/* The offer of that key, or the one whose key begins so: people type what a table showed. */
static const struct crv_row *find_row(const struct crv_show *show, const char *offer, bool exact,
                                      struct crv_err *err) {
  const struct crv_shortlist *s = &show->run->s;
  const struct crv_row *row = crv_evaluation_row(show->run, offer);
  struct search search = {.start = offer};
  if (row) return row;
  if (!exact) search_rows(&search, s->retained, s->n_retained);
  if (!exact) search_rows(&search, s->preselection, s->n_preselection);
  if (!exact) search_rows(&search, s->excluded, s->n_excluded);
  if (search.n == 1) return search.found;
  if (search.n == 0)
    crv_fail(err, CRV_NOT_FOUND, "Decision %" PRId64 " did not consider an offer %.128s.",
             show->row->number, offer);
  else
    crv_fail(err, CRV_NOT_FOUND, "%zu offers begin with %.64s: %s%s.", search.n, offer,
             search.names, search.n > 5 ? ", ..." : "");
  return NULL;
}

bool crv_show_row(struct crv_req *rq, struct crv_resp *rs, const struct crv_show *show,
                  const char *offer, struct crv_err *err) {
  bool exact = (rq->route->formats & CRV_F_JSON) != 0; /* an address, not what people type */
  const struct crv_row *row = find_row(show, offer, exact, err);
  _buf_ struct crv_buf b = {0};
  crv_buf_init(&b, 0);
  if (!row) return false;
  _json_ json_t *j = row_answer(show, crv_row_json(&show->run->s, row, true));
  if (!j) return crv_no_memory(err);
  if (rq->format == CRV_F_JSON) return crv_resp_json_steal(rq, rs, 200, crv_steal(&j), err);
  _json_ json_t *answer = answer_of(show, err);
  struct crv_render r = {.decision = answer, .sheet = show->sheet};
  if (!answer) return false;
  crv_render_why(&r, j, &b);
  return answer_text(rq, rs, 200, offer, &b, err);
}
