"""The umbrella list: what it covers, and mistakes in it, with their lines."""

import pytest

from analysis.errors import CitadelError
from citadel.family.known import known_issue, read_known

LIST = r"""
# umbrellas
[[issue]]
url = "https://github.com/pytorch/pytorch/issues/1"
framework = "torch"
api = 'torch\.nn\.functional\.conv\dd'
note = "negative padding"

[[issue]]
url = "https://github.com/pytorch/pytorch/issues/2"
message = 'INTERNAL ASSERT'
"""


def write(tmp_path, text):
    path = tmp_path / "known.toml"
    path.write_text(text)
    return path


def test_an_issue_covers_what_matches_all_its_patterns(tmp_path):
    issues = read_known(write(tmp_path, LIST))

    def of(framework, api, message):
        found = known_issue(issues, framework, api, message)
        return found and found[-1]

    assert of("torch", "torch.nn.functional.conv1d", "x") == "1"
    assert of("torch", "torch.nn.functional.conv1d_backward", "x") is None
    assert of("tensorflow", "torch.nn.functional.conv1d", "x") is None
    assert of("tensorflow", "tf.a", "an INTERNAL ASSERT FAILED") == "2"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[[issue]]\nurl = 'a'\napi = '('\n", "api is no regular expression.*at line 3"),
        ("\n[[issue]]\napi = 'a'\n", "needs its url.*at line 2"),
        ("[[issue]]\nurl = 'a'\n", r"needs api or message.*at line 1"),
        ("[[issue]]\nurl='a'\napi='b'\n[[issue]]\nurl='a'\nap='b'\n", "ap means nothing.*line 6"),
        ("[[issue]]\nurl = 'a'\napi = 3\n", "api is no text.*at line 3"),
        ("[[isue]]\nurl = 'a'\n", "isue means nothing here.*at line 1"),
        ("[issue]\nurl = 'a'\n", "two brackets.*at line 1"),
        ("[[issue]\n", "at line 1"),
    ],
)
def test_mistakes_are_told_with_their_line(tmp_path, text, told):
    with pytest.raises(CitadelError, match=told):
        read_known(write(tmp_path, text))


def test_files_that_cannot_be_read(tmp_path):
    with pytest.raises(CitadelError, match="No such file"):
        read_known(tmp_path / "none.toml")
    path = tmp_path / "binary.toml"
    path.write_bytes(b"\xff\xfe")
    with pytest.raises(CitadelError, match="not UTF-8"):
        read_known(path)


def test_an_empty_list_covers_nothing(tmp_path):
    assert read_known(write(tmp_path, "")) == ()
