/* Migrations: each in one BEGIN IMMEDIATE together with its user_version and its row in
   schema_migration, so that a kill in between leaves the schema before or after, never half.
   Must not know: what the tables hold. */
#include "db/migrate.h"

#include <string.h>

#include "core/base/hash.h"
#include "core/base/text.h"

enum { APPLICATION_ID, USER_VERSION, OBJECTS, APPLIED, RECORD, BEGIN, COMMIT, ROLLBACK };
static const char *const sql[] = {
    [APPLICATION_ID] = "PRAGMA application_id",
    [USER_VERSION] = "PRAGMA user_version",
    [OBJECTS] = "SELECT count(*) FROM sqlite_schema",
    [APPLIED] = "SELECT version, name, sha256 FROM schema_migration ORDER BY version",
    [RECORD] = "INSERT INTO schema_migration VALUES (?1, ?2, ?3, ?4)",
    [BEGIN] = "BEGIN IMMEDIATE",
    [COMMIT] = "COMMIT",
    [ROLLBACK] = "ROLLBACK",
};

struct run {
  sqlite3 *h;
  const struct crv_migration *list;
  int64_t n, now;
  int *rc;
  struct crv_err *err;
};

static bool failed(struct run *r, int rc, const char *what) {
  *r->rc = rc;
  return crv_bug(r->err, "%s: %s", what, sqlite3_errmsg(r->h));
}

static bool number(struct run *r, int which, int64_t *ret) {
  sqlite3_stmt *st = NULL;
  int rc = sqlite3_prepare_v2(r->h, sql[which], -1, &st, NULL);
  if (rc == SQLITE_OK) rc = sqlite3_step(st);
  if (rc == SQLITE_ROW) *ret = sqlite3_column_int64(st, 0);
  sqlite3_finalize(st);
  return rc == SQLITE_ROW || failed(r, rc, sql[which]);
}

static bool check_list(struct run *r) {
  for (int64_t i = 0; i < r->n; i++)
    if (r->list[i].version != i + 1)
      return crv_bug(r->err, "migration %s does not follow number %lld", r->list[i].name,
                     (long long)i);
  return true;
}

/* Fresh, or ours and not newer than this program. */
static bool check_owner(struct run *r, int64_t *ret_version) {
  int64_t id, objects;
  if (!number(r, APPLICATION_ID, &id) || !number(r, USER_VERSION, ret_version) ||
      !number(r, OBJECTS, &objects))
    return false;
  bool fresh = id == 0 && *ret_version == 0 && objects == 0;
  if (!fresh && id != CRV_APPLICATION_ID)
    return crv_fail(r->err, CRV_CONFLICT, "it belongs to another program (application_id %lld)",
                    (long long)id);
  if (*ret_version < 0 || *ret_version > r->n)
    return crv_fail(r->err, CRV_CONFLICT,
                    "it was made by a newer Crivo (schema %lld; this one knows %lld): start that "
                    "one, or restore a backup",
                    (long long)*ret_version, (long long)r->n);
  return true;
}

/* One row of schema_migration against our list. */
static bool same(struct run *r, sqlite3_stmt *st, int64_t at) {
  char hash[CRV_SHA256_HEX];
  const struct crv_migration *m = &r->list[at];
  crv_sha256_hex(m->sql, strlen(m->sql), hash);
  if (sqlite3_column_int64(st, 0) == m->version &&
      crv_streq((const char *)sqlite3_column_text(st, 1), m->name) &&
      crv_streq((const char *)sqlite3_column_text(st, 2), hash))
    return true;
  if (sqlite3_errcode(r->h) == SQLITE_NOMEM) return failed(r, SQLITE_NOMEM, sql[APPLIED]);
  return crv_fail(r->err, CRV_CONFLICT,
                  "its migration %s is not the one that this Crivo carries: start the Crivo that "
                  "made it, or restore a backup",
                  m->name);
}

static bool check_applied(struct run *r, int64_t version) {
  sqlite3_stmt *st = NULL;
  if (version == 0) return true;
  int64_t rows = 0;
  bool ok = true;
  int rc = sqlite3_prepare_v2(r->h, sql[APPLIED], -1, &st, NULL);
  while (rc == SQLITE_OK && ok && (rc = sqlite3_step(st)) == SQLITE_ROW) {
    ok = rows < version && same(r, st, rows);
    rows++;
    rc = SQLITE_OK;
  }
  sqlite3_finalize(st);
  if (ok && rc != SQLITE_DONE) return failed(r, rc, sql[APPLIED]);
  if ((ok && rows == version) || (!ok && r->err->code != CRV_OK)) return ok;
  return crv_fail(r->err, CRV_CONFLICT, "its list of migrations does not fit its schema number");
}

static int record(struct run *r, const struct crv_migration *m) {
  char hash[CRV_SHA256_HEX];
  sqlite3_stmt *st = NULL;
  crv_sha256_hex(m->sql, strlen(m->sql), hash);
  int rc = sqlite3_prepare_v2(r->h, sql[RECORD], -1, &st, NULL);
  if (rc == SQLITE_OK) rc = sqlite3_bind_int(st, 1, m->version);
  if (rc == SQLITE_OK) rc = sqlite3_bind_text(st, 2, m->name, -1, SQLITE_STATIC);
  if (rc == SQLITE_OK) rc = sqlite3_bind_text(st, 3, hash, -1, SQLITE_STATIC);
  if (rc == SQLITE_OK) rc = sqlite3_bind_int64(st, 4, r->now);
  if (rc == SQLITE_OK) rc = sqlite3_step(st);
  sqlite3_finalize(st);
  return rc == SQLITE_DONE ? SQLITE_OK : rc;
}

static int exec(struct run *r, const char *text) {
  return sqlite3_exec(r->h, text, NULL, NULL, NULL);
}

static bool apply(struct run *r, const struct crv_migration *m) {
  int rc = exec(r, sql[BEGIN]);
  if (rc != SQLITE_OK) return failed(r, rc, m->name);
  rc = exec(r, m->sql);
  if (rc == SQLITE_OK) rc = exec(r, m->stamp);
  if (rc == SQLITE_OK) rc = record(r, m);
  if (rc == SQLITE_OK) rc = exec(r, sql[COMMIT]);
  if (rc == SQLITE_OK) return true;
  failed(r, rc, m->name);
  if (!sqlite3_get_autocommit(r->h)) exec(r, sql[ROLLBACK]);
  return false;
}

bool crv_migrate(sqlite3 *h, const struct crv_migration *list, size_t n, int64_t now_ms,
                 int *ret_rc, struct crv_err *err) {
  struct run r = {.h = h, .list = list, .n = (int64_t)n, .now = now_ms, .rc = ret_rc, .err = err};
  int64_t version;
  *ret_rc = SQLITE_OK;
  if (!check_list(&r) || !check_owner(&r, &version) || !check_applied(&r, version)) return false;
  for (int64_t i = version; i < r.n; i++)
    if (!apply(&r, &list[i])) return false;
  return number(&r, USER_VERSION, &version) &&
         (version == r.n || crv_bug(err, "user_version %lld after %lld migrations",
                                    (long long)version, (long long)r.n));
}
