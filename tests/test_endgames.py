"""What is in the endgame tables: of the coalition, of selfish play, and of openings.

Their files are looked at in test_table_files.py.
"""

import itertools
import math
import pickle
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import joblib
import numpy as np
import pytest
from numpy.typing import NDArray

import dds
import oracle
from ghostsim import endgames, openings
from ghostsim.endgames import (
    MAX_DEPTH,
    OPENING,
    Table,
    check_table,
    endgame_table,
    known_tables,
    ranks_from,
    selfish_tables,
)
from ghostsim.kernels.bits import subsets
from ghostsim.kernels.endgame import build_table
from ghostsim.kernels.openings import build_opening_table
from ghostsim.kernels.relabel import SHAPES
from ghostsim.openings import check_opening_table, shipped_patterns
from ghostsim.preferences import Preferences, Ties, preferences
from ghostsim.rules import Bid, Rules
from ghostsim.table_files import TableError

# ------------------------------------------------ positions, numbered by the design's words alone


def shapes(tricks: int) -> list[tuple[int, int, int, int]]:
    """(trump; plain suits, longest first) in increasing order: next has only five cards."""
    found = set()
    for following, green, other in itertools.product(range(6), range(7), range(7)):
        trump = 3 * tricks - following - green - other
        if 0 <= trump <= 7:
            plain = sorted((following, green, other), reverse=True)
            found.add((trump, plain[0], plain[1], plain[2]))
    return sorted(found)


def subset(number: int, size: int, slots: int) -> list[int]:
    """The subset of so many slots that has a number, counted colexicographically."""
    chosen: list[int] = []
    for slot in reversed(range(slots)):
        if size and number >= math.comb(slot, size):
            number -= math.comb(slot, size)
            size -= 1
            chosen.insert(0, slot)
    assert number == size == 0
    return chosen


#: Each lane low to high with spades named: next, the greens, trump with the bowers on top. The
#: shortest plain suit of a shape has at most five cards, so it can be next.
NEXT = ("9C", "TC", "QC", "KC", "AC")
HEARTS = ("9H", "TH", "JH", "QH", "KH", "AH")
DIAMONDS = ("9D", "TD", "JD", "QD", "KD", "AD")
TRUMPS = ("9S", "TS", "QS", "KS", "AS", "JC", "JS")


def position(tricks: int, entry: int) -> tuple[list[str], list[str], list[str]]:
    """Hands of the declarer, his left and his right that have an entry's number."""
    entry, left_number = divmod(entry, math.comb(2 * tricks, tricks))
    shape, declarer_number = divmod(entry, math.comb(3 * tricks, tricks))
    trump, longest, middle, shortest = shapes(tricks)[shape]
    slots = [*HEARTS[:longest], *DIAMONDS[:middle], *NEXT[:shortest], *TRUMPS[:trump]]
    declarer = [slots[i] for i in subset(declarer_number, tricks, 3 * tricks)]
    others = [card for card in slots if card not in declarer]
    left = [others[i] for i in subset(left_number, tricks, 2 * tricks)]
    right = [card for card in others if card not in left]
    return declarer, left, right


