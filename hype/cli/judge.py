"""`hype judge`: ask a model behind an endpoint the questions of a study."""

from __future__ import annotations

import asyncio
import os
import time
from dataclasses import dataclass
from datetime import datetime, timezone
from pathlib import Path
from random import random
from typing import Annotated, Final

from hype.answers.choices import shell_option, take_options
from hype.asking.cache import NOTHING, Cache, open_cache
from hype.asking.judging import (
    Asking,
    Bounds,
    Purse,
    answers_in,
    read_batch,
    read_prices,
    rows_of,
    sentences,
    write_batches,
)
from hype.asking.questions import read_wording
from hype.asking.requests import (
    Endpoint,
    JudgeRequest,
    Pace,
    Parameters,
    check_endpoint,
    key_in,
    requests_of,
)
from hype.cli.options import StudyPath
from hype.console import out, progress, warn
from hype.errors import HypeError, InputError
from hype.files import make_folder, write_table
from hype.protocols.load import load_any
from hype.protocols.registry import protocol_of
from hype.report.tabular import slug
from hype.study.studies import AnyStudy

FOLDER: Final = "judges"
CACHE: Final = "cache.sqlite"
LAST_COLUMN: Final = "parameters"
"""The last column of the command's tables; a table without it is never overwritten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskingOptions:
    """Which judge to ask, how to ask it, and the maximum cost."""

    endpoint: Annotated[str, shell_option("--endpoint URL", "such as http://localhost:8000/v1")]
    model: Annotated[str, shell_option("--model NAME", "the model's name on the server")]
    name: Annotated[
        str | None, shell_option("--name NAME", "name of the judge (default: the model's name)")
    ] = None
    table: Annotated[
        Path | None, shell_option("-o --out CSV", "the table (STUDY/judges/NAME.csv)")
    ] = None
    repeats: Annotated[
        int, shell_option("--repeats K", "how often each question is asked", min=1)
    ] = 1
    items: Annotated[
        int | None, shell_option("--items N", "ask about N items, spread over conditions", min=1)
    ] = None
    wording: Annotated[
        Path | None, shell_option("--wording DIR", "a folder with your own templates of questions")
    ] = None
    temperature: Annotated[
        float | None, shell_option("--temperature T", "(default: the server's)", min=0)
    ] = None
    max_tokens: Annotated[
        int, shell_option("--max-tokens N", "maximum tokens in a reply, including reasoning", min=1)
    ] = 256
    seed: Annotated[
        int | None, shell_option("--seed S", "seed of the server's random numbers", min=0)
    ] = None
    key_variable: Annotated[
        str | None,
        shell_option(
            "--key-variable VARIABLE",
            "environment variable with the key (OPENAI_API_KEY; only sent over https)",
        ),
    ] = None
    at_once: Annotated[int, shell_option("--at-once N", "requests at the same time", min=1)] = 8
    per_minute: Annotated[
        float | None, shell_option("--per-minute N", "maximum requests per minute", min=0.001)
    ] = None
    timeout: Annotated[
        float, shell_option("--timeout S", "seconds to wait for a reply", min=0.1)
    ] = 120.0
    price_in: Annotated[
        float | None, shell_option("--price-in P", "price of a million tokens of requests", min=0)
    ] = None
    price_out: Annotated[
        float | None,
        shell_option("--price-out P", "price of a million tokens of replies", min=0),
    ] = None
    budget: Annotated[
        float | None,
        shell_option("--budget B", "the maximum total cost, including earlier runs", min=0),
    ] = None
    image_tokens: Annotated[
        int,
        shell_option(
            "--image-tokens N", "tokens assumed per image until the server counts them", min=1
        ),
    ] = 1500
    dry_run: Annotated[
        bool, shell_option("--dry-run", "only print the planned requests and their cost")
    ] = False
    write_batch: Annotated[
        Path | None, shell_option("--write-batch JSONL", "write a batch, and send nothing")
    ] = None
    read_batch: Annotated[
        Path | None, shell_option("--read-batch JSONL", "read a batch's output, and send nothing")
    ] = None

    @property
    def judge(self) -> str:
        return self.name or self.model


@take_options
def judge(study: StudyPath, options: AskingOptions) -> None:
    """Ask a multimodal model a study's questions; hype score --judges reads the answers.

    Any server with the OpenAI-compatible chat protocol works: vLLM, llama.cpp or a hosted one.
    The model gets the study's images, and each pair in both orders. Replies are saved as they
    arrive: if the command is stopped, run it again, and it asks only the remaining questions. A
    reply that is not an answer becomes an empty cell, and such replies are counted. To compare the
    table with people: `hype score STUDY --judges STUDY/judges`.
    """
    prices = read_prices(options.price_in, options.price_out, options.budget)
    parameters = Parameters(
        endpoint=check_endpoint(options.endpoint),
        model=options.model,
        temperature=options.temperature,
        max_tokens=options.max_tokens,
        seed=options.seed,
    )
    loaded = load_any(study)
    wording = read_wording(options.wording)
    questions = list(protocol_of(loaded).export_kind(loaded).questions(loaded))
    if not questions:
        raise InputError(loaded.path, "has no questions for a judge")
    items = set(list(dict.fromkeys(question.item for question in questions))[: options.items])
    questions = [question for question in questions if question.item in items]
    requests = requests_of(questions, wording, parameters, options.repeats)
    table = options.table or loaded.folder / FOLDER / f"{slug(options.judge) or 'judge'}.csv"
    refuse_other(table)
    kept, bounds = loaded.folder / FOLDER / CACHE, Bounds(options.image_tokens)
    if not options.dry_run:
        make_folder(kept.parent)
    with open_cache(None if options.dry_run and not kept.exists() else kept) as cache:
        for images, tokens in cache.most_tokens(parameters):
            bounds.learn(images, tokens)
        if options.read_batch:
            known = {request.key: request for request in requests}
            words = read_batch(
                options.read_batch, known, cache, bounds, now().isoformat(timespec="seconds")
            )
            out.print(f"{options.read_batch}: {words}", markup=False)
        replies = cache.replies(requests)
        waiting = [request for request in requests if request.key not in replies]
        used, lost, unanswered = cache.count_tokens(parameters)
        spent = prices.cost(used)
        purse = Purse(prices=prices, budget=options.budget, spent=spent, lost=prices.cost(lost))
        if unanswered:
            sent = "1 request was" if unanswered == 1 else f"{unanswered:,} requests were"
            warn(f"{sent} sent earlier without a reply: they may have been billed")
        if options.dry_run:
            say_plan(requests, waiting, purse, bounds)
        elif options.write_batch:
            if not waiting:
                raise InputError("--write-batch", "all answers exist already")
            for path in write_batches(options.write_batch, waiting, loaded.image_folders):
                out.print(f"{path}: {path.stat().st_size / 1e6:,.1f} MB", markup=False)
            out.print(f"{len(waiting):,} requests; read their output with --read-batch")
        else:
            to_ask = [] if options.read_batch else waiting
            stopped = ask(to_ask, options, loaded, cache, purse, bounds)
            write(table, options.judge, requests, cache, purse)
            if stopped:
                raise HypeError(f"{stopped}; the answers so far are saved")


def refuse_other(table: Path) -> None:
    """Refuse to overwrite a table that this command did not write."""
    if not table.exists():
        return
    if table.is_file():
        with table.open(encoding="utf-8", errors="replace") as file:
            if file.readline().rstrip().endswith(LAST_COLUMN):
                return
    problem = "exists, but is not a table of hype judge"
    raise InputError(table, problem, "another name: --name or --out")


def say_plan(
    requests: list[JudgeRequest], waiting: list[JudgeRequest], purse: Purse, bounds: Bounds
) -> None:
    answered = len(requests) - len(waiting)
    out.print(f"{len(requests):,} requests, {answered:,} already have answers")
    tokens = sum(map(bounds.estimate, waiting), NOTHING)
    out.print(
        f"{len(waiting):,} to send: at most {tokens.prompt:,} tokens, and replies of at most "
        f"{tokens.completion:,} tokens"
    )
    if purse.prices.is_known:
        cost = purse.prices.cost(tokens)
        already = f"{purse.spent + purse.lost:,.2f} is already spent"
        out.print(f"these requests cost at most {cost:,.2f}; {already}")
        if purse.budget is not None and purse.spent + purse.lost + cost > purse.budget:
            out.print(f"the budget of {purse.budget:,.2f} may not pay for all requests")


def now() -> datetime:
    return datetime.now(timezone.utc)


def ask(
    waiting: list[JudgeRequest],
    options: AskingOptions,
    study: AnyStudy,
    cache: Cache,
    purse: Purse,
    bounds: Bounds,
) -> str:
    """Send the requests that have no reply yet; if some then still have none, return the reason."""
    if not waiting:
        return ""
    key = key_in(os.environ, options.key_variable, options.endpoint)
    with progress() as bar:
        title = f"asking {options.judge}"
        task = bar.add_task(title, total=len(waiting))

        def advance() -> None:
            cost = f" · {purse.spent:,.4f}" if purse.prices.is_known else ""
            bar.update(task, advance=1, description=f"{title}{cost}")

        asking = Asking(
            endpoint=Endpoint(
                url=options.endpoint, key=key, timeout_s=options.timeout, now=now, say=warn
            ),
            cache=cache,
            purse=purse,
            bounds=bounds,
            pace=Pace(per_minute=options.per_minute, clock=time.monotonic),
            stimuli=study.image_folders,
            now=now,
            draw=random,
            advance=advance,
        )
        try:
            asyncio.run(asking.ask_all(waiting, options.at_once))
        except KeyboardInterrupt:
            return "interrupted"
    if asking.stopped or not asking.failed:
        return asking.stopped
    requests = "1 request has" if asking.failed == 1 else f"{asking.failed:,} requests have"
    return f"{requests} no reply ({asking.last_failure})"


def write(
    table: Path, judge: str, requests: list[JudgeRequest], cache: Cache, purse: Purse
) -> None:
    """Write the table of all replies, and report the cost."""
    answers = answers_in(requests, cache.replies(requests))
    for sentence in sentences(len(requests), answers):
        out.print(sentence)
    if purse.prices.is_known:
        lost = f", plus at most {purse.lost:,.4f} for those without a reply" if purse.lost else ""
        out.print(f"Requests cost {purse.spent:,.4f} in all{lost}.")
    if not answers:
        return
    rows = list(rows_of(judge, answers))
    make_folder(table.parent)
    write_table(table, list(rows[0]), rows, private=False)
    out.print(f"{table}: {len(rows):,} rows", markup=False)
