#!/bin/sh
# clang has no complaint either, with the warnings that configure.ac asks gcc for: clang.sh [TOP]
set -eu
. "$(dirname "$0")/lib.sh"
need clang
files=$(c_files core db server api | grep '\.c$') || exit 0
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
printf '#define PACKAGE_VERSION "0"\n#define VERSION "0"\n' >"$tmp/config.h"
# shellcheck disable=SC2086
printf '%s\n' $files | xargs -n 8 -P 2 clang -fsyntax-only -std=gnu11 -I. -I"$tmp" \
  -Wall -Wextra -Wshadow -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition \
  -Wpointer-arith -Wcast-qual -Wwrite-strings -Wformat=2 -Wno-format-nonliteral -Wvla -Wundef \
  -Wconversion -Wno-sign-conversion -Wimplicit-fallthrough -Wnull-dereference -fno-common -Werror
