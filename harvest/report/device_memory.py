"""Reports of a GPU's memory that a table of `nvidia-smi` shows -> snippets that need that GPU.

In: a report's words, claims and snippets. Out: claims and snippets. It takes a table of amounts in
what the report tells (not among its versions), a report that is about memory first of all and not
about the CPU, and code that names a CUDA device, be it only where there is one. All else stays as
it is: most reports paste what `nvidia-smi` says to tell which driver they have.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace

from analysis.rules import Phrase, Rule
from harvest.report.lines import heading_of, is_dump_heading
from harvest.report.model import Claim, ClaimKind, ClaimSource, Need, Snippet
from harvest.report.on_cpu import shows_on_cpu
from harvest.report.wordings import Wording, Wordings

DETAIL = "a GPU: the report tells of its memory by nvidia-smi"
_TOOL = Phrase(
    "device/head-of-nvidia-smi",
    r"NVIDIA-SMI \d",
    finds=("| NVIDIA-SMI 535.104   Driver Version: 535.104 |",),
    spares=("run nvidia-smi",),
)
_USED = Phrase(
    "device/amounts-of-nvidia-smi",
    r"\b\d+ ?MiB ?/ ?\d+ ?MiB\b",
    finds=("| 512MiB / 24576MiB |",),
    spares=("512MiB",),
)
_MOST = 40
"""Lines from the head of such a table within which it has its amounts."""
_OF_MEMORY = Phrase(
    "device/of-memory",
    r"\bmemory\b|\bleak|\bOOM\b|\bvram\b|\bMiB\b|\bGi?B\b",
    re.IGNORECASE,
    finds=("it leaks", "3 GiB of VRAM"),
    spares=("it is slow",),
)
_OF_HOST = Wordings(
    Wording(
        "device/memory-of-the-host",
        r"\bRAM\b|\bRSS\b|\b(?:host|system|CPU) memory\b",
        ("the RAM fills up", "host memory"),
        ("GPU memory",),
    ),
    Wording(
        "device/process-on-the-host",
        r"\bon (?:the )?CPU\b|\bof the process\b|\bwithout (?:a )?GPU\b",
        ("the size of the process", "also without GPU"),
        ("on the GPU",),
    ),
)
_NAMES = Phrase(
    "device/cuda-in-code",
    r"""["']cuda(?::\d+)?["']|\.cuda\(|["']/?(?:device:)?GPU:\d+["']""",
    finds=("x.cuda()", "f(device='cuda:0')", "tf.device('/GPU:0')"),
    spares=("torch.cuda.is_available()",),
)
_COMMENT = re.compile(r"#.*")
_COUNTS_HOST = Phrase(
    "cost/counts-memory-of-the-host",
    r"psutil|tracemalloc|getrusage|memory_profiler",
    finds=("import psutil",),
    spares=("torch.cuda.memory_allocated()",),
)


def needing_device(
    snippets: Sequence[Snippet], title: str, body: str, prose: str, claims: Sequence[Claim]
) -> tuple[tuple[Snippet, ...], tuple[Claim, ...]]:
    """The snippets, which need a GPU where they are to show what `nvidia-smi` has shown."""
    found = _NEEDING(snippets, title, body, prose, claims)
    return (tuple(snippets), tuple(claims)) if found is None else found


_Found = tuple[tuple[Snippet, ...], tuple[Claim, ...]]


def _needing(
    snippets: Sequence[Snippet], title: str, body: str, prose: str, claims: Sequence[Claim]
) -> _Found | None:
    """Snippets need the GPU whose memory a table of `nvidia-smi` shows."""
    said = claims[0].text if claims else f"{title}\n{prose}"
    about = not claims or claims[0].kind is ClaimKind.PERFORMANCE
    host = _OF_HOST.search(f"{title}\n{said}\n{prose}") or shows_on_cpu(title, prose)
    codes = [snippet.code for snippet in snippets]
    counts = any(_COUNTS_HOST.search(code) for code in codes)
    named = any(_NAMES.search(_COMMENT.sub("", code)) for code in codes) and not counts
    if not (about and named and _OF_MEMORY.search(said)) or host or not _shows_table(body):
        return None
    needing = [replace(one, needs=((Need.CUDA, DETAIL), *one.needs), guess="") for one in snippets]
    kind, source = ClaimKind.PERFORMANCE, ClaimSource.BODY
    found = claims or (Claim(kind=kind, source=source, text="memory, as nvidia-smi shows it"),)
    return tuple(needing), tuple(found)


_NEEDING = Rule("device/memory-of-the-gpu", _needing)


def _shows_table(body: str) -> bool:
    """Whether a table of `nvidia-smi` stands in a section that is not about versions."""
    lines = body.split("\n")
    dump = False
    for at, line in enumerate(lines):
        # One mark alone may be a comment in code.
        heading = None if line.startswith("# ") else heading_of(line)
        dump = dump if heading is None else is_dump_heading(heading)
        if not dump and _TOOL.search(line):
            return any(_USED.search(row) for row in lines[at : at + _MOST])
    return False
