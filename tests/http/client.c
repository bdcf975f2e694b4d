/* A service that a test owns, and clients for threads. Must not know: the shared service of
   http.c. */
#define _GNU_SOURCE /* nftw */
#include "tests/http/client.h"

#include <curl/curl.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { TRIES = 3000, CALL_SECONDS = 60 };

/* -- the service ----------------------------------------------------------------------------- */

static const char *binary(void) {
  const char *path = getenv("CRIVOD");
  return path ? path : "./crivod";
}

static void show_output(const struct crivod *d) {
  char path[192], line[512];
  snprintf(path, sizeof path, "%s/out", d->dir);
  FILE *f = fopen(path, "r");
  if (!f) return;
  while (fgets(line, sizeof line, f)) fputs(line, stderr);
  fclose(f);
}

static void give_up(const struct crivod *d, const char *what) {
  fprintf(stderr, "tests/http: %s: %s\n", what, strerror(errno));
  show_output(d);
  exit(99);
}

static void nap(void) {
  struct timespec t = {0, 10000000};
  nanosleep(&t, NULL);
}

static bool first_line(const struct crivod *d, const char *name, char *out, size_t room) {
  char path[192];
  snprintf(path, sizeof path, "%s/%s", d->dir, name);
  FILE *f = fopen(path, "r");
  if (!f) return false;
  bool ok = fgets(out, (int)room, f) != NULL;
  fclose(f);
  if (ok) out[strcspn(out, "\n")] = '\0';
  return ok;
}

/* Child: its output into NAME of the state folder. */
static void run(const struct crivod *d, const char *name, const char *const *argv) {
  char path[192];
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  snprintf(path, sizeof path, "%s/%s", d->dir, name);
  int out = open(path, O_WRONLY | O_CREAT | O_APPEND, 0600);
  dup2(out, 1);
  dup2(out, 2);
  execv(argv[0], (char *const *)(uintptr_t)argv);
  _exit(127);
}

void crivod_start(struct crivod *d) {
  char port_file[192], log[192], port[32];
  snprintf(port_file, sizeof port_file, "%s/port", d->dir);
  snprintf(log, sizeof log, "%s/log", d->dir);
  const char *argv[] = {binary(),      "serve",   "--listen", "127.0.0.1:0", "--state", d->dir,
                        "--port-file", port_file, "--log",    log,           NULL};
  unlink(port_file);
  d->pid = fork();
  if (d->pid < 0) give_up(d, "fork");
  if (d->pid == 0) run(d, "out", argv);
  for (int i = 0; access(port_file, R_OK) != 0; i++) {
    if (i == TRIES) give_up(d, "crivod gave no port");
    if (waitpid(d->pid, NULL, WNOHANG) != 0) give_up(d, "crivod ended at its start");
    nap();
  }
  if (!first_line(d, "port", port, sizeof port)) give_up(d, "port file");
  d->port = (unsigned)strtoul(port, NULL, 10);
}

void crivod_begin(struct crivod *d) {
  const char *tmp = getenv("TMPDIR");
  *d = (struct crivod){0};
  snprintf(d->dir, sizeof d->dir, "%s/crivo-client-XXXXXX", tmp ? tmp : "/tmp");
  if (!mkdtemp(d->dir)) give_up(d, "mkdtemp");
  crivod_start(d);
  if (!first_line(d, "admin.token", d->token, sizeof d->token)) give_up(d, "admin.token");
}

static int status_of(int status) {
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

int crivod_end(struct crivod *d, int sig) {
  int status = 0;
  kill(d->pid, sig);
  for (int i = 0; waitpid(d->pid, &status, WNOHANG) != d->pid; i++) {
    if (i == TRIES) give_up(d, "crivod does not end");
    nap();
  }
  d->pid = 0;
  if (sig != SIGKILL && status != 0) show_output(d);
  return status_of(status);
}

int crivod_verify(const struct crivod *d, char *out, size_t room) {
  char path[192];
  int status = 0;
  const char *argv[] = {binary(), "verify", "--state", d->dir, NULL};
  snprintf(path, sizeof path, "%s/verified", d->dir);
  unlink(path);
  pid_t pid = fork();
  if (pid < 0) give_up(d, "fork");
  if (pid == 0) run(d, "verified", argv);
  while (waitpid(pid, &status, 0) < 0 && errno == EINTR) continue;
  if (!first_line(d, "verified", out, room)) out[0] = '\0';
  return status_of(status);
}

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *ftw) {
  (void)st;
  (void)type;
  (void)ftw;
  return remove(path);
}

