"""Charts: frames in, matplotlib figures out. Nothing here computes a result."""

from __future__ import annotations

import io
import textwrap
from collections.abc import Callable, Mapping, Sequence

import matplotlib
import numpy as np
import pandas as pd
from matplotlib import style
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import FigureCanvasAgg
from matplotlib.colors import AsinhNorm, LinearSegmentedColormap, TwoSlopeNorm
from matplotlib.figure import Figure
from numpy.typing import NDArray

Frames = Mapping[str, pd.DataFrame]

#: Colours that colour-blind readers can tell apart (Okabe and Ito).
KEEP, SWAP, NEUTRAL = "#0072b2", "#d55e00", "#666666"
SUITS = {
    "S": ("spades", "#000000"),
    "C": ("clubs", "#009e73"),
    "H": ("hearts", "#d55e00"),
    "D": ("diamonds", "#e69f00"),
}


class Chart(Figure):
    """A figure of its own, which pyplot does not keep alive and which Jupyter shows as it is."""

    def __init__(self, size: tuple[float, float]) -> None:
        super().__init__(figsize=size, layout="constrained")
        FigureCanvasAgg(self)

    def _repr_png_(self) -> bytes:
        return figure_bytes(self, "png")


def new_axes(ax: Axes | None, size: tuple[float, float] = (6, 3.5)) -> Axes:
    """The given axes, or those of a new pyplot figure, as pandas does: Jupyter shows it."""
    if ax is None:
        from matplotlib import pyplot

        ax = pyplot.subplots(figsize=size, layout="constrained")[1]
        ax.spines[["top", "right"]].set_visible(False)
    return ax


def figure_bytes(figure: Figure, kind: str) -> bytes:
    """A figure as SVG or PNG, the same bytes every time."""
    buffer = io.BytesIO()
    # The salt and the missing date are what makes SVG reproducible; text stays text.
    with matplotlib.rc_context({"svg.hashsalt": "ghostsim", "svg.fonttype": "none"}):
        metadata = {"Date": None} if kind == "svg" else {"Software": None}
        figure.savefig(buffer, format=kind, dpi=150, metadata=metadata)
    return buffer.getvalue()


def trick_distribution(frame: pd.DataFrame, *, title: str, ax: Axes | None = None) -> Axes:
    """A bar for each number of tricks, with its probability."""
    ax = new_axes(ax)
    bars = ax.bar(frame["tricks"], 100 * frame["p"], color=KEEP)
    ax.bar_label(bars, labels=[f"{100 * p:.1f}" if p else "" for p in frame["p"]], fontsize=8)
    ax.set(xlabel="tricks the declarer takes", ylabel="layouts, %", title=title)
    ax.set_xticks(frame["tricks"])
    return ax


def bid_table(frame: pd.DataFrame, *, title: str, ax: Axes | None = None) -> Axes:
    """Mean points of every bid, a colour for each trump."""
    ax = new_axes(ax)
    for i, (trump, (name, colour)) in enumerate(SUITS.items()):
        rows = frame.loc[frame["trump"] == trump]
        # Side by side, for equal values not to hide each other.
        places = rows["bid"] + 0.12 * (i - 1.5)
        ax.plot(places, rows["points"], "o", color=colour, label=name)
    ax.axhline(0, color=NEUTRAL, linewidth=0.8, linestyle="--")
    bids = sorted(frame["bid"].unique())
    ax.set_xticks(bids, ["moon" if bid == 6 else str(bid) for bid in bids])
    ax.set(xlabel="bid", ylabel="mean points (a pass: 0)", title=title)
    ax.legend(title="trump", frameon=False, fontsize=8)
    return ax


def hands(rows: Sequence[tuple[str, Sequence[str]]], *, title: str, ax: Axes | None = None) -> Axes:
    """Hands as rows of cards; red suits in red."""
    ax = new_axes(ax, (6, 2.2))
    for y, (name, cards) in enumerate(rows):
        ax.text(0, -y, name, va="center")
        for x, card in enumerate(cards):
            colour = "#c22222" if card[-1] in "♥♦" else "black"
            ax.text(2.2 + 0.7 * x, -y, card, va="center", color=colour)
    ax.set(xlim=(0, 6.5), ylim=(-len(rows) + 0.4, 0.6))
    ax.set_title(_wrapped(title), fontsize=10)
    ax.set_axis_off()
    return ax


