# Turns the migrations NNNN_name.sql, given in order, into db/migrations_data.c.
# Fails on a name of another form, and on a gap, a repetition or a wrong order of the numbers.

function fail(why) {
  print "embed.awk: " why > "/dev/stderr"
  failed = 1
  exit 1
}

function finish() {
  if (number) printf "    ,\n    \"PRAGMA user_version = %d;\"},\n", number
}

function start(path,    parts, n, base) {
  n = split(path, parts, "/")
  base = parts[n]
  if (base !~ /^[0-9][0-9][0-9][0-9]_[a-z0-9_]+\.sql$/)
    fail(path " is not named NNNN_name.sql")
  if (substr(base, 1, 4) + 0 != number + 1)
    fail(path " does not follow number " number + 0 ": numbers start at 0001 and leave no gap")
  finish()
  number++
  printf "  {%d, \"%s\",\n", number, substr(base, 1, length(base) - 4)
}

BEGIN {
  if (ARGC < 2) fail("no migrations given")
  print "/* Made by migrations/embed.awk from migrations/NNNN_name.sql: edit those. */"
  print "#include \"db/migrate.h\"\n"
  print "const struct crv_migration crv_migrations[] = {"
}

FNR == 1 { start(FILENAME) }

{
  gsub(/\\/, "&&")
  gsub(/"/, "\\\"")
  gsub(/\?/, "\\?")
  gsub(/\t/, "\\t")
  gsub(/\r/, "\\r")
  print "    \"" $0 "\\n\""
}

END {
  if (failed) exit 1
  if (number != ARGC - 1) fail("a migration is empty")
  finish()
  print "};"
  print "const size_t crv_migration_count = sizeof crv_migrations / sizeof *crv_migrations;"
}
