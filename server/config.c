/* The parser over config.def. Must not know: what becomes of a setting, and any subcommand beside
   `serve`. */
#include "server/config.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "core/base/text.h"
#include "core/base/units.h"

enum setting {
#define X(field, flag, env, arg, dflt, help) SET_##field,
#include "server/config.def"
#undef X
  N_SETTINGS
};

static const struct crv_setting settings[N_SETTINGS] = {
#define X(field, flag, env, arg, dflt, help) {flag, env, arg, dflt, help},
#include "server/config.def"
#undef X
};

struct message {
  char *text;
  size_t room;
};

const struct crv_setting *crv_settings(size_t *ret_n) {
  *ret_n = N_SETTINGS;
  return settings;
}

__attribute__((format(printf, 2, 3))) static bool fail(struct message *m, const char *fmt, ...) {
  va_list ap;
  va_start(ap, fmt);
  vsnprintf(m->text, m->room, fmt, ap);
  va_end(ap);
  return false;
}

static bool number_parse(const char *s, unsigned min, unsigned max, unsigned *ret) {
  uint64_t v = 0;
  size_t len = strlen(s);
  if (len == 0 || len > 9 || strspn(s, "0123456789") != len) return false;
  for (; *s; s++) v = v * 10 + (unsigned)(*s - '0');
  *ret = (unsigned)v;
  return v >= min && v <= max;
}

static bool number_set(const char *name, const char *s, unsigned min, unsigned max, unsigned *ret,
                       struct message *m) {
  if (number_parse(s, min, max, ret)) return true;
  return fail(m, "%s takes a number from %u to %u, not '%s'.", name, min, max, s);
}

/* "65536" or "64 KiB". */
static bool bytes_set(const char *name, const char *s, size_t *ret, struct message *m) {
  int64_t bytes;
  struct crv_unit_err ue;
  unsigned plain;
  if (number_parse(s, 1, UINT32_MAX, &plain)) {
    *ret = plain;
    return true;
  }
  if (crv_bytes_parse(s, strlen(s), CRV_ROUND_DOWN, &bytes, &ue) && bytes >= 1 &&
      bytes <= CRV_GIB) {
    *ret = (size_t)bytes;
    return true;
  }
  return fail(m, "%s takes bytes up to 1 GiB, such as 1048576 or '1 MiB', not '%s'.", name, s);
}

static bool text_set(const char *name, const char *s, char *out, size_t room, struct message *m) {
  if (s[0] == '\0') return fail(m, "%s takes a value.", name);
  if (strlen(s) >= room) return fail(m, "%s: the value is too long.", name);
  snprintf(out, room, "%s", s);
  return true;
}

/* "127.0.0.1:8080", "[::1]:8080". */
static bool listen_set(const char *name, const char *s, struct crv_config *cfg, struct message *m) {
  const char *colon = strrchr(s, ':');
  size_t len = colon ? (size_t)(colon - s) : 0;
  const char *start = s;
  if (s[0] == '[' && len >= 2 && s[len - 1] == ']') {
    start = s + 1;
    len -= 2;
  } else if (colon && memchr(s, ':', len)) {
    len = 0; /* an IPv6 address without brackets: where the port starts is not clear */
  }
  if (len == 0 || len >= sizeof cfg->address || !number_parse(colon + 1, 0, 65535, &cfg->port))
    return fail(m, "%s takes ADDRESS:PORT, such as 127.0.0.1:8080 or [::1]:8080, not '%s'.", name,
                s);
  snprintf(cfg->address, sizeof cfg->address, "%.*s", (int)len, start);
  return true;
}

static bool switch_set(const char *name, const char *s, bool *ret, struct message *m) {
  static const char *const yes[] = {"", "1", "true", "yes"}, *const no[] = {"0", "false", "no"};
  for (size_t i = 0; i < 4; i++)
    if (strcmp(s, yes[i]) == 0) return *ret = true;
  for (size_t i = 0; i < 3; i++) {
    if (strcmp(s, no[i]) != 0) continue;
    *ret = false;
    return true;
  }
  return fail(m, "%s takes yes or no, not '%s'.", name, s);
}

static bool set(struct crv_config *cfg, enum setting which, const char *name, const char *s,
                struct message *m) {
  switch (which) {
  case SET_LISTEN:
    return listen_set(name, s, cfg, m);
  case SET_STATE:
    return text_set(name, s, cfg->state, sizeof cfg->state, m);
  case SET_PORT_FILE:
    return text_set(name, s, cfg->port_file, sizeof cfg->port_file, m);
  case SET_THREADS:
    return number_set(name, s, 1, 256, &cfg->threads, m);
  case SET_CONNECTIONS:
    return number_set(name, s, 16, 65536, &cfg->connections, m);
  case SET_BEHIND_PROXY:
    return switch_set(name, s, &cfg->behind_proxy, m);
  case SET_JSON_LIMIT:
    return bytes_set(name, s, &cfg->json_limit, m);
  case SET_IMPORT_LIMIT:
    return bytes_set(name, s, &cfg->import_limit, m);
  case SET_CONTENT_LIMIT:
    return bytes_set(name, s, &cfg->content_limit, m);
  case SET_LOG:
    return text_set(name, s, cfg->log, sizeof cfg->log, m);
  case N_SETTINGS:
    break;
  }
  return fail(m, "%s is not a setting.", name);
}

