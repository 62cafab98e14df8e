"""How a generator of numpy enters compiled code: by the structure in C that every bit generator shows to others.

Numba asks ctypes for each of its functions, whenever a function is called: that takes longer than most of what is
called, and its hundreds of instructions are compiled into every function. What compiled code sees is the same.

Numba's table of such readers is not public, nor is how it calls Python's own functions. Tests notice a change.
"""

from __future__ import annotations

from functools import cache
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.core.pythonapi import NativeValue, _unboxers

ORDER = ("state", "fnptr_next_uint64", "fnptr_next_uint32", "fnptr_next_double")  # of numpy's bitgen_t


@cache
def read_generators_by_structure() -> None:
    """Teach numba, for all that this process compiles from now on."""
    from numba.core import boxing  # noqa: F401 - which fills the table, and is not loaded before something is compiled

    _unboxers.functions[types.NumPyRandomBitGeneratorType] = unbox_bits


def unbox_bits(kind: Any, bits: Any, c: Any) -> NativeValue:
    """Write the code that reads a bit generator, in place of numba's.

    No generator is made of one without this capsule, so that nothing here can fail.
    """
    builder, made = c.builder, cgutils.create_struct_proxy(kind)(c.context, c.builder)
    capsule = c.pyapi.object_getattr_string(bits, "capsule")
    pointer_of = ir.FunctionType(cgutils.voidptr_t, [c.pyapi.pyobj, cgutils.voidptr_t])
    name = c.context.insert_const_string(builder.module, "BitGenerator")
    place = builder.call(c.pyapi._get_function(pointer_of, "PyCapsule_GetPointer"), [capsule, name])
    c.pyapi.decref(capsule)
    words = builder.bitcast(place, c.context.get_value_type(types.uintp).as_pointer())
    for number, field in enumerate(ORDER):
        setattr(made, field, builder.load(cgutils.gep(builder, words, number)))
    made.state_address, made.parent = made.state, bits
    return NativeValue(made._getvalue())
