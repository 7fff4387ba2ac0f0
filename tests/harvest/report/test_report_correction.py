"""What a person says of a report comes before its own words."""

import pytest

from harvest.report.correction import BadCorrection, correction, written
from harvest.report.model import ClaimKind, Comment, Report
from harvest.report.understand import understand
from harvest.report.unsure import UNSURE, unsure

BODY = """Something about torch.bmm fails.

```python
import torch
x = torch.ones(3)
y = torch.matmul(x, x)
print(y.sum())
```

It prints

```
tensor(3.)
```

and, too

```python
z = torch.bmm(x, x)
```
"""


def read(body=BODY, title="torch.bmm is odd", **said):
    return understand(Report(source="a", title=title, body=body), correction(said))


@pytest.mark.parametrize(
    ("symptom", "kind", "exception", "signal"),
    [
        ("raises RuntimeError: batch1 must be 3D", ClaimKind.RAISES, "RuntimeError", None),
        ("raises ValueError", ClaimKind.RAISES, "ValueError", None),
        ("crashes SIGSEGV", ClaimKind.CRASHES, None, "SIGSEGV"),
        ("crashes", ClaimKind.CRASHES, None, None),
        ("hangs", ClaimKind.HANGS, None, None),
        ("wrong", ClaimKind.VALUE, None, None),
        ("nonfinite", ClaimKind.VALUE, None, None),
        ("slow", ClaimKind.PERFORMANCE, None, None),
        ("memory", ClaimKind.PERFORMANCE, None, None),
    ],
)
def test_a_symptom_is_read_as_a_report_that_tells_of_it(symptom, kind, exception, signal):
    reading = read(symptom=symptom)
    first = reading.claims[0]
    assert (first.kind, first.exception, first.signal) == (kind, exception, signal)
    assert {claim.kind for claim in reading.claims} == {kind}
    assert reading.refusal is None
    assert len(reading.candidates) == 2


def test_what_is_accepted_wants_a_refusal():
    assert "instead of raising an error" in read(symptom="accepts").refusal
    assert not any(claim.kind is ClaimKind.RAISES for claim in read(symptom="accepts").claims)


def test_a_value_that_is_not_finite_is_known_for_wrong():
    assert [one.numbers for one in read(symptom="nonfinite").expectations] == [("nan",)]


@pytest.mark.parametrize(
    ("kind", "claim"),
    [
        ("status", ClaimKind.RAISES),
        ("value", ClaimKind.VALUE),
        ("performance", ClaimKind.PERFORMANCE),
    ],
)
def test_a_kind_alone_says_how_it_shows(kind, claim):
    assert read(kind=kind).claims[0].kind is claim


def test_the_api_is_the_only_name_left():
    reading = read(api="torch.matmul")
    assert [one.name for one in reading.mentions] == ["torch.matmul"]
    assert reading.api == "torch.matmul"
    assert read(symptom="wrong").mentions[0].name == "torch.bmm"


def test_blocks_are_put_together_in_the_order_given():
    (snippet,) = read(block="3,1", api="torch.bmm").candidates[-1:]
    assert snippet.code.splitlines()[0] == "z = torch.bmm(x, x)"
    (snippet,) = read(block="1,3").candidates
    assert snippet.code.splitlines()[-1] == "z = torch.bmm(x, x)"


def test_a_fence_in_a_block_does_not_end_it():
    body = "````python\nimport torch\ntext = '''\n```\n'''\ntorch.ones(3)\n````\n"
    (snippet,) = read(body, block="1", symptom="wrong").candidates
    assert snippet.code.splitlines()[2] == "```"


def test_a_line_names_what_it_calls_and_ends_the_code():
    reading = read(block="1", line="3")
    assert [one.name for one in reading.mentions] == ["torch.matmul"]
    assert reading.candidates[0].code.splitlines()[-1] == "y = torch.matmul(x, x)"
    assert len(reading.candidates[0].code.splitlines()) == 3


def test_what_should_be_true_is_asserted_at_the_end():
    assert read(block="1", expect="\n y ==\t3").candidates[0].code.endswith("\nassert y == 3\n")
    assert read(block="1", expect="y == 3").candidates[0].code.endswith("\nassert y == 3\n")


def test_comments_in_a_report_say_the_same_and_options_come_first():
    body = BODY + "<!-- citadel: api=torch.matmul\n expect='y.sum() == 0' -->"
    assert read(body).api == "torch.matmul"
    assert read(body).candidates[0].code.endswith("assert y.sum() == 0\n")
    assert read(body, api="torch.bmm").api == "torch.bmm"
    assert written("<!-- citadel: line=2 --><!-- citadel: line=3 -->").line == 3


