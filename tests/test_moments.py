"""Sums of columns, and the estimates they give: those of numpy, on the numbers themselves."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ghostsim.simulate.moments import Moments, check_units, moment_sums, n_sums, table_model
from ghostsim.simulate.runner import SimulationError
from ghostsim.stats import EstimateError, estimate_mean, estimate_proportion

COLUMNS = {
    "points": np.array([4, -3, 0, 24, 1]),
    "tricks": np.array([4, 2, 0, 6, 1]),
    "declares": np.array([True, True, False, True, False]),
    "bids": np.array([1, 2, 0, 3, 0]),
}


def moments(columns: dict[str, np.ndarray]) -> Moments:
    n = len(next(iter(columns.values())))
    return Moments(tuple(columns), moment_sums(columns), n, 0.95, "m")


@given(data=st.data(), cut=st.integers(0, 30))
def test_blocks_add_up(data: st.DataObject, cut: int) -> None:
    numbers = data.draw(st.lists(st.tuples(*[st.integers(-(10**4), 10**4)] * 3), max_size=30))
    rows = np.array(numbers, dtype=np.int64).reshape(-1, 3)

    def sums(part: np.ndarray) -> np.ndarray:
        return moment_sums(dict(zip("abc", part.T, strict=True)))

    np.testing.assert_array_equal(sums(rows), sums(rows[:cut]) + sums(rows[cut:]))
    assert len(sums(rows)) == n_sums("abc") == 12
    assert sums(rows).dtype == np.int64


def test_totals_and_products() -> None:
    found = moments(COLUMNS)
    assert found.total("points") == 26
    assert found.total({"points": 2, "tricks": -1}) == 2 * 26 - 13
    assert found.product("points", "tricks") == 16 - 6 + 0 + 144 + 1
    # (p - t) * b is 0, -10, 0, 54, 0.
    assert found.product({"points": 1, "tricks": -1}, "bids") == 44


def test_means() -> None:
    found = moments(COLUMNS)
    assert found.mean("points") == estimate_mean(26, 602, 5, level=0.95, model="m")
    # Of the declared deals, in which it is told: 4, -3, 24.
    only = moments({**COLUMNS, "own": COLUMNS["points"] * COLUMNS["declares"]})
    mean = only.mean("own", among="declares")
    assert mean == estimate_mean(25, 601, 3, level=0.95, model="m")
    difference = found.mean({"points": 1, "tricks": -1})
    # 0, -5, 0, 18, 0
    assert difference == estimate_mean(13, 349, 5, level=0.95, model="m")
    third = found.mean({"points": 1, "tricks": -1}, per=3)
    assert third is not None and difference is not None
    for name in ("value", "standard_error", "low", "high"):
        assert getattr(third, name) == getattr(difference, name) / 3
    assert (third.n, third.method) == (5, "normal")


def test_proportions_ratios_and_shares() -> None:
    found = moments(COLUMNS)
    assert found.proportion("declares") == estimate_proportion(3, 5, level=0.95, model="m")
    two = moments(
        {
            "all": np.ones(4, dtype=np.int8),
            "some": np.array([1, 1, 0, 1]),
            "few": np.array([1, 0, 0, 0]),
        }
    )
    assert two.proportion("few", among="some") == estimate_proportion(1, 3, level=0.95, model="m")
    ratio = found.ratio("points", "bids")
    assert ratio is not None
    left = COLUMNS["points"] - 26 / 6 * COLUMNS["bids"]
    assert ratio.value == 26 / 6
    assert ratio.standard_error == pytest.approx(np.sqrt(left.var(ddof=1) * 5) / 6)
    share = found.share("declares", {"bids": 1, "declares": 1})
    assert share is not None and share.value == 3 / 9 and share.method == "clustered Wilson"


def test_what_cannot_be_told_is_none() -> None:
    nothing = np.zeros(5, dtype=np.int64)
    one = np.array([0, 1, 0, 0, 0])
    found = moments({**COLUMNS, "nothing": nothing, "one": one})
    assert found.mean("nothing", among="nothing") is None
    assert found.mean("one", among="one") is None
    assert found.proportion("nothing", among="nothing") is None
    assert found.ratio("points", "nothing") is None
    assert found.share("nothing", "nothing") is None
    assert found.proportion("one", among="one") is not None


@pytest.mark.parametrize(
    ("columns", "says"),
    [
        ({}, "columns must be one or more"),
        ({"a": [1, 2], "b": [0.5, 1]}, "the column 'b' must be whole numbers, .*, not float64"),
        ({"a": [1.0, 2.0]}, "'a' must be whole numbers, .*, not float64"),
        ({"a": ["1"]}, "'a' must be whole numbers"),
        ({"a": [1, 2], "b": [1, 2, 3]}, r"'b' has the shape \(3,\), 'a' \(2,\)"),
        ({"a": [1, 2], "b": [1]}, r"'b' has the shape \(1,\), 'a' \(2,\)"),
        ({"a": [[1, 2]]}, r"'a' has the shape \(1, 2\)"),
        ({"a": 3}, r"'a' has the shape \(\)"),
    ],
)
def test_columns_that_cannot_be_added_up(columns: dict[str, list[object]], says: str) -> None:
    with pytest.raises(EstimateError, match=says):
        moment_sums({name: np.array(column) for name, column in columns.items()})


@pytest.mark.parametrize("kind", ["bool", "int8", "uint8", "int32", "uint64"])
def test_columns_are_whole_numbers_of_any_kind(kind: str) -> None:
    columns = {"a": np.array([1, 1, 0], dtype=kind), "b": np.array([100, 3, 5], dtype=np.int8)}
    assert moment_sums(columns).tolist() == [2, 108, 2, 103, 103, 10_034]


def test_columns_that_are_not_there() -> None:
    found = moments(COLUMNS)
    says = "there is no column 'mad': there are points, tricks, declares, bids"
    for ask in (
        lambda: found.mean("mad"),
        lambda: found.mean({"points": 1, "mad": -1}),
        lambda: found.mean("points", among="mad"),
        lambda: found.proportion("mad"),
        lambda: found.ratio("points", "mad"),
        lambda: found.product("points", "mad"),
    ):
        with pytest.raises(EstimateError, match=says):
            ask()


@pytest.mark.parametrize("shape", [(5,), (7,), (2, 3), ()])
def test_sums_of_other_columns(shape: tuple[int, ...]) -> None:
    says = r"sums of 2 columns \(a, b\) have the shape \(6,\), as moment_sums makes them, not"
    with pytest.raises(EstimateError, match=says):
        Moments(("a", "b"), np.zeros(shape, dtype=np.int64), 4, 0.95, "m")


def test_names_of_models() -> None:
    assert table_model(("steady", "steady", "steady")) == "table(steady)"
    assert table_model(("steady:four=7", "odds", "odds")) == "table(steady:four=7, odds, odds)"


def test_too_few_units() -> None:
    assert check_units(np.int64(2), "games") == 2  # type: ignore[arg-type]  # any whole number
    with pytest.raises(SimulationError, match="takes two games or more, not 1"):
        check_units(1, "games")
    with pytest.raises(TypeError, match="deals must be a whole number"):
        check_units(2.0, "deals")  # type: ignore[arg-type]
