"""Families of APIs with the same bug, each member with code that shows it, and a runner."""
