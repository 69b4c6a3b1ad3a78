"""The package and its stubs agree, and all of it has types and docstrings."""

from __future__ import annotations

import inspect
import subprocess
import sys
from pathlib import Path

import fabricsim
import fabricsim._native
import pytest

HERE = Path(__file__).parents[1]


def mypy(*arguments: str) -> None:
    pytest.importorskip("mypy")
    command = [sys.executable, "-m", *arguments]
    ran = subprocess.run(command, cwd=HERE, capture_output=True, text=True, check=False)
    assert ran.returncode == 0, ran.stdout + ran.stderr


def test_the_package_and_its_tests_have_types() -> None:
    mypy("mypy", "python/fabricsim", "tests")


def test_the_stubs_are_those_of_the_native_part() -> None:
    mypy("mypy.stubtest", "fabricsim", "--concise", "--mypy-config-file=pyproject.toml")


def test_everything_public_has_a_docstring() -> None:
    for name in fabricsim.__all__:
        item = getattr(fabricsim, name)
        if name == "__version__":
            continue
        assert inspect.getdoc(item), name
        if not inspect.isclass(item):
            continue
        for part, value in vars(item).items():
            is_public = not part.startswith("_") and (callable(value) or inspect.isdatadescriptor(value))
            if is_public:
                assert inspect.getdoc(value), f"{name}.{part}"
    for name, value in vars(fabricsim._native.Simulation).items():
        if not name.startswith("_"):
            assert inspect.getdoc(value), name


def test_the_version_is_that_of_the_project() -> None:
    text = (HERE.parents[1] / "Cargo.toml").read_text()
    assert f'\nversion = "{fabricsim.__version__}"\n' in text
