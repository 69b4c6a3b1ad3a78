"""Random calls end in results or in exceptions, and never in a crash."""

from __future__ import annotations

import random
from typing import Any

import fabricsim
import pytest
from fabricsim import Event, Simulation

CALLS = 1_000

VALUES: list[Any] = [
    None,
    True,
    -1,
    0,
    1,
    3,
    7,
    2**16,
    2**32,
    2**63,
    2**64 - 1,
    2**64,
    10**40,
    1.5,
    float("nan"),
    float("inf"),
    "",
    "host1",
    "1us",
    "5ms",
    "100KB",
    "1e30s",
    "\x00",
    "\ud800",
    "é" * 100,
    b"bytes",
    [],
    {},
    (1, 2),
    {"kind": "star"},
    object(),
    int,
    print,
]

METHODS = [
    "send",
    "set_timer",
    "cancel_timer",
    "set_callback",
    "on_delivered",
    "on_timer",
    "ignore_acknowledgements",
    "run_until",
    "run_until_next",
    "stop",
    "host",
    "ideal_time",
    "flows",
    "take_flows",
    "statistics",
    "network",
    "unfinished",
    "events",
    "__enter__",
    "write_flows",
    "close",
]


def act(chance: random.Random, simulation: Simulation) -> None:
    method = chance.choice(METHODS)
    if method == "close" and chance.random() < 0.9:
        return
    if method == "write_flows":
        getattr(simulation, method)(chance.choice([None, 7, "", "/none/x.csv", "\x00"]))
        return
    if method == "send" and chance.random() < 0.7:
        simulation.send(
            chance.randrange(-1, 5),
            chance.randrange(0, 5),
            chance.choice(["0KB", "1B", "1KB", "20KB"]),
            at=chance.choice([None, "0s", "1us", "3ms"]),
            tag=chance.choice(VALUES),
            priority=chance.randrange(0, 9),
        )
        return
    arguments = [chance.choice(VALUES) for _ in range(chance.randrange(0, 4))]
    names = ["at", "tag", "until", "port", "flow_class"]
    keywords = {chance.choice(names): chance.choice(VALUES)} if chance.random() < 0.2 else {}
    result = getattr(simulation, method)(*arguments, **keywords)
    if method == "events":
        next(result, None)


def test_random_calls_of_a_simulation(star: dict[str, Any]) -> None:
    chance = random.Random(1)
    refused = done = 0
    simulation = Simulation(star)

    def hear(event: Event) -> None:
        if chance.random() < 0.3:
            act(chance, simulation)

    for _ in range(CALLS):
        if chance.random() < 0.03 or simulation.closed:
            simulation = Simulation(star, threads=chance.choice([1, 2]))
        if chance.random() < 0.05:
            try:
                simulation.on_delivered(hear)
            except ValueError:
                pass
        try:
            act(chance, simulation)
            done += 1
        except Exception as error:
            # A panic of Rust would be a BaseException, so it would end the test.
            assert str(error) or isinstance(error, StopIteration)
            refused += 1
    assert done > CALLS / 10 and refused > CALLS / 10


def test_random_scenarios() -> None:
    chance = random.Random(2)
    keys = ["topology", "workload", "cc", "kind", "hosts", "size", "seed", "class", "observe", "x.y"]

    def value(depth: int) -> Any:
        if depth and chance.random() < 0.6:
            keyed = {chance.choice(keys): value(depth - 1) for _ in range(chance.randrange(1, 4))}
            return [keyed] if chance.random() < 0.3 else keyed
        return chance.choice([*VALUES, "star", "hpcc", "permutation", 4])

    refused = 0
    for _ in range(CALLS):
        given = value(3)
        changes = {chance.choice(["cc", "cc.eta", "workload.0", "7", ""]): value(1)}
        try:
            fabricsim.check(given, set=chance.choice([None, changes]))
        except Exception as error:
            assert str(error)
            refused += 1
    assert refused > CALLS / 2


@pytest.mark.parametrize("name", ["run", "check", "sweep", "load", "load_sweep", "plot"])
def test_random_arguments(name: str, tmp_path: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    chance = random.Random(name)
    keywords = ["set", "cc", "threads", "progress", "force", "jobs", "of"]
    for _ in range(200):
        arguments = [chance.choice(VALUES) for _ in range(chance.randrange(1, 3))]
        given = {chance.choice(keywords): chance.choice(VALUES) for _ in range(chance.randrange(3))}
        try:
            getattr(fabricsim, name)(*arguments, **given)
        except Exception as error:
            assert str(error)
