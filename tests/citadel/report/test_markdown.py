from __future__ import annotations

import io
import platform
from collections.abc import Callable
from dataclasses import replace

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token
from rich.console import Console

from citadel.experiment import Control, Evidence, Under
from citadel.model import Cut, Finding, Symptom, SymptomKind, TargetSummary, Triage, VerdictKind
from citadel.places import Elsewhere, Place, State
from citadel.report.markdown import LINES, family_markdown
from citadel.report.terminal import render_triage

HOSTILE = [
    "@maintainer fix #123 now",
    "![x](https://example.invalid/x.png) [link](javascript:1)",
    "<script>alert(1)</script><!-- <details>",
    "```\n## Breakout\n```",
    "a | b | c\n| --- |",
    "`` `tick` ``` end`",
    "\\",
    "</code></pre>\\|`|",
    "\r\n\r\n# heading\u2028# other\x1b[2J",
]


def parse(text: str) -> list[Token]:
    return MarkdownIt("gfm-like", {"linkify": False}).parse(text)


def shape(text: str) -> list[str]:
    """The page's structure without its words: what hostile text must not change."""
    tokens = []
    for token in parse(text):
        tokens.append(token.type)
        tokens += [t.type for t in token.children or []]
    return tokens


def test_a_family_reads_like_a_report(
    target: TargetSummary,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
) -> None:
    control = Control(
        variations=(), sentence="w is 4 (3: works)", outcome=Under.CURED, code="w = 3\nlen('w')\n"
    )
    bug = make_finding("builtins.float", code="w = 4\nlen('w')\nraise ValueError(w)\n")
    bug = replace(bug, fails=True, evidence=Evidence(controls=(control,)), operation="float")
    triage = make_triage(
        bug,
        replace(make_finding("builtins._float", code="f()\n"), operation="float"),
        make_finding("builtins.len", VerdictKind.CLEAN),
        make_finding("builtins.hash", VerdictKind.ALIKE),
        make_finding("builtins.min", VerdictKind.DIFFERENT),
    )
    text = family_markdown(replace(target, python_version="3.11.7"), triage)
    assert (
        text
        == """\
# `builtins.int` and 1 sibling operation fail: `bad width 3`

First reported for `builtins.int` in `example/example#9000001`: `int fails`\\
Note: the symptom is a plain exception: whether it is a bug or validation, in the source and in \
each sibling, is for a maintainer to say.

## To reproduce

```python
w = 4
len('w')
raise ValueError(w)
```

Shows `ValueError: bad width 3`. The control (`w is 4 (3: works)`) runs through:

```diff
- w = 4
+ w = 3
- raise ValueError(w)
```

## Operations

| API | forms | severity | confidence | control | symptom |
| --- | --- | --- | --- | --- | --- |
| `builtins.int` | 1 | exception | reported | none | `ValueError: bad width 3` |
| `builtins.float` | 2 | exception | 0.90 | runs through | the same |

## Also seen

- Show the symptom, and too little says that it is this bug: `builtins.hash`
- Fail otherwise: `builtins.min`

## Versions

```text
PyTorch version: 2.13.0
Devices: cpu
Python version: 3.11.7
OS: Linux x86_64
```
""".replace("Linux x86_64", f"{platform.system()} {platform.machine()}")
    )


def test_where_else_the_case_fails(
    target: TargetSummary, make_triage: Callable[..., Triage]
) -> None:
    places = [Place(name, State.BAD, "`x`") for name in ("eager", "aot_eager")]
    releases = (Place("1.13.1", State.GOOD, ""), Place("2.9.1", State.BAD, ""))
    found = Elsewhere(
        api="builtins.int", ways=(*places, Place("inductor", State.GOOD, "")), releases=releases
    )
    text = family_markdown(target, replace(make_triage(), elsewhere=found))
    assert "Ways to run it: `bad in eager, aot_eager; good in inductor`\\\n" in text
    assert "Releases: `first bad: 2.9.1 (good in 1.13.1)`" in text
    other = replace(make_triage(), elsewhere=replace(found, api="torch.nn.RMSNorm"))
    assert "Ways to run it (`torch.nn.RMSNorm`): `bad in" in family_markdown(target, other)
    out = io.StringIO()
    render_triage(Console(file=out, width=100), other)
    assert "ways to run it (torch.nn.RMSNorm): bad in eager" in out.getvalue()


