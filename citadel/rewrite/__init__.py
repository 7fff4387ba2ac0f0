"""Turns a plan into source text: the report's code, rewritten for a sibling."""
