"""What an item brought, as rows: verdicts, tallies, attempts, findings, labels."""

import json
import sqlite3
from dataclasses import replace

import pytest

from analysis.errors import CitadelError
from citadel.model import Symptom, SymptomKind, VerdictKind
from citadel.store import labels, results
from citadel.store.details import Novelty
from citadel.store.findings import Kin
from citadel.store.labels import LabelKind
from citadel.store.queries import Filter, families, findings, latest_builds
from citadel.store.summary import kinds, yields
from tests.citadel.store.conftest import ASSERTION, NAN, make_finding, make_triage

NO_KIN = Kin(marks={})


def save(store, report, triage, build="b1", kin=NO_KIN):
    with store.transaction():
        return results.save_findings(store, report, build, triage, kin)


def recounted(store):
    rows = store.db.execute(
        "SELECT build, topic, kind, generated, count(*) FROM verdicts GROUP BY 1, 2, 3, 4"
    )
    return {tuple(row[:4]): row[4] for row in rows}


def tallied(store):
    rows = store.db.execute("SELECT build, topic, verdict, generated, number FROM tallies")
    return {tuple(row[:4]): row[4] for row in rows if row[4]}


def test_a_triage_becomes_rows(store, known):
    triage = make_triage(
        "torch.a",
        make_finding("torch.b"),
        make_finding("torch.c", VerdictKind.CLEAN, runs=(0, 3)),
        make_finding("torch.d", VerdictKind.CLEAN, runs=(0, 1), code=""),
    )
    assert save(store, known(1), triage) == 1
    rows = store.db.execute("SELECT hits, replays FROM runs ORDER BY id").fetchall()
    assert rows == [(3, 3), (0, 3)]  # what was only probed was not run
    assert tallied(store) == recounted(store)
    row = yields(store)[0]
    assert (row.tried, row.generated, row.triggering, row.ratio) == (3, 2, 1, 0.5)


def test_the_view_for_people_says_where_what_was_seen(store, known):
    found = replace(make_finding("torch.b"), file=str(store.path.parent / "cases/b.py"))
    for number, build in ((1, "b1"), (2, "b2")):
        save(store, known(number), make_triage("torch.a", found), build)
    row = next(iter(store.db.query("SELECT * FROM bugs")))
    titles = [title for (title,) in store.db.execute("SELECT title FROM reports ORDER BY title")]
    assert (row["api"], row["file"], row["title"]) == ("torch.b", "cases/b.py", titles[0])
    assert sorted(row["versions"].split(",")) == sorted(
        version for (version,) in store.db.execute("SELECT version FROM builds WHERE id < 'b3'")
    )
    assert len(row["reports"].split(",")) == 2
    assert store.db.execute("SELECT count(*) FROM bugs").fetchone() == (1,)


def test_a_further_attempt_adds_runs_and_keeps_what_was_flaky(store, known):
    report = known(1)
    save(
        store,
        report,
        make_triage("torch.a", make_finding("torch.b", VerdictKind.FLAKY, runs=(2, 3))),
    )
    assert list(findings(store, Filter(), latest_builds(store))) == []
    save(store, report, make_triage("torch.a", make_finding("torch.b", runs=(3, 3))))
    assert store.db.execute("SELECT kind, hits, replays FROM verdicts").fetchall() == [
        ("flaky", 5, 6)
    ]
    assert store.db.execute("SELECT attempt, hits FROM runs ORDER BY id").fetchall() == [
        (1, 2),
        (2, 3),
    ]
    assert tallied(store) == recounted(store)


def test_a_bug_that_stops_showing_is_a_finding_no_more_but_its_label_stays(store, known):
    report = known(1)
    save(store, report, make_triage("torch.a", make_finding("torch.b")))
    (row,) = findings(store, Filter(), latest_builds(store))
    labels.add(store, row.id, LabelKind.CONFIRMED, None, "seen by hand")
    clean = make_finding("torch.b", VerdictKind.CLEAN, runs=(0, 3))
    save(store, report, make_triage("torch.a", clean))
    assert list(findings(store, Filter(), latest_builds(store))) == []
    assert kinds(store, Filter(), latest_builds(store, ["b1"])) == []
    save(store, known(2), make_triage("torch.a", make_finding("torch.b")))
    (again,) = findings(store, Filter(), latest_builds(store))
    assert (again.id, again.label) == (row.id, LabelKind.CONFIRMED)


