#!/usr/bin/env bash
# Builds the fuzz targets with a nightly compiler and runs each of them for a few seconds, one per
# core at a time. It does not need cargo-fuzz, which has more features for long runs.
#
#   fuzz/run.sh [SECONDS]     run each target for SECONDS (default: 4)
set -euo pipefail
cd "$(dirname "$0")/.."

seconds=${1:-4}
host=$(rustc -vV | sed -n 's/^host: //p')
target_dir="$(cargo metadata --format-version 1 --no-deps --locked | sed -n 's/.*"target_directory":"\([^"]*\)".*/\1/p')"
programs="$target_dir/fuzz/$host/brief"

# Use the versions of the workspace; cargo adds the fuzzer's own packages.
cp Cargo.lock fuzz/Cargo.lock
# The compiler flags of cargo-fuzz without the address sanitizer, because the targets have no unsafe
# code.
coverage=(--cfg fuzzing -Cpasses=sancov-module -Cllvm-args=-sanitizer-coverage-level=4
    -Cllvm-args=-sanitizer-coverage-inline-8bit-counters
    -Cllvm-args=-sanitizer-coverage-pc-table
    -Cllvm-args=-sanitizer-coverage-trace-compares)
RUSTFLAGS="${coverage[*]}" cargo +nightly build --manifest-path fuzz/Cargo.toml --bins \
    --profile brief --target "$host" --target-dir "$target_dir/fuzz"

rm -rf fuzz/seeds
# The features of the tests of `.ci/run --all`, which are built then. MPI needs its headers, so without
# them the command has its own features.
tests=(--workspace --all-features)
command -v mpicc >/dev/null || tests=(-p fabricsim-cli)
cargo test "${tests[@]}" --locked --quiet --test mutants -- \
    --ignored --exact properties::write_the_seeds_of_the_fuzz_targets

# fuzz_one TARGET: runs a target. Failing inputs are kept in fuzz/artifacts. The output is printed if
# the target fails.
fuzz_one() {
    local target=$1
    mkdir -p "fuzz/corpus/$target" "fuzz/artifacts/$target"
    if ! "$programs/$target" "fuzz/corpus/$target" "fuzz/seeds/$target" \
        -max_total_time="$seconds" -timeout=60 -rss_limit_mb=4096 -max_len=8192 -print_final_stats=1 \
        -artifact_prefix="fuzz/artifacts/$target/" >"fuzz/artifacts/$target.log" 2>&1; then
        tail -n 40 "fuzz/artifacts/$target.log" >&2
        echo "$target: failed; try it again with $programs/$target fuzz/artifacts/$target/FILE" >&2
        return 1
    fi
    echo "$target: $(sed -n 's/^stat::number_of_executed_units: *//p' "fuzz/artifacts/$target.log") inputs"
}
export -f fuzz_one
export programs seconds

ls "fuzz/seeds" | xargs -P "$(nproc)" -I{} bash -euo pipefail -c 'fuzz_one {}'
