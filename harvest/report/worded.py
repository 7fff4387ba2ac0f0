"""Code that words alone call slow and fast -> the same with clocks around both parts.

In: a report's snippets, with its words. Out: the snippets, and behind those whose words tell two
sides apart (`told_times`) one that measures them as reports do by hand: both in turns, the first
one changing, and the shortest time of each. Where the words leave that open, it is said what is
missing.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import TypeGuard

from analysis.rules import Phrase, Rule
from harvest.report.markdown import Document
from harvest.report.model import Claim, ClaimKind, Snippet
from harvest.report.repair import Repaired, add_imports
from harvest.report.syntax import Refusal, bound_names, dotted, import_lines, parse
from harvest.report.told_times import Sides, computes, in_code, slower, told
from harvest.report.wordings import Wording, Wordings

NAME = "timed as the words say"
HEADER = "# Timed in turns, as the report's words tell the two apart."
_LOOP = """
slow_seconds, fast_seconds = [], []
for turn in range(6):
    for side in (("slow", "fast"), ("fast", "slow"))[turn % 2]:
        started = time.perf_counter()
        if side == "slow":
{slow}
            slow_seconds.append(time.perf_counter() - started)
        else:
{fast}
            fast_seconds.append(time.perf_counter() - started)
    if turn % 2 and sum(slow_seconds) + sum(fast_seconds) > 0.3:
        break
print("slow against fast:", min(slow_seconds) / min(fast_seconds))"""
"""Whoever comes first pays for memory that the other finds mapped: hence the turns."""
ADDED = 3
"""Statements of the module that this adds."""
_OWN = frozenset(("slow_seconds", "fast_seconds", "turn", "side", "started"))
_CHANGING = frozenset(("backward", "append", "extend", "pop", "step", "update", "seed", "close"))
"""Methods that cannot be called twice with the same effect."""
_MEASURES = Wordings(
    Wording(
        "clock/time-in-code",
        r"\btime\.\w|perf_counter|process_time|monotonic|timeit|default_timer|[Bb]enchmark|elapsed"
        r"|%%?time\b|profile|\bEvent\(",
        ("start = time.time()", "timeit.timeit(f)", "with profile() as p:"),
        ("f(time)",),
    ),
    Wording(
        "clock/memory-in-code",
        r"tracemalloc|psutil|getrusage|memory_(?:allocated|info|stats)",
        ("torch.cuda.memory_allocated()",),
        ("memory_format=f",),
    ),
)
_OF_MEMORY = Phrase(
    "clock/words-of-memory",
    r"\bmemory\b|\bleak|\bOOM\b|\ballocat|\bactivations?\b|\bcop(?:y|ies)\b|\bRSS\b|\b[KMG]i?B\b",
    re.IGNORECASE,
    finds=("it makes copies", "3 GB"),
    spares=("it is slow",),
)
SAME = "the parts called slow and fast are the same calls, with other inputs or at another time"
TANGLED = "the parts called slow and fast need what the other has changed"


def measures(code: str) -> bool:
    """Whether code reads clocks, or counts memory."""
    return bool(_MEASURES.search(code))


def with_clocks(
    snippets: Sequence[Snippet], document: Document, claims: Sequence[Claim]
) -> tuple[tuple[Snippet, ...], str]:
    """The snippets, with those that measure what words compare; what is missing for that, if any.

    Only where time is what the report is about first of all, and no code measures.
    """
    about = claims[:1] and claims[0].kind is ClaimKind.PERFORMANCE
    memory = any(_OF_MEMORY.search(one.text) for one in claims if one.kind is claims[0].kind)
    measured = any(_MEASURES.search(snippet.code) for snippet in snippets)
    if not about or memory or measured:
        return tuple(snippets), ""
    found: list[Snippet] = []
    missing: list[str] = []
    for snippet in snippets:
        timed = _timed(snippet.code)
        missing += [timed] if isinstance(timed, str) else []
        found += [snippet] if isinstance(timed, str) else [snippet, _with(snippet, timed)]
    if len(found) == len(snippets):
        found += _OF_TWO(snippets, document) or ()
    return tuple(found), "" if len(found) > len(snippets) or not missing else missing[0]


def slow_names(code: str) -> frozenset[str]:
    """Last parts of the names called on the slow side of code with clocks, not on the fast one;
    functions of the report's own stand for what they call."""
    tree = parse(code)
    if isinstance(tree, Refusal):
        return frozenset()
    own = {node.name: _called([node]) for node in tree.body if isinstance(node, ast.FunctionDef)}
    for node in ast.walk(tree):
        match node:
            case ast.If(test=ast.Compare(left=ast.Name(id="side")), body=slow, orelse=fast):
                sides = (_called(slow), _called(fast))
                slow_ones, fast_ones = (
                    {leaf for name in side for leaf in own.get(name, {name})} for side in sides
                )
                return frozenset(slow_ones - fast_ones)
    return frozenset()


