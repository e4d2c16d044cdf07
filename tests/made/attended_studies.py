"""Studies with evaluators of every status, whose sessions are written directly into the record."""

from pathlib import Path

from builders import named_study
from made_once import made_once
from paper_station import PaperStation, record_of, sit

from hype.protocols.hype.settings import Study
from hype.protocols.hype.trial import Task


@made_once
def judged_in_every_state(folder: Path) -> Study:
    """Make a study of judgements with two conditions and three evaluators for each."""
    study = named_study(folder, study={"evaluators": 3})
    stations = {
        "p01": PaperStation(),
        "p02": PaperStation(lambda trial, n: False),
        "p03": PaperStation(consents=False),
        "p04": PaperStation(stops_at=14),
        "p05": PaperStation(
            lambda t, n: t.task is Task.QUALIFICATION or t.number > 2,
            spoils=lambda t, n: t.number == 3,
        ),
    }
    with record_of(study) as engine:
        for code, station in stations.items():
            sit(engine, study, code, station)
        sit(engine, study, "robot", simulated=True)
    return study
