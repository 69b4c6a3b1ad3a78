"""Runs notebooks and reports if they have outputs: ``python notebook.py [--strip] FILE...``."""

from __future__ import annotations

import sys
import tempfile
import time
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def strip(path: Path) -> None:
    """Removes outputs, execution counts and all machine-dependent data."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        cell.metadata = {}
        if cell.cell_type == "code":
            cell.outputs = []
            cell.execution_count = None
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    notebook.metadata = {"kernelspec": kernel, "language_info": {"name": "python"}}
    nbformat.write(notebook, path)


def run(path: Path) -> None:
    """Runs a notebook in an empty folder. An exception in a cell is raised here."""
    notebook = nbformat.read(path, as_version=4)
    for cell in notebook.cells:
        if cell.cell_type == "code" and (cell.outputs or cell.execution_count is not None):
            sys.exit(f"{path} has outputs; remove them by `python notebook.py --strip {path}`")
    begun = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        resources = {"metadata": {"path": folder}}
        NotebookClient(notebook, timeout=300, kernel_name="python3", resources=resources).execute()
    shown = [
        kind
        for cell in notebook.cells
        if cell.cell_type == "code"
        for output in cell.outputs
        for kind in output.get("data", {})
    ]
    if "image/svg+xml" not in shown:
        sys.exit(f"{path} shows no figure")
    print(f"{path.name}: {len(notebook.cells)} cells in {time.monotonic() - begun:.1f} s")


def main() -> None:
    arguments = sys.argv[1:]
    act = run
    if arguments[:1] == ["--strip"]:
        act, arguments = strip, arguments[1:]
    for argument in arguments:
        act(Path(argument))


if __name__ == "__main__":
    main()
