"""Opening patterns: right numbers, in a file that cannot be mistaken for another."""

import contextlib
import itertools
import json
import math
import zipfile
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any

import joblib
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

import dds
import oracle
from ghostsim import openings
from ghostsim.cards import Suit
from ghostsim.class_odds import LAYOUTS, hand_counts
from ghostsim.kernels.openings import (
    N_HANDS,
    N_PATTERNS,
    N_SPLITS,
    REMOVAL_STARTS,
    REMOVALS,
    pattern_number,
)
from ghostsim.kernels.relabel import SHAPES
from ghostsim.openings import (
    PATTERNS_FILE,
    PatternsError,
    build_patterns,
    load_patterns,
    save_patterns,
    shape_of,
    shipped_patterns,
    verify_patterns,
)
from strategies import card_sets, trumps

Patterns = NDArray[np.uint16]


def plain_number(hand: Any, dead: Any, trump: str) -> int:
    """The number of a pattern, by its definition and in plain Python.

    Plain suits of equal length may come in either order, as they are interchangeable; they come in
    another order here than in the kernels.
    """
    suits = {suit: [] for suit in "SCHD"}  # type: dict[str, list[str]]
    for card in oracle.DECK:
        if card not in dead:
            suits[oracle.effective_suit(card, trump)].append(card)
    for cards in suits.values():
        cards.sort(key=lambda card: oracle.strength(card, trump))
    plain = sorted((suits[suit] for suit in "DHCS" if suit != trump), key=len, reverse=True)
    slots = [card for cards in [*plain, suits[trump]] for card in cards]
    shape = (len(suits[trump]), *map(len, plain))
    subset = [place for place, card in enumerate(slots) if card in hand]
    number = sum(math.comb(place, i + 1) for i, place in enumerate(subset))
    return SHAPES_OF_SIX.index(shape) * math.comb(18, 6) + number


#: (trump; plain suits, longest first) of 18 cards: one plain suit, next, has only five.
SHAPES_OF_SIX = sorted(
    {
        (18 - sum(lengths), *sorted(lengths, reverse=True))
        for lengths in itertools.product(range(7), range(7), range(6))
        if 0 <= 18 - sum(lengths) <= 7
    }
)


def a_hand_and_dead_cards(seed: int) -> tuple[list[str], list[str], list[str], str]:
    """Six cards, six dead ones, the other twelve, and a trump."""
    rng = np.random.default_rng(seed)
    cards = [oracle.DECK[i] for i in rng.permutation(24)]
    return cards[:6], cards[6:12], cards[12:], "SCHD"[rng.integers(4)]


# ----------------------------------------------------------------------------- the numbers


@pytest.mark.jit_off
def test_patterns_are_for_every_shape_and_add_up() -> None:
    patterns = shipped_patterns()
    assert [tuple(shape) for shape in SHAPES[6]] == SHAPES_OF_SIX
    assert len(SHAPES_OF_SIX) == 29
    assert (N_HANDS, N_SPLITS, N_PATTERNS) == (18_564, 924, 29 * 18_564)
    assert patterns.shape == (29 * 18_564, 7)
    assert patterns.dtype == np.uint16
    assert (patterns.sum(axis=1, dtype=np.int64) == 924).all()
    assert shipped_patterns() is patterns  # read once a process


@pytest.mark.bounds
def test_a_sample_of_the_shipped_patterns_is_what_is_counted_afresh() -> None:
    for seed in (1, 2):
        found = verify_patterns(sample=400, seed=seed)
        assert found.checked == 400
        assert found.wrong == 0, found.first_wrong
        assert found.first_wrong == ""
        assert found.layouts == found.checked * 924


def test_a_pattern_is_what_the_oracle_counts() -> None:
    # Chosen because the oracle is quick with it: six cards of one suit have few orders to try.
    hand, dead, trump = "JH JD AH KH QH AS", "9S TS 9C TC 9D TD", "H"
    expected = oracle.distribution_given_dead(hand.split(), dead.split(), trump)
    number = plain_number(hand.split(), dead.split(), trump)
    assert shipped_patterns()[number].tolist() == expected
    assert build_patterns(np.array([number]), depth=4)[0].tolist() == expected


def test_patterns_are_what_dds_counts() -> None:
    for seed in range(12):
        hand, dead, others, trump = a_hand_and_dead_cards(seed)
        deals: list[dds.Deal] = [
            ((hand, left, [card for card in others if card not in left]), trump, 0, 0)
            for left in itertools.combinations(others, 6)
        ]
        assert len(deals) == 924
        tricks = Counter(dds.dds_tricks(deals))
        row = shipped_patterns()[plain_number(hand, dead, trump)]
        assert row.tolist() == [tricks[k] for k in range(7)], (hand, dead, trump)


