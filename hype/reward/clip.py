"""A CLIP model of the user's, tuned by LoRA: s(prompt, image) as of Wu et al. (2023), eq. 1-3.

The score of an image is its cosine with the prompt, times the model's own scale. The loss is the KL
divergence of softmax(s₁, s₂) from the shares of the votes, a tie being half a vote for either. Only
matrices of low rank beside the queries' and values' are trained (Hu et al. 2022, "LoRA: Low-rank
adaptation of large language models"), since a study has few prompts. All weights are read from
safetensors files alone, and nothing is loaded from anywhere else.
"""

from __future__ import annotations

import hashlib
import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np

from hype.errors import InputError
from hype.reward.evaluation import UnseenModel, temperature_of
from hype.reward.model import RewardModel, Tensors
from hype.reward.train import as_log_odds, resampled_prompts, unseen_models
from hype.reward.votes import VotedPairs, Votes, VoteSplit
from hype.statistics.arrays import FloatArray, IntArray
from hype.stimuli.images import decode

if TYPE_CHECKING:
    from hype.reward.train import Parted, TrainingOptions

CLIP_WEIGHTS: Final = "model.safetensors"
BATCH: Final = 32
"""Pairs, or images that are only scored."""
WARM_UP: Final = 0.1
"""Of the steps, in which the learning rate rises; it falls like a cosine afterwards."""
DECAY: Final = 0.01
CHUNK_BYTES: Final = 1 << 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ClipOptions:
    """What is tuned, and how long."""

    folder: Path
    rank: int = 8
    epochs: int = 5  # at most; the best on the validation prompts counts, and none may be better
    learning_rate: float = 2e-4
    seed: int = 0
    repeat: bool = False  # whether members are tuned too, and one without each condition


@dataclass(frozen=True, kw_only=True, eq=False)
class TunedClip:
    """What was learnt, and the log-odds of each image of the votes."""

    tensors: Tensors
    temperature: float
    scores: FloatArray  # shape (1 + members, images): the model's, then the members'
    unseen: tuple[UnseenModel, ...]


def weights_checksum(folder: Path) -> str:
    """SHA-256 of a CLIP folder's weights.

    Raises InputError: they are not there, or are no safetensors file.
    """
    digest = hashlib.sha256()
    try:
        with (folder / CLIP_WEIGHTS).open("rb") as file:
            while chunk := file.read(CHUNK_BYTES):
                digest.update(chunk)
    except OSError:
        allowed = f"a CLIP model in the form of transformers, with {CLIP_WEIGHTS}"
        raise InputError(folder, f"has no {CLIP_WEIGHTS}", allowed) from None
    return digest.hexdigest()


class Clip:
    """A CLIP model with matrices of LoRA, which are drawn by a seed and have no effect at first.

    Raises InputError: the folder holds none.
    """

    def __init__(self, folder: Path, *, rank: int, seed: int) -> None:
        import torch
        from peft import LoraConfig, get_peft_model
        from transformers.utils import logging

        weights_checksum(folder)
        logging.set_verbosity_error()  # before what is not installed is remarked on
        logging.disable_progress_bar()
        from transformers import AutoTokenizer, CLIPImageProcessor, CLIPModel

        torch.manual_seed(seed)
        try:
            local: dict[str, Any] = {"local_files_only": True}
            base = CLIPModel.from_pretrained(folder, use_safetensors=True, **local)
            self.tokens = AutoTokenizer.from_pretrained(folder, **local)
            self.pixels = CLIPImageProcessor.from_pretrained(folder, **local)
        except (OSError, ValueError, KeyError) as error:
            problem = f"is no CLIP model: {str(error).splitlines()[0]}"
            raise InputError(folder, problem, "one in the form of transformers") from None
        lora = LoraConfig(r=rank, lora_alpha=2 * rank, target_modules=["q_proj", "v_proj"])
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", FutureWarning)  # of one of these libraries to the other
            self.model: Any = get_peft_model(base, lora)

    def scored(self, prompts: Sequence[str], images: Sequence[Path]) -> Any:
        """Give the scores of images, each of its own prompt, as a tensor."""
        texts = self.tokens(list(prompts), padding=True, truncation=True, return_tensors="pt")
        decoded = [decode(path).convert("RGB") for path in images]
        pixels = self.pixels(images=decoded, return_tensors="pt")
        found = self.model(**texts, **pixels, return_dict=True)
        cosines = (found.text_embeds * found.image_embeds).sum(dim=-1)
        return cosines * self.model.base_model.model.logit_scale.exp()

    def all_scores(
        self,
        prompts: Sequence[str],
        images: Sequence[Path],
        advance: Callable[[int, int], None] = lambda _done, _of: None,
    ) -> FloatArray:
        import torch

        self.model.eval()
        parts = []
        with torch.no_grad():
            for at in range(0, len(images), BATCH):
                some = slice(at, at + BATCH)
                parts.append(self.scored(prompts[some], images[some]).double().numpy())
                advance(min(at + BATCH, len(images)), len(images))
        return np.concatenate(parts)

    def state(self) -> dict[str, Any]:
        from peft import get_peft_model_state_dict

        state = get_peft_model_state_dict(self.model)
        return {name: tensor.detach().clone() for name, tensor in state.items()}

    def restore(self, state: dict[str, Any]) -> list[str]:
        """Put learnt matrices in; gives the names of those that it does not know."""
        from peft import set_peft_model_state_dict

        own = self.state()
        unlike = [name for name in {*own, *state} if name not in own or name not in state]
        unlike += [n for n in own if n in state and own[n].shape != state[n].shape]
        if not unlike:
            set_peft_model_state_dict(self.model, state)
        return sorted(unlike)


