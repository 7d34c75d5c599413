"""The memory that something takes at its peak."""

from __future__ import annotations

import resource
import sys
from collections.abc import Callable
from pathlib import Path

STATUS, CLEAR = Path("/proc/self/status"), Path("/proc/self/clear_refs")


def peak_from_here() -> Callable[[], int]:
    """A function that says how many bytes this process has taken since, at most, beyond what it has now.

    On Linux the kernel's mark of the highest is put back first. The `ru_maxrss` of everybody else is also that of the
    process which started this one, if it was larger; and what libraries needed only to be imported counts as there.
    """
    if reset():
        before = status("VmRSS")
        return lambda: max(status("VmHWM") - before, 0)
    unit = 1 if sys.platform == "darwin" else 1024
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit
    return lambda: resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit - before


def reset() -> bool:
    try:
        CLEAR.write_text("5")
        return status("VmHWM") > 0
    except (OSError, StopIteration):
        return False


def status(name: str) -> int:
    """A figure of the kernel's about this process, in bytes."""
    line = next(line for line in STATUS.read_text().splitlines() if line.startswith(name))
    return int(line.split()[1]) * 1024
