"""A model joins a running study: started sessions do not change, additions are complete."""

import json
import os
import shutil
import signal
import sys
import zipfile
from datetime import date
from pathlib import Path

import numpy as np
import pytest
from admitted import admit
from builders import contents, image_folder, noise, rewrite_row, whole_study
from known import add_models, verify_record
from long import long_but
from paper_station import record_of, sit
from small_studies import SMALLER, STATIONS, STUDIES

from hype.addition import UNFINISHED, Wanted, clean_up, unzip
from hype.answers.choices import Choices
from hype.asking.judging import write_batches
from hype.asking.questions import Wording
from hype.asking.requests import Parameters, requests_of
from hype.errors import FilesRefused, InputError, SessionProblem
from hype.protocols.load import load_any
from hype.protocols.opening import score_sources
from hype.protocols.registry import course_of, protocol_of
from hype.session.admitting import study_for
from hype.session.enrol import count_earlier
from hype.session.materials import read_columns, read_stimuli
from hype.session.versions import same_version
from hype.stimuli.images import decode, pictures_in
from hype.stimuli.manifest import file_in
from hype.store import people
from hype.store.record import RECORD_FILE
from hype.store.seats import hold_seat
from hype.workers import WorkerPool

KINDS = list(STUDIES)
DAY = date(2026, 11, 25)


def study_of(kind, folder, **changes):
    study = STUDIES[kind](folder, **{**SMALLER[kind], **changes})
    if kind == "hype":
        for row in range(8):
            rewrite_row(folder / "masks" / "manifest.csv", row, method="phase-scramble")
    return study


def images_for(study, folder, *, first=500_000, side_px=16):
    """Fill a folder with images of a model, for each prompt as many as other models have."""
    if study.of_prompts is None:
        return image_folder(folder, 20, first=first, side_px=side_px)
    folder.mkdir(parents=True)
    column = study.of_prompts.prompt_column
    prompts = sorted({row[column] for row in read_columns(study).values()} - {""})
    for number, text in enumerate(prompts):
        for nth in range(study.of_prompts.images):
            name = f"{text.replace(' ', '_')}_{nth:02}.png"
            noise(first + 10 * number + nth, side_px).save(folder / name)
    return folder


def add(study, folders, **wanted):
    return add_models(
        study,
        Wanted(folders=folders, day=DAY, **wanted),
        WorkerPool(None, 1),
        lambda what, done, of: None,
    )


def grown(study, tmp_path, *names, **wanted):
    """Add models with these names, each with different pictures."""
    own = {
        n: images_for(study, tmp_path / n, first=500_000 + 1000 * k) for k, n in enumerate(names)
    }
    add(study, own, **wanted)
    return load_any(study.path)


@pytest.mark.parametrize("kind", long_but(["hype"], KINDS))
def test_who_has_begun_goes_on_as_they_began_and_newcomers_meet_the_model(kind, tmp_path):
    study = study_of(kind, tmp_path / "s")
    with record_of(study) as engine:
        before = admit(engine, course_of(study), "p01", simulated=False)
        sit(engine, study, "p01", STATIONS[kind](stops_at=3))
        now = grown(study, tmp_path, "new", "newer")
        theirs = study_for(engine, now, "p01", simulated=False)
        after = admit(engine, course_of(theirs), "p01", simulated=False)
        assert after.plan == before.plan
        assert after.plan.checksum() == before.plan.checksum()
        sit(engine, theirs, "p01", STATIONS[kind]())
        with engine.connect() as connection:
            assert people.find_evaluator(connection, "p01", simulated=False).status == "complete"
        course = course_of(now)
        for number in range(2, 4 + len(course.cells)):
            code = f"p{number:02}"
            admit(engine, course, code, simulated=False)
            sit(engine, now, code, STATIONS[kind]())
        with engine.connect() as connection:
            given = same_version(connection, now, simulated=False)
            came = count_earlier(connection, now, given, simulated=False)
    assert set(came.filled) == set(course.cells)
    verified = verify_record(now)
    assert verified.sound, verified.faults
    made = score_sources([str(now.path)], Choices())
    assert made.answers.stimuli == now.image_folders  # for the pictures in reports
    scored = json.dumps(made.to_object())
    assert all(f'"{name}"' in scored for name in ("new", "newer", *read_stimuli(study).conditions))


@pytest.mark.parametrize("kind", KINDS)
def test_places_of_before_stay_what_they_were(kind, tmp_path):
    study = study_of(kind, tmp_path / "s")
    before, now = course_of(study), course_of(grown(study, tmp_path, "new", "newer"))
    assert now.cells[: len(before.cells)] == before.cells
    assert len(now.cells) > len(before.cells)
    if kind != "hype":
        shares = now.pools.shares
        assert shares[: len(before.pools.shares)] == before.pools.shares
        extra = [
            image for share in shares[len(before.pools.shares) :] for image in images_of(share)
        ]
        assert {"new", "newer"} <= {image.condition for image in extra}


