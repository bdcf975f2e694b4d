/* The service under test and the client. */
#define _GNU_SOURCE /* nftw, vasprintf */
#include "tests/http/http.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { ROLES = 4, START_TRIES = 3000 };

static const char *const role_names[ROLES] = {"admin", "reader", "ci", "procurement"};

static struct {
  char dir[128];
  pid_t pid;
  unsigned port;
  char token[ROLES][128];
} service;

/* -- process ------------------------------------------------------------------------------- */

static const char *binary(void) {
  const char *path = getenv("CRIVOD");
  return path ? path : "./crivod";
}

static void die(const char *what) {
  fprintf(stderr, "tests/http: %s: %s\n", what, strerror(errno));
  exit(99);
}

static void nap(void) {
  struct timespec t = {0, 10000000};
  nanosleep(&t, NULL);
}

static char *read_whole(const char *path, size_t *ret_len) {
  FILE *f = fopen(path, "rb");
  size_t len = 0, room = 65536;
  char *text = malloc(room + 1);
  if (!f || !text) {
    free(text);
    if (f) fclose(f);
    return NULL;
  }
  for (size_t n; (n = fread(text + len, 1, room - len, f)) > 0;) {
    len += n;
    if (len < room) continue;
    room *= 2;
    char *more = realloc(text, room + 1);
    if (!more) die("memory");
    text = more;
  }
  fclose(f);
  text[len] = '\0';
  if (ret_len) *ret_len = len;
  return text;
}

static const char *in_dir(const char *name) {
  static char path[192];
  snprintf(path, sizeof path, "%s/%s", service.dir, name);
  return path;
}

static void launch(void) {
  char port_file[192], log[192];
  snprintf(port_file, sizeof port_file, "%s/port", service.dir);
  snprintf(log, sizeof log, "%s/log", service.dir);
  unlink(port_file);
  service.pid = fork();
  if (service.pid < 0) die("fork");
  if (service.pid == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    int out = open(in_dir("out"), O_WRONLY | O_CREAT | O_APPEND, 0600);
    dup2(out, 1);
    dup2(out, 2);
    execl(binary(), binary(), "serve", "--listen", "127.0.0.1:0", "--state", service.dir,
          "--port-file", port_file, "--log", log, "--threads", "4", (char *)NULL);
    _exit(127);
  }
  for (int i = 0; i < START_TRIES && access(port_file, R_OK) != 0; i++) {
    if (waitpid(service.pid, NULL, WNOHANG) != 0) {
      char *out = read_whole(in_dir("out"), NULL);
      fprintf(stderr, "%s\n", out ? out : "no output");
      die("crivod ended at its start");
    }
    nap();
  }
  char *port = read_whole(port_file, NULL);
  if (!port) die("no port file");
  service.port = (unsigned)strtoul(port, NULL, 10);
  free(port);
}

