from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from duelist.core.errors import BadInput
from duelist.data.linear import Linear, ranker_of


def test_a_ranker_survives_its_file(tmp_path: Path) -> None:
    ranker = Linear(np.array([0.1, -1e-17, 1 / 3]), ("title", "body", "age"), "pdgd:rate=0.1")
    ranker.save(tmp_path / "ranker.json")
    loaded = Linear.load(tmp_path / "ranker.json")
    assert np.array_equal(loaded.values, ranker.values)
    assert (loaded.names, loaded.source) == (ranker.names, ranker.source)


@pytest.mark.parametrize(
    "text", ["", "[]", '{"schema": 1}', '{"schema": 1, "weights": ["a"], "names": [], "source": ""}']
)
def test_a_file_of_something_else_is_named(tmp_path: Path, text: str) -> None:
    path = tmp_path / "ranker.json"
    path.write_text(text)
    with pytest.raises(BadInput, match=r"not the JSON of a ranker in '.*ranker\.json'"):
        Linear.load(path)


@pytest.mark.parametrize("values", [[[1.0]], [1.0, np.nan], [np.inf]])
def test_weights_are_finite_numbers(values: Any) -> None:
    with pytest.raises(BadInput, match="finite numbers, one a feature"):
        Linear(np.array(values))


@pytest.mark.parametrize("names", [("a",), ("a", "a")])
def test_names_are_one_a_feature(names: tuple[str, ...]) -> None:
    with pytest.raises(BadInput, match="2 different ones"):
        Linear(np.ones(2), names)


def test_equal_documents_keep_their_order() -> None:
    assert Linear(np.ones(1)).rank([[1.0], [2.0], [1.0], [2.0]]).tolist() == [1, 3, 0, 2]


def test_documents_need_all_features() -> None:
    with pytest.raises(BadInput, match=r"2 features each, but their shape is \(1, 3\)"):
        Linear(np.ones(2)).score([[1.0, 2.0, 3.0]])


@pytest.mark.parametrize("thing", ["abc", None, 7, ["x"], object()])
def test_what_has_no_weights_is_named(thing: Any) -> None:
    with pytest.raises(BadInput, match="has no weights"):
        ranker_of(thing)
