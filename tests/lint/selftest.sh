#!/bin/sh
# Proves that each check passes a clean small tree and fails on a planted violation, naming it.
# Prints PASS or FAIL for each plant; exits 1 when a check let one through.
# The planted scripts hold dollar signs of their own.
# shellcheck disable=SC2016
set -eu
here=$(cd "$(dirname "$0")" && pwd)
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
failed=0

# A tree in which every check passes.
clean() {
  rm -rf "$tmp/t"
  mkdir -p "$tmp/t/core/base" "$tmp/t/core/decide" "$tmp/t/db" "$tmp/t/server" "$tmp/t/api" \
    "$tmp/t/static" "$tmp/t/tests/http"
  cd "$tmp/t"
  cp "$here/../../.clang-format" .
  printf 'int crv_x(int a);\n' >core/base/err.h
  printf '#include "core/base/err.h"\n\nint crv_x(int a) {\n  return a + 1;\n}\n' >core/base/err.c
  printf 'X(NOT_FOUND, 404, "not-found", "Not kept.", "Look.")\n' >core/base/errcodes.def
  printf 'libbase_a_SOURCES = core/base/err.c \\\n\tcore/base/err.h\n' >core/base/local.mk
  printf 'X(STATE, "--state", "CRIVO_STATE", "DIR", "x", "folder")\n' >server/config.def
  printf '#include "core/base/err.h"\n' >server/req.h
  printf 'x_SOURCES = api/routes.c server/req.h tests/http/t_offers.c\n' >Makefile.am
  printf 'static const struct {\n  int m;\n  const char *p;\n} rows[] = {\n' >api/routes.c
  printf '    {CRV_M_GET, "/v1/offers"},\n};\n' >>api/routes.c
  sed 's/^static/enum { CRV_M_GET = 1 };\n&/; s/^};$/};\nint crv_n(void);\nint crv_n(void) {\n  return rows[0].m;\n}/' \
    api/routes.c >r
  mv r api/routes.c
  printf '{"paths": {"/v1/offers": {"get": {}}}}\n' >static/openapi.json
  printf '/* GET /v1/offers */\n' >tests/http/t_offers.c
  printf 'not-found --state\n' >README.md
  printf '#!/bin/sh\necho "$1"\n' >run.sh
}

say() {
  echo "$1: lint selftest $2"
  [ "$1" = PASS ] || failed=1
}

# plant CHECK NAME EXPECTED: the tree as it stands now must fail CHECK with a line that holds EXPECTED.
plant() {
  if sh "$here/$1.sh" "$tmp/t" >"$tmp/out" 2>&1; then
    say FAIL "$1: $2 was let through"
  elif ! grep -qF -e "$3" "$tmp/out"; then
    say FAIL "$1: $2 failed for another reason"
    sed 's/^/  /' "$tmp/out"
  else
    say PASS "$1: $2"
  fi
  clean
}

# lines N TEXT: TEXT, N times.
lines() {
  awk -v n="$1" -v t="$2" 'BEGIN { for (i = 0; i < n; i++) print t }'
}

# function BODY: a C function around BODY.
function_of() {
  printf 'int crv_f(int a);\nint crv_f(int a)\n{\n%s\n  return a;\n}\n' "$1"
}

clean
for check in layers sql size banned routes docs words sources format shell cppcheck clang; do
  if sh "$here/$check.sh" "$tmp/t" >"$tmp/out" 2>&1; then
    say PASS "$check: a clean tree"
  else
    say FAIL "$check: a clean tree"
    sed 's/^/  /' "$tmp/out"
  fi
done

echo '#include "core/decide/decide.h"' >>core/base/err.c
plant layers "core/base includes core/decide" 'core/base/ may not include "core/decide/decide.h"'
echo '#include "db/store.h"' >>core/decide/run.c
plant layers "core includes db" 'may not include "db/store.h"'
echo '#include "core/decide/decide.h"' >>server/req.h
plant layers "server includes core/decide" 'server/ may not include'
echo '#include "server/route.h"' >db/store.h
plant layers "db includes server" 'db/ may not include'
echo '#include "db/stmt.h"' >>api/routes.c
plant layers "api includes more of db than store.h" 'api/ may not include "db/stmt.h"'
echo '#include "server/daemon.h"' >>api/routes.c
plant layers "api includes more of server than three headers" 'api/ may not include "server/daemon.h"'
echo '#include <sqlite3.h>' >>api/routes.c
plant layers "api includes sqlite3.h" '<sqlite3.h> belongs in db/'
echo '#include <microhttpd.h>' >>db/stmt.c
plant layers "db includes microhttpd.h" '<microhttpd.h> belongs in server/'
echo '#include "../db/store.h"' >>core/base/err.c
plant layers "a path through .." 'core/base/ may not include "../db/store.h"'
echo '#include "elsewhere.h"' >>core/base/err.c
plant layers "a bare name that is no sibling" 'include from the top'

echo 'const char *q = "SELECT 1";' >>api/routes.c
plant sql "SELECT in api" 'SELECT 1'
echo 'const char *q = "DELETE FROM offer";' >>core/base/err.c
plant sql "DELETE in core" 'DELETE FROM offer'
echo 'const char *q = "UPDATE offer SET a = 1";' >>server/req.h
plant sql "UPDATE in server" 'UPDATE offer'
echo 'const char *q = "PRAGMA user_version";' >>server/req.h
plant sql "PRAGMA in server" 'PRAGMA'
echo 'const char *q = "create table t (a)";' >>server/req.h
plant sql "create table in small letters" 'create table'

