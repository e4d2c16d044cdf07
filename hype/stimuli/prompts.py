"""What the images of a folder show, by their names: the prompts of a study of comparisons.

Images of one prompt lie in a sub-folder named like the prompt, or have its name and a number:
``a sneaker/01.png``, or ``a sneaker_01.png`` and ``a_sneaker-02.png``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from hype.errors import InputError

NUMBERED: Final = re.compile(r"(?P<prompt>.*?)(?:[ _-]*[_-]\d+)?")
LONGEST_PROMPT: Final = 1000
ALLOWED: Final = "a sub-folder named like the prompt, or a name such as 'a sneaker_01.png'"


def prompt_of(folder: Path, image: Path) -> str:
    """Give what an image of a folder shows, by its sub-folder or its name.

    Raises
    ------
    InputError
        They say nothing, or what cannot be shown.
    """
    relative = image.relative_to(folder)
    inside_another = len(relative.parts) > 1
    named = relative.parts[0] if inside_another else unnumbered(relative.stem)
    prompt = " ".join(named.replace("_", " ").split())
    if not prompt or prompt.isdecimal():
        raise InputError(image, "has no prompt in its name", ALLOWED)
    if not prompt.isprintable() or len(prompt) > LONGEST_PROMPT:
        raise InputError(image, "has a prompt in its name that cannot be shown", ALLOWED)
    return prompt


def unnumbered(stem: str) -> str:
    found = NUMBERED.fullmatch(stem)
    return found["prompt"] if found else stem


def prompts_of(folders: Mapping[str, Path], files: Mapping[str, Sequence[Path]]) -> dict[Path, str]:
    """Give the prompt of each image, by condition found in folders.

    Raises
    ------
    InputError
        As from `prompt_of`; or a prompt has images of one condition only.
    """
    prompts = {
        path: prompt_of(folders[name], path) for name, paths in files.items() for path in paths
    }
    for prompt, counts in counted(files, prompts).items():
        if len(counts) < 2:
            (only,) = counts
            raise InputError(
                folders[only],
                f"has the only images of the prompt {prompt!r}",
                "images of two conditions or more; prompts are named alike in all folders",
            )
    return prompts


def counted(
    files: Mapping[str, Sequence[Path]], prompts: Mapping[Path, str]
) -> dict[str, dict[str, int]]:
    """Count the images of each prompt by condition."""
    counts: dict[str, dict[str, int]] = {}
    for name, paths in files.items():
        for path in paths:
            of_prompt = counts.setdefault(prompts[path], {})
            of_prompt[name] = of_prompt.get(name, 0) + 1
    return counts
