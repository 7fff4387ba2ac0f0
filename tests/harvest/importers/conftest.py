"""Imports of a folder, without an interpreter under test."""

import json

import pytest

from harvest.importers.folder import Folder, Unreadable
from harvest.importers.model import Lead
from harvest.importers.table import find


def refuse(_data, _framework):
    raise Unreadable("", "no sandbox here")


class Read:
    """What an importer makes of a folder: cases and reasons, by path."""

    def __init__(self, importer, folder, unpickle=refuse):
        self.cases, self.reasons, self.order = {}, {}, []
        for found in importer.find(folder):
            self.order.append(found.path)
            try:
                if not isinstance(found, Lead):
                    raise found
                self.cases[found.path] = importer.read(folder, found, unpickle)
            except Unreadable as problem:
                self.reasons[found.path] = problem.reason


@pytest.fixture
def imported():
    def run(name, root, unpickle=refuse):
        return Read(find(name), Folder(root), unpickle)

    return run


@pytest.fixture
def lines():
    """The lines of a harvest."""
    return lambda path: [json.loads(line) for line in path.read_text().splitlines()]
