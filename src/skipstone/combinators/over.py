"""Over: what streams that stand on one other stream have in common. They say only what they do differently."""

from __future__ import annotations

from typing import Any

from ..stream import Stream


class Over(Stream):
    """The stream below, unchanged: the same states, the same keys, the same values."""

    stream: Any

    @property
    def ordered(self) -> bool:  # type: ignore[override]
        return bool(self.stream.ordered)

    def start(self) -> Any:
        return self.stream.start()

    def valid(self, q: Any) -> Any:
        return self.stream.valid(q)

    def ready(self, q: Any) -> Any:
        return self.stream.ready(q)

    def index(self, q: Any) -> Any:
        return self.stream.index(q)

    def seek(self, q: Any, key: Any, strict: Any) -> Any:
        return self.stream.seek(q, key, strict)

    def next(self, q: Any) -> Any:
        return self.stream.next(q)

    def approach(self, q: Any) -> Any:
        return self.stream.approach(q)

    def value(self, q: Any) -> Any:
        return self.stream.value(q)

    def key_kind(self) -> str | None:
        return None if self.stream is None else self.stream.key_kind()
