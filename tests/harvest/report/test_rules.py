"""Every decision rule of reading has examples, and reading goes on without any one of them."""

import importlib
import pkgutil
import re
from pathlib import Path

import pytest

from analysis.rules import Phrase, counted_since, counts, known, switched_off
from harvest import importers, report
from harvest.report.filters import FILTERS, reasons
from harvest.report.inputs import from_bytes
from harvest.report.repair import Repaired, add_imports, repair
from harvest.report.understand import understand

for package in (report, importers):
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)

_SOURCES = [path.read_text() for path in Path(report.__file__).parent.rglob("*.py")]
_IDS = re.compile(r'"([a-z-]+)/[^"\s]+"')
ROOMS = {room for text in _SOURCES for room in _IDS.findall(text)} | {"fuzzer"}
RULES = {name: rule for name, rule in known().items() if name.partition("/")[0] in ROOMS}
PHRASES = [rule for rule in RULES.values() if isinstance(rule, Phrase)]


@pytest.mark.parametrize("phrase", PHRASES, ids=lambda phrase: phrase.id)
def test_phrase_finds_its_sentences_and_spares_the_others(phrase: Phrase) -> None:
    assert phrase.finds
    assert [text for text in phrase.finds if not phrase.search(text)] == []
    assert [text for text in phrase.spares if phrase.search(text)] == []


@pytest.mark.parametrize("name", ["repair/echoed-values", "repair/missing-imports"])
def test_examples_of_repairs_of_code_that_parses(name: str) -> None:
    for before, after in RULES[name].examples:
        found = repair(before)
        assert isinstance(found, Repaired)
        assert add_imports(found).code == after


REPORTS = (
    """# fold crashes on CPU and GPU, returns inf instead of 3

Expected behavior: a ValueError should be raised.
It is slower than NumPy, where np.fold correctly raises.

```python
>>> import torch
>>> torch.fold(x, device="cuda")
Traceback (most recent call last):
  File "a.py", line 1
RuntimeError: no kernel
```
Versions
[pip3] torch==2.0
""",
    """## Issue type

Performance

## Code

```
1 import tensorflow as tf
2 for d in ["cpu", "cuda"]:
3     tf.unique(x)  # slow
4     tf.sort(x)  # fast
```
Segmentation fault (core dumped)
""",
    """`torch.roll` accepts an invalid `dims=-9` silently

import torch
torch.roll(torch.ones(2), 1, -9)  # should raise

    $ python -c "import torch
    print torch.ones(2)
""",
)
"""A few lines that many rules have something to say about."""


def _read(text: str) -> None:
    for item in from_bytes(text.encode(), source="-", form="markdown"):
        reasons(item, understand, FILTERS)


@pytest.mark.parametrize("text", REPORTS)
def test_reading_goes_on_without_any_one_rule(text: str) -> None:
    before = counts()
    _read(text)
    asked = counted_since(before).keys() & RULES.keys()
    assert len(asked) > 50
    for name in asked:
        with switched_off(name):
            _read(text)
