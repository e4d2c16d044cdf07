"""Commands for studies of comparisons, ratings and rankings: new, check, score, forget."""

import csv
import json
import re
import shutil
from collections import Counter
from pathlib import Path

import pytest
from builders import contents, csv_rows, noise, rewrite_rows
from compared_studies import compared_study
from known import register
from paper_comparer import compared_soundly
from paper_ranker import ranked_soundly
from paper_rater import rated_soundly
from paper_station import record_of, rows_of
from rated_studies import ranked_study, rated_study, simulate
from small_studies import STUDIES, TABLES

import hype as package
from hype.protocols.comparison.sampling import read_comparison_pools
from hype.protocols.load import load_any
from hype.store.schema import demographics, evaluators, removals

ROOT = Path(package.__file__).parents[1]
PROTOCOLS = ("comparison", "rating", "ranking")
MAKE = {"comparison": compared_study, "rating": rated_study, "ranking": ranked_study}
SOUND = {"comparison": compared_soundly, "rating": rated_soundly, "ranking": ranked_soundly}
AGE = {
    "question": "How old are you?",
    "options": ["young", "old"],
    "reference": {"young": 0.9, "old": 0.1},
}


def samples(folder, *names, first=0, side_px=64):
    """Write a different picture for each of these names."""
    for number, name in enumerate(names, start=first):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        noise(number, side_px).save(folder / name)
    return folder


def folders(folder, number):
    """Return options for models with images of two prompts; each has different file names."""
    options = []
    for model in range(number):
        names = [f"{prompt}_{n}.png" for prompt in ("a bag", "a coat") for n in (1, 2)]
        if model == 1:
            names = [f"{prompt}/{n}.png" for prompt in ("a_bag", "a coat") for n in (7, 8, 9)]
        place = samples(
            folder / f"m{model}", *names, first=10 * model, side_px=80 if model == 1 else 64
        )
        options += ["--fake", f"m{model}={place}"]
    return options


@pytest.mark.parametrize("template", ["comparison", "arena", "rating", "ranking"])
def test_without_folders_a_file_to_start_from(template, tmp_path, hype):
    done = hype("new", tmp_path / "mine", "--template", template)
    settings = load_any(tmp_path / "mine").settings

    assert done.code == 0
    assert settings.study.methods == ("comparison" if template == "arena" else template,)
    assert settings.study.name == "mine"
    assert (tmp_path / "mine" / "stimuli" / "fake").is_dir()
    assert "column 'prompt'" in done.out


@pytest.mark.parametrize(
    ("template", "models", "pairs"),
    [
        *(("comparison", 2, 0), ("comparison", 2, 3), ("arena", 2, 2)),
        *(("rating", 2, 0), ("ranking", 13, 0)),
    ],
)
def test_with_folders_a_study_that_runs(template, models, pairs, tmp_path, hype):
    mine = tmp_path / "mine"
    validation = ("--validation", pairs) if pairs else ()
    done = hype("new", mine, "--template", template, *folders(tmp_path, models), *validation)
    settings = load_any(mine).settings
    asked = getattr(settings, settings.study.methods[0])

    assert done.code == 0
    assert hype("check", mine, "--no-display", "--json").json["ok"]
    assert hype("simulate", mine, "--evaluators", 3).code == 0
    assert hype("score", mine, "--simulated", "--json").json["evaluators"] == 3
    assert hype("register", mine).code == 0
    assert asked.images == (1 if template == "rating" else 2)
    if template == "ranking":
        assert asked.group == 9
        assert "13 conditions are too many for one group" in done.out
    if settings.study.methods == ("comparison",):
        assert settings.validation.kind == ("listed" if pairs else "mismatch")
        pools = read_comparison_pools(load_any(mine))
        assert {p.text: {n: len(i) for n, i in p.images.items()} for p in pools.prompts} == (
            {text: {"m0": 2, "m1": 2} for text in ("a bag", "a coat")}
        )
        with (mine / "stimuli/manifest.csv").open(newline="") as file:
            rows = list(csv.DictReader(file))
        assert {row["original"] for row in rows if row["condition"] == "m1"} == {
            *("7.png", "8.png", "9.png")
        }
        assert {(row["width"], row["height"]) for row in rows} == {("64", "64")}
        made_of = {r["path"]: r["original"] for r in rows if r["condition"] == "degraded"}
        assert len(made_of) == pairs
        worse = {one.worse.path: one.better.path for one in pools.obvious if pairs}
        assert worse == made_of


