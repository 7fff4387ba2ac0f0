"""The page of all families: what it shows, and that nothing on it is of strangers' making."""

from __future__ import annotations

import html
import re
import shutil
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from citadel.experiment import Control, Evidence, Trigger, Under
from citadel.model import Finding, TargetSummary, Triage
from citadel.report.page import _digest, page

BROWSER = shutil.which("chromium") or shutil.which("google-chrome")
PAYLOADS = (
    "</script><script>document.title='broken'</script>",
    "<img src=x onerror=\"document.title='broken'\">",
    '" onmouseover="document.title=\'broken\'" x="',
    "'><svg onload=document.title='broken'>",
    "</style><style>body{display:none}</style>",
    "</pre></details></section><h1>broken</h1>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:document.title='broken'",
    "<!--<script>",
    "\u202e\x00\x1b]0;broken\x07\ud800",
)


class Seen(HTMLParser):
    """The elements of a page with their attributes, and its text."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.elements: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.elements.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data

    def of(self, tag: str) -> Iterator[dict[str, str | None]]:
        return (attributes for name, attributes in self.elements if name == tag)


@pytest.fixture
def hostile(make_triage: Callable[..., Triage], make_finding: Callable[..., Finding]):
    """A triage whose every text is the same."""

    def make(text: str) -> Triage:
        control = Control(
            variations=(), sentence=text, outcome=Under.CURED, code=f"x = 2\n{text}\n"
        )
        one = make_finding(text, code=f"x = 1\n{text}\n", edits=(text,), operation=f"{text}.b")
        one = replace(one, evidence=Evidence(controls=(control,)), aliases=(text,))
        made = make_triage(one, title=text, api=text, code=text, doubts=(text,), number=None)
        case = replace(
            made.case,
            check=text,
            control=f"{text}\nx",
            cured=text,
            relation=text,
            trigger=Trigger(),
        )
        symptom = replace(case.symptom, message=text, where=text, observed=text, expected=text)
        return replace(made, case=replace(case, symptom=symptom), input=text)

    return make


def test_it_shows_case_control_and_what_differs(target, make_triage, make_finding) -> None:
    control = Control(
        variations=(), sentence="`x` is odd (even: works)", outcome=Under.CURED, code="float(4)\n"
    )
    one = make_finding("builtins.float", code="float(3)\n", operation="float")
    one = replace(one, evidence=Evidence(controls=(control,)))
    text = page([target], [make_triage(one, code="int(3)\n")])
    seen = Seen(text)
    assert "2 operations in 1 report" in seen.text
    assert "example/example#9000001" in seen.text
    assert "on torch 2.13.0" in seen.text
    assert "`x` is odd (even: works)" in seen.text
    removed, added = (
        re.findall(rf'<span class="{mark}">. ([^<]*)', text) for mark in ("removed", "added")
    )
    assert (removed, added) == (["int(3)", "float(3)"], ["float(3)", "float(4)"])
    [_, other] = [one for one in seen.of("details") if one.get("class") == "operation"]
    assert other["data-severity"] == "exception"
    assert "builtins.float" in (other["data-text"] or "")
    assert [one["data-code"] for one in seen.of("pre") if "data-code" in one][-1] == "float(3)"


def test_reports_without_a_case_have_a_reason(target) -> None:
    text = page(
        [target], [Triage(input="a.md", skipped="a question"), Triage(input="b", error="?")]
    )
    assert "0 operations in 0 reports" in text
    assert "<dt>a.md</dt><dd>a question</dd>" in text


@pytest.mark.parametrize("payload", PAYLOADS)
def test_what_strangers_write_stays_text(target: TargetSummary, hostile, payload: str) -> None:
    seen, plain = Seen(page([target], [hostile(payload)])), Seen(page([target], [hostile("text")]))
    # The same elements with the same attributes, whatever the texts are.
    names, known = (
        [(tag, sorted(attributes)) for tag, attributes in one.elements] for one in (seen, plain)
    )
    assert names == known
    assert not [name for _, attributes in seen.elements for name in attributes if name[:2] == "on"]
    assert not {"\x00", "\x1b", "\x07", "\u202e"} & set(seen.text)


def test_nothing_runs_and_nothing_is_loaded_but_what_the_page_has(target, make_triage) -> None:
    text = page([target], [make_triage()])
    [policy] = (one["content"] for one in Seen(text).of("meta") if "http-equiv" in one)
    assert str(policy).startswith("default-src 'none'; ")
    for tag in ("script", "style"):
        [own] = re.findall(rf"<{tag}>(.*?)</{tag}>", text, re.S)
        assert f"{tag}-src '{_digest(own)}'" in str(policy)
    assert "unsafe" not in str(policy)
    assert not re.search(r"""\b(?:src|href|style)\s*=""", text)


@pytest.mark.slow
@pytest.mark.skipif(BROWSER is None, reason="no Chromium here")
def test_a_browser_runs_the_pages_own_script_alone(
    tmp_path: Path, target: TargetSummary, hostile
) -> None:
    file = tmp_path / "page.html"
    file.write_text(page([target], list(map(hostile, PAYLOADS[:-1]))), encoding="utf-8")
    command = [
        *(str(BROWSER), "--headless", "--no-sandbox", "--disable-gpu"),
        *(f"--user-data-dir={tmp_path / 'profile'}", "--virtual-time-budget=3000"),
        *("--dump-dom", file.as_uri()),
    ]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    assert "<title>Citadel: 18 operations in 9 reports</title>" in html.unescape(done.stdout)
    assert re.search(r'<span id="shown"[^>]*>18 shown</span>', done.stdout)
    assert "<h1>broken" not in done.stdout