def test_an_attempt_that_decides_nothing_leaves_a_bug_as_it_was(store, known):
    report = known(1)
    save(store, report, make_triage("torch.a", make_finding("torch.b", symptom=ASSERTION)))
    (before,) = findings(store, Filter(), latest_builds(store))
    other = make_finding("torch.b", VerdictKind.NOT_ADAPTED, symptom=NAN, runs=(0, 1))
    assert save(store, report, make_triage("torch.a", other)) == 0
    assert list(findings(store, Filter(), latest_builds(store))) == [before]
    symptom = "SELECT s.kind FROM verdicts v JOIN symptoms s ON s.id = v.symptom"
    assert store.db.execute(symptom).fetchall() == [("raises",)]


def test_two_reports_find_one_thing_once(store, known):
    assert save(store, known(1), make_triage("torch.a", make_finding("torch.b"))) == 1
    assert save(store, known(2), make_triage("torch.z", make_finding("torch.b"))) == 0
    (row,) = findings(store, Filter(), latest_builds(store))
    assert row.reports == ("some/where#1", "some/where#2")
    (family,) = families(store, Filter())
    assert (family.findings, family.reports) == (1, 2)


def test_what_another_report_is_about_is_not_new(store, known):
    save(store, known(1), make_triage("torch.a", make_finding("torch.b")))
    save(store, known(2), make_triage("torch.b"))
    (row,) = findings(store, Filter(), latest_builds(store))
    assert row.reported_in == ("some/where#2",)
    assert list(findings(store, Filter(only_new=True), latest_builds(store))) == []
    assert [(k.total, k.new) for k in kinds(store, Filter(), latest_builds(store, ["b1"]))] == [
        (1, 0)
    ]


def test_a_symptom_that_tells_nothing_needs_kin(store, known):
    """NaN has many causes: only findings that share a function, or a report, are related."""
    kin = Kin(marks={"torch.b": ["runs x"], "torch.c": ["runs x"], "torch.d": ["runs y"]})
    for number, api in enumerate(("torch.b", "torch.c", "torch.d"), 1):
        triage = make_triage(f"torch.s{number}", make_finding(api, symptom=NAN), symptom=NAN)
        save(store, known(number), triage, kin=kin)
    rows = {row.api: row.family for row in findings(store, Filter(), latest_builds(store))}
    assert rows["torch.b"] == rows["torch.c"] != rows["torch.d"]


def test_pasted_frames_relate_reports(store, known):
    kin = Kin(marks={}, frames=("at::native::pool", "at::native::conv"))
    for number in (1, 2):
        triage = make_triage(
            f"torch.s{number}", make_finding(f"torch.b{number}", symptom=NAN), symptom=NAN
        )
        save(store, known(number), triage, kin=kin)
    assert len(families(store, Filter())) == 1


@pytest.mark.parametrize(("wrapped", "number"), [("at::native::conv", 1), ("at::native::fold", 2)])
def test_crashes_in_one_place_are_related_whatever_the_reports_paste(store, known, wrapped, number):
    pool = "at::native::pool"
    for one, frames in enumerate(((pool, "at::native::conv", "x"), (pool, wrapped, "y")), 1):
        crash = Symptom(kind=SymptomKind.CRASHES, signal="SIGSEGV", frames=frames)
        finding = make_finding(f"torch.b{one}", symptom=crash)
        save(store, known(one), make_triage(f"torch.s{one}", finding, symptom=crash))
    assert len(families(store, Filter())) == number
    kept = store.db.execute("SELECT frames FROM symptoms WHERE frames IS NOT NULL").fetchall()
    assert [pool, "at::native::conv", "x"] in [json.loads(frames) for (frames,) in kept]


@pytest.mark.parametrize(
    ("on_b1", "on_b2", "novelty"),
    [
        (VerdictKind.BUG, VerdictKind.BUG, Novelty.SEEN),
        (VerdictKind.CLEAN, VerdictKind.BUG, Novelty.NEW_HERE),
        (VerdictKind.FLAKY, VerdictKind.BUG, Novelty.NEW),
        (None, VerdictKind.BUG, Novelty.NEW),
        (VerdictKind.BUG, VerdictKind.REFUSED, Novelty.FIXED),
        (VerdictKind.BUG, VerdictKind.FLAKY, Novelty.NOT_JUDGED),
        (VerdictKind.BUG, None, Novelty.NOT_JUDGED),
    ],
)
def test_novelty_is_told_by_other_builds(store, known, on_b1, on_b2, novelty):
    report = known(1)
    for build, kind in (("b1", on_b1), ("b2", on_b2)):
        if kind is not None:
            triage = make_triage("torch.a", make_finding("torch.b", kind), build=build)
            save(store, report, triage, build=build)
    (row,) = findings(store, Filter(), latest_builds(store, ["b2"]))
    assert row.novelty is novelty
    new = list(findings(store, Filter(only_new=True), latest_builds(store, ["b2"])))
    assert bool(new) is (novelty in (Novelty.NEW, Novelty.NEW_HERE))


