/* Group commit: many writes in one transaction, each in a savepoint of its own, so that a write
   that fails leaves the others alone. Nothing is acknowledged before COMMIT. A fault that spoils
   the whole transaction rolls it back and runs the writes again one by one. A COMMIT that fails by
   anything but a full disk may have reached the disk or not: its writes get OUTCOME_UNKNOWN and the
   store stays read-only until a probe can be committed; the probe overwrites what the failed commit
   may have left in the log, so that no half-known row appears later. Must not know: threads, what
   the writes do. */
#include <string.h>

#include "db/internal.h"

enum { BEGIN, COMMIT, ROLLBACK, SAVE, RELEASE, BACK, PROBE };
static const struct crv_stmt_def stmts[] = {
    {BEGIN, CRV_CONTROL, "BEGIN IMMEDIATE"},
    {COMMIT, CRV_CONTROL, "COMMIT"},
    {ROLLBACK, CRV_CONTROL, "ROLLBACK"},
    {SAVE, CRV_CONTROL, "SAVEPOINT one_write"},
    {RELEASE, CRV_CONTROL, "RELEASE one_write"},
    {BACK, CRV_CONTROL, "ROLLBACK TO one_write"},
    {PROBE, CRV_WRITE, "UPDATE probe SET filler = randomblob(65536) WHERE id = 1"},
};
const struct crv_stmt_table crv_group_stmts = {"group", stmts, sizeof stmts / sizeof *stmts};

enum { PROBE_EVERY_MS = 200 };

static int control(struct crv_store *st, unsigned id) {
  return crv_db_control(&st->writer.db, CRV_SET_GROUP, id);
}

/* -- the read-only state ------------------------------------------------------------------- */

static void set_why(struct crv_store *st, const char *why) {
  __atomic_store_n(&st->why, why, __ATOMIC_RELEASE);
}

static void note_fault(struct crv_store *st, int rc) {
  switch (rc & 0xff) {
  case SQLITE_FULL:
    set_why(st, "the disk is full");
    break;
  case SQLITE_IOERR:
    set_why(st, "the disk failed while writing");
    break;
  case SQLITE_READONLY:
  case SQLITE_CANTOPEN:
    set_why(st, "the database cannot be written");
    break;
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
    st->damaged = true;
    set_why(st, "the database is damaged: restore a backup");
    break;
  default:
    break;
  }
}

bool crv_group_probe(struct crv_store *st) {
  struct crv_writer *w = &st->writer;
  if (st->damaged) return false;
  int64_t now = crv_mono_ms();
  if (w->probed_at && now - w->probed_at < PROBE_EVERY_MS) return false;
  w->probed_at = now;
  int rc = control(st, BEGIN);
  if (rc == SQLITE_OK) rc = control(st, PROBE);
  if (rc == SQLITE_OK) rc = control(st, COMMIT);
  if (!sqlite3_get_autocommit(w->db.h)) control(st, ROLLBACK);
  if (rc != SQLITE_OK) {
    note_fault(st, rc);
    return false;
  }
  w->wal_dirty = true;
  w->probed_at = 0;
  set_why(st, NULL);
  return true;
}

/* -- settling jobs ------------------------------------------------------------------------- */

static void refuse(struct crv_store *st, struct crv_job *jobs, int rc, const char *what) {
  note_fault(st, rc);
  for (struct crv_job *j = jobs; j; j = j->next) {
    j->ok = false;
    crv_db_fail(&st->writer.db, rc, what, j->err);
    if ((rc & 0xff) == SQLITE_IOERR)
      crv_fail(j->err, CRV_READ_ONLY, "The disk failed; nothing was stored.");
  }
}

static void refuse_all(struct crv_job *jobs, enum crv_code code, const char *detail) {
  for (struct crv_job *j = jobs; j; j = j->next) {
    j->ok = false;
    crv_fail(j->err, code, "%s", detail);
  }
}

static void unknown(struct crv_store *st, struct crv_job *jobs, int rc) {
  for (struct crv_job *j = jobs; j; j = j->next) crv_db_fail(&st->writer.db, rc, "commit", j->err);
  refuse_all(jobs, CRV_OUTCOME_UNKNOWN,
             "The disk failed while the write was committed; it may be stored or not.");
  note_fault(st, rc);
  if (!st->why) set_why(st, "a commit failed");
}

/* -- one transaction ----------------------------------------------------------------------- */

