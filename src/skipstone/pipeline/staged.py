"""Outputs that come to be all together, or not at all: written beside their places, and moved when all are ready."""

from __future__ import annotations

import contextlib
import os
import posixpath
import shutil
import uuid
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, Protocol

from ..errors import PipelineError


class Files(Protocol):
    """Where outputs are."""

    def exists(self, path: str) -> bool: ...
    def move(self, path: str, to: str) -> None: ...
    def remove(self, path: str) -> None: ...


class Here:
    """Files of this machine."""

    def exists(self, path: str) -> bool:
        return os.path.lexists(path)

    def move(self, path: str, to: str) -> None:
        os.rename(path, to)

    def remove(self, path: str) -> None:
        if os.path.isdir(path) and not os.path.islink(path):
            shutil.rmtree(path)
        else:
            os.unlink(path)


class ByHadoop:
    """Files as Spark's driver sees them: a path may be of this machine, of HDFS, or of an object store."""

    def __init__(self, session: Any) -> None:
        context = session.sparkContext
        self.path, self.conf = context._jvm.org.apache.hadoop.fs.Path, context._jsc.hadoopConfiguration()

    def at(self, path: str) -> tuple[Any, Any]:
        there = self.path(path)
        return there.getFileSystem(self.conf), there

    def exists(self, path: str) -> bool:
        system, there = self.at(path)
        return bool(system.exists(there))

    def move(self, path: str, to: str) -> None:
        system, there = self.at(path)
        if not system.rename(there, self.path(to)):
            raise PipelineError(f"{path} cannot be renamed to {to}")

    def remove(self, path: str) -> None:
        system, there = self.at(path)
        system.delete(there, True)


class Staging:
    """Outputs on their way."""

    def __init__(self, files: Files, overwrite: bool) -> None:
        self.files, self.overwrite = files, overwrite
        self.waiting: list[tuple[str, str]] = []
        self.at_last: list[Callable[[], None]] = []

    def place(self, path: str) -> str:
        """Where to write what shall be at a path: beside it, under a name that readers of directories skip."""
        temporary = hidden(path, "new")
        self.waiting.append((temporary, path))
        return temporary

    def commit(self) -> None:
        """Everything to its place. What was there before is kept until all is done."""
        for action in self.at_last:
            action()
        moved: list[tuple[str, str]] = []
        old = []
        try:
            for temporary, path in self.waiting:
                if self.files.exists(path):
                    old.append(hidden(path, "old"))
                    self.files.move(path, old[-1])
                    moved.append((path, old[-1]))
                self.files.move(temporary, path)
                moved.append((temporary, path))
        except BaseException:
            for before, after in reversed(moved):
                with contextlib.suppress(Exception):
                    self.files.move(after, before)
            raise
        for path in old:
            self.files.remove(path)

    def discard(self) -> None:
        for temporary, _ in self.waiting:
            for files in (self.files, Here()):  # if Spark has gone, at least what it left on this machine
                with contextlib.suppress(Exception):
                    if files.exists(temporary):
                        files.remove(temporary)


@contextmanager
def staging(files: Files, overwrite: bool) -> Iterator[Staging]:
    """Outputs of this block are there when it ends, all of them; or none, if it fails."""
    made = Staging(files, overwrite)
    try:
        yield made
        made.commit()
    except BaseException:
        made.discard()
        raise


@contextmanager
def swept() -> Iterator[list[Staging]]:
    """If this block fails, what the outputs in this list left behind is removed once more.

    By then Spark has stopped. A job that was about to begin, when the block was interrupted, may have written after
    the first time.
    """
    made: list[Staging] = []
    try:
        yield made
    except BaseException:
        for each in made:
            each.discard()
        raise


def hidden(path: str, word: str) -> str:
    folder, name = posixpath.split(path.rstrip("/"))
    return posixpath.join(folder, f".{name}.{uuid.uuid4().hex[:8]}.{word}")


def taken(path: str) -> PipelineError:
    return PipelineError(f"{path} is there already", "Say --overwrite to replace it.")
