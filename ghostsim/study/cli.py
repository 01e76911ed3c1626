"""The command line: ``ghostsim`` and ``python -m ghostsim.study``.

argparse from the standard library, because ``--help`` must answer in a fifth of a second. For the
same reason nothing that imports numpy is imported before a command runs.
"""

from __future__ import annotations

import argparse
import contextlib
import difflib
import functools
import io
import os
import re
import shlex
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ghostsim import __version__
from ghostsim._cache import CacheWarning
from ghostsim.errors import GhostsimError
from ghostsim.study import (
    play_command,
    review_command,
    runs_command,
    solve_command,
    tables_command,
    tournament_command,
)
from ghostsim.study.options import (
    Messages,
    add_command,
    add_jobs,
    add_rules,
    level_value,
    positive_value,
    rules_from,
    seed_value,
    three_seats,
)
from ghostsim.study.registry import STUDIES, Study
from ghostsim.study.running import (
    STOPPING,
    add_amount,
    add_output,
    add_running,
    amount,
    run_and_print,
)

if TYPE_CHECKING:
    from ghostsim.study.result import Parameters

DESCRIPTION = """\
Strategy in Ghost Hand Euchre: three players, six cards each, and a fourth hand, the ghost, that
you may trade yours for unseen. Each study answers one question with tables and charts."""

EPILOG = """\
examples:
  {prog} swap-value                       what the ghost is worth
  {prog} hand JS JC AS KS AH 9D           what to do with one hand
  {prog} swap-value --rule moon_points=12 the same if a moon scores 12
  {prog} solve --file deals.txt --trump S deals or positions, one a line: what they are worth
  {prog} bid-success --out results        tables as CSV, charts, manifest
  {prog} bid-success --format csv         one table, for another program
  {prog} seat --deals 1e8 --out long      may be interrupted; to go on, add --resume

exit status: 0 done, 1 failed or a published number differs, 2 wrong usage, 130 interrupted"""


def main(argv: Sequence[str] | None = None, prog: str = "ghostsim") -> int:
    """Run the command line and return its exit status."""
    arguments = list(sys.argv[1:] if argv is None else argv)
    _mend_streams()
    try:
        with _terminate_as_interrupt():
            return _main(arguments, prog)
    except KeyboardInterrupt as stop:
        _tell("interrupted", stop)
        return 130
    except _Ended as stop:
        _tell(f"ended by {stop.name}", stop)
        return stop.status
    except BrokenPipeError:
        # The reader has gone. Python would complain again while flushing at exit.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    except GhostsimError as error:
        print(f"{prog}: error: {error}", file=sys.stderr)
        for note in getattr(error, "__notes__", ()):  # which strategy raised it, and where
            print(note, file=sys.stderr)
        return error.exit_status
    except OSError as error:
        where = f"{error.filename}: " if error.filename else ""
        print(f"{prog}: error: {where}{error.strerror or error}", file=sys.stderr)
        for note in getattr(error, "__notes__", ()):  # what is kept, and how to go on
            print(note, file=sys.stderr)
        return 1


def _tell(what: str, stop: BaseException) -> None:
    """Say that a run was stopped, and what becomes of it; the terminal may be gone."""
    with contextlib.suppress(OSError):
        print(": ".join([what, *getattr(stop, "__notes__", ())]), file=sys.stderr, flush=True)


class _Ended(SystemExit):
    """A signal has ended the program."""

    def __init__(self, number: int) -> None:
        super().__init__(128 + number)
        self.status = 128 + number
        self.name = signal.Signals(number).name


def _mend_streams() -> None:
    """Streams that can be written to: a closed one swallows all, an ASCII one shows escapes."""
    if sys.stdout is None:
        sys.stdout = open(os.devnull, "w")  # noqa: SIM115  # open as long as the process
    if sys.stderr is None:
        sys.stderr = open(os.devnull, "w")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


