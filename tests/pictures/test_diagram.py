"""The plan that is drawn is the plan that `explain` tells of."""

import re
import xml.etree.ElementTree as xml

import numpy as np
import pytest

import skipstone as sk
from skipstone import errors


@pytest.fixture
def edges():
    rng = np.random.default_rng(1)
    return sk.table({"src": rng.integers(0, 300, 4_000), "dst": rng.integers(0, 300, 4_000)}, name="E")


def words(picture):
    return [text.text for text in xml.fromstring(picture.svg).iter("{http://www.w3.org/2000/svg}text")]


def test_axes_stand_in_the_order_of_the_loops_with_the_keys_they_took(edges):
    a, b, c = sk.axes("a b c")
    expression = sk.sum(edges[a, b] * edges[b, c] * edges[a, c] * (a < b))
    found = words(expression.diagram())
    told = str(expression.explain())
    order = re.findall(r"(\w) \(([\d,]+)\)", re.search(r"taken: (.*)", told)[1])
    assert [w for w in found if w in ("a", "b", "c")] == [axis for axis, _ in order]
    assert [w for w in found if w.endswith("taken")] == [f"{count} taken" for _, count in order]
    assert "[a < b]" in found and {"E[a, b]", "E[b, c]", "E[a, c]"} < set(found)
    assert re.search(r"result: .*", told)[0] in found


def test_what_is_kept_and_what_was_summed_first_is_said(edges):
    a, b, c, d = sk.axes("a b c d")
    expression = (edges[a, b] * edges[b, c] * edges[c, d] * edges[d, a] * edges[a, c] * ~edges[c, a]).sum(c, d)
    expression.collect()
    found = words(expression.diagram())
    assert any(w.startswith("summed first: ") for w in found)
    assert any(w.startswith("kept for each ") for w in found)
    assert "~E[c, a]" in found
    assert found.count("kept") == 4 and found.count("summed") == 2


def test_parts_that_are_summed_within_the_loops_are_drawn(edges):
    a, b, c, d = sk.axes("a b c d")
    found = words(sk.sum(edges[a, b] * edges[b, c] * edges[c, d] * edges[d, a]).diagram())
    assert "within, for each a" in found or "within, for each c" in found


def test_the_order_can_be_pinned(edges):
    a, b = sk.axes("a b")
    found = words(edges[a, b].diagram(order=(b, a)))
    assert [w for w in found if w in ("a", "b")] == ["b", "a"]
    with pytest.raises(errors.BadOption):
        edges[a, b].diagram(order=(a,))
