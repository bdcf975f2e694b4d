#!/bin/sh
# SQL belongs in db/ and migrations/ only: sql.sh [TOP]
set -eu
. "$(dirname "$0")/lib.sh"
c_files core server api | run_awk sql.awk
