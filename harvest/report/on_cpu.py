"""Snippets that need accelerators -> the same for the CPU, where that shows the same bug.

In: a report's snippets and its words. Out: the snippets, and behind each that goes through a list
of devices what the CPU can run of it. Where the report says that the CPU shows the bug, so does
what is left without the statements for other devices, or, if that is nothing, all of it made on
the CPU. A report that compares devices, or is right about the CPU, shows nothing there. Of one that
does not speak of the CPU nobody knows: what is made there is a guess.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from analysis.rules import Phrase, Rule
from harvest.report.devices import cpu_only
from harvest.report.edits import Edit, apply_edits
from harvest.report.model import Need, Snippet
from harvest.report.needs import device_needs, find_needs
from harvest.report.steps import id_of
from harvest.report.syntax import Refusal, bound_names, import_lines, parse
from harvest.report.wordings import Wording, Wordings

LISTS, STATEMENTS, MOVED = "absent devices", "statements for other devices", "made on the CPU"
EXAMPLES: tuple[tuple[str, str], ...] = (
    (
        "import torch\nx = torch.f()\ny = x.cuda()\nz = y + 1\nprint(torch.g(x))",
        "import torch\nx = torch.f()\nprint(torch.g(x))",
    ),
    (
        "import torch\ndef g(y):\n    return y.cuda()\ng(1)\ny = torch.f()\nprint(y)",
        "import torch\ny = torch.f()\nprint(y)",
    ),
    (
        "import torch\nif __name__ == '__main__':\n    x = torch.f()\n    y = x.cuda()\n"
        "    print('CUDA', t)\n    print('all', x)",
        "import torch\nif __name__ == '__main__':\n    x = torch.f()\n    print('all', x)",
    ),
    (
        "import torch\nx = torch.f()\nif __name__ == '__main__':\n    y = x.cuda()\n"
        "print('GPU and CPU', torch.g(x))",
        "import torch\nx = torch.f()\nprint('GPU and CPU', torch.g(x))",
    ),
    (
        "import torch\nx = torch.f(device='cuda:0')\ny = x.cuda()",
        "import torch\nx = torch.f(device='cpu')\ny = x.cpu()",
    ),
    (
        "import torch\nfor d in ['cpu', 'mps']:\n    torch.f(d)",
        "import torch\nfor d in ['cpu']:\n    torch.f(d)",
    ),
    ("import torch\nx = torch.f()\ntorch.cuda.synchronize()", ""),
)
"""(code, what the CPU shows of it; "" where nothing)."""

_DEVICES = frozenset({Need.CUDA, Need.MPS, Need.DEVICE})
_OTHER = r"\b(?:GPUs?|CUDA|MPS|XPU|TPUs?)\b"
_WELL = r"\b(?:correct(?:ly)?|right|fine|works?|okay|as expected|not present|does(?: not|n't))\b"
_ASIDE = re.compile(r"\([^()]*\)|[,;].*")
_ON_CPU = Wordings(
    Wording(
        "device/on-the-cpu",
        r"\b(?:on|with|using|in|for) (?:the |a )?CPUs?\b",
        ("wrong on the CPU",),
        ("wrong on the GPU",),
    ),
    Wording(
        "device/cpu-version",
        r"\bCPU (?:versions?|implementations?|kernels?|operators?)\b",
        ("the CPU kernel is wrong",),
        ("the CPU is old",),
    ),
    flags=re.IGNORECASE,
)
_OTHER_DEVICE = Phrase(
    "device/other-than-the-cpu",
    _OTHER,
    re.IGNORECASE,
    finds=("on CUDA", "on a GPU"),
    spares=("on the CPU",),
)
_SHOWN_DEVICE = Phrase(
    "device/other-in-printed-words",
    _OTHER,
    finds=("CUDA:",),
    spares=("cuda",),
)
_CPU = Phrase("device/cpu", r"\bCPUs?\b", re.IGNORECASE, finds=("on CPU",), spares=("on CUDA",))
_BOTH = Wordings(
    Wording(
        "device/cpu-and-other",
        rf"\bCPUs?,? (?:and|or|as well as|&|/) (?:also )?(?:on )?(?:the )?{_OTHER}",
        ("on CPU and on the GPU",),
        ("on CPU",),
    ),
    Wording(
        "device/other-and-cpu",
        rf"{_OTHER},? (?:and|or|as well as|&|/) (?:also )?(?:on )?(?:the )?CPU",
        ("on CUDA as well as CPU",),
        ("on CUDA",),
    ),
    flags=re.IGNORECASE,
)
_COMPARES = Wordings(
    Wording(
        "device/differ",
        r"inconsisten|differ|mismatch|discrepan",
        ("results differ", "a discrepancy"),
        ("the same result",),
    ),
    Wording(
        "device/compared-with",
        r"\b(?:vs\.?|versus|between|only|unlike|but|while)\b",
        ("CPU vs CUDA", "only on CUDA"),
        ("CPU and CUDA",),
    ),
    Wording("device/disagree", r"disagree|diverge", ("the two diverge",), ("the two agree",)),
    Wording(
        "device/same-result",
        r"\bsame (?:result|output|value)",
        ("not the same output",),
        ("the same error",),
    ),
    flags=re.IGNORECASE,
)
_RIGHT_HERE = Wordings(
    Wording(
        "device/fine-on-the-cpu",
        rf"{_WELL}[^.,;()\n]{{0,40}}\bCPU\b",
        ("it works on CPU",),
        ("it fails on CPU",),
    ),
    Wording(
        "device/the-cpu-is-fine",
        rf"\bCPU\b[^.,;()\n]{{0,40}}{_WELL}",
        ("on CPU it is fine",),
        ("on CPU it fails",),
    ),
    flags=re.IGNORECASE,
)
_SENTENCE = re.compile(r"(?<=[.!?])\s+|\n\s*\n|\n(?=\s*[-*#])")
_MOST = 500


def with_cpu_versions(
    snippets: Iterable[Snippet], title: str, prose: str, *, measured: bool = False
) -> Iterator[Snippet]:
    """Yield the snippets, each followed by its version for the CPU, if it has one.

    `measured`: the report is about time or memory, which say nothing about another device.
    """
    shown = shows_on_cpu(title, prose)
    both = shown and _says_both(title, prose)
    unknown = not shown and not measured and not _right_on_cpu(title, prose)
    for snippet in snippets:
        yield snippet
        if _needs_device(snippet):
            found = _less(snippet, LISTS)
            if _needs_device(found) and shown:
                found = _less(found, STATEMENTS)
                found = _less(found, MOVED) if both else found
            if _needs_device(found) and unknown:
                found = _less(found, MOVED)
                found = replace(found, guess=_lacking(snippet))
            if not _needs_device(found):
                yield replace(found, origin=f"{snippet.origin} on the CPU")


def shows_on_cpu(title: str, prose: str) -> bool:
    """Tell whether a report says that its bug shows on the CPU, whatever it says of others."""
    if _right_on_cpu(title, prose):
        return False
    head = _ASIDE.sub("", title[:_MOST])
    if _ON_CPU.search(head) and not _OTHER_DEVICE.search(head):
        return True
    return _says_both(title, prose)


def compares_devices(title: str) -> bool:
    """Tell whether a title is about the CPU and another device, and how they differ."""
    told = title[:_MOST]
    both = _CPU.search(told) is not None and _OTHER_DEVICE.search(told) is not None
    return both and _COMPARES.search(told) is not None


def _right_on_cpu(title: str, prose: str) -> bool:
    return any(_RIGHT_HERE.search(sentence) for sentence in _sentences(title, prose))


def _says_both(title: str, prose: str) -> bool:
    told = _sentences(title, prose)
    return any(_BOTH.search(one) and not _COMPARES.search(one) for one in told)


def _sentences(title: str, prose: str) -> list[str]:
    return [sentence[:_MOST] for sentence in (title, *_SENTENCE.split(prose))]


def _needs_device(snippet: Snippet) -> bool:
    return any(need in _DEVICES for need, _ in snippet.needs)


def _lacking(snippet: Snippet) -> str:
    need, detail = next((need, detail) for need, detail in snippet.needs if need in _DEVICES)
    return f"needs {need}" + (f" ({detail})" if detail else "")


def _less(snippet: Snippet, name: str) -> Snippet:
    """A snippet with the change of a name made, if that needs fewer devices; else itself."""
    code = _CHANGES[name](snippet.code)
    tree = None if code is None else parse(code)
    if code is None or tree is None or isinstance(tree, Refusal):
        return snippet
    found = replace(snippet, code=code, needs=find_needs(tree), repairs=(*snippet.repairs, name))
    fewer = sum(need in _DEVICES for need, _ in found.needs)
    return found if fewer < sum(need in _DEVICES for need, _ in snippet.needs) else snippet


def _without_devices(code: str) -> str | None:
    """Return code without the devices in lists that only accelerators can run."""
    tree = parse(code)
    return None if isinstance(tree, Refusal) else apply_edits(code, cpu_only(tree))


def without_statements(code: str) -> str | None:
    """Return code without the statements that other devices are needed for, or for their results.

    None where that leaves nothing that uses what is imported.
    """
    tree = parse(code)
    if isinstance(tree, Refusal):
        return None
    absent: set[str] = set()
    edits: list[Edit] = []
    kept: list[ast.stmt] = []
    for node in _statements(tree):
        imports = isinstance(node, ast.Import | ast.ImportFrom)
        gone = _asks_for_device(node) or _reads(node) & absent or (edits and _shows_other(node))
        if not imports and gone:
            absent |= _binds(node)
            edits.append(Edit(node=node, text=""))
        else:
            absent -= _binds(node)
            kept += [] if imports else [node]
    shown = [
        node for node in kept if not isinstance(node, ast.Assign | ast.AnnAssign | ast.FunctionDef)
    ]
    uses = any(_reads(node) & import_lines(tree).keys() for node in kept)
    return apply_edits(code, _whole_blocks(tree, edits)) if edits and shown and uses else None


def _shows_other(node: ast.stmt) -> bool:
    """Tell whether a statement prints what it calls another device's, and not the CPU's as well."""
    match node:
        case ast.Expr(value=ast.Call(func=ast.Name(id="print"))):
            found = (one.value for one in ast.walk(node) if isinstance(one, ast.Constant))
            said = [text for text in found if isinstance(text, str) and text != "cpu"]  # a device
            both = any(_CPU.search(text) for text in said)
            return not both and any(_SHOWN_DEVICE.search(text) for text in said)
    return False


def _whole_blocks(tree: ast.Module, edits: list[Edit]) -> list[Edit]:
    """The edits, with one for a whole block instead of those for all its statements."""
    gone = {id(edit.node) for edit in edits}
    blocks = [node for node in tree.body if isinstance(node, ast.If)]
    empty = [block for block in blocks if all(id(node) in gone for node in block.body)]
    inside = {id(node) for block in empty for node in block.body}
    left = [edit for edit in edits if id(edit.node) not in inside]
    return [*left, *(Edit(node=block, text="") for block in empty)]


def _statements(tree: ast.Module) -> Iterator[ast.stmt]:
    """The statements of a module, with those that it makes when it is run as a script."""
    for node in tree.body:
        match node:
            case ast.If(test=ast.Compare(left=ast.Name(id="__name__")), body=body, orelse=[]):
                yield from body
            case _:
                yield node


def _asks_for_device(node: ast.stmt) -> bool:
    needs = find_needs(ast.Module(body=[node], type_ignores=[]))
    return any(need in _DEVICES for need, _ in needs)


def _reads(node: ast.stmt) -> set[str]:
    names = [one for one in ast.walk(node) if isinstance(one, ast.Name)]
    return {one.id for one in names if isinstance(one.ctx, ast.Load)}


def _binds(node: ast.stmt) -> set[str]:
    """The names that a statement of a module binds there."""
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return {node.name}
    return set(bound_names(node))


def made_on_cpu(code: str) -> str | None:
    """Return code with everything made on the CPU that it makes on, or moves to, other devices."""
    tree = parse(code)
    if isinstance(tree, Refusal):
        return None
    edits: list[Edit] = []
    for node in ast.walk(tree):
        match node:
            case ast.Constant(value=str(text)) if device_needs(text):
                edits.append(Edit(node=node, text="'cpu'"))
            case ast.Call(func=ast.Attribute(value=value, attr="cuda" | "mps" | "xpu"), args=[]):
                edits.append(Edit(node=node, text=f"{ast.unparse(value)}.cpu()"))
            case _:
                pass
    inside = {id(one) for edit in edits for one in ast.walk(edit.node) if one is not edit.node}
    return apply_edits(code, [edit for edit in edits if id(edit.node) not in inside])


_CHANGES = {
    name: Rule(f"device/{id_of(name)}", change)
    for name, change in (
        (LISTS, _without_devices),
        (STATEMENTS, without_statements),
        (MOVED, made_on_cpu),
    )
}
