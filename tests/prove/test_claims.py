"""The laws hold for the library's own source: proved, confirmed by a second solver, and not for want of a case."""

import subprocess
import sys
from pathlib import Path
from shutil import which

import pytest

pytest.importorskip("z3", reason="the extra `prove` is not installed")

import z3

from skipstone.prove import CLAIMS, EVERYTHING, Proved, proved
from skipstone.prove.obligations import obligations
from skipstone.prove.refuting import refuted
from skipstone.prove.solving import confirmed
from skipstone.prove.theorems import Theorem
from skipstone.prove.world import Size, World

ROOT = Path(__file__).parents[2]


def by_name(claims):
    return {"argvalues": claims, "ids": lambda claim: claim.name}


@pytest.mark.parametrize("claim", **by_name(EVERYTHING))
def test_it_is_proved(claim):
    found = proved(claim)
    assert isinstance(found, Proved), found


@pytest.mark.parametrize("claim", **by_name(EVERYTHING))
def test_it_is_proved_of_integers_of_the_machine(claim):
    """Arrays are no longer than 2**62, keys any of int64: nothing that is calculated leaves it."""
    found = proved(claim, machine=True)
    assert isinstance(found, Proved), found


@pytest.mark.parametrize("claim", **by_name(EVERYTHING))
def test_a_second_solver_confirms_it(claim):
    pytest.importorskip("cvc5")
    world = World(claim.keys)
    shown = claim.shown(world) if isinstance(claim, Theorem) else obligations(claim, world).found
    seen = set()
    for each in shown:
        key = (each.law, each.obligation.what)
        if key not in seen:  # one of each kind here; `skipstone prove --twice` asks them all
            seen.add(key)
            assert confirmed(world, each), each


ALWAYS_READY = {
    "range",
    "singleton",
    "dense run",
    "level of a trie",
    "search tree, climbing seek",
    *(c.name for c in CLAIMS if "array" in c.name),
}
UNBOUNDED = {
    "product of three",
    "search tree, climbing seek",
}  # too slow; and a climb is not unrolled without its facts
NEVER_VALID = {"empty", "guarded, absent"}


def says_nothing(claim, law, what):
    """Whether there cannot be a state that an obligation is about."""
    if claim.name in NEVER_VALID:
        return law not in ("start", "end")
    if claim.name == "singleton" and "the index" in what and law != "support":
        return True  # behind its one key there is none
    return claim.name in ALWAYS_READY and what.startswith("approach")


@pytest.mark.parametrize("claim", **by_name(CLAIMS))
def test_its_hypotheses_can_hold(claim):
    """What follows from the impossible is worth nothing: there is a world for what each obligation assumes."""
    searched = any(word in claim.name for word in ("array", "level"))  # long enough to gallop, with as many keys
    size = Size(3, 12, 12) if searched else Size(3, 2 if "three" in claim.name else 3, 4)
    world = World(claim.keys, size=size, unrolled=False)  # as in the proof, loops are cut
    possible = {}
    for shown in obligations(claim, world).found:
        solver = z3.Solver()
        solver.add(*world.axioms, *shown.obligation.assumed)
        key = shown.law, shown.obligation.what  # on one of its paths: a definition may have some that nobody can take
        possible[key] = possible.get(key) or solver.check() == z3.sat
    assert [key for key, can in possible.items() if not can and not says_nothing(claim, *key)] == []


@pytest.mark.parametrize("claim", **by_name([c for c in CLAIMS if c.name not in UNBOUNDED]))
def test_no_small_world_refutes_it(claim):
    assert refuted(claim, [Size(2, 2, 2)]) is None


@pytest.mark.skipif(which("coqc") is None, reason="there is no coqc")
def test_the_induction_has_no_axioms(tmp_path):
    (tmp_path / "Fold.v").write_text((ROOT / "proofs" / "Fold.v").read_text())
    done = subprocess.run(["coqc", "Fold.v"], cwd=tmp_path, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == ["Closed under the global context"] * 4


def test_proofs_are_loaded_only_when_asked():
    code = "import sys, skipstone; sys.exit('z3' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", code]).returncode == 0
