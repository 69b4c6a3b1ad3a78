#!/usr/bin/env bash
# Makes the site of the guide: `docs/guide/build.sh [FOLDER]` (default: site in the target folder).
#   index.html        the guide, a page for each section of examples/README.md, and the reference
#   playground.html   the simulator in the browser, if the target wasm32-unknown-unknown is installed
# Pages come from the documents of the repository, so nothing is written twice. It fails if mdBook
# warns, or if a link of a document or of the site leads nowhere. Without mdBook it installs one.
set -euo pipefail
version=0.5.4
cd "$(dirname "$0")/../.."
target=$(mkdir -p "${CARGO_TARGET_DIR:-target}" && cd "${CARGO_TARGET_DIR:-target}" && pwd)
site=${1:-$target/site}
mkdir -p "$site"
site=$(cd "$site" && pwd)
repository=$(sed -n 's/^repository = "\(.*\)"$/\1/p' Cargo.toml)

# Links of the documents, before anything is built.
find . \( -name target -o -name .git \) -prune -o -name '*.md' -print | sort |
    xargs awk -f docs/guide/links.awk

PATH=$PATH:$target/tools/bin
if ! command -v mdbook >/dev/null &&
    ! timeout 1800 cargo install --quiet --locked --root "$target/tools" "mdbook@$version"; then
    echo "skipped: mdBook is not installed, and cannot be"
    exit 0
fi

book=$(mktemp -d)
trap "'$PWD/.ci/remove' '$book'" EXIT
mkdir -p "$book/src/examples" "$book/src/reference"
cp docs/guide/book.toml "$book"
cp -r docs/guide/src/pictures "$book/src"
cp -r docs/pictures "$book/src/reference"

# page DOCUMENT PAGE [SECTION [PART]]: adds a document, or a section of one, to a page.
page() {
    awk -v document="$1" -v page="$2" -v section="${3:-}" -v part="${4:-}" -v repository="$repository" \
        -f docs/guide/page.awk "$1" >>"$book/src/$2"
}

# title PAGE: its first heading
title() { sed -n '/^# /{s///p;q;}' "$book/src/$1"; }

for chapter in docs/guide/src/*.md; do
    page "$chapter" "$(basename "$chapter")"
done

examples=examples/README.md
page "$examples" examples/index.md -
{
    echo
    echo "# Examples"
    echo
    echo "- [$(title examples/index.md)](examples/index.md)"
    sed -n 's/^## //p' "$examples" | while IFS= read -r heading; do
        anchor=$(tr '[:upper:] ' '[:lower:]-' <<<"$heading" | tr -cd 'a-z0-9_\n-')
        if [ "$anchor" = all-other-examples ]; then
            page "$examples" examples/index.md "$anchor" yes
        else
            page "$examples" "examples/$anchor.md" "$anchor"
            echo "  - [$heading](examples/$anchor.md)"
        fi
    done
    echo
    echo "# Reference"
    echo
    for name in scenarios congestion-control outputs $(cd docs && ls ./*.md); do
        name=$(basename "$name" .md)
        if [ ! -e "$book/src/reference/$name.md" ]; then
            page "docs/$name.md" "reference/$name.md"
            echo "- [$(title "reference/$name.md")](reference/$name.md)"
        fi
    done
    page docs/playground/README.md reference/playground.md
    echo "- [$(title reference/playground.md)](reference/playground.md)"
} >>"$book/src/SUMMARY.md"

playground=
if [ -d "$(rustc --print target-libdir --target wasm32-unknown-unknown 2>/dev/null)" ]; then
    playground=yes
    printf '\n[Open the playground of this site.](../playground.html)\n' \
        >>"$book/src/reference/playground.md"
fi

mdbook build "$book" --dest-dir "$site" 2>&1 | tee "$book/log"
if grep -qE 'WARN|ERROR' "$book/log"; then
    echo "mdBook warns of the above" >&2
    exit 1
fi
if [ -n "$playground" ]; then
    docs/playground/build.sh "$site/playground.html"
else
    echo "skipped the playground: the target wasm32-unknown-unknown is not installed"
fi

# Links of the site. Scripts write those of 404.html.
cd "$site"
find . -name '*.html' ! -name 404.html ! -name playground.html ! -path './api/*' | sort |
    xargs awk -f "$OLDPWD/docs/guide/links.awk"
