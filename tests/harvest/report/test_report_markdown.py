import textwrap

import pytest

from harvest.report.markdown import read_markdown

CODE = "import torch\nprint(torch.ones(2))"
FENCES = {
    "plain": "```python\n{code}\n```",
    "shell fence that holds Python": "```shell\n{code}\n```",
    "four backticks": "````python\n{code}\n````",
    "tildes": "~~~python\n{code}\n~~~",
    "more closing than opening": "```python\n{code}\n`````",
    "indented fence": "   ```python\n   {code1}\n   {code2}\n   ```",
    "indented by four": "text\n\n    ```python\n    {code1}\n    {code2}\n    ```",
    "indented code": "text\n\n    {code1}\n    {code2}\n\ntext",
    "indented code below a line of text": "Run this:\n    {code1}\n    {code2}\nThat is all.",
    "tabs": "text\n\n\t{code1}\n\t{code2}\n",
    "bare code": "Please run\n\n{code}\n\nand it dies on my machine",
    "first line glued": "```{code1}\n{code2}\n```",
    "language and first line glued": "```python {code1}\n{code2}\n```",
    "closing fence on the last line": "```python\n{code}```\ntext",
    "both glued": "```{code1}\n{code2}```\ntext",
    "opener behind text": "Repro: ```python\n{code}\n```\ntext",
    "details": "<details>\n<summary>x</summary>\n\n```python\n{code}\n```\n</details>",
    "details without blank lines": "<details><summary>x</summary>\n```\n{code}\n```\n</details>",
    "in a list": "1. run\n   ```python\n   {code1}\n   {code2}\n   ```\n2. see",
    "on the bullet": "- ```python\n  {code1}\n  {code2}\n  ```\n",
    "in a quote": "> text\n> ```python\n> {code1}\n> {code2}\n> ```\n\ntext",
    "quote that ends before its fence": "> ```python\n> {code1}\n> {code2}\n\ntext",
    "never closed": "text\n```python\n{code}",
    "text behind the closing fence": "```python\n{code}\n``` and then it dies",
    "fence in the form's fence": "```shell\n```python\n{code}\n```\n```\n",
    "bare fence in the form's fence": "```shell\n```\n{code}\n```\n```\n",
    "longer fence in the form's fence": "```shell\n````python\n{code}\n````\n```\n",
    "tildes in the form's fence": "```shell\n~~~python\n{code}\n~~~\n```\n",
    "html": "<pre>\n{code}\n</pre>",
    "html twice": "<pre><code>\n{code}\n</code></pre>",
    "windows line ends": "```python\r\n{code1}\r\n{code2}\r\n```\r\n",
}


@pytest.mark.parametrize("form", FENCES.values(), ids=FENCES.keys())
def test_every_way_to_mark_code(form):
    code1, code2 = CODE.split("\n")
    text = form.format(code=CODE, code1=code1, code2=code2)
    assert [block.text for block in read_markdown(text).blocks] == [CODE]


def form(code, log):
    return (
        "### Current behavior?\n\nIt dies.\n\n### Standalone code to reproduce the issue\n\n"
        f"{code}\n\n### Relevant log output\n\n{log}\n"
    )


LOG = "```shell\nAborted (core dumped)\n```"


@pytest.mark.parametrize(
    "code",
    [
        f"```shell\n{CODE}\n```",
        f"```shell\n{CODE}\n```\n```",
        f"```shell\n{CODE}\n```\n\n```\n",
        f"```shell\n```python\n{CODE}\n```\n```",
        f"```shell\n```\n{CODE}\n```\n```",
        f"```shell\n{CODE}\n",
    ],
    ids=["right", "stray", "stray below", "nested", "nested bare", "unclosed"],
)
@pytest.mark.parametrize("log", [LOG, LOG.replace("shell", "")], ids=["shell", "bare"])
def test_the_log_of_an_issue_form_is_a_block_of_its_own(code, log):
    blocks = read_markdown(form(code, log)).blocks
    assert blocks[0].text.startswith(CODE)
    if not code.rstrip().endswith(CODE) or log == LOG:
        assert blocks[-1].text == "Aborted (core dumped)"
        assert blocks[-1].lead == "Relevant log output"


def test_an_empty_fence_of_the_form_swallows_nothing():
    text = f"### Logs\n```shell\n```\n### Code\n```python\n{CODE}\n```\n### More\n```\nx\n```\n"
    assert [block.text for block in read_markdown(text).blocks] == [CODE, "x"]


def test_two_adjacent_bare_fences_are_two_blocks():
    text = f"```\n{CODE}\n```\n```\nAborted\n```\n"
    assert [block.text for block in read_markdown(text).blocks] == [CODE, "Aborted"]