static void defaults(struct crv_config *cfg) {
  *cfg = (struct crv_config){.address = "127.0.0.1",
                             .port = 8080,
                             .threads = 16,
                             .connections = 4096,
                             .json_limit = (size_t)1 << 20,
                             .import_limit = (size_t)64 << 20,
                             .content_limit = (size_t)8 << 20,
                             .log = "-"};
}

static bool unknown_flag(const char *flag, struct message *m) {
  char name[64];
  const char *near = NULL;
  size_t best = 4;
  snprintf(name, sizeof name, "%.*s", (int)strcspn(flag, "="), flag);
  for (size_t i = 0; i < N_SETTINGS; i++) {
    size_t distance = crv_edit_distance(name, settings[i].flag, best);
    if (distance >= best) continue;
    best = distance;
    near = settings[i].flag;
  }
  return fail(m, "%s is not a setting%s%s%s.", name, near ? "; did you mean " : "",
              near ? near : "", near ? "?" : ": --help lists them");
}

/* The row whose flag starts arg; *ret_value is what follows '=', or NULL. */
static enum setting find(const char *arg, const char **ret_value) {
  size_t len = strcspn(arg, "=");
  *ret_value = arg[len] ? arg + len + 1 : NULL;
  for (enum setting i = 0; i < N_SETTINGS; i++)
    if (strlen(settings[i].flag) == len && memcmp(settings[i].flag, arg, len) == 0) return i;
  return N_SETTINGS;
}

static bool arguments(struct crv_config *cfg, int argc, char **argv, struct message *m) {
  for (int i = 1; i < argc; i++) {
    const char *value;
    if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
      cfg->help = true;
      continue;
    }
    if (argv[i][0] != '-') return fail(m, "'%s' is not expected here.", argv[i]);
    enum setting which = find(argv[i], &value);
    if (which == N_SETTINGS) return unknown_flag(argv[i], m);
    bool is_switch = settings[which].arg[0] == '\0';
    if (!value && is_switch) value = "";
    if (!value && i + 1 < argc) value = argv[++i];
    if (!value) return fail(m, "%s takes a value.", settings[which].flag);
    if (!set(cfg, which, settings[which].flag, value, m)) return false;
  }
  return true;
}

static bool environment(struct crv_config *cfg, struct message *m) {
  for (enum setting i = 0; i < N_SETTINGS; i++) {
    const char *value = getenv(settings[i].env);
    if (value && value[0] && !set(cfg, i, settings[i].env, value, m)) return false;
  }
  return true;
}

/* The first of the three places that is there. systemd may name several folders: the first counts.
 */
static bool state_default(struct crv_config *cfg, struct message *m) {
  const char *given = getenv("STATE_DIRECTORY"), *xdg = getenv("XDG_STATE_HOME"),
             *home = getenv("HOME");
  int n = -1;
  if (cfg->state[0]) return true;
  if (given && given[0])
    n = snprintf(cfg->state, sizeof cfg->state, "%.*s", (int)strcspn(given, ":"), given);
  else if (xdg && xdg[0] == '/')
    n = snprintf(cfg->state, sizeof cfg->state, "%s/crivo", xdg);
  else if (home && home[0])
    n = snprintf(cfg->state, sizeof cfg->state, "%s/.local/state/crivo", home);
  if (n > 0 && (size_t)n < sizeof cfg->state) return true;
  return fail(m, "There is no home folder to keep the state in: give --state DIR.");
}

bool crv_config_parse(struct crv_config *cfg, int argc, char **argv, char *msg, size_t room) {
  struct message m = {msg, room};
  if (room > 0) msg[0] = '\0';
  defaults(cfg);
  if (!environment(cfg, &m) || !arguments(cfg, argc, argv, &m)) return false;
  return cfg->help || state_default(cfg, &m);
}

void crv_config_usage(FILE *out) {
  fputs("Usage: crivod serve [settings]\n\n"
        "Serves the HTTP interface until SIGTERM or SIGINT, then drains and stops.\n"
        "Each setting can also be given by the environment name in brackets.\n\n",
        out);
  for (size_t i = 0; i < N_SETTINGS; i++) {
    const struct crv_setting *s = &settings[i];
    fprintf(out, "  %s%s%s  [%s]\n      %s\n      default: %s\n", s->flag, s->arg[0] ? " " : "",
            s->arg, s->env, s->help, s->dflt);
  }
  fputs("  --help\n      this text\n", out);
}
