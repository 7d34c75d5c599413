"""einsum means what NumPy's means, over arrays, tables and sparse matrices."""

import json
import math
from itertools import product
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

import skipstone as sk
from skipstone.errors import BadOption, NotACollection, QueryError, SkipstoneError, UnsupportedValue


def as_table(array, name="T"):
    """The entries of an array that are not zero."""
    at = np.nonzero(array)
    columns = {f"k{n}": keys for n, keys in enumerate(at)} | {"v": array[at]}
    return sk.table(columns, value="v", name=name)


def as_dict(array):
    """From tuple of keys (or key) to entry, where it is not zero."""
    keys = np.argwhere(array).tolist()
    return {k[0] if len(k) == 1 else tuple(k): array[tuple(k)] for k in keys}


def without_zeros(table):
    return {k: v for k, v in table.to_dict().items() if v}


def sparse(array):
    """Looks like a SciPy matrix; entries come twice, as they may in COO."""
    row, col = np.nonzero(array)
    coo = SimpleNamespace(
        row=np.append(row, row), col=np.append(col, col), data=np.append(array[row, col], 0 * row), shape=array.shape
    )
    return SimpleNamespace(tocoo=lambda: setattr(coo, "tocoo", None) or coo)


UP_TO_THREE = st.integers(0, 3)
CORNER = np.array([0.0] * 7 + [math.inf]).reshape(2, 2, 2)
SMALL = st.integers(-3, 3).map(lambda x: x if abs(x) > 1 else 0)


@st.composite
def cases(draw, sizes=UP_TO_THREE, entries=SMALL):
    """Subscripts and arrays that fit."""
    letters = "abXy"
    size = {x: draw(sizes) for x in letters}
    inputs = draw(st.lists(st.text(letters, max_size=3), min_size=1, max_size=3))
    used = sorted(set("".join(inputs)))
    left = ",".join(inputs)
    if draw(st.booleans()):
        left += "->" + "".join(draw(st.lists(st.sampled_from(used), unique=True)) if used else "")
    operands = []
    for word in inputs:
        shape = tuple(size[x] for x in word)
        found = draw(st.lists(entries, min_size=math.prod(shape), max_size=math.prod(shape)))
        operands.append(np.array(found, int if all(type(x) is int for x in found) else float).reshape(shape))
    return left, operands


def same(ours, theirs):
    assert type(ours) is type(theirs)
    assert ours.dtype == theirs.dtype
    assert np.shape(ours) == np.shape(theirs)
    assert np.allclose(ours, theirs, equal_nan=True)


def by_loops(subscripts, operands):
    """Every product by itself, all axes of length 2. (NumPy takes a number out of the sum: inf * (0 + 1).)"""
    left, arrow, output = subscripts.partition("->")
    letters = sorted(set(left) - {","})
    output = output if arrow else [x for x in letters if left.count(x) == 1]
    result = np.zeros([2] * len(output))
    for keys in product(range(2), repeat=len(letters)):
        at = dict(zip(letters, keys, strict=True))
        entries = [x[tuple(at[y] for y in word)] for word, x in zip(left.split(","), operands, strict=True)]
        result[tuple(at[y] for y in output)] += math.prod(entries)
    return result


@given(cases())
def test_einsum_of_arrays_is_numpys(case):
    subscripts, operands = case
    with sk.engine("interpreted"):
        same(sk.einsum(subscripts, *operands), np.einsum(subscripts, *operands))


@given(cases(st.just(2), st.sampled_from([0.0, 0.0, 1.5, -2.0, math.inf, math.nan])))
@example(("ia,a,iii", [np.array([[0.0, 0.0], [0.0, 1.5]]), np.array([0.0, 1.5]), CORNER]))
def test_zero_times_infinity_is_not_zero(case):
    subscripts, operands = case
    with sk.engine("interpreted"), np.errstate(invalid="ignore"):
        assert np.allclose(sk.einsum(subscripts, *operands), by_loops(subscripts, operands), equal_nan=True)


