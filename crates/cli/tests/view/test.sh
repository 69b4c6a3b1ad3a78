#!/usr/bin/env bash
# Opens pages of `fabricsim view` in a headless Chromium, at the widths of a desktop and of a phone:
# `test.sh FABRICSIM [FOLDER]`. The folder keeps the pages and their pictures. Skipped without Chromium
# or Node.js.
set -euo pipefail
fabricsim=$(realpath "${1:?the command}")
cd "$(dirname "$0")"
root=$PWD/../../../..
for tool in chromium node; do
    if ! command -v "$tool" >/dev/null; then
        echo "skipped: $tool is not installed"
        exit 0
    fi
done
work=$(mktemp -d)
trap '"$root/.ci/remove" "$work"' EXIT
pages=${2:-$work/pages}
mkdir -p "$pages"

# run SCENARIO FOLDER OPTIONS...: runs that end at `stop_at` have code 3 if flows are unfinished.
run() { "$fabricsim" run "$1" --quiet --out "$work/$2" "${@:3}" 2>"$work/log" || [ $? -eq 3 ]; }

run "$root/examples/scenarios/link-flap.toml" small --set observe.links=true \
    --set observe.queues=true --set observe.delays=true
"$fabricsim" view "$work/small" -o "$pages/small.html" >/dev/null

# Nothing observed, and names that want to be scripts.
run "$root/examples/scenarios/two-to-one.toml" plain
"$fabricsim" view "$work/plain" -o "$pages/plain.html" >/dev/null
cp -r "$work/small" "$work/odd"
sed -i 's:agg1:</script><script>alarm=1</script><img src=x onerror=alarm=1>:g' "$work/odd/"*.csv
"$fabricsim" view "$work/odd" -o "$pages/odd.html" >/dev/null

# 8,192 hosts.
cat >"$work/large.toml" <<'END'
[topology]
kind = "fat-tree"
k = 32
[[workload]]
kind = "poisson"
sizes = "hadoop"
load = 0.4
duration = "40us"
[cc]
kind = "hpcc"
[run]
stop_at = "40us"
[observe]
interval = "2us"
links = true
queues = true
delays = true
END
run "$work/large.toml" large
"$fabricsim" view "$work/large" -o "$pages/large.html" >/dev/null
echo "view: the page of 8,192 hosts has $(wc -c <"$pages/large.html") bytes"
node page.mjs "$pages"
