"""The page on which owners of models add them; its secret link opens no other page.

A zip of images is written to the disk as it arrives. Then `hype add` adds the model in a separate
process with low priority, so that participants are served first.
"""

from __future__ import annotations

import asyncio
import json
import subprocess
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path
from threading import Thread
from typing import Final

from starlette.concurrency import run_in_threadpool
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from hype.addition import clean_up, prompts_of, require_new
from hype.errors import HypeError, InputError, SessionProblem
from hype.files import PREFIX, aside, make_folder, remove_left
from hype.session.materials import read_stimuli
from hype.stimuli.images import FORMATS, SIZE_ALLOWED
from hype.stimuli.zipped import LIMITS, MOST_PACKED_BYTES, PART_BYTES, require_room
from hype.store.record import RECORD_FILE
from hype.store.seats import hold_seat, is_taken
from hype.study.studies import AnyStudy, GrowingStudy
from hype.web.desk import key_file
from hype.web.experimenter import Access, page_in
from hype.web.tokens import ServerKey
from hype.web.wire import Json, Refused, ZipReport, report_in, require_own_page
from hype.workers import read_message, start_behind

ZIP: Final = "zip"
SEAT: Final = "page"
"""The name of the lock that lets only one zip at a time be sent and added."""
LONGEST_WAIT_S: Final = 60.0
"""The longest time without data while a zip is being sent."""
MOST_PROBLEMS: Final = 200
OTHERS: Final = "Another model is being added now; try again later."
CUT_OFF: Final = {
    "where": "",
    "problem": "The addition was interrupted, and nothing was added.",
    "allowed": "Send it again.",
}


def owners_path(key: ServerKey) -> str:
    """Return the address, with its token, of the owners' page."""
    return Access(key, "add").link


class OwnersPage:
    """The owners' page, and the requests that it sends."""

    def __init__(self, growing: GrowingStudy, key: ServerKey) -> None:
        self._growing = growing
        self._access = Access(key, "add")
        self._deliveries = Deliveries(growing)

    def routes(self) -> list[Route]:
        return self._access.routes(
            ("", self._page, "GET"),
            ("/needs", self._needs, "GET"),
            ("/state", self._state, "GET"),
            ("/check", self._check, "POST"),
            ("/images", self._take, "POST"),
        )

    def close(self) -> None:
        """Stop the running addition and remove its files."""
        self._deliveries.close()

    async def _page(self, _request: Request) -> Response:
        return page_in("add.html", self._growing.now().settings.study.name)

    async def _needs(self, _request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(lambda: needs_of(self._growing.now())))

    async def _state(self, _request: Request) -> Response:
        return JSONResponse(await run_in_threadpool(self._deliveries.state))

    async def _check(self, request: Request) -> Response:
        """Refuse a zip before it is sent, if its name or size shows that it cannot be added."""
        report = await report_in(request, ZipReport)
        with explain_errors():
            await run_in_threadpool(self._deliveries.require_possible, report.name, report.bytes)
        return JSONResponse({})

    async def _take(self, request: Request) -> Response:
        """Receive a zip, and start to add its images."""
        require_own_page(request)
        size = request.headers.get("content-length", "")
        if request.headers.get("content-type") != "application/zip" or not size.isdecimal():
            raise Refused(400, "bad", "send a zip file, with its size in the header")
        name = request.query_params.get("name", "")
        with explain_errors():
            delivery = await run_in_threadpool(self._deliveries.begin, name, int(size))
            await delivery.receive(request)
        await run_in_threadpool(delivery.start)
        return JSONResponse({}, status_code=202)


@contextmanager
def explain_errors() -> Iterator[None]:
    """If the block raises an error, answer the request with its message."""
    try:
        yield
    except InputError as error:
        allowed = f"; {error.allowed}" if error.allowed else ""
        raise Refused(409, "bad", f"{error.problem}{allowed}") from None
    except HypeError as error:
        raise Refused(409, "busy", str(error)) from None


