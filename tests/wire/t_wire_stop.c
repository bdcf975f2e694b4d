/* The library's own way of no longer accepting aborts the process when a polling thread is awake:
   both take the listening socket out of the thread's epoll set. Here the first such removal waits
   until the threads have been awake. */
#define _GNU_SOURCE /* syscall */
#include <check.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "tests/wire/wire.h"

enum { THREADS = 4, CLIENTS = 8, AWAKE = 200, ROUNDS = 5 };

static atomic_uint answered, ended, removals;

static bool listens(int fd) {
  int on = 0;
  socklen_t len = sizeof on;
  return getsockopt(fd, SOL_SOCKET, SO_ACCEPTCONN, &on, &len) == 0 && on;
}

/* Stands before the C library's, which the HTTP library would call. */
int epoll_ctl(int set, int op, int fd, struct epoll_event *event) {
  if (op == EPOLL_CTL_DEL && listens(fd) && atomic_fetch_add(&removals, 1) == 0) {
    unsigned until = atomic_load(&answered) + AWAKE;
    while (atomic_load(&answered) < until && atomic_load(&ended) < CLIENTS) sched_yield();
  }
  return (int)syscall(SYS_epoll_ctl, set, op, fd, event);
}

static void *ask_on(void *arg) {
  const struct service *s = arg;
  struct client *c = calloc(1, sizeof *c);
  struct answer *a = calloc(1, sizeof *a);
  ck_assert(c && a && client_open(c, s->port));
  do {
    client_text(c, "GET /v1/list HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer tok-admin\r\n\r\n");
    client_read(c, false, a);
    atomic_fetch_add(&answered, 1);
  } while (a->status == 200);
  atomic_fetch_add(&ended, 1);
  client_close(c);
  free(c);
  free(a);
  return NULL;
}

START_TEST(stopping_while_threads_are_awake) {
  static struct service s;
  const struct crv_daemon_config cfg = {.log_fd = -1, .threads = THREADS};
  pthread_t threads[CLIENTS];
  for (int round = 0; round < ROUNDS; round++) {
    service_start(&s, &cfg);
    atomic_store(&ended, 0);
    atomic_store(&removals, 0);
    unsigned from = atomic_load(&answered);
    for (int i = 0; i < CLIENTS; i++) pthread_create(&threads[i], NULL, ask_on, &s);
    while (atomic_load(&answered) < from + AWAKE) sched_yield();
    crv_daemon_drain(s.daemon, 20000);
    s.daemon = NULL;
    for (int i = 0; i < CLIENTS; i++) pthread_join(threads[i], NULL);
  }
}
END_TEST

int main(void) {
  Suite *suite = suite_create("stop");
  TCase *tc = tcase_create("stop");
  tcase_set_timeout(tc, 60);
  tcase_add_test(tc, stopping_while_threads_are_awake);
  suite_add_tcase(suite, tc);
  SRunner *sr = srunner_create(suite);
  srunner_run_all(sr, CK_NORMAL);
  int failed = srunner_ntests_failed(sr);
  srunner_free(sr);
  return failed ? 1 : 0;
}
