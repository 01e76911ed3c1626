"""One hand: what every bid is worth, and whether to swap it."""

from __future__ import annotations

import json
from dataclasses import dataclass

import pandas as pd

from ghostsim.cards import Suit
from ghostsim.odds import (
    BidTable,
    SoloValue,
    TrickDistribution,
    bid_table,
    solo_value,
    swap_value,
)
from ghostsim.rules import Bid, Rules
from ghostsim.study.hands import MODEL_NOTE, percent, points, rules_note, signed_points, whole
from ghostsim.study.result import aligned, wrapped


@dataclass(frozen=True)
class HandAnswer:
    """What a player may do with a hand.

    Attributes
    ----------
    table : BidTable
    value : SoloValue
        The best bid, or a pass.
    swap_points : float or None
        What the ghost is worth instead; None if the hand cannot be traded (any more).
    distribution : TrickDistribution or None
        The tricks it takes under one trump, if one was asked for.
    """

    table: BidTable
    value: SoloValue
    swap_points: float | None
    distribution: TrickDistribution | None = None

    @property
    def verdict(self) -> str:
        """One sentence: what to do, and by how much."""
        keep = self.value.points
        if self.swap_points is None:
            return f"{self._action()}: {points(keep)} points a deal (exact)."
        gain = self.swap_points - keep
        if gain > 0:
            return (
                f"Swap: the ghost is worth {points(self.swap_points)} points a deal, this hand "
                f"{points(keep)} ({self._action().lower()}); the swap gains {points(gain)} (exact)."
            )
        return (
            f"Keep it and {self._action().lower()}: {points(keep)} points a deal; the ghost is "
            f"worth {points(self.swap_points)}, a swap loses {points(-gain)} (exact)."
        )

    def _action(self) -> str:
        if self.value.bid is None or self.value.trump is None:
            return "Pass"
        return f"Bid {self.value.bid} in {self.value.trump.name.lower()}"

    def text(self) -> str:
        """The verdict, then every bid in every trump."""
        frame = self.table.to_frame().set_index(["trump", "bid"])
        rows = []
        for suit in Suit:
            row = {"trump": suit.name.lower()}
            for bid in self.table.rules.bids:
                row[f"P(make {bid})"] = percent(frame["p_make"][suit.letter, int(bid)])
            for bid in self.table.rules.bids:
                row[f"points {bid}"] = signed_points(frame["points"][suit.letter, int(bid)])
            rows.append(row)
        dead = f", dead {self.value.dead}" if self.value.dead else ""
        table = aligned(pd.DataFrame(rows))
        if self.distribution is not None:
            table += f"\n\n{self._tricks_text(self.distribution)}"
        notes = "\n".join(wrapped(note) for note in (MODEL_NOTE, rules_note(self.table.rules)))
        return f"{self.value.hand}{dead}\n{wrapped(self.verdict)}\n\n{table}\n\n{notes}"

    def frame(self) -> pd.DataFrame:
        """The tidy table: tricks under the trump asked for, or else every bid in every trump."""
        return (self.distribution or self.table).to_frame()

    def _tricks_text(self, distribution: TrickDistribution) -> str:
        frame = distribution.to_frame()
        shown = pd.DataFrame(
            {
                "tricks": frame["tricks"].map(str),
                "layouts": frame["layouts"].map(whole),
                "exactly": frame["p"].map(percent),
                "at least": frame["p_at_least"].map(percent),
            }
        )
        named = distribution.trump.name.lower()
        return (
            f"tricks with {named} trump, {distribution.layouts:,} layouts, mean "
            f"{distribution.mean:.3f}\n\n{aligned(shown)}"
        )

    def json(self) -> str:
        """The same as plain values."""
        value = self.value
        answer: dict[str, object] = {
            "hand": str(value.hand),
            "dead": None if value.dead is None else str(value.dead),
            "verdict": self.verdict,
            "bid": None if value.bid is None else str(value.bid),
            "trump": None if value.trump is None else value.trump.letter,
            "keep_points": value.points,
            "swap_points": self.swap_points,
            "bids": [
                {**row, "bid": str(Bid(row["bid"]))}
                for row in self.table.to_frame().to_dict(orient="records")
            ],
            "rules": self.table.rules.to_dict(),
        }
        if self.distribution is not None:
            tricks = self.distribution.to_frame().to_dict(orient="records")
            named = self.distribution.trump.letter
            answer["tricks"] = {"trump": named, "distribution": tricks}
        return json.dumps(answer, indent=2) + "\n"


def hand_answer(cards: str, dead: str | None, rules: Rules, trump: str | None = None) -> HandAnswer:
    """All that the odds say about a hand; with a dead hand it has been got by the swap."""
    named = None if trump is None else Suit.parse(trump, "trump")
    table = bid_table(cards, dead, rules)
    may_swap = dead is None and rules.swaps_per_deal > 0
    return HandAnswer(
        table=table,
        value=solo_value(table.hand, table.dead, rules),
        swap_points=swap_value(table.hand, rules) if may_swap else None,
        distribution=None if named is None else table.distributions[named],
    )
