"""Strings as codes: the dictionary is Arrow's, and strings of Python's own are made when they are asked for."""

import numpy as np
import pyarrow as pa
import pytest

import skipstone as sk
from skipstone.keys import Domain, by_dictionary

STRINGS = ["b", None, "ä", "a", "b", None, "", "a\0"]
SORTED = ["", "a", "a\0", "b", "ä"]


@pytest.mark.parametrize("kind", [pa.string(), pa.large_string()])
@pytest.mark.parametrize("ends", [(8,), (0, 2, 2, 7, 8)])
def test_strings_in_pieces_have_one_dictionary(kind, ends):
    pieces = [pa.array(STRINGS[lo:hi], kind) for lo, hi in zip((0, *ends), ends, strict=False)]
    texts, codes = by_dictionary(pa.chunked_array(pieces))
    there = [n for n, text in enumerate(STRINGS) if text is not None]
    assert texts.to_pylist() == SORTED and codes.size == 8
    assert [SORTED[codes[n]] for n in there] == [STRINGS[n] for n in there]


@pytest.mark.parametrize("pieces", [[], [[]], [[None, None]]])
def test_strings_that_are_not_there_have_no_dictionary(pieces):
    texts, codes = by_dictionary(pa.chunked_array(pieces, pa.string()))
    assert texts.to_pylist() == [] and codes.tolist() == [0] * sum(map(len, pieces))


def test_equal_strings_of_a_dictionary_that_was_given_are_one():
    given = pa.DictionaryArray.from_arrays([0, 1, 2, None], ["b", "a", "b"])
    texts, codes = by_dictionary(given)
    assert texts.to_pylist() == ["a", "b"] and codes[:3].tolist() == [1, 0, 1]


@pytest.mark.parametrize("codes", [[], [2], [4, 0], [0, 1, 2, 3, 4], [3] * 9])
def test_few_codes_and_many_are_decoded_alike(codes):
    domain = Domain("str", pa.array(SORTED, pa.large_string()))
    found = domain.decoded(np.array(codes, np.int64))
    assert found.dtype == object and found.tolist() == [SORTED[c] for c in codes]
    assert ("names" in vars(domain)) == (len(codes) >= len(SORTED)), "strings were made that nobody asked for"


def test_a_string_that_is_not_there_stands_between_two():
    domain = Domain("str", pa.array(SORTED, pa.large_string()))
    assert [domain.code_of(text) for text in SORTED] == [0, 1, 2, 3, 4]
    assert [domain.code_of(text) for text in ("A", "b\0", "z", "ö")] == [0.5, 3.5, 3.5, 4.5]


def test_a_chunked_column_is_a_table():
    column = pa.chunked_array([["b", "a"], [], ["b", "c"]])
    assert sk.table(pa.table({"k": column}), combine="count").to_dict() == {"a": 1, "b": 2, "c": 1}