static int land(int sig) {
  int status = 0;
  if (service.pid <= 0) return 0;
  kill(service.pid, sig);
  while (waitpid(service.pid, &status, 0) < 0 && errno == EINTR) continue;
  service.pid = 0;
  if (sig == SIGKILL) return 0;
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

static void make_tokens(void) {
  char *admin = read_whole(in_dir("admin.token"), NULL);
  if (!admin) die("no admin.token");
  snprintf(service.token[0], sizeof service.token[0], "%.*s", (int)strcspn(admin, "\n"), admin);
  free(admin);
  for (size_t i = 1; i < ROLES; i++) {
    const struct answer *a = CRV_CALL(.path = "/v1/tokens", .expect = 201,
                                      .json = text_of("{\"name\":\"the %s\",\"role\":\"%s\"}",
                                                      role_names[i], role_names[i]));
    snprintf(service.token[i], sizeof service.token[i], "%s", text_at(a, "token"));
  }
}

void service_start(void) {
  const char *tmp = getenv("TMPDIR");
  snprintf(service.dir, sizeof service.dir, "%s/crivo-http-XXXXXX", tmp ? tmp : "/tmp");
  if (!mkdtemp(service.dir)) die("mkdtemp");
  launch();
  make_tokens();
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw) {
  (void)st;
  (void)type;
  (void)ftw;
  return remove(path);
}

int service_stop(void) {
  int status = land(SIGTERM);
  if (status != 0) {
    char *out = read_whole(in_dir("out"), NULL);
    fprintf(stderr, "crivod ended with %d:\n%s\n", status, out ? out : "");
    free(out);
  }
  nftw(service.dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
  return status;
}

void service_end(bool kill_it) {
  ck_assert_int_eq(land(kill_it ? SIGKILL : SIGTERM), 0);
}
void service_again(void) {
  launch();
}

void service_restart(bool kill_it) {
  service_end(kill_it);
  service_again();
}

const char *service_dir(void) {
  return service.dir;
}
unsigned service_port(void) {
  return service.port;
}

const char *service_token(const char *role) {
  for (size_t i = 0; i < ROLES; i++)
    if (!role || strcmp(role_names[i], role) == 0) return service.token[i];
  return role;
}

int crivod_run(const char *const *args, char *out, size_t room) {
  const char *argv[24] = {binary()};
  int pipes[2], status;
  size_t n = 0;
  for (size_t i = 0; args[i] && i < 22; i++) argv[i + 1] = args[i];
  if (pipe(pipes) != 0) die("pipe");
  pid_t pid = fork();
  if (pid == 0) {
    dup2(pipes[1], 1);
    close(pipes[0]);
    execv(argv[0], (char *const *)(uintptr_t)argv);
    _exit(127);
  }
  close(pipes[1]);
  for (ssize_t got; n + 1 < room && (got = read(pipes[0], out + n, room - 1 - n)) > 0;)
    n += (size_t)got;
  out[n] = '\0';
  close(pipes[0]);
  waitpid(pid, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

void fresh_start(void) {
  service_start();
}
void fresh_stop(void) {
  ck_assert_int_eq(service_stop(), 0);
}

int suite_run(Suite *s, bool fresh) {
  SRunner *sr = srunner_create(s);
  int ended = 0;
  if (!fresh) service_start();
  srunner_run_all(sr, CK_NORMAL);
  int failed = srunner_ntests_failed(sr);
  srunner_free(sr);
  if (!fresh) ended = service_stop();
  return failed == 0 && ended == 0 ? 0 : 1;
}

/* -- memory of one test -------------------------------------------------------------------- */

/* A test is a process of its own: its memory ends with it. The list keeps it known until then, so
   that a leak checker finds nothing lost. */
static struct kept {
  struct kept *next;
  void *p;
} * kept;

static pthread_mutex_t kept_lock = PTHREAD_MUTEX_INITIALIZER;

static void *keep(void *p) {
  struct kept *k = malloc(sizeof *k);
  if (!k || !p) die("memory");
  pthread_mutex_lock(&kept_lock); /* calls come from several threads */
  *k = (struct kept){kept, p};
  kept = k;
  pthread_mutex_unlock(&kept_lock);
  return p;
}

const char *text_of(const char *fmt, ...) {
  char *text;
  va_list ap;
  va_start(ap, fmt);
  if (vasprintf(&text, fmt, ap) < 0) die("memory");
  va_end(ap);
  return keep(text);
}

const char *file_of(const char *path, size_t *ret_len) {
  const char *top = getenv("top_srcdir");
  char *text = read_whole(text_of("%s/%s", top ? top : ".", path), ret_len);
  ck_assert_msg(text != NULL, "cannot read %s", path);
  return keep(text);
}

/* -- client -------------------------------------------------------------------------------- */

struct sink {
  char *at;
  size_t len, room;
};

static size_t gather(char *p, size_t size, size_t n, void *ctx) {
  struct sink *s = ctx;
  if (s->len + size * n + 1 > s->room) {
    s->room = 2 * (s->len + size * n + 1);
    char *more = realloc(s->at, s->room);
    if (!more) return 0;
    s->at = more;
  }
  memcpy(s->at + s->len, p, size * n);
  s->len += size * n;
  s->at[s->len] = '\0';
  return size * n;
}

static void set_body(CURL *curl, const struct call *c) {
  const char *body = c->json ? c->json : c->body;
  if (!body) return;
  size_t len = c->len && c->body ? c->len : strlen(body);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)len);
}

static struct curl_slist *set_headers(const struct call *c) {
  struct curl_slist *list = curl_slist_append(NULL, "Expect:");
  const char *token = service_token(c->as);
  if (c->json) list = curl_slist_append(list, "Content-Type: application/json");
  if (c->body && c->type && c->type[0])
    list = curl_slist_append(list, text_of("Content-Type: %s", c->type));
  if (c->body && (!c->type || !c->type[0])) list = curl_slist_append(list, "Content-Type:");
  if (token[0]) list = curl_slist_append(list, text_of("Authorization: Bearer %s", token));
  for (size_t i = 0; i < 6 && c->header[i]; i++) list = curl_slist_append(list, c->header[i]);
  return list;
}

static void check_answer(const struct call *c, const struct answer *a, const char *file, int line) {
  int expect = c->expect ? c->expect : 200;
  const char *method = c->method ? c->method : "";
  if (expect != -1 && a->status != expect)
    _ck_assert_failed(file, line, "status", "%s %s: %d, not %d: %.2000s", method, c->path,
                      a->status, expect, a->body);
  if (c->contains && !strstr(a->body, c->contains))
    _ck_assert_failed(file, line, "body", "%s %s: no '%s' in: %.4000s", method, c->path,
                      c->contains, a->body);
  if (c->lacks && strstr(a->body, c->lacks))
    _ck_assert_failed(file, line, "body", "%s %s: '%s' in: %.4000s", method, c->path, c->lacks,
                      a->body);
}

static void perform(const struct call *c, struct answer *a, const char *file, int line) {
  struct sink body = {0}, headers = {0};
  long status = 0;
  CURL *curl = curl_easy_init();
  struct curl_slist *list = set_headers(c);
  bool has_body = c->json || c->body;
  curl_easy_setopt(curl, CURLOPT_URL, text_of("http://127.0.0.1:%u%s", service.port, c->path));
  curl_easy_setopt(curl, CURLOPT_PATH_AS_IS, 1L);
  set_body(curl, c);
  if (c->method && strcmp(c->method, "HEAD") == 0)
    curl_easy_setopt(curl, CURLOPT_NOBODY, 1L);
  else
    curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST,
                     c->method ? c->method : (has_body ? "POST" : "GET"));
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, gather);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &body);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, gather);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &headers);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, 60L);
  /* a refusal of a large body comes before it is sent, however slow the machine */
  curl_easy_setopt(curl, CURLOPT_EXPECT_100_TIMEOUT_MS, 30000L);
  CURLcode rc = curl_easy_perform(curl);
  /* who refuses in the middle of a body closes, and what it said can be lost on the way (RFC 9112,
     9.6): the call is made again */
  for (int again = 0; again < 20 && rc == CURLE_SEND_ERROR; again++) {
    body.len = headers.len = 0;
    rc = curl_easy_perform(curl);
  }
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  if (rc != CURLE_OK)
    _ck_assert_failed(file, line, "call", "%s: %s", c->path, curl_easy_strerror(rc));
  *a = (struct answer){(int)status, keep(body.at ? body.at : strdup("")), body.len,
                       keep(headers.at ? headers.at : strdup("")), NULL};
  curl_slist_free_all(list);
  curl_easy_cleanup(curl);
}

