"""Sweeps: one scenario at many points."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from . import _native, _progress
from ._errors import FabricsimWarning
from ._native import Figure, SweepProgress, Table
from ._results import Results, plot
from ._scenario import Scenario, given


@dataclass(frozen=True)
class SweepPoint:
    """A point of a sweep and how it ended."""

    name: str
    """Its name: ``load=0.5,scheme=HPCC``."""

    folder: Path
    """The folder of its results."""

    state: str
    """"ran", "kept" (its results were there), "failed" or "missing"."""

    message: str | None
    """The reason why it failed; None otherwise."""

    def results(self) -> Results:
        """Opens its results."""
        return Results(self.folder)


class Sweep:
    """The results of a sweep: one table of its points.

    It is an Arrow table itself: ``pandas.DataFrame.from_arrow(sweep)``, ``polars.DataFrame(sweep)``.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Opens the results of a sweep in a folder. ``load_sweep`` does as well."""
        self._folder = Path(folder)
        self._points: list[SweepPoint] | None = None
        self._axes: list[str] | None = None
        self.table: Table = Table.read_csv(self._folder / "points.csv")
        """The points: their axes, flows, slowdowns, checksums (points.csv)."""

    @classmethod
    def _of(cls, folder: Path, axes: list[str], points: list[SweepPoint]) -> Sweep:
        sweep = cls(folder)
        sweep._points = points
        sweep._axes = axes
        return sweep

    @property
    def folder(self) -> Path:
        """The folder of the sweep."""
        return self._folder

    @property
    def cost(self) -> Table:
        """The cost of each point: wall time, CPU time, memory (points_cost.csv)."""
        return Table.read_csv(self._folder / "points_cost.csv")

    @property
    def axes(self) -> list[str]:
        """The names of the axes."""
        if self._axes is None:
            columns = self.table.columns
            self._axes = columns[1 : columns.index("status")]
        return list(self._axes)

    @property
    def points(self) -> list[SweepPoint]:
        """The points, in the order of the sweep."""
        if self._points is None:
            names, states = self.table["point"], self.table["status"]
            folder = self._folder / "points"
            known = {"failed": "failed", "missing": "missing"}
            self._points = [
                SweepPoint(name, folder / name, known.get(state, "kept"), None)
                for name, state in zip(names, states, strict=True)
            ]
        return list(self._points)

    def results(self, point: str) -> Results:
        """Opens the results of a point by its name.

        Raises:
            LookupError: If there is no point of that name.
        """
        for own in self.points:
            if own.name == point:
                return own.results()
        names = ", ".join(own.name for own in self.points[:5])
        raise LookupError(f"the sweep has no point {point!r}; there are {names}, ...")

    def plot(self, x: str, **options: Any) -> Figure:
        """Returns a figure of a number over an axis, as ``fabricsim plot sweep`` draws it.

        Args:
            x: The horizontal axis, or a part of its key such as ``load``.
            options: Options of the command: ``by="scheme"``, ``of="p99"``,
                ``where={"load": 0.5}``.
        """
        return plot("sweep", self, x=x, **options)

    def to_pandas(self) -> Any:
        """Returns the table of the points as a ``pandas.DataFrame``."""
        return self.table.to_pandas()

    def __arrow_c_schema__(self) -> object:
        return self.table.__arrow_c_schema__()

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        return self.table.__arrow_c_stream__(requested_schema)

    def __len__(self) -> int:
        return len(self.table)

    def __repr__(self) -> str:
        return f"<fabricsim.Sweep of {len(self)} points over {', '.join(self.axes)}>"

    def _repr_html_(self) -> str:
        return self.table._repr_html_()


def sweep(
    sweep: Scenario,
    *,
    set: Mapping[str, Any] | None = None,
    out: str | os.PathLike[str] | None = None,
    jobs: int | None = None,
    threads: int = 1,
    force: bool = False,
    progress: Callable[[SweepProgress], Any] | Literal[False] | None = None,
) -> Sweep:
    """Runs a scenario at many points and returns one table of them.

    Points that have results in the folder are not run again, so a sweep that was stopped continues
    with the points that are left.

    Args:
        sweep: A dict with the keys of docs/sweeps.md (``scenario`` and ``axis``), the path of a
            TOML file, or TOML.
        set: Changes to the base scenario by dotted keys, before any axis.
        out: The folder of the results, by default results/NAME.
        jobs: Points that run at the same time, by default as many as the cores have room for.
        threads: Threads of each point.
        force: True to replace results of other settings.
        progress: Function that receives a ``SweepProgress`` several times a second. By default a
            long sweep prints a line every ten seconds; False prints nothing.

    Raises:
        ScenarioError: If the sweep or one of its points cannot be used; no point is run then.
        ResultsError: If the folder has results of other settings.
        KeyboardInterrupt: After Ctrl-C; points that have ended are kept.

    A point that fails during its run causes a warning, and its row has the status "failed".
    """
    ready = given(sweep, set, what="sweep")
    folder = None if out is None else os.fspath(out)
    told = _progress.callback(progress)
    where, axes, ended = _native.sweep(ready, folder, jobs, threads, force, told)
    points = [SweepPoint(name, Path(place), state, why) for name, place, state, why in ended]
    for point in points:
        if point.state == "failed":
            note = f"point {point.name} failed: {point.message}"
            warnings.warn(note, FabricsimWarning, stacklevel=2)
    return Sweep._of(Path(where), axes, points)


def load_sweep(folder: str | os.PathLike[str]) -> Sweep:
    """Opens the results of a sweep in a folder, of this package or of ``fabricsim sweep``."""
    return Sweep(folder)
