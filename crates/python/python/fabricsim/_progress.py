"""Progress as plain lines."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, Literal, TypeVar

_EVERY = 10.0

T = TypeVar("T")


def callback(progress: Callable[[T], Any] | Literal[False] | None) -> Callable[[T], Any] | None:
    """Returns the function that receives progress: plain lines by default, None for False."""
    if progress is None:
        return Lines()
    if progress is False:
        return None
    if not callable(progress):
        kind = type(progress).__name__
        raise TypeError(f"progress: a function, None or False is wanted, not {kind}")
    return progress


class Lines:
    """Prints a line to the standard error every ten seconds, which notebooks show as well."""

    def __init__(self) -> None:
        self._next = time.monotonic() + _EVERY

    def __call__(self, progress: object) -> None:
        if time.monotonic() >= self._next:
            self._next = time.monotonic() + _EVERY
            print(f"progress: {progress}", file=sys.stderr, flush=True)