def _wrapped(title: str, width: int = 70) -> str:
    """A title in lines that fit its picture."""
    return "\n".join(textwrap.fill(line, width) for line in title.splitlines())


def _card_colour(card: str) -> str:
    """Red for a red suit."""
    return "#c22222" if card[-1] in "HD" else "black"


def card_values(
    frame: pd.DataFrame,
    *,
    title: str,
    tricks: str = "declarer_tricks",
    label: str = "tricks the declarer takes",
    ax: Axes | None = None,
) -> Axes:
    """A bar for each card, the tricks if it is played; the best cards stand out."""
    ax = new_axes(ax, (6, 3))
    colours = [KEEP if best else "#bbbbbb" for best in frame["is_best"]]
    places = np.arange(len(frame))
    bars = ax.bar(places, frame[tricks], 0.7, color=colours)
    labels = list(map(str, frame[tricks]))
    if tricks == "declarer_tricks" and "declarer_points" in frame:
        points = frame["declarer_points"]
        labels = [f"{n}\n({p:+d} points)" for n, p in zip(labels, points, strict=True)]
    ax.bar_label(bars, labels=labels, fontsize=8, padding=2)
    ax.set_xticks(places, frame["card"])
    for text in ax.get_xticklabels():
        text.set_color(_card_colour(text.get_text()))
    # Room for six cards, so that one card is not a wall.
    middle = (len(frame) - 1) / 2
    ax.set(xlim=(middle - 3, middle + 3), ylim=(0, 7.4), yticks=range(7))
    ax.set(xlabel="card played (blue: a best one)", ylabel=label)
    ax.set_title(_wrapped(title), fontsize=9)
    return ax


def review(frame: pd.DataFrame, *, title: str, ax: Axes | None = None) -> Axes:
    """The declarer's tricks with best play from each card on; the cards that cost some."""
    ax = new_axes(ax, (7, 3))
    places = np.arange(len(frame))
    if len(frame):
        # The value changes above the card that changes it.
        values = [*frame["declarer_tricks_before"], frame["declarer_tricks_after"].iloc[-1]]
        edges = [-0.5, *places, len(frame) - 0.5]
        ax.step(edges, [values[0], *values], where="pre", color=KEEP)
        names = zip(frame["card"], frame["seat"], strict=True)
        ax.set_xticks(places, [f"{card}\n{seat}" for card, seat in names])
        for x, text, card, cost, is_mistake, before, after in zip(
            range(len(frame)),
            ax.get_xticklabels(),
            frame["card"],
            frame["cost"],
            frame["is_mistake"],
            frame["declarer_tricks_before"],
            frame["declarer_tricks_after"],
            strict=True,
        ):
            text.set(fontsize=8, color=_card_colour(card))
            if is_mistake:
                ax.plot(x, after, "o", color=SWAP)
                ax.annotate(
                    f"{card}, {cost} lost",
                    (x, after),
                    xytext=(0, 7 if after > before else -17),
                    textcoords="offset points",
                    ha="center",
                    fontsize=8,
                    color=SWAP,
                )
        for edge in range(0, len(frame) + 1, 3):
            ax.axvline(edge - 0.5, color=NEUTRAL, linewidth=0.5, linestyle=":")
    ax.set(xlabel="card and seat, trick by trick", ylabel="tricks the declarer takes")
    ax.set(ylim=(-0.9, 6.9), yticks=range(7))
    ax.set_title(_wrapped(title, 90), fontsize=9)
    return ax


def swap_gain_by_holding(frames: Frames) -> Chart:
    """The swap gain of every holding: orange to swap, blue to keep."""
    figure = _grid(
        frames["by_holding"],
        {"gain": "bowers"},
        text="{:+.1f}".format,
        norm=TwoSlopeNorm(vmin=-4, vcenter=0, vmax=4),
        colours=(KEEP, SWAP),
        label="points a deal",
    )
    figure.suptitle("Swap on orange, keep on blue: mean gain of a swap, by what you hold (exact)")
    return figure


