#!/usr/bin/env bash
# Builds the front end with ASTRA-sim's sources and runs its example workloads, and the same
# collectives on 64 and 256 hosts. On an idle star, without delays of the endpoints, ASTRA-sim's ring
# takes as long as ours, to the nanosecond.
#
#   ASTRA_SIM_DIR=/path/to/astra-sim integrations/astra-sim/test.sh [TRACE-PREFIX RANKS]...
#
# Also runs the given traces. BUILD is the folder for objects (default: a new one, removed at the end),
# PROFILE the profile of cargo (default: release). Does nothing without ASTRA_SIM_DIR.
set -euo pipefail
cd "$(dirname "$0")"
if [ -z "${ASTRA_SIM_DIR:-}" ]; then
    echo "skipped: ASTRA_SIM_DIR does not say where ASTRA-sim is"
    exit 0
fi
astra=$(cd "$ASTRA_SIM_DIR" && pwd)
examples=$astra/examples

. ../common/library.sh

library
# shellcheck disable=SC2086 # several options
make_target AstraSim_Fabric -DASTRA_SIM_DIR="$astra" ${CMAKE_OPTIONS:-}

# A system that adds nothing to the network's time: one chunk, no delay, memory without limit.
sed -e 's/"endpoint-delay": *[0-9]*/"endpoint-delay": 0/' -e 's/"local-mem-bw": *[0-9]*/"local-mem-bw": 1000000000/' \
    -e 's/"preferred-dataset-splits": *[0-9]*/"preferred-dataset-splits": 1/' \
    "$examples/system/native_collectives/Ring_4chunks.json" >"$work/bare.json"

# astra TRACE RANKS SYSTEM: prints the microseconds until the last rank has finished. The line of
# ASTRA-sim is printed to stderr.
astra() {
    sed -e "s/^hosts = 16/hosts = $2/" star16.toml >"$work/star$2.toml"
    local line
    line=$("$build/AstraSim_Fabric" --workload-configuration="$1" --system-configuration="$3" \
        --remote-memory-configuration="$examples/remote_memory/analytical/no_memory_expansion.json" \
        --logical-topology="$2" --fabric="$work/star$2.toml" --logging-folder="$work/log" |
        grep "^$2 ranks, finished after")
    echo "$(basename "$1"): $line" >&2
    sed 's/.*finished after \([0-9.]*\) us.*/\1/' <<<"$line"
}

# alone OPERATION RANKS BYTES: prints the microseconds of fabricsim's own ring on the same star.
alone() {
    {
        cat "$work/star$2.toml"
        printf '[[workload]]\nkind = "collective"\noperation = "%s"\nalgorithm = "ring"\nsize = "%sB"\n' "$1" "$3"
        echo 'connections = "per-message"'
    } >"$work/alone.toml"
    "$fabricsim" run "$work/alone.toml" --quiet --force --out "$work/alone" >/dev/null
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "duration_ns") column = i }
             NR == 2 { printf "%.3f\n", $column / 1000 }' "$work/alone/collectives.csv"
}

# The size of an all-gather is the part of each rank in ASTRA-sim, and the whole buffer in fabricsim.
mib=1048576
failed=0
for ranks in 16 64 256; do
    for operation in all_reduce reduce_scatter all_gather; do
        trace=$examples/workload/microbenchmarks/$operation/${ranks}npus_1MB/$operation
        size=$mib
        if [ $operation = all_gather ]; then
            size=$((mib * ranks))
        fi
        if [ ! -e "$trace.0.et" ]; then
            # An all-gather among 256 ranks would fill 256 MiB at each rank.
            if [ $operation = all_gather ]; then
                continue
            fi
            trace=$work/$operation-$ranks
            python3 traces.py $operation $ranks $mib "$trace"
        fi
        measured=$(astra "$trace" $ranks "$work/bare.json")
        expected=$(alone ${operation/_/-} $ranks $size)
        if [ "$measured" != "$expected" ]; then
            echo "$operation of $ranks: $measured us under ASTRA-sim, $expected us alone" >&2
            failed=1
        fi
    done
done
for operation in all_reduce all_gather reduce_scatter all_to_all; do
    for ranks in 4 8 16; do
        astra "$examples/workload/microbenchmarks/$operation/${ranks}npus_1MB/$operation" $ranks \
            "$examples/system/native_collectives/Ring_4chunks.json" >/dev/null
    done
done
while [ $# -ge 2 ]; do
    astra "$1" "$2" "$examples/system/native_collectives/Ring_4chunks.json" >/dev/null
    shift 2
done
if [ $failed -ne 0 ]; then
    exit 1
fi
echo "rings under ASTRA-sim take as long as alone"
