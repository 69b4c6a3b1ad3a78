#!/usr/bin/env bash
# Builds libfabricsim and its examples in C and C++ and runs them: against the shared library by
# pkg-config, as an external program would, and against the static one, under valgrind if it is
# installed. Uses CC, CXX, PROFILE and CARGO_TARGET_DIR; `--built` skips building the library.
set -euo pipefail
cd "$(dirname "$0")"

profile=${PROFILE:-dev}
if [ "${1:-}" != --built ]; then
    cargo build --locked --quiet --profile "$profile" -p fabricsim-capi
fi
target=${CARGO_TARGET_DIR:-../../target}
case $profile in dev) folder=debug ;; *) folder=$profile ;; esac
library=$(cd "$target/$folder" && pwd)

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
version=$(sed -n '/^\[workspace.package\]/,/^$/s/^version = "\(.*\)"$/\1/p' ../../Cargo.toml)
sed -e "s|@PREFIX@|$work|" -e "s|@LIBDIR@|$library|" -e "s|@INCLUDEDIR@|$PWD/include|" \
    -e "s|@VERSION@|$version|" fabricsim.pc.in >"$work/fabricsim.pc"
flags=(-Iinclude)
shared=("-L$library" -lfabricsim)
if command -v pkg-config >/dev/null; then
    export PKG_CONFIG_PATH=$work
    read -ra flags <<<"$(pkg-config --cflags fabricsim)"
    read -ra shared <<<"$(pkg-config --libs fabricsim)"
fi
static=("$library/libfabricsim.a" -lpthread -ldl -lm)
warnings=(-Wall -Wextra -Werror -pedantic)

"${CC:-cc}" -std=c99 "${warnings[@]}" "${flags[@]}" -o "$work/ring" examples/ring.c "${shared[@]}"
"${CC:-cc}" -std=c99 "${warnings[@]}" "${flags[@]}" -o "$work/ring-static" examples/ring.c "${static[@]}"
"${CC:-cc}" -std=c99 "${warnings[@]}" "${flags[@]}" -o "$work/table" examples/table.c "${shared[@]}"
"${CC:-cc}" -std=c99 "${warnings[@]}" "${flags[@]}" -o "$work/fork" tests/fork.c "${shared[@]}"
if command -v "${CXX:-c++}" >/dev/null; then
    "${CXX:-c++}" -std=c++17 "${warnings[@]}" "${flags[@]}" -o "$work/requests" \
        examples/requests.cpp "${shared[@]}"
fi

# expect PATTERN COMMAND...: the command must print one line that matches the pattern, and no more.
expect() {
    local pattern=$1 printed
    shift
    printed=$("$@")
    # Not quoted, so that it acts as a pattern.
    if [[ $printed != $pattern ]]; then
        echo "$*: printed \"$printed\" and not \"$pattern\"" >&2
        exit 1
    fi
    echo "$printed"
}

last=$(sed -n 's/^const LAST: u64 = \([0-9_]*\);$/\1/p' src/tests/ring.rs | tr -d _)
ring="1024 messages, the last delivered at $last ps"
export LD_LIBRARY_PATH=$library
expect "$ring" "$work/ring"
expect "$ring" "$work/ring-static"
# A child of fork() and its parent can both continue the same simulation.
forked=$("$work/fork" | uniq -c)
if [[ $(wc -l <<<"$forked") != 1 || $forked != *" 2 "* ]]; then
    echo "parent and child differ: $forked" >&2
    exit 1
fi
# The table that a program reads is equal to the file.
"$work/table" "$work/fct.csv" >/dev/null
table=$(awk -F, 'NR > 1 { flows++; bytes += $5; slowdown += $9 }
    END { printf "%d flows, %d bytes, mean slowdown %.6f", flows, bytes, slowdown / flows }' "$work/fct.csv")
expect "$table" "$work/table"
requests="400 requests, [0-9]*.[0-9][0-9][0-9] us each"
if [ -x "$work/requests" ]; then
    expect "$requests" "$work/requests"
fi
if command -v valgrind >/dev/null; then
    check=(valgrind --quiet --error-exitcode=99 --leak-check=full
        --show-leak-kinds=definite --errors-for-leak-kinds=definite)
    expect "$ring" "${check[@]}" "$work/ring"
    expect "$table" "${check[@]}" "$work/table"
    if [ -x "$work/requests" ]; then
        expect "$requests" "${check[@]}" "$work/requests"
    fi
    echo "no errors found by valgrind"
else
    echo "skipped: valgrind is not installed"
fi
# The files that cargo-c installs are enough for an external program: the library under its soname,
# the header, the static library and the file for pkg-config.
if command -v cargo-cinstall >/dev/null && command -v pkg-config >/dev/null; then
    installed=$work/installed
    cargo cinstall --locked --profile "$profile" -p fabricsim-capi \
        --prefix "$installed" --libdir "$installed/lib"
    export PKG_CONFIG_PATH=$installed/lib/pkgconfig
    expect "$version" pkg-config --modversion fabricsim
    read -ra flags <<<"$(pkg-config --cflags fabricsim)"
    read -ra shared <<<"$(pkg-config --libs fabricsim)"
    static=("$installed/lib/libfabricsim.a" -lpthread -ldl -lm)
    "${CC:-cc}" -std=c99 "${warnings[@]}" "${flags[@]}" -o "$work/installed-ring" examples/ring.c \
        "${shared[@]}"
    "${CC:-cc}" -std=c99 "${warnings[@]}" "${flags[@]}" -o "$work/installed-ring-static" \
        examples/ring.c "${static[@]}"
    needed=$(readelf --dynamic "$work/installed-ring" | sed -n 's/.*(NEEDED).*\[\(libfabricsim.*\)\]/\1/p')
    expect "libfabricsim.so.${version%.*}" echo "$needed"
    LD_LIBRARY_PATH=$installed/lib expect "$ring" "$work/installed-ring"
    LD_LIBRARY_PATH= expect "$ring" "$work/installed-ring-static"
else
    echo "skipped: cargo-c is not installed, so nothing was installed by it"
fi
if command -v cbindgen >/dev/null; then
    ./header.sh --check
else
    echo "skipped: cbindgen is not installed, so include/fabricsim.h was not compared with the sources"
fi
