"""Tracing: definitions run on symbols write a program, which is printed as Python for Numba."""

from .narrowing import narrowed
from .printer import Printed, render
from .program import Program, heeding, verify
from .symbol import Symbol
from .tracer import Tracer

__all__ = ["Printed", "Program", "Symbol", "Tracer", "heeding", "narrowed", "render", "verify"]