def swap_gain_by_count(frames: Frames) -> Chart:
    """What a kept hand and the ghost are worth, by the hand count, and where to keep."""
    frame = frames["count_rule"]
    counts = frame["count"]
    least = int(counts.iloc[int(frame["lost_by_rule"].argmin())])
    figure = Chart((7, 4))
    ax = figure.add_subplot()
    ax.spines[["top", "right"]].set_visible(False)
    ax.axvspan(counts.min() - 0.5, least - 0.5, color=SWAP, alpha=0.08, linewidth=0)
    ax.axvspan(least - 0.5, counts.max() + 0.5, color=KEEP, alpha=0.08, linewidth=0)
    ax.plot(counts, frame["keep_points"], marker="o", color=KEEP, label="keep the hand")
    ax.plot(counts, frame["swap_points"], marker="s", color=SWAP, label="swap for the ghost")
    share = frame["hands"] / frame["hands"].sum()
    ax.set_xticks(
        counts, [f"{count}\n{part:.1%}" for count, part in zip(counts, share, strict=True)]
    )
    ax.set_xlim(counts.min() - 0.5, counts.max() + 0.5)
    ax.set(
        xlabel="hand count: trumps + bowers + outside aces (and share of hands)",
        ylabel="mean points a deal",
        title=f"Keep with a count of {least} or more: the ghost is worth nearly the same to all",
    )
    ax.title.set_fontsize(11)
    ax.legend(frameon=False, loc="upper left")
    return figure


def bid_success_by_holding(frames: Frames) -> Chart:
    """P(make) of every bid for every holding."""
    frame = frames["by_holding"]
    prefix = "p_make_"
    bids = [name.removeprefix(prefix) for name in frame.columns if name.startswith(prefix)]
    figure = _grid(
        frame.assign(**{f"{prefix}{bid}": 100 * frame[f"{prefix}{bid}"] for bid in bids}),
        {f"{prefix}{bid}": f"{bid if bid == 'moon' else 'bid ' + bid}\nbowers" for bid in bids},
        text="{:.0f}".format,
        norm=TwoSlopeNorm(vmin=0, vcenter=50, vmax=100),
        colours=(SWAP, KEEP),
        label="P(make), %",
    )
    figure.suptitle("How often each bid makes, in percent, by what you hold (exact, P_coalition)")
    return figure


def bid_points(frames: Frames) -> Chart:
    """How often each bid makes and what it scores, over all hands."""
    frame = frames["bids"]
    frame = frame[frame["bid"] != "pass"]
    figure = Chart((7, 3.4))
    left, right = figure.subplots(1, 2)
    bars = left.bar(frame["bid"], 100 * frame["p_make"], color=KEEP)
    left.bar_label(bars, fmt="%.1f")
    left.set(xlabel="bid", ylabel="share of all layouts, %", title="how often it makes")
    colours = [KEEP if points > 0 else SWAP for points in frame["points"]]
    bars = right.bar(frame["bid"], frame["points"], color=colours)
    right.bar_label(bars, fmt="%+.2f", padding=2)
    right.axhline(0, color=NEUTRAL, linewidth=0.8)
    right.set(xlabel="bid", ylabel="mean points a deal", title="what it scores")
    right.margins(y=0.15)
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
        ax.title.set_fontsize(10)
    figure.suptitle(
        "Each bid on every hand, good or bad, in its best trump (exact, P_coalition)", fontsize=11
    )
    return figure


def defence_by_bid(frames: Frames) -> Chart:
    """How often each bid makes against each defence, and what the declarer gains by what."""
    frame, ties = frames["by_bid"], frames["ties"]
    bids = list(dict.fromkeys(frame["bid"]))
    figure = Chart((9, 3.8))
    left, right = figure.subplots(1, 2)
    points = frame[frame["objective"] == "points"]
    tricks = frame[frame["objective"] == "tricks"]
    made = [
        (points, "p_make_coalition", KEEP, "coalition"),
        (tricks, "p_make_selfish", NEUTRAL, "selfish, for tricks"),
        (points, "p_make_selfish", SWAP, "selfish, for points"),
    ]
    _bars(left, made, 100, "%.0f")
    left.set(ylabel="bids that make, %", title="hands worth the bid, by defence", ylim=(0, 119))
    gains = [(points, "points", SWAP, "selfish rather than together")]
    for whose, colour in (("defenders", "#cc79a7"), ("declarer", "#56b4e9")):
        rows = ties[(ties["objective"] == "points") & (ties["ties"] == f"{whose} reversed")]
        gains.append((rows, "points", colour, f"then: indifferent {whose} reversed"))
    _bars(right, gains, 1, "%+.2f")
    right.axhline(0, color=NEUTRAL, linewidth=0.8)
    right.set(ylabel="points a deal", title="what the declarer gains (all for points)")
    right.set_ylim(top=1.4 * right.get_ylim()[1])  # room for the legend
    for ax in (left, right):
        ax.set_xticks(range(len(bids)), bids)
        ax.set_xlabel("bid")
        ax.spines[["top", "right"]].set_visible(False)
        ax.title.set_fontsize(10)
        ax.legend(frameon=False, fontsize=8, loc="upper right", ncols=1 if ax is right else 2)
    figure.suptitle(
        "Do defenders help each other? All cards seen; bars with intervals", fontsize=11
    )
    return figure


