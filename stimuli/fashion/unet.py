"""The network of the flow model: a small U-Net with time and class as inputs.

Sources
-------
Ronneberger, Fischer and Brox (2015), U-Net, MICCAI.
Karras, Aittala, Aila and Laine (2022), Elucidating the design space of diffusion-based generative
    models, NeurIPS (section 5: inputs and outputs of the network scaled to unit variance).
"""

import math

import torch
from dataset import CLASS_NAMES
from torch import Tensor, nn
from torch.nn import functional

NO_CLASS = len(CLASS_NAMES)  # the embedding row for "class withheld"


class ChannelNorm(nn.LayerNorm):
    """Layer normalisation over the channels of each pixel (on a CPU far faster than groups)."""

    def forward(self, x: Tensor) -> Tensor:
        """Map (n, c, h, w) to the same shape."""
        return super().forward(x.permute(0, 2, 3, 1)).permute(0, 3, 1, 2)


class ResidualBlock(nn.Module):
    """Two convolutions, the second one scaled and shifted by time and class."""

    def __init__(self, n_in: int, n_out: int, n_condition: int) -> None:
        super().__init__()
        self.norm_in = ChannelNorm(n_in)
        self.conv_in = nn.Conv2d(n_in, n_out, 3, padding=1)
        self.modulation = nn.Linear(n_condition, 2 * n_out)
        self.norm_out = ChannelNorm(n_out)
        self.conv_out = nn.Conv2d(n_out, n_out, 3, padding=1)
        self.skip = nn.Conv2d(n_in, n_out, 1) if n_in != n_out else nn.Identity()
        nn.init.zeros_(self.conv_out.weight)

    def forward(self, x: Tensor, condition: Tensor) -> Tensor:
        """Map (n, n_in, h, w) and (n, n_condition) to (n, n_out, h, w)."""
        hidden = self.conv_in(functional.silu(self.norm_in(x)))
        scale, shift = self.modulation(condition)[:, :, None, None].chunk(2, dim=1)
        hidden = self.norm_out(hidden) * (1 + scale) + shift
        return self.skip(x) + self.conv_out(functional.silu(hidden))


class SelfAttention(nn.Module):
    """Self-attention between all positions of the coarsest map."""

    def __init__(self, n_channels: int, n_heads: int = 4) -> None:
        super().__init__()
        self.n_heads = n_heads
        self.norm = ChannelNorm(n_channels)
        self.to_qkv = nn.Conv2d(n_channels, 3 * n_channels, 1)
        self.to_out = nn.Conv2d(n_channels, n_channels, 1)
        nn.init.zeros_(self.to_out.weight)

    def forward(self, x: Tensor) -> Tensor:
        """Map (n, c, h, w) to the same shape."""
        n, c, h, w = x.shape
        qkv = self.to_qkv(self.norm(x)).reshape(n, 3, self.n_heads, c // self.n_heads, h * w)
        query, key, value = qkv.transpose(-1, -2).unbind(1)
        weight = torch.softmax(query @ key.transpose(-1, -2) / math.sqrt(c // self.n_heads), dim=-1)
        return x + self.to_out((weight @ value).transpose(-1, -2).reshape(n, c, h, w))


class VelocityNet(nn.Module):
    """U-Net 28 -> 14 -> 7 -> 14 -> 28 that predicts the velocity at (x, time, class)."""

    def __init__(self, channels: tuple[int, int, int]) -> None:
        super().__init__()
        fine, middle, coarse = channels
        width = coarse
        self.embed_time = nn.Sequential(nn.Linear(64, width), nn.SiLU(), nn.Linear(width, width))
        self.embed_class = nn.Embedding(NO_CLASS + 1, width)
        self.enter = nn.Conv2d(1, fine, 3, padding=1)
        self.to_middle = nn.Conv2d(4 * fine, middle, 1)
        self.middle_down = nn.ModuleList(ResidualBlock(middle, middle, width) for _ in range(2))
        self.to_coarse = nn.Conv2d(4 * middle, coarse, 1)
        self.coarse_in = ResidualBlock(coarse, coarse, width)
        self.attention = SelfAttention(coarse)
        self.coarse_out = ResidualBlock(coarse, coarse, width)
        self.from_coarse = nn.Conv2d(coarse, middle, 1)
        self.middle_up = nn.ModuleList(
            [ResidualBlock(2 * middle, middle, width), ResidualBlock(middle, middle, width)]
        )
        self.from_middle = nn.Conv2d(middle, 4 * fine, 1)
        self.fine_up = ResidualBlock(fine, fine, width)
        self.leave = nn.Sequential(ChannelNorm(fine), nn.SiLU(), nn.Conv2d(fine, 1, 3, padding=1))

    def forward(self, x: Tensor, times: Tensor, labels: Tensor) -> Tensor:
        """Return the velocity, (n, 1, 28, 28); `times` in [0, 1] and `labels` have shape (n,).

        With data of unit variance the best linear prediction from x is (2t - 1) / s^2 x, where s^2
        = t^2 + (1 - t)^2. The rest has the standard deviation 1 / s: the network only has to
        predict this rest, scaled to unit variance.
        """
        t = times[:, None, None, None]
        sd = torch.sqrt(t**2 + (1 - t) ** 2)
        scaled = x / sd
        rest = self.predict_rest(scaled, times, labels).float()
        return ((2 * t - 1) * scaled + rest) / sd

    def predict_rest(self, x: Tensor, times: Tensor, labels: Tensor) -> Tensor:
        """Run the U-Net itself."""
        condition = functional.silu(self.embed_time(waves(times)) + self.embed_class(labels))
        fine = self.enter(x)
        middle = self.to_middle(functional.pixel_unshuffle(fine, 2))
        for block in self.middle_down:
            middle = block(middle, condition)
        coarse = self.coarse_in(self.to_coarse(functional.pixel_unshuffle(middle, 2)), condition)
        coarse = self.coarse_out(self.attention(coarse), condition)
        middle = torch.cat([double_size(self.from_coarse(coarse)), middle], dim=1)
        for block in self.middle_up:
            middle = block(middle, condition)
        fine = fine + functional.pixel_shuffle(self.from_middle(middle), 2)
        return self.leave(self.fine_up(fine, condition))


def waves(times: Tensor) -> Tensor:
    """Encode times, (n,), as 32 sines and 32 cosines, (n, 64)."""
    frequencies = torch.exp(torch.linspace(0.0, math.log(500.0), 32))
    angles = times[:, None] * frequencies
    return torch.cat([angles.sin(), angles.cos()], dim=1)


def double_size(x: Tensor) -> Tensor:
    """Repeat every pixel twice in both directions."""
    return functional.interpolate(x, scale_factor=2, mode="nearest")
