/* The lines that people paste: the interface's own three users, and every curl line of the README
   as it stands there, run by a shell with curl. Statuses, exit codes, and what lands in the files.
 */
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/http/client.h"
#include "tests/http/http.h"

/* -- a shell ----------------------------------------------------------------------------------- */

struct ran {
  int exit, status; /* of the shell; of the answer */
  const char *out, *err;
};

static const char *place(const char *name) {
  return text_of("%s/work/%s", service_dir(), name);
}

static const char *slurp(const char *name) {
  static char text[1 << 20];
  FILE *f = fopen(place(name), "r");
  if (!f) return "";
  size_t n = fread(text, 1, sizeof text - 1, f);
  fclose(f);
  text[n] = '\0';
  return text_of("%s", text);
}

static void spill(const char *name, const char *text) {
  FILE *f = fopen(place(name), "w");
  ck_assert_msg(f && fputs(text, f) >= 0 && fclose(f) == 0, "%s", name);
}

static void environment(const char *job) {
  static const char *const proxies[] = {"http_proxy", "https_proxy", "all_proxy", "ALL_PROXY"};
  for (size_t i = 0; i < 4; i++) unsetenv(proxies[i]);
  setenv("HOME", place(""), 1); /* no one's .curlrc */
  setenv("CRIVO", text_of("http://127.0.0.1:%u", service_port()), 1);
  setenv("CRIVO_TOKEN", service_token("admin"), 1);
  setenv("CI_PIPELINE_ID", "7741", 1);
  setenv("CI_JOB_ID", job, 1);
}