@given(cases(st.integers(1, 3)))
@settings(max_examples=60)
def test_einsum_of_tables_is_numpys_without_the_zeros(case):
    subscripts, operands = case
    given = [as_table(x) if x.ndim else x for x in operands]
    expected = np.einsum(subscripts, *operands)
    with sk.engine("interpreted"):
        found = sk.einsum(subscripts, *given)
    if isinstance(found, sk.Table):
        assert without_zeros(found) == as_dict(expected)
    else:
        assert np.array_equal(found, expected)


@pytest.mark.parametrize(
    ("subscripts", "shapes"),
    [
        ("ij,jk->ik", [(2, 3), (3, 4)]),
        ("ij,jk", [(2, 3), (3, 4)]),
        ("ii", [(3, 3)]),
        ("ii->i", [(3, 3)]),
        ("ba", [(2, 3)]),
        ("Ab", [(2, 3)]),
        (" i j , j k -> k i ", [(2, 3), (3, 4)]),
        ("i,j->ij", [(2,), (3,)]),
        ("ij,kl->", [(2, 3), (3, 4)]),
        (",ij->ij", [(), (2, 3)]),
        (",", [(), ()]),
        ("", [()]),
        ("i,i->i", [(1,), (3,)]),  # an axis of length one is repeated
        ("ij,jk->ik", [(2, 1), (3, 4)]),
        ("ii,i->i", [(1, 1), (3,)]),
        ("i,i->i", [(0,), (1,)]),
    ],
)
def test_einsum_is_numpys_on_both_engines(engine, subscripts, shapes):
    random = np.random.default_rng(1)
    operands = [np.asarray(random.integers(-3, 4, shape)) for shape in shapes]
    same(sk.einsum(subscripts, *operands), np.einsum(subscripts, *operands))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint8", "int32", "float32", "float64"])
def test_types_are_numpys(dtype):
    a = np.arange(120, 132).reshape(3, 4).astype(dtype)
    b = (np.arange(8).reshape(4, 2) % 3).astype(dtype)
    with sk.engine("interpreted"):
        same(sk.einsum("ij,jk->ik", a, b), np.einsum("ij,jk->ik", a, b))
        same(sk.einsum("ij,jk->", a, b), np.einsum("ij,jk->", a, b))


def test_no_part_is_lost_where_several_share_no_letter(engine):
    """The sum of the first part was forgotten when the second was summed by itself."""
    assert sk.einsum("a,b,c->", [2], [3], [5]) == 30
    assert sk.einsum("a,bc,cd,de->", [2], [[3]], [[5]], [[7]]) == 210


def test_lists_and_numbers_are_arrays():
    with sk.engine("interpreted"):
        same(sk.einsum("i,->i", [1, 2], 3), np.array([3, 6]))


def test_published_cases(shared_data):
    """A hundred expressions from the test suites of others, against sums that are written down with them."""
    book = json.loads((shared_data / "einsum_cases" / "cases.json").read_text())
    assert len(book["cases"]) == 100
    for case in book["cases"]:
        random, operands = np.random.default_rng(0), []
        letters = case["expr"].partition("->")[0]
        for term in letters.split(","):
            shape = tuple(book["sizes"][x] for x in term)
            values = random.integers(-3, 4, shape)
            operands.append(np.asarray(values * (random.random(shape) < 0.4)))
        steps = math.prod(book["sizes"][x] for x in set(letters) - {","})
        with sk.engine("interpreted" if steps < 100_000 else "compiled"):  # compiling takes longer than a few steps do
            found = sk.einsum(case["expr"], *operands)
        same(found, np.einsum(case["expr"], *operands, optimize=True)[()])
        assert list(np.shape(found)) == case["out_shape"], case["expr"]
        measured = [int(np.sum(found)), int(np.abs(found).sum()), int(np.count_nonzero(found))]
        assert measured == [case["result_sum"], case["result_abs_sum"], case["result_nnz"]], case["expr"]