def needs_of(study: AnyStudy) -> Json:
    """Describe what a zip of images must contain, and list the prompts of a study."""
    stimuli = read_stimuli(study)
    width, height = max(stimuli.sizes_px.values())
    counts = sorted(len(stimuli.fake(name)) for name in stimuli.conditions)
    number = f"{counts[0]:,}" if counts[0] == counts[-1] else f"{counts[0]:,} to {counts[-1]:,}"
    lines = [
        f"Only images ({', '.join(FORMATS)}), in folders or not: {LIMITS}.",
        f"Each has {width} x {height} px or more, and {SIZE_ALLOWED}. Larger images "
        "are scaled down, and cropped if they have another shape.",
        f"The other models have {number} images each.",
    ]
    if study.of_prompts:
        lines.append(
            "Each image shows one of the study's prompts, listed below. The prompt is the image's "
            "folder (a sneaker/01.png) or name (a sneaker_01.png), or is in a manifest.csv in "
            f"the zip with the columns “path” and “{study.of_prompts.prompt_column}”. Each prompt "
            f"needs {study.of_prompts.images:,} images or more."
        )
    return {"lines": lines, "prompts": sorted(prompts_of(study))}


class Deliveries:
    """The zips that are sent to a study, one at a time."""

    def __init__(self, growing: GrowingStudy) -> None:
        self._growing = growing
        study = growing.now()
        self._record = study.folder / RECORD_FILE
        self._home = key_file(study.folder).with_suffix(".adding")
        self._present: Delivery | None = None
        if not self._is_busy():
            with suppress(OSError):  # the folder does not exist yet
                remove_left(self._home, PREFIX.format(what=ZIP))

    def _is_busy(self) -> bool:
        return any(is_taken(self._record, seat) for seat in (SEAT, "add"))

    def require_possible(self, name: str, size: int) -> None:
        """Refuse a zip that could not be added now.

        Raises InputError: the model's name is taken, or the zip is too large.
        Raises SessionProblem: someone else is adding a model.
        """
        require_new(self._growing.now(), (name,))
        if size > MOST_PACKED_BYTES:
            raise InputError("zip", f"the zip has {size:,} bytes", LIMITS)
        if self._is_busy():
            raise SessionProblem(OTHERS)

    def begin(self, name: str, size: int) -> Delivery:
        """Take the lock, and make a folder for a zip.

        Raises InputError, SessionProblem: see `require_possible`; or the disk has no room.
        """
        self.require_possible(name, size)
        make_folder(self._home)
        with ExitStack() as stack:
            stack.enter_context(hold_seat(self._record, SEAT, "adding a model"))
            folder = stack.enter_context(aside(self._home, ZIP))
            require_room(Path("the zip"), folder, size)
            study = self._growing.now()
            packed = folder / "images.zip"
            self._present = Delivery(study, name, size, packed, held=stack.pop_all())
        return self._present

    def state(self) -> Json:
        """Return the state of the latest addition; empty if there was none."""
        return self._present.state() if self._present else {}

    def close(self) -> None:
        if self._present:
            self._present.end()


