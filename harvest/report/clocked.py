"""Code that words alone call slow -> the same with clocks around both sides of the comparison.

In: a report's snippets, words and claims. Out: the snippets, and behind each whose words tell two
sides apart the one that measures them and prints their ratio, as a report that measures would. Two
snippets under which is written that they are slow and fast make one; what both have is no side.
Where the words are not clear enough for that, it is said what they leave open.
"""

from __future__ import annotations

import ast
import re
import textwrap
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass, replace

from harvest.report.compared import Sides, find_sides, sentences_of
from harvest.report.markdown import Document
from harvest.report.model import Claim, ClaimKind, Mention, Snippet
from harvest.report.repair import Repaired, add_imports
from harvest.report.slower import slower, told
from harvest.report.suites import SHOWS, Span, bound, end_of, read, suites
from harvest.report.syntax import MAX_CODE, Refusal, bound_names, dotted, parse
from harvest.report.text import shorten

NAME = "timed as the words say"
EXAMPLES: tuple[tuple[str, str], ...] = (
    (
        "import torch\nx = torch.rand(9)\ny = f(x)  # slow\nz = g(x)  # fast",
        "import time\nimport torch\nx = torch.rand(9)\nfor timed in range(5):\n"
        "    slow_started = time.perf_counter()\n    y = f(x)  # slow\n"
        "    slow_seconds = time.perf_counter() - slow_started\n"
        "    fast_started = time.perf_counter()\n    z = g(x)  # fast\n"
        "    fast_seconds = time.perf_counter() - fast_started\n"
        "    if slow_seconds + fast_seconds > 1:\n        break\n"
        "print('slow against fast:', slow_seconds / fast_seconds)",
    ),
    ("x = h()\ny = f(x)  # slow\nz = g(x)", ""),
    ("x = h()\ny = f(x)  # slow\nz = g(x)  # should be fast", ""),
    ("import time\ny = f(x)  # slow\nz = g(x)  # fast\nprint(time.time() - t)", ""),
    ("time = 3\ny = f(x)  # slow\nz = g(x)  # fast", ""),
    ("x = h(); y = f(x)  # slow\nz = g(x)  # fast", ""),
)
"""(code, what it becomes; "" where nothing may change)."""
_MEASURES = re.compile(
    r"\btime\.\w|perf_counter|process_time|monotonic|timeit|default_timer|[Bb]enchmark|elapsed"
    r"|%%?time\b|profile|\bEvent\(|tracemalloc|psutil|getrusage|memory_(?:allocated|info|stats)"
)
"""What reads a clock, or an amount of memory."""
_OF_MEMORY = re.compile(
    r"\bmemory\b|\bleak|\bOOM\b|\ballocat|\bactivations?\b|\bRSS\b|\b[KMG]i?B\b|\bbytes?\b",
    re.IGNORECASE,
)
_ROUND = "timed"
ROUNDS = 5
"""Times that both sides run. Between equal calls whose results are kept, memory goes round from the
third time on: until then, the first of two took 2.2 times as long as the other (9 MB)."""
LONG = 1.0
"""Seconds of both from which on once is enough."""
_OWN = ("slow_started", "slow_seconds", "fast_started", "fast_seconds")


@dataclass(frozen=True, slots=True, kw_only=True)
class Clocked:
    """A report's snippets, with those among them that got clocks.

    `slow` are the names called on their slow sides alone, `open` is what the words leave open where
    no clocks could be put in, and nothing else measures.
    """

    snippets: tuple[Snippet, ...]
    slow: frozenset[str] = frozenset()
    open: str = ""


