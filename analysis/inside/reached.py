"""Run a traced case until an API is called: whether a long one gets there, and no more."""

import case


def run(emit, code, traced, names):
    """Execute the case as `case.run` does; the first call of one of `names` is its last event."""
    wanted = frozenset(names)

    def told(event):
        emit(event)
        if event.get("e") == "call" and event.get("f") in wanted:
            raise case.Stop

    told.raw = emit.raw
    return case.run(told, code, traced)
