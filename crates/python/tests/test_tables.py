"""Conversion of tables to the usual libraries of data frames."""

from __future__ import annotations

from typing import Any

import fabricsim
import pytest


@pytest.fixture(scope="module")
def results() -> fabricsim.Results:
    from conftest import TEXT

    return fabricsim.run(TEXT)


def test_columns_are_shared_with_pyarrow(results: fabricsim.Results) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    fct = results.fct
    one, two = pyarrow.table(fct), fct.to_pyarrow()
    assert one.column_names == fct.columns and one.num_rows == len(fct) == 12
    for name in fct.columns:
        buffers = [table.column(name).chunk(0).buffers() for table in (one, two)]
        # The same address both times: the columns were not copied.
        assert buffers[0][-1].address == buffers[1][-1].address
        assert one.column(name).to_pylist() == fct[name]
    types = {field.name: str(field.type) for field in one.schema}
    assert types["flow"] == "int64" and types["fct_ns"] == types["slowdown"] == "double"
    assert pyarrow.schema(fct) == one.schema
    del results, fct
    assert one.column("size_bytes").to_pylist().count(100_000) == 8


def test_pandas_takes_tables(results: fabricsim.Results) -> None:
    pandas = pytest.importorskip("pandas")
    frame = results.links.to_pandas()
    assert list(frame.columns) == results.links.columns
    assert frame.utilization.between(0, 1).all() and (frame.tier == "host to leaf").any()
    pytest.importorskip("pyarrow")
    if hasattr(pandas.DataFrame, "from_arrow"):
        assert pandas.DataFrame.from_arrow(results.links).equals(frame)


def test_pandas_does_without_pyarrow(
    results: fabricsim.Results, monkeypatch: pytest.MonkeyPatch
) -> None:
    pytest.importorskip("pandas")
    import sys

    whole = results.fct.to_pandas()
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert (results.fct.to_pandas() == whole).all().all()


def test_polars_takes_tables(results: fabricsim.Results) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(results.fct)
    assert frame.equals(results.fct.to_polars())
    assert frame["slowdown"].min() >= 1.0


def test_columns_and_rows_are_values(results: fabricsim.Results) -> None:
    fct = results.fct
    assert "slowdown" in fct and "speed" not in fct
    assert fct.row(0) == [fct[name][0] for name in fct.columns]
    with pytest.raises(KeyError, match="the columns are flow"):
        fct["speed"]
    with pytest.raises(IndexError):
        fct.row(12)


def test_tables_without_rows_have_their_types(star: dict[str, Any]) -> None:
    pyarrow = pytest.importorskip("pyarrow")
    from conftest import TEXT

    empty = fabricsim.Simulation(star).flows()
    assert len(empty) == 0
    assert pyarrow.table(empty).schema == pyarrow.table(fabricsim.run(TEXT).fct).schema
    assert len(empty.to_pandas()) == 0


def test_capsules_that_nobody_takes_do_no_harm(results: fabricsim.Results) -> None:
    for _ in range(100):
        results.fct.__arrow_c_stream__()
        results.fct.__arrow_c_schema__()
    with pytest.raises(FileNotFoundError):
        fabricsim.Table.read_csv("none.csv")
    with pytest.raises(fabricsim.ScenarioError):
        fabricsim.Table.read_csv(results.folder / "summary.json")


LATE = """
[topology]
kind = "leaf-spine"
leaves = 2
spines = 2
hosts_per_leaf = 4
[[workload]]
kind = "collective"
job = "train"
operation = "all-reduce"
algorithm = "ring"
size = "4MB"
iterations = 9
compute = "20us"
[[event]]
at = "5500us"
kind = "link-rate"
link = [8, 10]
rate = "5Gbps"
[[event]]
at = "5500us"
kind = "link-rate"
link = [8, 11]
rate = "5Gbps"
[cc]
kind = "dctcp"
[observe]
delays = true
"""


def test_data_frames_say_why_an_iteration_was_late() -> None:
    pandas = pytest.importorskip("pandas")
    results = fabricsim.run(LATE)
    times = results.collectives.to_pandas().groupby("iteration").end_ns.max().diff()
    late = int(times.idxmax())
    path = results.critical_path(late).to_pandas()
    # Each message follows the receipt of the one before it, at the host that had received it.
    assert (path.src[1:].values == path.dst[:-1].values).all()
    waits = path.start_ns[1:].values - path.received_ns[:-1].values
    assert waits == pytest.approx(path.at_rank_ns[1:].values, abs=0.001)
    # Most of the time is spent at links that became slow.
    parts = pandas.merge(path[["flow"]], results.table("delays").to_pandas(), on="flow")
    ports = parts[parts.part == "queue"].groupby(["name", "peer"]).time_ns.sum()
    slow = {("leaf0", "spine0"), ("leaf0", "spine1"), ("spine0", "leaf0"), ("spine1", "leaf0")}
    assert ports.idxmax() in slow
    with pytest.raises(fabricsim.ScenarioError, match="no collective of iteration 9"):
        results.critical_path(9)
