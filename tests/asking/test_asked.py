"""`hype judge` with a real server: its requests and its cache; nothing is requested twice."""

import csv
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections import Counter
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from builders import merged, rewrite_rows
from model_server import (
    COMPLETION_TOKENS,
    PROMPT_TOKENS,
    ModelServer,
    dice,
    left_lover,
    refuse,
    say,
)
from small_studies import STUDIES

from hype.study.studies import AnyStudy

SMALL = {"rating": {"images": 1, "items": 3}}
ITEMS, QUESTIONS = 3, 3 * 3 * 2
"""Three of the six pairs, each asked on three axes and in two orders."""


@pytest.fixture
def study(tmp_path):
    return STUDIES["rating"](tmp_path, **SMALL)


def rows(study: AnyStudy, name: str = "m") -> list[dict[str, str]]:
    with (study.folder / "judges" / f"{name}.csv").open() as file:
        return list(csv.DictReader(file))


def judge(hype, study, server, *options, model="m", code=0):
    ran = hype(
        "judge",
        study.folder,
        "--endpoint",
        server.url,
        "--model",
        model,
        *("--items", ITEMS, *options),
    )
    assert ran.code == code, ran
    return ran


def test_pairs_are_asked_in_both_orders_with_their_images_and_the_study_s_words(hype, study):
    with ModelServer(left_lover) as server:
        ran = judge(hype, study, server, "--temperature", "0.5", "--seed", "7")

    assert f"{QUESTIONS} of {QUESTIONS} questions answered" in ran.out
    shown = Counter(each.images for each in server.asked)
    assert all(shown[pair[::-1]] == shown[pair] for pair in shown)
    asked = server.asked[0]
    assert "Which image is better overall?" in asked.text
    assert "caption: a " in asked.text
    assert asked.answers == ["1", "2", "3", "4", "5", "not-relevant"]
    assert (asked.body["model"], asked.body["temperature"], asked.body["seed"]) == ("m", 0.5, 7)
    labels = [part["text"] for part in asked.body["messages"][0]["content"] if "text" in part]
    assert labels[:2] == ["Image 1:", "Image 2:"]


def test_a_table_is_about_the_first_image_and_says_who_was_asked(hype, study):
    with ModelServer(left_lover) as server:
        judge(hype, study, server, "--temperature", "0")

    table = rows(study)
    assert Counter((row["first_side"], row["answer"]) for row in table) == {
        ("left", "1"): QUESTIONS // 2,
        ("right", "5"): QUESTIONS // 2,
    }
    assert {row["endpoint"] for row in table} == {f"127.0.0.1:{server.port}"}
    assert {(row["judge"], row["model"], row["parameters"]) for row in table} == {
        ("m", "m", "temperature=0 max_tokens=256")
    }
    assert {row["logprob"] for row in table} == {"-0.25"}
    assert all(row["asked"].endswith("+00:00") for row in table)


@pytest.mark.parametrize("protocol", ["comparison", "rating"])
def test_the_original_goes_along_and_a_slider_has_its_steps(hype, tmp_path, protocol):
    slider = {"kind": "slider", "lowest": 0, "highest": 10, "step": 0.5}
    of_images: dict[str, Any] = {
        "rating": {"of": "images", "axes": ["anatomy", "aesthetics"]},
        "axes": {"aesthetics": slider},
    }
    changes = of_images if protocol == "rating" else {}
    study = STUDIES[protocol](tmp_path, **merged(changes, {protocol: {"show_reference": "above"}}))
    manifest = study.stimuli_folder / "manifest.csv"
    rewrite_rows(manifest, lambda _, row: row | {"reference": "real/000.png"})
    with ModelServer(dice()) as server:
        judge(hype, study, server)

    for each in server.asked:
        names = [part["text"] for part in each.body["messages"][0]["content"] if "text" in part]
        assert names[-2] == "Original:"
        assert "The image called Original is only there to compare with." in each.text
    assert len({each.images[-1] for each in server.asked}) == 1
    if protocol == "rating":
        said = "one of the numbers from 0 (lowest) to 10 (highest): 0, 0.5, 1 and so on."
        assert sum(said in each.text for each in server.asked) == ITEMS
        answers = {row["answer"] for row in rows(study) if row["axis"] == "aesthetics"}
        assert answers <= {f"{n / 2:g}" for n in range(21)}


