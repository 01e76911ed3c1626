"""The README: its commands, its example, its links, and the numbers in its text."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pandas as pd
import pytest

from ghostsim.study.cli import main

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", README, flags=re.DOTALL)


def test_exactly_two_one_line_commands() -> None:
    shell = blocks("sh")
    assert len(shell) == 2
    assert all(block.count("\n") == 1 for block in shell)
    assert shell[0].rstrip().endswith("-m ghostsim.study swap-value")
    assert shell[1].rstrip().endswith("-m pytest -n logical")
    for block in shell:
        assert block.startswith("python3 -m venv .venv && .venv/bin/python -m pip install")


def test_ci_runs_the_test_command() -> None:
    ci = (ROOT / ".ci" / "run").read_text()
    assert "grep -m1 -- '-m pytest' README.md" in ci


def test_the_examples_run() -> None:
    with mpl.rc_context({"backend": "agg"}):
        namespace: dict[str, object] = {}
        for block in blocks("python"):
            exec(block.replace("1_000_000", "1_000").replace("10_000", "100"), namespace)
    assert len(blocks("python")) == 5


def test_the_strategy_of_the_example_plays() -> None:
    from ghostsim.strategies import check_strategies
    from ghostsim.table import play_game

    namespace: dict[str, Any] = {}
    exec(next(block for block in blocks("python") if "class Hopeful" in block), namespace)
    table = check_strategies([namespace["Hopeful"](), "steady", "novice"])
    assert play_game(table, seed=1).winner is not None


def test_the_tournament_ends_as_the_text_says(capsys: pytest.CaptureFixture[str]) -> None:
    command = next(line for line in README.splitlines() if "ghostsim tournament odds" in line)
    assert main([*command.split()[1:], "--quiet"]) == 0
    assert blocks("text")[0] in capsys.readouterr().out


def test_what_an_example_is_said_to_print() -> None:
    example = next(line for line in README.splitlines() if line.startswith("review("))
    namespace: dict[str, object] = {}
    exec("from ghostsim import *\ndeal = Deal.random(seed=1, index=45)", namespace)
    assert blocks("text")[1:] == [f"{eval(example, namespace)}\n"]


@pytest.mark.parametrize("page", ["README.md", *sorted(p.name for p in (ROOT / "docs").iterdir())])
def test_links_lead_somewhere(page: str) -> None:
    path = ROOT / page if page == "README.md" else ROOT / "docs" / page
    for target in re.findall(r"\]\(([^)#]+)\)", path.read_text(encoding="utf-8")):
        if not target.startswith("http"):
            assert (path.parent / target).exists(), target


def test_numbers_in_the_text_are_the_published_ones() -> None:
    report = ROOT / "reports" / "swap-value"
    exact = pd.read_csv(report / "headline.csv").set_index("name")["value"]
    assert f"swap {exact['should_swap']:.1f}% of\nhands" in README
    assert f"about {exact['swap']:.2f} points a deal" in README
    rule = pd.read_csv(report / "count_rule.csv")
    assert rule["count"].iloc[int(rule["lost_by_rule"].argmin())] == 5
    assert "keep with five or more" in README
    assert f"the {exact['keep']:.2f}\npoints of a hand" in README


def test_answers_in_the_text_are_the_published_ones() -> None:
    told = re.findall(r"^- `([a-z-]+)`: (.*?)(?=^- |\n\n)", README, flags=re.DOTALL | re.MULTILINE)
    assert [name for name, _ in told] == [
        *("seat", "game-length", "moon", "tie-break", "revoke", "variants"),
    ]
    for name, text in told[:-1]:
        manifest = json.loads((ROOT / "reports" / name / "manifest.json").read_text())
        # Number by number: the text leaves words out.
        assert set(re.findall(r"[-+]?\d+\.\d+", text)) <= set(
            re.findall(r"[-+]?\d+\.\d+", manifest["answer"])
        )
        assert " ".join(text.split())[:30] == manifest["answer"][:30]
