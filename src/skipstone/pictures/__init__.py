"""Pictures of what happened: which keys were visited, and how a query was planned."""

from . import as_html, as_text
from .diagram import diagram
from .svg import Picture

__all__ = ["Picture", "as_html", "as_text", "diagram"]