@contextlib.contextmanager
def _terminate_as_interrupt() -> Iterator[None]:
    """Let SIGTERM, and the hang-up of a terminal, clean up like Ctrl-C.

    Only where signals may be set at all, in the main thread; a hang-up that is ignored (``nohup``)
    stays ignored.
    """

    def stop(number: int, _: object) -> None:
        raise _Ended(number)

    if threading.current_thread() is not threading.main_thread():
        yield
        return
    numbers = [signal.SIGTERM]
    hang_up = getattr(signal, "SIGHUP", None)  # Windows has none
    if hang_up is not None and signal.getsignal(hang_up) != signal.SIG_IGN:
        numbers.append(hang_up)
    before = [(number, signal.signal(number, stop)) for number in numbers]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def _main(arguments: list[str], prog: str) -> int:
    parser = _parser(prog)
    named = next((argument for argument in arguments if not argument.startswith("-")), None)
    if named is not None and named not in COMMANDS and named not in STUDIES:
        known = [*COMMANDS, *STUDIES]
        near = difflib.get_close_matches(named, known, n=1, cutoff=0.5)
        hint = f"did you mean {near[0]!r}? " if near else ""
        if named == "resume":
            hint = "add --resume to the command of the run, which 'runs DIR' tells; "
        raise GhostsimError(
            f"there is no command or study {named!r}: {hint}there are {', '.join(known)}"
        )
    try:
        options, unknown = parser.parse_known_args(arguments)
    except SystemExit as stop:  # argparse has printed its message, or the help
        return int(stop.code or 0)
    if unknown:
        raise GhostsimError(_not_options(options, unknown))
    if "run" not in options:
        parser.print_help()
        return 0
    words = [word for word in arguments if word not in ("--overwrite", "--resume")]
    options.again = f"{prog} {shlex.join([*words, '--resume'])}"
    with warnings.catch_warnings():
        # Also under -W error: a missing cache is a nuisance, not a failure.
        warnings.filterwarnings("default", category=CacheWarning)
        warnings.showwarning = _show_warning  # type: ignore[assignment]  # takes less
        status: int = options.run(options)
    sys.stdout.flush()
    return status


def _not_options(options: argparse.Namespace, unknown: Sequence[str]) -> str:
    """What is told of arguments that a command does not take."""
    if "parser" not in options:
        return f"unrecognized arguments: {shlex.join(unknown)}"
    given = unknown[0].partition("=")[0]
    known = re.findall(r"--[a-z-]+", options.parser.format_usage())
    other = given.replace("deals", "games") if "deals" in given else given.replace("games", "deals")
    near = difflib.get_close_matches(given, known, n=1, cutoff=0.7)
    if given == "--precision":
        hint = "it takes no precision; "
    elif other != given and other in known:
        hint = f"it counts {other.rpartition('-')[2]}, so say {other}; "
    elif near and given != near[0]:
        hint = f"did you mean {near[0]}? "
    else:
        hint = ""
    return (
        f"unrecognized arguments: {shlex.join(unknown)}; {hint}'{options.parser.prog} --help' "
        "tells what it takes"
    )


def _show_warning(message: Warning | str, *_: Any) -> None:
    print(f"ghostsim: warning: {message}", file=sys.stderr)


# Options


def _parser(prog: str) -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog=prog,
        description=DESCRIPTION,
        epilog=EPILOG.format(prog=prog),
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"ghostsim {__version__}")
    commands = parser.add_subparsers(title="commands, and studies (marked *)", metavar="NAME")
    for name, add in COMMANDS.items():
        add(commands, name)
    for study in STUDIES.values():
        _add_study(commands, study)
    return parser


def _add_study(commands: Any, study: Study) -> None:
    parser = add_command(commands, study.name, study.question, study.details, mark="* ")
    what = parser.add_argument_group("what is computed")
    what.add_argument(
        "--model",
        choices=study.models,
        default=study.models[0],
        help="how a hand is valued (default: %(default)s)",
    )
    add_rules(what)
    check = parser.add_argument_group(
        "the simulation" if study.is_simulation else "the check by simulation"
    )
    add_amount(
        check,
        study.unit,
        study.count,
        study.watched,
        none_allowed=not study.is_simulation,
    )
    if study.is_played:
        check.add_argument(
            "--strategies",
            nargs="+",
            default=["odds"],
            metavar="NAME",
            help="who plays: one strategy for all seats, or three by seat; 'ghostsim tournament "
            "--list' tells them (default: odds)",
        )
    check.add_argument(
        "--seed",
        type=seed_value,
        default=0,
        metavar="N",
        help="which deals: the same seed gives the same numbers everywhere (default: 0)",
    )
    check.add_argument(
        "--level",
        type=level_value,
        default=0.95,
        metavar="P",
        help="confidence level of the intervals (default: 0.95)",
    )
    output = parser.add_argument_group("output")
    output.add_argument(
        "--format",
        choices=("table", "csv", "json"),
        default="table",
        help="what is printed: text for people, one table as CSV, or JSON (default: table)",
    )
    output.add_argument(
        "--table",
        choices=(*study.tables, STOPPING),
        metavar="NAME",
        help=f"print this table only: {', '.join(study.tables)}; with --precision also {STOPPING} "
        f"(csv prints {study.tables[0]} unless told)",
    )
    add_output(output)
    add_running(parser.add_argument_group("where it is computed"))
    parser.set_defaults(run=_run_study, study=study)