def test_filters(store, known):
    save(
        store, known(1), make_triage("torch.a", make_finding("torch.nn.B"), make_finding("torch.c"))
    )
    triage = make_triage("torch.d", make_finding("torch.e", symptom=NAN), symptom=NAN)
    save(store, known(2), triage)
    builds = latest_builds(store)

    def apis(**wanted):
        return {row.api for row in findings(store, Filter(**wanted), builds)}

    assert apis() == {"torch.nn.B", "torch.c", "torch.e"}
    assert apis(kind="value") == {"torch.e"}
    assert apis(api="NN.b") == {"torch.nn.B"}
    assert apis(framework="tensorflow") == set()
    assert apis(api="%' OR 1=1 --") == set()
    with pytest.raises(CitadelError, match="no build nonsense"):
        latest_builds(store, ["nonsense"])


def test_labels_are_added_and_never_changed(store, known):
    save(store, known(1), make_triage("torch.a", make_finding("torch.b"), make_finding("torch.c")))
    one, two = (row.id for row in findings(store, Filter(), latest_builds(store)))
    labels.add(store, one[:8], LabelKind.CONFIRMED, None, "by hand")
    labels.add(store, one, LabelKind.DUPLICATE_OF, two[:8], "")
    told = [(label.kind, label.value) for label in labels.all_of(store, one)]
    assert told == [("confirmed", None), ("duplicate-of", two)]
    for statement in (
        "UPDATE labels SET kind = 'rejected'",
        "DELETE FROM labels",
        "INSERT OR REPLACE INTO labels SELECT * FROM labels WHERE id = 1",
    ):
        store.db.execute("PRAGMA recursive_triggers = OFF")  # as other programs have it
        with pytest.raises(sqlite3.IntegrityError, match="labels are never"):
            store.db.execute(statement)
    (row,) = kinds(store, Filter(), latest_builds(store, ["b1"]))
    assert (row.total, row.confirmed, row.duplicate, row.new) == (2, 0, 1, 1)


@pytest.mark.parametrize(
    ("finding", "kind", "value"),
    [
        ("ffff", LabelKind.CONFIRMED, None),
        ("%", LabelKind.CONFIRMED, None),
        ("", LabelKind.REJECTED, None),
        (None, LabelKind.CONFIRMED, "2.14"),
        (None, LabelKind.FIXED_IN, None),
        (None, LabelKind.FIXED_IN, "some day"),
        (None, LabelKind.DUPLICATE_OF, "itself"),
        (None, LabelKind.DUPLICATE_OF, "another one"),
        (None, LabelKind.WITHDRAWN, "2.14"),
        (None, LabelKind.WITHDRAWN, None),
    ],
)
def test_labels_that_make_no_sense(store, known, finding, kind, value):
    save(store, known(1), make_triage("torch.a", make_finding("torch.b")))
    (row,) = findings(store, Filter(), latest_builds(store))
    with pytest.raises(CitadelError):
        labels.add(
            store,
            row.id if finding is None else finding,
            kind,
            row.id if value == "itself" else value,
            "",
        )
    assert labels.all_of(store, row.id) == []


def test_no_finding_is_a_duplicate_of_its_own_duplicate(store, known):
    found = make_finding("torch.b"), make_finding("torch.c"), make_finding("torch.d")
    save(store, known(1), make_triage("torch.a", *found))
    one, two, three = (row.id for row in findings(store, Filter(), latest_builds(store)))
    labels.add(store, one, LabelKind.DUPLICATE_OF, two, "")
    labels.add(store, two, LabelKind.DUPLICATE_OF, three, "")
    with pytest.raises(CitadelError, match="duplicate of itself"):
        labels.add(store, three, LabelKind.DUPLICATE_OF, one, "")
    labels.add(store, one, LabelKind.WITHDRAWN, None, "")
    labels.add(store, three, LabelKind.DUPLICATE_OF, one, "")


