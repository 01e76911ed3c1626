"""The list of studies: names, questions and options, without importing any of them."""

from __future__ import annotations

import difflib
import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

from ghostsim.errors import GhostsimError

if TYPE_CHECKING:
    from ghostsim.simulate.runner import Runner
    from ghostsim.study.result import Announce, Parameters, StudyResult


class StudyError(GhostsimError):
    """A study that does not exist, or an option it does not take."""


@dataclass(frozen=True)
class Study:
    """One question the package answers.

    Attributes
    ----------
    name : str
        As on the command line.
    question : str
        One sentence.
    details : str
        What the help says of the method and the tables.
    tables : tuple of str
        The tables it makes, the one that ``--format csv`` prints first.
    models : tuple of str
        What ``--model`` may be, the default first.
    is_simulation : bool
        Whether its answer is estimated from random deals, and not only checked by them.
    is_played : bool
        Whether strategies play it at a table, so that it takes ``--strategies``.
    watched : str
        What ``--precision`` narrows down, as the help says it, with its unit.
    unit : str
        What it simulates: ``"deals"``, or ``"games"`` to the target.
    count : int
        How many of them if not told.
    """

    name: str
    question: str
    details: str
    tables: tuple[str, ...]
    watched: str
    models: tuple[str, ...] = ("solo",)
    is_simulation: bool = False
    is_played: bool = False
    unit: Literal["deals", "games"] = "deals"
    count: int = 200_000

    def run(
        self, parameters: Parameters, announce: Announce, runner: Runner | None = None
    ) -> StudyResult:
        """Compute the study; imports its module now.

        Parameters
        ----------
        parameters : Parameters
        announce : Announce
        runner : Runner, optional
            Runs its simulations, to the precision of the parameters; left out, one with their jobs.
        """
        if parameters.model not in self.models:
            raise StudyError(
                f"{self.name} has no model {parameters.model!r}: there is {', '.join(self.models)}"
            )
        if self.is_simulation and not getattr(parameters, self.unit):
            raise StudyError(f"{self.name} is a simulation: --{self.unit} must be 2 or more")
        if self.is_played != (parameters.strategies is not None):
            does = "needs" if self.is_played else "takes no"
            raise StudyError(f"{self.name} {does} strategies")
        module = importlib.import_module(f"ghostsim.study.{self.name.replace('-', '_')}")
        from ghostsim.simulate.runner import Runner
        from ghostsim.study.stopping import with_stops

        runner = runner or Runner(n_jobs=parameters.n_jobs, watcher=announce.watcher())
        runner.precision = parameters.precision
        result: StudyResult = module.run(parameters, announce, runner)
        return with_stops(result, runner.stops, in_answer=self.is_simulation)


_SWAP_VALUE = Study(
    name="swap-value",
    question="Should you trade a hand you dislike for one nobody has seen?",
    details="""\
For each of the 18,133 kinds of hand this compares two exact numbers: the points a deal that the
hand is worth if you keep it, and the mean points of the hand you would get for it, over all
18,564 ghosts. "Solo" means that nobody else bids: you make the best bid in the best trump, or
pass for 0. Each layout is played double dummy: all three see all cards, and both defenders play
together against you. That is a way to value hands, not a forecast of real play. A simulation then
checks the exact numbers by dealing, swapping, solving and counting.

tables:
  headline    value of keeping, of swapping, of having the choice; share of hands that should swap
  by_holding  the gain by longest trump holding, bowers in it, and aces outside it
  count_rule  the gain by a hand count, and what a rule of thumb on it loses
  break_even  the hands for which it matters least
  check       exact numbers beside simulated ones, with intervals
  classes     one row for each of the 18,133 kinds of hand""",
    tables=("by_holding", "headline", "count_rule", "break_even", "check", "classes"),
    watched="the value of having the choice (points a deal)",
)

