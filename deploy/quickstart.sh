#!/bin/sh
# From a fresh clone to a shortlist: installs what is missing (Debian, root or sudo), builds crivod
# under build/quickstart, starts it on loopback, loads the worked example and one real price list,
# and prints the shortlist, the address and where the token is.
# Safe to run twice: a crivod that it started before is used again, and what is loaded stays as it is.
#   deploy/quickstart.sh         all of the above
#   deploy/quickstart.sh stop    stops the crivod that it started
# CRIVO_QUICKSTART_STATE names the state folder (default: build/quickstart/state),
# CRIVO_QUICKSTART_PORT the port (default: a free one).
set -eu
cd "$(dirname "$0")/.."
top=$(pwd)
build=$top/build/quickstart
state=${CRIVO_QUICKSTART_STATE:-$build/state}
port=${CRIVO_QUICKSTART_PORT:-0}
pid_file=$build/crivod.pid

say() { printf '\n== %s\n' "$*"; }

ours() { # is the process that we noted still our crivod?
  [ -f "$pid_file" ] && tr '\0' ' ' <"/proc/$(cat "$pid_file")/cmdline" 2>/dev/null |
    grep -q "^$build/crivod "
}

stop() {
  if ours; then
    kill -TERM "$(cat "$pid_file")"
    tries=0 # it answers what it has taken in; a start right after finds the state free
    while ours && [ $tries -lt 300 ]; do
      tries=$((tries + 1))
      sleep 0.1
    done
    echo "stopped crivod $(cat "$pid_file")"
  else
    echo "no crivod of this script is running"
  fi
  rm -f "$pid_file"
}

build() {
  mkdir -p "$build"
  [ -x configure ] || ./autogen.sh >"$build/autogen.log" 2>&1
  src=$top
  if [ -f config.status ]; then # configured in place: the sources are copied first
    make -s distdir distdir="$build/src" >/dev/null
    src=$build/src
  fi
  cd "$build"
  [ -f config.status ] || "$src/configure" -q
  make -s -j2 crivod >"$build/make.log" 2>&1 || {
    tail -n 30 "$build/make.log" >&2
    exit 1
  }
  cd "$top"
}

start() {
  if ours; then
    echo "crivod is running already ($(cat "$pid_file"))"
    return
  fi
  mkdir -p "$state"
  rm -f "$build/port"
  rm -f "$build/crivod.log"
  (umask 077 && : >"$build/crivod.log") # the first start prints the token into it
  "$build/crivod" serve --listen "127.0.0.1:$port" --state "$state" --port-file "$build/port" \
    >"$build/crivod.log" 2>&1 </dev/null &
  echo $! >"$pid_file"
  tries=0
  until [ -s "$build/port" ]; do
    tries=$((tries + 1))
    if [ $tries -gt 100 ] || ! ours; then
      tail -n 20 "$build/crivod.log" >&2
      exit 1
    fi
    sleep 0.1
  done
}

# The example's pieces with their dates moved to today, so that they are in date when you read this.
dated() {
  sed -e "s/\"observed_at\": \"[^\"]*\"/\"observed_at\": \"$day\"/" \
    -e "s/\"valid_until\": \"[^\"]*\"/\"valid_until\": \"$until\"/" "$1"
}

call() { curl -sS --fail-with-body -H "Authorization: Bearer $token" "$@"; }

put() { # KIND/KEY FILE
  dated "$2" | call -X PUT --json @- -o "$build/answer" -w "%{http_code}  $1\n" "$url/v1/$1" || {
    cat "$build/answer" >&2
    exit 1
  }
}

load() {
  day=$(date -u +%Y-%m-%dT00:00:00Z)
  # the dates of the first run stay: the same document twice changes nothing
  if [ -f "$state/quickstart.day" ]; then day=$(cat "$state/quickstart.day"); else echo "$day" >"$state/quickstart.day"; fi
  until=$(date -u -d "$day + 180 days" +%Y-%m-%dT00:00:00Z)
  w=examples/worked
  put evidence/example-price-list $w/example-price-list.json
  put offers/rtx-4090-3d $w/offer-rtx-4090-3d.json
  put offers/rtx-6000-ada-3d $w/offer-rtx-6000-ada-3d.json
  put evidence/run-6000-ada $w/run-6000-ada.json
  put evidence/quality-bf16 $w/quality-bf16.json
  put sheets/support-bot $w/support-bot.json
  call -H 'Content-Type: text/csv' --data-binary @examples/catalogue-verda.csv \
    "$url/v1/imports?source=csv&key=verda-price-list&format=text"
}

case ${1:-start} in
stop)
  stop
  exit 0
  ;;
start) ;;
*)
  sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
  exit 64
  ;;
esac

say "Packages"
./deploy/deps.sh build
say "Build (build/quickstart)"
build
say "Start"
start
url=http://127.0.0.1:$(cat "$build/port")
token=$(cat "$state/admin.token")
say "Load the worked example and a real price list"
load
say "Ask: which offers carry support-bot, and what proves it?"
call --json '{"sheet":"support-bot"}' "$url/v1/decisions?format=text"
cat <<END

Address  $url
Token    $state/admin.token (admin; made at the first start)
Again    curl -u :"\$(cat '$state/admin.token')" $url/s/support-bot
Why      curl -u :"\$(cat '$state/admin.token')" "$url/s/support-bot?why=rtx-4090-3d"
Stop     deploy/quickstart.sh stop
END
