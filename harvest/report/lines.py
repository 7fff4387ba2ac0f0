"""What a single line of a report looks like: program output, prose, an environment dump, code."""

from __future__ import annotations

import keyword
import re

_KEYWORDS = frozenset({*keyword.kwlist, "print", "exec", "match", "case", "type"})
_STRING = re.compile(r"'[^'\n]*+'|\"[^\"\n]*+\"")
_PAIR = re.compile(r"\b([A-Za-z_][\w']*+) +(?=([A-Za-z_][\w']*+))")
_LABEL = re.compile(r"([A-Za-z]\w*+)(?: [\w/-]+){0,5}:(?:\s+[^=]*)?")
_SENTENCE = re.compile(r"[A-Za-z][^=()\[\]{}]* [^=()\[\]{}]*[A-Za-z]{2}[.!?]")
_OUTPUT = re.compile(
    r"""\s*+(?:
      Traceback\ \(most\ recent\ call\ last\) | File\ ".*",\ line\ \d+ | [\^~]+C?\s*$
    | tensor\( | (?:\w+\s*=\s*)?+[\[({]*+(?:'\w+':\s*)?+<tf\.
    | tf\.Tensor\( | array\( | <[\w.]+\ object\ at | \[\s*[-+\d.]+\s+[-+\d.]
    | Out\s?\[\d+\] | -{2,}>\s | [-=*_]{4,}\s*$ | \(?-?[\d.]+(?:e[-+]?\d+)?\)?\s*$
    | \d{4}-\d\d-\d\d[\ T]\d\d:\d\d | [WIEF]\d{4}\s\d\d: | [WIEF]\ tensorflow/
    | Segmentation\ fault | Floating\ point\ exception | Aborted\b | Illegal\ instruction
    | Bus\ error | Killed\s*$ | terminate\ called | Fatal\ Python\ error | Check\ failed:
    | [\w.]*(?:Error|Exception|Warning):\s | (?:/|[A-Za-z]:\\)[^\s:]+:\d+:
    | \[?(?:INFO|WARNING|ERROR)\b
    | Process\ finished | Current\ thread | Thread\ 0x | Extension\ modules:
    )""",
    re.VERBOSE,
)
_VALUES = re.compile(
    r"(?:True|False|None|nan|inf|dtype=[\w.]+|shape=|[-+\d.,()\[\]{}:<>eEj\s'\"])++"
)
_PRODUCTS = (
    r"PyTorch|Torch|TensorFlow|Keras|Python|NumPy|GCC|Clang|CMake|Libc|ROCM?|HIP(?:\ runtime)?"
    r"|CUDA(?:\ runtime)?|cuDNN|MIOpen(?:\ runtime)?|Bazel|OS|Nvidia\ driver"
)
_ENVIRONMENT = re.compile(
    rf"""\s*+(?:[-*]\s+)?[*_]{{0,2}}(?:
      Collecting\ environment | (?:{_PRODUCTS})(?:\s+version)?(?:\s*\([^()]*\))?\s*[*_]{{0,2}}:
    | (?:Is|CUDA|ROCM)\ [\w\ /]+:\ | Versions\ of\ relevant | \[(?:pip3?|conda)\]
    | (?:GPU|CUDA_MODULE_LOADING|XNNPACK)[\w\ ]*: | Python\ platform: | Architecture:
    | CPU(?::\s*$|\(s\)|\ (?:family|max|min|op-mode|scaling))
    | Model\ name: | Vendor\ ID: | Vulnerability\ | Flags: | L\d\w?\ cache: | NUMA\b
    | Thread\(s\) | Core\(s\) | Socket\(s\) | BogoMIPS: | Byte\ Order: | Stepping:
    | (?:Have\ I\ written|Are\ you\ willing|Exact\ command|TensorFlow\ installed)
    | OS\ (?:version|platform) | How\ you\ installed | Build\ command | CUDA/cuDNN | cc\ @
    )""",
    re.VERBOSE,
)
_HEADING = re.compile(
    r"[ \t]{0,3}(?:#{1,6}[ \t]+(?P<atx>.*)|(?:\*\*|__)(?P<bold>[^*\n]{1,100})(?:\*\*|__)[ \t:?]*$)"
)
_DUMP_HEADING = re.compile(
    r"""[\W_]*(?:
      versions?\b | environment\b | (?:my\ )?(?:system|software|env)\b | issue\ type | have\ you
    | have\ i\b | source\b | custom\ code | os\b | (?:mobile\ )?device\b | gcc\b | cuda\b
    | gpu\ model | click\ to\ expand | checklist
    | (?:tensorflow|tf|torch|pytorch|keras|python|bazel|cuda|gcc|library)\ ?(?:/\w+)?\ version
    )""",
    re.VERBOSE | re.IGNORECASE,
)


def is_output(line: str) -> bool:
    """Tell whether `line` is what a program prints: logs, arrays, tracebacks."""
    line = line[:500]
    return bool(_OUTPUT.match(line)) or (
        line[:1] not in (" ", "\t", "") and line[-1] != "," and bool(_VALUES.fullmatch(line))
    )


def is_values(line: str) -> bool:
    """Tell whether `line` holds nothing but numbers and the like: code, or a part of an array."""
    return bool(_VALUES.fullmatch(line[:500]))


def is_prose(line: str) -> bool:
    """Tell whether words stand side by side as they never do in Python, or label what follows."""
    code = _STRING.sub('""', line[:500]).partition("#")[0]
    label = _LABEL.fullmatch(code.rstrip())
    if label and label[1] not in _KEYWORDS and not code.rstrip().endswith(","):
        return True
    if _SENTENCE.fullmatch(code.strip()):
        return True
    return any(
        found[1] not in _KEYWORDS and found[2] not in _KEYWORDS for found in _PAIR.finditer(code)
    )


def is_foreign(line: str) -> bool:
    """Tell whether `line` is text or output rather than Python."""
    return is_output(line) or is_prose(line)


def is_environment(line: str) -> bool:
    """Tell whether `line` belongs to a dump of versions and hardware."""
    return bool(_ENVIRONMENT.match(line[:500]))


def heading_of(line: str) -> str | None:
    """Return the text of a heading (`### x`, or a line that is bold as a whole), else None."""
    found = _HEADING.match(line[:300])
    return None if found is None else (found["atx"] or found["bold"] or "").strip()


def is_dump_heading(heading: str) -> bool:
    """Tell whether the section below `heading` lists versions and choices, not what happened."""
    return bool(_DUMP_HEADING.match(heading))
