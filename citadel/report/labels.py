"""The labels that a tracker's own rules give to a bug of this kind; `labels.json` has the rules.

PyTorch publishes its catalogue of labels for triage; TensorFlow's and Keras' are those that their
open issues have. Under "" stands what holds where nothing else does.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from importlib.resources import files

from citadel.model import Symptom
from citadel.report.severity import severity

Rules = Mapping[str, Mapping[str, Sequence[str]]]
_RULES: Mapping[str, Rules] = json.loads(files(__package__).joinpath("labels.json").read_text())


def suggested(framework: str, api: str, symptom: Symptom) -> tuple[str, ...]:
    """The labels for what an API shows, each once.

    >>> from citadel.model import SymptomKind
    >>> suggested("torch", "torch.linalg.norm", Symptom(kind=SymptomKind.NON_FINITE))
    ('module: correctness (silent)', 'module: NaNs and Infs', 'module: linear algebra')
    >>> suggested("tensorflow", "tf.pad", Symptom(kind=SymptomKind.CRASHES))
    ('type:bug', 'comp:ops')
    """
    rules = _RULES.get(framework, {})
    return tuple(dict.fromkeys(_labels(rules, api, symptom)))


def _labels(rules: Rules, api: str, symptom: Symptom) -> Iterator[str]:
    """The labels in the order of the rules."""
    told = {"severity": str(severity(symptom, api)), "symptom": str(symptom.kind)}
    for question, answers in rules.items():
        if question == "api":
            known = (name for name in answers if name and f"{api}.".startswith(f"{name}."))
            answer = max(known, key=len, default="")
        else:
            answer = told[question]
        yield from answers.get(answer, answers.get("", ()))
