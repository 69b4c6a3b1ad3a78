"""A packet-level simulator of datacenter networks.

``run`` runs a scenario and returns its ``Results``: Arrow tables, a summary and figures.
``sweep`` runs one at many points and returns one table of them. ``check`` says what a scenario
asks for and runs nothing. A ``Simulation`` is driven by the program: it sends messages, hears of
what becomes of them at the exact time, and reacts. A ``CongestionControl`` is an algorithm in
Python.

Times are whole picoseconds and sizes are bytes; wherever one is taken, a text with a unit does as
well, such as ``"10us"`` or ``"100KB"``. Hosts are named by their numbers, as in tables of results,
or by their names.
"""

from ._control import CongestionControl
from ._errors import FabricsimError, FabricsimWarning, Problem, ResultsError, ScenarioError
from ._native import VERSION as __version__
from ._native import (
    Ack,
    Congestion,
    Event,
    Figure,
    FlowStart,
    Hop,
    Progress,
    SweepProgress,
    Table,
)
from ._results import Results, load, plot
from ._run import check, run
from ._simulation import Simulation
from ._sweep import Sweep, SweepPoint, load_sweep, sweep

__all__ = [
    "Ack",
    "Congestion",
    "CongestionControl",
    "Event",
    "FabricsimError",
    "FabricsimWarning",
    "Figure",
    "FlowStart",
    "Hop",
    "Problem",
    "Progress",
    "Results",
    "ResultsError",
    "ScenarioError",
    "Simulation",
    "Sweep",
    "SweepPoint",
    "SweepProgress",
    "Table",
    "__version__",
    "check",
    "load",
    "load_sweep",
    "plot",
    "run",
    "sweep",
]
