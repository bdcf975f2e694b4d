/* Opening and closing the store: the state folder, its lock, the file, the schema, the readers, the
   writer. Every failure names the path and what to do, for stderr.
   Must not know: what is stored. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <sysexits.h>
#include <unistd.h>

#include "db/conn.h"
#include "db/internal.h"
#include "db/migrate.h"

enum { READERS = 16, QUEUE = 4096 };

/* -- the folder and the file --------------------------------------------------------------- */

/* File systems whose locks or shared memory SQLite's log cannot rely on. */
static const struct {
  unsigned type;
  const char *name;
} remote[] = {
    {0x6969, "NFS"}, {0xff534d42, "CIFS"}, {0xfe534d42, "SMB"}, {0x517b, "SMB"}, {0x01021997, "9p"},
};

static bool local_disk(const char *dir, struct crv_err *err) {
  struct statfs fs;
  if (statfs(dir, &fs) != 0) return true;
  for (size_t i = 0; i < sizeof remote / sizeof *remote; i++)
    if ((unsigned)fs.f_type == remote[i].type)
      return crv_fail(err, CRV_INTERNAL,
                      "the state folder %s is on a network file system (%s): use a local disk", dir,
                      remote[i].name);
  return true;
}

/* Makes the folder and those above it that are missing, all for the owner only. */
static bool make_dir(const char *dir) {
  char path[4096];
  size_t len = strlen(dir);
  if (mkdir(dir, 0700) == 0 || errno == EEXIST) return true;
  if (errno != ENOENT || len >= sizeof path) return false;
  for (size_t at = 1; at < len; at++) {
    if (dir[at] != '/') continue;
    memcpy(path, dir, at);
    path[at] = '\0';
    if (mkdir(path, 0700) != 0 && errno != EEXIST) return false;
  }
  return mkdir(dir, 0700) == 0 || errno == EEXIST;
}

static bool open_dir(struct crv_store *st, const char *dir, struct crv_err *err) {
  struct stat is;
  if (!make_dir(dir))
    return crv_fail(err, CRV_INTERNAL, "the state folder %s cannot be made: %s", dir,
                    strerror(errno));
  if (stat(dir, &is) != 0)
    return crv_fail(err, CRV_INTERNAL, "the state folder %s cannot be read: %s", dir,
                    strerror(errno));
  if (!S_ISDIR(is.st_mode)) return crv_fail(err, CRV_INTERNAL, "%s is not a folder", dir);
  if (access(dir, R_OK | W_OK | X_OK) != 0)
    return crv_fail(err, CRV_INTERNAL,
                    "the state folder %s cannot be written: %s; give it to the user that runs "
                    "crivod (chown), or name another with --state",
                    dir, strerror(errno));
  st->dir = realpath(dir, NULL);
  size_t room = st->dir ? strlen(st->dir) + sizeof "/crivo.db" : 0;
  st->path = st->dir ? malloc(room) : NULL;
  if (!st->path) return crv_fail(err, CRV_OUT_OF_MEMORY, "out of memory");
  snprintf(st->path, room, "%s/crivo.db", st->dir);
  return local_disk(st->dir, err);
}

static bool not_database(const char *path, struct crv_err *err) {
  return crv_fail(err, CRV_INTERNAL,
                  "%s is not a database, or is damaged: restore a backup in its place", path);
}

static uint32_t big_endian(const unsigned char *p) {
  return (uint32_t)p[0] << 24 | (uint32_t)p[1] << 16 | (uint32_t)p[2] << 8 | p[3];
}

/* Looks at the file's first bytes before SQLite may touch it: a file of another program stays as it
   is. Offsets are those of the SQLite file format, 1.3: schema cookie 40, application_id 68. */
static bool check_head(struct crv_store *st, const unsigned char *head, ssize_t n,
                       struct crv_err *err) {
  if (n == 0) return true;
  if (n < 100 || memcmp(head, "SQLite format 3", 16) != 0) return not_database(st->path, err);
  uint32_t cookie = big_endian(head + 40), id = big_endian(head + 68);
  if (id == CRV_APPLICATION_ID || (id == 0 && cookie == 0)) return true;
  return crv_fail(err, CRV_INTERNAL,
                  "%s is refused: it belongs to another program (application_id %u)", st->path,
                  (unsigned)id);
}

/* Made 0600 before SQLite sees it; the log and its index take the same mode. */
static bool open_file(struct crv_store *st, int *ret_exit, struct crv_err *err) {
  unsigned char head[100] = "";
  int fd = open(st->path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0)
    return crv_fail(err, CRV_INTERNAL, "%s cannot be opened for writing: %s", st->path,
                    errno == ELOOP ? "it is a symbolic link" : strerror(errno));
  ssize_t n = read(fd, head, sizeof head);
  close(fd);
  if (n < 0) return crv_fail(err, CRV_INTERNAL, "%s cannot be read", st->path);
  if (check_head(st, head, n, err)) return true;
  *ret_exit = EX_DATAERR;
  return false;
}

/* -- the database -------------------------------------------------------------------------- */

