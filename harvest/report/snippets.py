"""A document's blocks -> snippets of Python to run, in the order to try, or why there is none.

A block is code when it parses after repair and does something; what a program printed, logs and
version dumps are not. Blocks that lean on names of earlier ones are put together with those.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass

from analysis.rules import Phrase, Registry
from harvest.report import absent, awaited, entries, noted, parametrised, timed
from harvest.report.lines import is_environment, is_output
from harvest.report.markdown import Block, Document
from harvest.report.model import Snippet
from harvest.report.needs import find_needs
from harvest.report.repair import IMPORTS, Repaired, add_imports, repair, revised, revision
from harvest.report.syntax import (
    Refusal,
    bound_names,
    dotted,
    import_lines,
    imported_roots,
    open_names,
    parse,
)
from harvest.report.wordings import Wording, Wordings

FRAMEWORKS = frozenset({"torch", "tensorflow", "keras", "functorch"})
_OTHER_LANGUAGES = frozenset(
    {"c", "cpp", "c++", "cc", "cuda", "cu", "java", "json", "yaml", "yml", "toml", "diff", "js"}
    | {"javascript", "ts", "rust", "go", "cmake", "makefile", "dockerfile", "xml", "html", "llvm"}
    | {"mlir", "sql", "r", "swift", "objc", "asm", "ini", "css", "powershell", "bat", "csharp"}
)
_REPRS = frozenset({"Size", "tensor", "device", "Tensor", "TensorShape", "array", "dtype"})
_INLINE = re.compile(r"`([^`\n]{3,400}+)`")
_MAX_INLINE = 20
_LINK = re.compile(r"https?://([\w.-]{1,100})/?([^\s)>\]\"'`]{0,300})")
_CODE_HOSTS = Phrase(
    "link/host-of-code",
    r"colab|gist|drive\.google|pastebin|paste|kaggle|repl\.it|replit|dropbox|docs\.google|1drv"
    r"|huggingface",
    finds=("colab.research.google.com", "gist.github.com"),
    spares=("github.com",),
)
_PYTHON = Phrase(
    "code/line-of-python",
    r"\s*(?:>>> )?(?:[\w.]+ = \S|def \w+\(|class \w|for \w+ in |with \w|print\("
    r"|(?:torch|tf|F|nn|np)\.\w)",
    finds=("x = 1", "def f():", "torch.seed()"),
    spares=("it fails",),
)
_NAMES_FRAMEWORK = Phrase(
    "code/imports-a-framework",
    r"(?m)^[ \t>]*(?:import|from)[ \t]+(?:torch|tensorflow|keras)\b",
    finds=("import torch", ">>> from keras import ops"),
    spares=("import torchvision", "we import torch"),
)
_PROMPT = Phrase(
    "code/prompt-of-python",
    r"\s*(?:>>>|In ?\[\d+\]:)",
    finds=(">>> f()", "In [3]: f()"),
    spares=("f()",),
)
WORKAROUND = Wordings(
    Wording(
        "workaround/by-name",
        r"work[- ]?around",
        ("a workaround:",),
        ("walk around:",),
    ),
    Wording(
        "workaround/works-well",
        r"\bwork(?:s|ed)? (?:fine|well|as expected|correctly)",
        ("With this it works fine:",),
        ("With this it fails:",),
    ),
    Wording(
        "workaround/this-works",
        r"\b(?:this|it|following) work(?:s|ed)",
        ("The following works:",),
        ("The following fails:",),
    ),
    flags=re.IGNORECASE,
)
_ENTERING = Registry(
    "snippet",
    revision(parametrised.NAME, parametrised.call_parametrised, parametrised.EXAMPLES),
    revision(entries.NAME, entries.add_calls, entries.EXAMPLES),
)
"""Calls of what a test runner would call."""
_REVISIONS = Registry(
    "snippet",
    *absent.REVISIONS,
    revision(noted.NAME, noted.print_noted, noted.EXAMPLES),
    revision(timed.NAME, timed.call_timed, timed.EXAMPLES),
    revision(awaited.NAME, awaited.put_in_blocks, awaited.EXAMPLES),
)
"""Changes that make a case run, or its failure visible."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Piece:
    block: Block
    code: Repaired


