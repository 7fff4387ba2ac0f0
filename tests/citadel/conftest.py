"""Hand-made APIs and traced calls, written as people write signatures and values."""

from __future__ import annotations

from collections.abc import Callable
from textwrap import dedent

import pytest

from analysis.catalog.model import Api, ApiKind, Catalog, Parameter, Provenance, Signature
from analysis.target.instrument import instrument
from analysis.target.observation import Argument, Call, Observation, Outcome, Raised
from analysis.values import Value
from citadel.model import BugCase, BugKind, Symptom
from citadel.verify.verified import Verified
from citadel.workbench import Workbench
from harvest.report.model import Reading, Report
from harvest.report.understand import understand
from tests.citadel.cli.command import TORCH, run


def parse_parameter(text: str, *, keyword_only: bool) -> Parameter:
    head, equals, default = text.partition("=")
    name, _, kind = head.partition(":")
    name = name.strip()
    return Parameter(
        name=name.lstrip("*"),
        type=kind.strip() or None,
        default=default.strip() if equals else None,
        keyword_only=keyword_only,
        variadic=name[: len(name) - len(name.lstrip("*"))],
    )


def parse_signature(text: str) -> Signature:
    """`input: Tensor, size: int[2] = 1, *, out: Tensor? = None`."""
    parameters: list[Parameter] = []
    keyword_only = False
    for part in filter(None, (piece.strip() for piece in text.split(","))):
        if part == "*":
            keyword_only = True
        else:
            parameters.append(parse_parameter(part, keyword_only=keyword_only))
    return Signature(parameters=tuple(parameters), provenance=Provenance.SCHEMA)


def make_api(
    name: str, *signatures: str, kind: ApiKind = ApiKind.FUNCTION, call: str | None = None
) -> Api:
    return Api(
        name=name,
        kind=kind,
        signatures=tuple(map(parse_signature, signatures)),
        call_signatures=() if call is None else (parse_signature(call),),
    )


def make_value(thing: object) -> Value:
    """A tensor for `(2, 3)` in a set, `{(2, 3)}`; anything else as it is."""
    if isinstance(thing, Value):
        return thing
    if isinstance(thing, set):
        (shape,) = thing
        return Value(kind="tensor", shape=shape, dtype="float32", layout="strided", device="cpu")
    if isinstance(thing, (list, tuple)):
        return Value(kind=type(thing).__name__, items=tuple(map(make_value, thing)))
    return Value(kind="none" if thing is None else type(thing).__name__, text=repr(thing))


def make_argument(thing: object) -> Argument:
    return thing if isinstance(thing, Argument) else Argument(value=make_value(thing))


def make_call(
    name: str,
    *arguments: object,
    form: str = "function",
    number: int = 1,
    site: int = 0,
    depth: int = 0,
    receiver: object = None,
    result: object = ...,
    raised: tuple[str, str] | None = None,
    **keywords: object,
) -> Call:
    return Call(
        number=number,
        site=site,
        occurrence=1,
        depth=depth,
        name=name,
        form=form,
        receiver=None if receiver is None else make_argument(receiver),
        arguments=tuple(map(make_argument, arguments)),
        keywords=tuple((key, make_argument(value)) for key, value in keywords.items()),
        result=None if result is ... else make_argument(result),
        raised=None if raised is None else Raised(types=(raised[0],), message=raised[1]),
    )


@pytest.fixture(scope="session")
def torch_index(torch_target, index_of):
    return index_of(torch_target)


@pytest.fixture(scope="session")
def bench(torch_target, torch_index):
    with Workbench(torch_target, torch_index, jobs=2) as made:
        yield made


@pytest.fixture
def read() -> Callable[..., Reading]:
    """A report as Citadel reads it; the code of several snippets in several fences."""

    def make(title: str, *snippets: str, text: str = "") -> Reading:
        fences = [f"```python\n{dedent(code).strip()}\n```\n" for code in snippets]
        body = "\n".join([*fences, text])
        return understand(Report(source="report.md", title=title, body=body))

    return make


@pytest.fixture
def api() -> Callable[..., Api]:
    return make_api


@pytest.fixture
def call() -> Callable[..., Call]:
    return make_call


@pytest.fixture
def catalog() -> Callable[..., Catalog]:
    def make(*apis: Api) -> Catalog:
        return Catalog(apis={item.name: item for item in apis})

    return make


@pytest.fixture
def numbered() -> Callable[..., Argument]:
    """A tensor (or a layer) with its number in the run."""

    def make(number: int, *shape: int, value: Value | None = None) -> Argument:
        return Argument(value=value or make_value({shape or (2, 3)}), id=number)

    return make


@pytest.fixture
def by_hand() -> Callable[..., Verified]:
    """A verified case that never ran: its failing call and its symptom."""

    def make(failing: Call, symptom: Symptom) -> Verified:
        code = "torch.exp(x)\n"
        case = BugCase(
            id="0",
            origin="report.md",
            framework="torch",
            build="0",
            api=failing.name,
            code=code,
            kind=BugKind.STATUS,
            symptom=symptom,
            reproduces=True,
            runs=(1, 1),
        )
        return Verified(
            case=case,
            api=make_api(failing.name, "input: Tensor"),
            call=failing,
            observation=Observation(outcome=Outcome.OK, calls=(failing,)),
            source=instrument(code),
        )

    return make


@pytest.fixture(scope="session")
def warm():
    """The index of the build, made once."""
    if not TORCH.exists():
        pytest.skip("PyTorch is not installed; run make torch")
    return run("index", "--python", TORCH, "--json", "-", timeout=300)
