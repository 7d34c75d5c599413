"""Through: a stream whose keys do not matter. What stands at each of them is gathered into one."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, ClassVar

from ..stream import Stream
from ..words import Parameter


class Through(Stream):
    """The values of a stream of streams, all of them together: the keys come in no order, and come again.

    Of use to a consumer alone, which adds values up by `plus` where a key comes again. `places`: all keys lie below it,
    and there may be an array that has a place for each. `full`: each of the streams has the same keys, 0, 1, 2, …
    """

    stream: Any
    places: Parameter | None
    plus: Callable[[Any, Any], Any]
    full: bool = False

    ordered: ClassVar[bool] = False
