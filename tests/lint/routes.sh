#!/bin/sh
# Every row of api/routes.c stands in static/openapi.json and in a black-box test (as the text
# "METHOD /pattern" somewhere below tests/http), and openapi.json tells of no others: routes.sh [TOP]
set -eu
. "$(dirname "$0")/lib.sh"
need jq
[ -f api/routes.c ] || exit 0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT

sed -n 's|.*CRV_M_\([A-Z]*\), *"\(/[^"]*\)".*|\1 \2|p' api/routes.c | sort >"$tmp/table"
jq -r '.paths | to_entries[] | .key as $p | .value | keys[]
  | select(. == "get" or . == "put" or . == "post" or . == "delete") | ascii_upcase + " " + $p' \
  static/openapi.json | sort >"$tmp/openapi"

bad=0
if ! [ -s "$tmp/table" ]; then
  echo "api/routes.c: no row {CRV_M_METHOD, \"/pattern\", ...} found"
  bad=1
fi
uniq -d "$tmp/table" | sed 's/^/api\/routes.c: twice: /' >"$tmp/twice"
comm -23 "$tmp/table" "$tmp/openapi" | sed 's/^/static\/openapi.json: missing: /' >"$tmp/missing"
comm -13 "$tmp/table" "$tmp/openapi" | sed 's/^/static\/openapi.json: no such route: /' >"$tmp/extra"
mkdir -p "$tmp/none"
tests=tests/http
[ -d "$tests" ] || tests=$tmp/none
find "$tests" -type f -exec cat {} + >"$tmp/tests"
while IFS= read -r row; do
  awk -v row="$row" '
    { line = $0
      while (i = index(line, row)) {
        line = substr(line, i + length(row))
        if (line !~ /^[A-Za-z0-9_\/{.-]/) { found = 1; exit } } }
    END { exit !found }' "$tmp/tests" || echo "tests/http: no test names: $row"
done <"$tmp/table" >"$tmp/untested"
for f in twice missing extra untested; do
  if [ -s "$tmp/$f" ]; then
    cat "$tmp/$f"
    bad=1
  fi
done
exit $bad
