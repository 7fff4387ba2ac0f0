"""A fake tracker, and a harvest of it."""

import json

import pytest

from harvest.tracker.client import Client
from harvest.tracker.gather import gather
from harvest.tracker.pages import Wanted
from harvest.tracker.patience import Patience
from harvest.tracker.remote import Remote
from tests.harvest.tracker import synthetic
from tests.harvest.tracker.fake import NAME, FakeGitHub, Repository


class Harvest:
    """Harvests of one fake into one file; `waits` has (reason, seconds) of what was waited for."""

    def __init__(self, path, repository):
        self.path = path
        self.repository = repository
        self.waits = []
        self.fake = None

    def run(self, *, faults=None, before=None, limit=None, **wanted):
        patience = Patience(tell=self._tell, sleep=lambda _seconds: None)
        with FakeGitHub(self.repository, faults=faults, before=before) as self.fake:
            client = Client(endpoint=self.fake.endpoint, token="secret")
            source = Remote(Wanted(repository=NAME, **wanted), client, patience)
            return gather(source, self.path, limit=limit)

    def _tell(self, reason, done, total):
        if done == 0:
            self.waits.append((reason, total))

    @property
    def lines(self):
        return [json.loads(line) for line in self.path.read_text().splitlines()]

    @property
    def numbers(self):
        return [line["number"] for line in self.lines]


@pytest.fixture
def harvest(tmp_path):
    def of(count=0, **options):
        issues = synthetic.issues(count, **options)
        return Harvest(tmp_path / "some.jsonl", Repository(issues))

    return of
