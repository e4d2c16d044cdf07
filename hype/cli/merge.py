"""`hype merge`: join the records of stations without a network into the study's record."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer
from sqlalchemy import select

from hype.answers.choices import shell_option
from hype.cli.options import Json
from hype.console import err, out, print_json
from hype.errors import InputError, SessionProblem
from hype.protocols.load import load_any
from hype.protocols.registry import course_of, protocol_of
from hype.session.versions import same_version
from hype.store.columns import CODE
from hype.store.copying import join
from hype.store.record import RECORD_FILE, lock_places, record_of, transaction
from hype.store.schema import evaluators
from hype.store.sqlite_record import SqliteRecord
from hype.study.phrases import write_count
from hype.verify.record import verify_record


def merge(
    study: Annotated[
        Path, typer.Argument(metavar="INTO", help="the study whose record receives the others")
    ],
    sources: Annotated[
        list[Path],
        typer.Argument(metavar="FROM…", help="records: data.sqlite files, or their folders"),
    ],
    prefix: Annotated[
        str,
        shell_option("--prefix NAME-", "put this in front of codes that both records contain"),
    ] = "",
    as_json: Json = False,
) -> None:
    """Join the records of stations without a network into the study's record.

    Each record is verified first. If one is refused, none is joined. The command can be repeated:
    it skips evaluators who are already there, and updates those who have continued since.
    """
    if prefix and not CODE.fullmatch(prefix):
        allowed = "letters, digits, '_' and '-'"
        raise InputError("--prefix", f"{prefix!r} cannot be the start of a code", allowed)
    loaded = load_any(study)
    records = [SqliteRecord(path / RECORD_FILE if path.is_dir() else path) for path in sources]
    with err.status("Checking the records"):
        for record in records:
            verified = verify_record(loaded, protocol_of(loaded).row, course_of, record)
            if faults := verified.faults:
                number, first = len(faults), faults[0].message
                problem = f"{record.where}: {number} faults, such as: {first}; nothing was joined"
                raise SessionProblem(f"{problem}; hype verify lists the faults")
    joined: dict[str, dict[str, int]] = {}
    with record_of(loaded).writing() as engine, transaction(engine) as target:
        lock_places(target)
        for record in records:
            with record.reading() as reading, reading.connect() as source:
                for simulated in (False, True):
                    given = same_version(source, loaded, simulated=simulated)
                    others = evaluators.c.study.not_in(given)
                    whose = select(evaluators.c.evaluator).where(
                        evaluators.c.simulated == simulated, others
                    )
                    if (other := source.execute(whose.limit(1)).scalar()) is not None:
                        problem = f"{other!r} took part in a different study than {loaded.path}"
                        allowed = "only records of the same study can be joined"
                        raise InputError(record.where, problem, allowed)
                joined[record.where] = join(source, target, where=record.where, prefix=prefix)
    if as_json:
        rows = [{"record": where, **each} for where, each in joined.items()]
        print_json({"study": str(loaded.path), "records": rows})
        return
    for where, each in joined.items():
        added = write_count(each["added"], "evaluator")
        line = f"{where}: {added} added, {each['already_there']} already there"
        out.print(f"{line}, {each['gone_on']} updated", markup=False, soft_wrap=True)
