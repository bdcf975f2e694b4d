#!/bin/sh
# Every C file stands in a fragment, so that it is built and goes into the archive:
# sources.sh [TOP]
set -eu
. "$(dirname "$0")/lib.sh"
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
find . -path ./.git -prune -o \( -name Makefile.am -o -name '*.mk' \) -exec cat {} + |
  tr -s ' \t\\=' '\n' | sort -u >"$tmp/listed"
c_files core db server api tests | comm -23 - "$tmp/listed" |
  awk '{ print $0 ": in no fragment"; bad = 1 } END { exit bad }'