static bool spoiled(const struct crv_db *db) {
  return db->fault || sqlite3_get_autocommit(db->h);
}

static void run_job(struct crv_store *st, struct crv_job *j) {
  struct crv_writer *w = &st->writer;
  struct crv_head before = w->head;
  struct crv_wtx tx = {.read = {.db = &w->db, .known = before.seq}, .head = &w->head};
  if (j->tried) crv_err_init(j->err);
  j->tried = true;
  j->ok = false;
  if (control(st, SAVE) != SQLITE_OK) {
    if (!w->db.fault) w->db.fault = SQLITE_ABORT;
    return;
  }
  tx.now = st->clock_ms(st->clock_ctx);
  j->ok = j->fn(&tx, j->ctx, j->err);
  if (w->db.live != 0) j->ok = crv_bug(j->err, "a write left a query open");
  if (spoiled(&w->db)) return;
  if (!j->ok) {
    w->head = before;
    if (control(st, BACK) != SQLITE_OK && !w->db.fault) w->db.fault = SQLITE_ABORT;
  }
  if (control(st, RELEASE) != SQLITE_OK && !w->db.fault) w->db.fault = SQLITE_ABORT;
}

static int begin(struct crv_store *st) {
  struct crv_db *db = &st->writer.db;
  if (!sqlite3_get_autocommit(db->h)) control(st, ROLLBACK);
  db->fault = SQLITE_OK;
  return control(st, BEGIN);
}

static void roll_back(struct crv_store *st, const struct crv_head *head) {
  if (!sqlite3_get_autocommit(st->writer.db.h)) control(st, ROLLBACK);
  st->writer.head = *head;
}

static void publish(struct crv_store *st, const struct crv_job *jobs, bool changed) {
  int64_t written = 0;
  for (const struct crv_job *j = jobs; j; j = j->next) written += j->ok;
  __atomic_store_n(&st->position, st->writer.head.seq, __ATOMIC_RELEASE);
  if (!changed) return;
  __atomic_add_fetch(&st->writes, written, __ATOMIC_RELAXED);
  __atomic_add_fetch(&st->commits, 1, __ATOMIC_RELAXED);
  st->writer.wal_dirty = true;
  if (st->why && !st->damaged) set_why(st, NULL);
}

/* Runs the jobs of the list in one transaction. False: rolled back, nothing settled, and they may
   be run again one by one. With alone they are settled in any case. */
static bool attempt(struct crv_store *st, struct crv_job *jobs, bool alone) {
  struct crv_db *db = &st->writer.db;
  struct crv_head before = st->writer.head;
  int changes = sqlite3_total_changes(db->h);
  int rc = begin(st);
  if (rc != SQLITE_OK) {
    refuse(st, jobs, rc, "begin");
    return true;
  }
  for (struct crv_job *j = jobs; j && !spoiled(db); j = j->next) run_job(st, j);
  if (spoiled(db)) {
    rc = db->fault ? db->fault : SQLITE_ABORT;
    roll_back(st, &before);
    if (!alone) return false;
    refuse(st, jobs, rc, "write");
    return true;
  }
  rc = control(st, COMMIT);
  if (rc == SQLITE_OK) {
    publish(st, jobs, sqlite3_total_changes(db->h) != changes);
    return true;
  }
  roll_back(st, &before);
  if ((rc & 0xff) == SQLITE_FULL && !alone) return false;
  if ((rc & 0xff) == SQLITE_FULL)
    refuse(st, jobs, rc, "commit");
  else
    unknown(st, jobs, rc);
  return true;
}

void crv_group_run(struct crv_store *st, struct crv_job *jobs) {
  if (st->why && !crv_group_probe(st)) {
    refuse_all(jobs, CRV_READ_ONLY, "The service cannot write now; nothing was stored.");
    return;
  }
  if (attempt(st, jobs, jobs->next == NULL)) return;
  for (struct crv_job *j = jobs; j; j = j->next) {
    struct crv_job *rest = j->next;
    j->next = NULL;
    attempt(st, j, true);
    j->next = rest;
  }
}

bool crv_group_own(struct crv_store *st, crv_write_fn *fn, void *ctx) {
  struct crv_err err;
  crv_err_init(&err);
  struct crv_job job = {.fn = fn, .ctx = ctx, .err = &err};
  if (st->why) return false;
  attempt(st, &job, true);
  return job.ok;
}
