"""The planner: from an expression to the loops that run it."""

from .run import Report, Runner, sum

__all__ = ["Report", "Runner", "sum"]