def test_nothing_is_asked_twice_but_other_questions_are(hype, study):
    with ModelServer(dice()) as server:
        judge(hype, study, server)
        before = rows(study)
        judge(hype, study, server)
        assert len(server.asked) == QUESTIONS
        assert rows(study) == before
        judge(hype, study, server, "--repeats", "2")
        assert len(server.asked) == 2 * QUESTIONS
        judge(hype, study, server, "--temperature", "1", "--items", "1")
        assert len(server.asked) == 2 * QUESTIONS + 6
        judge(hype, study, server, "--items", "1", model="other")
        assert len(server.asked) == 2 * QUESTIONS + 12


def test_killed_at_any_moment_it_asks_only_what_was_under_way_again(hype, study):
    program = Path(sys.executable).parent / "hype"
    command = [program, "judge", study.folder, "--model", "m", "--at-once", "3", "--items", "3"]
    with ModelServer(dice(), delay_s=0.05) as server:
        with subprocess.Popen(
            [*command, "--endpoint", server.url], stderr=subprocess.DEVNULL
        ) as program:
            while len(server.asked) < 8:
                time.sleep(0.01)
            program.send_signal(signal.SIGKILL)
        with closing(sqlite3.connect(study.folder / "judges" / "cache.sqlite")) as cache:
            query = "SELECT count(*) FROM requests WHERE reply IS NOT NULL"
            (answered,) = cache.execute(query).fetchone()
        first = len(server.asked)
        assert first - 3 <= answered <= first
        server.delay_s = 0.0
        done = judge(hype, study, server)
    times = Counter(server.answered)
    assert len(times) == QUESTIONS
    assert len(server.asked) == first + QUESTIONS - answered
    assert sum(times.values()) - QUESTIONS <= 3
    if first > answered:
        assert "sent earlier without a reply: they may have been billed" in done.err
    assert f"{QUESTIONS} of {QUESTIONS} questions answered" in done.out


def test_an_interrupt_keeps_what_was_answered(hype, study):
    def interrupt(*_: object) -> None:
        os.kill(os.getpid(), signal.SIGINT)
        time.sleep(5)  # a busy machine reacts late to the signal

    signal.signal(signal.SIGINT, signal.default_int_handler)  # background jobs ignore SIGINT
    answer = say('{"answer": "3"}')
    with ModelServer(left_lover, [answer] * 5 + [interrupt]) as server:
        ran = judge(hype, study, server, "--at-once", "1", code=1)

    assert "hype: interrupted; the answers so far are saved" in ran.err
    assert f"5 of {QUESTIONS} questions answered" in ran.out
    assert len(rows(study)) == 5


def test_refusals_and_nonsense_are_missing_and_counted(hype, study):
    faults = [
        say(None, refusal="I would rather not"),
        say("The first image is lovelier."),
        say('{"answer": "6"}'),
        say('{"answer": ["1"]}'),
        say('{"verdict": "1"}'),
        say('{"answer": "1', finish_reason="length"),
        say(""),
        say('```json\n{"answer": "2"}\n```'),
        say(" 2 "),
        say('{"answer": 2}'),
    ]
    with ModelServer(left_lover, faults) as server:
        ran = judge(hype, study, server, "--at-once", "1")

    missing = Counter(row["missing"] for row in rows(study) if row["missing"])
    assert missing == {"refused": 1, "not among the answers": 4, "cut short": 1, "empty": 1}
    assert all(row["answer"] == "" for row in rows(study) if row["missing"])
    assert sum(row["answer"] in ("2", "4") for row in rows(study)) == 3
    assert f"{QUESTIONS - 7} of {QUESTIONS} questions answered" in ran.out
    assert "4 not among the answers" in ran.out
    assert len(server.asked) == QUESTIONS


