"""`hype status`: who has done what, and what is owed."""

from __future__ import annotations

from dataclasses import asdict

from rich.box import SIMPLE_HEAD
from rich.table import Table

from hype.cli.options import Json, Simulated, StudyPath, out, print_json
from hype.sessions.status import Standing, standings, total_pay
from hype.store.record import RECORD_FILE, reading_record
from hype.study.load import Study, load_study

QUALIFIED = {True: "yes", False: "no", None: "–"}


def status(study: StudyPath, simulated: Simulated = False, as_json: Json = False) -> None:
    """Say who has done what, who is qualified, and what pay is due."""
    loaded = load_study(study)
    with reading_record(loaded.folder / RECORD_FILE) as engine, engine.connect() as connection:
        found = standings(connection, loaded, simulated=simulated)
    if as_json:
        print_json(
            {
                "study": str(loaded.path),
                "simulated": simulated,
                "evaluators": [asdict(standing) for standing in found],
                "pay_due": total_pay(found),
                "currency": loaded.settings.pay.currency,
            }
        )
        return
    if simulated:
        out.print("[bold yellow]SIMULATED EVALUATORS: nobody real was asked[/]")
    if not found:
        out.print("Nobody has come yet.")
        return
    out.print(table_of(loaded, found))
    out.print(f"Pay due: {loaded.settings.pay.currency}{total_pay(found):.2f}")


def table_of(study: Study, found: list[Standing]) -> Table:
    """Make the table for people."""
    table = Table(
        title=study.settings.study.name,
        title_justify="left",
        box=SIMPLE_HEAD,
        padding=(0, 1, 0, 0),
        show_edge=False,
    )
    for name in ("evaluator", "condition", "methods", "status", "qualified"):
        table.add_column(name)
    for name in ("trials", "correct", "pay"):
        table.add_column(name, justify="right")
    for s in found:
        texts = (s.evaluator, s.condition, " + ".join(s.methods), s.status, QUALIFIED[s.qualified])
        table.add_row(*texts, str(s.trials), str(s.correct), f"{s.pay:.2f}")
    return table
