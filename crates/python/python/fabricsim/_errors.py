"""Exceptions and warnings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


class FabricsimError(Exception):
    """The base class of the errors of fabricsim."""


class FabricsimWarning(UserWarning):
    """A warning about a scenario or its run."""


class ResultsError(FabricsimError, FileExistsError):
    """A folder has results of another scenario, or another process is writing to it."""


@dataclass(frozen=True)
class Problem:
    """One mistake in a scenario or another input."""

    file: str | None
    """The file, or the name of the text; None for a dict."""

    line: int | None
    """The line in it, from 1; None if there is no text."""

    key: str | None
    """The dotted key, such as ``workload.0.load``, if the mistake is at a key."""

    message: str
    """The mistake."""

    help: str | None
    """The remedy, if one is known."""

    def __str__(self) -> str:
        place = [str(part) for part in (self.file, self.line) if part is not None]
        if not place and self.key is not None:
            place = [self.key]
        text = ": ".join([":".join(place), self.message] if place else [self.message])
        return text if self.help is None else f"{text}\n  help: {self.help}"


class ScenarioError(FabricsimError, ValueError):
    """An input that cannot be used, with all its mistakes."""

    problems: list[Problem]
    """All mistakes that can be found at once, in the order of the text."""

    def __init__(
        self, problems: Iterable[tuple[str | None, int | None, str | None, str, str | None]]
    ) -> None:
        self.problems = [Problem(*problem) for problem in problems]
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[Any, ...]:
        fields = [(p.file, p.line, p.key, p.message, p.help) for p in self.problems]
        return (type(self), (fields,))