def _called(body: Sequence[ast.stmt]) -> set[str]:
    calls = (n for node in body for n in ast.walk(node) if isinstance(n, ast.Call))
    return {dotted(call.func).rpartition(".")[2] for call in calls}


def _with(snippet: Snippet, timed: Repaired) -> Snippet:
    return replace(snippet, code=timed.code, repairs=(*snippet.repairs, NAME))


def _timed(code: str) -> Repaired | str:
    tree = parse(code)
    if isinstance(tree, Refusal):
        return tree.message
    sides = in_code(code, tree)
    return sides if isinstance(sides, str) else _clocked(code, tree, sides)


def _clocked(code: str, tree: ast.Module, sides: Sides) -> Repaired | str:
    """The code with both sides in turns, where the later one of them stands; else why not."""
    taken = bound_names(tree)
    if taken & {*_OWN, "*"} or import_lines(tree).get("time", "import time") != "import time":
        return "its names are those that clocks need"
    if _shows(sides.slow) != _shows(sides.fast):
        return "one of the parts called slow and fast prints, and the other does not"
    if _same_calls(sides):
        return SAME
    if _changes_more(tree, sides) or not _apart(tree, sides):
        return TANGLED
    lines = code.rstrip("\n").split("\n")
    there = [node for node in (*sides.slow, *sides.fast) if node in tree.body]
    slow, fast = (
        textwrap.indent(_text(lines, side, tree), " " * 12) for side in (sides.slow, sides.fast)
    )
    loop = _LOOP.format(slow=slow, fast=fast)
    at = max((node.end_lineno or 0 for node in there), default=len(lines))
    there += _shown_between(tree, sides)
    gone = {n for node in there for n in range(_start(lines, node), (node.end_lineno or 0) + 1)}
    kept = [line for n, line in enumerate(lines[:at], 1) if n not in gone]
    written = "\n".join([*kept, HEADER + loop, *lines[at:], ""])
    found = parse(written)
    if isinstance(found, Refusal) or not _whole(found, tree, sides, len(there)):
        return "the parts called slow and fast do not stand on lines of their own"
    return add_imports(Repaired(code=written, tree=found), known={"time": "import time"})


def _text(lines: Sequence[str], side: Sequence[ast.stmt], tree: ast.Module) -> str:
    if side[0] not in tree.body:
        return "\n".join(map(ast.unparse, side))
    return "\n".join(lines[_start(lines, side[0]) - 1 : side[-1].end_lineno])


def _start(lines: Sequence[str], node: ast.stmt) -> int:
    """The line of a statement, or of the comment directly above it."""
    at = node.lineno
    while at > 1 and lines[at - 2].startswith("#"):
        at -= 1
    return at


def _whole(found: ast.Module, tree: ast.Module, sides: Sides, moved: int) -> bool:
    """Whether the written code has all statements, each side's in its branch, as they were."""
    branches = [n for n in ast.walk(found) if isinstance(n, ast.If) and n.orelse]
    wanted = [[ast.dump(n) for n in side] for side in (sides.slow, sides.fast)]
    there = [[[ast.dump(n) for n in b[:-1]] for b in (one.body, one.orelse)] for one in branches]
    return wanted in there and len(found.body) == len(tree.body) - moved + ADDED


def _shows(side: Sequence[ast.stmt]) -> bool:
    return "print" in _called(side)


def _same_calls(sides: Sides) -> bool:
    """Whether both sides are the same statements, or the same calls of what has other names.

    A larger input is slow for its size, and a first call for being the first.
    """
    slow, fast = sides.slow, sides.fast
    if [ast.dump(node) for node in slow] == [ast.dump(node) for node in fast]:
        return True
    names = [
        {n.id for node in side for n in ast.walk(node) if _is_read(n)} for side in (slow, fast)
    ]
    return _called(slow) == _called(fast) and not (names[0] <= names[1] or names[1] <= names[0])


def _is_read(node: ast.AST) -> TypeGuard[ast.Name]:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load)


def _changes_more(tree: ast.Module, sides: Sides) -> bool:
    """Whether a side changes what it works on, or what stands between the two a state that no name
    tells: a setting, an attribute, an element."""
    for name in (name for side in (sides.slow, sides.fast) for name in _called(side)):
        if name in _CHANGING or (name.endswith("_") and not name.startswith("__")):
            return True
    left_out = {*_shown_between(tree, sides)}
    between = [node for node in _between(tree, sides) if node not in left_out]
    return any(isinstance(node, ast.Expr | ast.AugAssign | ast.Delete) for node in between) or any(
        isinstance(part, ast.Attribute | ast.Subscript) and isinstance(part.ctx, ast.Store)
        for node in between
        for part in ast.walk(node)
    )


