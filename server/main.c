/* crivod: wires the HTTP process, the interface and the store, and runs the subcommands. Everything
   that is decided is decided elsewhere. Exit codes are those of sysexits.h: 64 usage, 65 data, 69
   no listening, 73 cannot create, 75 locked, 78 settings. */
#include <config.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <sodium.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sysexits.h>
#include <time.h>
#include <unistd.h>

#include "api/auth.h"
#include "api/context.h"
#include "api/dispatch.h"
#include "api/importing.h"
#include "api/openapi.h"
#include "api/routes.h"
#include "core/base/cleanup.h"
#include "core/base/json.h"
#include "core/evidence/piece.h"
#include "server/config.h"
#include "server/daemon.h"
#include "server/log.h"

#define SUBCOMMANDS "import, token, verify, config, openapi, version"
enum { DRAIN_MS = 30000, FILE_MAX = 64 << 20 };

static int64_t clock_ms(void *ctx) {
  struct timespec t;
  (void)ctx;
  clock_gettime(CLOCK_REALTIME, &t);
  return t.tv_sec * INT64_C(1000) + t.tv_nsec / 1000000;
}

static int complain(int status, const char *what, const struct crv_err *err) {
  fprintf(stderr, "crivod: %s%s%s\n", what, what[0] ? ": " : "",
          err->detail[0] ? err->detail : crv_code_info(err->code)->title);
  for (unsigned i = 0; i < err->n; i++)
    fprintf(stderr, "  %s: %s %s\n", err->at[i].ptr, err->at[i].detail, err->at[i].hint);
  if (err->log[0]) fprintf(stderr, "  (%s)\n", err->log);
  return status;
}

/* -- options of subcommands ---------------------------------------------------------------- */

struct option {
  const char *flag;   /* "--role" */
  const char **value; /* of an option with a value */
  bool *given;        /* of a switch */
};

/* Takes options out of argv; what is left are words. False after a message. */
static bool options_read(int argc, char **argv, const struct option *options, size_t n,
                         const char **words, size_t room, size_t *ret_words) {
  *ret_words = 0;
  for (int i = 1; i < argc; i++) {
    size_t k = 0;
    if (strncmp(argv[i], "--", 2) != 0) {
      if (*ret_words == room) return fprintf(stderr, "crivod: '%s' is too much.\n", argv[i]) < 0;
      words[(*ret_words)++] = argv[i];
      continue;
    }
    while (k < n && strcmp(options[k].flag, argv[i]) != 0) k++;
    if (k == n) return fprintf(stderr, "crivod: %s is not an option here.\n", argv[i]) < 0;
    if (options[k].given) {
      *options[k].given = true;
      continue;
    }
    if (i + 1 == argc) return fprintf(stderr, "crivod: %s takes a value.\n", argv[i]) < 0;
    *options[k].value = argv[++i];
  }
  return true;
}

/* False after a message. */
static bool settings_read(struct crv_config *cfg, int argc, char **argv) {
  char msg[512];
  bool ok = crv_config_parse(cfg, argc, argv, msg, sizeof msg);
  if (!ok) fprintf(stderr, "crivod: %s\n", msg);
  return ok;
}

/* The state folder: the option's, else where serve would keep it. */
static bool state_find(const char *given, struct crv_config *cfg) {
  char name[] = "crivod", flag[] = "--state";
  char *value = given ? strdup(given) : NULL;
  char *argv[] = {name, flag, value, NULL};
  bool ok = settings_read(cfg, value ? 3 : 1, argv);
  free(value);
  return ok;
}

static struct crv_store *store_open(const char *dir, int *ret_exit) {
  struct crv_err err;
  struct crv_store_config sc = {.dir = dir, .clock_ms = clock_ms};
  crv_err_init(&err);
  struct crv_store *st = crv_store_open(&sc, ret_exit, &err);
  if (!st) complain(*ret_exit, "cannot open the store", &err);
  return st;
}

/* -- serve --------------------------------------------------------------------------------- */

struct process {
  struct crv_api api;
  struct crv_daemon *_Atomic daemon; /* set a moment after it may answer */
};

static void process_metrics(void *ctx, struct crv_buf *out) {
  struct process *p = ctx;
  struct crv_daemon *d = atomic_load(&p->daemon);
  if (d) crv_daemon_metrics(d, out);
}