def tuned_clip(
    votes: Votes,
    images: Sequence[Path],
    parts: Parted,
    options: ClipOptions,
    training: TrainingOptions,
    tell: Callable[[], object],
) -> TunedClip:
    """Tune a model; and its members, and one without each condition, where ``options.repeat``.

    ``images``: where those of the votes lie. ``tell`` is called after each epoch.

    The same seed gives the same weights on the same machine.
    """
    prompts = [votes.prompts[n] for n in prompt_of_images(votes)]
    validation = parts.pairs[VoteSplit.VALIDATION]

    def tune(pairs: VotedPairs, seed: int) -> tuple[dict[str, Any], FloatArray]:
        return tuned(replace(options, seed=seed), prompts, images, pairs, validation, tell)

    pairs = parts.pairs[VoteSplit.TRAIN]
    made = [tune(pairs, options.seed)]
    raw, unseen = made[0][1], list[UnseenModel]()
    if options.repeat:
        own = np.random.SeedSequence(options.seed)
        for times, rng in resampled_prompts(parts, training.members, own):
            made.append(tune(pairs.weighed(times), int(rng.integers(2**31))))
        seen = votes, parts, raw
        unseen += unseen_models(
            *seen, lambda left: tune(left, options.seed)[1], training.confidence
        )
    temperature = temperature_of(parts.votes[VoteSplit.VALIDATION], raw)
    offsets, scores = as_log_odds(np.array([each for _, each in made]), parts, temperature)
    tensors = {
        f"{member_name(n)}{name}": tensor.float().numpy()
        for n, (state, _) in enumerate(made)
        for name, tensor in state.items()
    }
    return TunedClip(
        tensors={**tensors, "offset": np.array(offsets, dtype=np.float32)},
        temperature=temperature,
        scores=scores,
        unseen=tuple(unseen),
    )


def member_name(number: int) -> str:
    """Give what the names of a member's tensors begin with; those of the model are as they are."""
    return f"member {number} " if number else ""


def tuned(
    options: ClipOptions,
    prompts: Sequence[str],
    images: Sequence[Path],
    pairs: VotedPairs,
    validation: VotedPairs,
    tell: Callable[[], object],
) -> tuple[dict[str, Any], FloatArray]:
    """Tune epoch by epoch; gives what the validation prompts like best, and its scores."""
    clip = Clip(options.folder, rank=options.rank, seed=options.seed)
    trainable = [p for p in clip.model.parameters() if p.requires_grad]
    rng = np.random.default_rng(options.seed)
    steps = options.epochs * math.ceil(len(pairs.one) / BATCH)
    schedule = rates(trainable, options.learning_rate, steps)
    scores = clip.all_scores(prompts, images)
    best = (soft_loss(scores, validation), clip.state(), scores)
    for _ in range(options.epochs):
        clip.model.train()
        order = rng.permutation(len(pairs.one))
        for at in range(0, len(order), BATCH):
            step(clip, prompts, images, pairs, order[at : at + BATCH], next(schedule))
        scores = clip.all_scores(prompts, images)
        loss = soft_loss(scores, validation)
        if loss < best[0]:
            best = (loss, clip.state(), scores)
        tell()
    return best[1:]


