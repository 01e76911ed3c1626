# ---
# jupyter:
#   jupytext:
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # A tour of the solver
#
# For card players who know some Python. Each step is short, and nearly every answer can be checked
# by hand with a pack of 24 cards. The rules of the game are in `docs/rules.md`.
#
# ## 1. A deal, and what it is worth
#
# Cards are written rank first: `JS` is the jack of spades, `TC` the ten of clubs (`10C` is read,
# too). A deal has three hands, by seat; the six cards left over are the ghost.

# %%
from ghostsim import Bid, Deal, PlayError, Position, best_line, can_make, card_values, review, solve

deal = Deal(hands=("JS AS TS 9C AH 9H", "JC QS QC TC QH KD", "KS 9S KH AD QD JD"))
deal

# %% [markdown]
# Seat 0 has bid four and names spades. A position is a deal with a trump, a declarer and whatever
# has been played; here, nothing yet. At the end of a cell it shows itself as a diagram, the
# declarer at the bottom; `print` draws the same in text. The bold seat is to play.

# %%
start = Position.from_plays(deal, trump="S", declarer=0, bid=4)
start

# %% [markdown]
# **Mind the left bower.** The jack of clubs is the second-highest trump, and no longer a club. The
# diagram puts it with the spades, so seat 1 has two clubs, not three:

# %%
from ghostsim import Card

left_bower = Card("JC")
print(left_bower, "belongs to", left_bower.suit_under("S").name.lower(), "when spades are trump")
clubs = [card for card in start.hands[1] if card.suit_under("S") == Card("9C").suit]
print("clubs of seat 1:", *clubs)
assert len(clubs) == 2

# %%
solution = solve(start)
print(solution)
_ = solution.plot()

# %% [markdown]
# *Against any defence* is the point. The value is **double dummy**: everybody sees all the cards.
# And it is against the **coalition**: both defenders play together to hold the declarer down. He
# is sure of this many tricks whatever they do, if he plays as though he saw the cards; he cannot
# force one more. That is a way to value hands, not a forecast: at the table nobody sees the ghost.
#
# By hand: the right bower draws the queen and the nine, the ace of spades goes to the left bower
# and draws the king, and the ten is the last trump. On the ace of hearts both other hearts fall,
# so the nine is good. Two trumps and two hearts win; the ace of spades and the nine of clubs lose.
#
# ## 2. In the middle of a hand
#
# `from_plays` takes the cards in the order in which they were played. Who leads next follows.

# %%
middle = Position.from_plays(deal, "S", bid=4, plays="JS QS 9S AS JC KS")
middle

# %%
print("to play: seat", middle.to_play, "| may play:", *middle.legal)
print("tricks by seat:", *middle.tricks, "| to go:", middle.tricks_to_go)
after = middle.play("QC")
print("seat", after.to_play, "follows and may play:", *after.legal)

# %% [markdown]
# A position never changes: `play` gives a new one. A card that breaks the rules is refused, and
# the message says why. Here the declarer leads a club and seat 1 tries the left bower:

# %%
try:
    start.play("9C").play("JC")
except PlayError as error:
    print(error)

# %% [markdown]
# Every position can be written in a line, or as JSON, and read back:

# %%
print(middle.text)
print(middle.to_json())
assert Position.parse(middle.text) == Position.parse(middle.to_json()) == middle

# %% [markdown]
# To put an ending as a problem, write it down. What must be said: the hands by seat, trump, who
# leads, the tricks taken so far. `-` is an empty hand.

# %%
Position.parse("TS 9H / QC TC / KH AD / trump S / declarer 0 / leader 1 / tricks 2 1 1 / bid 4")

# %% [markdown]
# ## 3. What every card is worth
#
# `solve` gives one number; `card_values` gives one for each card that may be played. The first
# lead:

# %%
leads = card_values(start)
_ = leads.plot()

# %%
leads.to_frame()

# %% [markdown]
# The cost is counted in tricks and, if there is a bid, in points of the deal. To lead the ace of
# spades *to save the bower* costs a single trick, but with it the contract: four points become
# minus four.

# %%
print("AS costs", leads.cost("AS"), "trick and", leads.cost_in_points("AS"), "points")
assert leads.declarer_points("JS") == 4 and leads.declarer_points("AS") == -4
assert leads.cost("AS") == 1

