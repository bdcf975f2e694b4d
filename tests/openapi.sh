#!/bin/sh
# static/openapi.json is what the tables of this build make ("make openapi" writes it anew).
# One of the tests of "make check", which sets CRIVOD and top_srcdir.
set -eu
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
"$CRIVOD" openapi >"$tmp/made"
diff -u "${top_srcdir:?}/static/openapi.json" "$tmp/made" || {
  echo "static/openapi.json is not what crivod makes: make openapi"
  exit 1
}
