/* Making and ending what every handler reaches, and the metrics of the store. */
#include "api/context.h"

#include <inttypes.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

#include "api/openapi.h"
#include "api/world.h"

/* The first token's digest outlives restarts and leaves the database only by reading it. */
static bool read_key(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  static const char label[] = "crivo cursor";
  struct crv_api *api = ctx;
  struct crv_token_row row;
  _arena_ struct crv_arena *a = crv_arena_new(0);
  if (!a) return crv_fail(err, CRV_OUT_OF_MEMORY, "No memory to start.");
  if (!crv_rd_token(tx, 1, a, &row, err)) return false;
  crypto_generichash_state st;
  crypto_generichash_init(&st, NULL, 0, CRV_CURSOR_KEY);
  crypto_generichash_update(&st, (const unsigned char *)label, sizeof label);
  crypto_generichash_update(&st, (const unsigned char *)row.hash, strlen(row.hash));
  crypto_generichash_final(&st, api->cursor_key, CRV_CURSOR_KEY);
  return true;
}

static bool cursor_key(struct crv_api *api, struct crv_err *err) {
  if (crv_store_read(api->store, read_key, api, err)) return true;
  if (err->code != CRV_NOT_FOUND) return false;
  crv_err_init(err);
  randombytes_buf(api->cursor_key, sizeof api->cursor_key);
  return true;
}

bool crv_api_init(struct crv_api *api, struct crv_store *store, struct crv_err *err) {
  struct crv_view view;
  *api = (struct crv_api){.store = store, .world = crv_world_new(store)};
  _arena_ struct crv_arena *a = crv_arena_new(0);
  if (!api->world || !a) return crv_fail(err, CRV_OUT_OF_MEMORY, "No memory to start.");
  api->openapi = crv_openapi_make(&api->openapi_len, err);
  return api->openapi && cursor_key(api, err) && crv_world_view(api->world, a, &view, err);
}

void crv_api_done(struct crv_api *api) {
  crv_world_free(api->world);
  free(api->openapi);
  *api = (struct crv_api){0};
}

void crv_api_metrics(void *ctx, struct crv_buf *out) {
  struct crv_api *api = ctx;
  struct crv_store_stats s;
  crv_store_stats(api->store, &s);
  const struct {
    const char *name, *type, *help;
    int64_t v;
  } rows[] = {
      {"crivo_store_commits_total", "counter", "Transactions committed.", s.commits},
      {"crivo_store_writes_total", "counter", "Writes committed, several to a transaction.",
       s.writes},
      {"crivo_store_busy_total", "counter", "Times that SQLite was busy.", s.busy_errors},
      {"crivo_store_queue", "gauge", "Writes waiting.", s.queue_depth},
      {"crivo_store_wal_bytes", "gauge", "Size of the write-ahead log.", s.wal_bytes},
      {"crivo_store_db_bytes", "gauge", "Size of the database.", s.db_bytes},
      {"crivo_store_read_only", "gauge", "1 while nothing can be written.", s.read_only},
      {"crivo_ledger_position", "gauge", "Records ever made.", crv_store_position(api->store)},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    crv_buf_printf(out, "# HELP %s %s\n# TYPE %s %s\n%s %" PRId64 "\n", rows[i].name, rows[i].help,
                   rows[i].name, rows[i].type, rows[i].name, rows[i].v);
}
