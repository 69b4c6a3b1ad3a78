# Sourced by the tests of the front ends, in their folders.
#
# sources URL COMMIT: clones the commit into a new folder and sets `sources` to it. Fails if the commit
# cannot be had.
# library: builds the C library and the command, for CMake's programs and for tests. `fabricsim` is the
# command, `build` the folder for objects.
#
# `work` is a new folder, which is removed at the end. BUILD is the folder for objects (default: a new
# one, removed at the end), PROFILE the profile of cargo (default: release).
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
build=${BUILD:-$work/build}

sources() {
    sources=$work/sources
    git init --quiet "$sources"
    GIT_TERMINAL_PROMPT=0 git -C "$sources" fetch --quiet --depth 1 "$1" "$2" 2>"$work/git.log" &&
        git -C "$sources" checkout --quiet FETCH_HEAD
}

library() {
    local profile=${PROFILE:-release} folder root library
    root=$(cd ../.. && pwd)
    cargo build --locked --quiet --profile "$profile" --no-default-features -p fabricsim-capi -p fabricsim-cli
    case $profile in dev) folder=debug ;; *) folder=$profile ;; esac
    library=$(cd "${CARGO_TARGET_DIR:-$root/target}/$folder" && pwd)
    fabricsim=$library/fabricsim
    sed -e "s|@PREFIX@|$work|" -e "s|@LIBDIR@|$library|" -e "s|@INCLUDEDIR@|$root/crates/capi/include|" \
        -e "s|@VERSION@|0|" ../../crates/capi/fabricsim.pc.in >"$work/fabricsim.pc"
    export LD_LIBRARY_PATH=$library PKG_CONFIG_PATH=$work
}

# make_target TARGET OPTION...: builds a target of the folder's CMakeLists.txt.
make_target() {
    cmake -S . -B "$build" "${@:2}" >"$work/cmake.log" || {
        cat "$work/cmake.log"
        exit 1
    }
    cmake --build "$build" --target "$1" -j "$(nproc)" >"$work/build.log" 2>&1 || {
        tail -n 40 "$work/build.log"
        exit 1
    }
}