# %% [markdown]
# Cards that lie next to each other among the cards still in play are one *run*: it makes no
# difference which is played. The defender who leads to the third trick has such a pair. The queen
# and ten of clubs are neighbours, for the jack is no club:

# %%
card_values(middle)

# %% [markdown]
# ### Lose a trick to win one
#
# Three cards each, hearts are trump. The declarer has three tricks and has bid five, so he needs
# both trumps to win. Seat 1 holds the left bower, `JD`, with a small trump to guard it.

# %%
endplay = Position(
    hands=("JH AH 9C", "JD 9H KC", "KS QS TC"), trump="H", leader=0, tricks=(3, 0, 0), bid=5
)
endplay

# %%
_ = card_values(endplay).plot()

# %% [markdown]
# If the declarer leads the jack, seat 1 plays the nine, and his left bower beats the ace later; if
# he leads the ace, the left bower takes it now. Either way the club is lost as well. If he leads
# the losing club first, seat 1 must win it with his king and has only trumps left to lead:
# whichever he leads, the declarer plays last and takes it as cheaply as he can, and then the
# other.
#
# It works because the defender on the declarer's left gets in. Let the other have the king of
# clubs: now he leads through the declarer, seat 1 plays after him, and no card makes the contract.

# %%
made = card_values(endplay)
assert made["9C"] == 5 and made["JH"] == made["AH"] == 4

other = Position(
    hands=("JH AH 9C", "JD 9H TC", "KS QS KC"), trump="H", leader=0, tricks=(3, 0, 0), bid=5
)
print(card_values(other))
assert max(card_values(other).values()) == 4

# %% [markdown]
# ## 4. The best line, and the contract
#
# `best_line` plays the hand out, each seat a best card (of several the lowest); `format_line`
# writes it down trick by trick:

# %%
from ghostsim.solver import format_line

line = best_line(start)
print(format_line(start, line))
end = start.play_all([card for _, card in line])
print("tricks by seat:", *end.tricks)

# %% [markdown]
# It is one best line of many: the heart comes first here, and above we drew trumps first. Both are
# worth the same. The deal is over, so points can be counted; and what he can be sure to make:

# %%
print("points by seat:", *end.points())
for bid in Bid:
    worth = solve(deal, "S", bid=bid).declarer_points
    print(f"bid {bid}: {'makes' if can_make(start, bid) else 'is set'}, {worth:+d} points")

# %% [markdown]
# ## 5. What went wrong?
#
# `review` takes a hand as it was played and finds the cards that cost something. In this one the
# declarer saves his right bower, a defender returns the favour, and the declarer returns it again.

# %%
played = "AS JC 9S  KD JD TS  JS QS KS  9C TC QD  QC AD 9H  QH KH AH"
judged = review(start, played)
print(judged)
_ = judged.plot()

# %%
assert [(play.trick, str(play.card)) for play in judged.mistakes] == [
    (1, "AS"),
    (2, "KD"),
    (4, "9C"),
]
assert judged.end.tricks[0] == 3
ten_is_ruffed = best_line(start.play_all("AS JC 9S QC AD"))
assert [str(card) for _, card in ten_is_ruffed[:3]] == ["9C", "TC", "KS"]

# %% [markdown]
# - **Trick 1, `AS`.** The left bower takes it. Seat 1 should now lead his clubs: the queen wins by
#   herself, and seat 2 ruffs the ten with the king of spades.
# - **Trick 2, `KD`.** The declarer has no diamond and ruffs it with the ten: the trick is back. His
#   bower then draws the last two trumps.
# - **Trick 4, `9C`.** Seat 1 wins and leads his other club, on which a heart must be thrown. The
#   ace of hearts first would have brought down both other hearts, and the nine would have been
#   good.
#
# Played right from there, the hand still makes four. One card:

# %%
before = judged.mistakes[-1].values
print(before)
assert before["AH"] == 4 and before["9C"] == 3

# %% [markdown]
# ## 6. Defenders who do not help each other
#
# At this game there are three scores, and a defender keeps his own tricks. With
# `defence="selfish"` each seat plays for itself and knows that the others do, too (max^n). A small
# ending, two cards each; spades are trump, and none are left. The declarer has three tricks of the
# four that he bid.

# %%
own_trick = Position(
    hands=("QH TH", "KH 9C", "AH 9H"), trump="S", leader=0, tricks=(3, 1, 0), bid=4
)
own_trick

