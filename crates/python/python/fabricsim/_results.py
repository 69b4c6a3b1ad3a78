"""Results of a run."""

from __future__ import annotations

import html
import json
import os
import shutil
import weakref
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from . import _native
from ._native import Figure, Table

if TYPE_CHECKING:
    from ._sweep import Sweep

_HELP = {
    "queues": "[observe] queues = true",
    "queue_distribution": "[observe] queue_distribution = true",
    "queue_groups": "[observe] queue_distribution = true",
    "links": "[observe] links = true",
    "flows": "[observe] flows = true",
    "delays": "[observe] delays = true",
    "pauses": "[output] pauses = true",
    "queue_stats": "a [[queue]] with a discipline, or an algorithm of TCP",
    "rpc": "a [[workload]] of kind rpc",
    "collectives": "a [[workload]] of kind collective or graph",
}


class Results:
    """The results of a run: the files of its folder as tables, and its summary.

    Each table is read on first use, and kept. docs/outputs.md has their columns: whole
    numbers are 64-bit integers, times (in nanoseconds) and ratios are doubles, names are strings.
    """

    def __init__(self, folder: str | os.PathLike[str]) -> None:
        """Opens the results in a folder. ``load`` does as well."""
        self._folder = Path(folder)
        self._tables: dict[str, Table] = {}
        text = (self._folder / "summary.json").read_text(encoding="utf-8")
        self._summary: dict[str, Any] = json.loads(text)

    @classmethod
    def _of_temporary(cls, folder: str) -> Results:
        results = cls(folder)
        weakref.finalize(results, shutil.rmtree, folder, ignore_errors=True)
        return results

    @property
    def folder(self) -> Path:
        """The folder of the files. A temporary folder is removed with the results."""
        return self._folder

    @property
    def summary(self) -> dict[str, Any]:
        """All of summary.json: every setting, counts, slowdowns, checksum."""
        return self._summary

    @property
    def name(self) -> str:
        """The name of the scenario."""
        return str(self._summary.get("scenario", {}).get("name", self._folder.name))

    @property
    def status(self) -> str:
        """The reason why the run ended: "finished", "time-reached", "stalled", "deadlocked", ..."""
        return str(self._summary["status"])

    @property
    def checksum(self) -> str:
        """The checksum of the flows, the same on any number of threads."""
        return str(self._summary["checksum"])

    @property
    def warnings(self) -> list[str]:
        """Warnings about the run."""
        return list(self._summary.get("warnings", []))

    @property
    def unfinished_reason(self) -> str | None:
        """The reason for unfinished flows; None if none are left or the run had a time limit."""
        if self.status in ("finished", "time-reached"):
            return None
        counts = self._summary["flows"]
        left = counts["unfinished"] + counts.get("unreachable", 0)
        why = self._summary.get("overload") or self.status
        first = self._summary.get("unfinished", [])
        example = f"; flow {first[0]['flow']}: {first[0]['reason']}" if first else ""
        return f"{left} flows did not finish: {why}{example}"

    @property
    def files(self) -> list[str]:
        """The names of the files of the run."""
        return list(self._summary["files"])

    @property
    def tables(self) -> list[str]:
        """The names of the tables of the run, for ``table``."""
        return [name.removesuffix(".csv") for name in self.files if name.endswith(".csv")]

    def table(self, name: str) -> Table:
        """Returns the table of the file ``name``.csv.

        Raises:
            LookupError: If the run has no such file.
        """
        if name not in self._tables:
            if name not in self.tables:
                help = _HELP.get(name)
                ask = f"; the scenario asks for it by {help}" if help else ""
                there = ", ".join(self.tables)
                raise LookupError(f"the run has no table {name!r}{ask}. It has {there}")
            self._tables[name] = Table.read_csv(self._folder / f"{name}.csv")
        return self._tables[name]

    @property
    def fct(self) -> Table:
        """The flows that have ended: completion times and slowdowns."""
        return self.table("fct")

    @property
    def queues(self) -> Table:
        """Lengths of queues over time, if they were observed."""
        return self.table("queues")

    @property
    def queue_distribution(self) -> Table:
        """The time that each queue spent at each length, if it was observed."""
        return self.table("queue_distribution")

    @property
    def queue_groups(self) -> Table:
        """The time that the queues of each group of ports spent at each length."""
        return self.table("queue_groups")

    @property
    def links(self) -> Table:
        """Activity of links over time, if it was observed."""
        return self.table("links")

    @property
    def flows(self) -> Table:
        """Rates and windows of flows over time, if they were observed."""
        return self.table("flows")

    @property
    def collectives(self) -> Table:
        """The collectives that have ended."""
        return self.table("collectives")

    @property
    def rpc(self) -> Table:
        """The queries that have received their response."""
        return self.table("rpc")

    @property
    def pauses(self) -> Table:
        """The PFC frames that have arrived, if the scenario selects this table."""
        return self.table("pauses")

    @property
    def queue_stats(self) -> Table:
        """The counts of queue disciplines."""
        return self.table("queue_stats")

    @property
    def topology(self) -> Table:
        """The ports of all nodes, with their names."""
        return self.table("topology")

    @property
    def jobs(self) -> list[dict[str, Any]]:
        """The jobs of collectives and graphs, with the times of their iterations."""
        return list(self._summary.get("jobs", []))

    def critical_path(self, iteration: int, *, job: str | None = None) -> Table:
        """Returns the messages that decided the end of an iteration, as ``fabricsim explain`` does.

        Each message started after its sender had received the one before it. The columns are
        ``flow``, ``src``, ``dst``, ``at_rank_ns`` (time at the sender before the start),
        ``start_ns`` and ``received_ns``. ``table("delays")`` has the parts of each ``flow``.

        Args:
            iteration: The iteration, from 0.
            job: Its job; all jobs by default.

        Raises:
            ScenarioError: If there is no such iteration, or the scenario does not observe delays.
        """
        return _native.critical_path(os.fspath(self._folder), job, iteration)

    def write(self, folder: str | os.PathLike[str], *, force: bool = False) -> Results:
        """Copies the files to a folder and returns the results there.

        Raises:
            ResultsError: If it has results of another scenario and ``force`` is not set.
        """
        _native.copy_results(os.fspath(self._folder), os.fspath(folder), force)
        return Results(folder)

    def plot(self, kind: str = "slowdown", *others: Any, **options: Any) -> Figure:
        """Returns a figure, as ``fabricsim plot`` draws it; notebooks show it.

        Args:
            kind: "slowdown", "cdf", "series", "queues", "collectives" or, with other results, "compare".
            others: Other results in the same figure: ``Results`` or folders.
            options: Options of the command: ``percentile=[50, 99]``, ``of="queue"``, ``node=20``,
                ``title="..."``, ``name=["HPCC", "DCQCN"]``; see ``fabricsim plot KIND --help``.
        """
        return plot(kind, self, *others, **options)

    def __repr__(self) -> str:
        counts = self._summary["flows"]
        done = f"{counts['finished']} of {counts['started']} flows"
        return f"<fabricsim.Results of {self.name}: {self.status}, {done}>"

    def _repr_html_(self) -> str:
        rows = self._summary.get("slowdown", [])
        head = "<tr><th>flows</th><th>count</th><th>p50</th><th>p95</th><th>p99</th></tr>"

        def cell(value: Any) -> str:
            text = "" if value is None else f"{value:.3f}" if isinstance(value, float) else value
            return f"<td>{html.escape(str(text))}</td>"

        keys = ("class", "flows", "p50", "p95", "p99")
        body = "".join(
            "<tr>" + "".join(cell(row.get(key)) for key in keys) + "</tr>" for row in rows
        )
        return f"<p>{html.escape(repr(self)[1:-1])}</p><table>{head}{body}</table>"


