"""Blank out what the C++ grammar takes for something else, keeping all offsets.

In: the text of a C++ or CUDA file. Out: text of equal length and equal line breaks in which macros
that stand for attributes (`TORCH_API`, `C10_HOST_DEVICE`, `TF_GUARDED_BY(mu_)`) are spaces. Without
this `class TORCH_API Foo {` is read as a function and all methods inside are lost.
"""

from __future__ import annotations

import re
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

_WORD = re.compile(rb"[A-Z_](?<!\w\w)\w{5,}")
_ARGUMENT = rb"[ \t]*\((?:[^()\n]|\((?:[^()\n]|\([^()\n]*\))*\))*\)"
_DIRECTIVE = re.compile(rb"[ \t]*#")


def blank(text: bytes) -> bytes:
    """The text with attribute macros replaced by as many spaces."""
    words = {word for word in set(_WORD.findall(text)) if _form(word)}
    return _pattern(frozenset(words)).sub(_spaces, text) if words else text


@lru_cache(maxsize=100_000)
def _form(word: bytes) -> str:
    """How the word is an attribute: bare, with an argument, either, or ("") not at all."""
    bare = "bare" if _ATTRIBUTE.fullmatch(word) else ""
    return bare + ("argument" if _WITH_ARGUMENT.fullmatch(word) else "")


@lru_cache(maxsize=1_000)
def _pattern(words: frozenset[bytes]) -> re.Pattern[bytes]:
    parts = []
    for word in sorted(words):
        # The check for the start of the word stands behind its first letter, for the sake of speed.
        start = word[:1] + rb"(?<!\w\w)" + word[1:]
        if _form(word) != "bare":
            parts.append(start + _ARGUMENT)
        if _form(word) != "argument":
            parts.append(start + (rb"\b" if _LAMBDA.search(word) else rb"\b(?![ \t]*\()"))
    return re.compile(b"|".join(parts))


def _spaces(match: re.Match[bytes]) -> bytes:
    """Spaces, except in the lines of the preprocessor (`#ifdef USE_VULKAN_API`)."""
    start = match.string.rfind(b"\n", 0, match.start()) + 1
    if _DIRECTIVE.match(match.string, start):
        return match.group()
    return b" " * len(match.group())
