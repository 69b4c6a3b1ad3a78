#!/usr/bin/env bash
# Opens a timeline in speedscope, a viewer of trace events, in a headless Chromium: it is taken for
# trace events, and nothing in it is out of place. `viewer.sh FABRICSIM`, with the folder of
# speedscope's page (`dist/release` of the npm package) as SPEEDSCOPE_DIR; skipped without one or
# without Chromium.
set -euo pipefail
fabricsim=$(realpath "${1:?the command}")
remove=$(realpath "$(dirname "$0")/../../../../.ci/remove")
if [ ! -f "${SPEEDSCOPE_DIR:-}/index.html" ] || ! command -v chromium >/dev/null; then
    echo "skipped: SPEEDSCOPE_DIR has no page of speedscope, or chromium is not installed"
    exit 0
fi
work=$(mktemp -d)
trap '"$remove" "$work"' EXIT
cat >"$work/run.toml" <<'TOML'
[topology]
kind = "star"
hosts = 9
[[workload]]
kind = "incast"
fan_in = 8
size = "300KB"
at = "1us"
[[workload]]
kind = "rpc"
clients = ["0..4"]
servers = ["4..8"]
queries = 200
query = "4KB"
[cc]
kind = "dcqcn"
TOML
"$fabricsim" run "$work/run.toml" --quiet --out "$work/results"
"$fabricsim" timeline "$work/results" -o "$work/run.json"
echo "speedscope.loadFileFromBase64('run.json', '$(base64 -w 0 "$work/run.json")')" >"$work/run.js"
# Chromium logs what the page says, and is ended then.
page="file://$(realpath "$SPEEDSCOPE_DIR")/index.html#localProfilePath=$work/run.js"
chromium --headless --no-sandbox --disable-gpu --enable-unsafe-swiftshader \
    --allow-file-access-from-files --user-data-dir="$work/profile" --enable-logging=stderr \
    "$page" 2>"$work/log" >/dev/null &
browser=$!
trap 'kill "$browser" 2>/dev/null || true; "$remove" "$work"' EXIT
for _ in $(seq 60); do
    grep -q 'CONSOLE.*Importing as' "$work/log" && break
    sleep 0.5
done
sleep 3
kill "$browser" 2>/dev/null || true
wait "$browser" 2>/dev/null || true
if ! grep -q 'CONSOLE.*Importing as Trace Event Format' "$work/log"; then
    echo "speedscope has not taken the timeline for trace events" >&2
    tail -n 5 "$work/log" >&2
    exit 1
fi
if grep -E 'CONSOLE.*(Tried to end|still open|Error)' "$work/log" >&2; then
    echo "speedscope finds events of the timeline out of place" >&2
    exit 1
fi
echo "timeline: $(grep -c '"ph":"X"' "$work/run.json") spans opened in speedscope"
