"""Text in UTF-8, looked at as it passes."""

from __future__ import annotations

import codecs
import io
from typing import Any

from ..errors import FileUnreadable


class Utf8(io.RawIOBase):
    """A stream of text. What is not UTF-8 is refused: Arrow would drop such a row, if it is malformed as well."""

    def __init__(self, stream: Any, path: str) -> None:
        self.stream, self.path = stream, path
        self.decoder = codecs.getincrementaldecoder("utf-8")()
        self.quotes = 0  # that have passed

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        found: bytes = self.stream.read(size if size >= 0 else None)
        try:
            self.decoder.decode(found, final=not found)
        except UnicodeDecodeError:
            raise FileUnreadable(f"{self.path} is not text in UTF-8", "Write the file in that encoding.") from None
        self.quotes += found.count(b'"')
        return found
