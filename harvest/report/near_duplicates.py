"""Readings -> groups that say almost the same, by MinHash over code and text.

In: one `Sketch` per report: hashes of the runs of words in its code and its text, and the names
that the code calls. Out: for each report that another one stands for, that other one. Reports about
other APIs are never put together, however alike they are: `conv1d` and `conv2d` are siblings.
"""

from __future__ import annotations

import functools
import hashlib
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from datasketch import MinHash
from numpy.typing import NDArray

from harvest.report.model import Reading
from harvest.report.thread import called_names

CODE, TEXT = 128, 64
"""Permutations: how finely code and text are compared."""
ROWS = 4
"""Signatures are compared where they agree in one band of four rows: at similarity 0.7 all 32 bands
of the code miss it in 0.02 % of cases, the 16 of the text in 1.2 %."""
SAME_CODE = 0.85
"""Similarity of code from which the words around it do not matter."""
THRESHOLD = 0.7
"""Least mean similarity of code and text otherwise."""
_SHINGLE = 3
_WORD = re.compile(r"[^\W_]+")
_MAX_WORDS = 3000
_SKIPPED = frozenset(
    {
        tokenize.COMMENT,
        tokenize.NL,
        tokenize.NEWLINE,
        tokenize.INDENT,
        tokenize.DEDENT,
        tokenize.ENCODING,
        tokenize.ENDMARKER,
    }
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Sketch:
    """A report as far as comparing goes: 0.8 kB of `signature`, code first, and how good it is."""

    signature: NDArray[np.uint32]
    calls: bytes
    standing: tuple[int, ...]
    """The smallest stands for its group: complete, few needs, early."""


def sketch(reading: Reading) -> Sketch | None:
    """Return what is compared of a reading; None where it has no code."""
    if not reading.candidates:
        return None
    best = reading.candidates[0]
    text = f"{reading.report.title} {reading.prose}".lower()
    parts = (
        _signature(_tokens(best.code), CODE),
        _signature(_WORD.findall(text)[:_MAX_WORDS], TEXT),
    )
    called = "\0".join(sorted(called_names([best])))
    return Sketch(
        signature=np.concatenate(parts),
        calls=hashlib.sha256(called.encode()).digest()[:8],
        standing=(len(best.missing), len(best.needs), reading.report.number or 0),
    )


@functools.cache
def _empty(permutations: int) -> MinHash:
    return MinHash(num_perm=permutations)


def _signature(words: Sequence[str], permutations: int) -> NDArray[np.uint32]:
    """The least hash of all runs of three words, under each permutation."""
    count = max(len(words) - _SHINGLE + 1, min(len(words), 1))
    shingles = {"\0".join(words[at : at + _SHINGLE]).encode() for at in range(count)}
    hashed = _empty(permutations).copy()  # drawing the permutations takes longer than the rest
    hashed.update_batch(list(shingles))
    return np.asarray(hashed.hashvalues, dtype=np.uint32)


def _tokens(code: str) -> list[str]:
    """The tokens of code, without comments and layout; what of them there is before an error."""
    found: list[str] = []
    try:
        for token in tokenize.generate_tokens(io.StringIO(code).readline):
            if token.type not in _SKIPPED:
                found.append(token.string)
    except (tokenize.TokenError, SyntaxError):
        pass
    return found


def stand_ins(sketches: Sequence[Sketch]) -> dict[int, int]:
    """Return, per report that is not needed, the one that stands for it (both as places).

    Every report is similar to its stand-in itself; likeness is not handed on.
    """
    if not sketches:
        return {}
    signatures = np.stack([one.signature for one in sketches])
    buckets = _buckets(sketches, signatures)
    order = sorted(range(len(sketches)), key=lambda at: (sketches[at].standing, at))
    free = np.ones(len(sketches), dtype=bool)
    found: dict[int, int] = {}
    for at in order:
        if not free[at]:
            continue
        free[at] = False
        near = {mate for bucket in buckets.get(at, ()) for mate in bucket if free[mate]}
        mates = np.fromiter(sorted(near), dtype=np.intp, count=len(near))
        for mate in mates[_alike(signatures[mates], signatures[at])]:
            free[mate] = False
            found[int(mate)] = at
    return found


def _alike(others: NDArray[np.uint32], one: NDArray[np.uint32]) -> NDArray[np.bool_]:
    same = others == one
    code, text = same[:, :CODE].mean(axis=1), same[:, CODE:].mean(axis=1)
    near: NDArray[np.bool_] = (code >= SAME_CODE) | ((code + text) / 2 >= THRESHOLD)
    return near


def _buckets(
    sketches: Sequence[Sketch], signatures: NDArray[np.uint32]
) -> dict[int, list[list[int]]]:
    """Per report, the lists of those that call the same and agree with it in some band."""
    calls: dict[bytes, list[int]] = defaultdict(list)
    for at, one in enumerate(sketches):
        calls[one.calls].append(at)
    found: dict[int, list[list[int]]] = defaultdict(list)
    for places in calls.values():
        if len(places) < 2:
            continue
        for start in range(0, CODE + TEXT, ROWS):
            part = np.ascontiguousarray(signatures[places, start : start + ROWS])
            buckets: dict[bytes, list[int]] = defaultdict(list)
            for place, row in zip(places, part, strict=True):
                buckets[row.tobytes()].append(place)
            for bucket in buckets.values():
                if len(bucket) > 1:
                    for place in bucket:
                        found[place].append(bucket)
    return found
