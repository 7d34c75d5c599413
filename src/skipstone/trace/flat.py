"""Flat machine code: a kernel as one C function of an array of words. Loading it needs llvmlite, and not Numba.

Importing Numba takes longer than everything else that a program's first query waits for. So with a kernel that goes to
the disk goes the same code once more, behind a function that takes its arguments from memory, and leaves its results
there:

    words    array: address, extents …    number: itself    …    results …

It returns 0; anything else is an error, and then the caller runs Numba's own form, which can say which.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

NAME = "flat"


@dataclass(frozen=True)
class Flat:
    """The code, what it takes and returns ("int64[]", "float" …), and the functions outside that it calls."""

    code: bytes
    takes: tuple[str, ...]
    returns: tuple[str, ...]  # of which "place" is two words, and "none" is none
    alone: bool  # it returns one number, and not a tuple
    outside: tuple[str, ...]


def axes_of(name: str) -> int:
    """How many axes an argument has; none if it is a number."""
    return 0 if not name.endswith("]") else max(name.count(":"), 1)


# ---------------------------------------------------------------------- writing it, with Numba


def flattened(result: Any, takes: list[str]) -> Flat | None:
    """A kernel that Numba compiled, flat; None if it returns something else than numbers and places."""
    import llvmlite.binding as llvm
    from llvmlite import ir
    from numba import types
    from numba.core.registry import cpu_target

    described, library, context = result.fndesc, result.library, cpu_target.target_context
    returned = described.restype
    alone = not isinstance(returned, types.BaseTuple)
    returns = tuple(map(returned_as, [returned] if alone else list(returned)))
    if "" in returns:
        return None
    outer = ir.Module()
    outer.triple, outer.data_layout = llvm.get_default_triple(), str(library.codegen.target_data)
    native = ir.Function(
        outer, context.call_conv.get_function_type(returned, described.argtypes), described.llvm_func_name
    )
    word = ir.IntType(64)
    function = ir.Function(outer, ir.FunctionType(ir.IntType(32), [word.as_pointer()]), NAME)
    builder = ir.IRBuilder(function.append_basic_block())
    arguments, at = [], 0
    for kind, name in zip(described.argtypes, takes, strict=True):
        arguments.append(taken(context, builder, function.args[0], at, kind, axes_of(name)))
        at += 1 + axes_of(name)
    status, value = context.call_conv.call_function(builder, native, returned, described.argtypes, arguments)
    with builder.if_then(status.is_error):
        builder.ret(status.code)
    for n, part in enumerate(
        []
        if returns == ("none",)
        else [value]
        if alone
        else [builder.extract_value(value, n) for n in range(len(returns))]
    ):
        numbers = [builder.extract_value(part, m) for m in (0, 1)] if returns[n] == "place" else [part]
        for number in numbers:
            builder.store(as_word(builder, number), builder.gep(function.args[0], [word(at)]))
            at += 1
    builder.ret(ir.Constant(ir.IntType(32), 0))

    module = llvm.parse_assembly(library.get_llvm_str())
    module.link_in(llvm.parse_assembly(str(outer)))
    for part in (*module.functions, *module.global_variables):
        if not part.is_declaration and part.name != NAME:
            part.linkage = "internal"
    passes = llvm.create_new_module_pass_manager()
    passes.add_global_dead_code_eliminate_pass()
    passes.add_strip_dead_prototype_pass()
    machine = library.codegen._tm
    passes.run(module, llvm.create_pass_builder(machine, llvm.create_pipeline_tuning_options()))
    parts = (*module.functions, *module.global_variables)
    outside = tuple(p.name for p in parts if p.is_declaration and not p.name.startswith("llvm."))
    return Flat(machine.emit_object(module), tuple(takes), returns, alone, outside)


def returned_as(kind: Any) -> str:
    from numba import types

    if isinstance(kind, types.UniTuple) and kind.count == 2 and kind.dtype == types.int64:
        return "place"
    known = {types.none: "none", types.boolean: "bool", types.int64: "int", types.float64: "float"}
    return known.get(kind, "")


def taken(context: Any, builder: Any, words: Any, at: int, kind: Any, axes: int) -> Any:
    """An argument, from the words that hold it."""
    from llvmlite import ir
    from numba.core import cgutils
    from numba.np import arrayobj

    def held(n: int) -> Any:
        return builder.load(builder.gep(words, [ir.Constant(ir.IntType(64), n)]))

    if not axes:
        value = context.get_value_type(kind)
        if isinstance(value, ir.DoubleType):
            return builder.bitcast(held(at), value)
        return held(at) if value.width == 64 else builder.trunc(held(at), value)
    array = arrayobj.make_array(kind)(context, builder)
    extents = [held(at + 1 + n) for n in range(axes)]
    size = ir.Constant(ir.IntType(64), context.get_abi_sizeof(context.get_data_type(kind.dtype)))
    strides = [size]
    for extent in reversed(extents[1:]):
        strides.insert(0, builder.mul(strides[0], extent))
    arrayobj.populate_array(
        array,
        data=builder.inttoptr(held(at), array.data.type),
        shape=cgutils.pack_array(builder, extents),
        strides=cgutils.pack_array(builder, strides),
        itemsize=size,
        meminfo=None,
    )
    return array._getvalue()


def as_word(builder: Any, number: Any) -> Any:
    from llvmlite import ir

    word = ir.IntType(64)
    if isinstance(number.type, ir.DoubleType):
        return builder.bitcast(number, word)
    return number if number.type.width == 64 else builder.zext(number, word)


# ---------------------------------------------------------------------- loading it, without


@cache
def machine() -> Any:
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    features = llvm.get_host_cpu_features().flatten()
    target = llvm.Target.from_default_triple()
    return target.create_target_machine(cpu=llvm.get_host_cpu_name(), features=features, opt=0, jit=True)


def loaded(flat: Flat, instead: Callable[[], Callable[..., Any]]) -> Callable[..., Any] | None:
    """The code as a function of arrays and numbers; None where something that it calls is not to be had.

    `instead` gives Numba's own form: what fails is run by it, and then fails with an error.
    """
    import llvmlite.binding as llvm

    if not all(hasattr(ctypes.CDLL(None), name) for name in flat.outside):
        return None
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(flat.code))
    engine.finalize_object()
    run = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(engine.get_function_address(NAME))
    _engines.append(engine)  # the code lives as long as it does
    size = sum(1 + axes_of(name) for name in flat.takes) + 2 * len(flat.returns)

    def call(*arguments: Any) -> Any:
        words = np.empty(size, np.int64)
        floats, at = words.view(np.float64), 0
        for argument in arguments:
            if isinstance(argument, np.ndarray):
                words[at] = argument.ctypes.data
                words[at + 1 : at + 1 + argument.ndim] = argument.shape
                at += 1 + argument.ndim
            else:
                (floats if isinstance(argument, float) else words)[at] = argument
                at += 1
        if run(words.ctypes.data):
            return instead()(*arguments)
        found: list[Any] = []
        for name in flat.returns:
            match name:
                case "place":
                    found.append((words[at].item(), words[at + 1].item()))
                    at += 1
                case "float":
                    found.append(floats[at].item())
                case "none":
                    found.append(None)
                case _:
                    found.append(words[at].item() if name == "int" else bool(words[at]))
            at += 1
        return found[0] if flat.alone else tuple(found)

    return call


_engines: list[Any] = []
