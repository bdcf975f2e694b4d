#!/bin/sh
# Makes configure and the Makefile.in from configure.ac and Makefile.am; needed in a git clone only.
set -eu
cd "$(dirname "$0")"
mkdir -p build-aux
exec autoreconf -fi
