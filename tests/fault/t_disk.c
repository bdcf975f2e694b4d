/* Disks that fail: a sync that fails leaves the outcome unknown, a full disk makes the store
   read-only until there is room again, memory that runs out fails one write; nothing is lost,
   nothing is half stored, and the process goes on. */
#ifndef _GNU_SOURCE
#define _GNU_SOURCE /* unshare */
#endif
#include <fcntl.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include "tests/fault/shim.h"
#include "tests/unit/storetest.h"

static struct st_place p;
static void setup(void) {
  st_begin(&p);
  shim_install();
}
static void teardown(void) {
  st_end(&p);
}

static bool put(const char *key) {
  struct crv_put one = {.agg = CRV_AGG_SHEET, .key = key, .canonical = "{\"a\":1}"};
  return st_put_as(&p, &one);
}

static bool there(const char *key) {
  struct crv_version v;
  return st_version(&p, CRV_AGG_SHEET, key, 0, 0, &v);
}

/* Tries until it can be written again; the store finds that out by itself. */
static bool recovers(const char *key) {
  for (int i = 0; i < 500; i++) {
    if (put(key)) return true;
    usleep(10000);
  }
  return false;
}

static void whole(int64_t rows) {
  struct crv_ledger_head head;
  ck_assert_msg(st_verify(&p, &head), "%s", p.err->detail);
  ck_assert_int_eq(head.size, rows);
}

START_TEST(a_failed_sync_is_outcome_unknown_and_the_retry_settles_it) {
  const char *why;
  struct crv_store_stats s;
  st_open(&p);
  ck_assert(put("before"));
  shim_fail_syncs(2);
  ck_assert(!put("open"));
  ck_assert_int_eq(p.err->code, CRV_OUTCOME_UNKNOWN);
  ck_assert_str_ne(p.err->log, "");
  ck_assert(!crv_store_writable(p.store, &why));
  ck_assert_str_eq(why, "the disk failed while writing");
  crv_store_stats(p.store, &s);
  ck_assert(s.read_only);
  ck_assert(there("before"));
  ck_assert(!put("refused")); /* the probe meets the second failing sync */
  ck_assert_int_eq(p.err->code, CRV_READ_ONLY);
  ck_assert(recovers("after"));
  ck_assert(crv_store_writable(p.store, &why));
  ck_assert_ptr_null(why);
  /* Answered as unknown, and not there once others were written: the client's retry makes it. */
  ck_assert(!there("open"));
  ck_assert(put("open"));
  whole(3);
  st_close(&p);
  st_open(&p);
  ck_assert(there("before") && there("after") && there("open") && !there("refused"));
  whole(3);
}
END_TEST

/* Killed before any probe, the rows of the failed commit may be there: whole, and chained. */
START_TEST(a_failed_sync_then_a_restart_leaves_whole_rows) {
  char copy[300], from[300];
  st_open(&p);
  ck_assert(put("before"));
  shim_fail_syncs(1000);
  ck_assert(!put("open"));
  ck_assert_int_eq(p.err->code, CRV_OUTCOME_UNKNOWN);
  struct st_place q;
  st_begin(&q);
  static const char *const files[] = {"crivo.db", "crivo.db-wal"};
  for (int i = 0; i < 2; i++) {
    static char bytes[4 << 20];
    snprintf(from, sizeof from, "%s/%s", p.dir, files[i]);
    snprintf(copy, sizeof copy, "%s/%s", q.dir, files[i]);
    int in = open(from, O_RDONLY), out = open(copy, O_WRONLY | O_CREAT, 0600);
    ssize_t n = read(in, bytes, sizeof bytes);
    ck_assert_int_gt(n, 0);
    ck_assert_int_eq(write(out, bytes, (size_t)n), n);
    close(in);
    close(out);
  }
  shim_fail_syncs(0);
  st_open(&q);
  struct crv_ledger_head head;
  struct crv_version v;
  ck_assert_msg(st_verify(&q, &head), "%s", q.err->detail);
  ck_assert(st_version(&q, CRV_AGG_SHEET, "before", 0, 0, &v));
  ck_assert_int_eq(head.size, st_version(&q, CRV_AGG_SHEET, "open", 0, 0, &v) ? 2 : 1);
  st_end(&q);
}
END_TEST

static const int write_codes[] = {SQLITE_FULL, SQLITE_IOERR_WRITE};

