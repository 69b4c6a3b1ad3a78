"""A packet-level simulator of datacenter networks.

``run`` runs a scenario and returns its ``Results``: Arrow tables, a summary and figures.
``sweep`` runs one at many points and returns one table of them. ``check`` checks a scenario and
describes its network and traffic without a run. A program drives a ``Simulation``: it sends
messages, receives their events at the exact time, and reacts. A ``CongestionControl`` is an
algorithm in Python.

Times are whole picoseconds and sizes are bytes; every function also accepts a text with a unit,
such as ``"10us"`` or ``"100KB"``. A host is given by its number, as in tables of results, or by its
name.
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
