"""The tables of the store, as migrations: an older file is brought up to date when it is opened.

In: a database of any earlier version, or an empty one. Out: the same with today's tables. A step
that was released is never changed; what is new is a further step at the end.
"""

from __future__ import annotations

from sqlite_utils import Database, Migrations

from citadel.model import Symptom, SymptomKind
from citadel.oracle.status import internal

migrations = Migrations("citadel")

_TABLES = """
CREATE TABLE builds (
  id TEXT PRIMARY KEY, framework TEXT NOT NULL, version TEXT NOT NULL, python TEXT NOT NULL,
  backend TEXT NOT NULL, devices TEXT NOT NULL, sandbox TEXT NOT NULL, apis INTEGER NOT NULL,
  pairs_index TEXT NOT NULL, added REAL NOT NULL
) STRICT;
CREATE TABLE texts (
  id TEXT PRIMARY KEY, size INTEGER NOT NULL, body TEXT
) STRICT;
CREATE TABLE reports (
  id TEXT PRIMARY KEY, source TEXT NOT NULL, repository TEXT, number INTEGER, title TEXT NOT NULL,
  url TEXT, content TEXT NOT NULL REFERENCES texts (id), added REAL NOT NULL
) STRICT;
CREATE TABLE refusals (
  source TEXT PRIMARY KEY, reason TEXT NOT NULL, added REAL NOT NULL
) STRICT;
CREATE TABLE snippets (
  report TEXT NOT NULL REFERENCES reports (id), position INTEGER NOT NULL, origin TEXT NOT NULL,
  code TEXT NOT NULL REFERENCES texts (id), PRIMARY KEY (report, position)
) STRICT, WITHOUT ROWID;
CREATE TABLE items (
  id INTEGER PRIMARY KEY, report TEXT NOT NULL REFERENCES reports (id),
  build TEXT NOT NULL REFERENCES builds (id), stage TEXT NOT NULL, state TEXT NOT NULL,
  topic TEXT NOT NULL, cost REAL NOT NULL, exclusive INTEGER NOT NULL DEFAULT 0,
  attempts INTEGER NOT NULL DEFAULT 0, seconds REAL NOT NULL DEFAULT 0,
  found INTEGER NOT NULL DEFAULT 0, reason TEXT, ended REAL, UNIQUE (report, build, stage)
) STRICT;
CREATE INDEX items_by_state ON items (state, stage, topic, build, exclusive, cost);
CREATE TABLE symptoms (
  id TEXT PRIMARY KEY, kind TEXT NOT NULL, exception TEXT, message TEXT, pattern TEXT, signal TEXT,
  place TEXT, observed TEXT, expected TEXT, ratio REAL
) STRICT;
CREATE TABLE cases (
  id INTEGER PRIMARY KEY, report TEXT NOT NULL REFERENCES reports (id),
  build TEXT NOT NULL REFERENCES builds (id), content TEXT NOT NULL, api TEXT NOT NULL,
  kind TEXT NOT NULL, state TEXT NOT NULL, symptom TEXT NOT NULL REFERENCES symptoms (id),
  reproduces INTEGER NOT NULL, hits INTEGER NOT NULL, replays INTEGER NOT NULL,
  observed TEXT NOT NULL, code TEXT NOT NULL REFERENCES texts (id), file TEXT,
  evidence TEXT NOT NULL, tried INTEGER NOT NULL DEFAULT 0, control TEXT, UNIQUE (report, build)
) STRICT;
CREATE INDEX cases_by_api ON cases (api, state);
CREATE TABLE pairs (
  id INTEGER PRIMARY KEY, build TEXT NOT NULL REFERENCES builds (id), source TEXT NOT NULL,
  target TEXT NOT NULL, context REAL, signature REAL NOT NULL, relation TEXT,
  UNIQUE (build, source, target)
) STRICT;
CREATE INDEX pairs_by_target ON pairs (target);
CREATE TABLE variants (
  id INTEGER PRIMARY KEY, "case" INTEGER NOT NULL REFERENCES cases (id),
  pair INTEGER NOT NULL REFERENCES pairs (id), arguments REAL, called INTEGER NOT NULL,
  edits TEXT NOT NULL, code TEXT REFERENCES texts (id), file TEXT, UNIQUE ("case", pair)
) STRICT;
CREATE INDEX variants_by_pair ON variants (pair);
CREATE TABLE runs (
  id INTEGER PRIMARY KEY, variant INTEGER NOT NULL REFERENCES variants (id),
  attempt INTEGER NOT NULL, verdict TEXT NOT NULL, hits INTEGER NOT NULL, replays INTEGER NOT NULL,
  samples TEXT, ended REAL NOT NULL, UNIQUE (variant, attempt)
) STRICT;
CREATE INDEX runs_by_verdict ON runs (verdict, id);
CREATE TABLE families (
  id INTEGER PRIMARY KEY, framework TEXT NOT NULL, root TEXT NOT NULL
) STRICT;
CREATE TABLE marks (
  framework TEXT NOT NULL, mark TEXT NOT NULL, family INTEGER NOT NULL REFERENCES families (id),
  PRIMARY KEY (framework, mark)
) STRICT, WITHOUT ROWID;
CREATE INDEX marks_by_family ON marks (family);
CREATE TABLE findings (
  id TEXT PRIMARY KEY, framework TEXT NOT NULL, api TEXT NOT NULL, kind TEXT NOT NULL,
  state TEXT NOT NULL, symptom TEXT NOT NULL REFERENCES symptoms (id),
  family INTEGER NOT NULL REFERENCES families (id), added REAL NOT NULL,
  sightings INTEGER NOT NULL DEFAULT 0, label TEXT, label_value TEXT
) STRICT;
CREATE INDEX findings_by_kind ON findings (framework, kind);
CREATE INDEX findings_by_api ON findings (api, state);
CREATE INDEX findings_by_family ON findings (family);
CREATE INDEX findings_by_time ON findings (added, id);
CREATE TABLE verdicts (
  variant INTEGER PRIMARY KEY REFERENCES variants (id), build TEXT NOT NULL, topic TEXT NOT NULL,
  generated INTEGER NOT NULL, kind TEXT NOT NULL, hits INTEGER NOT NULL, replays INTEGER NOT NULL,
  confidence REAL NOT NULL, symptom TEXT REFERENCES symptoms (id), reason TEXT, guards TEXT NOT NULL
) STRICT;
CREATE INDEX verdicts_by_kind ON verdicts (kind, variant);
CREATE TABLE sightings (
  finding TEXT NOT NULL REFERENCES findings (id), build TEXT NOT NULL, report TEXT NOT NULL,
  variant INTEGER NOT NULL UNIQUE REFERENCES variants (id), PRIMARY KEY (finding, build, report)
) STRICT, WITHOUT ROWID;
CREATE INDEX sightings_by_report ON sightings (report, build);
CREATE TABLE labels (
  id INTEGER PRIMARY KEY, finding TEXT NOT NULL REFERENCES findings (id), kind TEXT NOT NULL,
  value TEXT, note TEXT NOT NULL, added REAL NOT NULL
) STRICT;
CREATE INDEX labels_by_finding ON labels (finding, id);
CREATE TABLE tallies (
  build TEXT NOT NULL, topic TEXT NOT NULL, verdict TEXT NOT NULL, generated INTEGER NOT NULL,
  number INTEGER NOT NULL, PRIMARY KEY (build, topic, verdict, generated)
) STRICT, WITHOUT ROWID;
CREATE TABLE hunts (
  id INTEGER PRIMARY KEY, started REAL NOT NULL, ended REAL, jobs INTEGER NOT NULL,
  items INTEGER NOT NULL DEFAULT 0
) STRICT;
"""

