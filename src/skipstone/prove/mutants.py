"""Mutants: definitions with one token changed. A proof that still goes through would be worth nothing.

Each comparison, operator, word and constant in the methods of the streams that are proved, in what they inherit, in
the kernels and words that they call, and in the fold, is changed in turn; then the claim must no longer be proved.
What survives is listed, with the reason why it may: most often the changed definition is right as well, only slower.
"""

from __future__ import annotations

import ast
import inspect
import sys
import textwrap
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from ..storage.tree import CLIMB, TreeRun
from ..stream import Stream, fold, pure
from ..words import Kernel, landing, passed
from .cutting import called_by
from .obligations import PROTOCOL, Claim
from .theorems import THEOREMS, Theorem
from .world import World

OTHERS: dict[type, tuple[type, ...]] = {
    ast.Lt: (ast.LtE, ast.Gt), ast.LtE: (ast.Lt,), ast.Gt: (ast.GtE,), ast.GtE: (ast.Gt, ast.LtE),
    ast.Eq: (ast.NotEq, ast.LtE), ast.NotEq: (ast.Eq,), ast.BitAnd: (ast.BitOr,), ast.BitOr: (ast.BitAnd,),
    ast.And: (ast.Or,), ast.Or: (ast.And,), ast.Add: (ast.Sub,), ast.Sub: (ast.Add,),
}  # fmt: skip
WORDS = {"maximum": "minimum", "minimum": "maximum", "next": "approach", "approach": "next", "valid": "ready",
         "ready": "valid", "a": "b", "b": "a", "low": "high", "high": "low"}  # fmt: skip


@dataclass(frozen=True)
class Mutant:
    """A definition with one token changed, and how to put it into the place of the right one."""

    where: str
    change: str
    put: Callable[[], Any]  # a context
    claims: tuple[Claim | Theorem, ...]  # of which one must fail

    def __str__(self) -> str:
        return f"{self.where}: {self.change}"

    def survives(self) -> bool:
        """Whether everything that is claimed is still proved."""
        from . import Proved, proved

        with self.put():
            try:
                return all(isinstance(proved(claim, first=True), Proved) for claim in self.claims)
            except Exception:  # it cannot even be run
                return False


def mutants(claims: Sequence[Claim]) -> Iterator[Mutant]:
    """Every mutant of the definitions that claims are about: of methods, of what they call, and of kernels."""
    by_class: dict[Any, list[Claim]] = {}
    by_kernel: dict[Kernel, list[Claim]] = {}
    for claim in claims:
        by_class.setdefault(claim.about, []).append(claim)
        for part in vars(claim.made(World(claim.keys))).values():
            if isinstance(part, Kernel):
                by_kernel.setdefault(part, []).append(claim)
    by_kernel[CLIMB] = by_class[TreeRun]
    seen: dict[Any, list[Claim]] = {}
    for cls, about in by_class.items():  # and what they inherit
        for base in cls.__mro__[: cls.__mro__.index(Stream) + 1]:
            seen.setdefault(base, []).extend(about)
    for cls, about in seen.items():
        for name in (*PROTOCOL, *(helpers(cls) if cls is not Stream else ())):
            if name in vars(cls):
                for changed, change in changes(inspect.unwrap(vars(cls)[name])):
                    put = partial(method_as, cls, name, pure(changed))
                    yield Mutant(f"{cls.__name__}.{name}", change, put, tuple(about))
    for kernel, about in by_kernel.items():
        for function in (kernel.function, *called_by(kernel.function)):
            for changed, change in changes(function):
                put = partial(function_as, kernel, function.__name__, changed)
                yield Mutant(function.__name__, change, put, tuple(about))
    for function, shown in ((fold, THEOREMS), (passed, claims), (landing, claims)):
        for changed, change in changes(function):
            yield Mutant(function.__name__, change, partial(everywhere, function, changed), tuple(shown))


@contextmanager
def everywhere(function: Any, other: Any) -> Iterator[None]:
    """Another function in the place of one, in every module of the library that has it."""
    name = function.__name__
    ours = [m for key, m in list(sys.modules.items()) if key.startswith("skipstone") and vars(m).get(name) is function]
    for module in ours:
        setattr(module, name, other)
    try:
        yield
    finally:
        for module in ours:
            setattr(module, name, function)


def helpers(cls: type) -> list[str]:
    """Its own methods beside the protocol."""
    return [
        n for n, m in vars(cls).items() if inspect.isfunction(m) and n not in (*PROTOCOL, "key_kind") and n[0] != "_"
    ]


@contextmanager
def method_as(cls: type, name: str, method: Any) -> Iterator[None]:
    right = vars(cls)[name]
    setattr(cls, name, method)
    try:
        yield
    finally:
        setattr(cls, name, right)


@contextmanager
def function_as(kernel: Kernel, name: str, function: Any) -> Iterator[None]:
    """A kernel with another function, or one that calls another."""
    right, scope = kernel.function, kernel.function.__globals__
    called = scope[name]
    if name == right.__name__:
        object.__setattr__(kernel, "function", function)
    scope[name] = function
    try:
        yield
    finally:
        object.__setattr__(kernel, "function", right)
        scope[name] = called


def changes(function: Any) -> Iterator[tuple[Any, str]]:
    """The function with one token changed, and what was changed, for each token."""
    source = textwrap.dedent(inspect.getsource(function))
    many = sum(1 for _ in sites(ast.parse(source)))
    for n in range(many):
        tree = ast.parse(source)
        change = list(sites(tree))[n]
        said = change()
        tree.body[0].decorator_list = []  # type: ignore[attr-defined]
        own: dict[str, Any] = {}
        exec(
            compile(ast.fix_missing_locations(tree), f"<mutant of {function.__name__}>", "exec"),
            function.__globals__,
            own,
        )
        made = own[function.__name__]
        made.__source__ = ast.unparse(tree)
        yield made, said


def sites(tree: ast.AST) -> Iterator[Callable[[], str]]:
    """Each place where a token can be changed, as what changes it and says so."""
    left_alone = {id(part) for node in ast.walk(tree) for said in beside(node) for part in ast.walk(said)}
    for node in ast.walk(tree):
        if id(node) in left_alone:
            continue
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Compare):
            for op in OTHERS.get(type(node.ops[0]), ()):
                yield partial(swapped, node, "ops", [op()], line)
        elif isinstance(node, ast.BinOp | ast.BoolOp):
            for op in OTHERS.get(type(node.op), ()):
                yield partial(swapped, node, "op", op(), line)
        elif isinstance(node, ast.Constant) and type(node.value) in (bool, int):
            old: Any = node.value
            yield partial(swapped, node, "value", not old if isinstance(old, bool) else old + 1, line)
        elif isinstance(node, ast.Name) and node.id in WORDS and isinstance(node.ctx, ast.Load):
            yield partial(swapped, node, "id", WORDS[node.id], line)
        elif isinstance(node, ast.Attribute) and node.attr in WORDS:
            yield partial(swapped, node, "attr", WORDS[node.attr], line)


def beside(node: ast.AST) -> Iterator[ast.AST]:
    """What is no part of what is claimed: zip(strict=True), and types."""
    if isinstance(node, ast.keyword):
        yield node
    for said in (getattr(node, "annotation", None), getattr(node, "returns", None)):
        if said is not None:
            yield said


def swapped(node: Any, part: str, new: Any, line: int) -> str:
    before = ast.unparse(node)
    setattr(node, part, new)
    return f"line {line}: {before} became {ast.unparse(node)}"
