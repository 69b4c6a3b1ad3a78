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

    It sends messages, sets timers, and hears of events at their exact times; what it asks for in
    reaction to an event happens at the time of the event, at any host. There are two ways to hear of
    events. ``for event in simulation`` goes from one to the next::

        with fabricsim.Simulation({"topology": {"kind": "star", "hosts": 4}}) as simulation:
            simulation.send(0, 1, "100KB", tag="first")
            for event in simulation:
                if event.kind == "delivered" and simulation.now < 1_000_000_000:
                    simulation.send(event.dst, (event.dst + 1) % 4, event.size)

    Or functions hear of them while ``run_until`` runs::

        @simulation.on_delivered
        def pass_on(event):
            simulation.send(event.dst, (event.dst + 1) % 4, event.size)

    An exception in such a function ends the run and comes out of ``run_until``; the simulation can
    go on afterwards. So it can after Ctrl-C.

    One simulation is used by one thread at a time, and another one gets a ``RuntimeError``;
    simulations are independent of one another, and runs release the interpreter.
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
            scenario: As ``run`` takes it. It may be without ``workload``; those that it has run
                beside the messages of the program.
            set: Changes to it by dotted keys.
            cc: The algorithm of congestion control instead of the scenario's.
            threads: Threads for switches, 1 by default. Results do not depend on it.
            capture: The file that frames go to which the table ``capture`` of the scenario asks for.
                It is written by ``finish_capture`` or, if that is not called, by ``close`` and at the
                end of ``with``.

        Raises:
            ScenarioError: When the scenario cannot be used; also when it has a table ``capture`` and
                no file is named.
        """
        path = None if capture is None else os.fspath(capture)
        simulation = super().__new__(cls, given(scenario, set, cc), threads, path)
        for note in simulation.notes:
            warnings.warn(note, FabricsimWarning, stacklevel=2)
        return simulation

    def on_delivered(self, callback: F) -> F:
        """Lets a function hear when the last byte of a message is delivered; None ends that."""
        self.set_callback("delivered", callback)
        return callback

    def on_acknowledged(self, callback: F) -> F:
        """Lets a function hear when a message is acknowledged to its sender; None ends that."""
        self.set_callback("acknowledged", callback)
        return callback

    def on_unreachable(self, callback: F) -> F:
        """Lets a function hear when no route leads to a message's receiver; None ends that."""
        self.set_callback("unreachable", callback)
        return callback

    def on_timer(self, callback: F) -> F:
        """Lets a function hear when timers go off; None ends that."""
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
