/* Settings: flags, environment, defaults, and what is refused. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "server/config.h"

static char msg[512];

static void clear(void) {
  size_t n;
  const struct crv_setting *s = crv_settings(&n);
  for (size_t i = 0; i < n; i++) unsetenv(s[i].env);
  unsetenv("STATE_DIRECTORY");
  unsetenv("XDG_STATE_HOME");
  setenv("HOME", "/home/ann", 1);
}

/* Arguments after the program's name, ended by NULL. */
static bool parse(struct crv_config *cfg, const char *a, const char *b, const char *c) {
  const char *args[] = {"serve", a, b, c, NULL};
  char *argv[5];
  int argc = 0;
  while (args[argc]) {
    argv[argc] = strdup(args[argc]);
    argc++;
  }
  bool ok = crv_config_parse(cfg, argc, argv, msg, sizeof msg);
  for (int i = 0; i < argc; i++) free(argv[i]);
  return ok;
}

START_TEST(defaults) {
  struct crv_config cfg;
  clear();
  ck_assert(parse(&cfg, NULL, NULL, NULL));
  ck_assert_str_eq(cfg.address, "127.0.0.1");
  ck_assert_uint_eq(cfg.port, 8080);
  ck_assert_str_eq(cfg.state, "/home/ann/.local/state/crivo");
  ck_assert_str_eq(cfg.port_file, "");
  ck_assert_uint_eq(cfg.threads, 16);
  ck_assert_uint_eq(cfg.connections, 4096);
  ck_assert(!cfg.behind_proxy);
  ck_assert_uint_eq(cfg.json_limit, 1048576);
  ck_assert_uint_eq(cfg.import_limit, 67108864);
  ck_assert_uint_eq(cfg.content_limit, 8388608);
  ck_assert_str_eq(cfg.log, "-");
  ck_assert(!cfg.help);
}
END_TEST

START_TEST(state_folder) {
  struct crv_config cfg;
  clear();
  setenv("XDG_STATE_HOME", "/xdg", 1);
  ck_assert(parse(&cfg, NULL, NULL, NULL));
  ck_assert_str_eq(cfg.state, "/xdg/crivo");
  setenv("STATE_DIRECTORY", "/var/lib/crivo:/second", 1);
  ck_assert(parse(&cfg, NULL, NULL, NULL));
  ck_assert_str_eq(cfg.state, "/var/lib/crivo");
  setenv("CRIVO_STATE", "/env", 1);
  ck_assert(parse(&cfg, NULL, NULL, NULL));
  ck_assert_str_eq(cfg.state, "/env");
  ck_assert(parse(&cfg, "--state", "/flag", NULL));
  ck_assert_str_eq(cfg.state, "/flag");
  clear();
  unsetenv("HOME");
  ck_assert(!parse(&cfg, NULL, NULL, NULL));
  ck_assert_ptr_nonnull(strstr(msg, "--state"));
}
END_TEST

START_TEST(listen_forms) {
  static const struct {
    const char *value, *address;
    unsigned port;
  } cases[] = {
      {"127.0.0.1:0", "127.0.0.1", 0},
      {"[::1]:9", "::1", 9},
      {"localhost:65535", "localhost", 65535},
      {"127.0.0.1", NULL, 0},
      {":80", NULL, 0},
      {"a:65536", NULL, 0},
      {"::1:80", NULL, 0},
      {"[::1]", NULL, 0},
      {"a:", NULL, 0},
      {"a:8o", NULL, 0},
      {"a:-1", NULL, 0},
      {"[]:80", NULL, 0},
  };
  struct crv_config cfg;
  clear();
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    bool ok = parse(&cfg, "--listen", cases[i].value, NULL);
    ck_assert_msg(ok == (cases[i].address != NULL), "%s: %s", cases[i].value, msg);
    if (!ok) continue;
    ck_assert_str_eq(cfg.address, cases[i].address);
    ck_assert_uint_eq(cfg.port, cases[i].port);
  }
}
END_TEST

