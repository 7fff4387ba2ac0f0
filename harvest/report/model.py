"""What a report says, before anything of it has run."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class ClaimKind(StrEnum):
    """What the reporter saw, as pasted or told."""

    RAISES = "raises"
    CRASHES = "crashes"
    HANGS = "hangs"
    VALUE = "value"
    PERFORMANCE = "performance"


class ClaimSource(StrEnum):
    """Where a claim was found, strongest first."""

    LOG = "log"
    TITLE = "title"
    BODY = "body"


class Need(StrEnum):
    """What the code wants that a sandboxed CPU run cannot give."""

    CUDA = "cuda"
    MPS = "mps"
    NETWORK = "network"
    FILES = "files"
    PACKAGE = "package"
    DISTRIBUTED = "distributed"
    DEVICE = "device"
    """Another accelerator; the detail names it ("xpu")."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Comment:
    """What somebody answered. `key` is the same for all versions of one comment."""

    key: str
    author: str
    body: str


class LinkKind(StrEnum):
    """What an issue's history points at."""

    COMMIT = "commit"
    PULL_REQUEST = "pull request"
    ISSUE = "issue"


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Something that an issue's history points at.

    `target` is an address or a commit's id; `closes` tells that it closed the issue, or will.
    """

    kind: LinkKind
    target: str
    closes: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LinkedCode:
    """What was fetched from behind a link in a report, or why nothing was."""

    url: str
    code: str
    error: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """One bug report. `source` is the input as the user named it.

    `code` is set for a plain script: the whole of it is then the one snippet. `comments` is how
    many there are, `thread` those that came with the report. `files` lie beside a harvest: what a
    search has drawn of its case.
    """

    source: str
    title: str
    body: str
    repository: str | None = None
    number: int | None = None
    labels: tuple[str, ...] = ()
    state: str = ""
    comments: int = 0
    created_at: str = ""
    url: str | None = None
    code: str | None = None
    state_reason: str = ""
    updated_at: str = ""
    pull_request: bool = False
    thread: tuple[Comment, ...] = ()
    links: tuple[Link, ...] = ()
    linked_code: tuple[LinkedCode, ...] = ()
    files: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class BadInput:
    """An input that holds no report: what is wrong with it and what to do about that."""

    source: str
    error: str
    hint: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Snippet:
    """Python source found in a report, repaired until it parses.

    `repairs` names the repair steps that changed it, in order; `needs` what it would take to run
    it; `origin` tells the fence ("fence 1"), several ("fences 1+2"), "file", or where beside the
    report's own text it comes from ("comment 2, fence 1", "link 1").
    """

    code: str
    origin: str
    repairs: tuple[str, ...] = ()
    needs: tuple[tuple[Need, str], ...] = ()
    """(what, detail), e.g. (Need.PACKAGE, "torchvision")."""
    missing: tuple[str, ...] = ()
    """Names that nothing in the report binds: the code may end in a NameError of its own."""
    blocks: tuple[int, ...] = ()
    """The numbers of the blocks of the report's own text that it is made of."""
    guess: str = ""
    """What the report's own code needs (`needs cuda`), if this is not what the report is about: it
    counts only if it shows the bug."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """A symptom that the report records: from a pasted log, or from words in title and body.

    `signal` is e.g. "SIGSEGV"; `exception` the class name without its module and `message` the
    rest of that line (and following ones up to a blank line) of the *last* traceback line.
    """

    kind: ClaimKind
    source: ClaimSource
    exception: str | None = None
    message: str | None = None
    signal: str | None = None
    text: str = ""
    """The words or lines that say so, shortened to 200 characters."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Mention:
    """An API-like dotted or backticked name in the prose, with how often and where.

    `place` counts the names of a report in the order in which they first come; `setting`: the title
    names it as where something happens ("bad pointers crash the process in to_dense()").
    """

    name: str
    title: int
    body: int
    place: int = 0
    setting: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Expectation:
    """A value that the report calls right (what it expects) or wrong (what it gets).

    `numbers` are those of the `literal`, as written ("2e20", "nan", "true"): their digits tell how
    exactly they are meant. `beside` is the statement of the report's code that they stand next to,
    in a comment or in what it prints.
    """

    right: bool
    numbers: tuple[str, ...]
    literal: str
    sentence: str
    beside: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A report, understood as far as reading goes.

    `candidates` are what to run, in the order to try; claims are strongest first. `skipped` is set
    (and `candidates` empty) when there is nothing to run.
    """

    report: Report
    candidates: tuple[Snippet, ...]
    claims: tuple[Claim, ...]
    mentions: tuple[Mention, ...]
    skipped: str | None = None
    expectations: tuple[Expectation, ...] = ()
    refusal: str | None = None
    """The sentence that asks for an error where there is none, if there is one."""
    output: tuple[str, ...] = ()
    """Lines of pasted output, with single blanks."""
    prose: str = ""
    """The body's words, without code and version dumps."""
    api: str = ""
    """The API to blame, where a person has said so."""
    unmeasured: str = ""
    """What is missing for a comparison in words alone to be measured, if it is one."""
