"""What was decided for an expression, kept: tables do not change, so neither does what is best for them.

A run comes to its decisions in the same order each time, and finds the earlier ones in a list. One that does not fit
(a function of the user's may have made other tables) is made anew.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

T = TypeVar("T")


@dataclass
class Decisions:
    """A list to read from, and behind its end to write to."""

    made: list[Any] = field(default_factory=list)
    at: int = 0

    def take(self, decide: Callable[[], T], fits: Callable[[T], bool]) -> T:
        """The next decision: the one that was made before, if it fits."""
        made, self.at = self.made[self.at : self.at + 1], self.at + 1  # another thread may be writing, too
        if made and fits(made[0]):
            found: T = made[0]
            return found
        found = decide()
        self.made[self.at - 1 :] = [found]
        return found


_decided: WeakKeyDictionary[Any, dict[bool, list[Any]]] = WeakKeyDictionary()


def decided(expression: Any, memo: bool) -> list[Any]:
    """What was decided for an expression, with its parts summed first or not."""
    return _decided.setdefault(expression, {}).setdefault(memo, [])
