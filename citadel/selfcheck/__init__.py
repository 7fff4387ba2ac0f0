"""Makes cases that fail by themselves where the bug is, as a test does."""
