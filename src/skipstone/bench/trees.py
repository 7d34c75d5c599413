"""Ordered maps: walked together as streams, or one of them walked and its keys looked up in the others.

The loops by hand are compiled in the same way as streams are (`by_hand`), and so read columns without a thought for
negative positions: on Numba's own arrays they took up to a fifth longer. Values are floats, which are not checked for
overflow on either side.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache, partial
from typing import Any

import numpy as np

from ..engines import compile
from ..storage.blocked import Blocked
from ..storage.blocks import BLOCKS, SHIFT
from ..storage.blocks import find as find_place
from ..storage.column import Column
from ..storage.hash import Hash
from ..storage.red_black import AFTER, outermost
from ..storage.red_black import find as find_node
from ..storage.tree import Tree
from ..stream import Stream
from ..words import Kernel
from . import streams
from .harness import Case


def trees_two(ak: Any, al: Any, am: Any, av: Any, bk: Any, bl: Any, bm: Any, bv: Any) -> float:
    total, q = 0.0, outermost(al, am, 0)
    while q != 0:
        b = find_node(bk, bl, bm, ak[4 * q])
        if b != 0:
            total += av[q] * bv[b]
        q = np.int64(al[8 * q + AFTER])
    return total


def trees_three(
    ak: Any, al: Any, am: Any, av: Any, bk: Any, bl: Any, bm: Any, bv: Any, ck: Any, cl: Any, cm: Any, cv: Any
) -> float:
    total, q = 0.0, outermost(al, am, 0)
    while q != 0:
        b = find_node(bk, bl, bm, ak[4 * q])
        if b != 0:
            c = find_node(ck, cl, cm, ak[4 * q])
            if c != 0:
                total += av[q] * bv[b] * cv[c]
        q = np.int64(al[8 * q + AFTER])
    return total


def blocks_two(ak: Any, ah: Any, ao: Any, ac: Any, am: Any, av: Any,
               bk: Any, bh: Any, bo: Any, bc: Any, bm: Any, bv: Any) -> float:  # fmt: skip
    total = 0.0
    for n in range(am[BLOCKS]):
        begin = ao[n] << SHIFT
        for q in range(begin, begin + ac[n]):
            b = find_place(bk, bh, bo, bc, bm, ak[q])
            if b >= 0:
                total += av[q] * bv[b]
    return total


def blocks_three(ak: Any, ah: Any, ao: Any, ac: Any, am: Any, av: Any,
                 bk: Any, bh: Any, bo: Any, bc: Any, bm: Any, bv: Any,
                 ck: Any, ch: Any, co: Any, cc: Any, cm: Any, cv: Any) -> float:  # fmt: skip
    total = 0.0
    for n in range(am[BLOCKS]):
        begin = ao[n] << SHIFT
        for q in range(begin, begin + ac[n]):
            b = find_place(bk, bh, bo, bc, bm, ak[q])
            if b >= 0:
                c = find_place(ck, ch, co, cc, cm, ak[q])
                if c >= 0:
                    total += av[q] * bv[b] * cv[c]
    return total


WRITTEN: dict[str, dict[str, Callable[..., Any]]] = {
    "rb.2": {"streaming": streams.product_of_two, "lookup, Tree": trees_two, "lookup, Blocked": blocks_two},
    "rb.3": {"streaming": streams.product_of_three, "lookup, Tree": trees_three, "lookup, Blocked": blocks_three},
}


def by_hand(function: Callable[..., Any], maps: list[Any]) -> Callable[[], Any]:
    """The function on what `find` wants of each map, and its values: the very columns that its stream reads."""
    columns = []
    for each in maps:
        run = each.stream()
        columns += [run.column, run.links] if isinstance(each, Tree) else [run.column, run.heads, run.order, run.counts]
        columns += [Column(each._meta, "meta", each), run.inner.columns[0]]
    return compile(lambda: Kernel(function, "float")(*columns))


@lru_cache(maxsize=1)
def filled(kind: type, order: str, keys: int) -> list[Any]:
    """Three maps of random keys, put in one by one: in order, or as they were drawn."""
    random, made = np.random.default_rng(7), []
    for _ in range(3):
        drawn, values = random.choice(10 * keys, keys, replace=False), random.random(keys)
        if order == "in order":
            drawn = np.sort(drawn)
        each = kind()
        for key, value in zip(drawn.tolist(), values.tolist(), strict=True):
            each[key] = value
        made.append(each)
    return made


def tree_case(number: int, kind: type, order: str, keys: int) -> Case:
    maps = filled(kind, order, keys)[:number]
    two, three = (trees_two, trees_three) if kind is Tree else (blocks_two, blocks_three)
    loop: Callable[..., float] = two if number == 2 else three
    product: Callable[..., Stream] = streams.product_of_two if number == 2 else streams.product_of_three
    return Case(
        f"rb.{number}, {kind.__name__}, {order}",
        ours={"streaming": product(*(each.stream() for each in maps)).compile()},
        hand={"iterate and lookup": by_hand(loop, maps)},
        note=f"{keys:,} of {10 * keys:,} keys a map, put in one by one, in order or shuffled",
    )


def fill_case(keys: int) -> Case:
    """A map made of shuffled keys: one by one from Python, and all at once from arrays or pairs."""
    random = np.random.default_rng(8)
    drawn, values = random.choice(10 * keys, keys, replace=False), random.random(keys)
    items = list(zip(drawn.tolist(), values.tolist(), strict=True))

    def one_by_one(make: type) -> Any:
        made = make()
        for key, value in items:
            made[key] = value
        return made

    others: dict[str, Callable[[], Any]] = {"dict, one by one": partial(one_by_one, dict)}
    try:
        from sortedcontainers import SortedDict
    except ImportError:
        pass  # then there is nothing to be held against
    else:
        others[PEER] = partial(one_by_one, SortedDict)
        others["SortedDict, at once"] = lambda: SortedDict(items)
    ours: dict[str, Callable[[], Any]] = {}
    for kind in (Tree, Blocked, Hash):
        ours[f"{kind.__name__}, one by one"] = partial(one_by_one, kind)
        ours[f"{kind.__name__}, at once"] = partial(kind, drawn, values)
    return Case(
        "fill",
        ours=ours,
        others=others,
        note=f"{keys:,} of {10 * keys:,} keys, shuffled",
        answer=lambda made: np.array(sorted(made.items())),
    )


PEER = "SortedDict, one by one"


def cases(keys: int) -> list[Callable[[], Case]]:
    """Two and three maps of each kind, filled in either order; and what filling them takes."""
    products = [
        partial(tree_case, number, kind, order, keys)
        for kind in (Tree, Blocked)
        for order in ("in order", "shuffled")
        for number in (2, 3)
    ]
    return [*products, partial(fill_case, keys)]
