import ast

import pytest

from harvest.report.intended import EXAMPLES, NAME, catch_intended, is_contrast, is_intended
from harvest.report.model import ClaimKind, Report
from harvest.report.repair import Repaired
from harvest.report.understand import understand


@pytest.mark.parametrize(("before", "after"), EXAMPLES)
def test_examples(before, after):
    found = catch_intended(Repaired(code=before, tree=ast.parse(before)))
    assert found.code == (after or before)
    assert found.repairs == ((NAME,) if after else ())
    assert ast.dump(ast.parse(found.code)) == ast.dump(found.tree)


@pytest.mark.parametrize(
    "words", ["raises ValueError, as it should", "properly rejected", "fails as expected"]
)
def test_words_of_intended_errors(words):
    assert is_intended(words)


@pytest.mark.parametrize(
    ("lead", "contrast"),
    [
        ("Instead, `max_pool` does check its size:", True),
        ("By contrast, `f` correctly raises:", True),
        ("`max_pool` on the other hand does check it", True),
        ("This raises an error as expected.", True),
        ("Instead, it crashes:", False),
        ("This should raise an error as expected:", False),
        ("`f` does check its size, and then dies:", False),
    ],
)
def test_leads_of_contrasts(lead, contrast):
    assert is_contrast(lead) is contrast


BUG = "```python\nimport torch\ntorch.f(-1)\n```\n"
CONTRAST = "```python\nimport torch\ntorch.g(-1)\n# RuntimeError: negative size\n```\n"


def test_what_refuses_as_it_should_is_neither_run_nor_claimed():
    body = f"`f` takes negative sizes.\n\n{BUG}\nInstead, `g` does check them:\n\n{CONTRAST}"
    reading = understand(Report(source="a", title="f should check its size", body=body))
    assert [snippet.origin for snippet in reading.candidates] == ["fence 1"]
    assert ClaimKind.RAISES not in [claim.kind for claim in reading.claims]


def test_the_only_code_is_run_whatever_stands_above_it():
    reading = understand(Report(source="a", title="f", body=f"f raises as expected:\n\n{BUG}"))
    assert [snippet.origin for snippet in reading.candidates] == ["fence 1"]


def two_blocks(title):
    refused = f"`g` refuses it:\n\n{CONTRAST}"
    return understand(Report(source="a", title=title, body=f"{refused}\nThis one runs:\n\n{BUG}"))


def test_where_success_is_the_bug_what_others_raise_is_no_symptom():
    reading = two_blocks("`f` can succeed when the size is negative")
    assert [snippet.origin for snippet in reading.candidates] == ["fence 2"]
    assert ClaimKind.RAISES not in [claim.kind for claim in reading.claims]
    assert reading.refusal == "`f` can succeed when the size is negative"


@pytest.mark.parametrize(
    "title", ["f succeeds for lists, but g raises", "g should succeed when the size is negative"]
)
def test_where_failing_is_the_bug_it_is_one(title):
    reading = two_blocks(title)
    assert "fence 1" in [snippet.origin for snippet in reading.candidates]
    assert ClaimKind.RAISES in [claim.kind for claim in reading.claims]
