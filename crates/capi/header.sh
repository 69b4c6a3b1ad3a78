#!/usr/bin/env bash
# Makes include/fabricsim.h from the sources; with --check, fails if it is not current.
# Needs cbindgen (cargo install cbindgen --locked).
set -euo pipefail
cd "$(dirname "$0")"
made=$(mktemp)
trap 'rm -f "$made"' EXIT
cbindgen --quiet --config cbindgen.toml --crate fabricsim-capi --output "$made" .
if [ "${1:-}" = --check ]; then
    diff -u include/fabricsim.h "$made"
else
    cp "$made" include/fabricsim.h
fi
