"""Pictures of what happened: which keys were visited, and how a query was planned."""

from .diagram import diagram
from .svg import Picture
from .visits import visits

__all__ = ["Picture", "diagram", "visits"]