def test_what_a_server_does_not_take_is_left_out_and_said_once(hype, study):
    faults = [
        refuse(400, "logprobs is not supported by this model"),
        refuse(400, "'max_tokens' is not supported, use 'max_completion_tokens' instead"),
        refuse(422, "response_format: json_schema is not available"),
    ]
    with ModelServer(left_lover, faults) as server:
        ran = judge(hype, study, server)

    assert len(server.asked) == QUESTIONS + 3
    last = server.asked[-1].body
    assert not {"logprobs", "response_format", "max_tokens"} & set(last)
    assert last["max_completion_tokens"] == 256
    said = ran.err.split("warning")[1:]
    assert [each.split()[2:4] for each in said] == [
        ["gives", "no"],
        ["wants", "max_completion_tokens"],
        ["does", "not"],
    ]
    assert {row["logprob"] for row in rows(study)} == {""}


def test_a_key_is_in_no_file_and_no_message(hype, study, monkeypatch):
    key = "sk-very-secret-2718281828"
    monkeypatch.setenv("MY_KEY", key)
    echo = f'{{"answer": "{key}"}}'
    faults = [say(echo), *[refuse(401, f"Incorrect API key provided: {key}")] * 3]
    with ModelServer(left_lover, faults) as server:
        options = ("--key-variable", "MY_KEY", "--at-once", "1")
        ran = judge(hype, study, server, *options, code=1)
        assert {each.headers["authorization"] for each in server.asked} == {f"Bearer {key}"}

    assert "the endpoint refuses: status 401" in ran.err
    written = [path for path in study.folder.rglob("*") if path.is_file()]
    assert len(written) > 3
    assert not [path for path in written if key.encode() in path.read_bytes()]
    assert key not in ran.out + ran.err


