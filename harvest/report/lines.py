"""What a single line of a report looks like: program output, prose, an environment dump, code."""

from __future__ import annotations

import keyword
import re

from analysis.rules import Phrase
from harvest.report.wordings import Wording, Wordings

_KEYWORDS = frozenset({*keyword.kwlist, "print", "exec", "match", "case", "type"})
_STRING = re.compile(r"'[^'\n]*+'|\"[^\"\n]*+\"")
_PAIR = Phrase(
    "prose/words-side-by-side",
    r"\b([A-Za-z_][\w']*+) +(?=([A-Za-z_][\w']*+))",
    finds=("This fails for me",),
    spares=("f(x) + g(y)",),
)
_LABEL = Phrase(
    "prose/label",
    r"([A-Za-z]\w*+)(?: [\w/-]+){0,5}:(?:\s+[^=]*)?",
    finds=("Output of the run:",),
    spares=("x = 1",),
)
_SENTENCE = Phrase(
    "prose/sentence",
    r"[A-Za-z][^=()\[\]{}]* [^=()\[\]{}]*[A-Za-z]{2}[.!?]",
    finds=("It fails here.",),
    spares=("f(x)",),
)
_OUTPUT = Wordings(
    Wording(
        "output/traceback",
        r"Traceback\ \(most\ recent\ call\ last\) | File\ \".*\",\ line\ \d+ | [\^~]+C?\s*$",
        ("Traceback (most recent call last):", '  File "a.py", line 3', "   ^^^^"),
        ("x = 1",),
    ),
    Wording(
        "output/tensor",
        r"tensor\( | (?:\w+\s*=\s*)?+[\[({]*+(?:'\w+':\s*)?+<tf\. | tf\.Tensor\( | array\(",
        ("tensor([1., 2.])", "x = <tf.Tensor: shape=(), numpy=1>"),
        ("x = torch.ones(3)",),
    ),
    Wording("output/object", r"<[\w.]+\ object\ at", ("<f.G object at 0x7f>",), ("<b>",)),
    Wording("output/array", r"\[\s*[-+\d.]+\s+[-+\d.]", ("[1. 2. 3.]",), ("[1, 2]",)),
    Wording(
        "output/marked-as-result",
        r"Out\s?\[\d+\] | -{2,}>\s | [-=*_]{4,}\s*$",
        ("Out[3]: 4", "--> 4", "======"),
        ("In [3]: 4",),
    ),
    Wording("output/number", r"\(?-?[\d.]+(?:e[-+]?\d+)?\)?\s*$", ("-1.5e-07",), ("two",)),
    Wording(
        "output/log",
        r"\d{4}-\d\d-\d\d[\ T]\d\d:\d\d | [WIEF]\d{4}\s\d\d: | [WIEF]\ tensorflow/",
        ("2024-03-01 10:00:07.1", "W0301 10:00:07", "E tensorflow/core/a.cc:3"),
        ("March 2024",),
    ),
    Wording(
        "output/crash",
        r"Segmentation\ fault | Floating\ point\ exception | Aborted\b | Illegal\ instruction"
        r" | Bus\ error | Killed\s*$ | terminate\ called | Fatal\ Python\ error"
        r" | Check\ failed:",
        ("Aborted (core dumped)", "Killed", "Check failed: rank >= 0"),
        ("It is aborted",),
    ),
    Wording(
        "output/exception",
        r"[\w.]*(?:Error|Exception|Warning):\s",
        ("ValueError: no", "UserWarning: soon gone"),
        ("except ValueError:",),
    ),
    Wording(
        "output/place-in-a-file",
        r"(?:/|[A-Za-z]:\\)[^\s:]+:\d+:",
        ("/home/me/a.py:3: note",),
        ("a/b",),
    ),
    Wording("output/level-of-a-log", r"\[?(?:INFO|WARNING|ERROR)\b", ("[INFO] ready",), ("Info",)),
    Wording(
        "output/end-of-a-process",
        r"Process\ finished | Current\ thread | Thread\ 0x | Extension\ modules:",
        ("Process finished with exit code 0", "Thread 0x00007f (most recent call first):"),
        ("Thread()",),
    ),
    before=r"\s*+",
    flags=re.VERBOSE,
)
_VALUES = re.compile(
    r"(?:True|False|None|nan|inf|dtype=[\w.]+|shape=|[-+\d.,()\[\]{}:<>eEj\s'\"])++"
)
_PRODUCTS = (
    r"PyTorch|Torch|TensorFlow|Keras|Python|NumPy|GCC|Clang|CMake|Libc|ROCM?|HIP(?:\ runtime)?"
    r"|CUDA(?:\ runtime)?|cuDNN|MIOpen(?:\ runtime)?|Bazel|OS|Nvidia\ driver"
)
_ENVIRONMENT = Wordings(
    Wording(
        "environment/head",
        r"Collecting\ environment | Versions\ of\ relevant",
        ("Collecting environment information...", "Versions of relevant libraries:"),
        ("Collecting data",),
    ),
    Wording(
        "environment/version",
        rf"(?:{_PRODUCTS})(?:\s+version)?(?:\s*\([^()]*\))?\s*[*_]{{0,2}}:",
        ("PyTorch version: 2.0", "- **Python version**: 3.9"),
        ("PyTorch is wrong",),
    ),
    Wording("environment/question", r"(?:Is|CUDA|ROCM)\ [\w\ /]+:\ ", ("Is CUDA available: No",)),
    Wording("environment/package", r"\[(?:pip3?|conda)\]", ("[pip3] numpy==1.26",), ("[conf]",)),
    Wording(
        "environment/gpu",
        r"(?:GPU|CUDA_MODULE_LOADING|XNNPACK)[\w\ ]*:",
        ("GPU models and configuration: none",),
        ("GPU memory",),
    ),
    Wording(
        "environment/platform",
        r"Python\ platform: | Architecture:",
        ("Python platform: Linux", "Architecture: x86_64"),
        ("Architecture",),
    ),
    Wording(
        "environment/processor",
        r"CPU(?::\s*$|\(s\)|\ (?:family|max|min|op-mode|scaling)) | Model\ name: | Vendor\ ID:"
        r" | Vulnerability\  | Flags: | L\d\w?\ cache: | NUMA\b | Thread\(s\) | Core\(s\)"
        r" | Socket\(s\) | BogoMIPS: | Byte\ Order: | Stepping:",
        ("CPU family: 6", "Model name: some processor", "Vulnerability Mds: no"),
        ("CPU gives 3",),
    ),
    Wording(
        "environment/form-of-tensorflow",
        r"(?:Have\ I\ written|Are\ you\ willing|Exact\ command|TensorFlow\ installed)"
        r" | OS\ (?:version|platform) | How\ you\ installed | Build\ command | CUDA/cuDNN",
        ("Have I written custom code: yes", "OS platform and distribution: Linux"),
        ("Have I done it right?",),
    ),
    Wording("environment/mention-of-people", r"cc\ @", ("cc @somebody",), ("cc",)),
    before=r"\s*+(?:[-*]\s+)?[*_]{0,2}",
    flags=re.VERBOSE,
)
_HEADING = re.compile(
    r"[ \t]{0,3}(?:#{1,6}[ \t]+(?P<atx>.*)|(?:\*\*|__)(?P<bold>[^*\n]{1,100})(?:\*\*|__)[ \t:?]*$)"
)
_DUMP_HEADING = Wordings(
    Wording(
        "title/versions",
        r"versions?\b | environment\b | (?:my\ )?(?:system|software|env)\b | os\b"
        r" | (?:mobile\ )?device\b | gcc\b | cuda\b | gpu\ model",
        ("Versions", "My system", "GPU model and memory"),
        ("It fails",),
    ),
    Wording(
        "title/version-of-a-product",
        r"(?:tensorflow|tf|torch|pytorch|keras|python|bazel|cuda|gcc|library)\ ?(?:/\w+)?"
        r"\ version",
        ("TensorFlow version", "GCC/compiler version"),
        ("Which TensorFlow",),
    ),
    Wording(
        "title/field-of-a-form",
        r"issue\ type | have\ you | have\ i\b | source\b | custom\ code | click\ to\ expand"
        r" | checklist",
        ("Issue type", "Have you reproduced the bug with nightly?"),
        ("The issue",),
    ),
    before=r"[\W_]*",
    flags=re.VERBOSE | re.IGNORECASE,
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