def test_one_prompt_has_no_other_to_mismatch_it(tmp_path, hype):
    one = samples(tmp_path / "one", "a bag_1.png")
    other = samples(tmp_path / "other", "a bag_1.png", first=5)
    given = ("--fake", f"one={one}", "--fake", f"other={other}")
    done = hype("new", tmp_path / "mine", "--template", "comparison", *given)

    assert "Comparisons with an obvious answer are off" in done.out
    assert load_any(tmp_path / "mine").settings.validation.kind == "off"
    assert hype("simulate", tmp_path / "mine", "--evaluators", 1).code == 0


def refused(hype, folder, *options, template="comparison"):
    """Return the message that refuses options, and check that no file is left."""
    before = set(contents(folder))
    said = hype("new", folder / "mine", "--template", template, *options).refused()
    assert set(contents(folder)) == before
    assert not (folder / "mine").exists()
    return said


def test_wrong_options_get_one_message(tmp_path, hype):
    given = folders(tmp_path, 2)
    bag = samples(tmp_path / "bag", "a bag_1.png", first=70)

    for options, message in (
        (given[:2], "--fake: names one condition (m0); at least two, or one and --real"),
        (("--real", bag), "--fake: is missing; NAME=FOLDER"),
        (("--fake", "one"), "--fake: 'one' does not name a folder"),
        ((*given, "--masks", 5), "--masks: is for --template hype, not for comparison"),
        ((*given, "--method", "time"), "--method: is for --template hype, not for comp"),
        ((*given, "--fake", f"real={bag}"), "'real' cannot name a condition"),
        ((*given, "--validation", 11), "--validation: 11 pairs, but only 10 generated imag"),
    ):
        assert message in refused(hype, tmp_path, *options)
    said = refused(hype, tmp_path, *given, "--validation", 1, template="rating")
    assert "--validation: is only for --template comparison or arena" in said
    said = refused(hype, tmp_path, template="votes")
    templates = "hype, qualification, comparison, arena, rating, ranking"
    assert said.endswith(f"'votes' is not known; one of {templates}")
    said = refused(hype, tmp_path, *given, "--fake", f"bag={bag}", template="arena")
    assert "--fake bag: has no image of the prompt 'a coat'; an arena needs" in said


def test_images_that_do_not_fit_get_one_message(tmp_path, hype):
    given = folders(tmp_path, 2)
    numbered = samples(tmp_path / "numbered", "0001.png", first=80)
    hat = samples(tmp_path / "hat", "a bag_1.png", "a hat_1.png", first=90)

    said = refused(hype, tmp_path, *given, "--fake", f"x={numbered}")
    assert said.startswith(f"hype: {numbered / '0001.png'}: has no prompt in its name; name its su")
    said = refused(hype, tmp_path, *given, "--fake", f"x={hat}")
    assert said.startswith(f"hype: {hat}: has the only images of the prompt 'a hat'; each prompt")


CHECKED = {
    "comparison": [
        "prompts 2; 4 images of each condition take part, 12 of 12 in all",
        "verdicts will be about these images only; use 5 prompts or more",
        "comparisons 24, 12 a prompt; 3 pairs of 3 conditions",
        "votes 144 in all, 48 for each pair of conditions",
        "evaluators 6 in 1 share",
    ],
    "rating": [
        "items 24 pairs, 12 a prompt",
        "axes overall, artifacts, style",
        "answers 144: each item by 2 evaluators, on 3 axes",
        "16 ratings of each pair of conditions on each axis",
        "evaluators 4 in 2 shares",
        "session about 4 minutes (items: 1 practice, 12 rating)",
    ],
    "ranking": [
        "groups 5 of 4 images",
        "rankings 10: 2 evaluators for each group",
        "60 comparisons of images, 10 of each pair of conditions",
        "test 1 group that everyone ranks first",
        "checkers check*: rank 50% of each person's groups again, at least 3 groups",
    ],
    "arena": [
        "arena adaptive pairs; ends when the best is known or at 960 votes",
        "evaluators 40 at most",
    ],
}


