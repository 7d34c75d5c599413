"""What an expression means, by trying every key on every axis. Slow, and independent of the planner."""

from itertools import product

from skipstone.algebra import plus_times
from skipstone.notation import (
    Absent,
    Access,
    Added,
    Aggregate,
    Axis,
    Condition,
    Derivation,
    Kept,
    Mapped,
    Memo,
    Number,
    Optional,
    Present,
    Product,
    Rows,
    Where,
)
from skipstone.notation.axes import COMPARE


class Model:
    """`rows` says what each table holds, by its id; `keys` what to try on each axis, by its id."""

    def __init__(self, rows, keys):
        self.rows, self.keys = rows, keys

    def result(self, expression):
        """From keys, in the order of the axes, to values; the value itself where there are no axes."""
        axes = expression.axes()
        found = {}
        for env in self.every(axes, {}):
            value = self.at(expression, env, plus_times)
            if value is not None:
                found[tuple(env[id(a)] for a in axes)] = value
        return found if axes else found.get(())

    def every(self, axes, env):
        for chosen in product(*(self.keys[id(a)] for a in axes)):
            yield env | {id(a): key for a, key in zip(axes, chosen, strict=True)}

    def at(self, e, env, semiring):
        """The value where the axes have these keys, and None where there is no row."""
        match e:
            case Access(table, places):
                return self.rows[id(table)].get(tuple(env[id(p)] if isinstance(p, Axis) else p for p in places))
            case Product(factors):
                value = semiring.one
                for factor in factors:
                    one = self.at(factor, env, semiring)
                    if one is None:
                        return None
                    value = semiring.times(value, one)
                return value
            case Added(one, two):
                there = [x for x in (self.at(one, env, semiring), self.at(two, env, semiring)) if x is not None]
                return sum(there) if there else None
            case Number(value):
                return value
            case Condition(op, left, right):
                other = env[id(right)] if isinstance(right, Axis) else right
                return semiring.one if COMPARE[op](env[id(left)], other) else None
            case Where(of, p):
                return semiring.one if p(env[id(of)]) else None
            case Derivation(axis, of, f):
                return semiring.one if f(env[id(of)]) == env[id(axis)] else None
            case Absent(inner):
                return semiring.one if self.at(inner, env, semiring) is None else None
            case Present(inner):
                return None if self.at(inner, env, semiring) is None else semiring.one
            case Optional(inner, otherwise):
                value = self.at(inner, env, semiring)
                return otherwise if value is None else value
            case Mapped(inner, f, with_keys):
                value = self.at(inner, env, semiring)
                return None if value is None else f(*self.seen(inner, env, with_keys), value)
            case Kept(inner, p, with_keys):
                value = self.at(inner, env, semiring)
                return value if value is not None and p(*self.seen(inner, env, with_keys), value) else None
            case Rows(inner):
                return None if self.at(inner, env, semiring) is None else semiring.one
            case Memo(inner):
                return self.at(inner, env, semiring)
            case Aggregate(inner, along, own):
                total = None
                for each in self.every(along, env):
                    value = self.at(inner, each, own)
                    if value is not None:
                        total = value if total is None else own.plus(total, value)
                if total is None and not e.axes() and own.plus is plus_times.plus:
                    return 0
                return total
        raise AssertionError(e)

    def seen(self, inner, env, with_keys):
        return [env[id(a)] for a in inner.axes()] if with_keys else []
