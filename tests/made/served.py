"""A study's server inside the test, and clients that act like browsers or break the rules."""

import asyncio
import json
import threading
from contextlib import ExitStack, contextmanager

import uvicorn
from sqlalchemy import select

from hype.store.record import ignore, record_of
from hype.web.app import CONNECTIONS, StudyServer
from hype.web.connections import Connection
from hype.web.desk import FileDesk, TableDesk, key_file
from hype.web.serving import KEEP_ALIVE_S
from hype.web.simulated import Client, callbacks_of, sit_report
from hype.web.tokens import ServerKey

KEY = ServerKey(b"k" * 32)
HOST = "127.0.0.1"


@contextmanager
def listening(study, port=0, *, pilot=False, **tls):
    """Serve a study, on a free port if none is given, and yield the port."""
    with record_of(study).writing(CONNECTIONS) as engine:
        beside = FileDesk(key_file(study.folder), study.folder.parent / "people.csv")
        desk = TableDesk(engine) if study.store else beside
        app = StudyServer(study, engine, KEY, desk, ignore, pilot=pilot).app()
        with answering(app, port, **tls) as listening_at:
            yield listening_at


@contextmanager
def answering(app, port=0, **tls):
    """Serve an application, with TLS if ``tls`` has uvicorn's options for it."""
    config = uvicorn.Config(
        app,
        host=HOST,
        port=port,
        http=Connection,
        log_level="warning",
        timeout_keep_alive=KEEP_ALIVE_S,
        **tls,
    )
    server = uvicorn.Server(config)
    started = threading.Event()

    async def serve():
        task = asyncio.create_task(server.serve())
        while not server.started and not task.done():
            await asyncio.sleep(0.01)
        started.set()
        await task

    thread = threading.Thread(target=lambda: asyncio.run(serve()))
    thread.start()
    started.wait(60)
    try:
        yield server.servers[0].sockets[0].getsockname()[1]
    finally:
        server.should_exit = True
        thread.join()


@contextmanager
def served(study, *, pilot=False):
    """Serve a study, and yield a function that opens a browser's tab."""
    with listening(study, pilot=pilot) as port, ExitStack() as stack:

        def tab(code="sim-1", *, simulated=True):
            opened = Tab(port, code, simulated=simulated)
            stack.callback(opened.client.close)
            return opened

        yield tab


class Tab:
    """A page in an evaluator's browser: its seat, and the step that it shows."""

    def __init__(self, port, code, *, simulated):
        self.client = Client(HOST, port)
        self.client._cookie = f"hype={KEY.cookie(code, simulated=simulated)}"
        self.seat = self.step = None

    def sit(self, **display):
        status, body = self.ask("/api/sit", sit_report(**display))
        if status == 200:
            self.seat, self.step = body["seat"], body["step"]
        return status, body

    def report(self, **changes):
        """Return the page's report on its step: "accept" if possible, or else the first answer."""
        step = self.step
        answers = [button["answer"] for button in step.get("buttons", [])]
        answer = "accept" if "accept" in answers else next(iter(answers), "")
        told = {"seat": self.seat, "step": step["id"], "answer": answer, "rt_ms": 700.0}
        if step["kind"] == "flash":
            told["callbacks"] = callbacks_of([one["frames"] for one in step["pictures"]])
        return told | changes

    def answer(self, **changes):
        return self.told(self.ask("/api/step", self.report(**changes)))

    def pause(self, **changes):
        paused = {"seat": self.seat, "step": self.step["id"], "for_ms": 10.0, "why": "hidden"}
        return self.told(self.ask("/api/pause", paused | changes))

    def told(self, reply):
        status, body = reply
        if status == 200:
            self.step = body["step"]
        return status, body

    def ask(self, address, report):
        content = report if isinstance(report, str) else json.dumps(report)
        status, _, answer = self.client._ask("POST", address, content)
        return status, json.loads(answer)

    def go_to(self, *kinds):
        """Answer until the page shows a step of one of these kinds."""
        while self.step["kind"] not in kinds:
            assert self.step["kind"] != "end"
            status, body = self.answer()
            assert status == 200, body
        return self.step


def rows_of(study, table):
    """Return all rows of a table of a study's record, in order."""
    with record_of(study).reading() as record, record.connect() as connection:
        return connection.execute(select(table).order_by(table.c.id)).mappings().all()