@pytest.mark.parametrize("kind", CHECKED)
def test_check_says_what_is_asked_and_how_often(kind, tmp_path, hype):
    arena = {"comparison": {"arena": {"most_votes": 960, "images": "fixed"}}}
    make = MAKE.get(kind, compared_study)
    study = make(tmp_path, files=True, **(arena if kind == "arena" else {}))
    done = hype("check", "--no-display", study.folder)
    said = [" ".join(line.split()) for line in done.out.splitlines()]

    assert done.code == 0
    assert [line for line in CHECKED[kind] if line not in said] == []
    assert said[-1] == "Ready."


def test_a_slider_is_scored_on_its_own_scale_from_start_to_export(tmp_path, hype):
    realism = {"question": "?", "kind": "slider", "lowest": 0, "highest": 1, "step": 0.05}
    study = rated_study(
        tmp_path,
        files=True,
        rating={"of": "images", "axes": ["anatomy", "aesthetics", "realism"]},
        axes={"realism": realism | {"truth_column": "expert"}},
    )
    rewrite_rows(
        study.stimuli_folder / "manifest.csv",
        lambda number, row: row | {"expert": str(number % 7 / 6) if row["condition"] else ""},
    )
    assert hype("check", tmp_path, "--no-display").code == 0
    assert hype("simulate", tmp_path, "--evaluators", 8).code == 0
    assert hype("verify", tmp_path).code == 0
    scores = hype("score", tmp_path, "--simulated", "--json").json
    for axis, lowest, highest in (("aesthetics", 1, 7), ("realism", 0, 1)):
        means = [row for row in scores["conditions"] if row["axis"] == axis]
        assert all(lowest <= row["mean_low"] < row["mean_high"] <= highest for row in means)
    assert [row["r"] > 0.3 for row in scores["truth"] if row["axis"] == "realism"] == [True]
    assert hype("report", tmp_path, "--simulated").code == 0
    out = tmp_path / "out"
    assert hype("export", tmp_path, "--simulated", "-o", out).code == 0
    with (out / "ratings.csv").open(encoding="utf-8", newline="") as file:
        given = {row["answer"] for row in csv.DictReader(file) if row["axis"] == "realism"}
    assert "0.05" in given
    assert given <= {f"{n / 20:g}" for n in range(21)}
    answer = json.loads((out / "ratings.json").read_text(encoding="utf-8"))
    assert "0.05" not in json.dumps(answer), "too many to list"
    assert hype("score", out / "ratings.csv", "--scale", "0:7", "--json").code == 0


@pytest.mark.parametrize(("protocol", "base", "bonus"), [("hype", 1, 0.02), ("rating", 1, 0.01)])
def test_check_says_what_an_hour_pays_and_warns_of_little(protocol, base, bonus, tmp_path, hype):
    study = STUDIES[protocol](tmp_path, pay={"least_an_hour": 600})
    done = hype("check", "--no-display", "--json", study.folder)
    facts = json.loads(done.out)["facts"]
    (answers,), (minutes,) = facts["paid_answers"].values(), facts["minutes"].values()
    (session,) = facts["pay"]["sessions"].values()
    warned = {found["code"]: found["remedy"] for found in json.loads(done.out)["findings"]}
    enough = float(warned["low-pay"].split()[3])

    assert session["pay"] == pytest.approx(base + bonus * answers, abs=0.01)
    assert session["hourly"] == pytest.approx(session["pay"] * 60 / minutes, abs=0.01)
    assert facts["pay"]["cost"] == pytest.approx(session["pay"] * facts["evaluators"], abs=0.01)
    assert (enough + bonus * answers) * 60 / minutes == pytest.approx(600, abs=1)


