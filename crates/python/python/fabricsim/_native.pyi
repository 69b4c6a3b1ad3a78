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
    "critical_path",
    "plot",
    "run",
    "sweep",
]

VERSION: Final[str]
"""The version of fabricsim."""

@final
class Given:
    """A scenario or a sweep: its text or its file, and the values that accompany it."""

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

    Programs that accept Arrow tables use it directly, without copying: ``pyarrow.table(t)``,
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
        """Writes the figure to a file with the extension .svg, .png or .pdf."""

    def _repr_svg_(self) -> str: ...

@final
class Progress:
    """Progress of a run."""

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
    """Progress of a sweep."""

    @property
    def share(self) -> float:
        """Share of the expected bytes that has been acknowledged, 0 to 1."""

    @property
    def points(self) -> int:
        """Points to run, without the points that already had results."""

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
    """An event of a message or a timer, at an exact time."""

    @property
    def kind(self) -> Literal["delivered", "acknowledged", "unreachable", "timer"]:
        """The kind of the event.

        "delivered": the last byte of a message has arrived at its receiver. "acknowledged": the last
        acknowledgement has arrived at its sender. "unreachable": no route led to the receiver when
        the message was due to start, so it is lost. "timer": a timer has fired.
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
    """The start of a flow, passed to the congestion control that is created for it."""

    @property
    def flow(self) -> int:
        """The number of the flow."""

    @property
    def flow_class(self) -> int:
        """The flow class."""

    @property
    def now(self) -> int:
        """The current time, in picoseconds."""

    @property
    def line_rate(self) -> int:
        """The rate of its NIC, in bits per second."""

    @property
    def base_rtt(self) -> int:
        """The base round-trip time, in picoseconds."""

    @property
    def bdp(self) -> int:
        """The bandwidth-delay product, ``line_rate`` times ``base_rtt``, in bytes."""

    @property
    def mtu(self) -> int:
        """Payload of a full packet, in bytes."""

@final
class Hop:
    """The telemetry of one switch: its egress port when the packet left it."""

    @property
    def time(self) -> int:
        """The time at which the packet left, in picoseconds."""

    @property
    def queue(self) -> int:
        """Bytes in the port's queues after the packet had left."""

    @property
    def rate(self) -> int:
        """The rate of the link, in bits per second."""

    @property
    def sent(self) -> int | None:
        """Bytes that the port has sent since the last acknowledged packet left it; None if that
        packet took another path."""

    @property
    def elapsed(self) -> int | None:
        """Time since then, in picoseconds; None in the same case."""

@final
class Ack:
    """An acknowledgement. Times are in picoseconds, sizes in bytes."""

    @property
    def now(self) -> int:
        """The current time."""

    @property
    def rtt(self) -> int | None:
        """Round-trip time of the acknowledged packet."""

    @property
    def least_rtt(self) -> int:
        """The smallest round-trip time of the flow so far."""

    @property
    def newly_acked(self) -> int:
        """Payload that this acknowledges for the first time."""

    @property
    def cumulative(self) -> int:
        """All bytes below this one have arrived."""

    @property
    def next_seq(self) -> int:
        """The next byte in the sender's sequence."""

    @property
    def in_flight(self) -> int:
        """Payload in flight after this acknowledgement."""

    @property
    def packets(self) -> int:
        """Packets that this acknowledges for the first time."""

    @property
    def marked(self) -> int:
        """The number of these packets that were marked (ECN CE)."""

    @property
    def new_round(self) -> bool:
        """True if a new round trip begins."""

    @property
    def path(self) -> int:
        """The identity of the path: hops of two acknowledgements belong to the same ports only if
        this is equal."""

    @property
    def hops(self) -> list[Hop]:
        """The telemetry of the switches on the path, if the algorithm uses telemetry."""