static bool process_draining(void *ctx) {
  struct process *p = ctx;
  struct crv_daemon *d = atomic_load(&p->daemon);
  return d && crv_daemon_draining(d);
}

/* Writes a small file whole or not at all. */
static bool file_write(const char *path, const char *text, mode_t mode) {
  char temp[4160];
  snprintf(temp, sizeof temp, "%s.new", path);
  unlink(temp);
  int fd = open(temp, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode);
  if (fd < 0) return false;
  size_t len = strlen(text);
  bool ok = write(fd, text, len) == (ssize_t)len && fsync(fd) == 0;
  ok = close(fd) == 0 && ok;
  if (ok && rename(temp, path) == 0) return true;
  unlink(temp);
  return false;
}

/* The first start makes the administrator's token: there is no default password. */
static int first_token(struct crv_store *st, const char *dir) {
  struct crv_err err;
  struct crv_opt_int never = {0};
  char token[CRV_TOKEN_ROOM], path[4128], line[CRV_TOKEN_ROOM + 2];
  bool any;
  crv_err_init(&err);
  if (!crv_token_any(st, &any, &err)) return complain(EX_DATAERR, "cannot read tokens", &err);
  if (any) return 0;
  if (!crv_token_make(st, "admin", "admin", never, token, NULL, &err))
    return complain(EX_CANTCREAT, "cannot make the first token", &err);
  snprintf(path, sizeof path, "%s/admin.token", dir);
  snprintf(line, sizeof line, "%s\n", token);
  printf("The administrator's token, shown once (also in %s):\n  %s\n", path, token);
  bool written = file_write(path, line, 0600);
  if (!written) fprintf(stderr, "crivod: cannot write %s: %s\n", path, strerror(errno));
  explicit_bzero(token, sizeof token);
  explicit_bzero(line, sizeof line);
  return written ? 0 : EX_CANTCREAT;
}

static int log_open(const char *where, int *ret_fd) {
  *ret_fd = STDERR_FILENO;
  if (strcmp(where, "-") == 0) return 0;
  *ret_fd = open(where, O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0640);
  if (*ret_fd >= 0) return 0;
  fprintf(stderr, "crivod: cannot open %s: %s\n", where, strerror(errno));
  return EX_CANTCREAT;
}

static void wait_for_end(const sigset_t *wanted) {
  siginfo_t si;
  while (sigwaitinfo(wanted, &si) < 0) continue;
  crv_log("info", "draining", "signal", si.si_signo == SIGTERM ? "TERM" : "INT", NULL);
  signal(SIGTERM, SIG_DFL); /* a second one ends at once: what was acknowledged is stored */
  signal(SIGINT, SIG_DFL);
  pthread_sigmask(SIG_UNBLOCK, wanted, NULL);
}

static bool port_told(const struct crv_config *cfg, unsigned port) {
  char text[16];
  snprintf(text, sizeof text, "%u\n", port);
  if (cfg->port_file[0] && !file_write(cfg->port_file, text, 0644)) {
    fprintf(stderr, "crivod: cannot write %s: %s\n", cfg->port_file, strerror(errno));
    return false;
  }
  bool six = strchr(cfg->address, ':') != NULL;
  printf("Crivo listens on http://%s%s%s:%u/\n", six ? "[" : "", cfg->address, six ? "]" : "",
         port);
  fflush(stdout);
  return true;
}

static int listen_and_wait(struct process *p, const struct crv_config *cfg, int log_fd,
                           const sigset_t *wanted) {
  struct crv_err err;
  unsigned port;
  struct crv_app app = {.ctx = &p->api,
                        .routes = crv_routes,
                        .n_routes = crv_n_routes,
                        .authenticate = crv_api_authenticate,
                        .dispatch = crv_api_dispatch,
                        .metrics = crv_api_metrics,
                        .clock_ms = clock_ms};
  struct crv_daemon_config dc = {.address = cfg->address,
                                 .port = cfg->port,
                                 .threads = cfg->threads,
                                 .connections = cfg->connections,
                                 .json_limit = cfg->json_limit,
                                 .import_limit = cfg->import_limit,
                                 .content_limit = cfg->content_limit,
                                 .behind_proxy = cfg->behind_proxy,
                                 .log_fd = log_fd};
  crv_err_init(&err);
  struct crv_daemon *d = crv_daemon_start(&dc, &app, &port, &err);
  if (!d) return complain(err.code == CRV_BAD_PARAMETER ? EX_CONFIG : EX_UNAVAILABLE, "", &err);
  atomic_store(&p->daemon, d);
  int status = port_told(cfg, port) ? 0 : EX_CANTCREAT;
  if (status == 0) wait_for_end(wanted);
  unsigned cut = crv_daemon_drain(d, DRAIN_MS);
  if (cut) fprintf(stderr, "crivod: %u requests were cut.\n", cut);
  return status;
}

