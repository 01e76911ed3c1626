"""Pages: a study's answer, charts and tables as one HTML file, and the index of all of them."""

from __future__ import annotations

import html
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ghostsim import plots

if TYPE_CHECKING:
    from ghostsim.study.result import StudyResult

_STYLE = """\
body { font: 16px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem;
  color: #222; background: #fff }
h1 { font-size: 1.6rem; line-height: 1.25 } h2 { font-size: 1.1rem; margin-top: 2.2rem }
.answer { font-size: 1.1rem; border-left: 4px solid #0072b2; padding-left: 1rem }
.scroll { overflow-x: auto }
table { border-collapse: collapse; font-size: .8rem; font-variant-numeric: tabular-nums }
th, td { padding: .2rem .4rem; text-align: right; border-bottom: 1px solid #ddd;
  white-space: nowrap }
th:first-child, td:first-child { text-align: left }
img { max-width: 100%; height: auto }
.note, footer { color: #555; font-size: .85rem }"""


def _page(title: str, body: str) -> str:
    return (
        '<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width, initial-scale=1">\n'
        f"<title>{html.escape(title)}</title>\n<style>\n{_STYLE}\n</style>\n</head>\n"
        f"<body>\n{body}\n</body>\n</html>\n"
    )


def _heading(title: str) -> str:
    return html.escape(title[:1].upper() + title[1:])


def _alt(chart: str) -> str:
    """What a chart shows, in words: the first line of its docstring."""
    return (plots.CHARTS[chart].__doc__ or chart).splitlines()[0]


def report_page(result: StudyResult, command: str, method: str) -> str:
    """The page of one study.

    Parameters
    ----------
    result : StudyResult
    command : str
        What remakes the page.
    method : str
        Where the method is described: a link.
    """
    parts = [
        f"<h1>{html.escape(result.question)}</h1>",
        f'<p class="answer">{html.escape(result.answer)}</p>',
    ]
    parts += [
        f'<p><img src="{chart}.svg" alt="{html.escape(_alt(chart))}"><br>'
        f'<span class="note"><a href="{chart}.svg">SVG</a> <a href="{chart}.png">PNG</a>'
        "</span></p>"
        for chart in result.charts
    ]
    for name, table in result.tables.items():
        link = f'<a href="{name}.csv">{name}.csv</a>'
        if name in result.unprinted:
            rows = f"{len(table.frame):,} rows"
            parts.append(f"<h2>{_heading(table.title)}</h2>\n<p>{link}, {rows}.</p>")
            continue
        body = table.shown().to_html(index=False, border=0, justify="unset")
        parts.append(f"<h2>{_heading(table.title)}</h2>")
        parts.append(f'<div class="scroll">{body}</div>\n<p class="note">{link}</p>')
    parts += [f'<p class="note">{html.escape(note)}</p>' for note in result.notes]
    parts.append(
        f'<footer><p>Made by <code>{html.escape(command)}</code>. <a href="{html.escape(method)}">'
        'Method</a>, <a href="manifest.json">manifest</a>, <a href="../index.html">all reports</a>.'
        "</p></footer>"
    )
    return _page(result.question, "\n".join(parts))


def index_page(manifests: Mapping[str, Mapping[str, Any]]) -> str:
    """The index: for each report its question and its answer.

    ``manifests`` are those of the reports, by folder name.
    """
    parts = ["<h1>Ghost Hand Euchre: reports</h1>"]
    for name, manifest in manifests.items():
        parts.append(
            f'<h2><a href="{html.escape(name)}/index.html">{html.escape(manifest["question"])}</a>'
            f"</h2>\n<p>{html.escape(manifest['answer'])}</p>"
        )
    parts.append(
        "<footer><p>Made by <code>python -m ghostsim.study publish all</code>.</p></footer>"
    )
    return _page("Ghost Hand Euchre: reports", "\n".join(parts))