def test_the_reported_operation_is_shown_first(
    target: TargetSummary,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
) -> None:
    control = Control(variations=(), sentence="", outcome=Under.CURED, code="x()\n")
    other = replace(
        make_finding("builtins.float", code="float()\n"),
        fails=True,
        evidence=Evidence(controls=(control,)),
    )
    triage = make_triage(other, code="a = 1\nb = 2\nint(a, b)\n")
    assert triage.case is not None
    own = replace(triage, case=replace(triage.case, check=triage.case.code))
    assert "\nint(a, b)\n" in family_markdown(target, own)
    fixed = replace(own, case=replace(triage.case, reproduces=False))
    assert "\nfloat()\n" in family_markdown(target, fixed)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_changes_no_structure(
    text: str,
    target: TargetSummary,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
) -> None:
    def page(words: str) -> str:
        symptom = Symptom(kind=SymptomKind.RAISES, exception="E" + words, message=words)
        return family_markdown(
            target,
            make_triage(
                make_finding("f" + words, symptom=symptom, edits=(words,)),
                make_finding("g" + words, VerdictKind.NOT_ADAPTED, reason=words),
                title=words,
                api="api" + words,
                code=f"text = {words!r}\n'''{words}'''\n",
                symptom=symptom,
                control=words,
            ),
        )

    assert shape(page(text)) == shape(page("harmless"))
    assert "\x1b" not in page(text)


def test_why_it_may_be_no_bug_is_said(
    target: TargetSummary,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
) -> None:
    triage = make_triage(make_finding("builtins.float"), doubts=("the indices differ",))
    assert "\nDoubt: the indices differ.\\\n" in family_markdown(target, triage)


def test_fixed_here_is_said_and_the_title_names_a_failing_api(
    target: TargetSummary,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
) -> None:
    crash = Symptom(kind=SymptomKind.CRASHES, signal="SIGFPE")
    triage = make_triage(
        make_finding("builtins.float", symptom=crash),
        symptom=crash,
        reproduces=False,
        observed="ValueError: stride must be positive",
    )
    text = family_markdown(target, triage)
    assert text.startswith("# `builtins.float` crashes: `SIGFPE`\n")
    assert "There: `crashes with SIGFPE`" in text
    assert "`builtins.int` itself is **fixed here**: `ValueError: stride must be positive`." in text
    assert (
        "| `builtins.int` | 0 |  | fixed here | none | `ValueError: stride must be positive` |"
        in text
    )
    assert "`module: crash`" in text


def test_what_was_not_replayed_is_called_no_finding(
    target: TargetSummary, make_triage: Callable[..., Triage]
) -> None:
    words = "so neither findings nor clean: 7 more APIs"
    assert words in family_markdown(target, make_triage(unconfirmed=7))


def test_without_siblings(target: TargetSummary, make_triage: Callable[..., Triage]) -> None:
    assert "No sibling shows this symptom." in family_markdown(target, make_triage())
    cut = family_markdown(target, replace(make_triage(), cut=Cut.REPLAYS, tried=7))
    assert "No sibling was found among 7 APIs, and the search was cut short." in cut
    fixed = family_markdown(target, make_triage(reproduces=False))
    assert fixed.startswith("# `builtins.int` is fixed here, and no sibling fails")


