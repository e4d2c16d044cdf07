"""`hype serve --pilot`: a few trials of each kind in a browser; nothing is stored."""

import pytest
from long import long_but
from served import HOST, served
from small_studies import STUDIES

from hype.store.record import RECORD_FILE
from hype.web.serving import doors_of


def session_of(study, *, pilot):
    """Return the kinds of the steps of a simulated participant's session, and its last step."""
    kinds = []
    with served(study, pilot=pilot) as tab:
        page = tab("look")
        page.sit()
        while page.step["kind"] != "end":
            kinds.append(page.step["kind"])
            page.step = page.client.post("/api/step", page.report())["step"]
    return kinds, page.step


@pytest.mark.parametrize("protocol", long_but(["hype", "ranking"], STUDIES))
def test_a_pilot_is_the_beginning_of_each_part(protocol, tmp_path):
    whole, _ = session_of(STUDIES[protocol](tmp_path / "study"), pilot=False)
    short, end = session_of(STUDIES[protocol](tmp_path / "again"), pilot=True)
    assert (end["title"], end["close"]) == ("Pilot: nothing is saved", "")
    assert end["body"][0].startswith("The pilot ends here. Change what you like")
    assert not {"go_to", "code"} & set(end)  # a platform must not count it as work
    assert short[:3] == whole[:3]
    assert {"scene", "flash"} & set(short)
    assert len(short) <= len(whole)


def test_a_pilot_of_a_long_study_has_five_trials_of_each_kind(tmp_path):
    changes = {"study": {"methods": ["time"]}, "qualification": {"enabled": False}}
    study = STUDIES["hype"](tmp_path / "study", **changes, time={"blocks": 2, "trials": 12})
    kinds, _ = session_of(study, pilot=True)
    assert kinds.count("flash") == study.settings.practice.trials + 5


def test_a_pilot_keeps_nothing(tmp_path):
    study = STUDIES["comparison"](tmp_path / "study")
    before = sorted(study.folder.rglob("*"))
    with doors_of(study, HOST, 0, pilot=True) as doors:
        assert not doors.engine.url.database.startswith(str(tmp_path))
    assert sorted(study.folder.rglob("*")) == before
    assert not (study.folder / RECORD_FILE).exists()


def test_a_pilot_refuses_what_is_kept(tmp_path, hype):
    study = STUDIES["comparison"](tmp_path / "study")
    named = ("--simulate", 1), ("--key", tmp_path / "people.csv")
    for option in (*named, ("--new-links",), ("--new-version",)):
        refused = hype("serve", study.folder, "--port", 0, "--pilot", *option).refused()
        assert "--pilot: cannot be used with" in refused
