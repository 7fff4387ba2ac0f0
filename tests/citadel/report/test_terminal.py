from __future__ import annotations

import io
from collections.abc import Callable
from dataclasses import replace

import pytest
from rich.console import Console

from citadel.model import (
    Cut,
    Family,
    Finding,
    Symptom,
    SymptomKind,
    TargetSummary,
    Triage,
    VerdictKind,
)
from citadel.report.terminal import render, render_triage

LONG = "torch.nn.functional." + "very_long_name_" * 8 + "2d"


def pipe(width: int = 80, encoding: str = "utf-8") -> Console:
    stream = io.TextIOWrapper(io.BytesIO(), encoding=encoding, write_through=True)
    return Console(file=stream, width=width)


def text_of(console: Console) -> str:
    stream = console.file
    assert isinstance(stream, io.TextIOWrapper)
    stream.seek(0)
    return stream.read()


def test_a_block_at_80_columns(
    make_finding: Callable[..., Finding], make_triage: Callable[..., Triage]
) -> None:
    folder = "generated_cases/torch/0123456789abcdef"
    console = pipe()
    triage = make_triage(
        make_finding("builtins.float", file=f"{folder}/builtins.float.py"),
        make_finding("builtins.len", VerdictKind.CLEAN),
        make_finding("builtins.max", VerdictKind.NOT_ADAPTED, reason="required argument"),
        make_finding("builtins.min", VerdictKind.DIFFERENT),
    )
    render_triage(console, triage)
    lines = text_of(console).splitlines()
    assert "example/example#9000001: int fails" in lines
    assert "API: builtins.int" in lines
    assert "symptom: ValueError: bad width 3" in lines
    assert "reproduces: 3 of 3 runs" in lines
    assert "1 sibling with the same symptom" in lines
    assert any(line.split() == ["builtins.float", "bug", "3/3"] for line in lines)
    assert "    context 0.50, signature 0.25, family (dimension), arguments 1.00" in lines
    assert "    renamed" in lines
    assert f"cases and family.md in {folder}" in lines
    assert "tried 120 APIs; beside the bugs: different 1, clean 1, not adapted 1" in lines
    assert "  not adapted 1: required argument" in lines
    assert "  ValueError: bad width 3: builtins.min" in lines
    assert not any(line.startswith("family") for line in lines)
    assert "seconds: verify 0.4, siblings 6.1, first finding after 1.2" in lines
    assert max(len(line) for line in lines) <= 80


def test_a_table_where_there_is_room(
    make_finding: Callable[..., Finding], make_triage: Callable[..., Triage]
) -> None:
    console = pipe(width=160)
    render_triage(console, make_triage(make_finding("builtins.float", file="out/x/float.py")))
    lines = text_of(console).splitlines()
    header = next(line for line in lines if line.startswith("API ") and "verdict" in line)
    assert header.split() == ["API", "verdict", "channels", "edits", "file"]
    row = lines[lines.index(header) + 1]
    assert row.split()[:3] == ["builtins.float", "bug", "3/3"]
    assert row.split()[-2:] == ["renamed", "float.py"]


def test_forms_of_one_operation_stand_together(
    make_finding: Callable[..., Finding], make_triage: Callable[..., Triage]
) -> None:
    folder = "generated_cases/torch/0123456789abcdef"
    names = {"torch.sin": "sin", "torch.cos": "cos", "torch.Tensor.sin": "sin", "torch.tan": "tan"}
    bugs = [
        make_finding(api, file=f"{folder}/{api}.py", operation=operation)
        for api, operation in names.items()
    ]
    narrow, wide, whole = pipe(), pipe(width=160), pipe()
    render_triage(narrow, make_triage(*bugs))
    lines = text_of(narrow).splitlines()
    assert "4 siblings with the same symptom, forms of 3 operations" in lines
    assert "  (--all shows how each of them was called)" in lines
    first = next(at for at, line in enumerate(lines) if line.split() == ["torch.sin", "bug", "3/3"])
    assert lines[first + 3] == "    also torch.Tensor.sin"
    assert lines[first + 4].split() == ["torch.cos", "bug", "3/3"]
    render_triage(wide, make_triage(*bugs))
    rows = [line.split()[0] for line in text_of(wide).splitlines() if " bug 3/3" in line]
    assert rows == ["torch.sin", "torch.Tensor.sin", "torch.cos", "torch.tan"]
    render_triage(whole, make_triage(*bugs), show_all=True)
    assert "also" not in text_of(whole)
    assert text_of(whole).count("    renamed") == 4


