"""A class-conditional convolutional variational autoencoder: the second-best generator.

Kingma and Welling (2014), Auto-encoding variational Bayes, ICLR (equation 10: the loss), with the
class as an input of both halves and of the distribution of the codes (Sohn, Lee and Yan 2015,
NeurIPS, equation 4). It draws the mean picture of a random code, so its pictures are blurred.
"""

import logging
import time
from dataclasses import dataclass

import numpy as np
import torch
from dataset import CLASS_NAMES, LabelledImages
from torch import Tensor, nn
from torch.distributions import Normal, kl_divergence
from torch.nn import functional

logger = logging.getLogger(__name__)

N_CLASSES = len(CLASS_NAMES)


@dataclass(frozen=True, kw_only=True)
class VaeSettings:
    """Everything that decides what the autoencoder learns."""

    seed: int = 2014
    epochs: int = 10
    batch_size: int = 128
    learning_rate: float = 1e-3
    code_size: int = 16


class ConditionalVae(nn.Module):
    """Encoder and decoder between pictures, (n, 1, 28, 28), and codes, (n, code_size)."""

    def __init__(self, code_size: int) -> None:
        super().__init__()
        self.to_features = nn.Sequential(
            nn.Conv2d(1, 32, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.Conv2d(32, 64, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.Flatten(),
        )
        self.to_code = nn.Sequential(
            nn.Linear(64 * 7 * 7 + N_CLASSES, 512), nn.ReLU(), nn.Linear(512, 2 * code_size)
        )
        self.prior = nn.Embedding(N_CLASSES, 2 * code_size)
        nn.init.zeros_(self.prior.weight)
        self.to_picture = nn.Sequential(
            nn.Linear(code_size + N_CLASSES, 512),
            nn.ReLU(),
            nn.Linear(512, 64 * 7 * 7),
            nn.ReLU(),
            nn.Unflatten(1, (64, 7, 7)),
            nn.ConvTranspose2d(64, 32, 4, stride=2, padding=1),
            nn.ReLU(),
            nn.ConvTranspose2d(32, 1, 4, stride=2, padding=1),
        )

    def encode(self, pictures: Tensor, classes: Tensor) -> Normal:
        """Return the distribution of the code of each picture, (n, code_size)."""
        features = torch.cat([self.to_features(pictures), one_hot(classes)], dim=1)
        return to_normal(self.to_code(features))

    def codes_of(self, classes: Tensor) -> Normal:
        """Return the distribution of the codes of each class, (n, code_size)."""
        return to_normal(self.prior(classes))

    def decode(self, codes: Tensor, classes: Tensor) -> Tensor:
        """Return the logits of the pixels."""
        return self.to_picture(torch.cat([codes, one_hot(classes)], dim=1)).float()


def to_normal(parameters: Tensor) -> Normal:
    """Split (n, 2k) into k means and k logarithms of standard deviations."""
    mean, log_sd = parameters.float().chunk(2, dim=1)
    return Normal(mean, log_sd.exp())


def one_hot(classes: Tensor) -> Tensor:
    """Turn class numbers, (n,), into one-hot rows, (n, 10)."""
    return functional.one_hot(classes, N_CLASSES).float()


def train_vae(train: LabelledImages, settings: VaeSettings) -> ConditionalVae:
    """Train on all of `train`."""
    torch.manual_seed(settings.seed)
    net = ConditionalVae(settings.code_size).to(memory_format=torch.channels_last)
    optimiser = torch.optim.Adam(net.parameters(), lr=settings.learning_rate)
    schedule = torch.optim.lr_scheduler.CosineAnnealingLR(optimiser, settings.epochs)
    pixels = torch.from_numpy(train.images)[:, None].float() / 255
    classes = torch.from_numpy(train.labels).long()
    start = time.monotonic()
    for epoch in range(1, settings.epochs + 1):
        total = 0.0
        for chosen in torch.randperm(len(pixels)).split(settings.batch_size):
            with torch.autocast("cpu", dtype=torch.bfloat16):
                loss = vae_loss(net, pixels[chosen], classes[chosen])
            optimiser.zero_grad()
            loss.backward()
            optimiser.step()
            total += loss.item() * len(chosen)
        schedule.step()
        seconds = time.monotonic() - start
        logger.info("vae: epoch %d, loss %.2f nats, %.0f s", epoch, total / len(pixels), seconds)
    return net


def vae_loss(net: ConditionalVae, pictures: Tensor, classes: Tensor) -> Tensor:
    """Return the negative evidence lower bound per picture, in nats."""
    code = net.encode(pictures, classes)
    noise = torch.randn(code.mean.shape)
    logits = net.decode(code.mean + code.stddev * noise, classes)
    mismatch = functional.binary_cross_entropy_with_logits(logits, pictures, reduction="sum")
    divergence = kl_divergence(code, net.codes_of(classes)).sum()
    return (mismatch + divergence) / len(pictures)


def sample_vae(net: ConditionalVae, labels: np.ndarray, generator: torch.Generator) -> np.ndarray:
    """Draw one picture per label, (n, 28, 28), pixels in [0, 1]."""
    classes = torch.from_numpy(labels).long()
    with torch.inference_mode():
        prior = net.codes_of(classes)
        codes = prior.mean + prior.stddev * torch.randn(prior.mean.shape, generator=generator)
        return torch.sigmoid(net.decode(codes, classes))[:, 0].numpy()