def _apart(tree: ast.Module, sides: Sides) -> bool:
    """Whether both may be done again and again in any order, and the first one later, by the names
    that they read and bind."""
    made = [set().union(*map(_bound, side)) for side in (sides.slow, sides.fast)]
    if any(_needed(side) & (made[0] | made[1]) for side in (sides.slow, sides.fast)):
        return False
    first = min(sides.slow, sides.fast, key=lambda side: side[0].lineno)
    if first[0] not in tree.body:
        return True
    left_out = {*_shown_between(tree, sides)}
    between = [n for n in _between(tree, sides) if n not in left_out]
    changed = set().union(*map(_bound, between))
    early = set().union(*map(_bound, first))
    return not (_needed(between) & early or (_needed(first) | early) & changed)


def _between(tree: ast.Module, sides: Sides) -> list[ast.stmt]:
    first, last = sorted((sides.slow, sides.fast), key=lambda side: side[0].lineno)
    return [n for n in tree.body if first[-1].lineno < n.lineno < last[0].lineno]


def _shown_between(tree: ast.Module, sides: Sides) -> list[ast.stmt]:
    """What only shows something of the first side before the second one is there."""
    if sides.slow[0] not in tree.body:
        return []
    return [
        n for n in _between(tree, sides) if isinstance(n, ast.Expr) and _called([n]) == {"print"}
    ]


def _bound(node: ast.stmt) -> set[str]:
    return set(bound_names(node))


def _needed(side: Sequence[ast.stmt]) -> set[str]:
    """The names that statements read before they bind them; what a loop counts by is its own."""
    known: set[str] = set()
    found: set[str] = set()
    for node in side:
        own = {n for part in ast.walk(node) for n in _counters(part)}
        names = [part for part in ast.walk(node) if isinstance(part, ast.Name)]
        found |= {n.id for n in names if isinstance(n.ctx, ast.Load)} - known - own
        added = [part.target for part in ast.walk(node) if isinstance(part, ast.AugAssign)]
        found |= {n.id for n in added if isinstance(n, ast.Name)} - known
        known |= _bound(node)
    return found


def _counters(part: ast.AST) -> Iterator[str]:
    """The names that loops, comprehensions and functions give values of their own."""
    if isinstance(part, ast.For | ast.comprehension):
        yield from bound_names(part.target)
    elif isinstance(part, ast.arg):
        yield part.arg


def _of_two(snippets: Sequence[Snippet], document: Document) -> list[Snippet] | None:
    """One snippet of two, of which the lines above say that one is slow and the other fast."""
    return [*_joined_ones(snippets, document)] or None


_OF_TWO = Rule("clock/lines-above-two-snippets", _of_two)


def _joined_ones(snippets: Sequence[Snippet], document: Document) -> Iterator[Snippet]:
    """One snippet of two, of which the lines above say that one is slow and the other fast."""
    leads = {str(block.number): told(block.lead) for block in document.blocks}
    known = [(one, leads.get(re.split(r"[ +]", one.origin)[-1])) for one in snippets]
    told_ones = [(one, said) for one, said in known if said is not None]
    if len(told_ones) != 2:
        return
    for (slow, said), (fast, also) in (told_ones, told_ones[::-1]):
        timed = _joined(slow.code, fast.code) if slower(said, also) else None
        if timed is not None:
            needs = tuple(dict.fromkeys((*slow.needs, *fast.needs)))
            origin = f"{slow.origin} and {fast.origin}"
            yield _with(replace(slow, origin=origin, needs=needs), timed)


def _joined(slow: str, fast: str) -> Repaired | None:
    """Both codes in one: what they share, or the other one builds on, stands in front."""
    first, second = parse(slow), parse(fast)
    if isinstance(first, Refusal) or isinstance(second, Refusal):
        return None
    both = (first, second)
    dumps = [{ast.dump(node) for node in tree.body} for tree in both]
    mine, its = (
        [node for node in tree.body if ast.dump(node) not in dumps[1 - at]]
        for at, tree in enumerate(both)
    )
    if not mine:
        needed = _needed(its)
        built_on = [at for at, node in enumerate(first.body) if _bound(node) & needed]
        mine = [n for n in first.body[max(built_on, default=-1) + 1 :] if computes(n)]
        mine = mine if len(mine) == 1 else []  # of several, some may only make inputs
    if not (any(map(computes, mine)) and any(map(computes, its))):
        return None
    lines = fast.split("\n")
    texts = ["\n".join(lines[node.lineno - 1 : node.end_lineno]) for node in its]
    code = "\n".join([*slow.split("\n")[: mine[-1].end_lineno], *texts])
    tree = parse(code)
    if isinstance(tree, Refusal):
        return None
    ends = len(tree.body) - len(its)
    sides = Sides(slow=tuple(tree.body[ends - len(mine) : ends]), fast=tuple(tree.body[ends:]))
    timed = _clocked(code, tree, sides)
    return None if isinstance(timed, str) else timed
