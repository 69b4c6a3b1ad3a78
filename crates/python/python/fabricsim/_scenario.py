"""The forms of a scenario or a sweep."""

from __future__ import annotations

import os
from collections.abc import Mapping
from typing import Any, TypeAlias

from . import _native
from ._control import CongestionControl
from ._toml import Writer

Scenario: TypeAlias = Mapping[str, Any] | os.PathLike[str] | str
"""A dict, a path, a text that is the path of a file ending in .toml, or TOML."""

Algorithm: TypeAlias = str | type[CongestionControl] | Mapping[str, Any]
"""The name of an algorithm, a class, or a table."""


def given(
    scenario: Scenario,
    set: Mapping[str, Any] | None,
    cc: Algorithm | None = None,
    what: str = "scenario",
) -> _native.Given:
    """Converts a scenario to the form that the native part accepts."""
    writer = Writer()
    text: str | None = None
    is_made = isinstance(scenario, Mapping)
    if isinstance(scenario, Mapping):
        name, text = what, writer.document(scenario)
    elif isinstance(scenario, os.PathLike):
        name = os.fsdecode(scenario)
    elif isinstance(scenario, str):
        if scenario.endswith(".toml") and "\n" not in scenario:
            name = scenario
        else:
            name, text = what, scenario
    else:
        kind = type(scenario).__name__
        raise TypeError(f"{what}: a dict, a path or a text is wanted, not {kind}")
    changes = dict(set or {})
    if cc is not None:
        changes["cc"] = cc
    # A number in a key means a table of a list only in a list of changes, not in TOML.
    overrides = [f"{key}={writer.value(item, key.split('.'))}" for key, item in changes.items()]
    if writer.controls and what == "sweep":
        raise TypeError("a congestion control in Python is run by run(), one point after another")
    return _native.Given(name, text, os.curdir, is_made, overrides, writer.controls)
