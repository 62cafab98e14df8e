"""Fresh processes share one cache on disk, and an edit anywhere below a kernel is never missed."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable
from pathlib import Path
from textwrap import dedent
from types import ModuleType
from typing import Any, NamedTuple

import numba
import numpy as np
import pytest

from duelist.core.compile import LEAN, compiled, kernel, plain, rebind, routine, specialise, subroutine
from duelist.core.digest import digest
from duelist.core.errors import CannotCompile
from duelist.core.inlining import Part

# Each text is a little package: first its entry.py, which has the kernel `step`, then other files.
# <old|new> is what the edit changes. Every package returns 10 before its edit and 15 after it.
EDITS = {
    "kernel": "def step(x): return x * <2|3>",
    "helper_two_imports_away": """
        from .near import near
        def step(x): return near(x)
        --- near.py
        from .far import far
        @kernel
        def near(x): return far(x)
        --- far.py
        @kernel
        def far(x): return x * <2|3>
        """,
    "constant_imported_by_name": """
        from .constants import FACTOR
        def step(x): return x * FACTOR
        --- constants.py
        FACTOR = <2|3>
        """,
    "kernel_called_through_its_module": """
        from . import helpers
        def step(x): return helpers.scale(x)
        --- helpers.py
        @kernel
        def scale(x): return x * <2|3>
        """,
    "routine_two_modules_down": """
        from .near import twice
        def step(x): return twice(x) - x
        --- near.py
        from .far import scale
        @routine
        def twice(x): return x + scale(x)
        --- far.py
        @routine
        def scale(x): return x * <2|3>
        """,
    "constant_read_through_its_module": """
        from . import constants
        def step(x): return x * constants.FACTOR
        --- constants.py
        FACTOR = <2|3>
        """,
    "constant_two_modules_down": """
        from . import near
        def step(x): return x * near.far.FACTOR
        --- near.py
        from . import far
        --- far.py
        FACTOR = <2|3>
        """,
    "function_of_a_trusted_package": """
        from math import <ceil|floor> as whole
        def step(x): return x * (2 + (whole(0.5) == 0))
        """,
    "closure_variable": """
        def make(factor):
            def step(x): return x * factor
            return step
        step = make(<2|3>)
        """,
    "closure_variable_of_a_helper": """
        def make(factor):
            @kernel
            def scale(x): return x * factor
            return scale
        scale = make(<2|3>)
        def step(x): return scale(x)
        """,
    "default_argument_of_a_helper": """
        @kernel
        def scale(x, factor=<2|3>): return x * factor
        def step(x): return scale(x)
        """,
    "names_of_parameters_of_a_helper": """
        @kernel
        def first(<a, b|b, a>): return <a|b>
        def step(x): return x * first(a=2, b=3)
        """,
    "function_inside_a_kernel": """
        def step(x):
            def scale(y): return y * <2|3>
            return scale(x)
        """,
    "statement_moved_out_of_a_try": """
        def step(x):
            try:
                try:
                    a = 1 / x<
                    b = 1 / (x - 5)
                except Exception:
                    return 10.0|
                except Exception:
                    return 10.0
                else:
                    b = 1 / (x - 5)>
            except Exception:
                return 15.0
            return a + b
        """,
    "global_array": """
        TABLE = np.array([7, <2|3>])
        def step(x): return x * TABLE[1]
        """,
    "memory_order_of_a_global_array": """
        TABLE = np.array([[0, 0], [0, 0]], order="<F|C>")
        def step(x): return x * (1 + TABLE.strides[0] // TABLE.itemsize)
        """,
    "global_tuple": """
        PAIR = (7, <2|3>)
        def step(x): return x * PAIR[1]
        """,
    "global_text": """
        MODE = "<slow|fast>"
        def step(x): return x * (3 if MODE == "fast" else 2)
        """,
    "global_name_of_another_kernel": """
        @kernel
        def double(x): return x * 2
        @kernel
        def triple(x): return x * 3
        scale = <double|triple>
        def step(x): return 0 * double(x) + 0 * triple(x) + scale(x)
        """,
    "kernel_with_a_set_of_texts": """
        READS = False
        def step(x):
            if READS:  # left out by numba, which takes longer over such a set than over all other packages
                return "5" in {"3", "4", "5", "6"}
            return x * <2|3>
        """,
    "field_order_of_a_nested_global": """
        class Inner(NamedTuple):
            <a|b>: int
            <b|a>: int
        class Outer(NamedTuple):
            inner: Inner
        SETTINGS = Outer(Inner(2, 3))
        def step(x): return x * SETTINGS.inner.a
        """,
    "field_order_of_a_tuple_made_inside": """
        class Pair(NamedTuple):
            <a|b>: int
            <b|a>: int
        def step(x): return x * Pair(2, 3).a
        """,
    "field_order_of_an_argument": """
        class Pair(NamedTuple):
            <a|b>: int
            <b|a>: int
        argument = Pair(2, 3)
        def step(pair): return 5 * pair.a
        """,
    "field_order_inside_an_argument": """
        class Inner(NamedTuple):
            <a|b>: int
            <b|a>: int
        class Outer(NamedTuple):
            inner: Inner
        argument = Outer(Inner(2, 3))
        def step(outer): return 5 * outer.inner.a
        """,
    "field_order_of_a_policy": """
        from duelist.core.memory import per_arm
        from duelist.dueling.policy import Policy
        class Swapped(Policy):
            <a|b> = per_arm(fill=2)
            <b|a> = per_arm(fill=3)
        argument = Swapped(n_arms=2, seed=0).memory
        def step(self): return 5 * self.a[0]
        """,
    "kernel_of_a_held_part": """
        from duelist.core.memory import Declared, holds, single
        class Part(Declared):
            kernels = ("scale",)
            one = single(fill=1)
            def scale(self, x): return x * self.one[0] * <2|3>
        class Holder(Declared):
            part = holds(Part)
            def step(self): return inner_scale(self.part, 5)
        argument, step = Holder(2, {}).memory, Holder.method("step", kernel)
        """,
    "fill_that_a_held_part_is_reset_to": """
        from duelist.core.memory import Declared, holds, single
        class Part(Declared):
            kernels = ("reset",)
            factor = single(fill=<2|3>)
        class Holder(Declared):
            part = holds(Part)
            def step(self):
                inner_reset(self.part, None)
                return 5 * self.part.factor[0]
        argument, step = Holder(2, {}).memory, Holder.method("step", kernel)
        """,
    "loop": """
        def run(x): return step(x) * <2|3>
        def step(x): return x
        """,
}

# Kernels that numba types by more than their text.
NUMBA_EDITS = {
    "signature_of_a_helper": """
        @numba.njit("<int64|float64>(float64)")
        def same(x): return x
        def step(x): return x * np.ceil(same(x / 2))
        """,
    "starred_parameter_of_a_helper": """
        @numba.njit
        def scale(x, <*|>rest): return x * (1 + len(rest))
        def step(x): return scale(x, (0, 0))
        """,
    "declared_local_of_a_helper": """
        @numba.njit(locals={"y": numba.<int8|int16>})
        def scale(x):
            y = x + 253
            return min(y, 3)
        def step(x): return x * scale(x)
        """,
}

# Kernels that allocate, which only the counted way can compile.
ALLOCATING = {
    "new_array": "def step(x): return x * <2|3> + np.zeros(x).sum()",
    "new_array_filled_with_a_literal": "def step(x): return np.full(x, <2|3>).sum()",
    "new_list": """
        def step(x):
            items = [x]
            items.append(x * <2|3>)
            return items[1]
        """,
}

HEADER = """
from typing import NamedTuple
import numba
import numpy as np
from duelist.core.compile import kernel, routine
"""

# The template is never edited: numba looks at its file itself, and would hide what the digest misses.
TEMPLATE = """
def run(x):
    return step(x)
"""

# The step of the script that is run, on a memory declared there, is one more package: __main__.
RUNNER = """
import importlib, json, sys
from duelist.core.compile import plain, rebind, specialise
from duelist.core.memory import Declared, single
from template import run

class Mine(Declared):
    one = single(fill=1)

argument = Mine(2, {}).memory

def step(self):
    return 5 * <2|3> * self.one[0]

def used(dispatcher):
    hits, misses = dispatcher.stats.cache_hits, dispatcher.stats.cache_misses
    return "hit" if sum(hits.values()) else "miss" if sum(misses.values()) else "unused"

def result(function, argument):
    try:
        return float(function(argument))
    except Exception as error:
        return repr(error)

record = {}
for name in sys.argv[1:]:
    entry = sys.modules[name] if name == "__main__" else importlib.import_module(name + ".entry")
    template, given = getattr(entry, "run", run), getattr(entry, "argument", 5)
    special = specialise(template, {"step": entry.step})
    compiled = result(special, given)
    ordinary = result(rebind(template, {"step": plain(entry.step)}), given)
    record[name] = (compiled, used(special.uncounted), used(special.counted), ordinary)
print(json.dumps(record))
"""


class Ran(NamedTuple):
    """What one process made of one package."""

    result: float
    uncounted: str  # hit, miss or unused
    counted: str
    plain: float


def write(path: Path, text: str, edited: bool) -> None:
    """Write one version of a text; both have the same size and time, so only what is in them differs."""
    versions = [re.sub(r"<([^<|>]*)\|([^<|>]*)>", rf"\{side}", text) for side in (1, 2)]
    path.parent.mkdir(exist_ok=True)
    path.write_text(versions[edited].ljust(max(map(len, versions))))
    os.utime(path, (1e9, 1e9))


@pytest.fixture(scope="module")
def runs(tmp_path_factory: pytest.TempPathFactory) -> list[dict[str, Ran]]:
    """What three processes found: the first, the second, and one after every package was edited."""
    root = tmp_path_factory.mktemp("packages")
    packages = EDITS | NUMBA_EDITS | ALLOCATING
    found = []
    for number, edited in enumerate((False, False, True)):
        write(root / "runner.py", RUNNER, edited)
        write(root / "template.py", TEMPLATE, edited)
        for name, text in packages.items():
            for part in ("--- entry.py\n" + dedent(text)).split("--- ")[1:]:
                file, _, body = part.partition("\n")
                write(root / name / file, HEADER + body, edited)
        # Another hash seed each, as in life: nothing may depend on the order of a set.
        settings = {
            "NUMBA_CACHE_DIR": str(root / "cache"),
            "PYTHONDONTWRITEBYTECODE": "1",
            "PYTHONHASHSEED": str(number),
        }
        process = subprocess.run(
            [sys.executable, "-W", "error", "runner.py", "__main__", *packages],
            cwd=root,
            env=os.environ | settings,
            capture_output=True,
            text=True,
        )
        assert process.returncode == 0, process.stderr
        found.append({name: Ran(*ran) for name, ran in json.loads(process.stdout).items()})
    return found


def found(runs: list[dict[str, Ran]], names: Iterable[str]) -> list[dict[str, tuple[float, str, str]]]:
    return [{name: run[name][:3] for name in names} for run in runs]


# One test for all packages: each would need all runs, and another process would make them again.


def test_an_edit_is_compiled_anew_and_nothing_else_is(runs: list[dict[str, Ran]]) -> None:
    names = ["__main__", *EDITS, *NUMBA_EDITS]
    first, second, edited = found(runs, names)
    assert first == dict.fromkeys(names, (10, "miss", "unused"))
    assert second == dict.fromkeys(names, (10, "hit", "unused"))
    assert edited == dict.fromkeys(names, (15, "miss", "unused"))


def test_a_kernel_that_allocates_is_counted_and_found_so_by_the_next_process(runs: list[dict[str, Ran]]) -> None:
    first, second, edited = found(runs, ALLOCATING)
    assert first == dict.fromkeys(ALLOCATING, (10, "miss", "miss"))
    assert second == dict.fromkeys(ALLOCATING, (10, "unused", "hit"))
    assert edited == dict.fromkeys(ALLOCATING, (15, "miss", "miss"))


def test_plain_python_gives_what_the_compiled_kernel_gives(runs: list[dict[str, Ran]]) -> None:
    names = ["__main__", *EDITS, *ALLOCATING]
    for run, value in zip(runs, (10, 10, 15), strict=True):
        assert {name: run[name].plain for name in names} == dict.fromkeys(names, value)


KEPT = """
import sys
import numpy as np
from duelist.core.compile import compiled

@compiled
def count(x, y):  # what it calls is hashed with secrets of this process, and multiplied by scipy's code
    seen = {"a", "bc"}
    return (x @ y) + ("bc" in seen) + ("b" in seen)

print(count(np.arange(3.0), np.ones(3)), "numba.np.arraymath" in sys.modules)
"""


def test_kept_code_runs_though_nothing_is_loaded_to_compile(tmp_path: Path) -> None:
    tmp_path.joinpath("script.py").write_text(KEPT)
    found = [
        subprocess.run(
            [sys.executable, "script.py"],
            cwd=tmp_path,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
        ).stdout
        for _ in range(2)
    ]
    assert found == ["4.0 True\n", "4.0 False\n"]


LOADER = """
import importlib.util, sys
spec = importlib.util.spec_from_file_location(sys.argv[1], "mine.py")
sys.modules[sys.argv[1]] = mine = importlib.util.module_from_spec(spec)
spec.loader.exec_module(mine)
print(mine.double(2.0))
"""
MINE = """
from duelist.core.compile import compiled

@compiled
def double(x):
    return x + x
"""


def test_kept_code_of_a_module_that_has_another_name_now_is_compiled_again(tmp_path: Path) -> None:
    tmp_path.joinpath("loader.py").write_text(LOADER)
    tmp_path.joinpath("mine.py").write_text(MINE)
    for name in ("first", "second"):
        done = subprocess.run(
            [sys.executable, "loader.py", name],
            cwd=tmp_path,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
        )
        assert (done.stdout, done.stderr) == ("4.0\n", "")


ONCE = f"""
import sys
assert not hasattr(sys, "loaded"), "as a policy, whose name is taken"
sys.loaded = True
{MINE}
print(double(2.0))
"""


def test_kept_code_of_a_script_that_was_a_module_and_refuses_to_be_both_is_compiled_again(tmp_path: Path) -> None:
    tmp_path.joinpath("mine.py").write_text(ONCE)
    for arguments in (["-c", "import mine"], ["mine.py"], ["mine.py"]):
        done = subprocess.run(
            [sys.executable, *arguments],
            cwd=tmp_path,
            env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
            capture_output=True,
            text=True,
        )
        assert (done.stdout, done.stderr) == ("4.0\n", "")


# Kernels of this file. THING stands for a global of the user's and is replaced in each test.

THING: Any = None
LOG: list[int] = []


def module(**contents: Any) -> ModuleType:
    made = ModuleType("made")
    vars(made).update(contents)
    return made


def template(x: Any) -> Any:
    return step(x)


def step(x: Any) -> Any:
    """Bound in each test."""
    raise TypeError("unbound")


def undecorated(x: int) -> int:
    return x


def reads(x: int) -> Any:
    return THING


def reads_through_module(x: int) -> Any:
    return THING.constant


def calls(x: int) -> Any:
    return THING(x)


def capturing(thing: Any) -> Callable[[int], Any]:
    def captures(x: int) -> Any:
        return thing

    return captures


def defaulting(thing: Any) -> Callable[[int], Any]:
    def defaults(x: int, by: Any = thing) -> Any:
        return by

    return defaults


@pytest.mark.parametrize(
    ("thing", "kind"),
    [
        ([1, 2], "list"),
        ({1: 2}, "dict"),
        ({1, 2}, "set"),
        (object(), "object"),
        (undecorated, "function"),
        (Path, "type"),
        (json, "module"),
        (np.random.default_rng(0), "Generator"),
        (np.array([None]), "ndarray"),
        ((1, (2, [3])), "list"),
    ],
)
def test_a_global_that_could_change_unseen_is_refused_by_name(thing: Any, kind: str) -> None:
    with pytest.raises(CannotCompile, match=f"^'THING' in reads is a {kind},"):
        specialise(template, {"step": rebind(reads, {"THING": thing})})


def test_an_undecorated_helper_is_refused_with_the_remedy() -> None:
    with pytest.raises(CannotCompile, match=r"^'THING' in calls is a function, .*decorate it with @kernel"):
        specialise(template, {"step": rebind(calls, {"THING": undecorated})})


@pytest.mark.parametrize(
    ("function", "place"),
    [
        (rebind(reads_through_module, {"THING": module(constant=[1])}), "'THING.constant' in reads_through_module"),
        (rebind(calls, {"THING": kernel(rebind(reads, {"THING": [1]}))}), "'THING' in reads"),
        (capturing([1]), r"'thing' in capturing\.<locals>\.captures"),
        (defaulting([1]), r"default of defaulting\.<locals>\.defaults"),
    ],
    ids=["through a module", "in a helper", "in a closure", "as a default"],
)
def test_a_refusal_names_where_the_value_was_found(function: Callable[..., Any], place: str) -> None:
    with pytest.raises(CannotCompile, match=f"^{place} is a list"):
        specialise(template, {"step": function})


@kernel
def logged(x: int) -> int:
    LOG.append(x)  # works in Python alone: compiled code cannot change a global list
    return x + 1


def calls_through_module(x: int) -> Any:
    return THING.function(x)


def calls_in_comprehension(x: int) -> Any:
    return [THING(x) for _ in range(1)][0]  # noqa: RUF015 - next() would hide the comprehension


def capturing_call(thing: Any) -> Callable[[int], Any]:
    def calls_captured(x: int) -> Any:
        return thing(x)

    return calls_captured


@pytest.mark.parametrize(
    "function",
    [
        logged,
        rebind(calls, {"THING": logged}),
        rebind(calls, {"THING": kernel(rebind(calls, {"THING": logged}))}),
        rebind(calls_through_module, {"THING": module(function=logged)}),
        rebind(calls_in_comprehension, {"THING": logged}),
        capturing_call(logged),
    ],
    ids=["itself", "by name", "two calls down", "through a module", "in a comprehension", "in a closure"],
)
def test_plain_runs_every_kernel_below_as_python(function: Callable[..., Any]) -> None:
    LOG.clear()
    assert plain(function)(5) == 6
    assert LOG == [5]


def test_a_rebound_copy_keeps_its_defaults_and_leaves_the_original_alone() -> None:
    def original(x: int, by: int = 2, *, plus: int = 1) -> Any:
        return THING, x * by + plus

    assert rebind(original, {"THING": "new"})(5) == ("new", 11)
    assert original(5) == (None, 11)


@pytest.fixture
def own_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An empty cache on disk for kernels compiled in this process."""
    monkeypatch.setattr(numba.config, "CACHE_DIR", str(tmp_path))


@pytest.mark.usefixtures("own_cache")
def test_a_decorated_kernel_can_be_bound() -> None:
    assert specialise(template, {"step": kernel(undecorated)})(5) == 5


@pytest.mark.usefixtures("own_cache")
def test_threads_that_come_while_one_compiles_wait_for_it(monkeypatch: pytest.MonkeyPatch) -> None:
    special = specialise(template, {"step": kernel(undecorated)})
    looked, both, results = [], threading.Event(), []
    second = threading.Thread(target=lambda: results.append(special(5)))

    def find_kept(*args: Any) -> None:
        looked.append(threading.current_thread())
        if second.ident is None:
            second.start()
            both.wait(0.3)  # as long as it takes to come here too
        elif looked[-1] is second:
            both.set()

    monkeypatch.setattr("duelist.core.compile.find_kept", find_kept)
    results.append(special(5))
    second.join()
    assert results == [5, 5]
    assert second not in looked


@pytest.mark.usefixtures("own_cache")
def test_a_routine_is_compiled_once_for_all_that_call_it() -> None:
    called = routine(undecorated)
    for other in (1, 2):

        def step(x: Any, other: int = other) -> Any:
            return called(x) + other

        assert specialise(template, {"step": step})(5) == 5 + other
    assert len(LEAN[digest(called)].overloads) == 1
    assert plain(called)(5) == 5
    assert plain(routine(kernel(undecorated)))(5) == 5


@pytest.mark.usefixtures("own_cache")
def test_a_subroutine_is_called_and_becomes_machine_code_with_its_caller() -> None:
    @subroutine
    def called(x: Any) -> Any:
        return 2 * x

    def step(x: Any) -> Any:
        return called(x) + called(x + 1)

    assert specialise(template, {"step": step})(5) == 22
    part = LEAN[digest(called)]
    assert isinstance(next(iter(part.overloads.values())).library, Part)  # type: ignore[attr-defined]
    assert len(part.overloads) == 1
    assert plain(called)(5) == 10


@pytest.mark.usefixtures("own_cache")
def test_a_kernel_is_compiled_once_for_all_that_call_it_even_if_it_is_made_again() -> None:
    def make() -> Any:
        @kernel
        def triple(x: int) -> int:
            return 3 * x

        return triple

    for other in (1, 2):

        def step(x: Any, other: int = other) -> Any:
            return THING(x) + other

        assert specialise(template, {"step": rebind(step, {"THING": make()})})(5) == 15 + other
    assert len(LEAN[digest(make())].overloads) == 1


@pytest.mark.usefixtures("own_cache")
def test_a_kernel_that_is_inlined_is_no_machine_code_by_itself() -> None:
    @kernel
    def square(x: int) -> int:
        return x * x

    def step(x: Any) -> Any:
        return THING(x) + 1

    special = specialise(template, {"step": rebind(step, {"THING": square})})
    assert special(5) == 26
    assert special.uncounted.overloads
    assert not special.counted.overloads
    found: Any = LEAN[digest(square)]
    (inner,) = found.overloads.values()
    (outer,) = special.uncounted.overloads.values()
    engine = outer.library.codegen._engine
    assert engine.is_symbol_defined(outer.fndesc.llvm_func_name)
    assert not engine.is_symbol_defined(inner.fndesc.llvm_func_name)
    assert inner.fndesc.llvm_func_name not in outer.library.get_llvm_str()


@pytest.mark.usefixtures("own_cache")
def test_a_routine_that_allocates_is_refused() -> None:
    @routine
    def allocate(n: int) -> Any:
        return np.zeros(n)

    def step(n: int) -> Any:
        return allocate(n)[0]

    with pytest.raises(numba.core.errors.NumbaError):
        specialise(template, {"step": step})(5)


@pytest.mark.usefixtures("own_cache")
def test_arguments_of_another_type_may_need_counting_though_the_first_did_not() -> None:
    def double(x: Any) -> Any:
        return x + x

    special = specialise(template, {"step": double})
    assert special(5) == 10
    np.testing.assert_array_equal(special(np.array([1, 2])), [2, 4])
    assert special(5) == 10


@pytest.mark.usefixtures("own_cache")
@pytest.mark.parametrize("counted", [False, True])
def test_an_entry_is_compiled_without_a_call_and_then_does_the_same(counted: bool) -> None:
    def add_one(x: Any) -> Any:
        x[0] += 1
        return x + x if counted else x[0]

    values = np.zeros(1)
    special = specialise(template, {"step": add_one})
    entry = special.entry(values)
    assert values[0] == 0
    assert entry(values) == (2 if counted else 1)
    assert special(values) == (4 if counted else 2)
    assert values[0] == 2


@pytest.mark.usefixtures("own_cache")
@kernel
def _double(x: float) -> float:
    return 2.0 * x


@compiled
def _double_all(values: np.ndarray) -> float:
    """Twice their sum."""
    total = 0.0
    for value in values:
        total += _double(value)
    return total


def test_a_compiled_function_is_called_like_any_other_and_runs_as_plain_python_too() -> None:
    values = np.arange(4.0)
    assert _double_all(values) == plain(_double_all)(values) == 12.0
    assert _double_all(values.astype(np.float32)) == 12.0  # other types are compiled when they come
    assert (_double_all.__name__, _double_all.__doc__) == ("_double_all", "Twice their sum.")


def test_an_error_in_a_kernel_is_reported_by_numba_and_nothing_is_hidden() -> None:
    def wrong(x: int) -> Any:
        return x + "text"  # type: ignore[operator]

    with pytest.raises(numba.core.errors.TypingError, match="unicode_type"):
        specialise(template, {"step": wrong})(5)


def test_a_digest_is_the_same_for_the_same_text() -> None:
    def make(factor: int) -> Callable[[int], int]:
        def scale(x: int) -> int:
            return x * factor

        return scale

    assert digest(make(2)) == digest(make(2)) != digest(make(3))


@pytest.mark.parametrize("package", [np, numba])
def test_a_digest_changes_with_the_version_of_trusted_packages(package: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    before = digest(undecorated)
    monkeypatch.setattr(package, "__version__", "another")
    assert digest(undecorated) != before


def watched(cache: Path, terminal: bool) -> str:
    """What a process that needs a policy live and in a simulation writes to standard error."""
    program = """
import duelist
duelist.Uniform(3, seed=1).warm_up()
duelist.simulate("uniform", "cyclic", horizon=10, runs=2, progress=False)
"""
    ours, theirs = pty.openpty() if terminal else os.pipe()
    env = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    with subprocess.Popen([sys.executable, "-c", program], env=env, stderr=theirs) as process:
        os.close(theirs)
        written = b""
        with contextlib.suppress(OSError):  # how a terminal ends
            while piece := os.read(ours, 1024):
                written += piece
        assert process.wait() == 0
    os.close(ours)
    return written.decode().replace("\r\n", "\n")


def test_a_terminal_is_told_once_what_is_compiled_and_only_if_it_is(tmp_path: Path) -> None:
    assert watched(tmp_path / "one", terminal=True) == "compiling uniform, once\n"
    assert watched(tmp_path / "one", terminal=True) == ""
    assert watched(tmp_path / "two", terminal=False) == ""
