"""Kernels: emitted source compiled by Numba, kept in memory and on disk.

A kernel is found by its *source* and the types of its arguments, so a lambda made afresh on each call is no fresh
compile. Captured numbers are constants in the source at first. When the same source comes back with other numbers, it
is compiled once more with the numbers as parameters, and that kernel serves all further ones.

Longer than a file should be: who compiles a kernel, loads it or calls it must know the same of its memory and errors.
"""

from __future__ import annotations

import ctypes
import hashlib
import inspect
import linecache
import math
import pickle
import sys
import threading
import time
import types
import weakref
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from .cache import load, store
from .errors import DivisionByZero, IntegerOverflow, Untraceable, line_of
from .fingerprint import fingerprint, names_in
from .trace import Printed, Program, flat, render
from .trace.captured import plain
from .trace.symbol import kind_of
from .watch import Watch, waited, watched_now
from .words import Kernel, Parameter, within_int64

_lock = threading.RLock()
_compiled: dict[str, Compiled] = {}
_families: dict[str, Family] = {}
_dispatchers: dict[str, Any] = {}
_alive: dict[int, Any] = {}  # functions known by their id
AT_HAND = 2**25 - 2**16  # bytes of a block that is kept, at most: glibc's own bound is 2**25
MUCH = 2**14  # numbers to read, from which on it is worth while to have a kernel attended
LITTLE = 2**14  # bytes that are copied sooner than watched


@dataclass
class Compiled:
    """Machine code and the source it came from."""

    source: str
    function: Callable[..., Any]
    from_disk: bool
    rooms: int
    gathered: list[str]
    heeds: bool = False
    foreign: bool = False  # it calls kernels of the user's
    last: Any = None  # how many numbers each array of its own had the last time

    def account(self) -> Any:
        """An account of its memory: where each array lies, and behind that, how many numbers each had the last time."""
        account = np.zeros(2 * self.rooms, np.int64)
        if (last := self.last) is not None:
            account[self.rooms :] = last
        return account


@dataclass
class Family:
    """The kernels of one source that differ in captured numbers: one for the first numbers, one for all others."""

    first: tuple[Any, ...]
    constant: Compiled
    general: Compiled | None = None


@dataclass
class Statistics:
    """What compiling has cost so far in this process."""

    compiled: int = 0
    loaded: int = 0
    seconds: float = 0.0


statistics = Statistics()


def compile_program(program: Program) -> tuple[Compiled, list[Any]]:
    """The kernel of a program, and the arguments to call it with."""
    general = render(program, constants=False)
    arguments = [source_value(source) for _, source in program.arguments]
    types_ = [argument_type(a) for a in arguments]
    if not general.captured:
        return find(general, types_), arguments
    numbers = tuple(within_int64(plain(x)) for x in general.captured)
    key = key_of(general, [*types_, *map(argument_type, numbers)])
    with _lock:
        family = _families.get(key)
        if family is None:
            family = _families[key] = Family(numbers, find(render(program, constants=True), types_))
        if same_numbers(numbers, family.first):
            return family.constant, arguments
        if family.general is None:
            family.general = find(general, [*types_, *map(argument_type, numbers)])
        return family.general, [*arguments, *numbers]


