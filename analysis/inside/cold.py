"""Run one case in an interpreter of its own, in the place of the forked child.

Nothing but how it ended and what it printed is known of such a run.
"""

import os
import sys


def run(emit, code, traced=None):
    """Replace the child; the limits, the redirection and the sandbox stay."""
    with open("case.py", "w", encoding="utf-8", errors="surrogatepass") as file:
        file.write(code)
    os.execv(sys.executable, [sys.executable, "-I", "case.py"])