function_of "$(lines 57 '  a++;')" >core/base/err.c
if sh "$here/size.sh" "$tmp/t" >/dev/null; then say PASS "size: 60 lines"; else say FAIL "size: 60 lines"; fi
function_of "$(lines 58 '  a++;')" >core/base/err.c
plant size "a function of 61 lines" 'crv_f() has 61 lines'
{ echo 'START_TEST(long_test) {' && lines 70 '  a++;' && echo '}'; } >tests/http/t_long.c
plant size "a test of 72 lines" 'long_test() has 72 lines'
lines 501 'int crv_a;' >core/base/err.c
plant size "a file of 501 lines" 'core/base/err.c: 501 lines'
function_of 'for (;;) { if (a) { while (a) { do { switch (a) { case 1: a++; } } while (0); } } }' >core/base/err.c
plant size "five nested blocks" 'nested more than 4 deep'
function_of 'for (;;) { if (a) { while (a) { do { f((struct x){{a}}); } while (0); } } }' >core/base/err.c
if sh "$here/size.sh" "$tmp/t" >/dev/null; then say PASS "size: four blocks and a literal"; else say FAIL "size: four blocks and a literal"; fi
clean

for call in 'strcpy(a, b)' 'sprintf(a, "x")' 'strtok (a, b)' 'atoi(a)' 'json_loads(a, 0, b)' 'system(a)' \
  'localtime(a)' 'setlocale(0, a)' 'alloca(3)' 'rand()'; do
  echo "int b(void) { return !!$call; }" >>server/req.h
  plant banned "$call" "${call%%[ (]*}() is banned"
done
echo 'int b(void) { goto out; }' >>api/routes.c
plant banned "goto" 'goto: use'
printf 'int b(void) {\n  _buf_ struct crv_buf x;\n}\n' >>api/routes.c
plant banned "an uninitialised cleanup variable" 'must be initialised'
echo '  _free_ char *s;' >>api/routes.c
plant banned "a cleanup variable without a value" 'must be initialised'
echo 'long b(void) { return time(0); }' >>core/base/err.c
plant banned "the clock in core" 'time() is banned in core'
echo 'double crv_d;' >>core/base/err.c
plant banned "floating point in core" 'no floating point'
echo 'int b(void) { return sqlite3_exec(a, b, c, d, e); }' >>db/offer.c
plant banned "sqlite3_exec anywhere in db" 'sqlite3_exec() outside'
printf '/* strcpy(a, b) */ const char *s = "sprintf(x)"; // atoi(x)\n' >>server/req.h
if sh "$here/banned.sh" "$tmp/t" >/dev/null; then say PASS "banned: comments and strings"; else say FAIL "banned: comments and strings"; fi
clean

sed 's|^};|  {CRV_M_PUT, "/v1/offers/{key}", h_put, 1},\n};|' api/routes.c >r && mv r api/routes.c
echo '/* PUT /v1/offers/{key} */' >>tests/http/t_offers.c
plant routes "a route missing from openapi.json" 'openapi.json: missing: PUT /v1/offers/{key}'
echo '/* GET /v1/offers/{key} */' >tests/http/t_offers.c
plant routes "a route without a test of its own" 'no test names: GET /v1/offers'
echo '{"paths": {"/v1/offers": {"get": {}, "post": {}}}}' >static/openapi.json
plant routes "a documented route that is not there" 'no such route: POST /v1/offers'
rm static/openapi.json
plant routes "no openapi.json" 'openapi.json'
echo 'X(GONE, 410, "gone-away", "Gone.", "Stop.")' >>core/base/errcodes.def
plant docs "an error that README does not list" 'gone-away'
echo 'X(PORT, "--port", "P", "N", "1", "port")' >>server/config.def
plant docs "a setting that README does not list" '--port'

echo "/* TO""DO: later */" >>api/routes.c
plant words "unfinished work" 'unfinished work'
echo "see /wo""rk/main" >>README.md
plant words "a path of this place" 'README.md:2'
echo "see ../sha""red/x" >>README.md
plant words "a path outside the tree" 'outside the tree'

echo 'int crv_y;' >core/base/new.c
plant sources "a file in no fragment" 'core/base/new.c: in no fragment'
printf 'int crv_o(void);\nint crv_o(void) {\n  long a = 1;\n  int b = a;\n  return b;\n}\n' >core/base/err.c
plant clang "a conversion that loses" 'Wshorten-64-to-32'
echo 'int   crv_z ;' >>core/base/err.c
plant format "a badly laid out line" 'core/base/err.c'
mkdir "$tmp/bin"
ln -s "$(command -v dirname)" "$tmp/bin/dirname"
if PATH=$tmp/bin /bin/sh "$here/format.sh" "$tmp/t" >/dev/null; then
  say FAIL "format: passed without clang-format"
else
  say PASS "format: fails without clang-format"
fi
printf '#!/bin/sh\nrm $1\n' >deploy.sh
plant shell "an unquoted word" 'SC2086'
printf '#!/bin/sh\nrm $1\n' >hook
plant shell "a script without a suffix" 'SC2086'
printf 'int crv_o(void);\nint crv_o(void) {\n  int a[2] = {0, 0};\n  return a[2];\n}\n' >core/base/err.c
plant cppcheck "an index out of bounds" 'arrayIndexOutOfBounds'

exit $failed
