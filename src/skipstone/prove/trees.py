"""Any search tree in flat arrays: what is known of its nodes, without a word on its colours.

Nodes in order have ranks 0, 1, …; what lies below a node is a range of ranks around its own, from `first` to `last`.
The links are described by these: the part left of a node has the ranks before it, the part right of it those behind.
The end, node 0, has the rank behind all others.
"""

from __future__ import annotations

from typing import Any

import z3

from ..errors import NotProvable
from ..storage.levels import Leaf
from ..storage.red_black import AFTER, LEFT, RIGHT, UP
from ..storage.tree import TreeRun
from .paths import oblige
from .terms import BOOL, INT, Term, expression, less, number
from .world import LONGEST, Domain, Maybe, World


class AnyTree:
    """The keys and links of any search tree: read as the arrays are, at 4 * q and 8 * q + link."""

    def __init__(self, world: World) -> None:
        self.world = world
        self.many, self.places = world.length("many"), world.number("places", 0, LONGEST // 8)  # of 8 numbers each
        keys = world.keys
        self.key_of, self.node = z3.Function("key of", INT, keys), z3.Function("node of rank", INT, INT)
        self.held_by = z3.Function("node of key", keys, INT)
        self.is_in = z3.Function("is a node", INT, BOOL)
        self.rank_of, self.from_, self.to = (z3.Function(name, INT, INT) for name in ("rank", "first", "last"))
        self.link = {n: z3.Function(f"link {n}", INT, INT) for n in (LEFT, RIGHT, UP, AFTER)}
        size = world.size
        self.numbers = Domain(INT, lambda: [z3.IntVal(n) for n in range(size.places + 1)] if size else [])
        self.is_a_tree()

    def is_a_tree(self) -> None:
        world, many, places = self.world, number(self.many), number(self.places)
        known, rank, node, lo, hi = self.is_in, self.rank_of, self.node, self.from_, self.to
        left, right, up, after = (self.link[n] for n in (LEFT, RIGHT, UP, AFTER))

        def fact(body: Any, *patterns: Any) -> None:
            world.over([self.numbers], lambda q: z3.Implies(known(q), body(q)), *patterns)

        world.axioms += [rank(0) == many, z3.Not(known(0)), many < places]
        fact(lambda q: z3.And(q >= 1, q < places, lo(q) >= 0, lo(q) <= rank(q), rank(q) <= hi(q), hi(q) < many,
                              node(rank(q)) == q, self.held_by(self.key_of(q)) == q), lambda q: [known(q)])  # fmt: skip

        def below(q: Any, child: Any, first: Any, last: Any) -> Any:
            return z3.And(known(child), up(child) == q, lo(child) == first, hi(child) == last)

        def above(q: Any, parent: Any) -> Any:
            return z3.And(known(parent), z3.Or(left(parent) == q, right(parent) == q))

        fact(
            lambda q: z3.If(left(q) == 0, lo(q) == rank(q), below(q, left(q), lo(q), rank(q) - 1)), lambda q: [left(q)]
        )
        fact(lambda q: z3.If(right(q) == 0, hi(q) == rank(q), below(q, right(q), rank(q) + 1, hi(q))),
             lambda q: [right(q)])  # fmt: skip
        fact(lambda q: z3.If(up(q) == 0, z3.And(lo(q) == 0, hi(q) == many - 1), above(q, up(q))), lambda q: [up(q)])
        fact(lambda q: after(q) == z3.If(rank(q) == many - 1, 0, node(rank(q) + 1)), lambda q: [after(q)])
        ranks = self.numbers
        world.over([ranks], lambda r: z3.Implies(z3.And(r >= 0, r < many), z3.And(known(node(r)), rank(node(r)) == r)),
                   lambda r: [node(r)])  # fmt: skip
        world.over([ranks, ranks], lambda p, q: z3.Implies(
            z3.And(known(p), known(q), rank(p) < rank(q)), less(Term(self.key_of(p)), Term(self.key_of(q)))),
            lambda p, q: [self.key_of(p), self.key_of(q)])  # fmt: skip
        held = self.held_by
        world.always("k", lambda k: z3.Or(held(k) == 0, z3.And(known(held(k)), self.key_of(held(k)) == k)),
                     lambda k: [held(k)])  # fmt: skip

        size = world.size
        if size is not None:  # facts are written out for these numbers alone: nothing leads beyond them
            for f in (*self.link.values(), node):
                world.over([ranks], lambda n, f=f: z3.And(f(n) >= 0, f(n) <= size.places))
            world.always("k", lambda k: z3.And(held(k) >= 0, held(k) <= size.places))
            world.over([ranks], lambda n: z3.And(*world.limits(self.key_of(n))))

    # ------------------------------------------------------------------ what invariants speak of

    def is_node(self, q: Any) -> Any:
        return Term(self.is_in(number(q)))

    def rank(self, q: Any) -> Any:
        return Term(self.rank_of(number(q)))

    def first(self, q: Any) -> Any:
        return Term(self.from_(number(q)))

    def last(self, q: Any) -> Any:
        return Term(self.to(number(q)))

    def key_before(self, rank: Any) -> Any:
        """The key of the node before a rank."""
        return Term(self.key_of(self.node(number(rank) - 1)))


class Part:
    """The array of keys, or of links, of a tree."""

    def __init__(self, tree: AnyTree, width: int) -> None:
        self.tree, self.width = tree, width

    def __getattr__(self, name: str) -> Any:
        return getattr(self.tree, name)

    def __getitem__(self, i: Any) -> Any:
        return self.item(i)

    def item(self, i: Any) -> Any:
        q, link = taken_apart(expression(i), self.width)
        oblige("a node is read, and not the end", self.tree.is_in(q))
        if self.width == 4:
            return Term(self.tree.key_of(q))
        if link not in self.tree.link:
            raise NotProvable(f"link {link} of a node", "Seeking needs LEFT, RIGHT, UP and AFTER.")
        return Term(self.tree.link[link](q))


def taken_apart(i: Any, width: int) -> tuple[Any, int]:
    """q and n of a place width * q + n."""
    n = 0
    if z3.is_add(i) and z3.is_int_value(i.arg(1)):
        i, n = i.arg(0), i.arg(1).as_long()
    if z3.is_mul(i) and z3.is_int_value(i.arg(0)) and i.arg(0).as_long() == width:
        return i.arg(1), n
    raise NotProvable(f"{i} is no place of a node", f"Read at {width} * q + link.")


def tree(world: World) -> TreeRun:
    """The stream over any tree."""
    any_tree = AnyTree(world)
    begin = any_tree.world.length("begin")
    world.suppose((any_tree.rank(begin) == 0) & ((begin == 0) | any_tree.is_node(begin)))
    links: Any = Part(any_tree, 8)
    return TreeRun(Part(any_tree, 4), links, begin, Leaf((world.array("values", any_tree.places),)), "int")


def whole_tree(s: Any, key: Any) -> Maybe:
    node: Any = Term(s.links.held_by(expression(key)))
    return Maybe(node != 0, s.inner.at(node))


def in_the_tree(s: Any, q: Any, key: Any) -> Maybe:
    node: Any = Term(s.links.held_by(expression(key)))
    return whole_tree(s, key).where((q != 0) & (s.links.rank(q) <= s.links.rank(node)))
