"""Phrases find their own sentences, and spare others; rules say what they do."""

from __future__ import annotations

import importlib
import pkgutil

import pytest

import citadel.judge
import citadel.oracle
import citadel.propagate
import citadel.verify
from analysis import rules
from analysis.rules import Phrase

for room in (citadel.judge, citadel.oracle, citadel.propagate, citadel.verify):
    for module in pkgutil.iter_modules(room.__path__, f"{room.__name__}."):
        importlib.import_module(module.name)

PHRASES = [
    one
    for name, one in sorted(rules.known().items())
    if isinstance(one, Phrase) and not name.startswith("test-")
]


def test_rooms_have_phrases_and_rules() -> None:
    rooms = {name.partition("/")[0] for name in rules.known()}
    assert {"doubt", "guard", "oracle", "blame", "message", "abort", "hint", "word"} <= rooms


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda one: one.id)
def test_phrase_finds_its_sentences(phrase: Phrase) -> None:
    assert phrase.finds
    assert [text for text in phrase.finds if phrase.search(text) is None] == []
    assert [text for text in phrase.spares if phrase.search(text) is not None] == []


def test_rules_say_what_they_do() -> None:
    rooms = ("doubt/", "guard/", "oracle/", "blame/", "ending/", "way/")
    mute = [name for name, one in rules.known().items() if not one.meaning]
    assert [name for name in mute if name.startswith(rooms) and "/test-" not in name] == []
