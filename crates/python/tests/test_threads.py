"""Several threads of Python, each with a simulation."""

from __future__ import annotations

import os
import signal
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import fabricsim
import pytest
from fabricsim import Event, Simulation


def test_two_runs_are_under_way_at_once(text: str) -> None:
    # Each run waits in its progress callback until the other one has reached it.
    meet = threading.Barrier(2, timeout=60)
    met = threading.local()

    def wait(_: fabricsim.Progress) -> None:
        if not hasattr(met, "yes"):
            met.yes = True
            meet.wait()

    def run(seed: int) -> str:
        changes = {"seed": seed, "workload.0.size": "4MB"}
        return fabricsim.run(text, set=changes, threads=1, progress=wait).checksum

    with ThreadPoolExecutor(2) as pool:
        checksums = list(pool.map(run, (1, 1)))
    assert checksums[0] == checksums[1]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system does not fork")
@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_a_child_of_fork_goes_on_with_a_simulation_on_several_threads(
    star: dict[str, Any],
) -> None:
    simulation = Simulation(star, threads=2)
    for host in range(3):
        simulation.send(host, 3, 10**6)
    simulation.run_until("10us")
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        # The child must not run the test's clean-up a second time.
        signal.alarm(20)
        simulation.run_until()
        os.write(write, str(simulation.now).encode())
        os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as told:
        text = told.read().decode()
    assert os.waitpid(child, 0)[1] == 0
    simulation.run_until()
    assert text == str(simulation.now)


def test_python_runs_while_a_simulation_does(text: str) -> None:
    simulation = Simulation(text, set={"workload.0.size": "16MB"})
    runner = threading.Thread(target=simulation.run_until)
    runner.start()
    turns = busy = 0
    while runner.is_alive():
        turns += 1
        try:
            _ = simulation.now
        except RuntimeError as error:
            assert "is running" in str(error)
            busy += 1
    runner.join()
    # With the interpreter locked, it would get a turn at most once in five milliseconds.
    assert busy > 100 and turns >= busy
    assert len(simulation.flows()) == 12


def test_callbacks_of_two_simulations_take_turns(star: dict[str, Any]) -> None:
    meet = threading.Barrier(2, timeout=60)

    def ring(_: int) -> list[int]:
        times: list[int] = []
        with Simulation(star) as simulation:

            @simulation.on_delivered
            def pass_on(event: Event) -> None:
                assert event.dst is not None
                times.append(event.time)
                if len(times) == 1:
                    meet.wait()
                if len(times) < 300:
                    simulation.send(event.dst, (event.dst + 1) % 4, event.size or 1)

            simulation.send(0, 1, "10KB")
            assert simulation.run_until() == "finished"
        return times

    with ThreadPoolExecutor(2) as pool:
        one, two = pool.map(ring, range(2))
    assert one == two and len(one) == 300


def test_a_thread_that_comes_too_early_is_told(star: dict[str, Any]) -> None:
    simulation = Simulation(star)
    inside, outside = threading.Event(), threading.Event()

    def hold(event: Event) -> None:
        inside.set()
        assert outside.wait(60)

    simulation.on_delivered(hold)
    simulation.send(0, 1, 1)
    runner = threading.Thread(target=simulation.run_until)
    runner.start()
    assert inside.wait(60)
    for call in (simulation.run_until, simulation.stop, lambda: simulation.send(0, 1, 1)):
        with pytest.raises(RuntimeError, match="is running"):
            call()
    outside.set()
    runner.join()
    assert len(simulation.flows()) == 1


def test_tags_that_are_slow_to_compare_do_no_harm(star: dict[str, Any]) -> None:
    class Tag:
        def __hash__(self) -> int:
            turn.wait(0.001)
            return 1

        def __eq__(self, other: object) -> bool:
            turn.wait(0.001)
            return self is other

    turn = threading.Event()
    simulation = Simulation(star)
    refused: list[str] = []

    def disturb() -> None:
        while not turn.is_set():
            try:
                simulation.send(0, 1, 1, tag="x")
            except RuntimeError as error:
                refused.append(str(error))

    simulation.on_acknowledged(lambda event: None)
    for number in range(20):
        simulation.set_timer(1_000_000 * (number + 1), Tag())
        simulation.send(0, 1, 1000, at=1_000_000 * number, tag=Tag())
    other = threading.Thread(target=disturb)
    other.start()
    status = "busy"
    while status == "busy":
        try:
            status = simulation.run_until()
        except RuntimeError:
            status = "busy"
    turn.set()
    other.join(60)
    assert not other.is_alive() and status == "finished"