def test_the_usual_key_goes_over_encrypted_connections_alone(hype, study, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-of-another-service")
    with ModelServer(left_lover) as server:
        judge(hype, study, server, "--items", "1")
        assert {each.headers["authorization"] for each in server.asked} == {"Bearer none"}


def test_a_budget_is_not_passed_whatever_is_under_way(hype, study):
    each = (PROMPT_TOKENS * 2 + COMPLETION_TOKENS * 8) / 1e6
    price = ("--price-in", "2", "--price-out", "8", "--image-tokens", "300")
    with ModelServer(left_lover, delay_s=0.01) as server:
        ran = judge(hype, study, server, *price, "--budget", f"{each * 9:.6f}", code=1)
        assert "the budget leaves no room for another request" in ran.err
        spent = len(server.asked) * each
        assert each * 4 < spent <= each * 9
        assert f"Requests cost {spent:,.4f} in all." in ran.out
        again = judge(hype, study, server, *price, "--budget", f"{each * 9:.6f}", code=1)
        assert f"Requests cost {spent:,.4f} in all." in again.out
        judge(hype, study, server, *price, "--budget", "1")
        assert len(server.asked) == QUESTIONS


def test_a_dry_run_asks_and_writes_nothing(hype, study):
    ran = hype(
        *("judge", study.folder, "--endpoint", "http://127.0.0.1:9/v1", "--model", "m"),
        *("--dry-run", "--price-in", "2", "--price-out", "8", "--repeats", "3"),
    )
    assert ran.code == 0
    assert f"{3 * 2 * QUESTIONS} requests, 0 already have answers" in ran.out
    assert "requests cost at most" in ran.out
    assert not (study.folder / "judges").exists()


def test_a_batch_is_written_and_its_output_read(hype, study, tmp_path):
    batch, output = tmp_path / "batch.jsonl", tmp_path / "output.jsonl"
    with ModelServer(left_lover) as server:
        judge(hype, study, server, "--items", "1")
        asked = len(server.asked)
        judge(hype, study, server, "--write-batch", batch)
        lines = [json.loads(line) for line in batch.read_text().splitlines()]
        assert len(lines) == QUESTIONS - asked
        assert {(line["method"], line["url"]) for line in lines} == {
            ("POST", "/v1/chat/completions")
        }
        replies = [
            {
                "custom_id": line["custom_id"],
                "response": {"status_code": 200, "body": completed("3")},
            }
            for line in lines[1:]
        ]
        failed = {"custom_id": lines[0]["custom_id"], "response": None, "error": {"code": "x"}}
        other = {"custom_id": "other", "response": {"status_code": 200, "body": completed("1")}}
        output.write_text("".join(json.dumps(each) + "\n" for each in [*replies, failed, other]))
        for _ in range(2):  # reading the file again changes nothing
            ran = judge(hype, study, server, "--read-batch", output)
            assert f"{len(replies)} replies taken, 1 failed, 1 of other requests" in ran.out
            assert "Not answered yet: 1" in ran.out
        assert len(server.asked) == asked
        judge(hype, study, server)
        assert len(server.asked) == asked + 1
    assert "warning" not in ran.err
    assert sum(row["answer"] == "3" for row in rows(study)) == len(replies)


def completed(answer: str) -> dict[str, object]:
    message = {"role": "assistant", "content": json.dumps({"answer": answer})}
    usage = {"prompt_tokens": 5, "completion_tokens": 5}
    return {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}


def test_a_folder_of_templates_words_the_questions(hype, study, tmp_path):
    folder = tmp_path / "wording"
    folder.mkdir()
    template = folder / "rating-pair.txt"
    template.write_text("In German, please: {{ question }} {{ levels | length }}")
    with ModelServer(left_lover) as server:
        judge(hype, study, server, "--items", "1", "--wording", folder)
        assert server.asked[0].text == "In German, please: Which image is better overall? 6"
    for text, said in (
        ("{{ nothing }}", "rating-pair.txt: 'nothing' is undefined; a template with these"),
        ("{% if %}", "rating-pair.txt: line 1: Expected an expression"),
        ("{{ ''.__class__ }}", "rating-pair.txt: access to attribute '__class__'"),
    ):
        template.write_text(text)
        refused = judge(hype, study, server, "--wording", folder, code=2)
        assert said in refused.refused()
    template.rename(folder / "ratings-pair.txt")
    assert "is not a template" in judge(hype, study, server, "--wording", folder, code=2).refused()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (("--endpoint", "ftp://x"), "--endpoint: is not an HTTP address"),
        (("--endpoint", "http://[::1/v1"), "--endpoint: is not an HTTP address"),
        (("--endpoint", "http://x:99999/v1"), "--endpoint: is not an HTTP address"),
        (("--endpoint", "http://x/v1?key=1"), "contains a user name, a password or a query"),
        (("--budget", "1"), "--budget: needs prices; --price-in and --price-out"),
        (("--price-in", "inf"), "--price-in: is inf; a number"),
        (("--key-variable", "NO_SUCH"), "--key-variable: NO_SUCH is not set"),
        (("--out", "{study}/study.toml"), "study.toml: exists, but is not a table of hype judge"),
        (("--out", "{study}"), "exists, but is not a table of hype judge"),
        (("--read-batch", "{study}/latin1.jsonl"), "latin1.jsonl: is not UTF-8 text"),
        (("--read-batch", "{study}/study.toml"), "study.toml line 1: is not a line of a batch's"),
    ],
)
def test_what_is_wrong_is_refused(hype, study, options, said):
    (study.folder / "latin1.jsonl").write_bytes(b"\xe9")
    texts = [each.format(study=study.folder) for each in options]
    given = dict(zip(texts[::2], texts[1::2], strict=True))
    given = {"--endpoint": "http://127.0.0.1:9/v1", "--model": "m"} | given
    ran = hype("judge", study.folder, *(part for pair in given.items() for part in pair))
    assert said in ran.refused()


def test_an_image_that_changed_is_not_sent(hype, study):
    for path in (study.folder / "stimuli" / "fake" / "good").rglob("*.png"):
        path.write_bytes(path.read_bytes() + b"\0")
    with ModelServer(left_lover) as server:
        ran = judge(hype, study, server, code=2)
    assert "is not the image that the manifest lists" in ran.refused()


def test_one_program_at_a_time_has_a_cache(hype, study):
    folder = study.folder / "judges"
    folder.mkdir()
    held = os.open(folder / "cache.sqlite.lock", os.O_RDWR | os.O_CREAT)
    from hype.system import lock

    lock(held)
    with ModelServer(left_lover) as server:
        ran = judge(hype, study, server, code=1)
    os.close(held)
    assert "another hype judge is asking with this cache" in ran.failed()
