"""A real browser for the report: Debian's Chromium, without a window."""

import json
import os
import subprocess
import time
from contextlib import contextmanager
from pathlib import Path

import axe_playwright_python
import pytest
from programs import program
from selenium import webdriver
from selenium.webdriver.chrome.service import Service
from selenium.webdriver.common import utils
from selenium.webdriver.common.action_chains import ActionChains

FLAGS = (
    *("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "no-first-run"),
    # Chromium's own background work takes a sixth of its time.
    *("disable-background-networking", "disable-component-update", "disable-default-apps"),
    *("disable-extensions", "disable-sync"),
    "disable-features=Translate,OptimizationHints,MediaRouter",
)
AXE = Path(axe_playwright_python.__file__).with_name("axe.min.js")
VIOLATIONS = "const done = arguments[0]; axe.run().then((found) => done(found.violations))"
PATIENCE_S = 60
NARROW_PX = 500
PHONE_PX = 390
LOGS = {"browser": "ALL", "performance": "ALL"}


def until(holds):
    """Call a function until its result is true, and return the result."""
    end_s = time.monotonic() + 2 * PATIENCE_S
    while not (found := holds()):
        assert time.monotonic() < end_s
        time.sleep(0.1)
    return found


def looked_at(browser, *, width_px=PHONE_PX, scheme="light"):
    """Check that a page is accessible and fits the width of a phone."""
    browser.command("Runtime.evaluate", expression=AXE.read_text(encoding="utf-8"))
    browser.look(width_px=width_px, scheme=scheme)
    assert browser.js("document.documentElement.scrollWidth") <= width_px
    assert browser.driver.execute_async_script(VIOLATIONS) == []


CONTRASTS = r"""
(() => {
  const canvas = document.createElement('canvas').getContext('2d', {willReadFrequently: true});
  const rgba = (colour) => {
    canvas.clearRect(0, 0, 1, 1);
    canvas.fillStyle = colour;
    canvas.fillRect(0, 0, 1, 1);
    return [...canvas.getImageData(0, 0, 1, 1).data];
  };
  const linear = (v) => (v /= 255) <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4;
  const luminance = ([r, g, b]) => 0.2126 * linear(r) + 0.7152 * linear(g) + 0.0722 * linear(b);
  const ground = (element) => {
    for (; element; element = element.parentElement) {
      const colour = rgba(getComputedStyle(element).backgroundColor);
      if (colour[3] === 255) return colour;
    }
    return [255, 255, 255, 255];
  };
  const ratio = (a, b) => {
    const [dark, light] = [luminance(a), luminance(b)].sort((x, y) => x - y);
    return (light + 0.05) / (dark + 0.05);
  };
  const own = (e) => [...e.childNodes].some((n) => n.nodeType === 3 && n.textContent.trim());
  return [...document.querySelectorAll('body *')]
    .filter((e) => own(e) && e.checkVisibility() && !e.closest('script, style'))
    .map((e) => {
      const style = getComputedStyle(e);
      const colour = e.closest('svg') ? style.fill : style.color;
      return [ratio(rgba(colour), ground(e)), e.tagName, e.textContent.trim().slice(0, 40)];
    });
})()
"""
"""The contrast of all visible text with its background, by the formula of WCAG 2."""

ENOUGH = 4.5
"""The contrast that WCAG 2 demands at level AA."""


class Browser:
    """Chromium, with its console and its requests since a page was opened."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path, *, width_px=1280, scheme="light", scripts=True, media=""):
        """Open a file in the current tab, in the same renderer process; clear the logs."""
        self.clear_logs()
        self.look(width_px=width_px, scheme=scheme, media=media)
        self.command("Emulation.setScriptExecutionDisabled", value=not scripts)
        self.driver.get(Path(path).as_uri())

    def unfold(self):
        """Open all folded parts of the page."""
        self.js("document.querySelectorAll('main details').forEach((one) => { one.open = true })")

    def visit(self, address, size):
        """Open an address as a new visitor in a new tab; a narrow ``size`` means a phone."""
        self.begin_tab()
        self.driver.delete_all_cookies()
        width, height = size
        phone = width < NARROW_PX
        shape = {"width": width, "height": height, "deviceScaleFactor": 1 + phone, "mobile": phone}
        self.command("Emulation.setDeviceMetricsOverride", **shape)
        self.command("Emulation.setTouchEmulationEnabled", enabled=phone)
        self.command("Network.clearBrowserCookies")
        self.driver.get(address)

    def begin_tab(self):
        """Replace the current tab with a new one, and clear the logs."""
        before = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        opened = self.driver.current_window_handle
        self.driver.switch_to.window(before)
        self.driver.close()
        self.driver.switch_to.window(opened)
        self.clear_logs()

    def clear_logs(self):
        for name in LOGS:
            self.driver.get_log(name)

    def look(self, *, width_px=1280, height_px=900, scheme="light", media=""):
        """Set the screen's size, colour scheme and medium."""
        size = {"width": width_px, "height": height_px, "deviceScaleFactor": 1, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", **size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.command("Emulation.setEmulatedMedia", media=media, features=features)

    def command(self, name, **values):
        return self.driver.execute_cdp_cmd(name, values)

    def js(self, expression, *arguments):
        """Evaluate an expression in the page, and wait for it if it is a promise.

        Its arguments are ``arguments[0]`` and so on.
        """
        return self.driver.execute_script(f"return ({expression})", *arguments)

    def load(self, script):
        """Run a script in the page or in the selected frame."""
        self.driver.execute_script(script)

    def press(self, key):
        ActionChains(self.driver).send_keys(key).perform()

    def drop(self, selector, *folders):
        """Drop folders on an element, as a file manager does."""
        place = self.find(selector).rect
        data = {"items": [], "files": list(map(str, folders)), "dragOperationsMask": 1}
        for kind in ("dragEnter", "dragOver", "drop"):
            at = {"x": place["x"] + 20, "y": place["y"] + 20}
            self.command("Input.dispatchDragEvent", type=kind, data=data, **at)

    def source(self):
        return self.driver.page_source

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def messages(self):
        """Return the messages in the console."""
        return [f"{one['level']}: {one['message']}" for one in self.driver.get_log("browser")]

    def requests(self):
        """Return the addresses of all requests."""
        events = (
            json.loads(one["message"])["message"] for one in self.driver.get_log("performance")
        )
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]


class Loopback(Service):
    """A chromedriver with the address 127.0.0.1: a bare machine may not know ``localhost``."""

    HOST = "127.0.0.1"

    @property
    def service_url(self):
        return f"http://{self.HOST}:{self.port}"

    def is_connectable(self):
        return utils.is_connectable(self.port, self.HOST)


@contextmanager
def headless_chromium(profile, *flags):
    """Start Chromium with a profile of its own and additional flags."""
    programs = {name: program(name) for name in ("chromium", "chromedriver")}
    # Chromium also writes into the home folder, which may be read-only.
    home = {**os.environ, "HOME": str(profile)}
    with running(programs["chromium"], Path(profile), home, flags) as port:
        options = webdriver.ChromeOptions()
        options.debugger_address = f"{Loopback.HOST}:{port}"
        options.set_capability("goog:loggingPrefs", LOGS)
        driver = webdriver.Chrome(options, service=Loopback(programs["chromedriver"], env=home))
        # A click on an element that disappears may never be answered.
        driver.command_executor.client_config.timeout = PATIENCE_S
        try:
            yield Browser(driver)
        finally:
            driver.quit()


@contextmanager
def running(chromium, profile, environment, more=()):
    """Run Chromium and yield the port of its remote control."""
    said = profile / "DevToolsActivePort"
    flags = (*FLAGS, *more, "remote-debugging-port=0", f"user-data-dir={profile}")
    command = [chromium, *(f"--{flag}" for flag in flags), "about:blank"]
    with subprocess.Popen(command, env=environment, stderr=subprocess.DEVNULL) as started:
        try:
            deadline = time.monotonic() + PATIENCE_S
            while not (said.exists() and said.read_text()):
                if started.poll() is not None or time.monotonic() > deadline:
                    pytest.fail("chromium does not start", pytrace=False)
                time.sleep(0.05)
            yield int(said.read_text().split()[0])
        finally:
            started.terminate()
