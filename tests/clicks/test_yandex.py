from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from duelist.clicks import DependentClick, DynamicBayesian, PositionBased, click_rates, read_yandex, split_pages
from duelist.core.errors import BadInput


def test_pages_clicks_and_what_does_not_fit(tmp_path: Path) -> None:
    file = tmp_path / "sample.txt"
    file.write_text("9_0\t5,7,8 : 8 , 5 , 8; 9_0\t5,7 :  ;\nnonsense ; 4_1\t1,2 : 3; 4_1\t1,1 : 1;")
    log = read_yandex(file)
    assert [(page.id, page.query, page.shown, page.clicks) for page in log.records] == [
        ("1.1", "9_0", ("5", "7", "8"), (2, 0)),
        ("1.2", "9_0", ("5", "7"), ()),
        ("2.2", "4_1", ("1", "2"), ()),
    ]
    assert log.repeated_clicks == 1
    assert [(bad.line, bad.reason) for bad in log.rejected] == [
        (2, "not of the form: query TAB shown : clicked"),
        (2, "a click on '3', which is not on the page"),
        (2, "document '1' is shown twice"),
    ]


def test_another_file_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "sample.txt"
    file.write_text("user,shown\nann,a b\n")
    with pytest.raises(BadInput, match="holds no page of the form"):
        read_yandex(file)


def test_held_out_pages_surprise_every_model_less_than_click_rates(data: Callable[[str], Path]) -> None:
    log = read_yandex(data("clicks/yandex-sample.txt.gz"))
    assert len(log.records) == 35_064
    assert len({page.query for page in log.records}) == 20
    assert len(log.rejected) == 417  # clicks on documents of no shown list
    train, test = split_pages(log.records, 0.75, seed=0)
    baseline = PositionBased({}, click_rates(train), prior=1.0).perplexity(test)
    for model in (PositionBased.fit(train), DependentClick.fit(train), DynamicBayesian.fit(train)):
        found = model.perplexity(test)
        assert found.overall < baseline.overall - 0.03
        assert all(mine < theirs for mine, theirs in zip(found.by_rank, baseline.by_rank, strict=True))
        assert model.perplexity(test, given_clicks=False).overall < baseline.overall - 0.03
