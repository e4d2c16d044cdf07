"""A browser, and a report that has everything."""

import pytest
from browser import headless_chromium
from full_report import write_full_report


@pytest.fixture(scope="session")
def browser(tmp_path_factory):
    """One browser for all tests of the page."""
    with headless_chromium(tmp_path_factory.mktemp("chromium")) as started:
        yield started


@pytest.fixture(scope="session")
def full_report(tmp_path_factory):
    """A report that has every section."""
    return write_full_report(tmp_path_factory.mktemp("report") / "report.html")
