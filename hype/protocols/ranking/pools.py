"""What a study of rankings draws from, read from its folders."""

from __future__ import annotations

from hype.errors import InputError
from hype.protocols.prompted.pools import by_prompt, chosen_images, manifest_of, taking_part
from hype.protocols.ranking.sampling import RankingPools, ranking_pools
from hype.protocols.ranking.trial import MOST_RANKED
from hype.protocols.studies import RankingStudy
from hype.stimuli.manifest import read_manifest


def read_ranking_pools(study: RankingStudy) -> RankingPools:
    """Read what is ranked.

    Raises
    ------
    InputError
        A manifest is wrong; there is no prompt, or too few conditions or images of it; the study
        names a condition that is not there; groups would be too large, or show one picture twice.
    """
    stimuli = read_manifest(study.stimuli_folder)
    names = taking_part(study, stimuli)
    made = by_prompt(study, stimuli, names)
    prompts = tuple(chosen_images(study, text, images) for text, images in made.items())
    asked = study.settings.ranking
    if asked.group is None and len(names) > MOST_RANKED:
        problem = f"has {len(names)} conditions, and a group has at most {MOST_RANKED} images"
        raise InputError(study.path, problem, "say how many are ranked together: ranking.group")
    if asked.group is not None and asked.group > len(names):
        problem = f"ranking.group = {asked.group}, and there are {len(names)} conditions"
        raise InputError(study.path, problem, f"at most {len(names)}")
    pools = ranking_pools(study.settings, names, prompts)
    refuse_copies(study, pools)
    if not pools.shares:
        raise InputError(
            study.path,
            f"screening.test = {study.settings.screening.test} leaves no group to rank: there are "
            f"{len(pools.test)}",
            "a smaller test, or more prompts",
        )
    return pools


def refuse_copies(study: RankingStudy, pools: RankingPools) -> None:
    """Refuse a group that shows one picture twice: nobody could put those in order."""
    for group in (*pools.test, *pools.groups.values()):
        seen: dict[str, str] = {}
        for image in group.images:
            if image.sha256 in seen:
                raise InputError(
                    manifest_of(study),
                    f"would show one picture twice in a group of {group.prompt!r}: "
                    f"{seen[image.sha256]} and {image.path}",
                    "put another image in the place of one of them",
                )
            seen[image.sha256] = image.path
