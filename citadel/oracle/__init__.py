"""Test oracles: what a run shows, and whether it is what the report shows."""
