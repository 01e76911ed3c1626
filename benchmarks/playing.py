"""The card table: deals and whole games, compiled and through the referee."""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from typing import Any

from measure import Bar, Row, Work, in_turn, rates, ratios, say, sized, warm_up

#: Issue 4's bar for strategies that bid by the count or by the odds.
PLAY_BAR = Bar(500_000, at_least=True)
STRATEGIES = ("random", "novice", "steady", "odds", "peek")


def _deals(names: Sequence[str], deals: int, **how: Any) -> Work:
    from ghostsim.simulate.games import play_deals

    # Other deals in every round.
    return lambda number: len(play_deals(names, deals, start=number * deals, n_jobs=1, **how))


def _openspiel(playouts: int) -> Work | None:
    """Random playouts of OpenSpiel's four-player euchre, driven from Python; None without it."""
    try:
        import pyspiel  # type: ignore[import-not-found]  # large, and for this comparison only
    except ModuleNotFoundError:
        say("  skipped: OpenSpiel (pip install open_spiel)")
        return None
    game = pyspiel.load_game("euchre")

    def work(number: int) -> int:
        lots = random.Random(number)
        for _ in range(playouts):
            state = game.new_initial_state()
            while not state.is_terminal():
                if state.is_chance_node():  # who deals, and every card: all outcomes as likely
                    outcomes = state.chance_outcomes()
                    state.apply_action(outcomes[int(lots.random() * len(outcomes))][0])
                else:
                    state.apply_action(lots.choice(state.legal_actions()))
        return playouts

    return work


def play() -> list[Row]:
    """Deals from the auction to the points, one core: compiled, and by the referee in Python."""
    counts = {name: sized(10_000 if name == "peek" else 200_000) for name in STRATEGIES}
    works = {name: _deals([name] * 3, counts[name], engine="compiled") for name in STRATEGIES}
    referee = {name: sized(1_000, 100) for name in ("random", "steady", "odds")}
    works |= {
        f"{name}, referee": _deals([name] * 3, count, engine="referee")
        for name, count in referee.items()
    }
    counts |= {f"{name}, referee": count for name, count in referee.items()}
    peer, playouts = "OpenSpiel's euchre, four random players", sized(2_000)
    openspiel = _openspiel(playouts)
    if openspiel is not None:
        works[peer], counts[peer] = openspiel, playouts
    warm_up(works)
    timings = in_turn(works, 7)
    speeds = {name: rates(counts[name], timing) for name, timing in timings.items()}
    notes = {
        "steady": "bar of the compiled game",
        "odds": "bar of the compiled game",
        peer: "another euchre: four players, five cards; the game is compiled, the loop is Python",
    }
    rows = [
        Row(
            f"three {name}" if name != peer else peer,
            "deals/s",
            speeds[name],
            PLAY_BAR if name in ("steady", "odds") else None,
            notes.get(name, ""),
        )
        for name in works
    ]
    rows += [
        Row(
            f"three {name}, compiled over referee",
            "x",
            ratios(speeds[name], speeds[f"{name}, referee"]),
        )
        for name in referee
    ]
    if openspiel is not None:
        rows.append(
            Row("three random, over OpenSpiel", "x", ratios(speeds["random"], speeds[peer]))
        )
    return rows


def play_games() -> list[Row]:
    """Whole games to 32 by three `odds`, 20,000 of them on one core and on two."""
    from ghostsim.simulate.games import play_games as play_whole_games

    n = sized(20_000)

    def games(n_jobs: int) -> Callable[[int], int]:
        return lambda number: int(
            play_whole_games(["odds"] * 3, n, start=number * n, n_jobs=n_jobs).deals.sum()
        )

    works: dict[str, Work] = {"1 core": games(1), "2 cores": games(2)}
    warm_up(works)
    timings = in_turn(works, 5)
    rows = [
        Row(f"games of three odds, {cores}", "games/s", rates(n, timing))
        for cores, timing in timings.items()
    ]
    per_deal = [
        tuple(
            deals / seconds for deals, seconds in zip(timing.results, timing.seconds, strict=True)
        )
        for timing in timings.values()
    ]
    rows += [
        Row(f"deals of these games, {cores}", "deals/s", values)
        for cores, values in zip(timings, per_deal, strict=True)
    ]
    seconds = {cores: timing.seconds for cores, timing in timings.items()}
    rows.append(Row("2 cores over 1", "x", ratios(seconds["1 core"], seconds["2 cores"])))
    return rows


def tabulate() -> list[Row]:
    """Tabulating `odds` for one set of rules: every hand, every standing bid, every ghost."""
    from ghostsim import Rules
    from ghostsim.strategies.compiled import setting_of
    from ghostsim.strategies.odds import Odds

    # Other rules in every round: what has been tabulated is kept.
    works: dict[str, Work] = {
        "odds": lambda number: setting_of([Odds()], Rules(moon_points=30 + number))
    }
    warm_up(works)
    return [Row("tabulating odds, all cores", "s", in_turn(works, 5)["odds"].seconds)]
