"""Parsing: how many ways there are to read a sentence (CYK).

`chart(i, k, x)` counts the ways to read words i to k as an x. A rule x → y z joins two neighbouring parts:
the sum runs over where they meet, and over y and z. Reading is repeated until no more is found.
"""

from functools import cache

import skipstone as sk

RULES = [("S", "NP", "VP"), ("VP", "V", "NP"), ("VP", "VP", "PP"), ("NP", "NP", "PP"), ("NP", "Det", "N"),
         ("PP", "P", "NP")]  # fmt: skip
WORDS = {"she": "NP", "saw": "V", "the": "Det", "man": "N", "telescope": "N", "hill": "N", "with": "P", "on": "P"}


def columns(rows, *names):
    return dict(zip(names, map(list, zip(*rows, strict=True)), strict=True))


def readings(sentence):
    """The chart of a sentence, and in how many rounds it was filled."""
    words = sentence.split()
    lexicon = sk.table(columns([(n, n + 1, WORDS[w]) for n, w in enumerate(words)], "i", "k", "x"))
    rules = sk.table(columns(RULES, "x", "y", "z"))
    i, j, k, x, y, z = sk.axes("i j k x y z")
    chart, rounds = lexicon, 0
    while True:
        joined = (chart[i, j, y] * rules[x, y, z] * chart[j, k, z]).sum(j, y, z)
        found = (lexicon[i, k, x] + joined).collect()
        rounds += 1
        if found.to_dict() == chart.to_dict():
            return found.to_dict(), rounds
        chart = found


@cache
def by_recursion(words, x):
    """The same, by trying every place to cut."""
    if len(words) == 1:
        return int(WORDS[words[0]] == x)
    return sum(
        by_recursion(words[:n], y) * by_recursion(words[n:], z)
        for left, y, z in RULES
        if left == x
        for n in range(1, len(words))
    )


for sentence in (
    "she saw the man",
    "she saw the man with the telescope",
    "she saw the man on the hill with the telescope",
    "she saw the man on the hill with the telescope on the hill",
):
    chart, rounds = readings(sentence)
    words = tuple(sentence.split())
    ways = chart[0, len(words), "S"]
    assert ways == by_recursion(words, "S")
    print(f"ways: {ways:2}, parts: {len(chart):2}, rounds: {rounds:2}   {sentence}")
