/* Relaxed atomic counters and their text form. Must not know: what a route does. */
#include "server/metrics.h"

#include <stdlib.h>

/* Upper bounds in microseconds, with the text that Prometheus sees in seconds. */
static const struct {
  int64_t us;
  const char *le;
} buckets[CRV_LATENCY_BUCKETS] = {
    {100, "0.0001"},  {250, "0.00025"}, {500, "0.0005"}, {1000, "0.001"},
    {2500, "0.0025"}, {5000, "0.005"},  {10000, "0.01"}, {25000, "0.025"},
    {100000, "0.1"},  {500000, "0.5"},  {2000000, "2"},  {10000000, "10"},
};

bool crv_metrics_init(struct crv_metrics *m, const struct crv_route *routes, size_t n_routes) {
  m->routes = routes;
  m->n_routes = n_routes;
  m->requests = calloc((n_routes + 1) * CRV_STATUS_CLASSES, sizeof *m->requests);
  return m->requests != NULL;
}

void crv_metrics_done(struct crv_metrics *m) {
  free(m->requests);
  m->requests = NULL;
}

static void add(atomic_ulong *counter, unsigned long n) {
  atomic_fetch_add_explicit(counter, n, memory_order_relaxed);
}

static unsigned long get(atomic_ulong *counter) {
  return atomic_load_explicit(counter, memory_order_relaxed);
}

void crv_metrics_count(struct crv_metrics *m, const struct crv_route *route, int status,
                       size_t bytes, int64_t duration_us) {
  size_t row = route ? (size_t)(route - m->routes) : m->n_routes, bucket = 0;
  int class = status / 100 - 1;
  if (class < 0 || class >= CRV_STATUS_CLASSES || row > m->n_routes) return;
  while (bucket < CRV_LATENCY_BUCKETS && duration_us > buckets[bucket].us) bucket++;
  add(&m->requests[row * CRV_STATUS_CLASSES + (size_t) class], 1);
  add(&m->latency[bucket], 1);
  add(&m->latency_sum_us, duration_us > 0 ? (unsigned long)duration_us : 0);
  add(&m->sent_bytes, bytes);
}

static void head(struct crv_buf *out, const char *name, const char *type, const char *help) {
  crv_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n", name, help, name, type);
}

static void requests_text(struct crv_metrics *m, struct crv_buf *out) {
  head(out, "crivo_http_requests_total", "counter",
       "Requests answered, by route and status class.");
  for (size_t row = 0; row <= m->n_routes; row++) {
    for (size_t class = 0; class < CRV_STATUS_CLASSES; class ++) {
      unsigned long n = get(&m->requests[row * CRV_STATUS_CLASSES + class]);
      if (n == 0) continue;
      crv_buf_printf(out, "crivo_http_requests_total{route=\"%s\",class=\"%zuxx\"} %lu\n",
                     row < m->n_routes ? m->routes[row].id : "none", class + 1, n);
    }
  }
}

static void latency_text(struct crv_metrics *m, struct crv_buf *out) {
  const char *name = "crivo_http_request_duration_seconds";
  unsigned long n = 0, sum = get(&m->latency_sum_us);
  head(out, name, "histogram", "From the request line to the last byte of the answer.");
  for (size_t i = 0; i < CRV_LATENCY_BUCKETS; i++) {
    n += get(&m->latency[i]);
    crv_buf_printf(out, "%s_bucket{le=\"%s\"} %lu\n", name, buckets[i].le, n);
  }
  n += get(&m->latency[CRV_LATENCY_BUCKETS]);
  crv_buf_printf(out, "%s_bucket{le=\"+Inf\"} %lu\n%s_sum %lu.%06lu\n%s_count %lu\n", name, n, name,
                 sum / 1000000, sum % 1000000, name, n);
}

static void one(struct crv_buf *out, const char *name, const char *type, const char *help, long v) {
  head(out, name, type, help);
  crv_buf_printf(out, "%s %ld\n", name, v);
}

void crv_metrics_text(struct crv_metrics *m, struct crv_buf *out) {
  requests_text(m, out);
  latency_text(m, out);
  one(out, "crivo_http_response_bytes_total", "counter", "Bytes of answer bodies.",
      (long)get(&m->sent_bytes));
  one(out, "crivo_http_cut_total", "counter", "Requests that ended before their answer was sent.",
      (long)get(&m->cut));
  one(out, "crivo_http_connections_total", "counter", "Connections accepted.",
      (long)get(&m->connections_total));
  one(out, "crivo_http_connections", "gauge", "Connections open.", atomic_load(&m->connections));
  one(out, "crivo_http_requests_in_flight", "gauge", "Requests being worked on.",
      atomic_load(&m->in_flight));
}
