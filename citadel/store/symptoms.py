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
    store.db.execute(
        "INSERT INTO symptoms VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
        [key, *(sound(value) if isinstance(value, str) else value for value in values)],
    )
    return key


def read_symptom(store: Store, key: str) -> Symptom:
    """A symptom by its id."""
    row = store.db.execute(
        "SELECT kind, exception, message, pattern, signal, place, observed, expected, ratio"
        " FROM symptoms WHERE id = ?",
        [key],
    ).fetchone()
    kind, *values = row
    return Symptom(kind=SymptomKind(kind), **dict(zip(_FIELDS, values, strict=True)))
