"""Every error that skipstone raises: what happened, where, and the repair.

    >>> import skipstone as sk
    >>> sk.Sorted([3, 1], [1.0, 2.0])
    Traceback (most recent call last):
        ...
    skipstone.errors.KeysNotSorted: keys must increase, but key 1 stands after key 3 (position 1)
      Sort them first, or let skipstone do it: sk.Sorted.from_pairs(zip(keys, values)).

Each class also inherits from the built-in exception that a Python programmer would try to catch, so
`except OverflowError` and `except ValueError` work as expected.
"""

from __future__ import annotations

import linecache
import types


class SkipstoneError(Exception):
    """The root of all errors raised by this library.

    The text is always `what happened`, then, indented, `where` (if a line of the user's is to blame) and the repair.
    """

    def __init__(self, what: str, repair: str = "", where: str = "") -> None:
        self.what, self.repair, self.where = what, repair, where
        super().__init__("\n  ".join(part for part in (what, where, repair) if part))


class KeysNotSorted(SkipstoneError, ValueError):
    """Keys that must increase do not."""


class RepeatedKey(SkipstoneError, ValueError):
    """A key occurs twice where each may occur once."""


class NotAKey(SkipstoneError, ValueError):
    """NaN, None or another value that has no place in an order."""


class MixedKeys(SkipstoneError, TypeError):
    """Keys of several types in one collection, or two collections whose key types cannot meet."""


class LengthsDiffer(SkipstoneError, ValueError):
    """Arrays that belong together have different lengths."""


class NotACollection(SkipstoneError, TypeError):
    """A value that `sk.stream` or `collect(into=)` does not know."""


class UnsupportedValue(SkipstoneError, TypeError):
    """A value that is neither a number, a boolean, a tuple of those, nor a collection."""


class UnorderedProduct(SkipstoneError, TypeError):
    """An unordered stream was combined by key."""


class ImplicitStream(SkipstoneError, TypeError, AttributeError):
    """A stream without keys of its own (a function, `repeat`) was asked to produce them.

    Also an AttributeError, so that `hasattr` and what builds on it see a missing method for what it is.
    """


class IntegerOverflow(SkipstoneError, OverflowError):
    """An integer result left the range of int64."""


class DivisionByZero(SkipstoneError, ZeroDivisionError):
    """A function divided by zero."""


class WrongFunction(SkipstoneError, TypeError):
    """Something that is not a function, or one that takes other arguments, where a function was asked for."""


class Untraceable(SkipstoneError, TypeError):
    """A function of the user's does something that neither the tracer nor Numba can compile."""


class BranchOnSymbol(Untraceable):
    """The truth of a value that is only known at run time was asked for where no branch can be emitted."""


class LoopOnSymbol(Untraceable):
    """A function loops over, or converts, a value that is only known at run time."""


class BranchesDiffer(Untraceable):
    """The two sides of a branch return values of different shapes."""


class LawBroken(SkipstoneError, AssertionError):
    """A stream breaks one of the laws; the text holds the shortest trace that shows it."""


class NotProvable(SkipstoneError, ValueError):
    """A definition does something that the prover does not understand, or would misread."""


class WrongState(SkipstoneError, RuntimeError):
    """A structure's own invariants do not hold; `check()` found out."""


class BadOption(SkipstoneError, ValueError):
    """An option has a value that it cannot have."""


class LibraryMissing(SkipstoneError, ImportError):
    """A library that is not installed is needed to go in or out; the text names the extra that brings it."""


class FileUnreadable(SkipstoneError, OSError):
    """A file that is not there, cannot be opened, or is not what its name says."""


class MalformedRows(SkipstoneError, ValueError):
    """Rows of a text that do not fit the rest; the text says on which line, and how many there are."""


class SparkMissing(SkipstoneError, RuntimeError):
    """Spark was asked for, and PySpark or a Java that it runs on is not there."""


class CellTooLarge(SkipstoneError, MemoryError):
    """What one task of Spark's would need at once does not fit into its memory, and cannot be split."""


class SparkFailed(SkipstoneError, RuntimeError):
    """A job of Spark's failed: a file that cannot be read, a full disk, too little memory, a worker that died."""


class QueryError(SkipstoneError, ValueError):
    """A query that is written as text, or the subscripts of an einsum, cannot be read; the text shows where."""


class PipelineError(SkipstoneError, ValueError):
    """A pipeline, of a file or of the command line, cannot be run; the text says where in the file."""

    placed = False  # whether it says where


def line_of(function: object, error: BaseException | None = None) -> str:
    """Where a user's function stands, or the line of it that raised `error`: `app.py:14:  for n in range(v):`."""
    code = getattr(function, "__code__", None)
    if not isinstance(code, types.CodeType):
        return ""
    file, line = code.co_filename, code.co_firstlineno
    trace = error.__traceback__ if error is not None else None
    while trace is not None:  # the innermost frame that is the function's own
        if trace.tb_frame.f_code.co_filename == file:
            line = trace.tb_lineno
        trace = trace.tb_next
    text = linecache.getline(file, line).strip()
    return f"{file.rsplit('/', 1)[-1]}:{line}:  {text}" if text else f"{file.rsplit('/', 1)[-1]}:{line}"
