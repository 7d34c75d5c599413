"""Queries as text: the grammar, its errors, and that they mean what the same means in Python."""

import datetime
import math
from operator import eq, ge, gt, le, lt, ne

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import skipstone as sk
from skipstone.errors import MixedKeys, NotACollection, QueryError, SkipstoneError
from skipstone.notation import Absent, Added, Mapped, Number, Product, Rows

R = sk.table({"src": [1, 1, 2, 3], "dst": [2, 3, 3, 1], "v": [10, 20, 30, 40]}, value="v", name="R")
S = sk.table({"key": [1, 3], "v": [0.5, -2.0]}, value="v", name="S")
L = sk.table({"who": ["ann", "ann", "bob"], "what": ["tea", 'a "pie"', "tea"]}, name="L")
D = sk.table({"day": np.array(["2013-01-01", "2013-01-02", "2013-02-01"], "datetime64[D]"), "n": [1, 2, 3]}, value="n")
F = sk.table({"at": [-1.5, 0.0, 2.5], "n": [1, 2, 3]}, value="n")


def half(x):
    return x / 2


def year(day):
    return day.year


def short(name):
    return len(name) < 4


worst = sk.Semiring("worst", lambda a, b: a if a < b else b, lambda a, b: a * b, math.inf, 1, distributes=False)
TABLES = {"R": R, "S": S, "L": L, "D": D, "F": F, "half": half, "year": year, "short": short, "worst": worst}


@pytest.fixture(autouse=True)
def _interpreted():
    with sk.engine("interpreted"):
        yield


