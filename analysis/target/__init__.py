"""The interpreter under test: sandbox, fork server, observations."""