def with_clocks(
    snippets: Sequence[Snippet], title: str, document: Document, claims: Sequence[Claim]
) -> Clocked:
    """Put clocks around what the words of a report compare."""
    said = [claim for claim in claims if claim.kind is ClaimKind.PERFORMANCE]
    measured = any(_MEASURES.search(snippet.code) for snippet in snippets)
    if not said or measured or any(_OF_MEMORY.search(claim.text) for claim in said):
        return Clocked(snippets=tuple(snippets))
    sentences = sentences_of(title, document.prose)
    found: list[Snippet] = []
    left = [f"words alone compare: {shorten(said[0].text, 120)}"]
    for snippet in snippets:
        found.append(snippet)
        sides = find_sides(snippet.code, sentences)
        if isinstance(sides, Sides) and (code := clocked(snippet.code, sides)) is not None:
            found.append(_measured(snippet, code))
        elif isinstance(sides, str) and sides:
            left.append(sides)
    found += _of_two(snippets, document) if len(found) == len(snippets) else ()
    codes = [snippet.code for snippet in found if NAME in snippet.repairs]
    if codes:
        return Clocked(snippets=tuple(found), slow=frozenset().union(*map(_slow_names, codes)))
    if len(left) == 1:
        left.append("which two statements they mean is not told")
    return Clocked(snippets=tuple(snippets), open="; ".join(dict.fromkeys(left)))


def stressed(mentions: Sequence[Mention], slow: frozenset[str]) -> tuple[Mention, ...]:
    """The mentions, with what is called slow as the most named of those that no title names."""
    most = max((one.body for one in mentions), default=0)
    titles = {one.name.rpartition(".")[2] for one in mentions if one.title}
    told = (
        Mention(name=name, title=0, body=most + 1, place=len(mentions))
        for name in sorted(slow - titles)
    )
    return (*mentions, *told)


def _measured(snippet: Snippet, code: str) -> Snippet:
    return replace(snippet, code=code, repairs=(*snippet.repairs, NAME))


def _slow_names(code: str) -> frozenset[str]:
    """The names called between the clocks of the slow side, and not between those of the fast one.

    Those that functions of the report's own call count as well.
    """
    tree = parse(code)
    if isinstance(tree, Refusal):
        return frozenset()
    own = {node.name: _leaves(node) for node in tree.body if isinstance(node, ast.FunctionDef)}
    read_at = {
        name: number
        for number, line in enumerate(code.split("\n"), 1)
        for name in _OWN
        if line.lstrip().startswith(f"{name} = ")
    }
    slow, fast = (
        {
            leaf
            for name in _leaves(tree, range(read_at[start], read_at[end]))
            for leaf in own.get(name, {name})
        }
        for start, end in (_OWN[:2], _OWN[2:])
    )
    return frozenset(slow - fast - SHOWS - {"perf_counter"})


def _leaves(tree: ast.AST, lines: Container[int] = range(MAX_CODE)) -> set[str]:
    """The last parts of the names called in a tree, on some of its lines."""
    calls = (node for node in ast.walk(tree) if isinstance(node, ast.Call))
    return {
        leaf
        for call in calls
        if call.lineno in lines
        if (leaf := dotted(call.func).rpartition(".")[2])
    }


def clocked(code: str, sides: Sides) -> str | None:
    """The code with clocks around both sides; None where that cannot be written.

    All of it is done some times, and the last one counts: whoever comes first pays for memory that
    the other one finds mapped, which is more than what is compared, unless that takes long.
    """
    tree = parse(code)
    if isinstance(tree, Refusal) or bound_names(tree) & {*_OWN, _ROUND, "time", "*"}:
        return None
    lines = code.split("\n")
    whole = _repeated(sides)
    if not all(_alone(lines, span) for span in (whole, sides.slow, sides.fast)):
        return None
    margin = " " * whole.first.col_offset
    spans = {"slow": sides.slow, "fast": sides.fast}
    for name, span in sorted(spans.items(), key=lambda item: -item[1].lines.start):
        end, start = span.lines.stop - 1, span.lines.start - 1
        lines[end:end] = [f"{margin}{name}_seconds = time.perf_counter() - {name}_started"]
        lines[start:start] = [f"{margin}{name}_started = time.perf_counter()"]
    first, end = whole.lines.start - 1, whole.lines.stop - 1 + len(_OWN)
    lines[first:end] = [
        f"{margin}for {_ROUND} in range({ROUNDS}):",
        *textwrap.indent("\n".join(lines[first:end]), " " * 4).split("\n"),
        f"{margin}    if slow_seconds + fast_seconds > {LONG:g}:",
        f"{margin}        break",
        f"{margin}print('slow against fast:', slow_seconds / fast_seconds)",
    ]
    found = parse("\n".join(lines))
    if isinstance(found, Refusal) or not _has(found, sides.suite.between(whole)):
        return None
    done = Repaired(code="\n".join(lines), tree=found)
    return add_imports(done, known={"time": "import time"}).code