def run(text):
    found = sk.query(text, **TABLES)
    return found.to_dict() if isinstance(found, sk.Table) else found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        # heads and aggregates
        ("n() = R(a, b)", 100),
        ("n() += R(a, b)", 100),
        ("n(a) = R(a, b)", {1: 30, 2: 30, 3: 40}),
        ("n(b, a) = R(a, b)", {(1, 3): 40, (2, 1): 10, (3, 1): 20, (3, 2): 30}),
        ("n(a) min= R(a, b)", {1: 10, 2: 30, 3: 40}),
        ("n(a) max= R(a, b)", {1: 20, 2: 30, 3: 40}),
        ("n(a) count= R(a, b)", {1: 2, 2: 1, 3: 1}),
        ("n() count= R(a, b)", 4),
        ("n() any= R(a, b) * [a > 3]", False),
        ("n() any= R(a, b) * [a > 2]", True),
        ("n(a, c) min_plus= R(a, b) * R(b, c)", {(1, 1): 60, (1, 3): 40, (2, 1): 70, (3, 2): 50, (3, 3): 60}),
        ("n() max_times= R(a, b) * R(b, c)", 1200),
        ("n() plus_times= R(a, b)", 100),
        ("n() min = R(a, b)", 10),
        # constants in a place
        ("n(b) = R(1, b)", {2: 10, 3: 20}),
        ("n(b) = R(9, b)", {}),
        ("n(w) = L(w, 'tea')", {"ann": 1, "bob": 1}),
        ('n(w) = L(w, "a \\"pie\\"")', {"ann": 1}),
        ("n(w) = L(w, 'a \"pie\"')", {"ann": 1}),
        ("n(w) = L(w, 't\\x65\\u0061')", {"ann": 1, "bob": 1}),
        ("n() = S(a) * R(a, 3)", 10.0),
        # conditions
        ("n() = R(a, b) * [a < b]", 60),
        ("n() = R(a, b) * [a <= 2]", 60),
        ("n() = R(a, b) * [2 <= a]", 70),
        ("n() = R(a, b) * [2 > a]", 30),
        ("n() = R(a, b) * [a >= b]", 40),
        ("n() = R(a, b) * [a == 1]", 30),
        ("n() = R(a, b) * [1 != a]", 70),
        ("n() = R(a, b) * [a < b, b < 3]", 10),
        ("n() = R(a, b) * [a < b,b == 3,a != 1]", 30),
        ("n() = F(x) * [x > -1.5]", 5),
        ("n() = F(x) * [-1.5 >= x]", 1),
        ("n() = F(x) * [x < 2.5e0] * [x > -.5]", 2),
        ("n(w) = L(w, x) * [x >= 'tea']", {"ann": 1, "bob": 1}),
        ("n() = D(d) * [d >= date('2013-01-02')]", 5),
        ("n() = D(d) * [date('2013-01-15') > d]", 3),
        ("n() = D(d) * [d < date('2013-01-01 12:00')]", 1),
        # absence
        ("n(a, b) = R(a, b) * !R(b, a)", {(1, 2): 10, (2, 3): 30}),
        ("n(a) count= R(a, b) * !S(b)", {1: 1}),
        ("n(a, b) = R(a, b) * !(R(b, a) * [a < b])", {(1, 2): 10, (2, 3): 30, (3, 1): 40}),
        ("n() count= R(a, b) * !(R(a, b) + R(b, a))", 0),
        # functions of keys
        ("n(y) = D(d) * [y == year(d)]", {2013: 6}),
        ("n() = D(d) * [year(d) == y, y > 2012]", 6),
        ("n() = D(d) * [year(d) > 2013]", 0),
        ("n() = D(d) * [2013 >= year(d)]", 6),
        ("n(w) = L(w, x) * [short(x)]", {"ann": 1, "bob": 1}),
        ("n(w) = L(w, x) * [short(w), short(x), w < 'b']", {"ann": 1}),
        # conditions on values
        ("n() = R(a, b) * [R(a, b) > 15]", 90),
        ("n() count= R(a, b) * [20 >= R(b, c)]", 2),
        ("n() min_plus= R(a, b) * [R(a, b) != 10]", 20),
        ("n() = S(a) * [S(a) < 0.5]", -2.0),
        # a semiring that is given
        ("n(a) worst= R(a, b)", {1: 10, 2: 30, 3: 40}),
        # arithmetic
        ("n() = 2 * R(a, b)", 200),
        ("n() = R(a, b) * 0.5", 50.0),
        ("n() = -R(a, b)", -100),
        ("n() = --R(a, b)", 100),
        ("n() = -2 * R(a, b) * -1", 200),
        ("n() = R(a, b) - R(a, b)", 0),
        ("n() = R(a, b) + 2 * R(a, b)", 300),
        ("n() = (R(a, b) + R(a, b)) * 2", 400),
        ("n() = R(a, b) - R(a, b) - R(a, b)", -100),
        ("n() = R(a, b) - (R(a, b) - R(a, b))", 100),
        ("n() = ((R(a, b)))", 100),
        ("n(a, b) = R(a, b) + R(b, a)", {(1, 2): 10, (1, 3): 60, (2, 1): 10, (2, 3): 30, (3, 1): 60, (3, 2): 30}),
        ("n() = 2 * 3", 6),
        ("n() = 1 + 2 * 3", 7),
        ("n() = 1.5e1", 15.0),
        # functions
        ("n() = half(R(a, b))", 50.0),
        ("n() = half(half(R(a, b)) * 2) * [a < b]", 30.0),
        ("n(a) max= half(R(a, b)) * [a < b]", {1: 10.0, 2: 15.0}),
        # space
        ("\n# how many\nn ( ) =\n  R ( a ,\n b ) # all of them\n* [ a<b ]\n", 60),
        ("n()=R(a,b)*[a<b]", 60),
        ("n()=-R(a,b)", -100),
        ("n()=R(a,b)*!R(b,a)", 40),
        ("n(w) = L(w, x) * [x != '# not a comment']", {"ann": 2, "bob": 1}),
    ],
)
def test_texts_mean(text, expected):
    assert run(text) == expected


