"""examples/python/serving.py: a scheduler in Python, request by request, at exact times."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path
from typing import Any

import pytest

EXAMPLE = Path(__file__).parents[3] / "examples" / "python" / "serving.py"

# 400 Gbps are 20 ps for each byte. A packet has 1000 bytes of payload and 48 of headers.
PS_PER_BYTE = 20
PACKET = 1048
DELAY = 500_000
STAR: dict[str, Any] = {
    "topology": {"kind": "star", "hosts": 4, "rate": "400Gbps", "delay": "500ns"},
    "cc": {"kind": "none"},
}


@pytest.fixture(scope="module")
def example() -> Any:
    spec = importlib.util.spec_from_file_location("serving", EXAMPLE)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules["serving"] = module
    spec.loader.exec_module(module)
    return module


def transfer(packets: int) -> int:
    """Time of a message of full packets through one switch, which stores each packet."""
    return (packets + 1) * PACKET * PS_PER_BYTE + 2 * DELAY


def model(example: Any, **changes: int) -> Any:
    given = {
        "prefill_per_token": 1_000_000,
        "decode_step": 7_000_001,
        "decode_per_request": 10_000,
        "kv_bytes_per_token": 1000,
        "reduced_bytes_per_request": 1000,
        "max_batch": 2,
    }
    return example.Model(**(given | changes))


def test_a_request_alone_takes_what_its_parts_take(example: Any) -> None:
    [request] = example.serve([example.Request(123, 40, 4)], STAR, model(example))

    first = 123 + 40 * 1_000_000
    step = 7_000_001 + 10_000 + transfer(1)
    begun = first + transfer(40)
    assert request.tokens == [first, begun + step, begun + 2 * step, begun + 3 * step]
    assert request.ttft == 40 * 1_000_000


def test_a_request_joins_the_batch_between_two_steps(example: Any) -> None:
    # The KV cache of the second request arrives during the first step of the first one.
    first, second = example.serve(
        [example.Request(0, 40, 4), example.Request(0, 3, 3)], STAR, model(example)
    )

    begun = 40 * 1_000_000 + transfer(40)
    assert 43 * 1_000_000 + transfer(3) < begun + 7_000_001
    alone = begun + 7_010_001 + transfer(1)
    # In a batch of two, a step computes longer and reduces two packets.
    both = 7_020_001 + transfer(2)
    assert first.tokens[1:] == [alone, alone + both, alone + 2 * both]
    assert second.tokens[1:] == [alone + both, alone + 2 * both]


def test_a_full_batch_lets_requests_wait(example: Any) -> None:
    def run(max_batch: int) -> list[Any]:
        requests = [example.Request(0, 2, 3) for _ in range(3)]
        return list(example.serve(requests, STAR, model(example, max_batch=max_batch)))

    first, _, third = run(max_batch=2)
    assert third.tokens[1] > first.tokens[-1]
    first, _, third = run(max_batch=3)
    assert third.tokens[1] == first.tokens[-1]


def test_caches_under_way_slow_the_steps(example: Any) -> None:
    alone, beside = example.Request(0, 2, 5), example.Request(0, 2, 5)
    example.serve([alone], STAR, model(example))
    # Prompts of megabytes cross the links on which the steps reduce.
    example.serve(
        [beside, example.Request(0, 10, 1), example.Request(0, 10, 1)],
        STAR,
        model(example, kv_bytes_per_token=1_000_000),
    )

    assert beside.tokens[-1] - beside.tokens[1] > alone.tokens[-1] - alone.tokens[1]


def test_the_number_of_threads_changes_nothing(example: Any) -> None:
    def tokens(threads: int) -> list[list[int]]:
        requests = [example.Request(number * 5_000_000, 20, 6) for number in range(6)]
        scenario = STAR | {"cc": {"kind": "dcqcn"}}
        return [one.tokens for one in example.serve(requests, scenario, model(example), threads)]

    assert tokens(1) == tokens(3)


def test_the_example_prints_a_line_for_each_request(
    example: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    example.main()

    assert len(capsys.readouterr().out.splitlines()) == 13