def load(folder: str | os.PathLike[str]) -> Results:
    """Opens the results in a folder, of this package or of the command ``fabricsim run``."""
    return Results(folder)


def plot(
    kind: str, *results: Results | Sweep | str | os.PathLike[str], **options: Any
) -> Figure:
    """Returns a figure of results, as ``fabricsim plot`` draws it; notebooks show it.

    Args:
        kind: "slowdown", "cdf", "series", "queues", "collectives", "compare" or "sweep".
        results: ``Results``, a ``Sweep``, or folders of either.
        options: The options of the command, see ``fabricsim plot KIND --help``: write
            ``percentile=[50, 99]`` for ``--percentile 50 --percentile 99``, and a dict for
            ``NAME=VALUE``.

    Raises:
        ValueError: If an option is wrong.
        ScenarioError: If there is nothing to draw, or the results lack the data of the figure.
    """
    arguments = [kind]
    if not results:
        raise TypeError("plot: results are wanted")
    if "name" not in options and all(isinstance(result, Results) for result in results):
        options = {**options, "name": _names([r for r in results if isinstance(r, Results)])}
    for option, value in options.items():
        if option in ("out", "scale", "dark"):
            raise TypeError(f"plot: Figure.save() and Figure.svg() have {option}")
        name = f"--{option.replace('_', '-')}"
        if value is None or value is False:
            continue
        if value is True:
            arguments.append(name)
            continue
        if isinstance(value, Mapping):
            value = [f"{key}={item}" for key, item in value.items()]
        values = value if isinstance(value, (list, tuple)) else [value]
        arguments += [f"{name}={item}" for item in values]
    folders = [
        os.fspath(result) if isinstance(result, (str, os.PathLike)) else str(result.folder)
        for result in results
    ]
    return _native.plot([*arguments, "--", *folders])


def _names(results: list[Results]) -> list[str]:
    """Returns distinct names of results for a legend."""
    names = [result.name for result in results]
    if len(set(names)) < len(names):
        kinds = [str(r.summary.get("scenario", {}).get("cc", {}).get("kind", "")) for r in results]
        names = [f"{name}, {kind}" for name, kind in zip(names, kinds, strict=True)]
        if len(set(kinds)) == len(kinds):
            names = kinds
    seen: Counter[str] = Counter()
    named = []
    for name in names:
        seen[name] += 1
        named.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return named
