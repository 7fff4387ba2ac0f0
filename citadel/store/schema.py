"""The tables of the store, as migrations: an older file is brought up to date when it is opened.

In: a database of any earlier version, or an empty one. Out: the same with today's tables. A step
that was released is never changed; what is new is a further step at the end.
"""

from __future__ import annotations

from sqlite_utils import Database, Migrations

from citadel.model import Symptom, SymptomKind
from citadel.oracle.status import internal
from citadel.store.tables import TABLES, TRIGGERS

migrations = Migrations("citadel")


@migrations()
def m001_tables(db: Database) -> None:
    """All tables of the first version."""
    for statement in TABLES.split(";\n"):
        if statement.strip():
            db.execute(statement)
    for trigger in TRIGGERS:
        db.execute(trigger)


_BUGS = """
CREATE VIEW bugs AS
SELECT f.id AS finding, f.framework, f.api, f.kind, s.exception, s.message, s.signal, s.place,
  s.observed, f.family, f.label, f.label_value,
  (SELECT group_concat(DISTINCT r.source) FROM sightings g JOIN reports r ON r.id = g.report
   WHERE g.finding = f.id) AS reports
FROM findings f JOIN symptoms s ON s.id = f.symptom WHERE f.sightings
"""


@migrations()
def m002_bugs(db: Database) -> None:
    """A view for people who open the file with other programs."""
    db.execute(_BUGS)


_FORECASTS = (
    # By what order items of one topic come; zero is no opinion.
    "ALTER TABLE items ADD COLUMN chance REAL NOT NULL DEFAULT 0",
    "CREATE TABLE readings (report TEXT PRIMARY KEY REFERENCES reports (id), traits TEXT NOT NULL)"
    " STRICT, WITHOUT ROWID",
    "CREATE TABLE forecasts (hunt INTEGER NOT NULL REFERENCES hunts (id), target TEXT NOT NULL,"
    " reports INTEGER NOT NULL, positives INTEGER NOT NULL, auc REAL, spread REAL, precision REAL,"
    " used INTEGER NOT NULL, reason TEXT NOT NULL, PRIMARY KEY (hunt, target))"
    " STRICT, WITHOUT ROWID",
)


@migrations()
def m003_forecasts(db: Database) -> None:
    """What is foretold of reports, from what, and how well."""
    for statement in _FORECASTS:
        db.execute(statement)


_PLAIN = (
    # Whether the symptom is an exception that the API may be meant to raise.
    "ALTER TABLE findings ADD COLUMN plain INTEGER NOT NULL DEFAULT 0",
    "DROP INDEX findings_by_kind",
    "CREATE INDEX findings_by_kind ON findings (framework, kind, plain)",
    "DROP TRIGGER labels_told",
    "CREATE TRIGGER labels_told AFTER INSERT ON labels BEGIN"
    " UPDATE findings SET label = nullif(new.kind, 'withdrawn'), label_value = new.value"
    " WHERE id = new.finding; END",
)


@migrations()
def m004_plain(db: Database) -> None:
    """Plain exceptions apart from crashes, and labels that can be withdrawn."""
    for statement in _PLAIN:
        db.execute(statement)
    symptoms = "SELECT f.id, s.message FROM findings f JOIN symptoms s ON s.id = f.symptom"
    rows = db.execute(f"{symptoms} WHERE s.kind = ?", [SymptomKind.RAISES]).fetchall()
    for finding, message in rows:
        symptom = Symptom(kind=SymptomKind.RAISES, message=message)
        if not internal(symptom):
            db.execute("UPDATE findings SET plain = 1 WHERE id = ?", [finding])


_CUT = (
    # What a case was allowed when that cut it short: seconds, and siblings if not all.
    "ALTER TABLE items ADD COLUMN cut_seconds REAL",
    "ALTER TABLE items ADD COLUMN cut_siblings INTEGER",
    # REPLACE removes a row past the trigger that forbids it.
    "CREATE TRIGGER labels_once BEFORE INSERT ON labels"
    " WHEN EXISTS (SELECT 1 FROM labels WHERE id = new.id) BEGIN"
    " SELECT RAISE(ABORT, 'labels are never changed: add another one'); END",
)


