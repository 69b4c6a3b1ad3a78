"""Ctrl-C."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

# A run of minutes.
LONG = """
import signal, sys, time
import fabricsim
signal.signal(signal.SIGINT, signal.default_int_handler)
scenario = {
    "topology": {"kind": "fat-tree", "k": 8},
    "workload": [{"kind": "poisson", "sizes": "websearch", "load": 0.5, "duration": "1s"}],
    "cc": {"kind": "dcqcn"},
}
class Slow(fabricsim.CongestionControl):
    pass
def begin():
    print("begun", flush=True)
try:
    WHAT
except KeyboardInterrupt:
    print("interrupted", flush=True)
    AFTER
"""

CASES = {
    "run": ("begin(); fabricsim.run(scenario, out=sys.argv[1])", "pass"),
    "threads": ("begin(); fabricsim.run(scenario, threads=2)", "pass"),
    "python": ("begin(); fabricsim.run(scenario, cc=Slow)", "pass"),
    "run_until": (
        "simulation = fabricsim.Simulation(scenario); begin(); simulation.run_until()",
        "now = simulation.now; assert now > 0; "
        "assert simulation.run_until(now + 1_000_000) == 'time-reached'",
    ),
    "run_until on threads": (
        "simulation = fabricsim.Simulation(scenario, threads=2); begin(); simulation.run_until()",
        "now = simulation.now; assert now > 0; "
        "assert simulation.run_until(now + 1_000_000) == 'time-reached'",
    ),
    "callbacks": (
        "simulation = fabricsim.Simulation(scenario); simulation.set_timer('900ms', 1); "
        "simulation.on_timer(print); begin(); simulation.run_until()",
        "assert simulation.run_until(simulation.now + 1_000_000) == 'time-reached'",
    ),
    "iteration": (
        "simulation = fabricsim.Simulation(scenario); simulation.set_timer('900ms', 1); begin(); "
        "list(simulation)",
        "assert simulation.run_until(simulation.now + 1_000_000) == 'time-reached'",
    ),
    "sweep": (
        "begin(); fabricsim.sweep({'scenario': scenario, 'axis': [{'key': 'seed', "
        "'values': [1, 2]}]}, out=sys.argv[1])",
        "pass",
    ),
}


@pytest.mark.skipif(sys.platform == "win32", reason="signals are those of Unix")
@pytest.mark.parametrize("case", CASES)
def test_ctrl_c_stops_what_runs(case: str, tmp_path: Path) -> None:
    what, after = CASES[case]
    program = LONG.replace("WHAT", what).replace("AFTER", after)
    arguments = [sys.executable, "-c", program, str(tmp_path / "out")]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        assert process.stdout.readline() == "begun\n"
        time.sleep(1.0)
        begun = time.monotonic()
        process.send_signal(signal.SIGINT)
        assert process.stdout.readline() == "interrupted\n"
        took = time.monotonic() - begun
        assert process.wait() == 0
    # Promptly, on a machine that has other work to do.
    assert took < 8, took
    if case == "run":
        assert (tmp_path / "out" / "summary.partial.json").exists()
        assert not (tmp_path / "out" / "summary.json").exists()
