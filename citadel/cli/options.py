"""Options that several commands of the command line share, and what is read out of them."""

from __future__ import annotations

import os
from collections.abc import Iterable
from fractions import Fraction
from pathlib import Path
from typing import Annotated, Any

import typer

from analysis.errors import CitadelError
from analysis.target.frameworks import FRAMEWORKS
from citadel.limits import MEASURED_REPLAYS, REPLAYS
from citadel.match.matches import Matches, read_matches
from citadel.selection import Wish
from harvest.report.correction import Correction, Shows, correction
from harvest.tracker.names import SUFFIX

_BACKENDS = tuple(name for one in FRAMEWORKS.values() for name in one.backends)


def _listed(names: Iterable[str]) -> str:
    *first, last = names
    return f"{', '.join(first)} or {last}"


def _framework(default: str) -> Any:
    """`--framework`; what it is by default differs from command to command."""
    text = f"If it has several: {_listed(FRAMEWORKS)} [default: {default}]."
    return typer.Option("--framework", metavar="NAME", show_default=False, help=text)


def _backend(first: str = "") -> Any:
    """`--backend`; `first` is what its default is looked for in first."""
    text = f"What Keras runs on: {_listed(_BACKENDS)} [default: {first}KERAS_BACKEND, tensorflow]."
    return typer.Option("--backend", metavar="NAME", show_default=False, help=text)


def _ends_as_harvests(given: Path | None) -> Path | None:
    """The file as `triage` and `hunt` know it for a harvest: named `found`, it is `found.jsonl`.

    A folder is left as it is, for the error that tells so.
    """
    if given is None or given.name.endswith(SUFFIX) or given.is_dir():
        return given
    return given.with_name(given.name + SUFFIX)


def harvest_option(*names: str, what: str, default: str) -> Any:
    """The option of commands that write a harvest, by its `names`; the first is the usual one."""
    return typer.Option(
        *names,
        metavar="FILE",
        show_default=False,
        callback=_ends_as_harvests,
        help=f"Where {what} are kept, a file that ends in {SUFFIX} [default: {default}].",
    )


Python = Annotated[
    str,
    typer.Option(
        "--python",
        metavar="PATH",
        show_default=False,
        help="Interpreter under test [default: the one that runs Citadel].",
    ),
]
FrameworkOfReport = Annotated[str | None, _framework("what a report imports")]
BackendOfReport = Annotated[str | None, _backend("what a report's code sets, ")]
FrameworkOfApi = Annotated[str | None, _framework("by the first part of the API's name")]
FirstFramework = Annotated[str | None, _framework("the first of these")]
FrameworkOfRules = Annotated[
    str | None,
    typer.Option(
        "--framework",
        metavar="NAME",
        show_default=False,
        help="Of eagle: torch or tensorflow [default: all that there are, each for an equal time].",
    ),
]
Backend = Annotated[str | None, _backend()]
NoSandbox = Annotated[
    bool,
    typer.Option(
        "--no-sandbox", metavar="", help="Run without confinement: only for code you trust."
    ),
]
Export = Annotated[
    Path | None,
    typer.Option("--export", metavar="FILE", help="Write a graph: FILE.graphml or FILE.csv."),
]
Json = Annotated[
    str | None, typer.Option("--json", metavar="FILE", help='Write JSON to FILE ("-": stdout).')
]

_READ = "Where a report is read wrong"


def _correction(name: str, metavar: str, text: str) -> Any:
    """An option by which a person says what a report says."""
    return typer.Option(
        f"--{name}", metavar=metavar, show_default=False, help=text, rich_help_panel=_READ
    )


