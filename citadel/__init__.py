"""Floor 2: from a bug report to the siblings that share the bug, and the command line."""

__version__ = "0.1.0"
