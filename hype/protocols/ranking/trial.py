"""A group of images put in order: the acts that make a ranking, and the plan of a session.

Images of one prompt are ranked from the best to the worst. Wu et al. (2023), "Human Preference
Score v2", section 3.3. A ranking is made act by act, each a trial of its own: an image is placed
next, the next one is to share its place, one that has a place moves to another, the last one is
taken back, the whole is accepted. What stands is a function of the acts, so that nothing is lost
but the act that was not made.
"""

from __future__ import annotations

import hashlib
import string
from collections import Counter
from collections.abc import Collection, Generator, Iterator, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from itertools import count
from typing import Final

from hype.protocols.prompted.trial import BlockResult, Candidate, PromptedPlan, name_of
from hype.session.loop import Answered
from hype.session.plans import follow_up
from hype.session.steps import (
    Outcome,
    Page,
    PictureRequest,
    Step,
    Trial,
    TrialName,
    checksum_of,
    images_at,
)

MOST_RANKED: Final = 12
"""Images of a group: as many as fit on a screen and into a mind."""
LETTERS: Final = string.ascii_uppercase[:MOST_RANKED]
"""What the images of a group are called on the screen, in the order in which they are shown."""


class RankingTask(str, Enum):
    """What a ranking is for.

    ``ranking`` alone is scored. ``test``: everybody ranks these groups first, checkers too.
    ``check``: a checker ranks again what another evaluator has ranked.
    """

    PRACTICE = "practice"
    TEST = "test"
    RANKING = "ranking"
    CHECK = "check"


class Act(str, Enum):
    """The actions besides placing an image, which is called by its letter."""

    TIE = "tie"
    UNDO = "undo"
    ACCEPT = "accept"


