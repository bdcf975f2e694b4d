#!/bin/sh
# Words that tracked files do not hold: marks of unfinished work, and paths of the place where the
# tree was made. Test data and this folder are not looked at: words.sh [TOP]
set -eu
. "$(dirname "$0")/lib.sh"
tree_files | grep -v -e '^tests/lint/' -e '^tests/data/' -e '^tests/golden/' \
  -e '^tests/fuzz/corpus/' -e '^LICENSE$' | {
  bad=0
  while IFS= read -r f; do
    awk -v f="$f" -v test="$(case $f in tests/*) echo 1 ;; *) echo 0 ;; esac)" '
      function say(what) { print f ":" FNR ": " what; bad = 1 }
      (" " $0 " ") ~ /[^A-Za-z_](TODO|FIXME|XXX)[^A-Za-z_]/ { say("unfinished work") }
      /(^|[^A-Za-z0-9_.-])\/work\// { say("a path of the place where this was made") }
      !test && /\.\.\/shared/ { say("a path outside the tree") }
      /[Ii]ssue (number )?[0-9]+([^0-9]|$)|[Ss]ub-?agent/ { say("tells how the work was organised") }
      END { exit bad }' "$f" || bad=1
  done
  exit $bad
}
