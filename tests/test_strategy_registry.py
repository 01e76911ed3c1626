"""Strategies by name, from installed packages and from files, and what the errors say."""

from __future__ import annotations

import re
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import joblib
import pytest

from ghostsim.cards import Card, Suit
from ghostsim.rules import STANDARD, Bid
from ghostsim.strategies import (
    Novice,
    Odds,
    Random,
    Steady,
    Strategy,
    StrategyError,
    check_strategies,
    describe_strategies,
    find_strategy,
    strategy_names,
)
from ghostsim.table.game import play_game
from ghostsim.table.view import View

BUILT_IN = ("random", "novice", "steady", "odds", "cheat", "peek")

#: A user's own strategy, with one parameter of each kind.
BOLD = '''\
from __future__ import annotations

from dataclasses import dataclass

from ghostsim.cards import Card, Hand, Suit
from ghostsim.rules import Bid
from ghostsim.strategies import Strategy


@dataclass(frozen=True)
class Bold(Strategy):
    """Bids one more than it should."""

    more: int = 1
    luck: float = 0.5
    loud: bool = False
    motto: str = "up"

    def bid(self, view):
        hope = Hand(view.hand).best_holding().trumps + self.more
        return next((bid for bid in view.bids if bid == hope), None)

    def name_trump(self, view):
        return max(Suit, key=Hand(view.hand).holding)

    def play(self, view):
        return view.legal[0]


BOLDER = Bold(more=2)
NUMBER = 7


class Unfinished(Strategy):
    def bid(self, view):
        return None


class Needy(Unfinished):
    def __init__(self, friend):
        self.friend = friend

    name_trump = play = Unfinished.bid


class Stranger:
    pass
'''


@pytest.fixture
def bold(tmp_path: Path) -> str:
    """The path of a file of strategies."""
    path = tmp_path / "my strategies.py"
    path.write_text(BOLD, encoding="utf-8")
    return str(path)


def refusal(strategy: Any) -> str:
    """What the error says of something that is no strategy."""
    with pytest.raises(StrategyError) as caught:
        find_strategy(strategy)
    return str(caught.value)


# --------------------------------------------------------------------------------------- built in


@pytest.mark.jit_off
def test_built_in_names() -> None:
    assert strategy_names() == BUILT_IN
    for name in BUILT_IN:
        assert find_strategy(name).name == name
        assert type(find_strategy(name)).__name__.lower() == name


@pytest.mark.jit_off
def test_parameters_in_writing() -> None:
    assert find_strategy("steady:four=7,moon=9") == Steady(four=7, moon=9)
    assert find_strategy("steady:moon=9,four=7").name == "steady:four=7,moon=9"
    assert find_strategy("odds:open_points=-1,over_points=.5") == Odds(-1.0, 0.5)
    assert find_strategy("odds:over_points=1e-3") == Odds(over_points=0.001)
    assert find_strategy("cheat:tricks=123").name == "cheat:tricks=123"


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "stedy",
            "there is no strategy 'stedy': did you mean 'steady'? the strategies are random,",
        ),
        ("Steady", "there is no strategy 'Steady': did you mean 'steady'?"),
        ("xyz", "there is no strategy 'xyz': the strategies are random, novice, steady, odds,"),
        ("", "there is no strategy '': the strategies are"),
        ("steady ", "there is no strategy 'steady '"),
        ("steady:", "'steady:': '' is not a parameter: write steady:NAME=VALUE"),
        ("steady:four", "'four' is not a parameter"),
        ("steady:four=7,", "'' is not a parameter"),
        (
            "steady:fuor=7",
            "steady has no parameter 'fuor': did you mean 'four'? the parameters of ",
        ),
        ("steady:x=7", "steady are three=4, four=5, five=6, moon=7, swap_below=5"),
        ("steady: four=7", "steady has no parameter ' four'"),
        ("novice:four=7", "novice has no parameter 'four': novice has no parameters"),
        ("steady:four=7,four=8", "four is given twice"),
        ("steady:four=", "steady: four must be a whole number, not ''"),
        ("steady:four=7.5", "steady: four must be a whole number, not '7.5'"),
        ("steady:four=1_0", "must be a whole number, not '1_0'"),
        ("steady:four=٧", "must be a whole number, not '٧'"),
        ("steady:four=21", "'steady:four=21': steady: four must be a hand count from 0 to 20"),
        ("odds:over_points=nan", "odds: over_points must be a number, like 0.8, not 'nan'"),
        ("odds:over_points=1e9", "odds: over_points must be points from -1000 to 1000"),
        ("cheat:tricks=78", "cheat: tricks must be digits 1 to 6"),
    ],
)
def test_texts_that_name_no_strategy(text: str, message: str) -> None:
    assert message in refusal(text)


