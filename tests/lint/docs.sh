#!/bin/sh
# What the tables define, README.md tells: error slugs and settings: docs.sh [TOP]
set -eu
. "$(dirname "$0")/lib.sh"
[ -f README.md ] || exit 0
bad=0

# missing WHAT WORD...: complains of each word that README.md does not hold.
missing() {
  what=$1
  shift
  for word in "$@"; do
    if ! grep -qF -e "$word" README.md; then
      echo "README.md: $what not listed: $word"
      bad=1
    fi
  done
}

if [ -f core/base/errcodes.def ]; then
  # shellcheck disable=SC2046
  missing "error" $(sed -n 's/^X([A-Z_]*, [0-9]*, "\([^"]*\)".*/\1/p' core/base/errcodes.def)
fi
if [ -f server/config.def ]; then
  # shellcheck disable=SC2046
  missing "setting" $(sed -n 's/^X([A-Z_0-9]*, "\(--[a-z-]*\)".*/\1/p' server/config.def)
fi
exit $bad
