"""A table is a value that prints the same everywhere."""

from duelist.present.tables import Table


def test_the_first_column_is_aligned_to_the_left_and_others_to_the_right() -> None:
    table = Table(["policy", "regret"], [["rucb", "5"], ["uniform", "6000"]])
    assert str(table).splitlines() == ["policy   regret", "-------  ------", "rucb          5", "uniform    6000"]


def test_a_title_stands_above_and_notes_below() -> None:
    table = Table(["a"], [["1"]], notes=["one note", "another"], title="numbers")
    assert str(table) == "numbers\n\na\n-\n1\n\none note\nanother"


def test_a_table_without_rows_is_its_head() -> None:
    assert str(Table(["a", "bc"], [])) == "a  bc\n-  --"