/* A sentence for stderr and the exit code from SQLite's result code, where err is not one yet. */
static bool explain(struct crv_store *st, int rc, int *ret_exit, struct crv_err *err) {
  char log[sizeof err->log];
  snprintf(log, sizeof log, "%s", err->log);
  if (err->code == CRV_OUT_OF_MEMORY) return false;
  switch (rc & 0xff) {
  case SQLITE_CORRUPT:
  case SQLITE_NOTADB:
    *ret_exit = EX_DATAERR;
    return not_database(st->path, err);
  case SQLITE_BUSY:
  case SQLITE_LOCKED:
    *ret_exit = EX_TEMPFAIL;
    return crv_fail(err, CRV_CONFLICT, "%s is in use by another program: close it first", st->path);
  case SQLITE_NOMEM:
    return crv_fail(err, CRV_OUT_OF_MEMORY, "out of memory");
  case SQLITE_FULL:
    return crv_fail(err, CRV_READ_ONLY, "%s cannot be written: the disk is full", st->path);
  case SQLITE_ERROR:
    *ret_exit = EX_DATAERR;
    return crv_fail(err, CRV_INTERNAL, "%s cannot be used: %s", st->path, log);
  default:
    return crv_fail(err, CRV_INTERNAL, "%s cannot be opened: %s", st->path, log);
  }
}

static bool refused(struct crv_store *st, int *ret_exit, struct crv_err *err) {
  char why[sizeof err->detail];
  snprintf(why, sizeof why, "%s", err->detail);
  *ret_exit = EX_DATAERR;
  return crv_fail(err, CRV_INTERNAL, "%s is refused: %s", st->path, why);
}

static int on_commit(void *ctx, sqlite3 *h, const char *name, int pages) {
  (void)h;
  (void)name;
  ((struct crv_writer *)ctx)->wal_pages = pages;
  return SQLITE_OK;
}

static bool open_writer(struct crv_store *st, int *ret_exit, struct crv_err *err) {
  struct crv_writer *w = &st->writer;
  int rc;
  if (!crv_conn_open(&w->db, st->path, true, &rc, err)) return explain(st, rc, ret_exit, err);
  if (!crv_migrate(w->db.h, crv_migrations, crv_migration_count, st->clock_ms(st->clock_ctx), &rc,
                   err))
    return err->code == CRV_CONFLICT ? refused(st, ret_exit, err)
                                     : explain(st, rc ? rc : SQLITE_ERROR, ret_exit, err);
  if (!crv_db_prepare(&w->db, err)) return explain(st, SQLITE_ERROR, ret_exit, err);
  if (!crv_ledger_load(&w->db, &w->head, err))
    return err->code == CRV_CONFLICT
               ? refused(st, ret_exit, err)
               : explain(st, w->db.fault ? w->db.fault : SQLITE_ERROR, ret_exit, err);
  st->position = w->head.seq;
  sqlite3_wal_hook(w->db.h, on_commit, w);
  w->wal_dirty = true;
  return true;
}

/* -- the store ----------------------------------------------------------------------------- */

static bool init_locks(struct crv_store *st) {
  pthread_condattr_t mono;
  if (pthread_condattr_init(&mono) != 0) return false;
  pthread_condattr_setclock(&mono, CLOCK_MONOTONIC);
  bool ok = pthread_mutex_init(&st->writer.mu, NULL) == 0 &&
            pthread_cond_init(&st->writer.wake, &mono) == 0 &&
            pthread_cond_init(&st->writer.left, NULL) == 0 &&
            pthread_mutex_init(&st->pool.mu, NULL) == 0 &&
            pthread_cond_init(&st->pool.returned, &mono) == 0 &&
            pthread_mutex_init(&st->flight_mu, NULL) == 0;
  pthread_condattr_destroy(&mono);
  return ok;
}

static bool open_all(struct crv_store *st, const struct crv_store_config *cfg, int *ret_exit,
                     struct crv_err *err) {
  int rc;
  if (!open_dir(st, cfg->dir, err) || !crv_lock_take(st->dir, &st->lock, ret_exit, err) ||
      !open_file(st, ret_exit, err) || !open_writer(st, ret_exit, err))
    return false;
  if (!crv_pool_open(&st->pool, st->path, cfg->readers ? cfg->readers : READERS, &rc, err))
    return explain(st, rc, ret_exit, err);
  return crv_writer_start(st, err);
}

struct crv_store *crv_store_open(const struct crv_store_config *cfg, int *ret_exit,
                                 struct crv_err *err) {
  *ret_exit = EX_CANTCREAT;
  struct crv_store *st = calloc(1, sizeof *st);
  if (!st || !init_locks(st)) {
    free(st);
    crv_fail(err, CRV_OUT_OF_MEMORY, "out of memory");
    return NULL;
  }
  st->lock = -1;
  st->clock_ms = cfg->clock_ms;
  st->clock_ctx = cfg->clock_ctx;
  st->writer.most = cfg->queue ? cfg->queue : QUEUE;
  if (open_all(st, cfg, ret_exit, err)) {
    st->opened = true;
    *ret_exit = 0;
    return st;
  }
  crv_store_close(st);
  return NULL;
}

/* Readers go before the writer, so that the last checkpoint finds nothing in its way. */
void crv_store_close(struct crv_store *st) {
  if (!st) return;
  crv_writer_stop(st);
  crv_pool_close(&st->pool);
  if (st->opened && !st->why)
    sqlite3_wal_checkpoint_v2(st->writer.db.h, NULL, SQLITE_CHECKPOINT_TRUNCATE, NULL, NULL);
  crv_db_close(&st->writer.db);
  if (st->lock >= 0) close(st->lock);
  crv_flight_free(st);
  pthread_cond_destroy(&st->writer.wake);
  pthread_cond_destroy(&st->writer.left);
  pthread_mutex_destroy(&st->writer.mu);
  pthread_cond_destroy(&st->pool.returned);
  pthread_mutex_destroy(&st->pool.mu);
  pthread_mutex_destroy(&st->flight_mu);
  free(st->dir);
  free(st->path);
  free(st);
}
