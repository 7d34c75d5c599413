"""Libraries that may not be there."""

from __future__ import annotations

from importlib import import_module
from typing import Any

from ..errors import LibraryMissing


def library(module: str, name: str) -> Any:
    """A library's module, imported now; or the error that says what to install.

    >>> library("numpy", "NumPy").__name__
    'numpy'
    """
    try:
        return import_module(module)
    except ImportError:
        extra = module.partition(".")[0]
        raise LibraryMissing(f"{name} is not installed", f"Install it: pip install 'skipstone[{extra}]'.") from None