def images_of(share):
    for one in share:
        yield from (one.images if hasattr(one, "images") else (one.one, one.other))


def test_a_single_image_is_rated_beside_as_many_of_those_before(tmp_path):
    study = STUDIES["rating"](tmp_path / "s", rating={"of": "images"})
    before, now = course_of(study), course_of(grown(study, tmp_path, "new"))
    extra = [i for share in now.pools.shares[len(before.pools.shares) :] for i in images_of(share)]
    own = sum(image.condition == "new" for image in extra)
    assert own == len(extra) / 2 == 4


def test_several_conditions_each_are_served_with_the_newcomer_at_each_place(tmp_path):
    counts = {"": 60, "a": 30, "b": 30, "c": 30}
    changes = {"study": {"methods": ["infinity"], "conditions_each": 2, "evaluators": 4}}
    changes |= {"infinity": {"trials": 4}, "qualification": {"enabled": False}, "observers": None}
    study = whole_study(tmp_path / "s", counts, **changes)
    before, now = course_of(study), course_of(grown(study, tmp_path, "new"))
    assert now.cells[: len(before.cells)] == before.cells
    from hype.protocols.hype.counterbalancing import conditions_of_cell

    names = ("a", "b", "c", "new")
    for cell in before.cells:
        assert conditions_of_cell(now.study.settings, names, cell) == conditions_of_cell(
            study.settings, names[:3], cell
        )
    served = [
        conditions_of_cell(now.study.settings, names, c) for c in now.cells[len(before.cells) :]
    ]
    assert len(served) == 4
    assert [sum(row[place] == "new" for row in served) for place in (0, 1)] == [2, 2]


def test_who_is_tested_stays_and_a_newcomer_is_not_practised_on(tmp_path):
    study = study_of("hype", tmp_path / "s", qualification={"enabled": True})
    now = course_of(grown(study, tmp_path, "new"))
    with record_of(study) as engine:
        plans = [admit(engine, now, f"p{n}", simulated=False).plan for n in range(3)]
    assert "new" in {plan.condition for plan in plans}
    for plan in plans:
        for block in plan.blocks:
            if not block.task.scored:
                assert all(image.condition != "new" for image in block.stimuli)


def test_newcomers_have_masks_of_their_own(tmp_path):
    study = study_of("hype", tmp_path / "s")
    now = grown(study, tmp_path, "new")
    masks = course_of(now).pools.masks
    assert masks[:8] == course_of(study).pools.masks
    assert masks[8:] == ("new/00001.png", "new/00002.png")
    assert protocol_of(now).checks.study(now).exit_code == 0


def test_images_are_made_alike(tmp_path):
    study = study_of("hype", tmp_path / "s")
    folder = image_folder(tmp_path / "large", 11, first=7000, side_px=40)
    noise(77_003).save(folder / "plain.png")
    noise(4, 32).convert("RGB").save(folder / "other.bmp")
    add(study, {"new": folder})
    home = study.folder / "added" / "new"
    made = sorted((home / "fake" / "new").iterdir())
    assert [path.name for path in made] == [f"{n:05}.png" for n in range(1, 14)]
    assert {(image.size, image.mode) for image in map(decode, made)} == {((16, 16), "L")}
    assert decode(made[-1]).tobytes() == decode(folder / "plain.png").tobytes()  # right already


def test_each_wrong_file_is_named_with_what_is_allowed(tmp_path):
    study = study_of("hype", tmp_path / "s")
    before = contents(study.folder)
    folder = images_for(study, tmp_path / "new")
    noise(1, 8).save(folder / "small.png")
    (folder / "text.png").write_text("no image")
    shutil.copy(min((study.stimuli_folder / "real").iterdir()), folder / "copied.png")
    with pytest.raises(FilesRefused) as refused:
        add(study, {"new": folder})
    problems = {Path(p.where).name: (p.problem, p.allowed) for p in refused.value.problems}
    assert problems.keys() == {"small.png", "text.png", "copied.png"}
    assert problems["small.png"][1].startswith("16 x 16 px or more; --skip-smaller")
    assert problems["text.png"] == (
        "is not an image",
        "one of PNG, JPEG, WEBP, BMP, PPM, GIF",
    )
    assert problems["copied.png"][0] == "has the same pixels as the real image real/000.png"
    assert "3 files cannot be used" in str(refused.value)
    assert left(study) == before


