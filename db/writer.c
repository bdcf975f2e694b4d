/* The writer thread: the only one that uses the read-write connection. Callers put a job into its
   queue and wait until the group that it ran in is committed.
   Must not know: SQL, what the writes do. */
#include <errno.h>
#include <signal.h>
#include <time.h>

#include "db/internal.h"

enum { GROUP_MOST = 256, TICK_MS = 1000 };

int64_t crv_mono_ms(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000 + 1;
}

/* -- callers ------------------------------------------------------------------------------- */

static bool enqueue(struct crv_writer *w, struct crv_job *job) {
  if (w->stop) return crv_fail(job->err, CRV_DRAINING, "The service is stopping.");
  if (w->depth >= w->most)
    return crv_fail(job->err, CRV_OVERLOADED, "Too many writes are waiting.");
  if (w->last)
    w->last->next = job;
  else
    w->first = job;
  w->last = job;
  w->depth++;
  pthread_cond_signal(&w->wake);
  return true;
}

bool crv_store_write(struct crv_store *st, crv_write_fn *fn, void *ctx, struct crv_err *err) {
  struct crv_writer *w = &st->writer;
  struct crv_job job = {.fn = fn, .ctx = ctx, .err = err};
  if (pthread_cond_init(&job.settled, NULL) != 0)
    return crv_fail(err, CRV_OUT_OF_MEMORY, "The service is out of memory.");
  pthread_mutex_lock(&w->mu);
  w->callers++;
  if (enqueue(w, &job))
    while (!job.done) pthread_cond_wait(&job.settled, &w->mu);
  if (--w->callers == 0) pthread_cond_signal(&w->left);
  pthread_mutex_unlock(&w->mu);
  pthread_cond_destroy(&job.settled);
  return job.ok;
}

int64_t crv_wtx_now(struct crv_wtx *tx) {
  return tx->now;
}

struct crv_rtx *crv_wtx_read(struct crv_wtx *tx) {
  return &tx->read;
}

/* -- the thread ---------------------------------------------------------------------------- */

static void tick_after(struct timespec *ret) {
  clock_gettime(CLOCK_MONOTONIC, ret);
  ret->tv_sec += TICK_MS / 1000;
}

/* Takes the first jobs off the queue. */
static struct crv_job *take(struct crv_writer *w) {
  struct crv_job *jobs = w->first, *end = jobs;
  if (!jobs) return NULL;
  w->depth--;
  for (unsigned n = 1; n < GROUP_MOST && end->next; n++, w->depth--) end = end->next;
  w->first = end->next;
  if (!w->first) w->last = NULL;
  end->next = NULL;
  return jobs;
}

/* The next group; NULL after a quiet tick, or when it is to end and nothing is queued. */
static struct crv_job *next_group(struct crv_writer *w, bool *ret_stop) {
  struct timespec until;
  int rc = 0;
  tick_after(&until);
  pthread_mutex_lock(&w->mu);
  while (!w->first && !w->stop && rc != ETIMEDOUT)
    rc = pthread_cond_timedwait(&w->wake, &w->mu, &until);
  struct crv_job *jobs = take(w);
  *ret_stop = w->stop && !jobs;
  pthread_mutex_unlock(&w->mu);
  return jobs;
}

/* A job is gone once its thread sees it done, so its successor is read before. */
static void wake_all(struct crv_writer *w, struct crv_job *jobs) {
  pthread_mutex_lock(&w->mu);
  while (jobs) {
    struct crv_job *j = jobs;
    jobs = j->next;
    j->done = true;
    pthread_cond_signal(&j->settled);
  }
  pthread_mutex_unlock(&w->mu);
}

static void *loop(void *arg) {
  struct crv_store *st = arg;
  bool stop = false;
  while (!stop) {
    struct crv_job *jobs = next_group(&st->writer, &stop);
    if (jobs) {
      crv_group_run(st, jobs);
      wake_all(&st->writer, jobs);
    }
    if (!stop) crv_maint(st, jobs == NULL);
  }
  crv_maint_last(st);
  return NULL;
}

bool crv_writer_start(struct crv_store *st, struct crv_err *err) {
  sigset_t all, old;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &old);
  int rc = pthread_create(&st->writer.thread, NULL, loop, st);
  pthread_sigmask(SIG_SETMASK, &old, NULL);
  st->writer.running = rc == 0;
  return rc == 0 || crv_fail(err, CRV_INTERNAL, "the writer thread cannot be started");
}

void crv_writer_stop(struct crv_store *st) {
  struct crv_writer *w = &st->writer;
  pthread_mutex_lock(&w->mu);
  w->stop = true;
  pthread_cond_signal(&w->wake);
  pthread_mutex_unlock(&w->mu);
  if (w->running) pthread_join(w->thread, NULL);
  w->running = false;
  pthread_mutex_lock(&w->mu);
  while (w->callers) pthread_cond_wait(&w->left, &w->mu);
  pthread_mutex_unlock(&w->mu);
}
