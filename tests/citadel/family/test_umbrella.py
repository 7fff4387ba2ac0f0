import json

import pytest

from analysis.errors import CitadelError
from citadel.commands.inputs import read_known_issues

BODY = """Operators without a meta kernel, `torch.zeros` has one.

- [ ] `torch.nn.functional.conv1d`
- [x] floor_divide (done in #7)
* [ ] addmm
- [ ] fix the rest
- [ ] `functional.pad`: `out` is ignored
- no task: `torch.ones`

    - [ ] `torch.Tensor.logit`, see @someone
"""


@pytest.fixture
def known(tmp_path):
    def read(body, name="umbrella.json", **fields):
        path = tmp_path / name
        path.write_text(json.dumps({"title": "Meta", "number": 5, "body": body, **fields}))
        return read_known_issues(str(path))

    return read


def covering(known, api):
    return next((one.note for one in known if one.covers("torch", api, "")), None)


def test_a_list_of_tasks_covers_its_apis(known):
    found = known(BODY, url="https://api.github.com/repos/a/b/issues/5")
    assert {one.url for one in found} == {"a/b#5"}
    assert covering(found, "torch.nn.functional.conv1d") == "umbrella"
    assert covering(found, "torch.floor_divide") == "umbrella, ticked off"
    assert covering(found, "torch.ops.aten.floor_divide") == "umbrella, ticked off"
    assert covering(found, "torch.Tensor.addmm_") == "umbrella"
    assert covering(found, "torch.Tensor.logit") == "umbrella"
    assert covering(found, "torch.nn.functional.pad") == "umbrella"
    assert [one.done for one in found if one.covers("torch", "torch.floor_divide", "")] == [True]
    for api in (
        "torch.zeros",
        "torch.ones",
        "torch.conv1d",
        "torch.logit",
        "torch.xaddmm",
        "torch.mm.out",
        "torch.fix",
    ):
        assert covering(found, api) is None


@pytest.mark.parametrize("body", ["", "- [ ] write docs\n", "- [] `torch.add`", "`torch.add`"])
def test_an_issue_without_tasks(known, body):
    with pytest.raises(CitadelError, match=r"no task|no umbrella"):
        known(body)


def test_many_or_hostile_tasks_take_no_time(known):
    body = (
        "".join(f"- [ ] `torch.f{i}` {'x' * 500}\n" for i in range(2000)) + "- [ ] " + "(" * 90000
    )
    assert len(known(body)) == 2000


def test_what_cannot_be_read(tmp_path):
    for name, content in (("a.toml", "[[issue]]"), ("a.json", "{"), ("a.md", "")):
        path = tmp_path / name
        path.write_text(content)
        with pytest.raises(CitadelError):
            read_known_issues(str(path))
    with pytest.raises(CitadelError):
        read_known_issues(str(tmp_path / "none.json"))
