"""A real browser for the report: Debian's Chromium, without a window."""

from __future__ import annotations

import json
import os
import shutil
from contextlib import contextmanager
from pathlib import Path

import pytest
from selenium import webdriver
from selenium.webdriver.chrome.service import Service

FLAGS = ("headless=new", "no-sandbox", "disable-gpu", "disable-dev-shm-usage", "no-first-run")
LOGS = {"browser": "ALL", "performance": "ALL"}


class Browser:
    """Chromium, and what it said and asked for since a page was opened."""

    def __init__(self, driver):
        self.driver = driver

    def open(self, path, *, width_px=1280, scheme="light", scripts=True, media=""):
        """Open a file in a tab of its own; the logs begin anew."""
        before = self.driver.current_window_handle
        self.driver.switch_to.new_window("tab")
        opened = self.driver.current_window_handle
        self.driver.switch_to.window(before)
        self.driver.close()
        self.driver.switch_to.window(opened)
        self.look(width_px=width_px, scheme=scheme, media=media)
        self.command("Emulation.setScriptExecutionDisabled", value=not scripts)
        for name in LOGS:
            self.driver.get_log(name)
        self.driver.get(Path(path).as_uri())

    def look(self, *, width_px=1280, scheme="light", media=""):
        """Set what the page is shown on."""
        size = {"width": width_px, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.command("Emulation.setDeviceMetricsOverride", **size)
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.command("Emulation.setEmulatedMedia", media=media, features=features)

    def command(self, name, **values):
        return self.driver.execute_cdp_cmd(name, values)

    def js(self, expression, *arguments):
        """Evaluate an expression in the page; its arguments are ``arguments[0]`` and so on."""
        return self.driver.execute_script(f"return ({expression})", *arguments)

    def find(self, selector):
        return self.driver.find_element("css selector", selector)

    def messages(self):
        """What stands in the console."""
        return [f"{one['level']}: {one['message']}" for one in self.driver.get_log("browser")]

    def requests(self):
        """The addresses that anything was asked of."""
        events = (
            json.loads(one["message"])["message"] for one in self.driver.get_log("performance")
        )
        return [
            event["params"]["request"]["url"]
            for event in events
            if event["method"] == "Network.requestWillBeSent"
        ]


@contextmanager
def headless_chromium(profile):
    """Start Chromium with a profile of its own; fails, and does not skip, where it is missing."""
    programs = {name: shutil.which(name) for name in ("chromium", "chromedriver")}
    missing = [name for name, path in programs.items() if not path]
    if missing:
        pytest.fail(f"{' and '.join(missing)} not found: `make test` installs them", pytrace=False)
    options = webdriver.ChromeOptions()
    options.binary_location = programs["chromium"]
    for flag in (*FLAGS, f"user-data-dir={profile}"):
        options.add_argument(f"--{flag}")
    options.set_capability("goog:loggingPrefs", LOGS)
    # Chromium leaves things in the home as well, which need not be writable.
    home = {**os.environ, "HOME": str(profile)}
    driver = webdriver.Chrome(options, service=Service(programs["chromedriver"], env=home))
    try:
        yield Browser(driver)
    finally:
        driver.quit()
