"""What a search has explained by limits is told before it ends, also by Ctrl-C."""

from contextlib import nullcontext
from types import SimpleNamespace

import pytest

from harvest.sources.eagle import source
from harvest.sources.model import Search, Tally


class Session:
    def abort(self):
        """Nothing runs."""


class Queue:
    """Findings, and then the user has enough."""

    def __init__(self, *found):
        self.found = list(found)

    def get(self):
        if not self.found:
            raise KeyboardInterrupt
        return self.found.pop(0)

    def put(self, found):
        """The plans have ended."""


def test_what_limits_explain_is_told_before_an_interruption(monkeypatch, finding):
    target = SimpleNamespace(session=lambda: nullcontext(Session()))
    interpreter = SimpleNamespace(target=lambda name: target)
    search = Search(interpreter=interpreter, budget=5, seed=0, tally=Tally(), progress=lambda: None)
    monkeypatch.setattr(source, "plans_for", lambda *_: ())
    monkeypatch.setattr(source, "worthwhile", lambda *_: ())
    run = source._Run(source.Eagle(), search, "torch", 5.0, queue=Queue(finding(limit="ties")))
    told = run.hits()
    assert next(told).limit == "ties"
    with pytest.raises(KeyboardInterrupt):
        next(told)