def _bars(
    ax: Axes, bars: Sequence[tuple[pd.DataFrame, str, str, str]], scale: float, form: str
) -> None:
    """Groups of bars with their intervals: (frame, column, colour, label) of each kind."""
    for i, (frame, name, colour, label) in enumerate(bars):
        value, low, high = (
            scale * frame[column].to_numpy() for column in (name, f"{name}_low", f"{name}_high")
        )
        # Rounding may put the end of an interval a hair on the wrong side; some have none.
        reach = np.nan_to_num(np.maximum(np.stack([value - low, high - value]), 0))
        places = np.arange(len(frame)) + 0.27 * (i - 1)
        drawn = ax.bar(places, value, 0.25, yerr=reach, color=colour, label=label, ecolor="black")
        ax.bar_label(drawn, fmt=form, padding=1, fontsize=7)


def _grid(
    frame: pd.DataFrame,
    rows: Mapping[str, str],
    *,
    text: Callable[[float], str],
    norm: TwoSlopeNorm,
    colours: tuple[str, str],
    label: str,
) -> Chart:
    """A row of panels for each column of a frame by holding, a panel for each number of aces.

    In a panel bowers go up and trumps across; ``rows`` maps a column to its label, ``colours`` are
    those of its least and greatest values.
    """
    aces = sorted(frame["outside_aces"].unique())
    trumps = sorted(frame["trumps"].unique())
    size = (2.3 * len(aces) + 1.2, 1.5 * len(rows) + 1.1)
    figure = Chart(size)
    panels = figure.subplots(len(rows), len(aces), sharex=True, sharey=True, squeeze=False)
    colour_map = LinearSegmentedColormap.from_list("", [colours[0], "#ffffff", colours[1]])
    for y, (name, row_label) in enumerate(rows.items()):
        for x, n_aces in enumerate(aces):
            ax = panels[y, x]
            held = frame[frame["outside_aces"] == n_aces]
            ax.set_facecolor("#e8e8e8")  # no such hand
            cells = np.full((3, len(trumps)), np.nan)
            for n_trumps, bowers, value in zip(
                held["trumps"], held["bowers"], held[name], strict=True
            ):
                column = trumps.index(n_trumps)
                cells[bowers, column] = value
                dark = abs(float(norm(value)) - 0.5) > 0.35
                ax.text(
                    column,
                    bowers,
                    text(value),
                    ha="center",
                    va="center",
                    fontsize=8,
                    color="white" if dark else "black",
                )
            image = ax.imshow(cells, cmap=colour_map, norm=norm, origin="lower", aspect="auto")
            ax.set_xticks(range(len(trumps)), [str(n) for n in trumps])
            ax.set_yticks(range(3))
            if y == 0:
                ax.set_title(f"{n_aces} outside ace{'' if n_aces == 1 else 's'}", fontsize=9)
            if y == len(rows) - 1:
                ax.set_xlabel("trumps")
            if x == 0:
                ax.set_ylabel(row_label)
    figure.colorbar(image, ax=panels, label=label, extend="both" if norm.vmin else "neither")
    return figure


