"""How far a triage goes by default, as the command line tells it."""

ATTEMPTS = 20_000
"""Plans that are tried at most."""
REPLAYS = 1_000
"""Generated cases that are replayed at most."""
MEASURED_REPLAYS = 120
"""The same where each of them is measured, which takes seconds."""
SECONDS = 600.0
"""Time after which a walk is cut: several times what it takes on two idle cores."""
