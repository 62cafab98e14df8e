"""Files that people vote on."""

from __future__ import annotations

from pathlib import Path

import pytest

from duelist.core.errors import BadInput
from duelist.live.contents import Content, Prompt
from duelist.service.ballot import read_ballot

from .test_vote_page import PIXEL


def written(folder: Path, text: str, name: str = "things.csv") -> Path:
    path = folder / name
    path.write_text(text, encoding="utf-8")
    return path


def test_names_with_contents_of_every_kind(tmp_path: Path) -> None:
    (tmp_path / "logos").mkdir()
    (tmp_path / "logos" / "a b.PNG").write_bytes(PIXEL)
    cells = ['"Hello, *you*\nand you"', "https://e.x/a.png?v=2", "https://e.x/page", "logos/a b.PNG"]
    path = written(tmp_path, "\ufeffName, Content \n" + "\n".join(f"n{i},{cell}" for i, cell in enumerate(cells)))
    found = read_ballot(path)
    assert found.arms == ["n0", "n1", "n2", "n3"]
    assert isinstance(found.contents, dict)
    assert [found.contents[arm] for arm in found.arms[:3]] == [
        Content(text="Hello, *you*\nand you"),
        Content(image="https://e.x/a.png?v=2"),
        Content(link="https://e.x/page"),
    ]
    (served, file), *others = found.files.items()
    assert not others
    assert found.contents["n3"] == Content(image=f"/files/{served}")
    assert file == tmp_path / "logos" / "a b.PNG"
    as_markdown = read_ballot(path, markdown=True).contents
    assert isinstance(as_markdown, dict)
    assert as_markdown["n0"] == Content(markdown="Hello, *you*\nand you")
    found.definition("things", "order")


def test_columns_by_their_kind_and_texts_beside_them(tmp_path: Path) -> None:
    for kind, cell in (
        ("text", "a.png"),
        ("markdown", "*a*"),
        ("image", "https://e.x/a"),
        ("link", "https://e.x/a.png"),
    ):
        found = read_ballot(written(tmp_path, f"name,{kind}\na,{cell}\nb,{cell}\n")).contents
        assert found == dict.fromkeys("ab", Content(**{kind: cell}))
    found = read_ballot(written(tmp_path, "text,name,image\na dog,a,https://e.x/a\n,b,https://e.x/b\n")).contents
    assert found == {"a": Content("a dog", image="https://e.x/a"), "b": Content(image="https://e.x/b")}


def test_a_table_of_prompts(tmp_path: Path) -> None:
    found = read_ballot(written(tmp_path, "prompt,short,long\nHi?,Hi!,Good day!\n\nWho?,Me.,It is me.\n"))
    assert found.arms == ["short", "long"]
    assert found.contents == (
        Prompt(Content("Hi?"), {"short": Content("Hi!"), "long": Content("Good day!")}),
        Prompt(Content("Who?"), {"short": Content("Me."), "long": Content("It is me.")}),
    )


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "things.csv is empty"),
        ("name\na\nb\n", "line 1: the columns are name and one of content, text, .* not 'name'"),
        ("name,colour\na,b\n", "line 1: .*not 'name', 'colour'"),
        ("name,text,markdown\na,b,c\n", "line 1: "),
        ("name,text\na,b\n", "two things at least are needed to compare them, and there is 1"),
        ("name,text\na,b\nb\n", "line 3: 1 cells under 2 columns"),
        ('name,text\na,"b\nb"\nc\n', "line 4: 1 cells under 2 columns"),
        ('name,text\na,"b\n', "line 2: unexpected end of data"),
        ("name,text\na,b\na,c\n", "line 3, column 'name': 'a' is there twice"),
        ("name,text\na,b\n ,c\n", "line 3, column 'name': a name is missing"),
        ("name,text\na,b\nc,  \n", "line 3, column 'text' is empty"),
        (f"name,text\na,b\nc,{'x' * 20_001}\n", "line 3, column 'text' has 20001 signs of text; allowed are 20000"),
        ("name,link\na,https://e.x\nb,javascript:alert(1)\n", "line 3, column 'link' must be an address"),
        (
            "name,image\na,nothing.png\nb,b\n",
            "line 2, column 'image': an image is an address or a file .*'nothing.png'",
        ),
        ("name,content\na,../outside.png\nb,b\n", "line 2, column 'content': an image .*'../outside.png'"),
        ("name,image\na,/etc/passwd\nb,b\n", "line 2, column 'image': an image .*'/etc/passwd'"),
        ("name,image\na,things.csv\nb,b\n", "line 2, column 'image': an image .*'things.csv'"),
        ("prompt,a\nx,y\n", "line 1: after prompt come two arms or more with different names, not .'a'"),
        ("prompt,a,a\nx,y,z\n", "line 1: after prompt"),
        ("prompt,a,b\n", "there is no prompt below the names"),
        ("prompt,a,b\nx,y,z\nx,y,\n", "line 3, column 'b' is empty"),
        ("prompt,a,b\n,y,z\n", "line 2, column 'prompt' is empty"),
    ],
)
def test_what_is_wrong_with_a_file_is_named_by_line_and_column(tmp_path: Path, text: str, complaint: str) -> None:
    (tmp_path.parent / "outside.png").write_bytes(PIXEL)
    with pytest.raises(BadInput, match=complaint):
        read_ballot(written(tmp_path, text))


def test_files_that_are_none(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"cannot be read: .*No such file"):
        read_ballot(tmp_path / "none.csv")
    (tmp_path / "latin.csv").write_bytes("name,text\na,\xe4\n".encode("latin-1"))
    with pytest.raises(BadInput, match="cannot be read: 'utf-8' codec can't decode byte 0xe4"):
        read_ballot(tmp_path / "latin.csv")


def test_a_link_to_a_file_elsewhere_is_not_followed(tmp_path: Path) -> None:
    folder = tmp_path / "here"
    folder.mkdir()
    (tmp_path / "secret.png").write_bytes(PIXEL)
    (folder / "a.png").symlink_to(tmp_path / "secret.png")
    with pytest.raises(BadInput, match="line 2, column 'image': an image"):
        read_ballot(written(folder, "name,image\na,a.png\nb,a.png\n"))


def test_the_examples_can_be_voted_on() -> None:
    home = Path(__file__).parents[2] / "examples"
    taglines, answers = (read_ballot(home / f"{name}.csv", markdown=True) for name in ("taglines", "answers"))
    assert len(taglines.arms) == 4
    assert len(answers.contents) == 3
    for ballot in (taglines, answers):
        assert ballot.definition("example", "best").contents