_BID_SUCCESS = Study(
    name="bid-success",
    question="How often does each bid make, and which bid is worth most?",
    details="""\
For each of the 18,133 kinds of hand this counts, over all 17,153,136 layouts of the other cards,
how often a bid of 3, 4, 5 and the moon makes in the trump that makes it most often, and what each
bid scores on average in the trump that scores most. Exact under P_coalition: each layout is
played double dummy, all three see all cards, and both defenders play together against the
declarer. That is a way to value hands, not a forecast of real play. A simulation checks the exact
numbers.

tables:
  bids        P(make) and mean points of each bid over all hands, and how often it is best
  by_holding  the same by longest trump holding, bowers in it, and aces outside it
  check       exact numbers beside simulated ones, with intervals
  classes     one row for each of the 18,133 kinds of hand""",
    tables=("by_holding", "bids", "check", "classes"),
    watched="the share of deals in which the lowest bid makes",
)

_DEFENCE_MODEL = Study(
    name="defence-model",
    question="What do defenders lose by not helping each other?",
    details="""\
The same deals are played by two defences, all cards seen: the coalition, both defenders together
for as few of the declarer's tricks as they can; and selfish (max^n), every seat for its own tricks
or its own points of the deal, an indifferent one by a fixed tie rule. Seat 0 declares every hand
on which the bid is worth more than a pass. Each way to play is solved exactly; the deals are a
sample, so every number has its interval.

tables:
  by_bid      for each bid: how often it makes, how often the defences differ, by how much
  changes     share of deals by the tricks that the declarer gains
  ties        how often the tie rule decides: what changes if ties are broken the other way
  check       the coalition's share of bids made, exact and simulated""",
    tables=("by_bid", "changes", "ties", "check"),
    watched="the gain of the lowest bid from selfish defenders (points a deal)",
    is_simulation=True,
)

_GAME_LENGTH = Study(
    name="game-length",
    question="How long is a game?",
    details="""\
Whole games are played to the target by the strategies that you name, and counted: deals to the
end, redeals, moons, final scores. If all three seats are alike, the same games are played by the
built-in strategies too, each in all seats (but for random, many of whose games have no end). The
games are a sample, so every number has its interval; games that are not decided in 1,000 deals
are given up and counted, and every other number is of the decided ones. A game may be 1,000 deals
long, so --precision takes far more games than an interval that is looked at once: at 0.05 deals
about ten times as many, at 0.02 five (docs/method.md, "When to stop").

tables:
  facts         means and shares: deals, redeals, moons, what a moon does, final scores by place
  quantiles     after how many deals a part of the decided games is over
  seats         games won, final score and moons of each seat; seat 0 deals first
  by_strategy   the same games played by others
  distribution  share of games by the number of deals""",
    tables=("facts", "quantiles", "seats", "by_strategy", "distribution"),
    watched="the length of a game (deals a game)",
    models=("table",),
    is_simulation=True,
    is_played=True,
    unit="games",
    count=100_000,
)

_SEAT = Study(
    name="seat",
    question="Is first seat worse, and what is the deal worth?",
    details="""\
Every deal is played three times, dealt by seat 0, 1 and 2, so that each hand is held once from
each position: left of the dealer, right of him, and dealer. What differs is the position alone,
and differences are of the same deals. Whole games are played three times too, with the same
cards, each seat dealing first once: one for every 5 deals. Deals and games are a sample, so
every number has its interval.

tables:
  positions    points a deal by position, also of those that it declares and does not
  actions      how often each position swaps, bids, declares, is set
  differences  points a deal of one position less those of another, on the same deals
  equity       share of games won by who deals the game's first, second, third deal""",
    tables=("positions", "actions", "differences", "equity"),
    watched="the lead of the seat left of the dealer over the two others (points a deal)",
    models=("table",),
    is_simulation=True,
    is_played=True,
    count=300_000,
)

_TIE_BREAK = Study(
    name="tie-break",
    question="How often do two players tie at the target, and does the player behind ever win it?",
    details="""\
Games are played to the target. If the highest score, at the target or above, is shared, all three
play another deal, and again until one is alone on top: a player who was behind may win. This
counts how often that comes about, how many deals it takes, and who wins, by how far the third
player was behind. The games are a sample, so every number has its interval.

tables:
  ties       share of games that tie, by how many share the lead; extra deals; who wins
  by_gap     how often the player behind wins, by how many points he was behind
  extra      share of tied games by the number of extra deals
  how_won    by what the tie is decided: a moon, another bid, a declarer who is set""",
    tables=("ties", "by_gap", "extra", "how_won"),
    watched="the share of games that tie at the target",
    models=("table",),
    is_simulation=True,
    is_played=True,
    unit="games",
    count=500_000,
)

