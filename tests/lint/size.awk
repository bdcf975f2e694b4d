# Functions over 60 lines (from the line of their opening brace), blocks nested more than four deep
# inside a function, files over 500 lines. Run with c.awk.

FNR == 1 { file_end(); depth = blocks = parens = 0; prev = word = "" }
{ last_file = FILENAME; last_line = FNR; scan($0); if (!PP) walk(CODE) }
END { file_end() }

function file_end() {
  if (last_line > 500) {
    print last_file ": " last_line " lines: split the file (500 at most)"
    bad = 1
  }
}

function walk(code,    t) {
  while (match(code, /[A-Za-z_][A-Za-z0-9_]*|[^ \t]/)) {
    t = substr(code, RSTART, RLENGTH)
    code = substr(code, RSTART + RLENGTH)
    token(t)
    prev = t
  }
}

function token(t) {
  if (t == "(") before[++parens] = prev
  else if (t == ")") { if (parens) word = before[parens--]; inside = prev }
  else if (t == "{") open_brace()
  else if (t == "}") close_brace()
}

# A brace after "(type)" is a compound literal; after "=", "," or "[..]" an initialiser.
function is_block() {
  if (prev == "else" || prev == "do" || prev == ";" || prev == "{" || prev == "}" || prev == ":")
    return blocks > 0 && kind[depth] == "block"
  return prev == ")" && word ~ /^[A-Za-z_]/ && word != "return" && word != "sizeof"
}

function open_brace(    block) {
  block = is_block() && (depth == 0 || kind[depth] == "block")
  kind[++depth] = block ? "block" : "data"
  if (!block) return
  if (++blocks == 1) {
    fn_line = FNR
    fn = word == "START_TEST" ? inside : word
    return
  }
  if (blocks == 6) complain("blocks nested more than 4 deep in " fn "()")
}

function close_brace() {
  if (!depth) return
  if (kind[depth--] == "block" && --blocks == 0 && FNR - fn_line + 1 > 60)
    complain(fn "() has " FNR - fn_line + 1 " lines: split it (60 at most)")
}
