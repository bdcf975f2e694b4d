/* One JSON line an event on a file descriptor; each line is one write. Safe from any thread. */
#ifndef CRV_SERVER_LOG_H
#define CRV_SERVER_LOG_H

#include <stddef.h>
#include <stdint.h>

/* Where lines go from now on; -1: nowhere. The descriptor stays the caller's. */
void crv_log_open(int fd);
/* level: "info", "warn", "error". Pairs of key, text value, ended by NULL. Never a token's
   secret, and no NULL among the values. */
void crv_log(const char *level, const char *event, ...) __attribute__((sentinel));

/* What is told about one finished request. Texts may be NULL and are then left out. */
struct crv_log_request {
  const char *request_id, *method, *route, *path, *token, *remote, *ended;
  int status;
  size_t bytes;
  int64_t duration_us;
};
/* The line of one request, event "request". */
void crv_log_request(const struct crv_log_request *r);

#endif
