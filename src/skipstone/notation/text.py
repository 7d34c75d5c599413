"""Queries as text: `n(a) min= R(a, b) * S(b, "x") * [a < b]`. Parsed into expressions; nothing is computed here.

query       NAME ( axes ) AGGREGATE? = sum          += is the same as =
sum         product, + or - product, …
product     unary * unary * …
unary       - unary | factor
factor      number | ( sum ) | [ conditions ] | TABLE ( places ) | FUNCTION ( sum ) | absence
absence     ! TABLE ( places ) | ! ( sum )
places      axis or constant, …                     a constant is a number, a string or date("2013-01-01")
conditions  condition, condition, …
condition   side < side | FUNCTION ( axis )         also <=, >, >=, ==, !=
side        place | FUNCTION ( axis ) | TABLE ( places )

Aggregates: min, max, any, count, and the names of semirings, the library's and those that are given. A comment goes
from # to the end of its line.

A long file: a third of it says what is wrong with a text, and that stands best where the rule stands.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple, NoReturn

import numpy as np

from ..algebra import SEMIRINGS, Semiring, or_and, plus_times
from ..counting import counted
from ..errors import BadOption, NotACollection, QueryError
from ..table import Table
from ..words import Parameter, parameter
from .apart import told_apart
from .axes import COMPARE, MIRROR, Axis, Derived, Where, axis
from .expression import (
    MAXIMUM,
    MINIMUM,
    Absent,
    Access,
    Added,
    Aggregate,
    Expression,
    Kept,
    Mapped,
    Number,
    Present,
    Product,
    Rows,
)

AGGREGATES: dict[str, Semiring] = SEMIRINGS | {
    "min": MINIMUM, "max": MAXIMUM, "any": or_and, "count": plus_times,
}  # fmt: skip
MEANS = ("avg", "average", "mean")
A_MEAN = (
    "A mean is a sum and a count: make s(a) = …, and n(a) = … of a table that counts its equal rows "
    '(combine="count", on the command line =#), and divide one by the other.'
)
OF_ROWS = ("any", "count")  # these look at rows, not at their values

TOKENS = re.compile(
    r"""(?P<space>(?:\s|\#[^\n]*)+)
      | (?P<number>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)
      | (?P<name>[^\W\d]\w*)
      | (?P<string>"(?:[^"\\\n]|\\[^\n])*"|'(?:[^'\\\n]|\\[^\n])*')
      | (?P<sign><=|>=|==|!=|\+=|[-<>=+*()\[\],!])""",
    re.VERBOSE,
)
ESCAPE = re.compile(r"\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U(000[0-9a-fA-F]{5}|0010[0-9a-fA-F]{4})|(.))")
ESCAPED = {"n": "\n", "t": "\t", "r": "\r", "\\": "\\", '"': '"', "'": "'"}
CALLED = re.compile(r"\s*(\w+\s*\([^()]*\))")
UNFINISHED = re.compile(r"\d{4}-\d\d-\d\d[T ]\d\d$")
DATE = re.compile(r"\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d{1,9})?)?(?P<zone>Z|[+-]\d\d:\d\d)?)?")


@dataclass(frozen=True, eq=False)
class Query(Aggregate):
    """A sum whose axes come in the order of the head. `doubts` say what its writer may not have meant."""

    name: str
    head: tuple[Axis, ...]
    doubts: tuple[str, ...] = ()

    def axes(self) -> tuple[Any, ...]:
        return self.head

    def __repr__(self) -> str:
        return f"{self.name}({', '.join(map(repr, self.head))}) {self.semiring!r}= {self.inner!r}"


class Token(NamedTuple):
    """A word of the text. `kind` is number, name, string, sign or end."""

    kind: str
    text: str
    at: int

    def __str__(self) -> str:
        return "the end" if self.kind == "end" else self.text if self.kind == "string" else f"`{self.text}`"


def query(text: str, /, **tables: Any) -> Any:
    """Run a query that is written as text: a table over the axes of its head, or a number if it has none.

    >>> import skipstone as sk
    >>> likes = sk.table({"who": ["ann", "ann", "bob"], "what": ["tea", "pie", "tea"]})
    >>> query("together(a, b) count= L(a, x) * L(b, x) * [a < b]", L=likes).to_dict()
    {('ann', 'bob'): 1}
    >>> query('n() = L(a, "tea")', L=likes)
    2

    The keyword arguments are the tables; functions, of a value `f(T(a, b))` or of a key `[f(a)]`, `[y == f(a)]`; and
    semirings of your own. Axes that are not in the head are summed away. `min=`, `max=`, `any=`, `count=`, or the name
    of a semiring (`min_plus=`), aggregate another way.
    """
    parsed = parse(text, **tables)
    for doubt in parsed.doubts:
        warnings.warn(doubt, stacklevel=2)
    found = parsed.collect()
    if not isinstance(found, Table):
        return found
    return found.named(parsed.name)


def parse(text: str, /, **tables: Any) -> Query:
    """The expression that a text stands for, to be run, or explained, later.

    >>> import skipstone as sk
    >>> edges = sk.table({"src": [1, 1, 2], "dst": [2, 3, 3]}, name="E")
    >>> parse("n() = E(a, b) * E(b, c) * E(a, c)", E=edges)
    n() plus_times= E[a, b] * E[b, c] * E[a, c]
    """
    for name, given in tables.items():
        if not isinstance(given, Table | Semiring) and not callable(given):
            raise NotACollection(
                f"{name} is a {type(given).__name__}, neither a table nor a function nor a semiring",
                f"Make a table of it first: {name}=sk.table(…).",
            )
    try:
        return Parser(text, tables).query()
    except RecursionError:
        raise QueryError("the query is nested too deeply", "Run its parts one by one.") from None


class Parser:
    """Reads a text from left to right, one method a rule of the grammar."""

    def __init__(self, text: str, known: Mapping[str, Any]) -> None:
        self.text, self.known = text, known
        self.tokens = self.split()
        self.at = 0
        self.semiring, self.of_rows = plus_times, False
        self.held: list[Axis] = []  # the axes that have keys: of tables, and made from others
        self.compared: list[tuple[Token, Any]] = []  # the sides of conditions
        self.written: dict[int, tuple[Expression, str]] = {}  # how each factor stands in the text, by its id

    def head(self) -> tuple[Token, list[tuple[Token, Axis]]]:
        """The name of the result and its axes, up to the `=` and the aggregate in front of it."""
        if self.is_headless():
            repair = f"Write NAME(axes) = {self.between(0, len(self.tokens)):.80}, with the axes to keep."
            self.fail(self.next, "a query begins with what it makes, and here is no =", repair)
        name = self.name("the name of the result")
        axes = self.listed(self.expect("(", f"Name the axes to keep: {name.text}(a, b) = …"), self.head_axis)
        for n, (token, one) in enumerate(axes):
            if any(one is other for _, other in axes[:n]):
                self.fail(token, f"axis {token.text} stands in the head twice", "Name each axis once.")
        self.aggregate()
        return name, axes

    def query(self) -> Query:
        name, axes = self.head()
        inner = self.sum()
        if self.next.kind != "end":
            self.behind_the_end()
        for token, side in self.compared:
            if isinstance(side, Axis) and not any(side is one for one in self.held):
                self.fail(token, f"axis {token.text} is in no table", f"Did you mean '{token.text}', in quotes?")
        there = inner.axes()
        for token, one in axes:
            if not any(one is other for other in there):
                self.fail(token, f"axis {token.text} is only in the head", f"The axes are {listing(map(repr, there))}.")
        head = tuple(one for _, one in axes)
        along = tuple(a for a in there if not any(a is h for h in head))
        doubts = tuple(told_apart(inner, head, lambda factor: self.written[id(factor)][1]))
        return Query(Rows(inner) if self.of_rows else inner, along, self.semiring, name.text, head, doubts)

    def aggregate(self) -> None:
        """Up to the `=`."""
        if self.take("=") or self.take("+="):
            return
        token = self.next
        if token.kind != "name":
            self.fail(token, f"expected = behind the head, but found {token}", "Write NAME(axes) = …")
        known = AGGREGATES | {name: given for name, given in self.known.items() if isinstance(given, Semiring)}
        if token.text not in known:
            repair = f"= alone adds up. Others: {listing(known)}.{nearest(token.text, known)}"
            repair = A_MEAN if token.text.lower() in MEANS else repair
            self.fail(token, f"there is no aggregate called {token.text}", repair)
        self.at += 1
        self.expect("=", f"Write {token.text}= …")
        self.semiring = known[token.text]
        self.of_rows = token.text in OF_ROWS and self.semiring is AGGREGATES[token.text]

    def sum(self) -> Expression:
        found = self.product()
        while True:
            sign = self.next
            if self.take("+"):
                found = Added(found, self.product())
            elif self.take("-"):
                found = Added(found, self.negative(self.product(), sign))
            else:
                return found

    def product(self) -> Expression:
        factors = [self.unary()]
        while self.take("*"):
            factors.append(self.unary())
        return factors[0] if len(factors) == 1 else Product(tuple(factors))

    def unary(self) -> Expression:
        sign = self.next
        if self.take("-"):
            return self.negative(self.unary(), sign)
        begin = self.at
        found = self.factor()
        self.written.setdefault(id(found), (found, self.between(begin, self.at)))
        return found

    def negative(self, inner: Expression, sign: Token) -> Expression:
        if isinstance(inner, Number):
            return Number(-inner.value)
        if self.semiring.times is not plus_times.times and not self.of_rows:  # -x is -1 * x, and * means another thing
            self.fail(sign, f"there is no minus in the semiring {self.semiring!r}", "Negate the values beforehand.")
        return Product((Number(-1), inner))

    def factor(self) -> Expression:
        token = self.next
        if token.kind == "number":
            return Number(self.number())
        if token.kind == "name":
            return self.named(self.name("the name of a table"))
        if self.take("("):
            inner = self.sum()
            self.close(token)
            return inner
        if self.take("["):
            conditions = [c for _, c in self.listed(token, self.condition)]
            if not conditions:
                self.fail(token, "there is no condition in the brackets", "Write [a < b].")
            return conditions[0] if len(conditions) == 1 else Product(tuple(conditions))
        if self.take("!"):
            opening = self.next
            if self.take("("):
                inner = self.sum()
                self.close(opening)
                return Absent(inner)
            name = self.name("the name of a table")
            found = self.named(name)
            if not isinstance(found, Access):
                self.fail(name, f"{name.text} is a function, and ! asks whether a table has a row", "Write !T(a, b).")
            return Absent(found)
        self.fail(token, f"expected a table, a number, ( or [, but found {token}")

    def given_are(self, token: Token) -> str:
        there = [name for name, each in self.known.items() if not isinstance(each, Semiring)]
        return f"Given are: {listing(there) or 'none'}.{nearest(token.text, there)}"

    def named(self, token: Token) -> Expression:
        """A table with its places, or a function of an expression."""
        given = self.known.get(token.text)
        if given is None or isinstance(given, Semiring):
            self.fail(token, f"there is no table called {token.text}", self.given_are(token))
        keys = ", ".join(given.keys) if isinstance(given, Table) else "…"
        opening = self.expect("(", f"Write {token.text}({keys}).")
        if not isinstance(given, Table):
            inner = self.sum()
            self.close(opening)
            return Mapped(inner, given)
        places = [place for _, place in self.listed(opening, self.place)]
        if len(places) != len(given.keys):
            self.fail(
                token,
                f"{token.text} has {counted(len(given.keys), 'key column')}, and is given "
                f"{counted(len(places), 'place')}",
                f"Put an axis or a constant for each: {token.text}({keys}).",
            )
        self.held += [place for place in places if isinstance(place, Axis)]
        return Access(given, tuple(places))

    def condition(self) -> Expression:
        first = self.next
        left = self.side()
        sign = self.next
        if isinstance(left, Derived) and (sign.text in ("]", ",") or sign.kind == "end"):
            return Where(left.axis, left.f)
        if sign.text not in MIRROR:
            repair = "Write == for equal keys." if sign.text == "=" else "Write [a < b]; also <=, >, >=, ==, !=."
            self.fail(sign, f"expected a comparison, but found {sign}", repair)
        self.at += 1
        second = self.next
        right = self.side()
        if self.next.text in MIRROR:
            self.fail(self.next, "a condition compares two keys", "Write [a < b, b < c].")
        if isinstance(left, Access) or isinstance(right, Access):
            return self.on_value(left, sign.text, right, first)
        op = sign.text
        if op == "==" and (isinstance(left, Derived) or isinstance(right, Derived)):  # [y == f(a)] makes y
            self.held += [side for side in (left, right) if isinstance(side, Axis)]
        self.compared += [(first, left), (second, right)]
        if not isinstance(left, Axis | Derived):
            left, op, right = right, MIRROR[op], left
        if not isinstance(left, Axis | Derived):
            self.fail(first, "a condition needs an axis", "Write [a < 3].")
        try:
            compared: Expression = left.compared(op, right)
        except BadOption as error:
            self.fail(first, error.what, error.repair)
        return compared

    def on_value(self, left: Any, op: str, right: Any, first: Token) -> Expression:
        """A condition on the value of a table's row: `[T(a, b) > 3]`."""
        if not isinstance(left, Access):
            left, op, right = right, MIRROR[op], left
        if not isinstance(right, int | float):
            self.fail(first, "the value of a row is compared with a number", "Write [T(a, b) > 3].")
        compare = COMPARE[op]
        bound = Parameter(right if -(2**63) <= right < 2**63 else float(right), "bound")  # one kernel serves them all
        return Present(Kept(left, lambda value: compare(value, parameter(bound))))

    def side(self) -> Any:
        """A side of a condition: an axis, a constant, a function of an axis, or a table's row."""
        name, opening, inside = [*self.tokens[self.at : self.at + 3], self.tokens[-1], self.tokens[-1]][:3]
        given: Any = self.known.get(name.text) if name.kind == "name" else None
        if given is None and name.kind == "name" and opening.text == "(" and name.text != "date":
            self.fail(name, f"there is no function or table called {name.text}", self.given_are(name))
        if given is None or opening.text != "(" or (name.text == "date" and inside.kind == "string"):
            return self.place()
        if isinstance(given, Table):
            return self.named(self.name("the name of a table"))
        if isinstance(given, Semiring):
            self.fail(name, f"{name.text} is a semiring, and a condition asks about keys")
        self.at += 2
        of = self.head_axis()
        if self.next.text == ",":
            repair = "What depends on several axes is a table of your own: T(a, b)."
            self.fail(self.next, f"{name.text} takes one axis in a condition", repair)
        self.close(opening)
        return of.map(given)

    def head_axis(self) -> Axis:
        return axis(self.name("the name of an axis").text)

    def place(self) -> Any:
        """An axis, or a constant."""
        token = self.next
        if token.kind == "string":
            return self.string()
        if token.kind == "number":
            if bare := DATE.match(self.text, token.at):
                self.without_quotes(token.at, bare[0])
            return self.number()
        if self.take("-"):
            if self.next.kind != "number":
                self.fail(self.next, f"expected a number behind -, but found {self.next}")
            return -self.number()
        name = self.name("an axis or a constant")
        opening = self.next
        if not self.take("("):
            return axis(name.text)
        if name.text != "date":
            repair = (
                "Put an axis, a number, a string or date(…). A function of an axis stands in a condition, [y == f(a)]."
            )
            self.fail(name, f"{name.text}(…) cannot stand in a place", repair)
        day = self.next
        found = self.string() if day.kind == "string" else ""
        form = DATE.fullmatch(found)
        if form is None:
            self.fail(day, f"expected a date in quotes, but found {day}", 'Write date("2013-01-31").')
        try:
            moment = datetime.fromisoformat(found) if form["zone"] else np.datetime64(found)
        except ValueError:
            self.fail(day, f"there is no date {day}", 'Write date("2013-01-31").')
        self.close(opening)
        return moment

    # ------------------------------------------------------------------ words

    def split(self) -> list[Token]:
        """The text as tokens, without space and comments."""
        found, at = [], 0
        while at < len(self.text):
            match = TOKENS.match(self.text, at)
            sign = self.text[at]
            if sign == ":" and (day := UNFINISHED.search(self.text, 0, at)):
                whole = DATE.match(self.text, day.start())
                self.without_quotes(day.start(), whole[0] if whole else day[0])
            if sign == "~":
                behind = CALLED.match(self.text, at + 1)
                absent = behind[1] if behind else "T(a, b)"
                self.fail(at, "unexpected ~", f"What is absent is written with !: !{absent}.")
            if match is None and sign in "\"'":
                self.fail(at, "this string is not closed", f"End it with {sign} on the same line.")
            if match is None or (match.lastgroup == "name" and not match.group().isidentifier()):
                self.fail(at, f"unexpected {sign if match is None else match.group()!r}")
            if match.lastgroup != "space":
                found.append(Token(str(match.lastgroup), match.group(), at))
            at = match.end()
        for token, after in pairwise(found):
            if token.text == "not" and token.kind == "name" and (after.kind == "name" or after.text in ("(", "[")):
                what = CALLED.match(self.text, after.at)
                self.fail(token, "unexpected not", f"What is absent is written with !: !{what[1] if what else '(…)'}.")
        end = found[-1].at + len(found[-1].text) if found else 0
        return [*found, Token("end", "", end)]

    def between(self, begin: int, end: int) -> str:
        """Some of the tokens as a text, without comments, on one line."""
        found, last = "", self.tokens[begin].at
        for token in self.tokens[begin:end]:
            found += (" " if token.at > last else "") + token.text
            last = token.at + len(token.text)
        return found

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def take(self, sign: str) -> bool:
        """Step over this sign, if it is next."""
        there = self.next.kind == "sign" and self.next.text == sign
        self.at += there
        return there

    def expect(self, sign: str, repair: str) -> Token:
        token = self.next
        if not self.take(sign):
            self.fail(token, f"expected {sign}, but found {token}", repair)
        return token

    def name(self, what: str) -> Token:
        token = self.next
        if token.kind != "name":
            self.fail(token, f"expected {what}, but found {token}")
        self.at += 1
        return token

    def listed(self, opening: Token, item: Callable[[], Any]) -> list[tuple[Token, Any]]:
        """Items with commas between them, up to the sign that closes, each with the token at which it begins."""
        found: list[tuple[Token, Any]] = []
        if self.take(CLOSING[opening.text]):
            return found
        while True:
            found.append((self.next, item()))
            if not self.take(","):
                self.close(opening, "a comma or ")
                return found

    def close(self, opening: Token, instead: str = "") -> None:
        sign, token = CLOSING[opening.text], self.next
        if self.take(sign):
            return
        if token.kind == "end":
            self.fail(opening, f"this {opening.text} is not closed", f"Put {sign} where it ends.")
        self.fail(token, f"expected {instead}{sign}, but found {token}")

    def number(self) -> int | float:
        text = self.next.text
        self.at += 1
        return int(text) if text.isdigit() else float(text)

    def string(self) -> str:
        token = self.next
        self.at += 1

        def character(match: re.Match[str]) -> str:
            code = match[1] or match[2] or match[3]
            if code:
                return chr(int(code, 16))
            if match[4] not in ESCAPED:
                repair = r"For a backslash write \\."
                self.fail(token.at + 1 + match.start(), f"unknown escape {match[0]} in a string", repair)
            return ESCAPED[match[4]]

        return ESCAPE.sub(character, token.text[1:-1])

    # ------------------------------------------------------------------ errors

    def is_headless(self) -> bool:
        """Whether nothing says what is made: outside of all brackets there are operators, and no =."""
        depth, outside = 0, set()
        for token in self.tokens:
            if token.kind == "sign":
                outside |= set() if depth else {token.text}
                depth += (token.text in CLOSING) - (token.text in CLOSING.values())
        return bool(outside & set("*+-![")) and not outside & {"=", "+=", "=="}

    def behind_the_end(self) -> NoReturn:
        token = self.next
        if token.text in (")", "]"):
            self.fail(token, f"{token} closes nothing", "Leave it out.")
        repair = "Factors are joined by *, and a text holds one query."
        self.fail(token, f"expected an operator or the end, but found {token}", repair)

    def without_quotes(self, at: int, day: str) -> NoReturn:
        self.fail(at, f"a date stands in quotes, and {day} does not", f"Write '{day}', or date('{day}').")

    def fail(self, at: Token | int, what: str, repair: str = "") -> NoReturn:
        raise QueryError(what, repair, pointed(self.text, at if isinstance(at, int) else at.at))


CLOSING = {"(": ")", "[": "]"}


def pointed(text: str, at: int) -> str:
    """The line of a text with a caret under one of its places."""
    before, line = text[:at].split("\n"), text.split("\n")
    number, column = len(before), len(before[-1])
    shown = line[number - 1].rstrip()
    margin = len(shown) - len(shown.lstrip())
    label = f"line {number}: " if len(line) > 1 else ""
    return f"{label}{shown[margin:]}\n  {' ' * (len(label) + column - margin)}^".replace("\t", " ")


def nearest(name: str, known: Iterable[str]) -> str:
    """A guess at what was meant."""
    by_lower = {k.lower(): k for k in known}
    from difflib import get_close_matches

    found = get_close_matches(name.lower(), by_lower, 1)
    return f" Did you mean {by_lower[found[0]]}?" if found else ""


def listing(names: Iterable[str]) -> str:
    return ", ".join(names)
