"""Flat machine code: a kernel as one C function of an array of words. Loading it needs llvmlite, and not Numba.

Importing Numba takes longer than everything else that a program's first query waits for. So with a kernel that goes to
the disk goes the same code once more, behind a function that takes its arguments from memory, and leaves its results
there:

    words    for each argument one: where an array of NumPy's lies, or a number itself; then the results

It returns 0; anything else is an error, and then the caller runs Numba's own form, which can say which.
"""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cache
from struct import Struct
from typing import Any

NAME = "flat"


@dataclass(frozen=True)
class Flat:
    """The code, what it takes and returns ("int64[]", "float" …), and the functions outside that it calls."""

    code: bytes
    takes: tuple[str, ...]
    returns: tuple[str, ...]  # of which "place" is two words, and "none" is none
    alone: bool  # it returns one number, and not a tuple
    outside: tuple[str, ...]


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
    arguments = [
        taken(context, builder, builder.load(builder.gep(function.args[0], [word(n)])), kind)
        for n, kind in enumerate(described.argtypes)
    ]
    at = len(arguments)
    status, value = context.call_conv.call_function(builder, native, returned, described.argtypes, arguments)
    with builder.if_then(status.is_error):
        builder.ret(status.code)
    parts = [value] if alone else [builder.extract_value(value, n) for n, _ in enumerate(returns)]
    for part, name in zip(parts, returns, strict=True):
        pair = [builder.extract_value(part, m) for m in (0, 1)] if name == "place" else [part] * (name != "none")
        for number in pair:
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
    left = (*module.functions, *module.global_variables)
    outside = tuple(p.name for p in left if p.is_declaration and not p.name.startswith("llvm."))
    return Flat(machine.emit_object(module), tuple(takes), returns, alone, outside)


def returned_as(kind: Any) -> str:
    from numba import types

    if isinstance(kind, types.UniTuple) and kind.count == 2 and kind.dtype == types.int64:
        return "place"
    known = {types.none: "none", types.boolean: "bool", types.int64: "int", types.float64: "float"}
    return known.get(kind, "")


def taken(context: Any, builder: Any, held: Any, kind: Any) -> Any:
    """An argument, from the word that holds it."""
    from llvmlite import ir

    from .runtime import ColumnType, column_at

    if isinstance(kind, ColumnType):
        return column_at(context, builder, kind, held)
    value = context.get_value_type(kind)
    if isinstance(value, ir.DoubleType):
        return builder.bitcast(held, value)
    return held if value.width == 64 else builder.trunc(held, value)


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


def loaded(flat: Flat, instead: Callable[..., Any]) -> Callable[..., Any] | None:
    """The code as a function of arrays and numbers; None where something that it calls is not to be had.

    `instead` is Numba's own form: what fails is run by it, and then fails with an error.
    """
    import llvmlite.binding as llvm

    if not all(hasattr(ctypes.CDLL(None), name) for name in flat.outside):
        return None
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine())
    engine.add_object_file(llvm.ObjectFileRef.from_data(flat.code))
    engine.finalize_object()
    run = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p)(engine.get_function_address(NAME))
    _engines.append(engine)  # the code lives as long as it does
    given = Struct("".join("d" if name == "float" else "q" for name in flat.takes))
    made = Struct("".join(WORDS[name] for name in flat.returns))
    arrays = [name.endswith("]") for name in flat.takes]
    alike = all(arrays)
    whole = [name if name in ("place", "bool", "none") else "" for name in flat.returns]
    plain = not any(whole)
    memory = ctypes.c_char * (given.size + made.size)

    def call(*arguments: Any) -> Any:
        words = memory()
        places = map(id, arguments) if alike else [id(x) if a else x for a, x in zip(arrays, arguments, strict=True)]
        given.pack_into(words, 0, *places)
        if run(words):
            return instead(*arguments)
        found = made.unpack_from(words, given.size)
        if not plain:
            numbers = iter(found)
            found = tuple([next(numbers) if not name else as_said(name, numbers) for name in whole])
        return found[0] if flat.alone else found

    return call


def as_said(name: str, numbers: Iterator[Any]) -> Any:
    if name == "place":
        return next(numbers), next(numbers)
    return None if name == "none" else next(numbers) != 0


WORDS = {"int": "q", "bool": "q", "float": "d", "place": "qq", "none": ""}
_engines: list[Any] = []
