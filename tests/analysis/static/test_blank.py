"""Blanking attribute macros."""

from hypothesis import given
from hypothesis import strategies as st

from analysis.static.blank import blank

TEXT = b"""TORCH_API C10_HOST_DEVICE __attribute__((x)) class Foo ( ) #define TF_GUARDED_BY(mu_) { }
C10_LAUNCH_BOUNDS_1( x \xff"""
WORDS = st.sampled_from([*TEXT.split(), b"\n", b" "])


@given(st.lists(WORDS).map(b"".join))
def test_offsets_and_lines_stay(text):
    plain = blank(text)
    assert len(plain) == len(text)
    assert [i for i, c in enumerate(plain) if c == 10] == [i for i, c in enumerate(text) if c == 10]


def test_attributes_become_spaces():
    assert blank(b"class TORCH_API Foo {") == b"class           Foo {"
    assert blank(b"int x_ TF_GUARDED_BY(mu_) = 0;").split() == [b"int", b"x_", b"=", b"0;"]
    assert blank(b"[=] GPU_LAMBDA (int a) {").split() == [b"[=]", b"(int", b"a)", b"{"]


def test_other_words_stay():
    for text in (
        b"MY_API_VERSION",
        b"#ifdef USE_VULKAN_API",
        b"x = FOO_API(3);",
        b"TORCH_CHECK(a)",
        b"not_a_TORCH_API",
        b"TORCH_APIs",
    ):
        assert blank(text) == text