def test_results_are_named_and_ordered_like_the_head():
    found = sk.query("back(y, x) = R(x, y)", R=R)
    assert found.name == "back"
    assert found.keys == ("y", "x")
    assert list(found.to_dict()) == [(1, 3), (2, 1), (3, 1), (3, 2)]


def test_results_can_be_asked_again():
    two = sk.query("two(a, c) = R(a, b) * R(b, c)", R=R)
    assert sk.query("n() = two(a, a)", two=two) == 20 * 40 + 40 * 20


def test_tables_that_are_not_used_do_no_harm():
    assert sk.query("n() = S(a)", S=S, R=R, half=half) == -1.5


def test_any_name_can_be_a_tables():
    assert sk.query("n() = text(a) + min(a) + date(a)", text=S, min=S, date=S) == -4.5


def test_texts_run_on_the_compiled_engine():
    with sk.engine("compiled"):
        assert run("n(a, c) = R(a, b) * R(b, c) * [a != c] * !R(a, c)") == {(2, 1): 1200, (3, 2): 400}
        assert run("n(w) count= L(w, 'tea')") == {"ann": 1, "bob": 1}


def test_parse_runs_nothing_and_can_be_explained():
    parsed = sk.parse("n(b, a) count= 2 * R(a, b) * [a < b] * !S(a)", R=R, S=S)
    assert isinstance(parsed.inner, Rows)
    assert isinstance(parsed.inner.inner, Product)
    number, access, condition, absent = parsed.inner.inner.factors
    assert isinstance(number, Number) and number.value == 2
    assert access.table is R
    assert repr(condition) == "[a < b]"
    assert isinstance(absent, Absent)
    assert [a.name for a in parsed.axes()] == ["b", "a"]
    assert parsed.name == "n"
    assert "order" in str(parsed.explain())


def test_precedence():
    parsed = sk.parse("n() = S(a) - S(a) * 2 + half(S(a))", **TABLES).inner
    assert isinstance(parsed, Added) and isinstance(parsed.two, Mapped)
    assert isinstance(parsed.one, Added) and isinstance(parsed.one.two, Product)


def test_negative_numbers_are_numbers():
    """-3 in min_plus adds -3; it is not -1 times 3, which would add 2."""
    assert sk.query("n() min_plus= S(a) * -3", S=S) == -5.0
    assert sk.query("n() min_plus= -(3) * S(a)", S=S) == -5.0


def test_every_constant_is_what_it_says():
    for text, value in {"-1.25e2": -125.0, "7": 7, "- 7": -7, ".5": 0.5, "2.": 2.0, "1E3": 1000.0, "0": 0}.items():
        found = sk.parse(f"n() = R({text}, a)", R=R).inner.places[0]
        assert found == value and type(found) is type(value)
    day = sk.parse('n() = D(d) * [d < date("2013-01-31")]', D=D).inner.factors[1].right
    assert day == np.datetime64(datetime.date(2013, 1, 31))


@given(st.text(st.characters(exclude_categories=["Cs"]), max_size=8), st.sampled_from("\"'"))
def test_strings_come_back(text, quote):
    written = text.replace("\\", "\\\\").replace("\n", "\\n").replace(quote, "\\" + quote)
    assert sk.parse(f"n() = L({quote}{written}{quote}, a)", L=L).inner.places[0] == text
    coded = "".join(f"\\U{ord(x):08x}" for x in text)
    assert sk.parse(f"n() = L({quote}{coded}{quote}, a)", L=L).inner.places[0] == text


# ---------------------------------------------------------------------- errors

