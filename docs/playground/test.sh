#!/usr/bin/env bash
# Runs the playground's page in a headless Chromium: the default scenario has the checksum that the
# command has, in under three seconds. `test.sh FABRICSIM [FOLDER]`; skipped without Chromium or the
# target. Without the target, the page is still checked, with a worker that replies with results of the
# command. The folder keeps that page and its pictures.
set -euo pipefail
fabricsim=$(realpath "${1:?the command}")
cd "$(dirname "$0")"
remove=$PWD/../../.ci/remove
if ! command -v chromium >/dev/null; then
    echo "skipped: chromium is not installed"
    exit 0
fi
work=$(mktemp -d)
trap '"$remove" "$work"' EXIT

# The page with a worker that knows the results of one run.
stub() {
    local folder=$1
    mkdir -p "$folder"
    "$fabricsim" run ../../examples/scenarios/link-flap.toml --quiet --out "$work/stub" \
        --set observe.links=true --set observe.queues=true
    "$fabricsim" view "$work/stub" -o "$work/view.html" >/dev/null
    {
        printf 'const results = '
        sed -n 's:^<script id="data" type="application/json">\(.*\)</script>$:\1:p' "$work/view.html"
        printf ';\nconst schema = '
        "$fabricsim" schema | sed 's:</:<\\/:g'
        printf ';\nconst row = "%s\\n";\n' "$(head -n 1 "$work/stub/fct.csv")"
        cat <<'END'
const files = { "fct.csv": row, "links.csv": "time_ns\n", "queues.csv": "time_ns\n" };
const progress = { us: 1, finished: 1, started: 1, hops: 1, ended: "all flows have finished", checksum: "0" };
onmessage = ({ data }) => postMessage(data.schema ? { schema } : { progress, figures: [], results: { data: results, files } });
END
    } >"$work/worker.js"
    PLAYGROUND_WORKER=$work/worker.js ./build.sh "$folder/playground.html" >/dev/null
    node page.mjs "$folder/playground.html"
}
if command -v node >/dev/null; then
    stub "${2:-$work/pages}"
else
    echo "skipped a part: node is not installed"
fi
if ! rustc --print target-libdir --target wasm32-unknown-unknown >/dev/null 2>&1 ||
    [ ! -d "$(rustc --print target-libdir --target wasm32-unknown-unknown)" ]; then
    echo "skipped: the target wasm32-unknown-unknown is not installed"
    exit 0
fi
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
