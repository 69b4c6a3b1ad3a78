#!/usr/bin/env bash
# Makes the playground, one page that needs no server: `build.sh [FILE]` (default: playground.html in
# the target folder). Needs the compiler's target: rustup target add wasm32-unknown-unknown
set -euo pipefail
cd "$(dirname "$0")/../.."
target="${CARGO_TARGET_DIR:-target}"
page="${1:-$target/playground.html}"
cargo rustc --release --locked --quiet -p fabricsim-playground --target wasm32-unknown-unknown \
    --crate-type cdylib -- -C strip=symbols
module="$target/wasm32-unknown-unknown/release/fabricsim_playground.wasm"
packed=$(mktemp)
trap 'rm -f "$packed"' EXIT
gzip -9 -n <"$module" | base64 -w 0 >"$packed"
# Scenarios have no `<` or `&`, which would need to be escaped.
awk -v packed="$packed" '
    function put(file,    line) { while ((getline line < file) > 0) print line; close(file) }
    {
        at = match($0, /@(SCENARIO|WORKER|MODULE)@/)
        if (!at) { print; next }
        name = substr($0, RSTART + 1, RLENGTH - 2)
        printf "%s", substr($0, 1, at - 1)
        rest = substr($0, at + RLENGTH)
        if (name == "SCENARIO") put("examples/scenarios/default.toml")
        if (name == "WORKER") put("docs/playground/worker.js")
        if (name == "MODULE") put(packed)
        print rest
    }' docs/playground/page.html >"$page"
echo "$page: $(wc -c <"$page") bytes, of which $(wc -c <"$packed") are the simulator"
