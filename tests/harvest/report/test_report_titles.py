"""What stands for the title of Markdown, with the forms of trackers as reporters leave them."""

import pytest

from harvest.report.titles import title_of
from tests.harvest.report.test_report_inputs import one, write

TENSORFLOW = """### Issue type

Bug

### Have you reproduced the bug with TensorFlow Nightly?

Yes

### Source

binary

### TensorFlow version

tf 2.15.0

### Custom code

Yes

### OS platform and distribution

Linux Ubuntu 22.04.3 LTS

### Mobile device

_No response_

### Current behavior?

`tf.nn.max_pool3d` aborts when its input has no batch dimension.

### Standalone code to reproduce the issue

```shell
import tensorflow as tf
tf.nn.max_pool3d(tf.zeros([4, 4, 4, 2]), 2, 2, "VALID")
```

### Relevant log output

_No response_
"""
PYTORCH = """### 🐛 Describe the bug

conv2d crashes for groups=0.

```python
import torch
```

### Versions

PyTorch version: 2.13.0
"""
OLD = """**System information**
- Have I written custom code: yes
- TensorFlow version: 2.4

**Describe the current behavior**

The sum is wrong.

**Standalone code to reproduce the issue**
"""
OLD_TORCH = """unfold crashes for size 0

## 🐛 Bug

It dies with a signal.

## To Reproduce

```python
import torch
```

## Expected behavior

A refusal.

### Error messages

There are none.
"""
FORM_IN_OTHER_WORDS = """## Which product?
Widgets
## Which release?
3.1
## What happened?
It broke when I pressed the button, and smoke came out of it.
"""


@pytest.mark.parametrize(
    ("text", "title"),
    [
        (TENSORFLOW, "`tf.nn.max_pool3d` aborts when its input has no batch dimension."),
        ("# max_pool3d aborts\n\n" + TENSORFLOW, "max_pool3d aborts"),
        (TENSORFLOW.replace("### ", "## "), "`tf.nn.max_pool3d` aborts when its input has no batch"
         " dimension."),
        (TENSORFLOW.replace("Current behavior?", "Current Behaviour?"),
         "`tf.nn.max_pool3d` aborts when its input has no batch dimension."),
        (PYTORCH, "conv2d crashes for groups=0."),
        (OLD, "The sum is wrong."),
        (FORM_IN_OTHER_WORDS, "It broke when I pressed the button, and smoke came out of it."),
        ("### exp is slow\n\nIt is.\n\n### Expected\n\nIt to be fast, as it was before.\n",
         "exp is slow"),
        ("## sum is wrong\n\n```python\nimport torch\n```\n\n## Version\n\n2.13\n",
         "sum is wrong"),
        ("<!-- a form's advice -->\nIt fails.\n", "It fails."),
        (OLD_TORCH, "unfold crashes for size 0"),
        (OLD_TORCH.partition("\n\n")[2], "It dies with a signal."),
        (OLD_TORCH.replace("## 🐛 Bug", "# Bug"), "unfold crashes for size 0"),
        (OLD_TORCH.replace("Bug", "Feature, motivation and pitch"), "unfold crashes for size 0"),
        ("### Issue type\nBug\n### Current behavior?\nIt aborts.\n### Standalone code to reproduce"
         " the issue\n```shell\nimport torch\n```\n### Relevant log output\n", "It aborts."),
        ("Hello all\n\n# sum is wrong\n\nIt is.\n", "sum is wrong"),
        ("### Issue type\n\nBug\n\n### Source\n\nbinary\n", "Issue type"),
        ("```python\nimport torch\n```\n", ""),
        ("", ""),
    ],
)  # fmt: skip
def test_titles(text, title):
    assert title_of(text.split("\n")) == title


def test_a_form_keeps_its_body_whole(tmp_path):
    report = one([write(tmp_path, "a.md", TENSORFLOW)])
    assert report.title.startswith("`tf.nn.max_pool3d` aborts")
    assert report.body == TENSORFLOW


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("### Description\nfold crashes for a stride of 0.\n", "fold crashes for a stride of 0."),
        ("## 🐛 Bug\nfold crashes.\n", "fold crashes."),
        ("# torch.nn.functional.fold\nIt crashes.\n", "torch.nn.functional.fold"),
        ("# fold crashes\nOn any input.\n", "fold crashes"),
        ("From the forum:\n\n**fold crashes**\n\nOn any input.\n", "fold crashes"),
        ("It dies.\n\n**Not here**\n\nHere.\n\n**Nor there**\n\nThere.\n", "It dies."),
    ],
)
def test_a_heading_of_one_word_is_no_title(text, title):
    assert title_of(text.split("\n")) == title


def test_a_report_that_is_quoted_as_a_whole_is_read_as_if_it_were_not(tmp_path):
    quoted = "> # fold crashes\n>\n> ```python\n> import torch\n> ```\n"
    report = one([write(tmp_path, "a.md", quoted)])
    assert (report.title, report.body) == ("fold crashes", "```python\nimport torch\n```\n")
    answered = "> # fold crashes\n\nFor me, too.\n"
    assert one([write(tmp_path, "b.md", answered)]).title != "fold crashes"