START_TEST(failing_writes_make_it_read_only_until_they_pass) {
  const char *why;
  bool full = write_codes[_i] == SQLITE_FULL;
  st_open(&p);
  ck_assert(put("before"));
  shim_fail_writes(write_codes[_i]);
  ck_assert(!put("first"));
  ck_assert_int_eq(p.err->code, full ? CRV_READ_ONLY : CRV_OUTCOME_UNKNOWN);
  for (int i = 0; i < 5; i++) {
    ck_assert(!put("more"));
    ck_assert_int_eq(p.err->code, CRV_READ_ONLY);
  }
  ck_assert(!crv_store_writable(p.store, &why));
  ck_assert_str_eq(why, full ? "the disk is full" : "the disk failed while writing");
  ck_assert(there("before"));
  shim_fail_writes(0);
  ck_assert(recovers("after"));
  whole(2);
}
END_TEST

/* Nobody writes: the writer's own probe finds that there is room again. */
START_TEST(a_quiet_store_recovers_by_itself) {
  st_open(&p);
  shim_fail_writes(SQLITE_FULL);
  ck_assert(!put("first"));
  shim_fail_writes(0);
  for (int i = 0; i < 1000 && !crv_store_writable(p.store, NULL); i++) usleep(10000);
  ck_assert(crv_store_writable(p.store, NULL));
  ck_assert(put("after"));
}
END_TEST

/* -- a disk that is really full ------------------------------------------------------------ */

/* A tmpfs of 2 MiB over p.dir in a mount namespace of this test's process. */
static bool small_disk(void) {
  if (unshare(CLONE_NEWNS) != 0) return false;
  mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL);
  return mount("tmpfs", p.dir, "tmpfs", 0, "size=2m,mode=0700") == 0;
}

static void fill(const char *path) {
  static char block[65536];
  int fd = open(path, O_WRONLY | O_CREAT, 0600);
  ck_assert_int_ge(fd, 0);
  for (size_t n = sizeof block; n >= 512;)
    if (write(fd, block, n) != (ssize_t)n) n /= 2;
  close(fd);
}

START_TEST(a_full_disk_is_read_only_and_recovers_without_restart) {
  char ballast[300], key[32];
  const char *why;
  if (!small_disk()) {
    printf("no mount namespace here: left out\n");
    return;
  }
  snprintf(ballast, sizeof ballast, "%s/ballast", p.dir);
  st_open(&p);
  ck_assert(put("k0"));
  fill(ballast);
  int64_t stored = 1;
  for (bool ok = true; ok && stored < 5000;) {
    snprintf(key, sizeof key, "k%d", (int)stored);
    ok = put(key);
    stored += ok;
  }
  ck_assert_int_lt(stored, 5000);
  ck_assert_int_eq(p.err->code, CRV_READ_ONLY);
  ck_assert(!crv_store_writable(p.store, &why));
  ck_assert(there("k0"));
  whole(stored);
  ck_assert_int_eq(unlink(ballast), 0);
  ck_assert(recovers("after"));
  whole(stored + 1);
  st_close(&p);
  st_open(&p);
  whole(stored + 1);
  st_close(&p);
  umount2(p.dir, MNT_DETACH);
}
END_TEST

START_TEST(a_file_size_limit_is_read_only_and_recovers) {
  struct rlimit was, small = {0};
  char key[32];
  int64_t stored = 0;
  signal(SIGXFSZ, SIG_IGN);
  ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &was), 0);
  st_open(&p);
  ck_assert(put("k0"));
  small.rlim_cur = 300 * 1024;
  small.rlim_max = was.rlim_max;
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &small), 0);
  for (bool ok = true; ok && stored < 5000;) {
    snprintf(key, sizeof key, "k%d", (int)++stored);
    ok = put(key);
  }
  ck_assert_int_lt(stored, 5000);
  ck_assert(p.err->code == CRV_READ_ONLY || p.err->code == CRV_OUTCOME_UNKNOWN);
  ck_assert(there("k0"));
  ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &was), 0);
  ck_assert(recovers("after"));
  whole(stored + 1);
}
END_TEST

/* -- memory -------------------------------------------------------------------------------- */

static sqlite3_mem_methods libc_mem;
static int mem_countdown; /* atomic; 0: never fail */

