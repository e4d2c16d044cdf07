"""Class-conditional flow matching: the best of the four generators.

A U-Net learns the velocity that carries Gaussian noise (time 0) along straight lines to training
images (time 1); an ordinary differential equation then turns fresh noise into fresh pictures.

Sources
-------
Lipman, Chen, Ben-Hamu, Nickel and Le (2023), Flow matching for generative modeling, ICLR
    (equations 20 to 23: the straight, optimal-transport path and its loss).
Karras, Aittala, Aila and Laine (2022), Elucidating the design space of diffusion-based generative
    models, NeurIPS (algorithm 1: Heun's method).
Ho and Salimans (2022), Classifier-free diffusion guidance, arXiv:2207.12598 (equation 6).
Esser et al. (2024), Scaling rectified flow transformers, ICML (section 3.1: logit-normal times).
"""

import copy
import itertools
import logging
import math
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import torch
from dataset import LabelledImages
from torch import Tensor, nn
from unet import NO_CLASS, VelocityNet

logger = logging.getLogger(__name__)

PIXEL_MEAN, PIXEL_SD = 0.286, 0.353  # of the training set, pixels in [0, 1]
LOG_EVERY = 100  # steps


@dataclass(frozen=True, kw_only=True)
class FlowSettings:
    """Everything that decides what the flow model learns."""

    seed: int = 20194
    steps: int = 12_000
    cosine_share: float = 12 / 14  # of the half cosine: the learning rate ends at 5 % of its peak
    batch_size: int = 64
    learning_rate: float = 1.5e-3
    warmup_steps: int = 300
    average_decay: float = 0.999
    withheld_class_share: float = 0.1
    time_logit_mean: float = 0.4
    time_logit_sd: float = 1.2
    channels: tuple[int, int, int] = (32, 96, 128)


@dataclass(frozen=True, kw_only=True)
class SamplingSettings:
    """How pictures are drawn from the trained model."""

    steps: int = 40
    guidance: float = 1.5


class CheckpointError(Exception):
    """A checkpoint was trained with other settings."""


def train_flow(train: LabelledImages, settings: FlowSettings, checkpoint: Path) -> VelocityNet:
    """Train on all of `train`; save and return the running average of the weights."""
    torch.manual_seed(settings.seed)
    net = VelocityNet(settings.channels).to(memory_format=torch.channels_last)
    average = copy.deepcopy(net).requires_grad_(requires_grad=False)
    optimiser = torch.optim.AdamW(net.parameters(), lr=settings.learning_rate, weight_decay=0.01)
    schedule = torch.optim.lr_scheduler.LambdaLR(optimiser, lambda k: rate_factor(k, settings))
    losses: list[float] = []
    start = time.monotonic()
    for step, (batch, classes) in enumerate(batches(train, settings), start=1):
        loss = flow_loss(net, batch, classes, settings)
        optimiser.zero_grad()
        loss.backward()
        nn.utils.clip_grad_norm_(net.parameters(), 1.0)
        optimiser.step()
        schedule.step()
        update_average(average, net, min(settings.average_decay, step / (step + 10)))
        losses.append(loss.item())
        if step % LOG_EVERY == 0:
            mean, seconds = np.mean(losses[-LOG_EVERY:]), time.monotonic() - start
            logger.info("flow: step %d, loss %.4f, %.0f s", step, mean, seconds)
    torch.save({"settings": asdict(settings), "weights": average.state_dict()}, checkpoint)
    return average


def load_flow(checkpoint: Path, settings: FlowSettings) -> VelocityNet:
    """Read the weights that `train_flow` saved.

    Raises
    ------
    CheckpointError
        The checkpoint was trained with other settings.
    """
    saved = torch.load(checkpoint, weights_only=True)
    if saved["settings"] != asdict(settings):
        msg = f"{checkpoint} was trained with {saved['settings']}, wanted: {asdict(settings)}"
        raise CheckpointError(msg)
    net = VelocityNet(settings.channels).to(memory_format=torch.channels_last)
    net.load_state_dict(saved["weights"])
    return net.requires_grad_(requires_grad=False)


def rate_factor(step: int, settings: FlowSettings) -> float:
    """Return the factor of the learning rate at `step`: linear warm-up, then part of a cosine."""
    warmup = min(1.0, (step + 1) / settings.warmup_steps)
    return warmup * 0.5 * (1 + math.cos(math.pi * settings.cosine_share * step / settings.steps))


def batches(train: LabelledImages, settings: FlowSettings) -> Iterator[tuple[Tensor, Tensor]]:
    """Yield `settings.steps` standardised batches; each epoch has a new random order."""
    images = train.images.astype(np.float32) / 255
    pixels = ((torch.from_numpy(images) - PIXEL_MEAN) / PIXEL_SD)[:, None]
    classes = torch.from_numpy(train.labels).long()
    per_epoch = len(pixels) // settings.batch_size
    for step in range(settings.steps):
        if step % per_epoch == 0:
            order = torch.randperm(len(pixels))
        first = step % per_epoch * settings.batch_size
        chosen = order[first : first + settings.batch_size]
        yield pixels[chosen], classes[chosen]


def flow_loss(net: VelocityNet, data: Tensor, labels: Tensor, settings: FlowSettings) -> Tensor:
    """Return the mean squared error of the velocity (Lipman et al. 2023, equation 23)."""
    n = len(data)
    logits = settings.time_logit_mean + settings.time_logit_sd * torch.randn(n)
    times = torch.sigmoid(logits)
    withheld = torch.rand(n) < settings.withheld_class_share
    noise = torch.randn_like(data)
    mix = times[:, None, None, None]
    position = (1 - mix) * noise + mix * data
    position = position.contiguous(memory_format=torch.channels_last)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        velocity = net(position, times, labels.masked_fill(withheld, NO_CLASS))
    return (velocity - (data - noise)).square().mean()


def update_average(average: VelocityNet, net: VelocityNet, decay: float) -> None:
    """Move every averaged weight towards its current value."""
    with torch.no_grad():
        for old, new in zip(average.parameters(), net.parameters(), strict=True):
            old.lerp_(new, 1 - decay)


def sample_flow(
    net: VelocityNet, labels: np.ndarray, settings: SamplingSettings, generator: torch.Generator
) -> np.ndarray:
    """Draw one picture per label, (n, 28, 28), pixels roughly in [0, 1], with Heun's method."""
    x = torch.randn((len(labels), 1, 28, 28), generator=generator)
    classes = torch.from_numpy(labels).long()
    times = torch.linspace(0.0, 1.0, settings.steps + 1)
    with torch.inference_mode():
        for now, later in itertools.pairwise(times):
            slope = guided_velocity(net, x, now, classes, settings.guidance)
            guess = x + (later - now) * slope
            slope_there = guided_velocity(net, guess, later, classes, settings.guidance)
            x = x + (later - now) * (slope + slope_there) / 2
    return (x[:, 0] * PIXEL_SD + PIXEL_MEAN).numpy()


def guided_velocity(
    net: VelocityNet, x: Tensor, time_now: Tensor, classes: Tensor, guidance: float
) -> Tensor:
    """Push the velocity away from the class-free one (Ho and Salimans 2022, equation 6)."""
    x = x.contiguous(memory_format=torch.channels_last)
    times = time_now.expand(len(x))
    with_class = net(x, times, classes)
    without_class = net(x, times, torch.full_like(classes, NO_CLASS))
    return without_class + guidance * (with_class - without_class)
