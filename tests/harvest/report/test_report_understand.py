import io
import time

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from harvest.report import load, understand
from harvest.report.inputs import from_bytes
from harvest.report.model import Reading, Report

PIECES = [
    *("```", "```python", "````", "~~~", "> ", ">>> ", "... ", "In [1]: ", "- ", "1. ", "    "),
    *("\t", "\n", "\r\n", " ", "<details>", "</details>", "<!--", "-->", "<pre>", "</pre>", "#"),
    *("import torch", "x = torch.f(", ")", "print x", "%timeit f()", "$ python", "def f():", "'''"),
    *("Traceback (most recent call last):", '  File "a", line 1', "ValueError: x", "E   ", "| "),
    *("During handling of the above exception", "Aborted", "exit code 139", "`f`", "`", "a.b"),
    *("\0", "\ud800", "\u2028", "\x0c", "é", "…", "\u00a0", "(" * 300, "[" * 90, "a." * 50, "*"),
    *("should", "instead of", "crash", "{", "tensor(", "EOF", "<<EOF", "-c '", "@", "### A", "\\"),
    *("http://a/b.py", "torch.f()", "x", "=", ":", "<!-- citadel: block=1,2 line=1 -->"),
    *("<!-- citadel: symptom='raises E: ```' expect='(y' -->", "<!-- citadel: expect='y > 1' -->"),
]
TEXTS = st.one_of(
    st.text(max_size=200),
    st.lists(st.sampled_from(PIECES), max_size=40).map("".join),
    st.lists(st.sampled_from(PIECES), max_size=25).map("\n".join),
)
MODEST = settings(
    max_examples=120, deadline=None, suppress_health_check=[HealthCheck.too_slow], database=None
)


def check(reading):
    assert isinstance(reading, Reading)
    assert bool(reading.candidates) != bool(reading.skipped)
    for snippet in reading.candidates:
        compile(snippet.code, "snippet", "exec", flags=0x400, dont_inherit=True)
    str(reading).encode()


@MODEST
@given(title=TEXTS, body=TEXTS)
def test_any_text_has_a_reading(title, body):
    check(understand(Report(source="x", title=title, body=body)))


@MODEST
@given(code=TEXTS)
def test_any_script_has_a_reading(code):
    check(understand(Report(source="x", title="", body="", code=code)))


@MODEST
@given(
    data=st.one_of(st.binary(max_size=200), TEXTS.map(lambda t: t.encode("utf-8", "replace"))),
    form=st.sampled_from(["", "json", "markdown", "python"]),
)
def test_any_bytes_are_reports_or_bad_input(data, form):
    for item in from_bytes(data, source="x", form=form):
        if isinstance(item, Report):
            check(understand(item))


@MODEST
@given(data=st.binary(max_size=100))
def test_any_standard_input_is_read(data):
    assert list(load(["-"], stdin=io.BytesIO(data)))


LONG = {
    "backticks": "`" * 1_000_000,
    "prompts": ">>>" * 330_000,
    "quotes": "> " * 500_000 + "x",
    "letters": "a" * 1_000_000,
    "dots": "a." * 500_000,
    "blanks": " " * 1_000_000 + "x",
    "brackets": "[]" * 500_000,
    "fences": "```\n" * 100_000,
    "exceptions": "ValueError: x\n" * 30_000,
    "tracebacks": "Traceback (most recent call last):\n" * 20_000,
    "open calls": "```\n" + "x = f((\n" * 9_000 + "```",
    "session": "```\n" + ">>> f((\n" * 9_000 + "```",
    "cut off strings": "```\nimport torch\ny = torch.f(x  # " + '\\"' * 50_000 + "\n```",
    "sum": "```\nimport torch\nx = " + "1+" * 50_000 + "1\n```",
}


@pytest.mark.parametrize("text", LONG.values(), ids=LONG.keys())
def test_long_texts_are_read_in_linear_time(text):
    start = time.process_time()
    check(understand(Report(source="x", title="t", body=text)))
    assert time.process_time() - start < 8


def test_a_whole_report():
    body = (
        "`f` dies.\n```\nimport torch\ntorch.f(1)\n```\n\n"
        "```\nSegmentation fault (core dumped)\n```\n"
    )
    reading = understand(Report(source="x", title="torch.f segfaults", body=body))
    assert [snippet.code for snippet in reading.candidates] == ["import torch\ntorch.f(1)\n"]
    assert [claim.signal for claim in reading.claims] == ["SIGSEGV"]
    assert [mention.name for mention in reading.mentions] == ["torch.f", "f"]
    assert reading.skipped is None