@pytest.mark.parametrize("protocol", PROTOCOLS)
def test_verifying_backing_up_and_forgetting_count_what_the_study_asks_for(
    protocol, tmp_path, hype
):
    study, table = SOUND[protocol](tmp_path / "study"), TABLES[protocol]

    def held():
        with record_of(study) as engine:
            answers = Counter(row.evaluator_id for row in rows_of(engine, table))
            about = Counter(row.evaluator_id for row in rows_of(engine, demographics))
            return answers, about, rows_of(engine, evaluators), rows_of(engine, removals)

    answers, about, people, _ = held()
    (gone,) = (who.id for who in people if who.evaluator == "p04")
    counted = "acts" if protocol == "ranking" else f"{protocol}s"
    number = answers.total()
    verified = hype("verify", study.folder)
    assert verified.code == 0
    assert f" simulated evaluators, {number} {counted}: all as planned." in verified.out
    assert hype("verify", study.folder, "--json").json[table.name] == number
    kept = hype("backup", study.folder, "--json").json
    assert kept["people"][counted] + kept["simulated"][counted] == number

    told = hype("forget", study.folder, "p04", "--yes", "--json").json
    assert (told["sessions"], told[counted]) == (3, answers[gone])
    after, left, people, (note,) = held()
    assert (number - after.total(), about.total() - left.total()) == (answers[gone], 2)
    assert "p04" not in {who.evaluator for who in people}
    assert (note.judgements, note.methods, note.condition) == (answers[gone], protocol, "")
    verified = hype("verify", study.folder)
    assert verified.code == 0


def test_a_registration_says_what_is_planned(tmp_path, hype):
    rated, ranked = (MAKE[name](tmp_path / name, files=True) for name in ("rating", "ranking"))
    ratings = hype("register", rated.folder, "--json").json["analysis"]
    rankings = hype("register", ranked.folder, "--json").json["analysis"]

    assert [axis["axis"] for axis in ratings["axes"]] == ["overall", "artifacts", "style"]
    assert ratings["evaluators_per_place"] == 2
    assert 'answers "not relevant" (missing)' in ratings["not_scored"]
    assert any("Plackett and Luce" in test for test in rankings["tests"])
    assert hype("register", rated.folder, "--check").code == 0


