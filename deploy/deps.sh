#!/bin/sh
# Installs the Debian packages that Crivo needs, those that are missing, and says which.
#   deploy/deps.sh build    to build and run crivod
#   deploy/deps.sh test     the same and what the tests and lint need
#   deploy/deps.sh develop  the same and what "make tidy" and "make db" need
# As root, or with sudo. Safe to run twice: with nothing missing it touches nothing.
set -eu

build="gcc make libc6-dev autoconf automake pkg-config ca-certificates curl jq
  libmicrohttpd-dev libjansson-dev libsqlite3-dev libsodium-dev libcsv-dev zlib1g-dev"
tests="git check libcurl4-openssl-dev clang libclang-rt-14-dev clang-format cppcheck shellcheck
  valgrind strace sqlite3 xz-utils"
develop="clang-tidy bear llvm"

case ${1:-} in
build) wanted=$build ;;
test) wanted="$build $tests" ;;
develop) wanted="$build $tests $develop" ;;
*)
  sed -n '2,6s/^# \{0,1\}//p' "$0" >&2
  exit 64
  ;;
esac

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
  echo "deps: this is no Debian. Install what these packages hold by hand:" >&2
  echo "$wanted" >&2
  exit 1
fi

missing=
for p in $wanted; do
  if ! dpkg-query -W -f '${db:Status-Status}\n' "$p" 2>/dev/null | grep -qx installed; then
    missing="$missing $p"
  fi
done
if [ -z "$missing" ]; then
  echo "deps: every package for '$1' is installed"
  exit 0
fi

as_root=
if [ "$(id -u)" -ne 0 ]; then
  if ! command -v sudo >/dev/null; then
    echo "deps: run this as root, without which these cannot be installed:$missing" >&2
    exit 1
  fi
  as_root=sudo
fi
echo "deps: installing$missing"
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq update
# shellcheck disable=SC2086
$as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq install -y --no-install-recommends \
  $missing >/dev/null
echo "deps: done"
