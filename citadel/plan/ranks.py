"""Dimensions in front: those that valid calls of a sibling have more than the report's, or fewer.

In: the failing call, and valid calls of the sibling. Out: what its tensors get or lose in front,
all of them alike (`mm` multiplies two matrices, `bmm` two stacks of them), or each what its
parameter wants (`mv` takes a matrix and a vector); and a last one that makes a vector a column.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from analysis.rules import Registry
from analysis.values import Value
from citadel.plan.assign import DESTINATION
from citadel.plan.dimensions import keeps_rank
from citadel.plan.frameworks import as_tensorflow
from citadel.plan.invocation import Invocation
from citadel.plan.lifting import Lift
from citadel.plan.model import SourceValue

Known = Sequence[Mapping[str, Value]]
RANKS: Registry[[Invocation, Known], Lift] = Registry("variant")
"""The ways in which tensors come to other ranks, as valid calls of the target have them."""


def other_ranks(source: Invocation, known: Known) -> Iterator[Lift]:
    """The changes of rank to try. `known` are valid calls of the target."""
    return RANKS.each(source, known) if known else iter(())


@RANKS.rule("all-tensors-in-front")
def _all_in_front(source: Invocation, known: Known) -> Lift | None:
    """All tensors get dimensions in front, where they are of one rank here and in valid calls, and
    those have more: `mm` multiplies two matrices, `bmm` two stacks of them."""
    given, main = _given(known), source.main
    apart = _apart(source, given)
    if main is None or not apart or apart < 0:
        return None
    keys = _alike(source, main, given)
    return Lift(lead=apart, leading=keys, guess=True) if keys else None


@RANKS.rule("main-tensor-in-front")
def _main_in_front(source: Invocation, known: Known) -> Lift | None:
    """The main tensor gets dimensions in front where valid calls have more, and loses some where
    they all have the same lower number."""
    given, main = _given(known), source.main
    apart = _apart(source, given)
    ranks = _first(given)
    same = len(ranks) > 1 and len(set(ranks)) == 1 and ranks[0]
    if main is None or not apart or not (apart > 0 or same):
        return None
    return Lift(lead=apart, leading=frozenset((main.key,)), guess=True)


@RANKS.rule("rank-of-each-parameter")
def _own_ranks(source: Invocation, known: Known) -> Lift | None:
    """Each tensor gets the rank that the parameter has in all valid calls: `mv` takes a matrix and
    a vector. A tensor of one number says nothing: it is broadcast. A single valid call tells
    something where its tensors are of several ranks."""
    lists = as_tensorflow(source.api.name)
    found: dict[str, set[int | None]] = {}
    for sample in known:
        for name, value in sample.items():
            rank = _rank(value, lists=lists)
            single = value.shape is not None and math.prod(value.shape) == 1
            if rank is not None and not single:
                found.setdefault(name, set()).add(rank)
    fixed = {name: ranks.pop() for name, ranks in found.items() if len(ranks) == 1}
    given = {_rank(value.value, lists=lists) for value in source.values} - {None}
    ranks = tuple((name, rank) for name, rank in fixed.items() if rank is not None)
    telling = len(known) > 1 or len({rank for _, rank in ranks}) > 1
    if telling and any({rank} != given for _, rank in ranks):
        return Lift(ranks=ranks, guess=True, as_tensorflow=lists)
    return None


@RANKS.rule("vector-as-column")
def _columns(source: Invocation, known: Known) -> Lift | None:
    """A vector becomes a matrix of one column, or a stack of such, where valid calls have two
    tensors of one rank: `matmul` of what `matvec` multiplies."""
    tensors = [v for v in source.values if v.value.is_shaped and v.name != DESTINATION]
    if len(tensors) != 2:
        return None
    matrix, vector = (value.value.shape or () for value in tensors)
    pairs = [found for found in _given(known) if len(found) == 2]
    alike = all(one == other != 1 for one, other in pairs)
    if pairs and alike and len(matrix) == len(vector) + 1 > 1 and matrix[-1] == vector[-1]:
        return Lift(columns=frozenset((tensors[1].key,)), guess=True)
    return None


def _given(known: Known) -> list[list[int | None]]:
    """The ranks of the tensors of each valid call."""
    return [[v.rank for v in sample.values() if v.is_shaped] for sample in known]


def _first(given: Sequence[Sequence[int | None]]) -> list[int]:
    return [found[0] for found in given if found and found[0] is not None]


def _apart(source: Invocation, given: Sequence[Sequence[int | None]]) -> int:
    """How many dimensions the first tensor of valid calls has more than the main one; 0 where
    nothing tells."""
    rank = None if source.main is None else source.main.value.rank
    ranks = _first(given)
    return min(ranks) - rank if ranks and rank is not None else 0


def settled(
    lift: Lift, given: Mapping[str, SourceValue], destinations: Sequence[SourceValue]
) -> Lift | None:
    """The change where it is known which parameter gets which value; None if nothing changes.

    `destinations` (`out=`) change as the result does.
    """
    ranks = dict(lift.ranks)
    apart = {
        value.key: ranks[name] - rank
        for name, value in given.items()
        if name in ranks and (rank := _rank(value.value, lists=lift.as_tensorflow)) is not None
    }
    changed = tuple((key, lead) for key, lead in apart.items() if lead)
    together = len(apart) > 1 and len(set(apart.values())) == 1
    if changed and together:
        changed += tuple((value.key, changed[0][1]) for value in destinations)
    return replace(lift, own=changed, together=together) if changed else None


def _rank(value: Value, *, lists: bool) -> int | None:
    """The dimensions of a tensor; of an array or `lists` of numbers that stand for one, too."""
    if value.is_tensor or (lists and value.is_shaped):
        return value.rank
    return value.nesting if lists else None


def _alike(
    source: Invocation, main: SourceValue, given: Sequence[Sequence[int | None]]
) -> frozenset[str]:
    """The source's tensors, where there are several, all of one rank, and the target's are as well;
    its result is of that rank, too."""
    tensors = [value for value in source.values if value.value.is_shaped]
    several = [found for found in given if len(found) > 1]
    inputs = [value for value in tensors if value.name != DESTINATION]
    one_rank = all(value.value.rank == main.value.rank for value in tensors)
    # Others are broadcast.
    theirs = bool(several) and 2 * sum(len(set(found)) == 1 for found in several) >= len(several)
    if len(inputs) < 2 or not (one_rank and theirs and keeps_rank(source)):
        return frozenset()
    return frozenset(value.key for value in tensors)
