"""Verdicts: a generated case is replayed, and what it shows compared with the report's symptom."""