ERRORS = {
    # an unknown table
    "n() = Q(a)": """there is no table called Q
  n() = Q(a)
        ^
  Given are: R, S, L, D, F, half, year, short.""",
    "n() = r(a, b)": """there is no table called r
  n() = r(a, b)
        ^
  Given are: R, S, L, D, F, half, year, short. Did you mean R?""",
    "n() = R(a, b) * halve(S(a))": """there is no table called halve
  n() = R(a, b) * halve(S(a))
                  ^
  Given are: R, S, L, D, F, half, year, short. Did you mean half?""",
    # a wrong number of places
    "n() = R(a)": """R has 2 key columns, and is given 1 place
  n() = R(a)
        ^
  Put an axis or a constant for each: R(src, dst).""",
    "n() = S(a, b, 3)": """S has 1 key column, and is given 3 places
  n() = S(a, b, 3)
        ^
  Put an axis or a constant for each: S(key).""",
    "n() = R()": """R has 2 key columns, and is given 0 places
  n() = R()
        ^
  Put an axis or a constant for each: R(src, dst).""",
    "n() = R * 2": """expected (, but found `*`
  n() = R * 2
          ^
  Write R(src, dst).""",
    "n() = half * 2": """expected (, but found `*`
  n() = half * 2
             ^
  Write half(…).""",
    # aggregates
    "n() mni= S(a)": """there is no aggregate called mni
  n() mni= S(a)
      ^
  = alone adds up. Others: plus_times, min_plus, max_plus, max_times, min_max, or_and, count, min, max, any,\
 worst. Did you mean min?""",
    "n() min S(a)": """expected =, but found `S`
  n() min S(a)
          ^
  Write min= …""",
    "n() == S(a)": """expected = behind the head, but found `==`
  n() == S(a)
      ^
  Write NAME(axes) = …""",
    "n()": """expected = behind the head, but found the end
  n()
     ^
  Write NAME(axes) = …""",
    # heads
    "n = S(a)": """expected (, but found `=`
  n = S(a)
    ^
  Name the axes to keep: n(a, b) = …""",
    "": """expected the name of the result, but found the end
  \n  ^""",
    "n(a, 3) = S(a)": """expected the name of an axis, but found `3`
  n(a, 3) = S(a)
       ^""",
    "n(a, a) = S(a)": """axis a stands in the head twice
  n(a, a) = S(a)
       ^
  Name each axis once.""",
    "n(a, c) = R(a, b)": """axis c is only in the head
  n(a, c) = R(a, b)
       ^
  The axes are a, b.""",
    # strings
    "n() = L(a, 'tea)": """this string is not closed
  n() = L(a, 'tea)
             ^
  End it with ' on the same line.""",
    'n() = L(a, "tea\n") * S(b)': """this string is not closed
  line 1: n() = L(a, "tea
                     ^
  End it with " on the same line.""",
    r"n() = L(a, 't\ea')": r"""unknown escape \e in a string
  n() = L(a, 't\ea')
               ^
  For a backslash write \\.""",
    "n() = L(a, 'x' b)": """expected a comma or ), but found `b`
  n() = L(a, 'x' b)
                 ^""",
    "n() = 'tea'": """expected a table, a number, ( or [, but found 'tea'
  n() = 'tea'
        ^""",
    # parentheses
    "n() = 2 * (S(a) + S(a)": """this ( is not closed
  n() = 2 * (S(a) + S(a)
            ^
  Put ) where it ends.""",
    "n() = R(a, b": """this ( is not closed
  n() = R(a, b
         ^
  Put ) where it ends.""",
    "n() = S(a) * [a < 3  # here": """this [ is not closed
  n() = S(a) * [a < 3  # here
               ^
  Put ] where it ends.""",
    "n() = half(S(a), 2)": """expected ), but found `,`
  n() = half(S(a), 2)
                 ^""",
    "n() = (S(a) S(a))": """expected ), but found `S`
  n() = (S(a) S(a))
              ^""",
    # behind the end
    "n() = S(a))": """`)` closes nothing
  n() = S(a))
            ^
  Leave it out.""",
    "n() = S(a) S(b)": """expected an operator or the end, but found `S`
  n() = S(a) S(b)
             ^
  Factors are joined by *, and a text holds one query.""",
    "n() = S(a)\n  m() = S(b)": """expected an operator or the end, but found `m`
  line 2: m() = S(b)
          ^
  Factors are joined by *, and a text holds one query.""",
    # operators
    "n() = S(a) *": """expected a table, a number, ( or [, but found the end
  n() = S(a) *
              ^""",
    "n() =\n\n  # nothing": """expected a table, a number, ( or [, but found the end
  line 1: n() =
               ^""",
    "n() = S(a) / 2": """unexpected '/'
  n() = S(a) / 2
             ^""",
    "n() = S(a)?0": """unexpected '?'
  n() = S(a)?0
            ^""",
    "n() = S(a²)": """unexpected 'a²'
  n() = S(a²)
          ^""",
    "n() = !3": """expected the name of a table, but found `3`
  n() = !3
         ^""",
    "n() = !half(S(a))": """half is a function, and ! asks whether a table has a row
  n() = !half(S(a))
         ^
  Write !T(a, b).""",
    "n() min_plus= S(a) - S(a)": """there is no minus in the semiring min_plus
  n() min_plus= S(a) - S(a)
                     ^
  Negate the values beforehand.""",
    "n() min_plus= 2 * -S(a)": """there is no minus in the semiring min_plus
  n() min_plus= 2 * -S(a)
                    ^
  Negate the values beforehand.""",
    # conditions
    "n() = S(a) * []": """there is no condition in the brackets
  n() = S(a) * []
               ^
  Write [a < b].""",
    "n() = S(a) * [a]": """expected a comparison, but found `]`
  n() = S(a) * [a]
                 ^
  Write [a < b]; also <=, >, >=, ==, !=.""",
    "n() = S(a) * [a = 3]": """expected a comparison, but found `=`
  n() = S(a) * [a = 3]
                  ^
  Write == for equal keys.""",
    "n() = R(a, b) * [1 < a < b]": """a condition compares two keys
  n() = R(a, b) * [1 < a < b]
                         ^
  Write [a < b, b < c].""",
    "n() = S(a) * [1 < 2]": """a condition needs an axis
  n() = S(a) * [1 < 2]
                ^
  Write [a < 3].""",
    "n() = S(a) * [a < ]": """expected an axis or a constant, but found `]`
  n() = S(a) * [a < ]
                    ^""",
    # places
    "n() = D(d) * [y < year(d)]": """year(d) > y: only an axis or a constant can be compared
  n() = D(d) * [y < year(d)]
                ^
  Bind it to an axis first, (x == year(d)), and compare x.""",
    "n() = D(d) * [y == year(d, e)]": """year takes one axis in a condition
  n() = D(d) * [y == year(d, e)]
                           ^
  What depends on several axes is a table of your own: T(a, b).""",
    "n() = L(a, b) * [short(3)]": """expected the name of an axis, but found `3`
  n() = L(a, b) * [short(3)]
                         ^""",
    "n() = R(a, b) * [R(a, b) > a]": """the value of a row is compared with a number
  n() = R(a, b) * [R(a, b) > a]
                   ^
  Write [T(a, b) > 3].""",
    "n() = R(a, b) * [worst(a)]": """worst is a semiring, and a condition asks about keys
  n() = R(a, b) * [worst(a)]
                   ^""",
    "n() = R(a, b) * [R(a)]": """R has 2 key columns, and is given 1 place
  n() = R(a, b) * [R(a)]
                   ^
  Put an axis or a constant for each: R(src, dst).""",
    "n() = R(a, b) * !(R(a, b)": """this ( is not closed
  n() = R(a, b) * !(R(a, b)
                   ^
  Put ) where it ends.""",
    "n() = R(a, b) * [half(": """expected the name of an axis, but found the end
  n() = R(a, b) * [half(
                        ^""",
    "n() = R(a, f(b))": """f(…) cannot stand in a place
  n() = R(a, f(b))
             ^
  Put an axis, a number, a string or date(…). A function of an axis stands in a condition, [y == f(a)].""",
    "n() = R(a, -b)": """expected a number behind -, but found `b`
  n() = R(a, -b)
              ^""",
    "n() = R(a,)": """expected an axis or a constant, but found `)`
  n() = R(a,)
            ^""",
    "n() = D(date(3))": """expected a date in quotes, but found `3`
  n() = D(date(3))
               ^
  Write date("2013-01-31").""",
    "n() = D(date('today'))": """expected a date in quotes, but found 'today'
  n() = D(date('today'))
               ^
  Write date("2013-01-31").""",
    "n() = D(date('2013-02-30'))": """there is no date '2013-02-30'
  n() = D(date('2013-02-30'))
               ^
  Write date("2013-01-31").""",
    "n() =\n\tS(a)\n\t* Q(a)\n\t* 2": """there is no table called Q
  line 3: * Q(a)
            ^
  Given are: R, S, L, D, F, half, year, short.""",
}


