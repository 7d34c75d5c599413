"""Engines: who runs a whole expression. Compiled unless told otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from ..errors import BadOption
from ..kernel import compile_kernel
from ..stream import Engine, running_on, use_by_default, use_emitter, use_machine
from ..table import ELSEWHERE
from .compiled import FusedKernel, compile, compiled
from .interpreted import interpreted

ENGINES: dict[str, Engine] = {"compiled": compiled, "interpreted": interpreted}

use_by_default(compiled)
use_machine(compile_kernel)
use_emitter(lambda consume: compile(consume).source)


def _spark_table(*arguments: Any) -> Any:
    from .spark.frame import spark_table  # who has no Spark does not wait for it

    return spark_table(*arguments)


ELSEWHERE["pyspark"] = _spark_table


@contextmanager
def engine(name: str) -> Iterator[None]:
    """Run every expression inside this block on the named engine: "compiled" (the default) or "interpreted".

    >>> import skipstone as sk
    >>> with sk.engine("interpreted"):
    ...     sk.range(0, 5).sum()
    10
    """
    if name not in ENGINES:
        raise BadOption(f"there is no engine called {name!r}", f"Choose one of {', '.join(ENGINES)}.")
    with running_on(ENGINES[name]):
        yield


__all__ = ["ENGINES", "FusedKernel", "compile", "engine"]