def _add_list(commands: Any, name: str) -> None:
    parser = add_command(commands, name, "list the studies and their questions")
    parser.add_argument("--format", choices=("table", "csv", "json"), default="table")
    parser.set_defaults(run=_run_list)


def _add_hand(commands: Any, name: str) -> None:
    parser = add_command(
        commands,
        name,
        "what one hand is worth: every bid in every trump, and whether to swap it",
        "Exact odds over all layouts, double dummy (P_coalition); nobody else bids. Examples:\n"
        '  hand "JS JC AS KS AH 9D"\n'
        '  hand "JS JC AS KS AH 9D" --dead "9S TS QS KC QC TC"    after a swap, with the dead hand',
    )
    parser.add_argument("cards", nargs="+", metavar="CARD", help="six cards, like JS 10H ad")
    parser.add_argument(
        "--dead", metavar="CARDS", help="the hand you traded away, six cards in quotation marks"
    )
    parser.add_argument(
        "--trump", metavar="SUIT", help="show how many tricks it takes with this trump: S C H D"
    )
    add_rules(parser)
    parser.add_argument(
        "--format",
        choices=("table", "csv", "json"),
        default="table",
        help="text for people, one table as CSV (bids; tricks with --trump), or JSON "
        "(default: table)",
    )
    parser.set_defaults(run=_run_hand)


def _add_publish(commands: Any, name: str) -> None:
    parser = add_command(
        commands,
        name,
        "rebuild what an analysis publishes in reports/",
        "Runs the study that analyses/NAME/study.toml describes and replaces reports/NAME: data,\n"
        "charts, manifest and page, and the index of all reports.",
    )
    _add_analysis(parser)
    parser.set_defaults(run=_run_publish)


def _add_verify(commands: Any, name: str) -> None:
    parser = add_command(
        commands,
        name,
        "check that a rebuild gives the published numbers",
        "Runs the study again and compares tables and page with reports/NAME, byte for byte, and\n"
        "charts with the manifest. Exit status 1 if anything differs; the first place is named.",
    )
    _add_analysis(parser)
    parser.set_defaults(run=_run_verify)


def _add_analysis(parser: Any) -> None:
    parser.add_argument("name", metavar="NAME", help="a folder of analyses/, or 'all'")
    parser.add_argument(
        "--root",
        type=Path,
        default=Path(),
        metavar="DIR",
        help="the folder that holds analyses/ and reports/ (default: this one)",
    )
    parser.add_argument("--quiet", action="store_true", help="no messages, no progress bar")
    add_jobs(parser)


def _add_patterns(commands: Any, name: str) -> None:
    parser = add_command(
        commands,
        name,
        "build or verify the opening patterns that ship with the package",
        "The patterns hold, for every hand a declarer can have among the 18 cards in play, in\n"
        "how many of the 924 splits of the other cards he takes 0 to 6 tricks. All exact odds\n"
        "come from them.",
    )
    actions = parser.add_subparsers(title="actions", metavar="ACTION", required=True)
    build = add_command(actions, "build", "count all patterns from the endgame tables (minutes)")
    build.add_argument(
        "--out", type=Path, metavar="FILE", help="where to write (default: into the package)"
    )
    build.add_argument("--overwrite", action="store_true", help="replace an existing file")
    build.set_defaults(run=_run_patterns_build)
    verify = add_command(actions, "verify", "count patterns afresh and compare them with the file")
    verify.add_argument(
        "--file", type=Path, metavar="FILE", help="the file (default: the package's)"
    )
    size = verify.add_mutually_exclusive_group()
    size.add_argument(
        "--sample",
        type=positive_value,
        default=2_000,
        metavar="N",
        help="how many of the 538,356 patterns to check (default: 2000)",
    )
    size.add_argument("--all", action="store_true", help="check every pattern (minutes)")
    verify.add_argument("--seed", type=seed_value, default=0, metavar="N", help="which sample")
    verify.set_defaults(run=_run_patterns_verify)
    for action in (build, verify):
        action.add_argument("--quiet", action="store_true", help="no messages, no progress bar")
        add_jobs(action)


#: In the order of the help: first what players and analysts ask, last how the house is kept.
COMMANDS: dict[str, Callable[[Any, str], None]] = {
    "play": play_command.add,
    "hand": _add_hand,
    "solve": solve_command.add,
    "review": review_command.add,
    "tournament": tournament_command.add,
    "runs": runs_command.add,
    "list": _add_list,
    "tables": tables_command.add,
    "publish": _add_publish,
    "verify": _add_verify,
    "patterns": _add_patterns,
}


