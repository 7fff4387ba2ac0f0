"""A suspect is made small without a trace in the folder that the user is in."""

import os
import subprocess
import sys

from tests.citadel.cli.command import ROOT

SEARCH = """
from hypothesis.configuration import storage_directory
from harvest.sources.strategies import least, smaller
from harvest.sources.suspects import Suspect

suspect = Suspect(kind="Softmax", config={"axis": -1}, shapes=((4, 6),))
found = least(smaller(suspect), lambda one: one.shapes[0][-1] > 1, 10.0)
print(found.shapes, storage_directory("constants").path)
"""


def test_what_hypothesis_notes_is_kept_with_the_caches(tmp_path):
    here, cache = tmp_path / "here", tmp_path / "cache"
    here.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CITADEL_CACHE": str(cache)}
    command = [sys.executable, "-c", SEARCH]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=here, env=environment, timeout=120
    )
    assert done.stdout == f"((1, 2),) {cache}/hypothesis/constants\n", done.stderr
    assert list(here.iterdir()) == []
