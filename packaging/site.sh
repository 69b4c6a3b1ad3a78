#!/usr/bin/env bash
# Makes the site: `packaging/site.sh FOLDER`. Needs mdbook and the target wasm32-unknown-unknown.
#   index.html        the guide
#   playground.html   the simulator in the browser
#   api/              the documentation of the library
set -euo pipefail
mkdir -p "$1"
site=$(cd "$1" && pwd)
cd "$(dirname "$0")/.."
mdbook build docs/guide --dest-dir "$site"
docs/playground/build.sh "$site/playground.html"
cargo doc --locked --quiet --no-deps -p fabricsim --all-features
cp -r "${CARGO_TARGET_DIR:-target}/doc" "$site/api"
cat >"$site/api/index.html" <<'END'
<!doctype html>
<meta charset="utf-8">
<meta http-equiv="refresh" content="0; url=fabricsim/index.html">
<title>fabricsim</title>
<a href="fabricsim/index.html">Documentation of the library</a>
END
