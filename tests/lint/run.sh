#!/bin/sh
# Runs every check over the tree, after the proof that each can fail. Prints PASS or FAIL and the
# check's name; exits 1 when one failed: run.sh [TOP]
set -u
here=$(cd "$(dirname "$0")" && pwd)
top=${1:-$here/../..}
failed=0

verdict() {
  if [ "$2" -eq 0 ]; then
    echo "PASS: lint $1"
  else
    echo "FAIL: lint $1"
    failed=1
  fi
}

sh "$here/selftest.sh" || failed=1
for check in layers sql size banned routes docs words sources format shell cppcheck clang; do
  sh "$here/$check.sh" "$top"
  verdict "$check" $?
done
exit $failed