static int serve_store(struct process *p, struct crv_store *st, const struct crv_config *cfg,
                       int log_fd, const sigset_t *wanted) {
  struct crv_err err;
  crv_err_init(&err);
  int status = first_token(st, cfg->state);
  if (status) return status;
  if (!crv_api_init(&p->api, st, &err)) {
    crv_api_done(&p->api);
    return complain(EX_DATAERR, "cannot read the store", &err);
  }
  p->api.json_limit = cfg->json_limit;
  p->api.import_limit = cfg->import_limit;
  p->api.content_limit = cfg->content_limit;
  p->api.connections = cfg->connections;
  p->api.process = p;
  p->api.process_metrics = process_metrics;
  p->api.process_draining = process_draining;
  status = listen_and_wait(p, cfg, log_fd, wanted);
  crv_api_done(&p->api);
  return status;
}

static int serve(int argc, char **argv) {
  static struct crv_config cfg;
  static struct process process;
  struct crv_err err;
  sigset_t wanted;
  int log_fd, status = 0;
  if (!settings_read(&cfg, argc, argv)) return CRV_EX_USAGE;
  if (cfg.help) {
    crv_config_usage(stdout);
    puts("\nOther subcommands: " SUBCOMMANDS ".");
    return 0;
  }
  crv_err_init(&err);
  if (!crv_daemon_may_listen(cfg.address, cfg.port, cfg.behind_proxy, &err))
    return complain(EX_CONFIG, "", &err);
  if ((status = log_open(cfg.log, &log_fd)) != 0) return status;
  sigemptyset(&wanted);
  sigaddset(&wanted, SIGTERM);
  sigaddset(&wanted, SIGINT);
  pthread_sigmask(SIG_BLOCK, &wanted, NULL); /* before any thread: they inherit it */
  crv_log_open(log_fd);
  if (crv_store_warning()) crv_log("warn", "sqlite", "detail", crv_store_warning(), NULL);
  struct crv_store *st = store_open(cfg.state, &status);
  if (!st) return status;
  status = serve_store(&process, st, &cfg, log_fd, &wanted);
  crv_store_close(st);
  return status;
}

/* -- import -------------------------------------------------------------------------------- */

static bool file_read(const char *path, struct crv_buf *b) {
  char part[65536];
  bool in = strcmp(path, "-") == 0;
  FILE *f = in ? stdin : fopen(path, "rb");
  size_t n;
  crv_buf_init(b, FILE_MAX);
  if (!f) return false;
  while ((n = fread(part, 1, sizeof part, f)) > 0) crv_buf_add(b, part, n);
  bool ok = !ferror(f) && !b->failed;
  if (!in) fclose(f);
  return ok;
}

static int run_import(struct crv_store *st, struct crv_import_job *job) {
  struct crv_err err;
  crv_err_init(&err);
  _json_ json_t *report = crv_import_alone(st, job, &err);
  _free_ char *text = report ? json_dumps(report, JSON_INDENT(2)) : NULL;
  if (text) puts(text);
  return text ? 0 : complain(EX_DATAERR, "import", &err);
}