def test_the_reported_function_in_another_form_is_not_new(store, known):
    found = make_finding("torch.ops.aten.a"), make_finding("torch.b")
    form = replace(found[0], channels=replace(found[0].channels, family="op"))
    save(store, known(1), make_triage("torch.a", form, found[1]))
    builds = latest_builds(store, ["b1"])
    assert [row.form_of for row in findings(store, Filter(), builds)] == ["torch.a", None]
    assert [row.api for row in findings(store, Filter(only_new=True), builds)] == ["torch.b"]
    assert [row.new for row in kinds(store, Filter(), builds)] == [1]


def test_what_the_table_calls_new_is_what_is_listed_as_new(store, known):
    first = known(1)
    save(store, first, make_triage("torch.a", make_finding("torch.b"), make_finding("torch.c")))
    save(store, first, make_triage("torch.a", make_finding("torch.b"), build="b2"), "b2")
    for build in ("b1", "b2"):
        builds = latest_builds(store, [build])
        told = sum(row.new for row in kinds(store, Filter(), builds))
        assert told == len(list(findings(store, Filter(only_new=True), builds)))


def test_which_build_alone_shows_a_finding_stays_right(store, known):
    """Whichever sightings come and go, in whatever order."""
    builds = ("b1", "b1", "b2", "b2")
    clean = make_finding("torch.b", VerdictKind.CLEAN, runs=(0, 3))
    shown = {}
    kept = []
    # Each report's first sighting comes, and goes when it is named again.
    for at in (0, 2, 1, 0, 1, 3, 2, 3):
        report = shown.pop(at, None)
        found = make_finding("torch.b") if report is None else clean
        if report is None:
            report = shown[at] = known(at)
        save(store, report, make_triage("torch.a", found, build=builds[at]), builds[at])
        kept += store.db.execute("SELECT only_build FROM findings").fetchone()
        on = {builds[one] for one in shown}
        assert kept[-1] == (on.pop() if len(on) == 1 else None)
    assert kept == ["b1", None, None, None, "b2", "b2", "b2", None]


def test_a_label_that_is_withdrawn_does_not_count(store, known):
    save(store, known(1), make_triage("torch.a", make_finding("torch.b")))
    builds = latest_builds(store, ["b1"])
    (row,) = findings(store, Filter(only_new=True), builds)
    labels.add(store, row.id, LabelKind.DUPLICATE_OF, "some/where#12", "")
    assert list(findings(store, Filter(only_new=True), builds)) == []
    labels.add(store, row.id, LabelKind.WITHDRAWN, None, "was another one")
    (again,) = findings(store, Filter(only_new=True), builds)
    assert (again.label, again.label_value) == (None, None)
    assert len(labels.all_of(store, row.id)) == 2


@pytest.mark.parametrize(
    ("said", "confirmed"),
    [
        (("confirmed",), 1),
        (("confirmed", "fixed-in"), 1),
        (("fixed-in", "confirmed"), 1),
        (("confirmed", "rejected"), 0),
        (("confirmed", "duplicate-of", "fixed-in"), 0),
        (("confirmed", "withdrawn"), 0),
        (("confirmed", "withdrawn", "confirmed", "fixed-in"), 1),
        (("rejected", "confirmed", "confirmed"), 1),
        (("fixed-in",), 0),
        ((), 0),
    ],
)
def test_what_is_fixed_stays_confirmed(store, known, said, confirmed):
    save(store, known(1), make_triage("torch.a", make_finding("torch.b")))
    builds = latest_builds(store, ["b1"])
    (row,) = findings(store, Filter(), builds)
    values = {"fixed-in": "2.14.0", "duplicate-of": "some/where#12"}
    for kind in said:
        labels.add(store, row.id, LabelKind(kind), values.get(kind), "")
    (told,) = kinds(store, Filter(), builds)
    assert (told.confirmed, told.fixed) == (confirmed, int("fixed-in" in said[-1:]))


def test_hostile_text_goes_in_and_out_as_text(store, known):
    hostile = "\x1b]0;owned\x07'; DROP TABLE items; --\0\ud800"
    report = known(1)
    symptom = ASSERTION.__class__(
        kind=ASSERTION.kind, exception="E", message=hostile, pattern=hostile
    )
    save(store, report, make_triage("torch.a", make_finding("torch.b", symptom=symptom)))
    (row,) = findings(store, Filter(), latest_builds(store))
    assert "DROP TABLE items" in row.headline
    assert "\0" not in row.headline
    assert store.db.execute("SELECT count(*) FROM items").fetchone() == (0,)