def test_backticks_inside_longer_fences_are_content():
    text = "`````\nx = '''\n```python\n'''\n`````"
    assert [block.text for block in read_markdown(text).blocks] == ["x = '''\n```python\n'''"]


def test_numbers_languages_and_leads():
    text = f"# A\nfirst:\n```Py\n{CODE}\n```\n**Output**\n```\n3\n```\n```\n4\n```"
    found = [(b.number, b.language, b.lead) for b in read_markdown(text).blocks]
    assert found == [(1, "py", "first:"), (2, "", "Output"), (3, "", "")]


def test_prose_has_neither_code_nor_comments_nor_dumps():
    text = textwrap.dedent(
        """\
        <!-- please
        fill in -->
        `f` dies.
        ```
        import torch
        ```
        ### Expected behavior
        It <br> lives.
        ### Versions
        PyTorch version: 2.0
        x86_64
        ### TensorFlow version
        2.11
        ### Current behavior?
        _No response_
        CUDA used to build PyTorch: None
        cc @somebody
        """
    )
    words = " ".join(read_markdown(text).prose.split())
    assert words == "`f` dies. ### Expected behavior It lives. ### Current behavior?"


def test_bare_code_ends_where_the_text_goes_on():
    text = "import torch\nx = torch.ones(2)\n\nprint(x)\n\nThe last line fails.\nReally it does."
    document = read_markdown(text)
    assert [block.text for block in document.blocks] == [
        "import torch\nx = torch.ones(2)\n\nprint(x)"
    ]
    assert document.prose.split("\n")[-2:] == ["The last line fails.", "Really it does."]


def test_bare_sessions_are_found():
    text = "This:\n\n>>> import torch\n>>> torch.ones(2)\ntensor([1., 1.])\n\nis fine."
    (block,) = read_markdown(text).blocks
    assert block.text.startswith(">>> import torch")
    assert "is fine" not in block.text


def test_a_bare_session_goes_on_behind_a_sentence():
    text = ">>> import torch\n>>> x = torch.ones(2)\n\nThe next one fails:\n\n>>> torch.sqrt(x)\n"
    first, second = read_markdown(text).blocks
    assert (first.text, second.text) == (
        ">>> import torch\n>>> x = torch.ones(2)",
        ">>> torch.sqrt(x)",
    )


@pytest.mark.parametrize(
    "text", ["import torch then call f and see", "from torch import it fails.", "import os\nos.x()"]
)
def test_sentences_and_other_imports_are_no_bare_code(text):
    assert read_markdown(text).blocks == ()


def test_sentences_in_a_fence_are_prose():
    told = "```shell\nA crash in `f`.\nIt needs a check.\n```"
    text = f"### Current behavior?\n{told}\n```\n{CODE}\n```"
    document = read_markdown(text)
    assert [block.text for block in document.blocks] == [CODE]
    assert "It needs a check." in document.prose


@pytest.mark.parametrize(
    ("heading", "first", "code"),
    [
        ("## Code example", "torch.manual_seed(0)", True),
        ("## To reproduce", "x = torch.ones(3)", True),
        ("## Code example", "Call torch.f(x)", False),
        ("## Output", "x = torch.ones(3)", False),
        ("", "Call torch.f(x)", False),
    ],
)
def test_code_below_a_heading_that_says_so_needs_no_import(heading, first, code):
    text = f"It is slow.\n\n{heading}\n\n{first}\nprint(torch.f(3))\n\n## System\nLinux"
    blocks = [block.text for block in read_markdown(text).blocks]
    assert blocks == ([f"{first}\nprint(torch.f(3))"] if code else [])


@pytest.mark.parametrize(
    ("paragraph", "is_code"),
    [
        ("x = torch.ones(2)\nprint(torch.f(x))", True),
        ("x = torch.ones(2)\nloss = sum(x ** 0)\nloss.backward()\nprint(x.grad)", True),
        ("x = torch.ones(2)\nand then torch.f(x) is wrong", False),
        ("x = torch.f", False),
        ("x = ones(2)\nprint(f(x))", False),
        ("Then:\nx = torch.ones(2)\nprint(torch.f(x))", False),
        ("torch.f is wrong\nfor x = torch.ones(2)", False),
    ],
)
def test_a_paragraph_that_is_code_all_through_needs_no_fence(paragraph, is_code):
    document = read_markdown(f"It is wrong, see below.\n\n{paragraph}\n\nI think that it is NaN.")
    assert [block.text for block in document.blocks] == ([paragraph] if is_code else [])
    assert "I think" in document.prose
