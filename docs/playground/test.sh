#!/usr/bin/env bash
# Runs the playground's page in a headless Chromium: the default scenario has the checksum that the
# command has, in under three seconds. `test.sh FABRICSIM`; skipped without Chromium or the target.
set -euo pipefail
fabricsim=$(realpath "${1:?the command}")
cd "$(dirname "$0")"
remove=$PWD/../../.ci/remove
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
trap '"$remove" "$work"' EXIT
./build.sh "$work/page.html"
"$fabricsim" run --quiet --out "$work/results"
native=$(sed -n 's/^ *"checksum": "\(.*\)",$/\1/p' "$work/results/summary.json" | head -n 1)
# Chromium logs what the page says, and is ended then.
chromium --headless --no-sandbox --disable-gpu --user-data-dir="$work/profile" \
    --enable-logging=stderr "file://$work/page.html#run" 2>"$work/log" >/dev/null &
browser=$!
trap 'kill "$browser" 2>/dev/null || true; "$remove" "$work"' EXIT
for _ in $(seq 120); do
    grep -q 'CONSOLE.*"\(ended\|refused\) ' "$work/log" && break
    sleep 0.5
done
said=$(sed -n 's/.*CONSOLE.*"ended \([^"]*\) \..*/\1/p' "$work/log" | head -n 1)
read -r checksum seconds figures <<<"${said:-none 0 0}"
kill "$browser" 2>/dev/null || true
wait "$browser" 2>/dev/null || true
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