def tournament(frames: Frames) -> Chart:
    """How often each strategy wins, and who gets how many points more than whom."""
    ranking, cross = frames["ranking"], frames["cross"]
    names = list(ranking["strategy"])
    labels = [textwrap.fill(name.replace(",", ", "), 20) for name in names]
    places = np.arange(len(names))
    row = max(0.5, 0.17 * max(label.count("\n") + 2 for label in labels))
    width = 0.8 * max(3, len(names))  # of the square
    figure = Chart((4.8 + width, 2.1 + row * len(names)))
    left, right = figure.subplots(1, 2, sharey=True, width_ratios=(3.6, width + 0.6))
    value, low, high = (100 * ranking[f"win_rate{end}"].to_numpy() for end in ("", "_low", "_high"))
    # Rounding may put the end of an interval a hair on the wrong side; some have none.
    reach = np.nan_to_num(np.maximum(np.stack([value - low, high - value]), 0))
    left.axvline(100 / 3, color=NEUTRAL, linewidth=0.8, linestyle="--", zorder=0)
    left.errorbar(
        value, places, xerr=reach, fmt="o", markersize=4, color=KEEP, ecolor="black", capsize=4
    )
    for share, place in zip(value, places, strict=True):
        left.annotate(
            "no game finished" if np.isnan(share) else f"{share:.1f}",
            (100 / 3 if np.isnan(share) else share, place),
            xytext=(0, 7),
            textcoords="offset points",
            ha="center",
            fontsize=8,
            bbox={"facecolor": "white", "edgecolor": "none", "pad": 0.5},
        )
    most = max([40.0, *value[~np.isnan(value)], *high[~np.isnan(high)]])
    left.set(xlim=(-0.06 * most, 1.08 * most), ylim=(len(names) - 0.5, -0.5))
    left.set(xlabel="games, % (dashed: a third)", title="games that a seat wins")
    left.set_yticks(places, labels, parse_math=False)  # a $ in a name is a $
    left.spines[["top", "right"]].set_visible(False)
    cells = np.full((len(names), len(names)), np.nan)
    # Small differences are to be told apart where one strategy is far behind all others.
    widest = max(1.0, cross["points_per_deal"].abs().max())
    norm = AsinhNorm(linear_width=0.5, vmin=-widest, vmax=widest)
    colour_map = LinearSegmentedColormap.from_list("", [SWAP, "#ffffff", KEEP])
    pairs = zip(cross["strategy"], cross["against"], cross["points_per_deal"], strict=True)
    for one, other, more in pairs:
        y, x = names.index(one), names.index(other)
        cells[y, x] = more
        right.text(
            x,
            y,
            f"{more:+.2f}".replace("-", "\N{MINUS SIGN}") if round(more, 2) else "0.00",
            ha="center",
            va="center",
            fontsize=8,
            color=_readable(colour_map(float(norm(more)))),
        )
    right.set_facecolor("#e8e8e8")  # nobody against himself
    image = right.imshow(cells, cmap=colour_map, norm=norm, aspect="auto")
    long = max(map(len, names)) > 8
    right.set_xticks(
        places,
        labels,
        rotation=40 if long else 0,
        ha="right" if long else "center",
        parse_math=False,
    )
    right.tick_params(axis="y", length=0, labelleft=False)
    right.set(xlabel="than this strategy", title="points a deal more,\nwhere both are at the table")
    marks = [mark for mark in (0.5, 1, 2, 5, 10, 20) if mark <= widest]
    ticks = [-mark for mark in reversed(marks)] + [0] + marks
    bar = figure.colorbar(image, ax=right, ticks=ticks, format="%g")
    bar.ax.minorticks_off()
    for ax in (left, right, bar.ax):
        ax.title.set_fontsize(10)
        ax.tick_params(labelsize=8)
    return figure


def _readable(colour: Sequence[float]) -> str:
    """Black or white, whichever stands out more on a colour (WCAG 2, contrast ratio)."""
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in colour[:3]
    )
    luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue
    return "black" if (luminance + 0.05) ** 2 > 1.05 * 0.05 else "white"


