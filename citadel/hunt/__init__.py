"""Hunting: many reports on several builds, in order of promise, stopped and resumed at any time."""
