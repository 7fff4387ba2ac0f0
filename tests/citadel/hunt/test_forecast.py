"""The classifier that orders a hunt: what it learns, what it must not claim, what it reads."""

import json
import random
import sys

import pytest

from citadel.commands.reporting import ReportRequest, run_report
from citadel.hunt import words
from citadel.hunt.forecast import LEAST, order_waiting
from citadel.store import items, outcomes, reports, results
from citadel.store.database import open_to_write
from citadel.store.findings import Kin
from citadel.store.items import Allowed, Key, Stage, State
from citadel.store.outcomes import Figures, Target
from citadel.store.queries import Filter
from harvest.report.model import Report
from harvest.report.understand import understand
from tests.citadel.hunt import scripted
from tests.citadel.store.conftest import make_build, make_finding, make_triage

NOISE = [f"word{number}" for number in range(60)]

NONE = Allowed(retries=0, seconds=60.0)


@pytest.fixture
def store(tmp_path):
    with open_to_write(tmp_path / "citadel.db") as opened:
        opened.db.execute("PRAGMA synchronous = OFF")  # the rows of the tests outlive no crash
        with opened.transaction():
            reports.add_build(opened, make_build())
        yield opened


def report(number, told, /, **changes):
    text = f"{' '.join(told)}\n\n```python\nimport torch\ntorch.ones({number})\n```\n"
    given = {"source": f"{number}.md", "title": "it fails", "body": text, "number": number}
    return Report(**(given | changes))


def add(store, given):
    with store.transaction():
        key = reports.add_report(store, given, ())
        outcomes.keep_traits(store, key, words.traits(understand(given)))
        verify = Key(report=key, build="b1", stage=Stage.VERIFY)
        items.add(store, verify, "raises", cost=float(len(given.body)), exclusive=False)
    return key


def ended(store, given, *, case, siblings=False):
    """A report that is done: verified and, if it makes a case, carried over."""
    key = add(store, given)
    with store.transaction():
        _end(store, key, Stage.VERIFY, found=int(case))
        if case:
            carried = Key(report=key, build="b1", stage=Stage.PROPAGATE)
            items.add(store, carried, "raises", cost=1.0, exclusive=False)
            _end(store, key, Stage.PROPAGATE, found=int(siblings))
            bugs = [make_finding("torch.b")] if siblings else []
            triage = make_triage("torch.a", *bugs)
            results.save_findings(store, key, "b1", triage, Kin(marks={}))
    return key


def _end(store, key, stage, found):
    number = store.db.execute(
        "SELECT id FROM items WHERE report = ? AND stage = ?", [key, stage]
    ).fetchone()[0]
    item = items.Item(
        id=number,
        key=Key(report=key, build="b1", stage=stage),
        topic="raises",
        exclusive=False,
        attempts=0,
    )
    items.end(store, item, State.DONE, seconds=1.0, found=found)


def filled(store, count, outcome, *, first=1):
    """Reports of random words; `outcome` says of number and words what became of them."""
    chance = random.Random(5)
    for number in range(first, first + count):
        text = chance.sample(NOISE, 12)
        case, siblings = outcome(number, text)
        ended(store, report(number, text), case=case, siblings=siblings)


def taken(store):
    """The reports that wait, in the order in which they are taken."""
    found = []
    while True:
        lots = items.lots(store, NONE, ["b1"])
        if not lots:
            return found
        found.append(items.take(store, lots[0], NONE).key.report)


def by_words(_number, text):
    return "word1" in text or "word2" in text, "word3" in text or "word4" in text


def test_what_depends_on_words_is_learnt_and_changes_the_order(store):
    filled(store, 300, by_words)
    # The best one is the longest, which without the classifier would come last.
    good = add(store, report(1001, ["word1", "word2", "word3", "word4", *["padding"] * 20]))
    middle = add(store, report(1002, ["word1", "word2", *["padding"] * 10]))
    poor = add(store, report(1003, ["word50"]))
    figures = order_waiting(store)
    assert [one.target for one in figures] == [Target.CASE, Target.SIBLINGS]
    assert all(one.used and one.auc > 0.8 and one.auc - one.spread > 0.5 for one in figures)
    assert all(one.precision > one.base for one in figures)
    assert taken(store) == [good, middle, poor]


