/* Figures for /metrics and /readyz: cheap, from any thread, never waiting for the disk's writes.
   Must not know: HTTP, the format of the metrics. */
#include <stdio.h>
#include <sys/stat.h>

#include "db/internal.h"

int64_t crv_store_position(struct crv_store *st) {
  return __atomic_load_n(&st->position, __ATOMIC_ACQUIRE);
}

bool crv_store_writable(struct crv_store *st, const char **ret_why) {
  const char *why = __atomic_load_n(&st->why, __ATOMIC_ACQUIRE);
  if (ret_why) *ret_why = why;
  return why == NULL;
}

static int64_t size_of(const char *path) {
  struct stat is;
  return stat(path, &is) == 0 ? (int64_t)is.st_size : 0;
}

static int64_t wal_size(const struct crv_store *st) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  const char *path = a ? crv_arena_printf(a, "%s-wal", st->path) : NULL;
  return path ? size_of(path) : 0;
}

void crv_store_stats(struct crv_store *st, struct crv_store_stats *ret) {
  *ret = (struct crv_store_stats){
      .commits = __atomic_load_n(&st->commits, __ATOMIC_RELAXED),
      .writes = __atomic_load_n(&st->writes, __ATOMIC_RELAXED),
      .busy_errors =
          __atomic_load_n(&st->writer.db.busy_errors, __ATOMIC_RELAXED) + crv_pool_busy(&st->pool),
      .db_bytes = size_of(st->path),
      .wal_bytes = wal_size(st),
  };
  pthread_mutex_lock(&st->writer.mu);
  ret->queue_depth = st->writer.depth;
  pthread_mutex_unlock(&st->writer.mu);
  ret->read_only = !crv_store_writable(st, &ret->why);
}

/* Fixed in 3.51.3, and in 3.50.7 and 3.44.6 of their lines (sqlite.org, WAL-reset bug). */
const char *crv_store_warning(void) {
  int v = sqlite3_libversion_number();
  bool fixed =
      v < 3007000 || v >= 3051003 || (v >= 3050007 && v < 3051000) || (v >= 3044006 && v < 3045000);
  return fixed ? NULL
               : "this SQLite has the WAL-reset fault (3.7.0 to 3.51.2): only crivod may write to "
                 "crivo.db or checkpoint it while it runs, never the sqlite3 shell";
}