@pytest.mark.jit_off
@pytest.mark.bounds
@given(cards=card_sets(12), trump=trumps, data=st.data())
def test_the_kernel_numbers_patterns_by_their_definition(
    cards: frozenset[int], trump: Suit, data: st.DataObject
) -> None:
    chosen = data.draw(st.permutations(sorted(cards)))
    hand = [oracle.DECK[card] for card in chosen[:6]]
    dead = [oracle.DECK[card] for card in chosen[6:]]
    number = pattern_number(oracle.hand_mask(hand), oracle.hand_mask(dead), int(trump))
    plain = plain_number(hand, dead, trump.letter)
    patterns = shipped_patterns()
    assert number // N_HANDS == plain // N_HANDS
    assert patterns[number].tolist() == patterns[plain].tolist()
    _, *lengths = SHAPES[6][number // N_HANDS]
    if len(set(lengths)) == 3:
        assert number == plain  # no two plain suits could change places


@pytest.mark.jit_off
def test_removals_are_what_counting_every_subset_gives() -> None:
    for size in (5, 6, 7):
        for mask in range(1 << size):
            removable = [slot for slot in range(size) if not mask >> slot & 1]
            for taken in range(8):
                expected = Counter(
                    sum(
                        (mask >> slot & 1) << place
                        for place, slot in enumerate(s for s in range(size) if s not in gone)
                    )
                    for gone in itertools.combinations(removable, taken)
                )
                start, stop = REMOVAL_STARTS[size - 5, mask, taken : taken + 2]
                rows = REMOVALS[start:stop].tolist()
                assert dict(rows) == expected, (size, mask, taken)
                assert len(dict(rows)) == len(rows)


@pytest.mark.jit_off
@pytest.mark.bounds
@pytest.mark.parametrize(
    ("hand", "trump"),
    [("JS JC AS KS AH 9D", Suit.SPADES), ("9S TH QD KD AC JD", Suit.HEARTS)],
)
def test_counts_with_the_ghost_unknown_are_a_sum_over_all_ghosts(hand: str, trump: Suit) -> None:
    cards = hand.split()
    numbers = Counter(plain_number(cards, ghost, trump.letter) for ghost in oracle.ghosts(cards))
    assert numbers.total() == 18_564
    expected = sum(
        times * shipped_patterns()[number].astype(np.int64) for number, times in numbers.items()
    )
    counts = hand_counts(np.array([oracle.hand_mask(cards)]), trump)
    assert counts.tolist() == [list(expected)]
    assert counts.sum() == LAYOUTS == 17_153_136


@pytest.mark.jit_off
def test_shapes_in_words() -> None:
    assert shape_of(0) == "trump 1, plain suits 6 6 5"
    assert shape_of(N_PATTERNS - 1) == shape_of(N_PATTERNS - N_HANDS)
    assert shape_of(N_PATTERNS - 1).startswith("trump 7, plain suits ")


# ------------------------------------------------------------------------- building and checking


@pytest.mark.parametrize("n_jobs", [None, 1, 2])
def test_building_does_not_depend_on_jobs_and_reports_progress(n_jobs: int | None) -> None:
    numbers = np.array([538_355, 0, 77_777, 300_000, 77_777, 1, 2, 3, 4, 5, 6, 7, 8])
    blocks = []

    def progress(finished: Iterable[None], total: int) -> Iterator[None]:
        for block in finished:
            blocks.append(total)
            yield block

    with joblib.parallel_config("loky"):  # an ambient backend of processes is no matter
        built = build_patterns(numbers, depth=4, n_jobs=n_jobs, progress=progress)
    assert built.dtype == np.uint16
    assert np.array_equal(built, shipped_patterns()[numbers])
    assert len(blocks) > 1
    assert set(blocks) == {len(blocks)}  # each time it was told how many there would be


@pytest.fixture
def drawn(monkeypatch: pytest.MonkeyPatch) -> list[NDArray[np.int64]]:
    """The numbers of the patterns that are counted afresh, as each verification draws them."""
    seen = []
    real = openings.build_patterns

    def build(numbers: NDArray[np.int64], **options: Any) -> Patterns:
        seen.append(numbers)
        return real(numbers, **options)

    monkeypatch.setattr(openings, "build_patterns", build)
    return seen


def test_a_sample_is_drawn_by_its_seed_from_all_patterns(drawn: list[NDArray[np.int64]]) -> None:
    for seed in (1, 1, 2):
        verify_patterns(sample=60, seed=seed)
    assert np.array_equal(drawn[0], drawn[1])
    assert len(set(drawn[0]) & set(drawn[2])) < 5
    for numbers in drawn:
        assert np.array_equal(numbers, np.unique(numbers))
        assert 0 <= numbers[0] < N_PATTERNS / 10
        assert N_PATTERNS * 0.9 < numbers[-1] < N_PATTERNS


def test_a_wrong_pattern_is_found_and_described(
    tmp_path: Path, drawn: list[NDArray[np.int64]]
) -> None:
    verify_patterns(sample=60, seed=3)
    number = int(drawn[0][20])
    patterns = shipped_patterns().copy()
    right = patterns[number].tolist()
    made = int(np.argmax(patterns[number]))
    patterns[number, made] -= 1  # one layout of 924 that is worth another number of tricks
    patterns[number, (made + 1) % 7] += 1
    path = tmp_path / "patterns.npz"
    save_patterns(patterns, path)  # with a checksum that fits
    assert np.array_equal(load_patterns(path), patterns)

    found = verify_patterns(path, sample=60, seed=3)
    assert (found.checked, found.wrong) == (len(drawn[0]), 1)
    assert found.first_wrong == (
        f"pattern {number} ({shape_of(number)}): file {patterns[number].tolist()}, counted {right}"
    )
    assert verify_patterns(path, sample=60, seed=4).wrong == 0  # it is not in this sample


def test_many_wrong_patterns_are_counted_and_the_first_is_described(tmp_path: Path) -> None:
    patterns = shipped_patterns().copy()
    patterns[:] = np.roll(patterns, 1, axis=1)  # each hand takes a trick too many
    path = tmp_path / "patterns.npz"
    save_patterns(patterns, path)
    found = verify_patterns(path, sample=60, seed=3)
    assert found.wrong == found.checked
    assert found.first_wrong.startswith("pattern ")


# ------------------------------------------------------------------------------- the file


def test_saving_and_loading_gives_the_same_patterns_and_the_same_bytes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    patterns = shipped_patterns()
    first, second = tmp_path / "a" / "first.npz", tmp_path / "second.npz"
    save_patterns(patterns, first)  # makes its directory
    # Zip files carry times: another day must not show.
    monkeypatch.setattr("time.time", lambda: 2_000_000_000.0)
    save_patterns(patterns, second)
    assert first.read_bytes() == second.read_bytes()
    assert np.array_equal(load_patterns(first), patterns)
    assert first.stat().st_mode & 0o777 == 0o644  # installed packages are read by everybody
    assert sorted(path.name for path in tmp_path.rglob("*.npz")) == ["first.npz", "second.npz"]


def test_a_write_that_is_stopped_leaves_the_old_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    path = tmp_path / "patterns.npz"
    path.write_bytes(b"old")
    monkeypatch.setattr("os.replace", interrupted)
    with pytest.raises(KeyboardInterrupt):
        save_patterns(shipped_patterns(), path)
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_the_file_says_what_it_is() -> None:
    with np.load(PATTERNS_FILE) as file:
        about = json.loads(str(file["about"]))
    assert about["shapes"] == [list(shape) for shape in SHAPES_OF_SIX]
    assert about["what"].startswith("opening patterns")
    assert PATTERNS_FILE.stat().st_size < 1_000_000


def written(path: Path, **arrays: Any) -> None:
    np.savez(path, **arrays)


def rewritten(path: Path, change: Callable[[dict[str, Any]], None]) -> None:
    """Save again with something in it changed, and everything else as it was."""
    with np.load(path) as file:
        arrays = {"patterns": file["patterns"], "about": json.loads(str(file["about"]))}
    change(arrays)
    if "about" in arrays and not isinstance(arrays["about"], np.ndarray):
        arrays["about"] = np.array(json.dumps(arrays["about"]))
    written(path, **arrays)


def one_split_elsewhere(arrays: dict[str, Any]) -> None:
    arrays["patterns"][1000] = np.roll(arrays["patterns"][1000], 1)


def directory(path: Path) -> None:
    path.unlink()
    path.mkdir()


def pickled(path: Path) -> None:
    written(path, patterns=np.array([{}], dtype=object), about=np.array("{}"))


def zipped(path: Path) -> None:
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("patterns.npy", "not an array")
        file.writestr("about.npy", "nor this")


def said_to_be_encrypted(path: Path) -> None:
    content = bytearray(path.read_bytes())
    content[content.rindex(b"PK\x01\x02") + 8] ^= 1  # the flag in the directory of the zip file
    path.write_bytes(content)


def header_of_an_array_cut(path: Path) -> None:
    array = array_bytes(path).replace(b")", b" ", 1).replace(b"}", b" ", 1)
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("patterns.npy", array)


DAMAGES: dict[str, Callable[[Path], Any]] = {
    "said to be encrypted": said_to_be_encrypted,
    "the header of the array cut": header_of_an_array_cut,
    "missing": Path.unlink,
    "empty": lambda path: path.write_bytes(b""),
    "truncated": lambda path: path.write_bytes(path.read_bytes()[:-1]),
    "half of it": lambda path: path.write_bytes(path.read_bytes()[: path.stat().st_size // 2]),
    "text": lambda path: path.write_text("patterns"),
    "a plain array": lambda path: path.write_bytes(array_bytes(path)),
    "pickled objects": pickled,
    "no arrays": zipped,
    "a directory": directory,
    "a checksum that does not fit": lambda path: rewritten(path, one_split_elsewhere),
    "no checksum": lambda path: rewritten(path, lambda arrays: arrays["about"].pop("blake2b")),
    "no patterns": lambda path: rewritten(path, lambda arrays: arrays.pop("patterns")),
    "no description": lambda path: rewritten(path, lambda arrays: arrays.pop("about")),
    "a description that is a list": lambda path: rewritten(
        path, lambda arrays: arrays.update(about=[1])
    ),
    "a description that is no JSON": lambda path: rewritten(
        path, lambda arrays: arrays.update(about=np.array("{"))
    ),
    "a pattern too few": lambda path: rewritten(
        path, lambda arrays: arrays.update(patterns=arrays["patterns"][:-1])
    ),
    "wider numbers": lambda path: rewritten(
        path, lambda arrays: arrays.update(patterns=arrays["patterns"].astype(np.int64))
    ),
}


def array_bytes(path: Path) -> bytes:
    with zipfile.ZipFile(path) as file:
        return file.read("patterns.npy")


@pytest.fixture
def copy(tmp_path: Path) -> Path:
    """A copy of the shipped file to do things to."""
    copy = tmp_path / "patterns.npz"
    copy.write_bytes(PATTERNS_FILE.read_bytes())
    return copy


@pytest.mark.jit_off
@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_file_is_refused_by_name_with_what_to_do(copy: Path, damage: str) -> None:
    assert np.array_equal(load_patterns(copy), shipped_patterns())
    DAMAGES[damage](copy)
    with pytest.raises(PatternsError) as caught:
        load_patterns(copy)
    assert str(copy) in str(caught.value)
    assert "install ghostsim again" in str(caught.value)
    assert isinstance(caught.value, ValueError)
    with pytest.raises(PatternsError):
        verify_patterns(copy, sample=1)


SIZE = PATTERNS_FILE.stat().st_size


@pytest.mark.jit_off
@settings(max_examples=60)  # reading the file takes a few hundredths of a second each time
@given(
    # The ends hold what a zip file says of itself, the middle the compressed patterns.
    place=st.integers(0, SIZE - 1) | st.integers(0, 300) | st.integers(SIZE - 300, SIZE - 1),
    flipped=st.integers(1, 255),
)
def test_any_wrong_byte_is_noticed_or_harmless(
    tmp_path_factory: pytest.TempPathFactory, place: int, flipped: int
) -> None:
    content = bytearray(PATTERNS_FILE.read_bytes())
    content[place] ^= flipped
    path = tmp_path_factory.getbasetemp() / "flipped.npz"
    path.write_bytes(content)
    patterns = shipped_patterns()
    with contextlib.suppress(PatternsError):
        patterns = load_patterns(path)
    # Refused, or a byte that no reader looks at, such as the time of a member.
    assert np.array_equal(patterns, shipped_patterns())


@pytest.mark.jit_off
@pytest.mark.parametrize("place", [28, 29, 200_000, 400_000])
def test_a_wrong_byte_among_the_compressed_patterns_is_noticed(copy: Path, place: int) -> None:
    # Some cannot be decompressed any more, some give other numbers.
    content = bytearray(copy.read_bytes())
    content[place] ^= 1
    copy.write_bytes(content)
    with pytest.raises(PatternsError, match="cannot be read"):
        load_patterns(copy)
