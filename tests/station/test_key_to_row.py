"""An answer passes through few files on its way from the key to its row."""

import sys
from pathlib import Path
from types import FrameType
from typing import Any, Final

import pytest
from known import hold_session

import hype
from hype.protocols.hype.trial import JudgementTrial
from hype.session.stage import Seating
from hype.station.station import WindowStation
from hype.store.recorder import DurableRecorder
from hype.store.sqlite_record import writing_record

ROOT: Final = str(Path(hype.__file__).parent)
MOST_FILES: Final = 24
"""Three of these files belong to the simulated evaluator who presses the key."""


@pytest.mark.usefixtures("display")
def test_an_answer_goes_from_its_key_to_its_row_through_few_files(make_study, monkeypatch):
    called: set[str] = set()
    respond, record = WindowStation.respond, DurableRecorder.record

    def note(frame: FrameType, event: str, _arg: object) -> None:
        if event == "call":
            called.add(frame.f_code.co_filename)

    def noted_respond(self: WindowStation, step: Any) -> Any:
        sys.setprofile(note if isinstance(step, JudgementTrial) else None)
        return respond(self, step)

    def noted_record(self: DurableRecorder, *step: Any) -> None:
        try:
            record(self, *step)
        finally:
            sys.setprofile(None)

    monkeypatch.setattr(WindowStation, "respond", noted_respond)
    monkeypatch.setattr(DurableRecorder, "record", noted_record)
    monkeypatch.setattr("hype.session.live.READING_MS", 50.0)
    study = make_study("consent = false")
    with writing_record(study.folder / "data.sqlite") as engine:
        hold_session(engine, study, "r1", Seating(simulated=True, windowed=True))

    files = {name for name in called if name.startswith(ROOT)} | {f"{ROOT}/session/loop.py"}
    assert f"{ROOT}/store/recorder.py" in files
    assert len(files) <= MOST_FILES, sorted(files)