@pytest.mark.parametrize("width", [40, 80, 160])
def test_long_names_are_shown_whole(
    width: int, make_finding: Callable[..., Finding], make_triage: Callable[..., Triage]
) -> None:
    console = pipe(width)
    render_triage(console, make_triage(make_finding(LONG)))
    bugs = text_of(console).split("with the same symptom")[1]
    if width == 160:
        # Beside the name stand other columns: the name's parts are the first words of the rows.
        rows = bugs.splitlines()[2:]
        assert "".join(row.split(" ")[0] for row in rows[:9]).startswith(LONG)
    else:
        assert LONG in "".join(bugs.split())


@pytest.mark.parametrize("terminal", [False, True])
def test_text_of_strangers_is_literal(
    make_finding: Callable[..., Finding], make_triage: Callable[..., Triage], *, terminal: bool
) -> None:
    stream = io.StringIO()
    console = Console(file=stream, width=80, force_terminal=terminal, color_system=None)
    words = "[red]x[/red] [/] :bug: \x1b]0;title\x07 \x9b2J \u202e\r\n"
    triage = make_triage(
        make_finding("f" + words, edits=(words,)),
        make_finding("g" + words, VerdictKind.DIFFERENT),
        make_finding("h" + words, VerdictKind.NOT_ADAPTED, reason=words),
        title=words,
        api=words,
        control=words,
        observed=words,
        reproduces=False,
    )
    errors = [Triage(input=words, error=words), Triage(input=words, skipped=words)]
    render_triage(console, triage)
    for other in errors:
        render_triage(console, other)
    shown = stream.getvalue()
    # With bold text a terminal gets rich's own sequences, which only select a style.
    allowed = shown.replace("\x1b[1m", "").replace("\x1b[0m", "")
    assert all(c.isprintable() or c == "\n" for c in allowed)
    assert "[red]x[/red]" in shown
    assert ":bug:" in shown
    assert "\\x1b]0;title" in shown


def test_why_it_may_be_no_bug_is_said(
    make_finding: Callable[..., Finding], make_triage: Callable[..., Triage]
) -> None:
    triage = make_triage(make_finding("builtins.float"), doubts=("the indices differ",))
    console = pipe()
    render_triage(console, triage)
    assert "doubt: the indices differ" in text_of(console)


def test_what_shows_it_now_and_then_is_named(
    make_finding: Callable[..., Finding], make_triage: Callable[..., Triage]
) -> None:
    flaky = make_finding("builtins.float", VerdictKind.FLAKY)
    flaky = replace(flaky, verdict=replace(flaky.verdict, runs=(2, 3)))
    console = pipe()
    render_triage(console, make_triage(flaky))
    assert "flaky: builtins.float in 2 of 3 runs" in text_of(console)


def test_of_a_search_that_was_cut_no_absence_is_said(make_triage: Callable[..., Triage]) -> None:
    console = pipe()
    render_triage(console, replace(make_triage(), cut=Cut.REPLAYS, tried=1234))
    text = text_of(console)
    assert "no sibling was found among 1,234 APIs, and the search was cut short" in text
    assert "no sibling shows" not in text


def test_many_siblings_are_cut_with_a_count(
    make_finding: Callable[..., Finding], make_triage: Callable[..., Triage]
) -> None:
    triage = make_triage(*(make_finding(f"api{i:03}") for i in range(123)))
    console = pipe()
    render_triage(console, triage)
    assert "... and 103 more (--all shows them)" in text_of(console)
    assert "api019" in text_of(console)
    full = pipe()
    render_triage(full, triage, show_all=True)
    assert "api122" in text_of(full)


