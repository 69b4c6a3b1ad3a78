# Checks that links within documents lead somewhere: `awk -f links.awk FILE...` in the folder that
# their paths begin at. Files are Markdown, or HTML if they end in .html. A link needs a file, and
# its anchor a heading or an `id` of that file. Exits with 1 if a link leads nowhere.

# Returns `path` without `.` and `..`.
function normalized(path,    parts, count, i, kept, depth, all) {
    count = split(path, parts, "/")
    for (i = 1; i <= count; i++) {
        if (parts[i] == ".." && depth > 0) depth--
        else if (parts[i] != "." && parts[i] != "") kept[++depth] = parts[i]
    }
    for (i = 1; i <= depth; i++) all = all (i > 1 ? "/" : "") kept[i]
    return all == "" ? "." : all
}

# Notes a link of this file, unless it leads out.
function add_link(target) {
    if (target ~ /^[a-z]+:/ || target ~ /^\/\//) return
    total++
    from[total] = name
    line_of[total] = FNR
    link[total] = target
}

# Returns the anchor that a heading gets: lower case, with hyphens for blanks.
function anchor(heading) {
    sub(/^#+ */, "", heading)
    heading = tolower(heading)
    gsub(/\]\([^)]*\)/, "", heading)
    gsub(/[!-,.\/:-@\[\\\]^`{-~]/, "", heading)
    gsub(/ /, "-", heading)
    return heading
}

function exists(path) {
    if (!(path in found)) found[path] = system("test -e '" path "'") == 0
    return found[path]
}

FNR == 1 {
    name = normalized(FILENAME)
    html = name ~ /\.html$/
    code = 0
    seen[name] = 1
}

!html && /^ *```/ { code = !code }
code { next }

!html && /^#+ / {
    id = anchor($0)
    again = repeated[name, id]++
    ids[name, again ? id "-" again : id] = 1
}

!html {
    text = $0
    gsub(/`[^`]*`/, "", text)
    while (start = index(text, "](")) {
        text = substr(text, start + 2)
        end = index(text, ")")
        add_link(substr(text, 1, end - 1))
    }
}

html {
    text = $0
    while (match(text, /[ "'](id|href|src)="[^"]*"/)) {
        attribute = substr(text, RSTART + 1, RLENGTH - 2)
        text = substr(text, RSTART + RLENGTH - 1)
        value = substr(attribute, index(attribute, "\"") + 1)
        if (attribute ~ /^id/) ids[name, value] = 1
        else add_link(value)
    }
}

END {
    for (i = 1; i <= total; i++) {
        at = ""
        file = link[i]
        if (start = index(file, "#")) {
            at = substr(file, start + 1)
            file = substr(file, 1, start - 1)
        }
        sub(/\?.*/, "", file)
        folder = match(from[i], /.*\//) ? substr(from[i], 1, RLENGTH) : ""
        path = file == "" ? from[i] : normalized(folder file)
        good = exists(path)
        if (good && at != "" && path in seen) good = (path, at) in ids
        if (!good) {
            print from[i] ":" line_of[i] ": " link[i] " leads nowhere" | "cat >&2"
            bad++
        }
    }
    print total " links within " length_of(seen) " files"
    exit bad > 0
}

function length_of(array,    key, count) {
    for (key in array) count++
    return count
}
