"""A person who takes part with a real browser: reads the page, presses keys and clicks."""

import time
from functools import cached_property
from importlib.metadata import distribution

from selenium.common.exceptions import WebDriverException
from selenium.webdriver.common.keys import Keys

PATIENCE_S = 120
"""The longest wait on a busy machine."""
PHONE, LAPTOP, LARGE = (360, 740), (1366, 768), (3840, 2160)
SEEN = """(() => {
  const view = document.querySelector('dialog') ?? document.querySelector('section:not(.unseen)');
  const seen = (element) => element.checkVisibility({visibilityProperty: true});
  if (!view || view.querySelector('.chosen, .waiting')) return null;
  const choices = 'button.choice:not([disabled], .order > *)';
  const buttons = [...view.querySelectorAll(choices)].filter(seen);
  return {
    kind: view.tagName === 'DIALOG' ? 'pause' : view.className.split(' ')[0],
    title: view.querySelector('h1')?.textContent ?? '',
    buttons,
    labels: buttons.map((button) => button.textContent),
    caps: buttons.map((button) => button.querySelector('kbd')?.textContent ?? ''),
    awaited: view.matches('.awaited, .exposing'),
  };
})()"""
READ = "document.activeElement.closest('section').querySelector('.name + header, .name + h1')"
WIDE = "document.documentElement.scrollWidth - innerWidth"
VIOLATIONS = """axe.run().then((found) =>
  found.violations.map(({id, nodes}) => [id, nodes.map(({html}) => html)]))"""
KEYS = {"Space": Keys.SPACE, "Backspace": Keys.BACKSPACE}
AXE = distribution("axe-playwright-python").locate_file("axe_playwright_python/axe.min.js")


class Visitor:
    """A person with a browser's tab of a given size at a study's server. With ``looks``, each new
    view is examined.
    """

    def __init__(self, browser, port, size=LAPTOP, *, looks=True):
        self.browser = browser
        self.address = f"http://127.0.0.1:{port}/"
        self.size = size
        self.looks = looks
        self.seen = []
        self.answers = 0

    def come(self):
        """Open the study's link as a new visitor."""
        self.browser.visit(self.address, self.size)
        return self

    def now(self):
        """Wait until the view shows something to answer or to read, and return it."""
        return self.until(lambda: self.browser.js(SEEN))

    def until(self, look):
        """Call a function until its result is true, and return the result."""
        deadline = time.monotonic() + PATIENCE_S
        while time.monotonic() < deadline:
            try:
                if found := look():
                    return found
            except WebDriverException:
                pass  # the page was replaced
            time.sleep(0.05)
        raise AssertionError(f"there was no result for the page {self.browser.source()}")

    def until_seen(self, kind, title=""):
        """Wait for a view without answering."""

        def look():
            view = self.browser.js(SEEN)
            return view if view and self.is_at(view, kind, title) else None

        return self.until(look)

    def go_to(self, kind, title=""):
        """Answer until a view appears."""
        since, answers = time.monotonic(), self.answers
        while not self.is_at(view := self.now(), kind, title):
            self.answer(view)
            if self.answers > answers:
                since, answers = time.monotonic(), self.answers
            assert time.monotonic() < since + PATIENCE_S, view
        return view

    @staticmethod
    def is_at(view, kind, title):
        return view["kind"] == kind and title in view["title"]

    def answer_one(self):
        """Wait for a view and answer it."""
        answers = self.answers
        while self.answers == answers:
            self.answer(self.now())

    def answer(self, view):
        """Answer a view, in turn by key and by click; wait if it has nothing to answer."""
        if not view["awaited"] and (view["kind"], view["title"]) not in self.seen:
            self.seen.append((view["kind"], view["title"]))
            if self.looks:
                self.look_closely(view)
        if not view["buttons"] or view["awaited"]:
            time.sleep(0.05)
            return
        place = self.answers % len(view["buttons"]) if view["kind"] == "trial" else 0
        try:
            key = self.key_of(view["caps"][place]) if self.answers % 2 else None
            if key:
                self.browser.press(key)
            else:
                view["buttons"][place].click()
            self.answers += 1
        except WebDriverException:
            pass  # the page was replaced

    @staticmethod
    def key_of(cap):
        """Return the key that a cap names, or None if it names no single key."""
        *_, last = cap.rsplit(" ", 1)
        return KEYS.get(last) or (last.lower() if len(last) == 1 and last.isalnum() else None)

    def look_closely(self, view):
        """Check that nothing is outside the window, and that axe finds no violations.

        A short verdict may disappear before axe has finished; then its findings do not count.
        """
        assert self.browser.js(WIDE) <= 0, view
        assert view["kind"] not in ("page", "trial") or self.browser.js(READ), view  # with Orca
        if found := self.violations():
            now = self.browser.js(SEEN)
            assert not now or now["title"] != view["title"], (view, found)

    def violations(self):
        self.browser.load(self.axe)  # also for a page in a frame
        return self.browser.js(VIOLATIONS)

    @cached_property
    def axe(self):
        return AXE.read_text(encoding="utf-8")