class Delivery:
    """A zip that is being sent and added; meanwhile, the page accepts no other zip.

    ``packed`` is the path where the zip is written.
    """

    def __init__(
        self, study: AnyStudy, name: str, size: int, packed: Path, *, held: ExitStack
    ) -> None:
        self._study, self._name, self._size = study, name, size
        self._packed, self._held = packed, held
        self._program: subprocess.Popen[str] | None = None
        self._is_ended = False
        self._work = Thread(target=self._add, daemon=True)
        self._state: Json = {"name": name, "began_unix_s": time.time(), "is_over": False}
        self._state |= {"added": False, "problems": []}
        self._state |= {"doing": "Receiving the zip", "done": 0, "of": size}

    @property
    def _progress(self) -> Path:
        """The file with the progress of the program that adds the model."""
        return self._packed.with_name("progress.json")

    def state(self) -> Json:
        state = dict(self._state)
        if not state["is_over"]:
            with suppress(OSError, ValueError):  # the program has reported nothing yet
                state |= json.loads(self._progress.read_bytes())
        return state

    async def receive(self, request: Request) -> None:
        """Write the incoming data to the disk, part by part.

        Raises Refused: the zip arrives incomplete.
        """
        try:
            came = 0
            with self._packed.open("xb") as file:
                async for part in parts_of(request):
                    came += len(part)
                    self._state["done"] = came
                    if came > self._size:
                        break
                    await run_in_threadpool(file.write, part)
            if came != self._size:
                raise Refused(400, "bad", "the zip's size differs from the announced size")
        except BaseException as error:
            self._over(problems=[CUT_OFF])
            if isinstance(error, ClientDisconnect | asyncio.TimeoutError):
                raise Refused(408, "bad", "the zip is incomplete; send it again") from None
            if isinstance(error, OSError):
                problem = f"the zip cannot be written here: {error.strerror}"
                raise Refused(507, "bad", problem) from None
            raise

    def start(self) -> None:
        self._state |= {"doing": "Looking at the zip", "done": 0, "of": 1}
        self._work.start()

    def end(self) -> None:
        """Stop the program that adds the model, if it is running, and wait until it has ended."""
        self._is_ended = True
        if self._program:
            self._program.terminate()
        if self._work.is_alive():
            self._work.join()

    def _add(self) -> None:
        problems = [CUT_OFF]
        try:
            problems = self._add_model()
        finally:
            self._over(added=not problems, problems=problems)

    def _add_model(self) -> list[Json]:
        """Add the model in a separate process; return the problems, an empty list if it worked."""
        self._program = start_behind(
            *("add", str(self._study.path.absolute())),
            *("--fake", f"{self._name}={self._packed}"),
            *("--json", "--progress", str(self._progress)),
        )
        with self._program as program:
            answer, message = program.communicate()
        if not program.returncode:
            self._state |= json.loads(answer)["added"][0]
            return []
        if program.returncode < 0 or self._is_ended:
            clean_up(self._study)
            return [CUT_OFF]
        with suppress(ValueError):
            return [self._plain(problem) for problem in json.loads(answer)["problems"]]
        return [{"where": "", "problem": read_message(message), "allowed": ""}]

    def _plain(self, problem: Json) -> Json:
        """Return the problem without this machine's file paths."""
        packed = str(self._packed)
        texts = {
            f"--fake {self._name}={packed}": "the zip",
            f"{packed}/": "",
            packed: "the zip",
            f"{self._study.folder.absolute()}/": "",
        }
        for old, new in texts.items():
            problem = {key: text.replace(old, new) for key, text in problem.items()}
        return problem

    def _over(self, *, problems: list[Json], added: bool = False) -> None:
        """Let others add a model again, and store how this addition ended."""
        files = len({problem["where"] for problem in problems})
        if (left := len(problems) - MOST_PROBLEMS) > 0:
            more = {"where": "", "problem": f"{left:,} more", "allowed": ""}
            problems = [*problems[:MOST_PROBLEMS], more]
        over = {"is_over": True, "added": added, "problems": problems, "files": files}
        try:
            self._held.close()
        finally:
            self._state |= over


async def parts_of(request: Request) -> AsyncIterator[bytes]:
    """Yield the incoming data in parts of at least `PART_BYTES`; the last may be smaller.

    Raises ClientDisconnect, TimeoutError: the connection was cut, or no data arrive.
    """
    stream, part = request.stream(), bytearray()
    while some := await asyncio.wait_for(anext(stream, b""), LONGEST_WAIT_S):
        part += some
        if len(part) >= PART_BYTES:
            yield bytes(part)
            part.clear()
    yield bytes(part)
