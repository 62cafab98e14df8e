"""Declared fields: what users may set, what is allocated, and how parts nest."""

from __future__ import annotations

import math
import pickle
import subprocess
import sys
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from duelist.core import memory
from duelist.core.compile import kernel, plain
from duelist.core.errors import BadInput
from duelist.core.memory import (
    Declared,
    constant,
    holds,
    memory_type,
    parameter,
    per_arm,
    per_pair,
    scratch,
    single,
    table,
)
from duelist.dueling.policy import Policy


class Settings(Declared):
    rate: float = parameter(0.5, "how fast", above=0.0, high=1.0)
    count: int = parameter(3, "how many", low=1)
    eager: bool = parameter(False, "whether at once")


class Tables(Declared):
    tells: Any = single()
    gains: Any = per_arm(fill=0.5)
    order: Any = per_arm(int, fill=-1)
    known: Any = per_pair(bool)
    sweep: Any = table(lambda k: (2, k + 1), np.int32, fill=7)


class Bandit(Declared):
    kernels = ("pull",)

    rate: float = parameter(0.5, "how fast", low=0.0)
    pulls: Any = per_arm(int)

    def pull(self, t: int) -> int:
        return t + int(self.pulls[0])


class Couple(Declared):
    kernels = ("both",)

    bonus: float = parameter(1.0, "how much more")
    left: Any = holds(Bandit)
    right: Any = holds(Bandit)

    def both(self, t: int) -> Any:
        return inner_pull(self.left, t), inner_pull(self.right, 2 * t)


class Household(Declared):
    couple: Any = holds(Couple)

    def all(self, t: int) -> Any:
        return inner_both(self.couple, t)


def inner_pull(part: Any, t: int) -> int:
    """Bound to the held part's kernel."""
    raise TypeError("unbound")


def inner_both(part: Any, t: int) -> Any:
    """Bound to the held part's kernel."""
    raise TypeError("unbound")


def test_a_required_parameter_must_be_given() -> None:
    class Planned(Declared):
        horizon: int = parameter(1, "the number of duels", low=1, required=True)

    with pytest.raises(BadInput, match=r"Planned needs horizon=.*the number of duels"):
        Planned(2, {})
    assert Planned(2, {"horizon": 9}).memory.horizon == 9


def test_an_unknown_parameter_is_refused_with_the_known_ones() -> None:
    class Known(Policy, abstract=True):
        rate: float = parameter(0.5, "how fast")
        part: Any = holds(Couple)

    with pytest.raises(BadInput, match=r"Known has no parameter 'rat' \(.*\); its parameters: rate, bonus"):
        Known(n_arms=2, rat=1.0)


def test_parameters_that_clash_are_refused_before_anything_is_built() -> None:
    class Clashing(Settings):
        def check_parameters(self) -> None:
            if self.rate * self.count > 1:
                raise BadInput("too much")

    with pytest.raises(BadInput, match="too much"):
        Clashing(2, {"rate": 0.5})
    assert Clashing(2, {"rate": 0.25}).rate == 0.25


def test_tables_have_the_declared_shape_type_and_fill() -> None:
    tables = Tables(3, {}).tables()
    described: dict[str, Any] = {name: (t.shape, t.dtype, set(t.ravel().tolist())) for name, t in tables.items()}
    assert described == {
        "tells": ((1,), np.int64, {0}),
        "gains": ((3,), np.float64, {0.5}),
        "order": ((3,), np.int64, {-1}),
        "known": ((3, 3), np.bool_, {False}),
        "sweep": ((2, 4), np.int32, {7}),
    }


def test_scratch_is_allocated_and_means_nothing_between_calls() -> None:
    class Worker(Declared):
        done: Any = per_arm(int)
        room: Any = scratch(lambda k: (k + 1,))
        flags: Any = scratch(lambda k, self: (k, len(self.done)), bool)

    class Pair(Declared):
        notes: Any = scratch(lambda k: (1,), int)
        one: Any = holds(Worker)
        two: Any = holds(Worker)

    pair = Pair(2, {})
    assert pair.memory.one.room.shape == (3,)
    assert pair.memory.two.flags.dtype == bool
    assert list(pair.tables()) == ["one.done", "two.done"]
    held = [pair.notes, pair.one.room, pair.one.flags, pair.two.room, pair.two.flags]
    assert [id(array) for array in pair.scratch_tables()] == [id(array) for array in held]
    for array in pair.scratch_tables():
        array[...] = 1
    plain(Pair.method("reset", plain))(pair.memory, None)
    assert all(array.all() for array in held)  # nobody needs it to be empty


