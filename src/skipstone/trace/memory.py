"""Memory of a program's own, in LLVM's instructions: arrays that grow, and arrays with a place for every number.

An address, how many numbers there are, and how many there is room for; all three are variables. What was taken is noted
in an account, so that it is given back where the program fails; behind that stands how many numbers each had when the
program was run before. Imports Numba.
"""

from __future__ import annotations

import sys
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.np import arrayobj

from .printer import BYTES, ROOM
from .runtime import ColumnType

WORD, POINTER = ir.IntType(64), ir.IntType(8).as_pointer()
NUMBERS = {
    "bool": (ir.IntType(8), types.boolean),
    "narrow": (ir.IntType(32), types.uint32),
    "int": (WORD, types.int64),
    "float": (ir.DoubleType(), types.float64),
}
MANY = 2**22  # bytes from which large pages are worth asking for, as NumPy does
PAGE, LARGE_PAGES = 2**12, 14  # bytes; what Linux calls MADV_HUGEPAGE
NONE_LEFT = "there is not enough memory for what is being collected"


def word(n: int) -> Any:
    return ir.Constant(WORD, n)


class Memory:
    """One array. `kind` is that of its numbers, `slot` its place in the account."""

    def __init__(self, context: Any, builder: Any, kind: str, account: Any, slot: int, slots: int) -> None:
        self.context, self.builder, self.kind, self.account, self.slot = context, builder, kind, account, slot
        self.last = builder.gep(account.data, [word(slots + slot)])  # how many numbers there were the last time
        self.address, self.count, self.room = (cgutils.alloca_once(builder, WORD) for _ in range(3))

    def c_function(self, name: str, returns: Any, *arguments: Any) -> Any:
        kind = ir.FunctionType(returns, [a.type for a in arguments])
        return self.builder.call(cgutils.get_or_insert_function(self.builder.module, kind, name), arguments)

    def taken(self, pointer: Any) -> None:
        """Memory was asked for: note where it is, or fail."""
        found = self.builder.ptrtoint(pointer, WORD)
        with self.builder.if_then(self.builder.icmp_unsigned("==", found, word(0)), likely=False):
            self.context.call_conv.return_user_exc(self.builder, MemoryError, (NONE_LEFT,))
        self.builder.store(found, self.address)
        self.noted(found)

    def noted(self, address: Any) -> None:
        self.builder.store(address, self.builder.gep(self.account.data, [word(self.slot)]))

    def grow_from(self, zeros: int) -> None:
        """An array that grows, from so many zeros on. At first it has room for as many as there were the last time."""
        last = self.builder.load(self.last)
        room = self.builder.select(self.builder.icmp_signed(">", last, word(ROOM)), last, word(ROOM))
        self.builder.store(room, self.room)
        size = self.builder.mul(room, word(BYTES[self.kind]))
        self.taken(self.c_function("realloc", POINTER, ir.Constant(POINTER, None), size))
        self.in_large_pages(size)
        self.builder.store(word(zeros), self.count)
        for n in range(zeros):
            self.put(word(n), word(0))

    def clear_to(self, size: Any) -> None:
        """An array of so many zeros."""
        self.builder.store(size, self.count)
        some = self.builder.select(self.builder.icmp_signed(">", size, word(0)), size, word(1))
        self.taken(self.c_function("calloc", POINTER, some, word(BYTES[self.kind])))
        self.in_large_pages(self.builder.mul(some, word(BYTES[self.kind])))

    def in_large_pages(self, size: Any) -> None:
        """Ask for large pages, where the system gives them on request: threads that touch a workspace here and there
        would wait for each other at thousands of small ones."""
        if sys.platform != "linux":
            return
        builder, address = self.builder, self.builder.load(self.address)
        with builder.if_then(builder.icmp_unsigned(">=", size, word(MANY)), likely=False):
            start = builder.and_(builder.add(address, word(PAGE - 1)), word(-PAGE))
            length = builder.sub(builder.add(address, size), start)
            advice = ir.Constant(ir.IntType(32), LARGE_PAGES)
            self.c_function("madvise", advice.type, builder.inttoptr(start, POINTER), length, advice)

    def place(self, n: Any) -> Any:
        """Where number n lies."""
        start = self.builder.inttoptr(self.builder.load(self.address), NUMBERS[self.kind][0].as_pointer())
        return self.builder.gep(start, [n])

    def load(self, n: Any) -> Any:
        found = self.builder.load(self.place(n))
        if self.kind == "bool":
            return self.builder.icmp_unsigned("!=", found, ir.Constant(found.type, 0))
        return self.builder.zext(found, WORD) if self.kind == "narrow" else found

    def put(self, n: Any, value: Any) -> None:
        if self.kind == "bool":
            value = self.builder.zext(value, NUMBERS["bool"][0])
        elif self.kind == "narrow":
            value = self.builder.trunc(value, NUMBERS["narrow"][0])
        self.builder.store(value, self.place(n))

    def append(self, value: Any, stays: Any) -> None:
        builder = self.builder
        count = builder.load(self.count)
        with builder.if_then(builder.icmp_signed("==", count, builder.load(self.room)), likely=False):
            self.move_to(builder.mul(builder.load(self.room), word(2)))
        self.put(count, value)
        builder.store(builder.add(count, builder.zext(stays, WORD)), self.count)

    def move_to(self, room: Any) -> None:
        """Get room for so many."""
        self.builder.store(room, self.room)
        old = self.builder.inttoptr(self.builder.load(self.address), POINTER)
        self.taken(self.c_function("realloc", POINTER, old, self.builder.mul(room, word(BYTES[self.kind]))))

    def view(self) -> tuple[Any, Any]:
        """The numbers as a column that a kernel can read: its type, and itself."""
        column = ColumnType(NUMBERS[self.kind][1])
        array = arrayobj.make_array(column)(self.context, self.builder)
        size = word(BYTES[self.kind])
        arrayobj.populate_array(
            array,
            data=self.builder.inttoptr(self.builder.load(self.address), array.data.type),
            shape=cgutils.pack_array(self.builder, [self.builder.load(self.count)]),
            strides=cgutils.pack_array(self.builder, [size]),
            itemsize=size,
            meminfo=None,
        )
        return column, array._getvalue()

    def result(self, place: Any) -> Any:
        return self.context.make_tuple(self.builder, place, [self.builder.load(v) for v in (self.address, self.count)])

    def leave(self, returned: bool) -> None:
        """At the end: nothing is to be given back on failure any more, and what is not returned, or was taken for more
        than there was, is given back now."""
        builder, count = self.builder, self.builder.load(self.count)
        builder.store(count, self.last)
        if returned:
            too_much = builder.add(builder.mul(count, word(2)), word(ROOM))
            with builder.if_then(builder.icmp_signed(">", builder.load(self.room), too_much), likely=False):
                self.move_to(builder.add(count, word(1)))
        else:
            self.c_function("free", ir.VoidType(), builder.inttoptr(builder.load(self.address), POINTER))
        self.noted(word(0))