@pytest.mark.jit_off
def test_descriptions() -> None:
    described = {about.name: about for about in describe_strategies()}
    assert tuple(described) == BUILT_IN
    assert described["steady"].parameters == {
        "three": 4,
        "four": 5,
        "five": 6,
        "moon": 7,
        "swap_below": 5,
    }
    assert str(described["novice"]) == (
        "novice: Bids as many tricks as it counts trumps, leads from the top, and wins as high as "
        "it can."
    )
    assert str(described["cheat"]).startswith(
        "cheat (open_points=0.0, over_points=0.0, tricks=123456): Bids and plays as odds does, but"
    )
    for about in described.values():
        assert re.fullmatch(r"[A-Z][^.]*\.", about.description), "one sentence"


def test_importing_strategies_is_light() -> None:
    code = (
        "import sys\n"
        "from ghostsim.strategies import describe_strategies, find_strategy\n"
        "describe_strategies(); find_strategy('odds'); find_strategy('peek')\n"
        "print(*sorted({'numpy', 'numba', 'pandas', 'joblib', 'matplotlib'} & set(sys.modules)))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""


# ---------------------------------------------------------------------------------------- objects


class Quiet:
    """No subclass of anything, but it does what a strategy does."""

    name = "quiet"
    sees_all_cards = False

    def swap(self, view: View) -> bool:
        return False

    def bid(self, view: View) -> Bid | None:
        return view.bids[0] if view.bids and view.is_dealer else None

    def name_trump(self, view: View) -> Suit:
        return Suit.SPADES

    def play(self, view: View) -> Card:
        return view.legal[0]


@pytest.mark.jit_off
def test_objects_are_returned_as_they_are() -> None:
    quiet: Any = Quiet()
    assert find_strategy(quiet) is quiet
    steady = Steady(four=7)
    assert find_strategy(steady) is steady
    record = play_game(check_strategies([quiet, "novice", steady]), seed=5)
    assert record.winner is not None
    assert record.strategies == ("quiet", "novice", "steady:four=7")


@pytest.mark.jit_off
def test_objects_that_are_no_strategies() -> None:
    wrong: list[tuple[Any, str]] = [
        (7, "7 is not a strategy: it lacks swap, bid, name_trump, play, name, sees_all_cards"),
        (None, "None is not a strategy"),
        (Path("mine.py"), "is not a strategy: it lacks swap, bid, name_trump, play, sees_all"),
        (Steady, r"strategy Steady is a class: call it to make one, like Steady\(\)"),
        (Strategy, "strategy Strategy is a class"),
    ]
    for thing, message in wrong:
        with pytest.raises(TypeError, match=message):
            find_strategy(thing)
    half: Any = type("Half", (), {"name": "half", "bid": print, "play": 3, "swap": print})()
    with pytest.raises(
        TypeError, match=r"it lacks name_trump, play, sees_all_cards \(a subclass of ghostsim"
    ):
        find_strategy(half)


@pytest.mark.jit_off
def test_three_strategies() -> None:
    novice = Novice()
    assert check_strategies(("random", novice, "steady:moon=8")) == (
        Random(),
        novice,
        Steady(moon=8),
    )
    for given, error, message in [
        (["odds", "steady"], StrategyError, "strategies must be three, by seat, not 2"),
        (["odds"] * 4, StrategyError, "strategies must be three, by seat, not 4"),
        (["odds", "stedy", "odds"], StrategyError, "seat 1: there is no strategy 'stedy'"),
        (["odds", "odds", 7], TypeError, "seat 2: 7 is not a strategy"),
        (["odds", "odds", Steady], TypeError, "seat 2: strategy Steady is a class"),
        ("odds", TypeError, "strategies must be three, by seat, .* not 'odds'"),
        (7, TypeError, "not 7"),
    ]:
        with pytest.raises(error, match=message):
            check_strategies(given)  # type: ignore[arg-type]  # which is the point


@pytest.mark.jit_off
def test_a_strategy_must_decide_everything() -> None:
    class Half(Strategy):
        def bid(self, view: View) -> Bid | None:
            return None

    with pytest.raises(TypeError, match="name_trump"):
        Half()  # type: ignore[abstract]  # which is the point


@pytest.mark.jit_off
def test_names_of_users_strategies() -> None:
    @dataclass(frozen=True)
    class Loud(Quiet, Strategy):
        volume: int
        words: tuple[str, ...] = ()

        name = Strategy.name

    assert Loud(3).name == "loud:volume=3"  # no default to leave it out for

    class Named(Quiet, Strategy):
        pass

    assert Named().name == "quiet"
    assert not Named().sees_all_cards
    hand = (Card("JS"),)
    view = View(rules=STANDARD, seat=0, dealer=0, scores=(0, 0, 0), hand=hand)
    assert Strategy.swap(Named(), view) is False


# ------------------------------------------------------------------------------------ from a file


@pytest.mark.jit_off
def test_a_strategy_in_a_file(bold: str) -> None:
    found = find_strategy(f"{bold}:Bold")
    assert found.name == "bold"
    assert find_strategy(f"{bold}:BOLDER").name == "bold:more=2"
    assert find_strategy(f"{bold}:Bold:more=0,luck=1,loud=True,motto=down").name == (
        "bold:more=0,luck=1.0,loud=True,motto=down"
    )
    record = play_game(check_strategies([f"{bold}:Bold", "novice", "steady"]), seed=2)
    assert record.winner is not None
    assert record.strategies == ("bold", "novice", "steady")


def test_a_strategy_in_a_file_can_be_sent_to_other_processes(bold: str) -> None:
    found = find_strategy(f"{bold}:Bold:more=2")
    calls = [joblib.delayed(getattr)(found, "name") for _ in range(2)]
    assert joblib.Parallel(n_jobs=2, backend="loky")(calls) == ["bold:more=2"] * 2


@pytest.mark.jit_off
@pytest.mark.parametrize(
    ("rest", "message"),
    [
        ("", "name the class too, like "),
        (":", "name the class too, like "),
        (
            ":Bald",
            "my strategies.py has no 'Bald': its classes are Bold, Unfinished, Needy, Strange",
        ),
        (":NUMBER", "7 is not a strategy: it lacks"),
        (":BOLDER:more=3", "BOLDER is an object and takes no parameters"),
        (":Bold:mor=3", "Bold has no parameter 'mor': did you mean 'more'?"),
        (":Bold:more=x", "Bold: more must be a whole number, not 'x'"),
        (":Bold:loud=yes", "Bold: loud must be True or False, not 'yes'"),
        (":Unfinished", "Unfinished cannot be made: TypeError: Can't instantiate abstract class"),
        (":Needy", "Needy cannot be made: TypeError: "),
        (
            ":Stranger",
            "is not a strategy: it lacks swap, bid, name_trump, play, name, sees_all_cards",
        ),
    ],
)
def test_files_that_do_not_have_it(bold: str, rest: str, message: str) -> None:
    said = refusal(bold + rest)
    assert message in said
    assert "my strategies.py" in said


@pytest.mark.jit_off
def test_files_that_cannot_be_run(tmp_path: Path) -> None:
    assert refusal("no/such/file.py:Bold").startswith("strategy file no/such/file.py is not there")
    assert "is not there" in refusal(f"{tmp_path}.py:Bold")
    for text, message in [
        ("def f(:", r"broken.py cannot be run: SyntaxError: "),
        ("1 / 0", r"broken.py cannot be run: ZeroDivisionError: division by zero"),
        ("import no_such_module", "cannot be run: ModuleNotFoundError: No module named"),
        ("x = 1", "broken.py has no 'Bold': it defines no class"),
        ("class Bold:\n    def __init__(self): 1 / 0", "Bold cannot be made: ZeroDivisionError"),
    ]:
        (tmp_path / "broken.py").write_text(text)
        assert message in refusal(f"{tmp_path / 'broken.py'}:Bold")
    assert not [name for name in sys.modules if "broken" in name]


@pytest.mark.jit_off
def test_a_strategy_of_a_file_cannot_pass_for_a_built_in_one(tmp_path: Path) -> None:
    (tmp_path / "imposter.py").write_text(
        "from ghostsim.strategies import Novice\nclass Steady(Novice):\n    pass\nCOPY = Novice()\n"
    )
    message = refusal(f"{tmp_path / 'imposter.py'}:Steady")
    assert "calls itself 'steady', which is another that is built in" in message
    assert find_strategy(f"{tmp_path / 'imposter.py'}:COPY") == Novice()


def test_parameters_of_a_union_of_types(tmp_path: Path) -> None:
    (tmp_path / "union.py").write_text(
        "from dataclasses import dataclass\nfrom ghostsim.strategies import Novice\n"
        "@dataclass(frozen=True)\nclass Opt(Novice):\n    x: int | None = None\n"
    )
    assert "x" in refusal(f"{tmp_path / 'union.py'}:Opt:x=3")


def test_parameters_that_cannot_be_written(tmp_path: Path) -> None:
    source = BOLD.replace("    more: int = 1\n", "    seats: tuple = ()\n    more: int = 1\n")
    (tmp_path / "odd.py").write_text(source)
    said = refusal(f"{tmp_path / 'odd.py'}:Bold:seats=1")
    assert "Bold: seats cannot be given in a text: it is a tuple, not an int, float" in said


# --------------------------------------------------------------------------- of installed packages


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A package that registers strategies, as pip would have installed it."""
    (tmp_path / "bold_for_ghosts.py").write_text(BOLD, encoding="utf-8")
    about = tmp_path / "bold_for_ghosts-1.0.dist-info"
    about.mkdir()
    (about / "METADATA").write_text("Metadata-Version: 2.1\nName: bold-for-ghosts\nVersion: 1.0\n")
    (about / "entry_points.txt").write_text(
        "[ghostsim.strategies]\n"
        "bold = bold_for_ghosts:Bold\n"
        "a-broken-one = bold_for_ghosts:Bald\n"
        "bolder = bold_for_ghosts:BOLDER\n"
        "steady = bold_for_ghosts:Bold\n"
    )
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.jit_off
@pytest.mark.usefixtures("installed")
def test_strategies_of_a_package() -> None:
    assert strategy_names() == (*BUILT_IN, "a-broken-one", "bold", "bolder")
    assert find_strategy("bold").name == "bold"
    assert find_strategy("bold:more=3").name == "bold:more=3"
    assert find_strategy("bolder").name == "bold:more=2"
    assert find_strategy("steady") == Steady()  # a name that is built in stays what it is
    assert "'boldly': did you mean 'bold'?" in refusal("boldly")


@pytest.mark.jit_off
@pytest.mark.usefixtures("installed")
def test_a_broken_package_harms_nobody_else() -> None:
    assert find_strategy("novice") == Novice()
    said = refusal("a-broken-one")
    assert said.startswith(
        "strategy 'a-broken-one' cannot be loaded from bold_for_ghosts:Bald: AttributeError: "
    )
    described = {about.name: about for about in describe_strategies()}
    assert described["a-broken-one"].description == said
    assert str(described["bold"]) == (
        "bold (more=1, luck=0.5, loud=False, motto=up): Bids one more than it should."
    )
    assert described["bolder"].parameters == {"more": 1, "luck": 0.5, "loud": False, "motto": "up"}
