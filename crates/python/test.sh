#!/usr/bin/env bash
# Builds the wheel of the Python package, installs it into an environment of its own, and runs its
# tests and the notebook of examples/python. With `--wheel DIR` it only builds the wheel into DIR.
# Uses PYTHON, PROFILE (dev or release) and CARGO_TARGET_DIR.
set -euo pipefail

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
wheels=$work/wheels
sources=$work/sources
case "${1:-}" in
    --wheel) wheels=$(realpath -m "$2") ;;
    --source) sources=$(realpath -m "$2") ;;
esac
cd "$(dirname "$0")"

# The first Python that is new enough and can make environments.
find_python() {
    for python in "${PYTHON:-}" python3 python3.14 python3.13 python3.12 python3.11 python3.10; do
        if [ -n "$python" ] && command -v "$python" >/dev/null &&
            "$python" -c 'import sys, ensurepip, venv; sys.exit(sys.version_info < (3, 10))' 2>/dev/null; then
            echo "$python"
            return
        fi
    done
    return 1
}

if ! python=$(find_python); then
    echo "Python 3.10 or later with venv is missing; installing it"
    if ! { apt-get update -qq && apt-get install -y -qq --no-install-recommends python3 python3-venv; } ||
        ! python=$(find_python); then
        echo "skipped: there is no Python 3.10 or later with venv"
        exit 0
    fi
fi
"$python" --version
"$python" -m venv "$work/venv"
bin=$work/venv/bin
install() { "$bin/pip" install --quiet --disable-pip-version-check "$@"; }
if ! install 'maturin>=1.16,<2'; then
    echo "skipped: maturin cannot be installed"
    exit 0
fi

# The source archive has all crates that the package needs, and builds outside of the repository.
from_source() {
    local unpacked=$work/unpacked
    "$bin/maturin" sdist --out "$sources"
    mkdir "$unpacked"
    tar -C "$unpacked" -xzf "$sources"/*.tar.gz
    (
        cd "$unpacked"/*
        "$bin/maturin" build --quiet --locked --profile "${PROFILE:-dev}" --interpreter "$bin/python" \
            --out "$work/from-source"
    )
    install --force-reinstall "$work"/from-source/*.whl
    (
        cd "$unpacked"
        "$bin/python" -c 'import fabricsim
scenario = {"topology": {"kind": "star", "hosts": 3}, "cc": {"kind": "hpcc"}}
workload = [{"kind": "permutation", "size": "1MB"}]
finished = fabricsim.run(scenario | {"workload": workload}).summary["flows"]["finished"]
print("a wheel from the source archive:", finished, "flows")'
    )
    ls -l "$sources"/*.tar.gz
}
if [ "${1:-}" = --source ]; then
    from_source
    exit 0
fi

"$bin/maturin" build --quiet --locked --profile "${PROFILE:-dev}" --interpreter "$bin/python" \
    --out "$wheels"
if [ "${1:-}" = --wheel ]; then
    ls "$wheels"/*.whl
    exit 0
fi

install pytest mypy nbclient nbformat ipykernel pandas pyarrow polars "$wheels"/*.whl
# From here on Python imports the package of the wheel, not the sources in this folder.
"$bin/python" -m pytest tests
"$bin/python" tests/notebook.py ../../examples/python/*.ipynb
from_source