def test_a_table_may_take_its_shape_from_a_parameter() -> None:
    class Windowed(Declared):
        window: int = parameter(4, "how many are kept", low=1)
        kept: Any = table(lambda k, self: (self.window, k))

    assert Windowed(2, {}).kept.shape == (4, 2)
    assert Windowed(3, {"window": 5}).kept.shape == (5, 3)


def test_an_array_of_a_small_type_has_no_more_places_than_it_can_number() -> None:
    class Pairs(Declared):
        heap = table(lambda k: (k * k,), np.int16)

    assert Pairs(181, {}).heap.size == 32_761
    with pytest.raises(BadInput, match="Pairs cannot number 33,124 places with int16"):
        Pairs(182, {})


def test_memory_is_the_fields_in_order_and_shares_their_arrays() -> None:
    built = Tables(3, {})
    assert built.memory._fields == ("n_arms", "tells", "gains", "order", "known", "sweep")
    assert built.memory.n_arms == 3
    assert built.memory.gains is built.gains is built.tables()["gains"]


def test_two_objects_share_no_array() -> None:
    first, second = Couple(2, {}), Couple(2, {})
    arrays = [*first.tables().values(), *second.tables().values()]
    assert len({array.ctypes.data for array in arrays}) == 4


def test_a_subclass_adds_fields_after_those_it_inherits_and_overrides_in_place() -> None:
    class Eager(Settings):
        rate: float = parameter(0.25, "how fast", high=9.0)
        wins: Any = per_arm()

    assert Eager(2, {}).memory._fields == ("n_arms", "rate", "count", "eager", "wins")
    assert Eager(2, {}).rate == 0.25
    assert Eager(2, {"rate": 9.0}).rate == 9.0  # the new limit
    assert Settings(2, {}).rate == 0.5
    assert "wins" not in Settings.fields


def test_a_constant_tells_variants_apart_and_is_not_for_users() -> None:
    class Variant(Settings):
        rate: float = constant(0.75)

    built = Variant(2, {})
    assert built.memory.rate == 0.75
    assert "rate" not in Variant.parameters()
    assert "rate" not in built.parameter_values()


def test_a_parameter_of_a_part_does_not_set_a_constant_of_its_holder() -> None:
    class Fixed(Declared):
        rate: float = constant(0.75)
        part: Any = holds(Bandit)

    built = Fixed(2, {"rate": 0.1})
    assert (built.memory.rate, built.memory.part.rate) == (0.75, 0.1)


@pytest.mark.parametrize("name", ["two__words", "_hidden"])
def test_a_field_name_that_blurs_the_name_of_the_memory_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match=name):
        type("Blurred", (Declared,), {name: per_arm()})


@pytest.mark.parametrize("name", ["n_arms", "memory", "tables"])
def test_a_field_name_that_has_a_meaning_already_is_refused(name: str) -> None:
    with pytest.raises(BadInput, match=name):
        type("Taken", (Declared,), {name: per_arm()})


def test_a_bare_value_in_the_place_of_an_inherited_field_is_not_ignored() -> None:
    with pytest.raises(BadInput, match="rate"):
        type("Bare", (Settings,), {"rate": 0.25})


def test_the_memory_of_a_part_nests_and_is_its_own() -> None:
    built = Household(2, {})
    couple = built.memory.couple
    assert couple._fields == ("n_arms", "bonus", "left", "right")
    assert couple.left.n_arms == 2
    assert couple.left.pulls is built.couple.left.pulls
    assert couple.left.pulls is not couple.right.pulls


def test_parameters_of_parts_are_merged_flat_and_reach_each_part() -> None:
    built = Household(2, {"rate": 0.125, "bonus": 2.0})
    assert list(Household.parameters()) == ["bonus", "rate"]
    assert built.parameter_values() == {"bonus": 2.0, "rate": 0.125}
    assert built.memory.couple.bonus == 2.0
    assert (built.memory.couple.left.rate, built.memory.couple.right.rate) == (0.125, 0.125)


def test_a_bad_parameter_of_a_part_names_the_part() -> None:
    with pytest.raises(BadInput, match=r"^Bandit: rate must be a number at least 0, not -1"):
        Household(2, {"rate": -1})


class OwnFirst(Declared):
    rate: float = parameter(0.25, "its own", low=0.0)
    part: Any = holds(Bandit)


class PartFirst(Declared):
    part: Any = holds(Bandit)
    rate: float = parameter(0.25, "its own", low=0.0)


@pytest.mark.parametrize("holder", [OwnFirst, PartFirst])
def test_a_parameter_of_a_holder_comes_before_one_of_its_part(holder: type[Declared]) -> None:
    assert holder.parameters()["rate"].help == "its own"
    assert holder(2, {}).parameter_values() == {"rate": 0.25}


