#!/usr/bin/env bash
# Builds the front end and the generator of schedules with ATLAHS' sources, and runs schedules of its
# generator and of its traces. If no rank sends two messages at once, a schedule takes as long under
# ATLAHS as in fabricsim alone, to the picosecond.
#
#   integrations/atlahs/test.sh [GOAL-FILE SCENARIO.toml]...
#
# Also runs the given schedules. ATLAHS_DIR is a clone of ATLAHS (default: cloned from GitHub; the test is
# skipped if that fails). BUILD is the folder for objects (default: a new one, removed at the end), PROFILE
# the profile of cargo (default: release).
set -euo pipefail
cd "$(dirname "$0")"
. ../common/library.sh

if [ -n "${ATLAHS_DIR:-}" ]; then
    sources=$(cd "$ATLAHS_DIR" && pwd)
elif ! sources https://github.com/spcl/atlahs 8837294abf6257fb9763ec787de322e4ee7f00e9; then
    echo "skipped: ATLAHS_DIR does not say where ATLAHS is, and it cannot be cloned"
    exit 0
fi
library
make_target all -DATLAHS_DIR="$sources"

# atlahs GOAL SCENARIO OPTION...: prints the nanoseconds of a schedule under ATLAHS, exact to the
# picosecond. The whole line is printed to stderr.
atlahs() {
    "$build/txt2bin" -i "$1" -o "$work/schedule.bin" >/dev/null
    local line
    line=$("$build/atlahs_fabric" --goal="$work/schedule.bin" --fabric="$2" "${@:3}" | grep "^finished after")
    echo "$(basename "$1") ${*:3}: $line" >&2
    sed 's/finished after \([0-9]*\)\.\([0-9]\{3\}\)\([0-9]*\) us.*/\1\2.\3/; s/^0*\([0-9]\)/\1/' <<<"$line"
}

# alone GOAL SCENARIO SEND-END: prints the nanoseconds of the same schedule in fabricsim alone.
alone() {
    {
        cat "$2"
        printf '[[workload]]\nkind = "graph"\npath = "%s"\nsend_end = "%s"\n' "$1" "$3"
        echo 'connections = "per-message"'
    } >"$work/alone.toml"
    "$fabricsim" run "$work/alone.toml" --quiet --force --out "$work/alone" >/dev/null
    python3 -c 'import json, sys
print("%.3f" % json.load(open(sys.argv[1]))["jobs"][0]["completion_ns"])' "$work/alone/summary.json"
}

# Gives the n-th send of a rank and its n-th receive the tag n. The patterns have one tag for all
# messages between two ranks, and ATLAHS' scheduler matches receives of one tag in any order. The n-th
# receive of a rank gets the n-th message of its neighbor in these patterns.
tags='/^rank/ { sends = 0; receives = 0 }
/: send/ { sub(/ tag [0-9]+/, ""); $0 = $0 " tag " sends++ }
/: recv/ { sub(/ tag [0-9]+/, ""); $0 = $0 " tag " receives++ }
{ print }'

failed=0
for pattern in allreduce_ring allreduce_recdoub dissemination; do
    for ranks in 4 16; do
        for size in 8 1000 100000; do
            goal=$work/$pattern-$ranks-$size.goal
            "$build/schedgen" -p $pattern -s $ranks -d $size -o "$work/pattern.goal" >/dev/null
            awk "$tags" "$work/pattern.goal" >"$goal"
            measured=$(atlahs "$goal" star16.toml)
            expected=$(alone "$goal" star16.toml posted)
            if [ "$measured" != "$expected" ]; then
                echo "$pattern of $ranks: $measured ns under ATLAHS, $expected ns alone" >&2
                failed=1
            fi
        done
    done
done

# A schedule that does not end is an error.
"$build/schedgen" -p allreduce_ring -s 16 -d 1000 -o "$work/pattern.goal" >/dev/null
"$build/txt2bin" -i "$work/pattern.goal" -o "$work/schedule.bin" >/dev/null
if "$build/atlahs_fabric" --goal="$work/schedule.bin" --fabric=star16.toml >/dev/null 2>"$work/errors"; then
    echo "a schedule with one tag for all messages has ended" >&2
    failed=1
fi
grep -q "of 480 messages have been sent" "$work/errors"

# Traces of MPI. ATLAHS lets a calc of 0 take 1 ns, a send end when its message is received, and a message
# wait for the messages before it at its NIC.
traces=$sources/goal_gen/hpc/Schedgen/liballprof-samples
"$build/schedgen" -p trace --traces "$traces/bcast/trace_bcast-0.dat" -o "$work/bcast.goal" >/dev/null
"$build/schedgen" -p trace --traces "$traces/sweep3d-2x2/pmpi-trace-rank-0.txt" -o "$work/sweep3d.goal" >/dev/null
for trace in bcast sweep3d; do
    for end in delivered acknowledged; do
        atlahs "$work/$trace.goal" star16.toml --message-end=$end >/dev/null
    done
    for end in posted acknowledged; do
        echo "$trace.goal alone, sends end when $end: $(alone "$work/$trace.goal" star16.toml $end) ns" >&2
    done
done
while [ $# -ge 2 ]; do
    atlahs "$1" "$2" >/dev/null
    shift 2
done
if [ $failed -ne 0 ]; then
    exit 1
fi
echo "schedules under ATLAHS take as long as alone"
