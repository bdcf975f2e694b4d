/* The first look at a request's head, field by field. */
#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "server/framing.h"

#define OK CRV_OK
#define BAD CRV_MALFORMED_REQUEST
#define NOT CRV_NOT_IMPLEMENTED

struct head_case {
  const char *what, *line; /* "GET /x HTTP/1.1" */
  const char *fields; /* "Host: h\nContent-Length: 5"; blanks after ':' are not stripped twice */
  enum crv_code code;
  bool chunked;
  uint64_t length;
};

static const struct head_case cases[] = {
    {"plain", "GET /x HTTP/1.1", "Host: h", OK, false, 0},
    {"http/1.0 needs no host", "GET /x HTTP/1.0", "Accept: a", OK, false, 0},
    {"length", "PUT /x HTTP/1.1", "Host: h\nContent-Length: 5", OK, false, 5},
    {"length name in capitals", "PUT /x HTTP/1.1", "HOST: h\nCONTENT-LENGTH: 5", OK, false, 5},
    {"chunked", "PUT /x HTTP/1.1", "Host: h\nTransfer-Encoding: chunked", OK, true, 0},
    {"chunked in capitals", "PUT /x HTTP/1.1", "Host: h\nTransfer-Encoding: Chunked ", OK, true, 0},
    {"host with port", "GET / HTTP/1.1", "Host: [::1]:8080", OK, false, 0},
    {"empty host", "GET / HTTP/1.1", "Host: ", OK, false, 0},
    {"tab in a value", "GET / HTTP/1.1", "Host: h\nAccept: a\tb", OK, false, 0},
    {"utf-8 in a value", "GET / HTTP/1.1", "Host: h\nX-Name: gr\303\274n", OK, false, 0},
    {"two accepts", "GET / HTTP/1.1", "Host: h\nAccept: a\nAccept: b", OK, false, 0},
    {"both framings", "PUT /x HTTP/1.1", "Host: h\nContent-Length: 5\nTransfer-Encoding: chunked",
     BAD, false, 0},
    {"two lengths", "PUT /x HTTP/1.1", "Host: h\nContent-Length: 5\nContent-Length: 6", BAD, false,
     0},
    {"two equal lengths", "PUT /x HTTP/1.1", "Host: h\nContent-Length: 5\ncontent-length: 5", BAD,
     false, 0},
    {"length list", "PUT /x HTTP/1.1", "Host: h\nContent-Length: 5, 5", BAD, false, 0},
    {"signed length", "PUT /x HTTP/1.1", "Host: h\nContent-Length: +5", BAD, false, 0},
    {"negative length", "PUT /x HTTP/1.1", "Host: h\nContent-Length: -5", BAD, false, 0},
    {"hexadecimal length", "PUT /x HTTP/1.1", "Host: h\nContent-Length: 0x5", BAD, false, 0},
    {"underscore in length", "PUT /x HTTP/1.1", "Host: h\nContent-Length: 1_0", BAD, false, 0},
    {"empty length", "PUT /x HTTP/1.1", "Host: h\nContent-Length: ", BAD, false, 0},
    {"two hosts", "GET /x HTTP/1.1", "Host: h\nHost: i", BAD, false, 0},
    {"no host", "GET /x HTTP/1.1", "Accept: a", BAD, false, 0},
    {"host with user", "GET /x HTTP/1.1", "Host: a@b", BAD, false, 0},
    {"host with path", "GET /x HTTP/1.1", "Host: a/b", BAD, false, 0},
    {"host list", "GET /x HTTP/1.1", "Host: a, b", BAD, false, 0},
    {"blank before colon", "PUT /x HTTP/1.1", "Host: h\nTransfer-Encoding : chunked", BAD, false,
     0},
    {"length with blank before colon", "PUT /x HTTP/1.1", "Host: h\nContent-Length : 5", BAD, false,
     0},
    {"blank in a name", "GET /x HTTP/1.1", "Host: h\nX Y: 1", BAD, false, 0},
    {"empty name", "GET /x HTTP/1.1", "Host: h\n: 1", BAD, false, 0},
    {"control in a value", "GET /x HTTP/1.1", "Host: h\nX-A: a\rb", BAD, false, 0},
    {"del in a value", "GET /x HTTP/1.1", "Host: h\nX-A: a\177b", BAD, false, 0},
    {"xchunked", "PUT /x HTTP/1.1", "Host: h\nTransfer-Encoding: xchunked", NOT, false, 0},
    {"gzip, chunked", "PUT /x HTTP/1.1", "Host: h\nTransfer-Encoding: gzip, chunked", NOT, false,
     0},
    {"chunked, chunked", "PUT /x HTTP/1.1", "Host: h\nTransfer-Encoding: chunked, chunked", NOT,
     false, 0},
    {"identity", "PUT /x HTTP/1.1", "Host: h\nTransfer-Encoding: identity", NOT, false, 0},
    {"two codings", "PUT /x HTTP/1.1", "Host: h\nTransfer-Encoding: chunked\nTransfer-Encoding: x",
     BAD, false, 0},
    {"coding with http/1.0", "PUT /x HTTP/1.0", "Host: h\nTransfer-Encoding: chunked", BAD, false,
     0},
    {"two authorizations", "GET /x HTTP/1.1", "Host: h\nAuthorization: a\nAuthorization: b", BAD,
     false, 0},
    {"two keys", "POST /x HTTP/1.1", "Host: h\nIdempotency-Key: a\nIdempotency-Key: b", BAD, false,
     0},
    {"content encoding", "PUT /x HTTP/1.1", "Host: h\nContent-Length: 5\nContent-Encoding: gzip",
     CRV_UNSUPPORTED_MEDIA_TYPE, false, 0},
    {"absolute form", "GET http://h/x HTTP/1.1", "Host: h", BAD, false, 0},
    {"authority form", "GET h:80 HTTP/1.1", "Host: h", BAD, false, 0},
    {"asterisk", "OPTIONS * HTTP/1.1", "Host: h", BAD, false, 0},
    {"fragment", "GET /x#y HTTP/1.1", "Host: h", BAD, false, 0},
    {"trace", "TRACE /x HTTP/1.1", "Host: h", NOT, false, 0},
    {"connect", "CONNECT /x HTTP/1.1", "Host: h", NOT, false, 0},
    {"lower case", "get /x HTTP/1.1", "Host: h", NOT, false, 0},
    {"unknown method", "FROB /x HTTP/1.1", "Host: h", NOT, false, 0},
    {"version 2", "GET /x HTTP/2.0", "Host: h", BAD, false, 0},
    {"version 1.2", "GET /x HTTP/1.2", "Host: h", BAD, false, 0},
};

