"""From a verified case to findings: every API of the build is tried in ranking order."""
