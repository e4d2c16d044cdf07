"""Rankings in a browser: a group of images, put in order act by act."""

from __future__ import annotations

from typing import TYPE_CHECKING

from hype.protocols.ranking.acts import TYING, key_of_letter, keys_of_acts, order_of
from hype.protocols.ranking.trial import Act, RankingTrial
from hype.station.captions import cap_label, filled_text
from hype.station.config import StationConfig
from hype.web.scenes import Button, Scene

if TYPE_CHECKING:
    from hype.protocols.ranking.conduct import RankingLook


def scene(trial: RankingTrial, look: RankingLook, config: StationConfig) -> Scene:
    """Say what a group looks like as far as it is ranked."""
    letters, ranks = trial.group.letters, trial.standing.ranks()
    images = tuple(letter_button(letter, trial, look, config) for letter in trial.unplaced)
    return Scene(
        question=look.question,
        buttons=(*images, *acts_of(trial, config)),
        pictures=trial.pictures,
        prompt=trial.group.prompt if look.prompt else "",
        captions=tuple(letters),
        ranks=tuple(map(ranks.get, letters)),
        order=order_of(trial.standing),
        pressed=Act.TIE.value if trial.standing.tying else "",
    )


def letter_button(
    letter: str, trial: RankingTrial, look: RankingLook, config: StationConfig
) -> Button:
    key = key_of_letter(letter)
    return Button(
        answer=letter,
        label=letter,
        keys=(key,),
        cap=cap_label(key, config.speech),
        picture=trial.group.letters.index(letter) if look.mouse else None,
    )


def acts_of(trial: RankingTrial, config: StationConfig) -> tuple[Button, ...]:
    """Give what can be done beside placing an image; a tie that was pressed says so."""
    names: dict[Act, str] = {act: act.value for act in Act if act.value in trial.acts}
    if trial.standing.tying:
        names[Act.TIE] = TYING
    return tuple(
        Button(
            answer=act.value,
            label=filled_text(config, names[act], {}),
            keys=(key,),
            cap=cap_label(key, config.speech),
        )
        for act, key in keys_of_acts(config.keys).items()
        if act in names
    )