@pytest.mark.parametrize("holder", [Household, OwnFirst, PartFirst])
def test_the_values_of_the_parameters_build_the_same_memory_again(holder: type[Declared]) -> None:
    # A stored policy is built again from them.
    built = holder(2, {})
    assert repr(holder(2, built.parameter_values()).memory) == repr(built.memory)


def test_tables_of_parts_carry_the_name_of_the_part() -> None:
    built = Household(2, {})
    assert list(built.tables()) == ["couple.left.pulls", "couple.right.pulls"]
    assert built.tables()["couple.right.pulls"] is built.couple.right.pulls


def test_a_method_of_a_holder_calls_kernels_of_parts_at_every_depth() -> None:
    built = Household(2, {})
    built.couple.right.pulls[0] = 100
    bound = Household.method("all", lambda function: function)
    assert bound(built.memory, 3) == (3, 106)
    with pytest.raises(TypeError, match="unbound"):
        Household.all(built.memory, 3)


FILLED = {
    "whole": per_arm(int, fill=-1),
    "real": per_pair(fill=0.5),
    "flag": per_arm(bool, fill=True),
    "narrow": table(lambda k: (k,), np.int32, fill=7),
    "infinite": per_arm(fill=math.inf),
    "undefined": per_arm(fill=math.nan),
}


@pytest.mark.parametrize("convert", [plain, kernel])
@pytest.mark.parametrize("field", FILLED.values(), ids=FILLED)
def test_reset_fills_a_used_table_as_it_was(field: Any, convert: Callable[[Any], Any]) -> None:
    kind: Any = type("Used", (Declared,), {"field": field})
    built = kind(2, {})
    built.field[...] = 0
    convert(kind.method("reset", convert))(built.memory, np.random.default_rng(0))
    np.testing.assert_array_equal(built.field, kind(2, {}).field)


def test_reset_reaches_parts_and_then_starts() -> None:
    class Started(Household):
        first: Any = single()

        def start(self, rng: np.random.Generator) -> None:
            self.first[0] = 5 + self.couple.left.pulls.sum()

    built = Started(2, {})
    built.couple.left.pulls[:] = 9
    plain(Started.method("reset", plain))(built.memory, np.random.default_rng(0))
    assert built.couple.left.pulls.tolist() == [0, 0]
    assert built.first[0] == 5


def one_pull(part: Any, t: int) -> int:
    """Bound to the kernel of the part `one`."""
    raise TypeError("unbound")


def two_pull(part: Any, t: int) -> int:
    """Bound to the kernel of the part `two`."""
    raise TypeError("unbound")


def test_kernels_of_parts_of_two_kinds_go_by_the_names_of_the_parts() -> None:
    class Other(Bandit):
        def pull(self, t: int) -> int:
            return -t

    class Mixed(Declared):
        one: Any = holds(Bandit)
        two: Any = holds(Other)

        def both(self, t: int) -> Any:
            return one_pull(self.one, t), two_pull(self.two, t)

        def any(self, t: int) -> int:
            return inner_pull(self.one, t)

    built = Mixed(2, {})
    assert Mixed.method("both", lambda function: function)(built.memory, 3) == (3, -3)
    with pytest.raises(TypeError, match="unbound"):  # which one?
        Mixed.method("any", lambda function: function)(built.memory, 3)


def test_a_part_without_kernels_is_only_memory_and_may_be_held_beside_another() -> None:
    class Mixed(Declared):
        bandit: Any = holds(Bandit)
        tables_only: Any = holds(Tables)

    assert Mixed.held() == {"bandit": Bandit}


@pytest.mark.parametrize("fields", [("a",), ("n_arms", "wins"), ("two_words", "b_2"), ("lambda_", "wins"), ("a", "b_")])
def test_a_memory_type_is_found_again_by_its_name(fields: tuple[str, ...]) -> None:
    kind = memory_type(fields)
    assert kind._fields == fields
    assert pickle.loads(pickle.dumps(kind)) is kind
    assert pickle.loads(pickle.dumps(kind(*fields))) == kind(*fields)


def test_a_memory_is_read_by_a_process_that_never_declared_it() -> None:
    stored = pickle.dumps(Household(2, {"rate": 0.125}).memory)
    read = "import pickle, sys; print(pickle.loads(sys.stdin.buffer.read()).couple.left)"
    process = subprocess.run([sys.executable, "-c", read], input=stored, capture_output=True, check=True)
    assert process.stdout.decode().strip() == ("Memory_n_arms__rate__pulls(n_arms=2, rate=0.125, pulls=array([0, 0]))")


def test_other_names_are_not_memory_types() -> None:
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        memory.Nothing  # noqa: B018
