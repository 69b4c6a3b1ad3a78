"""Values of Python as TOML, one key in a line, so that errors find the key."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from typing import Any

from ._control import CongestionControl, table_of

_BARE = re.compile(r"[A-Za-z0-9_-]+")

Control = tuple[type[CongestionControl], dict[str, Any]]
"""A class of controllers and the settings for their constructor."""


class Writer:
    """Writes TOML and gathers the congestion controls that are classes."""

    def __init__(self) -> None:
        self.controls: list[Control] = []

    def document(self, table: Mapping[str, Any]) -> str:
        """Returns a dict as a TOML document."""
        lines: list[str] = []
        self._table(table, [], lines)
        return "\n".join(lines) + "\n"

    def value(self, value: Any, path: Sequence[str] = ()) -> str:
        """Returns a value in one line."""
        value = self._replaced(value, path)
        if isinstance(value, bool):
            return "true" if value else "false"
        if isinstance(value, str):
            return _text(value)
        if isinstance(value, os.PathLike):
            return _text(os.fsdecode(value))
        if isinstance(value, Mapping):
            pairs = (
                f"{_key(key, path)} = {self.value(item, [*path, str(key)])}"
                for key, item in value.items()
                if item is not None
            )
            return "{ " + ", ".join(pairs) + " }"
        if isinstance(value, (list, tuple)):
            items = (self.value(item, [*path, str(n)]) for n, item in enumerate(value))
            return "[" + ", ".join(items) + "]"
        return _number(value, path)

    def _table(self, table: Mapping[str, Any], path: list[str], lines: list[str]) -> None:
        below: list[tuple[str, Any]] = []
        for key, item in table.items():
            here = [*path, str(key)]
            item = self._replaced(item, here)
            if item is None:
                continue
            if isinstance(item, Mapping) or (_is_tables(item) and not path):
                below.append((_key(key, path), item))
            else:
                lines.append(f"{_key(key, path)} = {self._lines(item, here)}")
        for name, item in below:
            full = [*(_key(part, ()) for part in path), name]
            here = [*path, name if _BARE.fullmatch(name) else json.loads(name)]
            if isinstance(item, Mapping):
                lines.append(f"\n[{'.'.join(full)}]")
                self._table(item, here, lines)
                continue
            for number, entry in enumerate(item):
                lines.append(f"\n[[{'.'.join(full)}]]")
                self._entry(entry, [*here, str(number)], lines)

    def _entry(self, entry: Mapping[str, Any], path: list[str], lines: list[str]) -> None:
        """Writes a table of a list. Tables inside of it are written as dotted keys."""
        for key, item in entry.items():
            here = [*path, str(key)]
            item = self._replaced(item, here)
            if item is None:
                continue
            if isinstance(item, Mapping) and item:
                for inner, leaf in item.items():
                    if leaf is not None:
                        name = f"{_key(key, path)}.{_key(inner, here)}"
                        lines.append(f"{name} = {self._lines(leaf, [*here, str(inner)])}")
            else:
                lines.append(f"{_key(key, path)} = {self._lines(item, here)}")

    def _lines(self, value: Any, path: Sequence[str]) -> str:
        """Returns a value, with a line for each table of a list."""
        if _is_tables(value):
            items = (f"  {self.value(item, [*path, str(n)])}," for n, item in enumerate(value))
            return "[\n" + "\n".join(items) + "\n]"
        return self.value(value, path)

    def _replaced(self, value: Any, path: Sequence[str]) -> Any:
        """Returns a value with each class of a congestion control replaced by its table."""
        if not path or path[-1] != "cc":
            if isinstance(value, type):
                raise TypeError(f"{'.'.join(path)}: {value} stands where no class can")
            return value
        settings: dict[str, Any] = {}
        algorithm = value
        if isinstance(value, Mapping):
            settings = dict(value)
            algorithm = settings.pop("kind", None)
        if not isinstance(algorithm, type):
            return value
        if not issubclass(algorithm, CongestionControl):
            raise TypeError(f"{'.'.join(path)}: {algorithm} is no fabricsim.CongestionControl")
        table = {**table_of(algorithm, settings), "handle": len(self.controls)}
        self.controls.append((algorithm, settings))
        return table


def _is_tables(value: Any) -> bool:
    is_list = isinstance(value, (list, tuple)) and len(value) > 0
    return is_list and all(isinstance(item, Mapping) for item in value)


def _key(key: Any, path: Sequence[str]) -> str:
    if not isinstance(key, str):
        place = ".".join(path) or "the scenario"
        raise TypeError(f"{place}: keys are texts, and {key!r} is not")
    return key if _BARE.fullmatch(key) else _text(key)


def _text(text: str) -> str:
    return json.dumps(text, ensure_ascii=False).replace("\x7f", "\\u007f")


def _number(value: Any, path: Sequence[str]) -> str:
    # Numbers of numpy are instances of neither int nor float.
    if hasattr(value, "__index__"):
        return str(int(value))
    if isinstance(value, float) or hasattr(value, "__float__"):
        return repr(float(value))
    kind = type(value).__name__
    raise TypeError(f"{'.'.join(path)}: {kind} is no value of a scenario")
