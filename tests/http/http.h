/* What the black-box tests share: a service of its own in a temporary folder, calls to it, and
   looks into its answers. The binary is $CRIVOD. */
#ifndef CRV_TESTS_HTTP_H
#define CRV_TESTS_HTTP_H

#include <check.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

/* -- the service --------------------------------------------------------------------------- */

/* Starts crivod with an empty state, makes a token of each role; fails the program when it can't.
   service_stop ends it with SIGTERM, removes its folder and gives its exit status (0 when clean).
 */
void service_start(void);
int service_stop(void);
/* Ends it with SIGTERM, or SIGKILL, and keeps its state; starts it again on that; both. */
void service_end(bool kill_it);
void service_again(void);
void service_restart(bool kill_it);
/* Folder of its state, its port, and the token of a role ("admin", "ci", ...). */
const char *service_dir(void);
unsigned service_port(void);
const char *service_token(const char *role);
/* Runs crivod with these arguments (ended by NULL); its standard output into out. The exit status.
 */
int crivod_run(const char *const *args, char *out, size_t room);
/* Runs a suite with one service around it, or (fresh) one service around each test. The exit code
   for main: not 0 when a test failed or a service did not end clean. */
int suite_run(Suite *s, bool fresh);
/* For fresh services: fixtures of a test case. */
void fresh_start(void);
void fresh_stop(void);

/* -- calls --------------------------------------------------------------------------------- */

struct call {
  const char *method; /* NULL: GET, or what the body suggests: PUT never, POST with json or body */
  const char *path;
  const char *json;      /* body with application/json */
  const char *body;      /* any other body, with type */
  size_t len;            /* of body; 0: strlen */
  const char *type;      /* Content-Type of body; "" sends none */
  const char *as;        /* role; NULL: admin; "": no token */
  const char *header[6]; /* whole header lines */
  int expect;            /* status; 0: 200; -1: any */
  const char *contains;  /* in the body */
  const char *lacks;     /* not in the body */
};

struct answer {
  int status;
  char *body;
  size_t len;
  char *headers; /* as received */
  json_t *json;  /* NULL when the body is no JSON */
};

/* The answer lives until the end of the test. */
const struct answer *http_call(const struct call *c, const char *file, int line);
#define CRV_CALL(...) http_call(&(struct call){__VA_ARGS__}, __FILE__, __LINE__)

/* A header's value, "" when absent. Good until the next call of this function. */
const char *header_of(const struct answer *a, const char *name);
/* The member at a path such as "preselection[0].cost.amount"; NULL when absent. */
const json_t *json_path(const json_t *j, const char *path);
const char *text_at(const struct answer *a, const char *path); /* "" when absent */
long long int_at(const struct answer *a, const char *path);    /* -1 when absent */
size_t count_at(const struct answer *a, const char *path);     /* items of a list */
/* Text made by printf; lives until the end of the test. */
const char *text_of(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
/* A file of the source tree; lives until the end of the test. */
const char *file_of(const char *path, size_t *ret_len);
/* The longest line in terminal columns. */
size_t widest_line(const char *text);

/* Status and slug of a problem document, its pointer when one is given. */
void expect_problem(const struct answer *a, int status, const char *slug, const char *pointer,
                    const char *file, int line);
#define CRV_PROBLEM(a, status, slug, pointer) \
  expect_problem((a), (status), (slug), (pointer), __FILE__, __LINE__)

/* -- the worked example -------------------------------------------------------------------- */

extern const char sheet_json[], offer_4090_json[], offer_6000_json[], price_list_json[], run_json[],
    quality_json[];
/* PUTs the price list, both offers and the sheet "support-bot". */
void example_put(void);
/* PUTs the run and the quality evaluation of the 6000 Ada. */
void example_prove(void);

#endif
