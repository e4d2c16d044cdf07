"""The results of all faults, added up over all test processes and printed at the end."""

from collections.abc import Callable
from dataclasses import asdict, dataclass

import pytest


@dataclass
class Figures:
    """The results of one kind of fault."""

    faults: int = 0
    kills: int = 0
    refusals: int = 0
    interrupted: int = 0
    sessions: int = 0
    lost: int = 0
    duplicates: int = 0

    def __add__(self, other: "Figures") -> "Figures":
        here, there = asdict(self), asdict(other)
        return Figures(**{name: here[name] + there[name] for name in here})

    def __str__(self) -> str:
        return (
            f"{self.faults} faults in {self.sessions} sessions: {self.kills} kills survived, "
            f"{self.refusals} ended with a message, {self.interrupted} trials interrupted; "
            f"trials lost: {self.lost}, duplicates: {self.duplicates}"
        )


TALLY = pytest.StashKey[dict[str, Figures]]()
OUTPUT = "faults"


def tally_of(config: pytest.Config) -> dict[str, Figures]:
    """Return the counts of this process, by kind of fault."""
    return config.stash.setdefault(TALLY, {})


@pytest.fixture(scope="session")
def figures(request: pytest.FixtureRequest) -> Callable[[str], Figures]:
    """Return a function that gives the counts of a kind of fault, to which a test adds."""
    tally = tally_of(request.config)
    return lambda kind: tally.setdefault(kind, Figures())


def pytest_sessionfinish(session: pytest.Session) -> None:
    """Send the counts to the main process if this is a worker."""
    output = getattr(session.config, "workeroutput", None)
    if output is not None:
        output[OUTPUT] = {kind: asdict(each) for kind, each in tally_of(session.config).items()}


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node) -> None:
    """Add the counts of a worker; a worker that died has none."""
    tally = tally_of(node.config)
    for kind, counted in getattr(node, "workeroutput", {}).get(OUTPUT, {}).items():
        tally[kind] = tally.get(kind, Figures()) + Figures(**counted)


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    tally = tally_of(terminalreporter.config)
    if not tally:
        return
    terminalreporter.section("faults injected")
    for kind, each in tally.items():
        terminalreporter.write_line(f"{kind}: {each}")
    terminalreporter.write_line(f"together: {sum(tally.values(), Figures())}")
