"""HYPE: single images, flashed or at leisure, real or fake (Zhou et al. 2019)."""
