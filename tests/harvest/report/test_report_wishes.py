"""What should have happened is no symptom, but may ask for an error."""

import pytest

from harvest.report.claims import find_claims
from harvest.report.expectations import wants_refusal
from harvest.report.markdown import read_markdown
from harvest.report.model import ClaimKind

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