def prompt_of_images(votes: Votes) -> IntArray:
    prompt = np.zeros(len(votes.images), dtype=np.int64)
    prompt[votes.first], prompt[votes.second] = votes.prompt, votes.prompt
    return prompt


def soft_labels(pairs: VotedPairs) -> tuple[FloatArray, FloatArray]:
    """Give the share of the votes for one, a tie as half a vote, and the number of votes."""
    number = pairs.for_one + pairs.for_other + pairs.ties
    return (pairs.for_one + pairs.ties / 2) / np.maximum(number, 1e-12), number


def soft_loss(scores: FloatArray, pairs: VotedPairs) -> float:
    """Give the mean of the cross-entropy, which is the KL divergence but for a constant."""
    share, number = soft_labels(pairs)
    ahead = scores[pairs.one] - scores[pairs.other]
    losses = np.logaddexp(0, ahead) - share * ahead
    return float(number @ losses / number.sum())


def rates(parameters: Sequence[Any], highest: float, steps: int) -> Iterator[Any]:
    """Yield the optimiser before each step, at that step's learning rate."""
    import torch

    optimiser = torch.optim.AdamW(parameters, lr=highest, weight_decay=DECAY)
    warm = max(1, round(WARM_UP * steps))
    for n in range(steps):
        fall = (1 + math.cos(math.pi * (n - warm) / max(1, steps - warm))) / 2
        for group in optimiser.param_groups:
            group["lr"] = highest * ((n + 1) / warm if n < warm else fall)
        yield optimiser


def step(
    clip: Clip,
    prompts: Sequence[str],
    images: Sequence[Path],
    pairs: VotedPairs,
    rows: IntArray,
    optimiser: Any,
) -> None:
    """Take a step down the loss of some of the pairs; each of their images is looked at once."""
    import torch

    used, places = np.unique(np.append(pairs.one[rows], pairs.other[rows]), return_inverse=True)
    scores = clip.scored([prompts[n] for n in used], [images[n] for n in used])
    ahead = scores[torch.from_numpy(places[: len(rows)])]
    ahead = ahead - scores[torch.from_numpy(places[len(rows) :])]
    share, number = (torch.from_numpy(x[rows]).to(ahead.dtype) for x in soft_labels(pairs))
    losses = torch.nn.functional.softplus(ahead) - share * ahead
    loss = (number * losses).sum() / number.sum()
    optimiser.zero_grad()
    loss.backward()
    optimiser.step()


def scores_of_clip(
    model: RewardModel,
    folder: Path,
    prompts: Sequence[str],
    images: Sequence[Path],
    advance: Callable[[int, int], None],
) -> FloatArray:
    """Give the log-odds of images, each of its own prompt, shape (1 + members, images).

    Raises InputError: the folder is not the one that was tuned, or the weights are of another.
    """
    import torch

    settings = model.settings
    if weights_checksum(folder) != settings.features.sha256:
        raise InputError(folder, "has other weights", f"{settings.features.source}, as was tuned")
    clip = Clip(folder, rank=settings.rank, seed=settings.seed)
    scores, left = [], {n: torch.from_numpy(t) for n, t in model.tensors.items() if n != "offset"}
    for number in range(settings.members, -1, -1):  # all that is left is the model's own
        begin = member_name(number)
        state = {n.removeprefix(begin): left.pop(n) for n in [*left] if n.startswith(begin)}
        if unlike := clip.restore(state):
            raise InputError(model.folder, f"{unlike[0]!r} does not fit", "the weights of LoRA")
        scores.append(clip.all_scores(prompts, images, advance))
    return (np.array(scores[::-1]) - model.tensors["offset"][:, None]) / settings.temperature
