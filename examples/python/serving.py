"""A serving simulator with its scheduler in Python and its network in fabricsim.

Requests to a language model arrive at a prefill instance. Its GPUs send the KV cache of each prompt
to the GPUs of a decode instance, which batches requests continuously: each step computes one token
of each running request and ends with an all-reduce, and requests join and leave between steps.

The scheduler knows the network as an `Executor` of two functions, `compute` and `transfer`. Both
call a function back at the exact picosecond at which the work ends, so a step begins when the last
byte of the step before has arrived. Any simulator that is driven by such calls can use it instead
of a formula.

    python examples/python/serving.py
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from typing import Any

import fabricsim

PS_PER_US = 1_000_000

Then = Callable[[], None]
Part = tuple[int, int, int]  # source, destination, bytes


@dataclass(eq=False)
class Work:
    """Parts that have to end before `then` is called. The tag of its timers and messages."""

    parts: int
    then: Then


class Executor:
    """Executes computations and transfers on a simulated fabric."""

    def __init__(self, scenario: dict[str, Any], threads: int = 1) -> None:
        self.network = fabricsim.Simulation(scenario, threads=threads)
        self.network.ignore_acknowledgements()

    @property
    def now(self) -> int:
        """The time in picoseconds."""
        return self.network.now

    def at(self, time: int, then: Then) -> None:
        """Calls `then` at `time`, in picoseconds."""
        self.network.set_timer(time, Work(1, then))

    def compute(self, duration: int, then: Then) -> None:
        """Calls `then` after `duration` picoseconds."""
        self.at(self.now + duration, then)

    def transfer(self, parts: list[Part], then: Then) -> None:
        """Sends a message for each part now, and calls `then` when the last one has arrived."""
        work = Work(len(parts), then)
        for src, dst, size in parts:
            ends = self.network.host_node(src), self.network.host_node(dst)
            self.network.send(*ends, size, tag=work)

    def run(self) -> None:
        """Runs until nothing is left to do."""
        for event in self.network:
            if event.kind == "unreachable":
                raise RuntimeError(f"no route from {event.src} to {event.dst}")
            event.tag.parts -= 1
            if event.tag.parts == 0:
                event.tag.then()


@dataclass(frozen=True)
class Model:
    """A model on the GPUs of each instance, with times in picoseconds."""

    prefill_per_token: int = 40 * PS_PER_US
    decode_step: int = 5_000 * PS_PER_US
    decode_per_request: int = 50 * PS_PER_US
    kv_bytes_per_token: int = 160_000  # of one GPU
    reduced_bytes_per_request: int = 16_384  # of one GPU, in each step
    max_batch: int = 8


@dataclass
class Request:
    """A request, with the times of its tokens."""

    arrival: int
    prompt: int
    output: int
    tokens: list[int] = field(default_factory=list)

    @property
    def ttft(self) -> int:
        """The time to the first token."""
        return self.tokens[0] - self.arrival

    @property
    def tpot(self) -> float:
        """The mean time of each further token."""
        return (self.tokens[-1] - self.tokens[0]) / max(len(self.tokens) - 1, 1)


class Prefill:
    """An instance that computes one prompt after another."""

    def __init__(self, executor: Executor, model: Model, gpus: list[int], decode: Decode) -> None:
        self.executor, self.model, self.gpus, self.decode = executor, model, gpus, decode
        self.waiting: deque[Request] = deque()
        self.busy = False

    def submit(self, request: Request) -> None:
        self.waiting.append(request)
        self.begin()

    def begin(self) -> None:
        if self.busy or not self.waiting:
            return
        self.busy = True
        request = self.waiting.popleft()
        duration = request.prompt * self.model.prefill_per_token
        self.executor.compute(duration, lambda: self.finish(request))

    def finish(self, request: Request) -> None:
        request.tokens.append(self.executor.now)
        size = request.prompt * self.model.kv_bytes_per_token
        parts = [(src, dst, size) for src, dst in zip(self.gpus, self.decode.gpus, strict=True)]
        # The next prompt is computed while the KV cache is under way.
        self.executor.transfer(parts, lambda: self.decode.submit(request))
        self.busy = False
        self.begin()


class Decode:
    """An instance with continuous batching: its batch is composed anew for each step."""

    def __init__(self, executor: Executor, model: Model, gpus: list[int]) -> None:
        self.executor, self.model, self.gpus = executor, model, gpus
        self.waiting: deque[Request] = deque()
        self.running: list[Request] = []
        self.busy = False

    def submit(self, request: Request) -> None:
        if len(request.tokens) < request.output:
            self.waiting.append(request)
            self.begin()

    def begin(self) -> None:
        if self.busy:
            return
        while self.waiting and len(self.running) < self.model.max_batch:
            self.running.append(self.waiting.popleft())
        if self.running:
            self.busy = True
            duration = self.model.decode_step + len(self.running) * self.model.decode_per_request
            self.executor.compute(duration, self.reduce)

    def reduce(self) -> None:
        """Each GPU sends its sums to each other GPU."""
        size = len(self.running) * self.model.reduced_bytes_per_request
        parts = [(src, dst, size) for src in self.gpus for dst in self.gpus if src != dst]
        self.executor.transfer(parts, self.finish)

    def finish(self) -> None:
        for request in self.running:
            request.tokens.append(self.executor.now)
        self.running = [one for one in self.running if len(one.tokens) < one.output]
        self.busy = False
        self.begin()


def serve(
    requests: list[Request], scenario: dict[str, Any], model: Model | None = None, threads: int = 1
) -> list[Request]:
    """Simulates `requests` on two instances of two GPUs: hosts 0 and 1, and hosts 2 and 3."""
    executor = Executor(scenario, threads)
    decode = Decode(executor, model or Model(), [2, 3])
    prefill = Prefill(executor, model or Model(), [0, 1], decode)
    for request in requests:
        executor.at(request.arrival, partial(prefill.submit, request))
    with executor.network:
        executor.run()
    return requests


def main() -> None:
    scenario = {
        "topology": {"kind": "star", "hosts": 4, "rate": "100Gbps", "delay": "1us"},
        "cc": {"kind": "dcqcn"},
    }
    requests = [
        Request(number * 15_000 * PS_PER_US, 400 + 150 * (number % 4), 24) for number in range(12)
    ]
    print("request  arrival ms  TTFT ms    TPOT ms")
    for number, request in enumerate(serve(requests, scenario)):
        times = (request.arrival / 1e9, request.ttft / 1e9, request.tpot / 1e9)
        print("{:7}  {:10.3f}  {:7.3f}  {:9.6f}".format(number, *times))


if __name__ == "__main__":
    main()