static bool mem_fails(void) {
  if (__atomic_load_n(&mem_countdown, __ATOMIC_SEQ_CST) <= 0) return false;
  return __atomic_sub_fetch(&mem_countdown, 1, __ATOMIC_SEQ_CST) == 0;
}
static void *mem_alloc(int n) {
  return mem_fails() ? NULL : libc_mem.xMalloc(n);
}
static void *mem_realloc(void *q, int n) {
  return mem_fails() ? NULL : libc_mem.xRealloc(q, n);
}

/* Fails the first, second, third … allocation of a write and of a read, until they need no more. */
START_TEST(any_failed_allocation_fails_one_call_and_nothing_else) {
  sqlite3_mem_methods m;
  struct crv_version v;
  char key[32];
  int failed = 0, passed = 0;
  ck_assert_int_eq(sqlite3_shutdown(), SQLITE_OK);
  ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &libc_mem), SQLITE_OK);
  m = libc_mem;
  m.xMalloc = mem_alloc;
  m.xRealloc = mem_realloc;
  ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_MALLOC, &m), SQLITE_OK);
  shim_install();
  st_open(&p);
  for (int n = 1; n < 400 && passed < 20; n++) {
    snprintf(key, sizeof key, "k%d", n);
    __atomic_store_n(&mem_countdown, n, __ATOMIC_SEQ_CST);
    bool ok = put(key);
    bool read = st_version(&p, CRV_AGG_SHEET, key, 0, 0, &v);
    bool used = __atomic_exchange_n(&mem_countdown, 0, __ATOMIC_SEQ_CST) == 0;
    failed += !ok || !read;
    passed = used ? 0 : passed + 1;
    if (!ok) ck_assert_msg(recovers(key), "%d: %s (%s)", n, p.err->detail, p.err->log);
    ck_assert_msg(there(key), "%d: %s (%s)", n, p.err->detail, p.err->log);
  }
  ck_assert_int_gt(failed, 0);
  ck_assert_int_eq(passed, 20);
  struct crv_ledger_head head;
  ck_assert_msg(st_verify(&p, &head), "%s", p.err->detail);
}
END_TEST

/* Starting with memory that runs out: refused in order, or started. */
START_TEST(any_failed_allocation_at_the_start_is_an_orderly_refusal) {
  sqlite3_mem_methods m;
  int opened = 0, refused = 0;
  ck_assert_int_eq(sqlite3_shutdown(), SQLITE_OK);
  ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_GETMALLOC, &libc_mem), SQLITE_OK);
  m = libc_mem;
  m.xMalloc = mem_alloc;
  m.xRealloc = mem_realloc;
  ck_assert_int_eq(sqlite3_config(SQLITE_CONFIG_MALLOC, &m), SQLITE_OK);
  shim_install();
  for (int n = 1; n < 100000 && opened < 2; n += 1 + n / 20) {
    __atomic_store_n(&mem_countdown, n, __ATOMIC_SEQ_CST);
    int code = st_try_open(&p);
    __atomic_store_n(&mem_countdown, 0, __ATOMIC_SEQ_CST);
    if (code == 0) opened++;
    if (code != 0) {
      refused++;
      ck_assert_msg(code == 73, "%d: exit %d: %s (%s)", n, code, p.err->detail, p.err->log);
      ck_assert_str_ne(p.err->detail, "");
    }
    st_close(&p);
  }
  ck_assert_int_gt(opened, 0);
  ck_assert_int_gt(refused, 0);
  st_open(&p);
  ck_assert(put("after"));
}
END_TEST

static void add(TCase *tc) {
  tcase_add_checked_fixture(tc, setup, teardown);
  tcase_add_test(tc, a_failed_sync_is_outcome_unknown_and_the_retry_settles_it);
  tcase_add_test(tc, a_failed_sync_then_a_restart_leaves_whole_rows);
  tcase_add_loop_test(tc, failing_writes_make_it_read_only_until_they_pass, 0, 2);
  tcase_add_test(tc, a_quiet_store_recovers_by_itself);
  tcase_add_test(tc, a_full_disk_is_read_only_and_recovers_without_restart);
  tcase_add_test(tc, a_file_size_limit_is_read_only_and_recovers);
  tcase_add_test(tc, any_failed_allocation_fails_one_call_and_nothing_else);
  tcase_add_test(tc, any_failed_allocation_at_the_start_is_an_orderly_refusal);
}

int main(void) {
  return st_main("disk", add, 300);
}
