"""Symptoms in the store: each once, however many runs show it."""

from __future__ import annotations

import json

from citadel.model import Symptom, SymptomKind, content_id
from citadel.store.database import Store
from citadel.store.texts import sound

_FIELDS = ("exception", "message", "pattern", "signal", "where", "observed", "expected", "ratio")


def save_symptom(store: Store, symptom: Symptom) -> str:
    """Keep a symptom; return its content id."""
    record = symptom.to_json()
    key = content_id(json.dumps(record, sort_keys=True))
    values = [record.get(field) for field in ("kind", *_FIELDS)]
    frames = json.dumps(symptom.frames) if symptom.frames else None
    store.db.execute(
        "INSERT INTO symptoms VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [key, *(sound(one) if isinstance(one, str) else one for one in (*values, frames))],
    )
    return key


def read_symptom(store: Store, key: str) -> Symptom:
    """A symptom by its id."""
    row = store.db.execute(
        "SELECT kind, exception, message, pattern, signal, place, observed, expected, ratio,"
        " frames FROM symptoms WHERE id = ?",
        [key],
    ).fetchone()
    kind, *values, frames = row
    fields = dict(zip(_FIELDS, values, strict=True))
    return Symptom(kind=SymptomKind(kind), frames=tuple(json.loads(frames or "[]")), **fields)
