#!/bin/sh
# Every shell script passes shellcheck: shell.sh [TOP]
set -eu
. "$(dirname "$0")/lib.sh"
need shellcheck
scripts=$(tree_files | while IFS= read -r f; do
  case $f in
  *.sh) echo "$f" ;;
  *.*[a-z]) ;;
  *) if head -c 40 "$f" | LC_ALL=C grep -aq '^#!.*sh'; then echo "$f"; fi ;;
  esac
done)
[ -n "$scripts" ] || exit 0
# shellcheck disable=SC2086
shellcheck --source-path=SCRIPTDIR --external-sources --exclude=SC1091 $scripts
