"""The progress of a study, for a terminal."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from rich.console import RenderableType
from rich.text import Text

from hype.errors import quote_path
from hype.report import tabular
from hype.report.tabular import Column, is_missing
from hype.report.terminal import grid
from hype.report.wording import alpha_in_words
from hype.status.design import Facts, tally
from hype.status.looking import PAY, Status
from hype.study.phrases import describe_left_out, money, write_count

GONE: Final = {
    "full": "Turned away because their group was full: {:,}",
    "misunderstood": "Two wrong answers about the instructions: {:,}",
    "left": "Left before the end (their places go to others): {:,}",
}
SIGNS: Final = {
    "webdriver": "a program controlled the browser",
    "untrusted": "answers by a script",
    "sudden": "answers within 100 ms",
}
MOST_SHARES: Final = 12
"""The maximum number of listed shares of the comparisons, and of listed evaluators per sign."""
MOST_PEOPLE: Final = 100
"""The maximum number of evaluators in the table, which shows the latest ones."""


def parts_of(status: Status, *, last_first: bool = False) -> Iterator[RenderableType]:
    """Yield the facts about the study, then a table of evaluators if there are any.

    ``last_first``: sort evaluators by their last answer (by arrival if they have none), the latest
    first; otherwise, sort by arrival.
    """
    people: Sequence[Facts] = status.facts["evaluators"]
    if status.facts["simulated"]:
        yield Text("SIMULATED EVALUATORS: no people were asked", style="bold yellow")
    yield Text(status.study.settings.study.name, style="bold")
    yield grid(table_of_places(status))
    yield from map(Text, status_lines(status))
    if not people:
        return
    yield ""
    if last_first:
        people = sorted(
            people, key=lambda who: who["last_answered_unix_s"] or who["came_unix_s"], reverse=True
        )
    ends = (MOST_PEOPLE, 0) if last_first else (0, MOST_PEOPLE)
    yield grid(table_of_people(status, people), ends if len(people) > MOST_PEOPLE else None)
    if len(people) > MOST_PEOPLE:
        where = quote_path(status.study.path)
        yield Text(f"All evaluators: hype status {where} --json", style="dim")


def status_lines(status: Status) -> Iterator[str]:
    """Yield sentences about everything that is not in the tables."""
    facts = status.facts
    where = quote_path(status.study.path)
    if "agreement" in facts:
        alpha = facts["agreement"]
        known = alpha_in_words(alpha) if alpha else "not known yet"
        yield f"Agreement over all conditions: {known}"
    if not facts["evaluators"]:
        yield "Nobody has come yet."
        if number := facts["simulated_evaluators"]:
            came = f"{write_count(number, 'simulated evaluator')} took part"
            yield f"{came}: hype status {where} --simulated shows them."
        return
    whole, remaining, currency = facts["whole"], facts["remaining"], facts["currency"]
    for group in facts["quotas"]:
        begun = f", {group['active']} begun" if group["active"] else ""
        full = "" if group["complete"] + group["active"] < group["wanted"] else ": full"
        name = f"{group['question']} {group['group'] or 'withheld'}"
        yield f"{name}: {group['complete']} of {group['wanted']} done{begun}{full}"
    if waiting := [who["evaluator"] for who in facts["evaluators"] if who["status"] == "waiting"]:
        how = f"hype status {where} --admit CODE, or --refuse CODE"
        yield f"Waiting for you ({how}): {', '.join(waiting)}"
    yield from (words.format(whole[how]) for how, words in GONE.items() if whole[how])
    yield from describe_left_out(facts["left_out"], facts["left_out"])
    if (wanted := facts["answers_wanted"]) is not None:
        yield f"Answers: {whole['answers']:,} of {wanted:,}"
    if tested := facts["tested"]:
        passed = facts["passed"]
        yield f"{status.design.test}: {passed} of {tested} passed ({passed / tested:.0%})"
    yield from status.design.lines(facts)
    if not facts["simulated"] and (signs := [*list_signs_of_programs(facts["evaluators"])]):
        yield f"Possibly programs (their answers count like all others): {'; '.join(signs)}"
    if facts.get("enough"):
        yield f"No more evaluators are needed: {facts['enough']}"
    if needed := remaining["evaluators"]:
        begun = f"; {remaining['begun']} of them have started" if remaining["begun"] else ""
        yield f"Still needed: {write_count(needed, 'evaluator')} who finish{begun}"
        if remaining["cost"] and not facts["simulated"]:
            cost = money(round(remaining["cost"], 2), currency)
            yield f"Still to pay: about {cost}, if these people earn the mean pay"
    words = "No pay is due; people would get" if facts["simulated"] else "Pay due:"
    base, bonus, pay = (money(round(facts[f"{part}_due"], 2), currency) for part in PAY)
    yield f"{words} {pay} (base {base}, bonus {bonus})"


def list_signs_of_programs(people: Sequence[Facts]) -> Iterator[str]:
    """List the signs that a program answered, each with its evaluators."""
    for sign, words in SIGNS.items():
        if names := [who["evaluator"] for who in people if who[sign]]:
            more = f" and {len(names) - MOST_SHARES:,} more" if names[MOST_SHARES:] else ""
            yield f"{words} ({', '.join(names[:MOST_SHARES])}{more})"


def drop_empty_columns(columns: Iterable[Column], rows: Sequence[Facts]) -> tuple[Column, ...]:
    """Leave out columns that are empty in all rows."""
    return tuple(c for c in columns if not all(is_missing(c.value(row)) for row in rows))


def columns_of_place(rows: Sequence[Facts]) -> tuple[Column, ...]:
    """Return the columns that identify a place; the methods are included only if they differ."""
    columns = [
        tabular.name("Condition", "condition"),
        tabular.number("Share", "share", 0),
        tabular.name("Method", "methods", of=lambda row: " + ".join(row["methods"])),
    ]
    several = len({row["methods"] for row in rows}) > 1
    return drop_empty_columns(columns if several else columns[:2], rows)


def table_of_places(status: Status) -> tabular.Table:
    """Make a table of the progress in each place of the design, with totals."""
    whole, cells = status.facts["whole"], status.facts["cells"]
    if len(cells) > MOST_SHARES and any(cell["share"] for cell in cells):
        cells = []
    names = columns_of_place(cells)
    rows = cells if names else []
    if len(rows) != 1:
        nowhere = {"condition": None, "share": None, "methods": ()}
        rows = [*rows, whole | nowhere | ({names[0].key: "all"} if names else {})]
    numbers = {
        "Wanted": "wanted",
        "Done": "complete",
        "Begun": "active",
        **({"Not\nqual.": "unqualified"} if whole["unqualified"] else {}),
        "De-\nclined": "declined",
        "Still\nneeded": "needed",
        status.design.heading: "answers",
    }
    columns = [*names, *(tally(heading, key) for heading, key in numbers.items())]
    return tabular.tabulate(rows, name="places", title="Places", columns=columns)


def table_of_people(status: Status, people: Sequence[Facts]) -> tabular.Table:
    """Make a table of each evaluator's progress."""
    columns = [
        tabular.name("Evaluator", "evaluator"),
        *columns_of_place(people),
        tabular.name("Status", "status"),
        tally(status.design.heading, "answers"),
        *status.design.columns,
        tabular.number("Pay", "pay", 2),
    ]
    shown = drop_empty_columns(columns, people)
    return tabular.tabulate(people, name="people", title="Evaluators", columns=shown)