def test_what_nothing_tells_keeps_the_order(store):
    chance = random.Random(3)
    filled(store, 150, lambda _number, _text: (chance.random() < 0.6, chance.random() < 0.5))
    long = add(store, report(1001, ["word1"] * 30))
    short = add(store, report(1002, ["word2"]))
    figures = order_waiting(store)
    assert {one.reason for one in figures} == {"no better than chance"}
    assert all(one.auc - one.spread <= 0.5 for one in figures)
    assert taken(store) == [short, long]


def test_one_target_may_be_learnt_without_the_other(store):
    chance = random.Random(3)
    filled(store, 200, lambda _number, text: ("word1" not in text, chance.random() < 0.5))
    add(store, report(1001, ["word1"]))
    used = {one.target: one.used for one in order_waiting(store)}
    assert used == {Target.CASE: True, Target.SIBLINGS: False}
    assert store.db.execute("SELECT max(chance) FROM items").fetchone()[0] > 0


@pytest.mark.parametrize(
    ("count", "outcome", "reason"),
    [
        (LEAST - 1, by_words, f"{LEAST} reports are needed"),
        (60, lambda *_: (True, True), "at least 5 of each outcome are needed"),
        (60, lambda number, _text: (number > 4, False), "at least 5 of each outcome are needed"),
        (60, lambda *_: (False, False), "at least 5 of each outcome are needed"),
    ],
)
def test_too_few_outcomes_keep_the_order(store, count, outcome, reason):
    filled(store, count, outcome)
    long = add(store, report(1001, ["word1"] * 30))
    short = add(store, report(1002, ["word2"]))
    case, siblings = order_waiting(store)
    assert (case.reports, case.reason, case.auc) == (count, reason, None)
    assert siblings.reason
    assert taken(store) == [short, long]


def test_an_order_that_no_longer_holds_is_taken_back(store):
    filled(store, 300, by_words)
    good = add(store, report(1001, ["word1", "word3", *["padding"] * 20]))
    poor = add(store, report(1002, ["word50"]))
    order_waiting(store)
    assert store.db.execute("SELECT count(*) FROM items WHERE chance > 0").fetchone() == (2,)
    store.db.execute("UPDATE items SET found = 1 WHERE stage = 'verify'")
    store.db.execute("DELETE FROM sightings")
    assert not any(one.used for one in order_waiting(store))
    assert taken(store) == [poor, good]


def test_the_same_store_gives_the_same_figures_and_chances(store):
    filled(store, 120, by_words)
    for number in range(1001, 1011):
        add(store, report(number, NOISE[number % 7 :: 9]))

    def once():
        figures = order_waiting(store)
        rows = store.db.execute("SELECT report, chance FROM items ORDER BY report, stage")
        return figures, rows.fetchall()

    assert once() == once()


def test_a_new_version_of_an_issue_replaces_its_outcome(store):
    first = ended(store, report(7, ["word1"]), case=True)
    second = ended(store, report(7, ["word1", "word2"]), case=False)
    other = ended(store, report(8, ["word9"], number=None), case=True, siblings=True)
    found = {one.report: (one.case, one.siblings) for one in outcomes.outcomes(store)}
    assert found == {second: (False, None), other: (True, True)}
    assert first not in found


def test_without_scikit_learn_the_order_stays_and_the_reason_is_said(store, monkeypatch):
    filled(store, 60, by_words)
    long = add(store, report(1001, ["word1"] * 30))
    short = add(store, report(1002, ["word2"]))
    monkeypatch.setitem(sys.modules, "sklearn", None)
    figures = order_waiting(store)
    assert any("citadel-siblings[learn]" in one.reason for one in figures)
    assert not any(one.used for one in figures)
    assert taken(store) == [short, long]


def test_nothing_that_waits_is_nothing_to_learn(store):
    filled(store, 40, by_words)
    assert order_waiting(store) == ()


