"""Answers questions until it is ended: one JSON line on the input is one question.

An entry of `child` that converses yields from `answers(function)`. The function gets the question
and yields events, which are small; the first one with a reply is the last.
"""

import json
import sys


def answers(function):
    """Yield that all is ready, then what the function yields for each question, and replies."""
    yield {"reply": "ready"}
    for line in sys.stdin:
        reply = None
        for event in function(json.loads(line)):
            if "reply" in event:
                reply = event["reply"]
                break
            yield event
        yield {"reply": reply}


def echo(start):
    """What the tests of conversations talk to: it does what it is asked."""
    import os
    import time

    count = [start]

    def answer(question):
        count[0] += 1
        for _ in range(question.get("records", 0)):
            yield {"text": "x" * question["size"]}
        if "print" in question:
            sys.stderr.write(question["print"] + "\n")
        time.sleep(question.get("sleep", 0))
        if "signal" in question:
            os.kill(os.getpid(), question["signal"])
        if "raise" in question:
            raise ValueError(question["raise"])
        yield {"reply": {"count": count[0], "length": len(question.get("text", ""))}}

    yield from answers(answer)
