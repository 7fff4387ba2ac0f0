"""Families of the benchmark: their files, the reports made of them, and the scores."""

from dataclasses import replace
from pathlib import Path

import pytest

from analysis.target.observation import Observation, Outcome
from benchmarks.families.__main__ import FOLDER, score
from benchmarks.families.family import Family, Member, read
from harvest.report.model import Report
from harvest.report.understand import understand

FILES = sorted(FOLDER.glob("*.toml"))


@pytest.fixture
def family():
    return Family(
        name="torch-sums",
        build="torch 2.13.0",
        origin="run by hand",
        trigger="`x` is empty",
        cure="`x` holds a number",
        ends="AssertionError",
        of="torch.sum",
        title="$api of nothing",
        body="See:\n```python\n$code\n```\n",
        code="import torch\nfor x in [[]]:\n    $setup\n    assert $call",
        members={
            "torch.sum": Member(
                call="torch.sum(x)", control="True", bug=True, setup="a = 1\nb = 2"
            ),
            "torch.Tensor.sum": Member(call="x.sum()", control="True", bug=True, form=True),
            "torch.prod": Member(call="torch.prod(x)", control="True", bug=True),
            "torch.amax": Member(call="torch.amax(x)", control="True", bug=True),
            "torch.any": Member(call="torch.any(x)", control="True", bug=False),
            "torch.all": Member(call="torch.all(x)", control="True", bug=False),
        },
    )


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_the_report_of_every_member_that_shows_the_bug_names_it_and_has_its_code(file):
    family = read(file)
    assert sum(not one.bug for one in family.members.values()) >= 5
    for api in family.shown:
        text = family.report(api)
        title, _, body = text.partition("\n")
        compile(family.script(api), api, "exec")
        compile(family.script(api, control=True), api, "exec")
        reading = understand(Report(source=file.name, title=title.lstrip("# "), body=body))
        assert any(family.script(api).strip() in one.code for one in reading.candidates), api


def test_a_script_is_indented_as_its_words(family):
    assert family.script("torch.sum") == (
        "import torch\nfor x in [[]]:\n    a = 1\n    b = 2\n    assert torch.sum(x)\n"
    )
    assert family.report("torch.prod").startswith("# torch.prod of nothing\n\nSee:\n")


@pytest.mark.parametrize(
    ("ends", "seen", "shows"),
    [
        ("AssertionError", Observation(outcome=Outcome.OK), False),
        ("signal", Observation(outcome=Outcome.SIGNAL), True),
    ],
)
def test_what_shows_the_bug(family, ends, seen, shows):
    assert replace(family, ends=ends).shows(seen) is shows


def test_a_score_counts_members_by_what_the_build_shows(family, sibling):
    truth = {
        "torch.sum": True,
        "torch.Tensor.sum": True,
        "torch.prod": True,
        "torch.amax": None,
        "torch.any": False,
        "torch.all": True,
    }

    def shown(api, verdict="bug", road="trigger", aliases=()):
        one = sibling(api, operation=api.rpartition(".")[2], verdict=verdict)
        return {**one, "road": road, "aliases": aliases}

    siblings = [
        shown("torch.special.prod", aliases=("torch.prod",)),
        shown("torch.any", road="call"),
        shown("torch.amax"),
        shown("torch.all", "alike"),
        shown("torch.std"),
        shown("torch.Tensor.std"),
        sibling("torch.special.sum", alias_of="torch.sum"),  # the source itself has no road
    ]
    report = {"siblings": siblings, "skipped": None, "seconds": {"verify": 1.0, "siblings": None}}
    found = score(family, truth, "torch.sum", report)
    assert (found.true, found.tried) == (2, 1)
    assert found.found == {"torch.prod": "trigger"}
    assert found.false == ("torch.any",)
    assert (found.unlisted, found.seconds, found.skipped) == (1, 1.0, "")


@pytest.mark.parametrize("text", ["", "build = 1", "\x00", "[members.a]\ncall = 1\nx = 2"])
def test_what_is_no_family_is_named(tmp_path, text):
    file = Path(tmp_path, "one.toml")
    file.write_text(text)
    with pytest.raises(ValueError, match=r"one\.toml: no family"):
        read(file)
