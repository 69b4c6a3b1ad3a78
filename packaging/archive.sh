#!/usr/bin/env bash
# Makes the archive of a release for the system that this runs on:
#   packaging/archive.sh TARGET FOLDER
# FOLDER gets fabricsim-VERSION-TARGET.tar.gz and its .sha256. The archive has the command, completions,
# manual pages and licenses. It is unpacked and run before the script ends. PROFILE (dist or another
# profile of Cargo.toml) and CARGO_TARGET_DIR are heeded.
set -euo pipefail
if [ $# -ne 2 ]; then
    sed -n '2,/^set /s/^# \{0,1\}//p' "$0"
    exit 2
fi
triple=$1
mkdir -p "$2"
out=$(cd "$2" && pwd)
cd "$(dirname "$0")/.."

profile=${PROFILE:-dist}
features=parquet,arrow
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"$/\1/p' Cargo.toml)
name=fabricsim-$version-$triple
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# The same bytes from any folder: paths of sources are not part of the binary.
export RUSTFLAGS="${RUSTFLAGS:-} --remap-path-prefix=$PWD=. --remap-path-prefix=${CARGO_HOME:-$HOME/.cargo}=cargo"
cargo build --locked --quiet --profile "$profile" --target "$triple" -p fabricsim-cli --bins \
    --features "$features"
case $profile in dev) built=debug ;; *) built=$profile ;; esac
case $triple in *windows*) ending=.exe ;; *) ending= ;; esac
command=${CARGO_TARGET_DIR:-target}/$triple/$built/fabricsim$ending

folder=$work/$name
mkdir -p "$folder/completions" "$folder/man/man1"
cp "$command" LICENSE-APACHE LICENSE-MIT CHANGELOG.md CITATION.cff "$folder"
cp crates/cli/README.md "$folder/README.md"
packaging/notices.sh --target "$triple" --features "$features" >"$folder/THIRD-PARTY"
for shell in bash elvish fish powershell zsh; do
    "$command" completions $shell >"$folder/completions/fabricsim.$shell"
done
"$command" man "$folder/man/man1"
tar -C "$work" -czf "$out/$name.tar.gz" "$name"

cd "$out"
if command -v sha256sum >/dev/null; then
    sha256sum "$name.tar.gz" >"$name.tar.gz.sha256"
else
    shasum -a 256 "$name.tar.gz" >"$name.tar.gz.sha256"
fi

mkdir "$work/unpacked"
tar -C "$work/unpacked" -xzf "$name.tar.gz"
cd "$work/unpacked"
"./$name/fabricsim$ending" --version
"./$name/fabricsim$ending" run --quiet --out run
sed -n 's/^  "checksum": "\(.*\)",$/checksum \1/p' run/summary.json
ls -l "$out/$name.tar.gz"
