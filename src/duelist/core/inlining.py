"""Kernels that become machine code only inside their callers.

Numba optimises every function by itself and makes it executable, with all that is inlined into it, and does so again
for each caller. A kernel that LLVM always inlines needs neither: `Inlined` hands on its code as it was lowered, and
the caller's is optimised once, as a whole.

A pipeline of one's own is public in numba; its passes and its code library, used here, are not. Tests of compile.py
notice a change.
"""

from __future__ import annotations

from collections import deque
from typing import Any

from numba.core.codegen import JITCodeLibrary
from numba.core.compiler import CompilerBase, DefaultPassBuilder
from numba.core.compiler_machinery import PassManager, register_pass
from numba.core.typed_passes import NativeLowering


class Part(JITCodeLibrary):
    """Code that is linked into that of callers, and never runs by itself."""

    def finalize(self) -> None:
        self._raise_if_finalized()
        for library in dict.fromkeys(self._linking_libraries):
            self._reload_init.update(library._reload_init)
            self._final_module.link_in(library._get_module_for_linking(), preserve=True)
        self._finalize_dynamic_globals()
        self._finalized = True


@register_pass(mutates_CFG=True, analysis_only=False)
class PartLowering(NativeLowering):
    """Lowers a function to a `Part`."""

    _name = "part_lowering"

    def run_pass(self, state: Any) -> bool:
        state.library = Part(state.targetctx.codegen(), state.func_id.func_qualname)
        state.library.enable_object_caching()
        state.flags.no_compile = True
        super().run_pass(state)
        # Callers find it by what others are run by: some builtin function, a new one each time.
        key = deque[Any]().popleft
        state.targetctx.insert_user_function(key, state.cr.fndesc, [state.library])
        state.cr = state.cr._replace(cfunc=key)
        return True


class Inlined(CompilerBase):
    """Numba's pipeline for functions of which all callers are compiled, and inline them."""

    def define_pipelines(self) -> list[PassManager]:
        pipeline = DefaultPassBuilder.define_nopython_pipeline(self.state)
        found = PassManager("inlined")
        for each, why in pipeline.passes:
            found.add_pass(PartLowering if each is NativeLowering else each, why)
        found.finalize()
        return [found]