const struct answer *http_call(const struct call *c, const char *file, int line) {
  struct answer *a = keep(calloc(1, sizeof *a));
  perform(c, a, file, line);
  if (a->len && (a->body[0] == '{' || a->body[0] == '['))
    a->json = json_loadb(a->body, a->len, 0, NULL);
  check_answer(c, a, file, line);
  return a;
}

/* -- looks --------------------------------------------------------------------------------- */

const char *header_of(const struct answer *a, const char *name) {
  static _Thread_local char value[4096];
  size_t len = strlen(name);
  value[0] = '\0';
  for (const char *line = a->headers; *line; line += strcspn(line, "\n") + 1) {
    if (strncasecmp(line, name, len) == 0 && line[len] == ':') {
      const char *s = line + len + 1;
      s += strspn(s, " ");
      snprintf(value, sizeof value, "%.*s", (int)strcspn(s, "\r\n"), s);
      return value;
    }
    if (!strchr(line, '\n')) break;
  }
  return value;
}

const json_t *json_path(const json_t *j, const char *path) {
  char name[128];
  while (j && *path) {
    size_t len = strcspn(path, ".[");
    if (len) {
      snprintf(name, sizeof name, "%.*s", (int)len, path);
      j = json_object_get(j, name);
      path += len;
    }
    if (*path == '[') {
      j = json_array_get(j, strtoul(path + 1, NULL, 10));
      path += strcspn(path, "]") + 1;
    }
    path += *path == '.';
  }
  return j;
}

const char *text_at(const struct answer *a, const char *path) {
  const char *s = json_string_value(json_path(a->json, path));
  return s ? s : "";
}

long long int_at(const struct answer *a, const char *path) {
  const json_t *v = json_path(a->json, path);
  return json_is_integer(v) ? json_integer_value(v) : -1;
}

size_t count_at(const struct answer *a, const char *path) {
  return json_array_size(json_path(a->json, path));
}

size_t widest_line(const char *text) {
  size_t best = 0, at = 0;
  for (; *text; text++) {
    if (*text == '\n')
      at = 0;
    else if (((unsigned char)*text & 0xc0) != 0x80 && ++at > best)
      best = at;
  }
  return best;
}

void expect_problem(const struct answer *a, int status, const char *slug, const char *pointer,
                    const char *file, int line) {
  bool found = pointer == NULL;
  const char *type = text_at(a, "type");
  if (a->status != status || strcmp(type, text_of("/problems/%s", slug)) != 0)
    _ck_assert_failed(file, line, "problem", "%d %s, not %d %s: %.2000s", a->status, type, status,
                      slug, a->body);
  if (strcmp(header_of(a, "Content-Type"), "application/problem+json") != 0 ||
      int_at(a, "status") != status || !text_at(a, "request_id")[0])
    _ck_assert_failed(file, line, "problem", "its shape: %.2000s", a->body);
  for (size_t i = 0; i < count_at(a, "errors"); i++)
    found |= pointer && strcmp(text_at(a, text_of("errors[%zu].pointer", i)), pointer) == 0;
  if (!found) _ck_assert_failed(file, line, "problem", "no %s: %.2000s", pointer, a->body);
}
