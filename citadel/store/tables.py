"""The tables and triggers of the store's first version, as SQL; `schema` has what came after.

In: nothing. Out: statements, which stay as they are: stores were made by them.
"""

from __future__ import annotations

TABLES = """
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
TRIGGERS = (
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
