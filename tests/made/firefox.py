"""Debian's Firefox, controlled by WebDriver BiDi, with the methods of `browser.Browser`."""

import base64
import json
import os
import subprocess
import time
from collections import deque
from contextlib import closing, contextmanager, suppress
from pathlib import Path

import pytest
from browser import PATIENCE_S
from programs import program
from selenium.common.exceptions import WebDriverException
from websocket import create_connection

EVENTS = ("log.entryAdded", "network.beforeRequestSent")
PREFERENCES = {
    "app.update.auto": False,
    "browser.shell.checkDefaultBrowser": False,
    "datareporting.policy.dataSubmissionEnabled": False,
    "toolkit.telemetry.reportingpolicy.firstRun": False,
}
POINTER = {"pointerType": "mouse"}


class Element:
    """An element of a page."""

    def __init__(self, browser, shared):
        self.browser, self.shared = browser, shared

    def click(self):
        """Move the mouse to the element and click."""
        origin = {"type": "element", "element": self.shared}
        moves = {"type": "pointerMove", "x": 0, "y": 0, "origin": origin}
        presses = [{"type": kind, "button": 0} for kind in ("pointerDown", "pointerUp")]
        self.browser.act(
            {"type": "pointer", "id": "mouse", "parameters": POINTER, "actions": [moves, *presses]}
        )


class Firefox:
    """One tab of Firefox, with its console and its requests since it was opened."""

    def __init__(self, socket):
        self.socket = socket
        self.events = deque()
        self.number = 0
        self.command("session.new", capabilities={})
        self.command("session.subscribe", events=list(EVENTS))
        self.tab = self.command("browsingContext.getTree")["contexts"][0]["context"]

    def command(self, method, **parameters):
        """Send a command to Firefox and return its result."""
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        self.socket.send(json.dumps(message))
        while True:
            answer = json.loads(self.socket.recv())
            if answer.get("type") == "event":
                self.events.append((answer["method"], answer["params"]))
            elif answer.get("id") == self.number:
                if answer["type"] == "error":
                    raise WebDriverException(f"{method}: {answer['error']}: {answer['message']}")
                return answer["result"]

    def visit(self, address, size):
        """Open an address as a new visitor in a new tab; clear the logs."""
        before, self.tab = self.tab, self.command("browsingContext.create", type="tab")["context"]
        self.command("browsingContext.close", context=before)
        self.command("storage.deleteCookies")
        width, height = size
        shape = {"width": width, "height": height}
        self.command("browsingContext.setViewport", context=self.tab, viewport=shape)
        self.events.clear()
        self.go(address)

    def go(self, address):
        self.command("browsingContext.navigate", context=self.tab, url=address, wait="interactive")

    def refresh(self):
        self.command("browsingContext.reload", context=self.tab, wait="interactive")

    def js(self, expression):
        """Evaluate an expression in the page, and wait for it if it is a promise."""
        said = self.command(
            "script.evaluate",
            expression=expression,
            target={"context": self.tab},
            awaitPromise=True,
        )
        if said["type"] == "exception":
            raise WebDriverException(said["exceptionDetails"]["text"])
        return self.value(said["result"])

    def load(self, script):
        """Run a script in the page, even if the page forbids scripts."""
        self.js(f"{script}\n0")

    def value(self, told):
        """Convert a value from Firefox to a Python value."""
        match told:
            case {"type": "array", "value": some}:
                return [self.value(one) for one in some]
            case {"type": "object", "value": some}:
                return {name: self.value(one) for name, one in some}
            case {"type": "node"}:
                return Element(self, {"sharedId": told["sharedId"]})
        return told.get("value")

    def press(self, key):
        presses = [{"type": kind, "value": key} for kind in ("keyDown", "keyUp")]
        self.act({"type": "key", "id": "keyboard", "actions": presses})

    def act(self, *sources):
        self.command("input.performActions", context=self.tab, actions=list(sources))

    def find(self, selector):
        return self.js(f"document.querySelector({json.dumps(selector)})")

    def source(self):
        return self.js("document.documentElement.outerHTML")

    def picture(self, path):
        """Write a screenshot to a PNG file."""
        shot = self.command("browsingContext.captureScreenshot", context=self.tab)
        Path(path).write_bytes(base64.b64decode(shot["data"]))

    def messages(self):
        """Return the messages in the console."""
        return [f"{told['level']}: {told['text']}" for told in self.told("log.entryAdded")]

    def requests(self):
        """Return the addresses of all requests."""
        return [told["request"]["url"] for told in self.told("network.beforeRequestSent")]

    def told(self, method):
        self.js("0")  # all earlier events have now arrived
        return [parameters for name, parameters in self.events if name == method]


@contextmanager
def running_firefox(profile, *flags, environment=None):
    """Start Firefox with a profile of its own, and yield its first tab."""
    profile = Path(profile)
    lines = (f"user_pref({json.dumps(k)}, {json.dumps(v)});\n" for k, v in PREFERENCES.items())
    (profile / "user.js").write_text("".join(lines))
    command = [program("firefox-esr"), *flags, "--remote-debugging-port=0", "--no-remote"]
    command += ["--profile", str(profile), "about:blank"]
    home = (environment or os.environ) | {"HOME": str(profile)}
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    with subprocess.Popen(command, env=home, **quiet) as started:
        try:
            address = address_of(profile / "WebDriverBiDiServer.json", started)
            # Firefox refuses connections that name an origin.
            with closing(create_connection(address, PATIENCE_S, suppress_origin=True)) as socket:
                yield Firefox(socket)
        finally:
            started.terminate()


def address_of(said, started):
    """Wait until Firefox has written the address of its remote control, and return it."""
    deadline = time.monotonic() + PATIENCE_S
    while started.poll() is None and time.monotonic() < deadline:
        with suppress(OSError, ValueError):
            told = json.loads(said.read_text())
            return f"ws://{told['ws_host']}:{told['ws_port']}/session"
        time.sleep(0.05)
    pytest.fail("firefox does not start", pytrace=False)
