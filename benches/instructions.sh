#!/usr/bin/env bash
# Instructions per packet-hop of a few small scenarios, counted by valgrind: a check that noise cannot
# move. Compares them with instructions.csv, which was counted with the compiler that it names.
#
#   benches/instructions.sh            fails when a scenario takes over 3% more than the file says
#   benches/instructions.sh --update   writes the file
#
# FABRICSIM names the command to run, built for release; without it, it is built.
set -euo pipefail
cd "$(dirname "$0")/.."

file=benches/instructions.csv
tolerance=3 # percent

update=no
case "${1:-}" in
    '') ;;
    --update) update=yes ;;
    *)
        sed -n '2,8s/^# \{0,1\}//p' "$0"
        [ "$1" = --help ] && exit 0
        exit 2
        ;;
esac

if ! command -v valgrind >/dev/null; then
    echo "valgrind is missing: apt-get install valgrind, dnf install valgrind" >&2
    exit 1
fi

if [ -z "${FABRICSIM:-}" ]; then
    cargo build --release --locked --quiet -p fabricsim-cli --no-default-features --bins
fi
fabricsim="${FABRICSIM:-${CARGO_TARGET_DIR:-target}/release/fabricsim}"
compiler="$(rustc --version), $(rustc -vV | sed -n 's/^host: //p')"
results=$(mktemp -d)
trap 'rm -rf "$results"' EXIT

# count NAME ARGUMENTS...: adds a line `NAME,INSTRUCTIONS_PER_HOP` to the counts.
count() {
    local name=$1 instructions hops
    shift
    valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
        --log-file="$results/log" \
        "$fabricsim" run "$@" --threads 1 --quiet --out "$results/$name"
    instructions=$(sed -n 's/.*I *refs: *//p' "$results/log" | tr -d ',')
    hops=$(sed -n 's/^ *"packet_hops": \([0-9]*\),$/\1/p' "$results/$name/summary.json")
    if [ -z "$instructions" ] || [ -z "$hops" ]; then
        echo "$name: no count of instructions or packet-hops" >&2
        cat "$results/log" >&2
        exit 1
    fi
    awk -v name="$name" -v instructions="$instructions" -v hops="$hops" \
        'BEGIN { printf "%s,%.1f\n", name, instructions / hops }' | tee -a "$results/counts"
}

fat320=(examples/scenarios/fat320-websearch-50.toml --set workload.0.duration=50us)
count fat320-hpcc "${fat320[@]}"
count fat320-dctcp "${fat320[@]}" --set 'cc={kind="dctcp"}'
count incast-hpcc examples/scenarios/incast-16.toml --set topology.hosts=201 \
    --set workload.0.fan_in=200 --set workload.0.receiver=200 --set workload.0.size=1MB
# Messages of applications on connections.
count serving-dcqcn examples/scenarios/serving-64.toml --set workload.0.count=40

if [ "$update" = yes ]; then
    {
        echo "# $compiler"
        echo "scenario,instructions_per_hop"
        cat "$results/counts"
    } >"$file"
    echo "written to $file"
    exit 0
fi

counted_with=$(sed -n '1s/^# //p' "$file")
if awk -F, -v tolerance="$tolerance" -v file="$file" '
    /^#/ || $1 == "scenario" { next }
    NR == FNR { known[$1] = $2; next }
    !($1 in known) { printf "%s is not in %s: run with --update\n", $1, file; worse = 1; next }
    {
        change = ($2 / known[$1] - 1) * 100
        if (change > tolerance) {
            printf "%s: %s instructions per packet-hop, %+.1f%% of %s\n", $1, $2, change, known[$1]
            worse = 1
        } else if (change < -tolerance) {
            printf "%s: %s instructions per packet-hop, %+.1f%% of %s: lower the file with --update\n", \
                $1, $2, change, known[$1]
        }
    }
    END { exit worse }' "$file" "$results/counts" >&2; then
    echo "none is over $tolerance% above $file"
elif [ "$counted_with" != "$compiler" ]; then
    echo "warning only: $file was counted with $counted_with, and this is $compiler" >&2
else
    exit 1
fi
