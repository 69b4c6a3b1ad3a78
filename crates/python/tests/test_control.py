"""Congestion controls in Python."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fabricsim
import pytest
from fabricsim import Ack, CongestionControl, FlowStart

INCAST: dict[str, Any] = {
    "topology": {"kind": "star", "hosts": 5},
    "workload": [{"kind": "incast", "fan_in": 4, "size": "200KB", "at": "0s"}],
}


class Plain(CongestionControl):
    """The behavior of the base class."""


class HalfOnMark(CongestionControl):
    """Halves its rate once per round trip with marks."""

    marking = (10_000, 10_000, 1.0)

    def __init__(self, flow: FlowStart, step: float = 1e9) -> None:
        super().__init__(flow)
        self.step = step
        self.marked = False

    def on_ack(self, ack: Ack) -> None:
        assert self.rate is not None and ack.rtt is not None and not ack.hops
        self.marked |= ack.marked > 0
        if ack.new_round:
            self.rate = self.rate / 2 if self.marked else self.rate + self.step
            self.rate = min(max(self.rate, 1e9), self.flow.line_rate)
            self.marked = False


class Queue(CongestionControl):
    """Aims at an empty queue, by telemetry."""

    telemetry = "int"

    def on_ack(self, ack: Ack) -> None:
        (hop,) = ack.hops
        assert hop.rate == 100_000_000_000 and hop.time < ack.now
        assert hop.sent is None or (hop.elapsed is not None and hop.sent > 0)
        self.rate = 10e9 if hop.queue > 20_000 else 30e9


def test_a_fixed_window_is_that_of_the_compiled_algorithm() -> None:
    compiled = fabricsim.run(INCAST, cc="none")
    python = fabricsim.run(INCAST, cc=Plain)
    assert python.fct["fct_ns"] == compiled.fct["fct_ns"]
    assert python.checksum == compiled.checksum


def test_marks_and_settings_reach_the_algorithm() -> None:
    runs = [
        fabricsim.run({**INCAST, "cc": {"kind": HalfOnMark, "step": step}}) for step in (1e9, 1e9, 5e9)
    ]
    assert runs[0].checksum == runs[1].checksum != runs[2].checksum
    assert runs[0].checksum != fabricsim.run(INCAST, cc=Plain).checksum
    cc = runs[0].summary["scenario"]["cc"]
    assert cc["kind"] == "python" and cc["settings"] == '{"step": 1000000000.0}'
    assert cc["class"].endswith("HalfOnMark") and "handle" not in cc


def test_telemetry_reaches_the_algorithm() -> None:
    results = fabricsim.run(INCAST, cc=Queue)
    assert results.status == "finished"
    assert results.summary["scenario"]["cc"]["kind"] == "python-int"
    assert fabricsim.check(INCAST, cc=Queue)["telemetry_bytes"] == 42


def test_timers_go_off() -> None:
    heard: list[int] = []

    class Timed(CongestionControl):
        def __init__(self, flow: FlowStart) -> None:
            super().__init__(flow)
            self.rate = 1e9
            self.timer = 5_000_000

        def on_timer(self, now: int) -> None:
            heard.append(now)
            self.rate = self.flow.line_rate

    fabricsim.run(INCAST, cc=Timed)
    assert heard == [5_000_000] * 4

    class Endless(Timed):
        def on_timer(self, now: int) -> None:
            self.timer = now

    with pytest.raises(ValueError, match="later than now"):
        fabricsim.run(INCAST, cc=Endless)


def test_losses_are_told() -> None:
    heard: list[str] = []

    class Lossy(CongestionControl):
        def on_congestion(self, congestion: fabricsim.Congestion) -> None:
            heard.append(congestion.signal)
            self.rate = 5e9

    fabricsim.run(INCAST, cc=Lossy, set={"switch.pfc": False, "switch.buffer": "100KB"})
    assert "loss" in heard


@pytest.mark.parametrize("where", ["on_ack", "__init__", "rate", "window", "type"])
def test_exceptions_end_the_run_and_come_out(where: str, tmp_path: Path) -> None:
    class Bad(CongestionControl):
        def __init__(self, flow: FlowStart) -> None:
            super().__init__(flow)
            if where == "__init__":
                raise KeyError("mine")

        def on_ack(self, ack: Ack) -> None:
            if where == "on_ack":
                raise KeyError("mine")
            elif where == "rate":
                self.rate = -1.0
            elif where == "window":
                self.window = float("nan")
            else:
                self.rate = "fast"  # type: ignore[assignment]

    error, words = {
        "rate": (ValueError, "`rate` is -1"),
        "window": (ValueError, "`window` is NaN"),
        "type": (TypeError, "`rate` is fast"),
    }.get(where, (KeyError, "mine"))
    with pytest.raises(error, match=words):
        fabricsim.run(INCAST, cc=Bad, out=tmp_path / "out")
    assert not (tmp_path / "out" / "fct.csv").exists()
    simulation = fabricsim.Simulation(INCAST, cc=Bad)
    with pytest.raises(error, match=words):
        simulation.run_until()
    with pytest.raises(RuntimeError, match="cannot go on"):
        simulation.run_until()
    assert simulation.statistics()["flows_started"] == 4


def test_another_algorithm_is_another_scenario(tmp_path: Path) -> None:
    fabricsim.run(INCAST, cc=Plain, out=tmp_path)
    fabricsim.run(INCAST, cc=Plain, out=tmp_path)
    with pytest.raises(fabricsim.ResultsError, match="cc.class"):
        fabricsim.run(INCAST, cc=HalfOnMark, out=tmp_path)


def test_algorithms_can_be_of_classes_of_flows() -> None:
    workload = [
        {"kind": "incast", "fan_in": 2, "size": "50KB", "at": "0s", "cc": {"kind": HalfOnMark}},
        {"kind": "permutation", "size": "50KB", "priority": 4, "cc": {"kind": Plain}},
    ]
    scenario = {"topology": {"kind": "star", "hosts": 4}, "workload": workload, "cc": {"kind": "hpcc"}}
    assert len(fabricsim.run(scenario).fct) == 2 + 4


def test_what_cannot_be_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="1 thread"):
        fabricsim.run(INCAST, cc=Plain, threads=2)
    with pytest.raises(TypeError, match="CongestionControl"):
        fabricsim.run({**INCAST, "cc": {"kind": int}})
    with pytest.raises(fabricsim.ScenarioError, match="a text cannot name"):
        fabricsim.run(INCAST, cc={"kind": "python"})

    class Marks(CongestionControl):
        marking = (20, 10, 1.0)

    with pytest.raises(fabricsim.ScenarioError, match="no thresholds"):
        fabricsim.run(INCAST, cc=Marks)
    axis = [{"key": "seed", "values": [1, 2]}]
    with pytest.raises(TypeError, match="one point after another"):
        fabricsim.sweep({"scenario": {**INCAST, "cc": {"kind": Plain}}, "axis": axis}, out=tmp_path)
