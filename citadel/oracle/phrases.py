"""Words of reports, labels and messages that say something of values: phrases of oracles."""

from __future__ import annotations

import re

from analysis.rules import Phrase

REFERENCE = Phrase(
    "hint/reference",
    r"\b(?:expect\w*|should|reference|ref|truth|correct|right|numpy|np|scipy|float64|double|fp64"
    r"|exact|manual\w*|naive|gold\w*|baseline|desired|wanted)\b",
    re.IGNORECASE,
    finds=("expected:", "numpy says"),
    spares=("torch says",),
)
MODES = Phrase(
    "hint/mode",
    r"\b(?:eager|graph|xla|jit\w*|compiled?|inductor|traced|scripted|cpu|gpu|cuda|forward|reverse"
    r"|contiguous|strided|channels.?last|batch\w*|single|in.?place|dense|sparse|out"
    r"|functional|module)\b",
    re.IGNORECASE,
    finds=("eager:", "compiled result", "in-place"),
    spares=("result:",),
)
LAYOUTS = Phrase(
    "hint/layout",
    r"contiguous|\b(?:strides?|strided|transposed|views?|layouts?|memory.?formats?|channels.?last"
    r"|sparse(?:.?tensors?)?|ragged(?:.?tensors?)?|fortran|column.major)\b",
    re.IGNORECASE,
    finds=("non-contiguous input", "transposed view", "channels_last"),
    spares=("large input",),
)
"""Words for how the numbers of a tensor lie in memory."""
WRITES = Phrase(
    "hint/writes",
    r"\bin.?place\b|\bout ?=|`out`"
    r"|\b(\w{2,30})_\b.{1,40}\b\1\b(?!_)|\b(\w{2,30})\b.{1,40}\b\2_(?!\w)",
    re.IGNORECASE,
    finds=("sum(out=) is wrong", "add_ and add differ", "in-place copy"),
    spares=("add is wrong",),
)
"""Words for where a result is written to."""
GOOD = Phrase(
    "hint/good",
    r"\b(?:ok(?:ay)?|good|same|equal|match(?:es)?|close|correct|pass(?:ed|es)?|within|fine|valid"
    r"|expected|tolerance|agrees?|consistent)\b",
    re.IGNORECASE,
    finds=("ok", "results match"),
    spares=("results",),
)
TELLING = Phrase(
    "printed/value",
    r"\d|\b(?:nan|inf|True|False)\b",
    finds=("y = 3", "nan", "True"),
    spares=("done",),
)
NOT_FINITE = Phrase(
    "hint/not-finite",
    r"\b(?:-?inf(?:inite|inity|s)?|nans?|non-?finite|overflow\w*)\b",
    re.I,
    finds=("f gives NaN", "overflows to inf", "non-finite loss"),
    spares=("information",),
)
NAN_IS_LOST = Phrase(
    "hint/nan-is-lost",
    r"\b(?:swallow\w*|ignor\w*|los(?:es?|ing|t)|hid(?:es?|ing|den)|discard\w*"
    r"|(?:does not|doesn't|do not|don't|fails? to|should|must)"
    r" (?:propagate|preserve|keep|return))\b"
    r"[^.,;:]{0,15}\bnans?\b"
    r"|\b(?:replac(?:es?|ing)|turn(?:s|ing)?|convert(?:s|ing)?|maps?|masks?|masking|drop(?:s|ping)?)"
    r" (?:(?!\b(?:into|to|by|with)\b)[^.,;:]){0,15}\bnans?\b(?! (?:is|are)\b)"
    r"|\bnans?\b[^.,;:]{0,25}?"
    r"\b(?:becomes?|turns? into|(?:turned|converted|mapped) (?:in)?to|replaced (?:by|with))"
    r" (?!-?inf|nan)"
    r"|\bnever (?:is|are|returns|gives|becomes|yields|produces) (?:an? )?nans?\b"
    r"|\bnans? (?:is |are |was |gets? |being ){0,2}(?:swallowed|ignored|lost|hidden|discarded"
    r"|(?:not|n't) (?:being )?(?:propagated|preserved|kept))\b",
    re.IGNORECASE,
    finds=(
        "torch.sign swallows NaN",
        "amax does not propagate nan",
        "nan becomes 0",
        "NaN is ignored",
    ),
    spares=("f gives NaN", "nan turns into inf"),
)
_INFINITY = r"[-+]?\binf(?:init(?:y|ies))?s?\b"
_ONE = rf"(?:an? |the )?{_INFINITY}"
INFINITY_IS_LOST = Phrase(
    "hint/infinity-is-lost",
    # Each word stands right beside the number: what gives infinities loses other things.
    rf"\b(?:swallow(?:s|ing)?|los(?:es?|ing)|drop(?:s|ping)?|discard(?:s|ing)?) {_ONE}"
    rf"|\b(?:turn|convert|map|replac|clamp)(?:e?s|ing) {_ONE} (?:into|to|by|with)\b(?! nan)"
    rf"|{_INFINITY} (?:becomes|turns into|(?:is |are |gets? |being )?(?:turned into|converted to"
    r"|replaced (?:by|with))) (?!-?inf|nan)"
    rf"|{_INFINITY} (?:is |are |gets? |being )(?:lost|dropped|swallowed|discarded)\b"
    rf"|\b(?:should|must) (?:return|give|yield|be) {_ONE}"
    rf"|\bnever (?:returns|gives|yields|is|becomes) {_ONE}",
    re.IGNORECASE,
    finds=("f turns -inf into the lowest number", "should return inf", "inf becomes 0"),
    spares=("f returns inf",),
)
"""Titles that miss NaN, or infinity: what is shown to be so is no bug then."""
WHERE_FULL = Phrase(
    "hint/nan-where-full",
    r"(\bnans?\b.*?)\b(?:where|when|if|once|as soon as)\b[^.;]*?\boverflow\w*",
    re.IGNORECASE,
    finds=("f gives NaN where exp would overflow",),
    spares=("f overflows",),
)
"""That a result is NaN where something overflows: that says when."""
_OF_PARTS = (
    r"\bdepends? on (?:\w+ ){0,3}"
    r"(?:length|size|shape|layout|strides?|contiguity|number|many|positions?|order)\b"
    r"|\b(?:length|size|shape|layout|position|order)[- ]dependent\b"
)
OF_PARTS = Phrase(
    "hint/depends-on-part",
    _OF_PARTS,
    re.IGNORECASE,
    finds=("result depends on the length of the tensor", "shape-dependent result"),
    spares=("depends on the seed",),
)
"""A title by which a part of the input gives another result than all of it."""
DIFFERENT = Phrase(
    "hint/different",
    r"\b(?:inconsisten\w*|differ(?:s|ed|ing|en(?:t|tly|ces?))?|diverge\w*|mismatch\w*"
    rf"|disagree\w*|not (?:the )?same|not equal|unequal)\b|{_OF_PARTS}",
    re.IGNORECASE,
    finds=("f and g disagree", "inconsistent results", "depends on the size"),
    spares=("f is wrong",),
)
"""A title by which values differ from one another."""
_CLAUSE_ENDS = r"(?:[.,;:](?=\s)|\b(?:but|while|whereas|yet)\b)"
ALIKE = Phrase(
    "hint/alike",
    rf"(?:^|{_CLAUSE_ENDS})(?:(?!{_CLAUSE_ENDS}|n['\u2019]t\b|\b(?:not|never|(?<!with )no|cannot"
    r"|neither|nor|should|must|ought|expect\w*|supposed|fail(?:s|ed|ing|ures?)?"
    r"|unable)\b).)*?"
    r"\b(?:gives?|returns?|produces?|generates?|yields?|draws?|samples?|makes?)"
    r" (?:(?:the|an?|all|always|only|exactly) ){0,3}"
    r"(?:same|identical|duplicated?|constants?|equal)\b",
    re.IGNORECASE,
    finds=("f always returns the same numbers", "randperm gives identical results"),
    spares=("f does not give the same result",),
)
"""A title by which values are alike that should not be, unless it denies or asks for that."""
NAMED_REFERENCE = Phrase(
    "hint/reference-name",
    r"(?:^|_)(?:expect(?:ed)?|ref(?:erence)?|truth|correct|desired|wanted|gold(?:en)?|baseline)"
    r"(?:_|\d|$)",
    re.IGNORECASE,
    finds=("expected_y", "y_ref"),
    spares=("preferred",),
)
BAD = Phrase(
    "hint/bad",
    r"\b(?:not (?:ok(?:ay)?|equal|close|(?:the )?same|match\w*|expected|correct)|bugs?|wrong"
    r"|fail\w*"
    r"|mismatch\w*|differ\w*|incorrect|inconsisten\w*|disagree\w*|unequal|broken|bad|raise|errors?"
    r"|unexpected)\b|!=",
    re.IGNORECASE,
    finds=("not equal", "mismatch", "BUG"),
    spares=("equal",),
)