_REVOKE = Study(
    name="revoke",
    question="What does a revoke pay, and how likely must it be found out for honesty to win?",
    details="""\
The same deals are played honestly and with a cheat in one seat, each seat in turn. The cheat
revokes in one simple way: where he must follow a plain suit and cannot win, he ruffs. He does so in
one trick only, so that what changes is what that revoke changed; and then wherever he can. The
break-even chance of being found out is what a revoke gains over the penalty for it. The deals are a
sample, so every number has its interval.

tables:
  by_role     one revoke, by the cheat's role: what it brings him, break-even; and always cheating
  sides       what it brings the declarer, and both defenders
  situations  the same by role, number of the trick, and place in it
  always      a seat that revokes at every chance, by the chance of being found out""",
    tables=("by_role", "sides", "situations", "always"),
    watched="the gain of a seat that always cheats and is never found out (points a deal)",
    models=("table",),
    is_simulation=True,
    is_played=True,
)

_MOON = Study(
    name="moon",
    question="When should you shoot the moon, and what do its points buy?",
    details="""\
First exactly, by the odds of all 134,596 hands, each played double dummy against both defenders:
which hands should shoot, how often the moon must make to be worth more than the next best bid, and
how that moves with the points it scores and costs. Then at a table, by playing games: how often the
moon is bid and made, what it brings beside the same deals if it scored only its six tricks, and who
wins. For each number of points odds counts all hands anew.

tables:
  when            exact: by trumps, bowers and aces, the hands that should shoot, and break-even
  thumb           exact, solo: rules of thumb, what they lose to the exact odds
  thumb_at_table  simulated: a seat that shoots by its hand count, games won and points a deal
  standing        exact: the same over a bid of somebody else
  points          exact: how often, P(make) and gain by moon_points and moon_set_points
  at_table        simulated: how often bid and made, what its points bring and decide
  players         simulated: games won by what a player did with moons
  table_points    simulated: deals by moon_points and moon_set_points
  table_games     simulated: games by moon_points and moon_set_points""",
    tables=(
        "when",
        "thumb",
        "thumb_at_table",
        "standing",
        "points",
        "at_table",
        "players",
        "table_points",
        "table_games",
    ),
    watched="the share of deals in which the moon is bid",
    models=("table",),
    is_simulation=True,
    is_played=True,
    unit="games",
    count=30_000,
)

_VARIANTS = Study(
    name="variants",
    question="What does each rule change?",
    details="""\
Every rule is changed alone, and the same games and the same deals are played again, card for card;
the named variants of the rules are among these. Strategies that bid by odds take new account of the
rules. Ten deals are played for every game. Games and deals are a sample, so every number has
its interval, and differences are of the same games and deals. A game may be 1,000 deals long, so
--precision takes far more games than an interval that is looked at once: at 0.05 deals about ten
times as many, at 0.02 five (docs/method.md, "When to stop").

tables:
  games         deals a game
  moons         games decided by a moon
  first_dealer  games won by the first dealer
  deals         how often deals are redealt, swapped in, bid the moon, set
  declarer      points of the declarer a deal
  defenders     points of both defenders a deal
  rules         the rules that are changed, in words and as options""",
    tables=("games", "moons", "first_dealer", "deals", "declarer", "defenders", "rules"),
    watched="the length of a game under the first rules (deals a game)",
    models=("table",),
    is_simulation=True,
    is_played=True,
    unit="games",
    count=20_000,
)

STUDIES: dict[str, Study] = {
    study.name: study
    for study in (
        _BID_SUCCESS,
        _DEFENCE_MODEL,
        _SWAP_VALUE,
        _GAME_LENGTH,
        _SEAT,
        _TIE_BREAK,
        _REVOKE,
        _MOON,
        _VARIANTS,
    )
}


def find_study(name: str) -> Study:
    """The study of a name; an error that suggests the nearest one if there is none."""
    if not isinstance(name, str):
        raise StudyError(f"a study is named by a text, not {name!r}")
    if name in STUDIES:
        return STUDIES[name]
    near = difflib.get_close_matches(name, STUDIES, n=1, cutoff=0.4)
    hint = f"did you mean {near[0]!r}? " if near else ""
    raise StudyError(f"there is no study {name!r}: {hint}the studies are {', '.join(STUDIES)}")
