"""Compiler flags of a checkout, reduced to those that only say how its code is to be read.

In: the words of a compiler's command line. Out: those that libclang is given. A compilation
database comes with the sources, and libclang runs outside of the sandbox; flags can load libraries
(`-fplugin=`, `-Xclang -load`), read more of their kind (`@file`, `--config`) or write files
(`-MF`, `-ftime-trace`). So this lists what is taken, not what is refused.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

_VALUED = ("-isystem", "-iquote", "-idirafter", "-I", "-D", "-U", "-x")
"""Places of headers, macros, languages: the value is in the same word or in the next one."""

_LANGUAGES = frozenset({"c", "c++", "cuda"})

_READING = (
    "exceptions|rtti|openmp|pic|PIC|pie|PIE|permissive|ms-extensions|ms-compatibility|declspec"
    "|char8_t|signed-char|unsigned-char|short-enums|coroutines|concepts|sized-deallocation"
    "|aligned-allocation|aligned-new|delayed-template-parsing|fast-math|math-errno|gnu-keywords"
)
"""What `-f` and `-fno-` may switch: the language and the macros that tell of it."""

_SINGLE = re.compile(
    r"-std=(?:c|gnu)(?:\+\+)?\w+"
    rf"|-f(?:no-)?(?:{_READING})|-fopenmp=\w+|-f(?:template|constexpr)-(?:depth|steps)=\d+"
    r"|-m(?!llvm|link)[a-z0-9.+-]+(?:=[\w.+-]+)?"
    r"|-O[0-3sgz]?|-nostdinc(?:\+\+)?|-pthread|-ansi"
)
"""Standards, switches, instruction sets (which define macros). Warnings are off in any case."""


def safe_flags(words: Sequence[str], folder: Path, root: Path) -> tuple[str, ...]:
    """The words that are taken, in their order; neither the compiler nor the file is among them.

    `-include FILE` is taken for files below `root` only; relative ones start at `folder`.
    """
    return tuple(_taken(iter(words), folder, root.resolve()))


def _taken(words: Iterator[str], folder: Path, root: Path) -> Iterator[str]:
    for word in words:
        if word in _VALUED or word == "-include":
            value = next(words, "")
            within = word != "-include" or (folder / value).resolve().is_relative_to(root)
            if within and _is_value(word, value):
                yield from (word, value)
        elif _is_safe(word):
            yield word


def _is_safe(word: str) -> bool:
    joined = next((flag for flag in _VALUED if word.startswith(flag)), None)
    if joined is not None:
        return _is_value(joined, word.removeprefix(joined))
    return _SINGLE.fullmatch(word) is not None


def _is_value(flag: str, value: str) -> bool:
    """Whether this may follow the flag: no further flag, no file of flags, a known language."""
    if flag == "-x":
        return value in _LANGUAGES
    return bool(value) and not value.startswith(("-", "@"))
