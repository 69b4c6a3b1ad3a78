"""The native part of fabricsim, written in Rust. Import ``fabricsim`` instead."""

from collections.abc import Callable, Iterator
from os import PathLike
from types import TracebackType
from typing import Any, Final, Literal, SupportsIndex, TypeAlias, final

from typing_extensions import Self, disjoint_base

from ._control import CongestionControl

__all__ = [
    "Ack",
    "Congestion",
    "Event",
    "Events",
    "Figure",
    "FlowStart",
    "Given",
    "Hop",
    "Progress",
    "Simulation",
    "SweepProgress",
    "Table",
    "VERSION",
    "check",
    "copy_results",
    "plot",
    "run",
    "sweep",
]

VERSION: Final[str]
"""The version of fabricsim."""

@final
class Given:
    """A scenario or a sweep: its text or its file, and what goes with it."""

    def __new__(
        cls,
        name: str,
        text: str | None,
        folder: str,
        is_made: bool,
        set: list[str],
        controls: list[tuple[type[CongestionControl], dict[str, Any]]],
    ) -> Given: ...

@final
class Table:
    """A table of results, column by column.

    Programs that take Arrow tables take it as it is, without copying: ``pyarrow.table(t)``,
    ``polars.DataFrame(t)``, ``pandas.DataFrame.from_arrow(t)``.
    """

    @staticmethod
    def read_csv(path: str | PathLike[str]) -> Table:
        """Reads a result file of columns."""

    @property
    def columns(self) -> list[str]:
        """The names of the columns."""

    @property
    def num_rows(self) -> int:
        """The number of rows."""

    def __len__(self) -> int: ...
    def __contains__(self, name: str, /) -> bool: ...
    def __getitem__(self, name: str, /) -> list[Any]:
        """The values of the column ``name``, as a list; empty cells are None."""

    def row(self, row: int) -> list[Any]:
        """The values of a row, in the order of the columns."""

    def to_pyarrow(self) -> Any:
        """A ``pyarrow.Table`` that shares the columns."""

    def to_polars(self) -> Any:
        """A ``polars.DataFrame``."""

    def to_pandas(self) -> Any:
        """A ``pandas.DataFrame``."""

    def __arrow_c_schema__(self) -> object: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...
    def _repr_html_(self) -> str: ...

@final
class Figure:
    """A figure of results, as ``fabricsim plot`` draws it. Notebooks show it."""

    @property
    def title(self) -> str:
        """The title."""

    @property
    def notes(self) -> list[str]:
        """Notes on how the figure was made."""

    @property
    def series(self) -> list[str]:
        """The names of the series, in the order of the panels."""

    def svg(self, *, dark: bool = False) -> str:
        """The figure as an SVG document."""

    def png(self, *, scale: float = 2.0, dark: bool = False) -> bytes:
        """The figure as a PNG file, ``scale`` pixels for each unit of the SVG."""

    def save(
        self, path: str | PathLike[str], *, scale: float = 2.0, dark: bool = False
    ) -> None:
        """Writes the figure to a file whose name ends in .svg, .png or .pdf."""

    def _repr_svg_(self) -> str: ...

@final
class Progress:
    """How far a run is."""

    @property
    def share(self) -> float:
        """Share of the expected bytes that has been acknowledged, 0 to 1."""

    @property
    def now(self) -> int:
        """Simulated time, in picoseconds."""

    @property
    def started(self) -> int:
        """Flows that have started."""

    @property
    def finished(self) -> int:
        """Flows that have ended."""

    @property
    def packet_hops(self) -> int:
        """Packets that have crossed a link."""

    @property
    def elapsed(self) -> float:
        """Wall time since the run began, in seconds."""

@final
class SweepProgress:
    """How far a sweep is."""

    @property
    def share(self) -> float:
        """Share of the expected bytes that has been acknowledged, 0 to 1."""

    @property
    def points(self) -> int:
        """Points to run: without those that were done before."""

    @property
    def ended(self) -> int:
        """Points that have ended."""

    @property
    def failed(self) -> int:
        """Points that have failed."""

    @property
    def running(self) -> int:
        """Points that are running."""

    @property
    def elapsed(self) -> float:
        """Wall time since the sweep began, in seconds."""

