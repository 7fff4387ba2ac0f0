"""Functions that a file makes with macros of its own.

In: the text of a C++ file. Out: the text with such uses blanked, and for each use its expansion
with its offset. A family such as

    #define CREATE_UNARY(func_out, stub) TORCH_IMPL_FUNC(func_out) (const Tensor& x) { stub(x); }
    CREATE_UNARY(acos_out, acos_stub)

is a function per use, which no parser sees without expanding. The rule is general: a
function-like macro whose body has the shape of a function definition, used at the start of a line
in the file that defines it (macros of headers would tie files to each other). Macros in the body
are expanded in turn.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

MAX_USES = 2_000
MAX_DEPTH = 4
MAX_EXPANSION = 100_000
MAX_ARGUMENTS = 20_000

# Begins with a letter, not with the start of a line, for the sake of speed: see `_begins_line`.
_DEFINE = re.compile(rb"#[ \t]*define[ \t]+(\w+)\(([^()]*)\)((?:[^\n\\]|\\\r?\n|\\)*)")
_COMMENT = re.compile(rb"/\*.*?\*/|//[^\n]*", re.DOTALL)
_HEAD = re.compile(rb"\)\s*(?:const|noexcept|override|final)?\s*(?::\s.*)?$")
_STATEMENT = re.compile(rb"(?:if|for|while|do|switch|case|return)\b|[{\[(]")
_WORD = re.compile(rb"\w+")
_VISIBLE = re.compile(rb"[^\n]")
_QUOTE = re.compile(rb"(?<!#)#\s*(\w+)")
_PASTE = re.compile(rb"\s*##\s*")


@dataclass(frozen=True, slots=True)
class Macro:
    """A function-like macro: the names of its parameters and its body on one line."""

    parameters: tuple[bytes, ...]
    body: bytes


@dataclass(frozen=True, slots=True)
class Expansion:
    """What a use of a macro at byte `offset` stands for, on one line."""

    offset: int
    text: bytes


def expand(text: bytes) -> tuple[bytes, list[Expansion]]:
    """Blank the uses of function-making macros; return the text and the expansions."""
    kept = bytearray(text)
    macros = _macros(text, kept)
    makers = [name for name in macros if _makes_functions(name, macros, 0)]
    if not makers:
        return (bytes(kept) if macros else text), []
    use = re.compile(rb"^(?:" + b"|".join(map(re.escape, makers)) + rb")[ \t]*\(", re.MULTILINE)
    found: list[Expansion] = []
    for match in use.finditer(text):
        arguments, end = arguments_after(text, match.end())
        name = match.group().rstrip(b"( \t")
        if end < 0 or len(found) >= MAX_USES:
            continue
        expansion = _expand(macros[name], arguments, macros, 0)
        if expansion is not None:
            found.append(Expansion(match.start(), expansion))
            _blank(kept, match.start(), end)
    return bytes(kept), found


def _macros(text: bytes, kept: bytearray) -> dict[bytes, Macro]:
    """The function-like macros, blanked in `kept`: the grammar stumbles over braces in them."""
    found = {}
    for match in _DEFINE.finditer(text):
        if not _begins_line(text, match.start()):
            continue
        body = _COMMENT.sub(b" ", re.sub(rb"\\\r?\n", b"\n", match[3]))
        _blank(kept, match.start(), match.end())
        parameters = tuple(part.strip() for part in match[2].split(b",") if part.strip())
        found[match[1]] = Macro(parameters, b" ".join(body.split()))
    return found


def _begins_line(text: bytes, position: int) -> bool:
    return not text[text.rfind(b"\n", 0, position) + 1 : position].strip(b" \t")


def _blank(text: bytearray, start: int, end: int) -> None:
    text[start:end] = _VISIBLE.sub(b" ", bytes(text[start:end]))


def _makes_functions(name: bytes, macros: dict[bytes, Macro], depth: int) -> bool:
    """Whether the body defines functions, itself or through a macro it begins with."""
    body = macros[name].body
    if _STATEMENT.match(body):
        return False
    head = body.partition(b"{")[0].rpartition(b";")[2] if b"{" in body else b""
    if _HEAD.search(head):
        return True
    first = _WORD.match(body)
    inner = first.group() if first else b""
    return depth < MAX_DEPTH and inner in macros and _makes_functions(inner, macros, depth + 1)


def arguments_after(text: bytes, start: int) -> tuple[list[bytes], int]:
    """The arguments after an opening parenthesis, and the end of the use (-1 where it has none)."""
    depth, begin, parts = 0, start, []
    for match in re.finditer(rb"[(){}\[\],]", text[start : start + MAX_ARGUMENTS]):
        mark, position = match.group(), start + match.start()
        if mark in b"([{":
            depth += 1
        elif mark == b"," and depth == 0:
            parts.append(text[begin:position].strip())
            begin = position + 1
        elif mark in b")]}":
            depth -= 1
            if depth < 0:
                parts.append(text[begin:position].strip())
                after = position + 1
                return parts, after + (text[after : after + 1] == b";")
    return [], -1


def _expand(
    macro: Macro, arguments: list[bytes], macros: dict[bytes, Macro], depth: int
) -> bytes | None:
    """The body with its parameters replaced, `#` and `##` applied and inner macros expanded."""
    values = dict(zip(macro.parameters, arguments, strict=False))
    if macro.parameters[-1:] == (b"...",):
        values[b"__VA_ARGS__"] = b", ".join(arguments[len(macro.parameters) - 1 :])
    elif len(arguments) != len(macro.parameters):
        return None
    text = _QUOTE.sub(lambda word: b'"' + values.get(word[1], b"") + b'"', macro.body)
    text = _WORD.sub(lambda word: values.get(word.group(), word.group()), text)
    text = b" ".join(_PASTE.sub(b"", text).split())
    if depth < MAX_DEPTH and len(text) <= MAX_EXPANSION:
        text = _inner(text, macros, depth + 1)
    return text if len(text) <= MAX_EXPANSION else None


def _inner(text: bytes, macros: dict[bytes, Macro], depth: int) -> bytes:
    """Expand uses of the file's macros inside an expansion."""
    parts, position = [], 0
    for match in re.finditer(rb"\b(\w+)\s*\(", text):
        if match.start() < position or match[1] not in macros:
            continue
        arguments, end = arguments_after(text, match.end())
        inner = _expand(macros[match[1]], arguments, macros, depth) if end > 0 else None
        if inner is not None:
            parts += [text[position : match.start()], inner]
            position = end
    return b"".join((*parts, text[position:]))
