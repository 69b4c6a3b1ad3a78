"""Exceptions and warnings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any


class FabricsimError(Exception):
    """What the errors of fabricsim have in common."""


class FabricsimWarning(UserWarning):
    """Something about a scenario or its run that a user should know."""


class ResultsError(FabricsimError, FileExistsError):
    """A folder has results of something else, or somebody else writes to it."""


@dataclass(frozen=True)
class Problem:
    """One thing that is wrong with a scenario or another input."""

    file: str | None
    """The file, or what else the text came from; None for a dict."""

    line: int | None
    """The line in it, from 1; None where there is no text."""

    key: str | None
    """The dotted key, such as ``workload.0.load``, where the problem is at one."""

    message: str
    """What is wrong."""

    help: str | None
    """What would be right."""

    def __str__(self) -> str:
        place = [str(part) for part in (self.file, self.line) if part is not None]
        if not place and self.key is not None:
            place = [self.key]
        text = ": ".join([":".join(place), self.message] if place else [self.message])
        return text if self.help is None else f"{text}\n  help: {self.help}"


class ScenarioError(FabricsimError, ValueError):
    """An input that cannot be used, with everything that is wrong with it."""

    problems: list[Problem]
    """All problems that can be told at once, in the order of the text."""

    def __init__(
        self, problems: Iterable[tuple[str | None, int | None, str | None, str, str | None]]
    ) -> None:
        self.problems = [Problem(*problem) for problem in problems]
        super().__init__("\n".join(str(problem) for problem in self.problems))

    def __reduce__(self) -> tuple[Any, ...]:
        fields = [(p.file, p.line, p.key, p.message, p.help) for p in self.problems]
        return (type(self), (fields,))
