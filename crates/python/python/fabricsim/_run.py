"""Runs of whole scenarios."""

from __future__ import annotations

import json
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterable, Mapping
from typing import Any, Literal

from . import _native, _progress
from ._errors import FabricsimWarning
from ._native import Progress
from ._results import Results
from ._scenario import Algorithm, Scenario, given


def run(
    scenario: Scenario,
    *,
    set: Mapping[str, Any] | None = None,
    cc: Algorithm | None = None,
    out: str | os.PathLike[str] | None = None,
    threads: int | None = None,
    force: bool = False,
    progress: Callable[[Progress], Any] | Literal[False] | None = None,
) -> Results:
    """Runs a scenario to its end and returns its results.

    Args:
        scenario: A dict with the tables and keys of docs/scenarios.md, the path of a TOML file (a
            ``Path``, or a text that ends in ``.toml``), or TOML. Paths in a dict or a text are
            relative to the working folder, paths in a file to the file.
        set: Changes to it by dotted keys: ``{"cc.eta": 0.9, "workload.0.load": 0.7}``.
        cc: The algorithm of congestion control instead of the scenario's: its name, its table, or a
            subclass of ``CongestionControl``.
        out: The folder of the results. By default they are in a temporary folder that is
            removed with the last reference to them; ``Results.write`` keeps them.
        threads: Number of threads, by default one for each core. Results do not depend on it. A
            congestion control in Python runs on one thread.
        force: True to replace results of another scenario in ``out``.
        progress: Function that receives a ``Progress`` several times a second. By default a long
            run prints a line every ten seconds; False prints nothing.

    Raises:
        ScenarioError: If the scenario cannot be used; it lists all mistakes that can be found at
            once.
        ResultsError: If ``out`` has results of another scenario.
        KeyboardInterrupt: After Ctrl-C, at once. The results so far are in ``out`` as
            ``fct.partial.csv`` and so on.

    Runs release the interpreter: several can run on threads of Python at the same time.
    """
    told = _progress.callback(progress)
    ready = given(scenario, set, cc)
    if out is not None:
        notes = _native.run(ready, os.fspath(out), threads, force, told)
        results = Results(out)
    else:
        folder = tempfile.mkdtemp(prefix="fabricsim-")
        try:
            notes = _native.run(ready, folder, threads, force, told)
            results = Results._of_temporary(folder)
        except BaseException:
            shutil.rmtree(folder, ignore_errors=True)
            raise
    _warn(notes)
    _warn(results.warnings)
    if results.status != "finished" and results.unfinished_reason:
        _warn([results.unfinished_reason])
    return results


def check(
    scenario: Scenario,
    *,
    set: Mapping[str, Any] | None = None,
    cc: Algorithm | None = None,
) -> dict[str, Any]:
    """Checks a scenario without running it. The scenario needs no workload.

    Returns the output of ``fabricsim check --json``: the size of the network, round-trip time,
    bandwidth-delay product, expected flows, bytes and load, and every setting with its default.

    Raises:
        ScenarioError: If the scenario cannot be used; it lists all mistakes that can be found at
            once.
    """
    facts, notes = _native.check(given(scenario, set, cc))
    _warn(notes)
    checked: dict[str, Any] = json.loads(facts)
    return checked


def _warn(notes: Iterable[str]) -> None:
    for note in notes:
        warnings.warn(note, FabricsimWarning, stacklevel=3)
