"""Simulations that a program drives."""

from __future__ import annotations

import os
import warnings
from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, TypeVar

from . import _native
from ._errors import FabricsimWarning
from ._native import Event
from ._scenario import Algorithm, Scenario, given

if TYPE_CHECKING:
    from typing_extensions import Self

F = TypeVar("F", bound="Callable[[Event], Any] | None")


class Simulation(_native.Simulation):
    """A simulation that the program drives.

    The program sends messages, sets timers, and receives events at their exact times. Its reactions
    to an event take effect at the time of the event, at any host. There are two ways to receive
    events. ``for event in simulation`` runs from one event to the next::

        with fabricsim.Simulation({"topology": {"kind": "star", "hosts": 4}}) as simulation:
            simulation.send(0, 1, "100KB", tag="first")
            for event in simulation:
                if event.kind == "delivered" and simulation.now < 1_000_000_000:
                    simulation.send(event.dst, (event.dst + 1) % 4, event.size)

    Or functions receive them while ``run_until`` runs::

        @simulation.on_delivered
        def pass_on(event):
            simulation.send(event.dst, (event.dst + 1) % 4, event.size)

    An exception in such a function ends the run, and ``run_until`` raises it; the simulation can
    continue afterwards. The same holds for Ctrl-C.

    Only one thread at a time can use a simulation; another one gets a ``RuntimeError``. Simulations
    are independent of one another, and runs release the interpreter.
    """

    def __new__(
        cls,
        scenario: Scenario,
        *,
        set: Mapping[str, Any] | None = None,
        cc: Algorithm | None = None,
        threads: int | None = None,
        capture: str | os.PathLike[str] | None = None,
    ) -> Self:
        """Builds the network of a scenario.

        Args:
            scenario: As for ``run``, but it needs no ``workload``. Its workloads run beside the
                messages of the program.
            set: Changes to it by dotted keys.
            cc: The algorithm of congestion control instead of the scenario's.
            threads: Number of threads, 1 by default. Results do not depend on it.
            capture: The file for the frames that the table ``capture`` of the scenario selects.
                ``finish_capture`` writes it; otherwise, ``close`` and the end of ``with`` do.

        Raises:
            ScenarioError: If the scenario cannot be used, or has a table ``capture`` but no file is
                given.
        """
        path = None if capture is None else os.fspath(capture)
        simulation = super().__new__(cls, given(scenario, set, cc), threads, path)
        for note in simulation.notes:
            warnings.warn(note, FabricsimWarning, stacklevel=2)
        return simulation

    def on_delivered(self, callback: F) -> F:
        """Sets the function to call when the last byte of a message arrives; None unsets it."""
        self.set_callback("delivered", callback)
        return callback

    def on_acknowledged(self, callback: F) -> F:
        """Sets the function to call when the sender has all acknowledgements; None unsets it."""
        self.set_callback("acknowledged", callback)
        return callback

    def on_unreachable(self, callback: F) -> F:
        """Sets the function to call if no route leads to a message's receiver; None unsets it."""
        self.set_callback("unreachable", callback)
        return callback

    def on_timer(self, callback: F) -> F:
        """Sets the function to call when a timer fires; None unsets it."""
        self.set_callback("timer", callback)
        return callback

    def events(self, until: int | str | None = None) -> Iterator[Event]:
        """Runs from event to event, before ``until``, and yields each at its exact time."""
        return _native.Events(self, until)

    def __iter__(self) -> Iterator[Event]:
        return self.events()

    def write_flows(self, path: str | os.PathLike[str]) -> None:
        """Writes the flows that have ended so far as an fct.csv, which all commands read."""
        with open(os.fspath(path), "w", encoding="utf-8", newline="") as file:
            file.write(self.flows_csv())

    def __repr__(self) -> str:
        if self.closed:
            return "<fabricsim.Simulation, closed>"
        try:
            return f"<fabricsim.Simulation of {len(self.hosts)} hosts at {self.now} ps>"
        except RuntimeError:
            return f"<fabricsim.Simulation of {len(self.hosts)} hosts, running>"