@migrations()
def m005_cut(db: Database) -> None:
    """What was cut short, so that a hunt with more time goes on there."""
    for statement in _CUT:
        db.execute(statement)


_FORMS = (
    # A reported API that is the same function, reached otherwise.
    "ALTER TABLE findings ADD COLUMN form_of TEXT",
    "UPDATE findings SET form_of = (SELECT p.source FROM sightings s"
    " JOIN variants v ON v.id = s.variant JOIN pairs p ON p.id = v.pair"
    " WHERE s.finding = findings.id AND p.relation IN"
    " ('op', 'method', 'function', 'functional', 'module', 'class', 'compat.v1 function'))",
)


@migrations()
def m006_forms(db: Database) -> None:
    """Which findings are of a reported function in another form."""
    for statement in _FORMS:
        db.execute(statement)


_BUGS_WITH_FILES = """
CREATE VIEW bugs AS
SELECT f.id AS finding, f.framework,
  (SELECT group_concat(DISTINCT b.version) FROM sightings g JOIN builds b ON b.id = g.build
   WHERE g.finding = f.id) AS versions,
  f.api, f.kind, f.plain, f.form_of, s.exception, s.message, s.signal, s.place, s.observed,
  f.family, f.label, f.label_value,
  (SELECT group_concat(DISTINCT r.source) FROM sightings g JOIN reports r ON r.id = g.report
   WHERE g.finding = f.id) AS reports,
  (SELECT min(r.title) FROM sightings g JOIN reports r ON r.id = g.report
   WHERE g.finding = f.id) AS title,
  (SELECT min(v.file) FROM sightings g JOIN variants v ON v.id = g.variant
   WHERE g.finding = f.id) AS file
FROM findings f JOIN symptoms s ON s.id = f.symptom WHERE f.sightings
"""


@migrations()
def m007_files(db: Database) -> None:
    """The view for people says which versions, what title, where the case is."""
    db.execute("DROP VIEW bugs")
    db.execute(_BUGS_WITH_FILES)


@migrations()
def m008_frames(db: Database) -> None:
    """Where in native code a crash was: a list of functions in JSON, the innermost first."""
    db.execute("ALTER TABLE symptoms ADD COLUMN frames TEXT")


_ONLY_BUILD = (
    # The build that all sightings of a finding are on, if they are on one: whether another build
    # shows it, too, takes too long to look up for every finding whenever a summary is asked for.
    "ALTER TABLE findings ADD COLUMN only_build TEXT",
    "UPDATE findings SET only_build = (SELECT CASE WHEN min(s.build) = max(s.build)"
    " THEN min(s.build) END FROM sightings s WHERE s.finding = findings.id)",
    "DROP TRIGGER sightings_added",
    "CREATE TRIGGER sightings_added AFTER INSERT ON sightings BEGIN"
    " UPDATE findings SET sightings = sightings + 1,"
    " only_build = CASE WHEN sightings = 0 OR only_build = new.build THEN new.build END"
    " WHERE id = new.finding; END",
    "DROP TRIGGER sightings_gone",
    "CREATE TRIGGER sightings_gone AFTER DELETE ON sightings BEGIN"
    " UPDATE findings SET sightings = sightings - 1, only_build ="
    " (SELECT CASE WHEN min(s.build) = max(s.build) THEN min(s.build) END"
    " FROM sightings s WHERE s.finding = old.finding)"
    " WHERE id = old.finding; END",
)


@migrations()
def m009_only_build(db: Database) -> None:
    """Which findings one build alone shows."""
    for statement in _ONLY_BUILD:
        db.execute(statement)


@migrations()
def m010_baseline(db: Database) -> None:
    """The interpreter of another version, with which an item's times and memory are compared."""
    db.execute("ALTER TABLE items ADD COLUMN baseline TEXT NOT NULL DEFAULT ''")


_BUDGETS = (
    # What a case was allowed when that cut it short: plans tried, cases replayed.
    "ALTER TABLE items ADD COLUMN cut_attempts INTEGER",
    "ALTER TABLE items ADD COLUMN cut_replays INTEGER",
)


@migrations()
def m011_budgets(db: Database) -> None:
    """What was cut short by a number of attempts or replays."""
    for statement in _BUDGETS:
        db.execute(statement)
