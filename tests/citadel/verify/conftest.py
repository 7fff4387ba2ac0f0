"""Reports of a title and code, verified on PyTorch."""

import pytest

from analysis.target.session import Limits
from citadel.verify.reports import verify


@pytest.fixture
def verified(bench, read):
    def check(title, *code, text=""):
        return verify(
            read(title, *code, text=text),
            bench.replays[0],
            bench.index.catalog,
            bench.target.info,
            runs=2,
            limits=Limits(wall=60.0),
        )

    return check
