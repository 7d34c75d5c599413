"""Loops, cut at an invariant: what holds before a loop holds whenever its body begins, and so it holds behind it.

The `while` loops of a kernel are cut at the invariants that stand beside it (`Kernel.loops`). Its own source is
rewritten: the variables that a loop changes become arbitrary ones for which the invariant holds; a path either leaves
the loop, or goes through the body once, shows that the invariant holds again and that the measure fell, and ends there.
"""

from __future__ import annotations

import ast
import inspect
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from itertools import count
from types import SimpleNamespace
from typing import Any

import z3

from ..errors import NotProvable
from ..words import Invariant, Kernel
from .lint import refuse_what_is_misread
from .paths import EndOfPath, current, explored, oblige
from .terms import BOOL, INT, Term, truth

_numbers = count()
Cut = Callable[[Callable[..., Any], Callable[..., Any], Any, Any], Any]
_cut_of_loop: ContextVar[Cut | None] = ContextVar("cut", default=None)


def anything_like(name: str, x: Any) -> Any:
    """An arbitrary value of the same form."""
    if isinstance(x, tuple):
        return tuple(anything_like(name, part) for part in x)
    if isinstance(x, Term):
        return Term(z3.Const(f"{name}#{next(_numbers)}", x.z3.sort()))
    if isinstance(x, bool):
        return Term(z3.Const(f"{name}#{next(_numbers)}", BOOL))
    if isinstance(x, int):
        return Term(z3.Const(f"{name}#{next(_numbers)}", INT))
    raise NotProvable(f"a loop changes {name}, which is {x!r:.40}", "Loops change numbers, keys and truths.")


def said(text: Callable[[], Any]) -> Any:
    """The text of a specification as a term: nothing has to be shown for it, and it does not fork its path."""
    return explored(text, current().assumed, current().mode, silent=True).merged()


def cut_kernel(kernel: Kernel, arguments: tuple[Any, ...]) -> Any:
    """What a call of a kernel comes to."""
    function, path = kernel.function, current()
    unrolled, loops, trees = path.mode.unrolled, Loops(), []
    for each in (function, *called_by(function)):
        refuse_what_is_misread(each)
        tree = ast.parse(getattr(each, "__source__", None) or textwrap.dedent(inspect.getsource(each)))
        trees.append(tree if unrolled else ast.fix_missing_locations(loops.visit(tree)))
    if not unrolled and loops.many != len(kernel.loops):
        raise NotProvable(
            f"{function.__name__} has {loops.many} loops and {len(kernel.loops)} invariants",
            "Declare one for each, in the order of the source: Kernel(f, loops=(Invariant(…), …)).",
        )
    scope = {**function.__globals__, "_begin": Begin(kernel), "_again": again, "np": SimpleNamespace(int64=lambda x: x)}
    for tree in trees:
        exec(compile(tree, f"<{function.__name__}, cut>", "exec"), scope)
    # By itself, so that its branches do not multiply with those of others; its loops leave a relation, not a function.
    found = explored(lambda: scope[function.__name__](*arguments), path.assumed, path.mode, path.silent)
    path.obligations += found.obligations
    path.facts += found.facts
    if not found.cut:
        return found.merged()
    result = anything_like(function.__name__, found.ways[0].result)
    ways = [z3.And(way.known, equals(result, way.result)) for way in found.ways]
    path.facts.append(z3.Implies(z3.And(*path.assumed), z3.Or(*ways)))
    return result


def called_by(function: Any) -> list[Any]:
    """The functions of its own module that a kernel calls: their loops count as its own."""
    named = [function.__globals__.get(name) for name in function.__code__.co_names]
    return [g for g in named if inspect.isfunction(g) and g.__module__ == function.__module__]


def equals(a: Any, b: Any) -> Any:
    if isinstance(a, tuple):
        return z3.And(*(equals(x, y) for x, y in zip(a, b, strict=True)))
    return truth(a == b)


class Loops(ast.NodeTransformer):
    """`while c: body` becomes `for variables in _begin(…): if not c: break; body; _again(…)`."""

    many = 0

    def visit_While(self, node: ast.While) -> Any:
        number, self.many = self.many, self.many + 1
        names = sorted({n.id for part in node.body for n in ast.walk(part) if is_stored(n)})  # type: ignore[attr-defined]
        new: Any = ast.parse(
            f"for _cut, {', '.join(names)}, in _begin({number}, {names!r}, dict(locals())):\n"
            "    if not condition: break\n"
        ).body[0]
        new.body[0].test.operand = node.test
        new.body += [self.visit(part) for part in node.body]
        new.body += ast.parse("_again(_cut, dict(locals()))").body
        return new

    def visit_For(self, node: ast.For) -> Any:
        raise NotProvable("a `for` loop in a kernel", "Write it as `while`, and declare its invariant.")

    def visit_Continue(self, node: ast.Continue) -> Any:
        raise NotProvable("`continue` in a kernel", "Write its loop without.")


def is_stored(node: ast.AST) -> bool:
    return isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store)


class Begin:
    """A loop's head: the invariant is shown for the variables as they are, and assumed for arbitrary ones."""

    def __init__(self, kernel: Kernel) -> None:
        self.kernel = kernel

    def __call__(self, number: int, names: list[str], entry: dict[str, Any]) -> Iterator[Any]:
        invariant = self.kernel.loops[number]
        where = f"{self.kernel.function.__name__}, loop {number + 1}"
        current().cut = True
        show(invariant, entry, entry, f"{where}: the invariant holds when it begins")
        new = {name: anything_like(name, entry[name]) if name in entry else None for name in names}
        here = {**entry, **new}
        current().assumed.extend(holds(invariant, here, entry))
        before = said(lambda: invariant.falls(SimpleNamespace(**here)))
        yield (where, invariant, entry, before), *new.values()


def again(cut: Any, here: dict[str, Any]) -> None:
    """A loop's end: the invariant holds again, the measure is smaller, and that is all there is to show."""
    where, invariant, entry, before = cut
    show(invariant, here, entry, f"{where}: its body keeps the invariant")
    after = said(lambda: invariant.falls(SimpleNamespace(**here)))
    oblige(f"{where}: it ends", z3.And(truth(after < before), truth(before >= 0)))
    raise EndOfPath


def holds(invariant: Invariant, here: dict[str, Any], entry: dict[str, Any]) -> list[Any]:
    """Each part of an invariant, for variables as they are `here` and were when the loop began."""
    parts = said(lambda: tuple(invariant.holds(SimpleNamespace(**here), SimpleNamespace(**entry))))
    return [truth(part) for part in parts]


def show(invariant: Invariant, here: dict[str, Any], entry: dict[str, Any], what: str) -> None:
    for n, part in enumerate(holds(invariant, here, entry)):
        oblige(f"{what}, part {n + 1}", part)


@contextmanager
def cutting_loops(cut: Cut) -> Iterator[None]:
    """Let the word `loop` be cut in this way within this block."""
    token = _cut_of_loop.set(cut)
    try:
        yield
    finally:
        _cut_of_loop.reset(token)


def cut_loop(going: Callable[..., Any], body: Callable[..., Any], q: Any, acc: Any) -> Any:
    """The word `loop`: cut by whoever proves something about it, as theorems.py does of the fold."""
    cut = _cut_of_loop.get()
    if cut is None:
        raise NotProvable("a fold inside of a stream", "Its value is a value like any other: give it as a function.")
    return cut(going, body, q, acc)