@pytest.mark.parametrize(
    ("said", "told"),
    [
        ({"kind": "bad"}, "no kind is called 'bad'"),
        ({"symptom": "explodes"}, "no symptom is called 'explodes'"),
        ({"block": "0"}, "no numbers of blocks"),
        ({"block": "4"}, "the report has 3 blocks"),
        ({"line": "x"}, "no number of a line"),
        ({"line": "99"}, "no statement of the code is there"),
        ({"expect": "y ="}, "no expression of Python"),
        ({"expect": "y\nimport os"}, "no expression of Python"),
        ({"api": "torch matmul"}, "no name of an API"),
        ({"colour": "red"}, "no correction is called 'colour'"),
        ({"block": "1,1"}, "no numbers of blocks"),
        ({"expect": "y, z"}, "several expressions"),
        ({"symptom": "crashes SIGBUS"}, "no crash is called 'crashes SIGBUS'"),
        ({"symptom": "nonfinite banana"}, "nonfinite is all that is said"),
        ({"symptom": "crashes", "kind": "value"}, "a symptom has its kind"),
    ],
)
def test_what_cannot_hold_is_refused_with_a_hint(said, told):
    with pytest.raises(BadCorrection, match=told) as caught:
        read(**said)
    assert caught.value.hint


LOGGED = (
    BODY
    + """
```
Traceback (most recent call last):
  File "a.py", line 5, in <module>
RuntimeError: batch1 must be a 3D tensor
```
"""
)


def test_pasted_logs_count_until_somebody_says_otherwise():
    assert read(LOGGED, block="1").claims[0].exception == "RuntimeError"
    assert [one.kind for one in read(LOGGED, symptom="nonfinite").claims] == [ClaimKind.VALUE]


def test_a_block_that_is_said_is_all_the_code_there_is():
    code = "```python\nimport torch\nx = torch.ones(2, 2)\ntorch.bmm(x, x)\n```"
    thread = (Comment(key="1", author="b", body=code),)
    report = Report(source="a", title="torch.bmm fails", body=BODY, thread=thread)
    found = understand(report, correction({"block": "1,3", "line": "3"})).candidates
    assert [(one.origin, one.blocks) for one in found] == [("fences 1+3", (1, 3))]
    alone = understand(report).candidates
    assert {one.origin: one.blocks for one in alone}["comment 1, fence 1"] == ()
    assert found[0].code.endswith("y = torch.matmul(x, x)\n")


def test_options_come_before_comments_as_a_whole():
    body = BODY + "<!-- citadel: symptom=crashes block=3 -->"
    assert read(body, kind="performance").claims[0].kind is ClaimKind.PERFORMANCE
    assert read(body, line="3").candidates[0].code.endswith("y = torch.matmul(x, x)\n")


def test_a_line_within_a_function_leaves_its_call():
    body = "```python\nimport torch\ndef f(x):\n    return torch.bmm(x, x)\nf(torch.ones(2))\n```"
    reading = read(body, line="3")
    assert reading.candidates[0].code.endswith("f(torch.ones(2))\n")
    assert [one.name for one in reading.mentions] == ["torch.bmm"]


def test_code_is_no_comment():
    body = BODY.replace("import torch", "import torch  # <!-- citadel: api=torch.zeros -->")
    assert read(body + "and `<!-- citadel: colour=red -->`").api == ""


def test_endless_comments_hang_nobody():
    for text in ("<!-- citadel:" + " " * 2_000_000, "<!-- citadel: " * 100_000):
        assert not written(text)
    with pytest.raises(BadCorrection, match="too long"):
        written("<!-- citadel: api=" + "a" * 3000 + " -->")


@pytest.mark.parametrize(
    "comment", ["api", "colour=red", "api='torch", "block=77", "symptom=explodes", "line=0"]
)
def test_a_comment_that_cannot_hold_skips_its_report_alone(comment):
    reading = read(f"{BODY}<!-- citadel: {comment} -->")
    assert reading.skipped
    assert not reading.candidates


@pytest.mark.parametrize("rule", list(UNSURE), ids=lambda rule: rule.id)
def test_what_is_unsure_names_an_option_that_settles_it(rule):
    for title, body in rule.examples:
        reading = understand(Report(source="a", title=title, body=body))
        option = rule.id.rpartition("/")[2]
        assert any(line.endswith(f"--{option}") for line in unsure(reading))


def test_a_clear_report_leaves_nothing_open():
    body = "```python\nimport torch\ny = torch.ones(3)\n```\n"
    assert unsure(read(body, "torch.ones returns nan")) == ()