# Commands


def _run_study(options: argparse.Namespace) -> int:
    from ghostsim.study.result import Parameters
    from ghostsim.study.run_folder import identity

    study: Study = options.study
    parameters = Parameters(
        **{study.unit: amount(options, study.unit, study.count)},
        precision=options.precision,
        seed=options.seed,
        level=options.level,
        model=options.model,
        rules=rules_from(options.rules, options.rule),
        n_jobs=options.jobs,
        strategies=three_seats(options.strategies) if study.is_played else None,
    )
    return run_and_print(
        options,
        identity(
            study.name,
            parameters.rules,
            parameters.strategies or (),
            model=parameters.model,
            seed=parameters.seed,
        ),
        parameters.to_dict(),
        functools.partial(study.run, parameters),
        command_line(study, parameters),
        options.table,
    )


def command_line(study: Study, parameters: Parameters) -> str:
    """The command that makes a study's numbers."""
    words = ["python", "-m", "ghostsim.study", study.name, *parameters.arguments()]
    return shlex.join(words)


def _run_hand(options: argparse.Namespace) -> int:
    from ghostsim.study.one_hand import hand_answer
    from ghostsim.study.output import csv_text

    rules = rules_from(options.rules, options.rule)
    answer = hand_answer(" ".join(options.cards), options.dead, rules, options.trump)
    if options.format == "csv":
        sys.stdout.write(csv_text(answer.frame()))
    elif options.format == "json":
        sys.stdout.write(answer.json())
    else:
        sys.stdout.write(f"{answer.text()}\n")
    return 0


def _run_list(options: argparse.Namespace) -> int:
    import csv
    import json

    rows = [(study.name, study.question) for study in STUDIES.values()]
    if options.format == "json":
        studies = [{"study": name, "question": question} for name, question in rows]
        sys.stdout.write(json.dumps(studies, indent=2) + "\n")
    elif options.format == "csv":
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerows([("study", "question"), *rows])
    else:
        width = max(len(name) for name, _ in rows)
        for name, question in rows:
            sys.stdout.write(f"{name:{width}}  {question}\n")
    return 0


def _run_publish(options: argparse.Namespace) -> int:
    from ghostsim.study.publish import analyses, publish

    for name in analyses(options.root, options.name):
        folder = publish(options.root, name, options.jobs, Messages(options.quiet))
        sys.stdout.write(f"{name}: published in {folder}\n")
    return 0


def _run_verify(options: argparse.Namespace) -> int:
    from ghostsim.study.publish import analyses, verify

    status = 0
    for name in analyses(options.root, options.name):
        report = verify(options.root, name, options.jobs, Messages(options.quiet))
        sys.stdout.write(f"{name}: {report}\n")
        status = max(status, int(not report.same))
    return status


def _run_patterns_build(options: argparse.Namespace) -> int:
    from ghostsim.openings import PATTERNS_FILE, build_patterns, save_patterns
    from ghostsim.study.output import OutputError, make_parent

    path: Path = options.out or PATTERNS_FILE
    if path.is_dir():
        raise OutputError(f"--out {path} is a folder: name a file")
    if path.exists() and not options.overwrite:
        raise OutputError(f"{path} exists: say --overwrite to replace it, or --out FILE")
    make_parent(path)
    messages = Messages(options.quiet)
    messages.say("building the endgame table of five tricks, unless it is cached ...")
    patterns = build_patterns(n_jobs=options.jobs, progress=messages.bar("counting patterns"))
    save_patterns(patterns, path)
    sys.stdout.write(f"{len(patterns):,} patterns, {924 * len(patterns):,} layouts: {path}\n")
    return 0


def _run_patterns_verify(options: argparse.Namespace) -> int:
    from ghostsim.openings import PATTERNS_FILE, verify_patterns

    path: Path = options.file or PATTERNS_FILE
    messages = Messages(options.quiet)
    found = verify_patterns(
        path,
        sample=None if options.all else options.sample,
        seed=options.seed,
        n_jobs=options.jobs,
        progress=messages.bar("counting patterns"),
    )
    if found.wrong:
        sys.stdout.write(f"{found.wrong:,} of {found.checked:,} patterns are wrong\n")
        sys.stdout.write(f"{found.first_wrong}\n")
        return 1
    sys.stdout.write(f"{found.checked:,} patterns ({found.layouts:,} layouts) are right: {path}\n")
    return 0