def test_tables_arrays_and_sparse_matrices_mix():
    a, b = np.array([[1, 0, 2], [0, 3, 0]]), np.array([[0.0, 1.5], [2.0, 0.0], [0.0, 4.0]])
    expected = as_dict(np.einsum("ij,jk->ki", a, b))
    with sk.engine("interpreted"):
        for left in (a, as_table(a), sparse(a)):
            for right in (as_table(b), sparse(b)):
                found = sk.einsum("ij,jk->ki", left, right)
                assert isinstance(found, sk.Table) and found.keys == ("k", "i")
                assert without_zeros(found) == expected


def test_scipy_matrices():
    scipy = pytest.importorskip("scipy.sparse")
    a, b = np.array([[1, 0, 2], [0, 3, 0]]), np.array([[0.0, 1.5], [2.0, 0.0], [0.0, 4.0]])
    for kind in (scipy.csr_matrix, scipy.coo_array):
        found = sk.einsum("ij,jk->ki", kind(a), kind(b))
        assert without_zeros(found) == as_dict(np.einsum("ij,jk->ki", a, b))


def test_tables_with_string_keys():
    edges = sk.table({"src": ["ann", "ann", "bob"], "dst": ["bob", "cy", "cy"]})
    with sk.engine("interpreted"):
        assert sk.einsum("ab,bc,ac->", edges, edges, edges) == 1
        assert sk.einsum("ab,bc", edges, edges).to_dict() == {("ann", "cy"): 1}
        assert sk.einsum("ab->b", edges).to_dict() == {"bob": 1, "cy": 2}


@pytest.mark.parametrize(
    ("subscripts", "shapes", "error", "message"),
    [
        ("...i->i", [(2,)], QueryError, "'...i->i' has an ellipsis"),
        ("ij,jk->il", [(2, 2), (2, 2)], QueryError, "'l' is in the output of 'ij,jk->il', and in no operand"),
        ("ij->ii", [(2, 2)], QueryError, "'i' stands in the output of 'ij->ii' twice"),
        ("ij,jk->ik", [(2, 2)], QueryError, "'ij,jk->ik' names 2 operands, and 1 are given"),
        ("ij", [(2, 2), (2, 2)], QueryError, "'ij' names 1 operands, and 2 are given"),
        ("ij", [(2,)], QueryError, "operand 0 has 1 axes, and 2 letters: 'ij'"),
        ("i1->i", [(2, 2)], QueryError, "'1' in the subscripts 'i1->i'"),
        ("i->i->i", [(2,)], QueryError, "'-' in the subscripts 'i->i->i'"),
        ("i->i,", [(2,)], QueryError, "',' in the subscripts 'i->i,'"),
        ("ij,jk", [(2, 3), (4, 2)], BadOption, "'j' is 3 long in one place, and 4 in operand 1"),
        ("ii", [(2, 3)], BadOption, "'i' is 2 long in one place, and 3 in operand 0"),
        ("ii", [(1, 3)], BadOption, "'i' is 1 long in one place, and 3 in operand 0"),
    ],
)
def test_errors_say_what_does_not_fit(subscripts, shapes, error, message):
    with pytest.raises(error) as raised:
        sk.einsum(subscripts, *[np.ones(shape) for shape in shapes])
    assert isinstance(raised.value, SkipstoneError)
    assert raised.value.what == message
    assert raised.value.repair


def test_values_that_cannot_be_multiplied_are_refused():
    with pytest.raises(NotACollection, match="operand 0 does not hold numbers"):
        sk.einsum("i", np.array([1j]))
    with pytest.raises(NotACollection, match="operand 1 does not hold numbers"):
        sk.einsum("i,i", [1], ["x"])
    with pytest.raises(UnsupportedValue, match="several values a row"):
        sk.einsum("i", sk.table({"k": [1], "u": [1], "v": [2]}, keys="k", value=["u", "v"]))