void crivod_remove(const struct crivod *d) {
  nftw(d->dir, remove_one, 16, FTW_DEPTH | FTW_PHYS);
}

/* -- answers --------------------------------------------------------------------------------- */

void got_free(struct got *g) {
  free(g->body);
  free(g->headers);
  *g = (struct got){0};
}

bool got_header(const struct got *g, const char *name, char *out, size_t room) {
  size_t len = strlen(name);
  for (const char *line = g->headers; line && *line; line = strchr(line, '\n')) {
    line += *line == '\n';
    if (strncasecmp(line, name, len) != 0 || line[len] != ':') continue;
    const char *value = line + len + 1;
    value += strspn(value, " ");
    snprintf(out, room, "%.*s", (int)strcspn(value, "\r\n"), value);
    return true;
  }
  return false;
}

json_t *got_json(const struct got *g) {
  return g->len ? json_loadb(g->body, g->len, 0, NULL) : NULL;
}

/* -- clients --------------------------------------------------------------------------------- */

void client_global(void) {
  json_object_seed(0);
  if (curl_global_init(CURL_GLOBAL_DEFAULT) != 0) exit(99);
}

void client_open(struct client *c, unsigned port, const char *token) {
  *c = (struct client){.curl = curl_easy_init(), .port = port};
  if (!c->curl) exit(99);
  snprintf(c->token, sizeof c->token, "%s", token);
}

void client_close(struct client *c) {
  curl_easy_cleanup(c->curl);
  c->curl = NULL;
}

struct sink {
  char *at;
  size_t len;
};

static size_t gather(char *p, size_t size, size_t n, void *ctx) {
  struct sink *s = ctx;
  char *more = realloc(s->at, s->len + size * n + 1);
  if (!more) return 0;
  s->at = more;
  memcpy(s->at + s->len, p, size * n);
  s->len += size * n;
  s->at[s->len] = '\0';
  return size * n;
}

static struct curl_slist *heads(const struct client *c, const char *header, bool json) {
  char line[192];
  snprintf(line, sizeof line, "Authorization: Bearer %s", c->token);
  struct curl_slist *list = curl_slist_append(NULL, "Expect:");
  list = curl_slist_append(list, line);
  if (json) list = curl_slist_append(list, "Content-Type: application/json");
  return header ? curl_slist_append(list, header) : list;
}

/* Connections are kept from call to call, options are set anew. */
static void prepare(struct client *c, const char *method, const char *path, const char *body) {
  char url[512];
  CURL *curl = c->curl;
  curl_easy_reset(curl);
  snprintf(url, sizeof url, "http://127.0.0.1:%u%s", c->port, path);
  curl_easy_setopt(curl, CURLOPT_URL, url);
  curl_easy_setopt(curl, CURLOPT_CUSTOMREQUEST, method);
  curl_easy_setopt(curl, CURLOPT_NOSIGNAL, 1L);
  curl_easy_setopt(curl, CURLOPT_TIMEOUT, (long)CALL_SECONDS);
  curl_easy_setopt(curl, CURLOPT_FRESH_CONNECT, c->fresh ? 1L : 0L);
  curl_easy_setopt(curl, CURLOPT_FORBID_REUSE, c->fresh ? 1L : 0L);
  if (!body) return;
  curl_easy_setopt(curl, CURLOPT_POSTFIELDS, body);
  curl_easy_setopt(curl, CURLOPT_POSTFIELDSIZE, (long)strlen(body));
}

struct got client_send(struct client *c, const char *method, const char *path, const char *header,
                       const char *body) {
  struct sink text = {0}, top = {0};
  long status = 0;
  CURL *curl = c->curl;
  bool own_type = header && strncasecmp(header, "Content-Type:", 13) == 0;
  struct curl_slist *list = heads(c, header, body && !own_type);
  prepare(c, method, path, body);
  curl_easy_setopt(curl, CURLOPT_HTTPHEADER, list);
  curl_easy_setopt(curl, CURLOPT_WRITEFUNCTION, gather);
  curl_easy_setopt(curl, CURLOPT_WRITEDATA, &text);
  curl_easy_setopt(curl, CURLOPT_HEADERFUNCTION, gather);
  curl_easy_setopt(curl, CURLOPT_HEADERDATA, &top);
  CURLcode rc = curl_easy_perform(curl);
  curl_easy_getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
  curl_slist_free_all(list);
  return (struct got){rc == CURLE_OK ? (int)status : 0, text.at, top.at, text.len};
}

