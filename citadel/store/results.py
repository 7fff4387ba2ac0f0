"""What an item brought, as rows: case, symptoms, pairs, variants, runs, verdicts, findings.

In: a `Triage` of one report on one build, with the marks of its APIs (`citadel.family.kinship`).
Out: rows, all within the caller's transaction. A further attempt adds runs and puts verdicts
together; what people said of findings stays.
"""

from __future__ import annotations

import json
import time

from citadel.family.crash_state import state_of
from citadel.family.verdicts import put_together
from citadel.model import BugCase, Finding, Triage, Verdict, VerdictKind
from citadel.store import texts
from citadel.store.database import Store
from citadel.store.findings import Kin, forget, note
from citadel.store.symptoms import save_symptom
from citadel.store.texts import sound


def save_case(store: Store, report: str, build: str, triage: Triage) -> int | None:
    """Keep the case of a triage; its row, None where there is no case."""
    case = triage.case
    if case is None:
        return None
    row = store.db.execute(
        "INSERT INTO cases (report, build, content, api, kind, state, symptom, reproduces, hits,"
        " replays, observed, code, file, evidence, tried, control)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT (report, build) DO UPDATE SET content = excluded.content,"
        " api = excluded.api, kind = excluded.kind, state = excluded.state,"
        " symptom = excluded.symptom, reproduces = excluded.reproduces, hits = excluded.hits,"
        " replays = excluded.replays, observed = excluded.observed, code = excluded.code,"
        " file = coalesce(excluded.file, file), evidence = excluded.evidence,"
        " tried = max(tried, excluded.tried), control = excluded.control RETURNING id",
        [
            report,
            build,
            case.id,
            case.api,
            case.kind,
            sound(state_of(case.symptom).text),
            save_symptom(store, case.symptom),
            case.reproduces,
            *case.runs,
            sound(case.observed),
            texts.keep(store, case.code),
            store.kept(case.file),
            json.dumps([*case.evidence, *case.doubts]),
            triage.tried,
            triage.control,
        ],
    ).fetchone()
    return int(row[0])


def save_findings(store: Store, report: str, build: str, triage: Triage, kin: Kin) -> int:
    """Keep all verdicts of a triage; how many findings it brought that the store had not."""
    number = save_case(store, report, build, triage)
    case = triage.case
    if case is None or number is None:
        return 0
    new = 0
    for finding in triage.findings:
        variant = _variant(store, number, _pair(store, build, case, finding), finding)
        verdict = _verdict(store, variant, build, case, finding)
        if verdict.kind is VerdictKind.BUG and finding.verdict.kind is not VerdictKind.BUG:
            continue  # an earlier attempt's finding stands, with what that one showed
        if verdict.kind is VerdictKind.BUG:
            new += note(store, variant, report, build, case, finding, kin)
        else:
            forget(store, variant)
    return new


def _pair(store: Store, build: str, case: BugCase, finding: Finding) -> int:
    channels = finding.channels
    row = store.db.execute(
        "INSERT INTO pairs (build, source, target, context, signature, relation)"
        " VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT (build, source, target)"
        " DO UPDATE SET signature = excluded.signature RETURNING id",
        [
            build,
            case.api,
            finding.api,
            None if channels.context is None else float(channels.context),
            channels.signature,
            channels.family,
        ],
    ).fetchone()
    return int(row[0])


def _variant(store: Store, case: int, pair: int, finding: Finding) -> int:
    row = store.db.execute(
        'INSERT INTO variants ("case", pair, arguments, called, edits, code, file)'
        ' VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT ("case", pair) DO UPDATE SET'
        " edits = excluded.edits, code = coalesce(excluded.code, code),"
        " file = coalesce(excluded.file, file) RETURNING id",
        [
            case,
            pair,
            finding.channels.arguments,
            finding.channels.called,
            json.dumps(finding.edits),
            texts.keep(store, finding.code) if finding.code else None,
            store.kept(finding.file),
        ],
    ).fetchone()
    return int(row[0])


def _verdict(store: Store, variant: int, build: str, case: BugCase, finding: Finding) -> Verdict:
    """Add the run, and the verdict of all runs, which is returned."""
    given = finding.verdict
    if given.runs[1] and finding.code:
        samples = json.dumps([round(one, 6) for one in given.samples]) if given.samples else None
        store.db.execute(
            "INSERT INTO runs (variant, attempt, verdict, hits, replays, samples, ended)"
            " SELECT ?, 1 + count(*), ?, ?, ?, ?, ? FROM runs WHERE variant = ?",
            [variant, given.kind, *given.runs, samples, time.time(), variant],
        )
    before = store.db.execute(
        "SELECT kind, hits, replays, confidence, reason FROM verdicts WHERE variant = ?", [variant]
    ).fetchone()
    verdict = given
    if before is not None:
        kind, hits, replays, confidence, reason = before
        earlier = Verdict(
            kind=VerdictKind(kind), runs=(hits, replays), confidence=confidence, reason=reason
        )
        verdict = put_together(earlier, given)
    # Where an earlier attempt decides, what that one showed stays.
    decides = before is None or verdict.symptom is not None or given.kind is verdict.kind
    shown = given.symptom if decides else None
    values = [
        bool(finding.code),
        verdict.kind,
        *verdict.runs,
        verdict.confidence,
        None if shown is None else save_symptom(store, shown),
        None if verdict.reason is None else sound(verdict.reason),
        json.dumps(given.guards),
    ]
    if before is None:
        store.db.execute(
            "INSERT INTO verdicts VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
            [variant, build, case.kind, *values],
        )
    else:
        store.db.execute(
            "UPDATE verdicts SET generated = max(generated, ?), kind = ?, hits = ?, replays = ?,"
            " confidence = ?, symptom = coalesce(?, symptom), reason = ?, guards = ?"
            " WHERE variant = ?",
            [*values, variant],
        )
    return verdict
