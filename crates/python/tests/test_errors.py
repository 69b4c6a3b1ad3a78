"""Error messages for scenarios that cannot be used."""

from __future__ import annotations

import pickle
from pathlib import Path
from typing import Any

import fabricsim
import pytest


def problems(scenario: Any, **more: Any) -> list[fabricsim.Problem]:
    with pytest.raises(fabricsim.ScenarioError) as error:
        fabricsim.check(scenario, **more)
    assert isinstance(error.value, ValueError)
    assert all(problem.help for problem in error.value.problems)
    assert all(problem.message in str(error.value) for problem in error.value.problems)
    again = pickle.loads(pickle.dumps(error.value))
    assert again.problems == error.value.problems and str(again) == str(error.value)
    return error.value.problems


def test_a_dict_has_keys_for_places(star: dict[str, Any]) -> None:
    found = problems(
        {
            "topology": {"kind": "star", "hots": 4},
            "workload": [
                {"kind": "permutation", "size": "1MB"},
                {"kind": "poisson", "sizes": "webserach", "load": 2.0, "duration": "1ms"},
            ],
            "cc": {"kind": "hpc"},
        }
    )
    assert [problem.key for problem in found] == ["topology.hots", "cc.kind"]
    assert found[0].file is None and found[0].line is None
    assert found[0].help is not None and "did you mean `hosts`?" in found[0].help
    assert str(found[1]).startswith("cc.kind: [cc] has no kind `hpc`")
    deep: list[tuple[dict[str, Any], str]] = [
        ({"workload": [{"kind": "permutation", "size": "1MBB"}]}, "workload.0.size"),
        ({"switch": {"ecn": {"kmin": 7}}}, "switch.ecn.kmin"),
        ({"workload": [{"kind": "permutation", "size": "1MB", "cc": {"eta": "x"}}]}, "workload.0.cc"),
        ({"observe": {"links": "yes"}}, "observe.links"),
        ({"sede": 1}, "sede"),
        ({"queue": [{"prioritis": [1]}]}, "queue.0.prioritis"),
    ]
    for part, key in deep:
        assert [problem.key for problem in problems({**star, **part})] == [key]


def test_a_text_and_a_file_have_lines_and_keys(tmp_path: Path) -> None:
    text = '[topology]\nkind = "star"\n[cc]\nkind = "hpcc"\neta = "x"\n'
    found = problems(text)
    assert [(p.file, p.line, p.key) for p in found] == [("scenario", 5, "cc.eta")]
    file = tmp_path / "mine.toml"
    file.write_text(text)
    found = problems(file)
    assert [(p.file, p.line, p.key) for p in found] == [(str(file), 5, "cc.eta")]
    found = problems(file, set={"cc.eta": 0.9, "cc.kin": "x"})
    assert [p.key for p in found] == ["cc.kin"]
    found = problems("[topology\n")
    assert found[0].line == 1 and found[0].key is None


def test_changes_that_lead_nowhere_are_refused(text: str) -> None:
    found = problems(text, set={"workload.7.size": "1MB"})
    assert found[0].file == "--set" and "workload.7.size" in found[0].message


def test_what_is_no_scenario_is_refused() -> None:
    for other in (7, b"[topology]", None, ["x"]):
        with pytest.raises(TypeError, match="scenario"):
            fabricsim.check(other)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match="workload.0.size"):
        fabricsim.check({"workload": [{"size": object()}]})
    with pytest.raises(TypeError, match="keys are texts"):
        fabricsim.check({"topology": {7: 1}})
    with pytest.raises(TypeError, match="where no class can"):
        fabricsim.check({"topology": {"kind": int}})


def test_files_that_are_not_there_are_not_found(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError) as error:
        fabricsim.run(tmp_path / "none.toml")
    assert error.value.filename == str(tmp_path / "none.toml")
    with pytest.raises(FileNotFoundError):
        fabricsim.load(tmp_path)
    with pytest.raises(OSError):
        fabricsim.run(tmp_path)


def test_a_scenario_without_traffic_is_no_run(star: dict[str, Any]) -> None:
    with pytest.raises(fabricsim.ScenarioError, match="no \\[\\[workload\\]\\] table"):
        fabricsim.run(star)
