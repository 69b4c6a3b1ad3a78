"""The examples of docs/python.md and of the package's README run."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

ROOT = Path(__file__).parents[3]


@pytest.mark.parametrize("name", ["docs/python.md", "crates/python/README.md"])
def test_examples_run(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    monkeypatch.chdir(tmp_path)
    text = (ROOT / name).read_text()
    blocks = re.findall(r"^```python\n(.*?)^```", text, flags=re.DOTALL | re.MULTILINE)
    assert blocks
    namespace: dict[str, Any] = {"__name__": name}
    for block in blocks:
        exec(compile(block, name, "exec"), namespace)


def test_what_is_documented_is_there() -> None:
    import fabricsim

    text = (ROOT / "docs" / "python.md").read_text()
    table = text.split("## Reference")[1].split("\n\n")[1]
    named = set(re.findall(r"^\| (.*?) \|", table, flags=re.MULTILINE))
    names = {name for cell in named for name in re.findall(r"`(\w+)", cell)}
    assert len(names) > 10
    for name in names:
        assert hasattr(fabricsim, name), name