def left(study):
    """Return the files of a study, except the seats."""
    seats = f"{RECORD_FILE}-seats/"
    return {name: some for name, some in contents(study.folder).items() if seats not in name}


def test_unknown_prompts_and_rows_are_named(tmp_path):
    study = study_of("comparison", tmp_path / "s")
    folder = images_for(study, tmp_path / "new")
    noise(9).save(folder / "a_unicorn_01.png")
    with pytest.raises(
        FilesRefused, match=r"a_unicorn_01.png: shows 'a unicorn', which is not a prom"
    ):
        add(study, {"new": folder})
    (folder / "manifest.csv").write_text("path,prompt\nnone.png,a bag\n")
    with pytest.raises(FilesRefused, match=r"manifest.csv line 2: 'none.png' is not an image of"):
        add(study, {"new": folder})
    (folder / "manifest.csv").write_text("path,colour\na_bag_00.png,red\n")
    with pytest.raises(InputError, match="the column 'colour', which the study's manifest does"):
        add(study, {"new": folder})


def test_prompts_may_stand_in_a_table(tmp_path):
    study = study_of("comparison", tmp_path / "s")
    named = images_for(study, tmp_path / "named")
    folder, rows = tmp_path / "new", ["path,prompt"]
    folder.mkdir()
    for number, path in enumerate(sorted(named.iterdir())):
        shutil.copy(path, folder / f"{number}.png")
        rows.append(f"{number}.png,{path.stem.rpartition('_')[0].replace('_', ' ')}")
    (folder / "manifest.csv").write_text("\n".join(rows) + "\n")
    add(study, {"new": folder})
    columns = read_columns(load_any(study.path))
    assert len({row["prompt"] for path, row in columns.items() if "/new/" in path}) > 1


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("crude", "already has images of 'crude'; give another name"),
        ("real", "'real' cannot name a condition"),
        ("x" * 65, "cannot name a condition"),
    ],
)
def test_names_that_cannot_be_are_refused(name, message, tmp_path):
    study = study_of("hype", tmp_path / "s")
    with pytest.raises(InputError, match=message):
        add(study, {name: tmp_path})


def test_a_model_whose_images_do_not_suffice_is_refused_and_leaves_nothing(tmp_path):
    study = study_of("comparison", tmp_path / "s", comparison={"arena": {}})
    before = left(study)
    folder = images_for(study, tmp_path / "new")
    for path in sorted(folder.iterdir())[: study.of_prompts.images]:
        path.unlink()  # all images of the first prompt
    with pytest.raises(InputError, match=r"does not fit this study: .* has no image of 'new' for"):
        add(study, {"new": folder})
    assert left(study) == before


def test_two_cannot_add_at_once(tmp_path):
    study = study_of("hype", tmp_path / "s")
    with (
        hold_seat(study.folder / RECORD_FILE, "add", "adding a model to this study"),
        pytest.raises(SessionProblem, match="adding a model to this study is already in progress"),
    ):
        grown(study, tmp_path, "new")


def test_sets_of_several_sizes_cannot_grow(tmp_path):
    study = study_of("hype", tmp_path / "s")
    rewrite_row(study.stimuli_folder / "manifest.csv", 0, width="17")
    with pytest.raises(InputError, match=r"several sizes .16 x 16 px, 17 x 16 px."):
        grown(study, tmp_path, "new")


def test_a_study_file_that_leads_elsewhere_is_refused(tmp_path):
    study = study_of("hype", tmp_path / "s")
    text = study.path.read_text()
    study.path.write_text(f'{text}\n[added."../out"]\nday = "2026-11-25"\n')
    assert load_any(study.path).added_sets == {"../out": study.folder / "added" / "%2E.%2Fout"}
    (study.folder / "added").mkdir()
    (study.folder / "added" / "new").symlink_to(tmp_path)
    study.path.write_text(f'{text}\n[added.new]\nday = "2026-11-25"\n')
    with pytest.raises(InputError, match=r"added\.new"):
        load_any(study.path)


EVENTS = ("open", "os.rename", "os.mkdir", "os.remove", "os.rmdir")


def killed_at(study, folder, number):
    """Add a model in a program that is killed before its n-th change of a file."""
    child = os.fork()
    if child == 0:
        left_to_do = [number]

        def count(event, arguments):
            is_writing = event != "open" or (arguments[2] or 0) & (os.O_WRONLY | os.O_RDWR)
            if event in EVENTS and is_writing and str(arguments[0]).startswith(str(study.folder)):
                left_to_do[0] -= 1
                if left_to_do[0] == 0:
                    os.kill(os.getpid(), signal.SIGKILL)

        sys.addaudithook(count)
        try:
            add(study, {"new": folder})
        finally:
            os._exit(0)
    return os.WIFSIGNALED(os.waitpid(child, 0)[1])


