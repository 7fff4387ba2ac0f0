"""Grouping of findings by likely root cause."""