def test_failures_of_other_kinds_are_grouped_or_all_shown(
    make_finding: Callable[..., Finding], make_triage: Callable[..., Triage]
) -> None:
    def other(number: int, way: int) -> Finding:
        symptom = Symptom(kind=SymptomKind.RAISES, exception="ValueError", message=f"way {way}")
        return make_finding(f"api{number}", VerdictKind.DIFFERENT, symptom=symptom)

    triage = make_triage(*(other(n, n % 7) for n in range(42)))
    console = pipe()
    render_triage(console, triage)
    text = text_of(console)
    assert "  ValueError: way 0: api0, api7, api14, api21, ... and 2 more" in text
    assert "way 5" not in text
    assert "... and in 2 more ways (--all shows them)" in text
    full = pipe()
    render_triage(full, triage, show_all=True)
    assert "  api41: ValueError: way 6" in text_of(full)


def test_the_new_name_and_its_file_are_not_said_twice(
    make_finding: Callable[..., Finding], make_triage: Callable[..., Triage]
) -> None:
    finding = make_finding(
        "torch.exp", edits=("renamed to torch.exp", "filled dim"), file="out/x/torch.exp.py"
    )
    for width in (80, 200):
        console = pipe(width)
        render_triage(console, make_triage(finding))
        bugs = text_of(console).split("with the same symptom")[1].split("cases and")[0]
        assert bugs.count("torch.exp") == 1
        assert "filled dim" in bugs
        assert "file" not in bugs


def test_families_are_listed_where_there_are_several(
    make_finding: Callable[..., Finding], make_triage: Callable[..., Triage]
) -> None:
    triage = make_triage(make_finding("f"), make_finding("g"))
    two = (Family(key="a", apis=("f",), root="one"), Family(key="b", apis=("g",), root="two"))
    console = pipe()
    render_triage(console, replace(triage, families=two))
    lines = text_of(console).splitlines()
    assert "family (1) one: f" in lines
    assert "family (1) two: g" in lines


def test_several_reports_end_with_a_table(
    target: TargetSummary,
    make_finding: Callable[..., Finding],
    make_triage: Callable[..., Triage],
) -> None:
    console = pipe()
    fixed = make_triage(reproduces=False, observed="", number=None)
    triages = [
        make_triage(make_finding("a.b")),
        fixed,
        Triage(input="dir/broken.json", error="not JSON"),
        Triage(input="question.md", skipped="no code"),
    ]
    render(console, target, triages)
    lines = text_of(console).splitlines()
    assert lines[0] == "torch 2.13.0 on cpu, sandbox: bubblewrap"
    assert "fixed here: now no failure" in lines
    rows = [line.split() for line in lines[-5:]]
    assert rows[0] == ["report", "API", "kind", "now", "bugs", "tried", "seconds"]
    reproduced = ["#9000001", "builtins.int", "status", "reproduces", "1", "120", "6.6"]
    assert rows[1] == reproduced
    assert rows[2][:3] == ["report.json", "builtins.int", "status"]
    assert rows[3] == ["broken.json", "not", "JSON", "error"]
    assert rows[4] == ["question.md", "no", "code", "skipped"]


def test_a_console_that_knows_only_ascii(make_triage: Callable[..., Triage]) -> None:
    console = pipe(encoding="ascii")
    render_triage(console, make_triage(title="ä \U0001f41b"))
    assert "\\xe4 \\U0001f41b" in text_of(console)


@pytest.mark.parametrize("width", [80, 200])
def test_measured_ratios_stand_beside_the_verdict(
    width: int, make_finding: Callable[..., Finding], make_triage: Callable[..., Triage]
) -> None:
    long = "elapsed(" + "x, " * 90 + ")"
    slow = Symptom(
        kind=SymptomKind.SLOW, where=long, observed="5.25", expected="about 1", ratio=5.25
    )
    finding = make_finding("f.g", symptom=replace(slow, ratio=7.5, observed="7.5"))
    console = pipe(width)
    render_triage(console, make_triage(finding, symptom=slow))
    text = text_of(console)
    assert "symptom: ratio 5.25, expected about 1: elapsed(" in text
    assert "reproduces: 3 of 3 runs, as many as it took to tell" in text
    assert "bug 3/3, ratio 7.5" in text
