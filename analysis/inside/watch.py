"""What watched expressions of a case come to: their values, with what is in them.

`__citadel_watch__(3, x)` is `x`, and tells of it: {"e": "watch", "k": 3, "o": 1, "v": record}.
"""

import contents

MOST = 2000
LOUD = 64
"""Evaluations of one expression that are told of."""


class Watcher:
    """Callable `(point, value)` that returns the value."""

    def __init__(self, emit):
        self.emit = emit
        self.seen = {}
        self.told = 0

    def __call__(self, point, value):
        occurrence = self.seen[point] = self.seen.get(point, 0) + 1
        if occurrence <= LOUD and self.told < MOST:
            self.told += 1
            record = contents.recorded(value)
            self.emit({"e": "watch", "k": point, "o": occurrence, "v": record})
        return value
