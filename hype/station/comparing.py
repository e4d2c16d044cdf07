"""Comparisons: two images side by side, and which of the two it is."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Final

from hype.protocol.comparison import Choice, ComparisonTrial
from hype.protocol.loop import Presentation
from hype.protocol.steps import Response
from hype.station.comparison_layout import ComparisonLayout, Scene
from hype.station.desk import Desk
from hype.station.pictures import Pictures, wants_of

CHOSEN_MS: Final = 150.0
"""How long the frame stands around what was chosen."""


class ComparingPairs:
    """Shows trials of two images each and waits for "left", "right" or "tie".

    ``word_ms`` is how long each word of a prompt stands before the next one comes, in trials whose
    prompt comes word by word.
    """

    def __init__(
        self, desk: Desk, layout: ComparisonLayout, pictures: Pictures, word_ms: float
    ) -> None:
        self._desk = desk
        self._layout = layout
        self._pictures = pictures
        self._word_s = word_ms / 1000
        self._chosen: Callable[[Choice], Callable[[], None]] | None = None

    def present(self, trial: ComparisonTrial) -> Presentation:
        """Show both images and, all at once or word by word, the prompt.

        The pause key starts anew, so that the prompt is read as a whole.
        """
        images = [self._pictures.take(want) for want in wants_of(trial)]
        scene = self._layout.scene(trial.prompt, images)
        self._chosen = partial(self._layout.chosen, scene)
        shown = self._come(trial, scene)
        while shown is None:
            self._desk.pause()
            shown = self._come(trial, scene)
        return shown

    def respond(self, trial: ComparisonTrial) -> Response:
        """Wait for the answer, until its time is over."""
        keys, limit_ms = self._desk.keys, trial.limit_ms
        offers = self._layout.offers(
            {Choice.LEFT: keys.left, Choice.RIGHT: keys.right, Choice.TIE: keys.tie}
        )
        late = None if limit_ms is None else Response(Choice.NONE.value, "", limit_ms)
        response = self._desk.ask(trial, offers, otherwise=late)
        if self._chosen and response is not late:
            self._desk.owe(self._chosen(Choice(response.answer)), CHOSEN_MS)
        return response

    def _come(self, trial: ComparisonTrial, scene: Scene) -> Presentation | None:
        """Show a comparison until it can be answered; None if it was paused before."""
        if not trial.words_ms:
            return self._desk.show(partial(self._layout.draw, scene), place=0)
        self._desk.keyboard.listen()
        shown = self._stand(scene, 1)
        onset_s = shown.onset_monotonic_s
        for words in range(2, len(trial.prompt.split()) + 1):
            if self._paused_before(onset_s + (words - 1) * self._word_s):
                return None
            self._stand(scene, words)
        if self._paused_before(onset_s + trial.words_ms / 1000):
            return None
        self._desk.show(partial(self._layout.draw, scene), place=0)
        return shown

    def _stand(self, scene: Scene, words: int) -> Presentation:
        """Show the first words, while it cannot be answered yet."""
        return self._desk.show(partial(self._layout.draw, scene, words=words, ready=False), place=0)

    def _paused_before(self, end_s: float) -> bool:
        """Wait until ``end_s``, or until somebody wants to pause."""
        return self._desk.pressed_before(end_s, self._desk.keys.pause)
