/* Counters of the HTTP process, as Prometheus text. Labels are bounded: a route's id and a status
   class, never a path or a name that a client chose. */
#ifndef CRV_SERVER_METRICS_H
#define CRV_SERVER_METRICS_H

#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>

#include "core/base/buf.h"
#include "server/route.h"

enum { CRV_STATUS_CLASSES = 5, CRV_LATENCY_BUCKETS = 12 };

struct crv_metrics {
  const struct crv_route *routes;
  size_t n_routes;
  atomic_ulong *requests; /* (n_routes + 1) rows of CRV_STATUS_CLASSES; the last: no route */
  atomic_ulong latency[CRV_LATENCY_BUCKETS + 1], latency_sum_us;
  atomic_ulong sent_bytes, cut; /* cut: answers that did not reach the client whole */
  atomic_ulong connections_total;
  atomic_long connections, in_flight;
};

bool crv_metrics_init(struct crv_metrics *m, const struct crv_route *routes, size_t n_routes);
void crv_metrics_done(struct crv_metrics *m);
/* Counts one finished request. route may be NULL; status 0: none was sent. */
void crv_metrics_count(struct crv_metrics *m, const struct crv_route *route, int status,
                       size_t bytes, int64_t duration_us);
void crv_metrics_text(struct crv_metrics *m, struct crv_buf *out);

#endif