static int import(int argc, char **argv) {
  static struct crv_config cfg;
  struct crv_import_job job = {.media_type = "application/octet-stream", .who = "crivod import"};
  const char *state = NULL, *origin = NULL, *observed = NULL, *words[1];
  size_t n;
  const struct option options[] = {{"--state", &state, NULL},
                                   {"--source", &job.params.source, NULL},
                                   {"--profile", &job.params.profile, NULL},
                                   {"--supplier", &job.params.supplier, NULL},
                                   {"--currency", &job.params.currency, NULL},
                                   {"--key-prefix", &job.params.key_prefix, NULL},
                                   {"--key", &job.piece_key, NULL},
                                   {"--file", &job.file, NULL},
                                   {"--uri", &job.uri, NULL},
                                   {"--origin", &origin, NULL},
                                   {"--observed-at", &observed, NULL},
                                   {"--dry-run", NULL, &job.dry_run},
                                   {"--withdraw-missing", NULL, &job.withdraw_missing}};
  struct crv_unit_err ue;
  if (!options_read(argc, argv, options, sizeof options / sizeof *options, words, 1, &n) ||
      n != 1 || !job.params.source) {
    fputs(
        "Usage: crivod import FILE --source skypilot|ndjson|csv [--profile NAME] [--currency CUR]\n"
        "       [--supplier NAME] [--key KEY] [--key-prefix KEY] [--origin supplier|third_party]\n"
        "       [--observed-at TIME] [--file NAME] [--uri URI] [--dry-run] [--withdraw-missing]\n"
        "       [--state DIR]      (the service must not be running; FILE - is standard input)\n",
        stderr);
    return CRV_EX_USAGE;
  }
  job.observed_at.set = observed != NULL;
  if (observed && !crv_time_parse(observed, strlen(observed), &job.observed_at.v, &ue) &&
      !crv_date_parse(observed, strlen(observed), &job.observed_at.v, &ue)) {
    fprintf(stderr, "crivod: --observed-at: %s\n", ue.detail);
    return CRV_EX_USAGE;
  }
  if (origin && strcmp(origin, "supplier") == 0) job.origin = CRV_ORIGIN_SUPPLIER;
  _buf_ struct crv_buf file = {0};
  if (!file_read(words[0], &file) || !state_find(state, &cfg)) {
    fprintf(stderr, "crivod: cannot read %s\n", words[0]);
    return EX_DATAERR;
  }
  int status = EX_DATAERR;
  struct crv_store *st = store_open(cfg.state, &status);
  if (!st) return status;
  job.data = file.data ? file.data : "";
  job.len = file.len;
  job.now = clock_ms(NULL);
  status = run_import(st, &job);
  crv_store_close(st);
  return status;
}

/* -- token --------------------------------------------------------------------------------- */

static bool print_token(const struct crv_token_row *t, void *ctx, struct crv_err *err) {
  (void)ctx;
  (void)err;
  char created[32];
  printf("%5" PRId64 "  %-12s %-30s %s%s\n", t->id, t->role, t->name,
         crv_time_text(t->created_at, created, sizeof created),
         t->revoked_at.set ? "  revoked" : "");
  return true;
}

static bool list_tokens(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  return crv_rd_tokens(tx, print_token, ctx, err);
}

static bool revoke_token(struct crv_wtx *tx, void *ctx, struct crv_err *err) {
  return crv_tx_token_revoke(tx, *(int64_t *)ctx, err);
}

static int token_run(struct crv_store *st, const char *const *words, const char *role,
                     struct crv_opt_int expires) {
  struct crv_err err;
  char text[CRV_TOKEN_ROOM];
  int64_t id;
  crv_err_init(&err);
  if (strcmp(words[0], "list") == 0)
    return crv_store_read(st, list_tokens, NULL, &err) ? 0 : complain(EX_DATAERR, "token", &err);
  if (strcmp(words[0], "revoke") == 0) {
    id = strtoll(words[1], NULL, 10);
    return crv_store_write(st, revoke_token, &id, &err) ? 0 : complain(EX_DATAERR, "token", &err);
  }
  if (!crv_token_make(st, words[1], role, expires, text, &id, &err))
    return complain(EX_CANTCREAT, "token", &err);
  puts(text);
  return 0;
}