@final
class Event:
    """Something that has happened at an exact time."""

    @property
    def kind(self) -> Literal["delivered", "acknowledged", "unreachable", "timer"]:
        """What has happened.

        "delivered": the last byte of a message has arrived at its receiver. "acknowledged": the last
        acknowledgement has arrived at its sender. "unreachable": no route led to the receiver when
        the message was to start, and it is lost. "timer": a timer has gone off.
        """

    @property
    def time(self) -> int:
        """The exact time, in picoseconds."""

    @property
    def tag(self) -> Any:
        """The tag of the message or of the timer."""

    @property
    def src(self) -> int | None:
        """The sending host; None for a timer."""

    @property
    def dst(self) -> int | None:
        """The receiving host; None for a timer."""

    @property
    def size(self) -> int | None:
        """Payload of the message, in bytes; None for a timer."""

    @property
    def flow_class(self) -> int | None:
        """The flow class of the message; None for a timer."""

    @property
    def priority(self) -> int | None:
        """The priority of its packets; None for a timer."""

    @property
    def port(self) -> int | None:
        """Its destination port; None for a timer."""

@final
class FlowStart:
    """A flow that starts, as the congestion control that is made for it sees it."""

    @property
    def flow(self) -> int:
        """The number of the flow."""

    @property
    def flow_class(self) -> int:
        """Its class."""

    @property
    def now(self) -> int:
        """The present time, in picoseconds."""

    @property
    def line_rate(self) -> int:
        """The rate of its NIC, in bits per second."""

    @property
    def base_rtt(self) -> int:
        """The base round-trip time, in picoseconds."""

    @property
    def bdp(self) -> int:
        """The bandwidth-delay product of these, in bytes."""

    @property
    def mtu(self) -> int:
        """Payload of a full packet, in bytes."""

@final
class Hop:
    """The telemetry of one switch: its egress port when the packet left it."""

    @property
    def time(self) -> int:
        """When it left, in picoseconds."""

    @property
    def queue(self) -> int:
        """Bytes left in the port's queues."""

    @property
    def rate(self) -> int:
        """The rate of the link, in bits per second."""

    @property
    def sent(self) -> int | None:
        """Bytes that the port has sent since the last acknowledged packet left it; None where that
        took another path."""

    @property
    def elapsed(self) -> int | None:
        """How long ago that was, in picoseconds."""

@final
class Ack:
    """An acknowledgement. Times are in picoseconds, sizes in bytes."""

    @property
    def now(self) -> int:
        """The present time."""

    @property
    def rtt(self) -> int | None:
        """Round-trip time of the packet that is acknowledged."""

    @property
    def least_rtt(self) -> int:
        """The smallest round-trip time of the flow."""

    @property
    def newly_acked(self) -> int:
        """Payload that is newly acknowledged."""

    @property
    def cumulative(self) -> int:
        """All bytes below this one have arrived."""

    @property
    def next_seq(self) -> int:
        """The next byte that the sender would send."""

    @property
    def in_flight(self) -> int:
        """Payload in flight after it."""

    @property
    def packets(self) -> int:
        """Packets that it newly acknowledges."""

    @property
    def marked(self) -> int:
        """Those of them that were marked (ECN CE)."""

    @property
    def new_round(self) -> bool:
        """Whether a new round trip begins."""

    @property
    def path(self) -> int:
        """The identity of the path: only hops of one path are of the same ports."""

    @property
    def hops(self) -> list[Hop]:
        """The telemetry of the switches on the path, for algorithms that ask for it."""

@final
class Congestion:
    """A signal of congestion. Times are in picoseconds, sizes in bytes."""

    @property
    def now(self) -> int:
        """The present time."""

    @property
    def signal(self) -> Literal["loss", "mark", "timeout"]:
        """What has been noticed."""

    @property
    def in_flight(self) -> int:
        """Payload in flight before."""

    @property
    def next_seq(self) -> int:
        """The next byte that the sender would have sent."""

_Stop: TypeAlias = Literal[
    "finished",
    "time-reached",
    "stalled",
    "deadlocked",
    "beyond-horizon",
    "overloaded",
    "stopped",
]

