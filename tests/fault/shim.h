/* A disk that fails on demand: an SQLite VFS over the usual one, made the default. Only writes and
   syncs of the write-ahead log are touched. */
#ifndef TESTS_FAULT_SHIM_H
#define TESTS_FAULT_SHIM_H

/* Registers it; before any connection is opened. */
void shim_install(void);
/* The next n syncs fail with SQLITE_IOERR_FSYNC after the writes went through. */
void shim_fail_syncs(int n);
/* Every write fails with this SQLite result code until it is set to 0. */
void shim_fail_writes(int rc);
/* Writes seen so far. */
int shim_writes(void);
/* The process kills itself with SIGKILL at this write from now, half of it done; 0: never. */
void shim_kill_at_write(int n);

#endif
