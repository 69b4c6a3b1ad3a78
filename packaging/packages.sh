#!/usr/bin/env bash
# Packs the crates that are published, builds each from its package, outside of the repository and
# against the other packages, and runs the command that was built so:
#   packaging/packages.sh [CHECKSUM]
# CHECKSUM is the one that the default scenario must have. Nothing is uploaded, but the index of
# crates.io is read.
set -euo pipefail
cd "$(dirname "$0")/.."

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
# Not optimized, which is enough for one run of a second.
export CARGO_TARGET_DIR=$work/target CARGO_INCREMENTAL=0 CARGO_PROFILE_DEV_DEBUG=0
# It says much about each package: only if it fails, all of that is of interest.
if ! cargo publish --workspace --dry-run --locked --allow-dirty >"$work/log" 2>&1; then
    cat "$work/log" >&2
    exit 1
fi

cd "$CARGO_TARGET_DIR/package/tmp-crate"
for package in *.crate; do
    files=$(tar -tzf "$package")
    for file in README.md LICENSE-APACHE LICENSE-MIT Cargo.lock; do
        if ! grep -q "/$file\$" <<<"$files"; then
            echo "$package has no $file" >&2
            exit 1
        fi
    done
    echo "$package: $(wc -c <"$package") bytes, $(wc -l <<<"$files") files"
done

mkdir "$work/empty"
cd "$work/empty"
"$CARGO_TARGET_DIR/debug/fabricsim" run --quiet --out run
checksum=$(sed -n 's/^  "checksum": "\(.*\)",$/\1/p' run/summary.json)
echo "the command of the package: checksum $checksum"
if [ -n "${1:-}" ] && [ "$checksum" != "$1" ]; then
    echo "the command of the repository has the checksum $1" >&2
    exit 1
fi
