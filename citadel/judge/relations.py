"""How close a sibling has to be to its source for what both show to be one bug."""

from __future__ import annotations

from citadel.model import Channels

SAME_FUNCTION = 0.5
"""Signature similarity from which on two APIs may have a wrong value in common."""
SAME_PARAMETER = 0.25
"""Context or signature similarity from which on parameters of one name mean the same."""

SAME_WORDS = 0.6
"""Likeness of two docstrings from which on they describe one thing with two formulas."""


def related(channels: Channels) -> bool:
    """Whether two APIs are so close that an equal result is no coincidence."""
    close = channels.context is not None and channels.context >= SAME_FUNCTION
    return channels.family is not None or close or channels.signature >= SAME_FUNCTION


def alike(channels: Channels) -> bool:
    """Whether two APIs do the same to their inputs, whatever these are."""
    context = channels.context is not None and channels.context >= SAME_FUNCTION
    return channels.family is not None or (context and channels.signature >= SAME_FUNCTION)


def near(channels: Channels) -> bool:
    """Whether a parameter of one name means the same to two APIs."""
    context = channels.context is not None and channels.context >= SAME_PARAMETER
    known = related(channels) or channels.called or channels.peers
    return known or context or channels.signature >= SAME_PARAMETER


def of_one_kind(channels: Channels) -> bool:
    """Whether two classes stand beside each other and run like operations."""
    return channels.peers and (channels.context or 0) >= SAME_PARAMETER


def described_alike(channels: Channels) -> bool:
    """Whether two APIs that run or are called alike are described in nearly the same words: two
    losses, say, of which one should take what the other should, and refuse what it should."""
    return near(channels) and channels.documentation >= SAME_WORDS
