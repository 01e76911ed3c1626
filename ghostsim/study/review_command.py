"""The command ``review``: hands that were played in, what each card cost out."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from ghostsim.study.options import add_command, rules_from
from ghostsim.study.position_lines import TEXT_HELP, LineError, add_input, read_positions
from ghostsim.study.solve_command import add_defence, add_format, card_columns, check_bid

if TYPE_CHECKING:
    import argparse

    from ghostsim.replay import Review

DETAILS = f"""\
{TEXT_HELP} Here the plays are what is judged. Examples:
  review JS JC AS KS AH 9D / QS TS 9S AC KC QC / TC 9C KH QH JH TH --trump S --plays "AH AC KH"
  review --file hands.txt --trump H --bid 4 --format csv > plays.csv
  review --file hands.txt --trump H --cards --format csv > cards.csv

Each card is compared with the best one, all cards seen: what it cost says how the hand could have
gone, not how well it was played by what its player knew. docs/solver.md describes the columns."""


def add(commands: Any, name: str) -> None:
    parser = add_command(
        commands, name, "replay a hand: which cards cost something, whose, and how much", DETAILS
    )
    add_input(parser)
    add_defence(parser)
    output = parser.add_argument_group("output")
    output.add_argument(
        "--cards", action="store_true", help="CSV of every card that could have been played"
    )
    add_format(output)
    parser.set_defaults(run=run)


def run(options: argparse.Namespace) -> int:
    """Read, review and print hands, some thousand at a time."""
    from ghostsim.notation import Record, parse_record
    from ghostsim.replay import review

    if options.cards and options.format != "csv":
        raise LineError("--cards is for --format csv")
    rules = rules_from(options.rules, options.rule)
    how: dict[str, Any] = {"defence": options.defence, "objective": options.objective}

    def read(line: str, **settings: str) -> Record:
        record = parse_record(line, **settings)
        check_bid(record.start, options, rules)
        return record

    printed = False
    for lines in read_positions(options, read):
        found = [
            (number, review(record.start, record.plays, rules=rules, **how))
            for number, record in lines.items
        ]
        sys.stdout.write(_text(found, options, lines.is_alone, printed))
        sys.stdout.flush()
        printed = True
    return 0


def _text(
    found: list[tuple[int, Review]], options: argparse.Namespace, alone: bool, printed: bool
) -> str:
    if options.format == "json":
        return "".join(_json(number, review) + "\n" for number, review in found)
    if options.format == "csv":
        import pandas as pd

        columns = ["line", *_COLUMNS]
        if options.cards:
            columns = ["line", "play", "trick", "played", *card_columns(options.defence)]
        # The same columns for all. As objects whole numbers stay whole where some are missing.
        frames = [
            review.to_frame(options.cards)
            .assign(line=number)
            .reindex(columns=columns)
            .astype(object)
            for number, review in found
        ]
        frame = pd.concat(frames, ignore_index=True)
        text: str = frame.to_csv(index=False, header=not printed, lineterminator="\n")
        return text
    if alone:
        return _shown(found[0][1]) + "\n"
    return "".join(f"line {number}\n{review}\n\n" for number, review in found)


#: The columns of ``Review.to_frame``, also where there is no bid, or no card was played.
_COLUMNS = (
    *("play", "trick", "seat", "card", "declarer_tricks_before", "declarer_tricks_after"),
    *("cost", "is_mistake", "best", "cost_in_points"),
)


def _json(number: int, review: Review) -> str:
    answer = {
        "line": number,
        "position": (review.plays[0].values.position if review.plays else review.end).to_dict(),
        "declarer_tricks": review.worth,
        "lost": list(review.lost),
        "end": review.end.to_dict(),
        "plays": review.to_frame().to_dict(orient="records"),
    }
    return json.dumps(answer)


def _shown(review: Review) -> str:
    """One hand for people: what was lost, then every card."""
    from ghostsim.study.result import aligned

    frame = review.to_frame()
    if frame.empty:
        return str(review)
    shown = frame.drop(columns=["play", "is_mistake"]).map(str)
    shown[["cost", *({"cost_in_points"} & set(shown))]] = shown[
        ["cost", *({"cost_in_points"} & set(shown))]
    ].replace("0", "-")
    headings = {"declarer_tricks_before": "before", "declarer_tricks_after": "after"}
    headings["cost_in_points"] = "cost in points"
    shown = shown.rename(columns=headings)
    return f"{review}\n\ntricks of the declarer before and after each card\n{aligned(shown)}"
