"""Value reports of our own, checked by hand on the builds: what is blamed, and whether it shows.

`tests/data/reports/values/expected.json` says for each report which APIs may be blamed, on which
versions it reproduces, and which siblings share the bug or do not.
"""

import json
from pathlib import Path

import pytest

from citadel.verify.reports import verify
from citadel.verify.verified import NotVerified
from harvest.report.inputs import load
from harvest.report.understand import understand

REPORTS = Path(__file__).parents[2] / "data/reports/values"
EXPECTED = json.loads((REPORTS / "expected.json").read_text())
VERSIONS = {"1.13.0": "1.13.1"}
"""Debian's build of 1.13.1 calls itself so."""
LEAST = 0.8
"""Share of the reports that hold on a build which come out right: API, kind, reproduction."""
BUILDS = [
    pytest.param("torch_target", marks=pytest.mark.torch),
    pytest.param("torch113_target", marks=pytest.mark.torch113),
    pytest.param("tf_target", marks=pytest.mark.tf),
    pytest.param("tf213_target", marks=pytest.mark.tf),
]


def verified(number, session, index, info):
    (report,) = load((str(REPORTS / f"{number}.json"),))
    found = verify(understand(report), session, index.catalog, info)
    return None if isinstance(found, NotVerified) else found.case


def told(case):
    return "not verified" if case is None else f"{case.api}, reproduces: {case.reproduces}"


def _is_right(case, apis, kind):
    return case is not None and case.reproduces and case.api in apis and case.kind == kind


@pytest.mark.slow
@pytest.mark.parametrize("build", BUILDS)
def test_value_reports(build, request, index_of):
    target = request.getfixturevalue(build)
    version = target.info.version.partition("+")[0].removesuffix("a0")
    version = VERSIONS.get(version, version)
    index = index_of(target)
    right, wrong, alarms = 0, [], []
    with target.session() as session:
        for number, expected in EXPECTED.items():
            again = expected["reproduces"].get(version)
            if expected["framework"] != target.info.framework or again is None:
                continue
            case = verified(number, session, index, target.info)
            apis = {getattr(index.catalog.resolve(name), "name", name) for name in expected["api"]}
            if not again:
                if case is not None and case.reproduces:
                    alarms.append(f"{number}: {told(case)}")
            elif _is_right(case, apis, expected["kind"]):
                right += 1
            else:
                wrong.append(f"{number}: {told(case)}")
    assert not alarms
    assert right + len(wrong) > 0, f"no report says anything of {version}"
    assert right >= LEAST * (right + len(wrong)), wrong
