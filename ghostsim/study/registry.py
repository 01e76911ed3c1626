"""The list of studies: names, questions and options, without importing any of them."""

from __future__ import annotations

import difflib
import importlib
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ghostsim.errors import GhostsimError

if TYPE_CHECKING:
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
    """

    name: str
    question: str
    details: str
    tables: tuple[str, ...]
    models: tuple[str, ...] = ("solo",)
    is_simulation: bool = False

    def run(self, parameters: Parameters, announce: Announce) -> StudyResult:
        """Compute the study; imports its module now."""
        if parameters.model not in self.models:
            raise StudyError(
                f"{self.name} has no model {parameters.model!r}: there is {', '.join(self.models)}"
            )
        if self.is_simulation and not parameters.deals:
            raise StudyError(f"{self.name} is a simulation: --deals must be 2 or more")
        module = importlib.import_module(f"ghostsim.study.{self.name.replace('-', '_')}")
        result: StudyResult = module.run(parameters, announce)
        return result


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
    is_simulation=True,
)

STUDIES: dict[str, Study] = {
    study.name: study for study in (_BID_SUCCESS, _DEFENCE_MODEL, _SWAP_VALUE)
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
