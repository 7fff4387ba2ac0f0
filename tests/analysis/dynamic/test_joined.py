"""What is kept of the samples of one API."""

from analysis.dynamic.joined import varied


def sample(**given):
    return ("example", {"a": [], "k": given})


def word(text):
    return {"k": "str", "v": text}


def test_the_first_sample_is_kept_and_those_that_show_something_else():
    plain, again = sample(size={"k": "int", "v": "3"}), sample(size={"k": "int", "v": "4"})
    floor, other = sample(mode=word("'floor'")), sample(mode=word("'floor'"), size={"k": "none"})
    trunc = sample(mode=word("'trunc'"))
    assert varied([plain, again, floor, other, trunc], 3) == [plain, other, trunc]
    assert varied([plain, again], 3) == [plain, again]


def test_ranks_and_the_arguments_of_a_constructor_tell_samples_apart():
    def tensor(*shape, **built):
        given = {"a": [{"k": "tensor", "shape": list(shape), "dtype": "float32"}], "k": {}}
        return ("example", {**given, "c": {"a": [], "k": built}} if built else given)

    row, long, matrix = tensor(2), tensor(3), tensor(2, 2)
    assert varied([row, long, matrix], 2) == [row, matrix]
    mean, total = tensor(2, mode=word("'mean'")), tensor(2, mode=word("'sum'"))
    assert varied([mean, mean, total], 2) == [mean, total]