# %%
print(solve(own_trick))
print(solve(own_trick, defence="selfish"))
assert solve(own_trick).declarer_tricks == 3
assert solve(own_trick, defence="selfish").tricks == (4, 1, 1)

# %% [markdown]
# Card by card: the declarer leads the ten of hearts, and seat 1 must play the king. Now seat 2 has
# a choice.
#
# - **Nine:** the king holds, and the nine of clubs wins the last trick. The declarer is set; seat
#   2 has nothing. A coalition does this.
# - **Ace:** a trick for seat 2. But then he must lead the nine to the declarer's queen, who makes
#   four. A selfish seat 2 does this: one trick is more than none.

# %%
choice = own_trick.play_all("TH KH")
print(card_values(choice), end="\n\n")
print(card_values(choice, defence="selfish"))
assert card_values(choice, defence="selfish").tricks("AH") == (4, 1, 1)
assert card_values(choice, defence="selfish").tricks("9H") == (3, 3, 0)

# %% [markdown]
# **When a seat does not care** which of two outcomes it gets, somebody must say what it does, or
# there is no answer. The rule: a defender picks the least for the declarer, then the least for the
# other defender; the declarer the least for both together, then the most even split, then the
# least for the left one.
#
# **Tricks or points?** `objective="points"` lets each seat look at the score. Here the declarer
# has two tricks and has bid four. He led the queen of hearts, seat 1 played the ten, and seat 2,
# with ace and nine, gets one trick whatever he does: the ace wins now or later.

# %%
whose_trick = Position(
    hands=("JH", "KH", "AH 9H"), trump="S", leader=0, trick="QH TH", tricks=(2, 1, 1), bid=4
)
for objective in ("tricks", "points"):
    found = card_values(whose_trick, defence="selfish", objective=objective)
    best = found.best[0]
    print(f"for {objective}: seat 2 plays {best}, and tricks by seat are", *found.tricks(best))

# %%
for_tricks = card_values(whose_trick, defence="selfish", objective="tricks")
for_points = card_values(whose_trick, defence="selfish", objective="points")
assert list(map(str, for_tricks.best)) == ["AH"] and for_tricks.tricks("AH") == (2, 2, 2)
assert list(map(str, for_points.best)) == ["9H"] and for_points.tricks("9H") == (3, 1, 2)
assert for_points.declarer_points("9H") == for_points.declarer_points("AH") == -4

# %% [markdown]
# For tricks, he takes the ace at once: the king then wins the last trick, and the declarer gets
# none. For points he sees that the declarer is set either way, four points lost with two tricks or
# with three. So he asks what the *other defender* gets, and lets the declarer's queen hold.
#
# ## 7. Many deals at once
#
# For statistics there are arrays; from here on it is numpy. A hand is a whole number with a bit for
# each of its cards; deal number *i* of a seed is the same on every machine.

# %%
import time

import numpy as np

from ghostsim import card_values_many, solve_many
from ghostsim.deals import random_hands

DEALS = 200_000
dealt = random_hands(DEALS, seed=7)  # (deals, 3)
assert Deal.random(seed=7, index=123).masks == tuple(dealt[123])

began = time.perf_counter()
coalition = solve_many(dealt, trump="S", declarer=0)  # (deals,): the declarer's tricks
seconds = time.perf_counter() - began
selfish = solve_many(dealt, trump="S", declarer=0, defence="selfish", n_jobs=-1)  # (deals, 3)
coalition.shape, selfish.shape

# %% [markdown]
# Nobody declares spades on just any hand, so we keep the deals in which seat 0 holds three trumps
# or more. Each deal is solved exactly; which deals came up is chance, so every number below has a
# 95% interval.

# %%
from ghostsim.stats import estimate_mean, estimate_proportion

TRUMPS = list(map(Card, ("JS", "JC", "AS", "KS", "QS", "TS", "9S")))  # high to low
trump_mask = sum(card.mask for card in TRUMPS)
count = np.bitwise_count(dealt[:, 0] & trump_mask)

worth_it = count >= 3
hands, trumps_held = dealt[worth_it], count[worth_it]
together, alone = coalition[worth_it], selfish[worth_it, 0]
print(f"{len(hands):,} of {DEALS:,} deals")

gain = (alone - together).astype(int)
assert gain.min() >= 0  # the coalition is his worst case
model = "P_selfish (tricks) against P_coalition"
print(
    "deals in which he takes more from selfish defenders:",
    estimate_proportion(int((gain > 0).sum()), len(gain), level=0.95, model=model),
)
print(
    "tricks more, on average:",
    estimate_mean(int(gain.sum()), int((gain**2).sum()), len(gain), level=0.95, model=model),
)

