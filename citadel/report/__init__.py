"""Outputs: JSON document, terminal, Markdown for a tracker, generated cases on disk."""
