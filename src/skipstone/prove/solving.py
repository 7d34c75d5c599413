"""Whether an obligation holds: Z3 looks for a world in which it does not; a second solver, cvc5, is asked the same."""

from __future__ import annotations

from typing import Any

import z3

from .obligations import Shown
from .world import World

SECONDS = 20


def opposite(world: World, shown: Shown) -> Any:
    """A solver that looks for a world in which an obligation does not hold."""
    solver = z3.Solver()
    if world.size is None:
        # Facts are used where their patterns occur, and nowhere else: that there is no such world is a proof, and
        # anything else is none.
        solver.set("smt.mbqi", False)
        solver.set("smt.auto_config", False)
    solver.set("timeout", SECONDS * 1000)
    solver.add(*world.axioms, *shown.obligation.assumed, z3.Not(shown.obligation.goal))
    return solver


def is_proved(world: World, shown: Shown) -> bool:
    return bool(opposite(world, shown).check() == z3.unsat)


def confirmed(world: World, shown: Shown) -> bool:
    """Whether cvc5 says so too."""
    import cvc5

    solver = cvc5.Solver()
    solver.setOption("tlimit-per", str(SECONDS * 1000))
    solver.setLogic("ALL")
    parser = cvc5.InputParser(solver)
    text = opposite(world, shown).to_smt2()
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, text, "obligation")
    symbols = parser.getSymbolManager()
    found = ""
    while not (command := parser.nextCommand()).isNull():
        found += command.invoke(solver, symbols)
    return "unsat" in found.split()
