#!/bin/sh
# Every C file is as clang-format lays it out ("make format" does it): format.sh [TOP]
set -eu
. "$(dirname "$0")/lib.sh"
need clang-format
files=$(c_files core db server api tests)
[ -n "$files" ] || exit 0
# shellcheck disable=SC2086
clang-format --style=file --dry-run -Werror $files 2>&1 | grep 'error:' | cut -d: -f1 | sort | uniq -c |
  awk '{ print $2 ": " $1 " places that clang-format would change"; bad = 1 } END { exit bad }'