static void child(const char *script, const char *job) {
  environment(job);
  int out = open(place("out"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  int err = open(place("err"), O_WRONLY | O_CREAT | O_TRUNC, 0600);
  dup2(out, 1);
  dup2(err, 2);
  if (chdir(place("")) == 0) execl("/bin/sh", "sh", "-c", script, (char *)NULL);
  _exit(126);
}

/* Runs the line in the working folder, as the CI job; curl also tells the status. */
static struct ran run(const char *line, const char *job) {
  const char *script = text_of(
      "curl() { command curl -w '%%{stderr}\\nstatus %%{http_code}\\n' \"$@\"; }\n%s", line);
  int ended = 0;
  pid_t pid = fork();
  if (pid == 0) child(script, job);
  ck_assert_int_eq(waitpid(pid, &ended, 0), pid);
  ck_assert_msg(WIFEXITED(ended), "%s", line);
  struct ran r = {WEXITSTATUS(ended), 0, slurp("out"), slurp("err")};
  const char *status = strstr(r.err, "status ");
  r.status = status ? (int)strtol(status + 7, NULL, 10) : 0;
  return r;
}

static struct ran expect(const char *line, const char *job, int exit, int status) {
  struct ran r = run(line, job);
  ck_assert_msg(r.exit == exit && r.status == status, "%s\nexit %d, status %d\n%s\n%s", line,
                r.exit, r.status, r.err, r.out);
  return r;
}

/* -- checks ------------------------------------------------------------------------------------ */

static json_t *loaded(const char *text) {
  json_t *j = json_loadb(text, strlen(text), 0, NULL);
  ck_assert_msg(j != NULL, "no JSON: %.200s", text);
  return j;
}

static bool ends_with(const char *text, const char *end) {
  size_t n = strlen(text), m = strlen(end);
  return n >= m && strcmp(text + n - m, end) == 0;
}

static void check_text(const char *text) {
  ck_assert_msg(widest_line(text) <= 100, "%zu columns:\n%s", widest_line(text), text);
  ck_assert_uint_gt(strlen(text), 0);
  ck_assert_msg(ends_with(text, "\n") && !strchr(text, '\033'), "%s", text);
}

static void check_junit(const char *text) {
  const char *fault = xml_fault(text);
  ck_assert_msg(fault == NULL, "%s: %s", fault, text);
  ck_assert_ptr_nonnull(strstr(text, "<testsuite"));
  ck_assert_ptr_nonnull(strstr(text, "memory.peak"));
  if (access("/usr/bin/xmllint", X_OK) != 0) return;
  spill("lint.xml", text);
  ck_assert_int_eq(run("/usr/bin/xmllint --noout lint.xml", "0").exit, 0);
}

/* -- three users ---------------------------------------------------------------------------------
 */

static const char ci_line[] =
    "curl -sS --fail-with-body --retry 5 --retry-connrefused --max-time 20 \\\n"
    "  -H \"Authorization: Bearer $CRIVO_TOKEN\" -H \"Idempotency-Key: "
    "$CI_PIPELINE_ID-$CI_JOB_ID\" "
    "\\\n"
    "  --json @sheet.json \"$CRIVO/v1/decisions?gate=retained\" -o decision.json\n";
static const char junit_line[] =
    "curl -sS -H \"Authorization: Bearer $CRIVO_TOKEN\" "
    "\"$CRIVO/v1/sheets/support-bot/shortlist?format=junit\" -o crivo-junit.xml\n";
static const char dashboard_line[] =
    "curl -sS --etag-save e --etag-compare e -H \"Authorization: Bearer $CRIVO_TOKEN\" "
    "\"$CRIVO/v1/sheets/support-bot/shortlist\"\n";
static const char meeting_line[] = "curl -u :\"$CRIVO_TOKEN\" \"$CRIVO/s/support-bot\"             "
                                   "    # text table, 100 columns\n";
static const char why_line[] =
    "curl -u :\"$CRIVO_TOKEN\" \"$CRIVO/s/support-bot?why=rtx-4090-3d\" # every criterion of one "
    "offer, with pieces and conditions\n";
static const char budget_line[] =
    "curl \"$CRIVO/v1/budget?params=7e9&bits=16&reserve=6GiB\"        # the calculator, no sheet "
    "needed\n";

static void begin(void) {
  fresh_start();
  ck_assert_int_eq(mkdir(place(""), 0700), 0);
  example_put();
  spill("sheet.json", text_of("{\"name\":\"support-bot\",%s", sheet_json + 1));
  spill("offer.json", offer_4090_json);
  spill("run.json", run_json);
  spill("vms.csv", file_of("tests/data/catalogues/sky_verda.csv", NULL));
}

/* The gate isn't met: curl says 22, the file says what would meet it. The retry of the same job
   says the same and decides nothing; when the pieces are there the next job passes. */
START_TEST(ci_asks_and_the_gate_answers) {
  expect(ci_line, "1", 22, 409);
  const char *first = slurp("decision.json");
  json_t *j = loaded(first);
  ck_assert_str_eq(json_string_value(json_object_get(j, "type")), "/problems/gate-not-met");
  ck_assert_int_eq(json_integer_value(json_object_get(j, "decision")), 1);
  ck_assert_str_eq(json_string_value(json_object_get(j, "outcome")), "needs_confirmation");
  ck_assert_str_ne(json_string_value(json_object_get(j, "headline")), "");
  ck_assert_uint_gt(json_array_size(json_object_get(j, "actions")), 0);
  json_decref(j);
  expect(ci_line, "1", 22, 409);
  ck_assert_str_eq(slurp("decision.json"), first);
  expect(ci_line, "2", 22, 409);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/decisions"), "total"), 1);
  check_junit((expect(junit_line, "2", 0, 200), slurp("crivo-junit.xml")));
  example_prove();
  expect(ci_line, "3", 0, 201);
  j = loaded(slurp("decision.json"));
  ck_assert_int_eq(json_integer_value(json_object_get(j, "decision")), 2);
  ck_assert_str_eq(json_string_value(json_object_get(j, "outcome")), "retained");
  json_decref(j);
  first = slurp("decision.json");
  expect(ci_line, "3", 0, 201);
  ck_assert_str_eq(slurp("decision.json"), first);
  expect(ci_line, "4", 0, 200);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/decisions"), "total"), 2);
  ck_assert_int_eq(int_at(CRV_CALL(.path = "/v1/sheets/support-bot"), "revision"), 1);
  check_junit((expect(junit_line, "4", 0, 200), slurp("crivo-junit.xml")));
}
END_TEST

START_TEST(a_dashboard_polls) {
  CRV_CALL(.path = "/v1/decisions", .json = "{\"sheet\":\"support-bot\"}", .expect = 201);
  struct ran r = expect(dashboard_line, "1", 0, 200);
  json_t *j = loaded(r.out);
  ck_assert_str_eq(json_string_value(json_object_get(j, "decision_status")), "current");
  json_decref(j);
  for (int i = 0; i < 3; i++) {
    r = expect(dashboard_line, "1", 0, 304);
    ck_assert_str_eq(r.out, "");
  }
  CRV_CALL(.method = "PUT", .path = "/v1/evidence/run-6000-ada", .json = run_json, .expect = 201);
  r = expect(dashboard_line, "1", 0, 200); /* stale now: told without a new decision */
  ck_assert_ptr_nonnull(strstr(r.out, "\"evidence_added\""));
  expect(dashboard_line, "1", 0, 304);
  CRV_CALL(.path = "/v1/decisions", .json = "{\"sheet\":\"support-bot\"}", .expect = 201);
  expect(dashboard_line, "1", 0, 200);
  expect(dashboard_line, "1", 0, 304);
}
END_TEST

START_TEST(a_meeting_looks) {
  CRV_CALL(.path = "/v1/decisions", .json = "{\"sheet\":\"support-bot\"}", .expect = 201);
  struct ran r = expect(meeting_line, "1", 0, 200);
  check_text(r.out);
  ck_assert_msg(strncmp(r.out, "Nothing is proven yet", 21) == 0, "%s", r.out);
  ck_assert_msg(ends_with(r.out, "rows shown; decision 1\n"), "%s", r.out);
  r = expect(why_line, "1", 0, 200);
  check_text(r.out);
  ck_assert_ptr_nonnull(strstr(r.out, "memory.peak"));
  ck_assert_ptr_nonnull(strstr(r.out, "example-price-list@1"));
  r = expect(budget_line, "1", 0, 200);
  json_t *j = loaded(r.out);
  ck_assert_int_eq(json_integer_value(json_object_get(j, "envelope_bytes")), 20442450944);
  json_decref(j);
}
END_TEST

/* -- the README ----------------------------------------------------------------------------------
 */

/* The next curl command in a sh block at or after *at, with its continued lines; NULL at the end.
 */
static const char *next_curl(const char **at, bool *in_block) {
  while (**at) {
    size_t len = strcspn(*at, "\n");
    const char *line = *at;
    *at += len + ((*at)[len] == '\n');
    if (strncmp(line, "```", 3) == 0) *in_block = !*in_block && strncmp(line, "```sh", 5) == 0;
    if (!*in_block || strncmp(line, "curl ", 5) != 0) continue;
    while (len > 0 && line[len - 1] == '\\' && **at) {
      size_t more = strcspn(*at, "\n");
      *at += more + ((*at)[more] == '\n');
      len += more + 1;
    }
    return text_of("%.*s\n", (int)len, line);
  }
  return NULL;
}

START_TEST(every_line_of_the_readme) {
  const char *at = file_of("README.md", NULL), *line;
  bool in_block = false;
  size_t n = 0;
  CRV_CALL(.path = "/v1/decisions", .json = "{\"sheet\":\"support-bot\"}", .expect = 201);
  for (; (line = next_curl(&at, &in_block)); n++) {
    struct ran r = run(line, text_of("%zu", n));
    if (strstr(line, "gate=retained")) {
      ck_assert_msg(r.exit == 22 && r.status == 409, "%s%d %d", line, r.exit, r.status);
      continue;
    }
    ck_assert_msg(r.exit == 0 && (r.status == 200 || r.status == 201), "%s%d %d %s", line, r.exit,
                  r.status, r.out);
    if (strstr(line, "/s/support-bot")) check_text(r.out);
    if (strstr(line, "junit")) check_junit(slurp("crivo-junit.xml"));
    if (strstr(line, "dry_run=1")) ck_assert_ptr_nonnull(strstr(r.out, "\"dry_run\":true"));
  }
  ck_assert_uint_ge(n, 9);
}
END_TEST

int main(void) {
  Suite *s = suite_create("lines");
  TCase *tc = tcase_create("lines");
  tcase_add_checked_fixture(tc, begin, fresh_stop);
  tcase_set_timeout(tc, 120);
  tcase_add_test(tc, ci_asks_and_the_gate_answers);
  tcase_add_test(tc, a_dashboard_polls);
  tcase_add_test(tc, a_meeting_looks);
  tcase_add_test(tc, every_line_of_the_readme);
  suite_add_tcase(s, tc);
  return suite_run(s, true);
}