@disjoint_base
class Simulation:
    """A simulation that a program drives: the native part of ``fabricsim.Simulation``."""

    def __new__(cls, given: Given, threads: int | None, capture: str | None) -> Self: ...
    def send(
        self,
        src: SupportsIndex | str,
        dst: SupportsIndex | str,
        size: SupportsIndex | str,
        *,
        at: SupportsIndex | str | None = None,
        tag: object = None,
        flow_class: int = 0,
        priority: int = 3,
        port: int = 100,
    ) -> None:
        """Sends a message, now or at a later time.

        Args:
            src: The sending host, by number or name.
            dst: The receiving host.
            size: Payload, in bytes or such as "100KB".
            at: When it starts, in picoseconds or such as "10us"; now by default.
            tag: Any object, which comes back with the events of the message.
            flow_class: The flow class: that of the workload with this number, if there is one.
            priority: Priority queue of its packets, 1 to 7.
            port: Destination port, which ECMP reads.

        Raises:
            ValueError: When it is impossible: it says why.
            TypeError: When a value is of the wrong type.
        """

    def set_timer(self, at: SupportsIndex | str, tag: object) -> None:
        """Sets the timer ``tag``, a hashable object, to ``at``, or moves it there."""

    def cancel_timer(self, tag: object) -> bool:
        """Cancels the timer ``tag``. Returns whether it was set."""

    def set_callback(self, kind: str, callback: Callable[[Event], Any] | None) -> None:
        """Lets ``callback`` hear of events of a kind, or nobody for None."""

    def ignore_acknowledgements(self) -> None:
        """Ends the events "acknowledged": a run without them costs less."""

    def run_until(self, until: SupportsIndex | str | None = None) -> _Stop:
        """Runs everything that happens before ``until``, and calls the callbacks.

        Returns why it has come back: "finished", "time-reached", "stalled", "deadlocked",
        "beyond-horizon", "overloaded" or, after ``stop``, "stopped". Without callbacks, events are
        kept for ``run_until_next``.
        """

    def run_until_next(self, until: SupportsIndex | str | None = None) -> Event | None:
        """Runs to the next event before ``until``, or returns None where there is none.

        ``now`` is the time of the event then, and what is asked for happens at that time. Not with
        callbacks.
        """

    def stop(self) -> None:
        """Ends the run after the present event; from a callback alone. The run can go on later."""

    def finish_capture(self) -> int | None:
        """Ends the capture and writes the frames up to now to the file that ``capture`` named when the
        simulation was opened. Returns how many there are, or None where nothing is captured.

        At an event the simulation goes on for less than the time that the shortest link takes, and
        callbacks do not hear of that."""

    def close(self) -> None:
        """Writes the capture, if there is one, closes the simulation and gives its memory back.
        ``with`` does as well."""

    @property
    def notes(self) -> list[str]:
        """What a user should know of the scenario; they are warnings when it is opened."""

    @property
    def closed(self) -> bool:
        """Whether the simulation is closed."""

    @property
    def now(self) -> int:
        """The present time, in picoseconds; in a callback that of the event."""

    @property
    def hosts(self) -> list[int]:
        """The nodes that are hosts, in order: ``hosts[0]`` is the first host, and so on. Messages,
        events and tables name a host by its node."""

    @property
    def host_names(self) -> list[str]:
        """The names of the hosts, in the order of ``hosts``."""

    def host(self, host: SupportsIndex | str) -> int:
        """The node of the host with this name; a node that is a host is itself."""

    def host_node(self, index: int) -> int:
        """The node that host ``index``, counted from 0, is: ``hosts[index]``. Programs in C and the
        ranks of other simulators count hosts so."""

    def node_host(self, node: SupportsIndex | str) -> int:
        """Which host, counted from 0, a node or the host with a name is."""

    def ideal_time(
        self, src: SupportsIndex | str, dst: SupportsIndex | str, size: SupportsIndex | str
    ) -> int:
        """How long a message takes alone in the idle network to its last acknowledgement, in
        picoseconds, by the rule of `[output] ideal`."""

    def statistics(self) -> dict[str, int]:
        """Counts over the whole network, from the start: flows, packets, bytes, drops, pauses."""

    def network(self) -> dict[str, int]:
        """Properties of the idle network: its size, rates, round-trip time."""

    def unfinished(self) -> list[dict[str, Any]]:
        """Flows that have started and not ended, and what they wait for."""

    def flows(self) -> Table:
        """The flows that have ended so far, with the columns of fct.csv."""

    def take_flows(self) -> Table:
        """The flows that have ended since the last call, with the columns of fct.csv."""

    def flows_csv(self) -> str:
        """The text of fct.csv with the flows that have ended so far."""

    def __enter__(self) -> Self: ...
    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        traceback: TracebackType | None,
        /,
    ) -> None: ...

@final
class Events(Iterator[Event]):
    """The events of a simulation, one after the other."""

    def __new__(cls, simulation: Simulation, until: SupportsIndex | str | None = None) -> Events: ...
    def __next__(self) -> Event: ...

def run(
    given: Given,
    out: str,
    threads: int | None,
    force: bool,
    progress: Callable[[Progress], Any] | None,
) -> list[str]:
    """Runs a scenario into a folder."""

def copy_results(from_: str, to: str, force: bool, /) -> None:
    """Copies the results in a folder to another."""

def check(given: Given) -> tuple[str, list[str]]:
    """Checks a scenario."""

def sweep(
    given: Given,
    out: str | None,
    jobs: int | None,
    threads: int,
    force: bool,
    progress: Callable[[SweepProgress], Any] | None,
) -> tuple[str, list[str], list[tuple[str, str, str, str | None]]]:
    """Runs the points of a sweep."""

def plot(arguments: list[str]) -> Figure:
    """The figure that ``fabricsim plot`` draws."""
