"""A suspect is made small without a trace in the folder that the user is in."""

import os
import subprocess
import sys

from tests.citadel.command import ROOT

SEARCH = """
from harvest.sources.suspects import Suspect, least

suspect = Suspect(kind="Softmax", config={"axis": -1}, shapes=((4, 6),))
found = least(suspect, lambda one: one.shapes[0][-1] > 1, 10.0)
print(found.shapes)
"""


def test_making_a_suspect_small_leaves_nothing_behind(tmp_path):
    here, cache = tmp_path / "here", tmp_path / "cache"
    here.mkdir()
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "CITADEL_CACHE": str(cache)}
    command = [sys.executable, "-c", SEARCH]
    done = subprocess.run(
        command, capture_output=True, text=True, cwd=here, env=environment, timeout=120
    )
    assert done.stdout == "((1, 2),)\n", done.stderr
    assert list(here.iterdir()) == []