static int token(int argc, char **argv) {
  static struct crv_config cfg;
  const char *state = NULL, *role = NULL, *expires = NULL, *words[2] = {NULL, NULL};
  const struct option options[] = {
      {"--state", &state, NULL}, {"--role", &role, NULL}, {"--expires", &expires, NULL}};
  struct crv_opt_int at = {0, expires != NULL};
  struct crv_unit_err ue;
  size_t n;
  bool ok = options_read(argc, argv, options, 3, words, 2, &n) && n >= 1;
  bool create = ok && strcmp(words[0], "create") == 0, list = ok && strcmp(words[0], "list") == 0;
  bool revoke = ok && strcmp(words[0], "revoke") == 0;
  at.set = expires != NULL;
  ok = ok && ((create && n == 2 && role && crv_role_parse(role)) || (list && n == 1) ||
              (revoke && n == 2 && strtoll(words[1], NULL, 10) > 0));
  if (ok && expires) ok = crv_time_parse(expires, strlen(expires), &at.v, &ue);
  if (!ok) {
    fputs("Usage: crivod token create NAME --role reader|ci|procurement|admin [--expires TIME]\n"
          "       crivod token list\n"
          "       crivod token revoke ID      each with [--state DIR]; the service must not be "
          "running\n",
          stderr);
    return CRV_EX_USAGE;
  }
  int status = EX_DATAERR;
  if (!state_find(state, &cfg)) return CRV_EX_USAGE;
  struct crv_store *st = store_open(cfg.state, &status);
  if (!st) return status;
  status = token_run(st, words, role, at);
  crv_store_close(st);
  return status;
}

/* -- verify, config, openapi, version ------------------------------------------------------- */

static bool verify_ledger(struct crv_rtx *tx, void *ctx, struct crv_err *err) {
  return crv_rd_ledger_verify(tx, ctx, err);
}

static int verify(int argc, char **argv) {
  static struct crv_config cfg;
  struct crv_err err;
  struct crv_ledger_head head;
  const char *state = NULL;
  const struct option options[] = {{"--state", &state, NULL}};
  size_t n;
  int status = EX_DATAERR;
  crv_err_init(&err);
  if (!options_read(argc, argv, options, 1, NULL, 0, &n) || !state_find(state, &cfg))
    return CRV_EX_USAGE;
  struct crv_store *st = store_open(cfg.state, &status);
  if (!st) return status;
  bool ok = crv_store_read(st, verify_ledger, &head, &err);
  if (ok)
    printf("The chain is whole: %" PRId64 " records, digest %s\n", head.size, head.digest);
  else
    complain(EX_DATAERR, "verify", &err);
  crv_store_close(st);
  return ok ? 0 : EX_DATAERR;
}

static int config(int argc, char **argv) {
  static struct crv_config cfg;
  if (!settings_read(&cfg, argc, argv)) return CRV_EX_USAGE;
  printf("listen %s:%u\nstate %s\nport-file %s\nthreads %u\nconnections %u\nbehind-proxy %s\n"
         "json-limit %zu\nimport-limit %zu\ncontent-limit %zu\nlog %s\n",
         cfg.address, cfg.port, cfg.state, cfg.port_file[0] ? cfg.port_file : "none", cfg.threads,
         cfg.connections, cfg.behind_proxy ? "yes" : "no", cfg.json_limit, cfg.import_limit,
         cfg.content_limit, cfg.log);
  return 0;
}

static int openapi(int argc, char **argv) {
  struct crv_err err;
  size_t len;
  (void)argc, (void)argv;
  crv_err_init(&err);
  _free_ char *text = crv_openapi_make(&len, &err);
  if (!text) return complain(EX_SOFTWARE, "openapi", &err);
  puts(text);
  return 0;
}

static int version(int argc, char **argv) {
  (void)argc, (void)argv;
  puts("crivo " PACKAGE_VERSION);
  return 0;
}

static const struct {
  const char *name;
  int (*run)(int argc, char **argv);
} commands[] = {{"serve", serve},   {"import", import},   {"token", token},    {"verify", verify},
                {"config", config}, {"openapi", openapi}, {"version", version}};

int main(int argc, char **argv) {
  signal(SIGPIPE, SIG_IGN);
  if (sodium_init() < 0) {
    fputs("crivod: libsodium does not start\n", stderr);
    return EX_SOFTWARE;
  }
  json_object_seed(0); /* before any thread, so that no two race for it */
  if (argc < 2 || argv[1][0] == '-') return serve(argc, argv);
  for (size_t i = 0; i < sizeof commands / sizeof *commands; i++)
    if (strcmp(commands[i].name, argv[1]) == 0) return commands[i].run(argc - 1, argv + 1);
  fprintf(stderr, "crivod: '%s' is no subcommand: serve, " SUBCOMMANDS ".\n", argv[1]);
  return CRV_EX_USAGE;
}
