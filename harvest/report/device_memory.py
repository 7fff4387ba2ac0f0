"""Memory of a GPU that a report tells by what `nvidia-smi` and the like show, and no code counts.

In: a report's words and blocks; its snippets. Out: what it says as a claim about memory, and the
snippets with the framework's own counter of the device's memory in them: after each step of a loop
where the report says that memory grows, else at the end. What is told so needs a GPU, also where
the code would run without one.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from harvest.report.markdown import Document
from harvest.report.model import Claim, ClaimKind, ClaimSource, Need, Snippet
from harvest.report.repair import Repaired
from harvest.report.suites import computes, end_of, suites
from harvest.report.syntax import Refusal, import_lines, parse
from harvest.report.text import shorten

NAME = "device memory"
DETAIL = "device memory, as {} tells it"
EXAMPLES: tuple[tuple[str, bool, str], ...] = (
    (
        "import torch\nfor i in range(9):\n    f(x)",
        True,
        "import torch\nfor i in range(9):\n    f(x)\n"
        "    print('device memory:', torch.cuda.memory_allocated())",
    ),
    (
        "import torch\nfor i in range(9):\n    f(x)\ny = g(x)  # here",
        False,
        "import torch\nfor i in range(9):\n    f(x)\ny = g(x)  # here\n"
        "print('device memory:', torch.cuda.max_memory_allocated())",
    ),
    (
        "import tensorflow as tf\nwhile True:\n    f(x)\n    if done():\n        break",
        True,
        "import tensorflow as tf\nwhile True:\n    f(x)\n    if done():\n        break\n"
        "    print('device memory:', tf.config.experimental.get_memory_info('GPU:0')['current'])",
    ),
    ("import torch\nf(x)\nprint(torch.cuda.memory_allocated())", True, ""),
    ("import numpy as np\nf(x)", True, ""),
)
"""(code, whether memory is said to grow, what it becomes; "" where nothing may change)."""
_TOOL = re.compile(r"\b(?:nvidia[-_ ]?smi|nvtop|nvitop|gpustat)\b", re.IGNORECASE)
_AMOUNT = re.compile(
    r"\d ?[KMG]i?B?\b|\bmemory\b|\bv?ram\b|\busage\b|\bus(?:es|ed)\b|\balloc|\bleak|\boccup",
    re.IGNORECASE,
)
_TABLE = re.compile(r"\b\d+ ?Mi?B\s*/\s*\d+ ?Mi?B\b|\|\s*\d+\s*/\s*\d+ MB")
"""Memory in use and there is, as in the tables of `nvidia-smi` and `gpustat`."""
_OF_MEMORY = re.compile(r"\bmemory\b|\bleak|\bOOM\b|\bv?ram\b|\d ?[MG]i?B\b", re.IGNORECASE)
_GROWS = re.compile(
    r"\b(?:grow|increas|climb|ris(?:e|ing)|leak|accumulat|(?:goes|going|go|creeps?) up"
    r"|more and more|(?:never|not) (?:\w+ )?(?:freed|released|returned))",
    re.IGNORECASE,
)
_COUNTS = re.compile(
    r"memory_(?:allocated|reserved|stats|info|summary)|mem_get_info|psutil|tracemalloc|getrusage"
    r"|nvml|nvidia.smi",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-*#])")
_COUNTERS = (
    ("torch", "torch.cuda.memory_allocated()", "torch.cuda.max_memory_allocated()"),
    *(
        (
            name,
            f"{name}.config.experimental.get_memory_info('GPU:0')['current']",
            f"{name}.config.experimental.get_memory_info('GPU:0')['peak']",
        )
        for name in ("tf", "tensorflow")
    ),
)
"""The name of a framework, what is in use of its device's memory, and what was at most."""


def device_claim(title: str, document: Document) -> Claim | None:
    """What the report says of a device's memory by what such a tool shows, if it does.

    A table alone may stand among versions: the words have to speak of memory.
    """
    for sentence in (title, *_SENTENCE.split(document.prose)):
        if _TOOL.search(sentence) and _AMOUNT.search(_TOOL.sub("", sentence)):
            return _claim(sentence)
    words = (s for s in (title, *_SENTENCE.split(document.prose)) if _OF_MEMORY.search(s))
    table = any(_TABLE.search(block.text) and _TOOL.search(block.text) for block in document.blocks)
    said = next(words, None) if table else None
    return None if said is None else _claim(said)


def _claim(sentence: str) -> Claim:
    text = shorten(sentence)
    return Claim(kind=ClaimKind.PERFORMANCE, source=ClaimSource.BODY, text=text)


def with_device_memory(
    snippets: Sequence[Snippet], title: str, document: Document, claims: Sequence[Claim]
) -> tuple[Snippet, ...]:
    """The snippets, metered where the claim is of the device's memory and no code counts it.

    Where the report is of that first of all, what runs without a GPU says nothing.
    """
    claim = device_claim(title, document)
    if claim is None or any(_COUNTS.search(snippet.code) for snippet in snippets):
        return tuple(snippets)
    growing = _GROWS.search(f"{title}\n{document.prose}") is not None
    detail = DETAIL.format(_tool(document, claim))
    metered = [_metered(one, detail, growing=growing) for one in snippets if not one.guess]
    first = all(one.kind is ClaimKind.PERFORMANCE for one in claims[:1])
    return tuple(metered) if first else (*snippets, *metered)


def _tool(document: Document, claim: Claim) -> str:
    texts = (claim.text, document.prose, *(block.text for block in document.blocks))
    return next(found[0].lower() for text in texts if (found := _TOOL.search(text)))


def _metered(snippet: Snippet, detail: str, *, growing: bool) -> Snippet:
    needs = ((Need.CUDA, detail), *snippet.needs)
    tree = parse(snippet.code)
    if isinstance(tree, Refusal):
        return replace(snippet, needs=needs)
    found = metered(Repaired(code=snippet.code, tree=tree), growing=growing)
    return replace(
        snippet, code=found.code, repairs=(*snippet.repairs, *found.repairs), needs=needs
    )


def metered(found: Repaired, *, growing: bool) -> Repaired:
    """The code with the device's memory printed, after each step of its last loop or at the end."""
    if _COUNTS.search(found.code):
        return found
    names = import_lines(found.tree).keys()
    now, most = next(((one, other) for name, one, other in _COUNTERS if name in names), ("", ""))
    ending = "\n" if found.code.endswith("\n") else ""
    lines = found.code.rstrip("\n").split("\n")
    loop = next(_loops(found.tree), None) if growing else None
    if loop is None:
        lines.append(_shown(most))
    else:
        step = loop.body[-1]
        lines.insert(end_of(step), lines[step.lineno - 1][: step.col_offset] + _shown(now))
    code = "\n".join(lines) + ending
    tree = parse(code)
    if not now or isinstance(tree, Refusal):
        return found
    return Repaired(code=code, tree=tree, repairs=(*found.repairs, NAME))


def _shown(counter: str) -> str:
    return f"print('device memory:', {counter})"


def _loops(tree: ast.Module) -> Iterator[ast.For | ast.While]:
    """The loops that run once and compute something, the last one first."""
    for suite in suites(tree):
        for node in suite.body[::-1]:
            if not isinstance(node, ast.For | ast.While) or node.body[0].lineno == node.lineno:
                continue
            if any(map(computes, node.body)):
                yield node