@dataclass(frozen=True, slots=True)
class PartialRanking:
    """How far a ranking is: images by their letters, the best first, equals together.

    ``tying`` says that the next image shares the place of the last one.
    """

    tiers: tuple[str, ...] = ()
    tying: bool = False

    def __str__(self) -> str:
        """Write it down: ``B>AD`` says that B is best, and A and D come next as equals.

        At the end stands ``=`` where the next image shares the last place.
        """
        return ">".join(self.tiers) + ("=" if self.tying else "")

    @classmethod
    def read(cls, text: str) -> PartialRanking:
        """Read what `__str__` wrote."""
        tiers = text.removesuffix("=").split(">") if text else []
        return cls(tuple(tiers), tying=text.endswith("="))

    @property
    def placed(self) -> str:
        return "".join(self.tiers)

    def ranks(self) -> dict[str, int]:
        """Return the rank of each image that has one: 1 is best, equals share, and the next waits.

        After two firsts comes the third.
        """
        ranks = {}
        before = 0
        for tier in self.tiers:
            ranks.update(dict.fromkeys(tier, before + 1))
            before += len(tier)
        return ranks

    def place(self, letter: str) -> PartialRanking:
        if self.tying:
            return PartialRanking((*self.tiers[:-1], self.tiers[-1] + letter))
        return PartialRanking((*self.tiers, letter))

    def undo(self) -> PartialRanking:
        """Take the last image away again, or else the wish that the next shares its place."""
        if self.tying:
            return replace(self, tying=False)
        *before, last = self.tiers
        return (
            PartialRanking((*before, last[:-1])) if len(last) > 1 else PartialRanking(tuple(before))
        )

    def moves(self) -> dict[str, PartialRanking]:
        """Return what would stand after each move of an image to another place.

        ``B2`` makes B the second, alone. Nothing moves while the next image is to share a place.
        """
        moves = {}
        for letter in "" if self.tying else self.placed:
            others = [rest for tier in self.tiers if (rest := tier.replace(letter, ""))]
            for place in range(len(others) + 1):
                moved = PartialRanking((*others[:place], letter, *others[place:]))
                if moved != self:
                    moves[f"{letter}{place + 1}"] = moved
        return moves

    def steps_up(self) -> dict[str, str]:
        """Return, for each image that is not the first alone, the move to one place before."""
        moves = self.moves()
        ups = {
            letter: f"{letter}{place + (len(tier) > 1)}"
            for place, tier in enumerate(self.tiers)
            for letter in tier
        }
        return {letter: up for letter, up in ups.items() if up in moves}

    def after(self, act: str) -> PartialRanking:
        """Return what stands after an act; accepting it, and what is no act, changes nothing."""
        if act == Act.UNDO.value:
            return self.undo() if self.tiers else self
        if act == Act.TIE.value:
            return replace(self, tying=True)
        if act in tuple(LETTERS):
            return self.place(act)
        return self.moves().get(act, self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Images of one prompt that are ranked together, in the order in which they are shown."""

    prompt: str
    images: tuple[Candidate, ...]

    @property
    def name(self) -> str:
        """What it is called, in whatever order it is shown: 12 digits of its checksums."""
        return name_of(self.prompt, *sorted(image.sha256 for image in self.images))

    @property
    def pictures(self) -> tuple[PictureRequest, ...]:
        return images_at(*(image.path for image in self.images))

    @property
    def letters(self) -> str:
        return LETTERS[: len(self.images)]

    def image(self, letter: str) -> Candidate:
        return self.images[self.letters.index(letter)]

    @property
    def sha256(self) -> str:
        """SHA-256 (hex) over the images' checksums in the order in which they are shown."""
        return hashlib.sha256(" ".join(image.sha256 for image in self.images).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingTrial(Trial):
    """The next act on a group.

    ``number``: acts are counted through the whole block.
    """

    task: RankingTask
    group: Group  # what is ranked
    standing: PartialRanking  # what is placed already
    ties: bool  # whether images may share a place
    best: Collection[str] = ()  # the paths of the best images of a test, where they are known

    def done_after(self, answer: str, /) -> float:
        """Return the share of its block done once it is accepted; 0 (no change) for other acts."""
        return self.done if answer == Act.ACCEPT.value else 0.0

    @property
    def fingerprint(self) -> str:
        """The images in their order, and what is placed already."""
        return fingerprint_of(self.group.sha256, str(self.standing))

    @property
    def pictures(self) -> tuple[PictureRequest, ...]:
        return self.group.pictures

    @property
    def unplaced(self) -> str:
        return "".join(c for c in self.group.letters if c not in self.standing.placed)

    @property
    def answers(self) -> tuple[str, ...]:
        """The same as `acts`, what leads on before what takes back."""
        return tuple(sorted(self.acts, key=Act.UNDO.value.__eq__))

    @property
    def acts(self) -> tuple[str, ...]:
        """What can be done: place an image, one of `Act`, or move an image that has a place."""
        begun = bool(self.standing.tiers)
        may_tie = self.ties and begun and bool(self.unplaced) and not self.standing.tying
        return (
            *self.unplaced,
            *([Act.TIE.value] if may_tie else []),
            *([Act.UNDO.value] if begun else []),
            *([] if self.unplaced else [Act.ACCEPT.value]),
            *self.standing.moves(),
        )

    @property
    def is_right(self) -> bool:
        """Whether all that stands first is among the best."""
        first = self.standing.tiers[0] if self.standing.tiers else ""
        return bool(first) and {self.group.image(c).path for c in first} <= {*self.best}

    def after(self, act: str) -> PartialRanking | None:
        """Return what stands after an act; None once the ranking is accepted.

        What cannot be done, as a damaged record may have it, changes nothing.
        """
        if act not in self.acts:
            return self.standing
        return None if act == Act.ACCEPT.value else self.standing.after(act)


def fingerprint_of(shown: str, standing: str) -> str:
    """Return what is shown: the images in order, by `Group.sha256`, and which have a place."""
    return f"{shown} {standing}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingBlock:
    """Groups between two rests, in order."""

    number: int
    groups: tuple[Group, ...]
    task: RankingTask = RankingTask.RANKING

    @property
    def page(self) -> Page:
        if self.task is RankingTask.PRACTICE:
            return Page.PRACTICE
        return Page.TEST if self.task is RankingTask.TEST else Page.BLOCK

    @property
    def size(self) -> int:
        return len(self.groups)


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingPlan(PromptedPlan):
    """What one evaluator will rank, in order; ``best`` as in `RankingTrial`."""

    blocks: tuple[RankingBlock, ...]
    ties: bool
    best: frozenset[str] = frozenset()

    def ask(self, block: RankingBlock) -> Generator[Step, Outcome, BlockResult]:
        """Yield the acts of a block."""
        numbers, right = count(1), 0
        best = self.best if block.task is RankingTask.TEST else ()
        for place, group in enumerate(block.groups, start=1):
            standing: PartialRanking | None = PartialRanking()
            while standing is not None:
                trial = RankingTrial(
                    task=block.task,
                    block=block.number,
                    number=next(numbers),
                    group=group,
                    standing=standing,
                    ties=self.ties,
                    done=place / len(block.groups),
                    best=best,
                )
                outcome = yield trial
                standing = trial.after(outcome.answer)
            yield from follow_up(self.follow_ups, trial, scored=block.task is RankingTask.RANKING)
            right += trial.is_right
        paid = 0 if block.task is RankingTask.PRACTICE else len(block.groups)
        return BlockResult(paid=paid, right=right, known=len(block.groups) if best else 0)

    def shown(self) -> Iterator[tuple[TrialName, tuple[Candidate, ...]]]:
        """Yield the groups in order, each as if it took one act, with its images."""
        for block in self.blocks:
            for number, group in enumerate(block.groups, start=1):
                yield TrialName(block.task.value, block.number, number), group.images

    def upcoming(self, answered: Sequence[Answered] = ()) -> Iterator[PictureRequest]:
        """Yield what the groups that are still to be accepted will need."""
        accepted = Counter(
            past.name[:2] for past in answered if past.response.answer == Act.ACCEPT.value
        )
        for block in self.blocks:
            for group in block.groups[accepted[block.task.value, block.number] :]:
                yield from group.pictures

    def checksum(self) -> str:
        best = (sorted(self.best),) if self.best else ()
        asked = (question.rule for question in self.follow_ups)
        return checksum_of(self.ties, self.blocks, *best, *asked)
