"""Congestion controls that are written in Python."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from . import _native


class CongestionControl:
    """An algorithm of congestion control, for teaching and for trying out ideas.

    A scenario names a subclass instead of a kind: ``{"cc": {"kind": MyAlgorithm, "gain": 0.1}}``,
    or ``run(scenario, cc=MyAlgorithm)``. Each RDMA flow has its own object. The constructor
    receives the flow and the other keys of the table. The object controls the flow by its attributes ``rate`` and
    ``window``, which the simulator reads after each call.

    It is slow: about a hundred thousand acknowledgements a second, instead of the millions of a
    compiled algorithm. It runs on one thread, so results are the same each time, unless it uses
    random numbers of its own. An exception ends the run, which then raises it.

    Example::

        class HalfOnMark(fabricsim.CongestionControl):
            marking = (50_000, 50_000, 1.0)

            def on_ack(self, ack):
                if ack.marked:
                    self.rate = max(self.rate / 2, 1e9)
                elif ack.new_round:
                    self.rate = min(self.rate + 1e9, self.flow.line_rate)
    """

    telemetry: ClassVar[Literal["int"] | None] = None
    """``"int"`` for in-band telemetry: packets carry it, and acknowledgements have ``hops``."""

    marking: ClassVar[tuple[int, int, float] | None] = None
    """Thresholds for ECN marking if the scenario has none: kmin and kmax in bytes, and pmax."""

    flow: _native.FlowStart
    """The flow, as it started."""

    rate: float | None
    """Bits per second at which packets are spaced; None to send as soon as the window allows."""

    window: float | None
    """Bytes that may be in flight; None without a window."""

    timer: float | None
    """Time of the next call of ``on_timer``, in picoseconds; None for no call."""

    def __init__(self, flow: _native.FlowStart) -> None:
        """Starts at the rate of the NIC, with a window of the bandwidth-delay product."""
        self.flow = flow
        self.rate = flow.line_rate
        self.window = flow.bdp
        self.timer = None

    def on_ack(self, ack: _native.Ack) -> None:
        """Called for each acknowledgement that reaches the sender."""

    def on_congestion(self, congestion: _native.Congestion) -> None:
        """Called for losses and timeouts."""

    def on_timer(self, now: int) -> None:
        """Called at the time ``timer``, which is then None unless this sets it again."""


def table_of(algorithm: type[CongestionControl], settings: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the table that describes a class and its settings in a scenario, without a handle."""
    table: dict[str, Any] = {
        "kind": "python" if algorithm.telemetry is None else f"python-{algorithm.telemetry}",
        "class": f"{algorithm.__module__}.{algorithm.__qualname__}",
        "source": _checksum(algorithm),
        "settings": json.dumps(settings, sort_keys=True, default=repr),
    }
    if algorithm.marking is not None:
        table["marking"] = list(algorithm.marking)
    return table


def _checksum(algorithm: type[CongestionControl]) -> str:
    """Returns a checksum of the source text of a class, or of its name if the text is unknown."""
    text = ""
    for part in algorithm.__mro__:
        if part not in (CongestionControl, object):
            try:
                text += inspect.getsource(part)
            except (OSError, TypeError):
                text += part.__qualname__
    return hashlib.sha256(text.encode()).hexdigest()[:16]