def game_lengths(frames: Frames) -> Chart:
    """How many games end after how many deals, with a line at the median."""
    frame, quantiles = frames["distribution"], frames["quantiles"]
    figure = Chart((7, 3.8))
    ax = figure.add_subplot()
    ax.spines[["top", "right"]].set_visible(False)
    value, reach = _with_reach(frame, "share", 100)
    ax.bar(frame["deals"], value, 0.85, yerr=reach, color=KEEP, ecolor="black")
    ax.margins(y=0.12)
    marks = quantiles[quantiles["part"].isin([0.1, 0.5, 0.9])]
    for part, deals in zip(marks["part"], marks["deals"], strict=True):
        if np.isnan(deals):
            continue
        ax.axvline(deals + 0.5, color=SWAP, linewidth=0.9, linestyle="--")
        ax.annotate(
            f" {'half' if part == 0.5 else format(part, '.0%')} are over",
            (deals + 0.5, 1),
            xycoords=("data", "axes fraction"),
            va="top",
            fontsize=8,
            color=SWAP,
        )
    if frame.empty:
        ax.text(0.5, 0.5, "no game was decided", transform=ax.transAxes, ha="center")
    ax.set(xlabel="deals of a game, redeals among them", ylabel="decided games, %")
    ax.set_title("How long games are: share of games by their deals, with intervals", fontsize=11)
    return figure


def seat_values(frames: Frames) -> Chart:
    """Points by position, what is done from it, and what dealing first does to a game."""
    frame, done, equity = frames["positions"], frames["actions"], frames["equity"]
    names = [name.replace(" of ", "\nof ") for name in frame["position"]]
    figure = Chart((10, 3.6))
    points, actions, games = figure.subplots(1, 3, width_ratios=(1, 1.6, 1))
    value, reach = _with_reach(frame, "points")
    points.errorbar(names, value, yerr=reach, fmt="o", color=KEEP, ecolor="black", capsize=4)
    for x, y in enumerate(value):
        points.annotate(f"{y:.2f}", (x, y), xytext=(7, 0), textcoords="offset points", fontsize=8)
    points.margins(x=0.35, y=0.2)
    points.set(ylabel="points a deal", title="points, with the same hands")
    kinds = {"swaps": SWAP, "bids": "#56b4e9", "declares": KEEP, "set": NEUTRAL}
    for i, (name, colour) in enumerate(kinds.items()):
        value, reach = _with_reach(done, name, 100)
        label = "set, if it declares" if name == "set" else name
        places = np.arange(len(done)) + 0.2 * (i - 1.5)
        bars = actions.bar(
            places, value, 0.19, yerr=reach, color=colour, ecolor="black", label=label
        )
        labels = ["" if np.isnan(share) else f"{share:.0f}" for share in value]
        actions.bar_label(bars, labels=labels, padding=1, fontsize=7)
    actions.set_xticks(range(len(names)), names)
    actions.set(ylabel="deals, %", title="what is done with the same hands")
    actions.set_ylim(top=1.25 * actions.get_ylim()[1])
    actions.legend(frameon=False, fontsize=8, ncols=2, loc="upper right")
    value, reach = _with_reach(equity, "won", 100)
    deals = [name.replace(" ", "\n") for name in equity["deals"]]
    games.errorbar(deals, value, yerr=reach, fmt="o", color=KEEP, ecolor="black", capsize=4)
    games.axhline(100 / 3, color=NEUTRAL, linewidth=0.8, linestyle="--")
    games.margins(x=0.35, y=0.2)
    games.set(xlabel="seat that deals the game's", ylabel="games, % (dashed: a third)")
    games.set_title("games won")
    for ax in (points, actions, games):
        ax.spines[["top", "right"]].set_visible(False)
        ax.title.set_fontsize(10)
        ax.tick_params(labelsize=8)
    figure.suptitle("What a position is worth in a deal and in a game, with intervals", fontsize=11)
    return figure


def tie_breaks(frames: Frames) -> Chart:
    """How often the player behind wins a tie, by how far he was behind; and the extra deals."""
    gaps, extra = frames["by_gap"], frames["extra"]
    figure = Chart((9, 3.6))
    left, right = figure.subplots(1, 2, width_ratios=(1.7, 1))
    for name, colour, label, shift in (
        ("behind_wins", KEEP, "he wins", -0.12),
        ("by_moon", SWAP, "he wins by a moon", 0.12),
    ):
        value, reach = _with_reach(gaps, name, 100)
        places = np.arange(len(gaps)) + shift
        left.errorbar(
            places, value, yerr=reach, fmt="o", color=colour, ecolor=colour, capsize=3, label=label
        )
    groups = zip(gaps["behind"], gaps["games"], strict=True)
    left.set_xticks(range(len(gaps)), [f"{behind}\n{games:,} games" for behind, games in groups])
    left.set(xlabel="points behind at the first tie", ylabel="games, %", ylim=(0, None))
    left.set_title("two share the lead: the third player wins")
    left.legend(frameon=False, fontsize=8)
    value, reach = _with_reach(extra, "share", 100)
    bars = right.bar(extra["extra"], value, 0.7, yerr=reach, color=NEUTRAL, ecolor="black")
    labels = [
        "" if np.isnan(share) else f"{share:.2f}" if 0 < share < 1 else f"{share:.1f}"
        for share in value
    ]
    right.bar_label(bars, labels=labels, padding=1, fontsize=8)
    right.set(xlabel="extra deals", ylabel="tied games, %", title="until the tie is decided")
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
        ax.title.set_fontsize(10)
        ax.tick_params(labelsize=8)
    figure.suptitle("Ties at the target, with intervals", fontsize=11)
    return figure