def same_numbers(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    """Equal bit for bit: 0.0 is not -0.0, and NaN is NaN."""
    return [(x, math.copysign(1, x)) if x == x else None for x in a] == [
        (x, math.copysign(1, x)) if x == x else None for x in b
    ]


def source_value(source: Any) -> Any:
    return source.value if isinstance(source, Parameter) else source.array


def argument_type(value: Any) -> str:
    """The type of an argument, in a form that can be hashed and stored: "int64[]", "float"."""
    return f"{value.dtype}[]" if isinstance(value, np.ndarray) else kind_of(value)


def key_of(printed: Printed, types_: list[str]) -> str:
    """What a kernel is found by: its source, its types, and the code of the kernels that it calls."""
    called = [f"{name}={identity(k.function)}" for name, k in printed.kernels.items()]
    return "\n".join([printed.source, *types_, *called])


def find(printed: Printed, types_: list[str]) -> Compiled:
    """The kernel from memory, from disk, or from the compiler, in that order."""
    types_ = [*types_, *["int64[:]"] * (printed.heeds + bool(printed.rooms))]
    key = key_of(printed, types_)
    with _lock:
        if key not in _compiled:
            register(printed.source)
            _compiled[key] = load_or_compile(printed, types_, key)
        return _compiled[key]


def load_or_compile(printed: Printed, types_: list[str], key: str) -> Compiled:
    portable = all(map(fingerprint, (k.function for k in printed.kernels.values())))
    began = time.perf_counter()
    if portable and (data := load(key)) is not None:
        try:
            code, of_numba = pickle.loads(data)
            function = from_disk(code, of_numba, bool(printed.rooms))
            statistics.loaded += 1
            return made_of(printed, function, True)
        except Exception:
            pass  # whatever is wrong with it, it is compiled anew and overwritten
    result = compile_source(printed, types_, key)
    statistics.compiled += 1
    statistics.seconds += time.perf_counter() - began
    if portable:
        from numba.core import serialize

        store(key, pickle.dumps((flat.flattened(result, types_), serialize.dumps(result._reduce()))))
    return made_of(printed, result.entry_point, False)


def from_disk(code: flat.Flat | None, of_numba: bytes, accounts: bool) -> Callable[..., Any]:
    """A kernel as a function. Numba is not imported for it, as long as nobody needs Numba.

    `accounts`: its last argument is the account of its memory. What a run that failed had taken is given back before
    Numba's form is run; and if it had asked for as much room as the last time, it is tried with little first: Numba
    takes memory itself, and its libraries wait for ever where there is none.
    """
    function: Callable[..., Any] | None = None

    @cache
    def entry() -> Callable[..., Any]:
        from numba.core import compiler
        from numba.core.registry import cpu_target

        cpu_target.typing_context.refresh()
        cpu_target.target_context.refresh()
        result = compiler.CompileResult._rebuild(cpu_target.target_context, *pickle.loads(of_numba))
        found: Callable[..., Any] = result.entry_point
        return found

    def again(*arguments: Any) -> Any:
        if accounts:
            account = arguments[-1]
            give_back(account)
            if account.any() and function is not None:
                account[:] = 0
                return function(*arguments)
        return entry()(*arguments)

    if code is not None and "numba" not in sys.modules:
        function = flat.loaded(code, again)
    return function or entry()


def made_of(printed: Printed, function: Callable[..., Any], from_disk: bool) -> Compiled:
    foreign = not all(is_ours(kernel.function) for kernel in printed.kernels.values())
    return Compiled(
        printed.source, function, from_disk, printed.rooms, printed.gathered, printed.heeds, foreign
    )  # fmt: skip


def register(source: str) -> str:
    """Make an emitted source known to tracebacks and debuggers; the file name under which they find it."""
    name = f"<skipstone {hashlib.sha256(source.encode()).hexdigest()[:12]}>"
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    return name


def compile_source(printed: Printed, types_: list[str], key: str) -> Any:
    """Numba's compile result for one signature."""
    from numba import njit

    signature = tuple(numba_type(t) for t in types_)
    fused = njit(nogil=True, no_cfunc_wrapper=True)(
        distinct(function_of(printed, signature), hashlib.sha256(key.encode()).hexdigest())
    )
    fused.compile(signature)
    return fused.overloads[signature]


def function_of(printed: Printed, signature: tuple[Any, ...]) -> Any:
    """What Numba is given to compile: the program's own instructions, if they are all known, otherwise its source."""
    from .trace import llvm, runtime

    if printed.program is not None and llvm.knows(printed.program):
        return llvm.written(printed.program, signature, lambda kernel: dispatcher(kernel.function, inline=True))
    scope: dict[str, Any] = {
        "np": np,
        "__name__": runtime.__name__,
        **runtime.NAMES,
        **{name: dispatcher(kernel.function, inline=True) for name, kernel in printed.kernels.items()},
    }  # fmt: skip
    try:
        exec(compile(printed.source, register(printed.source), "exec"), scope)
    except SyntaxError as error:
        raise Untraceable(
            f"Python cannot compile the loops that were emitted: {error.msg}",
            "There may be no more than 20 loops inside each other. Split the expression, with `.collect()`.",
        ) from None
    return scope["fused"]


def compile_kernel(kernel: Kernel, arguments: tuple[Any, ...]) -> Callable[..., Any]:
    """A kernel by itself, for arguments like these, as a function that Python calls. It may change its arrays."""
    name, names = kernel.function.__name__, ", ".join(inspect.signature(kernel.function).parameters)
    printed = Printed(f"def fused({names}):\n    return {name}({names})\n", {name: kernel}, [], 0, [])
    return find(printed, [writable_type(a) for a in arguments]).function


def writable_type(value: Any) -> str:
    """The type of an argument that may be changed: "int64[:]", "int64[:,:]"."""
    return f"{value.dtype}[{','.join(':' * value.ndim)}]" if isinstance(value, np.ndarray) else kind_of(value)


def numba_type(name: str) -> Any:
    from numba import from_dtype, types

    from .trace.runtime import ColumnType

    scalars = {"bool": types.boolean, "int": types.int64, "float": types.float64}
    if name.endswith("[]"):
        return ColumnType(from_dtype(np.dtype(name[:-2])))
    if name.endswith(":]"):
        dtype, _, axes = name.partition("[")
        return ColumnType(from_dtype(np.dtype(dtype)), axes.count(":"), readonly=False)
    return scalars[name]


def dispatcher(function: Callable[..., Any], inline: bool = False) -> Any:
    """A Python function as something that compiled code can call.

    `inline`: put it where it is called, if it is ours. A seek is a few instructions in most cases, and passing whole
    columns to a function apart takes longer than those.
    """
    from numba import njit

    from .trace.runtime import for_types

    key = f"{identity(function)} {inline}"
    if key not in _dispatchers:
        ours = is_ours(function)
        compiler = njit(
            nogil=True,
            no_cpython_wrapper=True,
            no_cfunc_wrapper=True,
            boundscheck=not ours,
            forceinline=inline and ours,
        )
        _dispatchers[key] = for_types(compiler(distinct(function, hashlib.sha256(key.encode()).hexdigest())))
    return _dispatchers[key]


def is_ours(function: Callable[..., Any]) -> bool:
    return (function.__module__ or "").partition(".")[0] == "skipstone"


def identity(function: Callable[..., Any]) -> str:
    """What tells one function from another in this process: its fingerprint, or else the very object."""
    if told := fingerprint(function):
        return told
    _alive[id(function)] = function
    return f"object {id(function)}"


def distinct(function: Callable[..., Any], digest: str) -> Any:
    """The same function under a name that says what it is.

    Numba tells functions of one name apart by a counter of the process. Machine code from disk brings the counter of
    another process along, and would then answer to the name of a function of this one.
    """
    if isinstance(function, types.FunctionType):
        code, closure = function.__code__, function.__closure__
        cells = closure and tuple(types.CellType(callable_from_kernels(c.cell_contents)) for c in closure)
        named = {n: function.__globals__[n] for n in names_in(code) if n in function.__globals__ and n != code.co_name}
        module = {**function.__globals__, **{n: callable_from_kernels(v) for n, v in named.items()}}
        made = types.FunctionType(code, module, function.__name__, function.__defaults__, cells)
        made.__kwdefaults__ = function.__kwdefaults__
        made.__module__ = function.__module__
        made.__qualname__ = f"{function.__name__.strip('<>')}_{digest[:32]}"
        return made
    return function


def callable_from_kernels(x: Any) -> Any:
    """A helper that a kernel calls, compiled too; anything else as it is."""
    if isinstance(x, Kernel):
        return dispatcher(x.function)
    return dispatcher(x) if isinstance(x, types.FunctionType) else x


def kernel_returns(kernel: Kernel, operands: list[Any]) -> str:
    """The kind that a kernel returns, found by compiling it; an error in plain words where it cannot be."""
    from numba import types
    from numba.core.errors import NumbaError

    function = kernel.function
    names = {"int[]": "int64[]", "float[]": "float64[]"}
    signature = tuple(numba_type(names.get(kind_of(x), kind_of(x))) for x in operands)
    where = line_of(function)
    try:
        compiled = dispatcher(function)
        compiled.compile(signature)
        result = compiled.overloads[signature].signature.return_type
    except (NumbaError, TypeError) as error:
        reason = next((line.strip() for line in str(error).splitlines() if line.strip()), type(error).__name__)
        raise Untraceable(
            f"Numba does not know how: {plain_reason(error, reason)}", "Use numbers, loops and NumPy only.", where
        ) from None
    for kind, type_ in (("bool", types.Boolean), ("int", types.Integer), ("float", types.Float)):
        if isinstance(result, type_):
            return kind
    raise Untraceable(
        f"a kernel must return a number, and `{function.__name__}` returns {result}", "Return one number.", where
    )


def plain_reason(error: Exception, first: str) -> str:
    """The one line of a Numba error that says something to the person who wrote the function."""
    for line in str(error).splitlines():
        line = line.strip()
        if line.startswith(
            ("No implementation", "Untyped global", "Unknown attribute", "Cannot", "Invalid use", "Use of")
        ):
            return line
    return first


def heard(compiled: Compiled, arguments: list[Any]) -> Any:
    """Run a kernel that heeds. One that may take long is attended; if it calls functions of the user's that loop, it is
    run by another thread, which can be left behind."""
    watch, main = watched_now(), threading.current_thread() is threading.main_thread()
    if watch is not None or not main or sum(a.size for a in arguments if isinstance(a, np.ndarray)) < MUCH:
        return call(compiled, arguments, watch or Watch())
    watch = Watch()
    if compiled.foreign:
        return waited([lambda: call(compiled, arguments, watch)], [watch])[0]
    from .attending import attended  # and with it sockets, which small kernels never need

    return attended(lambda: call(compiled, arguments, watch), watch)


def call(compiled: Compiled, arguments: list[Any], watch: Watch | None = None) -> Any:
    """Run a kernel; what goes wrong in it comes back in our words, and the memory it had taken is given back."""
    if compiled.heeds and watch is None:
        return heard(compiled, arguments)
    heeded = [watch.words] if compiled.heeds and watch is not None else []
    rooms = [compiled.account()] if compiled.rooms else []
    try:
        returned = compiled.function(*arguments, *heeded, *rooms)
        if not any(compiled.gathered):
            return returned
        compiled.last = rooms[0][compiled.rooms :]
        return tuple(
            owned(x[0], x[1], kind) if kind else x for x, kind in zip(returned, compiled.gathered, strict=True)
        )
    except BaseException as error:
        for account in rooms:
            give_back(account)
        compiled.last = None
        if isinstance(error, MemoryError) and any(account.any() for account in rooms):
            return call(compiled, arguments, watch)  # with the room that it needs now
        if isinstance(error, OverflowError) and "skipstone" in str(error):
            raise IntegerOverflow(
                "an integer result left the range of int64",
                "Use floating point values (`.map(lambda k, v: v * 1.0)`), or sum less at a time.",
            ) from None
        if isinstance(error, ZeroDivisionError):
            raise DivisionByZero(
                "a function divided by zero", "Guard the division: `v / d if d != 0 else 0.0`, or filter first."
            ) from None
        raise


def give_back(account: Any) -> None:
    """Release the memory in a kernel's account of it."""
    taken = account[: account.size // 2]
    for address in taken.tolist():
        freeing()(address)
    taken[:] = 0


def owned(address: int, count: int, kind: str) -> Any:
    """Memory that a kernel has filled, as an array. It is given back when the array is; little is copied instead."""
    dtype = np.dtype({"narrow": np.uint32, "int": np.int64, "float": np.float64, "bool": np.bool_}[kind])
    memory: Any = (ctypes.c_char * (count * dtype.itemsize)).from_address(address)
    array: Any = np.frombuffer(memory, dtype) if count else np.empty(0, dtype)
    if array.nbytes < LITTLE:
        array = array.copy()
        freeing()(address)
        return array
    weakref.finalize(memory, freeing(), address).atexit = False
    return array


@cache
def freeing() -> Any:
    """The C library's `free`.

    It learns by what is freed how large a block may be that it keeps for the next who asks; larger ones go back to the
    system at once. Results come and go, so it is taught: 200,000 rows took twice as long, half of it in page faults.
    """
    library = ctypes.CDLL(None)
    free, malloc = library.free, library.malloc
    free.argtypes, free.restype = [ctypes.c_void_p], None
    malloc.argtypes, malloc.restype = [ctypes.c_size_t], ctypes.c_void_p
    free(malloc(AT_HAND))
    return free
