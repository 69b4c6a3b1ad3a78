"""Simulations that a program drives."""

from __future__ import annotations

import gc
import traceback
import weakref
from collections.abc import Callable
from pathlib import Path
from typing import Any

import fabricsim
import pytest
from fabricsim import Event, Simulation

HOSTS = 16
STEPS = 64
SIZE = 40_000
# Time of the last delivery in the ring; the C library and its example have the same.
LAST = 429_632_320

NETWORK: dict[str, Any] = {
    "topology": {"kind": "leaf-spine", "leaves": 4, "hosts_per_leaf": 4, "spines": 2},
    "cc": {"kind": "dcqcn"},
}


def goal() -> str:
    """The ring as a graph of a scenario, in GOAL."""
    lines = [f"num_ranks {HOSTS}"]
    for rank in range(HOSTS):
        after, before = (rank + 1) % HOSTS, (rank - 1) % HOSTS
        lines.append(f"rank {rank} {{")
        for step in range(STEPS):
            lines.append(f"s{step}: send {SIZE}b to {after} tag {step}")
            lines.append(f"r{step}: recv {SIZE}b from {before} tag {step}")
            if step:
                lines.append(f"s{step} requires r{step - 1}")
        lines.append("}")
    return "\n".join(lines) + "\n"


@pytest.fixture(scope="module")
def ring_of_a_scenario(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """Returns the fct.csv of the ring in a scenario."""
    path = tmp_path_factory.mktemp("ring") / "ring.goal"
    path.write_text(goal())
    graph = {"kind": "graph", "path": path, "connections": "per-message"}
    results = fabricsim.run({**NETWORK, "workload": [graph]})
    return (results.folder / "fct.csv").read_bytes()


def send_step(simulation: Simulation, host: int, step: int) -> None:
    simulation.send(host, (host + 1) % HOSTS, SIZE, tag=step, port=400)


def by_iteration(simulation: Simulation) -> int:
    last = 0
    for event in simulation:
        assert simulation.now == event.time
        if event.kind == "delivered":
            last = event.time
            if event.tag + 1 < STEPS:
                assert event.dst is not None
                send_step(simulation, event.dst, event.tag + 1)
    return last


def by_callback(simulation: Simulation) -> int:
    last = 0

    @simulation.on_delivered
    def pass_on(event: Event) -> None:
        nonlocal last
        assert simulation.now == event.time
        last = event.time
        if event.tag + 1 < STEPS:
            assert event.dst is not None
            send_step(simulation, event.dst, event.tag + 1)

    assert simulation.run_until() == "finished"
    return last


@pytest.mark.parametrize("threads", [1, 2])
@pytest.mark.parametrize("drive", [by_iteration, by_callback])
def test_a_ring_is_that_of_a_scenario_to_the_picosecond(
    drive: Callable[[Simulation], int], threads: int, ring_of_a_scenario: bytes, tmp_path: Path
) -> None:
    with Simulation(NETWORK, threads=threads) as simulation:
        for host in range(HOSTS):
            send_step(simulation, host, 0)
        assert drive(simulation) == LAST
        assert len(simulation.flows()) == HOSTS * STEPS
        simulation.write_flows(tmp_path / "fct.csv")
    assert (tmp_path / "fct.csv").read_bytes() == ring_of_a_scenario


def test_hosts_have_names_and_numbers(star: dict[str, Any]) -> None:
    simulation = Simulation(star)
    assert simulation.hosts == [0, 1, 2, 3]
    assert simulation.host_names == ["host0", "host1", "host2", "host3"]
    assert simulation.host("host2") == 2 == simulation.host(2)
    simulation.send("host0", 3, "1KB")
    assert [event.dst for event in simulation] == [3, 3]
    for host in ("host9", 9, -1, 4, 2**70):
        with pytest.raises(ValueError, match="host0 to host3"):
            simulation.send(0, host, 1)
    for other in (1.0, None, True, b"host0"):
        with pytest.raises(TypeError, match="dst"):
            simulation.send(0, other, 1)  # type: ignore[arg-type]


def test_hosts_counted_from_0_lead_to_nodes_and_back(tmp_path: Path) -> None:
    # Node 1 is a switch.
    links = "4 1 3\n1\n1 0 100Gbps 1us 0\n1 2 100Gbps 1us 0\n1 3 100Gbps 1us 0\n"
    path = tmp_path / "net.txt"
    path.write_text(links, encoding="utf-8")
    with Simulation(
        {"topology": {"kind": "file", "path": str(path)}, "cc": {"kind": "dcqcn"}}
    ) as simulation:
        assert simulation.hosts == [0, 2, 3]
        assert [simulation.host_node(index) for index in range(3)] == simulation.hosts
        assert [simulation.node_host(node) for node in simulation.hosts] == [0, 1, 2]
        assert simulation.node_host(simulation.host_names[2]) == 2
        simulation.send(simulation.host_node(1), simulation.host_node(2), "1KB")
        assert {(event.src, event.dst) for event in simulation} == {(2, 3)}
        assert simulation.flows()["src"] == [2]
        with pytest.raises(IndexError, match="host 3 of a network of 3 hosts"):
            simulation.host_node(3)
        with pytest.raises(ValueError, match="no host has this number"):
            simulation.node_host(1)


def test_messages_have_what_they_are_given(star: dict[str, Any]) -> None:
    simulation = Simulation(star)
    tag = {"any": "object"}
    simulation.send(0, 1, 1000, at="3us", tag=tag, flow_class=2, priority=5, port=7)
    delivered, acknowledged = simulation
    assert delivered.tag is tag and acknowledged.tag is tag
    assert (delivered.src, delivered.dst, delivered.size) == (0, 1, 1000)
    assert (delivered.flow_class, delivered.priority, delivered.port) == (2, 5, 7)
    # One packet of 1 KB with 48 bytes of headers over two links of 100 Gbps and 1 us.
    assert 3_000_000 + 2_000_000 < delivered.time < acknowledged.time
    assert simulation.take_flows()["class"] == [2]
    assert len(simulation.take_flows()) == 0 and len(simulation.flows()) == 1
    assert simulation.statistics()["delivered_bytes"] == 1000
    assert simulation.network()["hosts"] == 4
    assert simulation.ideal_time(0, 1, 1000) < acknowledged.time


def test_what_is_impossible_is_refused(star: dict[str, Any]) -> None:
    simulation = Simulation(star)
    simulation.send(0, 1, "100KB")
    simulation.run_until("5us")
    assert simulation.now == 5_000_000 and len(simulation.unfinished()) == 1
    wrong: list[tuple[dict[str, Any], type[Exception], str | None]] = [
        ({"dst": 0}, ValueError, "sends to itself"),
        ({"size": 0}, ValueError, "no bytes"),
        ({"size": -1}, ValueError, "size: -1 bytes"),
        ({"size": "1MBB"}, ValueError, "unknown unit"),
        ({"size": 1.5}, TypeError, "size: a whole number of bytes"),
        ({"size": 2**63}, ValueError, "flows up to"),
        ({"at": 0}, ValueError, "it is 5us now"),
        ({"at": "1ns"}, ValueError, "it is 5us now"),
        ({"at": 2**64 - 1}, ValueError, "53 days"),
        ({"priority": 0}, ValueError, "priority"),
        ({"priority": 8}, ValueError, "priority"),
        ({"port": 70_000}, OverflowError, None),
        ({"flow_class": -1}, OverflowError, None),
    ]
    for change, error, words in wrong:
        with pytest.raises(error, match=words):
            simulation.send(**{"src": 0, "dst": 1, "size": 1, **change})
    with pytest.raises(ValueError, match="before the present time 5us"):
        simulation.set_timer(1, "t")
    with pytest.raises(TypeError, match="unhashable"):
        simulation.set_timer("1ms", [])
    with pytest.raises(ValueError, match="no events"):
        simulation.set_callback("arrived", print)
    with pytest.raises(RuntimeError, match="no callback"):
        simulation.stop()
    assert simulation.run_until() == "finished"


def test_timers_are_set_moved_and_canceled(star: dict[str, Any]) -> None:
    simulation = Simulation(star)
    tag = ("step", 1)
    simulation.set_timer("5us", tag)
    simulation.set_timer("7us", ("step", 1))
    simulation.set_timer("6us", "other")
    simulation.set_timer("8us", "never")
    assert simulation.cancel_timer("never") and not simulation.cancel_timer("never")
    events = [(event.kind, event.tag, event.time) for event in simulation]
    assert events == [("timer", "other", 6_000_000), ("timer", tag, 7_000_000)]
    heard: list[object] = []

    @simulation.on_timer
    def again(event: Event) -> None:
        heard.append(event.tag)
        if len(heard) < 3:
            simulation.set_timer(simulation.now + 1, "again")
            simulation.set_timer(simulation.now + 2, "canceled")
            assert simulation.cancel_timer("canceled")

    simulation.set_timer("9us", "again")
    assert simulation.run_until() == "finished"
    assert heard == ["again"] * 3 and simulation.now >= 9_000_002


def test_events_come_one_by_one(star: dict[str, Any]) -> None:
    simulation = Simulation(star)
    simulation.send(0, 1, "1KB")
    assert simulation.run_until_next("1ns") is None
    event = simulation.run_until_next()
    assert event is not None and event.kind == "delivered" and event.time == simulation.now
    assert [event.kind for event in simulation.events(until="1ms")] == ["acknowledged"]
    assert simulation.run_until_next() is None
    # Events without a callback are kept.
    simulation.send(0, 1, "1KB")
    assert simulation.run_until() == "finished"
    assert [event.kind for event in simulation] == ["delivered", "acknowledged"]


def test_acknowledgements_can_be_ignored(star: dict[str, Any]) -> None:
    simulation = Simulation(star)
    simulation.ignore_acknowledgements()
    simulation.send(0, 1, "1KB", tag="x")
    assert [(event.kind, event.tag) for event in simulation] == [("delivered", "x")]


def test_exceptions_of_callbacks_come_out_with_their_traceback(star: dict[str, Any]) -> None:
    simulation = Simulation(star)

    @simulation.on_delivered
    def fail(event: Event) -> None:
        simulation.send(event.dst or 0, 2, "1KB", tag="after")
        raise KeyError(event.tag)

    simulation.send(0, 1, "1KB", tag="mine")
    with pytest.raises(KeyError, match="mine") as error:
        simulation.run_until()
    assert "fail" in [frame.name for frame in traceback.extract_tb(error.value.__traceback__)]
    # The requests before the exception take effect, and the simulation continues.
    heard: list[object] = []
    simulation.on_delivered(lambda event: heard.append(event.tag))
    assert simulation.run_until() == "finished"
    assert heard == ["after"]


def test_a_callback_can_stop_the_run_and_nothing_else(star: dict[str, Any]) -> None:
    simulation = Simulation(star)
    kinds: list[str] = []

    def hear(event: Event) -> None:
        kinds.append(event.kind)
        simulation.stop()
        calls: list[Callable[[], object]] = [
            simulation.run_until,
            simulation.flows,
            simulation.close,
            simulation.statistics,
        ]
        for call in calls:
            with pytest.raises(RuntimeError, match="is running"):
                call()
        with pytest.raises(RuntimeError, match="is running"):
            simulation.on_timer(print)
        with pytest.raises(ValueError, match="sends to itself"):
            simulation.send(1, 1, 1)
        assert "running" in repr(simulation) or str(simulation.now) in repr(simulation)

    simulation.on_delivered(hear)
    simulation.on_acknowledged(hear)
    simulation.send(0, 1, "1KB")
    assert simulation.run_until() == "stopped"
    with pytest.raises(RuntimeError, match="has callbacks"):
        simulation.run_until_next()
    assert simulation.run_until() == "stopped"
    assert kinds == ["delivered", "acknowledged"]
    simulation.on_delivered(None)
    simulation.on_acknowledged(None)
    assert simulation.run_until() == "finished"


def test_unreachable_messages_are_heard_of(star: dict[str, Any]) -> None:
    scenario = {**star, "event": [{"kind": "link-down", "at": "1us", "link": [0, 4]}]}
    simulation = Simulation(scenario)
    tags: list[object] = []
    simulation.on_unreachable(lambda event: tags.append((event.kind, event.tag)))
    simulation.send(0, 1, "1KB", at="2us", tag="lost")
    assert simulation.run_until() == "finished"
    assert tags == [("unreachable", "lost")]


def test_settings_without_an_effect_are_warned_of(star: dict[str, Any]) -> None:
    scenario = {**star, "switch": {"lossy_limit": "256KB"}}
    with pytest.warns(fabricsim.FabricsimWarning, match="lossy_limit has no effect"):
        Simulation(scenario)
    with pytest.warns(fabricsim.FabricsimWarning, match="lossy_limit has no effect"):
        fabricsim.check(scenario)


CAPTURED: dict[str, Any] = {**NETWORK, "capture": {"nodes": ["0"], "direction": "out"}}


def frames(path: Path) -> list[bytes]:
    """The frames of a capture: enhanced packet blocks of pcapng."""
    rest, found = path.read_bytes(), []
    while rest:
        kind, length = (int.from_bytes(rest[at : at + 4], "little") for at in (0, 4))
        if kind == 6:
            found.append(rest[:length])
        rest = rest[length:]
    return found


@pytest.mark.parametrize("drive", [by_iteration, by_callback])
def test_a_simulation_writes_its_capture(
    tmp_path: Path, drive: Callable[[Simulation], int]
) -> None:
    path = tmp_path / "host0.pcapng"
    with Simulation(CAPTURED, capture=path) as simulation:
        for host in range(HOSTS):
            send_step(simulation, host, 0)
        assert drive(simulation) == LAST
        assert not path.exists()
    # 64 messages of 40 packets, and an acknowledgement of each packet that has arrived.
    assert len(frames(path)) == 2 * STEPS * SIZE // 1000
    assert [item.name for item in tmp_path.iterdir()] == ["host0.pcapng"]


def test_a_capture_is_finished_at_an_event(tmp_path: Path) -> None:
    path = tmp_path / "host0.pcapng"
    simulation = Simulation(CAPTURED, capture=path)
    simulation.send(0, 5, SIZE)
    event = next(iter(simulation))
    assert event.kind == "delivered"
    assert simulation.finish_capture() == len(frames(path)) == SIZE // 1000
    assert simulation.finish_capture() is None
    simulation.run_until()
    simulation.close()
    assert len(frames(path)) == SIZE // 1000


def test_a_capture_without_a_file_or_a_table_is_refused(tmp_path: Path) -> None:
    with pytest.raises(fabricsim.ScenarioError, match="name the file for the frames"):
        Simulation(CAPTURED)
    with pytest.raises(ValueError, match="no .capture. table"):
        Simulation(NETWORK, capture=tmp_path / "none.pcapng")
    with pytest.raises(OSError, match="none"):
        Simulation(CAPTURED, capture=tmp_path / "none" / "run.pcapng")
    assert not list(tmp_path.iterdir())


def test_a_simulation_is_closed(star: dict[str, Any]) -> None:
    with Simulation(star) as simulation:
        assert not simulation.closed
    assert simulation.closed and "closed" in repr(simulation)
    simulation.close()
    calls: list[Callable[[], object]] = [
        simulation.run_until,
        simulation.run_until_next,
        simulation.flows,
        lambda: simulation.now,
        lambda: simulation.send(0, 1, 1),
        lambda: list(simulation),
    ]
    for closed in calls:
        with pytest.raises(ValueError, match="is closed"):
            closed()


def test_simulations_that_hear_of_themselves_are_collected(star: dict[str, Any]) -> None:
    class Tag:
        pass

    simulation = Simulation(star)
    tag = Tag()
    simulation.on_delivered(lambda event: simulation.send(0, 1, 1))
    simulation.send(0, 1, 1, tag=tag)
    gone: list[Callable[[], object]] = [weakref.ref(simulation), weakref.ref(tag)]
    del simulation, tag
    gc.collect()
    assert [ref() for ref in gone] == [None, None]


def test_tags_are_forgotten_when_messages_are_over(star: dict[str, Any]) -> None:
    class Tag:
        pass

    for heard in (True, False):
        simulation = Simulation(star)
        if heard:
            simulation.on_delivered(lambda event: None)
        tags = [Tag() for _ in range(10)]
        gone = [weakref.ref(tag) for tag in tags]
        for number, tag in enumerate(tags):
            simulation.send(0, 1, 1000, tag=tag, at=number * 1_000_000)
        del tags, tag
        assert all(ref() is not None for ref in gone)
        simulation.run_until()
        if not heard:
            assert sum(1 for _ in simulation) == 20
        gc.collect()
        assert all(ref() is None for ref in gone)


def test_workloads_run_beside_messages(scenario: dict[str, Any]) -> None:
    simulation = Simulation(scenario)
    simulation.send(0, 1, "1KB", tag=1)
    assert [event.tag for event in simulation] == [1, 1]
    assert len(simulation.flows()) == 8 + 4 + 1


def test_a_run_can_be_divided(text: str) -> None:
    whole = Simulation(text, threads=2)
    assert whole.run_until() == "finished"
    parts = Simulation(text)
    status, until = "", 0
    while status != "finished":
        until += 1_000_000
        status = parts.run_until(until)
        assert status in ("time-reached", "finished") and parts.now <= until
    assert parts.flows_csv() == whole.flows_csv()
