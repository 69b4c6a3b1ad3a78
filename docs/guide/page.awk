# Makes a page of the site from a document: links to other documents lead to their pages, and links to
# all other files lead to the repository.
#
#   awk -v document=docs/sql.md -v page=reference/sql.md -v repository=URL -f page.awk docs/sql.md
#
# With -v section=ANCHOR, the page is that section of the document, and its heading is that of the page
# unless -v part=yes adds it to another one. With -v section=- it is the part before the first section.

# Returns `path` without `.` and `..`.
function normalized(path,    parts, count, i, kept, depth, all) {
    count = split(path, parts, "/")
    depth = 0
    for (i = 1; i <= count; i++) {
        if (parts[i] == ".." && depth > 0) depth--
        else if (parts[i] != "." && parts[i] != "") kept[++depth] = parts[i]
    }
    for (i = 1; i <= depth; i++) all = all (i > 1 ? "/" : "") kept[i]
    return all
}

# Returns the folder of `path`, with a slash at its end unless it is the root.
function folder(path) {
    return match(path, /.*\//) ? substr(path, 1, RLENGTH) : ""
}

# Returns the anchor that a heading gets: lower case, with hyphens for blanks.
function anchor(heading) {
    sub(/^#+ */, "", heading)
    heading = tolower(heading)
    gsub(/[!-,.\/:-@\[\\\]^`{-~]/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}

# Returns the path on the site of the document or picture `file`, or nothing if the site has none.
function place(file, at) {
    if (sub(/^docs\/guide\/src\//, "", file)) return file
    if (file == "docs/playground/README.md") return "reference/playground.md"
    if (file == "examples/README.md")
        return "examples/" (at == "" || at == "all-other-examples" ? "index" : at) ".md"
    if (file ~ /^docs\/[^\/]*\.md$/ || file ~ /^docs\/pictures\//) {
        sub(/^docs\//, "reference/", file)
        return file
    }
    return ""
}

# Returns the target of a link as the page has it.
function moved(target,    file, at, to, up, i) {
    if (target ~ /^[a-z]+:/) return target
    i = index(target, "#")
    at = i ? substr(target, i + 1) : ""
    file = i ? substr(target, 1, i - 1) : target
    file = file == "" ? document : normalized(folder(document) file)
    to = place(file, at)
    if (to == "") return repository "/tree/main/" file (at == "" ? "" : "#" at)
    # Sections of the examples are pages by themselves.
    if (file == "examples/README.md") at = ""
    if (to == page) return at == "" ? "" : "#" at
    up = folder(page)
    gsub(/[^\/]+/, "..", up)
    return up to (at == "" ? "" : "#" at)
}

# Returns `text`, which is outside of code, with its links moved. `<` starts no tag.
function prose(text,    done, start, end) {
    gsub(/<[A-Za-z\/]/, "\\&lt;&", text)
    gsub(/&lt;</, "\\&lt;", text)
    while (start = index(text, "](")) {
        done = done substr(text, 1, start + 1)
        text = substr(text, start + 2)
        end = index(text, ")")
        done = done moved(substr(text, 1, end - 1)) ")"
        text = substr(text, end + 1)
    }
    return done text
}

# Returns a line with its links moved. Code spans stay as they are, also within the text of a link.
function line(text,    done, span, spans, count) {
    while (match(text, /`[^`]*`/)) {
        spans[++count] = substr(text, RSTART, RLENGTH)
        done = done substr(text, 1, RSTART - 1) "\001" count "\002"
        text = substr(text, RSTART + RLENGTH)
    }
    done = prose(done text)
    while (match(done, /\001[0-9]+\002/)) {
        span = spans[substr(done, RSTART + 1, RLENGTH - 2) + 0]
        done = substr(done, 1, RSTART - 1) span substr(done, RSTART + RLENGTH)
    }
    return done
}

BEGIN { wanted = section == "" || section == "-" }
/^```/ { code = !code }
!code && /^## / && section != "" {
    wanted = anchor($0) == section
    if (wanted && !part) sub(/^##/, "#")
}
wanted { print code || /^```/ ? $0 : line($0) }
