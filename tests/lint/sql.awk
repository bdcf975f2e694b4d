# SQL in a string literal. DELETE and UPDATE alone are words of HTTP and English. Run with c.awk.

{
  scan($0)
  if (PP || STRS == "") next
  n = split(STRS, lit, "\n")
  for (i = 1; i <= n; i++)
    if (is_sql(" " lit[i] " ")) complain("SQL outside db/: \"" lit[i] "\"")
}

function is_sql(s) {
  return s ~ /[^A-Za-z_](SELECT|INSERT|PRAGMA)[^A-Za-z_]/ ||
    s ~ /[^A-Za-z_](DELETE +FROM|REPLACE +INTO|UPDATE +[A-Za-z_]+ +SET)[^A-Za-z_]/ ||
    s ~ /[^A-Za-z_](CREATE|DROP|ALTER) +(TABLE|INDEX|UNIQUE|TRIGGER|VIEW|TEMP|VIRTUAL)[^A-Za-z_]/ ||
    s ~ /[^A-Za-z_]BEGIN +(IMMEDIATE|DEFERRED|EXCLUSIVE)[^A-Za-z_]/ ||
    s ~ /^ *(select +.* +from|insert +into|delete +from|update +[a-z_]+ +set|pragma|create +table) /
}
