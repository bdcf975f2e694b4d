/* Lists in five formats. */
#include "api/listing.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "api/answer.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"

bool crv_listing_begin(struct crv_listing *l, struct crv_req *rq, const struct crv_column *columns,
                       size_t n, int64_t position, int64_t at, struct crv_err *err) {
  struct crv_cursor first = {position, at, ""};
  int64_t limit;
  *l = (struct crv_listing){.rq = rq, .columns = columns, .n_columns = n};
  crv_buf_init(&l->out, 0);
  crv_table_init(&l->table, columns, n);
  l->paged = rq->format == CRV_F_JSON;
  if (!crv_req_param_int(rq, "limit", 1, CRV_PAGE_MAX, CRV_PAGE_DEFAULT, &limit, err) ||
      !crv_req_param_bool(rq, "raw", false, &l->raw, err) ||
      !crv_cursor_read(rq, &first, &l->from, err))
    return false;
  l->limit = (unsigned)limit;
  l->items = l->paged ? json_array() : NULL;
  if (l->paged && !l->items) return crv_no_memory(err);
  for (size_t c = 0; rq->format == CRV_F_CSV && c < n; c++)
    crv_csv_cell(&l->out, columns[c].path, c == 0, true);
  if (rq->format == CRV_F_CSV) crv_csv_end(&l->out);
  return true;
}

void crv_listing_done(struct crv_listing *l) {
  json_decref(l->items);
  crv_buf_done(&l->out);
  crv_table_done(&l->table);
}

static void join(const json_t *list, char *out, size_t room) {
  size_t used = 0, i;
  json_t *v;
  out[0] = '\0';
  json_array_foreach(list, i, v) {
    const char *s = json_is_string(v) ? json_string_value(v) : "…";
    int n = snprintf(out + used, room - used, "%s%s", i ? " " : "", s);
    if (n < 0 || (size_t)n >= room - used) return;
    used += (size_t)n;
  }
}

char *crv_item_text(const json_t *item, const char *path, char *out, size_t room) {
  const json_t *v = crv_json_at(item, path);
  out[0] = '\0';
  if (json_is_string(v)) snprintf(out, room, "%s", json_string_value(v));
  if (json_is_integer(v)) snprintf(out, room, "%" JSON_INTEGER_FORMAT, json_integer_value(v));
  if (json_is_boolean(v)) snprintf(out, room, "%s", json_is_true(v) ? "true" : "false");
  if (json_is_array(v)) join(v, out, room);
  return out;
}

/* "2026-11-30T10:00:00.250Z" as "2026-11-30 10:00": people's tables are narrow. */
static void shorten_time(char *text) {
  int64_t ms;
  struct crv_unit_err ue;
  size_t len = strlen(text);
  if (len < 20 || text[10] != 'T' || !crv_time_parse(text, len, &ms, &ue)) return;
  text[10] = ' ';
  text[16] = '\0';
}

static void put_row(struct crv_listing *l, const json_t *item) {
  char text[2048];
  for (size_t c = 0; c < l->n_columns; c++) {
    crv_item_text(item, l->columns[c].path, text, sizeof text);
    if (l->rq->format == CRV_F_CSV) {
      crv_csv_cell(&l->out, text, c == 0, l->raw);
      continue;
    }
    shorten_time(text);
    crv_table_cell(&l->table, text);
  }
  if (l->rq->format == CRV_F_CSV) crv_csv_end(&l->out);
}

bool crv_listing_add(struct crv_listing *l, const char *key, json_t *item, struct crv_err *err) {
  _json_ json_t *owned = item;
  if (!owned) return crv_no_memory(err);
  if (l->paged && l->n == l->limit) {
    l->full = true;
    return true;
  }
  l->n++;
  if (l->paged) {
    l->last = crv_arena_strdup(l->rq->arena, key);
    return (l->last && json_array_append(l->items, owned) == 0) || crv_no_memory(err);
  }
  if (l->rq->format == CRV_F_NDJSON) {
    _free_ char *line = crv_json_compact(owned);
    if (!line) return crv_no_memory(err);
    crv_buf_str(&l->out, line);
    crv_buf_char(&l->out, '\n');
    return !l->out.failed || crv_no_memory(err);
  }
  put_row(l, owned);
  return !(l->out.failed || l->table.failed) || crv_no_memory(err);
}

/* The next page's address keeps the filters. */
static bool link_next(struct crv_listing *l, struct crv_resp *rs, const char *cursor,
                      struct crv_err *err) {
  struct crv_buf b;
  const struct crv_req *rq = l->rq;
  crv_buf_init(&b, 0);
  crv_buf_printf(&b, "<%s?cursor=%s", rq->target, cursor);
  for (const char *s = rq->query; *s;) {
    size_t len = strcspn(s, "&");
    if (len && strncmp(s, "cursor=", 7) != 0) {
      crv_buf_char(&b, '&');
      crv_buf_add(&b, s, len);
    }
    s += len;
    s += *s == '&';
  }
  crv_buf_str(&b, ">; rel=\"next\"");
  const char *value = b.failed ? NULL : crv_arena_strdup(rq->arena, b.data);
  crv_buf_done(&b);
  return crv_answer_header(rs, "Link", value, err);
}

static bool end_page(struct crv_listing *l, struct crv_resp *rs, struct crv_err *err) {
  struct crv_cursor next = {l->from.position, l->from.at, l->last};
  const char *cursor = l->full ? crv_cursor_text(l->rq, &next) : NULL;
  _json_ json_t *j = json_object();
  if (l->full && !cursor) return crv_no_memory(err);
  if (!j || !crv_json_set_steal(j, "items", crv_steal(&l->items)) ||
      !crv_json_set_steal(j, "next_cursor", cursor ? json_string(cursor) : json_null()) ||
      !crv_json_set_int(j, "total", l->total) || !crv_json_set_int(j, "position", l->from.position))
    return crv_no_memory(err);
  if (cursor && !link_next(l, rs, cursor, err)) return false;
  return crv_resp_json_steal(l->rq, rs, 200, crv_steal(&j), err);
}

bool crv_listing_end(struct crv_listing *l, struct crv_resp *rs, struct crv_err *err) {
  if (l->paged) return end_page(l, rs, err);
  if (l->rq->format == CRV_F_TEXT) {
    crv_table_text(&l->table, &l->out);
    crv_buf_printf(&l->out, "%zu rows; position %" PRId64 "\n", l->n, l->from.position);
  }
  return crv_answer_buf(l->rq, rs, 200, &l->out, err);
}
