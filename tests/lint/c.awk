# Takes C apart, line by line, for the checks beside it. After scan(line):
#   CODE  the line without comments, its literals emptied to "" and ''
#   STRS  its string literals' contents, one a line
#   PP    1 when the line belongs to a preprocessor directive
# Must not know: what any check looks for.

FNR == 1 { in_comment = 0; in_directive = 0 }

function literal(line, q,    found) {
  found = q == "\"" ? match(line, /^"([^"\\]|\\.)*"/) : match(line, /^'([^'\\]|\\.)*'/)
  CODE = CODE q q
  if (!found) return ""
  if (q == "\"") STRS = STRS substr(line, 2, RLENGTH - 2) "\n"
  return substr(line, RLENGTH + 1)
}

function comment(line,    end) {
  end = index(line, "*/")
  if (!end) return ""
  in_comment = 0
  CODE = CODE " "
  return substr(line, end + 2)
}

function special(line,    c, two) {
  c = substr(line, 1, 1)
  two = substr(line, 1, 2)
  if (two == "//") return ""
  if (two == "/*") {
    in_comment = 1
    return substr(line, 3)
  }
  if (c != "/") return literal(line, c)
  CODE = CODE "/"
  return substr(line, 2)
}

function scan(line) {
  CODE = STRS = ""
  PP = in_directive || (!in_comment && line ~ /^[ \t]*#/)
  in_directive = PP && line ~ /\\$/
  while (line != "") {
    if (in_comment) {
      line = comment(line)
    } else if (match(line, /["'\/]/)) {
      CODE = CODE substr(line, 1, RSTART - 1)
      line = special(substr(line, RSTART))
    } else {
      CODE = CODE line
      line = ""
    }
  }
}

function complain(text) {
  print FILENAME ":" FNR ": " text
  bad = 1
}

END { if (bad) exit 1 }
