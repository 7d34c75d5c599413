"""The kernel cache on disk: machine code in files of our own, safe with several processes at once.

    $SKIPSTONE_CACHE_DIR, else $XDG_CACHE_HOME/skipstone, else ~/.cache/skipstone

One directory a version: of this library, Python, Numba, llvmlite, and the processor, since code for one does not run
on another. A file is written to a temporary name, flushed, and renamed, so a reader sees a whole file or none; when
several processes compile the same kernel, the last rename wins, and all of them wrote the same thing. A file is
believed only if it belongs to this user, nobody else may write it, and its contents have the digest that it says.
"""

from __future__ import annotations

import contextlib
import functools
import hashlib
import os
import sys
from pathlib import Path

MAGIC = b"skipstone kernel 1\n"


def directory() -> Path:
    """Where kernels are kept, whatever their version."""
    if chosen := os.environ.get("SKIPSTONE_CACHE_DIR"):
        return Path(chosen)
    base = os.environ.get("XDG_CACHE_HOME")
    return (Path(base) if base else Path.home() / ".cache") / "skipstone"


@functools.cache
def version() -> str:
    """Everything that machine code depends on beside its source, as a directory name."""
    from importlib.resources import files
    from importlib.util import find_spec

    import llvmlite
    import llvmlite.binding as llvm

    from . import __version__

    trace = (files(__package__) / "trace").iterdir()  # what emitted code calls, and how it is written; also in a zip
    written = b"".join(part.read_bytes() for part in sorted(trace, key=lambda p: p.name) if part.name.endswith(".py"))
    numba = find_spec("numba")  # its version stands in a file: to import it, or importlib.metadata, takes longer
    of_numba = Path(numba.origin).with_name("_version.py").read_bytes() if numba and numba.origin else b""
    parts = [__version__, sys.implementation.cache_tag or "", of_numba, llvmlite.__version__, sys.platform,
             llvm.get_host_cpu_name(), llvm.get_host_cpu_features().flatten(),
             hashlib.sha256(written).hexdigest()]  # fmt: skip
    digest = hashlib.sha256(repr(parts).encode()).hexdigest()[:16]
    return f"{parts[0]}-{parts[1]}-{digest}"


def path_of(key: str) -> Path:
    return directory() / version() / f"{hashlib.sha256(key.encode()).hexdigest()}.kernel"


def load(key: str) -> bytes | None:
    """The machine code stored under a key, or None: not there, damaged, of another key, or not ours to believe."""
    path = path_of(key)
    try:
        with path.open("rb") as file:
            state = os.fstat(file.fileno())
            if hasattr(os, "getuid") and (state.st_uid != os.getuid() or state.st_mode & 0o022):
                return None
            data = file.read()
    except OSError:
        return None
    head, payload = data[: len(MAGIC) + 64], data[len(MAGIC) + 64 :]
    return payload if head == MAGIC + digest_of(key, payload) else None


def store(key: str, payload: bytes) -> None:
    """Keep machine code under a key. A cache that cannot be written is no error: it is only slower."""
    import tempfile

    path = path_of(key)
    with contextlib.suppress(OSError):
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        handle, temporary = tempfile.mkstemp(dir=path.parent, prefix=".new-")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(MAGIC + digest_of(key, payload) + payload)
                file.flush()
                os.fsync(file.fileno())
            os.replace(temporary, path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(temporary)
            raise


def digest_of(key: str, payload: bytes) -> bytes:
    return hashlib.sha256(key.encode() + b"\0" + payload).hexdigest().encode()


def contents() -> list[tuple[Path, int]]:
    """Every cached kernel, of any version, with its size in bytes."""
    found = sorted(directory().glob("*/*.kernel"))
    return [(path, path.stat().st_size) for path in found]


def clear() -> int:
    """Remove every cached kernel; how many there were."""
    found = contents()
    for path, _ in found:
        path.unlink(missing_ok=True)
    for folder in directory().glob("*"):
        for left in folder.glob(".new-*"):
            left.unlink(missing_ok=True)
        with contextlib.suppress(OSError):
            folder.rmdir()
    return len(found)
