from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from markdown_it import MarkdownIt
from markdown_it.token import Token

from citadel.model import Cut, Finding, Symptom, SymptomKind, TargetSummary, Triage, VerdictKind
from citadel.report.markdown import family_markdown

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


def script_of(text: str) -> str:
    (script,) = [t.content for t in parse(text) if t.type == "fence"]
    return script


def test_a_family_reads_like_a_report(
    target: TargetSummary,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
    tmp_path: Path,
) -> None:
    triage = make_triage(
        make_finding("builtins.float", code="raise ValueError('bad width 4')\n"),
        make_finding("builtins.len", VerdictKind.CLEAN),
        make_finding("builtins.max", VerdictKind.NOT_ADAPTED, reason="required argument"),
    )
    lines = family_markdown(target, triage).splitlines()
    assert lines[0] == "# `builtins.int` and 1 sibling API fail: `bad width 3`"
    reported = "First reported for `builtins.int` in `example/example#9000001`: `int fails`"
    assert reported in lines
    assert "| `builtins.int` | reported |  | 3 of 3 |  | `ValueError: bad width 3` |" in lines
    assert "| `builtins.float` | bug | 0.90 | 3 of 3 |  | `the same` |" in lines
    assert "- `torch` `2.13.0`" in lines
    assert (
        "Verdicts on the best-ranked ones and all that showed it: bug 1, clean 1, not adapted 1."
        in lines
    )
    assert "- not adapted, `required argument`: 1" in lines
    assert any("120 other APIs" in line for line in lines)
    path = tmp_path / "script.py"
    path.write_text(script_of("\n".join(lines)))
    done = subprocess.run([sys.executable, path], capture_output=True, text=True, timeout=120)
    assert done.stdout.splitlines() == [
        "builtins.int: ValueError: bad width 3",
        "builtins.float: ValueError: bad width 4",
    ]


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
    assert "\n\nDoubt: the indices differ.\n" in family_markdown(target, triage)


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
    assert "`builtins.int` itself is **fixed here**: `ValueError: stride must be positive`." in text
    assert (
        "| `builtins.int` | fixed here |  | 0 of 3 |  | `ValueError: stride must be positive` |"
        in text
    )


@pytest.mark.parametrize(
    ("symptom", "words"),
    [
        (Symptom(kind=SymptomKind.CRASHES, signal="SIGFPE"), "7 more showed it when tried"),
        (Symptom(kind=SymptomKind.SLOW, ratio=3.0), "7 more took the call when tried"),
    ],
)
def test_what_was_not_replayed_is_called_no_finding(
    target: TargetSummary, make_triage: Callable[..., Triage], symptom: Symptom, words: str
) -> None:
    assert words in family_markdown(target, make_triage(symptom=symptom, unconfirmed=7))


def test_without_siblings(target: TargetSummary, make_triage: Callable[..., Triage]) -> None:
    assert "No sibling shows this symptom." in family_markdown(target, make_triage())
    cut = family_markdown(target, replace(make_triage(), cut=Cut.REPLAYS, tried=7))
    assert "No sibling was found among 7 APIs, and the search was cut short." in cut
    fixed = family_markdown(target, make_triage(reproduces=False))
    assert fixed.startswith("# `builtins.int` is fixed here, and no sibling fails")


def test_large_families_fit_into_an_issue(
    target: TargetSummary,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
) -> None:
    long = "\n".join(f"x{i} = {i}" for i in range(200))
    many = [make_finding(f"api{i}", code=f"{long}\nif True:\n    f{i}()\n") for i in range(300)]
    text = family_markdown(target, make_triage(*many))
    assert len(text) < 65_536
    assert "... and 250 more, each" in text
    unfolded, folded = text.split("<details>", 1)
    assert "api11`" in unfolded
    assert "api12`" not in unfolded
    assert "<summary>38 more siblings</summary>" in folded
    assert text.count("<details>") == text.count("</details>") == 3
    assert "Left out for length" in text


def test_small_families_are_not_folded(
    target: TargetSummary,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
) -> None:
    text = family_markdown(target, make_triage(*(make_finding(f"api{i}") for i in range(12))))
    assert "<details>" not in text
    assert "Why these siblings were tried, and what was changed:\n\n- `api0`" in text


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
    given = make_triage(make_finding("f.g", symptom=other, samples=(7.0, 8.0)), symptom=slow)
    assert given.case is not None
    given = replace(given, case=replace(given.case, samples=(5.0, 5.5)))
    text = family_markdown(target, given)
    assert text.startswith("# `builtins.int` and 1 sibling API are slow: `ratio 5.25, expected")
    assert f"`ratio 5.25, expected about 1: {long}`" in text
    assert "| `builtins.int` | reported |  | 3 of 3 |  | `ratio 5.25` |" in text
    assert "| `f.g` | bug | 0.90 | 3 of 3 |  | `ratio 7.5` |" in text
    measured = text.split("## Measured")[1]
    assert "builtins.int (reported)       5.25 |" in measured
    assert "f.g                            7.5 |" in measured


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
    assert "## Symptom\n\n`a / b, expected about 1`" in text
    assert "itself is **fixed here**: `ratio 1.06`." in text
    assert "| `builtins.int` | fixed here |  | 0 of 3 |  | `ratio 1.06` |" in text
