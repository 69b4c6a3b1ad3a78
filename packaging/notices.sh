#!/usr/bin/env bash
# Prints the licenses of all packages that the command is built from, for the archives of a release:
#   packaging/notices.sh [OPTIONS OF CARGO TREE]
# Each text is printed once, after the packages that have it.
set -euo pipefail
cd "$(dirname "$0")/.."

texts=$(mktemp -d)
trap 'rm -rf "$texts"' EXIT
sources=${CARGO_HOME:-$HOME/.cargo}/registry/src
here=$PWD
packages=$(cargo tree --locked -p fabricsim-cli --edges normal --prefix none --format '{p}|{l}' "$@" |
    sed 's/ (\*)$//' | grep -v "($here" | sort -u)

echo "The command fabricsim contains these packages:"
echo
while IFS='|' read -r package license; do
    package=${package%% (*}
    for folder in "$sources"/*/"${package/ v/-}"; do break; done
    if [ ! -d "$folder" ]; then
        echo "there are no sources of $package" >&2
        exit 1
    fi
    echo "* $package: $license"
    # Fonts have theirs in a folder of their own.
    find "$folder" -maxdepth 2 -type f \( -iname 'licen[cs]e*' -o -iname 'copying*' -o -iname 'notice*' \) |
        sort | while read -r file; do
        name=$(cksum <"$file" | tr ' ' -)
        cp "$file" "$texts/$name.text"
        echo "$package" >>"$texts/$name.packages"
    done
done <<<"$packages"
cat <<'END'
* the standard library of Rust: MIT OR Apache-2.0
* musl, in archives for Linux: MIT (https://musl.libc.org)
END
for text in "$texts"/*.text; do
    printf '\n%s\n\n' "$(printf '=%.0s' {1..80})"
    sort -u "${text%.text}.packages" | sed 's/^/* /'
    echo
    cat "$text"
done
