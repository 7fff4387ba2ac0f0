"""Blank out what the C++ grammar takes for something else, keeping all offsets.

In: the text of a C++ or CUDA file. Out: text of equal length and equal line breaks in which macros
that stand for attributes (`TORCH_API`, `C10_HOST_DEVICE`, `TF_GUARDED_BY(mu_)`) are spaces. Without
this `class TORCH_API Foo {` is read as a function and all methods inside are lost.
"""

from __future__ import annotations

import re
import string
from functools import lru_cache

_ATTRIBUTE = re.compile(
    rb"""
    [A-Z][A-Z0-9_]*_(?: API | API_ENUM | EXPORT | EXPORTS | HIDDEN | INLINE | NOINLINE | UNUSED
      | NODISCARD | DEVICE | HOST | HOST_DEVICE | DEVICE_FUNC | VISIBILITY | DEPRECATED | RESTRICT
      | ANALYSIS | LAMBDA | FORCEINLINE | NORETURN | MAYBE_UNUSED | ATTRIBUTE_[A-Z_]+ )
  | [A-Z][A-Z0-9]*_(?: CUDA | HIP )_[A-Z0-9_]*API
  | FORCE_INLINE | EIGEN_(?: STRONG_INLINE | DEVICE_FUNC | ALWAYS_INLINE )
  | __(?: forceinline | inline | restrict | ubsan_ignore_[a-z_]+ | host | device | noinline
      | at_align )(?:__)?
    """,
    re.VERBOSE,
)
"""Words that stand for an attribute, by the suffixes that projects give them."""

_WITH_ARGUMENT = re.compile(
    rb"""
    [A-Z][A-Z0-9_]*_(?: LAUNCH_BOUNDS(?:_[0-9])? | DEPRECATED_MESSAGE | GUARDED_BY
      | EXCLUSIVE_LOCKS_REQUIRED | LOCKS_EXCLUDED | SHARED_LOCKS_REQUIRED | ACQUIRED_AFTER
      | ACQUIRED_BEFORE | ATTRIBUTE | ATTRIBUTE_[A-Z_]+ | AVAILABLE )
  | __(?: attribute | declspec | at_align | align | launch_bounds )(?:__)?
    """,
    re.VERBOSE,
)
"""Words that are attributes together with their argument, within one line."""

_LAMBDA = re.compile(rb"LAMBDA$|DEVICE$|^__(?:host|device)__$")
"""What may stand before the parameters of a lambda; else a parenthesis means a call."""

_END = re.compile(rb"_[A-Z_]\w*")
"""What attributes end with. The search begins with one certain letter, which makes it fast."""

_LETTERS = (string.ascii_letters + string.digits + "_").encode()
_ARGUMENT = re.compile(rb"[ \t]*\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)")
_PARENTHESIS = re.compile(rb"[ \t]*\(")
_DIRECTIVE = re.compile(rb"[ \t]*#")


def blank(text: bytes) -> bytes:
    """The text with attribute macros replaced by as many spaces.

    Lines of the preprocessor stay as they are (`#ifdef USE_VULKAN_API`).
    """
    kept = bytearray(text)
    done = 0
    for match in _END.finditer(text):
        if match.start() < done:
            continue
        line = text.rfind(b"\n", 0, match.start()) + 1
        start = line + len(text[line : match.start()].rstrip(_LETTERS))
        done = _end(text, start, match.end())
        if done > start and not _DIRECTIVE.match(text, line):
            kept[start:done] = b" " * (done - start)
    return bytes(kept)


def _end(text: bytes, start: int, end: int) -> int:
    """Where an attribute with its argument ends; `start` if the word is no attribute here."""
    word = text[start:end]
    bare, with_argument = _forms(word)
    if with_argument:
        argument = _ARGUMENT.match(text, end)
        if argument is not None:
            return argument.end()
    if bare and (_LAMBDA.search(word) or not _PARENTHESIS.match(text, end)):
        return end
    return start


@lru_cache(maxsize=100_000)
def _forms(word: bytes) -> tuple[bool, bool]:
    """Whether the word is an attribute by itself, and whether it is one with an argument."""
    return bool(_ATTRIBUTE.fullmatch(word)), bool(_WITH_ARGUMENT.fullmatch(word))
