"""Where a search is: what a search notes, so that the same command goes on there after any end.

In: what a source keeps of its work after each piece of it (`Search.notes`). Out: a file beside the
harvest, replaced as a whole, which a search with equal settings on the same build reads. Hits are
recorded before the note that counts them is written, so a kill loses none.
"""

from __future__ import annotations

import json
import os
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

from analysis.errors import CitadelError
from harvest.sources.model import State
from harvest.sources.packing import pack, unpack

SCHEMA = 1
EVERY = 1.0
"""Seconds between two notes at least; what has been done since is done again after a kill."""
SHARE = 20
"""A note is written when this many times as long has passed as the last one took."""


class Written:
    """Notes in a file; `question` tells searches apart, and only an equal one goes on.

    `found` are the files that what is found goes to. They only grow: where one is shorter than the
    notes say, somebody has moved it away, and the notes count for nothing.
    """

    def __init__(self, path: Path, question: Mapping[str, Any], found: Sequence[Path]) -> None:
        self._path = path
        self._found = found
        self._question = json.loads(json.dumps(question))
        self._next = 0.0
        self.resumed = False

    def read(self) -> State:
        """What an equal search left; empty where there is none, or it cannot be read."""
        try:
            kept = json.loads(self._path.read_text(encoding="utf-8"))
            if kept["schema"] != SCHEMA or kept["question"] != self._question:
                return {}
            pairs = zip(self._sizes(), kept["found"], strict=True)
            if any(now < before for now, before in pairs):
                return {}
            state = unpack(kept["state"])
        except (OSError, ValueError, TypeError, KeyError):
            return {}
        self.resumed = bool(state)
        return dict(state)

    def write(self, state: Callable[[], State]) -> None:
        """Replace the file, if the last time was long enough ago.

        Raises:
            CitadelError: when it cannot be written.
        """
        began = time.monotonic()
        if began < self._next:
            return
        row = {
            "schema": SCHEMA,
            "question": self._question,
            "found": self._sizes(),
            "state": pack(dict(state())),
        }
        beside = self._path.with_name(self._path.name + ".new")
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with beside.open("w", encoding="utf-8") as file:
                json.dump(row, file)
                file.write("\n")
                file.flush()
                os.fsync(file.fileno())
            beside.replace(self._path)
        except OSError as problem:
            told = f"{self._path} cannot be written: {problem.strerror}"
            raise CitadelError(told, "choose another --out") from problem
        now = time.monotonic()
        self._next = now + max(EVERY, SHARE * (now - began))

    def _sizes(self) -> list[int]:
        return [one.stat().st_size if one.exists() else 0 for one in self._found]

    def clear(self) -> None:
        """Remove the file."""
        self._path.unlink(missing_ok=True)
