"""The planner: from an expression to the loops that run it."""

from .run import Report, Runner, sum
from .threads import options

__all__ = ["Report", "Runner", "options", "sum"]