/* "A: b\nC: d" into fields; the name is everything before the colon. */
static size_t split(const char *s, struct crv_field *out) {
  size_t n = 0;
  while (*s) {
    size_t len = strcspn(s, "\n");
    const char *colon = memchr(s, ':', len);
    ck_assert_ptr_nonnull(colon);
    const char *value = colon + 1 + (colon[1] == ' ');
    out[n++] = (struct crv_field){s, value, (size_t)(colon - s), (size_t)(s + len - value)};
    s += len + (s[len] == '\n');
  }
  return n;
}

START_TEST(head) {
  const struct head_case *c = &cases[_i];
  struct crv_err err;
  struct crv_framing framing;
  struct crv_field fields[8];
  char line[128], *target, *version;
  snprintf(line, sizeof line, "%s", c->line);
  target = strchr(line, ' ');
  *target++ = '\0';
  version = strchr(target, ' ');
  *version++ = '\0';
  struct crv_head h = {line, version, target, fields, split(c->fields, fields)};
  crv_err_init(&err);
  bool ok = crv_framing_check(&h, &framing, &err);
  ck_assert_msg(ok == (c->code == CRV_OK), "%s: %s", c->what, err.detail);
  if (!ok) ck_assert_msg(err.code == c->code, "%s: code %d", c->what, (int)err.code);
  if (ok) ck_assert_msg(framing.chunked == c->chunked, "%s", c->what);
  if (ok) ck_assert_uint_eq(framing.length, c->length);
}
END_TEST

static enum crv_code check(const char *target, const char *name, const char *value, size_t copies,
                           uint64_t *ret_length) {
  struct crv_err err;
  struct crv_framing framing;
  struct crv_field *fields = calloc(copies + 1, sizeof *fields);
  ck_assert_ptr_nonnull(fields);
  fields[0] = (struct crv_field){"Host", "h", 4, 1};
  for (size_t i = 1; i <= copies; i++)
    fields[i] = (struct crv_field){name, value, strlen(name), strlen(value)};
  struct crv_head h = {"PUT", "HTTP/1.1", target, fields, copies + 1};
  crv_err_init(&err);
  bool ok = crv_framing_check(&h, &framing, &err);
  *ret_length = framing.length;
  free(fields);
  return ok ? CRV_OK : err.code;
}

START_TEST(huge_lengths_stay_above_every_limit) {
  static const char *const values[] = {"9223372036854775808", "18446744073709551615",
                                       "18446744073709551616", "99999999999999999999999999999999",
                                       "18446744073709551616000000000000000000001"};
  uint64_t length;
  ck_assert_int_eq(check("/x", "Content-Length", values[_i], 1, &length), CRV_OK);
  ck_assert(length > UINT64_C(1000000000000000000));
}
END_TEST

START_TEST(sizes) {
  uint64_t length;
  char target[4200], value[16400];
  memset(target, 'a', sizeof target);
  target[0] = '/';
  target[4096] = '\0';
  ck_assert_int_eq(check(target, "X-A", "b", 1, &length), CRV_OK);
  target[4096] = 'a';
  target[4097] = '\0';
  ck_assert_int_eq(check(target, "X-A", "b", 1, &length), CRV_URI_TOO_LONG);
  ck_assert_int_eq(check("/x", "X-A", "b", CRV_HEAD_FIELDS - 1, &length), CRV_OK);
  ck_assert_int_eq(check("/x", "X-A", "b", CRV_HEAD_FIELDS, &length), CRV_HEADERS_TOO_LARGE);
  memset(value, 'v', sizeof value);
  value[16300] = '\0';
  ck_assert_int_eq(check("/x", "X-A", value, 1, &length), CRV_OK);
  value[16300] = 'v';
  value[sizeof value - 1] = '\0';
  ck_assert_int_eq(check("/x", "X-A", value, 1, &length), CRV_HEADERS_TOO_LARGE);
}
END_TEST

int main(void) {
  Suite *s = suite_create("framing");
  TCase *t = tcase_create("framing");
  tcase_add_loop_test(t, head, 0, sizeof cases / sizeof *cases);
  tcase_add_loop_test(t, huge_lengths_stay_above_every_limit, 0, 5);
  tcase_add_test(t, sizes);
  suite_add_tcase(s, t);
  SRunner *r = srunner_create(s);
  srunner_run_all(r, CK_NORMAL);
  int failed = srunner_ntests_failed(r);
  srunner_free(r);
  return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