def _with_reach(
    frame: pd.DataFrame, name: str, scale: float = 1
) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """A column and how far its interval reaches down and up; 0 where there is none."""
    value, low, high = (
        scale * frame[column].to_numpy(dtype=float)
        for column in (name, f"{name}_low", f"{name}_high")
    )
    # Rounding may put the end of an interval a hair on the wrong side.
    return value, np.nan_to_num(np.maximum(np.stack([value - low, high - value]), 0))


def revoke_gains(frames: Frames) -> Chart:
    """What one revoke brings by role, trick and place; and always cheating, by detection."""
    situations, always = frames["situations"], frames["always"]
    figure = Chart((9, 4.2))
    left, right = figure.subplots(1, 2, width_ratios=(1.7, 1))
    kinds = [("declarer", KEEP), ("defender", SWAP)]
    for i, (role, colour) in enumerate(kinds):
        for j, (place, marker) in enumerate((("second", "s"), ("third", "o"))):
            rows = situations[(situations["role"] == role) & (situations["place"] == place)]
            value, reach = _with_reach(rows, "gain")
            left.errorbar(
                rows["trick"] + 0.06 * (2 * i + j - 1.5),
                value,
                yerr=reach,
                fmt=marker,
                color=colour,
                ecolor="black",
                capsize=2,
                markersize=5,
                markerfacecolor=colour if place == "third" else "white",
                label=f"{role}, plays {place}",
            )
    left.axhline(0, color=NEUTRAL, linewidth=0.8)
    left.set_xticks(sorted(situations["trick"].unique()))
    left.set(
        xlabel="trick", ylabel="points before any penalty", title="one revoke brings the cheat"
    )
    below = {"frameon": False, "fontsize": 8, "loc": "upper center", "bbox_to_anchor": (0.5, -0.16)}
    left.legend(**below, ncols=2)
    for name, colour, label in (("gain", SWAP, "the cheat"), ("others", NEUTRAL, "both others")):
        value, reach = _with_reach(always, name)
        right.errorbar(
            100 * always["detection"],
            value,
            yerr=reach,
            fmt="o-",
            color=colour,
            ecolor="black",
            capsize=3,
            label=label,
        )
    right.axhline(0, color=NEUTRAL, linewidth=0.8, linestyle="--")
    right.set(xlabel="revokes found out, %", ylabel="points a deal, less honest play")
    right.set_title("a seat that always cheats")
    right.set_xticks([0, 50, 100])
    right.legend(**below)
    for ax in (left, right):
        ax.spines[["top", "right"]].set_visible(False)
        ax.title.set_fontsize(10)
        ax.tick_params(labelsize=8)
    figure.suptitle("What a revoke pays, with intervals", fontsize=11)
    return figure


