# Calls that are not used here, and why is in HACKING.md. In core also whatever would make it
# impure: clocks, randomness, files, output, floating point. Run with c.awk.

BEGIN {
  set(everywhere, "strcpy strcat sprintf vsprintf gets strtok atoi atof alloca system popen " \
    "rand srand localtime gmtime ctime asctime setlocale json_loads vfork tmpnam mktemp")
  set(in_core, "time clock clock_gettime gettimeofday fopen open openat creat printf " \
    "fprintf vfprintf puts fputs perror syslog getenv getrandom randombytes_buf " \
    "randombytes_random randombytes_uniform exit abort json_load_file json_dump_file strtod")
}

{
  scan($0)
  check(CODE, FILENAME ~ /^core\//)
  # what its cleanup would free must be set at once: a return may come first
  if (CODE ~ /^[ \t]*_[a-z]+_[ \t]/ && CODE ~ /;/ && CODE !~ /=/)
    complain("a cleanup variable must be initialised where it is declared")
}

function set(into, names,    i, n, w) {
  n = split(names, w, " ")
  for (i = 1; i <= n; i++) into[w[i]] = 1
}

function check(code, core,    w, before, rest) {
  before = ""
  while (match(code, /[A-Za-z_][A-Za-z0-9_]*/)) {
    w = substr(code, RSTART, RLENGTH)
    before = RSTART > 1 ? substr(code, RSTART - 1, 1) : (before == "" ? " " : before)
    rest = substr(code, RSTART + RLENGTH)
    code = rest
    word(w, before, rest ~ /^[ \t]*\(/, core)
  }
}

# A member of that name (after "." or ">") is no call of the function.
function word(w, before, call, core) {
  if (w == "goto" && FILENAME != "db/tx.c") complain("goto: use a cleanup attribute")
  if (core && (w == "float" || w == "double")) complain(w ": no floating point in core")
  if (!call || before == "." || before == ">") return
  if (w in everywhere) complain(w "() is banned")
  if (core && (w in in_core)) complain(w "() is banned in core, which is pure")
  if (w == "sqlite3_exec" && FILENAME ~ /^db\// && FILENAME !~ /^db\/(migrate|tx|pool|conn)[a-z_]*\.c$/)
    complain("sqlite3_exec() outside migrate, tx, pool and conn")
}