def digits(entry: int) -> list[int]:
    """The values for the leaders declarer, left, right."""
    return [entry % 6, entry // 6 % 6, entry // 36]


Hands = tuple[list[str], list[str], list[str]]
Solver = Callable[[Hands, str, int, int], int]


def by_leader(hands: Hands, solver: Solver) -> list[int]:
    return [solver(hands, "S", 0, leader) for leader in range(3)]


# ------------------------------------------------------------------------ against the coalition

POSITIONS = {0: 1, 1: 42, 2: 2_070, 3: 73_920, 4: 1_975_050}


@pytest.mark.jit_off
def test_shapes_are_those_of_the_design() -> None:
    assert [len(shapes(tricks)) for tricks in range(1, 6)] == [7, 23, 44, 57, 50]
    for tricks in range(7):
        assert SHAPES[tricks] == shapes(tricks)


@pytest.mark.jit_off
def test_the_numbering_gives_every_position_once() -> None:
    for tricks in (1, 2):
        entries = range(POSITIONS[tricks])
        assert len({str(position(tricks, entry)) for entry in entries}) == POSITIONS[tricks]


@pytest.mark.bounds
@pytest.mark.parametrize("tricks", POSITIONS)
def test_sizes_and_entries(tricks: int) -> None:
    table = endgame_table(tricks)
    assert table is Table(tricks).load()
    assert table.dtype == np.uint8
    assert table.shape == (POSITIONS[tricks],)
    assert table.max() < 216
    values = np.stack([table % 6, table // 6 % 6, table // 36])
    assert values.max() == tricks
    assert values.min() == 0
    # Any number of tricks is the value of some position, whoever leads.
    assert all(set(row) == set(range(tricks + 1)) for row in values.tolist())


@pytest.mark.jit_off
@pytest.mark.parametrize("tricks", [1, 2])
def test_every_entry_of_the_small_tables_is_what_the_oracle_says(tricks: int) -> None:
    # This oracle tries every legal card: not even a run of equal cards is taken for one.
    expected = [
        by_leader(position(tricks, entry), oracle.coalition_tricks_naive)
        for entry in range(POSITIONS[tricks])
    ]
    assert [digits(int(entry)) for entry in endgame_table(tricks)] == expected


@pytest.mark.parametrize(("tricks", "sample"), [(3, 1_000), (4, 250)])
def test_a_sample_of_the_large_tables_is_what_the_oracle_says(tricks: int, sample: int) -> None:
    table = endgame_table(tricks)
    for entry in np.random.default_rng(tricks).integers(len(table), size=sample).tolist():
        hands = position(tricks, entry)
        expected = by_leader(hands, oracle.coalition_tricks)
        assert digits(int(table[entry])) == expected, (tricks, entry, hands)


@pytest.mark.bounds
def test_rows_of_the_five_trick_table_are_what_the_oracle_says() -> None:
    # Rows of it are built by themselves: the declarer has a hand, the left defender every one.
    tricks = 5
    per_row = math.comb(10, 5)
    rng = np.random.default_rng(5)
    table = np.zeros(50 * 3_003 * per_row, dtype=np.uint8)  # pages not written to cost nothing
    for row in rng.integers(50 * 3_003, size=30).tolist():
        build_table(
            tricks,
            np.array(SHAPES[tricks]),
            subsets(15, 5),
            subsets(10, 5),
            endgame_table(4),
            row,
            row + 1,
            table,
        )
        for entry in (row * per_row + rng.integers(per_row, size=3)).tolist():
            expected = by_leader(position(tricks, entry), oracle.coalition_tricks)
            assert digits(int(table[entry])) == expected, (entry, position(tricks, entry))
    if Table(MAX_DEPTH).is_ready():
        built = np.flatnonzero(table)
        assert np.array_equal(endgame_table(MAX_DEPTH)[built], table[built])


# ----------------------------------------------------------------------------- for selfish play

#: A bid, 6 for the moon, and the declarer's tricks before; None for tricks and not points.
Contract = tuple[int | None, int]


def wishes(bid: int | None, rules: Rules | None = None, ties: Ties = "standard") -> Preferences:
    if bid is None:
        return preferences("tricks", ties=ties)
    return preferences("points", Bid(bid), rules or Rules(), ties)


#: The outcomes in the order of their numbers: tricks of the declarer and of his left.
OUTCOMES = [(declarer, left) for declarer in range(7) for left in range(7 - declarer)]


def outcomes(entry: int) -> list[tuple[int, int]]:
    """The outcomes for the leaders declarer, left, right: five bits each."""
    assert 0 <= entry < 1 << 15
    return [OUTCOMES[entry >> 5 * leader & 31] for leader in range(3)]


def selfish_by_leader(
    hands: Hands, contract: Contract, rules: Rules | None = None, *, naive: bool = False
) -> list[tuple[int, int]]:
    """The outcomes that the oracle finds, for the leaders declarer, left, right."""
    bid, taken = contract
    rules = rules or Rules()
    found = []
    for leader in range(3):
        solver = oracle.selfish_tricks_naive if naive else oracle.selfish_tricks
        declarer, left, right = solver(
            hands,
            "S",
            0,
            leader,
            (),
            bid,
            0 if bid is None else taken,
            moon_points=rules.moon_points,
            moon_set_points=rules.moon_set_points,
            set_keeps_tricks=rules.set_keeps_tricks,
            defenders_score=rules.defenders_score,
        )
        assert declarer + left + right == len(hands[0])
        found.append((declarer, left))
    return found


@pytest.mark.jit_off
def test_an_entry_is_three_outcomes_by_leader() -> None:
    table = Table(1, Preferences()).load()
    numbers = {str(position(1, entry)): entry for entry in range(42)}

    def found(declarer: str, left: str, right: str) -> list[tuple[int, int]]:
        return outcomes(int(table[numbers[str(([declarer], [left], [right]))]]))

    assert found("9S", "9H", "TH") == [(1, 0)] * 3  # a trump takes it, whoever leads
    assert found("9H", "9S", "TH") == [(0, 1)] * 3
    assert found("9H", "TH", "9S") == [(0, 0)] * 3
    assert found("9H", "TH", "9D") == [(0, 1), (0, 1), (0, 0)]
    assert found("9H", "9D", "9C") == [(1, 0), (0, 1), (0, 0)]  # who leads takes it


SMALL: list[Contract] = [(None, 0), (3, 0), (3, 1), (3, 4), (4, 2), (6, 1), (6, 4)]


@pytest.mark.jit_off
@pytest.mark.bounds
@pytest.mark.parametrize("contract", SMALL, ids=str)
@pytest.mark.parametrize("tricks", [1, 2])
def test_every_entry_of_the_small_selfish_tables_is_what_the_oracle_says(
    tricks: int, contract: Contract
) -> None:
    bid, taken = contract
    table = Table(tricks, wishes(bid), taken).build()
    expected = [
        selfish_by_leader(position(tricks, entry), contract, naive=True)
        for entry in range(POSITIONS[tricks])
    ]
    assert [outcomes(int(entry)) for entry in table] == expected


ODD_RULES = {
    "silent defenders": Rules(defenders_score=False),
    "set keeps tricks": Rules(set_keeps_tricks=True),
    "worthless moon": Rules(moon_points=0, moon_set_points=0),
    "all of it": Rules(
        defenders_score=False, set_keeps_tricks=True, moon_points=3, moon_set_points=9
    ),
}


@pytest.mark.parametrize("rules", ODD_RULES)
@pytest.mark.parametrize("contract", [(3, 1), (6, 4)], ids=str)
def test_selfish_tables_of_odd_rules_are_what_the_oracle_says(
    contract: tuple[int, int], rules: str
) -> None:
    bid, taken = contract
    odd = ODD_RULES[rules]
    table = Table(2, wishes(bid, odd), taken).load()
    for entry in range(0, POSITIONS[2], 3):
        expected = selfish_by_leader(position(2, entry), contract, odd, naive=True)
        assert outcomes(int(table[entry])) == expected, position(2, entry)


@pytest.mark.parametrize("ties", ["defenders reversed", "declarer reversed", "reversed"])
@pytest.mark.parametrize("contract", [(None, 0), (4, 3)], ids=str)
def test_selfish_tables_of_reversed_ties_are_what_the_oracle_says(
    monkeypatch: pytest.MonkeyPatch, contract: Contract, ties: Ties
) -> None:
    bid, taken = contract
    table = Table(2, wishes(bid, ties=ties), taken).load()
    standard = Table(2, wishes(bid), taken).load()
    real = oracle.selfish_preference

    def preference(values: Any, seat: int, declarer: int) -> tuple[int, ...]:
        own, *rest = real(values, seat, declarer)
        turned = {"defenders reversed": seat != declarer, "declarer reversed": seat == declarer}
        return (own, *(-part for part in rest)) if turned.get(ties, True) else (own, *rest)

    monkeypatch.setattr(oracle, "selfish_preference", preference)
    for entry in range(0, POSITIONS[2], 3):
        expected = selfish_by_leader(position(2, entry), contract, naive=True)
        assert outcomes(int(table[entry])) == expected, position(2, entry)
    assert not np.array_equal(table, standard)  # the tie rule does decide something


LARGE: list[Contract] = [(None, 0), (3, 0), (3, 1), (4, 0), (4, 1), (5, 0), (6, 2)]


@pytest.mark.parametrize("contract", LARGE, ids=str)
def test_a_sample_of_the_three_trick_selfish_tables_is_what_the_oracle_says(
    contract: Contract,
) -> None:
    bid, taken = contract
    table = Table(3, wishes(bid), taken).load()
    for entry in np.random.default_rng(3).integers(len(table), size=250).tolist():
        hands = position(3, entry)
        assert outcomes(int(table[entry])) == selfish_by_leader(hands, contract), (entry, hands)


@pytest.mark.bounds
@pytest.mark.parametrize("contract", LARGE, ids=str)
def test_rows_of_the_four_trick_selfish_tables_are_what_the_oracle_says(contract: Contract) -> None:
    bid, taken = contract
    table = Table(4, wishes(bid), taken)
    rng = np.random.default_rng(4)
    fill, rows, per_row = table.builder(None)
    assert rows * per_row == table.entries
    array = np.full(table.entries, 0xFFFF, dtype=np.uint16)
    chosen = rng.choice(rows, 60, replace=False).tolist()
    for row in chosen:
        fill(row, row + 1, array)
        for entry in (row * per_row + rng.integers(per_row, size=1)).tolist():
            hands = position(4, entry)
            assert outcomes(int(array[entry])) == selfish_by_leader(hands, contract), (entry, hands)
    written = np.flatnonzero(array != 0xFFFF)
    assert sorted({place // per_row for place in written.tolist()}) == sorted(chosen)
    assert len(written) == 60 * per_row  # the rows asked for and no other
    if bid is None:  # this one is always needed for selfish play, and kept
        assert np.array_equal(table.load()[written], array[written])


def test_rows_of_the_five_trick_selfish_table_are_what_the_oracle_says() -> None:
    table = Table(5, Preferences())
    rng = np.random.default_rng(5)
    fill, rows, per_row = table.builder(None)
    array = np.zeros(table.entries, dtype=np.uint16)
    for row in rng.integers(rows, size=20).tolist():
        fill(row, row + 1, array)
        entry = row * per_row + int(rng.integers(per_row))
        hands = position(5, entry)
        assert outcomes(int(array[entry])) == selfish_by_leader(hands, (None, 0)), (entry, hands)


@pytest.mark.parametrize("tricks", [0, 1, 2, 3])
def test_sizes_and_entries_of_selfish_tables(tricks: int) -> None:
    table = Table(tricks, Preferences()).load()
    assert table.dtype == np.uint16
    assert table.shape == (POSITIONS[tricks],)
    for leader in range(3):
        found = {OUTCOMES[number] for number in set((table >> 5 * leader & 31).tolist())}
        # Whoever leads, any division of the tricks is the outcome of some position.
        assert found == {outcome for outcome in OUTCOMES if sum(outcome) <= tricks}


def test_the_coalition_gives_the_declarer_no_more_than_selfish_defenders() -> None:
    # When the declarer plays for tricks, as he does against the coalition.
    against_both = endgame_table(3)
    selfish = Table(3, Preferences()).load()
    declarer = np.array([outcome[0] for outcome in OUTCOMES])
    for leader in range(3):
        theirs = np.array([digits(entry)[leader] for entry in range(216)])[against_both]
        assert (declarer[selfish >> 5 * leader & 31] >= theirs).all()


# --------------------------------------------------------------------------------- their names


def built(table: Table, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """A table built for its own preferences, and those below it as well."""
    with monkeypatch.context() as patch:
        patch.setattr(endgames, "_loaded", {})
        return table.build().tobytes()


def test_tables_of_one_name_are_equal_and_of_different_names_differ(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    all_wishes = [
        wishes(None),
        wishes(None, ties="reversed"),
        *(wishes(bid) for bid in (3, 4, 5, 6)),
        *(wishes(bid, Rules(moon_points=12, all_pass="dealer_bids")) for bid in (3, 6)),
        *(wishes(bid, ODD_RULES["silent defenders"]) for bid in (3, 5)),
        *(wishes(bid, ODD_RULES["set keeps tricks"]) for bid in (3, 6)),
        wishes(6, ODD_RULES["worthless moon"]),
    ]
    by_name: dict[str, set[bytes]] = {}
    for wanted, taken in itertools.product(all_wishes, range(5)):
        table = Table(2, wanted, taken)
        by_name.setdefault(table.name, set()).add(built(table, monkeypatch))
    assert {len(tables) for tables in by_name.values()} == {1}
    assert 4 < len(by_name) < 20
    assert len(set.union(*by_name.values())) == len(by_name)


def test_to_need_as_many_more_tricks_is_to_have_one_table(monkeypatch: pytest.MonkeyPatch) -> None:
    # One more trick for a bid of 3, of 4, of 5, for the moon; then two, then three.
    needs = {
        need: [Table(3, wishes(bid), bid - need) for bid in (3, 4, 5, 6) if bid - need in range(4)]
        for need in (1, 2, 3)
    }
    assert [len(tables) for tables in needs.values()] == [2, 3, 4]
    for tables in needs.values():
        assert len({table.name for table in tables}) == 1
        assert len({str(table) for table in tables}) == 1
        assert len({built(table, monkeypatch) for table in tables[:2]}) == 1
    assert len({tables[0].name for tables in needs.values()}) == 3
    # To need one more, or none, is to play for tricks: being set costs more than any trick.
    assert needs[1][0].name == Table(3, wishes(3), 3).name == Table(3, Preferences()).name
    # To need more than there are is to be set, whatever the bid.
    assert Table(3, wishes(6), 2).name == Table(3, wishes(4), 0).name != Table(3, wishes(3)).name


@pytest.mark.jit_off
def test_names_and_words() -> None:
    assert Table(4).name == "coalition-4"
    assert Table(4, taken=2).name == "coalition-4"  # it only plays for tricks
    name = Table(4, Preferences()).name
    assert name.startswith("selfish-4-")
    assert len(name) == len("selfish-4-") + 12
    assert Table(5, Preferences()).name.startswith("selfish-5-")
    assert str(Table(1)) == "coalition, 1 trick"
    assert str(Table(5)) == "coalition, 5 tricks"
    assert str(Table(6)) == "coalition, 6 tricks, the declarer leads"
    assert str(Table(4, Preferences())) == "selfish, 4 tricks, for tricks"
    words = {
        (3, 0): "3 more needed",
        (3, 2): "1 more needed",
        (4, 0): "4 more needed",
        (5, 0): "set already",
        (6, 2): "4 more needed",
        (6, 1): "set already",
    }
    for (bid, taken), missing in words.items():
        table = Table(4, wishes(bid), taken)
        assert str(table) == f"selfish, 4 tricks, for points, {missing}"
    assert str(Table(2, wishes(3), 4)) == "selfish, 2 tricks, for points, 0 more needed"
    odd = Table(4, wishes(3, Rules(moon_points=12), "reversed"))
    assert str(odd) == "selfish, 4 tricks, for points, moon_points=12, ties reversed, 3 more needed"


@pytest.mark.jit_off
def test_the_known_tables() -> None:
    known = known_tables()
    assert [*known] == [
        "coalition-4",
        "coalition-5",
        "coalition-6",
        "selfish-4",
        "points-4",
        "selfish-5",
        "points-5",
    ]
    for name, tables in known.items():
        assert len({table.name for table in tables}) == len(tables)
        assert len({str(table) for table in tables}) == len(tables)
        assert {str(table.tricks) for table in tables} == {name[-1]}
        assert all((table.preferences is None) == name.startswith("coal") for table in tables)
    # All that a deal by the standard rules can ask for, whatever was bid and taken.
    for tricks in (4, 5):
        names = {
            Table(tricks, wishes(bid), taken).name
            for bid in (3, 4, 5, 6)
            for taken in range(7 - tricks)
        }
        assert {table.name for table in known[f"points-{tricks}"]} == names
    words = {str(table).split(", ")[-1] for table in known["points-4"]}
    assert words == {*(f"{need} more needed" for need in (1, 2, 3, 4)), "set already"}


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("table", "positions", "size"),
    [
        (Table(4), 1_975_050, 1_975_050),
        (Table(5), 37_837_800, 37_837_800),
        (Table(6), 29 * 17_153_136, 29 * 17_153_136 // 2),
        (Table(4, Preferences()), 1_975_050, 2 * 1_975_050),
        (Table(5, Preferences()), 37_837_800, 2 * 37_837_800),
    ],
    ids=str,
)
def test_sizes_are_those_of_the_design(table: Table, positions: int, size: int) -> None:
    assert table.positions == positions
    assert table.entries * table.dtype.itemsize == size
    assert table.is_kept


@pytest.mark.jit_off
@pytest.mark.parametrize("tricks", [-1, 7, 100])
def test_there_are_no_other_tables(tricks: int) -> None:
    with pytest.raises(TableError, match=f"tables are for 0 to 6 tricks, not {tricks}"):
        Table(tricks)
    with pytest.raises(TableError, match=f"tables are for 0 to 6 tricks, not {tricks}"):
        endgame_table(tricks)
    assert issubclass(TableError, ValueError)


@pytest.mark.jit_off
@pytest.mark.parametrize("tricks", [-1, 6, 7])
def test_the_opening_table_is_the_coalitions_only(tricks: int) -> None:
    with pytest.raises(TableError, match=f"tables are for 0 to 5 tricks, not {tricks}"):
        Table(tricks, Preferences())


@pytest.mark.jit_off
def test_tables_are_values() -> None:
    table = Table(4, Preferences("points", Bid.FOUR), 1)
    assert table == Table(4, Preferences("points", Bid.FOUR), 1)
    assert table != Table(4, Preferences("points", Bid.FOUR), 2)
    assert pickle.loads(pickle.dumps(table)) == table
    assert len({table, Table(4, Preferences("points", Bid.FOUR), 1), Table(4)}) == 2


# ------------------------------------------------------------------------------------- building


@pytest.mark.bounds
@pytest.mark.parametrize("n_jobs", [1, 2, -1])
@pytest.mark.parametrize("backend", ["threading", "loky"])
@pytest.mark.parametrize("wanted", [None, wishes(3)], ids=["coalition", "selfish"])
def test_a_table_is_the_same_for_any_number_of_jobs(
    monkeypatch: pytest.MonkeyPatch, wanted: Preferences | None, n_jobs: int, backend: str
) -> None:
    table = Table(3, wanted, taken=1)
    expected = table.load()
    monkeypatch.setattr(endgames, "_loaded", {})
    with joblib.parallel_config(backend):
        built = table.load(n_jobs)
    assert built is not expected
    assert built.tobytes() == expected.tobytes()


@pytest.mark.parametrize("wanted", [None, wishes(3)], ids=["coalition", "selfish"])
def test_threads_that_need_a_table_at_once_share_one(
    monkeypatch: pytest.MonkeyPatch, wanted: Preferences | None
) -> None:
    builds = []
    real = Table.build

    def build(table: Table, *arguments: Any) -> NDArray[Any]:
        builds.append(table.name)
        return real(table, *arguments)

    monkeypatch.setattr(Table, "build", build)
    monkeypatch.setattr(endgames, "_loaded", {})
    with ThreadPoolExecutor(8) as pool:
        tables = list(pool.map(lambda _: Table(3, wanted).load(), range(16)))
    assert all(table is tables[0] for table in tables)
    assert len(builds) == len(set(builds))  # for points there are several of fewer tricks
    assert {int(name.split("-")[1]) for name in builds} == {0, 1, 2, 3}


def test_building_reports_its_progress() -> None:
    seen = []

    def progress(finished: Iterable[Any], total: int) -> Iterator[Any]:
        for part in finished:
            seen.append(total)
            yield part

    endgame_table(3)
    table = Table(4).build(2, progress)
    assert len(seen) > 2
    assert set(seen) == {len(seen)}  # each time it was told how many there would be
    assert np.array_equal(table, endgame_table(4))


def test_the_tables_that_a_selfish_search_looks_into() -> None:
    wanted = wishes(4)
    for tricks, taken in ((3, 0), (3, 3), (4, 1), (2, 2)):
        found = selfish_tables(tricks, tricks - 1, taken, wanted)
        expected = [Table(tricks - 1, wanted, taken + won).load() for won in (0, 1, 1)]
        assert [table is other for table, other in zip(found, expected, strict=True)] == [True] * 3
    found = selfish_tables(4, 2, 1, wanted)
    expected = [Table(2, wanted, 1 + won).load() for won in (0, 1, 2)]
    assert [table is other for table, other in zip(found, expected, strict=True)] == [True] * 3
    assert found[0] is not found[2]


@pytest.mark.jit_off
def test_ranks_counted_from_a_position() -> None:
    wanted = wishes(4)
    assert np.array_equal(ranks_from(wanted, 0), wanted.ranks)
    later = ranks_from(wanted, 2)
    assert later.dtype == np.int8
    for to_go, then in itertools.product(range(7), range(7)):
        expected = wanted.ranks[to_go, then + 2] if then + 2 < 7 else np.full((3, 28), -1)
        assert np.array_equal(later[to_go, then], expected)


# ------------------------------------------------------------------------------------- checking


@pytest.mark.parametrize("wanted", [None, wishes(3)], ids=["coalition", "selfish"])
def test_a_right_table_is_found_right(wanted: Preferences | None) -> None:
    table = Table(3, wanted)
    found = check_table(table, sample=None)
    assert (found.rows, found.positions, found.wrong) == (44 * 84, 73_920, 0)
    found = check_table(table, sample=50, seed=3)
    assert (found.rows, found.positions, found.wrong) == (50, 50 * 20, 0)
    found = check_table(table, sample=1_000_000)  # more than there are
    assert (found.rows, found.wrong) == (44 * 84, 0)


@pytest.mark.parametrize("wanted", [None, wishes(3)], ids=["coalition", "selfish"])
@pytest.mark.parametrize("n_jobs", [1, 2])
def test_wrong_rows_are_counted(
    monkeypatch: pytest.MonkeyPatch, wanted: Preferences | None, n_jobs: int
) -> None:
    table = Table(3, wanted)
    wrong = table.load().copy()
    for place in (0, 19, 20, 41_234, 73_919):  # the first two are in one row
        wrong[place] ^= 1
    monkeypatch.setattr(endgames, "_loaded", {**endgames._loaded, table.name: wrong})
    parts = []

    def progress(finished: Iterable[Any], total: int) -> Iterator[Any]:
        for part in finished:
            parts.append(total)
            yield part

    assert check_table(table, None, n_jobs=n_jobs, progress=progress).wrong == 4
    assert set(parts) == {len(parts)}


def test_rows_to_check_are_drawn_by_their_seed_from_all(monkeypatch: pytest.MonkeyPatch) -> None:
    table = Table(3)
    half_wrong = table.load().copy().reshape(-1, 20)
    half_wrong[::2, 7] ^= 1
    monkeypatch.setattr(
        endgames, "_loaded", {**endgames._loaded, table.name: half_wrong.reshape(-1)}
    )
    found = [check_table(table, 200, seed).wrong for seed in range(6)]
    assert found == [check_table(table, 200, seed).wrong for seed in range(6)]
    assert len(set(found)) > 2
    assert all(60 < wrong < 140 for wrong in found)


# --------------------------------------------------------------------------- the opening table

ROWS = 29 * 18_564


@pytest.fixture
def shallow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Rows of the opening table are built with the four-trick table, as five take 15 seconds."""
    monkeypatch.setattr(endgames, "MAX_DEPTH", 4)


def nibble(table: NDArray[np.uint8], entry: int) -> int:
    """An entry of the opening table: two in a byte, the even one in the low half."""
    return int(table[entry // 2]) >> 4 * (entry % 2) & 15


@pytest.mark.bounds
@pytest.mark.usefixtures("shallow")
def test_rows_of_the_opening_table_are_what_the_oracle_says() -> None:
    table = Table(OPENING)
    fill, rows, per_row = table.builder(None)
    assert (rows, per_row) == (ROWS, 924)
    assert table.entries == ROWS * 462
    array = np.empty(table.entries, dtype=np.uint8)  # pages not written to cost nothing
    rng = np.random.default_rng(6)
    chosen = [0, ROWS - 1, *rng.integers(ROWS, size=3).tolist()]
    for row in chosen:
        fill(row, row + 1, array)
        for split in [0, 923, *rng.integers(924, size=4).tolist()]:
            hands = position(6, row * 924 + split)
            expected = oracle.coalition_tricks(hands, "S", 0, 0)
            assert nibble(array, row * 924 + split) == expected, (row, hands)
        tricks = [nibble(array, row * 924 + split) for split in range(924)]
        assert [tricks.count(k) for k in range(7)] == shipped_patterns()[row].tolist()
        deals: list[dds.Deal] = [
            (position(6, row * 924 + split), "S", 0, 0) for split in range(0, 924, 3)
        ]
        assert tricks[::3] == dds.dds_tricks(deals)
    if table.is_ready():
        for row in chosen:
            part = slice(row * 462, row * 462 + 462)
            assert np.array_equal(table.load()[part], array[part])


@pytest.fixture(scope="module")
def thirty_rows() -> tuple[list[int], NDArray[np.uint8]]:
    """Numbers of rows, and the rows, which the kernel has written side by side."""
    numbers = sorted(np.random.default_rng(30).integers(ROWS, size=30).tolist())
    array = np.full(ROWS * 462, 0xFF, dtype=np.uint8)
    parts = (np.array(SHAPES[6], dtype=np.int64), subsets(18, 6), subsets(12, 6))
    for row in numbers:
        build_opening_table(*parts, 4, endgame_table(4), row, row + 1, array)
    rows = array.reshape(ROWS, 462)
    kept = rows[numbers]
    rows[numbers] = 0xFF
    assert all((rows[row - 1 : row + 2] == 0xFF).all() for row in numbers)  # nothing beside them
    return numbers, kept


@pytest.fixture
def only_thirty(
    thirty_rows: tuple[list[int], NDArray[np.uint8]], monkeypatch: pytest.MonkeyPatch
) -> NDArray[np.uint8]:
    """A table of thirty patterns, as if there were no others, looked at seven at a time."""
    numbers, rows = thirty_rows
    patterns = shipped_patterns()[numbers]
    monkeypatch.setattr(openings, "shipped_patterns", lambda: patterns)
    monkeypatch.setattr(openings, "N_PATTERNS", 30)
    monkeypatch.setattr(openings, "_PATTERNS_PER_BLOCK", 7)
    return rows.reshape(-1).copy()


def test_a_right_opening_table_agrees_with_the_patterns(only_thirty: NDArray[np.uint8]) -> None:
    assert only_thirty.max() < 0x67
    assert check_opening_table(only_thirty) == 0


@pytest.mark.parametrize("row", [0, 6, 7, 29])
@pytest.mark.parametrize("place", [0, 100, 461])
@pytest.mark.parametrize("flipped", [0x01, 0x10, 0x08, 0x80])
def test_a_flipped_bit_of_the_opening_table_is_found(
    only_thirty: NDArray[np.uint8], row: int, place: int, flipped: int
) -> None:
    only_thirty[row * 462 + place] ^= flipped
    assert check_opening_table(only_thirty) == 1


def test_every_wrong_row_of_the_opening_table_is_counted(only_thirty: NDArray[np.uint8]) -> None:
    rows = only_thirty.reshape(30, 462)
    rows[[3, 8, 9, 28]] = 0  # the declarer takes nothing
    assert check_opening_table(only_thirty) == 4
    rows[:] = 7
    assert check_opening_table(only_thirty) == 30


@pytest.mark.usefixtures("shallow")
def test_rows_of_the_opening_table_can_be_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = []
    real = build_opening_table

    def build(*arguments: Any) -> None:
        drawn.append(arguments[5])
        real(*arguments)

    monkeypatch.setattr(endgames, "build_opening_table", build)
    table = Table(OPENING)
    array = np.full(table.entries, 0xFF, dtype=np.uint8)  # no row is right
    monkeypatch.setattr(endgames, "_loaded", {**endgames._loaded, table.name: array})
    found = check_table(table, sample=20, seed=1)
    assert (found.rows, found.positions, found.wrong) == (20, 20 * 924, 20)
    assert len(set(drawn)) == 20
    assert max(drawn) > ROWS / 2
    fill, _, _ = table.builder(None)
    for row in drawn.copy():
        fill(row, row + 1, array)
    assert check_table(table, sample=20, seed=1).wrong == 0
    array[drawn[4] * 462 + 461] ^= 0x10
    assert check_table(table, sample=20, seed=1).wrong == 1
