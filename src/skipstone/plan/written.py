"""The same query, written again: found by what is written, it need not be planned again.

    while True:
        value = (price[item] * stock[item]).sum().collect()      # a new expression each time

Tables do not change, and neither do axes: an expression of nothing else, with numbers and plain keys in it, means the
same as another that is written alike over the same tables. A function of values is what its code says, and all that it
refers to now; where that cannot be told, and where one is asked about keys, the query is planned anew.

A plan is kept as long as all tables live that it is for.
"""

from __future__ import annotations

import threading
import weakref
from collections import OrderedDict
from datetime import date
from typing import Any

import numpy as np

from ..algebra import Semiring, is_known
from ..fingerprint import fingerprint
from ..notation import (
    Absent,
    Access,
    Added,
    Aggregate,
    Axis,
    Condition,
    Expression,
    Kept,
    Mapped,
    Number,
    Optional,
    Present,
    Product,
    Rows,
    accesses,
)
from .step import Steps

STEPS = 1000
PLAIN = (int, str, bool, float, type(None), date)
_steps: OrderedDict[Any, tuple[Steps, list[Any]]] = OrderedDict()
_lock = threading.RLock()  # a table may end anywhere, here as well


class Changing(Exception):
    """An expression holds something that may change."""


def written(expression: Expression, *more: Any) -> Any:
    """What is written, and more that a plan depends on, as something that can be compared; None if it may change."""
    told: list[Any] = [*more]
    try:
        tell(expression, told)
    except Changing:
        return None
    return tuple(told)


def tell(x: Expression, told: list[Any]) -> None:
    """Add what x is. (Each kind says how much will follow, so that no two come to the same.)"""
    if isinstance(x, Access):
        told.append(id(x.table))
        for place in x.places:
            tell_key(place, told)
    elif isinstance(x, Product):
        told += Product, len(x.factors)
        for factor in x.factors:
            tell(factor, told)
    elif isinstance(x, Aggregate):
        told += type(x), *told_semiring(x.semiring), len(x.along), *map(id, x.along)
        if type(x) is not Aggregate:  # a text says in which order its axes come
            told += len(x.axes()), *map(id, x.axes())
        tell(x.inner, told)
    elif isinstance(x, Added):
        told.append(Added)
        tell(x.one, told)
        tell(x.two, told)
    elif isinstance(x, Mapped | Kept):
        told += type(x), x.with_keys, told_function(x.f if isinstance(x, Mapped) else x.p)
        tell(x.inner, told)
    elif isinstance(x, Rows | Absent | Present):
        told.append(type(x))
        tell(x.inner, told)
    elif isinstance(x, Optional):
        told.append(Optional)
        tell_key(x.otherwise, told)
        tell(x.inner, told)
    elif isinstance(x, Condition):
        told += Condition, x.op, id(x.left)
        tell_key(x.right, told)
    elif isinstance(x, Number):
        told.append(Number)
        tell_key(x.value, told)
    else:
        raise Changing


def told_semiring(semiring: Semiring) -> tuple[Any, ...]:
    """By what is in it: one that is gone may have left its id to another."""
    if not is_known(semiring):
        raise Changing
    values = repr((semiring.zero, semiring.one, semiring.enough, semiring.distributes))
    return semiring.plus, semiring.times, values


def told_function(f: Any) -> str:
    if not (found := fingerprint(f)):
        raise Changing
    return found


def tell_key(key: Any, told: list[Any]) -> None:
    """Add an axis, or a key that stands for itself."""
    kind = type(key)
    if kind is Axis:
        told.append(id(key))
    elif kind in PLAIN or isinstance(key, np.generic):
        told += kind, repr(key)  # 0.0 is not -0.0
    else:
        raise Changing


def steps_of(form: Any) -> Steps | None:
    """The plan for what is written like that, if there is one."""
    with _lock:
        if form not in _steps:
            return None
        _steps.move_to_end(form)
        return _steps[form][0]


def keep(form: Any, steps: Steps, expression: Expression) -> None:
    """Keep a plan, until one of the tables is gone."""

    def forget(_: Any) -> None:
        with _lock:
            _steps.pop(form, None)

    tables = [weakref.ref(access.table, forget) for access in accesses(expression)]
    with _lock:
        _steps[form] = steps, tables
        while len(_steps) > STEPS:
            _steps.popitem(last=False)
