"""What is printed, and what a notebook shows."""

import html.parser
import subprocess
import sys

import numpy as np
import pytest

import skipstone as sk

a, b, x = sk.axes("a b x")


@pytest.fixture
def paid():
    columns = {"who": ["cy", "ann", "bob"], "what": ["tea", "tea", "<pie>"], "price": [2.0, 2.5, 4.0]}
    return sk.table(columns, value="price", name="paid")


class Cells(html.parser.HTMLParser):
    """The text of a page, and its tags in order, all of them closed."""

    def __init__(self, page):
        super().__init__()
        self.words, self.open, self.tags = [], [], []
        self.feed(page)
        assert not self.open

    def handle_starttag(self, tag, attrs):
        self.tags.append(tag)
        if tag != "br":
            self.open.append(tag)

    def handle_endtag(self, tag):
        assert self.open.pop() == tag

    def handle_data(self, data):
        self.words += [data] if data.strip() else []


def test_a_table_is_a_line_in_other_text_and_rows_when_printed(paid):
    assert repr(paid) == "Table(paid, 3 rows; who: str, what: str -> value)"
    assert str(paid).splitlines() == [
        "Table(paid, 3 rows; who: str, what: str -> value)",
        "  who  what   value",
        "  ann  tea      2.5",
        "  bob  <pie>      4",
        "  cy   tea        2",
    ]


def test_printing_sorts_nothing_that_is_kept_and_tells_of_what_is(paid):
    str(paid)
    assert not paid.tries()
    paid[a, x].sum(x).collect(order=(a, x))
    assert "sorted by who, what (" in str(paid)


def test_of_many_rows_the_first_are_shown():
    many = sk.table({"i": np.arange(10**6)[::-1]})
    assert str(many).splitlines()[-1] == "  … and 999,990 more"
    assert "… and 999,990 more" in Cells(many._repr_html_()).words


def test_an_empty_table_and_one_of_tuples_can_be_shown():
    empty = sk.table({"i": np.array([], np.int64)})
    assert str(empty).splitlines() == ["Table(unnamed, 0 rows; i: int)", "  i"]
    pairs = sk.table({"i": [1], "x": [2], "y": [3.5]}, keys="i", value=["x", "y"])
    assert str(pairs).splitlines()[1:] == ["  i  x    y", "  1  2  3.5"]
    Cells(empty._repr_html_() + pairs._repr_html_())


def test_a_notebook_shows_the_rows_of_a_table_and_nothing_that_they_hold_is_markup(paid):
    shown = Cells(paid._repr_html_())
    assert shown.words[:2] == ["paid", ", 3 rows"]
    assert shown.words[-9:] == ["ann", "tea", "2.5", "bob", "<pie>", "4", "cy", "tea", "2"]
    assert "pie" not in shown.tags


def test_a_stream_is_printed_as_what_it_is_made_of():
    stream = (sk.stream({1: 2.0, 3: 4.0}) * sk.stream(np.ones(5))).filter(lambda k, v: v > 1)
    assert str(stream).splitlines() == [
        "Filter",
        "  Product",
        "    compressed: 2 keys (int), values <values: 2 × float64>",
        "    dense: 5 keys (int), values <values: 5 × float64>",
    ]
    assert str(sk.stream({1: {2: 3}})) == "compressed, compressed: 1 key (int), values <values: 1 × int64>"
    assert Cells(stream._repr_html_()).words == [str(stream)]


def test_expressions_plans_and_kernels_are_shown(paid):
    expression = (paid[a, x] * paid[b, x]).sum(x)
    assert Cells(expression._repr_html_()).words[:2] == [repr(expression), "axes: a, b"]
    plan = expression.explain()
    words = Cells(plan._repr_html_()).words
    assert words[0].startswith("order: ") and "fused" in words
    for kernel in (expression.compile(), sk.stream({1: 1}).compile()):
        assert "".join(Cells(kernel._repr_html_()).words).startswith("deffused")


def test_the_source_of_a_kernel_is_a_string_with_colours(capsys):
    source = sk.stream({1: 2.0}).compile().source
    assert isinstance(source, str) and source.startswith("def fused")
    source.show()
    assert capsys.readouterr().out.split() == source.split()


def test_colours_are_loaded_when_they_are_asked_for():
    code = "import skipstone, sys; print('pygments' in sys.modules, 'rich' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True).stdout == "False False\n"


def test_equal_rows_are_told_beside_different_ones():
    """`repr` said 3 rows, and `len` 2."""
    t = sk.table({"who": ["ann", "bob", "ann"]}, name="T")
    a = sk.axes("a")
    assert repr(t) == "Table(T, 3 rows, 2 different; who: str)" and len(t) == 2
    assert "T[a]: 3 rows, 2 different, by a (" in str(t[a].sum().explain())
    assert "3 rows, 2 different" in t[a].sum().diagram().svg and "3 rows, 2 different" in t._repr_html_()


def test_looking_at_a_table_does_not_sort_it():
    t = sk.table({"who": ["ann", "bob", "ann"]})
    assert repr(t) and not t.sorted_copies()
    assert repr(sk.table({"i": [7] * 100_001})) == "Table(unnamed, 100,001 rows; i: int)"


FRESH = """
import skipstone as sk
t, a = sk.table({"a": [1, 2], "v": [1.5, 2.5]}, value="v"), sk.axes("a")
print(t, sk.stream({1: 2}) * sk.stream({1: 3}), sep="\\n")
for shown in (t, t[a], t[a].explain(), t[a].compile(), sk.stream({1: 2})):
    print(shown._repr_html_()[:4])
print(t[a].diagram())
"""


def test_a_program_that_has_not_looked_before_can_look():
    """What shows things was imported with `sk.visits`, and only then: elsewhere a table was printed as one line."""
    done = subprocess.run([sys.executable, "-c", FRESH], capture_output=True, text=True)
    assert done.stderr == ""
    assert done.stdout.splitlines()[1:4] == ["  a  value", "  1    1.5", "  2    2.5"]
    assert "Product\n  compressed: 1 key" in done.stdout
    assert done.stdout.count("\n<") == 6 and "the plan of T[a]" in done.stdout
