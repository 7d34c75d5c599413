"""Running an expression: a sum of products, each prepared, relieved of what can be summed first, ordered, looped."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from functools import partial, reduce
from math import fsum
from typing import Any

from ..algebra import Semiring, is_known, plus_times
from ..counting import counted
from ..errors import BadOption
from ..notation import Access, Aggregate, Expression, Memo, Number, accesses, is_one
from ..source import Source
from ..stream import emitted, ready_engine
from ..table import Table
from .adding import added, can_be_added
from .decisions import Decisions, decided
from .described import Plan, copies, described, keys_taken, taken
from .eliminate import eliminated, pattern
from .hoist import is_marked
from .into import check_into, delivered
from .loops import Loops
from .order import TRIALS, Order, priced
from .prepare import Prepared, prepared
from .step import Step, Steps, consumed, empty, planned
from .term import terms, times
from .threads import pieces, threads_now, wanted
from .used import sum_inside, used, with_inside
from .within import cut_within, is_brief, may_be_brief, outer_order, taken_out, walked_term, within_fits
from .written import keep, steps_of, written


@dataclass
class Report:
    """What was decided, for `explain`."""

    lines: list[str] = field(default_factory=list)
    sources: list[str] = field(default_factory=list)  # the loops that were emitted, of each product
    plans: list[Plan] = field(default_factory=list)  # of each product, in the order in which they were run
    watched: bool = False

    def __str__(self) -> str:
        return "\n".join([*self.lines, *(f"\n{source}" for source in self.sources)])

    __repr__ = __str__


@dataclass
class Runner:
    """One run of an expression, with the choices that its caller pins."""

    order: tuple[Any, ...] | None = None
    memo: bool = True
    report: Report = field(default_factory=Report)
    decisions: Decisions = field(default_factory=Decisions)
    parts: dict[Any, Any] = field(default_factory=dict)  # what was summed first, by its pattern
    steps: list[Step] = field(default_factory=list)  # the products that were run
    tables: list[Any] = field(default_factory=list)  # what each of them has found
    ends: list[int] = field(default_factory=list)  # those whose results are added in the end
    in_steps: bool = True  # and nothing else was done
    before: dict[int, set[int]] = field(default_factory=dict)  # the sorted copies that were there before loops, by id

    def result(self, expression: Expression) -> Any:
        """A table, or a number where no axes are left."""
        if isinstance(expression, Memo):
            return self.remembered(expression, plus_times)
        if not isinstance(expression, Aggregate):
            return self.aggregated(Aggregate(expression, (), plus_times), one_row=True)
        return self.aggregated(expression)

    def aggregated(self, aggregate: Aggregate, one_row: bool = False) -> Any:
        """`one_row`: what is left without axes is a row, that may not be there, and not a sum, that may be 0."""
        inside = sum_inside(aggregate.inner)
        if inside is not None and aggregate.along and self.memo and self.order is None:
            return self.of_sum(aggregate, inside)
        return self.added_up(self.products(aggregate), aggregate, one_row)

    def products(self, aggregate: Aggregate) -> list[Any]:
        """The loops of each of the products that are added, and summed; or what it comes to, where it takes none."""
        run = partial(self.inside, aggregate.semiring)
        products = terms(aggregate.inner, run)
        if len(products) > 1 and aggregate.semiring.plus is not plus_times.plus:
            # Values are added by row before anything else is done with them.
            products = terms(run(aggregate.inner), run)
        head, semiring = aggregate.axes(), aggregate.semiring
        return [self.looped(prepared(term), head, semiring, outermost=True) for term in products]

    def added_up(self, products: list[Any], aggregate: Aggregate, one_row: bool = False) -> Any:
        """What they come to: each by itself, unless their rows can be added as they are found."""
        head, found = aggregate.axes(), []
        for each in [products] if head and can_be_added(products) else [[loops] for loops in products]:
            found.append(self.ran(*each) if isinstance(each[0], Loops) else each[0])
            self.ends.append(len(self.steps) - 1)
        return added(found, head, aggregate.semiring, one_row)

    def of_sum(self, aggregate: Aggregate, inside: Aggregate) -> Any:
        """What is made of the rows of another sum: as they are found, or of a table of them."""
        runner = self.for_part()
        products = runner.products(inside)
        if len(products) == 1 and isinstance(products[0], Loops):
            products[0].used = used(aggregate, inside, products[0])
            if products[0].used is not None:
                self.in_steps &= runner.in_steps
                return self.added_up(products, aggregate)
        found = self.taken_in(runner, inside, runner.added_up(products, inside))
        again = with_inside(aggregate.inner, as_expression(found, inside.axes()))
        return self.aggregated(replace(aggregate, inner=again))

    def inside(self, semiring: Semiring, expression: Expression) -> Access | Number:
        """What stands inside of a product, run by itself: its rows, or a number; Number(None) where there is nothing.

        `semiring` is that of the product, and says what `*` means if the expression is not a sum with its own.
        """
        found = (
            self.remembered(expression, semiring)
            if isinstance(expression, Memo)
            else self.by_itself(expression, semiring)
        )
        return as_expression(found, expression.axes())

    def by_itself(self, expression: Expression, semiring: Semiring) -> Any:
        runner = self.for_part()
        if isinstance(expression, Aggregate):
            return self.taken_in(runner, expression, runner.aggregated(expression))
        # A sum along no axis: `*` as in the semiring, `+` by row as ever.
        by_row = replace(plus_times, times=semiring.times, one=semiring.one, distributes=False)
        aggregate = Aggregate(expression, (), by_row)
        return self.taken_in(runner, aggregate, runner.aggregated(aggregate, one_row=True))

    def for_part(self) -> Runner:
        """A run of something that stands inside of what is run here."""
        return replace(self, order=None, parts={}, ends=[], in_steps=True)

    def taken_in(self, runner: Runner, aggregate: Aggregate, found: Any) -> Any:
        """What such a run has found. It is a step of this one, if it is a table just as its last product left it."""
        truths = aggregate.semiring.enough is True
        self.in_steps &= runner.in_steps and not truths and isinstance(found, Table) and found is self.tables[-1]
        return found

    def remembered(self, memo: Memo, semiring: Semiring) -> Any:
        """What a memo holds; made when it is first needed."""
        key = None if isinstance(memo.inner, Aggregate) else semiring.times
        if key not in memo.results:
            memo.results[key] = self.by_itself(memo.inner, semiring)
        return memo.results[key]

    def part(self, part: Prepared, cut: tuple[Any, ...], semiring: Semiring) -> Any:
        """A part of a product, summed by itself; once, where there are several that are the same but for their axes."""
        self.in_steps &= bool(cut)  # a number becomes a part of what is written
        key = (semiring, *pattern(part, cut))
        if key not in self.parts:
            self.parts[key] = self.product(part, cut, semiring)
        return self.parts[key]

    def relieved(self, term: Prepared, head: tuple[Any, ...], semiring: Semiring) -> Prepared:
        """A product without the parts that can be summed first.

        A function in a part may be asked about rows that the whole does not have. If it cannot answer there, the
        product is run as it is: then it is asked about its own rows alone.
        """
        try:
            return eliminated(term, head, semiring, lambda part, cut: self.part(part, cut, semiring))
        except ArithmeticError:
            if term.plain:
                raise
            self.in_steps = False
            return term

    def is_brief(self, term: Prepared, head: tuple[Any, ...]) -> bool:
        """Whether it is not worth while to look for parts of a product."""
        return self.decisions.take(
            lambda: is_brief(term, head), lambda brief: brief is False or (brief is True and may_be_brief(term))
        )

    def product(self, term: Prepared, head: tuple[Any, ...], semiring: Semiring, outermost: bool = False) -> Any:
        """One product: a table over the head, or a number; None where there is nothing."""
        loops = self.looped(term, head, semiring, outermost)
        return self.ran(loops) if isinstance(loops, Loops) else loops

    def looped(self, term: Prepared, head: tuple[Any, ...], semiring: Semiring, outermost: bool = False) -> Any:
        """The loops of a product; or what it comes to, where it takes none."""
        pinned = self.order if outermost else None
        if self.memo and pinned is None and not term.impossible and not self.is_brief(term, head):
            term = self.relieved(term, head, semiring)
            cut = self.decisions.take(lambda: cut_within(term, head, semiring), lambda cut: within_fits(term, cut))
            term = term if cut is None else taken_out(term, cut, head) or term
        self.in_steps &= bool(term.walks) and not term.impossible
        if term.impossible:
            return empty([h.name for h in head], [term.domains[id(h)] for h in head]) if head else None
        if not term.walks:
            if not all(test.value(term.constant, semiring) for test in term.tests):
                return None
            value = term.value(term.constant, semiring)
            return reduce(partial(times, semiring), term.numbers, value)
        order = self.decisions.take(
            lambda: chosen(term, head, semiring, pinned),
            lambda order: (
                pinned is None and is_order_of(order, term) and can_be_put_together(term, order.late(head), semiring)
            ),
        )
        before = copies(term)
        loops = Loops(term, order, head, semiring, self.memo)
        self.before[id(loops)] = before
        return loops

    def ran(self, *several: Loops) -> Any:
        """What loops come to; several of them, if their rows are added as they are found."""
        first = several[0]
        partly = first.semiring.plus is not plus_times.plus or first.used is not None
        whole = partly and first.head and not is_one(first.order[0], first.head)
        many = 1 if whole else wanted(fsum(x.work() for x in several), fsum(x.work_before() for x in several))
        ranges = pieces([loops.outermost() for loops in several], many, *first.led_to())
        for loops in several:
            loops.sliced = None if ranges[0] == (None, None) else loops.stepped()
        if self.report.watched:
            self.report.sources.append(emitted(lambda: consumed(several, ranges[0])))
        step = planned(several, ranges, self.tables)
        found = step.run(self.tables)
        self.steps.append(step)
        self.tables.append(found)
        if self.report.watched:
            self.tell(several)
            self.report.lines += [f"in {len(ranges)} pieces, over threads"] * (len(ranges) > 1)
        return found

    def tell(self, several: Sequence[Loops]) -> None:
        """Say how loops were run."""
        for loops in several:
            plan = Plan(loops, self.before[id(loops)], keys_taken(loops))
            expected = counted(round(loops.planned.cost(loops.head)), "step")
            self.report.plans.append(plan)
            self.report.lines += [*loops.term.notes, f"order: {loops.planned}, {expected} expected"]
            self.report.lines += [*described(loops, plan.kept_before), f"  taken: {taken(loops, plan.counts)}"]
        if len(several) > 1:
            self.report.lines.append(f"rows of these {len(several)} products are added as they are found")


def chosen(term: Prepared, head: tuple[Any, ...], semiring: Semiring, pinned: Any) -> Order:
    """The order of the axes: the one that is asked for, or the cheapest."""
    walked = walked_term(term)
    if pinned is None:
        return outer_order(term, head, lambda axes: can_be_put_together(term, axes, semiring), TRIALS)
    if {id(a) for a in pinned} != {id(a) for a in walked.axes()}:
        raise BadOption(f"order={pinned} does not name the axes {walked.axes()}", "Name each of them once.")
    order = priced(walked, pinned)
    tuples = any(walk.table.make for walk in term.walks) and not is_known(semiring)
    if tuples and not can_be_put_together(term, order.late(head), semiring):
        raise BadOption(
            f"order={pinned} makes rows of {head} in no order, and tuples cannot be added by {semiring} then",
            "Begin with the axes that are kept.",
        )
    return order


def is_order_of(order: Any, term: Prepared) -> bool:
    """Whether an order that was chosen earlier names the axes of a product."""
    return isinstance(order, Order) and {id(a) for a in order.axes} == {id(a) for a in walked_term(term).axes()}


def can_be_put_together(term: Prepared, axes: list[Any], semiring: Semiring) -> bool:
    """Whether rows can be added up whose keys of these axes come in no order: by sorting, or with a place for each."""
    if not axes:
        return True
    walked = [n for n, walk in enumerate(term.walks) if any(axes[0] is a for a in walk.axes)]
    return semiring.plus is plus_times.plus or (len(axes) == 1 and is_marked(term.walks, walked, axes[0]))


def as_expression(found: Any, axes: tuple[Any, ...]) -> Access | Number:
    """What was found, to be a part of an expression again."""
    if isinstance(found, Table):
        return Access(found, axes)
    return Number(None if found is False else found)  # `any` of nothing


def engine_of(expression: Expression) -> Any:
    """Who runs an expression, if one of its tables lives elsewhere and brings an engine of its own."""
    return next((a.table.engine for a in accesses(expression) if a.table.engine is not None), None)


def collect(self: Expression, into: Any = None, *, order: Any = None, memo: bool = True) -> Any:
    """Run the expression: a table over its axes, or a number where it has none.

    `into` says what the table becomes: "pandas", "arrow", "polars", "numpy" (a dict of arrays), "scipy" (a sparse
    matrix of two axes), `dict`, or where the keys are numbers a structure such as `sk.Sorted` or `numpy.ndarray`.
    `order` pins the order of the loops, and `memo=False` forbids that parts are summed first.
    """
    check_into(into)
    pinned = tuple(order) if order is not None else None
    ready = ready_engine() if pinned is None else None
    form = written(self, id(ready), memo, threads_now()) if ready is not None else None
    one_row = not isinstance(self, Aggregate)
    if form is not None and (steps := steps_of(form)):
        last = steps.steps[-1]
        found = added(steps.run(), last.head, last.semiring, one_row)
    elif engine := engine_of(self):
        return engine.collected(self, into, pinned, memo)
    else:
        runner = Runner(pinned, memo, decisions=Decisions(decided(self, memo) if pinned is None else []))
        found = runner.result(self)
        steps = Steps(runner.steps, runner.ends)
        if form is not None and runner.in_steps and steps.lasts():
            keep(form, steps, self)
    return delivered(found, into) if isinstance(found, Table) else found


@dataclass(frozen=True)
class CompiledExpression:
    """An expression that was planned and compiled: call it to run it; `source` shows the loops that were emitted."""

    run: Callable[[], Any]
    report: Report

    def __call__(self) -> Any:
        return self.run()

    @property
    def source(self) -> Source:
        return Source("\n".join(self.report.sources))

    def __repr__(self) -> str:
        return f"<compiled expression, {len(self.source.splitlines())} lines>"


def compile(self: Expression, *, order: Any = None, memo: bool = True) -> CompiledExpression:
    """Plan the expression, and compile its loops. It is run once for that: what is summed first decides what follows.

    >>> import skipstone as sk
    >>> e = sk.table({"src": [1, 2, 1], "dst": [2, 3, 3]})
    >>> a, b, c = sk.axes("a b c")
    >>> kernel = sk.sum(e[a, b] * e[b, c] * e[a, c]).compile()
    >>> kernel(), kernel.source.split("(")[0]
    (1, 'def fused')
    """
    return CompiledExpression(lambda: self.collect(order=order, memo=memo), self.explain(order=order, memo=memo))


def explain(self: Expression, *, order: Any = None, memo: bool = True) -> Report:
    """Run it, and say how: the order of the loops, with the keys that each is expected to take and has taken, how each
    table is sorted and laid out, what was summed first, what is kept, what came of it, and the loops that were emitted.

    >>> import skipstone as sk
    >>> e = sk.table({"src": [1, 2, 1], "dst": [2, 3, 3]}, name="E")
    >>> a, b, c = sk.axes("a b c")
    >>> print(str(sk.sum(e[a, b] * e[b, c] * e[a, c]).explain()).partition("def fused")[0])
    order: b (2) → c (2) → a (2), 16 steps expected
      E[a, b]: 3 rows, by b, a (dense, compressed; sorted for this)
      E[b, c]: 3 rows, by b, c (dense, compressed; sorted for this)
      E[a, c]: 3 rows, by c, a (dense, compressed; sorted for this)
      taken: b (2) → c (1) → a (1)
    result: 1
    """
    pinned = tuple(order) if order is not None else None
    if engine := engine_of(self):
        told: Report = engine.explained(self, pinned, memo)
        return told
    runner = Runner(pinned, memo, Report(watched=True))
    found = runner.result(self)
    result = counted(len(found), "row") if isinstance(found, Table) else f"{found}"
    runner.report.lines.append(f"result: {result}")
    return runner.report


def sum(expression: Expression, *axes: Any, semiring: Semiring | str = plus_times) -> Aggregate:
    """An expression summed along axes; along all of them if none are named.

    >>> import skipstone as sk
    >>> edges = sk.table({"src": ["ann", "bob", "ann"], "dst": ["bob", "cy", "cy"]})
    >>> a, b, c = sk.axes("a b c")
    >>> sk.sum(edges[a, b] * edges[b, c] * edges[a, c]).collect()
    1
    """
    return expression.sum(*axes, semiring=semiring)


Expression.collect = collect  # type: ignore[method-assign]
Expression.compile = compile  # type: ignore[method-assign]
Expression.explain = explain  # type: ignore[method-assign]
