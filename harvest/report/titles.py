"""Markdown without a title of its own -> what stands for it.

In: lines of a report that is not an issue's JSON. Out: the line that stands alone above a
tracker's form (what is copied from its page begins so), else the first heading, or, where all
headings are those of a form, the first line that its reporter wrote. A form shows by its shape:
several headings of one level, each followed by a single short answer.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from analysis.rules import Registry
from harvest.report.lines import heading_of, is_dump_heading, is_environment
from harvest.report.text import shorten
from harvest.report.wordings import Wording, Wordings

_ATX = re.compile(r"[ \t]{0,3}(#{1,6})[ \t]")
_FENCE = re.compile(r"\s*(?:```|~~~)")
_ANSWER_WORDS = 8
_ANSWER_LENGTH = 80
_TITLE_LENGTH = 200
_BOLD = 7
_DUMP_WORDS = 3
"""Words of a heading up to which it may be that of a dump; longer ones say something."""
_FIELDS = 2
"""Headings with a short answer that make a form of all headings of their level."""
_FORM_HEADING = Wordings(
    Wording(
        "title/asks-to-describe",
        r"describe the (?:bug|issue)|additional context|(?:the )?feature, motivation and pitch",
        ("### Describe the bug", "The feature, motivation and pitch"),
        ("A bug in fold",),
    ),
    Wording(
        "title/asks-how-to-reproduce",
        r"(?:steps |code |how )?to reproduce"
        r"|standalone code(?: to reproduce)?(?: the issue)?|source code",
        ("Steps to reproduce", "Standalone code to reproduce the issue"),
        ("How to pad",),
    ),
    Wording("title/asks-for-a-type", r"issue type", ("Issue Type",), ("Issue with fold",)),
    Wording(
        "title/asks-for-behaviour",
        r"(?:current|actual|expected) (?:behaviou?r|result|output)",
        ("Current Behaviour?",),
        ("Current release",),
    ),
    Wording(
        "title/asks-for-output",
        r"errors? (?:logs?|messages?)|(?:relevant )?log output",
        ("Error messages", "Relevant log output"),
        ("Errors of fold",),
    ),
    before=r"^\W*",
    after=r"\W*$",
    flags=re.IGNORECASE,
)
"""Headings of forms that some reporters leave alone in a report, so that no shape tells."""


@dataclass(slots=True)
class _Section:
    """A heading (level 0: what stands above the first one, 7: a line in bold) and its text.

    `other` tells that there is more below it than that: code, comments, HTML, versions.
    """

    level: int
    heading: str
    text: list[str]
    other: bool = False

    @property
    def is_dump(self) -> bool:
        """Whether versions and choices stand below the heading."""
        return len(self.heading.split()) <= _DUMP_WORDS and is_dump_heading(self.heading)

    @property
    def is_usual(self) -> bool:
        """Whether the heading is one of a form, by its words: a single one says nothing, unless
        it is the name of an API."""
        one_word = len(re.findall(r"[\w.]+", self.heading)) == 1 and "." not in self.heading
        return one_word or self.is_dump or bool(_FORM_HEADING.search(self.heading))

    @property
    def is_field(self) -> bool:
        """Whether a single short answer stands below the heading."""
        if not self.level or self.other or len(self.text) != 1:
            return False
        (line,) = self.text
        words = line.split()
        sentence = line.endswith((".", "!", ":")) and len(words) > 1
        return len(line) <= _ANSWER_LENGTH and len(words) <= _ANSWER_WORDS and not sentence


def title_of(lines: Sequence[str]) -> str:
    """Return the title of Markdown, "" where there is neither a heading nor text."""
    sections = list(_sections(lines))
    fields = Counter(section.level for section in sections if section.is_field)
    forms = {level for level, count in fields.items() if count >= _FIELDS}
    return _TITLES.first(sections, forms) or ""


_TITLES: Registry[[Sequence[_Section], set[int]], str] = Registry("title")
"""What may be the title, given the sections and the levels of a form's headings."""


@_TITLES.rule("line-above-a-form")
def _line_above(sections: Sequence[_Section], forms: set[int]) -> str | None:
    """The line above a form, if it is the only one and no heading is a title."""
    first, *rest = sections
    titled = any(each.level == 1 and not each.is_usual for each in rest)
    if first.other or len(first.text) != 1 or not rest or not rest[0].is_usual or titled:
        return None
    (line,) = first.text
    return line if len(line) <= _TITLE_LENGTH and not line.endswith((".", ":", ",")) else None


@_TITLES.rule("own-heading")
def _own_heading(sections: Sequence[_Section], forms: set[int]) -> str | None:
    """The first heading that is none of a form; a line in bold, if there is just one."""
    own = [one for one in sections if one.level and one.level not in forms and one.heading]
    bold = [one for one in own if one.level == _BOLD]
    titles = [one for one in own if one.level < _BOLD] + (bold if len(bold) == 1 else [])
    return next((one.heading for one in titles if not one.is_usual), None)


@_TITLES.rule("first-line")
def _first_line(sections: Sequence[_Section], forms: set[int]) -> str | None:
    """The first line that the reporter wrote."""
    for section in sections:
        field = section.level in forms and section.is_field
        if section.text and not section.is_dump and not field:
            return shorten(section.text[0])
    return None


@_TITLES.rule("any-heading")
def _any_heading(sections: Sequence[_Section], forms: set[int]) -> str | None:
    """The first heading."""
    return next((section.heading for section in sections if section.heading), None)


def _sections(lines: Sequence[str]) -> Iterator[_Section]:
    section, fenced = _Section(level=0, heading="", text=[]), False
    for line in lines:
        if _FENCE.match(line):
            fenced = not fenced
            section.other = True
        elif fenced or not line.strip():
            continue
        elif (heading := heading_of(line)) is not None:
            yield section
            found = _ATX.match(line)
            level = len(found[1]) if found else _BOLD
            section = _Section(level=level, heading=heading.rstrip("# \t"), text=[])
        elif line.lstrip().startswith("<") or is_environment(line):
            section.other = True  # a comment of the form's, HTML, a version
        else:
            section.text.append(line.strip())
    yield section
