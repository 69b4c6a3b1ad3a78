#!/usr/bin/env bash
# Builds the front end with SimAI's sources and runs its example workload on topologies of its generator.
# All-reduces within a server take as long as rings of fabricsim alone, plus the latencies of SimAI's
# sends and of its memory bus, to the nanosecond.
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
