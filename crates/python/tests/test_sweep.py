"""Sweeps."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import fabricsim
import pytest

SWEEP: dict[str, Any] = {
    "name": "incasts",
    "scenario": {
        "topology": {"kind": "star", "hosts": 5},
        "workload": [{"kind": "incast", "fan_in": 4, "size": "10KB", "at": "0s"}],
    },
    "axis": [
        {"key": "workload.0.fan_in", "values": [2, 4]},
        {
            "name": "scheme",
            "variant": [
                {"name": "HPCC", "set": {"cc": {"kind": "hpcc"}}},
                {"name": "DCTCP", "set": {"cc": {"kind": "dctcp"}}},
            ],
        },
    ],
}

TEXT = """
name = "incasts"
[scenario.topology]
kind = "star"
hosts = 5
[[scenario.workload]]
kind = "incast"
fan_in = 4
size = "10KB"
at = "0s"
[[axis]]
key = "workload.0.fan_in"
values = [2, 4]
[[axis]]
name = "scheme"
[[axis.variant]]
name = "HPCC"
set = { cc = { kind = "hpcc" } }
[[axis.variant]]
name = "DCTCP"
set = { cc = { kind = "dctcp" } }
"""


def test_a_sweep_is_one_table(tmp_path: Path) -> None:
    sweep = fabricsim.sweep(SWEEP, out=tmp_path / "out", progress=False)
    assert sweep.axes == ["fan_in", "scheme"] and len(sweep) == 4
    assert sweep.table["fan_in"] == [2, 2, 4, 4]
    assert sweep.table["scheme"] == ["HPCC", "DCTCP"] * 2
    assert sweep.table["flows_finished"] == [2, 2, 4, 4]
    assert set(sweep.table["status"]) == {"finished"}
    assert [point.state for point in sweep.points] == ["ran"] * 4
    assert all(wall >= 0 for wall in sweep.cost["wall_s"])
    point = sweep.results("fan_in=4,scheme=DCTCP")
    assert point.checksum == sweep.table["checksum"][3]
    with pytest.raises(LookupError, match="fan_in=2,scheme=HPCC"):
        sweep.results("fan_in=3")
    figure = sweep.plot("fan_in", by="scheme", of="mean")
    assert {"HPCC", "DCTCP"} <= set(figure.series)
    assert "4 points over fan_in, scheme" in repr(sweep)
    again = fabricsim.load_sweep(tmp_path / "out")
    assert again.axes == sweep.axes and again.table["checksum"] == sweep.table["checksum"]
    assert [point.folder for point in again.points] == [point.folder for point in sweep.points]


def test_what_is_done_is_not_run_again(tmp_path: Path) -> None:
    first = fabricsim.sweep(SWEEP, out=tmp_path, jobs=1)
    text = fabricsim.sweep(TEXT, out=tmp_path)
    assert [point.state for point in text.points] == ["kept"] * 4
    assert text.table["checksum"] == first.table["checksum"]
    with pytest.raises(fabricsim.ResultsError):
        fabricsim.sweep(TEXT, out=tmp_path, set={"seed": 2})
    assert fabricsim.sweep(TEXT, out=tmp_path, set={"seed": 2}, force=True).points[0].state == "ran"


def test_frames_take_sweeps(tmp_path: Path) -> None:
    sweep = fabricsim.sweep(SWEEP, out=tmp_path)
    polars = pytest.importorskip("polars")
    assert polars.DataFrame(sweep).height == 4
    pandas = pytest.importorskip("pandas")
    frame = sweep.to_pandas()
    assert frame.groupby("scheme").flows_finished.sum().to_dict() == {"HPCC": 6, "DCTCP": 6}
    assert isinstance(frame, pandas.DataFrame)


def test_progress_is_told(tmp_path: Path) -> None:
    told: list[fabricsim.SweepProgress] = []
    fabricsim.sweep(SWEEP, out=tmp_path / "a", progress=told.append)
    assert told[-1].points == 4 and told[-1].ended == 4

    def fail(progress: fabricsim.SweepProgress) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        fabricsim.sweep(SWEEP, out=tmp_path / "b", progress=fail)


def test_errors_have_their_places(tmp_path: Path) -> None:
    axis = [{"key": "workload.0.fan_in", "values": [2, "x"]}]
    scenario = {**SWEEP["scenario"], "cc": {"kind": "hpcc"}}
    with pytest.raises(fabricsim.ScenarioError, match="point fan_in=x") as error:
        fabricsim.sweep({"scenario": scenario, "axis": axis}, out=tmp_path)
    assert error.value.problems[0].key == "axis.0.values.1"
    with pytest.raises(fabricsim.ScenarioError) as error:
        fabricsim.sweep({**SWEEP, "axes": []}, out=tmp_path)
    assert error.value.problems[0].key == "axes"
    with pytest.raises(ValueError, match="jobs"):
        fabricsim.sweep(SWEEP, out=tmp_path, jobs=0)


def test_the_example_is_read(tmp_path: Path) -> None:
    example = Path(__file__).parents[3] / "examples" / "sweeps" / "loads.toml"
    quick = {"workload.0.duration": "20us"}
    sweep = fabricsim.sweep(example, set=quick, out=tmp_path, progress=False)
    assert len(sweep) == len(sweep.points) > 1