# %%
from ghostsim import plots


def share_bars(ax, places, counts, width, **style):
    """Bars of shares in percent, with 95% intervals."""
    shares = [
        estimate_proportion(int(k), int(sum(counts)), level=0.95, model="double dummy")
        for k in counts
    ]
    value = np.array([100 * share.value for share in shares])
    low = np.array([100 * share.low for share in shares])
    high = np.array([100 * share.high for share in shares])
    reach = np.maximum([value - low, high - value], 0)
    bars = ax.bar(places, value, width, yerr=reach, ecolor="black", **style)
    labels = [f"{share:.1f}" if k else "" for share, k in zip(value, counts, strict=True)]
    ax.bar_label(bars, labels=labels, fontsize=7, padding=1)


ax = plots.new_axes(None, (7, 3.5))
tricks = np.arange(7)
for side, taken, colour, label in (
    (-0.2, together, plots.KEEP, "coalition"),
    (0.2, alone, plots.SWAP, "selfish, for tricks"),
):
    counts = np.bincount(taken, minlength=7)
    share_bars(ax, tricks + side, counts, 0.4, color=colour, label=label)
ax.set(xlabel="tricks the declarer takes", ylabel="deals, %", xticks=tricks)
ax.set_title(f"Three trumps or more: {len(hands):,} random deals, by both defences", fontsize=10)
_ = ax.legend(title="defence", frameon=False)

# %% [markdown]
# ### How much does the first lead matter?
#
# The difference between the best and the worst of the six leads, in tricks, against the coalition:

# %%
values = card_values_many(hands, trump="S", declarer=0, n_jobs=-1)  # (deals, 24), -1: not held
best = values.max(axis=1)
worst = np.where(values < 0, 7, values).min(axis=1)
spread = best - worst
assert (best == together).all()

ax = plots.new_axes(None, (7, 3.5))
differences = np.arange(spread.max() + 1)
for side, held, colour in (
    (-0.27, 3, plots.NEUTRAL),
    (0, 4, plots.KEEP),
    (0.27, 5, plots.SWAP),
):
    counts = np.bincount(spread[trumps_held == held], minlength=len(differences))
    label = f"{held} trumps ({counts.sum():,} deals)"
    share_bars(ax, differences + side, counts, 0.27, color=colour, label=label)
ax.set(xlabel="best lead less worst lead, tricks", ylabel="deals, %", xticks=differences)
ax.set_title("How much the first lead matters, by the trumps the declarer holds", fontsize=10)
_ = ax.legend(frameon=False)

# %% [markdown]
# Is there a simple rule for the lead? Try *lead your highest trump*. Everybody sees all cards
# here, so the rule is compared with a lead that knows where everything lies:

# %%
order = np.array([card.index for card in TRUMPS])
highest = order[(values[:, order] >= 0).argmax(axis=1)]  # the first one held, high to low
lost = (best - values[np.arange(len(values)), highest]).astype(int)
print(
    "highest trump is a best lead:",
    estimate_proportion(int((lost == 0).sum()), len(lost), level=0.95, model="P_coalition"),
)
print(
    "tricks it loses, on average:",
    estimate_mean(
        int(lost.sum()), int((lost**2).sum()), len(lost), level=0.95, model="P_coalition"
    ),
)

# %% [markdown]
# ## 8. Where the speed comes from
#
# Only the order of the cards still in play matters, so there are few different endings: all of
# those with four tricks to go (and, if it pays, with five) have been solved once, from the last
# trick backwards, and lie in a file. A whole deal is then a search of the first trick or two, with
# a look into the table at the end of each line. Selfish play has tables of its own, one kind for
# each thing that can be played for.

# %%
from ghostsim.study.cli import main

print(f"solve_many above: {DEALS / seconds:,.0f} deals a second on one core, reading included\n")
_ = main(["tables", "status"])  # in a terminal: ghostsim tables status

# %% [markdown]
# Where to read on: `docs/method.md` tells how the tables are made and who checks them,
# `benchmarks/` how fast they are beside bridge's solver, `analyses/defence-model` what selfish
# defenders give away on the hands worth a bid. `help(ghostsim.solve)` and the like have an example
# each.