@pytest.mark.parametrize("text", ERRORS)
def test_errors_show_the_place(text):
    with pytest.raises(QueryError) as raised:
        sk.parse(text, **TABLES)
    assert str(raised.value) == ERRORS[text]
    assert isinstance(raised.value, SkipstoneError) and isinstance(raised.value, ValueError)


def test_without_tables_the_error_says_so():
    with pytest.raises(QueryError, match=r"Given are: none\."):
        sk.query("n() = E(a, b)")


def test_only_tables_and_functions_can_be_given():
    with pytest.raises(NotACollection, match="E is a dict, neither a table nor a function"):
        sk.query("n() = S(a)", S=S, E={1: 2})


def test_deep_nesting_is_an_error_like_others():
    with pytest.raises(QueryError, match="nested too deeply"):
        sk.parse("n() = " + "(" * 5000 + "S(a)" + ")" * 5000, S=S)


@given(st.text("nRS(ab),=+-*![]<1'\"#. \n", max_size=30))
def test_whatever_is_typed_the_error_is_ours(text):
    for tried in (text, "n() = " + text):
        try:
            sk.parse(tried, **TABLES)
        except QueryError as error:
            shown = str(error)
        else:
            continue
        assert "^" in shown


# ---------------------------------------------------------------------- the same as in Python

