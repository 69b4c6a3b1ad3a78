"""Runs of whole scenarios."""

from __future__ import annotations

import gc
import json
import warnings
from pathlib import Path
from typing import Any

import fabricsim
import pytest


def test_a_dict_a_file_and_a_text_are_the_same(
    scenario: dict[str, Any], text: str, tmp_path: Path
) -> None:
    file = tmp_path / "mine.toml"
    file.write_text(text)
    runs = [fabricsim.run(given) for given in (scenario, text, file, str(file))]
    assert {run.checksum for run in runs} == {runs[0].checksum}
    assert {run.summary["scenario_checksum"] for run in runs} == {
        runs[0].summary["scenario_checksum"]
    }
    assert runs[0].status == "finished"
    assert len(runs[0].fct) == 8 + 4


def test_all_kinds_of_values_become_toml(tmp_path: Path) -> None:
    flows = tmp_path / "flöws.csv"
    flows.write_text("src,dst,size_bytes,start_ns\n0,1,1000,0\n")
    results = fabricsim.run(
        {
            "seed": 7,
            "name": "kinds",
            "topology": {"kind": "star", "hosts": 2},
            "workload": ({"kind": "list", "path": flows},),
            "cc": {"kind": "hpcc", "eta": 0.5},
            "switch": {"ecn": {"kmin": "10KB", "kmax": "20KB", "pmax": 0.5}},
            "event": [{"kind": "link-rate", "at": "1us", "link": [0, 2], "rate": "50Gbps"}],
            "output": None,
        }
    )
    settings = results.summary["scenario"]
    assert settings["seed"] == 7 and settings["event"][0]["link"] == [0, 2]
    assert settings["switch"]["ecn_rules"][0]["pmax"] == 0.5


def test_numbers_of_numpy_are_numbers(star: dict[str, Any]) -> None:
    numpy = pytest.importorskip("numpy")
    facts = fabricsim.check(star, set={"topology.hosts": numpy.int64(6), "cc.eta": numpy.float32(0.5)})
    assert facts["hosts"] == 6 and facts["scenario"]["cc"]["eta"] == 0.5


def test_settings_can_be_changed(scenario: dict[str, Any], text: str) -> None:
    changes = {"workload.1.fan_in": 3, "cc.kind": "dcqcn", "cc.eta": None}
    with pytest.raises(TypeError, match="cc.eta"):
        fabricsim.run(text, set=changes)
    results = fabricsim.run(text, set={"workload.1.fan_in": 3}, cc="dcqcn")
    assert len(results.fct) == 8 + 3
    assert results.summary["scenario"]["cc"]["kind"] == "dcqcn"
    table = fabricsim.run(scenario, cc={"kind": "hpcc", "eta": 0.5})
    assert table.summary["scenario"]["cc"]["eta"] == 0.5


def test_threads_do_not_change_results(text: str) -> None:
    runs = [fabricsim.run(text, threads=threads) for threads in (1, 2, 3, None)]
    assert {run.checksum for run in runs} == {runs[0].checksum}
    with pytest.raises(ValueError, match="threads"):
        fabricsim.run(text, threads=0)


def test_results_are_where_they_are_asked_for(text: str, tmp_path: Path) -> None:
    out = tmp_path / "out"
    results = fabricsim.run(text, out=out)
    assert results.folder == out
    assert sorted(path.name for path in out.iterdir()) == sorted(results.files)
    again = fabricsim.load(out)
    assert again.checksum == results.checksum and again.fct["flow"] == results.fct["flow"]
    with pytest.raises(fabricsim.ResultsError, match="force=True") as error:
        fabricsim.run(text, out=out, set={"seed": 2})
    assert isinstance(error.value, FileExistsError)
    assert "seed: 1 there, 2 now" in str(error.value)
    assert fabricsim.run(text, out=out, set={"seed": 2}, force=True).summary["scenario"]["seed"] == 2


def test_temporary_results_go_with_the_last_reference(text: str, tmp_path: Path) -> None:
    results = fabricsim.run(text)
    folder = results.folder
    kept = results.write(tmp_path / "kept")
    assert folder.exists()
    del results
    gc.collect()
    assert not folder.exists()
    assert len(kept.links) > 0
    other = fabricsim.run(text, set={"seed": 2})
    with pytest.raises(fabricsim.ResultsError, match="other results"):
        other.write(tmp_path / "kept")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "fct.csv").write_text("mine")
    with pytest.raises(fabricsim.ResultsError, match="does not list"):
        other.write(tmp_path / "mine")
    other.write(tmp_path / "kept", force=True)
    assert json.loads((tmp_path / "kept" / "summary.json").read_text())["scenario"]["seed"] == 2


def test_tables_that_a_run_does_not_have_are_explained(text: str) -> None:
    results = fabricsim.run(text)
    assert results.tables == ["fct", "links", "buffers", "topology"]
    with pytest.raises(LookupError, match=r"\[observe\] queues = true.*It has fct"):
        _ = results.queues
    with pytest.raises(LookupError, match="no table 'nothing'"):
        results.table("nothing")


def test_jobs_and_collectives() -> None:
    results = fabricsim.run(
        {
            "topology": {"kind": "star", "hosts": 4},
            "workload": [
                {"kind": "collective", "operation": "all-reduce", "size": "400KB", "iterations": 2}
            ],
            "cc": {"kind": "hpcc"},
        }
    )
    assert results.collectives["iteration"] == [0, 1]
    assert all(value > 0 for value in results.collectives["busbw_gbps"])
    assert len(results.jobs) == 1


def test_progress_is_told(text: str) -> None:
    told: list[fabricsim.Progress] = []
    long = {"workload.0.size": "8MB"}
    fabricsim.run(text, set=long, threads=1, progress=told.append)
    assert told and all(0 <= progress.share <= 1 for progress in told)
    assert "of" in str(told[-1]) and told[-1].elapsed > 0

    def fail(progress: fabricsim.Progress) -> None:
        raise KeyError("enough")

    with pytest.raises(KeyError, match="enough"):
        fabricsim.run(text, set=long, threads=1, progress=fail)
    with pytest.raises(TypeError, match="progress"):
        fabricsim.run(text, progress=7)  # type: ignore[arg-type]


def test_runs_that_do_not_finish_warn(star: dict[str, Any]) -> None:
    scenario = {
        **star,
        "workload": [{"kind": "permutation", "size": "1MB"}],
        "event": [{"kind": "link-down", "at": "1us", "link": [0, 4]}],
    }
    with pytest.warns(fabricsim.FabricsimWarning, match="flows did not finish"):
        results = fabricsim.run(scenario)
    assert results.status == "stalled"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert fabricsim.run(scenario, set={"run.stop_at": "5us"}).status == "time-reached"


def test_check_tells_what_a_scenario_asks_for(text: str, star: dict[str, Any]) -> None:
    facts = fabricsim.check(text)
    assert facts["hosts"] == 8 and facts["expected_flows"] == 12
    assert facts["scenario"]["cc"]["eta"] == 0.9
    assert fabricsim.check(star)["hosts"] == 4


def test_results_show_themselves(text: str) -> None:
    results = fabricsim.run(text)
    assert repr(results) == "<fabricsim.Results of text: finished, 12 of 12 flows>"
    assert "<table>" in results._repr_html_() and "<table>" in results.fct._repr_html_()