@final
class Congestion:
    """A signal of congestion. Times are in picoseconds, sizes in bytes."""

    @property
    def now(self) -> int:
        """The current time."""

    @property
    def signal(self) -> Literal["loss", "mark", "timeout"]:
        """The kind of the signal."""

    @property
    def in_flight(self) -> int:
        """Payload in flight before the signal."""

    @property
    def next_seq(self) -> int:
        """The next byte in the sender's sequence."""

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
            at: Its start time, in picoseconds or such as "10us"; now by default.
            tag: Any object; the events of the message have it, too.
            flow_class: The flow class: the class of the workload with this number, if there is one.
            priority: Priority queue of its packets, 1 to 7.
            port: Destination port, which ECMP hashes.

        Raises:
            ValueError: If the message is impossible, with the reason.
            TypeError: If a value has the wrong type.
        """

    def set_timer(self, at: SupportsIndex | str, tag: object) -> None:
        """Sets the timer ``tag``, a hashable object, to ``at``, or moves it there."""

    def cancel_timer(self, tag: object) -> bool:
        """Cancels the timer ``tag``. Returns True if it was set."""

    def set_callback(self, kind: str, callback: Callable[[Event], Any] | None) -> None:
        """Sets the function that receives events of a kind; None unsets it."""

    def ignore_acknowledgements(self) -> None:
        """Ends the events "acknowledged": a run without them costs less."""

    def run_until(self, until: SupportsIndex | str | None = None) -> _Stop:
        """Runs all events before ``until``, and calls the callbacks.

        Returns the reason why it has returned: "finished", "time-reached", "stalled", "deadlocked",
        "beyond-horizon", "overloaded" or, after ``stop``, "stopped". Without callbacks, events are
        kept for ``run_until_next``.
        """

    def run_until_next(self, until: SupportsIndex | str | None = None) -> Event | None:
        """Runs to the next event before ``until``, or returns None if there is none.

        ``now`` is then the time of the event, and requests take effect at that time. Fails if a
        callback is set.
        """

    def stop(self) -> None:
        """Ends the run after the current event; only a callback can. The run can continue later."""

    def finish_capture(self) -> int | None:
        """Ends the capture and writes its frames to the file that ``capture`` named when the
        simulation was opened. Returns the number of frames, or None if nothing is captured.

        If the run is paused at an event, this simulates further, for less time than the delay of
        the shortest link. Callbacks do not receive events of that time."""

    def close(self) -> None:
        """Writes the capture, if there is one, closes the simulation and frees its memory.
        ``with`` does the same at its end."""

    @property
    def notes(self) -> list[str]:
        """Notes on the scenario for the user; opening it issues them as warnings."""

    @property
    def closed(self) -> bool:
        """True if the simulation is closed."""

    @property
    def now(self) -> int:
        """The current time, in picoseconds; in a callback, the time of the event."""

    @property
    def hosts(self) -> list[int]:
        """The nodes that are hosts, in order: ``hosts[0]`` is the first host, and so on. Messages,
        events and tables refer to a host by its node."""

    @property
    def host_names(self) -> list[str]:
        """The names of the hosts, in the order of ``hosts``."""

    def host(self, host: SupportsIndex | str) -> int:
        """The node of a host that is given by its name or its node."""

    def host_node(self, index: int) -> int:
        """The node of host ``index``, counted from 0: ``hosts[index]``. Programs in C and the ranks
        of other simulators count hosts this way."""

    def node_host(self, node: SupportsIndex | str) -> int:
        """The number of a host, counted from 0, that is given by its node or its name."""

    def ideal_time(
        self, src: SupportsIndex | str, dst: SupportsIndex | str, size: SupportsIndex | str
    ) -> int:
        """Time from the start of a message to its last acknowledgement if it is alone in the idle
        network, in picoseconds, by the rule of `[output] ideal`."""

    def statistics(self) -> dict[str, int]:
        """Counts over the whole network, from the start: flows, packets, bytes, drops, pauses."""

    def network(self) -> dict[str, int]:
        """Properties of the idle network: its size, rates, round-trip time."""

    def unfinished(self) -> list[dict[str, Any]]:
        """Flows that have started and not ended, and the reason why each waits."""

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

def critical_path(folder: str, job: str | None, iteration: int) -> Table:
    """Returns the messages that decided the end of an iteration."""

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