START_TEST(values) {
  struct crv_config cfg;
  clear();
  ck_assert(parse(&cfg, "--json-limit=2 MiB", "--behind-proxy", "--threads=4"));
  ck_assert_uint_eq(cfg.json_limit, 2097152);
  ck_assert(cfg.behind_proxy);
  ck_assert_uint_eq(cfg.threads, 4);
  ck_assert(parse(&cfg, "--import-limit", "1000", NULL));
  ck_assert_uint_eq(cfg.import_limit, 1000);
  setenv("CRIVO_BEHIND_PROXY", "yes", 1);
  setenv("CRIVO_CONNECTIONS", "64", 1);
  ck_assert(parse(&cfg, NULL, NULL, NULL));
  ck_assert(cfg.behind_proxy);
  ck_assert_uint_eq(cfg.connections, 64);
  ck_assert(parse(&cfg, "--behind-proxy=no", NULL, NULL));
  ck_assert(!cfg.behind_proxy);
}
END_TEST

START_TEST(refused) {
  static const char *const cases[][2] = {
      {"--threads", "0"},        {"--threads", "257"},
      {"--threads", "x"},        {"--threads", NULL},
      {"--connections", "15"},   {"--json-limit", "0"},
      {"--json-limit", "2 GiB"}, {"--json-limit", "1G"},
      {"--json-limit", "-1"},    {"--behind-proxy=x", NULL},
      {"--state", ""},           {"serve", NULL},
      {"--state=", NULL},        {"-x", NULL},
  };
  struct crv_config cfg;
  clear();
  ck_assert(!parse(&cfg, cases[_i][0], cases[_i][1], NULL));
  ck_assert_str_ne(msg, "");
}
END_TEST

START_TEST(unknown_flag_names_the_nearest) {
  struct crv_config cfg;
  clear();
  ck_assert(!parse(&cfg, "--lisen=127.0.0.1:1", NULL, NULL));
  ck_assert_ptr_nonnull(strstr(msg, "did you mean --listen?"));
  ck_assert(!parse(&cfg, "--frobnicate", NULL, NULL));
  ck_assert_ptr_nonnull(strstr(msg, "--help"));
}
END_TEST

START_TEST(bad_environment_names_the_variable) {
  struct crv_config cfg;
  clear();
  setenv("CRIVO_THREADS", "many", 1);
  ck_assert(!parse(&cfg, NULL, NULL, NULL));
  ck_assert_ptr_nonnull(strstr(msg, "CRIVO_THREADS"));
}
END_TEST

START_TEST(usage_lists_every_setting) {
  size_t n, len = 0;
  char *text = NULL;
  struct crv_config cfg;
  const struct crv_setting *s = crv_settings(&n);
  FILE *f = open_memstream(&text, &len);
  clear();
  ck_assert(parse(&cfg, "--help", NULL, NULL));
  ck_assert(cfg.help);
  ck_assert_ptr_nonnull(f);
  crv_config_usage(f);
  fclose(f);
  ck_assert_uint_eq(n, 10);
  for (size_t i = 0; i < n; i++) {
    ck_assert_ptr_nonnull(strstr(text, s[i].flag));
    ck_assert_ptr_nonnull(strstr(text, s[i].env));
    ck_assert_int_eq(strncmp(s[i].env, "CRIVO_", 6), 0);
  }
  free(text);
}
END_TEST

int main(void) {
  Suite *s = suite_create("config");
  TCase *t = tcase_create("config");
  tcase_add_test(t, defaults);
  tcase_add_test(t, state_folder);
  tcase_add_test(t, listen_forms);
  tcase_add_test(t, values);
  tcase_add_loop_test(t, refused, 0, 14);
  tcase_add_test(t, unknown_flag_names_the_nearest);
  tcase_add_test(t, bad_environment_names_the_variable);
  tcase_add_test(t, usage_lists_every_setting);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
