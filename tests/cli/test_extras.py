"""If an extra is missing, one line names it."""

import importlib
import re
import subprocess
import sys
from pkgutil import walk_packages

import pytest
from builders import image_folder, stimulus_set, whole_study

import hype as library
from hype import example
from hype.cli.main import main
from hype.errors import EXTRAS, ExtraMissing, installing
from hype.files import write_bytes


@pytest.fixture(autouse=True)
def modules_as_before():
    """Import all modules first and restore them later, so that other tests see one copy of each."""
    names = (module.name for module in walk_packages(library.__path__, "hype."))
    rooms = [name for name in names if not name.startswith("hype.station.")]
    before = {name: importlib.import_module(name) for name in rooms}
    yield
    sys.modules.update(before)
    for name, module in before.items():
        package, _, child = name.rpartition(".")
        setattr(sys.modules[package], child, module)


def without(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Hide a library, and unload the modules that import it so that they are imported again."""
    loaded = {name for name in sys.modules if name.partition(".")[0] == library}
    made_of = "report.figures", "masks", "export.tidy_parquet", "web", "cli."
    ours = tuple(f"hype.{name}" for name in made_of)
    for name in {*loaded, *(name for name in sys.modules if name.startswith(ours))}:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)


@pytest.mark.parametrize(
    ("library", "arguments"),
    [
        ("numba", "masks make large -o new -n 1 --size 128 --workers 1"),
        ("pyarrow", "score table.parquet"),
        ("starlette", "serve study"),
        ("uvicorn", "serve study"),
        ("matplotlib", "report table.csv -o page.html --figures figures"),
    ],
)
def test_a_missing_library_is_named_with_its_extra(
    library, arguments, tmp_path, monkeypatch, capsys
):
    whole_study(tmp_path / "study")
    stimulus_set(tmp_path / "large", {"": 1, "good": 1}, side_px=128)
    write_bytes(tmp_path / "table.parquet", b"PAR1")
    write_bytes(tmp_path / "table.csv", example("infinity").to_csv(index=False).encode())
    monkeypatch.chdir(tmp_path)
    without(library, monkeypatch)
    monkeypatch.setattr(sys, "argv", ["hype", *arguments.split()])
    with pytest.raises(SystemExit) as end:
        main()

    said = capsys.readouterr().err.splitlines()[-1]
    assert end.value.code == 2
    assert said == (
        f"hype: this needs {library}, which is not installed: {installing(EXTRAS[library])}"
    )
    assert not (tmp_path / "page.html").exists()


@pytest.mark.long
def test_every_command_is_explained_without_any_extra():
    libraries = [*EXTRAS, "anyio", "psychopy"]
    code = (
        "import sys\n"
        f"sys.modules.update(dict.fromkeys({libraries!r}))\n"
        "from hype.cli.main import COMMANDS, load\n"
        "for command in COMMANDS: load(command)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_report_without_matplotlib_says_in_words_what_its_figures_show(
    tmp_path, hype, monkeypatch
):
    table = tmp_path / "table.csv"
    table.write_text(example("infinity").to_csv(index=False))
    without("matplotlib", monkeypatch)
    done = hype("report", table)

    assert done.code == 0
    assert f"to draw them: {installing('figures')}" in done.out
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert page.count("(Not drawn: this page was made without") == page.count("<figure ") > 1
    assert '<div class="panel"' not in page


def test_from_python_too_a_missing_library_is_named_with_its_extra(monkeypatch):
    score = library.score(example("infinity"), draws=100)
    staircase = library.Staircase().after(correct=True)
    without("matplotlib", monkeypatch)
    wanted = re.escape(installing("figures"))
    with pytest.raises(ExtraMissing, match=f"^this needs matplotlib, .*: {wanted}$"):
        score.plot()
    with pytest.raises(ExtraMissing, match=r"^this needs matplotlib"):
        staircase.plot()


def test_a_study_without_masks_is_begun_without_what_makes_them(tmp_path, monkeypatch):
    image_folder(tmp_path / "real", 1)
    without("numba", monkeypatch)
    monkeypatch.setattr(sys, "argv", ["hype", "new", str(tmp_path / "study")])
    with pytest.raises(SystemExit) as end:
        main()

    assert not end.value.code
    assert (tmp_path / "study" / "study.toml").exists()


def test_masks_that_cannot_be_made_are_refused_before_images_are_copied(tmp_path, monkeypatch):
    real, fake = (image_folder(tmp_path / f"{n}", 20, first=n) for n in (0, 20))
    without("numba", monkeypatch)
    command = importlib.import_module("hype.cli.new")
    monkeypatch.setattr(command, "build_aside", None)
    draft = command.StudyDraft(real=real, fake=[f"model={fake}"], masks=1)
    with pytest.raises(ExtraMissing, match="numba"):
        command.new_judged(tmp_path / "study", draft)
