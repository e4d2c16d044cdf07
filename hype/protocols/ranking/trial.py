"""Rankings: the acts that make a ranking, and the plan of a session.

Images of one prompt are ranked from the best to the worst, as in Wu et al. (2023), "Human
Preference Score v2", section 3.3. A ranking is made step by step, and each act is a separate trial:
place the next image, let the next one share its place, move a placed image, take back the last
image, accept the ranking. The acts determine the order so far, so an interruption loses nothing.
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

from hype.protocols.prompted.trial import (
    BlockResult,
    Candidate,
    PlannedBlock,
    PromptedPlan,
    name_of,
)
from hype.session.loop import Answered
from hype.session.plans import follow_up
from hype.session.steps import (
    Outcome,
    PictureRequest,
    Step,
    Trial,
    TrialName,
    checksum_of,
    images_at,
)

MOST_RANKED: Final = 12
"""The maximum number of images in a group; more would not fit on a screen or into memory."""
LETTERS: Final = string.ascii_uppercase[:MOST_RANKED]
"""The names of a group's images on the screen, in order."""


class RankingTask(str, Enum):
    """The purpose of a ranking.

    Only ``ranking`` is scored. ``test``: everyone ranks these groups first, including checkers.
    ``check``: a checker ranks a group of another evaluator again.
    """

    PRACTICE = "practice"
    TEST = "test"
    RANKING = "ranking"
    CHECK = "check"


class Act(str, Enum):
    """The acts with names. Other acts: B places the image B; B2 moves it to the second place."""

    TIE = "tie"
    UNDO = "undo"
    ACCEPT = "accept"


@dataclass(frozen=True, slots=True)
class PartialRanking:
    """An unfinished ranking: images by their letters, the best first, equal ones together.

    ``tying``: whether the next image shares the place of the last one.
    """

    tiers: tuple[str, ...] = ()
    tying: bool = False

    def __str__(self) -> str:
        """Write the order: in ``B>AD``, B is the best, and A and D share the second place.

        The text ends with ``=`` if the next image shares the last place.
        """
        return ">".join(self.tiers) + ("=" if self.tying else "")

    @classmethod
    def read(cls, text: str) -> PartialRanking:
        tiers = text.removesuffix("=").split(">") if text else []
        return cls(tuple(tiers), tying=text.endswith("="))

    @property
    def placed(self) -> str:
        return "".join(self.tiers)

    def ranks(self) -> dict[str, int]:
        """Return the rank of each placed image: 1 is the best, and equal images share a rank.

        After two images with rank 1 comes rank 3.
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
        """Take back the last image, or the act that lets the next image share a place."""
        if self.tying:
            return replace(self, tying=False)
        *before, last = self.tiers
        return (
            PartialRanking((*before, last[:-1])) if len(last) > 1 else PartialRanking(tuple(before))
        )

    def moves(self) -> dict[str, PartialRanking]:
        """Return the order after each possible move of an image.

        ``B2`` puts B alone in the second place. There are no moves while the next image shares a
        place.
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
        """Return the move one place up, for each image that is not alone in the first place."""
        moves = self.moves()
        ups = {
            letter: f"{letter}{place + (len(tier) > 1)}"
            for place, tier in enumerate(self.tiers)
            for letter in tier
        }
        return {letter: up for letter, up in ups.items() if up in moves}

    def after(self, act: str) -> PartialRanking:
        """Return the order after an act; accepting, or an unknown act, changes nothing."""
        if act == Act.ACCEPT.value:  # returns early, since listing all moves takes long
            return self
        if act == Act.UNDO.value:
            return self.undo() if self.tiers else self
        if act == Act.TIE.value:
            return replace(self, tying=True)
        if act in tuple(LETTERS):
            return self.place(act)
        return self.moves().get(act, self)