a, b, c = sk.axes("a b c")
SIGNS = {"<": lt, "<=": le, ">": gt, ">=": ge, "==": eq, "!=": ne}
signs = st.sampled_from(list(SIGNS))


def pairs(*both):
    return st.sampled_from(both)


# Products over a and b, as (text, expression): each has a table that holds every axis.
walked = pairs(
    ("R(a, b)", R[a, b]), ("R(b, a)", R[b, a]), ("S(a) * S(b)", S[a] * S[b]), ("R(a, 3) * S(b)", R[a, 3] * S[b])
)  # fmt: skip
extra = st.one_of(
    pairs(("!R(b, a)", ~R[b, a]), ("!S(a)", ~S[a]), ("!R(a, 3)", ~R[a, 3]), ("R(a, b)", R[a, b]), ("S(b)", S[b])),
    st.tuples(signs, st.integers(0, 4)).map(lambda x: (f"[a {x[0]} {x[1]}]", SIGNS[x[0]](a, x[1]))),
    signs.map(lambda x: (f"[b{x}a]", SIGNS[x](b, a))),
    st.integers(-3, 3).map(lambda x: (f"{x}", x)),
    st.sampled_from([0.5, -1.5, 2e-3]).map(lambda x: (f"{x}", x)),
)  # fmt: skip


@st.composite
def products(draw):
    text, built = draw(walked)
    for more, factor in draw(st.lists(extra, max_size=3)):
        text, built = f"{text} * {more}", built * factor
    return text, built


