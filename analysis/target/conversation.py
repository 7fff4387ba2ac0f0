"""A child that lives on and answers questions: what is expensive to set up is set up once.

The child runs `module:function` of `analysis/inside` with the questions as its input (see
`inside/conversation`). Each question has a time limit, watched from outside; one that kills the
child, or has it killed, ends the conversation, and the next question begins another one.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from analysis.target.fork_server import Event
from analysis.target.session import Limits, Session, how_died

LEAVING = 10.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """What came back: `records` before `reply`, or how the child died over it.

    `died` is "timeout", "memory", "signal SIGSEGV", ...; of these the first two are our own kills.
    """

    reply: Any
    records: tuple[Event, ...] = ()
    died: str | None = None
    output: str = ""
    """The end of what it printed, where it died."""


class Conversation:
    """A context manager around one such child at a time; the session has no other job meanwhile.

    `started` counts children. A new one takes the place of one that died, and of one that has
    answered `most` questions: frameworks keep what they have compiled, and grow.
    """

    def __init__(
        self,
        session: Session,
        entry: str,
        arguments: dict[str, Any],
        *,
        start: float = 120.0,
        memory: int = 8 << 30,
        most: int = 10_000,
        preload: Sequence[str] = (),
    ) -> None:
        self._session = session
        self._limits = Limits(wall=start, memory=memory)
        self._job: Event = {
            "entry": entry,
            "arguments": arguments,
            "limits": self._limits.to_json(),
            "preload": list(preload),
            "converses": True,
        }
        self._most = most
        self._asked = 0
        self._open = False
        self.started = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def begin(self) -> Answer | None:
        """Start the child unless it runs; how it died, if it did not come so far.

        Raises:
            CitadelError: when the interpreter cannot be started at all.
        """
        if self._open and self._asked >= self._most:
            self.close()
        if self._open:
            return None
        self._asked = 0
        self.started += 1
        answer = self._exchange(dict(self._job), self._limits.wall)
        self._open = answer.died is None
        return None if self._open else answer

    def ask(self, question: Event, *, wall: float) -> Answer:
        """Ask within `wall` seconds; the start of a new child is not counted among them.

        Raises:
            CitadelError: when the interpreter cannot be started at all, or the run was stopped.
        """
        failed = self.begin()
        if failed is not None:
            return failed
        self._asked += 1
        answer = self._exchange({"ask": question, "wall": wall}, wall)
        self._open = answer.died is None
        return answer

    def close(self) -> None:
        """End the child; a further question begins another one."""
        if self._open:
            self._open = False
            self._session.exchange({"leave": True}, LEAVING)

    def _exchange(self, record: Event, wall: float) -> Answer:
        events, end = self._session.exchange(record, wall)
        if end is None:
            *before, last = events
            return Answer(reply=last["reply"], records=tuple(before))
        died = how_died(end) or "exit"
        return Answer(
            reply=None,
            records=tuple(events),
            died=died,
            output=str(end.get("stderr", ""))[-2000:],
        )
