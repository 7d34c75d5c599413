"""Before a product is planned: one domain an axis, pinned keys looked up, columns that repeat an axis dropped."""

from __future__ import annotations

from collections import OrderedDict
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from ..algebra import Semiring
from ..errors import BadOption
from ..keys import Domain, meeting
from ..notation import Access, Axis, Condition, Expression, Optional
from ..storage.build import add_runs
from ..table import Table
from .keyed import as_accesses
from .term import At, Factor, Term, product

MEETINGS = 64  # of dictionaries, remembered
_meetings: OrderedDict[tuple[int, ...], Any] = OrderedDict()


@dataclass(eq=False)
class Walk:
    """A table to walk along, one axis a column. `source` is what it stands for in the expression.

    A silent one only holds the keys: its value takes no part in the product.
    """

    source: Expression
    table: Table
    axes: tuple[Any, ...]
    silent: bool = False


@dataclass
class Prepared:
    """A product, ready to be planned."""

    walks: list[Walk]
    absents: list[Walk]
    optionals: list[Walk]
    conditions: list[Condition]
    factors: list[Factor]
    domains: dict[int, Domain]  # by id of the axis
    impossible: bool = False  # a pinned key, or all of them, is nowhere to be found
    numbers: tuple[Any, ...] = ()  # further factors: parts that were summed already, rows without an axis
    constants: dict[int, Any] = field(
        default_factory=dict
    )  # the values of rows without an axis, by id of what they are
    notes: list[str] = field(default_factory=list)
    inners: list[Inner] = field(default_factory=list)
    tests: list[Factor] = field(default_factory=list)  # there is a row only where all of them say yes

    @property
    def plain(self) -> bool:
        """Whether no function takes part in it."""
        return not self.tests and all(factor.bare for factor in self.factors)

    def value(self, at: At, semiring: Semiring) -> Any:
        """The value of a row, but for `numbers`."""
        return product(self.factors, at, semiring)

    def constant(self, source: Any) -> Any:
        """The value of a row without an axis."""
        return self.constants[id(source)]


@dataclass(eq=False)
class Inner:
    """A part that is summed within the loops over the rest, once for each key of one axis (see within.py)."""

    part: Prepared
    cut: tuple[Any, ...]


def prepared(term: Term) -> Prepared:
    """A term with everything but axes taken care of."""
    silent = [*term.present, *as_accesses([*term.accesses, *term.present], term.functions)]
    optionals = [(rows_of(o), o) for o in term.optionals]
    accesses = [*term.accesses, *silent, *term.absents, *(access for access, _ in optionals)]
    domains, moves = met(accesses, term.conditions)
    found = Prepared([], [], [], [], [], domains, term.impossible, term.numbers, tests=term.tests)

    def walk(access: Access, source: Expression, silent: bool = False) -> Walk:
        recoded = access.table
        for n, place in enumerate(access.places):
            if isinstance(place, Axis):
                recoded = recoded.recoded(n, domains[id(place)], moves.get((id(access), n)))
        return Walk(source, *narrowed(recoded, access.places), silent)

    def constant(walk: Walk, otherwise: Any) -> None:
        found.constants[id(walk.source)] = value_of(walk.table) if walk.table.size else otherwise

    for made in [*(walk(a, a) for a in term.accesses), *(walk(a, a, True) for a in silent)]:
        if made.axes:
            found.walks.append(made)
            continue
        found.impossible |= made.table.size == 0
        if not made.silent:
            constant(made, None)
    for made in (walk(a, a) for a in term.absents):
        if made.axes:
            found.absents.append(made)
        else:
            found.impossible |= made.table.size > 0
    for access, source in optionals:
        made = walk(access, source)
        if made.axes:
            found.optionals.append(made)
        else:
            constant(made, source.otherwise)
    for condition in term.conditions:
        if condition.left is condition.right:
            found.impossible |= condition.op in ("<", ">", "!=")
        else:
            found.conditions.append(coded(condition, domains))
    for factor in term.factors:
        if factor.bare and id(factor.sources[0]) in found.constants:
            found.numbers += (found.constants[id(factor.sources[0])],)
        else:
            found.factors.append(factor)
    bound = {id(a) for walk in found.walks for a in walk.axes}
    for each in (*found.absents, *found.optionals):
        for axis in each.axes:
            if id(axis) not in bound:
                raise BadOption(f"axis {axis!r} occurs only in {each.source!r}", "Some table must hold its keys.")
    for condition in found.conditions:
        for axis in condition.axes():
            if id(axis) not in bound:
                raise BadOption(f"axis {axis!r} occurs only in {condition!r}", "Some table must hold its keys.")
    return found


def value_of(table: Table) -> Any:
    """The value of a table that has no columns left: of its one row."""
    if not table.values:
        return 1
    parts = [add_runs(v, np.zeros(1, np.int64)).item(0) for v in table.values]
    return parts[0] if table.make is None else table.make(*parts)


def rows_of(optional: Optional) -> Access:
    assert isinstance(optional.inner, Access)  # terms has run whatever else stood there
    return optional.inner


def met(accesses: list[Access], conditions: list[Condition]) -> tuple[dict[int, Domain], dict[tuple[int, int], Any]]:
    """The domain of each axis, and what becomes of the codes in each place. Axes that are compared share a domain."""
    together: dict[int, int] = {}

    def root(a: int) -> int:
        while together.setdefault(a, a) != a:
            a = together[a]
        return a

    for condition in conditions:
        if isinstance(condition.right, Axis):
            together[root(id(condition.left))] = root(id(condition.right))
    places: dict[int, list[tuple[Access, int]]] = {}
    for access in accesses:
        for n, place in enumerate(access.places):
            if isinstance(place, Axis):
                places.setdefault(root(id(place)), []).append((access, n))
    domains: dict[int, Domain] = {}
    moves: dict[tuple[int, int], Any] = {}
    for here in places.values():
        domain, changes = meeting_of(
            [(a.table.domains[n], f"{a.table.name or 'a table'}.{a.table.keys[n]}") for a, n in here]
        )
        for (access, n), change in zip(here, changes, strict=True):
            domains[id(access.places[n])] = domain
            moves[id(access), n] = change
    return domains, moves


def meeting_of(found: list[tuple[Domain, str]]) -> Any:
    """`keys.meeting`, remembered: the same tables meet again and again, and shall find the same dictionary."""
    key = tuple(id(domain) for domain, _ in found)
    if key not in _meetings:
        domains = [domain for domain, _ in found]
        _meetings[key] = (domains, meeting(domains, [where for _, where in found]))
        while len(_meetings) > MEETINGS:
            _meetings.popitem(last=False)
    return _meetings[key][1]


def narrowed(table: Table, places: tuple[Any, ...]) -> tuple[Table, tuple[Any, ...]]:
    """The rows with the keys that are pinned, each axis once."""
    left = list(places)
    n = 0
    while n < len(left):
        place = left[n]
        if not isinstance(place, Axis):
            code = table.domains[n].code_of(place)
            table = table.pinned(n, code)
            del left[n]
            continue
        again = next((m for m in range(n) if left[m] is place), None)
        if again is not None:
            table = table.diagonal(again, n)
            del left[n]
            continue
        n += 1
    return table, tuple(left)


def coded(condition: Condition, domains: dict[int, Domain]) -> Condition:
    """A condition with a key in it, that key as a code."""
    if isinstance(condition.right, Axis):
        return condition
    domain = domains.get(id(condition.left))
    if domain is None:
        return condition
    return Condition(condition.op, condition.left, domain.code_of(condition.right))