def _repeated(sides: Sides) -> Span:
    """What is to be done again: both sides, and what gives first values to what they change."""
    first, last = sorted((sides.slow, sides.fast), key=lambda span: span.lines.start)
    suite, whole = sides.suite, Span(first=first.first, last=last.last)
    while True:
        changed = frozenset().union(*map(bound, suite.between(whole)))
        making = next(node for node in suite.body if bound(node) & changed or node is whole.first)
        if making is whole.first:
            return whole
        whole = Span(first=making, last=whole.last)


def _has(tree: ast.Module, body: Sequence[ast.stmt]) -> bool:
    """Whether a loop of the tree has these very statements in it, texts of many lines included."""
    loops = (node for node in ast.walk(tree) if isinstance(node, ast.For))
    known = [{ast.dump(node) for node in loop.body} for loop in loops]
    return any({ast.dump(node) for node in body} <= one for one in known)


def _alone(lines: Sequence[str], span: Span) -> bool:
    """Whether a span has its lines for itself."""
    head = lines[span.first.lineno - 1].encode()[: span.first.col_offset]
    tail = lines[end_of(span.last) - 1].encode()[span.last.end_col_offset :].decode().strip()
    return not head.strip() and (not tail or tail.startswith("#"))


def _of_two(snippets: Sequence[Snippet], document: Document) -> Iterator[Snippet]:
    """One snippet of two above which stands that one is slow and the other fast."""
    leads = {block.number: block.lead for block in document.blocks}
    known = [(one, told(leads.get(_fence(one), ""))) for one in snippets if _fence(one)]
    for slow, said in known:
        for fast, also in known:
            if slower(said, also) > 0:
                code = _joined(slow.code, fast.code)
                if code is not None:
                    origin = f"{slow.origin} and {fast.origin}"
                    needs = tuple(dict.fromkeys((*slow.needs, *fast.needs)))
                    repairs = (*slow.repairs, *fast.repairs)
                    one = replace(slow, origin=origin, needs=needs, repairs=repairs)
                    yield _measured(one, code)
                    return


def _fence(snippet: Snippet) -> int:
    """The number of the block that a snippet is (the last of several); 0 for anything else."""
    found = re.fullmatch(r"fences? (?:[\d+]*\+)?(\d+)", snippet.origin)
    return int(found[1]) if found else 0


def _joined(slow: str, fast: str) -> str | None:
    """Both codes in a row, each one's own part with clocks around it."""
    code = f"{slow}\n{fast}"
    tree = parse(code)
    if isinstance(tree, Refusal):
        return None
    edge = slow.count("\n") + 1
    first = [node for node in tree.body if node.lineno <= edge]
    second = [node for node in tree.body if node.lineno > edge]
    suite = next(suites(tree))
    own = [suite.span(_differing(*both)) for both in ((first, second), (second, first))]
    if own[0] is None or own[1] is None:
        return None
    return clocked(code, Sides(slow=own[0], fast=own[1], suite=suite))


def _differing(own: Sequence[ast.stmt], other: Sequence[ast.stmt]) -> list[ast.stmt]:
    """The statements that others are not, or that work on what these have made."""
    known = {ast.dump(node) for node in other}
    found: list[ast.stmt] = []
    made: frozenset[str] = frozenset()
    for node in own:
        if ast.dump(node) not in known or read(node) & made:
            found.append(node)
            made |= bound(node)
    return found