@pytest.mark.parametrize("doubts", [0, 2, 9])
@pytest.mark.parametrize("lines", [1, 16, 22, 300])
def test_large_families_fit_on_a_page(
    lines: int,
    doubts: int,
    target: TargetSummary,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
) -> None:
    code = "\n".join(f"x{i} = {i}" for i in range(lines))
    kinds = (VerdictKind.BUG, VerdictKind.ALIKE, VerdictKind.DIFFERENT, VerdictKind.FLAKY)
    many = [
        make_finding(f"{kind}{i}", kind, code=f"{code}\nf{i}()\n")
        for kind in kinds
        for i in range(99)
    ]
    told = tuple(f"the doubt {i}" for i in range(doubts))
    triage = make_triage(*many, code=code, doubts=told, unconfirmed=3)
    assert triage.case is not None
    control = code.replace("x0 = 0", "x0 = 1\nx0 = 2\nx0 = 3\nx0 = 4")
    triage = replace(triage, case=replace(triage.case, check=code, control=control, file="a/b.py"))
    text = family_markdown(replace(target, settings=(("A", "1"), ("B", "2"))), triage)
    assert text.count("\n") <= LINES
    assert text.count("| `bug") >= 4
    assert "more operations, each with a case of its own." in text
    assert ("300 lines in `b.py`" in text) is (lines == 300)
    assert "`alike4`, ... (99 operations)" in text


def test_what_was_measured_is_never_what_is_cut(
    target: TargetSummary,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
) -> None:
    long = "elapsed(lambda: " + "torch.addmm(a, b, c) and " * 9 + "1)"
    slow = Symptom(
        kind=SymptomKind.SLOW, where=long, observed="5.25", expected="about 1", ratio=5.25
    )
    other = replace(slow, ratio=7.5, observed="7.5")
    text = family_markdown(target, make_triage(make_finding("f.g", symptom=other), symptom=slow))
    assert text.startswith(
        "# `builtins.int` and 1 sibling operation are slow: `ratio 5.25, expected"
    )
    assert "| `builtins.int` | 1 | time or memory | reported | none | `ratio 5.25` |" in text
    assert "| `f.g` | 1 | time or memory | 0.90 | none | `ratio 7.5` |" in text


def test_a_triage_without_a_case(target: TargetSummary) -> None:
    text = family_markdown(target, Triage(input="@me.md", skipped="a question"))
    assert text == "# No case for `@me.md`\n\n`a question`\n"


def test_a_ratio_that_is_gone_is_not_the_symptom(
    target: TargetSummary,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
) -> None:
    gone = Symptom(
        kind=SymptomKind.SLOW, where="a / b", observed="1.06", expected="about 1", ratio=1.06
    )
    there = replace(gone, ratio=9.0, observed="9")
    triage = make_triage(
        make_finding("f.g", symptom=there),
        symptom=gone,
        reproduces=False,
        observed=gone.headline(),
    )
    text = family_markdown(target, triage)
    assert text.startswith("# `f.g` is slow: `ratio 9, expected about 1: a / b`")
    assert "There: `a / b, expected about 1`" in text
    assert "itself is **fixed here**: `ratio 1.06`." in text
    assert "| `builtins.int` | 0 |  | fixed here | none | `ratio 1.06` |" in text


def test_a_title_says_what_is_seen_and_no_folders_of_a_build(
    target: TargetSummary, make_triage: Callable[..., Triage]
) -> None:
    failed = 'failed at "/build/pytorch/aten/src/ATen/native/Linear.cpp":46, please report it'
    raised = Symptom(kind=SymptomKind.RAISES, exception="RuntimeError", message=failed)
    title = family_markdown(target, make_triage(symptom=raised)).partition("\n")[0]
    assert title.endswith('fails: `failed at "Linear.cpp":46, please report it`')
    accepted = Symptom(kind=SymptomKind.ACCEPTS, observed="[0, 3]")
    title = family_markdown(target, make_triage(symptom=accepted)).partition("\n")[0]
    assert title.endswith("accepts bad input: `gives [0, 3]`")


def test_how_far_a_value_is_from_the_right_one(
    target: TargetSummary,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
) -> None:
    wrong = Symptom(kind=SymptomKind.DISAGREES, where="y", observed="3", expected="4")
    triage = make_triage(replace(make_finding("f.g", symptom=wrong), distance=1 / 3), symptom=wrong)
    assert triage.case is not None
    text = family_markdown(target, replace(triage, case=replace(triage.case, distance=0.25)))
    assert "| `y is 3, expected 4`, off by 0.25 |" in text
    assert "| the same, off by 0.33 |" in text