def test_killed_at_any_moment_it_is_as_before_or_whole(tmp_path, soak):
    study = study_of("comparison", tmp_path / "s")
    folder = images_for(study, tmp_path / "new")
    text, before = study.path.read_text(), left(study)
    number, added = 0, 0
    while True:
        number += 1 if soak else 2
        if not killed_at(study, folder, number):
            break
        now = load_any(study.path)
        course_of(now).require_enough()
        clean_up(now)
        if now.added:
            added += 1
            assert list(now.added) == ["new"]
            assert not (now.folder / "added" / "new" / UNFINISHED).exists()
            shutil.rmtree(study.folder / "added")
            study.path.write_text(text)
        assert left(study) == before
    assert number > 3 * len(list(folder.iterdir()))
    assert added  # it was also killed after the addition was complete
    assert list(load_any(study.path).added) == ["new"]


def zipped(folder, path, *, within=""):
    """Zip the content of a folder, with the folder's name if ``within`` is set."""
    with zipfile.ZipFile(path, "w") as packed:
        for file in sorted(folder.rglob("*")):
            packed.write(file, Path(within) / file.relative_to(folder))
    return path


@pytest.mark.parametrize(("kind", "within"), [("hype", ""), ("comparison", "samples")])
def test_a_zip_is_added_as_its_folder_is(kind, within, tmp_path):
    study = study_of(kind, tmp_path / "s")
    folder = images_for(study, tmp_path / "new")
    path = zipped(folder, tmp_path / "new.zip", within=within)
    add(study, {"new": path})
    by_zip = contents(study.folder / "added")
    other = study_of(kind, tmp_path / "other")
    add(other, {"new": folder})
    assert by_zip == contents(other.folder / "added")


def test_files_of_a_zip_are_named_as_they_are_there(tmp_path):
    study = study_of("comparison", tmp_path / "s")
    before = left(study)
    folder = images_for(study, tmp_path / "new")
    noise(9).save(folder / "a_unicorn_01.png")
    noise(1, 8).save(folder / "a_bag_77.png")
    path = zipped(folder, tmp_path / "new.zip", within="samples")
    with pytest.raises(FilesRefused) as refused:
        add(study, {"new": path})
    wrong = {p.where.removeprefix(f"{path}/") for p in refused.value.problems}
    assert wrong == {"samples/a_unicorn_01.png", "samples/a_bag_77.png"}
    assert left(study) == before


def test_a_zip_of_one_prompt_is_not_taken_for_a_folder_in_a_zip(tmp_path):
    study = study_of("comparison", tmp_path / "s")
    (tmp_path / "new" / "a bag").mkdir(parents=True)
    noise(9).save(tmp_path / "new" / "a bag" / "1.png")
    path = zipped(tmp_path / "new", tmp_path / "new.zip")
    place = tmp_path / "unpacked"
    assert unzip(study, path, place, lambda what, done, of: None) == place


def test_how_far_it_is_is_written_for_others(tmp_path, hype):
    study = study_of("hype", tmp_path / "s")
    folder = images_for(study, tmp_path / "new")
    file = tmp_path / "progress.json"
    hype("add", study.path, "--fake", f"new={folder}", "--progress", file)
    said = json.loads(file.read_text())
    assert said["doing"] == "Making masks"
    assert 0 < said["done"] <= said["of"] == 2


def test_its_images_are_found_by_whatever_reads_images(tmp_path):
    study = grown(study_of("comparison", tmp_path / "s"), tmp_path, "new")
    images = [stimulus.path for stimulus in read_stimuli(study).stimuli]
    own = [name for name in images if name.startswith("fake/new/")]
    assert own
    assert all(file_in(study.image_folders, name).is_file() for name in images)
    assert pictures_in(study.image_folders, own)(own[0])
    questions = [
        question
        for question in protocol_of(study).export_kind(study).questions(study)
        if any(image.path in own for image in question.images)
    ]
    requests = requests_of(questions, Wording(), Parameters(endpoint="http://x", model="m"), 1)
    (batch,) = write_batches(tmp_path / "batch.jsonl", requests, study.image_folders)
    assert len(batch.read_text().splitlines()) == len(requests) > 0


def test_metrics_compare_it_too(tmp_path, hype):
    study = grown(study_of("hype", tmp_path / "s"), tmp_path, "new")
    number = len(read_stimuli(study).stimuli)
    np.save(tmp_path / "f.npy", np.random.default_rng(0).standard_normal((number, 2)))
    ran = hype("metrics", study.folder, "--features", tmp_path / "f.npy", "--draws", 10, "--json")
    assert "new" in {cell["condition"] for cell in ran.json["cells"]}
