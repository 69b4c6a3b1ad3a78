#!/usr/bin/env bash
# Makes the playground, one page that needs no server: `build.sh [FILE]` (default: playground.html in
# the target folder). Needs the compiler's target: rustup target add wasm32-unknown-unknown
#
# With PLAYGROUND_WORKER=FILE, that script takes the place of the worker and of the simulator. Tests of
# the page use it where the target is not installed.
set -euo pipefail
cd "$(dirname "$0")/../.."
target="${CARGO_TARGET_DIR:-target}"
page="${1:-$target/playground.html}"
worker="${PLAYGROUND_WORKER:-docs/playground/worker.js}"
packed=$(mktemp)
examples=$(mktemp)
trap 'rm -f "$packed" "$examples"' EXIT
if [ -z "${PLAYGROUND_WORKER:-}" ]; then
    cargo rustc --release --locked --quiet -p fabricsim-playground --target wasm32-unknown-unknown \
        --crate-type cdylib -- -C strip=symbols
    module="$target/wasm32-unknown-unknown/release/fabricsim_playground.wasm"
    gzip -9 -n <"$module" | base64 -w 0 >"$packed"
fi
# Examples that name no files and need no solver. They have no `<` or `&`, which would need to be escaped.
for file in $(grep -L '^path = \|^\[\[query\]\]' examples/scenarios/*.toml); do
    printf '<script class="example" type="text/plain" data-name="%s">' "$(basename "$file" .toml)"
    cat "$file"
    echo '</script>'
done >"$examples"
awk -v packed="$packed" -v worker="$worker" -v examples="$examples" '
    function put(file,    line) { while ((getline line < file) > 0) print line; close(file) }
    function put_scripts(    i, names, count) {
        count = split("data layout scene draw parts paths panels controls view", names, " ")
        for (i = 1; i <= count; i++) put("crates/cli/src/view/" names[i] ".js")
    }
    {
        at = match($0, /@(SCENARIO|WORKER|MODULE|EXAMPLES|VIEW_STYLE|VIEW_SCRIPT)@/)
        if (!at) { print; next }
        name = substr($0, RSTART + 1, RLENGTH - 2)
        printf "%s", substr($0, 1, at - 1)
        rest = substr($0, at + RLENGTH)
        if (name == "SCENARIO") put("examples/scenarios/default.toml")
        if (name == "WORKER") put(worker)
        if (name == "MODULE") put(packed)
        if (name == "EXAMPLES") put(examples)
        if (name == "VIEW_STYLE") put("crates/cli/src/view/view.css")
        if (name == "VIEW_SCRIPT") put_scripts()
        print rest
    }' docs/playground/page.html >"$page"
echo "$page: $(wc -c <"$page") bytes, of which $(wc -c <"$packed") are the simulator"
