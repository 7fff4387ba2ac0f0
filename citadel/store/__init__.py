"""The store: what hunts did and found, in one SQLite file; all SQL of Citadel is here."""
