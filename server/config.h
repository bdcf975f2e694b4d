/* Settings of `crivod serve` from the command line and CRIVO_* environment names. */
#ifndef CRV_SERVER_CONFIG_H
#define CRV_SERVER_CONFIG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { CRV_EX_USAGE = 64 }; /* exit code where crv_config_parse gives false */

struct crv_config {
  char address[64]; /* without brackets */
  unsigned port;
  char state[4096];
  char port_file[4096]; /* "": none */
  unsigned threads, connections;
  bool behind_proxy;
  size_t json_limit, import_limit, content_limit; /* bytes */
  char log[4096];                                 /* "-": standard error */
  bool help; /* --help was given: print crv_config_usage and stop */
};

/* One row of config.def, for the usage text and for checks of the documentation. */
struct crv_setting {
  const char *flag, *env, *arg, *dflt, *help;
};
const struct crv_setting *crv_settings(size_t *ret_n);

/* Reads defaults, then the environment, then argv[1..]; argv[0] is passed over. "--flag VALUE" and
   "--flag=VALUE". False with one sentence in msg (naming the nearest flag when one is unknown). */
bool crv_config_parse(struct crv_config *cfg, int argc, char **argv, char *msg, size_t room);
/* The text of --help. */
void crv_config_usage(FILE *out);

#endif
