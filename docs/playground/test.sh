#!/usr/bin/env bash
# Runs the playground's page in a headless Chromium: the default scenario has the checksum that the
# command has, in under three seconds. `test.sh FABRICSIM`; skipped without Chromium or the target.
set -euo pipefail
fabricsim=$(realpath "${1:?the command}")
cd "$(dirname "$0")"
if ! command -v chromium >/dev/null; then
    echo "skipped: chromium is not installed"
    exit 0
fi
if ! rustc --print target-libdir --target wasm32-unknown-unknown >/dev/null 2>&1 ||
    [ ! -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ]; then
    echo "skipped: the target wasm32-unknown-unknown is not installed"
    exit 0
fi
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
./build.sh "$work/page.html"
"$fabricsim" run --quiet --out "$work/results"
native=$(sed -n 's/^ *"checksum": "\(.*\)",$/\1/p' "$work/results/summary.json" | head -n 1)
# Dumped when the page has been quiet for a while, or after the given virtual time.
timeout 120 chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
    --timeout=30000 --dump-dom "file://$work/page.html#run" >"$work/dom.html" 2>"$work/log"
value() { sed -n "s/.*<body.* data-$1=\"\([^\"]*\)\".*/\1/p" "$work/dom.html" | head -n 1; }
checksum=$(value checksum)
seconds=$(value seconds)
figures=$(grep -c '<svg' "$work/dom.html" || true)
if [ "$checksum" != "$native" ] || [ -z "$native" ]; then
    echo "the page has the checksum ${checksum:-none}, and the command $native" >&2
    tail -n 5 "$work/log" >&2
    exit 1
fi
if [ "$figures" -lt 3 ]; then
    echo "the page has $figures figures" >&2
    exit 1
fi
if ! awk -v seconds="$seconds" -v most="${PLAYGROUND_SECONDS:-3}" 'BEGIN { exit !(seconds < most) }'; then
    echo "the default scenario took $seconds s" >&2
    exit 1
fi
echo "playground: checksum $checksum as the command has it, in $seconds s, $figures figures"
