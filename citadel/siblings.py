"""The siblings of one API, as `citadel siblings` shows them: scores, reasons, feasibility.

In: an index and the name of an API. Out: rows in ranking order. An API's own sample stands for the
call that would be carried over, so that each row can say whether and how well the sibling takes it.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from fractions import Fraction
from functools import partial

from analysis.catalog.model import Api, Catalog
from analysis.errors import CitadelError
from analysis.index import ApiIndex
from citadel.match.channels import rawness
from citadel.match.mode import Mode
from citadel.match.pairs import PAPER_CONTEXT
from citadel.match.rank import Candidate, rank, rank_as_paper, shared_operators
from citadel.plan.adapt import plans
from citadel.plan.invocation import Invocation, example_invocation
from citadel.plan.lexicon import learnt
from citadel.plan.model import Adaptation, Obstacle
from citadel.plan.samples import SampleBook


@dataclass(frozen=True, slots=True, kw_only=True)
class Sibling:
    """One row: `shared` are the operators that both run, rarest first; `takes` is how well it
    takes a sample call of the source (0 to 1), `obstacle` why it cannot, both None where the
    source has no sample."""

    candidate: Candidate
    shared: tuple[str, ...]
    takes: float | None = None
    obstacle: Obstacle | None = None


def source_api(catalog: Catalog, framework: str, name: str, others: Sequence[str] = ()) -> Api:
    """The API of a name, an alias, or the end of a name that only one API has (`nn.Conv2d`).

    `others` are further frameworks of the interpreter that may have meant to be asked.

    Raises:
        CitadelError: when the build has no such API in its catalog.
    """
    found = catalog.resolve(name)
    if found is not None:
        return found
    ends = [known for known in catalog.apis if name and known.endswith("." + name)]
    if len(ends) == 1:
        return catalog.apis[ends[0]]
    near = sorted(ends, key=len)[:3] or _near(catalog, name)
    hint = f"perhaps {', '.join(near)}" if near else "give the full dotted name"
    if others:
        hint += f"; or ask another framework: --framework {' or '.join(others)}"
    raise CitadelError(f"{name or 'nothing'} is no API in this {framework} build", hint)


def siblings(
    index: ApiIndex,
    source: Api,
    *,
    mode: Mode = Mode.RANKED,
    threshold: Fraction | None = None,
    count: int | None = None,
    matched: Mapping[str, str] | None = None,
) -> list[Sibling]:
    """The siblings of an API; `threshold` is that of the paper's mode, `matched` names those that
    are known as its equals."""
    if mode is Mode.PAPER:
        least = PAPER_CONTEXT[index.framework] if threshold is None else threshold
        chosen = rank_as_paper(source, index, least)
    else:
        chosen = rank(source, index, matched=matched)
    samples = index.samples.get(source.name, ())
    example = example_invocation(source, samples[0]) if samples else None
    takes = partial(plans, samples=SampleBook(index), lexicon=learnt(index.catalog.apis.values()))
    return [_sibling(index, source, candidate, example, takes) for candidate in chosen[:count]]


def _sibling(
    index: ApiIndex,
    source: Api,
    candidate: Candidate,
    example: Invocation | None,
    takes: Callable[[Invocation, Api], tuple[Adaptation, ...] | Obstacle],
) -> Sibling:
    shared = shared_operators(source, candidate.api, index)
    if example is None:
        return Sibling(candidate=candidate, shared=shared)
    found = takes(example, candidate.api)
    if isinstance(found, Obstacle):
        return Sibling(candidate=candidate, shared=shared, obstacle=found)
    return Sibling(candidate=candidate, shared=shared, takes=found[0].plausibility)


def _near(catalog: Catalog, name: str) -> list[str]:
    """Names with the same last part, or one that begins like it; else those that look alike."""
    leaf = name.rpartition(".")[2].lower()
    begun = [known for known in catalog.apis if _leaf(known).startswith(leaf)]
    if len(leaf) > 2 and begun:
        order = {known: (_leaf(known) != leaf, rawness(catalog.apis[known])) for known in begun}
        return sorted(begun, key=lambda known: (order[known], len(known), known))[:3]
    return get_close_matches(name, list(catalog.apis), n=3, cutoff=0.75)


def _leaf(name: str) -> str:
    return name.rpartition(".")[2].lower()
