import contextlib
import re
import zlib
from xml.parsers import expat

import pytest
from drawn import drawings_of

from hype.errors import InputError
from hype.protocols.hype.scoring import score
from hype.protocols.hype.table import check_judgements
from hype.report.figures.drawing import Drawing, Panel
from hype.report.figures.files import grid_of, spell_letters, write_figures

WRITTEN = ("time-staircases", "infinity-errors")
MARK = "SIMULATED EVALUATORS: no people were asked"


def drawing_of(*titles, name="some", x_label="trials", y_label="exposure in ms"):
    def draw(axes):
        axes.plot([0, 1], [0, 1], color="#0072b2")

    return Drawing(
        name=name,
        title="Some <figure> & more",
        caption="",
        alt="From 1 to 2, 模型.",
        panels=tuple(Panel(draw=draw, title=title) for title in titles),
        width_in=3.3,
        height_in=2.3,
        x_label=x_label,
        y_label=y_label,
    )


def texts_of(svg):
    found = []
    parser = expat.ParserCreate()
    parser.buffer_text = True
    parser.StartElementHandler = parser.EndElementHandler = lambda *_: None
    parser.CharacterDataHandler = found.append
    parser.Parse(svg, True)
    return [text for text in found if text.strip()]


def letters_of(pdf):
    """Return the set of letters in a PDF, from its tables of character codes."""
    found = set()
    for stream in re.findall(rb"stream\r?\n(.*?)\r?\nendstream", pdf, flags=re.DOTALL):
        with contextlib.suppress(zlib.error):
            for row in re.findall(rb"\[((?:<[0-9a-f]{4,8}> ?)+)\]", zlib.decompress(stream)):
                codes = re.findall(r"[0-9a-f]{4,8}", row.decode("ascii"))
                found |= {bytes.fromhex(code).decode("utf-16-be") for code in codes}
    return found


@pytest.fixture(scope="module")
def written(both_protocols, scores, tmp_path_factory):
    found = [d for one in scores for d in drawings_of(one, both_protocols) if d.name in WRITTEN]
    folder = tmp_path_factory.mktemp("figures") / "made" / "here"
    return [d.name for d in found], folder, write_figures(found, folder, mark=MARK)


def test_svg_files_stand_alone(written):
    for path in (path for path in written[2] if path.suffix == ".svg"):
        svg = path.read_text(encoding="utf-8")
        assert svg.startswith("<?xml")
        assert "var(" not in svg
        assert re.search(r'<svg [^>]*width="[\d.]+pt" height="[\d.]+pt"', svg)
        assert 'xmlns="http://www.w3.org/2000/svg"' in svg
        assert len(re.findall("<text", svg)) == len(re.findall(r"<text[^>]*font-family:", svg))
        assert re.search(r"fill:#ffffff", svg[:2500]), "the background is white everywhere"
        assert "<dc:date>" not in svg


def test_pdf_files_bring_their_letters_and_no_date(written):
    for path in (path for path in written[2] if path.suffix == ".pdf"):
        pdf = path.read_bytes()
        assert pdf.startswith(b"%PDF")
        assert b"/FontFile2" in pdf, "TrueType"
        assert b"/Type3" not in pdf
        assert b"/CreationDate" not in pdf


@pytest.mark.parametrize(("panels", "columns"), [(2, 2), (3, 3), (4, 2), (5, 3), (31, 3)])
def test_panels_stand_in_a_grid(panels, columns):
    titles = [f"m{n:02}" for n in range(panels)]
    grid = grid_of(drawing_of(*titles))
    assert [axes.get_title(loc="left") for axes in grid.axes] == titles
    places = [axes.get_position() for axes in grid.axes]
    assert len({round(place.x0, 6) for place in places}) == columns
    assert len({round(place.y0, 6) for place in places}) == -(-panels // columns)
    assert places == sorted(places, key=lambda place: (-place.y0, place.x0))
    assert all(0 < p.x0 < p.x1 < 1 and 0 < p.y0 < p.y1 < 1 for p in places)


def test_title_and_alternative_text_are_in_the_files(tmp_path):
    svg, pdf, _ = write_figures([drawing_of("a")], tmp_path)
    assert texts_of(svg.read_bytes())[:2] == ["Some <figure> & more", "From 1 to 2, 模型."]
    assert b"Some <figure> & more" in pdf.read_bytes()


NAMES = ("<b>$x_1$</b> & co", "模型甲", "模型乙", "модель", "مولد", "😀 v2", "long " * 30 + "end")


def test_names_in_any_script(make_study, tmp_path):
    frame = make_study("time", names={name: 0.1 + 0.1 * n for n, name in enumerate(NAMES)})
    (found,) = score(frame, draws=20)
    shown = {d.name: d for d in drawings_of(found, check_judgements(frame))}
    for name in ("time-intervals", "time-staircases"):
        svg, pdf, _ = write_figures([shown[name]], tmp_path)
        texts = texts_of(svg.read_bytes())
        assert set(NAMES[:-1]) <= set(texts)
        assert any(text.startswith("long ") and text.endswith("end") for text in texts)
        assert {*"модель", *"U+7532"} <= letters_of(pdf.read_bytes())


def test_letters_that_a_font_lacks_are_spelt_and_names_stay_apart():
    assert spell_letters("模型甲") == "U+6A21 U+578B U+7532"
    assert spell_letters("v2 模") == "v2 U+6A21"
    assert spell_letters("модель η² … –") == "модель η² … –"


def test_panels_share_their_labels_and_are_the_same_bytes_whatever_lies_there(tmp_path):
    folder = tmp_path / "figures"
    first = {p.name: p.read_bytes() for p in write_figures([drawing_of("a", "b")], folder)}
    found = texts_of(first["some.svg"])
    assert [found.count(text) for text in ("a", "b", "trials", "exposure in ms")] == [1, 1, 1, 1]
    (folder / "mine.txt").write_text("mine")
    (folder / "some.svg").write_text("old")
    again = {p.name: p.read_bytes() for p in write_figures([drawing_of("a", "b")], folder)}
    assert first == again
    assert (folder / "mine.txt").read_text() == "mine"
    assert len(list(folder.iterdir())) == 4


def test_a_folder_that_cannot_be_made_is_one_message(tmp_path):
    (tmp_path / "file").write_text("x")
    with pytest.raises(InputError, match=r"file/figures: cannot be made"):
        write_figures([drawing_of("a")], tmp_path / "file" / "figures")
    with pytest.raises(InputError, match=r"file: cannot be made"):
        write_figures([drawing_of("a")], tmp_path / "file")