def moon_points(frames: Frames) -> Chart:
    """How often the moon pays by what it scores, by the odds and at the table; who wins games."""
    exact, players = frames["points"], frames["players"]
    points = ["moon_points", "moon_set_points"]
    table = frames["table_points"].merge(frames["table_games"], on=points)
    figure = Chart((10, 3.6))
    hands, rate, won = figure.subplots(1, 3)
    usual = exact["moon_set_points"].mode()[0]
    exact = exact[exact["moon_set_points"] == usual]
    table = table[table["moon_set_points"] == usual]
    hands.plot(exact["moon_points"], 100 * exact["shoots"], "o-", color=KEEP)
    hands.set(ylabel="hands, %", title="hands that should shoot (exact)", ylim=(0, None))
    for name, colour, marker, label in (
        ("bid", KEEP, "s", "deals with a moon"),
        ("decided", SWAP, "o", "games decided by a moon"),
    ):
        value, reach = _with_reach(table, name, 100)
        rate.errorbar(
            table["moon_points"],
            value,
            yerr=reach,
            fmt=f"{marker}-",
            color=colour,
            ecolor="black",
            capsize=3,
            label=label,
        )
    rate.set(ylabel="%", title="at the table", ylim=(0, None))
    rate.legend(frameon=False, fontsize=8)
    for ax in (hands, rate):
        ax.set(xlabel=f"points of a made moon (set: -{usual})")
    value, reach = _with_reach(players, "won", 100)
    bars = won.bar(range(len(players)), value, 0.7, yerr=reach, color=KEEP, ecolor="black")
    labels = ["-" if np.isnan(share) else f"{share:.1f}" for share in value]
    won.bar_label(bars, labels=labels, padding=1, fontsize=8)
    won.axhline(100 / 3, color=NEUTRAL, linewidth=0.8, linestyle="--")
    won.set_xticks(range(len(players)), [textwrap.fill(did, 9) for did in players["did"]])
    won.set(xlabel="moons of a player in a game", ylabel="of these won, % (dashed: a third)")
    won.set(title="games won", ylim=(0, 112))
    for ax in (hands, rate, won):
        ax.spines[["top", "right"]].set_visible(False)
        ax.title.set_fontsize(10)
        ax.tick_params(labelsize=8)
    figure.suptitle("The moon: by what it scores, and what it wins", fontsize=11)
    return figure


def variants(frames: Frames) -> Chart:
    """What each rule changes: the length of games, moons that decide, and points a deal."""
    games, moons, declarer, defenders = (
        frames[name].iloc[1:] for name in ("games", "moons", "declarer", "defenders")
    )
    places = np.arange(len(games))
    figure = Chart((10, 1.7 + 0.32 * len(games)))
    panels = figure.subplots(1, 3, sharey=True)
    drawn = [
        (panels[0], games, "more_deals", 1, KEEP, 0.0, ""),
        (panels[1], moons, "more_decided", 100, KEEP, 0.0, ""),
        (panels[2], declarer, "more_declarer", 1, KEEP, -0.16, "declarer"),
        (panels[2], defenders, "more_defenders", 1, SWAP, 0.16, "both defenders"),
    ]
    for ax, frame, name, scale, colour, shift, label in drawn:
        value, reach = _with_reach(frame, name, scale)
        ax.errorbar(
            value,
            places + shift,  # beside each other, for equal values not to hide each other
            xerr=reach,
            fmt="o",
            markersize=5,
            color=colour,
            ecolor="black",
            capsize=2,
            label=label,
        )
    told = (
        ("length of a game", "deals, more or less"),
        ("games decided by a moon", "percentage points, more or less"),
        ("what is scored", "points a deal, more or less"),
    )
    for ax, (title, unit) in zip(panels, told, strict=True):
        ax.set_title(title, fontsize=10)
        ax.set_xlabel(unit, fontsize=8)
    panels[2].legend(frameon=False, fontsize=8)
    panels[0].set_yticks(places, games["words"])
    panels[0].set_ylim(len(games) - 0.5, -0.5)
    for ax in panels:
        ax.axvline(0, color=NEUTRAL, linewidth=0.8, linestyle="--")
        ax.grid(axis="y", linewidth=0.3)
        ax.spines[["top", "right"]].set_visible(False)
        ax.tick_params(labelsize=8)
    first = frames["games"]["rule"].iloc[0]
    figure.suptitle(f"One rule changed, from {first}, with intervals", fontsize=11)
    return figure


def chart_bytes(name: str, frames: Frames, kind: str) -> bytes:
    """A chart as SVG or PNG, the same bytes whatever the user's matplotlib settings are."""
    with style.context("default"):
        return figure_bytes(CHARTS[name](frames), kind)


#: Charts of studies, by name; each takes the study's frames by table name.
CHARTS: dict[str, Callable[[Frames], Chart]] = {
    chart.__name__: chart
    for chart in (
        swap_gain_by_holding,
        swap_gain_by_count,
        bid_success_by_holding,
        bid_points,
        defence_by_bid,
        tournament,
        game_lengths,
        seat_values,
        tie_breaks,
        revoke_gains,
        moon_points,
        variants,
    )
}
