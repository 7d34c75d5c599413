"""A red-black tree in flat arrays: the functions that walk it and change it. Ordinary Python, compiled as it stands.

A node is 32 bytes, half a line of the cache: its key, and six links to other nodes. The arrays `keys` and `links` are
the same memory, seen as numbers of 8 and of 4 bytes: node q has its key at keys[4 * q] and its links at
links[8 * q + …], where … is one of

    LEFT, RIGHT     the nodes below it
    UP              the node above it
    COLOUR          BLACK or RED
    BEFORE, AFTER   its neighbours in the order of keys

Node 0 is no node: whatever is missing is 0. What else there is to know stands in `meta`. Nodes keep their place for as
long as they live.

    order    the keys left of a node are smaller, those right of it larger; BEFORE and AFTER name the nearest
    red      what is above a red node is black; the root is black, and so is 0
    black    from a node down to 0, every way passes the same number of black nodes

So no way down is more than twice as long as another, and all are O(log n). Sides are the numbers 0 and 1: LEFT + side
is one side and RIGHT - side the other, so what is written for one holds for the other in a mirror.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ..words import Invariant, no, passed, select

LEFT, RIGHT, UP, COLOUR, BEFORE, AFTER = 2, 3, 4, 5, 6, 7  # of a node's eight numbers; the first two are its key
BLACK, RED = 0, 1
ROOT, COUNT, USED, FREE = 0, 1, 2, 3  # of meta; nodes from USED on were never used; FREE begins a list through LEFT


def find(keys: Any, links: Any, meta: Any, key: Any) -> Any:
    """The node of a key, or 0."""
    q = np.int64(meta[ROOT])
    while q != 0:
        here = keys[4 * q]
        if key < here:
            q = np.int64(links[8 * q + LEFT])
        elif here < key:
            q = np.int64(links[8 * q + RIGHT])
        else:
            break
    return q


def climb(keys: Any, links: Any, q: Any, key: Any, strict: Any) -> Any:
    """Seek: the first node from q on, in order, that was not passed; 0 if there is none. O(log d) for d nodes away.

    Mostly it is the next one.
    """
    if not ((keys[4 * q] < key) | (strict & (keys[4 * q] == key))):
        return q
    q = np.int64(links[8 * q + AFTER])
    if q == 0 or not ((keys[4 * q] < key) | (strict & (keys[4 * q] == key))):
        return q
    return climb_far(keys, links, q, key, strict)


def climb_far(keys: Any, links: Any, q: Any, key: Any, strict: Any) -> Any:
    """The first node from q on that was not passed, though q was: up to an ancestor that is large enough, then down."""
    above = np.int64(links[8 * q + UP])
    # q was passed, and with it all that is left of it. What lies outside of the part below q comes before that part,
    # and was passed, or is `above`, or comes after `above`. q rises.
    while above != 0 and (
        links[8 * above + RIGHT] == q or (keys[4 * above] < key) | (strict & (keys[4 * above] == key))
    ):
        q = above
        above = np.int64(links[8 * q + UP])
    # `above` is the first ancestor that is large enough, or 0, and all that lies between q and it is right of q.
    best = above
    q = np.int64(links[8 * q + RIGHT])
    # Of that part, whatever is not below this q was passed, or does not come before best. q sinks.
    while q != 0:
        if (keys[4 * q] < key) | (strict & (keys[4 * q] == key)):
            q = np.int64(links[8 * q + RIGHT])
        else:
            best = q
            q = np.int64(links[8 * q + LEFT])
    return best


# Why the two loops of `climb_far` are right, for the prover. Below a node q lie the ranks from first(q) to last(q).
UPWARDS = Invariant(
    lambda v, old: [
        v.links.is_node(v.q),
        v.above == v.links[8 * v.q + UP],
        passed(v.keys[4 * v.q], v.key, v.strict),
        (v.links.first(v.q) <= v.links.rank(old.q)) & (v.links.rank(old.q) <= v.links.last(v.q)),
    ],
    lambda v: v.links.many - (v.links.last(v.q) - v.links.first(v.q)),
)
DOWNWARDS = Invariant(
    lambda v, old: [
        (v.q == 0) | v.links.is_node(v.q),
        (v.best == 0) | v.links.is_node(v.best),
        (v.best == 0) | no(passed(v.keys[4 * v.best], v.key, v.strict)),
        (v.q == 0) | (v.links.rank(v.best) == v.links.last(v.q) + 1),
        passed(
            v.links.key_before(select(v.q == 0, lambda: v.links.rank(v.best), lambda: v.links.first(v.q))),
            v.key,
            v.strict,
        ),
    ],
    lambda v: select(v.q == 0, lambda: 0, lambda: v.links.last(v.q) - v.links.first(v.q) + 1),
)


def outermost(links: Any, meta: Any, side: Any) -> Any:
    """The first node in order, or the last; 0 if there is none."""
    q = np.int64(meta[ROOT])
    below = np.int64(links[8 * q + LEFT + side])
    while below != 0:
        q = below
        below = np.int64(links[8 * q + LEFT + side])
    return q


def walk(links: Any, meta: Any, n: Any, nodes: Any) -> Any:
    """Fill `nodes` with the nodes from number n on, in order. It walks there from the nearer end."""
    if 2 * n <= meta[COUNT]:
        q = outermost(links, meta, 0)
        for _ in range(n):
            q = np.int64(links[8 * q + AFTER])
    else:
        q = outermost(links, meta, 1)
        for _ in range(meta[COUNT] - 1 - n):
            q = np.int64(links[8 * q + BEFORE])
    for i in range(nodes.size):
        nodes[i] = q
        q = np.int64(links[8 * q + AFTER])
    return q


def rank(keys: Any, links: Any, meta: Any, key: Any, strict: Any) -> Any:
    """How many nodes were passed. It counts them: O(n)."""
    n, q = 0, outermost(links, meta, 0)
    while q != 0 and ((keys[4 * q] < key) | (strict & (keys[4 * q] == key))):
        n += 1
        q = np.int64(links[8 * q + AFTER])
    return n


def hang(links: Any, meta: Any, q: Any, other: Any) -> Any:
    """Hang another node where q hangs now."""
    above = np.int64(links[8 * q + UP])
    if above == 0:
        meta[ROOT] = other
    elif links[8 * above + LEFT] == q:
        links[8 * above + LEFT] = other
    else:
        links[8 * above + RIGHT] = other
    links[8 * other + UP] = above
    return other


def rotate(links: Any, meta: Any, q: Any, side: Any) -> Any:
    """Let q sink to one side, and its child on the other side take its place. The order stays; that child."""
    child = np.int64(links[8 * q + RIGHT - side])
    inner = np.int64(links[8 * child + LEFT + side])
    links[8 * q + RIGHT - side] = inner
    if inner != 0:
        links[8 * inner + UP] = q
    hang(links, meta, q, child)
    links[8 * child + LEFT + side] = q
    links[8 * q + UP] = child
    return child


def insert(keys: Any, links: Any, meta: Any, key: Any) -> Any:
    """The node of a key, made if there was none. There must be room for it."""
    above, q, side = np.int64(0), np.int64(meta[ROOT]), np.int64(0)
    while q != 0:
        here = keys[4 * q]
        if key < here:
            side = np.int64(0)
        elif here < key:
            side = np.int64(1)
        else:
            return q
        above = q
        q = np.int64(links[8 * q + LEFT + side])
    new = np.int64(meta[FREE])
    if new != 0:
        meta[FREE] = links[8 * new + LEFT]
    else:
        new = np.int64(meta[USED])
        meta[USED] = new + 1
    meta[COUNT] += 1
    keys[4 * new] = key
    links[8 * new + LEFT], links[8 * new + RIGHT] = 0, 0
    links[8 * new + UP], links[8 * new + COLOUR] = above, RED
    links[8 * new + BEFORE], links[8 * new + AFTER] = 0, 0
    if above == 0:
        meta[ROOT] = new
    else:
        # Its parent is its neighbour on one side, and what was the parent's neighbour there is its own on the other.
        links[8 * above + LEFT + side] = new
        other = np.int64(links[8 * above + BEFORE + side])
        links[8 * new + AFTER - side], links[8 * new + BEFORE + side] = above, other
        links[8 * above + BEFORE + side] = new
        if other != 0:
            links[8 * other + AFTER - side] = new
    q = new
    # All holds but for one thing: q is red, and what is above it may be. q rises.
    while links[8 * above + COLOUR] == RED:
        top = np.int64(links[8 * above + UP])  # there is one: a red node is not the root
        side = np.int64(links[8 * top + RIGHT] == above)
        aunt = np.int64(links[8 * top + RIGHT - side])
        if links[8 * aunt + COLOUR] == RED:
            links[8 * above + COLOUR], links[8 * aunt + COLOUR], links[8 * top + COLOUR] = BLACK, BLACK, RED
            q = top
            above = np.int64(links[8 * q + UP])
            continue
        if links[8 * above + RIGHT - side] == q:
            above = rotate(links, meta, above, side)
        links[8 * above + COLOUR], links[8 * top + COLOUR] = BLACK, RED
        rotate(links, meta, top, 1 - side)
        break
    links[8 * meta[ROOT] + COLOUR] = BLACK
    return new


def remove(keys: Any, links: Any, meta: Any, key: Any) -> Any:
    """Take a key out; whether it was there. No other node changes its place."""
    gone = find(keys, links, meta, key)
    if gone == 0:
        return False
    before, after = np.int64(links[8 * gone + BEFORE]), np.int64(links[8 * gone + AFTER])
    if before != 0:
        links[8 * before + AFTER] = after
    if after != 0:
        links[8 * after + BEFORE] = before
    left, right = np.int64(links[8 * gone + LEFT]), np.int64(links[8 * gone + RIGHT])
    lost = links[8 * gone + COLOUR]  # the colour that will be missing on every way through q
    if left == 0 or right == 0:
        q = left + right
        hang(links, meta, gone, q)
    else:
        heir = after  # the first node on its right, which has nothing on its left
        lost = links[8 * heir + COLOUR]
        q = np.int64(links[8 * heir + RIGHT])
        if heir == right:
            links[8 * q + UP] = heir  # even of 0: the repair begins there
        else:
            hang(links, meta, heir, q)
            links[8 * heir + RIGHT] = right
            links[8 * right + UP] = heir
        hang(links, meta, gone, heir)
        links[8 * heir + LEFT] = left
        links[8 * left + UP] = heir
        links[8 * heir + COLOUR] = links[8 * gone + COLOUR]
    if lost == BLACK:
        repair(links, meta, q)
    links[UP], links[COLOUR] = 0, BLACK
    links[8 * gone + LEFT] = meta[FREE]
    meta[FREE] = gone
    meta[COUNT] -= 1
    return True


def repair(links: Any, meta: Any, q: Any) -> Any:
    """Every way through q passes one black node too few: put one in. q rises."""
    while q != meta[ROOT] and links[8 * q + COLOUR] == BLACK:
        above = np.int64(links[8 * q + UP])
        side = np.int64(links[8 * above + RIGHT] == q)
        sister = np.int64(links[8 * above + RIGHT - side])
        if links[8 * sister + COLOUR] == RED:
            links[8 * sister + COLOUR], links[8 * above + COLOUR] = BLACK, RED
            rotate(links, meta, above, side)
            sister = np.int64(links[8 * above + RIGHT - side])
        near, far = np.int64(links[8 * sister + LEFT + side]), np.int64(links[8 * sister + RIGHT - side])
        if links[8 * near + COLOUR] == BLACK and links[8 * far + COLOUR] == BLACK:
            links[8 * sister + COLOUR] = RED
            q = above
            continue
        if links[8 * far + COLOUR] == BLACK:
            links[8 * near + COLOUR], links[8 * sister + COLOUR] = BLACK, RED
            far = sister
            sister = rotate(links, meta, sister, 1 - side)
        links[8 * sister + COLOUR] = links[8 * above + COLOUR]
        links[8 * above + COLOUR], links[8 * far + COLOUR] = BLACK, BLACK
        rotate(links, meta, above, side)
        return q
    links[8 * q + COLOUR] = BLACK
    return q


def build(links: Any, meta: Any, n: Any) -> Any:
    """A tree of the nodes 1 to n, whose keys increase already: halves of halves, the lowest level red."""
    lowest = 0
    while (2 << lowest) <= n:
        lowest += 1
    # Stretches of nodes still to be hung up: from, to, the node above, and how deep. At most one a level waits.
    todo = np.zeros((72, 4), np.int64)
    todo[0, 0], todo[0, 1] = 1, n
    waiting = 1
    meta[ROOT], meta[COUNT], meta[USED], meta[FREE] = (1 + n) >> 1 if n else 0, n, n + 1, 0
    while waiting:
        waiting -= 1
        low, high, above, depth = todo[waiting, 0], todo[waiting, 1], todo[waiting, 2], todo[waiting, 3]
        if low > high:
            continue
        q = (low + high) >> 1
        links[8 * q + LEFT], links[8 * q + RIGHT], links[8 * q + UP] = 0, 0, above
        links[8 * q + COLOUR] = RED if depth == lowest and depth > 0 else BLACK
        links[8 * q + BEFORE], links[8 * q + AFTER] = q - 1, (q + 1 if q < n else 0)
        if above:
            links[8 * above + LEFT + (above < q)] = q
        todo[waiting, 0], todo[waiting, 1], todo[waiting, 2], todo[waiting, 3] = q + 1, high, q, depth + 1
        waiting += 1
        todo[waiting, 0], todo[waiting, 1], todo[waiting, 2], todo[waiting, 3] = low, q - 1, q, depth + 1
        waiting += 1
    return n