def find_snippets(document: Document, *, code: str | None = None) -> tuple[Snippet, ...] | str:
    """Return the snippets of a document (or of a script, `code`), or why there are none.

    Origins count all blocks of the document, logs too.
    """
    if code is not None:
        return _script(code)
    pieces: list[_Piece] = []
    refusals: list[tuple[Block, Refusal]] = []
    seen: set[str] = set()
    for block in document.blocks:
        found = _read_block(block)
        if isinstance(found, Refusal):
            refusals.append((block, found))
        elif found is not None and (key := ast.dump(found.tree)) not in seen:
            seen.add(key)
            pieces.append(_Piece(block=block, code=found))
    snippets = _arrange(pieces) or _inline(document.prose)
    return snippets or ("no code" if pieces else _why_none(document, refusals))


def _script(code: str) -> tuple[Snippet, ...] | str:
    found = repair(code)
    if isinstance(found, Refusal):
        return f"Python code that does not parse: {found.message} (line {found.line})"
    if not _does_something(found.tree):
        return "no code"
    return (_snippet(_entered(add_imports(found)), "file"),)


def _entered(found: Repaired) -> Repaired:
    """Return the code with calls of what a test runner would call."""
    return revised(found, _ENTERING)


def _snippet(found: Repaired, origin: str, blocks: tuple[int, ...] = ()) -> Snippet:
    found = revised(found, _REVISIONS)
    return Snippet(
        code=found.code.strip("\n") + "\n",
        origin=origin,
        repairs=found.repairs,
        needs=find_needs(found.tree),
        missing=tuple(sorted(open_names(found.tree))),
        blocks=blocks,
    )


def _read_block(block: Block) -> Repaired | Refusal | None:
    """Return a block's code, the refusal of what looks like code, None for anything else."""
    text = block.text
    named = _NAMES_FRAMEWORK.search(text) is not None
    if block.language in _OTHER_LANGUAGES and not named:
        return None
    if not named and _is_log(text):
        return None
    found = repair(text)
    if isinstance(found, Refusal):
        return found if named or _looks_like_python(block) else None
    return found if _does_something(found.tree) or imported_roots(found.tree) else None


def is_code(block: Block) -> bool:
    """Whether a block is read as code, rather than as what was printed."""
    return isinstance(_read_block(block), Repaired)


def _is_log(text: str) -> bool:
    """Tell whether most lines are output; interactive sessions are code with output."""
    lines = [line for line in text.split("\n")[:400] if line.strip()]
    if any(_PROMPT.match(line) for line in lines):
        return False
    logged = sum(is_output(line) or is_environment(line) for line in lines)
    starts = bool(lines) and lines[0].lstrip().startswith("Traceback (most recent call last)")
    return starts or 2 * logged > len(lines)


def _looks_like_python(block: Block) -> bool:
    if block.language in ("python", "py", "python3", "ipython", "pycon"):
        return True
    lines = [line for line in block.text.split("\n")[:400] if line.strip()]
    code = sum(bool(_PYTHON.match(line[:300])) for line in lines)
    return code >= 2 and 2 * code >= len(lines)


def _does_something(tree: ast.Module) -> bool:
    """Tell whether a tree has statements beyond imports, docstrings, and pasted values."""
    return any(not _is_idle(node) for node in tree.body)


def _is_idle(node: ast.stmt) -> bool:
    match node:
        case ast.Import() | ast.ImportFrom() | ast.Pass():
            return True
        case ast.Expr(value=value):
            return _is_value(value)
        case ast.AnnAssign(value=None):
            return True
        case ast.Assign(value=value):
            return not _calls(node) and isinstance(value, ast.Name | ast.Attribute)
        case _:
            return False


def _calls(node: ast.AST) -> bool:
    return any(isinstance(n, ast.Call) and _name(n.func) not in _REPRS for n in ast.walk(node))


def _name(function: ast.expr) -> str:
    return dotted(function).rpartition(".")[2]


def _acts(tree: ast.Module | Refusal) -> bool:
    """Tell whether running a tree could show anything: it calls something, or uses a framework."""
    if isinstance(tree, Refusal):
        return False
    return _calls(tree) or bool(imported_roots(tree) & FRAMEWORKS)


def _is_value(value: ast.expr) -> bool:
    """Tell whether an expression is what a program prints, not something to run."""
    if _calls(value):
        return False
    works = any(isinstance(node, ast.BinOp | ast.Await) for node in ast.walk(value))
    names = any(isinstance(node, ast.Name | ast.Attribute) for node in ast.walk(value))
    return not (works and names)


