/* A disk that fails on demand, between SQLite and its usual VFS. */
#include "tests/fault/shim.h"

#include <signal.h>
#include <sqlite3.h>
#include <string.h>
#include <unistd.h>

struct shim_file {
  sqlite3_file base;
  int is_log;
  sqlite3_file *real; /* behind this struct */
};

static sqlite3_vfs shim;
static sqlite3_vfs *usual;
static sqlite3_io_methods methods;
static int syncs_to_fail, write_rc, writes, kill_at; /* atomics */

static int get(const int *p) {
  return __atomic_load_n(p, __ATOMIC_SEQ_CST);
}
static void set(int *p, int v) {
  __atomic_store_n(p, v, __ATOMIC_SEQ_CST);
}

void shim_fail_syncs(int n) {
  set(&syncs_to_fail, n);
}
void shim_fail_writes(int rc) {
  set(&write_rc, rc);
}
int shim_writes(void) {
  return get(&writes);
}
void shim_kill_at_write(int n) {
  set(&kill_at, n ? get(&writes) + n : 0);
}

static sqlite3_file *real(sqlite3_file *f) {
  return ((struct shim_file *)f)->real;
}

static int do_close(sqlite3_file *f) {
  return real(f)->pMethods->xClose(real(f));
}
static int do_read(sqlite3_file *f, void *p, int n, sqlite3_int64 at) {
  return real(f)->pMethods->xRead(real(f), p, n, at);
}
static int do_write(sqlite3_file *f, const void *p, int n, sqlite3_int64 at) {
  if (((struct shim_file *)f)->is_log) {
    int count = __atomic_add_fetch(&writes, 1, __ATOMIC_SEQ_CST);
    if (get(&write_rc)) return get(&write_rc);
    if (get(&kill_at) && count >= get(&kill_at)) {
      real(f)->pMethods->xWrite(real(f), p, n / 2, at);
      kill(getpid(), SIGKILL);
    }
  }
  return real(f)->pMethods->xWrite(real(f), p, n, at);
}
static int do_truncate(sqlite3_file *f, sqlite3_int64 size) {
  return real(f)->pMethods->xTruncate(real(f), size);
}
static int do_sync(sqlite3_file *f, int flags) {
  int rc = real(f)->pMethods->xSync(real(f), flags);
  if (!((struct shim_file *)f)->is_log || get(&syncs_to_fail) <= 0) return rc;
  __atomic_sub_fetch(&syncs_to_fail, 1, __ATOMIC_SEQ_CST);
  return SQLITE_IOERR_FSYNC;
}
static int do_size(sqlite3_file *f, sqlite3_int64 *size) {
  return real(f)->pMethods->xFileSize(real(f), size);
}
static int do_lock(sqlite3_file *f, int how) {
  return real(f)->pMethods->xLock(real(f), how);
}
static int do_unlock(sqlite3_file *f, int how) {
  return real(f)->pMethods->xUnlock(real(f), how);
}
static int do_reserved(sqlite3_file *f, int *ret) {
  return real(f)->pMethods->xCheckReservedLock(real(f), ret);
}
static int do_control(sqlite3_file *f, int op, void *arg) {
  return real(f)->pMethods->xFileControl(real(f), op, arg);
}
static int do_sector(sqlite3_file *f) {
  return real(f)->pMethods->xSectorSize(real(f));
}
static int do_traits(sqlite3_file *f) {
  return real(f)->pMethods->xDeviceCharacteristics(real(f));
}
static int do_shm_map(sqlite3_file *f, int page, int size, int extend, void volatile **ret) {
  return real(f)->pMethods->xShmMap(real(f), page, size, extend, ret);
}
static int do_shm_lock(sqlite3_file *f, int at, int n, int flags) {
  return real(f)->pMethods->xShmLock(real(f), at, n, flags);
}
static void do_shm_barrier(sqlite3_file *f) {
  real(f)->pMethods->xShmBarrier(real(f));
}
static int do_shm_unmap(sqlite3_file *f, int gone) {
  return real(f)->pMethods->xShmUnmap(real(f), gone);
}

static int do_open(sqlite3_vfs *vfs, const char *name, sqlite3_file *f, int flags, int *ret) {
  struct shim_file *s = (struct shim_file *)f;
  (void)vfs;
  s->real = (sqlite3_file *)(void *)(s + 1);
  s->is_log = (flags & SQLITE_OPEN_WAL) != 0;
  int rc = usual->xOpen(usual, name, s->real, flags, ret);
  s->base.pMethods = s->real->pMethods ? &methods : NULL;
  return rc;
}

void shim_install(void) {
  if (!usual) usual = sqlite3_vfs_find(NULL);
  shim = *usual;
  shim.zName = "shim";
  shim.szOsFile = (int)sizeof(struct shim_file) + usual->szOsFile;
  shim.xOpen = do_open;
  methods = (sqlite3_io_methods){
      .iVersion = 2,
      .xClose = do_close,
      .xRead = do_read,
      .xWrite = do_write,
      .xTruncate = do_truncate,
      .xSync = do_sync,
      .xFileSize = do_size,
      .xLock = do_lock,
      .xUnlock = do_unlock,
      .xCheckReservedLock = do_reserved,
      .xFileControl = do_control,
      .xSectorSize = do_sector,
      .xDeviceCharacteristics = do_traits,
      .xShmMap = do_shm_map,
      .xShmLock = do_shm_lock,
      .xShmBarrier = do_shm_barrier,
      .xShmUnmap = do_shm_unmap,
  };
  sqlite3_vfs_register(&shim, 1);
}