def grown(inner):
    two = st.tuples(inner, inner)
    return st.one_of(
        two.map(lambda x: (f"{x[0][0]} + {x[1][0]}", x[0][1] + x[1][1])),
        two.map(lambda x: (f"{x[0][0]} - ({x[1][0]})", x[0][1] - x[1][1])),
        st.tuples(inner, products()).map(lambda x: (f"({x[0][0]}) * {x[1][0]}", x[0][1] * x[1][1])),
        inner.map(lambda x: (f"-({x[0]})", -x[1])),
        inner.map(lambda x: (f"half({x[0]})", x[1].map(half))),
    )


expressions = st.recursive(products(), grown, max_leaves=4)
HEADS = {"": (), "a": (a,), "b": (b,), "a, b": (a, b), "b, a": (b, a)}


@pytest.mark.filterwarnings("ignore:.*shares no axis")
@given(expressions, st.sampled_from(list(HEADS)), st.sampled_from(["=", "+=", "count=", "any="]))
def test_text_and_python_mean_the_same(expression, head, sign):
    text, built = expression
    along = [x for x in (a, b) if not any(x is h for h in HEADS[head])]
    verb = {"=": "sum", "+=": "sum", "count=": "count", "any=": "any"}[sign]
    if along:
        expected = getattr(built, verb)(*along).collect()
    elif sign in ("=", "+="):
        expected = built.collect()
    else:
        return
    found = sk.query(f"n({head}) {sign} {text}", **TABLES)
    if not head:
        assert found == expected or math.isclose(found, expected)
        return
    names = [x.name for x in HEADS[head]]
    ours, theirs = found.columns(), expected.columns()
    assert found.keys == tuple(names)
    order = np.lexsort([theirs[n] for n in reversed(names)])
    for name in ours:
        assert np.allclose(ours[name], theirs[name][order])


class TestInputsThatMeetNothing:
    """`O(customer) * C(c, city)`, a slip for `O(c)`, was multiplied by the sum of all of O without a word."""

    orders = sk.table({"customer": [1, 2, 3]}, name="O")
    cities = sk.table({"c": [1, 2], "city": ["x", "y"]}, name="C")

    def doubts(self, text):
        return [doubt.partition(":")[0] for doubt in sk.parse(text, O=self.orders, C=self.cities, f=half).doubts]

    def test_a_slip_is_told_with_the_repair(self):
        said = (
            r"O\(customer\) shares no axis with the rest: it is summed by itself, and multiplied with all of it\. "
            r"If they shall meet, name the same axis in both: the rest has c, city\."
        )
        with pytest.warns(UserWarning, match=said) as told:
            found = sk.query("total(city) = O(customer) * C(c, city)", O=self.orders, C=self.cities)
        assert found.to_dict() == {"x": 3, "y": 3} and told[0].filename == __file__

    @pytest.mark.parametrize(
        ("text", "lonely"),
        [
            ("n(city) = O(a) * [a > 1] * C(c, city)", ["O(a)"]),
            ("n(city) = C(c, city) * (O(a) * f(O( a  )))", ["O(a) * f(O( a ))"]),
            ("n(city) = O(c) * C(c, city) + O(a) * C(c, city)", ["O(a)"]),
            ("n() = O(a) * C(c, city)", ["C(c, city)"]),
            ("n() = O(a) # here\n * C(c, city) * O(b)", ["C(c, city)", "O(b)"]),
        ],
    )
    def test_groups_that_meet_nothing(self, text, lonely):
        assert self.doubts(text) == [f"{names} shares no axis with the rest" for names in lonely]

    @pytest.mark.parametrize(
        "text",
        [
            "n(city) = O(c) * C(c, city)",
            "n(a, city) = O(a) * C(c, city)",
            "n(city) = O(a) * C(c, city) * [a < c]",
            "n(city) = O(a) * C(c, city) * [c == f(a)]",
            'n(city) = O(1) * C(c, city) * 2 * !C(c, "x")',
            "n() = O(a)",
            "n() count= -O(a)",
        ],
    )
    def test_outer_products_and_what_meets_is_not_told(self, text):
        assert self.doubts(text) == []


