#!/bin/sh
# cppcheck finds nothing: cppcheck.sh [TOP]
# Configurations are not tried out (--max-configs=1): the tree has no #if of its own.
set -eu
. "$(dirname "$0")/lib.sh"
need cppcheck
dirs=$(for d in core db server api; do if [ -d "$d" ]; then echo "$d"; fi; done)
# shellcheck disable=SC2086
c_files $dirs | grep -q '\.c$' || exit 0
# shellcheck disable=SC2086
cppcheck --quiet -j 2 --error-exitcode=1 --inline-suppr --std=c11 --max-configs=1 \
  --enable=warning,portability --suppressions-list="$lint/cppcheck.supp" \
  --template='{file}:{line}: {id}: {message}' -I . $dirs
