"""A small build made by hand."""

import pytest

from analysis.analogues import collapsed
from analysis.catalog.model import Api, ApiKind, Catalog, Parameter, Provenance, Signature
from analysis.index import ApiIndex


@pytest.fixture
def api():
    def make(name, parameters=("input",), kind=ApiKind.FUNCTION, operators=()):
        signature = Signature(
            parameters=tuple(Parameter(name=item) for item in parameters),
            provenance=Provenance.SCHEMA,
        )
        return Api(name=name, kind=kind, signatures=(signature,), operators=operators)

    return make


@pytest.fixture
def build():
    def make(apis, call_sets=None, groups=()):
        sets = {name: frozenset(found) for name, found in (call_sets or {}).items()}
        return ApiIndex(
            key="hand-made",
            framework="torch",
            catalog=Catalog(apis={item.name: item for item in apis}),
            call_sets=sets,
            collapsed=collapsed(sets, groups),
            profiles={},
            samples={},
            crashes=(),
            bodies={},
            groups=groups,
            source=None,
            counts={},
            coverage={},
            failures={},
            seconds={},
        )

    return make