@pytest.mark.parametrize(
    ("text", "at", "what", "repair"),
    [
        ("n(a) = S(a) * ~R(a, b)", "~", "unexpected ~", "What is absent is written with !: !R(a, b)."),
        ("n(a) = S(a) * not R(a, b)", "not", "unexpected not", "What is absent is written with !: !R(a, b)."),
        ("n(a) = S(a) * not (R(a, b))", "not", "unexpected not", "What is absent is written with !: !(…)."),
        (
            "n() = D(d) * [d >= 2013-01-02]",
            "2013",
            "a date stands in quotes, and 2013-01-02 does not",
            "Write '2013-01-02', or date('2013-01-02').",
        ),
        (
            "n() = D(d) * [d >= 2013-01-02T10:30]",
            "2013",
            "a date stands in quotes, and 2013-01-02T10:30 does not",
            "Write '2013-01-02T10:30', or date('2013-01-02T10:30').",
        ),
        ("n() = D(2013-01-02)", "2013", "a date stands in quotes, and 2013-01-02 does not", "Write '2013-01-02', or"),
        ("n() = L(p, x) * [x == tea]", "tea", "axis tea is in no table", "Did you mean 'tea', in quotes?"),
        ("n() = L(p, x) * [tea != x]", "tea", "axis tea is in no table", "Did you mean 'tea', in quotes?"),
        ("n(a) avg= S(a)", "avg", "there is no aggregate called avg", "A mean is a sum and a count: make s(a) = …"),
        ("n(a) mean= S(a)", "mean", "there is no aggregate called mean", "A mean is a sum and a count: make s(a) = …"),
    ],
)
def test_what_others_would_write_is_told_how_it_is_written_here(text, at, what, repair):
    with pytest.raises(QueryError) as raised:
        sk.parse(text, **TABLES)
    assert (raised.value.what, raised.value.repair[: len(repair)]) == (what, repair)
    assert raised.value.where.splitlines()[1].index("^") == text.index(at) + 2


def test_axes_that_a_function_makes_are_held():
    assert sk.query("n(y) = D(d) * [y == year(d), y > 2012]", **TABLES).to_dict() == {2013: 6}
    assert sk.query("n() = S(a) * (2013-01-02)", **TABLES) == -1.5 * 2010


@pytest.mark.parametrize(
    ("text", "repair"),
    [
        ("n() = D(d) * [d > 5]", "A date is written '2013-01-31'"),
        ("n() = D(d) * [d > 'october']", "A date is written '2013-01-31'"),
        ("n() = D(5)", "A date is written '2013-01-31'"),
        ("n() = S(a) * [a > 'x']", "Write a number, without quotes."),
        ("n() = L(a, b) * [a > 5]", "Write it as a string, in quotes."),
    ],
)
def test_keys_of_another_type_are_told_how_they_are_written(text, repair):
    with pytest.raises(MixedKeys) as raised:
        sk.query(text, **TABLES)
    assert raised.value.repair.startswith(repair)


def test_a_mean_is_made_as_its_error_says():
    """`count=` counts different keys: of equal rows it would have counted one."""
    paid = {"who": ["ann", "ann", "bob"], "price": [2.0, 4.0, 5.0]}
    with pytest.raises(QueryError, match='combine="count", on the command line =#'):
        sk.parse("m(a) mean= P(a)", P=sk.table(paid, value="price"))
    total = sk.query("s(a) = P(a)", P=sk.table(paid, value="price")).to_dict()
    count = sk.query("n(a) = P(a)", P=sk.table({"who": paid["who"]}, combine="count")).to_dict()
    assert {who: total[who] / count[who] for who in total} == {"ann": 3.0, "bob": 5.0}