@dataclass(frozen=True, slots=True, kw_only=True)
class Group:
    """Images of one prompt that are ranked together, in the order on the screen."""

    prompt: str
    images: tuple[Candidate, ...]

    @property
    def name(self) -> str:
        """The group's name, the same for any order on the screen: 12 digits of a checksum."""
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
        """SHA-256 (hex) over the images' checksums in the order on the screen."""
        return hashlib.sha256(" ".join(image.sha256 for image in self.images).encode()).hexdigest()


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingTrial(Trial):
    """The next act on a group. ``number``: counted over the whole block."""

    task: RankingTask
    group: Group  # the images to rank
    standing: PartialRanking  # the order so far
    ties: bool  # whether images may share a place
    best: Collection[str] = ()  # the paths of the best images of a test, if known

    def done_after(self, answer: str, /) -> float:
        """Return the progress in the block after accepting; 0 (no change) for other acts."""
        return self.done if answer == Act.ACCEPT.value else 0.0

    @property
    def fingerprint(self) -> str:
        """The images in the order on the screen, and the ranking so far."""
        return fingerprint_of(self.group.sha256, str(self.standing))

    @property
    def pictures(self) -> tuple[PictureRequest, ...]:
        return self.group.pictures

    @property
    def unplaced(self) -> str:
        return "".join(c for c in self.group.letters if c not in self.standing.placed)

    @property
    def answers(self) -> tuple[str, ...]:
        """The same as `acts`, with undo last."""
        return tuple(sorted(self.acts, key=Act.UNDO.value.__eq__))

    @property
    def acts(self) -> tuple[str, ...]:
        """The possible acts: place an image, one of `Act`, or move a placed image."""
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
        """Return whether all images in the first place are among the best."""
        first = self.standing.tiers[0] if self.standing.tiers else ""
        return bool(first) and {self.group.image(c).path for c in first} <= {*self.best}

    def after(self, act: str) -> PartialRanking | None:
        """Return the order after an act; None after accepting.

        An impossible act, from a damaged record, changes nothing.
        """
        if act not in self.acts:
            return self.standing
        return None if act == Act.ACCEPT.value else self.standing.after(act)


def fingerprint_of(shown: str, standing: str) -> str:
    """Describe what is shown: the images in order (as `Group.sha256`) and the ranking so far."""
    return f"{shown} {standing}"


@dataclass(frozen=True, slots=True, kw_only=True)
class RankingPlan(PromptedPlan):
    """The groups of one evaluator, in order; ``best``: as in `RankingTrial`."""

    blocks: tuple[PlannedBlock[Group, RankingTask], ...]
    ties: bool
    best: frozenset[str] = frozenset()

    def ask(self, block: PlannedBlock[Group, RankingTask]) -> Generator[Step, Outcome, BlockResult]:
        """Yield the acts of a block."""
        numbers, right = count(1), 0
        best = self.best if block.task is RankingTask.TEST else ()
        for place, group in enumerate(block.items, start=1):
            standing: PartialRanking | None = PartialRanking()
            while standing is not None:
                trial = RankingTrial(
                    task=block.task,
                    block=block.number,
                    number=next(numbers),
                    group=group,
                    standing=standing,
                    ties=self.ties,
                    done=place / len(block.items),
                    best=best,
                )
                outcome = yield trial
                standing = trial.after(outcome.answer)
            yield from follow_up(self.follow_ups, trial, scored=block.task is RankingTask.RANKING)
            right += trial.is_right
        paid = 0 if block.task is RankingTask.PRACTICE else len(block.items)
        return BlockResult(paid=paid, right=right, known=len(block.items) if best else 0)

    def shown(self) -> Iterator[tuple[TrialName, tuple[Candidate, ...]]]:
        """Yield each group's images in order, named as if the group were a single trial."""
        for block in self.blocks:
            for number, group in enumerate(block.items, start=1):
                yield TrialName(block.task.value, block.number, number), group.images

    def upcoming(self, answered: Sequence[Answered] = ()) -> Iterator[PictureRequest]:
        """Yield the pictures of the groups that are not accepted yet."""
        accepted = Counter(
            past.name[:2] for past in answered if past.response.answer == Act.ACCEPT.value
        )
        for block in self.blocks:
            for group in block.items[accepted[block.task.value, block.number] :]:
                yield from group.pictures

    def checksum(self) -> str:
        best = (sorted(self.best),) if self.best else ()
        asked = (question.rule for question in self.follow_ups)
        return checksum_of(self.ties, self.blocks, *best, *asked)