uint64_t next_random(uint64_t *state) { /* xorshift64, G. Marsaglia 2003 */
  uint64_t x = *state;
  x ^= x << 13;
  x ^= x >> 7;
  x ^= x << 17;
  return *state = x;
}

/* -- XML ------------------------------------------------------------------------------------- */

enum { XML_DEPTH = 16, XML_NAME = 64 };
struct xml {
  const char *at, *fault;
  char open[XML_DEPTH][XML_NAME];
  size_t depth, roots;
};

static bool xml_fail(struct xml *x, const char *fault) {
  x->fault = fault;
  return false;
}

static bool xml_entity(struct xml *x) {
  static const char *const known[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;", NULL};
  for (size_t i = 0; known[i]; i++)
    if (strncmp(x->at, known[i], strlen(known[i])) == 0) {
      x->at += strlen(known[i]);
      return true;
    }
  size_t n = strncmp(x->at, "&#", 2) == 0 ? strspn(x->at + 2, "0123456789xabcdefABCDEF") : 0;
  if (n == 0 || x->at[2 + n] != ';') return xml_fail(x, "an ampersand that begins no entity");
  x->at += n + 3;
  return true;
}

/* Text up to the end character, which stays. */
static bool xml_text(struct xml *x, char end) {
  while (*x->at && *x->at != end) {
    unsigned char c = (unsigned char)*x->at;
    if (c == '<') return xml_fail(x, "< in an attribute");
    if (c < 0x20 && c != '\t' && c != '\n' && c != '\r') return xml_fail(x, "a control character");
    if (end == '<' && strncmp(x->at, "]]>", 3) == 0) return xml_fail(x, "]]> in text");
    if (c != '&')
      x->at++;
    else if (!xml_entity(x))
      return false;
  }
  return true;
}

static bool xml_name(struct xml *x, char *out) {
  size_t n = strspn(x->at, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789:_.-");
  if (n == 0 || n >= XML_NAME) return xml_fail(x, "no name");
  memcpy(out, x->at, n);
  out[n] = '\0';
  x->at += n;
  return true;
}

static bool xml_attribute(struct xml *x) {
  char name[XML_NAME];
  if (!xml_name(x, name)) return false;
  if (x->at[0] != '=' || (x->at[1] != '"' && x->at[1] != '\''))
    return xml_fail(x, "an attribute without a value in quotes");
  char quote = x->at[1];
  x->at += 2;
  if (!xml_text(x, quote)) return false;
  if (*x->at != quote) return xml_fail(x, "an open quote");
  x->at++;
  return true;
}

static bool xml_close(struct xml *x) {
  char name[XML_NAME];
  x->at += 2;
  if (!xml_name(x, name)) return false;
  if (x->depth == 0 || strcmp(name, x->open[x->depth - 1]) != 0)
    return xml_fail(x, "an end tag of another element");
  x->depth--;
  if (*x->at != '>') return xml_fail(x, "an open end tag");
  x->at++;
  return true;
}

static bool xml_open(struct xml *x) {
  if (x->depth == XML_DEPTH) return xml_fail(x, "too deep");
  if (x->depth == 0 && x->roots++ > 0) return xml_fail(x, "a second root");
  x->at++;
  if (!xml_name(x, x->open[x->depth])) return false;
  while (x->at += strspn(x->at, " \t\r\n"), *x->at && !strchr("/>", *x->at))
    if (!xml_attribute(x)) return false;
  bool empty = *x->at == '/';
  x->at += empty;
  if (*x->at != '>') return xml_fail(x, "an open tag");
  x->at++;
  x->depth += !empty;
  return true;
}

static bool xml_next(struct xml *x) {
  const char *end = NULL;
  if (*x->at != '<') {
    if (x->depth == 0 && strcspn(x->at, "<") != strspn(x->at, " \t\r\n"))
      return xml_fail(x, "text outside the root");
    return xml_text(x, '<');
  }
  if (strncmp(x->at, "<?", 2) == 0)
    end = strstr(x->at, "?>");
  else if (strncmp(x->at, "<!--", 4) == 0)
    end = strstr(x->at, "-->");
  else
    return x->at[1] == '/' ? xml_close(x) : xml_open(x);
  if (!end) return xml_fail(x, "an open comment or instruction");
  x->at = strchr(end, '>') + 1;
  return true;
}

const char *xml_fault(const char *text) {
  struct xml x = {.at = text};
  while (*x.at)
    if (!xml_next(&x)) return x.fault;
  if (x.depth > 0) return "an element without its end tag";
  return x.roots == 1 ? NULL : "no root";
}
