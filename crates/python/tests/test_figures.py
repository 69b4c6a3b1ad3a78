"""Figures."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import fabricsim
import pytest


@pytest.fixture(scope="module")
def results() -> fabricsim.Results:
    from conftest import TEXT

    more = {"observe.queues": True, "observe.queue_distribution": True}
    return fabricsim.run(TEXT, set=more)


def test_figures_show_themselves(results: fabricsim.Results) -> None:
    figure = results.plot("slowdown", percentile=50)
    svg = figure._repr_svg_()
    assert ElementTree.fromstring(svg).tag.endswith("svg")
    assert figure.title == "Slowdown" and figure.series == ["text"]
    assert svg == figure.svg() != figure.svg(dark=True)
    assert figure.png(scale=1).startswith(b"\x89PNG")
    assert len(figure.png(scale=1)) < len(figure.png(scale=3))


def test_figures_are_those_of_the_command(results: fabricsim.Results) -> None:
    kinds = [
        results.plot("cdf", of="slowdown"),
        results.plot("series", of="utilization", most=2),
        results.plot("series", of="queue", node=["leaf0", "leaf1"]),
        results.plot("queues", group=["all", "leaf to host"]),
        results.plot("slowdown", title="Mine", bins=2, percentile=[25, 50]),
    ]
    assert kinds[0].title == "Distribution of slowdown"
    assert len(kinds[1].series) == 2 and kinds[3].series == ["all", "leaf to host"]
    assert kinds[4].title == "Mine" and kinds[4].series == ["text", "text"]


def test_results_are_compared(results: fabricsim.Results, tmp_path: Path) -> None:
    from conftest import TEXT

    other = fabricsim.run(TEXT, cc="dcqcn")
    figure = results.plot("compare", other, percentile=50)
    assert set(figure.series) == {"hpcc (= 1)", "dcqcn"}
    kept = other.write(tmp_path / "kept")
    mixed = fabricsim.plot("cdf", results, kept.folder, name=["one", "two"])
    assert mixed.series == ["one", "two"]


def test_figures_are_saved(results: fabricsim.Results, tmp_path: Path) -> None:
    figure = results.plot()
    for ending, begins in [("svg", b"<svg"), ("png", b"\x89PNG"), ("PDF", b"%PDF")]:
        path = tmp_path / f"figure.{ending}"
        figure.save(path)
        assert path.read_bytes().startswith(begins)
    with pytest.raises(ValueError, match=r"\.svg, \.png or \.pdf"):
        figure.save(tmp_path / "figure.gif")
    with pytest.raises(OSError):
        figure.save(tmp_path / "none" / "figure.svg")
    with pytest.raises(ValueError, match="scale"):
        figure.png(scale=100)


def test_what_cannot_be_drawn_is_refused(results: fabricsim.Results, tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="--percentile"):
        results.plot("slowdown", percentile=400)
    with pytest.raises(ValueError, match="unrecognized subcommand 'pie'"):
        results.plot("pie")
    with pytest.raises(TypeError, match=r"save\(\)"):
        results.plot("slowdown", out="x.svg")
    with pytest.raises(TypeError, match="results are wanted"):
        fabricsim.plot("slowdown")
    with pytest.raises(fabricsim.ScenarioError, match="there is no flows.csv"):
        results.plot("series", of="rate")
    with pytest.raises(FileNotFoundError):
        fabricsim.plot("slowdown", tmp_path)
