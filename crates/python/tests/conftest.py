"""Scenarios that tests share."""

from __future__ import annotations

from typing import Any

import pytest

STAR: dict[str, Any] = {"topology": {"kind": "star", "hosts": 4}, "cc": {"kind": "hpcc"}}

TEXT = """
name = "text"

[topology]
kind = "leaf-spine"
leaves = 2
hosts_per_leaf = 4
spines = 2

[[workload]]
kind = "permutation"
size = "100KB"

[[workload]]
kind = "incast"
fan_in = 4
size = "20KB"
at = "5us"

[cc]
kind = "hpcc"
eta = 0.9

[observe]
links = true
interval = "10us"
"""

SCENARIO: dict[str, Any] = {
    "name": "text",
    "topology": {"kind": "leaf-spine", "leaves": 2, "hosts_per_leaf": 4, "spines": 2},
    "workload": [
        {"kind": "permutation", "size": "100KB"},
        {"kind": "incast", "fan_in": 4, "size": "20KB", "at": "5us"},
    ],
    "cc": {"kind": "hpcc", "eta": 0.9},
    "observe": {"links": True, "interval": "10us"},
}


@pytest.fixture
def star() -> dict[str, Any]:
    """Four hosts at a switch, without traffic."""
    return STAR


@pytest.fixture
def text() -> str:
    """A scenario as TOML."""
    return TEXT


@pytest.fixture
def scenario() -> dict[str, Any]:
    """The same scenario as a dict."""
    return SCENARIO
