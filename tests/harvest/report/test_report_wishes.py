"""What should have happened is no symptom, but may ask for an error."""

import pytest

from harvest.report.claims import find_claims
from harvest.report.markdown import read_markdown
from harvest.report.model import ClaimKind
from harvest.report.refusals import wants_refusal
from harvest.report.wishes import WANTED

REPORT = """**System information**
- TensorFlow version: 2.4

**Describe the current behavior**
{current}

{heading}
{wished}

**Standalone code to reproduce the issue**
```python
import tensorflow as tf
tf.f(-1)
```
"""
FENCED = "```\nValueError: size must be positive\n```"
TRACEBACK = 'Traceback (most recent call last):\n  File "a.py", line 1\nValueError: size is wrong'
EXPECTED = "**Describe the expected behavior**"


def document(wished, *, heading=EXPECTED, current="`tf.f(-1)` gives 3."):
    return read_markdown(REPORT.format(current=current, heading=heading, wished=wished))


def raised(found):
    return [claim.exception for claim in found if claim.kind is ClaimKind.RAISES]


@pytest.mark.parametrize("heading", [EXPECTED, "### Expected behavior", "## What I expect"])
@pytest.mark.parametrize(
    "wished", ["ValueError: size must be positive", FENCED, "A ValueError, as a size is no less."]
)
def test_an_exception_that_should_come_is_asked_for(heading, wished):
    read = document(wished, heading=heading)
    assert raised(find_claims("f", read)) == []
    assert "ValueError" in wants_refusal("f", read)


@pytest.mark.parametrize(
    "wished", ["No exception.", "No ValueError is raised.", "The call should not raise ValueError."]
)
def test_none_is_asked_for_where_none_should_come(wished):
    read = document(wished, current="ValueError: size must be positive")
    assert raised(find_claims("f", read)) == ["ValueError"]
    assert wants_refusal("f", read) is None


def test_a_traceback_is_what_happened_wherever_it_is_pasted():
    assert raised(find_claims("f", document(f"```\n{TRACEBACK}\n```"))) == ["ValueError"]
    assert raised(find_claims("f", document(TRACEBACK))) == ["ValueError"]


def test_what_is_wrong_may_be_told_under_any_heading():
    found = find_claims("f", document("Now it returns garbage, and it should be 4."))
    assert [claim.kind for claim in found] == [ClaimKind.VALUE]


MISMATCH = "RuntimeError: shape mismatch"


@pytest.mark.parametrize(
    "body",
    [
        f"### Expected vs. observed\n{MISMATCH}",
        f"### Expected and actual results\n{MISMATCH}",
        f"### Expected behavior vs actual behavior\n{MISMATCH}",
        f"### Expected behavior\nNo crash.\n\nI get:\n\n{MISMATCH}",
        f"### Expected behavior\nNo crash.\n\nActual behavior:\n{MISMATCH}",
        f"### Expected behavior\nNo crash.\n\nInstead:\n{MISMATCH}",
        f"### Expected behavior\nNo crash.\n\nError message:\n{MISMATCH}",
        f"**Expected 4D input** error appears\n{MISMATCH}",
        f"## Expected all tensors to be on the same device\n{MISMATCH}",
        f"Expected vs actual:\n```\n{MISMATCH}\n```",
    ],
)
def test_a_failure_is_not_lost_in_what_is_expected(body):
    read = read_markdown(body)
    assert raised(find_claims("f", read)) == ["RuntimeError"]
    assert wants_refusal("f", read) is None


@pytest.mark.parametrize(
    "heading",
    [
        "Expected",
        "Expected:",
        "Expected Behaviour (if any)",
        "Expected correct output",
        "Describe the expected results",
        "**Expected behavior**: for all sizes",
        "What did you expect to happen?",
    ],
)
def test_headings_of_wishes(heading):
    assert WANTED.match(heading)


@pytest.mark.parametrize(
    "wished",
    [
        "It should work; currently there is a RuntimeError",
        "It should work, currently there is a RuntimeError",
        "The ValueError goes away",
        "fix the RuntimeError",
        "It should fix the RuntimeError",
        "A result instead of a RuntimeError",
        "It should work instead of raising a ValueError",
    ],
)
def test_an_exception_that_there_is_is_not_asked_for(wished):
    assert wants_refusal("f", document(wished)) is None


@pytest.mark.parametrize(
    "wished",
    [
        "It should raise a ValueError, currently it gives 3",
        "The call raises ValueError instead of giving 3.",
        "We should get a proper ValueError",
        "`ValueError`",
    ],
)
def test_an_exception_is_asked_for_where_something_else_came(wished):
    assert wants_refusal("f", document(wished)) == wished