HOSTILE = [
    "word1 " * 1_700_000,
    "a" * 10_000_000,
    "a." * 4_000,
    "\0" * 5_000,
    "\ud800\udfff word1",
    "'; DROP TABLE items; --\x1b[2J\u202e",
    "",
]


@pytest.mark.parametrize("body", HOSTILE, ids=range(len(HOSTILE)))
def test_words_are_bounded_and_plain(body):
    found = words.words(report(1, [], title=body, body=body))
    assert len(found) <= words.MOST_CHARACTERS
    assert all(len(word) < 400 and word.isascii() and word.isprintable() for word in found)


@pytest.mark.slow
def test_hostile_reports_are_learnt_from_like_others(store):
    filled(store, 120, by_words)
    for number, body in enumerate(HOSTILE, 1001):
        ended(store, report(number, [], title=body[:99], body=body), case=number % 2 == 0)
        add(store, report(number + 1000, [], title=body[:99], body=body))
    figures = order_waiting(store)
    assert figures[0].reports == 120 + len(HOSTILE)
    assert len(taken(store)) == len(HOSTILE)


def test_a_store_without_readings_and_with_a_text_that_is_gone_is_read_anew(store):
    filled(store, 120, by_words)
    gone = add(store, report(1001, ["x" * 40_000]))
    for path in store.blobs.rglob("*"):
        if path.is_file():
            path.unlink()
    store.db.execute("DELETE FROM readings")
    assert order_waiting(store)[0].used
    kept = store.db.execute("SELECT report, traits FROM readings").fetchall()
    assert len(kept) == 120
    assert all("candidates:1" in traits for _, traits in kept)
    assert gone not in dict(kept)


def test_figures_are_kept_by_hunt(store):
    store.db.execute("INSERT INTO hunts (id, started, jobs) VALUES (1, 0, 1), (2, 0, 1)")
    first = Figures(target=Target.CASE, reports=3, positives=1, reason="30 reports are needed")
    second = Figures(
        target=Target.CASE,
        reports=99,
        positives=50,
        auc=0.75,
        spread=0.1,
        precision=0.8,
        used=True,
    )
    assert outcomes.latest_figures(store) == []
    outcomes.keep_figures(store, 1, [first])
    outcomes.keep_figures(store, 2, [second])
    assert outcomes.latest_figures(store) == [second]


def test_the_figures_are_reported(store, tmp_path, capsys):
    store.db.execute("INSERT INTO hunts (id, started, jobs) VALUES (1, 0, 1)")
    request = ReportRequest(store=store.path, wanted=Filter(), json=str(tmp_path / "r.json"))
    run_report(request)
    assert "order of reports" not in capsys.readouterr().out
    filled(store, 300, by_words)
    add(store, report(1001, ["word1"]))
    figures = order_waiting(store)
    outcomes.keep_figures(store, 1, figures)
    run_report(request)
    told = " ".join(capsys.readouterr().out.split())
    assert "order of reports: by their chances" in told
    assert f"AUC {figures[0].auc:.2f} ± {figures[0].spread:.2f}" in told
    kept = json.loads((tmp_path / "r.json").read_text())["forecast"]
    assert [(one["target"], one["auc"], one["used"]) for one in kept] == [
        (one.target, one.auc, True) for one in figures
    ]


@pytest.mark.slow
def test_what_real_hunts_leave_orders_the_next_ones(store, tmp_path):
    bodies = ["finds 1", "clean"] * 20
    scripted.enlisted(store, bodies)
    scripted.hunt(store, tmp_path, retries=0)
    news = [scripted.report(100 + n, body) for n, body in enumerate(["clean", "finds 1"] * 3)]
    scripted.enlist(store, news, scripted.OneBuild())
    case, _ = order_waiting(store)
    assert (case.reports, case.positives) == (40, 20)
    assert case.used
    (tmp_path / "log").unlink()
    scripted.hunt(store, tmp_path, jobs=1, retries=0)
    begun = [line.split()[2:4] for line in (tmp_path / "log").read_text().splitlines()]
    verified = [int(number) for number, stage in begun[::2] if stage == "verify"]
    assert verified == [101, 103, 105, 100, 102, 104]
