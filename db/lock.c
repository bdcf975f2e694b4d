/* One process a state folder: crivo.lock is held for as long as the store is open. The kernel drops
   it when the process ends, however it ends.
   Must not know: SQLite. */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sysexits.h>
#include <unistd.h>

#include "core/base/cleanup.h"
#include "db/internal.h"

static bool failed(const char *path, int *ret_exit, struct crv_err *err) {
  *ret_exit = EX_CANTCREAT;
  return crv_fail(err, CRV_INTERNAL, "%s cannot be locked: %s", path, strerror(errno));
}

bool crv_lock_take(const char *dir, int *ret_fd, int *ret_exit, struct crv_err *err) {
  _arena_ struct crv_arena *a = crv_arena_new(0);
  const char *path = a ? crv_arena_printf(a, "%s/crivo.lock", dir) : NULL;
  if (!path) return crv_fail(err, CRV_OUT_OF_MEMORY, "out of memory");
  int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600);
  if (fd < 0) return failed(path, ret_exit, err);
  if (flock(fd, LOCK_EX | LOCK_NB) == 0) {
    *ret_fd = fd;
    return true;
  }
  int why = errno;
  close(fd);
  errno = why;
  if (why != EWOULDBLOCK) return failed(path, ret_exit, err);
  *ret_exit = EX_TEMPFAIL;
  return crv_fail(err, CRV_CONFLICT,
                  "the state folder %s is in use by another process: stop that one first, or give "
                  "this one its own folder",
                  dir);
}
