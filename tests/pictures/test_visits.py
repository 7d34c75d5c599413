"""What is drawn of a run is what happened in it."""

import random
import xml.etree.ElementTree as xml
from itertools import pairwise

import numpy as np
import pytest

import skipstone as sk
from skipstone import errors
from skipstone.pictures.visits import SLANTED, Layout
from skipstone.pictures.watching import seen_in_expression, seen_in_stream

MANY = 10**6


def keys_of(rows):
    return {row.name: set(row.stood) for row in rows}


@pytest.mark.parametrize("seed", range(20))
def test_matches_are_the_keys_of_the_product(seed):
    rng = random.Random(seed)
    a, b, c = (dict.fromkeys(rng.sample(range(60), rng.randrange(1, 40)), 1) for _ in range(3))
    (panel,) = seen_in_stream(sk.stream(a) * sk.stream(b) * sk.stream(c), MANY)
    assert panel.matches == sorted(a.keys() & b.keys() & c.keys())
    assert not panel.cut
    for row, source in zip(panel.rows, (a, b, c), strict=True):
        assert set(panel.matches) <= set(row.stood) <= source.keys()
        assert row.read <= source.keys()
        assert row.stood == sorted(row.stood)
        assert [after for _, after in row.moves if after is not None] == row.stood[1:]


def test_what_a_stream_leaps_over_it_does_not_touch():
    few, many = {0: 1, 9_000: 1}, sk.Sorted(np.arange(10_000))
    (panel,) = seen_in_stream(sk.stream(few) * sk.stream(many), MANY)
    assert panel.matches == [0, 9_000]
    assert len(panel.rows[1].stood) < 10 and len(panel.rows[1].read) < 100


def test_a_union_touches_every_key():
    (panel,) = seen_in_stream(sk.stream({1: 1, 3: 1}) + sk.stream({2: 1, 3: 1}), MANY)
    assert panel.matches == [1, 2, 3]
    assert [row.stood for row in panel.rows] == [[1, 3], [2, 3]]


def test_each_axis_has_a_panel_in_the_order_of_the_loops():
    edges = sk.table({"src": ["ann", "bob", "ann"], "dst": ["bob", "cy", "cy"]}, name="E")
    a, b, c = sk.axes("a b c")
    triangle = sk.sum(edges[a, b] * edges[b, c] * edges[a, c])
    panels = seen_in_expression(triangle, MANY)
    order = str(triangle.explain()).splitlines()[0]
    assert sorted(panel.axis for panel in panels) == ["a", "b", "c"]
    assert [order.index(f"{panel.axis} (") for panel in panels] == sorted(
        order.index(f"{panel.axis} (") for panel in panels
    )
    last = panels[-1]
    assert len(last.matches) == 1 and {row.name for row in last.rows} < {"E[a, b]", "E[b, c]", "E[a, c]"}


def test_conditions_are_leaps_too():
    t = sk.table({"i": list(range(1_000))}, name="T")
    i = sk.axes("i")
    (panel,) = seen_in_expression((t[i] * (i >= 990)).count(), MANY)
    assert panel.matches == list(range(990, 1_000))
    assert len(panel.rows[0].stood) < 20


def test_a_long_run_is_cut_and_says_so():
    picture = sk.visits(sk.stream(sk.Sorted(np.arange(0, 10**6, 2))) * sk.stream(sk.Sorted(np.arange(10**6))), limit=30)
    assert repr(picture).endswith("the rest is not drawn>")
    assert len(picture.svg) < 100_000


def test_the_picture_is_well_formed_whatever_the_names_are():
    hostile = sk.table({"i": ["<b>", '"&"', "x' onload="]}, name="</svg><script>")
    i = sk.axes("i")
    root = xml.fromstring(sk.visits(hostile[i] * hostile[i]).svg)
    assert root.tag.endswith("svg") and not list(root.iter("{http://www.w3.org/2000/svg}script"))


def test_it_is_saved_as_svg_and_nothing_else(tmp_path):
    picture = sk.visits(sk.stream({1: 1}))
    picture.save(tmp_path / "x.svg")
    assert (tmp_path / "x.svg").read_text() == picture.svg == picture._repr_html_() == picture._repr_svg_()
    with pytest.raises(errors.BadOption, match=r"Let the name end in \.svg"):
        picture.save(tmp_path / "x.png")


@pytest.mark.parametrize(
    ("what", "error"),
    [
        (lambda: sk.visits(3), errors.NotACollection),
        (lambda: sk.visits(sk.stream({1: 1}), limit=0), errors.BadOption),
        (lambda: sk.visits(sk.table({"i": [1]})[7]), errors.BadOption),
    ],
)
def test_what_cannot_be_visited_is_refused(what, error):
    with pytest.raises(error):
        what()


def test_the_pictures_of_the_docs_are_what_is_drawn_today():
    from benchmarks import visits

    made = {
        "visits": visits.visits(),
        "visits-triangles": sk.visits(visits.triangles()),
        "diagram": visits.triangles().diagram(),
    }
    for name, picture in made.items():
        assert (visits.PICTURES / f"{name}.svg").read_text() == picture.svg, "run python -m benchmarks.visits"


class TestAntiJoins:
    """Rows looked like those of a join, 60 keys were all that the headline knew of, and names lay on each other."""

    orders = sk.table(
        {"who": [f"c{n * 37 % 1000:04d}" for n in range(300)], "what": [("tea", "pie")[n % 2] for n in range(300)]},
        name="O",
    )
    known = sk.table({"who": [f"c{n:04d}" for n in range(0, 1000, 7)]}, name="C")
    a, p = sk.axes("a p")

    def test_what_is_absent_has_its_sign(self):
        (panel,) = seen_in_expression((self.known[self.a] * ~self.orders[self.a, "tea"]).count(), MANY)
        assert [row.name for row in panel.rows] == ["C[a]", "~O[a, 'tea']"]
        assert "a match" in sk.visits((self.known[self.a] * ~self.orders[self.a, "tea"]).count()).svg

    def test_matches_are_all_or_of_those_drawn(self):
        missing = (self.known[self.a] * ~self.orders[self.a, "tea"]).count()
        assert repr(sk.visits(missing, limit=MANY)).startswith(f"<picture: {missing.collect()} matches, ")
        assert " matches of those drawn, " in repr(sk.visits(missing))

    def test_panels_that_are_not_drawn_are_counted(self):
        picture = sk.visits((self.orders[self.a, self.p] * ~self.known[self.a]).count(), limit=MANY)
        assert repr(picture).startswith("<picture: along p: 2 matches, ")
        assert "; 1 other like it is not drawn" in picture.svg

    @pytest.mark.parametrize("limit", [20, 60, 200])
    def test_names_of_keys_do_not_overlap(self, limit):
        (panel,) = seen_in_expression((self.known[self.a] * ~self.orders[self.a, "tea"]).count(), limit)
        layout = Layout(panel)
        at = [layout.x(key) for key in layout.labels]
        assert len(at) > 5 and min(two - one for one, two in pairwise(at)) >= SLANTED
