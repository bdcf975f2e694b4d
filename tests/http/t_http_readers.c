/* Readers beside imports: whoever lists or decides while a file comes in sees all of its offers or
   none, and of a newer file all new prices or all old ones. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/http/client.h"
#include "tests/http/http.h"

enum { MANY = 1200 };

static const char *many_offers(const char *price) {
  static char text[MANY * 96 + 256];
  size_t n = (size_t)snprintf(text, sizeof text,
                              "key,supplier,device.name,lot.devices,price.amount,price.currency,"
                              "price.basis,price.per\n");
  for (int i = 0; i < MANY; i++)
    n += (size_t)snprintf(text + n, sizeof text - n, "m%d,s,L4,1,%s,EUR,per_lot,hour\n", i, price);
  return text;
}

struct reader {
  pthread_t thread;
  unsigned port;
  char token[128];
  bool decides; /* else it lists */
  pthread_mutex_t lock;
  bool stop;
  int looks, full;
  char odd[256]; /* what it saw that no one may see */
};

static bool stopped(struct reader *r, bool full) {
  pthread_mutex_lock(&r->lock);
  bool stop = r->stop || r->odd[0];
  r->looks++;
  r->full += full;
  pthread_mutex_unlock(&r->lock);
  return stop;
}

static int looks_of(struct reader *r) {
  pthread_mutex_lock(&r->lock);
  int n = r->odd[0] ? 1000000 : r->looks;
  pthread_mutex_unlock(&r->lock);
  return n;
}

static size_t occurrences(const char *text, const char *what) {
  size_t n = 0;
  for (const char *s = text; s && (s = strstr(s, what)); s += strlen(what)) n++;
  return n;
}

static size_t look(struct reader *r, struct client *c) {
  static const char ask[] =
      "{\"sheet\":{\"task\":\"inference\",\"precision\":{\"weights\":\"bf16\"}},\"limit\":1}";
  struct got g = r->decides ? client_send(c, "POST", "/v1/decisions?dry_run=1", NULL, ask)
                            : client_send(c, "GET", "/v1/offers?format=csv", NULL, NULL);
  size_t n;
  if (r->decides) {
    json_t *j = got_json(&g);
    n = (size_t)json_integer_value(json_object_get(json_object_get(j, "catalogue"), "offers"));
    json_decref(j);
  } else {
    size_t first = occurrences(g.body, ",1.5,"), then = occurrences(g.body, ",2.5,");
    n = occurrences(g.body, "\nm");
    if (first && then) snprintf(r->odd, sizeof r->odd, "%zu old and %zu new rows", first, then);
  }
  if (g.status != 200 || (n != 0 && n != MANY))
    snprintf(r->odd, sizeof r->odd, "%d with %zu of %d offers", g.status, n, MANY);
  got_free(&g);
  return n;
}

static void *read_on(void *arg) {
  struct reader *r = arg;
  struct client c;
  client_open(&c, r->port, r->token);
  while (!stopped(r, look(r, &c) == MANY)) continue;
  client_close(&c);
  return NULL;
}

START_TEST(readers_see_an_import_whole_or_not_at_all) {
  struct reader readers[2] = {{.decides = false}, {.decides = true}};
  const char *prices[] = {"1.5", "2.5", "1.5", "2.5"};
  client_global();
  for (size_t i = 0; i < 2; i++) {
    readers[i].port = service_port();
    snprintf(readers[i].token, sizeof readers[i].token, "%s", service_token("admin"));
    pthread_mutex_init(&readers[i].lock, NULL);
    pthread_create(&readers[i].thread, NULL, read_on, &readers[i]);
  }
  for (size_t i = 0; i < 4; i++) {
    int seen[2] = {looks_of(&readers[0]), looks_of(&readers[1])};
    while (looks_of(&readers[0]) <= seen[0] || looks_of(&readers[1]) <= seen[1]) usleep(1000);
    const struct answer *a = CRV_CALL(.path = "/v1/imports?source=csv", .type = "text/csv",
                                      .body = many_offers(prices[i]));
    ck_assert_int_eq(int_at(a, i ? "offers.versioned" : "offers.created"), MANY);
  }
  for (size_t i = 0; i < 2; i++) {
    int seen = looks_of(&readers[i]);
    while (looks_of(&readers[i]) <= seen + 1) usleep(1000);
    pthread_mutex_lock(&readers[i].lock);
    readers[i].stop = true;
    pthread_mutex_unlock(&readers[i].lock);
    pthread_join(readers[i].thread, NULL);
    ck_assert_str_eq(readers[i].odd, "");
    ck_assert_int_gt(readers[i].full, 0);
    ck_assert_int_lt(readers[i].full, readers[i].looks);
  }
}
END_TEST

int main(void) {
  Suite *s = suite_create("readers");
  TCase *tc = tcase_create("readers");
  tcase_add_checked_fixture(tc, fresh_start, fresh_stop);
  tcase_set_timeout(tc, 120);
  tcase_add_test(tc, readers_see_an_import_whole_or_not_at_all);
  suite_add_tcase(s, tc);
  return suite_run(s, true);
}