CorrectedApi = Annotated[str, _correction("api", "NAME", "The API that is to blame.")]
CorrectedKind = Annotated[str, _correction("kind", "KIND", "status, value or performance.")]
CorrectedSymptom = Annotated[
    str,
    _correction(
        "symptom",
        "WORDS",
        f"How the bug shows: 'raises RuntimeError: its message', 'crashes SIGSEGV', or one of"
        f" {', '.join(Shows)}.",
    ),
]
CorrectedBlock = Annotated[
    str, _correction("block", "N[,N]", "The code to run, by the numbers of `citadel read`.")
]
CorrectedLine = Annotated[
    str, _correction("line", "N", "The line of this code that shows it; the rest is left out.")
]
CorrectedExpect = Annotated[
    str, _correction("expect", "EXPR", "What should be true at the end: 'y.isfinite().all()'.")
]
Baseline = Annotated[
    str | None,
    typer.Option(
        "--baseline",
        metavar="PATH",
        help="Interpreter with another version, which a report about time or memory says was"
        " better: both run in turns.",
    ),
]
AlsoOn = Annotated[
    list[str] | None,
    typer.Option(
        "--also-on",
        metavar="PATH",
        show_default=False,
        help="Interpreter with another release, on which the first case is run as well; give it"
        " once for each.",
    ),
]
KnownIssues = Annotated[
    str | None,
    typer.Option(
        "--known",
        metavar="ISSUE",
        show_default=False,
        help="What is known: an umbrella issue whose task list names APIs (owner/repo#N, or a"
        " file), or a list in TOML.",
    ),
]
TrackerFile = Annotated[
    Path | None,
    typer.Option(
        "--tracker",
        metavar="HARVEST",
        show_default=False,
        help="Harvest of `citadel mine`, in which issues about each finding are looked for.",
    ),
]
Siblings = Annotated[
    str,
    typer.Option("--siblings", metavar="N|all", help="Try at most the N best-ranked siblings."),
]
Attempts = Annotated[
    int,
    typer.Option(
        "--attempts",
        metavar="N",
        min=1,
        help="Try at most N adapted calls on the arguments of the failing call.",
    ),
]
Replays = Annotated[
    int | None,
    typer.Option(
        "--replays",
        metavar="N",
        min=1,
        show_default=False,
        help=f"Replay at most N generated cases [default: {REPLAYS:,}, and {MEASURED_REPLAYS} where"
        " they are measured].",
    ),
]
MinConfidence = Annotated[
    float | None,
    typer.Option(
        "--min-confidence",
        metavar="P",
        min=0,
        max=1,
        help="Present siblings as bugs from this confidence on (0 to 1); others are `alike`.",
        show_default="as calibrated",
    ),
]
MatchesFile = Annotated[
    Path | None,
    typer.Option(
        "--matches",
        metavar="FILE",
        help="Pairs of equal APIs, as `import deeprel --match` writes them: those rank higher.",
    ),
]


def given_matches(path: Path | None) -> Matches:
    """The pairs that the user names; none where there is no file.

    Raises:
        CitadelError: when the file cannot be read or a line of it is no pair.
    """
    return Matches() if path is None else read_matches(path)


def read_fraction(text: str, option: str) -> Fraction:
    """An exact fraction: 0.6 is 3/5, on which many pairs lie.

    Raises:
        CitadelError: when it is none from 0 to 1.
    """
    try:
        given = Fraction(text)
    except (ValueError, ZeroDivisionError):
        given = Fraction(-1)
    if not 0 <= given <= 1:
        raise CitadelError(f"{option} takes a number from 0 to 1, not {text}", f"e.g. {option} 0.6")
    return given


def read_siblings(text: str) -> int | None:
    """How many siblings to try; None is all.

    Raises:
        CitadelError: when it is neither a positive number nor "all".
    """
    if text == "all":
        return None
    if not text.isdecimal() or int(text) == 0:
        raise CitadelError(
            f"--siblings takes a positive number or all, not {text}", "e.g. --siblings 150"
        )
    return int(text)


def read_wish(framework: str | None, backend: str | None) -> Wish:
    """What the user asks for, by options and by the variables that frameworks look at.

    Raises:
        CitadelError: for a framework or backend that Citadel does not know.
    """
    if framework is not None and framework not in FRAMEWORKS:
        known = ", ".join(FRAMEWORKS)
        raise CitadelError(f"--framework takes no {framework}", f"one of {known}")
    if backend is not None and backend not in _BACKENDS:
        raise CitadelError(f"--backend takes no {backend}", f"one of {', '.join(_BACKENDS)}")
    switches = [one.switch for one in FRAMEWORKS.values() if one.switch]
    given = tuple((name, os.environ[name]) for name in switches if name in os.environ)
    return Wish(framework=framework, backend=backend, environment=given)


def read_correction(
    api: str, kind: str, symptom: str, block: str, line: str, expect: str
) -> Correction:
    """What is said of a report.

    Raises:
        BadCorrection: when it makes no sense.
    """
    return correction(
        {
            "api": api,
            "kind": kind,
            "symptom": symptom,
            "block": block,
            "line": line,
            "expect": expect,
        }
    )
