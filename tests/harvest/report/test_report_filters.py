"""Each filter has an example that it drops and one, much alike, that it keeps."""

import pytest

from analysis.errors import CitadelError
from harvest.report.filters import (
    BY_NAME,
    FILTERS,
    NEAR_DUPLICATE,
    UNREADABLE,
    Preset,
    choose,
    reasons,
)
from harvest.report.filters_page import PAGE, page
from harvest.report.model import BadInput, Comment, Link, LinkKind, Report
from harvest.report.understand import understand


def fenced(*lines):
    return "\n".join(["```python", "import torch", *lines, "```"])


CODE = fenced("torch.rand(3)")
FIXED = Link(kind=LinkKind.COMMIT, target="c", closes=True)
MENTIONED = Link(kind=LinkKind.PULL_REQUEST, target="p", closes=False)


def report(body=CODE, **options):
    return Report(source="x", title="f fails", body=body, **options)


EXAMPLES = [
    ("pull_request", report(pull_request=True), report()),
    ("too_large", report(CODE + "x" * 200_000), report(CODE + "x" * 190_000)),
    (
        "too_large",
        report(thread=(Comment(key="a", author="", body="x" * 1_000_000),)),
        report(thread=(Comment(key="a", author="", body="x" * 900_000),)),
    ),
    ("no_code", report("words"), report()),
    ("no_code", report("```\nTraceback (most recent call last):\n  x\nE: y\n```"), report()),
    ("no_code", report("```cpp\nint main() { return 0; }\n```"), report()),
    (
        "linked_code",
        report("https://gist.github.com/a/0123456789abcdef"),
        report("https://gist.github.com/a/0123456789abcdef\n" + CODE),
    ),
    ("broken_code", report(fenced("torch.rand((3,")), report(fenced("torch.rand((3))"))),
    ("no_framework", report("```python\nimport os\nos.getpid()\n```"), report()),
    ("incomplete", report(fenced("torch.sort(data)")), report(fenced("x = 1", "torch.sort(x)"))),
    ("network", report(fenced('torch.hub.load("a", "b")')), report()),
    (
        "network",
        report(fenced('torch.hub.load("a", "b")')),
        report(fenced('torch.hub.load("a", "b")') + "\nor\n" + CODE),
    ),
    ("files", report(fenced('torch.load("data.pt")')), report()),
    (
        "distributed",
        report(fenced("torch.distributed.init_process_group('nccl')")),
        report(),
    ),
    ("packages", report(fenced("import torchvision", "torchvision.f(torch.rand(3))")), report()),
    ("hardware", report(fenced("torch.rand(3).cuda()")), report()),
    ("hardware", report(labels=("module: cuda",)), report(labels=("module: nn",))),
    ("no_bug_label", report(labels=("triaged",)), report(labels=("type:bug",))),
    ("no_bug_label", report(), report(labels=("module: crash",))),
    ("few_comments", report(comments=2), report(comments=3)),
    ("closed_unfixed", report(state="closed"), report(state="open")),
    (
        "closed_unfixed",
        report(state="closed", links=(MENTIONED,)),
        report(state="closed", links=(MENTIONED, FIXED)),
    ),
    ("wish", report(labels=("feature",)), report(labels=("bug",))),
    ("question", report(labels=("type:support",)), report(labels=("bug",))),
    ("duplicate", report(state_reason="duplicate"), report(state_reason="completed")),
    ("duplicate", report(labels=("duplicate",)), report(labels=("not a duplicate",))),
]


def named(item, *names):
    found, _ = reasons(item, understand, [BY_NAME[name] for name in names])
    return found


@pytest.mark.parametrize(("name", "dropped", "kept"), EXAMPLES)
def test_filters(name, dropped, kept):
    (reason,) = named(dropped, name)
    assert reason.filter == name
    assert reason.detail
    assert named(kept, name) == ()


def test_every_filter_has_an_example_and_a_meaning():
    decided_elsewhere = {UNREADABLE, NEAR_DUPLICATE}
    assert {name for name, _, _ in EXAMPLES} | decided_elsewhere == set(BY_NAME)
    assert len(BY_NAME) == len(FILTERS)
    assert all(one.meaning for one in FILTERS)


def test_all_reasons_are_told():
    item = report("words", comments=1, state="closed", pull_request=True)
    found, _ = reasons(item, understand, choose(Preset.PAPER, (), ()))
    assert [one.filter for one in found] == [
        "pull_request",
        "no_bug_label",
        "few_comments",
        "closed_unfixed",
        "no_code",
    ]


def test_what_cannot_be_read_is_told():
    (found,), reading = reasons(BadInput(source="x", error="empty"), understand, ())
    assert (found.filter, found.detail, reading) == (UNREADABLE, "empty", None)


@pytest.mark.parametrize("problem", [RecursionError, MemoryError])
def test_a_report_that_breaks_the_reader_is_a_row(problem):
    def read(_report):
        raise problem

    (found,), _ = reasons(report(), read, ())
    assert found.detail == problem.__name__


def test_what_is_too_large_is_not_read():
    found, reading = reasons(report("x" * 10_000_000), pytest.fail, choose(Preset.WIDE, (), ()))
    assert [one.filter for one in found] == ["too_large"]
    assert reading is None


def test_the_presets():
    """`wide` drops what cannot run; `paper` drops that, and what section 4.1 names."""
    wide, paper = ({one.name for one in choose(preset, (), ())} for preset in Preset)
    assert paper - wide == {"hardware", "no_bug_label", "few_comments", "closed_unfixed"}
    assert wide < paper
    assert not wide & {"packages", "question", "duplicate"}


def test_filters_can_be_switched():
    chosen = choose(Preset.WIDE, ("question",), ("network",))
    names = [one.name for one in chosen]
    assert "question" in names
    assert "network" not in names
    assert names == [one.name for one in FILTERS if one.name in names]


@pytest.mark.parametrize(
    ("with_", "without", "words"),
    [
        (("nonsense",), (), "no filter nonsense"),
        ((), ("nonsense",), "no filter nonsense"),
        ((), ("unreadable",), "cannot be switched off"),
    ],
)
def test_wrong_names(with_, without, words):
    with pytest.raises(CitadelError, match=words):
        choose(Preset.WIDE, with_, without)


def test_the_page_shows_the_filters_as_they_are():
    """Renewed by `python -m harvest.report.filters_page`."""
    text = PAGE.read_text()
    assert page(text) == text
    assert all(f"\n| `{one.name}` | {one.meaning} |" in text for one in FILTERS)