def _arrange(pieces: list[_Piece]) -> tuple[Snippet, ...]:
    """Order the candidates: whole ones, those that need earlier blocks, what lacks names."""
    ranked: list[tuple[int, int, Snippet]] = []
    seen: set[str] = set()
    known = {
        name: line
        for piece in reversed(pieces)
        for name, line in import_lines(piece.code.tree).items()
    }
    for index, piece in enumerate(pieces):
        if not _does_something(piece.code.tree):
            continue
        rank, snippet = _complete(pieces, index, known)
        if not _acts(parse(snippet.code)):
            continue
        if WORKAROUND.search(piece.block.lead):
            rank += 1
        if snippet.code not in seen:
            seen.add(snippet.code)
            ranked.append((rank, index, snippet))
    return tuple(snippet for _, _, snippet in sorted(ranked, key=lambda item: item[:2]))


def _complete(pieces: list[_Piece], index: int, known: Mapping[str, str]) -> tuple[int, Snippet]:
    """Return how promising piece `index` is (0 best), and it with the other pieces it needs.

    Names come from earlier pieces, else from later ones ("f(x) fails, where x = ...").
    """
    piece = pieces[index]
    chosen = [index]
    missing = open_names(piece.code.tree) - known.keys() - IMPORTS.keys()
    for other in [*range(index - 1, -1, -1), *range(index + 1, len(pieces))]:
        tree = pieces[other].code.tree
        given = bound_names(tree) & missing
        late = other > index and open_names(tree) & bound_names(piece.code.tree)
        if given and not late:
            chosen.insert(0, other)
            missing = (missing - given) | (open_names(tree) - known.keys() - IMPORTS.keys())
    joined = _join([pieces[n].code for n in chosen]) if len(chosen) > 1 else None
    found = _entered(add_imports(joined or piece.code, known=known))
    blocks = tuple(pieces[n].block.number for n in (chosen if joined else [index]))
    origin = f"{'fences' if joined else 'fence'} {'+'.join(map(str, blocks))}"
    return _rank(found, joined=joined is not None), _snippet(found, origin, blocks)


def _rank(found: Repaired, *, joined: bool) -> int:
    if open_names(found.tree):
        return 8
    if not imported_roots(found.tree) & FRAMEWORKS:
        return 6
    if not any(
        _calls(node)
        for node in found.tree.body
        if not isinstance(node, ast.FunctionDef | ast.ClassDef)
    ):
        return 4
    return 2 if joined else 0


def _inline(prose: str) -> tuple[Snippet, ...]:
    """Return whole calls in backticks, which is all the code that some reports have."""
    found: dict[str, Snippet] = {}
    for number, inline in enumerate(_INLINE.findall(prose)[:_MAX_INLINE], 1):
        tree = parse(inline.strip())
        if isinstance(tree, Refusal) or not _calls(tree):
            continue
        code = add_imports(Repaired(code=inline.strip(), tree=tree))
        whole = imported_roots(code.tree) & FRAMEWORKS and not open_names(code.tree)
        if whole and any(isinstance(node, ast.Call) and node.args for node in ast.walk(tree)):
            found.setdefault(code.code, _snippet(code, f"inline code {number}"))
    return tuple(found.values())


def _join(parts: list[Repaired]) -> Repaired | None:
    code = "\n".join(part.code.strip("\n") for part in parts)
    tree = parse(code)
    if isinstance(tree, Refusal):
        return None
    repairs = dict.fromkeys(name for part in parts for name in part.repairs)
    return Repaired(code=code, tree=tree, repairs=tuple(repairs))


def _why_none(document: Document, refusals: list[tuple[Block, Refusal]]) -> str:
    if refusals:
        refusal = refusals[0][1]
        return f"Python code that does not parse: {refusal.message} (line {refusal.line})"
    if any(block.language in _OTHER_LANGUAGES for block in document.blocks):
        return "not Python"
    text = "\n".join([document.prose, *(block.text for block in document.blocks)])
    hosts = {
        found[1]: None
        for found in _LINK.finditer(text)
        if _CODE_HOSTS.search(found[1]) or found[2].endswith((".py", ".ipynb", ".zip"))
    }
    if hosts:
        return "code is only linked: " + ", ".join(hosts)
    if any(_is_log(block.text) for block in document.blocks):
        return "only logs, no code"
    return "no code" if not document.blocks else "not Python"