_ONE_MORE = """
INSERT INTO tallies VALUES (new.build, new.topic, new.kind, new.generated, 1)
ON CONFLICT DO UPDATE SET number = number + 1;
"""
_ONE_LESS = """
UPDATE tallies SET number = number - 1 WHERE build = old.build AND topic = old.topic
AND verdict = old.kind AND generated = old.generated;
"""
_TRIGGERS = (
    "CREATE TRIGGER labels_told AFTER INSERT ON labels BEGIN"
    " UPDATE findings SET label = new.kind, label_value = new.value WHERE id = new.finding; END",
    "CREATE TRIGGER sightings_added AFTER INSERT ON sightings BEGIN"
    " UPDATE findings SET sightings = sightings + 1 WHERE id = new.finding; END",
    "CREATE TRIGGER sightings_gone AFTER DELETE ON sightings BEGIN"
    " UPDATE findings SET sightings = sightings - 1 WHERE id = old.finding; END",
    "CREATE TRIGGER labels_stay BEFORE UPDATE ON labels BEGIN"
    " SELECT RAISE(ABORT, 'labels are never changed: add another one'); END",
    "CREATE TRIGGER labels_remain BEFORE DELETE ON labels BEGIN"
    " SELECT RAISE(ABORT, 'labels are never deleted: add another one'); END",
    # Counting a million rows takes too long for a question that is asked all the time.
    f"CREATE TRIGGER verdicts_added AFTER INSERT ON verdicts BEGIN {_ONE_MORE} END",
    f"CREATE TRIGGER verdicts_gone AFTER DELETE ON verdicts BEGIN {_ONE_LESS} END",
    f"CREATE TRIGGER verdicts_changed AFTER UPDATE ON verdicts BEGIN {_ONE_LESS} {_ONE_MORE} END",
)


@migrations()
def m001_tables(db: Database) -> None:
    """All tables of the first version."""
    for statement in _TABLES.split(";\n"):
        if statement.strip():
            db.execute(statement)
    for trigger in _TRIGGERS:
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
