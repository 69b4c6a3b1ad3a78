#!/usr/bin/env bash
# Builds the front end with SimAI's sources and runs its example workload on topologies of its generator:
# within a server, among two servers, and in 16 servers at once. The times are between what the links
# allow and 2% more, and do not depend on the number of threads.
#
#   integrations/simai/test.sh [WORKLOAD TOPOLOGY-OPTION...]
#
# Also runs the given workload on the topology that gen_Topo_Template.py makes with these options.
# SIMAI_DIR is a clone of SimAI (default: cloned from GitHub; the test is skipped if that fails). BUILD is
# the folder for objects (default: a new one, removed at the end), PROFILE the profile of cargo (default:
# release).
set -euo pipefail
cd "$(dirname "$0")"
. ../common/library.sh

if [ -n "${SIMAI_DIR:-}" ]; then
    sources=$(cd "$SIMAI_DIR" && pwd)
elif ! sources https://github.com/aliyun/SimAI 136961810ca18bc60400c2baf6ffc8bf2753b087; then
    echo "skipped: SIMAI_DIR does not say where SimAI is, and it cannot be cloned"
    exit 0
fi
library
make_target SimAI_fabric -DSIMAI_DIR="$sources"
inputs=$sources/astra-sim-alibabacloud/inputs

# topology OPTION...: makes a topology of SimAI and its scenario in a new folder, and sets `topology`.
topology() {
    local folder
    folder=$(mktemp -d "$work/topology.XXXX")
    (cd "$folder" && python3 "$inputs/topo/gen_Topo_Template.py" "$@" >/dev/null)
    topology=$(echo "$folder"/*)
    "$fabricsim" import "$inputs/config/SimAI.conf" "$topology" -o "$folder/imported.toml" >/dev/null 2>&1
    # The traffic is SimAI's.
    sed '/^\[\[workload\]\]/,/^$/d' "$folder/imported.toml" >"$folder/scenario.toml"
}

# simai WORKLOAD OPTION...: prints the microseconds until rank 0 has finished. The line of SimAI is
# printed to stderr.
simai() {
    local line
    line=$("$build/SimAI_fabric" --workload="$1" --topology="$topology" \
        --fabric="$(dirname "$topology")/scenario.toml" --results="$work/results_" "${@:2}" |
        grep "GPUs, finished after")
    echo "$(basename "$topology") $(basename "$1") ${*:2}: $line" >&2
    sed 's/.*finished after \([0-9.]*\) us.*/\1/' <<<"$line"
}

# within MEASURED GPUS GBPS: the time must be above the least one, and at most 2% above it. The workload
# has two computations of 556 us, and all-reduces of 16 MiB and 64 MiB. A GPU of a ring sends 2(n-1)/n of
# the buffer, in packets of 9000 bytes with 48 bytes of headers.
within() {
    awk -v measured="$1" -v n="$2" -v gbps="$3" 'BEGIN {
        bytes = (16777216 + 67108864) * 2 * (n - 1) / n
        least = 2 * 556 + bytes * 9048 / 9000 * 8 / (gbps * 1000)
        printf "  %.3f us, at least %.3f us\n", measured, least > "/dev/stderr"
        exit !(measured >= least && measured <= 1.02 * least)
    }'
}

failed=0
example=$sources/example/microAllReduce.txt
topology -topo Spectrum-X -g 8 -gt H100 -bw 400Gbps -nvbw 2880Gbps
measured=$(simai "$example" --send-latency=0)
within "$measured" 8 2880 || failed=1
[ "$(simai "$example" --send-latency=0 --threads=2)" = "$measured" ] || failed=1
if AS_NVLS_ENABLE=1 "$build/SimAI_fabric" --workload="$example" --topology="$topology" \
    --fabric="$(dirname "$topology")/scenario.toml" >/dev/null 2>"$work/errors"; then
    echo "NVSwitches cannot reduce, and are not refused" >&2
    failed=1
fi
grep -q "AS_NVLS_ENABLE=1 lets NVSwitches reduce" "$work/errors"

# The example of SimAI's README: each of 16 servers has its all-reduces. A100 has no NVLS.
topology -topo Spectrum-X -g 128 -gt A100 -bw 100Gbps -nvbw 2400Gbps
measured=$(AS_SEND_LAT=0 AS_NVLS_ENABLE=1 simai "$example")
within "$measured" 8 2400 || failed=1
AS_SEND_LAT=3 AS_NVLS_ENABLE=1 simai "$example" >/dev/null

# Two servers: a ring for each GPU of a server crosses the rails, which have 8 x 100 Gbps together.
topology -topo Spectrum-X -g 16 -gt A100 -bw 100Gbps -nvbw 2400Gbps
sed -e 's/NPU_group: 8/NPU_group: 16/' -e 's/all_gpus: 8/all_gpus: 16/' "$example" >"$work/two-servers.txt"
measured=$(simai "$work/two-servers.txt" --send-latency=0)
within "$measured" 16 800 || failed=1
simai "$work/two-servers.txt" --send-latency=3 >/dev/null
simai "$work/two-servers.txt" --send-latency=3 --send-end=acknowledged >/dev/null

if [ $# -ge 2 ]; then
    topology "${@:2}"
    simai "$1" >/dev/null
fi
if [ $failed -ne 0 ]; then
    exit 1
fi
echo "collectives under SimAI take as long as the links allow"
