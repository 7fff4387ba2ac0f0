"""The 16 equivalence rules of EAGLE's paper, by its numbers.

What runs them is in `analysis/inside/eagle_*`: there a rule is the number in a pair of executions.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum


class Category(StrEnum):
    """The six categories of the paper."""

    OPTIMISATION = "optimisation"
    REDUNDANCY = "API redundancy"
    STRUCTURE = "data structure"
    FORMAT = "data format"
    INVERSE = "inverse"
    EVALUATION = "model evaluation"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """A rule. `differs` completes "{api} ..." for a title, with the variant in it."""

    name: str
    category: Category
    formula: str
    differs: str


def _rules() -> list[Rule]:
    opt, same, data = Category.OPTIMISATION, Category.REDUNDANCY, Category.STRUCTURE
    form, back, model = Category.FORMAT, Category.INVERSE, Category.EVALUATION
    rows = (
        ("1", opt, "F(I) = optimised(F)(I)", "eagerly and with {variant}"),
        ("2", same, "F(I, padding=SAME) = F(pad(I, SAME))", "with its own padding and after pad"),
        ("3", same, "F2D(I) = F3D(I with a dummy dimension)", "with one dimension more"),
        (
            "4",
            same,
            "depthwise(I) = convolution per channel(I)",
            "depthwise and channel by channel",
        ),
        ("5", same, "separable(I) = 1x1(depthwise(I))", "separable and in two steps"),
        (
            "6",
            same,
            "dilated(I, K) = convolution(I, K with zeros)",
            "dilated and with zeros between",
        ),
        ("7", same, "F(I) = the documented formula", "and by its documented formula"),
        ("8", data, "F(dense) = F(sparse)", "for dense and {variant} input"),
        ("8s", data, "F(I) = F(I with other strides)", "for contiguous input and {variant}"),
        ("9", form, "F(I) = denorm(F(norm(I)))", "for {variant} images and images of fractions"),
        ("10", form, "F(I^T, batch-major)^T = F(I, time-major)", "batch-major and time-major"),
        ("11", form, "F(I) = F(Dataset(I))", "for tensors and for what a {variant} makes of them"),
        ("12", form, "F(cast(I, X)) = F(cast(I, Y))", "for {variant} and a wider dtype"),
        ("13", back, "decode(encode(I)) = I", "and its inverse"),
        ("14", back, "unpad(pad(I)) = I", "and its inverse"),
        ("15", model, "eval(M, I, batch 1) = eval(M, I, batch 2)", "evaluated in other batches"),
        ("16", model, "eval(M, I) = eval(load(save(M)), I)", "before and after saving ({variant})"),
    )
    return [Rule(name=a, category=b, formula=c, differs=d) for a, b, c, d in rows]


RULES: Mapping[str, Rule] = {rule.name: rule for rule in _rules()}
""""8s" is ours: equal elements that lie otherwise in memory."""
