# What each folder may include. The table is the layering: core/base <- core/model <- core/sheet <-
# core/memory <- core/catalogue <- core/evidence <- core/decide <- db, api; server sees core/base
# only; server/main.c wires all. Run with c.awk.

BEGIN {
  n = split("base model sheet memory catalogue evidence decide", layer, " ")
  for (i = 1; i <= n; i++) {
    all = all " core/" layer[i] "/"
    may["core/" layer[i] "/"] = all
  }
  may["db/"] = all " db/ config.h"
  may["server/"] = " core/base/ server/ config.h"
  may["api/"] = all " api/ db/store.h server/req.h server/reply.h server/route.h config.h"
  # Libraries whose headers stay in one folder.
  home["microhttpd.h"] = "server/"
  home["sqlite3.h"] = "db/"
  home["curl/curl.h"] = "tests/"
  home["csv.h"] = "core/catalogue/"
}

{
  scan($0)
  if (CODE !~ /^[ \t]*#[ \t]*include/) next
  if (CODE ~ /</) check_library(CODE)
  else check_own(substr(STRS, 1, index(STRS, "\n") - 1))
}

function folder(path) {
  if (match(path, /^core\/[a-z]+\//)) return substr(path, 1, RLENGTH)
  return substr(path, 1, index(path, "/"))
}

function check_library(code,    header) {
  header = code
  sub(/^[^<]*</, "", header)
  sub(/>.*/, "", header)
  if ((header in home) && folder(FILENAME) != home[header])
    complain("<" header "> belongs in " home[header] " only")
  if (header ~ /^sqlite3/ && FILENAME == "db/store.h")
    complain("db/store.h shows no sqlite3 type")
}

# A bare name means a file of the same folder.
function is_sibling(path,    own, line, found) {
  own = FILENAME
  sub(/[^\/]*$/, "", own)
  found = (getline line < (own path)) >= 0
  close(own path)
  return found
}

function check_own(path,    k, list, n) {
  if (FILENAME == "server/main.c") return
  if (index(path, "/") == 0 && path != "config.h") {
    if (!is_sibling(path)) complain("\"" path "\": include from the top of the tree")
    return
  }
  n = split(may[folder(FILENAME)], list, " ")
  for (k = 1; k <= n; k++)
    if (path == list[k] || (list[k] ~ /\/$/ && folder(path) == list[k])) return
  complain(folder(FILENAME) " may not include \"" path "\"")
}