def judge_of(study, folder, hype):
    """Write a judge that prefers the first image, or a model that agrees with people."""
    path = folder / "judge.csv"
    if study.answers == "ratings":
        assert hype("export", study.folder, "--simulated", "-o", folder / "data").code == 0
        with (folder / "data" / "ratings.csv").open(encoding="utf-8", newline="") as file:
            answers = [row for row in csv.DictReader(file) if not row["excluded"]]
        asked = {(row["item"], row["axis"]) for row in answers}
        lines = ["item,axis,answer", *(f"{item},{axis},1" for item, axis in sorted(asked))]
    else:
        liked = {"crude": 0, "fine": 1, "good": 2, "great": 3}
        with (study.stimuli_folder / "manifest.csv").open(encoding="utf-8", newline="") as file:
            rows = [row for row in csv.DictReader(file) if row["condition"] in liked]
        lines = ["image,score", *(f"{row['path']},{liked[row['condition']]}" for row in rows)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    return path


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("protocol", ["rating", "ranking"])
def test_a_report_of_a_study_with_a_judge(protocol, tmp_path, hype):
    study = MAKE[protocol](tmp_path / "study", files=True)
    simulate(study, 4)
    out, tables, board = (tmp_path / name for name in ("r.html", "tables", "board.csv"))
    board.write_text("condition,score\ncrude,1\nfine,2\ngood,3\n", encoding="utf-8")
    more = ["--judges", judge_of(study, tmp_path, hype), "-o", out, "--tables", tables]
    more += ["--leaderboard", board] if protocol == "rating" else []
    assert hype("report", study.folder, "--simulated", *more).code == 0
    page = out.read_text(encoding="utf-8")

    assert "SIMULATED EVALUATORS: no people were asked" in page
    assert "<dt>Registered</dt><dd>no</dd>" in page
    with (tables / "judges.csv").open(encoding="utf-8", newline="") as file:
        assert [(row["judge"], row["simulated"]) for row in csv.DictReader(file)] == [
            ("judge", "true")
        ]
    assert not [row for row in csv_rows(tables / "columns.csv") if not row["meaning"]]
    if protocol == "rating":
        assert "Which image is better overall?<small>" in page
        assert "judge gives the same answer to everything (1)." in page
    else:
        assert study.settings.ranking.question in page
        assert "no prompt has two images that were shown 5 times or more" in page


def test_a_registered_study_says_whether_it_changed(tmp_path, hype):
    study = compared_study(tmp_path / "study", files=True, demographics={"age": AGE})
    sha256 = register(study).sha256
    simulate(study, 6)
    out, usual = tmp_path / "r.html", study.path.read_text(encoding="utf-8")

    def page():
        assert hype("report", study.folder, "--simulated", "-o", out).code == 0
        return out.read_text(encoding="utf-8")

    unchanged = page()
    assert "Which image better reflects the caption above?</blockquote>" in unchanged
    assert "<dt>Prompt</dt><dd>appeared above the images word by word</dd>" in unchanged
    assert re.search(r"<dt>Registered</dt><dd>[0-9a-f]{8}, unchanged</dd>", unchanged)
    assert unchanged.count('src="data:image/png;base64,') == 2 * 2 * 3
    assert "There are only 2 prompts" in unchanged
    score = ("score", study.folder, "--simulated")
    assert hype(*score, "--json").json["plan"]["registration"] == sha256
    assert f"as {sha256}; unchanged since." in hype(*score).out

    study.path.write_text(usual + "\n[analysis]\nwin_rate = 0.7\n", encoding="utf-8")
    assert re.search(r"<dt>Registered</dt><dd>[0-9a-f]{8}, changed since</dd>", page())
    study.path.write_text(usual, encoding="utf-8")
    manifest = study.stimuli_folder / "manifest.csv"
    manifest.write_text(manifest.read_text().replace("a coat", "a hat"))
    assert f"as {sha256}; 1 difference since." in hype(*score).out
    manifest.unlink()
    assert "Changes since the registration are unknown: " in hype(*score).out
    assert "three conditions (crude, fine and good)" in page()


def test_scores_of_comparisons_as_json(tmp_path, hype):
    study = compared_study(tmp_path, people={"careless": 0.2}, demographics={"age": AGE})
    simulate(study, 12)
    told = hype("score", tmp_path, "--simulated", "--json").json

    assert (told["protocol"], told["simulated"], told["images"]) == ("comparison", True, "fixed")
    assert [row["condition"] for row in told["conditions"]] == ["good", "fine", "crude"]
    assert sum(row["score"] for row in told["conditions"]) == pytest.approx(3000)
    assert (told["random"]["item"], told["random"]["few"]) == (None, "2 prompts")
    assert all(pair["p"] >= pair["p_alone"] for pair in told["pairs"])
    assert (told["fit"]["rule"], told["min_correct"]) == ("holm", 0.75)
    failed = [one for one in told["validation"] if one["passed"] is False]
    assert 0 < len(failed) < 6
    assert (told["evaluators"], told["comparisons"]) == (12 - len(failed), 24 * (12 - len(failed)))
    shares = [answer["reference_share"] for answer in told["demographics"]]
    assert [share for share in shares if share] == [0.9, 0.1]
    for option in (("--thresholds",), ("--at", "0.8"), ("--spoiled", "keep")):
        said = hype("score", tmp_path, "--simulated", *option).refused()
        assert said.startswith(f"hype: {option[0]}: is for judgements, but {tmp_path} contains")


def test_a_study_of_several_criteria_from_its_plan_to_its_leaderboard(tmp_path, hype):
    names = ["preference", "alignment"]
    good = {"good": {"strength": 1.2, "on": {"preference": -3.0}}}
    study = compared_study(
        tmp_path / "study", comparison={"criterion": names}, observers=good, people={"lapse": 0}
    )
    simulate(study, 6)
    status = hype("status", study.folder, "--simulated", "--json").json
    scores = hype("score", study.folder, "--simulated", "--json").json
    assert hype("verify", study.folder).code == 0
    hype("export", study.folder, "--simulated", "--format", "csv", "-o", tmp_path)
    table = hype("score", tmp_path / "comparisons.csv", "--simulated", "--json").json
    board = hype(
        *("leaderboard", study.folder, "--simulated", "--out", tmp_path / "board", "--json")
    ).json["boards"]
    planned = hype("power", study.folder, "--method", "beauty").refused()
    best = {row["criterion"]: row["condition"] for row in scores["conditions"] if row["rank"] == 1}

    assert (status["whole"]["answers"], status["answers_wanted"]) == (6 * 24 * 2, 6 * 24 * 2)
    assert scores["comparisons"] == 6 * 24 * 2
    assert best == {"preference": "fine", "alignment": "good"}
    assert [row for row in scores["conditions"] if row not in table["conditions"]] == []
    assert [each["title"].count("Which image") for each in board] == [1, 1]
    assert planned.endswith(f"is not a criterion of {study.path}; preference, alignment")


def test_an_arena_has_its_verdict(tmp_path, hype):
    study = compared_study(tmp_path, comparison={"arena": {"pairs": "random", "most_votes": 200}})
    simulate(study, 6)
    told = hype("score", tmp_path, "--simulated", "--json").json
    text = hype("score", tmp_path, "--simulated").out

    assert (told["sequential"]["goal"], told["sequential"]["alpha"]) == ("top", 0.05)
    assert "by the arena's rule" in text
    assert "Holm" not in text.partition("Pairs of conditions")[2].partition("Answers and")[0]


@pytest.mark.parametrize(
    ("treatment", "rate", "said"),
    [
        ("davidson", 60.0, "2 ties (20.0%): the model allows for ties (Davidson 1970)"),
        ("half", 60.0, "2 ties (20.0%): half a win for each condition."),
        ("drop", 62.5, "Ties are not counted."),
    ],
)
def test_ties_as_the_option_says(treatment, rate, said, tmp_path, hype):
    rows = [f"p{n},x,a,b,{'left' if n < 5 else 'right' if n < 8 else 'tie'}" for n in range(10)]
    path = tmp_path / "votes.csv"
    path.write_text("\n".join(["evaluator,prompt,left,right,answer", *rows]), encoding="utf-8")
    done = hype("score", path, "--ties", treatment)

    assert f"{rate}%" in done.out
    assert said in done.out


def test_the_demonstration_of_comparisons_has_the_design_of_its_source(tmp_path, hype, monkeypatch):
    demonstration = ROOT / "experiments" / "fashion-comparisons"
    monkeypatch.setenv("HYPE_FOLDERS", str(ROOT / "stimuli"))
    (tmp_path / "experiments" / "x").mkdir(parents=True)
    copy = Path(shutil.copy(demonstration / "study.toml", tmp_path / "experiments" / "x")).parent
    (tmp_path / "stimuli").symlink_to(ROOT / "stimuli")
    study = load_any(copy)
    pools = read_comparison_pools(study)
    met = Counter(
        frozenset((meeting.one.condition, meeting.other.condition))
        for share in pools.shares
        for meeting in share
    )
    assert (study.settings.comparison.votes, list(map(len, pools.shares))) == (26, [96] * 10)
    assert list(met.values()) == [10 * 16] * 6
    with (ROOT / "stimuli" / "fashion" / "manifest.csv").open(encoding="utf-8") as file:
        labels = {row["label"] for row in csv.DictReader(file)}
    assert len({prompt.text for prompt in pools.prompts}) == len(labels) == 10

    assert hype("simulate", copy, "--evaluators", 20).code == 0
    told = json.loads(hype("score", copy, "--simulated", "--json").out)
    order = sorted(study.settings.observers.items(), key=lambda item: -item[1].strength)
    assert [row["condition"] for row in told["conditions"]] == [name for name, _ in order]
    assert {one["question"] for one in told["demographics"]} == {"place", "age", "gender"}
